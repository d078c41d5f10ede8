/*
 * Integer instructions on registers.
 */
#include "tests/kernels/x86/kernel.h"

KERNEL alu_registers, "N times nine two-operand arithmetic and logic instructions on registers"
1:	add %rdx, %rax
	or %eax, %ecx
	adc %rcx, %rdx
	sbb %ax, %cx
	and %rdi, %r9
	sub %r9d, %r10d
	xor %r10, %r11
	cmp %rax, %rdx
	test %al, %cl
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 9 + 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL alu_immediates, "N times nine arithmetic and logic instructions with immediates of 1, 2 and 4 bytes"
1:	add $1, %al
	or $0x1234, %ax
	adc $0x12345678, %eax
	sbb $-1, %rax
	and $0x7fffffff, %rcx
	sub $0x80, %r9
	xor $5, %r10b
	cmp $0x100, %dx
	test $0x55, %al
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 9 + 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL alu_one_operand, "N times INC, DEC, NEG, NOT of each operand size"
1:	.irp r, al, ax, eax, rax
	inc %\r
	dec %\r
	neg %\r
	not %\r
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4*4 + 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL shifts, "N times shifts and rotates by one, by an immediate and by CL"
	mov $5, %ecx
1:	.irp op, shl, shr, sar, rol, ror, rcl, rcr
	\op %rax
	\op $3, %edx
	\op %cl, %r9
	.endr
	shld $7, %rax, %rdx
	shrd %cl, %rdx, %rax
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 7*3 + 2 + 2, 1
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

#ifndef __i386__
KERNEL moves, "N times moves between registers, with extension, and exchanges"
1:	mov %rax, %rdx
	mov %al, %dl
	mov $0x123456789abcdef, %r9
	mov $-1, %r10
	movzbl %al, %ecx
	movzwl %ax, %ecx
	movsbq %dl, %r11
	movswl %dx, %eax
	movslq %eax, %rcx
	xchg %rax, %rdx
	xchg %ecx, %r9d
	bswap %rax
	bswap %ecx
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 13 + 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
#endif

#ifndef __i386__
KERNEL extensions, "N times the sign extensions of the accumulator"
1:	cbtw
	cwtl
	cltq
	cwtd
	cltd
	cqto
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 6 + 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
#endif

KERNEL lea_forms, "N times LEA of every shape: an address is computed, no memory is touched"
1:	lea 1(%rax), %rdx
	lea (%rax, %rdx), %rcx
	lea 8(%rax, %rdx, 4), %r9
	lea 0x1234(, %rdx, 8), %r10d
	lea NEAR(1b), %r11
	lea -1(%r9, %r10, 2), %ax
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 6 + 2, 0
SIG_RANGE LEA_SLOW, 1, 0, 1, 0, "once a turn: a base, an index and a displacement"
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL bits, "N times bit tests and bit scans on registers"
	mov $9, %ecx
1:	bt %rcx, %rax
	bts $3, %rax
	btr %ecx, %eax
	btc $17, %rdx
	bts %rcx, %rdx
	bsf %rdx, %r9
	bsr %rdx, %r10
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 7 + 2, 1
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL setcc, "N times SETcc of all sixteen conditions"
1:	.irp cc, o, no, b, ae, e, ne, be, a, s, ns, p, np, l, ge, le, g
	set\cc %al
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 16 + 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL exchange_registers, "N times XADD and CMPXCHG on registers: no lock, no memory"
1:	xadd %rax, %rdx
	xadd %cl, %dl
	cmpxchg %rdx, %rcx
	cmpxchg %r9d, %r10d
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL partial_registers, "N times writes to parts of a register that is read as a whole"
1:	mov $1, %al
	mov %rax, %rdx
	mov $2, %ah
	add %rax, %rdx
	mov $3, %ax
	add %eax, %edx
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 6 + 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL zero_idioms, "N times instructions that a renamer may finish without executing them"
1:	xor %eax, %eax
	sub %ecx, %ecx
	xor %r9, %r9
	mov %rax, %rdx
	mov %edx, %edx
	xorps %xmm0, %xmm0
	pxor %xmm1, %xmm1
	movaps %xmm0, %xmm2
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 8 + 2, 0
SIG INSN_SSE, 3, 0
SIG_LOOP
SIGNATURE_END

KERNEL length_changing_prefixes, "N times 16-bit immediates, which slow down some decoders"
1:	.rept 4
	add $0x1234, %ax
	mov $0x5678, %dx
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4*2 + 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
