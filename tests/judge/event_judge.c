#include "tests/judge/event_judge.h"
#include "tests/judge/attribution.h"
#include "tests/judge/hypervisor_exits.h"
#include "tests/judge/under_hypervisor.h"

#include <stdio.h>
#include <string.h>

enum expectation_status event_expected(const struct event_place *p, uint64_t n, struct expectation *out)
{
	if (expectation_at_level(p->event, p->kernel, p->level, n, p->pmu->attribution, out))
		return out->status;
	if (!p->pmu->deterministic)
		attribution_allow_more(p->pmu->attribution, out, p->event, p->kernel, p->level, n);
	return expectation_fits(out, p->share, p->highest);
}

/* Every raw count was 0. */
static bool never_moved(const struct event_place *p, const struct observation *o, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (o[i].seen.min != -p->share || o[i].seen.max != -p->share)
			return false;
	return true;
}

/* In a virtual machine: what is the hypervisor's doing. */
static void excuse(const struct event_place *p, const struct observation *o, unsigned count,
		   struct judgement *out)
{
	hypervisor_exits_excuse(&(struct hypervisor_exits_place){p->pmu, p->event, p->kernel, p->bracket,
								 p->level, p->level != 0, false},
				o, count, out);
	if (!verdict_is_bad(out->verdict))
		return;
	if (never_moved(p, o, count) && !(p->event->flags & EVENT_ENUMERATED))
		hypervisor_withholds(p->pmu, out, "this event");
	else if (p->event->rule && p->event->rule->hypervisor)
		hypervisor_causes(p->pmu, out);
}

/* Why it is as it is, where the verdict alone does not tell. */
static void explain(const struct pmu_event *e, const struct expectation *x, struct judgement *out)
{
	size_t used = strlen(out->text);

	if (verdict_is_bad(out->verdict) && e->errata)
		snprintf(out->text + used, sizeof(out->text) - used, " (errata: %s)", e->errata);
	if (out->verdict == VERDICT_WITHIN && x->reason)
		snprintf(out->text, sizeof(out->text), "%s", x->reason);
	if (out->verdict != VERDICT_EXACT)
		return;
	if (x->rule)
		snprintf(out->text, sizeof(out->text), "by rule: %s (%s)", x->rule->text, x->rule->source);
	if (e->terms[0].quantity == Q_NOT_PROVOKED)
		snprintf(out->text, sizeof(out->text), "%s", e->rule->text);
}

void event_judge(const struct event_place *p, const struct observation *o, unsigned count,
		 const struct expectation *x, struct judgement *out)
{
	judge(o, count, out);
	excuse(p, o, count, out);
	explain(p->event, x, out);
}
