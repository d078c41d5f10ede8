/*
 * The menu's terminal under UEFI: firmware's console (UEFI specification 2.10, 12.3 and 12.4), and where no
 * part of that is a serial line, a VT100 at ours.
 */
#ifndef BOOT_UEFI_TERMINAL_H
#define BOOT_UEFI_TERMINAL_H

#include "boot/menu/terminal.h"

#include <efi.h>

/** @return NULL if there is neither */
struct terminal *uefi_terminal(EFI_SYSTEM_TABLE *table);

#endif
