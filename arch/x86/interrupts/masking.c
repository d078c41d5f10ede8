#include "arch/masking.h"

#include "arch/x86/interrupts/apic.h"
#include "arch/step.h"
#include "arch/watchdog.h"

#include <stdint.h>
#include <string.h>

static const uint16_t entries[] = {APIC_LVT_TIMER, APIC_LVT_THERMAL, APIC_LVT_PERF, APIC_LVT_LINT0,
				   APIC_LVT_LINT1, APIC_LVT_ERROR,   APIC_LVT_CMCI};
#define ENTRIES (sizeof(entries) / sizeof(entries[0]))

static uint32_t old[ENTRIES];
static unsigned by_us; /* entries that were not before: bit per entry */
static bool active, spoilt;

void masking_spoil(void)
{
	spoilt = true;
}

const char masking_done[] = "masked in the APIC", masking_else[] = "held off by CLI";

void masking_begin(bool keep_overflow)
{
	bool keep_timer;

	if (active || spoilt || !apic_present())
		return;
	step_pause();
	keep_timer = !strcmp(watchdog_source(), "APIC timer");
	active = true;
	by_us = 0;
	for (unsigned i = 0; i < ENTRIES; i++) {
		if (!apic_has_lvt(entries[i]) || (entries[i] == APIC_LVT_PERF && keep_overflow) ||
		    (entries[i] == APIC_LVT_TIMER && keep_timer))
			continue;
		old[i] = apic_read(entries[i]);
		if (old[i] & APIC_LVT_MASKED)
			continue;
		by_us |= 1u << i;
		apic_write(entries[i], old[i] | APIC_LVT_MASKED);
	}
	step_resume();
}

void masking_end(void)
{
	if (!active)
		return;
	step_pause();
	for (unsigned i = 0; i < ENTRIES; i++)
		if (by_us >> i & 1)
			apic_write(entries[i], old[i]);
	active = false;
	step_resume();
}
