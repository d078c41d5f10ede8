/*
 * RDMSR, WRMSR and RDPMC that survive #GP, for 32 bits: arch/x86/cpu/msr.S says how.
 */
#include "arch/x86/cpu/courage_bits.h"

	.macro	FIXUP from, to
	.pushsection trap_fixups, "a", @progbits
	.p2align 2
	.long	\from - ., \to - .
	.popsection
	.endm

	.macro	FUNCTION name
	.globl	\name
	.type	\name, @function
\name:
	.endm

	.macro	ASK_FIRST name
	cmpb	$0, register_asks
	jne	\name\()_free
	.endm

	/* `instruction` with ECX = the first argument; what it reads goes to where the second one points. */
	.macro	READ instruction
	mov	4(%esp), %ecx
	mov	8(%esp), %eax
	movl	$0, (%eax)
	movl	$0, 4(%eax)
1:	\instruction
	mov	8(%esp), %ecx
	mov	%eax, (%ecx)
	mov	%edx, 4(%ecx)
	mov	$1, %eax
	.endm

	/* The second argument to the register of the first one's address, of which breadcrumbs are told first. */
	.macro	WRITE
	mov	4(%esp), %ecx
	mov	8(%esp), %eax
	mov	breadcrumbs_live, %edx
	mov	%ecx, (%edx)
	mov	%eax, 8(%edx)
	mov	12(%esp), %eax
	mov	%eax, 12(%edx)
	mov	%eax, %edx
	mov	8(%esp), %eax
1:	wrmsr
	mov	$1, %eax
	.endm

	/* Behind READ and WRITE: whether it was allowed. */
	.macro	END name
	ret
2:	xor	%eax, %eax
	ret
	FIXUP	1b, 2b
	.size	\name, . - \name
	.endm

	.macro	END_AND_RUN_FREE name
3:	mov	step_idle, %ecx
	cmpb	$0, (%ecx)
	jne	4f
	ret
2:	xor	%eax, %eax
	jmp	3b
4:	sub	$8, %esp
	push	%eax
	call	msr_accessed
	add	$12, %esp
	ret
	FIXUP	1b, 2b
	.size	\name, . - \name
	.endm

	.text
/* bool msr_read(uint32_t address, uint64_t *value) */
	FUNCTION msr_read
	ASK_FIRST msr_read
	READ	rdmsr
	END_AND_RUN_FREE msr_read

/* bool msr_write(uint32_t address, uint64_t value) */
	FUNCTION msr_write
	ASK_FIRST msr_write
	mov	4(%esp), %eax
	test	$~(COURAGE_BLOCK_BITS), %eax
	jnz	msr_write_free
	rol	$2, %eax			/* its bit: courage_bit() */
	bt	%eax, courage_refuses
	jc	msr_write_free
	.globl	msr_write_now
msr_write_now:
	WRITE
	END_AND_RUN_FREE msr_write

/* bool pmc_read(uint32_t index, uint64_t *value) */
	FUNCTION pmc_read
	ASK_FIRST pmc_read
	READ	rdpmc
	END_AND_RUN_FREE pmc_read

/* bool msr_read_own(uint32_t address, uint64_t *value) */
	FUNCTION msr_read_own
	READ	rdmsr
	END	msr_read_own

/* bool msr_write_own(uint32_t address, uint64_t value) */
	FUNCTION msr_write_own
	WRITE
	END	msr_write_own

/* bool msr_read_list(const uint32_t *address, unsigned n, uint64_t *value) */
	FUNCTION msr_read_list
	ASK_FIRST msr_read_list
	push	%ebx
	push	%esi
	push	%edi
	mov	20(%esp), %ebx
	mov	16(%esp), %esi
	mov	24(%esp), %edi
	lea	(%esi,%ebx,4), %esi
	lea	(%edi,%ebx,8), %edi
	neg	%ebx
1:	mov	(%esi,%ebx,4), %ecx
2:	rdmsr
	mov	%eax, (%edi,%ebx,8)
	mov	%edx, 4(%edi,%ebx,8)
	inc	%ebx
	jnz	1b
	mov	$1, %eax
4:	pop	%edi
	pop	%esi
	pop	%ebx
	ret
3:	xor	%eax, %eax
	jmp	4b
	FIXUP	2b, 3b
	.size	msr_read_list, . - msr_read_list

	.section .note.GNU-stack, "", @progbits
