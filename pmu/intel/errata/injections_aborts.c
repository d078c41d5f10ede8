/*
 * What injected errata make of transactions that abort, and of locks that are elided: SDM vol. 1, 16.2 and
 * 16.3. A virtual CPU's transactions abort at XBEGIN.
 */
#include "pmu/intel/errata/hooks.h"

#define XBEGIN        0xc7f8
#define XACQUIRE_LOCK 0xf2f0

/* Two bytes of code; 0: none are there. */
static unsigned code_at(const struct intel_state *s, uint64_t address)
{
	const struct step_memory *m = s->ds.memory;
	uint8_t code[2] = {0};

	return m && m->read(m->ctx, address, code, sizeof code) ? code[0] << 8 | code[1] : 0;
}

void intel_hook_transaction(struct intel_state *s, const struct step *step)
{
	struct intel_deviations *d = &s->deviations;
	unsigned code = step->length ? code_at(s, step->ip) : 0;
	struct step abort = {.ip = d->traced_from,
			     .next = step->next,
			     .transfer = TRANSFER_JUMP_INDIRECT,
			     .level = step->level,
			     .level_after = step->level};

	d->elided = code == XACQUIRE_LOCK;
	if (code != XBEGIN || step->next == step->ip + step->length)
		return;
	if (injected(s, INJECT_BDD60))
		s->lbr.to[s->lbr.tos] ^= 64;
	if (injected(s, INJECT_HSD71) && intel_bts_enabled(s))
		intel_bts_advance(s, &abort);
}
