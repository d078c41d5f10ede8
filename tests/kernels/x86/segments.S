/*
 * Segment registers. Reading a descriptor is no load of data; whether an event counts it as one no manual says.
 */
#include "tests/kernels/x86/kernel.h"

#define ONE_EACH "each instruction loads one segment register"

KERNEL segment_reads, "N times moves out of all segment registers, and PUSH of FS and GS"
1:	.irp s, cs, ss, ds, es, fs, gs
	mov %\s, %eax
	.endr
	push %fs
	push %gs
	pop %rax
	pop %rax
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 6 + 2 + 2 + 2, 0
SIG_STORES 2, WORD
SIG_LOADS 2, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL segment_stores, "N times stores of segment registers, two bytes each"
	add $KERNEL_SCRATCH, %rsi
1:	mov %cs, (%rsi)
	mov %ds, 2(%rsi)
	mov %ss, 4(%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 1
SIG_STORES 3, 2
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL segment_loads, "N times loads of DS and ES with what they hold"
	mov %ds, %ecx
	mov %es, %edx
1:	mov %ecx, %ds
	mov %edx, %es
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 2
SIG INSN_SEGMENT, 2, 0
SIG_RANGE SEGMENTS_MOVED, 2, 0, 2, 0, ONE_EACH
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

/* With it goes the segment's base: 0, if what they hold is the null selector. */
KERNEL segment_loads_fs_gs, "N times MOV, POP and far pointers into FS and GS, of what they hold"
	mov %fs, %ecx
	mov %gs, %edx
	movl $0, KERNEL_SCRATCH(%rsi)
	mov %cx, KERNEL_SCRATCH + 4(%rsi)
	movl $0, KERNEL_SCRATCH + 8(%rsi)
	mov %dx, KERNEL_SCRATCH + 12(%rsi)
1:	mov %ecx, %fs
	mov %edx, %gs
	push %rdx
	push %rcx
	pop %fs
	pop %gs
	lfs KERNEL_SCRATCH(%rsi), %eax
	lgs KERNEL_SCRATCH + 8(%rsi), %eax
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2 + 2 + 2 + 2, 6
SIG INSN_SEGMENT, 2 + 2 + 2, 0
SIG_RANGE SEGMENTS_MOVED, 2 + 2 + 2, 0, 2 + 2 + 2, 0, ONE_EACH
SIG INSN_STORE, 2, 4
SIG STORES, 2, 4
SIG STORE_BYTES, 2*WORD, 2*4 + 2*2
SIG INSN_LOAD, 2 + 2, 0
SIG LOADS, 2 + 2, 0
SIG LOAD_BYTES, 2*WORD + 2*6, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL descriptor_lookups, "N times LAR, LSL, VERR and VERW of the stack's segment: they look at its descriptor"
	mov %ss, %ecx
1:	lar %ecx, %eax
	lsl %ecx, %edx
	verr %cx
	verw %cx
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 1
SIG INSN_SEGMENT, 4, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL stack_segment_load, "N times a load of SS, which holds traps and interrupts off for one instruction"
	mov %ss, %ecx
1:	mov %ecx, %ss
	nop
	nop
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 1 + 2 + 2, 1
SIG INSN_SEGMENT, 1, 0
SIG_RANGE SEGMENTS_MOVED, 1, 0, 1, 0, ONE_EACH
SIG INSN_NOP, 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
