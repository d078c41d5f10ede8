#include "arch/x86/processors/companion.h"
#include "arch/x86/processors/processors.h"
#include "arch/x86/processors/processors_internal.h"

#include "arch/x86/interrupts/apic_internal.h"
#include "arch/x86/machine/descriptors.h"
#include "arch/x86/cpu/topology.h"
#include "arch/x86/exceptions/trap.h"

#include <stdio.h>

#define STACK   1024
#define VECTORS 19 /* up to machine check */
#define NOBODY  0  /* the boot processor is never one: it waits, or has the run */

/* companion.S */
extern void companion_begin(void);
extern const uint8_t companion_woken[];
extern volatile uint32_t companion_wanted, companion_state;
extern volatile uint32_t *volatile companion_line;
extern struct descriptor_pointer companion_idt_pointer;

/* companion_state: 2 while it works. */
#define STATE_RESTS 1

struct descriptor_pointer companion_idt_pointer;
static struct idt_gate companion_idt[VECTORS] __attribute__((aligned(16)));
static uint8_t stack[STACK] __attribute__((aligned(64)));
static unsigned number; /* of the processor; NOBODY: there is none */

static struct cpuid_regs own_cpuid(const void *context, uint32_t leaf, uint32_t subleaf)
{
	(void)context;
	return cpuid(leaf, subleaf);
}

static bool is_sibling(unsigned i)
{
	uint8_t bits = core_thread_bits(own_cpuid, NULL);

	return bits && processor_at(i).apic_id >> bits == processor_at(processor_current()).apic_id >> bits;
}

/* The processor for this, NOBODY if there is none. */
static unsigned choose(enum companion_kind kind)
{
	unsigned found = NOBODY;

	for (unsigned i = 1; i < processor_count(); i++) {
		bool sibling = is_sibling(i);

		if (!processor_at(i).enabled || i == processor_current())
			continue;
		if (sibling == (kind == COMPANION_SIBLING))
			return i;
		if (kind == COMPANION_ANY && found == NOBODY)
			found = i;
	}
	return found;
}

static bool start(unsigned who, const char **why)
{
	for (unsigned v = 0; v < VECTORS; v++)
		if (v == VECTOR_NMI || v == VECTOR_MC)
			gate_set(&companion_idt[v], companion_woken, GATE_INTERRUPT, 0);
	companion_idt_pointer =
		(struct descriptor_pointer){sizeof companion_idt - 1, (uint64_t)companion_idt};
	companion_wanted = 0;
	if (!processor_launch(processor_at(who).apic_id, companion_begin, stack + STACK, &companion_state,
			      why))
		return false;
	number = who;
	return true;
}

const char *companion_missing(enum companion_kind kind)
{
	static char text[128];
	unsigned who = choose(kind);
	const char *why;

	if (who == NOBODY)
		return kind == COMPANION_SIBLING ? "no other processor that could work shares this core"
						 : "there is no other processor that could work";
	if (who == number)
		return NULL;
	companion_dismiss();
	if (start(who, &why))
		return NULL;
	snprintf(text, sizeof text, "processor %u does not start: %s", who, why);
	return text;
}

bool companion_work(enum companion_kind kind, volatile uint32_t *line)
{
	uint32_t before = *line;

	if (companion_missing(kind))
		return false;
	companion_line = line;
	companion_wanted = 1;
	apic_send_nmi(processor_at(number).apic_id);
	return processor_awaits(line, before, false);
}

void companion_rest(void)
{
	if (number == NOBODY)
		return;
	companion_wanted = 0;
	if (!processor_awaits(&companion_state, STATE_RESTS, true))
		companion_dismiss();
}

void companion_dismiss(void)
{
	if (number == NOBODY)
		return;
	companion_wanted = 0;
	apic_send_init(processor_at(number).apic_id);
	number = NOBODY;
}
