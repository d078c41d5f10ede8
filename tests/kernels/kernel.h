/*
 * Kernels: microbenchmarks in assembly, each with its signature beside it. docs/adding-a-kernel.md tells how
 * to write one.
 *
 *	KERNEL nop_loop, "N times ten NOPs in a counted loop", needs=0, flags=0
 *	1:	.rept 10
 *		nop
 *		.endr
 *		dec %rdi
 *		jnz 1b
 *	KERNEL_END
 *	SIG INSTRUCTIONS, 10 + 2, 0
 *	SIG INSN_NOP, 10, 0
 *	SIG_LOOP
 *	SIGNATURE_END
 *
 * Entry: RDI = N (at least 1; with KERNEL_FROM_ZERO, at least 0), RSI = data area (KERNEL_DATA_SIZE bytes,
 * page aligned, zero-filled once and touched; it begins with struct kernel_params), R8 = offset from the
 * copy that runs to its writable alias, RSP = a stack aligned to 64 bytes, with 4 KiB to spare and at least
 * 1 KiB below the end of its page; DF = 0, x87 and MXCSR as FNINIT and reset leave them, upper halves of
 * vector registers clean.
 *
 * Exit: by falling off the end, with RSP, DF, the x87 stack (empty), both control words and clean upper
 * halves as at entry. R12 to R15 must be kept; everything else may change. Position independent, no
 * reference outside the block: it is copied before it runs. Control enters at its first byte and leaves
 * only at its end.
 *
 * SIG quantity, a, b: produces exactly a*N + b. An architectural quantity that is not listed is produced
 * exactly 0 times.
 *
 * SIG_RANGE quantity, a_low, b_low, a_high, b_high, "reason": between a_low*N + b_low and a_high*N + b_high.
 *A micro-architectural quantity that is not listed is not defined by this kernel. Only kernels with
 * transactions (KERNEL_NEEDS_RTM) may give an architectural one as a range: its ends are what happens if all
 * transactions abort at once, and if none aborts before it must.
 *
 * A quantity is listed once. Amounts are assembler expressions, written so that they can be checked against
 * the code (no blanks around an asterisk, and a difference in parentheses: the assembler splits arguments
 * there).
 */
#ifndef TESTS_KERNELS_KERNEL_H
#define TESTS_KERNELS_KERNEL_H

/* clang-format off */

#include "tests/kernels/x86/needs.h"

/* Flags. */
#define KERNEL_RING0_ONLY  0x01 /* uses privileged instructions */
#define KERNEL_CORE	   0x02 /* part of the default selection: quick and portable */
#define KERNEL_CLOBBERS_CR 0x04 /* changes a control register (and puts it back) */
#define KERNEL_RING3_ONLY  0x08 /* only makes sense, or only has this signature, in ring 3 */

#define KERNEL_FROM_ZERO   0x20 /* its signature holds for N = 0, too */
#define KERNEL_FINER	   0x40 /* a step of a grid between others: left out of kernel=all, taken by kernel=full and by name */

#define KERNEL_STILL	   0x80 /* but for what closes its loop it has NOPs alone: more than any loop buffer holds, in few lines of code */

