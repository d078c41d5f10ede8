/*
 * What kernels of x86 are written with: tests/kernels/kernel.h says what a kernel is, this what it finds and
 * what it may ask for here.
 *
 * Entry: RDI = N, RSI = data area (it begins with struct kernel_params), R8 = offset from the copy that runs
 * to its writable alias, RSP = the stack, with at least 1 KiB below the end of its page; DF = 0, x87 and
 * MXCSR as FNINIT and reset leave them, upper halves of vector registers clean.
 *
 * Exit: with RSP, DF, the x87 stack (empty), both control words and clean upper halves as at entry. R12 to
 * R15 must be kept; everything else may change.
 */
#ifndef TESTS_KERNELS_X86_KERNEL_H
#define TESTS_KERNELS_X86_KERNEL_H

#include "tests/kernels/kernel.h"
#include "tests/kernels/x86/needs.h"

/* clang-format off */

/* Flags: services of x86 alone (tests/kernels/x86/services.h). */
#define KERNEL_SERVICE_TEST_INT 0x0100 /* INT KERNEL_VECTOR, INT3 and INT1 arrive at a bare IRETQ */
#define KERNEL_SERVICE_RESUME	0x0200 /* a fault arrives at a handler that stores R9 as return address */
#define KERNEL_SERVICE_SYSCALL	0x0400 /* SYSCALL arrives at a bare SYSRETQ */
#define KERNEL_SERVICE_SYSENTER KERNEL_SERVICE_CALL_OTHER /* SYSENTER arrives at a bare SYSEXIT */
#define KERNEL_SERVICE_XAPIC	KERNEL_SERVICE_TIMER_MAPPED /* params.apic and .ticks; the APIC timer, in xAPIC mode, interrupts and is acknowledged */
#define KERNEL_SERVICE_X2APIC	KERNEL_SERVICE_TIMER /* params.ticks; the same in x2APIC mode */
#define KERNEL_SERVICE_IPI_XAPIC KERNEL_SERVICE_IPI_MAPPED /* with SYSCALL and XAPIC: SYSCALL comes back with IF = 1 and KERNEL_VECTOR requested */
#define KERNEL_SERVICE_IPI_X2APIC 0x8000000 /* the same with X2APIC */
#define KERNEL_SERVICE_RDPMC	0x20000000 /* RDPMC may read counter 0, in ring 3 too */
#define KERNEL_SERVICE_FAR64	0x100000000 /* none: far pointers have offsets of 64 bits, as on Intel's CPUs, not on AMD's */
#define KERNEL_SERVICE_ALIGNED	0x200000000 /* CR0.AM is set: code in ring 3 may ask for alignment checks, which must be made */
#define KERNEL_SERVICE_SEGMENT	0x400000000 /* params.segment: selector of a data segment that is not present */
#define KERNEL_SERVICE_XM	0x4000000000 /* none: it unmasks SIMD floating-point exceptions, which must be raised */
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

#ifdef __ASSEMBLER__

/* A stray jump traps there. */
.macro KERNEL_BEHIND
	int3
.endm

#include "tests/kernels/macros.h"
#include "tests/kernels/x86/registers.h"

/* Cycles of a run that do not grow with N, at most: twelve mispredictions of the longest pipeline, which a sibling thread makes twice as long, and
 * four instructions of the bracket, WRMSR among them. */
#define CYCLES_ONCE 12*31*2 + 4*300

/* What a kernel cannot cause that has no floating point and changes no code. */
.macro SIG_INTEGER_ONLY
	SIG ASSISTS_FP, 0, 0
	SIG AVX_SSE_TRANSITIONS, 0, 0
	SIG CLEARS_SMC, 0, 0
.endm

#else
/* clang-format on */

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

#endif
#endif
