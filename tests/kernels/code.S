/*
 * Code as data: code that changes itself through its writable alias (R8 bytes away).
 */
#include "tests/kernels/kernel.h"

#define STALE "each store hits a line in use; none, one or several stages of the pipeline may hold its old bytes"

KERNEL self_modifying, "N times a store into the immediate operand of the next instruction", flags=KERNEL_SERVICE_ALIAS
	lea 2f + 1(%rip), %rax
	add %r8, %rax
1:	mov %dil, (%rax)
	jmp 2f
2:	mov $0, %cl
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 2
SIG_STORES 1, 1
SIG BRANCHES, 1 + 1, 0
SIG BR_JMP_DIRECT, 1, 0
SIG BR_COND, 1, 0
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG_RANGE CLEARS_SMC, 1, -2, 4, 16, STALE
SIGNATURE_END

KERNEL self_modifying_serialised, "N times a change of an INC into a DEC or back, CPUID, and that instruction", flags=KERNEL_SERVICE_ALIAS
	lea 2f + 1(%rip), %r9
	add %r8, %r9
1:	xorb $0x08, (%r9)
	xor %eax, %eax
	cpuid
2:	inc %ecx
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 2
SIG INSN_CPUID, 1, 0
SIG INSN_SERIALIZING, 1, 0
SIG_LOADS 1, 1
SIG_STORES 1, 1
SIG_LOOP
SIG_RANGE CLEARS_SMC, 0, 0, 4, 16, STALE
SIGNATURE_END

KERNEL code_read, "N times loads from the code that runs"
1:	mov 1b(%rip), %rax
	movzbl 1b(%rip), %ecx
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 0
SIG INSN_LOAD, 2, 0
SIG LOADS, 2, 0
SIG LOAD_BYTES, 8 + 1, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