/* Flags: what the harness must provide while the kernel runs (tests/kernels/x86/services.h). Plain code has none of them. */
#define KERNEL_SERVICE_TEST_INT 0x0100 /* INT KERNEL_VECTOR, INT3 and INT1 arrive at a bare IRETQ */
#define KERNEL_SERVICE_RESUME	0x0200 /* a fault arrives at a handler that stores R9 as return address */
#define KERNEL_SERVICE_SYSCALL	0x0400 /* SYSCALL arrives at a bare SYSRETQ */
#define KERNEL_SERVICE_ALIAS	0x0800 /* the alias at R8 may be written in the ring that the kernel runs in */
#define KERNEL_SERVICE_UC	0x1000 /* page KERNEL_SPECIAL of the data area is uncacheable */
#define KERNEL_SERVICE_WC	0x2000 /* page KERNEL_SPECIAL of the data area is write combining */
#define KERNEL_SERVICE_ABSENT	0x4000 /* page KERNEL_SPECIAL of the data area is not present */
#define KERNEL_SERVICE_CHAIN_L1 0x8000 /* params.chain: lines that conflict in the first-level data cache and fit the second */
#define KERNEL_SERVICE_CHAIN_L2 0x10000 /* params.chain: lines that conflict in the second-level cache */
#define KERNEL_SERVICE_SYSENTER 0x20000 /* SYSENTER arrives at a bare SYSEXIT */
#define KERNEL_SERVICE_XAPIC	0x40000 /* params.apic and .ticks; the APIC timer, in xAPIC mode, interrupts and is acknowledged */
#define KERNEL_SERVICE_X2APIC	0x80000 /* params.ticks; the same in x2APIC mode */
#define KERNEL_SERVICE_NMI	0x100000 /* an NMI arrives at a bare IRETQ */
#define KERNEL_SERVICE_CHAIN_FITS 0x200000 /* with one of the above: three lines for every four ways, so that all stay */
#define KERNEL_SERVICE_CHAIN_LLC 0x400000 /* params.chain: a ring through twice as many lines as the last-level cache has */
#define KERNEL_SERVICE_CHAIN_4K 0x800000 /* params.chain: a ring through twice as many 4 KiB pages as the TLBs hold */
#define KERNEL_SERVICE_CHAIN_2M 0x1000000 /* params.chain: the same memory in the same order, in 2 MiB pages */
#define KERNEL_SERVICE_CHAIN_1G 0x2000000 /* params.chain: the same in 1 GiB pages */
#define KERNEL_SERVICE_IPI_XAPIC 0x4000000 /* with SYSCALL and XAPIC: SYSCALL comes back with IF = 1 and KERNEL_VECTOR requested */
#define KERNEL_SERVICE_IPI_X2APIC 0x8000000 /* the same with X2APIC */
#define KERNEL_SERVICE_CODE	0x10000000 /* params.code: a ring of code larger than first-level instruction caches */
#define KERNEL_SERVICE_RDPMC	0x20000000 /* RDPMC may read counter 0, in ring 3 too */
#define KERNEL_SERVICE_RIVAL	0x40000000 /* another processor stores to the line at KERNEL_SPECIAL of the data area, again and again */
#define KERNEL_SERVICE_SIBLING	0x80000000 /* the other logical processor of the core works, on a line of its own */
#define KERNEL_SERVICE_FAR64	0x100000000 /* none: far pointers have offsets of 64 bits, as on Intel's CPUs, not on AMD's */
#define KERNEL_SERVICE_ALIGNED	0x200000000 /* CR0.AM is set: code in ring 3 may ask for alignment checks, which must be made */
#define KERNEL_SERVICE_SEGMENT	0x400000000 /* params.segment: selector of a data segment that is not present */
#define KERNEL_SERVICE_SPLIT_LOCK 0x800000000 /* a locked access across two lines does not fault */
#define KERNEL_SERVICE_CHAIN_DTLB 0x1000000000 /* params.chain: a ring through twice as many pages as the first-level TLB holds, which the second holds twice */
#define KERNEL_SERVICE_CODE_FULL 0x2000000000 /* params.full: a ring of code larger than caches of decoded instructions */
#define KERNEL_SERVICE_XM	0x4000000000 /* none: it unmasks SIMD floating-point exceptions, which must be raised */
#define KERNEL_SERVICE_CHAIN_HELD 0x8000000000 /* with CHAIN_L2: a third level holds all its lines, wherever they lie in it */
#define KERNEL_SERVICES		0xffffffff00
#define KERNEL_SERVICE_CHAINS                                                                                          \
	(KERNEL_SERVICE_CHAIN_L1 | KERNEL_SERVICE_CHAIN_L2 | KERNEL_SERVICE_CHAIN_LLC | KERNEL_SERVICE_CHAIN_4K |     \
	 KERNEL_SERVICE_CHAIN_2M | KERNEL_SERVICE_CHAIN_1G | KERNEL_SERVICE_CHAIN_DTLB)

#define KERNEL_DATA_SIZE 0x10000
#define KERNEL_SCRATCH	 0x1000 /* offset in the data area from which kernels may use it freely */
#define KERNEL_ZEROS	 0xe000 /* offset of a page that no kernel writes to: it stays zero */
#define KERNEL_SPECIAL	 0xf000 /* offset of the page whose attributes a service changes; plain kernels leave it alone */
#define KERNEL_STACK	 0x1000 /* bytes of stack that a kernel may use */
#define KERNEL_VECTOR	 0xe3	/* VECTOR_TEST of arch/x86/exceptions/trap.h */

