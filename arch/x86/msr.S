/*
 * RDMSR, WRMSR and RDPMC that survive #GP: each has a row in the exception table, trap_fixups.
 * The rows are distances, so they need no relocation. SDM vol. 2.
 *
 * Where code rests under the step engine (step.h) its client answers instead; where it may begin to, it does so
 * afterwards. On the way to the instruction no branch is taken: what faults was called last.
 */
	.macro	FIXUP from, to
	.pushsection trap_fixups, "a", @progbits
	.p2align 2
	.long	\from - ., \to - .
	.popsection
	.endm

	.macro	ENTRY name
	.globl	\name
	.type	\name, @function
\name:
	cmpb	$0, step_rests(%rip)
	jne	\name\()_resting
	.endm

	/* The end of an accessor with its result in EAX. */
	.macro	DONE
	mov	step_idle(%rip), %r8
	cmpb	$0, (%r8)
	jne	9f
	ret
	.endm

	.text
/* bool msr_read(uint32_t address, uint64_t *value) */
	ENTRY	msr_read
	mov	%edi, %ecx
	movq	$0, (%rsi)
1:	rdmsr
	mov	%eax, (%rsi)
	mov	%edx, 4(%rsi)
	mov	$1, %eax
8:	DONE
2:	xor	%eax, %eax
	jmp	8b
9:	mov	%eax, %edi
	jmp	msr_accessed
	FIXUP	1b, 2b
	.size	msr_read, . - msr_read

/* bool msr_read_list(const uint32_t *address, unsigned n, uint64_t *value) */
	ENTRY	msr_read_list
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

/* bool msr_write(uint32_t address, uint64_t value) */
	ENTRY	msr_write
	mov	%edi, %ecx
	mov	%esi, %eax
	mov	%rsi, %rdx
	shr	$32, %rdx
1:	wrmsr
	mov	$1, %eax
8:	DONE
2:	xor	%eax, %eax
	jmp	8b
9:	mov	%eax, %edi
	jmp	msr_accessed
	FIXUP	1b, 2b
	.size	msr_write, . - msr_write

/* bool pmc_read(uint32_t index, uint64_t *value) */
	ENTRY	pmc_read
	mov	%edi, %ecx
	movq	$0, (%rsi)
1:	rdpmc
	mov	%eax, (%rsi)
	mov	%edx, 4(%rsi)
	mov	$1, %eax
8:	DONE
2:	xor	%eax, %eax
	jmp	8b
9:	mov	%eax, %edi
	jmp	msr_accessed
	FIXUP	1b, 2b
	.size	pmc_read, . - pmc_read

/* bool msr_read_own(uint32_t address, uint64_t *value) */
	.globl	msr_read_own
	.type	msr_read_own, @function
msr_read_own:
	mov	%edi, %ecx
	movq	$0, (%rsi)
1:	rdmsr
	mov	%eax, (%rsi)
	mov	%edx, 4(%rsi)
	mov	$1, %eax
	ret
2:	xor	%eax, %eax
	ret
	FIXUP	1b, 2b
	.size	msr_read_own, . - msr_read_own

/* bool msr_write_own(uint32_t address, uint64_t value) */
	.globl	msr_write_own
	.type	msr_write_own, @function
msr_write_own:
	mov	%edi, %ecx
	mov	%esi, %eax
	mov	%rsi, %rdx
	shr	$32, %rdx
1:	wrmsr
	mov	$1, %eax
	ret
2:	xor	%eax, %eax
	ret
	FIXUP	1b, 2b
	.size	msr_write_own, . - msr_write_own

	.section .note.GNU-stack, "", @progbits
