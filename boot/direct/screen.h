/*
 * The screen of a start by a BIOS: the loader's framebuffer if it tells of one, else VGA's text.
 */
#ifndef BOOT_DIRECT_SCREEN_H
#define BOOT_DIRECT_SCREEN_H

#include "boot/direct/multiboot.h"

#include "arch/screen.h"

/** Where the BIOS keeps what it knows of the machine: 256 bytes at 400H. */
#define BIOS_DATA 0x400

/** What the loader says of the screen (Multiboot specification 0.6.96, 3.3: framebuffer_*; a linear one that
 * VBE has set up, or text). Where it says nothing, the text mode that the BIOS is in (IBM's BIOS data area:
 * 49H is the mode, 4AH the columns, 84H the rows but one). @return address 0: there is no screen, or none
 * that can be drawn on */
struct framebuffer direct_screen(const struct multiboot_info *info, const uint8_t *bios_data);

#endif
