/*
 * IBS: one sample in each window, at several periods. What a record says of an operation or a fetch must be
 * what the instruction there does; a window of the same instructions is sampled at the same place each time,
 * once, where nothing but the period decides (the virtual PMU).
 */
#include "arch/levels.h"
#include "tests/suites/sampling.h"
#include "tests/judge/tagged_judge.h"
#include "tests/measure/known_path.h"
#include "tests/measure/recording.h"

#include "arch/memory.h"
#include "arch/exceptions.h"
#include "tests/kernels/roles.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PERIODS        12
#define PERIODS_FETCH  4 /* each turn of a loop may be no more than one fetch */
#define WINDOWS        5 /* of each period */
#define FILTER_PERIODS 3
#define FILTER_TURNS   100
#define MODEL_MEMORY   200 /* cycles of a load from memory on the virtual PMU */
#define WIDEST         8   /* instructions in a cycle, on silicon */
#define TURNS_MARGIN   100 /* instructions behind the last period */

#define COUNTS_CYCLES     (1u << RECORD_UNIT_CYCLES)
#define COUNTS_OPERATIONS (1u << RECORD_UNIT_OPERATIONS)
#define COUNTS_ALL        (COUNTS_CYCLES | COUNTS_OPERATIONS | 1u << RECORD_UNIT_FETCHES)

/* Nothing else but loops whose length has no divisor in common with the unit of periods shows all of itself.
 */
static const struct {
	const char *name;
	uint8_t units;
} kernels[] = {
	{"nop_loop", COUNTS_ALL},
	{"load_op_store", COUNTS_ALL},
	{"calls", COUNTS_ALL},
	{"calls_deep", COUNTS_CYCLES | COUNTS_OPERATIONS}, /* whose turns are long */
	{"branches_alternating", COUNTS_ALL},
	{"jumps_indirect", COUNTS_ALL},
	{"mix", COUNTS_ALL},
	{kernel_flushes, COUNTS_ALL},
	{"movs_rep",
	 COUNTS_OPERATIONS}, /* iterations take cycles, and are one operation on the virtual PMU */
};

/* What is judged of samples, and what a source's records must tell for it, any of these; 0: nothing. */
static const struct {
	const char *name;
	uint8_t aspect;
	uint32_t fields;
} aspects[] = {
	{"instruction", TAGGED_INSTRUCTION, 0},
	{"kind", TAGGED_KIND, RECORD_HAS_OP},
	{"branch target", TAGGED_TARGET, RECORD_HAS_BRANCH},
	{"address", TAGGED_ADDRESS, RECORD_HAS_ADDRESS},
	{"time", TAGGED_TIME, RECORD_HAS_CLOCK},
	{"physical address", TAGGED_PHYSICAL, RECORD_HAS_PHYSICAL},
	{"page size", TAGGED_PAGE, RECORD_HAS_PAGE},
	{"cycles", TAGGED_CYCLES, RECORD_HAS_TIMES | RECORD_HAS_REFILL},
	{"levels", TAGGED_LEVELS, RECORD_HAS_OP},
	{"data source", TAGGED_SOURCE, RECORD_HAS_SOURCE},
};

struct tagged {
	struct sampling_suite *s;
	const struct pmu_record_source *source;
	const struct kernel *kernel;
	uint8_t level;
	uint8_t unit; /* enum record_unit */
	bool far_only;
	uint16_t latency_above;
	uint64_t n;
	/* What came out, over all periods. */
	struct sample_judgement judgement[TAGGED_ASPECTS];
	unsigned once,
		always; /* windows with one sample in the kernel; those where it lies where it did before */
	unsigned windows;
	uint64_t at[PERIODS]; /* the first sample of each period */
	uint32_t told;        /* aspects that samples in this unit were judged by, on any kernel */
};

static const char *short_name(const struct tagged *p)
{
	static const char *const names[] = {[RECORD_UNIT_CYCLES] = "IBS op by cycles",
					    [RECORD_UNIT_OPERATIONS] = "IBS op by operations",
					    [RECORD_UNIT_FETCHES] = "IBS fetch"};

	return names[p->unit];
}

