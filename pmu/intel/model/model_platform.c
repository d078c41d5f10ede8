/*
 * Registers of the core's clock and power (SDM vol. 3, 15.2 and 15.8): the counts of clocks that it has run,
 * its modulation. Here nothing slows the core down. Clocks are counted while a counter
 * runs and one of their two counts is not 0, for what nobody looks at need not be.
 */
#include "pmu/intel/errata/hooks.h"
#include "pmu/intel/model/model.h"

static uint64_t *plain(struct intel_state *s, uint32_t address, bool *exists)
{
	struct intel_platform *p = &s->platform;

	*exists = true;
	switch (address) {
	case IA32_CLOCK_MODULATION:
		return &p->modulation;
	case IA32_MPERF:
		*exists = p->counts;
		return &p->mperf;
	case IA32_APERF:
		*exists = p->counts;
		return &p->aperf;
	case MSR_PPERF:
		*exists = p->productive;
		return &p->pperf;
	default:
		return NULL;
	}
}

enum register_answer intel_platform_read(struct intel_state *s, uint32_t address, uint64_t *value)
{
	bool exists;
	const uint64_t *at = plain(s, address, &exists);

	if (!at)
		return REGISTER_NOT_MINE;
	*value = exists ? *at : 0;
	return exists ? REGISTER_DONE : REGISTER_FAULT;
}

enum register_answer intel_platform_write(struct intel_state *s, uint32_t address, uint64_t value)
{
	const struct intel_platform *p = &s->platform;
	bool exists;
	uint64_t *at = plain(s, address, &exists);

	if (!at)
		return REGISTER_NOT_MINE;
	if (!exists || address == MSR_PPERF)
		return REGISTER_FAULT;
	uint64_t before = p->modulation;

	*at = value;
	/* Whether clocks are counted is part of what decides on the short cut. */
	if (address != IA32_CLOCK_MODULATION)
		intel_update_running(s);
	intel_hook_modulated(s, before);
	return REGISTER_DONE;
}

bool intel_platform_runs(const struct intel_state *s)
{
	return s->platform.mperf || s->platform.aperf;
}

/* SDM vol. 4: each of the two is cleared when the other one wraps. */
void intel_platform_advance(struct intel_state *s, const struct step *step)
{
	struct intel_platform *p = &s->platform;
	uint64_t clocks = step->halted || step->own_write ? 0 : step->cycles;
	bool wraps = p->aperf + clocks < clocks, other = p->mperf + clocks < clocks;

	p->aperf += clocks;
	p->mperf += intel_hook_reference(s, clocks);
	p->pperf = intel_hook_productive(s, step, p->pperf + clocks);
	if (wraps && !intel_hook_wraps_alone(s))
		p->mperf = 0;
	if (other && !intel_hook_wraps_alone(s))
		p->aperf = 0;
}
