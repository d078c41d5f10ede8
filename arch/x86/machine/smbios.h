/*
 * What SMBIOS tells of the machine's make: DMTF DSP0134, 5.2 and 7.1 to 7.5. No serial number, no UUID.
 */
#ifndef ARCH_X86_MACHINE_SMBIOS_H
#define ARCH_X86_MACHINE_SMBIOS_H

#include "arch/identity.h"

#include <stddef.h>
#include <stdint.h>

/** Find the table: by the entry point at this address, or, if that is 0, by a BIOS's in the last 64 KiB below
 * 1 MiB. @param top first address behind everything that may be read. @return NULL, *size 0 if there is none
 */
const uint8_t *smbios_find(uint64_t entry, uint64_t top, size_t *size);

/** Hand over what a table has of types 0, 1, 2 and 4. Whatever is in it, no byte outside of it is read. */
void smbios_pairs(const uint8_t *table, size_t size, identity_each *each, void *to);

#endif
