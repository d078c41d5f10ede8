/*
 * String instructions without a parameter grid: single steps, and one plain REP.
 */
#include "tests/kernels/x86/kernel.h"

#ifndef __i386__
KERNEL movs_single, "N times one MOVS of each size", flags=KERNEL_CORE
	lea KERNEL_SCRATCH(%rsi), %r9
	lea KERNEL_SCRATCH + 0x1000(%rsi), %r10
	mov %rdi, %rdx
1:	mov %r9, %rsi
	mov %r10, %rdi
	movsb
	movsw
	movsl
	movsq
	dec %rdx
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 4 + 2, 3
SIG INSN_STRING, 4, 0
SIG INSN_LOAD, 4, 0
SIG LOADS, 4, 0
SIG LOAD_BYTES, 1 + 2 + 4 + WORD, 0
SIG INSN_STORE, 4, 0
SIG STORES, 4, 0
SIG STORE_BYTES, 1 + 2 + 4 + WORD, 0
SIG_LOOP
SIGNATURE_END
#endif

#define COUNT 16
KERNEL movs_rep, "N times REP MOVSB of sixteen bytes", flags=KERNEL_CORE
	lea KERNEL_SCRATCH(%rsi), %r9
	lea KERNEL_SCRATCH + 0x1000(%rsi), %r10
	mov %rdi, %rdx
1:	mov %r9, %rsi
	mov %r10, %rdi
	mov $COUNT, %ecx
	rep movsb
	dec %rdx
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 1 + 2, 3
SIG INSN_STRING, 1, 0
SIG REP_ITERATIONS, COUNT, 0
SIG INSN_LOAD, 1, 0
SIG LOADS, COUNT, 0
SIG LOAD_BYTES, COUNT, 0
SIG INSN_STORE, 1, 0
SIG STORES, COUNT, 0
SIG STORE_BYTES, COUNT, 0
SIG_LOOP
SIGNATURE_END

#ifndef __i386__
KERNEL string_single, "N times STOS, LODS, SCAS, CMPS of each size without REP"
	lea KERNEL_SCRATCH(%rsi), %r9
	lea KERNEL_SCRATCH + 0x1000(%rsi), %r10
	mov %rdi, %rdx
1:	mov %r9, %rsi
	mov %r10, %rdi
	.irp s, b, w, l, q
	stos\s
	lods\s
	scas\s
	cmps\s
	.endr
	dec %rdx
	jnz 1b
KERNEL_END
#define ALL_SIZES (1 + 2 + 4 + 8)
SIG INSTRUCTIONS, 2 + 4*4 + 2, 3
SIG INSN_STRING, 4*4, 0
SIG INSN_STORE, 4, 0
SIG STORES, 4, 0
SIG STORE_BYTES, ALL_SIZES, 0
SIG INSN_LOAD, 3*4, 0
SIG LOADS, 1*4 + 1*4 + 2*4, 0
SIG LOAD_BYTES, (1 + 1 + 2)*ALL_SIZES, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
#endif

KERNEL scas_found, "N times REPNE SCASB that finds its byte in the fifth place of at most 64"
	lea KERNEL_SCRATCH(%rsi), %r10
	MOVE_WORD $0, (%r10)
	movb $1, 4(%r10)
	mov $1, %eax
	mov %rdi, %rdx
1:	mov %r10, %rdi
	mov $64, %ecx
	repne scasb
	dec %rdx
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 1 + 2, 5
SIG INSN_STRING, 1, 0
SIG REP_ITERATIONS, 5, 0
SIG INSN_LOAD, 1, 0
SIG LOADS, 5, 0
SIG LOAD_BYTES, 5, 0
SIG INSN_STORE, 0, 2
SIG STORES, 0, 2
SIG STORE_BYTES, 0, WORD + 1
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

#ifndef __i386__
KERNEL cmps_differ, "N times REPE CMPSQ that meets a difference in the third place of at most 8"
	lea KERNEL_SCRATCH(%rsi), %r9
	lea KERNEL_ZEROS(%rsi), %r10
	MOVE_WORD $0, (%r9)
	MOVE_WORD $0, 8(%r9)
	MOVE_WORD $1, 16(%r9)
	mov %rdi, %rdx
1:	mov %r9, %rsi
	mov %r10, %rdi
	mov $8, %ecx
	repe cmpsq
	dec %rdx
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 1 + 2, 6
SIG INSN_STRING, 1, 0
SIG REP_ITERATIONS, 3, 0
SIG INSN_LOAD, 1, 0
SIG LOADS, 2*3, 0
SIG LOAD_BYTES, 2*3*WORD, 0
SIG INSN_STORE, 0, 3
SIG STORES, 0, 3
SIG STORE_BYTES, 0, 3*WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
#endif

#define LONG 512
#ifndef __i386__
KERNEL movs_long, "N times REP MOVSQ of a page: the fast-string microcode of CPUs that have one"
	lea KERNEL_SCRATCH(%rsi), %r9
	lea KERNEL_SCRATCH + 0x1000(%rsi), %r10
	mov %rdi, %rdx
1:	mov %r9, %rsi
	mov %r10, %rdi
	mov $LONG, %ecx
	rep movsq
	dec %rdx
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 1 + 2, 3
SIG INSN_STRING, 1, 0
SIG REP_ITERATIONS, LONG, 0
SIG INSN_LOAD, 1, 0
SIG LOADS, LONG, 0
SIG LOAD_BYTES, LONG*WORD, 0
SIG INSN_STORE, 1, 0
SIG STORES, LONG, 0
SIG STORE_BYTES, LONG*WORD, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
#endif

KERNEL movs_overlap, "N times REP MOVSB onto its own next byte: each iteration reads what the one before wrote"
	lea KERNEL_SCRATCH(%rsi), %r9
	lea KERNEL_SCRATCH + 1(%rsi), %r10
	mov %rdi, %rdx
1:	mov %r9, %rsi
	mov %r10, %rdi
	mov $32, %ecx
	rep movsb
	dec %rdx
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 1 + 2, 3
SIG INSN_STRING, 1, 0
SIG REP_ITERATIONS, 32, 0
SIG INSN_LOAD, 1, 0
SIG LOADS, 32, 0
SIG LOAD_BYTES, 32, 0
SIG INSN_STORE, 1, 0
SIG STORES, 32, 0
SIG STORE_BYTES, 32, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL movs_address32, "N times REP MOVSB counted by ECX through the address-size prefix, count 0: upper half of RCX ignored"
	mov $0x100000000, %rcx
1:	.byte 0x67
	rep movsb
	mov $0x100000000, %rcx
	dec %r9
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 1
SIG INSN_STRING, 1, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