/* Instructions of the services' handlers (tests/kernels/x86/handlers.S): part of what such a kernel causes. */
#define KERNEL_TEST_INT_INSTRUCTIONS	1 /* IRETQ */
#define KERNEL_RESUME_INSTRUCTIONS	2 /* for vectors without an error code: store, IRETQ */
#define KERNEL_RESUME_CODE_INSTRUCTIONS 3 /* with one: it is dropped first */
#define KERNEL_SYSCALL_INSTRUCTIONS	1 /* SYSRETQ; SYSEXIT likewise */
#define KERNEL_IPI_XAPIC_INSTRUCTIONS	3 /* request, set IF, SYSRETQ; R10 as below */
#define KERNEL_IPI_X2APIC_INSTRUCTIONS	8 /* R9 is used */
#define KERNEL_XAPIC_INSTRUCTIONS	2 /* store to EOI, for which RAX must be 0 and R10 the APIC's address; IRETQ */
#define KERNEL_X2APIC_INSTRUCTIONS	5 /* WRMSR to EOI, with RAX, RCX, RDX set up before; IRETQ */

/* Offsets in struct kernel_params. */
#define KERNEL_PARAM_CHAIN  0x00
#define KERNEL_PARAM_RANDOM 0x08
#define KERNEL_PARAM_APIC   0x10
#define KERNEL_PARAM_TICKS  0x18
#define KERNEL_PARAM_CODE   0x20
#define KERNEL_PARAM_VMCB   0x28
#define KERNEL_PARAM_FULL   0x30
#define KERNEL_PARAM_SEGMENT 0x38

/* Loads of a chain's elements in each turn of the kernels that ask for one. */
#define KERNEL_CHAIN_LINKS 16

/* The ring of code: segments of so many jumps, each into a line of its own. The last one of a segment loads RAX with the next segment's
 * address and returns. */
#define KERNEL_CODE_LINES    2048
#define KERNEL_CODE_SEGMENT  16
#define KERNEL_CODE_SIZE     (KERNEL_CODE_LINES*64)
/* The ring of full lines, in the same lines: so many instructions in each, and so many lines in a segment. */
#define KERNEL_FULL_SEGMENT  4
#define KERNEL_FULL_LINE     13
/* What both rings say of first-level caches and TLBs of code, and of the levels below. */
#define CODE_RING_MISSES  "twice what the largest such cache holds, of which half may stay; a fetch that is given up and begun again misses twice"
#define CODE_RING_PAGES   "the TLBs may hold all thirty-two pages; else each half of the ring comes to a new one in some turns, for which a fetch may miss twice"
#define CODE_RING_BY_SIZE "the levels above may hold the code, or a run is the first to come by; the neighbour of each line may be asked for as well"

#define SIGNATURE_LOOP 0xff /* in place of a quantity: what SIG_LOOP stands for */

#ifdef __ASSEMBLER__

.section .note.GNU-stack, "", @progbits

/* Q_ numbers for the assembler, in the order of enum quantity. */
#define QUANTITY(id, name, class, definition) .set .LQ_##id, .Lquantity_next ; .set .Lquantity_next, .Lquantity_next + 1
.set .Lquantity_next, 0
#include "pmu/quantity/quantity.def"
#undef QUANTITY

/* The purpose is for those who read the source. */
.macro KERNEL name, purpose, needs=0, flags=0
	.ifeqs "\purpose", ""
	.error "kernel \name has no purpose"
	.endif
	.section .text.kernels, "ax", @progbits
	.globl kernel_\name
	.type kernel_\name, @function
	.pushsection .rodata.kernel_strings, "aMS", @progbits, 1
.Lkernel_name_\name:
	.asciz "\name"
	.popsection
	.pushsection kernel_rows, "a", @progbits /* struct kernel_row */
	.p2align 2
	.long .Lkernel_name_\name - ., 10020f - ., 10030f - ., 10032f - .
	.word 10021f - 10020f
	.byte (10031f - 10030f) / 8, (10033f - 10032f) / 20
	.quad \needs, \flags
	.popsection
	.pushsection kernels, "aw", @nobits /* struct kernel */
	.skip 72
	.popsection
kernel_\name:
10020:
.endm

/* The byte after the block keeps its end label inside the section and apart from the next kernel. */
.macro KERNEL_END
10021:	int3
	.pushsection .rodata.kernel_range_rows, "a", @progbits
	.p2align 2
10032:
	.popsection
	.section .rodata.kernel_signatures, "a", @progbits
	.p2align 3
10030:
.endm

