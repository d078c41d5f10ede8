/*
 * Instructions that serialise and load system registers, with what those hold.
 */
#include "tests/kernels/x86/kernel.h"

#define DR6_NONE 0xffff0ff0
#define DR7_NONE 0x400

KERNEL debug_registers, "N times moves to all debug registers, which serialise, and from one", flags=KERNEL_PRIVILEGED
	xor %eax, %eax
	mov $DR6_NONE, %ecx
	mov $DR7_NONE, %edx
1:	.irp n, 0, 1, 2, 3
	mov %rax, %dr\n
	.endr
	mov %rcx, %dr6
	mov %rdx, %dr7
	mov %dr7, %r9
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2 + 1 + 2, 3
SIG INSN_SERIALIZING, 4 + 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

#define POINTER_BYTES (2 + WORD)

KERNEL descriptor_tables, "N times LGDT, LIDT and LLDT of what they hold", flags=KERNEL_PRIVILEGED
	add $KERNEL_SCRATCH, %rsi
	sgdt (%rsi)
	sidt 16(%rsi)
	sldt %ecx
1:	lgdt (%rsi)
	lidt 16(%rsi)
	lldt %cx
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 4
SIG INSN_SERIALIZING, 3, 0
SIG INSN_SEGMENT, 1, 0
SIG INSN_STORE, 0, 2
SIG STORES, 0, 2
SIG STORE_BYTES, 0, 2*POINTER_BYTES
SIG_LOADS 2, POINTER_BYTES
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

/* LTR marks the descriptor as busy, which is no access of data, and takes only one that is not. */
#define DESCRIPTOR_TYPE 5 /* offset */
#define TYPE_BUSY	2

KERNEL task_register, "N times LTR of what it holds, whose descriptor is made available before", flags=KERNEL_PRIVILEGED
	sgdt KERNEL_SCRATCH(%rsi)
	mov KERNEL_SCRATCH + 2(%rsi), %rdx
	str %eax
	add %rax, %rdx
1:	andb $~TYPE_BUSY, DESCRIPTOR_TYPE(%rdx)
	ltr %ax
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 4
SIG INSN_SERIALIZING, 1, 0
SIG INSN_SEGMENT, 1, 0
SIG INSN_STORE, 1, 1
SIG STORES, 1, 1
SIG STORE_BYTES, 1, POINTER_BYTES
SIG INSN_LOAD, 1, 1
SIG LOADS, 1, 1
SIG LOAD_BYTES, 1, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
