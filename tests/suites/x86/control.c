/*
 * Control checks of RDPMC: what it reads, and who may. Section numbers: SDM vol. 3, or vol. 2 by instruction.
 */
#include "tests/suites/control.h"
#include "tests/measure/pass.h"
#include "pmu/contract/counter_values.h"

#include "arch/x86/cpu/msr.h"
#include "arch/x86/exceptions/trap.h"
#include "arch/x86/exceptions/user.h"

#define RDPMC_LENGTH 2 /* 0F 33 */

static void reads_the_counter(struct probe *p)
{
	const struct pmu_counter *c = &p->pmu->counter[p->c];
	uint64_t values[] = {CONTROL_START, low_bits(c->write_width - 1), counter_highest(c) - 5};

	/* Each counter holds something else, so that none can pass for another. */
	for (unsigned i = 0; i < p->pmu->n_counters; i++)
		must_work(p, "writing a counter", p->pmu->driver->write(p->pmu, i, CONTROL_START * (i + 2)));
	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		uint64_t value;

		must_work(p, "writing a counter", p->pmu->driver->write(p->pmu, p->c, values[i]));
		must_work(p, "RDPMC in ring 0", pmc_read(c->selector, &value));
		must_be(p, "RDPMC gives", value_of(p, p->c), value);
		must_be(p, "what was written is", values[i], value);
	}
}

static void count_user_by_reading(struct probe *p, uint64_t *count)
{
	prepare(p, p->c, counter_yardstick(p->pmu, p->c), LEVELS_USER, false, CONTROL_START);
	control_read_user(p, p->c, count);
}

/* With CR4.PCE = 1 ring 3 reads the running counter, exactly. */
static void allowed_in_ring3(struct probe *p)
{
	const struct pmu_event *e = counter_yardstick(p->pmu, p->c);
	bool before = user_allow_rdpmc(true);
	uint64_t count = 0;

	count_user_by_reading(p, &count);
	user_allow_rdpmc(before);
	must_be(p, "read twice in ring 3 it moves by", moves_by(p, p->c, e, 0),
		e->judgement == EVENT_EXACT ? count : count != 0);
}

static bool on_fault(struct trap_frame *frame, void *arg)
{
	unsigned *faults = arg;
	const uint8_t *code = (const uint8_t *)(uintptr_t)frame->rip;

	if (!(frame->cs & 3) || code[0] != 0x0f || code[1] != 0x33)
		return false;
	++*faults;
	frame->rip += RDPMC_LENGTH;
	return true;
}

/* With CR4.PCE = 0 each of the bracket's two RDPMC raises #GP in ring 3; ring 0 may still read. */
static void denied_in_ring3(struct probe *p)
{
	bool before = user_allow_rdpmc(false);
	unsigned faults = 0;
	uint64_t count, value;

	trap_set_handler(VECTOR_GP, on_fault, &faults);
	count_user_by_reading(p, &count);
	trap_set_handler(VECTOR_GP, NULL, NULL);
	must_be(p, "two RDPMC in ring 3 without leave raise #GP", 2, faults);
	must_be(p, "RDPMC in ring 0 without CR4.PCE works", true,
		pmc_read(p->pmu->counter[p->c].selector, &value));
	user_allow_rdpmc(before);
}

const struct control_check control_instruction_set[] = {
	{"RDPMC", NULL, PER_COUNTER, RUNG_WRITABLE, 0, reads_the_counter},
	{"RDPMC in ring 3, CR4.PCE = 1", NULL, PER_COUNTER, RUNG_EXACT_ON_NOPS, 0, allowed_in_ring3},
	{"RDPMC in ring 3, CR4.PCE = 0", NULL, PER_COUNTER, RUNG_EXACT_ON_NOPS, 0, denied_in_ring3},
	{0},
};
