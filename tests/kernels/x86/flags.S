/*
 * Instructions on the flags register.
 */
#include "tests/kernels/x86/kernel.h"

KERNEL carry_flag, "N times CLC, STC, CMC"
1:	clc
	stc
	cmc
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL direction_flag, "N times STD and CLD"
1:	std
	cld
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL flags_ah, "N times LAHF and SAHF", needs=KERNEL_NEEDS_LAHF_LM
1:	lahf
	sahf
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL flags_stack, "N times PUSHF, POP, PUSH, POPF"
1:	pushfq
	pop %rax
	push %rax
	popfq
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 0
SIG_STORES 2, WORD
SIG_LOADS 2, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
