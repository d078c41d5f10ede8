/*
 * The disk that a BIOS started from, by INT 13H's extensions (BIOS Enhanced Disk Drive Specification 3.0).
 */
#ifndef BOOT_DIRECT_BIOS_DISK_H
#define BOOT_DIRECT_BIOS_DISK_H

#include "boot/bios/kept_file.h"

/** The disk that was opened. Nothing is on the machine's interrupt line while it works but what the BIOS had
 * there: between machine_take() and machine_give_back() it may not be used. */
extern const struct sectors bios_disk;

/** @param drive  the BIOS's number of it, 80H and above
 * @return NULL, or why it cannot be used */
const char *bios_disk_open(uint8_t drive);

#endif
