#include "arch/x86/machine/platform_watchdog.h"

#include "arch/x86/cpu/cpu.h"
#include "arch/x86/machine/acpi.h"
#include "arch/x86/machine/notes.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define PCI_NONE    0xffffffff
#define VENDOR      0x8086 /* of the bridge, and of 6300ESB */
#define VENDOR_FCH  0x1022
#define VENDOR_SB   0x1002
#define LPC_DEVICE  31
#define ISA_BRIDGE  0x0601
#define SMBUS_CLASS 0x0c05

#define TCO_OF_PMBASE 0x60
#define TCO1_CNT      8
#define TMR_HALTED    (1 << 11)

static const char *state_of(const struct platform_bus *bus, uint16_t tco)
{
	uint16_t control = bus->port((uint16_t)(tco + TCO1_CNT));

	return control == 0xffff ? "which does not answer" : control & TMR_HALTED ? "halted" : "not halted";
}

static void ich_tco(const struct platform_bus *bus, void (*found)(const char *text))
{
	uint32_t lpc = bus->pci(LPC_DEVICE, 0, 0), smbus = bus->pci(LPC_DEVICE, 4, 0);
	uint16_t tco = 0;
	char text[100];

	if ((lpc & 0xffff) != VENDOR || bus->pci(LPC_DEVICE, 0, 8) >> 16 != ISA_BRIDGE)
		return;
	if ((smbus & 0xffff) == VENDOR && bus->pci(LPC_DEVICE, 4, 8) >> 16 == SMBUS_CLASS) {
		if (bus->pci(LPC_DEVICE, 4, 0x54) & 1 << 8) /* TCOCTL: decoded */
			tco = bus->pci(LPC_DEVICE, 4, 0x50) & 0xffe0;
	} else if (bus->pci(LPC_DEVICE, 0, 0x44) & 1 << 7) { /* ACPI_CNTL: decoded */
		uint16_t base = bus->pci(LPC_DEVICE, 0, 0x40) & 0xff80;

		tco = base ? base + TCO_OF_PMBASE : 0;
	}
	if (!tco)
		return;
	snprintf(text, sizeof text, "platform watchdog: Intel TCO at port %XH, %s", tco, state_of(bus, tco));
	found(text);
}

static void fch_tco(const struct platform_bus *bus, void (*found)(const char *text))
{
	uint32_t id = bus->pci(20, 0, 0);

	if (id == (0x4385u << 16 | VENDOR_SB) || id == (0x780bu << 16 | VENDOR_FCH) ||
	    id == (0x790bu << 16 | VENDOR_FCH))
		found("platform watchdog: AMD SP5100 TCO; whether it runs cannot be read without a write");
}

static void esb_6300(const struct platform_bus *bus, void (*found)(const char *text))
{
	for (unsigned device = 0; device < 32; device++)
		if (bus->pci(device, 0, 0) == (0x25abu << 16 | VENDOR))
			found(bus->pci(device, 0, 0x68) & 2 ? "platform watchdog: Intel 6300ESB, running"
							    : "platform watchdog: Intel 6300ESB, halted");
}

void platform_watchdogs_on(const struct platform_bus *bus, void (*found)(const char *text))
{
	ich_tco(bus, found);
	fch_tco(bus, found);
	esb_6300(bus, found);
}

/* --- this machine ------------------------------------------------------------------------------------ */

#define PCI_ADDRESS 0xcf8
#define PCI_DATA    0xcfc

static uint32_t pci_read(unsigned device, unsigned function, unsigned offset)
{
	uint32_t before = port_read32(PCI_ADDRESS), value;

	port_write32(PCI_ADDRESS, 1u << 31 | device << 11 | function << 8 | offset);
	value = port_read32(PCI_ADDRESS) == PCI_NONE ? PCI_NONE : port_read32(PCI_DATA);
	port_write32(PCI_ADDRESS, before);
	return value;
}

static uint16_t port_read(uint16_t port)
{
	return port_read16(port);
}

static void note(const char *text)
{
	note_add("%s", text);
}

void platform_watchdogs_note(void)
{
	static const char tables[][5] = {"WDAT", "WDRT", "WDDT"};
	const struct platform_bus bus = {pci_read, port_read};

	for (unsigned i = 0; i < acpi.n_tables; i++)
		for (unsigned k = 0; k < sizeof tables / sizeof tables[0]; k++)
			if (!memcmp(acpi.table[i].signature, tables[k], 4))
				note_add("platform watchdog: ACPI's table %s tells of one", tables[k]);
	platform_watchdogs_on(&bus, note);
}
