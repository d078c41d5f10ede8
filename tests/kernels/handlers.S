/*
 * Where interrupts, faults and system calls of kernels arrive while a service is on: as few instructions as will do, all of
 * which the kernels' signatures count (KERNEL_..._INSTRUCTIONS).
 */
	.section .text.kernel_handlers, "ax", @progbits
	.section .note.GNU-stack, "", @progbits
	.section .text.kernel_handlers

	.globl kernel_on_test_int, kernel_on_fault, kernel_on_fault_code, kernel_on_syscall
	.globl kernel_on_sysenter, kernel_on_xapic, kernel_on_x2apic
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
