/*
 * Segment registers. Reading a descriptor is no load of data; whether an event counts it as one no manual says.
 */
#include "tests/kernels/kernel.h"

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
SIG_STORES 2, 8
SIG_LOADS 2, 8
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
SIG INSN_NOP, 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
