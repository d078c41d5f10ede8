#include "arch/x86/hpet.h"

#define CAPABILITIES    0x000
#define CONFIGURATION   0x010
#define MAIN_COUNTER    0x0f0
#define TIMER_CONFIG(n) (0x100 + 0x20 * (n))
#define TIMER_VALUE(n)  (0x108 + 0x20 * (n))

#define CONFIG_ENABLE   1ull
#define CONFIG_LEGACY   2ull /* timers 0 and 1 take the places of PIT and RTC */
#define TIMER_LEVEL     (1ull << 1)
#define TIMER_INTERRUPT (1ull << 2)
#define TIMER_PERIODIC  (1ull << 3)
#define TIMER_SET_VALUE (1ull << 6)
#define TIMER_32BIT     (1ull << 8)
#define TIMER_ROUTE     (31ull << 9)
#define TIMER_FSB       (1ull << 14)

#define COMPARATORS 32
#define NONE        COMPARATORS

static volatile uint64_t *registers;
static uint64_t hz, mask;
static unsigned comparators, alarm_comparator = NONE;
static uint64_t alarm_start, alarm_ticks;
static struct {
	uint64_t configuration;
	uint64_t timer[COMPARATORS];
} saved;

static uint64_t get(unsigned offset)
{
	return registers[offset / 8];
}

static void put(unsigned offset, uint64_t value)
{
	registers[offset / 8] = value;
}

bool hpet_init(uint64_t address)
{
	uint64_t capabilities, period;

	registers = (volatile uint64_t *)address;
	hz = 0;
	if (!address)
		return false;
	capabilities = get(CAPABILITIES);
	period = capabilities >> 32; /* femtoseconds; at most 100 ns by the specification */
	if (!period || period > 100000000)
		return false;
	hz = (1000000000000000ull + period / 2) / period;
	mask = capabilities >> 13 & 1 ? UINT64_MAX : UINT32_MAX;
	comparators = (capabilities >> 8 & 31) + 1;
	/* The last one: firmware that uses comparators starts with the first. */
	alarm_comparator = NONE;
	for (unsigned i = comparators; i-- && alarm_comparator == NONE;)
		if (!(get(TIMER_CONFIG(i)) & TIMER_INTERRUPT) && get(TIMER_CONFIG(i)) >> 32)
			alarm_comparator = i;
	return true;
}

uint64_t hpet_counter(void)
{
	return get(MAIN_COUNTER) & mask;
}

uint64_t hpet_hz(void)
{
	return hz;
}

uint64_t hpet_mask(void)
{
	return mask;
}

bool hpet_start(void)
{
	uint64_t configuration = get(CONFIGURATION);

	put(CONFIGURATION, configuration | CONFIG_ENABLE);
	return configuration & CONFIG_ENABLE;
}

void hpet_stop(bool was_running)
{
	if (!was_running)
		put(CONFIGURATION, get(CONFIGURATION) & ~CONFIG_ENABLE);
}

void hpet_take(void)
{
	if (!hz)
		return;
	saved.configuration = get(CONFIGURATION);
	for (unsigned i = 0; i < comparators; i++) {
		saved.timer[i] = get(TIMER_CONFIG(i));
		put(TIMER_CONFIG(i), saved.timer[i] & ~TIMER_INTERRUPT);
	}
	put(CONFIGURATION, saved.configuration | CONFIG_ENABLE);
}

void hpet_give_back(void)
{
	if (!hz)
		return;
	for (unsigned i = 0; i < comparators; i++) {
		uint64_t t = saved.timer[i];

		/* A one-shot deadline that passed in the meantime would only come round again with the
		 * counter. */
		if (t & TIMER_INTERRUPT && !(t & TIMER_PERIODIC)) {
			uint64_t now = hpet_counter(),
				 late = (now - get(TIMER_VALUE(i))) & (mask >> 1 | UINT32_MAX >> 1);
			if (late < hz * 60)
				put(TIMER_VALUE(i), (now + hz / 1000) & mask);
		}
		put(TIMER_CONFIG(i), t);
	}
	put(CONFIGURATION, saved.configuration);
}

uint32_t hpet_alarm_routes(void)
{
	return hz && alarm_comparator != NONE ? (uint32_t)(get(TIMER_CONFIG(alarm_comparator)) >> 32) : 0;
}

void hpet_alarm_set(unsigned pin, uint64_t ticks)
{
	uint64_t t = get(TIMER_CONFIG(alarm_comparator));

	t &= ~(TIMER_INTERRUPT | TIMER_LEVEL | TIMER_PERIODIC | TIMER_ROUTE | TIMER_FSB | TIMER_32BIT |
	       TIMER_SET_VALUE);
	put(TIMER_CONFIG(alarm_comparator), t | (uint64_t)pin << 9);
	alarm_start = hpet_counter();
	alarm_ticks = ticks;
	put(TIMER_VALUE(alarm_comparator), (alarm_start + ticks) & mask);
	put(TIMER_CONFIG(alarm_comparator), t | (uint64_t)pin << 9 | TIMER_INTERRUPT);
}

void hpet_alarm_clear(void)
{
	put(TIMER_CONFIG(alarm_comparator), get(TIMER_CONFIG(alarm_comparator)) & ~TIMER_INTERRUPT);
	alarm_ticks = 0;
}

bool hpet_alarm_due(void)
{
	return alarm_ticks && ((hpet_counter() - alarm_start) & mask) >= alarm_ticks;
}
