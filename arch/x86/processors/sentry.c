#include "arch/x86/processors/sentry.h"

#include "arch/processors.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/interrupts/apic.h"
#include "arch/x86/interrupts/apic_internal.h"
#include "arch/x86/processors/processors_internal.h"
#include "arch/x86/time/tsc.h"

#define STACK      1024
#define NOBODY     0    /* the boot processor is never one: it waits, or has the run */
#define ARRIVAL_US 1000 /* of an NMI that was sent */

static uint8_t stack[STACK] __attribute__((aligned(64)));
static unsigned number; /* of the processor */

/* What goes between the two. Each TSC is read by its own processor only. */
static struct {
	volatile uint32_t order, ticks_low, ticks_high, apic_id;
	volatile bool leave;
} asked __attribute__((aligned(64)));

static struct {
	volatile uint32_t arrived, order, sent;
} answer __attribute__((aligned(64)));

static uint32_t seen; /* of answer.sent */

/* On the other processor. */
static void stand(void)
{
	uint64_t since = 0, ticks = 0;

	processor_idle_idt();
	/* One that firmware left in another mode of the local APIC could send nothing. */
	if (!apic_join())
		processor_rest();
	for (answer.arrived = 1; !asked.leave; cpu_relax()) {
		if (answer.order != asked.order) {
			uint32_t order = asked.order;

			since = tsc_read();
			ticks = (uint64_t)asked.ticks_high << 32 | asked.ticks_low;
			answer.order = order;
		}
		if (ticks && tsc_read() - since >= ticks) {
			ticks = 0;
			answer.sent++;
			apic_send_nmi(asked.apic_id);
		}
	}
	processor_rest();
}

/* Of another core: what works beside a judged one on the same core changes its times. */
static unsigned choose(void)
{
	for (unsigned i = processor_count() - 1; i; i--)
		if (processor_at(i).enabled && i != processor_current() && i != second_cpu_processor() &&
		    !processor_shares_core(i))
			return i;
	return NOBODY;
}

bool sentry_open(void)
{
	const char *why;

	if (!apic_present())
		return false;
	asked.leave = false;
	asked.order = answer.order = asked.ticks_low = asked.ticks_high = 0;
	seen = answer.sent;
	number = choose();
	if (number != NOBODY &&
	    !processor_launch(processor_at(number).id, stand, stack + STACK, &answer.arrived, &why))
		number = NOBODY;
	return number != NOBODY;
}

static void order(uint64_t ticks)
{
	asked.ticks_low = asked.ticks_high = 0; /* until all is there it is never */
	asked.apic_id = apic_id();
	asked.ticks_high = (uint32_t)(ticks >> 32);
	asked.ticks_low = (uint32_t)ticks;
	asked.order++;
}

void sentry_set(uint64_t us)
{
	if (number != NOBODY)
		order(us * (tsc_hz() / 1000000));
}

void sentry_clear(void)
{
	uint64_t begin = tsc_read(), most = tsc_hz() / 1000000 * ARRIVAL_US;

	if (number == NOBODY)
		return;
	order(0);
	processor_awaits(&answer.order, asked.order, true);
	while (answer.sent != seen && tsc_read() - begin < most)
		cpu_relax();
	seen = answer.sent;
}

bool sentry_sent(void)
{
	bool sent = answer.sent != seen;

	seen = answer.sent;
	return sent;
}

void sentry_close(void)
{
	unsigned who = number;

	number = NOBODY;
	asked.leave = true;
	if (who != NOBODY)
		processor_put_to_rest(who, true);
}

unsigned sentry_processor(void)
{
	return number;
}
