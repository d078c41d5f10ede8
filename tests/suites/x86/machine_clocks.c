/*
 * Clocks against each other, and the serial port's set-up.
 */
#include "tests/suites/x86/machine.h"

#include "arch/x86/cpu/cpu.h"
#include "arch/machine.h"
#include "arch/x86/console/serial.h"
#include "arch/time.h"
#include "arch/x86/time/tsc.h"
#include "arch/x86/time/time_internal.h"

/* --- clocks --------------------------------------------------------------------------------------------- */

/* The farthest that a clock is off from the TSC's frequency, in millionths. Crystals are good to some 100,
 * and one look takes up to 5 us out of the 3 ms of a round (arch/x86/time/time.c). */
#define CLOCKS_AGREE 4000

static uint64_t measured[TIME_CLOCKS];

static int64_t farthest_from(uint64_t tsc)
{
	uint64_t most = 0;

	for (unsigned i = 0; i < TIME_CLOCKS; i++) {
		uint64_t hz = measured[i], off = hz > tsc ? hz - tsc : tsc - hz;

		if (hz && off * 1000000 / tsc > most)
			most = off * 1000000 / tsc;
	}
	return (int64_t)most;
}

static int64_t clocks_differ(void)
{
	for (unsigned i = 0; i < TIME_CLOCKS; i++)
		measured[i] = time_by_clock(i);
	return farthest_from(tsc_hz());
}

static int64_t difference_is_told(void)
{
	return farthest_from(tsc_hz() + tsc_hz() / 100) > CLOCKS_AGREE;
}

static int64_t clocks_found(void)
{
	int64_t n = 0;

	for (unsigned i = 0; i < TIME_CLOCKS; i++)
		n += measured[i] != 0;
	return n;
}

static uint64_t us_of(uint64_t ticks)
{
	return ticks * 1000000 / tsc_hz();
}

/* Microseconds and ticks over the same while, a take-over in its midst: within the 2 us that are rounded
 * away. */
static int64_t time_counts_on(void)
{
	uint64_t outer = tsc_read(), from = time_us(), inner = tsc_read(), least, most, passed;

	machine_give_back();
	machine_take();
	while (tsc_read() - inner < tsc_hz() / 500)
		cpu_relax();
	least = us_of(tsc_read() - inner);
	passed = time_us() - from;
	most = us_of(tsc_read() - outer);
	return from > 0 && passed + 2 >= least && passed <= most + 2;
}

/* --- serial port -------------------------------------------------------------------------------------- */

#define DIVISOR_LOW      0
#define DIVISOR_HIGH     1
#define INTERRUPT_ENABLE 1
#define LINE_CONTROL     3
#define MODEM_CONTROL    4
#define LINE_DIVISOR     0x80

struct port_setup {
	uint8_t interrupts, line, modem, low, high;
};

static struct port_setup port_look(void)
{
	uint16_t port = serial_port();
	struct port_setup s = {.interrupts = port_read8(port + INTERRUPT_ENABLE),
			       .line = port_read8(port + LINE_CONTROL),
			       .modem = port_read8(port + MODEM_CONTROL)};

	port_write8(port + LINE_CONTROL, s.line | LINE_DIVISOR);
	s.low = port_read8(port + DIVISOR_LOW);
	s.high = port_read8(port + DIVISOR_HIGH);
	port_write8(port + LINE_CONTROL, s.line);
	return s;
}

static void port_set(const struct port_setup *s)
{
	uint16_t port = serial_port();

	port_write8(port + LINE_CONTROL, s->line | LINE_DIVISOR);
	port_write8(port + DIVISOR_LOW, s->low);
	port_write8(port + DIVISOR_HIGH, s->high);
	port_write8(port + LINE_CONTROL, s->line);
	port_write8(port + INTERRUPT_ENABLE, s->interrupts);
	port_write8(port + MODEM_CONTROL, s->modem);
}

/* How many of the five are the same. */
static int64_t alike(const struct port_setup *a, const struct port_setup *b)
{
	return (a->interrupts == b->interrupts) + (a->line == b->line) + (a->modem == b->modem) +
	       (a->low == b->low) + (a->high == b->high);
}

/* 115,200 bit/s, 8 data bits, no parity, 1 stop bit; no interrupts; DTR and RTS on: PC16550D, 8. */
static const struct port_setup ours = {.line = 3, .modem = 3, .low = 1};
/* Another one in each. */
static const struct port_setup planted = {.interrupts = 1, .line = 0x1f, .modem = 9, .low = 0x80, .high = 1};

static struct port_setup taken, given_back;

/* The port is set up over what was planted, and given back. */
static void set_up_over_planted(void)
{
	uint16_t port = serial_port();
	struct port_setup firmwares;

	serial_give_back();
	firmwares = port_look();
	port_set(&planted);
	serial_init(port);
	taken = port_look();
	serial_give_back();
	given_back = port_look();
	port_set(&firmwares);
	serial_init(port);
}

static int64_t serial_is_set_up(void)
{
	struct port_setup now = port_look();

	set_up_over_planted();
	return alike(&now, &ours) * 10 + alike(&taken, &ours);
}

static int64_t serial_is_given_back(void)
{
	set_up_over_planted();
	return alike(&given_back, &planted) * 10 + alike(&given_back, &ours);
}

static const char *no_serial(void)
{
	return serial_present() ? NULL : "no serial port";
}

const struct machine_check machine_clocks[] = {
	{"clocks/HPET, ACPI PM timer and PIT agree on the TSC", NULL, clocks_differ, 0, CLOCKS_AGREE, NULL},
	{"clocks/one of 1 % off would be told", NULL, difference_is_told, 1, 1, NULL},
	{"clocks/at least one is there", NULL, clocks_found, 1, TIME_CLOCKS, NULL},
	{"clocks/microseconds count on over a take-over", NULL, time_counts_on, 1, 1, NULL},
	{"serial/the line is set up", "PC16550D, 8", serial_is_set_up, 55, 55, no_serial},
	{"serial/firmware's set-up is put back", "PC16550D, 8", serial_is_given_back, 50, 50, no_serial},
	{NULL, NULL, NULL, 0, 0, NULL},
};
