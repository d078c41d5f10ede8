/*
 * Files on the server that the firmware fetched the image from by PXE, or on that which DHCP names to PXE
 * where it was fetched by HTTP. They are read and written by TFTP (UEFI specification 2.10, 24.3; RFC 1350,
 * 2348, 2349). What each function does is said where struct platform has it.
 *
 * TFTP knows no folders and no renaming. A run's files are sent under names in the folder of runs that begin
 * with what \assay\runs\MAC-TIME-CPU\report.json has in front of its name:
 * assay/runs/MAC-TIME-CPU-report.json. They are kept in memory until they have their final name.
 */
#ifndef BOOT_UEFI_NETWORK_H
#define BOOT_UEFI_NETWORK_H

#include "boot/platform.h"

#include <efi.h>

/** Whether the image came from a server over the network, whose files are read and written then instead of a
 * volume's: the platform's functions are exchanged. IPv4 alone. */
bool network_choose(struct platform *platform, const EFI_SYSTEM_TABLE *table, EFI_HANDLE own);

#endif
