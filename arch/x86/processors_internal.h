/*
 * The other processors, as machine.c needs them.
 */
#ifndef ARCH_X86_PROCESSORS_INTERNAL_H
#define ARCH_X86_PROCESSORS_INTERNAL_H

#include <stdint.h>

/**
 * Find the list, and put the start-up code in place. After acpi_read(), paging_build() and
 * descriptors_init(), with the machine not taken.
 * @param low_page as in struct boot_info
 */
void processors_init(uint64_t low_page);

#endif
