/*
 * What firmware's MP services know of the machine's processors, and how they get one back (Platform
 * Initialization specification 1.8, volume 2, 13.4).
 *
 * They do not start any: what is to go on while this returns (StartupThisAP with an event) is refused once a
 * boot manager has signalled that it boots, which comes before any application; and what it starts otherwise
 * has the boot processor wait inside firmware. So Assay starts them itself, as an operating system does.
 */
#ifndef BOOT_UEFI_PROCESSORS_H
#define BOOT_UEFI_PROCESSORS_H

#include "arch/machine.h"

#include <efi.h>

/** Fill in .processors, .n_processors and .renew_processor; they stay as they are where there are no such
 * services. */
void uefi_processors_find(EFI_BOOT_SERVICES *bs, struct boot_info *out);

#endif
