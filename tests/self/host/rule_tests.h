/*
 * What every event row's rule must be like, whatever the family.
 */
#ifndef TESTS_SELF_HOST_RULE_TESTS_H
#define TESTS_SELF_HOST_RULE_TESTS_H

#include "pmu/contract/event.h"

static inline bool is_architectural(const struct event_allowance *m)
{
	return m->quantity < Q_COUNT && quantity_info[m->quantity].class == QUANTITY_ARCH && !m->again;
}

static inline unsigned times_of(const struct event_allowance *list, enum quantity q)
{
	unsigned times = 0;

	for (unsigned i = 0; i < RULE_DELIVERIES && list[i].times; i++)
		times += list[i].quantity == q ? (unsigned)list[i].times : 0;
	return times;
}

/** Whether interrupts count alike: the processor does the same for one that can be masked and one that
 * cannot. */
static inline bool deliveries_alike(const struct event_allowance *list)
{
	return times_of(list, Q_INTERRUPTS_HW) == times_of(list, Q_INTERRUPTS_NMI);
}

/** What is wrong with a list of deliveries; NULL if nothing is. */
static inline const char *deliveries_fault(const struct event_deliveries *d)
{
	if (!d)
		return NULL;
	if (!d->text || !d->source || d->kind > DELIVERED_STORES)
		return "deliveries without words, source or kind";
	if (d->all[RULE_DELIVERIES - 1].times || d->user[RULE_DELIVERIES - 1].times || !d->user[0].times)
		return "deliveries without an end, or none in ring 3";
	for (unsigned i = 0; i < RULE_DELIVERIES; i++)
		if ((d->all[i].times && !is_architectural(&d->all[i])) ||
		    (d->user[i].times && !is_architectural(&d->user[i])))
			return "deliveries are of what is delivered";
	if (!deliveries_alike(d->all) || !deliveries_alike(d->user))
		return "interrupts that can be masked count otherwise than those that cannot";
	return NULL;
}

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
	    r->unsaid[RULE_UNSAID - 1].times || r->less[RULE_LESS - 1].times)
		return "a list without an end";
	for (const struct event_allowance *m = r->may; m->times; m++)
		if (m->quantity >= Q_COUNT || m->quantity == Q_NOT_PROVOKED)
			return "an allowance for no quantity";
	/* Of assists kernels with such arithmetic tell how many there may be. */
	for (const struct event_allowance *m = r->unsaid; m->times; m++)
		if (!is_architectural(m) && m->quantity != Q_ASSISTS_FP)
			return "unsaid is what only instructions can tell";
	for (const struct event_allowance *m = r->less; m->times; m++)
		if (!is_architectural(m))
			return "left out is what only instructions can tell";
	if (deliveries_fault(r->deliveries))
		return deliveries_fault(r->deliveries);
	for (const struct event_term *t = r->also; t->coefficient; t++)
		if (!event_coefficient(e, (enum quantity)t->quantity))
			return "a term of the rule is none of the event";
	if (r->also[0].coefficient && !r->source)
		return "an exception that nobody has published";
	return NULL;
}

#endif
