#include "pmu/virtual/premises.h"

#define EVERY_THIRD 3

static int ask(const struct pmu_model *model, void *state, const struct step *write,
	       struct model_increment *out)
{
	struct step did = *write; /* what it does, not the time that it takes */

	did.cycles = 0;
	return model->increments ? model->increments(state, &did, out, PREMISE_COUNTERS) : -1;
}

static bool among(const uint64_t *counter, const struct model_increment *list, int n)
{
	for (int i = 0; i < n; i++)
		if (list[i].counter == counter)
			return true;
	return false;
}

/* A counter's number, by its first start. */
static unsigned number_of(struct premises *p, uint64_t *counter)
{
	unsigned i = 0;

	while (i < p->n_seen && p->seen[i] != counter)
		i++;
	if (i == p->n_seen && i < PREMISE_COUNTERS)
		p->seen[p->n_seen++] = counter;
	return i;
}

static void count(const struct model_increment *i)
{
	if (*i->counter <= i->limit)
		*i->counter += i->amount;
}

/* Of any counter, by this write. */
static bool starts_count(const struct premises *p)
{
	return premise_broken(p, PREMISE_START_COUNTED) ||
	       (premise_broken(p, PREMISE_START_BUT_OTHER) && !p->by_other);
}

static bool counts_start(struct premises *p, uint64_t *counter)
{
	unsigned number = number_of(p, counter);

	if (premise_broken(p, PREMISE_START_BY_SOME) && number % 2)
		return true;
	if (premise_broken(p, PREMISE_START_AT_TIMES) && number == 1 && p->starts++ % EVERY_THIRD == 0)
		return true;
	return starts_count(p);
}

bool premises_before_write(struct premises *p, const struct pmu_model *model, void *state,
			   const struct step *write)
{
	p->n_before = ask(model, state, write, p->before);
	return p->n_before && (premise_broken(p, PREMISE_STOP_COUNTED) ||
			       (premise_broken(p, PREMISE_STOP_BUT_OTHER) && !p->by_other));
}

bool premises_after_write(struct premises *p, const struct pmu_model *model, void *state,
			  const struct step *write)
{
	struct model_increment after[PREMISE_COUNTERS];
	int n = ask(model, state, write, after);

	if (n < 0 || p->n_before < 0)
		return n < 0 && starts_count(p);
	for (int i = 0; i < n; i++)
		if (!among(after[i].counter, p->before, p->n_before) && counts_start(p, after[i].counter))
			count(&after[i]);
	return false;
}

bool premises_keep_others(struct premises *p, const struct pmu_model *model, void *state,
			  const struct step *write)
{
	struct model_increment after[PREMISE_COUNTERS];

	if (!premise_broken(p, PREMISE_START_BY_SOME) || p->n_before || ask(model, state, write, after) >= 0)
		return false;
	for (unsigned i = 0; i < p->n_seen; i++)
		p->kept[i] = *p->seen[i];
	return true;
}

bool premises_put_back(const struct premises *p)
{
	bool moved[2] = {false, false}; /* those that do not count it, those that do */

	for (unsigned i = 0; i < p->n_seen; i++) {
		moved[i % 2] |= *p->seen[i] != p->kept[i];
		if (i % 2 == 0)
			*p->seen[i] = p->kept[i];
	}
	return moved[0] && !moved[1];
}

void premises_step(const struct premises *p, struct step *step, struct qterm *terms)
{
	switch ((enum step_kind)step->kind) {
	case STEP_READS_COUNTER:
		if (premise_broken(p, PREMISE_READING_TWICE))
			terms[step->n_terms++] = (struct qterm){Q_INSTRUCTIONS, 1};
		break;
	case STEP_RETURNS:
		if (premise_broken(p, PREMISE_RETURN_IN_NEW))
			step->level = step->level_after;
		break;
	case STEP_RETURNS_FAST:
		if (premise_broken(p, PREMISE_RETURN_IN_NEW) || premise_broken(p, PREMISE_FAST_RETURN_IN_NEW))
			step->level = step->level_after;
		break;
	case STEP_CALLS:
		if (premise_broken(p, PREMISE_CALL_IN_NEW))
			step->level = 0;
		break;
	default:
		break;
	}
}

void premises_delivery(const struct premises *p, struct step *step, struct qterm *terms)
{
	if (step->kind != STEP_DELIVERED)
		return;
	if (premise_broken(p, PREMISE_DELIVERY_INSN))
		terms[step->n_terms++] = (struct qterm){Q_INSTRUCTIONS, 1};
	if (premise_broken(p, PREMISE_DELIVERY_FAR)) {
		terms[step->n_terms++] = (struct qterm){Q_BRANCHES, 1};
		terms[step->n_terms++] = (struct qterm){Q_BR_FAR, 1};
	}
}
