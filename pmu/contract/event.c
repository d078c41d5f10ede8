#include "pmu/contract/event.h"

#include <string.h>
#include <strings.h>

const struct pmu_event *event_by_name(const struct pmu_event *const *rows, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcasecmp(rows[i]->name, name))
			return rows[i];
	return NULL;
}

void event_mean(struct pmu_event *out, const struct pmu_event *from)
{
	memcpy(out->terms, from->terms, sizeof out->terms);
	out->judgement = from->judgement;
	out->flags = from->flags;
	out->rule = from->rule;
	out->floor = from->floor;
	out->source = from->source;
}

bool event_rule_allows(const struct event_rule *rule)
{
	return rule && (rule->may[0].times || rule->edge || rule->fold);
}

void event_follow(struct pmu_event *e, const struct event_rule *rule)
{
	unsigned n = 0;

	e->rule = rule;
	while (n < EVENT_TERMS && e->terms[n].coefficient)
		n++;
	for (unsigned i = 0; rule && rule->also[i].coefficient && n < EVENT_TERMS; i++)
		e->terms[n++] = rule->also[i];
}

bool event_clashes(const struct pmu_event *a, const struct pmu_event *b)
{
	return a->extra_register && a->extra_register == b->extra_register &&
	       a->extra_value != b->extra_value;
}

bool event_is_micro(const struct pmu_event *e)
{
	for (unsigned i = 0; i < EVENT_TERMS && e->terms[i].coefficient; i++)
		if (quantity_info[e->terms[i].quantity].class == QUANTITY_MICRO)
			return true;
	return false;
}

unsigned event_own_terms(const struct pmu_event *e)
{
	unsigned n = 0, added = 0;

	while (n < EVENT_TERMS && e->terms[n].coefficient)
		n++;
	while (e->rule && e->rule->also[added].coefficient)
		added++;
	return n > added ? n - added : 0;
}

int event_coefficient(const struct pmu_event *e, enum quantity q)
{
	int sum = 0;
	for (unsigned i = 0; i < EVENT_TERMS && e->terms[i].coefficient; i++)
		if (e->terms[i].quantity == q)
			sum += e->terms[i].coefficient;
	return sum;
}

bool event_counts_instructions(const struct pmu_event *e)
{
	static const quantity_number delivered[] = {Q_INTERRUPTS_HW, Q_INTERRUPTS_NMI, Q_EXCEPTIONS};
	unsigned others = 0;

	for (unsigned i = 0; i < sizeof(delivered) / sizeof(delivered[0]); i++)
		others += event_coefficient(e, (enum quantity)delivered[i]) != 0;
	return event_coefficient(e, Q_INSTRUCTIONS) == 1 && event_own_terms(e) == 1 + others;
}
