/*
 * All other processors at work at once (arch/second_cpu.h): each is started into a loop, on a stack and a
 * line of its own, and halts like one that had a turn.
 */
#include "arch/processors.h"
#include "arch/second_cpu.h"
#include "arch/x86/processors/processors_internal.h"
#include "arch/x86/processors/sentry.h"

#include "arch/x86/cpu/cpu.h"

#define OTHERS_MAX 255
#define STACK      512 /* a call, and what an NMI puts there */
#define TURNS      256 /* before it lets others go on, in an emulator that runs one processor at a time */

static struct other {
	volatile uint32_t arrived, leave;
	unsigned number;
	volatile uint32_t line[16] __attribute__((aligned(64)));
	uint8_t stack[STACK] __attribute__((aligned(64)));
} others[OTHERS_MAX];
static unsigned n_others;

/* On the other processor: the last of the list. */
static void member(void)
{
	struct other *own = &others[n_others];

	processor_idle_idt();
	for (uint32_t turn = 1; !own->leave; turn++) {
		own->line[0] = turn;
		own->line[1] = own->line[0] * own->line[1] + turn;
		own->arrived = 1;
		if (!(turn % TURNS))
			cpu_relax();
	}
	processor_rest();
}

unsigned others_work(void)
{
	const char *why;

	second_cpu_dismiss();
	n_others = 0;
	for (unsigned i = 1; i < processor_count() && n_others < OTHERS_MAX; i++) {
		struct other *o = &others[n_others];

		if (!processor_at(i).enabled || i == processor_current() || i == sentry_processor())
			continue;
		o->number = i;
		o->leave = 0;
		if (processor_launch(processor_at(i).id, member, o->stack + STACK, &o->arrived, &why))
			n_others++;
	}
	return n_others;
}

void others_rest(void)
{
	while (n_others) {
		struct other *o = &others[--n_others];

		o->leave = 1;
		processor_put_to_rest(o->number, true);
	}
}
