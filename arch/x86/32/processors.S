/*
 * For 32 bits: how another processor comes from real mode to C, and how one waits while another has the run.
 *
 * Behind INIT and start-up IPI a processor begins at the first byte of the page that the IPI named, in real mode with
 * CS = page / 16 (SDM vol. 3, 8.4.3 and 9.1). The code below is copied there, and its words at the end are filled in.
 * It is position independent: it takes the page's address from CS.
 */
#include "arch/x86/processors/processors_internal.h"

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

#define CODE32	  0x08
#define DATA	  0x10

#define AT(label) ((label) - trampoline)

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
	incl	AT(trampoline_begun)	/* paging is off: the page can still be written */
	movzwl	%ax, %ebx
	shll	$4, %ebx		/* the page */
	movl	%ebx, %eax
	addl	$AT(gdt), %eax
	movl	%eax, AT(gdt_address)
	movl	%ebx, %eax
	addl	$AT(protected), %eax
	movl	%eax, AT(protected_far)
	lgdtl	AT(gdt_pointer)
	movl	%cr0, %eax
	andl	$~(CR0_EM | CR0_TS | CR0_NW | CR0_CD), %eax
	orl	$CR0_PE | CR0_MP | CR0_NE, %eax
	movl	%eax, %cr0
	ljmpl	*AT(protected_far)

	.code32
protected:
	movl	$DATA, %eax
	movl	%eax, %ds
	movl	%eax, %es
	movl	%eax, %ss
	movl	AT(trampoline_cr4)(%ebx), %eax
	movl	%eax, %cr4
	movl	AT(trampoline_cr3)(%ebx), %eax
	movl	%eax, %cr3
	movl	AT(trampoline_efer)(%ebx), %eax /* 0 where there is no such register */
	testl	%eax, %eax
	jz	1f
	movl	$MSR_EFER, %ecx
	xorl	%edx, %edx
	wrmsr
1:	movl	%cr0, %eax
	orl	$CR0_PG | CR0_WP, %eax
	movl	%eax, %cr0
	jmp	*AT(trampoline_entry)(%ebx)

	.balign 8
gdt:	/* accessed bits set: nothing is written here once the page is read-only */
	.quad	0
	.quad	0x00cf9b000000ffff
	.quad	0x00cf93000000ffff
gdt_pointer:
	.word	gdt_pointer - gdt - 1
gdt_address:
	.long	0
protected_far:
	.long	0
	.word	CODE32
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
/* Behind the start-up code, in the harness's page tables: onto the stack and to the code that landing_stack and
 * landing_entry name. */
	.globl	landing
	.hidden	landing
	.type	landing, @function
landing:
	movl	landing_stack, %esp
	xorl	%ebp, %ebp
	pushl	$0
	popfl
	call	*landing_entry
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
	cmpl	$0, park_state + PARK_INTERRUPTS
	jne	2f
	cmpl	$0, park_state + PARK_DONE
	je	1f
	cmpl	$0, park_state + PARK_NMIS
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
	incl	park_state + PARK_NMIS
	jmp	park_on_nothing
	.type	park_on_interrupt, @function
park_on_interrupt:
	incl	park_state + PARK_INTERRUPTS
	.type	park_on_nothing, @function
park_on_nothing:
	cmpl	$again, (%esp)
	jb	1f
	cmpl	$again_end, (%esp)
	jae	1f
	movl	$again, (%esp)
1:	iret

	.section .note.GNU-stack, "", @progbits
