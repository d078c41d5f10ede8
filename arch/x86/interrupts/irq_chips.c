#include "arch/x86/interrupts/irq_chips.h"

#include "arch/x86/machine/acpi.h"
#include "arch/x86/interrupts/apic.h"
#include "arch/x86/cpu/cpu.h"

#define PIC_MASTER_MASK 0x21
#define PIC_SLAVE_MASK  0xa1

#define IO_APIC_USUAL      0xfec00000u
#define IO_APIC_VERSION    1
#define IO_APIC_LOW(pin)   (0x10 + 2 * (pin))
#define IO_APIC_HIGH(pin)  (0x11 + 2 * (pin))
#define REDIRECTION_NMI    (4u << 8)
#define REDIRECTION_MASKED (1u << 16)
#define IO_APIC_PINS       240

static uint8_t pic_masks[2];
/* Low words of the redirection entries: only the first I/O APIC's are also reprogrammed, with their high
 * words. */
static uint32_t low[ACPI_IO_APICS][IO_APIC_PINS], high[ACPI_IO_APICS][IO_APIC_PINS];

static uint32_t io_apic_get(unsigned chip, unsigned reg)
{
	volatile uint32_t *p = (volatile uint32_t *)(uintptr_t)acpi.io_apic[chip].address;

	p[0] = reg;
	return p[4];
}

static void io_apic_put(unsigned chip, unsigned reg, uint32_t value)
{
	volatile uint32_t *p = (volatile uint32_t *)(uintptr_t)acpi.io_apic[chip].address;

	p[0] = reg;
	p[4] = value;
}

/* Version 11H to 2FH, at least 16 pins: Intel 82093AA data sheet, 3.2.2, and its successors. */
void irq_chips_find(void)
{
	uint32_t version, pins;

	if (acpi.cpus || acpi.n_io_apics)
		return;
	acpi.io_apic[0].address = IO_APIC_USUAL;
	acpi.io_apic[0].gsi_base = 0;
	version = io_apic_get(0, IO_APIC_VERSION);
	pins = (version >> 16 & 0xff) + 1;
	version &= 0xff;
	acpi.n_io_apics = version >= 0x11 && version < 0x30 && pins >= 16 && pins < IO_APIC_PINS;
}

static unsigned pins(unsigned chip)
{
	unsigned n = (io_apic_get(chip, IO_APIC_VERSION) >> 16 & 0xff) + 1;

	return n < IO_APIC_PINS ? n : IO_APIC_PINS;
}

void irq_chips_take(void)
{
	if (acpi.legacy_pics) {
		pic_masks[0] = port_read8(PIC_MASTER_MASK);
		pic_masks[1] = port_read8(PIC_SLAVE_MASK);
		port_write8(PIC_MASTER_MASK, 0xff);
		port_write8(PIC_SLAVE_MASK, 0xff);
	}
	for (unsigned chip = 0; chip < acpi.n_io_apics; chip++) {
		for (unsigned pin = 0; pin < pins(chip); pin++) {
			low[chip][pin] = io_apic_get(chip, IO_APIC_LOW(pin));
			high[chip][pin] = io_apic_get(chip, IO_APIC_HIGH(pin));
			if (!(low[chip][pin] & REDIRECTION_MASKED))
				io_apic_put(chip, IO_APIC_LOW(pin), low[chip][pin] | REDIRECTION_MASKED);
		}
	}
}

void irq_chips_give_back(void)
{
	for (unsigned chip = 0; chip < acpi.n_io_apics; chip++) {
		for (unsigned pin = 0; pin < pins(chip); pin++) {
			if (io_apic_get(chip, IO_APIC_HIGH(pin)) != high[chip][pin])
				io_apic_put(chip, IO_APIC_HIGH(pin), high[chip][pin]);
			if (io_apic_get(chip, IO_APIC_LOW(pin)) != low[chip][pin])
				io_apic_put(chip, IO_APIC_LOW(pin), low[chip][pin]);
		}
	}
	if (acpi.legacy_pics) {
		port_write8(PIC_SLAVE_MASK, pic_masks[1]);
		port_write8(PIC_MASTER_MASK, pic_masks[0]);
	}
}

/** The chip that has the pin, or acpi.n_io_apics. */
static unsigned chip_of(uint32_t gsi)
{
	unsigned chip = 0;

	while (chip < acpi.n_io_apics &&
	       (gsi < acpi.io_apic[chip].gsi_base || gsi >= acpi.io_apic[chip].gsi_base + pins(chip)))
		chip++;
	return chip;
}

bool irq_can_route_nmi(uint32_t gsi, uint32_t apic_id)
{
	return apic_present() && chip_of(gsi) < acpi.n_io_apics && apic_id <= 255;
}

bool irq_route_nmi(uint32_t gsi, uint32_t apic_id)
{
	unsigned chip = chip_of(gsi);

	if (!irq_can_route_nmi(gsi, apic_id))
		return false;
	unsigned pin = gsi - acpi.io_apic[chip].gsi_base;
	io_apic_put(chip, IO_APIC_LOW(pin), REDIRECTION_MASKED);
	io_apic_put(chip, IO_APIC_HIGH(pin), apic_id << 24);
	io_apic_put(chip, IO_APIC_LOW(pin), REDIRECTION_NMI);
	return true;
}

void irq_route_off(uint32_t gsi)
{
	unsigned chip = chip_of(gsi);

	if (chip < acpi.n_io_apics)
		io_apic_put(chip, IO_APIC_LOW(gsi - acpi.io_apic[chip].gsi_base), REDIRECTION_MASKED);
}
