/*
 * Where interrupts, faults and system calls of kernels arrive while a service is on: as few instructions as will do, all of
 * which the kernels' signatures count (KERNEL_..._INSTRUCTIONS).
 */
#include "tests/kernels/kernel.h"
#include "tests/marks.h"

	.section .text.kernel_handlers, "ax", @progbits
	.section .note.GNU-stack, "", @progbits
	.section .text.kernel_handlers

	.globl kernel_on_test_int, kernel_on_fault, kernel_on_fault_code, kernel_on_syscall
	.globl kernel_on_syscall_xapic, kernel_on_syscall_x2apic
	.globl kernel_on_sysenter, kernel_on_xapic, kernel_on_x2apic
	.globl kernel_on_lacking, kernel_lacking_else
	.p2align 6
kernel_on_test_int:
	iretq

	.p2align 6
kernel_on_fault_code:
	add $8, %rsp
kernel_on_fault:
	mov %r9, (%rsp)
	iretq

	.p2align 6
kernel_on_syscall:
	sysretq

/* Back to ring 3 with interrupts enabled, and one requested: fixed, to itself. */
#define ICR_LOW	      0x300
#define X2APIC_ICR    0x830
#define ICR_TEST_SELF (0x44000|KERNEL_VECTOR)

	.p2align 6
kernel_on_syscall_xapic:
	movl $ICR_TEST_SELF, ICR_LOW(%r10)
	or $0x200, %r11
	sysretq

	.p2align 6
kernel_on_syscall_x2apic:
	mov %rcx, %r9
	mov $X2APIC_ICR, %ecx
	mov $ICR_TEST_SELF, %eax
	xor %edx, %edx
	wrmsr
	mov %r9, %rcx
	or $0x200, %r11
	sysretq

	.p2align 6
kernel_on_sysenter:
	rex.w sysexit

#define EOI	   0xb0
#define X2APIC_EOI 0x80b

	.p2align 6
kernel_on_xapic:
	mov %eax, EOI(%r10)
	iretq

	.p2align 6
kernel_on_x2apic:
	mov $X2APIC_EOI, %ecx
	xor %eax, %eax
	xor %edx, %edx
	wrmsr
	iretq

/*
 * An invalid opcode, at full speed: what stands in for XBEGIN (kernel_lend()), which aborts at once with EAX = 0, and SERIALIZE, which IRETQ
 * does, are carried out as the step engine does it; anything else goes on to kernel_lacking_else.
 */
.macro MARK word
	.long MARK_OPCODE, \word
.endm
#define RIP_ON_STACK 16 /* behind RAX and RBX */

	.p2align 6
kernel_on_lacking:
	MARK MARK_ASIDE
	push %rax
	push %rbx
	mov RIP_ON_STACK(%rsp), %rax
	cmpw $KERNEL_LENT_XBEGIN, (%rax)
	je 1f
	cmpw $0x010f, (%rax)
	jne 3f
	cmpb $0xe8, 2(%rax) /* SERIALIZE */
	jne 3f
	addq $3, RIP_ON_STACK(%rsp)
	jmp 2f
1:	movslq 2(%rax), %rbx
	lea 6(%rax,%rbx), %rax
	mov %rax, RIP_ON_STACK(%rsp)
	movq $0, 8(%rsp)
2:	pop %rbx
	pop %rax
	MARK MARK_BACK
	iretq
3:	pop %rbx
	pop %rax
	jmp *kernel_lacking_else(%rip)

	.section .bss.kernel_handlers, "aw", @nobits
	.p2align 3
kernel_lacking_else:
	.skip 8
