#include "arch/watchdog.h"
#include "arch/x86/exceptions/watchdog_internal.h"

#include "arch/x86/machine/acpi.h"
#include "arch/x86/interrupts/apic.h"
#include "arch/x86/interrupts/apic_internal.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/time/hpet.h"
#include "arch/x86/interrupts/irq_chips.h"
#include "arch/x86/machine/notes.h"
#include "arch/x86/processors/sentry.h"
#include "arch/x86/time/pit.h"
#include "arch/x86/time/tsc.h"
#include "arch/x86/exceptions/trap.h"

#include <stddef.h>
#include <stdint.h>

#define PROBE_MS      2
#define PROBE_WAIT_MS 200 /* an emulator's alarm may be late by a turn of the host's scheduler */
#define NMI_PAUSES    200 /* a message takes less than a microsecond, a PAUSE several ns at least */

struct source {
	const char *name;
	unsigned vector;
	bool (*open)(void);       /* false: not there */
	void (*set)(uint64_t us); /* interrupt after that long, or sooner where the hardware cannot count so
				     far */
	void (*clear)(void);
	bool (*due)(void); /* whether set()'s time has come */
	void (*close)(void);
	bool (*late)(void); /* whether an interrupt is its, though it was cleared; NULL: none is */
};

static const struct source *source;
static uint64_t deadline; /* TSC; 0: disarmed */
static unsigned held;
static bool opened; /* since the machine was taken */
static bool late, probing;
static volatile unsigned signs, allowance;
static volatile bool probe_arrived;
static volatile bool on_its_way; /* the source was cleared when its time had come: its NMI may arrive yet */

/* --- HPET: one comparator, by message or by a pin of the I/O APIC ---------------------------------- */

static uint32_t hpet_ticks(uint64_t us)
{
	uint64_t ticks = us < 100000000 ? us * (hpet_hz() / 1000) / 1000 + 1 : INT32_MAX;

	return ticks < INT32_MAX ? (uint32_t)ticks : INT32_MAX;
}

static bool hpet_message_open(void)
{
	return apic_present() && apic_id() <= 255 && hpet_alarm_sends_messages();
}

static void hpet_message_set(uint64_t us)
{
	hpet_alarm_set_nmi((uint8_t)apic_id(), hpet_ticks(us));
}

static uint32_t hpet_pin;

static bool hpet_pin_open(void)
{
	uint32_t pins = hpet_alarm_pins();

	/*
	 * Pins from 16 on carry no ISA device; the highest is the least likely to be shared. The PIT's is out
	 * of the question: its ticks would arrive as NMIs too (older chipsets offer the HPET no other).
	 */
	for (hpet_pin = 32; hpet_pin-- > 0;)
		if (pins >> hpet_pin & 1 && hpet_pin != acpi.pit_gsi && irq_route_nmi(hpet_pin, apic_id()))
			return true;
	return false;
}

static void hpet_pin_set(uint64_t us)
{
	hpet_alarm_set_pin(hpet_pin, hpet_ticks(us));
}

static void hpet_pin_close(void)
{
	hpet_alarm_clear();
	irq_route_off(hpet_pin);
}

/* --- PIT: channel 0 counts 55 ms at most, so it is started anew until the deadline ---------------- */

static bool pit_known;

static bool pit_source_open(void)
{
	/* Firmware's ticks are not to arrive as NMIs: the pin stays masked until the channel counts for us.
	 */
	if (!irq_can_route_nmi(acpi.pit_gsi, apic_id()))
		return false;
	if (!pit_known)
		pit_alarm_begin();
	pit_known = true;
	return true;
}

static void pit_source_set(uint64_t us)
{
	uint64_t ticks = us < 50000 ? us * PIT_HZ / 1000000 + 1 : 60000;

	/* The output goes down with the first count, and must not go up again before the pin is open. */
	pit_alarm_set(UINT16_MAX);
	irq_route_nmi(acpi.pit_gsi, apic_id());
	pit_alarm_set((uint16_t)ticks);
}

static void pit_source_clear(void)
{
	/* The count ends once more, into a masked pin. */
	irq_route_off(acpi.pit_gsi);
}

static void pit_source_close(void)
{
	irq_route_off(acpi.pit_gsi);
	pit_alarm_end();
}

/* --- local APIC timer: only where interrupts are enabled ------------------------------------------ */

static bool timer_source_open(void)
{
	return apic_present() && apic_timer_hz();
}

static void timer_source_set(uint64_t us)
{
	apic_timer_alarm(us);
}

static void timer_source_clear(void)
{
	apic_timer_oneshot(0);
}

static bool timer_source_due(void)
{
	return !apic_read(APIC_TIMER_CURRENT);
}

static const struct source sources[WATCHDOG_SOURCES] = {
	{"NMI message from HPET", VECTOR_NMI, hpet_message_open, hpet_message_set, hpet_alarm_clear,
	 hpet_alarm_due, hpet_alarm_clear, NULL},
	{"NMI from HPET", VECTOR_NMI, hpet_pin_open, hpet_pin_set, hpet_alarm_clear, hpet_alarm_due,
	 hpet_pin_close, NULL},
	{"NMI from PIT", VECTOR_NMI, pit_source_open, pit_source_set, pit_source_clear, pit_alarm_due,
	 pit_source_close, NULL},
	{WATCHDOG_BY_PROCESSOR, VECTOR_NMI, sentry_open, sentry_set, sentry_clear, sentry_sent, sentry_close,
	 sentry_sent},
	{"APIC timer", VECTOR_TIMER, timer_source_open, timer_source_set, timer_source_clear,
	 timer_source_due, timer_source_clear, NULL},
};

