/*
 * Where below 1 MiB a call of the BIOS has its code, its stack and what it transfers: conventional memory,
 * which the loader's map must call free.
 */
#ifndef BOOT_DIRECT_BIOS_CALL_H
#define BOOT_DIRECT_BIOS_CALL_H

#define BIOS_BUFFER     0x60000 /* 32 KiB, sectors */
#define BIOS_PACKET     0x68000 /* disk address packet, drive parameters */
#define BIOS_CALL_AT    0x69000
#define BIOS_CALL_STACK 0x6f000
#define BIOS_MEMORY_END 0x70000

#ifndef __ASSEMBLER__
#include <stdint.h>

/** What INT 13H gets and gives. */
struct bios_registers {
	uint16_t ax, bx, cx, dx, si, ds;
	uint16_t carry; /**< given: not 0 if it failed, with the reason in AH */
};
#endif

#endif
