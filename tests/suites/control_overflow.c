/*
 * Control checks of overflow: its status and its interrupt. Section numbers: SDM vol. 3.
 */
#include "tests/suites/control.h"
#include "tests/measure/pass.h"
#include "pmu/contract/counter_values.h"

#include "arch/exceptions.h"

/* So near its top that the kernel takes every counter over it. */
static uint64_t near_top(const struct probe *p)
{
	return counter_before(&p->pmu->counter[p->c], 0, 4);
}

static void acknowledge(struct probe *p, uint64_t mask)
{
	must_work(p, "acknowledging an overflow", p->pmu->driver->acknowledge(p->pmu, mask));
}

/* The status without what was there, and could not be cleared, before the check began. */
static uint64_t new_status(struct probe *p)
{
	return status_of(p) & ~p->stale;
}

/* Program the counter to overflow during the kernel, and run it. */
static void overflow(struct probe *p, bool interrupt)
{
	prepare(p, p->c, counter_yardstick(p->pmu, p->c), LEVELS_ALL, interrupt, near_top(p));
	run_counting(p, counter_bit(p->c));
}

/* Set by an overflow, by nothing else, until it is acknowledged, and only for the counter that overflowed. */
static void status_sticky(struct probe *p)
{
	uint64_t mine = counter_bit(p->c), others = p->usable & ~mine;

	prepare(p, p->c, counter_yardstick(p->pmu, p->c), LEVELS_ALL, false, CONTROL_START);
	run_counting(p, mine);
	must_be(p, "without an overflow the status is", 0, new_status(p));
	must_work(p, "writing a counter", p->pmu->driver->write(p->pmu, p->c, near_top(p)));
	must_be(p, "after a write near its top the status is", 0, new_status(p));
	run_counting(p, mine);
	must_be(p, "after an overflow the status is", mine, new_status(p));
	run_counting(p, mine);
	must_be(p, "counting on, the status is", mine, new_status(p));
	must_work(p, "writing a counter", p->pmu->driver->write(p->pmu, p->c, CONTROL_START));
	must_be(p, "after a write to the counter the status is", mine, new_status(p));
	if (others) {
		acknowledge(p, others);
		must_be(p, "with the other counters acknowledged the status is", mine, new_status(p));
	}
	acknowledge(p, mine);
	must_be(p, "acknowledged, the status is", 0, new_status(p));
	run_counting(p, mine);
	must_be(p, "after counting on without an overflow the status is", 0, new_status(p));
}

/* The counter overflows when it becomes 0, neither one earlier nor one later. */
static void overflow_point(struct probe *p)
{
	const struct pmu_event *e = counter_yardstick(p->pmu, p->c);
	uint64_t top = counter_highest(&p->pmu->counter[p->c]), mine = counter_bit(p->c), step;

	prepare(p, p->c, e, LEVELS_ALL, false, CONTROL_START);
	run_counting(p, mine); /* the bracket's share is known from here on */
	step = moves_by(p, p->c, e, 0);
	prepare(p, p->c, e, LEVELS_ALL, false, top - step);
	run_counting(p, mine);
	must_be(p, "one short of an overflow the counter is", top, value_of(p, p->c));
	must_be(p, "one short of an overflow the status is", 0, new_status(p));
	prepare(p, p->c, e, LEVELS_ALL, false, top - step + 1);
	run_counting(p, mine);
	must_be(p, "just overflowed the counter is", 0, value_of(p, p->c));
	must_be(p, "just overflowed the status is", mine, new_status(p));
	acknowledge(p, mine);
}

/* One overflow, one interrupt on the vector of the LVT entry. */
static void interrupt_fixed(struct probe *p)
{
	pmi_arm(&p->pmi, OVERFLOW_MASKABLE);
	overflow(p, true);
	interrupts_drain();
	must_be(p, "interrupts after an overflow", 1, p->pmi.maskable);
	must_be(p, "NMIs after an overflow", 0, p->pmi.nmi);
	interrupts_drain();
	must_be(p, "interrupts a while later", 1, p->pmi.maskable);

	/* Counting on is no overflow. */
	acknowledge(p, counter_bit(p->c));
	pmi_arm(&p->pmi, OVERFLOW_MASKABLE);
	run_counting(p, counter_bit(p->c));
	interrupts_drain();
	must_be(p, "interrupts of counting on, acknowledged", 0, p->pmi.maskable);

	pmi_arm(&p->pmi, OVERFLOW_MASKABLE);
	overflow(p, true);
	interrupts_drain();
	must_be(p, "interrupts after a second overflow", 1, p->pmi.maskable);

	/* The request is an edge: a status that is still set asks for nothing more. */
	pmi_arm(&p->pmi, OVERFLOW_MASKABLE);
	run_counting(p, counter_bit(p->c));
	interrupts_drain();
	must_be(p, "interrupts with the entry armed again and the status still set", 0, p->pmi.maskable);
	acknowledge(p, counter_bit(p->c));
}

