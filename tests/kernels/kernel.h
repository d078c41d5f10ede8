/*
 * Kernels: microbenchmarks in assembly, each with its signature beside it. docs/adding-a-kernel.md tells how
 * to write one.
 *
 * Example:
 *
 *	KERNEL nop_loop, "N times ten NOPs in a counted loop", needs=0, flags=0
 *	1:	.rept 10
 *		nop
 *		.endr
 *		(one less of N, and back to 1 if any is left: two instructions)
 *	KERNEL_END
 *	SIG INSTRUCTIONS, 10 + 2, 0
 *	SIG INSN_NOP, 10, 0
 *	SIG_LOOP
 *	SIGNATURE_END
 *
 * Entry: N (at least 1; with KERNEL_FROM_ZERO, at least 0), the data area (KERNEL_DATA_SIZE bytes, page
 * aligned, zero-filled once and touched), the offset from the copy that runs to its writable alias, and a
 * stack aligned to 64 bytes, with KERNEL_STACK bytes to spare. Which registers hold them, which must be kept,
 * and the assembly macros' own part is in kernel.h of the instruction set's folder.
 *
 * Exit: by falling off the end, with all that must be kept as at entry. Position independent, no reference
 * outside the block: it is copied before it runs. Control enters at its first byte and leaves only at its
 * end.
 *
 * SIG quantity, a, b: produces exactly a*N + b. An architectural quantity that is not listed is produced
 * exactly 0 times.
 *
 * SIG_RANGE quantity, a_low, b_low, a_high, b_high, "reason": between a_low*N + b_low and a_high*N + b_high.
 * A micro-architectural quantity that is not listed is not defined by this kernel. Only kernels with
 * transactions (KERNEL_TRANSACTS) may give an architectural one as a range: its ends are what happens if all
 * transactions abort at once, and if none aborts before it must.
 *
 * A quantity is listed once. Amounts are assembler expressions of 32 bits, written so that they can be
 * checked against the code (no blanks around an asterisk, and a difference in parentheses: the assembler
 * splits arguments there). The macros are in tests/kernels/macros.h.
 */
#ifndef TESTS_KERNELS_KERNEL_H
#define TESTS_KERNELS_KERNEL_H

/* clang-format off */

/* Flags. */
#define KERNEL_PRIVILEGED  0x01 /* uses privileged instructions */
#define KERNEL_CORE	   0x02 /* part of the default selection: quick and portable */
#define KERNEL_CLOBBERS_CR 0x04 /* changes a control register (and puts it back) */
#define KERNEL_USER_ONLY  0x08 /* only makes sense, or only has this signature, in ring 3 */

#define KERNEL_TRANSACTS   0x10 /* it has transactions, of which the CPU decides whether they commit */
#define KERNEL_FROM_ZERO   0x20 /* its signature holds for N = 0, too */
#define KERNEL_FINER	   0x40 /* a step of a grid between others: left out of kernel=all, taken by kernel=full and by name */

#define KERNEL_STILL	   0x80 /* but for what closes its loop it has NOPs alone: more than any loop buffer holds, in few lines of code */

/* Flags: what the harness must provide while the kernel runs. Plain code has none of them. These are every
 * instruction set's; the other bits of KERNEL_SERVICES are each one's own (kernel.h of its folder). */
