/*
 * What a device tree says of the board, for the architecture layer: the serial line, the interrupt controller
 * and whose its private interrupts are, PSCI, memory, options.
 */
#ifndef BOOT_AARCH64_BOARD_H
#define BOOT_AARCH64_BOARD_H

#include <stdbool.h>
#include <stdint.h>

enum board_psci { PSCI_NONE, PSCI_HVC, PSCI_SMC };

struct board {
	uint64_t memory, memory_size; /* the first piece */
	uint64_t initrd, initrd_end;  /* 0: there is none */
	const char *options;          /* "" if there are none */
	enum board_psci psci;
	bool emulated; /* it is QEMU's */
	unsigned processors;
};

/** Fill in *out, gic_place, serial_base and what arch/aarch64/identity.h wants. @return false if it is no
 * device tree */
bool board_read(const void *tree, struct board *out);

#endif
