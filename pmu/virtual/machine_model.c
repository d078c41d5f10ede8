#include "pmu/virtual/machine_model.h"

#include "arch/outcomes.h"

#include <string.h>

static const quantity_number common[] = {
	Q_BR_MISPRED,          Q_L1D_LOAD_MISS,   Q_L1I_MISS,
	Q_L2_LOAD_MISS,        Q_LLC_REF,         Q_LLC_MISS,
	Q_DTLB_LOAD_MISS,      Q_DTLB_STORE_MISS, Q_DTLB_LOAD_STLB,
	Q_DTLB_STORE_STLB,     Q_ITLB_MISS,       Q_STORE_FORWARD,
	Q_STORE_FORWARD_BLOCK,
};
#define COMMON (sizeof common / sizeof common[0])
_Static_assert(COMMON + OUTCOMES <= MACHINE_QUANTITIES, "there is room for each");

unsigned machine_quantities(quantity_number out[MACHINE_QUANTITIES])
{
	unsigned n = 0;

	for (; n < COMMON; n++)
		out[n] = common[n];
	for (unsigned i = 0; i < OUTCOMES; i++)
		if (outcome_quantities[i] != Q_COUNT)
			out[n++] = outcome_quantities[i];
	return n;
}

/* --- geometry --------------------------------------------------------------------------------------- */

struct machine_geometry machine_geometry(const struct model_profile *profile)
{
	struct machine_geometry g = {
		.decoded = {.sets = 32, .ways = 8, .line = 32},
		.dtlb = 64,
		.itlb = 64,
		.page_shift = 12,
		.history_bits = 10,
		.return_stack = 16,
		.store_buffer = 32,
	};

	if (!identity_geometry(profile->identity, &g)) {
		g.stlb_sets = 256;
		g.stlb_ways = 6;
	}
	/* Of a last level that is too large for the model, every second set, until it fits: lines that share
	 * a set still do. */
	while ((uint64_t)g.llc.sets * g.llc.ways > UARCH_LLC_LINES)
		g.llc.sets /= 2;
	if (!g.l1d.sets || !g.l1i.sets) {
		g.l1d = g.l1i = (struct machine_cache){.sets = 64, .ways = 8, .line = 64};
		g.l2 = (struct machine_cache){.sets = 1024, .ways = 8, .line = 64};
	}
	return g;
}

/* --- what retires ----------------------------------------------------------------------------------- */

static enum uarch_branch branch_of(const struct step *s)
{
	static const uint8_t branches[] = {
		[TRANSFER_CONDITIONAL] = UARCH_CONDITIONAL, [TRANSFER_JUMP] = UARCH_DIRECT,
		[TRANSFER_JUMP_INDIRECT] = UARCH_INDIRECT,  [TRANSFER_CALL] = UARCH_DIRECT,
		[TRANSFER_CALL_INDIRECT] = UARCH_INDIRECT,  [TRANSFER_RETURN] = UARCH_RETURN,
		[TRANSFER_SYSTEM] = UARCH_NO_BRANCH,
	};

	return (enum uarch_branch)branches[s->branch];
}

static enum uarch_vector vector_of(const struct step *s)
{
	static const uint8_t vectors[] = {
		[UPPERS_UNTOUCHED] = UARCH_NO_VECTOR, [UPPERS_KEPT] = UARCH_NARROW,
		[UPPERS_CLEARED] = UARCH_CLEARING,    [UPPERS_USED] = UARCH_WIDE,
		[UPPERS_ZEROED] = UARCH_ZERO_UPPER,
	};

	return (enum uarch_vector)vectors[s->uppers];
}

static void flush(struct uarch *machine, const struct step *s)
{
	switch ((enum step_flush)s->flush) {
	case FLUSH_NONE:
		break;
	case FLUSH_LINE:
		uarch_flush_line(machine, s->flush_address);
		break;
	case FLUSH_PAGE:
		uarch_flush_tlb(machine, s->flush_address);
		break;
	case FLUSH_TRANSLATIONS:
		uarch_flush_tlb(machine, UINT64_MAX);
		break;
	}
}

static unsigned merge(struct qterm *out, unsigned n, const struct qterm *more, unsigned n_more)
{
	for (unsigned i = 0; i < n_more; i++) {
		unsigned at = 0;

		while (at < n && out[at].quantity != more[i].quantity)
			at++;
		if (at < n)
			out[at].amount += more[i].amount;
		else if (n < MACHINE_TERMS)
			out[n++] = more[i];
	}
	return n;
}

unsigned machine_retired(struct uarch *machine, const struct step *step, struct qterm out[MACHINE_TERMS])
{
	struct step_access access[STEP_TURN_ACCESSES];
	struct uarch_step s = {.ip = step->ip,
			       .length = step->length,
			       .branch = (uint8_t)branch_of(step),
			       .call = step->branch == TRANSFER_CALL ||
				       step->branch == TRANSFER_CALL_INDIRECT,
			       .taken = step->taken,
			       .denormal = step->denormal,
			       .vector = (uint8_t)vector_of(step),
			       .next = step->next,
			       .access = access};
	struct qterm more[MACHINE_TERMS];
	unsigned n;

	if (step->turns)
		s.n_access = step_accesses(step, 0, access);
	n = uarch_step(machine, &s, out, MACHINE_TERMS);
	for (uint64_t i = 1; i < step->turns; i++) {
		s.n_access = step_accesses(step, i, access);
		n = merge(out, n, more, uarch_step(machine, &s, more, MACHINE_TERMS));
	}
	flush(machine, step);
	return n;
}
