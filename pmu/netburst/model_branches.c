/*
 * The last-branch stack: SDM vol. 3, 17.11. Models 0 to 2 have four registers with both addresses of 32 bits
 * in each, the source in the low half; later ones sixteen pairs. The pointer names the most recent entry: it
 * moves before one is written.
 */
#include "pmu/netburst/model.h"

unsigned netburst_lbr_depth(const struct netburst_state *s)
{
	return MODELS_3_4_6 >> s->model & 1 ? LBR_MAX : 4;
}

/* A branch that leaves the line: every one but a conditional branch that is not taken. */
static bool taken(const uint32_t *q)
{
	return q[Q_BRANCHES] && MUTANT(M_LBR_TAKEN, !q[Q_BR_COND_NTAKEN], true);
}

void netburst_branch(struct netburst_state *s, const struct model_step *step)
{
	if (!MUTANT(M_LBR, s->debugctl & DEBUGCTLA_LBR, false) || !taken(s->uops.amount))
		return;
	s->tos = (uint8_t)((s->tos + 1) % MUTANT(M_LBR_DEPTH, netburst_lbr_depth(s), 4u));
	s->lbr_from[s->tos] = step->ip;
	s->lbr_to[s->tos] = step->next;
}
