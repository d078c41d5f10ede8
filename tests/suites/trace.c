/*
 * Branch traces: what BTS writes to memory and what a last-branch stack holds must be the known path of a
 * kernel, branch for branch: from, to, order. BTS besides: what becomes of a buffer that is full, that starts
 * again at its beginning, that is emptied on interrupts. Filters, where the source has them, leave out what
 * they say and nothing else.
 */
#include "arch/levels.h"
#include "tests/suites/suites.h"
#include "tests/judge/bounds.h"
#include "tests/judge/branch_sampling.h"
#include "tests/judge/expectation.h"
#include "tests/measure/known_path.h"
#include "tests/measure/recording.h"
#include "tests/suites/trace_calls.h"
#include "tests/judge/trace_judge.h"
#include "tests/report/level_words.h"

#include "arch/exceptions.h"
#include "pmu/virtual/vpmu.h"
#include "tests/kernels/roles.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRACE_MS             20000
#define N_VIRTUAL            3
#define N_HARDWARE           20
#define N_MISPREDICTIONS     40   /* enough for a predictor that is always wrong to exceed its bound */
#define WINDOWS_MISPREDICTED 64   /* that a stack of last branches is read after */
#define RECORDS              8000 /* at most */
#define WHOLE                0    /* .records: as many as the kernel can need */
#define SPARE                64   /* branches of the harness around a window in ring 3 */
#define SMALL                8    /* a buffer that every kernel of the selection fills */
#define NAME_SIZE            96
#define TURNS                20 /* turns that have enough branches to sample */

static struct run *run;
static const struct pmu_record_source *source;
static struct path path;
static struct pmu_record *records;

/* What one check records. */
struct trace_check {
	const char *what; /* "BTS whole" */
	uint8_t levels, part;
	bool circular, full, interrupted, call_stack;
	unsigned records, threshold;
	uint8_t interrupts;
	uint32_t without;
	const struct pmu_event *event; /* of sampled branches: what its counter counts, ... */
	uint8_t counted;               /* ... in which rings, ... */
	unsigned period;               /* ... and how many before the first one */
};

static const struct {
	const char *name;
	uint8_t kind;
} kinds[] = {
	{"conditional branches", TRANSFER_CONDITIONAL},
	{"direct jumps", TRANSFER_JUMP},
	{"indirect jumps", TRANSFER_JUMP_INDIRECT},
	{"direct calls", TRANSFER_CALL},
	{"indirect calls", TRANSFER_CALL_INDIRECT},
	{"returns", TRANSFER_RETURN},
	{"far branches", TRANSFER_SYSTEM},
};

static const char *short_name(enum record_kind kind)
{
	return kind == RECORD_BRANCH_TRACE ? "BTS" : kind == RECORD_NEXT_BRANCHES ? "BRS" : "LBR";
}

static void skip(const char *name, const char *why)
{
	run_skip(run, "trace", name, NULL, why);
}

/* --- one check -------------------------------------------------------------------------------------- */

static struct trace_expectation expectation_of(const struct trace_check *c, const struct recorded *rec)
{
	struct trace_expectation x = {
		.path = &path,
		.part = c->part,
		.room = UINT_MAX,
		.levels = c->levels,
		.without = c->without,
		.surrounded = rec->level,
		.interrupted = c->interrupted,
		.address_bits = source->address_bits,
		.level_of_target = source->level_of_target,
		.hides_source = source->hides_source,
		.kernel_at = window_kernel_address(rec->level),
	};

	x.skip = c->period;
	if (source->depth)
		x.room = source->depth;
	else if (c->circular || c->full)
		x.room = c->records;
	return x;
}