/* The two texts of a result. */
struct naming {
	char event[SAMPLING_NAME], name[SAMPLING_NAME];
};

static struct result result_for(const struct tagged *p, struct naming *own, const char *what)
{
	struct result r;

	snprintf(own->event, sizeof own->event, "%s %s", short_name(p), what);
	r = (struct result){
		.suite = "sampling",
		.name = own->name,
		.event = own->event,
		.kernel = p->kernel->name,
		.level = level_name(p->level),
		.manual = p->source->manual,
		.virtual = p->s->run->pmu->virtual,
	};
	snprintf(own->name, sizeof own->name, "%s/%s/%s", own->event, p->kernel->name, r.level);
	return r;
}

/* In ring 3 the way there and back is recorded as well, of which not all is on the path. */
static unsigned keep_own(const struct tagged *p, struct recorded *rec)
{
	uint64_t begin = window_kernel_address(p->level),
		 end = begin + (uint64_t)(p->kernel->code_end - p->kernel->code);
	unsigned kept = 0;

	for (unsigned i = 0; i < rec->n_records; i++)
		if (!p->level || (rec->record[i].ip >= begin && rec->record[i].ip < end))
			rec->record[kept++] = rec->record[i];
	return kept;
}

static void add(struct sample_judgement *sum, const struct sample_judgement *more)
{
	sum->checked += more->checked;
	sum->right += more->right;
	if (!sum->why[0])
		memcpy(sum->why, more->why, sizeof sum->why);
}

static uint64_t unit_of(const struct tagged *p)
{
	return p->source->period_unit ? p->source->period_unit : 1;
}

static void judge_period(struct tagged *p, struct recorded *rec)
{
	struct sample_judgement judgement[TAGGED_ASPECTS];
	unsigned n;

	p->windows += rec->windows;
	p->once += rec->n_records < rec->windows ? rec->n_records : rec->windows;
	for (unsigned i = 0; i < rec->n_records && i < rec->windows; i++)
		p->always += rec->record[i].ip == rec->record[0].ip;
	p->at[rec->recording.period / unit_of(p) - 1] = rec->n_records ? rec->record[0].ip : 0;
	n = keep_own(p, rec);
	const struct tagged_expectation x = {
		.path = &p->s->path,
		.exact = p->s->run->pmu->deterministic,
		.one_node = p->source->one_node,
		.page_of_miss = p->source->page_of_miss,
		.far_only = p->far_only,
		.latency_above = p->latency_above,
		.begin = rec->clock_begin,
		.end = rec->clock_end,
		.kernel_at = window_kernel_address(p->level),
		.translate = page_translate,
	};

	tagged_judge(&x, rec->record, n, judgement);
	for (unsigned a = 0; a < TAGGED_ASPECTS; a++)
		add(&p->judgement[a], &judgement[a]);
}

static bool record(struct tagged *p, uint64_t period, struct result *r)
{
	struct run *run = p->s->run;
	struct recorded rec = {
		.pmu = run->pmu,
		.kernel = p->kernel,
		.level = p->level,
		.n = p->n,
		.windows = WINDOWS,
		.drain_each = true,
		.again_each = true,
		.record = p->s->records,
		.room = SAMPLING_RECORDS,
		.recording = {.source = p->source,
			      .levels = LEVELS_ALL,
			      .unit = p->unit,
			      .period = period,
			      .far_only = p->far_only,
			      .latency_above = p->latency_above},
	};
	struct window w;
	bool whole;

	if (!recorded_carry_out(run, &rec, SAMPLING_MS, VERDICT_WRONG, r, &whole))
		return false;
	w = recorded_window(&rec);
	if (!known_path(&w, p->n, &p->s->path, r))
		return false;
	judge_period(p, &rec);
	return true;
}

static void report_count(const struct tagged *p, const char *what, unsigned low, unsigned high, unsigned seen,
			 const char *why)
{
	struct naming own;
	struct result r = result_for(p, &own, what);

	result_judge(&r, p->n, low, high, seen);
	if (why[0])
		judgement_set(&r.judgement, VERDICT_WRONG, "%s", why);
	p->s->run->report(p->s->run, &r);
}

