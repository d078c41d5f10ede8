#include "arch/x86/console/serial.h"

#include "arch/x86/cpu/cpu.h"

/* Registers as offsets from the port: National Semiconductor PC16550D, table II. */
enum {
	DATA = 0,
	DIVISOR_LOW = 0,
	INTERRUPT_ENABLE = 1,
	DIVISOR_HIGH = 1,
	FIFO_CONTROL = 2,
	LINE_CONTROL = 3,
	MODEM_CONTROL = 4,
	LINE_STATUS = 5,
	SCRATCH = 7
};

#define LINE_8N1          0x03
#define LINE_DIVISOR      0x80
#define FIFO_ON_CLEARED   0x07
#define FIFO_WORKS        0xc0 /* interrupt identification, bits 7:6 */
#define FIFO_SIZE         16
#define MODEM_DTR_RTS     0x03
#define RECEIVED          0x01
#define TRANSMITTER_EMPTY 0x20
#define TRANSMITTER_IDLE  0x40 /* the last bit has left, too */

/* One port read takes about 1 us on real hardware; 16 characters leave in 1.4 ms. */
#define PATIENCE 100000

static uint16_t base;
static unsigned fifo;
static struct {
	uint8_t interrupts, line, modem, fifo, divisor_low, divisor_high;
} found; /* firmware's set-up of it */
static bool stuck;

static bool answers(uint16_t port)
{
	static const uint8_t patterns[] = {0x5a, 0xa5};

	uint8_t scratch = port_read8(port + SCRATCH);

	for (unsigned i = 0; i < sizeof patterns; i++) {
		port_write8(port + SCRATCH, patterns[i]);
		if (port_read8(port + SCRATCH) != patterns[i])
			return false;
	}
	port_write8(port + SCRATCH, scratch);
	return port_read8(port + LINE_STATUS) != 0xff;
}

static void save(void)
{
	found.interrupts = port_read8(base + INTERRUPT_ENABLE);
	found.line = port_read8(base + LINE_CONTROL);
	found.modem = port_read8(base + MODEM_CONTROL);
	found.fifo = (port_read8(base + FIFO_CONTROL) & FIFO_WORKS) == FIFO_WORKS;
	port_write8(base + LINE_CONTROL, found.line | LINE_DIVISOR);
	found.divisor_low = port_read8(base + DIVISOR_LOW);
	found.divisor_high = port_read8(base + DIVISOR_HIGH);
}

void serial_give_back(void)
{
	if (!base)
		return;
	for (unsigned tries = PATIENCE; tries && !(port_read8(base + LINE_STATUS) & TRANSMITTER_IDLE);
	     tries--)
		cpu_relax();
	port_write8(base + LINE_CONTROL, found.line | LINE_DIVISOR);
	port_write8(base + DIVISOR_LOW, found.divisor_low);
	port_write8(base + DIVISOR_HIGH, found.divisor_high);
	port_write8(base + LINE_CONTROL, found.line);
	port_write8(base + MODEM_CONTROL, found.modem);
	port_write8(base + FIFO_CONTROL, found.fifo);
	port_write8(base + INTERRUPT_ENABLE, found.interrupts);
}

bool serial_init(uint16_t port)
{
	static const uint16_t usual[] = {0x3f8, 0x2f8};

	base = 0;
	stuck = false;
	if (port && answers(port))
		base = port;
	for (unsigned i = 0; !port && !base && i < sizeof usual / sizeof usual[0]; i++)
		if (answers(usual[i]))
			base = usual[i];
	if (!base)
		return false;
	save();
	port_write8(base + LINE_CONTROL, LINE_DIVISOR);
	port_write8(base + DIVISOR_LOW, 1);
	port_write8(base + DIVISOR_HIGH, 0);
	port_write8(base + LINE_CONTROL, LINE_8N1);
	port_write8(base + INTERRUPT_ENABLE, 0);
	port_write8(base + MODEM_CONTROL, MODEM_DTR_RTS);
	port_write8(base + FIFO_CONTROL, FIFO_ON_CLEARED);
	fifo = (port_read8(base + FIFO_CONTROL) & FIFO_WORKS) == FIFO_WORKS ? FIFO_SIZE : 1;
	return true;
}

bool serial_present(void)
{
	return base != 0;
}

uint16_t serial_port(void)
{
	return base;
}

static bool ready(void)
{
	/* A port that once stopped answering gets one look per call, until it answers again. */
	for (unsigned tries = stuck ? 1 : PATIENCE; tries; tries--) {
		uint8_t status = port_read8(base + LINE_STATUS);
		if (status != 0xff && status & TRANSMITTER_EMPTY) {
			stuck = false;
			return true;
		}
		cpu_relax();
	}
	stuck = true;
	return false;
}

bool serial_write(const char *text, size_t size)
{
	if (!base)
		return false;
	while (size) {
		if (!ready())
			return false;
		for (unsigned i = 0; i < fifo && size; i++, size--)
			port_write8(base + DATA, (uint8_t)*text++);
	}
	return true;
}

bool serial_read(uint8_t *byte)
{
	uint8_t status = base ? port_read8(base + LINE_STATUS) : 0xff;

	if (status == 0xff || !(status & RECEIVED))
		return false;
	*byte = port_read8(base + DATA);
	return true;
}
