/*
 * VGA's graphics of 640 by 480 pixels, mode 12H, which every VGA has, VBE or not (IBM, "Personal System/2 and
 * Personal Computer BIOS Interface", INT 10H).
 */
#ifndef BOOT_DIRECT_VGA_H
#define BOOT_DIRECT_VGA_H

#include "arch/screen.h"

/** Have the BIOS change into it, from a text mode. The machine is not taken, and memory below 1 MiB is there
 * for the call (boot/direct/bios_call.h).
 * @return address 0: the BIOS is not in this mode now */
struct framebuffer vga_graphics(void);

#endif
