/*
 * Borders of the image's sections, from the linker script. Each begins on a page of its own; what is not
 * listed is data.
 */
#ifndef ARCH_X86_MACHINE_SECTIONS_H
#define ARCH_X86_MACHINE_SECTIONS_H

extern const unsigned char __text_start[];
extern const unsigned char __text_end[];
extern const unsigned char __rodata_start[];
extern const unsigned char __rodata_end[];

#endif
