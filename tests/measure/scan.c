#include "tests/measure/scan.h"
#include "tests/judge/ladder.h"
#include "tests/measure/pass.h"

#include "pmu/events/schedule.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCAN_MS        20000
#define SIGNATURE_TEXT 700
#define NOWHERE        UINT_MAX /* pass of what is not to be counted (again) */

bool scan_begin(struct scan *s, unsigned events)
{
	size_t kernels = 0;

	for (const struct kernel *k = kernels_begin; k < kernels_end; k++)
		kernels += kernel_selected(k, s->run->options->kernel_glob);
	s->n_scanned = 0;
	s->points = kernels * RESPONSE_MULTIPLES;
	s->scanned = calloc(events, sizeof *s->scanned);
	s->count = calloc(events, s->points * sizeof *s->count);
	s->no_memory = !s->scanned || !s->count;
	s->space.n = s->n;
	return !s->no_memory;
}

unsigned disputed_list(const struct pmu *pmu, struct disputed *out)
{
	unsigned n = 0;

	while (pmu->driver->disputed && n < DISPUTED_MAX &&
	       (out[n].row = pmu->driver->disputed(pmu, n, &out[n].vendors, &out[n].peers)))
		n++;
	return n;
}

void scan_add(struct scan *s, const struct pmu_event *e)
{
	s->scanned[s->n_scanned] = (struct scanned){.event = e, .count = s->count + s->n_scanned * s->points};
	s->n_scanned++;
}

bool scan_add_kernel(struct scan *s, const struct kernel *k)
{
	s->no_memory = s->no_memory || (!kernel_transacts(k) && !response_add(&s->space, k));
	return !s->no_memory && !kernel_transacts(k);
}

/* --- a counter for each ----------------------------------------------------------------------------- */

/* With what the pass that is being filled has already. */
static bool clashes(const struct scan *s, const struct pmu_event *e, unsigned c)
{
	const struct pmu *pmu = s->run->pmu;

	for (unsigned i = 0; i < s->n_scanned; i++)
		if (s->scanned[i].placed && s->scanned[i].pass == s->n_passes &&
		    (event_clashes(s->scanned[i].event, e) ||
		     event_takes(pmu, s->scanned[i].event, s->scanned[i].counter) & event_takes(pmu, e, c)))
			return true;
	return false;
}

static bool may_count(const struct scan *s, const struct scanned *e, unsigned c)
{
	return ladder_allows(s->run->ladder, c, RUNG_EXACT_ON_NOPS) && !(e->tried >> c & 1) &&
	       s->run->pmu->driver->can_count(s->run->pmu, e->event, c);
}

/* The first event left that counter c can count. @return whether there was one */
static bool place_one(struct scan *s, unsigned c)
{
	for (unsigned i = 0; i < s->n_scanned; i++) {
		struct scanned *e = &s->scanned[i];

		if (e->placed || !may_count(s, e, c) || clashes(s, e->event, c))
			continue;
		e->pass = s->n_passes;
		e->counter = c;
		e->placed = true;
		return true;
	}
	return false;
}

/* Counters in turn, until all that can have a place have one. */
void scan_place(struct scan *s)
{
	const struct pmu *pmu = s->run->pmu;
	bool any = true;

	for (s->n_passes = 0; any; s->n_passes += any) {
		any = false;
		/* What cannot be started together takes a pass each. */
		for (unsigned c = 0; c < pmu->n_counters && (pmu->has_global || !any); c++)
			any |= place_one(s, c);
	}
	for (unsigned i = 0; i < s->n_scanned; i++)
		if (!s->scanned[i].placed) {
			s->scanned[i].failure = "no counter that is to be believed can count it";
			s->scanned[i].pass = NOWHERE;
		}
}

bool scan_answers(const struct scan *s, const struct scanned *e)
{
	for (unsigned p = 0; p < response_points(&s->space); p++)
		if (e->count[p])
			return true;
	return false;
}

bool scan_try_others(struct scan *s)
{
	bool any = false;

	for (unsigned i = 0; i < s->n_scanned; i++) {
		struct scanned *e = &s->scanned[i];
		unsigned others = 0;

		e->tried |= UINT32_C(1) << e->counter;
		for (unsigned c = 0; c < s->run->pmu->n_counters; c++)
			others += may_count(s, e, c);
		e->pass = NOWHERE;
		e->placed = !others || e->failure || e->unsteady || scan_answers(s, e);
		any |= !e->placed;
	}
	if (any)
		scan_place(s);
	return any;
}

/* --- counting --------------------------------------------------------------------------------------- */

static struct scanned *on_counter(const struct scan *s, unsigned pass, unsigned counter)
{
	for (unsigned i = 0; i < s->n_scanned; i++)
		if (s->scanned[i].pass == pass && s->scanned[i].counter == counter && !s->scanned[i].failure)
			return &s->scanned[i];
	return NULL;
}

