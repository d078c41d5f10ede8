#include "tests/suites/response.h"
#include "tests/ladder.h"
#include "tests/pass.h"
#include "tests/response.h"

#include "pmu/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RESPONSE_MS    20000
#define SIGNATURE_TEXT 700

static struct run *run;
static struct response_space space;
static uint64_t first_n;
static unsigned reps, n_scanned, n_passes;
static bool no_memory;

static struct scanned {
	const struct pmu_event *event;
	bool placed;
	unsigned pass, counter;        /* where it is counted */
	int64_t *count;                /* by point of the space */
	const char *failure;           /* why it is not counted (any more) */
	const struct kernel *unsteady; /* on this kernel counts differ from run to run */
	struct judgement broken;       /* what befell the whole pass */
} * scanned;

/* With what the pass that is being filled has already. */
static bool clashes(const struct pmu_event *e, unsigned c)
{
	for (unsigned i = 0; i < n_scanned; i++)
		if (scanned[i].placed && scanned[i].pass == n_passes &&
		    (event_clashes(scanned[i].event, e) ||
		     event_takes(run->pmu, scanned[i].event, scanned[i].counter) &
			     event_takes(run->pmu, e, c)))
			return true;
	return false;
}

/* Counters in turn take the first event left that they can count, until all have a place. */
static void place_all(void)
{
	const struct pmu *pmu = run->pmu;
	unsigned left = n_scanned, before;

	for (n_passes = 0; left; n_passes++) {
		before = left;
		for (unsigned c = 0; c < pmu->n_counters; c++) {
			if (!ladder_allows(run->ladder, c, RUNG_EXACT_ON_NOPS))
				continue;
			for (unsigned i = 0; i < n_scanned; i++) {
				if (scanned[i].placed || !pmu->driver->can_count(pmu, scanned[i].event, c) ||
				    clashes(scanned[i].event, c))
					continue;
				scanned[i].pass = n_passes;
				scanned[i].counter = c;
				scanned[i].placed = true;
				left--;
				break;
			}
			/* What cannot be started together takes a pass each. */
			if (left < before && !pmu->has_global)
				break;
		}
		if (left == before)
			break;
	}
	for (unsigned i = 0; i < n_scanned; i++)
		if (!scanned[i].placed)
			scanned[i].failure = "no counter that is to be believed can count it";
}

void response_begin(struct run *r, uint64_t n, unsigned repetitions)
{
	const struct pmu *pmu = r->pmu;

	run = r;
	first_n = n;
	reps = repetitions;
	n_scanned = 0;
	no_memory = false;
	if (!pmu->n_unexplained)
		return;
	scanned = calloc(pmu->n_unexplained, sizeof *scanned);
	no_memory = !scanned;
	for (unsigned i = 0; scanned && i < pmu->n_unexplained; i++) {
		const struct pmu_event *e = pmu->events[pmu->n_events + i];

		if (event_selected(e, run->options->event_glob))
			scanned[n_scanned++].event = e;
	}
	space.n = n;
	place_all();
}

/* --- counting --------------------------------------------------------------------------------------- */

static bool room_for_kernel(const struct kernel *k)
{
	for (unsigned i = 0; i < n_scanned; i++) {
		unsigned points = response_points(&space);
		int64_t *more = realloc(scanned[i].count, (points + RESPONSE_MULTIPLES) * sizeof *more);

		if (!more)
			return false;
		scanned[i].count = more;
		memset(more + points, 0, RESPONSE_MULTIPLES * sizeof *more);
	}
	return response_add(&space, k);
}

static struct scanned *on_counter(unsigned pass, unsigned counter)
{
	for (unsigned i = 0; i < n_scanned; i++)
		if (!scanned[i].failure && scanned[i].pass == pass && scanned[i].counter == counter)
			return &scanned[i];
	return NULL;
}

static struct scanned *by_event(const struct pmu_event *event)
{
	struct scanned *e = scanned;

	while (e->event != event)
		e++;
	return e;
}

static void keep(const struct pass *p, unsigned slot, struct scanned *e)
{
	unsigned at = response_points(&space) - RESPONSE_MULTIPLES;

	for (unsigned m = 0; m < RESPONSE_MULTIPLES; m++) {
		struct histogram seen = {0};

		for (unsigned rep = 0; rep < p->reps; rep++)
			histogram_add(&seen, (int64_t)pass_raw(p, m, rep, slot));
		if (!response_count(&seen, &e->count[at + m]) && !e->unsteady)
			e->unsteady = p->kernel;
	}
}

