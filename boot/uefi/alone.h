/*
 * own=full: the end of firmware's boot services (UEFI specification 2.10, 7.4.6), for who wants no doubt that
 * firmware has no part in what is counted. Its timer's interrupt is off then, and nothing of it is called any
 * more but ResetSystem.
 */
#ifndef BOOT_UEFI_ALONE_H
#define BOOT_UEFI_ALONE_H

#include "boot/platform.h"

#include <efi.h>

/** End them. What the run may still read, the files in \assay\events and \assay\code, is kept in memory
 * before. The platform's functions are exchanged: memory is the largest free stretch that there was, the
 * report goes out over the serial line or as QR codes, and nothing returns to firmware.
 * @return NULL, or why they have not ended: everything is as it was */
const char *uefi_alone(EFI_HANDLE image, EFI_SYSTEM_TABLE *table, struct platform *platform);

/** The run has returned: it goes back to nobody, so the machine is restarted. */
_Noreturn void uefi_alone_restart(void);

#endif