static void judge_trace(const struct trace_check *c, const struct recorded *rec, bool whole, struct result *r)
{
	const struct trace_expectation x = expectation_of(c, rec);
	struct trace_judgement j;
	bool reached;

	(c->call_stack ? trace_judge_calls : trace_judge)(&x, rec->record, rec->n_records, &j);
	result_judge(r, rec->n, j.expected, j.expected, j.matched);
	reached = c->threshold && j.expected >= c->threshold; /* few kernels have no branch in each turn */
	if (!j.right)
		judgement_set(&r->judgement, VERDICT_WRONG, "%s", j.why);
	else if (!whole)
		judgement_set(&r->judgement, VERDICT_WRONG, "memory beyond the buffer was written");
	else if (rec->lost)
		judgement_set(&r->judgement, VERDICT_WRONG, "%u more records than branches and room for them",
			      rec->lost);
	else if (rec->n_records < c->threshold && (rec->taken || rec->state.full))
		judgement_set(&r->judgement, VERDICT_WRONG,
			      "%u interrupts%s at %u records, with a threshold of %u", rec->taken,
			      rec->state.full ? " and a full buffer" : "", rec->n_records, c->threshold);
	else if (c->full && reached && !rec->state.full)
		judgement_set(&r->judgement, VERDICT_WRONG, "the buffer is full, and nothing says so");
	else if (c->full && reached && (!rec->taken || (rec->taken > 1 && !rec->pmu->line_stays)))
		judgement_set(&r->judgement, VERDICT_WRONG, "%u interrupts when the buffer was full",
			      rec->taken);
	else if (c->full && reached && !rec->state.overflow)
		judgement_set(&r->judgement, VERDICT_WRONG,
			      "an interrupt at the threshold, and no status says so");
	else if (c->event && rec->taken != 1)
		judgement_set(&r->judgement, VERDICT_WRONG, "%u interrupts after the branches", rec->taken);
	else if (c->interrupted && reached && !rec->taken)
		judgement_set(&r->judgement, VERDICT_WRONG, "no interrupt at the threshold");
}

/* Everything that can be a branch to a trace, and what is the harness's in ring 3. */
static unsigned room_for_all(const struct kernel *k, uint64_t n)
{
	static const quantity_number quantities[] = {Q_BRANCHES, Q_EXCEPTIONS, Q_INTERRUPTS_HW,
						     Q_INTERRUPTS_NMI};
	uint64_t room = SPARE;

	for (unsigned i = 0; i < sizeof quantities / sizeof quantities[0]; i++)
		room += (uint64_t)kernel_amount(k, (enum quantity)quantities[i], n).high;
	return room < RECORDS ? (unsigned)room : RECORDS;
}

/* @return false if there is nothing to judge: *r says why */
static bool record(const struct trace_check *c, struct recorded *rec, struct result *r, bool *whole)
{
	rec->pmu = run->pmu;
	rec->windows = 1;
	rec->interrupts = c->interrupts;
	rec->record = records;
	rec->room = RECORDS;
	rec->recording = (struct pmu_recording){
		.source = source,
		.levels = c->levels,
		.without = c->without,
		.records = c->records != WHOLE ? c->records : room_for_all(rec->kernel, rec->n),
		.threshold = c->threshold,
		.circular = c->circular,
		.call_stack = c->call_stack,
		.period = c->period,
	};
	if (c->event)
		rec->recording.config = (struct pmu_config){.code = c->event->code, .levels = c->counted};
	return recorded_carry_out(run, rec, TRACE_MS, VERDICT_SKIPPED, r, whole);
}

/* The same where rings cannot be told apart: with the harness's branches in front of the kernel's and behind
 * them, for which there must be room. */
static bool record_any_level(struct trace_check *c, struct recorded *rec, struct result *r, bool *whole)
{
	if (record(c, rec, r, whole))
		return true;
	if (!rec->refused || !rec->level || c->levels != LEVELS_USER || c->records != WHOLE || source->depth)
		return false;
	r->judgement = (struct judgement){0};
	c->levels = LEVELS_ALL;
	return record(c, rec, r, whole);
}

/* The branches that are to be recorded are all the kernel's: its first ones or (.part) its last. @return
 * false if it has too few, or what it has is not known */
static bool place_samples(struct trace_check *c, const struct kernel *k, uint8_t level, uint64_t n)
{
	int64_t branches;
	char why[BRANCH_SAMPLING_WHY];

	if (branch_sampling_unforeseen(c->event, c->counted, k, level, n, &branches, why) ||
	    branches <= (int64_t)source->depth)
		return false;
	c->period = c->part == TRACE_LAST ? (unsigned)(branches - source->depth) : 1;
	c->part = TRACE_FIRST;
	return true;
}

