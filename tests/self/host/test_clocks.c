/*
 * The time base, by clocks whose rates are known: every one of them alone, with any period, wherever its
 * counter stands, and clocks that stand still. And what the HPET gets back.
 */
#define ARCH_X86_CPU_CPU_H /* ports and the TSC are the test's */
#define ARCH_X86_TIME_TSC_H

#include <stdbool.h>
#include <stdint.h>

static uint64_t tsc_read(void);
static uint32_t port_read32(uint16_t port);
uint64_t tsc_hz(void);

static inline uint64_t interrupts_mask(void)
{
	return 0;
}

static inline void interrupts_restore(uint64_t flags)
{
	(void)flags;
}

static inline void cpu_relax(void)
{
}

#include "arch/x86/time/hpet.h"

static uint64_t counter_in_time(void);
#define hpet_counter counter_in_time
#include "arch/x86/time/time.c"
#undef hpet_counter

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* --- the machine
 * ---------------------------------------------------------------------------------------------- */

#define LOOK_NS 100 /* between two looks at a clock */

struct acpi_info acpi;

static uint64_t now_ns, hz_of_tsc;
static uint64_t pit_at, pm_at, hpet_at; /* where they stand at time 0 */
static uint32_t hpet[256], hpet_period;
static bool hpet_stuck, pm_stuck, pit_stuck, pit_runs;
static char noted[512];

static uint64_t ticks(uint64_t hz_of_it)
{
	return (uint64_t)((unsigned __int128)now_ns * hz_of_it / 1000000000);
}

static uint64_t tsc_read(void)
{
	return 123456789 + ticks(hz_of_tsc);
}

/* In femtoseconds: what its register of capabilities says, to the last one. */
static uint64_t counter_in_time(void)
{
	now_ns += LOOK_NS;
	if (!hpet_stuck && hpet[0x10 / 4] & 1)
		hpet[0xf0 / 4] = (uint32_t)(hpet_at + (unsigned __int128)now_ns * 1000000 / hpet_period);
	return hpet_counter();
}

/* 24 bits; what is above them is not a clock's. */
static uint32_t port_read32(uint16_t port)
{
	assert_int_equal(port, 0x608);
	now_ns += LOOK_NS;
	return (uint32_t)((pm_at + (pm_stuck ? 0 : ticks(3579545))) & 0xffffff);
}

void pit_clock_start(void)
{
	assert_false(pit_runs);
	pit_runs = true;
}

void pit_clock_stop(void)
{
	assert_true(pit_runs);
	pit_runs = false;
}

uint64_t pit_clock(void)
{
	assert_true(pit_runs);
	now_ns += LOOK_NS;
	return (pit_at + (pit_stuck ? 0 : ticks(1193182))) & 0xffff;
}

void note_add(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(noted + strlen(noted), sizeof noted - strlen(noted), format, ap);
	va_end(ap);
}

static uint64_t told_hz;

static uint64_t told(const char **source)
{
	*source = "a leaf";
	return told_hz;
}

/* Each clock is there and runs, the HPET with this period in femtoseconds, 0: there is none. */
static void machine(uint32_t period, uint64_t of_tsc)
{
	memset(hpet, 0, sizeof hpet);
	hpet_period = period;
	hpet[0] = 2u << 8;
	hpet[1] = period;
	for (unsigned i = 0; i < 3; i++)
		hpet[(0x104 + 0x20 * i) / 4] = 0xf0 << i;
	now_ns = 17;
	hz_of_tsc = of_tsc;
	hpet_stuck = pm_stuck = pit_stuck = false;
	acpi.pm_timer = 0x608;
	noted[0] = 0;
	told_hz = 0;
	started = false;
	hpet_init(period ? (uintptr_t)hpet : 0);
}

/* As exact as a look at the clock: two of them in 3 ms. */
static void rate_is(uint64_t found, const char *clock)
{
	uint64_t off = found > hz_of_tsc ? found - hz_of_tsc : hz_of_tsc - found;

	if (off > hz_of_tsc / 10000)
		fail_msg("%s: %lu, not %lu", clock, (unsigned long)found, (unsigned long)hz_of_tsc);
}

static const uint64_t rates[] = {266000000, 800000000, 1000000000, 2399998000, 3700000000, 5800000000};
enum { RATES = sizeof rates / sizeof rates[0] };

/* --- tests
 * ---------------------------------------------------------------------------------------------------- */

static const struct {
	uint32_t period;
	uint64_t hz;
} periods[] = {
	{69841279, 14318180}, {69841278, 14318180},  {41666667, 24000000},  {52083333, 19200000},
	{40000000, 25000000}, {10000000, 100000000}, {100000000, 10000000},
};
enum { PERIODS = sizeof periods / sizeof periods[0] };

