/*
 * Errata of a core's two logical processors: what the other one makes of what a counter counts.
 */
#include "pmu/contract/counter_bank.h"
#include "pmu/intel/errata/hooks.h"

/* MEM_UOPS_RETIRED.* and MEM_LOAD_UOPS_*_RETIRED.*: BJ122. */
static bool of_memory(uint64_t select)
{
	return (select & 0xff) >= 0xd0 && (select & 0xff) <= 0xd3;
}

/* Every other one lands in a counter of the other logical processor. */
static uint64_t share_out(struct intel_state *s, unsigned to, uint64_t amount)
{
	uint64_t theirs = (amount + (s->deviations.shared & 1)) / 2;

	s->deviations.shared += (uint32_t)amount;
	if (s->other->running >> to & 1)
		s->other->counter[to].value =
			counter_keeps(s->other->counter[to].value + theirs, s->other->counter[to].mask);
	return amount - theirs;
}

uint64_t intel_hook_beside(struct intel_state *s, unsigned c, const struct step *step, uint64_t amount)
{
	uint64_t select = intel_is_fixed(c) ? 0 : s->select[c] & EVTSEL_CODE;

	if (injected(s, INJECT_BJ122) && of_memory(select) && s->other && s->other->running >> c & 1)
		amount = share_out(s, c, amount);
	if (injected(s, INJECT_HSD144) && select == 0x01b1 && s->other && s->other->running >> c & 1) {
		share_out(s, c, 2 * amount);
		amount = 0;
	}
	if (injected(s, INJECT_HSD171) && s->counter[c].latency && step->sibling)
		amount = 0;
	if (injected(s, INJECT_BDD101) && s->thread && (select == 0x40c4 || select == 0x04c4))
		amount += intel_amount(step, Q_BR_FAR);
	return amount;
}
