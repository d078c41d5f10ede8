/*
 * Taken branches, interrupts and exceptions: the last-branch stack and branch traces. SDM vol.
 * 3, 17.4, 17.11.
 *
 * Models 0 to 2 have four registers with both addresses of 32 bits in each, the source in the low half; later
 * ones sixteen pairs. The pointer names the most recent entry: it moves before one is written. The last
 * exception record is what the top of the stack was when an interrupt or exception came; it is kept only
 * while the stack is.
 */
#include "pmu/netburst/errata/hooks.h"
#include "pmu/netburst/model/model.h"

#define DEBUG_EXCEPTION 1

unsigned netburst_lbr_depth(const struct netburst_state *s)
{
	return MODELS_3_4_6 >> s->model & 1 ? LBR_MAX : 4;
}

bool netburst_traces(const struct netburst_state *s, unsigned thread)
{
	uint64_t both = DEBUGCTLA_TR | DEBUGCTLA_BTS;

	return (s->thread[thread].debugctl & both) == both && !(s->misc_enable & MISC_ENABLE_BTS_ABSENT);
}

static void push(struct netburst_state *s, struct netburst_thread *t, const struct step *step)
{
	bool event = step->transfer == TRANSFER_EVENT;

	if (event) {
		t->ler_from = t->lbr_from[t->tos];
		t->ler_to = t->lbr_to[t->tos];
	}
	t->tos = (uint8_t)((t->tos + 1) % netburst_lbr_depth(s));
	t->lbr_from[t->tos] = step->ip;
	t->lbr_to[t->tos] = step->next;
	netburst_hook_lbr(s, &t->lbr_from[t->tos], &t->lbr_to[t->tos]);
}

/* 17.4.1, 17.4.3: a debug exception is no entry, and ends recording and stepping by branches. So does that of
 * INT1; an INT 1 of two bytes cannot be told from it here. */
static void last_branch(struct netburst_state *s, struct netburst_thread *t, const struct step *step)
{
	bool debug = !step->length && step->vector == DEBUG_EXCEPTION;

	if (t->debugctl & DEBUGCTLA_LBR && !debug)
		push(s, t, step);
	if (debug) {
		t->debugctl &= ~(uint64_t)(DEBUGCTLA_LBR | DEBUGCTLA_BTF);
		s->changed = true;
	}
}

/* Which ring a branch belongs to is not said; the one that it leaves is taken. */
static bool ring_wanted(const struct netburst_thread *t, uint8_t cpl)
{
	return !(t->debugctl & (cpl ? DEBUGCTLA_BTS_OFF_USR : DEBUGCTLA_BTS_OFF_OS));
}

static void trace(struct netburst_state *s, unsigned thread, const struct step *step)
{
	const struct netburst_thread *t = &s->thread[thread];
	bool predicted = !s->uops.amount[Q_BR_MISPRED];
	uint64_t words[BTS_WORDS] = {step->ip, step->next, predicted ? BTS_PREDICTED : 0};
	bool circular = !(t->debugctl & DEBUGCTLA_BTINT);

	if (!ring_wanted(t, step->level))
		return;
	if (netburst_hook_bts_lost(s))
		return;
	/* The threshold interrupts with BTINT clear too: to prevent that it must lie above the maximum,
	 * 17.4.9.3. */
	if (netburst_hook_bts_threshold(s,
					netburst_store(s, thread, DS_BTS_BASE, words, BTS_WORDS, circular))) {
		s->pmi_pending[thread]++;
		s->changed = true;
	}
}

void netburst_branch(struct netburst_state *s, const struct step *step)
{
	unsigned thread = s->profile->hyper_threading ? step->thread : 0;

	if (step->transfer == TRANSFER_NONE)
		return;
	if (netburst_traces(s, thread))
		trace(s, thread, step);
	last_branch(s, &s->thread[thread], step);
}
