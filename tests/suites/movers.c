#include "tests/suites/movers.h"
#include "tests/kernels/kernel.h"

#include <stdio.h>
#include <string.h>

void movers_note(struct movers *m, const struct kernel *k, bool counted, const struct judgement *j)
{
	size_t used = strlen(m->names);

	m->ticked |= counted;
	if (j->verdict != VERDICT_DEAD || m->last == k) /* its rings and counters follow each other */
		return;
	m->last = k;
	m->kernels++;
	if (m->cut)
		return;
	m->cut = used + strlen(k->name) + 8 >= sizeof m->names;
	snprintf(m->names + used, sizeof m->names - used, "%s%s", used ? ", " : "", m->cut ? "..." : k->name);
}

void movers_report(struct run *run, const struct movers *by_event)
{
	for (unsigned i = 0; i < run->pmu->n_events; i++) {
		const struct pmu_event *e = run->pmu->events[i];
		const struct movers *m = &by_event[i];
		char name[160];
		struct result r = {.suite = "events",
				   .name = name,
				   .event = e->name,
				   .encoding = e->code,
				   .manual = e->source,
				   .virtual = run->pmu->virtual};

		if (!m->kernels || m->ticked)
			continue;
		snprintf(name, sizeof name, "%s/all kernels", e->name);
		judgement_set(&r.judgement, VERDICT_DEAD, "0 everywhere; %u kernel%s must move it: %s",
			      m->kernels, m->kernels > 1 ? "s" : "", m->names);
		run->report(run, &r);
	}
}
