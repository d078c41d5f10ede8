/*
 * Direct start without firmware: the headers of Multiboot 1 and 2 and the way from 32-bit protected mode to C code
 * of 64 bits, or of 32 in the image for CPUs without 64-bit mode, which enters it with paging off. QEMU's -kernel
 * and GRUB load the flat image by the header's address fields, zero what lies behind it, and enter with paging
 * off, interrupts masked, EAX = the loader's magic number, EBX = the information structure (Multiboot
 * specification 0.6.96, 3.1-3.3; Multiboot2 specification 2.0, 3.1-3.3). Pages: the low 4 GiB, identical, 2 MiB
 * each (SDM vol. 3, 9.8.5).
 */
#define MAGIC	      0x1badb002
#define LOADER_MAGIC  0x2badb002
#define MEMORY_INFO   (1 << 1)
#define ADDRESS_FIELDS (1 << 16)
#define FLAGS	      (MEMORY_INFO | ADDRESS_FIELDS)

#define MAGIC_2	      0xe85250d6
#define I386	      0
#define LENGTH_2      (multiboot2_end - multiboot2_header)
#define TAG_ADDRESSES 2
#define TAG_ENTRY     3

#define EFLAGS_ID     (1 << 21)
#define FEATURE_PAE   6 /* CPUID.1:EDX */
#define FEATURE_SSE2  26
#define MSR_EFER      0xc0000080
#define EFER_LME      (1 << 8)
#define CR0_PE	      (1 << 0)
#define CR0_MP	      (1 << 1)
#define CR0_EM	      (1 << 2)
#define CR0_NE	      (1 << 5)
#define CR0_PG	      (1 << 31)
#define CR4_PAE	      (1 << 5)
#define CR4_OSFXSR    (1 << 9)
#define CR4_OSXMMEXCPT (1 << 10)
#define COM1	      0x3f8
#define LINE_CONTROL  (COM1 + 3)
#define LINE_STATUS   (COM1 + 5)
#define DIVISOR_LATCH 0x80
#define EIGHT_BITS    3
#define ROOM	      0x20 /* for the next byte */
#define ALL_SENT      0x40
#define DEBUG_EXIT    0xf4
#define EXIT_NOT_RUN  0x12
#define BOCHS_EXIT    0x8900
#define DEBUG_PORT    0xe9
#define TEXT_SCREEN   0xb8000
#define TEXT_GREY     0x07

	.section .multiboot, "a", @progbits
	.balign 4
multiboot_header:
	.long MAGIC, FLAGS, -(MAGIC + FLAGS)
	.long multiboot_header, __load_start, __load_end, __image_end, direct_entry
	.long 0, 0, 0, 0 /* no wish for a screen: what a loader tells of one is taken (direct_screen()) */

	.balign 8
multiboot2_header:
	.long MAGIC_2, I386, LENGTH_2, -(MAGIC_2 + I386 + LENGTH_2)
	.long TAG_ADDRESSES, 24, multiboot2_header, __load_start, __load_end, __image_end
	.long TAG_ENTRY, 12, direct_entry, 0
	.long 0, 8
multiboot2_end:

	.section .text.direct, "ax", @progbits
	.code32
	.globl direct_entry
direct_entry:
	cli
	cld
	movl $direct_stack_end, %esp
	movl %ebx, %ebp
	movl %eax, %esi

#ifdef __i386__
	/* EFLAGS.ID can be changed where there is CPUID: SDM vol. 1, 3.4.3.3. */
	pushfl
	popl %eax
	movl %eax, %ecx
	xorl $EFLAGS_ID, %eax
	pushl %eax
	popfl
	pushfl
	popl %eax
	xorl %ecx, %eax
	testl $EFLAGS_ID, %eax
	movl $no_cpuid_text, %edi
	jz could_not_run
	movl $1, %eax
	cpuid
	movl $no_pae_text, %edi
	btl $FEATURE_PAE, %edx
	jnc could_not_run
	movl $no_sse2_text, %edi
	btl $FEATURE_SSE2, %edx
	jnc could_not_run

	movl %cr4, %eax
	orl $CR4_OSFXSR | CR4_OSXMMEXCPT, %eax
	movl %eax, %cr4
	movl %cr0, %eax
	andl $~CR0_EM, %eax
	orl $CR0_NE | CR0_MP, %eax
	movl %eax, %cr0
	lgdt gdt_pointer
	ljmp $8, $1f
1:	movl $16, %eax
	movl %eax, %ds
	movl %eax, %es
	movl %eax, %fs
	movl %eax, %gs
	movl %eax, %ss
	movl $direct_stack_end - 8, %esp
	fninit
	pushl %esi
	pushl %ebp
	xorl %ebp, %ebp
	call direct_main
2:	hlt
	jmp 2b
