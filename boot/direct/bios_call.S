/*
 * A call of the BIOS from code of 64 or 32 bits: to real mode, INT, and back (SDM vol. 3, 9.8.5.4, 9.9.2). What
 * stands here runs from BIOS_CALL_AT, below 1 MiB, where boot/direct/bios_call.c copies it. The caller's stack,
 * tables, control registers and EFER come back as they were; interrupts are on while the BIOS works, as it
 * expects.
 */
#include "boot/direct/bios_call.h"

#define MSR_EFER 0xc0000080
#define EFER_LME (1 << 8)
#define CR0_PE	 (1 << 0)
#define CR0_PG	 (1 << 31)

#define AT(label)     (BIOS_CALL_AT + (label) - bios_call_code)
#define OFFSET(label) ((label) - bios_call_code)

#define CODE32 0x08
#define DATA32 0x10
#define CODE16 0x18
#define DATA16 0x20
#define CODE64 0x28

	.section .rodata.bios_call, "a", @progbits
	.balign 16
	.globl bios_call_code, bios_call_end, bios_call_registers, bios_call_interrupt
	.hidden bios_call_code, bios_call_end, bios_call_registers, bios_call_interrupt
#ifdef __i386__
	.code32
bios_call_code:
	pushl %ebx
	pushl %ebp
	pushl %esi
	pushl %edi
	pushfl
	cli
	movl %ds, %eax
	pushl %eax
	movl %es, %eax
	pushl %eax
	movl %fs, %eax
	pushl %eax
	movl %gs, %eax
	pushl %eax
	movl %ss, %eax
	pushl %eax
	movl %cs, %eax
	pushl %eax
	movl %esp, AT(stack)
	sgdt AT(old_gdt)
	sidt AT(old_idt)
	movl %cr0, %eax
	movl %eax, AT(old_cr0)
	movl %cr3, %eax
	movl %eax, AT(old_cr3)
	movl %cr4, %eax
	movl %eax, AT(old_cr4)
	lgdt AT(gdt_pointer)
	ljmp $CODE32, $AT(protected)

#else
	.code64
bios_call_code:
	pushq %rbx
	pushq %rbp
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	pushfq
	cli
	movl %ds, %eax
	pushq %rax
	movl %es, %eax
	pushq %rax
	movl %fs, %eax
	pushq %rax
	movl %gs, %eax
	pushq %rax
	movl %ss, %eax
	pushq %rax
	movl %cs, %eax
	pushq %rax
	movq %rsp, AT(stack)
	sgdt AT(old_gdt)
	sidt AT(old_idt)
	movq %cr0, %rax
	movl %eax, AT(old_cr0)
	movq %cr3, %rax
	movl %eax, AT(old_cr3)
	movq %cr4, %rax
	movl %eax, AT(old_cr4)
	movl $MSR_EFER, %ecx
	rdmsr
	movl %eax, AT(old_efer)
	lgdt AT(gdt_pointer)
	pushq $CODE32
	pushq $AT(protected)
	lretq
#endif

	.code32
protected:
	movl $DATA32, %eax
	movl %eax, %ds
	movl %eax, %es
	movl %eax, %fs
	movl %eax, %gs
	movl %eax, %ss
	movl $BIOS_CALL_STACK, %esp
	movl %cr0, %eax
	andl $~CR0_PG, %eax
	movl %eax, %cr0
#ifndef __i386__
	movl $MSR_EFER, %ecx
	rdmsr
	andl $~EFER_LME, %eax
	wrmsr
#endif
	xorl %eax, %eax
	movl %eax, %cr4
	ljmp $CODE16, $OFFSET(sixteen)

	.code16
sixteen:
	movw $DATA16, %ax
	movw %ax, %ds
	movw %ax, %es
	movw %ax, %fs
	movw %ax, %gs
	movw %ax, %ss
	movl %cr0, %eax
	andl $~CR0_PE, %eax
	movl %eax, %cr0
	ljmp $(BIOS_CALL_AT >> 4), $OFFSET(real)
