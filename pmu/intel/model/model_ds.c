/*
 * The debug store area, and branch traces in it: SDM 17.4.9, 17.4.5, 17.4.6.
 *
 * A record is written for every taken branch, interrupt and exception while TR and BTS are set. In interrupt
 * mode (BTINT) one that would pass the absolute maximum is lost, and the interrupt comes when the index
 * reaches the threshold; else the buffer is circular. BTS_OFF_OS and BTS_OFF_USR look at the ring in which
 * the branch ends, which the manual leaves open. Where the area or the buffer is not mapped nothing is
 * written; silicon raises #PF there.
 */
#include "pmu/intel/errata/hooks.h"

void intel_attach(void *state, const struct step_memory *memory)
{
	struct intel_state *s = state;
	s->ds.memory = memory;
}

bool intel_ds_read(const struct intel_state *s, unsigned offset, uint64_t *value)
{
	const struct step_memory *m = s->ds.memory;
	return m && s->ds.area && m->read(m->ctx, s->ds.area + offset, value, sizeof *value);
}

bool intel_ds_write(const struct intel_state *s, unsigned offset, uint64_t value)
{
	const struct step_memory *m = s->ds.memory;
	return m && s->ds.area && m->write(m->ctx, s->ds.area + offset, &value, sizeof value);
}

void intel_ds_overflow(struct intel_state *s)
{
	if (s->leaf.version >= 2)
		s->status |= STATUS_OVF_BUF;
	intel_raise_pmi(s);
}

bool intel_bts_enabled(const struct intel_state *s)
{
	const uint64_t both = DEBUGCTL_TR | DEBUGCTL_BTS;
	return s->ds.exists && (s->debugctl & both) == both;
}

static bool traces_ring(const struct intel_state *s, const struct step *step)
{
	uint8_t cpl = step->level_after;
	return !(s->debugctl & (cpl ? DEBUGCTL_BTS_OFF_USR : DEBUGCTL_BTS_OFF_OS));
}

static struct ds_branch record_of(struct intel_state *s, const struct step *step)
{
	struct ds_branch r = {step->ip, step->next, DS_BRANCH_PREDICTED};

	if (intel_amount(step, Q_BR_MISPRED))
		r.flags = 0;
	intel_hook_bts(s, step, &r);
	return r;
}

void intel_bts_advance(struct intel_state *s, const struct step *step)
{
	const struct step_memory *m = s->ds.memory;
	bool interrupts = s->debugctl & DEBUGCTL_BTINT;
	uint64_t base, index, max, threshold;

	if (!step->transfer || !traces_ring(s, step))
		return;
	struct ds_branch r = record_of(s, step);
	if (intel_hook_bts_lost(s))
		return;
	if (!intel_ds_read(s, offsetof(struct ds_area, bts.base), &base) ||
	    !intel_ds_read(s, offsetof(struct ds_area, bts.index), &index) ||
	    !intel_ds_read(s, offsetof(struct ds_area, bts.max), &max) ||
	    !intel_ds_read(s, offsetof(struct ds_area, bts.threshold), &threshold))
		return;
	if (index + sizeof r > max) {
		if (interrupts)
			return;
		index = base;
	}
	if (!m->write(m->ctx, index, &r, sizeof r))
		return;
	uint64_t next = index + sizeof r;
	if (!interrupts && next + sizeof r > max)
		next = base;
	intel_ds_write(s, offsetof(struct ds_area, bts.index), next);
	if (interrupts && index < threshold && next >= threshold)
		intel_ds_overflow(s);
}