static void carry_out(const struct trace_check *check, const struct kernel *k, uint8_t level)
{
	struct trace_check own = *check, *c = &own;
	char name[NAME_SIZE];
	uint64_t n = run->options->n;
	struct recorded rec = {.kernel = k, .level = level};
	struct result r = {
		.suite = "trace",
		.name = name,
		.event = c->what,
		.kernel = k->name,
		.level = level_name(level),
		.manual = source->manual,
		.virtual = run->pmu->virtual,
	};
	struct window w;
	bool whole;

	rec.n = n ? n : run->pmu->virtual ? N_VIRTUAL : N_HARDWARE;
	/* A small buffer is to be filled: any kernel of the selection takes a branch in each iteration but
	 * one. */
	if (c->records && c->records <= 2 * SMALL && rec.n <= c->records)
		rec.n = c->records + 1;
	if (c->event && rec.n < TURNS)
		rec.n = TURNS;
	if (c->event && !place_samples(c, k, level, rec.n))
		return;
	snprintf(name, sizeof name, "%s/%s/%s", c->what, k->name, r.level);
	trap_set_context(name);
	if (c->interrupts != INTERRUPTS_OFF && k->flags & KERNEL_SERVICE_NMI)
		judgement_set(&r.judgement, VERDICT_SKIPPED, "NMIs are the kernel's own");
	else if (record_any_level(c, &rec, &r, &whole)) {
		w = recorded_window(&rec);
		if (known_path(&w, rec.n, &path, &r))
			judge_trace(c, &rec, whole, &r);
	}
	run->report(run, &r);
}

/* --- what is checked -------------------------------------------------------------------------------- */

static bool count_mispredictions(struct trace_check *c, struct recorded *rec, struct result *r, uint64_t *n)
{
	struct trace_judgement j;
	struct window w;
	bool whole;

	if (!record_any_level(c, rec, r, &whole))
		return false;
	w = recorded_window(rec);
	if (!known_path(&w, rec->n, &path, r))
		return false;

	const struct trace_expectation x = expectation_of(c, rec);

	trace_judge(&x, rec->record, rec->n_records, &j);
	*n = j.mispredicted;
	return true;
}

/* Predictors are a machine's own business: as many as the kernel's signature or the general bounds allow. */
static void check_mispredictions(const struct kernel *k, uint8_t level)
{
	struct trace_check c = {.levels = level ? LEVELS_USER : LEVELS_ALL, .records = WHOLE};
	char name[NAME_SIZE], what[24];
	struct recorded rec = {.kernel = k, .level = level, .n = N_MISPREDICTIONS};
	struct amount a = bounds_amount(k, Q_BR_MISPRED, rec.n);
	struct result r = {
		.suite = "trace",
		.name = name,
		.event = what,
		.kernel = k->name,
		.level = level_name(level),
		.manual = source->manual,
		.virtual = run->pmu->virtual,
		.machine_model = run->pmu->virtual,
	};
	uint64_t first, second;

	if (!(source->fields & RECORD_HAS_MISPREDICTED) || !a.defined || a.overflow)
		return;
	snprintf(what, sizeof what, "%s mispredictions", short_name(source->kind));
	snprintf(name, sizeof name, "%s/%s/%s", what, k->name, r.level);
	if (run->pmu->virtual)
		vpmu_cool();
	/* Predictors that know nothing yet are wrong often enough, and the second time not too often: by then
	 * they may have learned what no pattern is behind. */
	if (count_mispredictions(&c, &rec, &r, &first) && count_mispredictions(&c, &rec, &r, &second)) {
		bool too_few = first < (uint64_t)a.low || second < (uint64_t)a.low;

		result_judge(&r, rec.n, a.low, a.high, (int64_t)(too_few ? first : second));
	}
	run->report(run, &r);
}

