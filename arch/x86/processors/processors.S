/*
 * How another processor comes from real mode to C, and how one waits while another has the run.
 *
 * Behind INIT and start-up IPI a processor begins at the first byte of the page that the IPI named, in real mode with
 * CS = page / 16 (SDM vol. 3, 8.4.3 and 9.1). The code below is copied there, and its words at the end are filled in.
 * It is position independent: it takes the page's address from CS.
 */
#include "arch/x86/processors/processors_internal.h"
#include "arch/x86/word.h"

#define CR0_PE	  (1 << 0)
#define CR0_MP	  (1 << 1)
#define CR0_EM	  (1 << 2)
#define CR0_TS	  (1 << 3)
#define CR0_NE	  (1 << 5)
#define CR0_WP	  (1 << 16)
#define CR0_NW	  (1 << 29)
#define CR0_CD	  (1 << 30)
#define CR0_PG	  (1 << 31)
#define MSR_EFER  0xc0000080

/* The harness's selectors of code and stack, by which its gates come, mean the same here. */
#define DATA	  0x10
#ifdef __i386__
#define CODE32	  0x08
#else
#define CODE64	  0x08
#define CODE32	  0x18
#endif

#define IN_PAGE(label) ((label) - trampoline)

	.section .rodata.trampoline, "a", @progbits
	.balign 16
	.globl	trampoline
	.hidden	trampoline
trampoline:
	.code16
	cli
	cld
	movw	%cs, %ax
	movw	%ax, %ds
	incl	IN_PAGE(trampoline_begun)	/* paging is off: the page can still be written */
	movzwl	%ax, %ebx
	shll	$4, %ebx		/* the page */
	movl	%ebx, %eax
	addl	$IN_PAGE(gdt), %eax
	movl	%eax, IN_PAGE(gdt_address)
	movl	%ebx, %eax
	addl	$IN_PAGE(protected), %eax
	movl	%eax, IN_PAGE(protected_far)
#ifndef __i386__
	movl	%ebx, %eax
	addl	$IN_PAGE(long), %eax
	movl	%eax, IN_PAGE(long_far)
#endif
	lgdtl	IN_PAGE(gdt_pointer)
	movl	%cr0, %eax
	andl	$~(CR0_EM | CR0_TS | CR0_NW | CR0_CD), %eax
	orl	$CR0_PE | CR0_MP | CR0_NE, %eax
	movl	%eax, %cr0
	ljmpl	*IN_PAGE(protected_far)

	.code32
protected:
	movl	$DATA, %eax
	movl	%eax, %ds
	movl	%eax, %es
	movl	%eax, %ss
	movl	IN_PAGE(trampoline_cr4)(%ebx), %eax
	movl	%eax, %cr4
	movl	IN_PAGE(trampoline_cr3)(%ebx), %eax
	movl	%eax, %cr3
	movl	IN_PAGE(trampoline_efer)(%ebx), %eax
	testl	%eax, %eax		/* 0 where there is no such register */
	jz	1f
	movl	$MSR_EFER, %ecx
	xorl	%edx, %edx
	wrmsr
1:	movl	%cr0, %eax
	orl	$CR0_PG | CR0_WP, %eax
	movl	%eax, %cr0
#ifdef __i386__
	jmp	*IN_PAGE(trampoline_entry)(%ebx)
#else
	ljmp	*IN_PAGE(long_far)(%ebx)

	.code64
long:
	jmp	*AT(trampoline_entry)
#endif

	.balign 8
gdt:	/* accessed bits set: nothing is written here once the page is read-only */
	.quad	0
#ifdef __i386__
	.quad	0x00cf9b000000ffff
	.quad	0x00cf93000000ffff
#else
	.quad	0x00af9b000000ffff
	.quad	0x00cf93000000ffff
	.quad	0x00cf9b000000ffff
#endif
gdt_pointer:
	.word	gdt_pointer - gdt - 1
gdt_address:
	.long	0
protected_far:
	.long	0
	.word	CODE32
#ifndef __i386__
long_far:
	.long	0
	.word	CODE64
#endif
	.balign 8
	.globl	trampoline_entry, trampoline_cr3, trampoline_cr4, trampoline_efer, trampoline_begun, trampoline_end
	.hidden	trampoline_entry, trampoline_cr3, trampoline_cr4, trampoline_efer, trampoline_begun, trampoline_end
trampoline_entry:
	.quad	0
trampoline_cr3:
	.long	0
trampoline_cr4:
	.long	0
trampoline_efer:
	.long	0
trampoline_begun:	/* how often */
	.long	0
trampoline_end:

	.text
/* Behind the start-up code, in the harness's page tables: onto the stack and to the code that landing_stack and landing_entry name. */
	.globl	landing
	.hidden	landing
	.type	landing, @function
landing:
	mov	AT(landing_stack), %rsp
	xorl	%ebp, %ebp
	pushq	$0
	popfq
	call	*AT(landing_entry)
	ud2
	.size	landing, . - landing

/*
 * void park(void)
 * Wait, halted, until park_state.done is not 0 and an NMI has come, or until there was another interrupt. The IDT is
 * to be park_idt: its handlers count what comes in park_state, and if they interrupt this they begin it anew, so that
 * none that comes between the looks and the HLT is missed.
 */
	.globl	park
	.hidden	park
	.type	park, @function
park:
again:
	cmpl	$0, AT(park_state + PARK_INTERRUPTS)
	jne	2f
	cmpl	$0, AT(park_state + PARK_DONE)
	je	1f
	cmpl	$0, AT(park_state + PARK_NMIS)
	jne	2f
1:	sti
	hlt
	jmp	again
again_end:
2:	cli
	ret
	.size	park, . - park

	.globl	park_on_nmi, park_on_interrupt, park_on_nothing
	.hidden	park_on_nmi, park_on_interrupt, park_on_nothing
	.type	park_on_nmi, @function
park_on_nmi:
	incl	AT(park_state + PARK_NMIS)
	jmp	park_on_nothing
	.type	park_on_interrupt, @function
park_on_interrupt:
	incl	AT(park_state + PARK_INTERRUPTS)
	.type	park_on_nothing, @function
park_on_nothing:
	push	%rax
	lea	AT(again), %rax
	cmp	%rax, WORD(%rsp)
	jb	1f
	lea	AT(again_end), %rax
	cmp	%rax, WORD(%rsp)
	jae	1f
	lea	AT(again), %rax
	mov	%rax, WORD(%rsp)
1:	pop	%rax
	iretq

	.section .note.GNU-stack, "", @progbits
