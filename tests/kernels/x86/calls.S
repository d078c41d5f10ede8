/*
 * Calls and returns.
 */
#include "tests/kernels/x86/random.h"

KERNEL calls, "N times two direct calls and their returns", flags=KERNEL_CORE
1:	call 3f
	call 3f
	dec %rdi
	jnz 1b
	jmp 4f
3:	ret
4:
KERNEL_END
SIG INSTRUCTIONS, 2 + 2 + 2, 1
SIG BRANCHES, 2 + 2 + 1, 1
SIG BR_CALL_DIRECT, 2, 0
SIG BR_RET, 2, 0
SIG BR_JMP_DIRECT, 0, 1
SIG BR_COND, 1, 0
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG_STORES 2, WORD
SIG_LOADS 2, WORD
SIGNATURE_END

KERNEL calls_indirect, "N times a call through a register and one through memory"
	lea NEAR(3f), %rax
	mov %rax, KERNEL_SCRATCH(%rsi)
1:	call *%rax
	call *KERNEL_SCRATCH(%rsi)
	dec %rdi
	jnz 1b
	jmp 4f
3:	ret
4:
KERNEL_END
SIG INSTRUCTIONS, 2 + 2 + 2, 2 + 1
SIG BRANCHES, 2 + 2 + 1, 1
SIG BR_CALL_INDIRECT, 2, 0
SIG BR_RET, 2, 0
SIG BR_JMP_DIRECT, 0, 1
SIG BR_COND, 1, 0
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG_ONE_WAY 2 + 1, 1
SIG INSN_STORE, 2, 1
SIG STORES, 2, 1
SIG STORE_BYTES, 2*WORD, WORD
SIG INSN_LOAD, 1 + 2, 0
SIG LOADS, 1 + 2, 0
SIG LOAD_BYTES, (1 + 2)*WORD, 0
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL return_immediate, "N times a call whose return drops an argument"
1:	push %rdi
	call 3f
	dec %rdi
	jnz 1b
	jmp 4f
3:	ret $WORD
4:
KERNEL_END
SIG INSTRUCTIONS, 2 + 1 + 2, 1
SIG BRANCHES, 1 + 1 + 1, 1
SIG BR_CALL_DIRECT, 1, 0
SIG BR_RET, 1, 0
SIG BR_JMP_DIRECT, 0, 1
SIG BR_COND, 1, 0
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG_STORES 2, WORD
SIG_LOADS 1, WORD
SIG_INTEGER_ONLY
SIGNATURE_END

#define DEPTH 40
KERNEL calls_deep, "N times calls nested forty deep: more than any return stack holds"
1:	mov $DEPTH, %ecx
	call 3f
	dec %rdi
	jnz 1b
	jmp 4f
3:	dec %ecx
	jz 5f
	call 3b
5:	ret
4:
KERNEL_END
SIG INSTRUCTIONS, 2 + (4*DEPTH-1) + 2, 1
SIG BRANCHES, 3*DEPTH + 1, 1
SIG BR_CALL_DIRECT, DEPTH, 0
SIG BR_RET, DEPTH, 0
SIG BR_JMP_DIRECT, 0, 1
SIG BR_COND, DEPTH + 1, 0
SIG BR_COND_TAKEN, 1 + 1, -1
SIG BR_COND_NTAKEN, (DEPTH-1), 1
SIG_STORES DEPTH, WORD
SIG_LOADS DEPTH, WORD
SIG_RANGE BR_MISPRED, 0, 0, (DEPTH-4) + 2, 12, "a return stack may hold four addresses or all, and the branch at the bottom be known or wrong there and behind it; the rest is learnt"
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL returns_unpaired, "N times a return to an address that no call has pushed"
	lea NEAR(3f), %rax
1:	push %rax
	ret
	int3
3:	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 1
SIG BRANCHES, 1 + 1, 0
SIG BR_RET, 1, 0
SIG BR_COND, 1, 0
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG_STORES 1, WORD
SIG_LOADS 1, WORD
SIG_RANGE BR_MISPRED, 0, 0, 1, 12, "a return stack without a matching call is wrong; an indirect predictor may know better; the closing branch is learnt"
SIG_INTEGER_ONLY
SIGNATURE_END

/* As jumps_random. */
KERNEL calls_random, "N times four indirect calls, each of one of two random targets"
	RANDOM_LOOP
	.rept 4
	RANDOM_TARGET
	call *%rcx
	jmp 4f
	.p2align 5, 0xcc
2:	ret
	.p2align 5, 0xcc
3:	ret
	.p2align 5, 0xcc
4:
	.endr
	RANDOM_LOOP_END