#define KERNEL_SERVICE_ALIAS	0x0800 /* the alias may be written at the level that the kernel runs at */
#define KERNEL_SERVICE_UC	0x1000 /* page KERNEL_SPECIAL of the data area is uncacheable */
#define KERNEL_SERVICE_WC	0x2000 /* page KERNEL_SPECIAL of the data area is write combining */
#define KERNEL_SERVICE_ABSENT	0x4000 /* page KERNEL_SPECIAL of the data area is not present */
#define KERNEL_SERVICE_CHAIN_L1 0x8000 /* params.chain: lines that conflict in the first-level data cache and fit the second */
#define KERNEL_SERVICE_CHAIN_L2 0x10000 /* params.chain: lines that conflict in the second-level cache */
#define KERNEL_SERVICE_CALL_OTHER 0x20000 /* the other way to call the system arrives at a handler that returns at once (x86: SYSENTER) */
#define KERNEL_SERVICE_TIMER_MAPPED 0x40000 /* the processor's timer interrupts, and is acknowledged by a store (x86: xAPIC mode) */
#define KERNEL_SERVICE_TIMER	0x80000 /* the same, acknowledged by a register access (x86: x2APIC mode) */
#define KERNEL_SERVICE_NMI	0x100000 /* an interrupt that cannot be masked arrives, and its handler returns at once */
#define KERNEL_SERVICE_CHAIN_FITS 0x200000 /* with one of the above: three lines for every four ways, so that all stay */
#define KERNEL_SERVICE_CHAIN_LLC 0x400000 /* params.chain: a ring through twice as many lines as the last-level cache has */
#define KERNEL_SERVICE_CHAIN_4K 0x800000 /* params.chain: a ring through twice as many 4 KiB pages as the TLBs hold */
#define KERNEL_SERVICE_CHAIN_2M 0x1000000 /* params.chain: the same memory in the same order, in 2 MiB pages */
#define KERNEL_SERVICE_CHAIN_1G 0x2000000 /* params.chain: the same in 1 GiB pages */
#define KERNEL_SERVICE_IPI_MAPPED 0x4000000 /* a system call has the processor interrupt itself, by a store */
#define KERNEL_SERVICE_CODE	0x10000000 /* params.code: a ring of code larger than first-level instruction caches */
#define KERNEL_SERVICE_RIVAL	0x40000000 /* another processor stores to the line at KERNEL_SPECIAL of the data area, again and again */
#define KERNEL_SERVICE_SIBLING	0x80000000 /* the other logical processor of the core works, on a line of its own */
#define KERNEL_SERVICE_SPLIT_LOCK 0x800000000 /* a locked access across two lines does not fault */
#define KERNEL_SERVICE_CHAIN_DTLB 0x1000000000 /* params.chain: a ring through twice as many pages as the first-level TLB holds, which the second holds twice */
#define KERNEL_SERVICE_CODE_FULL 0x2000000000 /* params.full: a ring of code larger than caches of decoded instructions */
#define KERNEL_SERVICE_CHAIN_HELD 0x8000000000 /* with CHAIN_L2: a third level holds all its lines, wherever they lie in it */
#define KERNEL_SERVICES		0xffffffff00
#define KERNEL_NO_PATH		0x10000000000 /* one of its instructions is followed by another than the one that it leads to */
#define KERNEL_OWN		0x20000000000 /* a user's own code (tests/kernels/user_code.h): no signature but kernel_observe() */
#define KERNEL_SERVICE_CHAINS                                                                                          \
	(KERNEL_SERVICE_CHAIN_L1 | KERNEL_SERVICE_CHAIN_L2 | KERNEL_SERVICE_CHAIN_LLC | KERNEL_SERVICE_CHAIN_4K |     \
	 KERNEL_SERVICE_CHAIN_2M | KERNEL_SERVICE_CHAIN_1G | KERNEL_SERVICE_CHAIN_DTLB)

#define KERNEL_DATA_SIZE 0x10000
#define KERNEL_SCRATCH	 0x1000 /* offset in the data area from which kernels may use it freely */
#define KERNEL_ZEROS	 0xe000 /* offset of a page that no kernel writes to: it stays zero */
#define KERNEL_SPECIAL	 0xf000 /* offset of the page whose attributes a service changes; plain kernels leave it alone */
#define KERNEL_STACK	 0x1000 /* bytes of stack that a kernel may use */

/*
 * What the assembly macros write, and what they set aside memory for, in bytes. The same on every instruction
 * set but for the size of a pointer: fields in the target's byte order, naturally aligned but for rows of
 * signatures, which are packed.
 */
#define SIGNATURE_ROW_SIZE   10 /* struct signature_row */
#define SIGNATURE_SIZE	     12 /* struct signature_exact */
#define RANGE_ROW_SIZE	     22 /* struct signature_range_row */
#define RANGE_SIZE	     ((5*8 + __SIZEOF_POINTER__ + 7) & ~7) /* struct signature_range */
#define KERNEL_ROW_SIZE	     40 /* struct kernel_row */
#define KERNEL_STRUCT_SIZE   ((7*__SIZEOF_POINTER__ + 2*8 + 7) & ~7) /* struct kernel */

#define SIGNATURE_LOOP 0xffff /* in place of a quantity: what SIG_LOOP stands for */

#ifndef __ASSEMBLER__
/* clang-format on */

#include "pmu/quantity/quantity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A line of a signature: exactly a*N + b. */
struct signature_exact {
	quantity_number quantity;
	int32_t a, b;
};
_Static_assert(sizeof(struct signature_exact) == SIGNATURE_SIZE && Q_COUNT <= SIGNATURE_LOOP, "macro SIG");

/** A line of a signature: low <= amount <= high, each linear in N. */
struct signature_range {
	int64_t quantity;
	int64_t a_low, b_low, a_high, b_high;
	const char *reason;
} __attribute__((aligned(8)));