/*
 * A stack keeps the last branches alone. Where random bits decide at every turn, a window's last branches
 * were all foreseen now and then, but not those of so many windows, each of which has another N and so other
 * bits at its end.
 */
static void check_last_mispredictions(const struct kernel *k, uint8_t level)
{
	struct trace_check c = {
		.what = "LBR mispredictions", .levels = level ? LEVELS_USER : LEVELS_ALL, .part = TRACE_LAST};
	char name[NAME_SIZE];
	struct recorded rec = {.kernel = k, .level = level, .n = N_MISPREDICTIONS};
	struct amount a = bounds_amount(k, Q_BR_MISPRED, rec.n);
	struct result r = {
		.suite = "trace",
		.name = name,
		.event = c.what,
		.kernel = k->name,
		.level = level_name(level),
		.manual = source->manual,
		.virtual = run->pmu->virtual,
		.machine_model = run->pmu->virtual,
	};
	uint64_t told = 0;

	if (!(source->fields & RECORD_HAS_MISPREDICTED) || !a.defined || a.overflow ||
	    a.low < N_MISPREDICTIONS)
		return;
	snprintf(name, sizeof name, "%s/%s/%s", c.what, k->name, r.level);
	for (unsigned i = 0; i < WINDOWS_MISPREDICTED && !told; i++) {
		rec.n = N_MISPREDICTIONS + i;
		if (!count_mispredictions(&c, &rec, &r, &told)) {
			run->report(run, &r);
			return;
		}
	}
	result_judge(&r, rec.n, true, true, told > 0);
	run->report(run, &r);
}

static void check_branch_trace(const struct kernel *k, uint8_t level)
{
	const uint8_t levels = level ? LEVELS_USER : LEVELS_ALL;
	const struct trace_check checks[] = {
		{.what = "BTS whole", .levels = levels, .records = WHOLE},
		{.what = "BTS full",
		 .levels = levels,
		 .full = true,
		 .records = SMALL,
		 .threshold = SMALL,
		 .interrupts = INTERRUPTS_COUNT},
		{.what = "BTS circular",
		 .levels = levels,
		 .part = TRACE_LAST,
		 .circular = true,
		 .records = SMALL},
		/* In ring 0 the handler would trace itself. */
		{.what = "BTS emptied on interrupts",
		 .levels = levels,
		 .interrupted = true,
		 .records = 2 * SMALL,
		 .threshold = SMALL,
		 .interrupts = INTERRUPTS_DRAIN},
	};

	for (unsigned i = 0; i < sizeof checks / sizeof checks[0]; i++)
		if (level || !checks[i].interrupted)
			carry_out(&checks[i], k, level);
	check_mispredictions(k, level);
}

static void check_last_branches(const struct kernel *k, uint8_t level)
{
	const struct trace_check c = {
		.what = "LBR", .levels = level ? LEVELS_USER : LEVELS_ALL, .part = TRACE_LAST};

	carry_out(&c, k, level);
	check_last_mispredictions(k, level);
}

/* The event that starts it; NULL if none does. */
static const struct pmu_event *asked_event;

static void ask_event(void *arg)
{
	const struct pmu *pmu = arg;
	const char *why;

	asked_event = NULL;
	for (unsigned i = 0; i < pmu->n_events && !asked_event; i++) {
		struct pmu_recording r = {.source = source,
					  .levels = LEVELS_ALL,
					  .counter = (unsigned)__builtin_ctzll(source->counters),
					  .config = {.code = pmu->events[i]->code, .levels = LEVELS_ALL}};

		if (pmu->events[i]->judgement == EVENT_EXACT && record_can_sample(pmu, &r, &why))
			asked_event = pmu->events[i];
	}
}

/* All rings are recorded. In ring 3 the counter counts that one alone: the harness's branches on the way
 * there and back are of ring 0. */
static void check_next_branches(const struct kernel *k, uint8_t level)
{
	struct trace_check c = {.what = "BRS of the first branches",
				.levels = LEVELS_ALL,
				.part = TRACE_FIRST,
				.interrupts = INTERRUPTS_COUNT,
				.event = asked_event,
				.counted = level ? LEVELS_USER : LEVELS_ALL};

	carry_out(&c, k, level);
	c.what = "BRS of the last branches";
	c.part = TRACE_LAST;
	carry_out(&c, k, level);
}

