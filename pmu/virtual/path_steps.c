#include "pmu/virtual/path.h"

uint64_t path_amount(const struct path *p, unsigned step, enum quantity q)
{
	const struct path_step *s = &p->step[step];
	uint64_t amount = 0;

	for (unsigned i = 0; i < s->n_terms; i++)
		if (p->terms[s->terms + i].quantity == q)
			amount += p->terms[s->terms + i].amount;
	return amount;
}

/* Next to an INT n stands its delivery, which begins at the INT. */
static bool follows(const struct path_step *before, const struct path_step *s)
{
	return s->ip == before->next || (s->transfer == TRANSFER_SYSTEM && !s->length && s->ip == before->ip);
}

bool path_is_connected(const struct path *p, unsigned *at)
{
	for (unsigned i = p->from + 1; i < p->to; i++)
		if (!follows(&p->step[i - 1], &p->step[i])) {
			*at = i;
			return false;
		}
	return true;
}

uint8_t path_level_after(const struct path *p, unsigned step)
{
	const struct path_step *s = &p->step[step];
	bool delivered =
		step + 1 < p->n_steps && s->length && !s[1].length && s[1].transfer == TRANSFER_SYSTEM;

	return s[delivered].level_after;
}

/* The ring in which a step counts. */
static uint8_t counted_at(const struct path *p, unsigned step)
{
	const struct path_step *s = &p->step[step];
	uint8_t after = path_level_after(p, step);
	bool in_new = after > s->level ? p->rule.returns_in_new : p->rule.calls_in_new;

	return s->length && in_new ? after : s->level;
}

static int64_t besides(const struct path *p, const struct path_step *s, enum quantity q)
{
	const struct qterm *t = p->rule.delivery;
	int64_t n = 0;

	for (; s->transfer == TRANSFER_EVENT && t->amount; t++)
		if (t->quantity == q)
			n += t->amount;
	return n;
}

uint64_t path_occurrences(const struct path *path, unsigned step, const struct pmu_event *e, unsigned levels)
{
	int64_t n = 0;

	if (!(e->flags & EVENT_ANY_LEVEL) &&
	    !(levels & (counted_at(path, step) ? LEVELS_USER : LEVELS_SYSTEM)))
		return 0;
	for (const struct event_term *t = e->terms; t < e->terms + EVENT_TERMS && t->coefficient; t++)
		n += t->coefficient * ((int64_t)path_amount(path, step, (enum quantity)t->quantity) +
				       besides(path, &path->step[step], (enum quantity)t->quantity));
	return n > 0 ? (uint64_t)n : 0;
}
