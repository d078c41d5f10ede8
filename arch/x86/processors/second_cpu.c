#include "arch/courage.h"
#include "arch/second_cpu.h"
#include "arch/processors.h"
#include "arch/x86/processors/processors_internal.h"
#include "arch/x86/processors/sentry.h"

#include "arch/x86/interrupts/apic_internal.h"
#include "arch/x86/machine/descriptors.h"
#include "arch/x86/exceptions/trap.h"

#include <stdio.h>

#define STACK   1024
#define VECTORS 19 /* up to machine check */
#define NOBODY  0  /* the boot processor is never one: it waits, or has the run */

/* second_cpu.S */
extern void second_cpu_begin(void);
extern const uint8_t second_cpu_woken[], second_cpu_refused[], second_cpu_plain[], second_cpu_far[];
extern volatile uint32_t second_cpu_wanted, second_cpu_state, second_cpu_answer, second_cpu_writes;
extern volatile uint64_t second_cpu_start[2], second_cpu_stop[2], second_cpu_counts_on[8];
extern const uint8_t *volatile second_cpu_loop;
extern volatile uint32_t *volatile second_cpu_line;
extern struct descriptor_pointer second_cpu_idt_pointer;

/* second_cpu_state: 2 while it works. */
#define STATE_RESTS 1

/* second_cpu_wanted: 0 to rest */
#define WANTED_WORK   1
#define WANTED_LEAVE  2
#define WANTED_ACCESS 3
#define WANTED_COUNT  4

/* second_cpu_answer: 0 until there is one; any other: refused */
#define DONE    1
#define STARTED 3

struct descriptor_pointer second_cpu_idt_pointer;
static struct idt_gate second_cpu_idt[VECTORS] __attribute__((aligned(16)));
static uint8_t stack[STACK] __attribute__((aligned(64)));
static struct {
	unsigned number; /* of the processor; NOBODY: there is none */
	char why[128];   /* the last one did not start */
} second;

/* The processor for this, NOBODY if there is none. */
static unsigned choose(enum second_cpu_kind kind)
{
	unsigned found = NOBODY;

	for (unsigned i = 1; i < processor_count(); i++) {
		bool sibling = processor_shares_core(i);

		if (!processor_at(i).enabled || i == processor_current() || i == sentry_processor())
			continue;
		if (sibling == (kind == SECOND_CPU_SIBLING))
			return i;
		if (kind == SECOND_CPU_ANY && found == NOBODY)
			found = i;
	}
	return found;
}

static bool start(unsigned who, const char **why)
{
	for (unsigned v = 0; v < VECTORS; v++)
		if (v == VECTOR_NMI || v == VECTOR_MC)
			gate_set(&second_cpu_idt[v], second_cpu_woken, GATE_INTERRUPT, 0);
	gate_set(&second_cpu_idt[VECTOR_GP], second_cpu_refused, GATE_INTERRUPT, 0);
	second_cpu_idt_pointer =
		(struct descriptor_pointer){sizeof second_cpu_idt - 1, (uintptr_t)second_cpu_idt};
	second_cpu_wanted = 0;
	if (!processor_launch(processor_at(who).id, second_cpu_begin, stack + STACK, &second_cpu_state, why))
		return false;
	second.number = who;
	return true;
}

const char *second_cpu_missing(enum second_cpu_kind kind)
{
	unsigned who = choose(kind);
	const char *why;

	if (courage_level() < COURAGE_ALL)
		return "other processors are for courage=3";
	if (who == NOBODY)
		return kind == SECOND_CPU_SIBLING ? "no other processor that could work shares this core"
		       : sentry_processor()       ? "the only other processor is the watchdog"
						  : "there is no other processor that could work";
	if (who == second.number)
		return NULL;
	second_cpu_dismiss();
	if (start(who, &why))
		return NULL;
	snprintf(second.why, sizeof second.why, "processor %u does not start: %s", who, why);
	return second.why;
}

bool second_cpu_work(enum second_cpu_kind kind, volatile uint32_t *line)
{
	uint32_t before = *line;

	if (second_cpu_missing(kind))
		return false;
	second_cpu_line = line;
	second_cpu_wanted = WANTED_WORK;
	apic_send_nmi(processor_at(second.number).id);
	return processor_awaits(line, before, false);
}

/* At rest, it is told what to do by an NMI. */
static bool tell(uint32_t wanted)
{
	if (second_cpu_missing(SECOND_CPU_SIBLING) || !processor_awaits(&second_cpu_state, STATE_RESTS, true))
		return false;
	second_cpu_answer = 0;
	second_cpu_wanted = wanted;
	apic_send_nmi(processor_at(second.number).id);
	return true;
}

static bool answers(uint32_t expected)
{
	return processor_awaits(&second_cpu_answer, 0, false) && second_cpu_answer == expected;
}

bool second_cpu_access(struct register_access *a)
{
	second_cpu_writes = a->write;
	second_cpu_start[0] = a->number;
	second_cpu_start[1] = a->write ? a->value : 0;
	if (a->space != SPACE_MSR || !tell(WANTED_ACCESS) || !answers(DONE))
		return false;
	a->value = second_cpu_start[1];
	return true;
}

bool second_cpu_count(enum second_cpu_loop loop, const struct register_access *start,
		      const struct register_access *stop)
{
	second_cpu_loop = loop == SECOND_CPU_FAR ? second_cpu_far : second_cpu_plain;
	second_cpu_start[0] = start->number;
	second_cpu_start[1] = start->value;
	second_cpu_stop[0] = stop->number;
	second_cpu_stop[1] = stop->value;
	return tell(WANTED_COUNT) && answers(STARTED);
}

bool second_cpu_counted(uint64_t *turns)
{
	*turns = 0;
	second_cpu_answer = 0;
	second_cpu_wanted = 0;
	if (!answers(DONE))
		return false;
	*turns = second_cpu_counts_on[1];
	return true;
}

void second_cpu_rest(void)
{
	if (second.number == NOBODY)
		return;
	second_cpu_wanted = 0;
	if (!processor_awaits(&second_cpu_state, STATE_RESTS, true))
		second_cpu_dismiss();
}

void second_cpu_dismiss(void)
{
	if (second.number == NOBODY)
		return;
	second_cpu_wanted = WANTED_LEAVE;
	apic_send_nmi(processor_at(second.number).id);
	processor_put_to_rest(second.number, true);
	second.number = NOBODY;
}

unsigned second_cpu_processor(void)
{
	return second.number;
}