/* A ring that is not recorded leaves nothing; a kind of branches that is left out is not there. */
static void check_filters(const struct kernel *k, uint8_t level)
{
	char what[64];
	struct trace_check c = {.what = what,
				.levels = level ? LEVELS_SYSTEM : LEVELS_USER,
				.part = source->depth ? TRACE_LAST : TRACE_FIRST,
				.records = WHOLE};

	snprintf(what, sizeof what, "%s of the other %s", short_name(source->kind), level_heading());
	carry_out(&c, k, level);
	c.levels = level ? LEVELS_USER : LEVELS_ALL;
	for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		if (!(source->filters >> kinds[i].kind & 1))
			continue;
		c.without = 1u << kinds[i].kind;
		snprintf(what, sizeof what, "%s without %s", short_name(source->kind), kinds[i].name);
		carry_out(&c, k, level);
	}
}

/* Of a kernel whose calls all come back nothing is left. */
static void check_returned_calls(const struct kernel *k, uint8_t level)
{
	const struct trace_check c = {
		.what = "LBR call stack", .levels = level ? LEVELS_USER : LEVELS_ALL, .call_stack = true};

	carry_out(&c, k, level);
}

/* The default selection is that of every suite, which has few branches. */
static const char *selection(void)
{
	const char *glob = run->options->kernel_glob;

	return glob && *glob && strcmp(glob, "core") ? glob : kernels_traced;
}

static void check_source(enum record_kind kind)
{
	const char *why;

	source = recording_source(run, kind, &why);
	if (!source) {
		skip(short_name(kind), why);
		return;
	}
	if (kind == RECORD_NEXT_BRANCHES &&
	    (!run->call(run, ask_event, (void *)run->pmu, TRACE_MS, NULL) || !asked_event)) {
		skip(short_name(kind), "no event starts it");
		return;
	}
	if (source->call_stack)
		trace_open_calls(run, source);
	else if (kind == RECORD_LAST_BRANCHES)
		skip("LBR call stack", "this last-branch stack has no mode for call stacks");
	for (const struct kernel *k = kernels_begin; k < kernels_end; k++)
		for (uint8_t level = 0; level <= level_user(); level += (uint8_t)level_user()) {
			if (!kernel_selected(k, selection()) || kernel_transacts(k) || !kernel_has_path(k) ||
			    kernel_unfit(k, level))
				continue;
			if (source->ends_at_debug && kernel_amount(k, Q_EXC_DB, 1).high) {
				skip(k->name, "a debug exception ends recording");
				continue;
			}
			if (kind == RECORD_NEXT_BRANCHES) {
				check_next_branches(k, level);
				continue;
			}
			if (kind == RECORD_BRANCH_TRACE)
				check_branch_trace(k, level);
			else
				check_last_branches(k, level);
			if (source->call_stack && !strncmp(k->name, "calls", 5))
				check_returned_calls(k, level);
			if (!strcmp(k->name, "calls") || !strcmp(k->name, "jumps_indirect"))
				check_filters(k, level);
		}
}

static void run_trace(struct run *the_run)
{
	run = the_run;
	if (!run->pmu) {
		skip("trace", "there is no PMU");
		return;
	}
	records = malloc(RECORDS * sizeof *records);
	if (!path_create(&path, KNOWN_PATH_STEPS, false) || !records) {
		skip("trace", "not enough memory for a path and its records");
	} else {
		check_source(RECORD_BRANCH_TRACE);
		check_source(RECORD_LAST_BRANCHES);
		if (run->pmu->driver->recorder && run->pmu->driver->recorder->kind[RECORD_NEXT_BRANCHES])
			check_source(RECORD_NEXT_BRANCHES);
	}
	path_free(&path);
	free(records);
}

const struct suite suite_trace = {"trace", "branch traces against the known path of kernels", run_trace,
				  NULL};