/* @return false if one of them was refused: without it the others may do */
static bool count_pass(struct pass *p)
{
	struct result r = {0};
	bool done;

	p->raw = calloc(pass_size(p), sizeof *p->raw);
	done = p->raw && run->call(run, pass_run, p, RESPONSE_MS, &r);
	if (!p->raw)
		judgement_set(&r.judgement, VERDICT_ERROR, "no memory for %u counts: ask for fewer reps",
			      pass_size(p));
	for (unsigned s = 0; s < p->n_slots; s++) {
		struct scanned *e = by_event(p->slot[s].event);

		if (!done) {
			e->broken = r.judgement;
			e->failure = e->broken.text;
		} else if (p->failure && p->slot[s].counter == p->failed_counter) {
			e->failure = p->failure;
		} else if (!p->failure) {
			keep(p, s, e);
		}
	}
	if (done && !p->failure)
		memcpy(space.own, p->bracket.own, sizeof space.own);
	free(p->raw);
	return !done || !p->failure;
}

void response_measure(const struct kernel *k)
{
	static struct pass p;

	/* How much of anything is on such a kernel is an interval at best. */
	if (!n_scanned || no_memory || kernel_transacts(k))
		return;
	if (!room_for_kernel(k)) {
		no_memory = true;
		return;
	}
	for (unsigned number = 0; number < n_passes; number++)
		do {
			p = (struct pass){.pmu = run->pmu,
					  .kernel = k,
					  .n_count = RESPONSE_MULTIPLES,
					  .n = {first_n, 2 * first_n},
					  .reps = reps};
			for (unsigned c = 0; c < run->pmu->n_counters; c++) {
				const struct scanned *e = on_counter(number, c);

				if (e)
					p.slot[p.n_slots++] = pass_slot(e->event, c, RING_ALL);
			}
		} while (p.n_slots && !count_pass(&p));
}

/* --- telling ---------------------------------------------------------------------------------------- */

static void tell(const struct scanned *e, const char *format, const char *what)
{
	struct result r = {.suite = "events",
			   .name = e->event->name,
			   .event = e->event->name,
			   .counter = run->pmu->counter[e->counter].name,
			   .encoding = e->event->code,
			   .manual = e->event->source,
			   .virtual = run->pmu->virtual};

	judgement_set(&r.judgement, VERDICT_SKIPPED, format, what);
	run->report(run, &r);
}

/* The microarchitectures whose meaning of the name fits what was counted, or does not. */
static unsigned list_meanings(const struct scanned *e, bool fitting, const char *first, char *text,
			      size_t size)
{
	const struct pmu_driver *d = run->pmu->driver;
	struct pmu_event meant;
	const char *core;
	unsigned n = 0;

	for (unsigned i = 0; d->candidate && d->candidate(e->event, i, &meant, &core); i++)
		if (response_fits(&space, e->count, &meant, !run->pmu->deterministic) == fitting) {
			size_t at = strlen(text);

			snprintf(text + at, size - at, "%s %s", n++ ? " and" : first, core);
		}
	return n;
}

static void say_meanings(const struct scanned *e, char *text, size_t size)
{
	unsigned fit = list_meanings(e, true, "; its name means this on", text, size);

	list_meanings(e, false, fit ? ", something else on" : "; its name means something else on", text,
		      size);
}

void response_report(void)
{
	char text[JUDGEMENT_TEXT], signature[SIGNATURE_TEXT];
	bool prepared = n_scanned && !no_memory && space.n_kernels && response_prepare(&space);
	struct response response;

	for (unsigned i = 0; i < n_scanned; i++) {
		const struct scanned *e = &scanned[i];

		if (e->failure)
			tell(e, "meaning unknown, and not counted: %s", e->failure);
		else if (e->unsteady)
			tell(e, "meaning unknown; its counts differ from run to run, on kernel %s first",
			     e->unsteady->name);
		else if (!prepared)
			tell(e, "meaning unknown, and not compared with what is known: %s",
			     no_memory || space.n_kernels ? "no memory" : "no kernel was fit");
		if (e->failure || e->unsteady || !prepared)
			continue;
		response_match(&space, e->count, &response);
		response_say(&space, &response, text, sizeof text);
		say_meanings(e, text, sizeof text);
		tell(e, "meaning unknown; %s", text);
		response_signature(&space, e->count, signature, sizeof signature);
		if (signature[0])
			run->value(run, "events", e->event->name, signature, "");
	}
	if (!scanned && no_memory && run->pmu->n_unexplained)
		run->value(run, "events", "events of unknown meaning", "not counted, no memory", "");
	for (unsigned i = 0; i < n_scanned; i++)
		free(scanned[i].count);
	free(scanned);
	scanned = NULL;
	n_scanned = 0;
	response_free(&space);
}