struct kernel {
	const char *name;
	const uint8_t *code, *code_end;
	const struct signature_exact *exact, *exact_end;
	const struct signature_range *range, *range_end;
	uint64_t needs; /* features of the CPU: bits of the instruction set's own */
	uint64_t flags; /* KERNEL_PRIVILEGED ... */
} __attribute__((aligned(8)));

_Static_assert(sizeof(struct signature_range) == RANGE_SIZE && sizeof(struct kernel) == KERNEL_STRUCT_SIZE,
	       "macros SIG_RANGE and KERNEL");

/**
 * All kernels of the image, in link order: a linker set, so that adding a kernel needs no other edit. The
 * image file holds it packed; the arrays are memory that the linker set aside, empty until kernels_unpack().
 * The bounds have the names that the linker gives the bounds of a section whose name is an identifier.
 */
extern const struct kernel kernels_begin[] __asm__("__start_kernels");
extern const struct kernel kernels_end[] __asm__("__stop_kernels");

/** Fill in the kernels. To be called once, before anything looks at them. */
void kernels_unpack(void);

/** An amount that a kernel produces for a given N. */
struct amount {
	bool defined;  /* false: a micro-architectural quantity that the signature does not list */
	bool overflow; /* a*N + b does not fit 64 bits; low and high mean nothing */
	int64_t low, high;
	const char *reason; /* of an interval; NULL when exact */
};

/** The values of N, in multiples of n, by which single-stepping confirms a signature: kernels whose signature
 * holds for 0 are tried with 0. @param i from 0 */
static inline uint64_t kernel_trial_n(const struct kernel *k, uint64_t n, unsigned i)
{
	return k->flags & KERNEL_FROM_ZERO ? n * i : n * (i + 1);
}

/** How much of quantity q kernel k produces with N = n. */
struct amount kernel_amount(const struct kernel *k, enum quantity q, uint64_t n);

/** Whether the CPU decides how much the kernel produces: it has transactions, which may abort. */
static inline bool kernel_transacts(const struct kernel *k)
{
	return k->flags & KERNEL_TRANSACTS;
}

/** Whether each instruction of the kernel is followed by the one that it leads to. */
static inline bool kernel_has_path(const struct kernel *k)
{
	return !(k->flags & KERNEL_NO_PATH);
}

/** What becomes of a kernel's transactions while it is stepped. */
enum transaction_outcome { OUTCOME_ABORT, OUTCOME_COMMIT };
#define OUTCOMES 2

/** Outcomes that make a difference to a kernel: for all but transactions, one. */
static inline unsigned outcomes_of(const struct kernel *k)
{
	return kernel_transacts(k) ? OUTCOMES : 1;
}

/** Ends of an amount; an exact one has both at once. */
enum amount_end { AMOUNT_LOW = 1, AMOUNT_HIGH = 2, AMOUNT_BOTH = 3 };

/**
 * Falsify a signature for the rest of the run, for tests of the harness: from now on kernel_amount() adds
 * delta_a*N + delta_b to quantity q of kernel k. The signature itself stays as it is.
 * @return false if too many are falsified already
 */
bool kernel_falsify(const struct kernel *k, enum quantity q, int64_t delta_a, int64_t delta_b);

/** The same for one end of an interval. */
bool kernel_falsify_end(const struct kernel *k, enum quantity q, enum amount_end end, int64_t delta_a,
			int64_t delta_b);

/** Take the last falsification back. */
void kernel_restore_last(void);

/** Take all falsifications back. */
void kernel_restore(void);

/** Until the next call, kernel_amount() takes these off the amounts of kernel k, whatever N: what becomes of
 * an expectation if some of its instructions are not counted. NULL: of none. */
void kernel_leave_out(const struct kernel *k, const struct qvec *amounts);

/** What single-stepping showed of a kernel without a signature: its amounts for this n. Those of
 * KERNEL_OBSERVED values of N are kept, of one kernel. @param amounts NULL: forget all */
#define KERNEL_OBSERVED 3
void kernel_observe(const struct kernel *k, uint64_t n, const struct qvec *amounts);

/** The kernel called `name` (as it is written), NULL if there is none. */
const struct kernel *kernel_by_name(const char *name);

/**
 * Whether the option kernel=GLOBS selects a kernel. NULL, "" and the alternative "core" stand for those
 * flagged KERNEL_CORE, the word "all" for every one but those flagged KERNEL_FINER, the alternative "full"
 * for every one.
 */
bool kernel_selected(const struct kernel *k, const char *globs);

#endif
#endif
