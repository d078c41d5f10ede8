/*
 * Watchdogs of the platform, which reset a machine that nobody feeds: named where they are found, so that a
 * reset in the middle of a run is not put down to a check. Nothing of them is changed.
 *
 * Intel TCO: in the LPC bridge up to the 9 series (ICH9 datasheet 316972, 13.9; base in its PMBASE), in the
 * SMBus controller from the 100 series on (332691, TCOBASE). AMD SP5100 and its successors: in the SMBus
 * controller (AMD 45482, SP5100 register reference). Intel 6300ESB: a PCI function of its own (300641, 16).
 */
#ifndef ARCH_X86_MACHINE_PLATFORM_WATCHDOG_H
#define ARCH_X86_MACHINE_PLATFORM_WATCHDOG_H

#include <stdint.h>

/** How registers are reached; reads alone. */
struct platform_bus {
	/** PCI configuration space of bus 0; all bits are set where there is no such device. */
	uint32_t (*pci)(unsigned device, unsigned function, unsigned offset);
	uint16_t (*port)(uint16_t port);
};

/** Call found() with a line for each. */
void platform_watchdogs_on(const struct platform_bus *bus, void (*found)(const char *text));

/** The same of this machine, as notes; also for tables of ACPI's that tell of one. After acpi_read(). */
void platform_watchdogs_note(void);

#endif