#else
	movl $0x80000000, %eax
	cpuid
	cmpl $0x80000001, %eax
	movl $no_long_mode_text, %edi
	jb could_not_run
	movl $0x80000001, %eax
	cpuid
	btl $29, %edx
	movl $no_long_mode_text, %edi
	jnc could_not_run

	/* PML4 -> PDPT -> four page directories that lie one behind the other. */
	movl $direct_pdpt + 3, direct_pml4
	movl $direct_pd + 3, %eax
	movl $direct_pdpt, %edi
	movl $4, %ecx
1:	movl %eax, (%edi)
	addl $4096, %eax
	addl $8, %edi
	loop 1b
	movl $0x83, %eax /* present, writable, 2 MiB */
	movl $direct_pd, %edi
	movl $2048, %ecx
1:	movl %eax, (%edi)
	addl $0x200000, %eax
	addl $8, %edi
	loop 1b

	movl $direct_pml4, %eax
	movl %eax, %cr3
	movl %cr4, %eax
	orl $CR4_PAE | CR4_OSFXSR | CR4_OSXMMEXCPT, %eax
	movl %eax, %cr4
	movl $MSR_EFER, %ecx
	rdmsr
	orl $EFER_LME, %eax
	wrmsr
	movl %cr0, %eax
	andl $~CR0_EM, %eax
	orl $CR0_PG | CR0_NE | CR0_MP | CR0_PE, %eax
	movl %eax, %cr0
	lgdt gdt_pointer
	ljmp $8, $long_mode

#endif

	/* To where a BIOS has its text, and by 115,200 baud, as serial_init() sets; a port that is not there reads
	 * as ready. Then both emulators are told to end. */
could_not_run:
	movl %edi, %ebx
	leal 2(%ebx), %esi
	movl $TEXT_SCREEN, %edi
	movb $TEXT_GREY, %ah
1:	lodsb
	stosw
	cmpb $'\n', (%esi)
	jne 1b
	movw $LINE_CONTROL, %dx
	movb $DIVISOR_LATCH, %al
	outb %al, %dx
	movw $COM1, %dx
	movw $1, %ax
	outw %ax, %dx
	movw $LINE_CONTROL, %dx
	movb $EIGHT_BITS, %al
	outb %al, %dx
	movl %ebx, %esi
1:	movw $LINE_STATUS, %dx
2:	inb %dx, %al
	testb $ROOM, %al
	jz 2b
	lodsb
	testb %al, %al
	jz 3f
	movw $COM1, %dx
	outb %al, %dx
	jmp 1b
3:	inb %dx, %al
	testb $ALL_SENT, %al
	jz 3b
	movl $1, %eax
	cpuid
	btl $31, %ecx /* identity_emulated(): what is written to these ports elsewhere, nobody knows */
	jc 5f
	inb $DEBUG_PORT, %al
	cmpb $DEBUG_PORT, %al
	jne 4f
5:	movl $EXIT_NOT_RUN, %eax
	outl %eax, $DEBUG_EXIT
	movl $shutdown_text, %esi
	movl $8, %ecx
	movw $BOCHS_EXIT, %dx
	rep outsb
4:	hlt
	jmp 4b

#ifndef __i386__
	.code64
long_mode:
	movl $16, %eax
	movl %eax, %ds
	movl %eax, %es
	movl %eax, %fs
	movl %eax, %gs
	movl %eax, %ss
	movl $direct_stack_end, %esp
	movl %ebp, %edi
	movl %esi, %esi
	xorl %ebp, %ebp
	fninit
	call direct_main
1:	hlt
	jmp 1b
#endif

	.section .rodata.direct, "a", @progbits
#ifdef __i386__
no_cpuid_text:
	.asciz "# assay: could not run: this CPU has no CPUID; use a Pentium 4, a Core or later\n"
no_pae_text:
	.asciz "# assay: could not run: this CPU has no PAE; use a Pentium 4, a Core or later\n"
no_sse2_text:
	.asciz "# assay: could not run: this CPU has no SSE2; use a Pentium 4, a Core or later\n"
#else
no_long_mode_text:
	.asciz "# assay: could not run: this CPU has no 64-bit mode; use an x86-64 CPU\n"
#endif
shutdown_text:
	.ascii "Shutdown"
	.balign 8
gdt:
	.quad 0
#ifdef __i386__
	.quad 0x00cf9a000000ffff /* code, ring 0 */
#else
	.quad 0x00af9a000000ffff /* 64-bit code, ring 0 */
#endif
	.quad 0x00cf92000000ffff /* data */
gdt_pointer:
	.word gdt_pointer - gdt - 1
	.long gdt

	.section .bss.direct, "aw", @nobits
	.balign 4096
#ifndef __i386__
direct_pml4:
	.skip 4096
direct_pdpt:
	.skip 4096
direct_pd:
	.skip 4 * 4096
#endif
direct_stack:
	.skip 64 * 1024
direct_stack_end:
