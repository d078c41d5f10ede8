/*
 * PMCR_EL0.FZS: counters stand still while statistical profiling has stopped (Arm ARM, SPEFreezeOnEvent()). That
 * takes no sample: software may say itself that a buffer has to be seen to (PMBSR_EL1.S).
 *
 * Profiling's registers can be EL2's or EL3's: PMBIDR_EL1.P says so, and then only the bit itself is looked at.
 */
#include "pmu/armv8/armv8.h"
#include "pmu/armv8/registers.h"

#include "arch/register.h"
#include "pmu/contract/control.h"

static bool counts_instructions(const struct pmu *pmu, unsigned instance, const struct pmu_event *e)
{
	(void)instance;
	return e->code == EVENT_INST_RETIRED && pmu->driver->can_count(pmu, e, 0);
}

bool armv8_has_profiling(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	*out = (struct pmu_control_instance){
		.name = "PMCR_EL0.FZS", .counters = pmu->n_general > 0, .suits = counts_instructions};
	return !i && armv8_found(pmu)->freezes_by_profiling;
}

static uint64_t get(struct control_fixture *h, const char *what, uint64_t number)
{
	uint64_t value = 0;

	h->works(h, what, register_read(SPACE_SYSTEM, number, &value));
	return value;
}

static bool put(struct control_fixture *h, const char *what, uint64_t number, uint64_t value)
{
	return h->works(h, what, register_write(SPACE_SYSTEM, number, value));
}

static void set_fzs(struct control_fixture *h, bool on)
{
	uint64_t pmcr = get(h, "reading PMCR_EL0", PMCR_EL0) & ~PMCR_FZS;

	put(h, "writing PMCR_EL0", PMCR_EL0, pmcr | (on ? PMCR_FZS : 0));
}

/* An event counter, the clock and the instruction counter, in one window. */
static void stopped(struct control_fixture *h, const struct pmu_event *e, bool fzs, bool pmfz, bool status)
{
	const struct pmu_config clock_too = {.code = EVENT_CPU_CYCLES, .levels = LEVELS_ALL},
				config = {.code = e->code, .levels = LEVELS_ALL};
	unsigned clock = h->pmu->n_general, instructions = clock + 1;
	bool icntr = armv8_found(h->pmu)->icntr, freezes = fzs && pmfz && status;
	uint64_t low, high;

	set_fzs(h, fzs);
	put(h, "writing PMBLIMITR_EL1", PMBLIMITR_EL1, PMBLIMITR_E | (pmfz ? PMBLIMITR_PMFZ : 0));
	put(h, "writing PMBSR_EL1", PMBSR_EL1, status ? PMBSR_S : 0);
	if (!control_program(h, 0, &config, 0) || !control_program(h, clock, &clock_too, 0) ||
	    (icntr && !control_program(h, instructions, &config, 0)))
		return;
	h->run(h, 1 | UINT64_C(1) << clock | (icntr ? UINT64_C(1) << instructions : 0));
	h->amount(h, e, 0, &low, &high);
	h->within(h, freezes ? "stopped, an event counter moves by" : "an event counter moves by",
		  freezes ? 0 : low, freezes ? 0 : high, control_value(h, 0));
	h->equal(h, "the cycle counter moves", true, control_value(h, clock) != 0);
	if (icntr)
		h->equal(h, "the instruction counter moves", !freezes, control_value(h, instructions) != 0);
}

void armv8_freeze_by_profiling(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	uint64_t scr, limit, status;

	(void)instance;
	set_fzs(h, true);
	h->equal(h, "PMCR_EL0.FZS is kept", true, (get(h, "reading PMCR_EL0", PMCR_EL0) & PMCR_FZS) != 0);
	set_fzs(h, false);
	if (!e || get(h, "reading PMBIDR_EL1", PMBIDR_EL1) & PMBIDR_P)
		return;
	scr = get(h, "reading PMSCR_EL1", PMSCR_EL1);
	limit = get(h, "reading PMBLIMITR_EL1", PMBLIMITR_EL1);
	status = get(h, "reading PMBSR_EL1", PMBSR_EL1);
	put(h, "writing PMSCR_EL1", PMSCR_EL1, 0); /* nothing is sampled */
	for (unsigned how = 0; how < 8; how++)
		stopped(h, e, how & 1, how & 2, how & 4);
	set_fzs(h, false);
	put(h, "writing PMBLIMITR_EL1", PMBLIMITR_EL1, limit);
	put(h, "writing PMBSR_EL1", PMBSR_EL1, status);
	put(h, "writing PMSCR_EL1", PMSCR_EL1, scr);
}