KERNEL_END
SIG INSTRUCTIONS, RANDOM_TURN + 4*(RANDOM_CHOICE + 3), RANDOM_FIXED
SIG BR_CALL_INDIRECT, 4, 0
SIG BR_RET, 4, 0
SIG_RANDOM_TARGETS 4, 3
SIG_RANDOM 4
SIG_RANGE BR_MISPRED, 1, -4, 3, 13, "a guess at one of two random targets is right half of the time, four standard deviations more or less; the closing branch is learnt"
SIGNATURE_END

KERNEL returns_random, "N times four returns to one of two random addresses that no call has pushed"
	RANDOM_LOOP
	.rept 4
	RANDOM_TARGET
	push %rcx
	ret
	.p2align 5, 0xcc
2:	jmp 4f
	.p2align 5, 0xcc
3:	jmp 4f
	.p2align 5, 0xcc
4:
	.endr
	RANDOM_LOOP_END
KERNEL_END
SIG INSTRUCTIONS, RANDOM_TURN + 4*(RANDOM_CHOICE + 3), RANDOM_FIXED
SIG BR_RET, 4, 0
SIG_RANDOM_TARGETS 4, 2
SIG_RANDOM 4
SIG_RANGE BR_MISPRED, 1, -4, 4, 12, "a guess at one of two random targets is right half of the time, four standard deviations less; a return stack without matching calls is wrong; the closing branch is learnt"
SIGNATURE_END

KERNEL returns_far, "N times a far return within the ring"
	lea NEAR(3f), %rax
	mov %cs, %ecx
1:	push %rcx
	push %rax
	lretq
	int3
3:	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 2
SIG BRANCHES, 1 + 1, 0
SIG BR_FAR, 1, 0
SIG BR_COND, 1, 0
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG_STORES 2, WORD
SIG INSN_LOAD, 1, 0
SIG LOADS, 2, 0
SIG LOAD_BYTES, 2*WORD, 0
SIG_INTEGER_ONLY
SIGNATURE_END

/* The pointer is one operand: an offset of eight bytes and a selector. */
#define FAR_POINTER_BYTES 10

#ifndef __i386__
KERNEL jumps_far, "N times a far jump within the ring, through memory", flags=KERNEL_SERVICE_FAR64
	lea NEAR(3f), %rax
	mov %rax, KERNEL_SCRATCH(%rsi)
	mov %cs, KERNEL_SCRATCH + 8(%rsi)
1:	rex.w ljmp *KERNEL_SCRATCH(%rsi)
3:	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 1 + 2, 3
SIG BRANCHES, 1 + 1, 0
SIG BR_FAR, 1, 0
SIG BR_COND, 1, 0
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG_LOADS 1, FAR_POINTER_BYTES
SIG INSN_STORE, 0, 2
SIG STORES, 0, 2
SIG STORE_BYTES, 0, WORD + 2
SIG_INTEGER_ONLY
SIGNATURE_END
#endif

#ifndef __i386__
KERNEL calls_far, "N times a far call within the ring, through memory, and a far return", flags=KERNEL_SERVICE_FAR64
	lea NEAR(3f), %rax
	lea NEAR(4f), %rcx
	mov %rax, KERNEL_SCRATCH(%rsi)
	mov %cs, KERNEL_SCRATCH + 8(%rsi)
1:	rex.w lcall *KERNEL_SCRATCH(%rsi)
3:	mov %rcx, (%rsp)
	lretq
4:	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 4
SIG BRANCHES, 2 + 1, 0
SIG BR_FAR, 2, 0
SIG BR_COND, 1, 0
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG INSN_LOAD, 2, 0
SIG LOADS, 1 + 2, 0
SIG LOAD_BYTES, FAR_POINTER_BYTES + 2*WORD, 0
SIG INSN_STORE, 2, 2
SIG STORES, 2 + 1, 2
SIG STORE_BYTES, 3*WORD, WORD + 2
SIG_INTEGER_ONLY
SIGNATURE_END
#endif

KERNEL iret_self, "N times IRET to the next instruction of the same ring"
	lea NEAR(3f), %rax
	mov %cs, %ecx
	mov %ss, %edx
	mov %rsp, %r9
1:
#ifndef __i386__ /* where it takes no stack within a ring */
	push %rdx
	push %r9
#endif
	pushfq
	push %rcx
	push %rax
	iretq
	int3
3:	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, IRET_WORDS + 1 + 2, 4
SIG INSN_SERIALIZING, 1, 0
SIG BRANCHES, 1 + 1, 0
SIG BR_FAR, 1, 0
SIG BR_COND, 1, 0
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG_STORES IRET_WORDS, WORD
SIG INSN_LOAD, 1, 0
SIG LOADS, IRET_WORDS, 0
SIG LOAD_BYTES, IRET_WORDS*WORD, 0
SIG_INTEGER_ONLY
SIGNATURE_END
