/*
 * What a counter says of a long time, and of a time in which other processors work: the overflow behind which
 * it has gone on for more than half of its range, and what it counts beside them.
 */
#include "pmu/armv8/armv8.h"
#include "pmu/armv8/registers.h"

#include "arch/register.h"
#include "arch/second_cpu.h"
#include "arch/time.h"
#include "pmu/contract/control.h"

#define TOP32   UINT64_C(0xffffffff)
#define SHORT   1000
#define FAR     (UINT64_C(5) << 29) /* behind an overflow: its counter's top bit is 1 again */
#define WAIT_US 50000
#define WAITS   100
#define HALTED  10000 /* cycles that a clock has counted in a halt, if it counts there */
#define TURNS   20

static bool put(struct control_fixture *h, const char *what, uint64_t number, uint64_t value)
{
	return h->works(h, what, register_write(SPACE_SYSTEM, number, value));
}

static bool set(struct control_fixture *h, unsigned c, uint64_t code, uint64_t first)
{
	const struct pmu_config config = {.code = code, .levels = LEVELS_ALL};

	return control_program(h, c, &config, first);
}

/* --- an overflow long ago ---------------------------------------------------------------------------- */

static bool counts_cycles(const struct pmu *pmu, unsigned instance, const struct pmu_event *e)
{
	(void)instance;
	return e->code == EVENT_CPU_CYCLES && pmu->driver->can_count(pmu, e, 0);
}

/* A model's time is that of the instructions that are stepped. */
bool armv8_has_long_wait(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || !pmu->n_general || pmu->counter[0].width != 32 || pmu->deterministic)
		return false;
	*out = (struct pmu_control_instance){
		.name = "PMEVCNTR0", .counters = 1 | UINT64_C(1) << pmu->n_general, .suits = counts_cycles};
	return true;
}

/* Clocks may stand still in a halt. */
static void pass_time(struct control_fixture *h, unsigned clock)
{
	uint64_t before = control_value(h, clock), began;

	h->halt(h, WAIT_US);
	if (control_value(h, clock) - before >= HALTED)
		return;
	began = clock_read();
	while (clock_read() - began < clock_hz() / 1000000 * WAIT_US)
		time_relax();
}

/* Nothing accesses the counter, or its bits, before it is stopped. */
void armv8_long_wait(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	unsigned clock = h->pmu->n_general;
	uint64_t one = armv8_bits(h->pmu, 1), both = armv8_bits(h->pmu, 1 | UINT64_C(1) << clock), status = 0;

	(void)instance;
	if (!e || !set(h, clock, EVENT_CPU_CYCLES, 0) || !set(h, 0, e->code, TOP32 - SHORT + 1) ||
	    !put(h, "writing PMCNTENSET_EL0", PMCNTENSET_EL0, both))
		return;
	for (unsigned i = 0; i < WAITS && control_value(h, clock) < FAR; i++)
		pass_time(h, clock);
	put(h, "writing PMCNTENCLR_EL0", PMCNTENCLR_EL0, both);
	h->equal(h, "the cycle counter has gone further than to the overflow", true,
		 control_value(h, clock) > SHORT);
	h->works(h, "reading PMOVSSET_EL0", register_read(SPACE_SYSTEM, PMOVSSET_EL0, &status));
	h->equal(h, "it overflowed long before it was stopped: its status", 1, (status & one) != 0);
	put(h, "writing PMOVSCLR_EL0", PMOVSCLR_EL0, one);
}

/* --- beside others ----------------------------------------------------------------------------------- */

static bool counts_instructions(const struct pmu *pmu, unsigned instance, const struct pmu_event *e)
{
	(void)instance;
	return e->code == EVENT_INST_RETIRED && pmu->driver->can_count(pmu, e, 0);
}

static bool has_instructions(const struct pmu *pmu)
{
	for (unsigned i = 0; i < pmu->n_events; i++)
		if (counts_instructions(pmu, 0, pmu->events[i]))
			return true;
	return false;
}

bool armv8_has_others(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || !pmu->n_general || !has_instructions(pmu) || second_cpu_missing(SECOND_CPU_ANY))
		return false;
	*out = (struct pmu_control_instance){
		.name = "PMEVCNTR0", .counters = 1, .suits = counts_instructions};
	return true;
}

/* The same instructions each time. */
static uint64_t turns(struct control_fixture *h, const struct pmu_event *e)
{
	uint64_t one = armv8_bits(h->pmu, 1);

	if (!set(h, 0, e->code, 0) || !put(h, "writing PMCNTENSET_EL0", PMCNTENSET_EL0, one))
		return 0;
	for (unsigned i = 0; i < TURNS; i++)
		time_relax();
	put(h, "writing PMCNTENCLR_EL0", PMCNTENCLR_EL0, one);
	return control_value(h, 0);
}

void armv8_beside_others(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	uint64_t alone, beside;

	(void)instance;
	if (!e)
		return;
	alone = turns(h, e);
	/* Without others nothing is compared: the check could not be carried out. */
	if (!others_work())
		return;
	beside = turns(h, e);
	others_rest();
	h->equal(h, "alone it counts the instructions of its own", true, alone >= TURNS);
	h->equal(h, "while other processors work it counts as many as alone", alone, beside);
}
