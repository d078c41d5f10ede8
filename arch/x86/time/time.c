#include "arch/time.h"
#include "arch/x86/time/tsc.h"
#include "arch/x86/time/time_internal.h"

#include "arch/x86/machine/acpi.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/time/hpet.h"
#include "arch/x86/machine/notes.h"
#include "arch/x86/time/pit.h"

#include <stdbool.h>
#include <stddef.h>

#define PM_TIMER_HZ 3579545
#define ROUNDS      3
/* One round takes 3 ms. */
#define ROUNDS_PER_SECOND 333

static uint64_t hz = 1000000000;
static const char *reference = "none";
static uint64_t start;
static bool started;
static bool hpet_ran;

static bool hpet_open(void)
{
	if (hpet_hz())
		hpet_ran = hpet_start();
	return hpet_hz();
}

static void hpet_close(void)
{
	hpet_stop(hpet_ran);
}

static bool pm_timer_open(void)
{
	return acpi.pm_timer;
}

static void pm_timer_close(void)
{
}

static uint64_t pm_timer(void)
{
	return port_read32(acpi.pm_timer);
}

static uint64_t pm_timer_hz(void)
{
	return PM_TIMER_HZ;
}

static bool pit_open(void)
{
	pit_clock_start();
	return true;
}

static uint64_t pit_hz(void)
{
	return PIT_HZ;
}

static const struct clock {
	const char *name;
	bool (*open)(void);
	void (*close)(void);
	uint64_t (*now)(void);
	uint64_t (*hz)(void);
	uint64_t mask; /* bits that every such clock has */
} clocks[] = {
	{"HPET", hpet_open, hpet_close, hpet_counter, hpet_hz, UINT32_MAX},
	{"ACPI PM timer", pm_timer_open, pm_timer_close, pm_timer, pm_timer_hz, 0xffffff},
	{"PIT", pit_open, pit_clock_stop, pit_clock, pit_hz, 0xffff},
};

/** Wait for the clock's next tick. @return the TSC just after it, with *at the clock then; 0 if it stands
 * still. */
static uint64_t next_tick(const struct clock *c, uint64_t *at)
{
	uint64_t before = c->now() & c->mask;

	for (unsigned i = 0; i < 10000; i++) {
		uint64_t now = c->now() & c->mask;
		if (now != before) {
			*at = now;
			return tsc_read();
		}
	}
	return 0;
}

/** TSC ticks per second against the clock, over one round; 0 if the clock stopped. */
static uint64_t one_round(const struct clock *c)
{
	uint64_t from, to, tsc_from, tsc_to, ticks = c->hz() / ROUNDS_PER_SECOND;

	tsc_from = next_tick(c, &from);
	if (!tsc_from)
		return 0;
	do {
		tsc_to = next_tick(c, &to);
		/* No CPU makes this many cycles in 3 ms: the clock goes backwards or crawls. */
		if (!tsc_to || tsc_to - tsc_from > 1000000000)
			return 0;
	} while (((to - from) & c->mask) < ticks);
	return (tsc_to - tsc_from) * c->hz() / ((to - from) & c->mask);
}

static uint64_t median(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t low = a < b ? a : b, high = a < b ? b : a;

	return c < low ? low : c > high ? high : c;
}

/** TSC ticks per second against the clock; 0 if there is none, or it stopped (then *there). */
static uint64_t against(const struct clock *c, bool *there)
{
	uint64_t result[ROUNDS];
	bool ok = *there = c->open();

	if (!ok)
		return 0;
	uint64_t flags = interrupts_mask();
	for (unsigned i = 0; i < ROUNDS && ok; i++)
		ok = (result[i] = one_round(c)) != 0;
	interrupts_restore(flags);
	c->close();
	return ok ? median(result[0], result[1], result[2]) : 0;
}

static bool calibrate(const struct clock *c)
{
	bool there;
	uint64_t found = against(c, &there);

	if (there && !found)
		note_add("the %s does not tick: not used as a time base", c->name);
	if (!found)
		return false;
	hz = found;
	reference = c->name;
	return true;
}

uint64_t time_by_clock(unsigned which)
{
	bool there;

	return against(&clocks[which], &there);
}

void time_calibrate(uint64_t (*told)(const char **source))
{
	for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++)
		if (calibrate(&clocks[i]))
			return;
	const char *source;
	uint64_t by_cpu = told(&source);

	if (by_cpu) {
		hz = by_cpu;
		reference = source;
		note_add("no reference clock: the TSC's rate is what the CPU says (%s)", source);
		return;
	}
	note_add("no reference clock: the TSC is taken to run at 1 GHz, times are not to be trusted");
}

void time_begin(void)
{
	if (!started)
		start = tsc_read();
	started = true;
}

uint64_t tsc_hz(void)
{
	return hz;
}

uint64_t clock_hz(void)
{
	return hz;
}

uint64_t clock_read(void)
{
	return tsc_read();
}

void time_relax(void)
{
	cpu_relax();
}

const char *clock_reference(void)
{
	return reference;
}

uint64_t time_us(void)
{
	uint64_t elapsed = tsc_read() - start;

	return started ? elapsed / hz * 1000000 + elapsed % hz * 1000000 / hz : 0;
}
