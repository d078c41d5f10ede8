/*
 * Bit manipulation and multi-precision instructions.
 */
#include "tests/kernels/x86/kernel.h"

KERNEL popcnt, "N times POPCNT", needs=KERNEL_NEEDS_POPCNT
1:	popcnt %rax, %rdx
	popcnt %ax, %cx
	popcnt KERNEL_SCRATCH(%rsi), %r9d
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 0
SIG INSN_BMI, 3, 0
SIG_LOADS 1, 4
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL lzcnt, "N times LZCNT", needs=KERNEL_NEEDS_LZCNT
1:	lzcnt %rax, %rdx
	lzcnt %eax, %ecx
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 0
SIG INSN_BMI, 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL bmi1, "N times BMI1", needs=KERNEL_NEEDS_BMI1
1:	andn %rax, %rdx, %rcx
	bextr %eax, %edx, %ecx
	blsi %rax, %rcx
	blsmsk %rax, %rcx
	blsr %rax, %rcx
	tzcnt %rax, %rcx
	andn KERNEL_SCRATCH(%rsi), %rdx, %rcx
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 7 + 2, 0
SIG INSN_BMI, 7, 0
SIG_LOADS 1, 8
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL bmi2, "N times BMI2, with MULX as a multiplication", needs=KERNEL_NEEDS_BMI2
1:	bzhi %rax, %rdx, %rcx
	mulx %rax, %r9, %r10
	mulx %eax, %r9d, %r10d
	pdep %rax, %rdx, %rcx
	pext %rax, %rdx, %rcx
	rorx $5, %rax, %rcx
	sarx %rax, %rdx, %rcx
	shlx %eax, %edx, %ecx
	shrx %rax, %rdx, %rcx
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 9 + 2, 0
SIG INSN_BMI, 9, 0
SIG INSN_MUL, 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL adx, "N times ADCX and ADOX", needs=KERNEL_NEEDS_ADX
1:	adcx %rax, %rdx
	adox %rax, %rdx
	adcx %ecx, %r9d
	adox KERNEL_SCRATCH(%rsi), %r9d
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 0
SIG INSN_BMI, 4, 0
SIG_LOADS 1, 4
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