.macro SIG_WORD quantity, a, b /* struct signature_exact */
	.ifndef .LQ_\quantity
	.error "signature names an unknown quantity: \quantity"
	.endif
	.if ((\a) < -0x8000000) || ((\a) > 0x7ffffff) || ((\b) < -0x8000000) || ((\b) > 0x7ffffff)
	.error "signature has an amount beyond 28 bits: \quantity"
	.endif
	.quad .LQ_\quantity + (((\a) & 0xfffffff) << 8) + (((\b) & 0xfffffff) << 36)
.endm

/* Memory for struct signature_exact, kernels_unpack() fills it in. */
.macro SIG_ROOM lines
	.pushsection kernel_exacts, "aw", @nobits
	.skip 8*\lines
	.popsection
.endm

.macro SIG quantity, a, b=0
	SIG_WORD \quantity, \a, \b
	SIG_ROOM 1
.endm

.macro SIG_RANGE quantity, a_low, b_low, a_high, b_high, reason
	.pushsection .rodata.kernel_strings, "aMS", @progbits, 1
.Lreason\@:
	.asciz "\reason"
	.popsection
	.pushsection .rodata.kernel_range_rows, "a", @progbits /* struct signature_range_row */
	SIG_WORD \quantity, \a_low, \b_low
	SIG_WORD \quantity, \a_high, \b_high
	.long .Lreason\@ - .
	.popsection
	.pushsection kernel_ranges, "aw", @nobits /* struct signature_range */
	.skip 48
	.popsection
.endm

/*
 * The branches of a kernel whose only branch is the one that closes its loop of N turns: BRANCHES, BR_COND, both 1, 0, BR_COND_TAKEN 1, -1,
 * BR_COND_NTAKEN 0, 1, and an interval for BR_MISPRED. Most kernels have these, so it is one word that kernels_unpack() spells out.
 */
.macro SIG_LOOP
	.quad SIGNATURE_LOOP
	SIG_ROOM 4
	.pushsection kernel_ranges, "aw", @nobits
	.skip 48
	.popsection
.endm

/* \count branches per turn, and \once in all, each of which goes one way only. Returns and branches that are not taken need no target. */
.macro SIG_ONE_WAY count, once=0
	SIG_RANGE BR_MISPRED, 0, 0, \count, \once, "each goes one way but at the end; where all share one place of a target buffer, each finds the target of the one before it"
.endm

/* Cycles of a run that do not grow with N, at most: twelve mispredictions of the longest pipeline, which a sibling thread makes twice as long, and
 * four instructions of the bracket, WRMSR among them. */
#define CYCLES_ONCE 12*31*2 + 4*300

/* What a kernel cannot cause that has no floating point and changes no code. */
.macro SIG_INTEGER_ONLY
	SIG ASSISTS_FP, 0, 0
	SIG AVX_SSE_TRANSITIONS, 0, 0
	SIG CLEARS_SMC, 0, 0
.endm

/* \count instructions per turn that each make one access of \bytes. */
.macro SIG_LOADS count, bytes
	SIG INSN_LOAD, \count, 0
	SIG LOADS, \count, 0
	SIG LOAD_BYTES, (\count)*(\bytes), 0
.endm

.macro SIG_STORES count, bytes
	SIG INSN_STORE, \count, 0
	SIG STORES, \count, 0
	SIG STORE_BYTES, (\count)*(\bytes), 0
.endm

.macro SIGNATURE_END
10031:
	.pushsection .rodata.kernel_range_rows, "a", @progbits
10033:
	.popsection
	.text
.endm

#else
/* clang-format on */

#include "pmu/quantity/quantity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

_Static_assert(KERNEL_SERVICE_TEST_INT + KERNEL_SERVICE_RESUME + KERNEL_SERVICE_SYSCALL +
			       KERNEL_SERVICE_ALIAS + KERNEL_SERVICE_UC + KERNEL_SERVICE_WC +
			       KERNEL_SERVICE_ABSENT + KERNEL_SERVICE_CHAIN_L1 + KERNEL_SERVICE_CHAIN_L2 +
			       KERNEL_SERVICE_SYSENTER + KERNEL_SERVICE_XAPIC + KERNEL_SERVICE_X2APIC +
			       KERNEL_SERVICE_NMI + KERNEL_SERVICE_CHAIN_FITS + KERNEL_SERVICE_CHAIN_LLC +
			       KERNEL_SERVICE_CHAIN_4K + KERNEL_SERVICE_CHAIN_2M + KERNEL_SERVICE_CHAIN_1G +
			       KERNEL_SERVICE_IPI_XAPIC + KERNEL_SERVICE_IPI_X2APIC + KERNEL_SERVICE_CODE +
			       KERNEL_SERVICE_RDPMC + KERNEL_SERVICE_RIVAL + KERNEL_SERVICE_SIBLING +
			       KERNEL_SERVICE_FAR64 + KERNEL_SERVICE_ALIGNED + KERNEL_SERVICE_SEGMENT +
			       KERNEL_SERVICE_SPLIT_LOCK + KERNEL_SERVICE_CHAIN_DTLB +
			       KERNEL_SERVICE_CODE_FULL + KERNEL_SERVICE_XM + KERNEL_SERVICE_CHAIN_HELD ==
		       KERNEL_SERVICES,
	       "each service has a bit of its own");