real:
	movw $(BIOS_CALL_AT >> 4), %ax
	movw %ax, %ds
	movw %ax, %es
	movw %ax, %ss
	movw $(BIOS_CALL_STACK - BIOS_CALL_AT), %sp
	lidtl OFFSET(real_idt)
	movw OFFSET(bios_call_registers) + 2, %bx
	movw OFFSET(bios_call_registers) + 4, %cx
	movw OFFSET(bios_call_registers) + 6, %dx
	movw OFFSET(bios_call_registers) + 8, %si
	movw OFFSET(bios_call_registers) + 10, %ax
	movw %ax, %ds /* of DS:SI, the last that is read here */
	movw %cs:OFFSET(bios_call_registers), %ax
	sti
	.byte 0xcd /* INT */
bios_call_interrupt:
	.byte 0
	cli
	cld
	movw %ax, %cs:OFFSET(bios_call_registers)
	movw %bx, %cs:OFFSET(bios_call_registers) + 2
	movw %cx, %cs:OFFSET(bios_call_registers) + 4
	movw %dx, %cs:OFFSET(bios_call_registers) + 6
	sbbw %ax, %ax /* the carry */
	movw %ax, %cs:OFFSET(bios_call_registers) + 12
	lgdtl %cs:OFFSET(gdt_pointer)
	movl %cr0, %eax
	orl $CR0_PE, %eax
	movl %eax, %cr0
	ljmpl $CODE32, $AT(protected_again)

	.code32
protected_again:
	movl $DATA32, %eax
	movl %eax, %ds
	movl %eax, %es
	movl %eax, %ss
	movl AT(old_cr4), %eax
	movl %eax, %cr4
	movl AT(old_cr3), %eax
	movl %eax, %cr3
#ifndef __i386__
	movl $MSR_EFER, %ecx
	rdmsr
	movl AT(old_efer), %eax
	wrmsr
#endif
	movl AT(old_cr0), %eax
	movl %eax, %cr0
#ifdef __i386__
	movl AT(stack), %esp
	lgdt AT(old_gdt)
	lidt AT(old_idt)
	popl %eax
	popl %ecx
	movl %ecx, %ss
	popl %ecx
	movl %ecx, %gs
	popl %ecx
	movl %ecx, %fs
	popl %ecx
	movl %ecx, %es
	popl %ecx
	movl %ecx, %ds
	pushl %eax
	pushl $AT(own_code)
	lret
own_code:
	popfl
	popl %edi
	popl %esi
	popl %ebp
	popl %ebx
	ret

#else
	ljmp $CODE64, $AT(long_again)

	.code64
long_again:
	movq AT(stack), %rsp
	lgdt AT(old_gdt)
	lidt AT(old_idt)
	popq %rax
	popq %rcx
	movl %ecx, %ss
	popq %rcx
	movl %ecx, %gs
	popq %rcx
	movl %ecx, %fs
	popq %rcx
	movl %ecx, %es
	popq %rcx
	movl %ecx, %ds
	pushq %rax
	pushq $AT(own_code)
	lretq
own_code:
	popfq
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbp
	popq %rbx
	ret
#endif

	.balign 8
gdt:
	.quad 0
	.quad 0x00cf9a000000ffff			    /* CODE32 */
	.quad 0x00cf92000000ffff			    /* DATA32 */
	.quad 0x00009a000000ffff + (BIOS_CALL_AT << 16) /* CODE16, which begins where this does */
	.quad 0x000092000000ffff			    /* DATA16 */
	.quad 0x00af9a000000ffff			    /* CODE64 */
gdt_pointer:
	.word gdt_pointer - gdt - 1
	.quad AT(gdt)
real_idt:
	.word 0x3ff
	.long 0
old_gdt:
	.skip 10
old_idt:
	.skip 10
	.balign 8
stack:
	.quad 0
old_cr0:
	.long 0
old_cr3:
	.long 0
old_cr4:
	.long 0
old_efer:
	.long 0
bios_call_registers: /* struct bios_registers */
	.skip 14
bios_call_end:
