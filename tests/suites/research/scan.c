/*
 * Encodings that nobody documents: event selects and unit masks, each counted on every kernel that is
 * selected. What answers is held against the row that has the encoding; where none has, against what is known
 * (tests/judge/response.h). Nothing is judged: what an encoding that no manual has should count, no manual
 * says.
 */
#include "tests/suites/research/scan.h"
#include "tests/suites/suites.h"
#include "tests/measure/measure.h"
#include "tests/measure/scan.h"
#include "tests/measure/scan_range.h"
#include "tests/judge/truth.h"

#include "arch/exceptions.h"
#include "pmu/events/grammar.h"
#include "pmu/events/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_VIRTUAL       1
#define N_HARDWARE      100
#define REPS_VIRTUAL    1
#define REPS_MAX        10
#define SELECTS_VIRTUAL 0x2ff /* AMD's models have no event behind it, and thousands take minutes to step */
#define BATCH           256
#define NAME_SIZE       20
#define SIGNATURE_TEXT  700
#define ALIKE_MAX       2 /* documented events that an encoding counts like, named */

/* An encoding, and what is documented of it. */
struct code {
	char name[NAME_SIZE]; /* "r20c4" */
	struct pmu_event event;
	const struct pmu_event *row; /* the row that has it, and nothing besides; NULL: none */
	bool documented;             /* with or without a register, a threshold or the like besides */
};

static struct scanner {
	struct scan scan;
	struct scan_ranges ranges;
	uint64_t selector;  /* all bits of event select and unit mask */
	bool every_counter; /* those that count nothing are counted by each */
	struct code code[BATCH];
	struct disputed disputed[DISPUTED_MAX];
	unsigned n_disputed;
	unsigned counted, silent, as_documented, otherwise, not_compared, undocumented, refused;
	char refusal[112]; /* the first */
} scanner;

unsigned scan_most_select(const struct pmu *pmu)
{
	return pmu->most_select ? pmu->most_select : (unsigned)event_field_limit(pmu, "event");
}

unsigned scan_most_mask(const struct pmu *pmu)
{
	return (unsigned)event_field_limit(pmu, "umask");
}

bool scan_fits(const struct pmu *pmu, const char *ranges)
{
	struct scan_ranges r;

	return !scan_most_mask(pmu) || (scan_ranges_parse(ranges, &r) &&
					scan_ranges_fit(&r, scan_most_select(pmu), scan_most_mask(pmu)));
}

/* --- encodings -------------------------------------------------------------------------------------- */

static bool encode(const struct pmu *pmu, uint64_t select, uint64_t mask, struct event_request *out)
{
	char text[48];

	snprintf(text, sizeof text, "cpu/event=0x%lx,umask=0x%lx/", (unsigned long)select,
		 (unsigned long)mask);
	return event_parse(pmu, text, out, 1, NULL) == 1;
}

static void look_up(const struct scanner *s, struct code *code)
{
	const struct pmu *pmu = s->scan.run->pmu;

	for (unsigned i = 0; i < pmu->n_events + pmu->n_unexplained; i++) {
		const struct pmu_event *e = pmu->events[i];

		if (!e->counters || (e->code ^ code->event.code) & s->selector)
			continue;
		code->documented = true;
		if (i < pmu->n_events && e->code == code->event.code && !e->extra_register && !code->row)
			code->row = e;
	}
	/* Of an event with two encodings the table may have the other one. */
	for (const struct disputed *d = s->disputed; !code->row && d < s->disputed + s->n_disputed; d++)
		if (d->vendors.code == code->event.code)
			code->row = d->row;
	code->documented |= code->row != NULL;
}

static void refuse(struct scanner *s, const char *name, const char *why)
{
	if (!s->refused++)
		snprintf(s->refusal, sizeof s->refusal, ", first %s: %s", name, why);
}

/* @return false if the encoding cannot be programmed by itself */
static bool make_code(struct scanner *s, const struct scan_code *at, struct code *code)
{
	const struct pmu *pmu = s->scan.run->pmu;
	struct event_request request;
	struct sched_alternative way[SCHEDULE_ALTERNATIVES];
	const char *why;

	encode(pmu, at->select, at->mask, &request);
	/* Any counter with a selector may count what nobody says anything of. */
	*code = (struct code){.event = {.code = request.config.code, .counters = UINT32_MAX, .fixed = -1}};
	snprintf(code->name, sizeof code->name, "r%lx", (unsigned long)code->event.code);
	if (pmu->driver->alternatives && !pmu->driver->alternatives(pmu, &request, way, &why)) {
		refuse(s, code->name, why);
		return false;
	}
	look_up(s, code);
	if (code->row)
		code->event = *code->row;
	code->event.code = request.config.code;
	code->event.name = code->name;
	return true;
}

/* --- telling ---------------------------------------------------------------------------------------- */

/* Documented events that mean exactly what was counted. */
static void list_alike(const struct scan *s, const struct scanned *e, char *text, size_t size)
{
	const struct pmu *pmu = s->run->pmu;
	unsigned n = 0;

	for (unsigned i = 0; scan_answers(s, e) && i < pmu->n_events && n < ALIKE_MAX; i++) {
		const struct pmu_event *row = pmu->events[i];
		size_t at = strlen(text);

		if (row->judgement == EVENT_EXACT && !event_is_micro(row) && row->fixed < 0 &&
		    response_fits(&s->space, e->count, row, false) == RESPONSE_FIT)
			snprintf(text + at, size - at, "%s%s", n++ ? ", " : "; as is documented of ",
				 row->name);
	}
}

static void tell_documented(struct scanner *s, const struct code *code, const struct scanned *e)
{
	char words[120];
	enum response_fit fit = code->row ? response_fits(&s->scan.space, e->count, code->row,
							  !s->scan.run->pmu->deterministic)
					  : RESPONSE_UNSAID;

	if (fit == RESPONSE_MISFIT) {
		s->otherwise++;
		snprintf(words, sizeof words, "not as documented of %.90s", code->row->name);
		scan_tell_response(&s->scan, e, words, list_alike);
	} else if (fit == RESPONSE_UNSAID) {
		s->not_compared++;
	} else if (scan_answers(&s->scan, e)) {
		s->as_documented++;
		s->scan.run->detail(s->scan.run, "scan", e->event->name, code->row->name, "");
	} else {
		s->silent++;
	}
}

static void tell_one(struct scanner *s, const struct code *code, const struct scanned *e)
{
	static const char *const known[] = {"undocumented", "documented"};

	if (e->failure) {
		refuse(s, e->event->name, e->failure);
		return;
	}
	s->counted++;
	if (e->unsteady) {
		*(code->documented ? &s->not_compared : &s->undocumented) += 1;
		scan_tell(&s->scan, e, "%s; its counts differ from run to run, on kernel %s first",
			  code->row ? code->row->name : known[code->documented], e->unsteady->name);
	} else if (code->documented) {
		tell_documented(s, code, e);
	} else if (scan_answers(&s->scan, e)) {
		s->undocumented++;
		scan_tell_response(&s->scan, e, known[false], list_alike);
	} else {
		s->silent++;
	}
}

/* --- the run ---------------------------------------------------------------------------------------- */

/* The kernels that may tell what an encoding counts. */
static void gather_kernels(struct scanner *s)
{
	struct run *run = s->scan.run;

	for (const struct kernel *k = kernels_begin; k < kernels_end; k++) {
		char name[96];
		struct result r = {.suite = "scan", .name = name};

		if (!kernel_selected(k, run->options->kernel_glob) || k->flags & KERNEL_USER_ONLY ||
		    kernel_unfit(k, 0))
			continue;
		snprintf(name, sizeof name, "ground truth/%s", k->name);
		trap_set_context(name);
		truth_check(k, 0, s->scan.n, &r);
		run->report(run, &r);
		if (!verdict_is_bad(r.judgement.verdict))
			scan_add_kernel(&s->scan, k);
	}
}

static void measure(struct scanner *s)
{
	scan_place(&s->scan);
	do
		for (unsigned k = 0; k < s->scan.space.n_kernels; k++)
			scan_measure(&s->scan, k);
	while (s->every_counter && scan_try_others(&s->scan));
}

/* @return whether there are more behind these */
static bool scan_batch(struct scanner *s, struct scan_code *at)
{
	bool more = true;
	unsigned n = 0;

	if (!scan_begin(&s->scan, BATCH))
		return false;
	while (n < BATCH && (more = scan_next(&s->ranges, at)))
		if (make_code(s, at, &s->code[n]))
			scan_add(&s->scan, &s->code[n++].event);
	measure(s);
	if (!s->scan.no_memory && !s->scan.space.memory && !response_prepare(&s->scan.space))
		s->scan.no_memory = true;
	for (unsigned i = 0; i < s->scan.n_scanned && !s->scan.no_memory; i++)
		tell_one(s, &s->code[i], &s->scan.scanned[i]);
	scan_forget(&s->scan);
	return more && !s->scan.no_memory;
}

static void report_tallies(const struct scanner *s)
{
	const struct run *run = s->scan.run;
	char text[JUDGEMENT_TEXT];

	snprintf(text, sizeof text,
		 "%u on %u kernels: %u count nothing; documented: %u as documented, %u otherwise, %u not "
		 "compared; "
		 "undocumented: %u; not counted: %u%s",
		 s->counted, s->scan.space.n_kernels, s->silent, s->as_documented, s->otherwise,
		 s->not_compared, s->undocumented, s->refused, s->refusal);
	run->value(s->scan.run, "scan", "encodings", text, "");
}

static void run_scan(struct run *run)
{
	static struct scanner *const s = &scanner;
	const struct run_options *o = run->options;
	const char *asked = o->scan ? o->scan : "";
	struct scan_code at = {0};
	struct event_request all;
	unsigned most;

	*s = (struct scanner){.scan = {.run = run, .suite = "scan"}};
	if (!run->pmu) {
		run_skip(run, "scan", "scan", NULL, "there is no PMU");
		return;
	}
	most = scan_most_select(run->pmu);
	if (!encode(run->pmu, most, scan_most_mask(run->pmu), &all)) {
		run_skip(run, "scan", "scan", NULL,
			 "this family's selectors are no event select and unit mask");
		return;
	}
	s->selector = all.config.code;
	s->n_disputed = disputed_list(run->pmu, s->disputed);
	if (run->pmu->deterministic && most > SELECTS_VIRTUAL)
		most = SELECTS_VIRTUAL;
	scan_ranges_parse(*asked ? asked : "0", &s->ranges);
	if (!*asked)
		s->ranges.range[0].select_end = (uint16_t)most;
	s->every_counter = *asked || !run->pmu->deterministic;
	s->scan.n = o->n ? o->n : run->pmu->deterministic ? N_VIRTUAL : N_HARDWARE;
	s->scan.reps = o->reps ? o->reps : run->pmu->deterministic ? REPS_VIRTUAL : REPS_MAX;
	gather_kernels(s);
	if (!s->scan.space.n_kernels)
		run_skip(run, "scan", "scan", NULL, "no kernel was fit");
	else
		while (scan_batch(s, &at))
			;
	if (s->scan.no_memory)
		run_skip(run, "scan", "scan", NULL, "broken off, no memory: select fewer kernels");
	report_tallies(s);
	scan_end(&s->scan);
}

const struct suite suite_scan = {"scan", "encodings against what is documented and known", run_scan, NULL};