static void keep(const struct pass *p, unsigned slot, struct scanned *e, unsigned at)
{
	for (unsigned m = 0; m < RESPONSE_MULTIPLES; m++) {
		struct histogram seen = {0};

		for (unsigned rep = 0; rep < p->reps; rep++)
			histogram_add(&seen, (int64_t)pass_raw(p, m, rep, slot));
		if (!response_count(&seen, &e->count[at + m]) && !e->unsteady)
			e->unsteady = p->kernel;
	}
}

/* What the bracket contributes, with the writes that every counter of this PMU counts. */
static void take_own(struct scan *s, const struct pass *p)
{
	unsigned writes = (p->pmu->counts_start == UINT64_MAX) + (p->pmu->counts_stop == UINT64_MAX), n = 0;
	struct qterm *own = s->space.own;

	memcpy(own, p->bracket.own, sizeof s->space.own);
	while (own[n].amount)
		n++;
	if (!p->level && writes) {
		own[n++] = (struct qterm){Q_INSTRUCTIONS, writes};
		own[n++] = (struct qterm){Q_INSN_REGISTER_WRITE, writes};
		own[n++] = (struct qterm){Q_INSN_SERIALIZING, writes};
	}
}

/* @return false if one of them was refused: without it the others may do */
static bool count_pass(struct scan *s, struct pass *p, struct scanned *const *in_slot, unsigned at)
{
	struct result r = {0};
	bool done;

	p->raw = calloc(pass_size(p), sizeof *p->raw);
	done = p->raw && s->run->call(s->run, pass_run, p, SCAN_MS, &r);
	if (!p->raw)
		judgement_set(&r.judgement, VERDICT_ERROR, "no memory for %u counts: ask for fewer reps",
			      pass_size(p));
	for (unsigned i = 0; i < p->n_slots; i++) {
		struct scanned *e = in_slot[i];

		if (!done) {
			e->broken = r.judgement;
			e->failure = e->broken.text;
		} else if (p->failure && p->slot[i].counter == p->failed_counter) {
			e->failure = p->failure;
		} else if (!p->failure) {
			keep(p, i, e, at);
		}
	}
	if (done && !p->failure)
		take_own(s, p);
	free(p->raw);
	return !done || !p->failure;
}

void scan_measure(struct scan *s, unsigned kernel)
{
	static struct pass p;
	struct scanned *in_slot[PMU_COUNTERS_MAX];

	for (unsigned number = 0; number < s->n_passes; number++)
		do {
			p = (struct pass){.pmu = s->run->pmu,
					  .kernel = s->space.kernel[kernel],
					  .n_count = RESPONSE_MULTIPLES,
					  .n = {s->n, 2 * s->n},
					  .reps = s->reps};
			for (unsigned c = 0; c < s->run->pmu->n_counters; c++) {
				struct scanned *e = on_counter(s, number, c);

				if (!e)
					continue;
				in_slot[p.n_slots] = e;
				p.slot[p.n_slots++] = pass_slot(e->event, c, LEVELS_ALL);
			}
		} while (p.n_slots && !count_pass(s, &p, in_slot, kernel * RESPONSE_MULTIPLES));
}

/* --- telling ---------------------------------------------------------------------------------------- */

void scan_tell(const struct scan *s, const struct scanned *e, const char *format, ...)
{
	struct result r = {.suite = s->suite,
			   .name = e->event->name,
			   .event = e->event->name,
			   .counter = s->run->pmu->counter[e->counter].name,
			   .encoding = e->event->code,
			   .manual = e->event->source,
			   .virtual = s->run->pmu->virtual,
			   .judgement.verdict = VERDICT_SKIPPED};
	va_list args;

	va_start(args, format);
	vsnprintf(r.judgement.text, sizeof r.judgement.text, format, args);
	va_end(args);
	s->run->report(s->run, &r);
}

void scan_tell_response(const struct scan *s, const struct scanned *e, const char *words,
			void (*more)(const struct scan *s, const struct scanned *e, char *text, size_t size))
{
	char text[JUDGEMENT_TEXT], signature[SIGNATURE_TEXT];
	struct response response;

	response_match(&s->space, e->count, &response);
	response_say(&s->space, &response, text, sizeof text);
	if (more)
		more(s, e, text, sizeof text);
	scan_tell(s, e, "%s; %s", words, text);
	response_signature(&s->space, e->count, signature, sizeof signature);
	if (signature[0])
		s->run->value(s->run, s->suite, e->event->name, signature, "");
}

void scan_forget(struct scan *s)
{
	free(s->scanned);
	free(s->count);
	s->scanned = NULL;
	s->count = NULL;
	s->n_scanned = 0;
}

void scan_end(struct scan *s)
{
	scan_forget(s);
	response_free(&s->space);
}
