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
#include <stdbool.h>
#include <stdint.h>

/** What an interrupt of the BIOS gets and gives. */
struct bios_registers {
	uint16_t ax, bx, cx, dx, si, ds;
	uint16_t carry; /**< given: not 0 if it failed, with the reason in AH, where it says so */
};

/** Have the BIOS carry out INT `interrupt`. Nothing is on the machine's interrupt line meanwhile but what the
 * BIOS had there: between machine_take() and machine_give_back() it may not be called.
 * @return whether it did not fail: the carry */
bool bios_call(uint8_t interrupt, struct bios_registers *r);

/** An address below 1 MiB, as memory. */
void *bios_memory_at(uintptr_t address);
#endif

#endif
