/*
 * Where interrupts, faults and system calls of kernels arrive while a service is on, without 64-bit mode: the
 * instructions of tests/kernels/x86/handlers.S. SYSCALL is none of them, nor is what the CPU lacks carried out.
 */
#include "tests/kernels/x86/kernel.h"

	.section .text.kernel_handlers, "ax", @progbits

	.globl kernel_on_test_int, kernel_on_fault, kernel_on_fault_code, kernel_on_syscall
	.globl kernel_on_syscall_xapic, kernel_on_syscall_x2apic
	.globl kernel_on_sysenter, kernel_on_xapic, kernel_on_x2apic
	.globl kernel_on_syscall_x2apic_emulated, kernel_on_x2apic_emulated, kernel_on_own_nmi, kernel_own_nmis
	.globl kernel_emulated_copy, kernel_on_lacking, kernel_lacking_else, kernel_lacking_done
	.p2align 6
kernel_on_test_int:
	iret

	.p2align 6
kernel_on_fault_code:
	add $4, %esp
kernel_on_fault:
	mov %r9, (%esp)
	iret

kernel_on_syscall:
kernel_on_syscall_xapic:
kernel_on_syscall_x2apic:
kernel_on_syscall_x2apic_emulated:
	ud2

	.p2align 6
kernel_on_sysenter:
	sysexit

#define EOI	   0xb0
#define X2APIC_EOI 0x80b

	.p2align 6
kernel_on_xapic:
	mov %eax, EOI(%r10)
	iret

	.p2align 6
kernel_on_x2apic:
kernel_on_x2apic_emulated:
	mov $X2APIC_EOI, %ecx
	xor %eax, %eax
	xor %edx, %edx
	wrmsr
	iret

	.p2align 6
kernel_on_own_nmi:
	incb kernel_own_nmis
	iret

/* bool kernel_emulated_copy(void *to, const void *from, uint64_t n) */
	.p2align 6
kernel_emulated_copy:
	push %esi
	push %edi
	mov 12(%esp), %edi
	mov 16(%esp), %esi
	mov 20(%esp), %ecx
	rep movsb
	pop %edi
	pop %esi
	mov $1, %eax
	ret

	.p2align 6
kernel_on_lacking:
	jmp *kernel_lacking_else

	.section .bss.kernel_handlers, "aw", @nobits
	.p2align 3
kernel_lacking_else:
	.skip 8
kernel_lacking_done:
	.skip 8
kernel_own_nmis:
	.skip 1

	.section .note.GNU-stack, "", @progbits