static void the_hpet_is_the_time_base(void **state)
{
	static const uint64_t begins[] = {0, 1000, UINT32_MAX - 1000, UINT32_MAX - 40000};

	(void)state;
	for (unsigned p = 0; p < PERIODS; p++)
		for (unsigned r = 0; r < RATES; r++)
			for (unsigned b = 0; b < 4; b++)
				for (unsigned runs = 0; runs <= 1; runs++) {
					machine(periods[p].period, rates[r]);
					hpet_at = begins[b];
					hpet[0x10 / 4] = 2 | runs; /* legacy replacement stays as it is */
					assert_int_equal(hpet_hz(), periods[p].hz);
					time_calibrate(told);
					rate_is(tsc_hz(), "HPET");
					/* Three rounds of 3 ms: a look that is late matters less, the longer
					 * they are. */
					assert_in_range(now_ns, 9000000, 10000000);
					assert_int_equal(clock_hz(), tsc_hz());
					assert_string_equal(clock_reference(), "HPET");
					assert_string_equal(noted, "");
					assert_int_equal(hpet[0x10 / 4], 2 | runs);
				}
}

static void what_is_no_hpet_is_not_taken(void **state)
{
	(void)state;
	hpet_at = 0;
	machine(100000001, 1000000000); /* the specification has 100 ns at most */
	assert_int_equal(hpet_hz(), 0);
	time_calibrate(told);
	assert_string_equal(clock_reference(), "ACPI PM timer");
	machine(1000, 1000000000);
	hpet[1] = 0;
	assert_false(hpet_init((uintptr_t)hpet));
	assert_int_equal(hpet_hz(), 0);
}

static void another_clock_takes_its_place(void **state)
{
	(void)state;
	for (unsigned r = 0; r < RATES; r++)
		for (unsigned at = 0; at < 3; at++) {
			machine(0, rates[r]);
			pm_at = at == 0 ? 0 : at == 1 ? 0xffff00 : 0x7ff000;
			pit_at = at == 0 ? 0 : at == 1 ? 0xfff0 : 0x7000;
			time_calibrate(told);
			rate_is(tsc_hz(), "PM timer");
			assert_string_equal(clock_reference(), "ACPI PM timer");
			assert_int_equal(time_by_clock(0), 0);
			rate_is(time_by_clock(1), "PM timer");
			rate_is(time_by_clock(2), "PIT");
			assert_false(pit_runs);
			acpi.pm_timer = 0;
			assert_int_equal(time_by_clock(1), 0);
			time_calibrate(told);
			rate_is(tsc_hz(), "PIT");
			assert_string_equal(clock_reference(), "PIT");
			assert_string_equal(noted, "");
		}
}

/* Each that stands still is named, and the next one asked; at last the CPU. */
static void a_clock_that_stands_still_is_named(void **state)
{
	(void)state;
	machine(69841279, 2000000000);
	hpet_stuck = true;
	time_calibrate(told);
	assert_string_equal(clock_reference(), "ACPI PM timer");
	assert_string_equal(noted, "the HPET does not tick: not used as a time base");
	assert_int_equal(hpet[0x10 / 4], 0);
	noted[0] = 0;
	pm_stuck = true;
	time_calibrate(told);
	assert_string_equal(clock_reference(), "PIT");
	assert_non_null(strstr(noted, "the ACPI PM timer does not tick"));
	pit_stuck = true;
	told_hz = 1999000000;
	time_calibrate(told);
	assert_int_equal(tsc_hz(), 1999000000);
	assert_string_equal(clock_reference(), "a leaf");
	noted[0] = 0;
	told_hz = 0;
	time_calibrate(told);
	assert_non_null(strstr(noted, "times are not to be trusted"));
}

static void microseconds_are_the_base_s(void **state)
{
	static const uint64_t gone_us[] = {0, 1, 999, 1000000, 3600000000, 31536000000000};

	(void)state;
	for (unsigned r = 0; r < RATES; r++) {
		machine(10000000, rates[r]);
		hpet_at = 0;
		time_calibrate(told);
		assert_int_equal(time_us(), 0);
		time_begin();
		uint64_t from = now_ns;
		for (unsigned i = 0; i < sizeof gone_us / sizeof gone_us[0]; i++) {
			uint64_t us, off;

			now_ns = from + gone_us[i] * 1000;
			us = time_us();
			off = us > gone_us[i] ? us - gone_us[i] : gone_us[i] - us;
			assert_in_range(off, 0, 1 + gone_us[i] / 10000);
			time_begin(); /* the first one holds */
		}
	}
}

/* --- the HPET's comparators
 * ---------------------------------------------------------------------------------------------- */

#define TIMER(n) hpet[(0x100 + 0x20 * (n)) / 4]
#define PINS(n)  hpet[(0x104 + 0x20 * (n)) / 4]
#define VALUE(n) hpet[(0x108 + 0x20 * (n)) / 4]
#define FSB(n)   hpet[(0x110 + 0x20 * (n)) / 4]
#define TO(n)    hpet[(0x114 + 0x20 * (n)) / 4]

#define INTERRUPT 0x4u
#define PERIODIC  0x8u
#define MESSAGES  0x8000u /* it can send them */

