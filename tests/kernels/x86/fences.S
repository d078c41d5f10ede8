/*
 * Fences, instructions that serialise execution, and those that ask the processor something.
 */
#include "tests/kernels/x86/kernel.h"

KERNEL fences, "N times LFENCE, SFENCE, MFENCE: neither loads nor stores"
1:	lfence
	sfence
	mfence
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 0
SIG INSN_FENCE, 3, 0
SIG INSN_LFENCE, 1, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL cpuid, "N times CPUID leaf 0: no branch, no store"
1:	xor %eax, %eax
	cpuid
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 0
SIG INSN_CPUID, 1, 0
SIG INSN_SERIALIZING, 1, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

#ifndef __i386__
KERNEL serialize, "N times SERIALIZE", needs=KERNEL_NEEDS_SERIALIZE
1:	.byte 0x0f, 0x01, 0xe8
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 1 + 2, 0
SIG INSN_SERIALIZING, 1, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
#endif

KERNEL rdtsc, "N times RDTSC"
1:	rdtsc
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 1 + 2, 0
SIG INSN_RDTSC, 1, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL rdtscp, "N times RDTSCP", needs=KERNEL_NEEDS_RDTSCP
1:	rdtscp
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 1 + 2, 0
SIG INSN_RDTSC, 1, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL rdrand, "N times RDRAND of each size", needs=KERNEL_NEEDS_RDRAND
1:	rdrand %ax
	rdrand %ecx
	rdrand %rdx
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL xgetbv, "N times XGETBV", needs=KERNEL_NEEDS_XSAVE
	xor %ecx, %ecx
1:	xgetbv
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 1 + 2, 1
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