/* So many turns that the longest period ends inside the kernel. Every turn ends in a branch and so in a
 * fetch, and each instruction is an operation, which on the virtual PMU takes a cycle. */
static uint64_t turns(const struct tagged *p, uint64_t period)
{
	struct amount one = kernel_amount(p->kernel, Q_INSTRUCTIONS, 1),
		      two = kernel_amount(p->kernel, Q_INSTRUCTIONS, 2);

	if (p->unit == RECORD_UNIT_FETCHES)
		return period + TURNS_MARGIN;
	if (p->unit == RECORD_UNIT_CYCLES && !p->s->run->pmu->deterministic)
		period *= WIDEST;
	return (period + TURNS_MARGIN) / (uint64_t)(two.low - one.low) + 1;
}

/*
 * A period that is longer by some instructions must find the sample as many further on. Which instruction the
 * count begins with is the machine's business, so of the beginnings up to two units the best one counts.
 */
static unsigned periods_kept(const struct tagged *p)
{
	const struct path *path = &p->s->path;
	unsigned best = 0;

	for (unsigned begin = 0; begin <= 2 * unit_of(p); begin++) {
		unsigned kept = 0, period = 0, n = 0;

		for (unsigned i = 0; i < path->n_steps && period < PERIODS; i++) {
			if (!path->step[i].length || n++ != begin + period * unit_of(p))
				continue;
			kept += path->step[i].ip == p->at[period++];
		}
		best = kept > best ? kept : best;
	}
	return best;
}

static void check(struct tagged *p)
{
	unsigned periods = p->unit == RECORD_UNIT_FETCHES ? PERIODS_FETCH : PERIODS;
	uint64_t unit = unit_of(p);
	bool exact = p->s->run->pmu->deterministic;
	struct naming own;
	struct result r = result_for(p, &own, "recording");

	trap_set_context(own.name);
	memset(p->judgement, 0, sizeof p->judgement);
	p->once = p->always = p->windows = 0;
	p->n = turns(p, unit * periods);
	for (unsigned i = 1; i <= periods; i++)
		if (!record(p, unit * i, &r)) {
			p->s->run->report(p->s->run, &r);
			return;
		}
	for (unsigned i = 0; i < sizeof aspects / sizeof aspects[0]; i++) {
		const struct sample_judgement *j = &p->judgement[aspects[i].aspect];

		if (!j->checked)
			continue;
		p->told |= UINT32_C(1) << aspects[i].aspect;
		report_count(p, aspects[i].name, j->checked, j->checked, j->right, j->why);
	}
	report_count(p, "samples", exact ? p->windows : 1, p->windows, p->once, "");
	/* In ring 0 the whole way is on the path, and the virtual PMU takes an instruction for one operation
	 * and cycle. */
	if (exact && !p->level && p->unit != RECORD_UNIT_FETCHES)
		report_count(p, "period", PERIODS, PERIODS, periods_kept(p), "");
	report_count(p, "places", exact ? p->windows : 1, p->windows, p->always, "");
}

/*
 * With a filter there are samples of what it lets pass and of nothing else.
 * @param passes windows that have a sample at least, and at most if none can be longer
 */
static void check_filter(struct tagged *p, const char *what, const char *passing, unsigned passes, bool none)
{
	struct naming own;
	struct result r = result_for(p, &own, what);

	trap_set_context(own.name);
	memset(p->judgement, 0, sizeof p->judgement);
	p->once = p->always = p->windows = 0;
	p->n = FILTER_TURNS;
	for (unsigned i = 1; i <= FILTER_PERIODS; i++)
		if (!record(p, unit_of(p) * i, &r)) {
			p->s->run->report(p->s->run, &r);
			return;
		}
	const struct sample_judgement *j = &p->judgement[TAGGED_FILTER];

	if (j->checked)
		report_count(p, what, j->checked, j->checked, j->right, j->why);
	report_count(p, passing, passes, none ? 0 : p->windows, p->once, "");
}

