#include "tests/suites/held_results.h"

#include <stdlib.h>
#include <string.h>

struct held {
	struct held *next;
	struct result r;
	char name[];
};

static bool hold(struct held_results *held, const struct result *r)
{
	size_t size = strlen(r->name) + 1;
	struct held *h = malloc(sizeof *h + size);

	if (!h)
		return false;
	h->next = NULL;
	h->r = *r;
	h->r.name = memcpy(h->name, r->name, size);
	if (held->last)
		held->last->next = h;
	else
		held->first = h;
	held->last = h;
	return true;
}

void held_results_take(struct held_results *held, struct run *run, const struct result *r)
{
	bool bad = verdict_is_bad(r->judgement.verdict);

	if (bad && hold(held, r))
		return;
	if (bad)
		held_results_report(held, run);
	run->report(run, r);
}

void held_results_report(struct held_results *held, struct run *run)
{
	for (struct held *h = held->first, *next; h; h = next) {
		next = h->next;
		run->report(run, &h->r);
		free(h);
	}
	*held = (struct held_results){0};
}