/** What kernels find at the start of the data area. Filled in by the harness before each run; zero where it
 * has nothing to say. */
struct kernel_params {
	uint64_t chain; /* an element of the circular chain that a KERNEL_SERVICE_CHAIN_ flag asks for; may be
			   moved on in it */
	uint64_t random;  /* state of the kernels' pseudo-random generator, carried on from run to run; any
			     value will do */
	uint64_t apic;    /* address of the local APIC's registers, in xAPIC mode */
	uint64_t ticks;   /* initial count of the APIC timer for some tens of microseconds */
	uint64_t code;    /* a segment of the ring of code; may be moved on in it */
	uint64_t vmcb;    /* with KERNEL_NEEDS_SVM: a guest's control block, which lacks RIP and RSP and
			     intercepts VMMCALL */
	uint64_t full;    /* a segment of the ring of full lines; may be moved on in it */
	uint64_t segment; /* selector of a data segment of ring 3 that is not present */
};
_Static_assert(offsetof(struct kernel_params, segment) == KERNEL_PARAM_SEGMENT, "kernel_params");
_Static_assert(offsetof(struct kernel_params, vmcb) == KERNEL_PARAM_VMCB, "kernel_params");
_Static_assert(offsetof(struct kernel_params, code) == KERNEL_PARAM_CODE, "kernel_params");
_Static_assert(offsetof(struct kernel_params, full) == KERNEL_PARAM_FULL, "kernel_params");

_Static_assert(offsetof(struct kernel_params, apic) == KERNEL_PARAM_APIC, "kernel_params");
_Static_assert(offsetof(struct kernel_params, ticks) == KERNEL_PARAM_TICKS, "kernel_params");
_Static_assert(offsetof(struct kernel_params, chain) == KERNEL_PARAM_CHAIN, "kernel_params");
_Static_assert(offsetof(struct kernel_params, random) == KERNEL_PARAM_RANDOM, "kernel_params");

/** A line of a signature: exactly a*N + b. There are thousands of these, so they are small. */
struct signature_exact {
	uint64_t quantity : 8;
	int64_t a : 28, b : 28;
};
_Static_assert(sizeof(struct signature_exact) == 8 && Q_COUNT <= SIGNATURE_LOOP, "macro SIG");

/** A line of a signature: low <= amount <= high, each linear in N. */
struct signature_range {
	int64_t quantity;
	int64_t a_low, b_low, a_high, b_high;
	const char *reason;
};

struct kernel {
	const char *name;
	const uint8_t *code, *code_end;
	const struct signature_exact *exact, *exact_end;
	const struct signature_range *range, *range_end;
	uint64_t needs; /* bit set of KERNEL_NEEDS_*: CPU features, see tests/kernels/x86/needs.h */
	uint64_t flags; /* KERNEL_RING0_ONLY ... */
};

_Static_assert(sizeof(struct signature_range) == 48 && sizeof(struct kernel) == 72,
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
	return k->needs & KERNEL_NEEDS_RTM;
}

/** Whether each instruction of the kernel is followed by the one that it leads to: a guest's last one is not.
 */
static inline bool kernel_has_path(const struct kernel *k)
{
	return !(k->needs & KERNEL_NEEDS_SVM);
}

/** What becomes of a kernel's transactions while it is stepped. */
enum outcome { OUTCOME_ABORT, OUTCOME_COMMIT };
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

/** The kernel called `name` (as it is written), NULL if there is none. */
const struct kernel *kernel_by_name(const char *name);

/**
 * Whether the option kernel=GLOBS selects a kernel. NULL, "" and the word "core" stand for those flagged
 * KERNEL_CORE, the word "all" for every one but those flagged KERNEL_FINER, the word "full" for every one.
 */
bool kernel_selected(const struct kernel *k, const char *globs);

#endif
#endif
