/*
 * What every event row's rule must be like, whatever the family.
 */
#ifndef TESTS_HOST_RULE_TESTS_H
#define TESTS_HOST_RULE_TESTS_H

#include "pmu/event.h"

/** An event that counts at least something says by its rule what else; a rule's lists end, and what it adds
 * is among the terms and has a source. @return what is wrong; NULL if nothing is */
static inline const char *rule_fault(const struct pmu_event *e)
{
	const struct event_rule *r = e->rule;

	if (e->judgement == EVENT_AT_LEAST && !event_rule_allows(r))
		return "at least so many, and no rule says what else counts";
	if (!r)
		return NULL;
	if (!r->text || !*r->text)
		return "a rule without words";
	if (r->also[RULE_ALSO - 1].coefficient || r->may[RULE_MAY - 1].times ||
	    r->unsaid[RULE_UNSAID - 1].times)
		return "a list without an end";
	for (const struct event_allowance *m = r->may; m->times; m++)
		if (m->quantity >= Q_COUNT || m->quantity == Q_NOT_PROVOKED)
			return "an allowance for no quantity";
	for (const struct event_allowance *m = r->unsaid; m->times; m++)
		if (m->quantity >= Q_COUNT || quantity_info[m->quantity].class != QUANTITY_ARCH || m->again)
			return "unsaid is what only instructions can tell";
	for (const struct event_term *t = r->also; t->coefficient; t++)
		if (!event_coefficient(e, (enum quantity)t->quantity))
			return "a term of the rule is none of the event";
	if (r->also[0].coefficient && !r->source)
		return "an exception that nobody has published";
	return NULL;
}

#endif
