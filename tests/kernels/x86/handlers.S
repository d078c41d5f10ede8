/*
 * Where interrupts, faults and system calls of kernels arrive while a service is on: as few instructions as will do, all of
 * which the kernels' signatures count (KERNEL_..._INSTRUCTIONS).
 */
#include "tests/kernels/x86/kernel.h"
#include "tests/kernels/x86/emulation.h"
#include "tests/measure/marks.h"

.macro MARK word
	.long MARK_OPCODE, \word
.endm

	.section .text.kernel_handlers, "ax", @progbits
	.section .note.GNU-stack, "", @progbits
	.section .text.kernel_handlers

	.globl kernel_on_test_int, kernel_on_fault, kernel_on_fault_code, kernel_on_syscall
	.globl kernel_on_syscall_xapic, kernel_on_syscall_x2apic
	.globl kernel_on_sysenter, kernel_on_xapic, kernel_on_x2apic
	.globl kernel_on_syscall_x2apic_emulated, kernel_on_x2apic_emulated, kernel_on_own_nmi, kernel_own_nmis
	.globl kernel_emulated_copy, kernel_on_lacking, kernel_lacking_else, kernel_lacking_done
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

.macro WRMSR_EMULATED
	.byte STAND_IN_0F, 0x30
.endm

.macro ON_SYSCALL_X2APIC name, wrmsr
	.p2align 6
\name:
	mov %rcx, %r9
	mov $X2APIC_ICR, %ecx
	mov $ICR_TEST_SELF, %eax
	xor %edx, %edx
	\wrmsr
	mov %r9, %rcx
	or $0x200, %r11
	sysretq
.endm

ON_SYSCALL_X2APIC kernel_on_syscall_x2apic, wrmsr
ON_SYSCALL_X2APIC kernel_on_syscall_x2apic_emulated, WRMSR_EMULATED

	.p2align 6
kernel_on_sysenter:
	rex.w sysexit

#define EOI	   0xb0
#define X2APIC_EOI 0x80b

	.p2align 6
kernel_on_xapic:
	mov %eax, EOI(%r10)
	iretq

.macro ON_X2APIC name, wrmsr
	.p2align 6
\name:
	mov $X2APIC_EOI, %ecx
	xor %eax, %eax
	xor %edx, %edx
	\wrmsr
	iretq
.endm

ON_X2APIC kernel_on_x2apic, wrmsr
ON_X2APIC kernel_on_x2apic_emulated, WRMSR_EMULATED

/* An NMI that is asked for by a WRMSR that the CPU lacks (tests/kernels/x86/emulation.c). */
	.p2align 6
kernel_on_own_nmi:
	incb kernel_own_nmis(%rip)
	iretq

/* bool kernel_emulated_copy(void *to, const void *from, uint64_t n): an operand of what is carried out. Elements of 4 and 8 bytes with a mark. */
	.p2align 6
kernel_emulated_copy:
	mov %rdx, %rcx
	cmp $8, %rdx
	je 1f
	cmp $4, %rdx
	je 2f
	rep movsb
	jmp 3f
1:	MARK MARK_ELEMENT
	mov (%rsi), %rax
	mov %rax, (%rdi)
	jmp 3f
2:	MARK MARK_ELEMENT
	mov (%rsi), %eax
	mov %eax, (%rdi)
3:	mov $1, %eax
	ret

/*
 * An invalid opcode, at full speed: kernel_lacking_done() carries out what the CPU lacks, and says where its event or the exception that it raises
 * arrives, if any; anything else goes on to kernel_lacking_else.
 */
/* struct trap_frame, without its interrupt frame */
.macro REGISTERS operation, list:vararg
	.irp	register, \list
	\operation \register
	.endr
.endm

	.p2align 6
kernel_on_lacking:
	MARK MARK_ASIDE
	push $0
	push $6
	REGISTERS push, %rax, %rbx, %rcx, %rdx, %rsi, %rdi, %rbp, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15
	cld
	mov %rsp, %rdi
	lea kernel_lacking_then(%rip), %rsi
	mov %rsp, %rbp
	and $-16, %rsp
	call *kernel_lacking_done(%rip)
	mov %rbp, %rsp
	mov %al, kernel_lacking_how(%rip)
	REGISTERS pop, %r15, %r14, %r13, %r12, %r11, %r10, %r9, %r8, %rbp, %rdi, %rsi, %rdx, %rcx, %rbx, %rax
	lea 16(%rsp), %rsp
	cmpb $EMULATION_RETIRED, kernel_lacking_how(%rip)
	jb 1f
	ja 3f
	cmpq $0, kernel_lacking_then(%rip)
	jne 2f
	MARK MARK_BACK
	iretq
1:	jmp *kernel_lacking_else(%rip)
2:	MARK MARK_BACK
	jmp *kernel_lacking_then(%rip)
3:	cmpb $EMULATION_FAULT_CODE, kernel_lacking_how(%rip)
	jne 4f
	push $0
4:	MARK MARK_FAULT
	jmp *kernel_lacking_then(%rip)

	.section .bss.kernel_handlers, "aw", @nobits
	.p2align 3
kernel_lacking_else:
	.skip 8
kernel_lacking_done:
	.skip 8
kernel_lacking_then:
	.skip 8
kernel_own_nmis:
	.skip 1
kernel_lacking_how:
	.skip 1