/* All loads come from memory, which takes MODEL_MEMORY cycles on the virtual PMU. */
static void check_filters(struct tagged *p)
{
	bool deterministic = p->s->run->pmu->deterministic;
	unsigned unit = p->source->latency_unit;

	if (p->source->far_filter) {
		p->far_only = true;
		check_filter(p, "filter", "filter passes",
			     deterministic && p->unit != RECORD_UNIT_FETCHES ? 1 : 0, false);
		p->far_only = false;
	}
	for (unsigned above = unit; unit && above <= 2 * unit; above += unit) {
		char what[2][SAMPLING_NAME / 2];
		bool shorter = above < MODEL_MEMORY;

		snprintf(what[0], sizeof what[0], "filter above %u cycles", above);
		snprintf(what[1], sizeof what[1], "filter above %u cycles passes", above);
		p->latency_above = (uint16_t)above;
		check_filter(p, what[0], what[1], deterministic && shorter ? 1 : 0,
			     deterministic && !shorter);
		p->latency_above = 0;
	}
}

/* A sample interrupts, once, through the entry that the source names. */
static void check_interrupt(struct tagged *p)
{
	struct run *run = p->s->run;
	uint64_t period = p->source->period_unit * 2;
	struct recorded rec = {
		.pmu = run->pmu,
		.kernel = p->kernel,
		.level = p->level,
		.n = turns(p, period),
		.windows = 1,
		.interrupts = INTERRUPTS_COUNT,
		.record = p->s->records,
		.room = SAMPLING_RECORDS,
		.recording = {.source = p->source, .levels = LEVELS_ALL, .unit = p->unit, .period = period},
	};
	struct naming own;
	struct result r = result_for(p, &own, "interrupt");
	bool whole;

	if (p->source->line == OVERFLOW_NO_LINE) {
		judgement_set(&r.judgement, VERDICT_SKIPPED, "firmware has set up no interrupt for it");
		run->report(run, &r);
		return;
	}
	trap_set_context(own.name);
	if (recorded_carry_out(run, &rec, SAMPLING_MS, VERDICT_WRONG, &r, &whole))
		result_judge(&r, rec.n, 1, 1, rec.taken);
	run->report(run, &r);
}

static void check_kernels(struct tagged *p)
{
	const char *glob = p->s->run->options->kernel_glob;
	bool interrupted = false, chosen = glob && *glob && strcmp(glob, "core");

	for (unsigned i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
		p->kernel = kernel_by_name(kernels[i].name);
		if (!p->kernel || kernel_unfit(p->kernel, p->level) ||
		    (chosen && !kernel_selected(p->kernel, glob)) || !(kernels[i].units >> p->unit & 1))
			continue;
		check(p);
		if (!strcmp(kernels[i].name, kernel_flushes))
			check_filters(p);
		if (!interrupted)
			check_interrupt(p);
		interrupted = true;
	}
}

/* Not every kernel has loads or branches. An aspect that no sample of any kernel shows is not judged, and not
 * passed over either. */
static void say_untold(const struct tagged *p)
{
	bool fetch = p->source->kind == RECORD_FETCH;

	for (unsigned i = 0; i < sizeof aspects / sizeof aspects[0]; i++) {
		char name[SAMPLING_NAME];

		if (p->told >> aspects[i].aspect & 1 || (fetch && aspects[i].aspect == TAGGED_KIND) ||
		    (aspects[i].fields && !(aspects[i].fields & p->source->fields)))
			continue;
		snprintf(name, sizeof name, "%s %s", short_name(p), aspects[i].name);
		sampling_skip(p->s, name, "no sample of any kernel that was run tells it");
	}
}

static void check_source(struct sampling_suite *s, enum record_kind kind, const char *name)
{
	struct tagged p = {.s = s};
	const char *why;

	p.source = recording_source(s->run, kind, &why);
	if (!p.source) {
		sampling_skip(s, name, why);
		return;
	}
	for (p.unit = 0; p.source->units >> p.unit; p.unit++) {
		if (!(p.source->units >> p.unit & 1))
			continue;
		p.told = 0;
		for (p.level = 0; p.level <= level_user(); p.level += (uint8_t)level_user())
			check_kernels(&p);
		say_untold(&p);
	}
}

void sampling_tagged(struct sampling_suite *s)
{
	check_source(s, RECORD_OPERATION, "IBS op");
	check_source(s, RECORD_FETCH, "IBS fetch");
}
