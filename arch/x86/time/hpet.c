#include "arch/x86/time/hpet.h"

/* Registers, as offsets of 32-bit words: not every HPET takes wider accesses, and 32 bits of the counter are
 * enough. */
#define CAPABILITIES    0x000
#define PERIOD          0x004 /* femtoseconds */
#define CONFIGURATION   0x010
#define MAIN_COUNTER    0x0f0
#define TIMER_CONFIG(n) (0x100 + 0x20 * (n))
#define TIMER_PINS(n)   (0x104 + 0x20 * (n))
#define TIMER_VALUE(n)  (0x108 + 0x20 * (n))
#define FSB_VALUE(n)    (0x110 + 0x20 * (n))
#define FSB_ADDRESS(n)  (0x114 + 0x20 * (n))

#define CONFIG_ENABLE   1u
#define TIMER_LEVEL     (1u << 1)
#define TIMER_INTERRUPT (1u << 2)
#define TIMER_PERIODIC  (1u << 3)
#define TIMER_SET_VALUE (1u << 6)
#define TIMER_32BIT     (1u << 8)
#define TIMER_ROUTE     (31u << 9)
#define TIMER_FSB       (1u << 14)
#define TIMER_FSB_ABLE  (1u << 15)

/* A message to a local APIC, SDM vol. 3, 10.11. */
#define MESSAGE_ADDRESS(apic_id) (0xfee00000u | (apic_id) << 12)
#define MESSAGE_NMI              (4u << 8)

#define PERIOD_MAX  100000000 /* 100 ns, by the specification */
#define COMPARATORS 32
#define NONE        COMPARATORS
#define MASK        UINT32_MAX

static volatile uint32_t *registers;
static uint64_t hz;
static unsigned comparators, alarm_comparator = NONE;
static uint32_t alarm_start, alarm_ticks;
static struct {
	uint32_t configuration;
	uint32_t timer[COMPARATORS], fsb_value[COMPARATORS], fsb_address[COMPARATORS];
} saved;

static uint32_t get(unsigned offset)
{
	return registers[offset / 4];
}

static void put(unsigned offset, uint32_t value)
{
	registers[offset / 4] = value;
}

bool hpet_init(uint64_t address)
{
	uint32_t capabilities, period;

	registers = (volatile uint32_t *)(uintptr_t)address;
	hz = 0;
	if (!address)
		return false;
	capabilities = get(CAPABILITIES);
	period = get(PERIOD);
	if (!period || period > PERIOD_MAX)
		return false;
	hz = (1000000000000000ull + period / 2) / period;
	comparators = (capabilities >> 8 & 31) + 1;
	/* The last one: firmware that uses comparators starts with the first. */
	alarm_comparator = NONE;
	for (unsigned i = comparators; i-- && alarm_comparator == NONE;)
		if (!(get(TIMER_CONFIG(i)) & TIMER_INTERRUPT) &&
		    (get(TIMER_PINS(i)) || get(TIMER_CONFIG(i)) & TIMER_FSB_ABLE))
			alarm_comparator = i;
	return true;
}

uint64_t hpet_counter(void)
{
	return get(MAIN_COUNTER);
}

uint64_t hpet_hz(void)
{
	return hz;
}

bool hpet_start(void)
{
	uint32_t configuration = get(CONFIGURATION);

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
		if (saved.timer[i] & TIMER_FSB_ABLE) {
			saved.fsb_value[i] = get(FSB_VALUE(i));
			saved.fsb_address[i] = get(FSB_ADDRESS(i));
		}
		if (saved.timer[i] & TIMER_INTERRUPT)
			put(TIMER_CONFIG(i), saved.timer[i] & ~TIMER_INTERRUPT);
	}
	put(CONFIGURATION, saved.configuration | CONFIG_ENABLE);
}

void hpet_give_back(void)
{
	if (!hz)
		return;
	for (unsigned i = 0; i < comparators; i++) {
		uint32_t t = saved.timer[i];

		/* A one-shot deadline that passed in the meantime would only come round again with the
		 * counter. */
		if (t & TIMER_INTERRUPT && !(t & TIMER_PERIODIC)) {
			uint32_t now = get(MAIN_COUNTER);
			if (now - get(TIMER_VALUE(i)) < MASK / 2)
				put(TIMER_VALUE(i), now + (uint32_t)(hz / 1000));
		}
		if (t & TIMER_FSB_ABLE) {
			put(FSB_VALUE(i), saved.fsb_value[i]);
			put(FSB_ADDRESS(i), saved.fsb_address[i]);
		}
		if (get(TIMER_CONFIG(i)) != t)
			put(TIMER_CONFIG(i), t);
	}
	put(CONFIGURATION, saved.configuration);
}

uint32_t hpet_alarm_pins(void)
{
	return hz && alarm_comparator != NONE ? get(TIMER_PINS(alarm_comparator)) : 0;
}

bool hpet_alarm_sends_messages(void)
{
	return hz && alarm_comparator != NONE && get(TIMER_CONFIG(alarm_comparator)) & TIMER_FSB_ABLE;
}

static bool alarm_passed(void)
{
	return alarm_ticks && get(MAIN_COUNTER) - alarm_start >= alarm_ticks;
}

/*
 * A one-shot comparator of 32 bits may interrupt when the counter wraps, too (Bochs has one that does). That
 * is the alarm's doing as well, and whoever asks sets it again.
 */
bool hpet_alarm_due(void)
{
	return alarm_passed() || (alarm_ticks && get(MAIN_COUNTER) < alarm_start);
}

static void alarm_set(uint32_t ticks, uint32_t how)
{
	uint32_t t = get(TIMER_CONFIG(alarm_comparator));

	t &= ~(TIMER_INTERRUPT | TIMER_LEVEL | TIMER_PERIODIC | TIMER_ROUTE | TIMER_FSB | TIMER_SET_VALUE);
	t |= TIMER_32BIT | how;
	put(TIMER_CONFIG(alarm_comparator), t);
	alarm_start = get(MAIN_COUNTER);
	alarm_ticks = ticks;
	put(TIMER_VALUE(alarm_comparator), alarm_start + alarm_ticks);
	put(TIMER_CONFIG(alarm_comparator), t | TIMER_INTERRUPT);
	/* It compares for equality: a value that the counter has passed already would only come round again.
	 */
	while (alarm_passed()) {
		alarm_ticks = get(MAIN_COUNTER) - alarm_start + (uint32_t)(hz / 20000);
		put(TIMER_VALUE(alarm_comparator), alarm_start + alarm_ticks);
	}
}

void hpet_alarm_set_pin(unsigned pin, uint32_t ticks)
{
	alarm_set(ticks, pin << 9);
}

void hpet_alarm_set_nmi(uint8_t apic_id, uint32_t ticks)
{
	put(FSB_VALUE(alarm_comparator), MESSAGE_NMI);
	put(FSB_ADDRESS(alarm_comparator), MESSAGE_ADDRESS((uint32_t)apic_id));
	alarm_set(ticks, TIMER_FSB);
}

void hpet_alarm_clear(void)
{
	put(TIMER_CONFIG(alarm_comparator), get(TIMER_CONFIG(alarm_comparator)) & ~TIMER_INTERRUPT);
	alarm_ticks = 0;
}