static void interrupt_nmi(struct probe *p)
{
	pmi_arm(&p->pmi, OVERFLOW_NMI);
	overflow(p, true);
	must_be(p, "NMIs after an overflow, with interrupts masked", 1, p->pmi.nmi);
	interrupts_drain();
	must_be(p, "interrupts besides the NMI", 0, p->pmi.maskable);
	must_be(p, "NMIs a while later", 1, p->pmi.nmi);
	acknowledge(p, counter_bit(p->c));
}

static void interrupt_honours_if(struct probe *p)
{
	pmi_arm(&p->pmi, OVERFLOW_MASKABLE);
	overflow(p, true);
	must_be(p, "interrupts with IF = 0", 0, p->pmi.maskable);
	interrupts_drain();
	must_be(p, "interrupts once IF was 1", 1, p->pmi.maskable);
	acknowledge(p, counter_bit(p->c));
}

static void interrupt_while_counting(struct probe *p)
{
	const struct pmu_event *e = counter_yardstick(p->pmu, p->c);

	pmi_arm(&p->pmi, OVERFLOW_MASKABLE);
	prepare(p, p->c, e, LEVELS_ALL, true, near_top(p));
	interrupts_open();
	run_counting(p, counter_bit(p->c));
	interrupts_close();
	must_be(p, "interrupts in a window with IF = 1", 1, p->pmi.maskable);
	must_be(p, "after the handler returned, the status is", counter_bit(p->c), new_status(p));
	acknowledge(p, counter_bit(p->c));
}

static void line_masked(struct probe *p)
{
	pmi_mask(&p->pmi);
	overflow(p, true);
	interrupts_drain();
	must_be(p, "interrupts with the line masked", 0, p->pmi.maskable);
	must_be(p, "with the line masked the status is", counter_bit(p->c), new_status(p));
	acknowledge(p, counter_bit(p->c));
}

/* Intel's local APIC masks the entry when it delivers, so that one overflow is one interrupt until software
 * asks for more. AMD's leaves it as it is. KVM's did as AMD's for every guest before Linux 6.7, then as
 * Intel's for every guest before 6.9 ("KVM: x86: Mask LVTPC when handling a PMI", "Do not mask LVTPC when
 * handling a PMI on AMD platforms"). */
static void line_masked_on_delivery(struct probe *p)
{
	bool stays = p->pmu->line_stays;

	pmi_arm(&p->pmi, OVERFLOW_MASKABLE);
	must_be(p, "before the overflow the mask bit is", false, overflow_masked(OVERFLOW_COUNTERS));
	overflow(p, true);
	interrupts_drain();
	must_be(p, "interrupts", 1, p->pmi.maskable);
	if (p->pmu->under_hypervisor && !p->pmi.masked != stays)
		p->lacking = "what the interrupt controller makes of the mask bit";
	must_be(p, "in the handler the mask bit is", !stays, p->pmi.masked);
	acknowledge(p, counter_bit(p->c));
	overflow(p, true);
	interrupts_drain();
	must_be(p, "interrupts after a second overflow", stays ? 2 : 1, p->pmi.maskable);
	acknowledge(p, counter_bit(p->c));
}

static void interrupt_only_if_asked(struct probe *p)
{
	pmi_arm(&p->pmi, OVERFLOW_MASKABLE);
	overflow(p, false);
	interrupts_drain();
	must_be(p, "interrupts from a counter that was not told to interrupt", 0, p->pmi.maskable);
	must_be(p, "the status is", counter_bit(p->c), new_status(p));
	acknowledge(p, counter_bit(p->c));
}

static unsigned next_usable(const struct probe *p)
{
	unsigned c = p->c;

	do
		c = (c + 1) % p->pmu->n_counters;
	while (!(p->usable & counter_bit(c)));
	return c;
}

