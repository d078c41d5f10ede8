/*
 * What a Multiboot 2 loader hands over, in the form that Multiboot's first version has; Multiboot2
 * specification 2.0, 3.6. Under UEFI it tells of ACPI's tables and of the screen, which the first version
 * does not.
 */
#ifndef BOOT_DIRECT_MULTIBOOT2_H
#define BOOT_DIRECT_MULTIBOOT2_H

#include "boot/direct/multiboot.h"

/** What such a loader enters with in EAX. */
#define MULTIBOOT2_LOADER 0x36d76289

/** Read the loader's list. The memory map in it is rewritten in place.
 *
 * @param list  below 4 GiB; paths, options and the map stay in it
 * @param rsdp  set to a copy of ACPI's RSDP, to NULL if the loader tells of none
 * @return the same as the first version has it. More modules than DIRECT_FILES_MAX are counted and not
 * listed. The screen is always said: without one its address is 0 */
const struct multiboot_info *multiboot2_info(uint8_t *list, const void **rsdp);

#endif
