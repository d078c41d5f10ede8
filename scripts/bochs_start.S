/*
 * An option ROM for Bochs, whose BIOS calls it when it has set the machine up. It starts an image as a Multiboot loader would
 * (boot/direct/direct_entry.S). scripts/emulators.py has put what belongs into memory below the BIOS in the ROM of 4 MiB, and has
 * written at HANDED_OVER the entry, the address of the information structure, and what is to be copied. Only the memory map is not
 * there, which the BIOS gives (ACPI 6.5, 15.1). The code runs in place, first in real mode (BIOS boot specification 1.01, 3.3).
 */
#define ROM	    0xd0000 /* where it lies, and how long it is */
#define ROM_SIZE    1024
#define HANDED_OVER 512

/* Fields of the information structure: boot/direct/multiboot.h. */
#define MAP_LENGTH   44
#define MAP_ADDRESS  48
#define LOADER_MAGIC 0x2badb002

/* Memory that the BIOS does not use, for the map: in front of each entry stands how long it is. */
#define MAP	  0x8000
#define MAP_ENTRY 20
#define MAP_MAGIC 0x534d4150 /* "SMAP" */

#define A20_PORT 0x92
#define A20_ON	 2
#define CR0_PE	 1

	.code16
	.globl _start
_start:
	.byte 0x55, 0xaa, ROM_SIZE / 512
	cld
	xorw %ax, %ax
	movw %ax, %es
	xorl %ebx, %ebx
	movw $MAP, %di
1:	movl $MAP_ENTRY, %es:(%di)
	addw $4, %di
	movl $0xe820, %eax
	movl $MAP_MAGIC, %edx
	movl $MAP_ENTRY, %ecx
	int $0x15
	addw $MAP_ENTRY, %di
	testl %ebx, %ebx
	jnz 1b
	subw $MAP, %di
	movzwl %di, %ebp

	cli
	inb $A20_PORT, %al
	orb $A20_ON, %al
	outb %al, $A20_PORT
	lgdtl %cs:gdt_pointer - _start
	movl %cr0, %eax
	orb $CR0_PE, %al
	movl %eax, %cr0
	ljmpl $8, $(ROM + protected - _start)

	.code32
protected:
	movl $16, %eax
	movl %eax, %ds
	movl %eax, %es
	movl %eax, %fs
	movl %eax, %gs
	movl %eax, %ss
	movl $(ROM + HANDED_OVER + 8), %ebx /* {to, from, bytes}, the last one without bytes */
1:	movl (%ebx), %edi
	movl 4(%ebx), %esi
	movl 8(%ebx), %ecx
	jecxz 2f
	rep movsb
	addl $12, %ebx
	jmp 1b
2:	movl ROM + HANDED_OVER + 4, %ebx
	movl %ebp, MAP_LENGTH(%ebx)
	movl $MAP, MAP_ADDRESS(%ebx)
	movl $LOADER_MAGIC, %eax
	jmp *ROM + HANDED_OVER

	.balign 8
gdt:
	.quad 0
	.quad 0x00cf9a000000ffff /* 32-bit code, ring 0 */
	.quad 0x00cf92000000ffff /* data */
gdt_pointer:
	.word gdt_pointer - gdt - 1
	.long ROM + gdt - _start

	.org HANDED_OVER