/* Two counters that overflow in the same window: both bits are set, and the interrupt comes. */
static void overflow_together(struct probe *p)
{
	unsigned other = next_usable(p);
	uint64_t both = counter_bit(p->c) | counter_bit(other);

	prepare(p, other, counter_yardstick(p->pmu, other), LEVELS_ALL, false,
		counter_before(&p->pmu->counter[other], 0, 4));
	prepare(p, p->c, counter_yardstick(p->pmu, p->c), LEVELS_ALL, true, near_top(p));
	pmi_arm(&p->pmi, OVERFLOW_MASKABLE);
	run_counting(p, both);
	interrupts_drain();
	must_be(p, "after both overflowed the status is", both, new_status(p));
	must_be(p, "interrupts", 1, p->pmi.maskable);
	acknowledge(p, counter_bit(p->c));
	must_be(p, "with one of them acknowledged the status is", counter_bit(other), new_status(p));
	acknowledge(p, both);
	must_be(p, "with both acknowledged the status is", 0, new_status(p));
}

/* Waiting for each counter that can start it: it holds until that one overflows, counts from then on, and not
 * again. */
static void cascade(struct probe *p)
{
	const struct pmu_driver *d = p->pmu->driver;
	const struct pmu_event *e = counter_yardstick(p->pmu, p->c);

	for (unsigned from = 0; from < p->pmu->n_counters; from++) {
		struct pmu_config config = {.code = e->code, .levels = LEVELS_ALL};
		uint64_t both = counter_bit(p->c) | counter_bit(from), value;

		if (from == p->c || !(p->usable & counter_bit(from)) ||
		    !d->cascade(p->pmu, from, p->c, &config))
			continue;
		prepare(p, from, counter_yardstick(p->pmu, from), LEVELS_ALL, false, CONTROL_START);
		must_work(p, "programming it to wait", d->program(p->pmu, p->c, &config));
		must_work(p, "writing a counter", d->write(p->pmu, p->c, CONTROL_START));
		run_counting(p, both);
		must_be(p, "while the other one does not overflow it holds", CONTROL_START,
			value_of(p, p->c));
		must_work(p, "writing a counter",
			  d->write(p->pmu, from, counter_before(&p->pmu->counter[from], 0, 4)));
		run_counting(p, both);
		value = value_of(p, p->c);
		must_be(p, "after the other one's overflow it moves", true, value != CONTROL_START);
		must_be(p, "the other one's status is", counter_bit(from), new_status(p));
		acknowledge(p, counter_bit(from));
		run_counting(p, both);
		must_be(p, "with the other one acknowledged it holds", value, value_of(p, p->c));
		must_work(p, "taking it out of use", d->release(p->pmu, p->c) && d->release(p->pmu, from));
	}
}

const struct control_check control_overflow[] = {
	{"overflow status", NULL, PER_COUNTER, RUNG_EXACT_ON_NOPS, NEED_STATUS, status_sticky},
	{"overflow point", NULL, PER_COUNTER, RUNG_EXACT_ON_NOPS, NEED_STATUS | NEED_EXACT, overflow_point},
	{"interrupt, fixed", NULL, PER_COUNTER, RUNG_INTERRUPTS, NEED_INTERRUPT, interrupt_fixed},
	{"interrupt, NMI", NULL, PER_COUNTER, RUNG_INTERRUPTS, NEED_INTERRUPT, interrupt_nmi},
	{"interrupt honours IF", NULL, PER_COUNTER, RUNG_INTERRUPTS, NEED_INTERRUPT, interrupt_honours_if},
	{"interrupt while counting", NULL, PER_COUNTER, RUNG_INTERRUPTS, NEED_INTERRUPT | NEED_STATUS,
	 interrupt_while_counting},
	{control_line_name[CONTROL_MASKED], "line masked", PER_COUNTER, RUNG_INTERRUPTS, NEED_INTERRUPT,
	 line_masked},
	{control_line_name[CONTROL_MASK_ON_DELIVERY], "line mask on delivery", PER_COUNTER, RUNG_INTERRUPTS,
	 NEED_INTERRUPT, line_masked_on_delivery},
	{"no interrupt unasked", NULL, PER_COUNTER, RUNG_INTERRUPTS, NEED_INTERRUPT, interrupt_only_if_asked},
	{"cascade", NULL, PER_COUNTER, RUNG_EXACT_ON_NOPS, NEED_STATUS | NEED_CASCADE | NEED_NEIGHBOUR,
	 cascade},
	{"overflow together", NULL, PER_COUNTER, RUNG_INTERRUPTS,
	 NEED_INTERRUPT | NEED_STATUS | NEED_GLOBAL | NEED_NEIGHBOUR, overflow_together},
	{0},
};
