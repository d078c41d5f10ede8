#include "arch/courage.h"
#include "arch/overflow.h"

#include "arch/x86/exceptions/trap.h"
#include "arch/x86/interrupts/apic.h"

#include <stddef.h>

static const uint8_t vectors[OVERFLOW_WAYS] = {VECTOR_PMI, VECTOR_NMI};
static const uint32_t modes[OVERFLOW_WAYS] = {APIC_LVT_FIXED, APIC_LVT_NMI};

const char overflow_device[] = "local APIC";
const char overflow_absent[] = "there is no local APIC";
const char overflow_entry[] = "LVT";

const struct overflow_way_name overflow_way_name[OVERFLOW_WAYS] = {
	[OVERFLOW_MASKABLE] = {"fixed", "SDM 10.5.1, delivery mode fixed"},
	[OVERFLOW_NMI] = {"NMI", "SDM 10.5.1, delivery mode NMI"},
};

static enum apic_register entry_of(unsigned line)
{
	return line == OVERFLOW_COUNTERS ? APIC_LVT_PERF : (enum apic_register)line;
}

bool overflow_present(unsigned line)
{
	return line != OVERFLOW_NO_LINE && apic_present() && apic_has_lvt(entry_of(line));
}

static bool on_vector(struct trap_frame *frame, void *arg)
{
	const struct overflow_claim *claim = arg;

	claim->handler(frame->rip, OVERFLOW_MASKABLE, claim->arg);
	apic_eoi();
	return true;
}

static bool on_nmi(struct trap_frame *frame, void *arg)
{
	const struct overflow_claim *claim = arg;

	return claim->handler(frame->rip, OVERFLOW_NMI, claim->arg);
}

void overflow_claim(enum overflow_way way, const struct overflow_claim *claim)
{
	trap_handler *const handlers[OVERFLOW_WAYS] = {on_vector, on_nmi};

	trap_set_handler(vectors[way], claim ? handlers[way] : NULL, (void *)(uintptr_t)claim);
}

bool overflow_arm(unsigned line, enum overflow_way way)
{
	if (line == OVERFLOW_NO_LINE)
		return true;
	if (courage_level() < COURAGE_INTERRUPT) {
		trap_refuse("local vector table entry", entry_of(line), COURAGE_INTERRUPT);
		return false;
	}
	apic_write(entry_of(line), VECTOR_PMI | modes[way]);
	return true;
}

void overflow_mask(unsigned line)
{
	if (line != OVERFLOW_NO_LINE)
		apic_write(entry_of(line), VECTOR_PMI | APIC_LVT_MASKED);
}

bool overflow_masked(unsigned line)
{
	return line == OVERFLOW_NO_LINE || apic_read(entry_of(line)) & APIC_LVT_MASKED;
}
