#include "tests/measure/passes.h"

#include <stdlib.h>
#include <string.h>

/* What a clock or a cache of a model shows tells nothing of any machine. */
static bool worth_counting(const struct run *run, const struct pmu_event *e)
{
	const char *glob = run->options->event_glob;
	bool asked = run->options->verbose || (glob && *glob && strcmp(glob, "all") && strcmp(glob, "arch"));

	return !run->pmu->virtual || e->judgement == EVENT_EXACT || asked;
}

const char *passes_begin(struct passes *s, const struct run *run)
{
	const struct pmu *pmu = run->pmu;
	struct sched_result schedule;
	const char *why;

	*s = (struct passes){.pmu = pmu};
	s->request = malloc((pmu->n_events + 1) * sizeof *s->request);
	s->place = malloc((pmu->n_events + 1) * sizeof *s->place);
	if (!s->request || !s->place)
		return "there is no memory for so many events";
	for (unsigned i = 0; i < pmu->n_events; i++) {
		struct event_request *r = &s->request[s->n_requests];

		*r = (struct event_request){.event = pmu->events[i], .config.code = pmu->events[i]->code};
		if (event_selected(r->event, run->options->event_glob) && event_counters(pmu, r) &&
		    worth_counting(run, r->event))
			s->n_requests++;
	}
	if (!s->n_requests)
		return "no counter counts any of the events";
	if (!schedule_events(pmu, s->request, s->n_requests, s->place, &schedule, &why))
		return why;
	/* Without a common start each is one of its own. */
	s->n_passes = pmu->joint ? schedule.passes : s->n_requests;
	return NULL;
}

void passes_fill(const struct passes *s, unsigned number, uint8_t levels, struct pass *p)
{
	for (unsigned i = 0; i < s->n_requests; i++)
		if ((s->pmu->joint ? s->place[i].pass : i) == number) {
			struct slot *slot = &p->slot[p->n_slots++];

			*slot = (struct slot){.counter = s->place[i].alternative,
					      .event = s->request[i].event,
					      .config = event_placed(&s->request[i], &s->place[i])};
			slot->config.levels = levels;
		}
}

void passes_end(struct passes *s)
{
	free(s->request);
	free(s->place);
	*s = (struct passes){0};
}