/* An interrupt comes though the watchdog is disarmed: whether it was sent before. */
static bool was_sent_before(void)
{
	if (!on_its_way)
		return source->late && source->late();
	on_its_way = false;
	return true;
}

/*
 * Disarm. Who clears a source may come too late to keep an NMI from being sent: until watchdog_settle() one
 * is taken for the source's, and it has arrived when this returns, where NMIs are not blocked.
 */
static void silence(void)
{
	if (!source || !opened) {
		deadline = 0;
		return;
	}
	on_its_way = source->vector == VECTOR_NMI;
	deadline = 0;
	bool due = source->due();
	source->clear();
	for (unsigned i = 0; due && on_its_way && i < NMI_PAUSES; i++)
		cpu_relax();
}

void watchdog_settle(void)
{
	on_its_way = false;
}

static volatile unsigned ticks;

static uint64_t us_left(void)
{
	uint64_t now = tsc_read();

	/* The two clocks may disagree a little: the interrupt is to find the deadline passed. */
	return now < deadline ? (deadline - now) / (tsc_hz() / 1000000 + 1) * 257 / 256 + 20 : 20;
}

static void expire(void)
{
	deadline = 0;
	source->clear();
	if (held) {
		late = true;
		return;
	}
	trap_abort(TRAP_WATCHDOG);
}

bool watchdog_interrupt(unsigned vector)
{
	if (!source || vector != source->vector)
		return false;
	if (probing) {
		probe_arrived = true;
		return true;
	}
	if (!deadline)
		return was_sent_before();
	if (!source->due())
		return false;
	if (vector != VECTOR_NMI)
		apic_eoi();
	if (watchdog_expired()) {
		expire();
	} else {
		ticks++;
		source->set(us_left());
	}
	return true;
}

bool watchdog_take(void)
{
	if (!deadline || (int64_t)(tsc_read() - deadline) < 0)
		return false;
	silence();
	late = held;
	return !held;
}

bool watchdog_swallow(unsigned vector)
{
	uint64_t us;

	if (!source || vector != source->vector || probing)
		return false;
	if (!deadline)
		return was_sent_before();
	if (!source->due())
		return false;
	if (vector != VECTOR_NMI)
		apic_eoi();
	/* If the deadline has passed, the engine is about to notice. */
	us = us_left();
	source->set(us < 1000 ? 1000 : us);
	return true;
}

void watchdog_arm(unsigned ms)
{
	uint64_t flags = interrupts_mask();

	signs++;
	allowance = ms;
	if (source && !opened)
		opened = source->open();
	late = false;
	deadline = tsc_read() + ms * (tsc_hz() / 1000);
	if (source)
		source->set(us_left());
	interrupts_restore(flags);
}

void watchdog_disarm(void)
{
	uint64_t flags = interrupts_mask();

	signs++;
	allowance = 0;
	silence();
	watchdog_settle();
	late = false;
	interrupts_restore(flags);
}

bool watchdog_expired(void)
{
	return late || (deadline && (int64_t)(tsc_read() - deadline) >= 0);
}

void watchdog_hold(void)
{
	signs++;
	held++;
}

void watchdog_release(void)
{
	/* Its interrupt may be late, which the deadline is not. */
	bool passed = !--held && (late || watchdog_take());

	watchdog_settle();
	if (!passed)
		return;
	late = false;
	trap_abort(TRAP_WATCHDOG);
}

unsigned watchdog_signs(void)
{
	return signs;
}

unsigned watchdog_allowance(void)
{
	return allowance;
}

unsigned watchdog_held(void)
{
	return held;
}

void watchdog_set_held(unsigned n)
{
	held = n;
}

unsigned watchdog_ticks(void)
{
	return ticks;
}

const char *watchdog_source(void)
{
	return source ? source->name : "none";
}

static bool works(const struct source *s)
{
	uint64_t start;

	if (!s->open())
		return false;
	source = s;
	probing = true;
	probe_arrived = false;
	s->set(PROBE_MS * 1000);
	start = tsc_read();
	while (!probe_arrived && tsc_read() - start < tsc_hz() / 1000 * PROBE_WAIT_MS) {
		if (s->vector != VECTOR_NMI)
			__asm__ volatile("sti; nop; nop; cli" ::: "memory");
		cpu_relax();
	}
	if (s->vector != VECTOR_NMI)
		apic_end_all();
	s->clear();
	probing = false;
	s->close();
	return probe_arrived;
}

void watchdog_choose(void)
{
	for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
		if (works(&sources[i]))
			return;
	source = NULL;
	note_add("no watchdog: neither HPET, PIT, another processor nor APIC timer interrupts; a hung check "
		 "hangs the run");
}

bool watchdog_use(unsigned which)
{
	watchdog_give_back();
	return works(&sources[which]);
}

void watchdog_move(bool away)
{
	static const struct source *before;

	if (away) {
		before = source;
		watchdog_choose();
	} else {
		source = before;
	}
}

void watchdog_give_back(void)
{
	deadline = 0;
	late = false;
	if (opened)
		source->close();
	opened = false;
}