static void the_last_free_comparator_is_the_watchdog_s(void **state)
{
	(void)state;
	for (unsigned used = 0; used < 8; used++) {
		unsigned last = used & 4 ? used & 2 ? used & 1 ? 3 : 0 : 1 : 2;

		machine(69841279, 1000000000);
		for (unsigned i = 0; i < 3; i++)
			TIMER(i) = used >> i & 1 ? INTERRUPT : 0;
		hpet_init((uintptr_t)hpet);
		assert_int_equal(hpet_alarm_pins(), last < 3 ? PINS(last) : 0);
		assert_false(hpet_alarm_sends_messages());
		if (last == 3)
			continue;
		TIMER(last) |= MESSAGES;
		assert_true(hpet_alarm_sends_messages());
		/* One without pins takes none. */
		TIMER(last) = PINS(last) = 0;
		hpet_init((uintptr_t)hpet);
		assert_int_not_equal(hpet_alarm_pins(), 0xf0 << last);
	}
}

static void the_alarm_comes_once_and_in_time(void **state)
{
	(void)state;
	for (unsigned pin = 0; pin < 32; pin++) {
		machine(69841279, 1000000000);
		TIMER(2) = 0x7f4a &
			   ~INTERRUPT; /* all that an alarm is not: level, periodic, another pin, messages */
		hpet[0xf0 / 4] = UINT32_MAX - 50;
		hpet_init((uintptr_t)hpet);
		assert_false(hpet_alarm_due());
		hpet_alarm_set_pin(pin, 100);
		assert_int_equal(VALUE(2), 49);
		assert_int_equal(TIMER(2), 0x100 | INTERRUPT | pin << 9);
		assert_false(hpet_alarm_due());
		hpet[0xf0 / 4] = UINT32_MAX;
		assert_false(hpet_alarm_due());
		hpet[0xf0 / 4] = 49;
		assert_true(hpet_alarm_due());
		hpet_alarm_clear();
		assert_false(hpet_alarm_due());
		assert_false(TIMER(2) & INTERRUPT);
		hpet[0xf0 / 4] = 1000;
		hpet_alarm_set_pin(pin, 100);
		hpet[0xf0 / 4] = 1099;
		assert_false(hpet_alarm_due());
		hpet[0xf0 / 4] = 1100;
		assert_true(hpet_alarm_due());
		hpet_alarm_clear();
	}
	/* SDM vol. 3, 11.11: an NMI, by a message to one local APIC. */
	TIMER(2) = MESSAGES;
	hpet_alarm_set_nmi(0x5a, 7);
	assert_int_equal(FSB(2), 0x400);
	assert_int_equal(TO(2), 0xfee5a000);
	assert_int_equal(TIMER(2), MESSAGES | 0x100 | INTERRUPT | 0x4000);
	hpet_alarm_clear();
}

static void the_hpet_is_given_back(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 50; seed++) {
		uint32_t before[256];

		machine(69841279, 1000000000);
		srand(seed);
		for (unsigned i = 0; i < 3; i++) {
			TIMER(i) = (uint32_t)rand() & 0xff7e;
			if (i == 2 || !(TIMER(i) & INTERRUPT) || !(TIMER(i) & PERIODIC))
				TIMER(i) &= ~INTERRUPT;
			VALUE(i) = (uint32_t)rand();
			FSB(i) = (uint32_t)rand();
			TO(i) = (uint32_t)rand();
		}
		hpet[0x10 / 4] = (uint32_t)rand() & 3;
		hpet_init((uintptr_t)hpet);
		memcpy(before, hpet, sizeof before);
		hpet_take();
		assert_true(hpet[0x10 / 4] & 1);
		for (unsigned i = 0; i < 3; i++)
			assert_false(TIMER(i) & INTERRUPT);
		hpet_alarm_set_pin(3, 1000);
		if (TIMER(2) & MESSAGES)
			hpet_alarm_set_nmi(1, 1000);
		hpet_alarm_clear();
		hpet_give_back();
		VALUE(2) = before[0x148 / 4]; /* of a comparator that is not in use */
		assert_memory_equal(hpet, before, sizeof before);
	}
	/* A one-shot deadline that passed meanwhile comes a millisecond later; one that is still to come
	 * stays. */
	machine(69841279, 1000000000);
	TIMER(0) = TIMER(1) = INTERRUPT;
	VALUE(0) = 5000;
	VALUE(1) = 50000;
	hpet_take();
	hpet[0xf0 / 4] = 6000;
	hpet_give_back();
	assert_int_equal(VALUE(0), 6000 + 14318);
	assert_int_equal(VALUE(1), 50000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_hpet_is_the_time_base),
		cmocka_unit_test(what_is_no_hpet_is_not_taken),
		cmocka_unit_test(another_clock_takes_its_place),
		cmocka_unit_test(a_clock_that_stands_still_is_named),
		cmocka_unit_test(microseconds_are_the_base_s),
		cmocka_unit_test(the_last_free_comparator_is_the_watchdog_s),
		cmocka_unit_test(the_alarm_comes_once_and_in_time),
		cmocka_unit_test(the_hpet_is_given_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
