#include "arch/overflow.h"

#include "arch/x86/exceptions/trap.h"
#include "arch/x86/interrupts/apic.h"

#include <stddef.h>

static const uint8_t vectors[OVERFLOW_WAYS] = {VECTOR_PMI, VECTOR_NMI};
static const uint32_t modes[OVERFLOW_WAYS] = {APIC_LVT_FIXED, APIC_LVT_NMI};

static struct {
	overflow_handler *handler;
	void *arg;
} claims[OVERFLOW_WAYS];

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
	(void)arg;
	claims[OVERFLOW_MASKABLE].handler(frame->rip, OVERFLOW_MASKABLE, claims[OVERFLOW_MASKABLE].arg);
	apic_eoi();
	return true;
}

static bool on_nmi(struct trap_frame *frame, void *arg)
{
	(void)arg;
	return claims[OVERFLOW_NMI].handler(frame->rip, OVERFLOW_NMI, claims[OVERFLOW_NMI].arg);
}

void overflow_claim(enum overflow_way way, overflow_handler *handler, void *arg)
{
	if (!handler)
		trap_set_handler(vectors[way], NULL, NULL);
	claims[way].handler = handler;
	claims[way].arg = arg;
	if (handler)
		trap_set_handler(vectors[way], way == OVERFLOW_NMI ? on_nmi : on_vector, NULL);
}

bool overflow_arm(unsigned line, enum overflow_way way)
{
	if (line != OVERFLOW_NO_LINE)
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
