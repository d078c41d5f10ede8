/*
 * RDMSR, WRMSR and RDPMC that survive #GP: each has a row in the exception table, trap_fixups.
 * The rows are distances, so they need no relocation. SDM vol. 2.
 *
 * Where code rests under the step engine (step.h) its client answers instead; where it may begin to, it does so
 * afterwards. On the way to the instruction no branch is taken: what faults was called last.
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
	cmpb	$0, register_asks(%rip)
	jne	\name\()_free
	.endm

	/* `instruction` with ECX = the first argument; what it reads goes to where the second one points. */
	.macro	READ instruction
	mov	%edi, %ecx
	movq	$0, (%rsi)
1:	\instruction
	mov	%eax, (%rsi)
	mov	%edx, 4(%rsi)
	mov	$1, %eax
	.endm

	/* The second argument to the register of the first one's address. It is told first: what the write does may be
	 * the last thing that the machine does (struct breadcrumbs_live). */
	.macro	WRITE
	mov	breadcrumbs_live(%rip), %r8
	mov	%edi, (%r8)
	mov	%rsi, 8(%r8)
	mov	%edi, %ecx
	mov	%esi, %eax
	mov	%rsi, %rdx
	shr	$32, %rdx
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
3:	mov	step_idle(%rip), %r8
	cmpb	$0, (%r8)
	jne	4f
	ret
2:	xor	%eax, %eax
	jmp	3b
4:	mov	%eax, %edi
	jmp	msr_accessed
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
	test	$~(COURAGE_BLOCK_BITS), %edi
	jnz	msr_write_free
	mov	%edi, %eax			/* its bit: courage_bit() */
	rol	$2, %eax
	bt	%eax, courage_refuses(%rip)
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
	mov	%esi, %esi
	lea	(%rdi,%rsi,4), %rdi
	lea	(%rdx,%rsi,8), %r8
	neg	%rsi
1:	mov	(%rdi,%rsi,4), %ecx
2:	rdmsr
	mov	%eax, (%r8,%rsi,8)
	mov	%edx, 4(%r8,%rsi,8)
	inc	%rsi
	jnz	1b
	mov	$1, %eax
	ret
3:	xor	%eax, %eax
	ret
	FIXUP	2b, 3b
	.size	msr_read_list, . - msr_read_list

	.section .note.GNU-stack, "", @progbits
