/*
 * The stack as data memory.
 */
#include "tests/kernels/x86/kernel.h"

KERNEL push_pop, "N times PUSH and POP of a register, an immediate and 16 bits"
1:	push %rax
	push $5
	push $0x12345678
	pushw %ax
	popw %dx
	pop %rdx
	pop %rdx
	pop %r9
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 4 + 2, 0
SIG INSN_STORE, 4, 0
SIG STORES, 4, 0
SIG STORE_BYTES, 3*WORD + 2, 0
SIG INSN_LOAD, 4, 0
SIG LOADS, 4, 0
SIG LOAD_BYTES, 3*WORD + 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL push_pop_memory, "N times PUSH and POP with an operand in memory: two accesses each"
1:	pushq KERNEL_SCRATCH(%rsi)
	popq KERNEL_SCRATCH + 8(%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 0
SIG INSN_LOAD, 2, 0
SIG LOADS, 2, 0
SIG LOAD_BYTES, 2*WORD, 0
SIG INSN_STORE, 2, 0
SIG STORES, 2, 0
SIG STORE_BYTES, 2*WORD, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL enter_leave, "N times ENTER and LEAVE of a frame without nesting"
1:	enter $32, $0
	leave
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 0
SIG INSN_LEAVE, 1, 0
SIG_STORES 1, WORD
SIG_LOADS 1, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

/* The outer frame pointer is that of the next outer level; what it points to is copied. */
#define LEVELS 5

KERNEL enter_nested, "N times ENTER and LEAVE of frames at nesting levels 1 and 5: pointers to outer frames are copied"
	mov %rsp, %rbp
1:	enter $32, $1
	enter $16, $LEVELS
	leave
	leave
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 1
SIG INSN_LEAVE, 2, 0
SIG INSN_STORE, 2, 0
SIG STORES, 1 + 1 + 1 + LEVELS, 0
SIG STORE_BYTES, (1 + 1 + 1 + LEVELS)*WORD, 0
SIG INSN_LOAD, 1 + 2, 0
SIG LOADS, (LEVELS - 1) + 2, 0
SIG LOAD_BYTES, (LEVELS - 1 + 2)*WORD, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL stack_pointer, "N times arithmetic on RSP between pushes, which the stack engine of some CPUs must follow"
1:	push %rax
	sub $16, %rsp
	mov %rdi, 8(%rsp)
	lea 16(%rsp), %rsp
	pop %rax
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 5 + 2, 0
SIG_STORES 2, WORD
SIG_LOADS 1, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
