/*
 * Experiments that hardware records: PEBS, IBS, BTS, LBR, BRS. Where in the kernel the records lie; with the
 * data addresses and branches that they tell. How many of an event's records there are, and whether a trace
 * is the kernel's known path, is judged.
 */
#include "tests/suites/experiments.h"
#include "tests/judge/branch_sampling.h"
#include "tests/measure/known_path.h"
#include "tests/measure/recording.h"
#include "tests/judge/trace_judge.h"
#include "tests/report/level_words.h"
#include "pmu/contract/bits.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUESTION_MS 5000
#define RECORDS     20000 /* of one request, all in all */
#define PER_WINDOW  2000  /* that the buffer of a source in memory holds */
#define BRANCHES    512   /* different ones of a trace */
#define SPARE_ROOM  64    /* of the harness, around a window in ring 3 */

/* --- sources ---------------------------------------------------------------------------------------- */

struct question {
	const struct pmu *pmu;
	const struct pmu_recording *recording;
	const char *why;
	bool can;
};

static void ask(void *arg)
{
	struct question *q = arg;

	q->can = record_can_sample(q->pmu, q->recording, &q->why);
}

static bool can_sample(void *ctx, const struct pmu_recording *recording, const char **why)
{
	struct run *run = ctx;
	struct question q = {.pmu = run->pmu, .recording = recording, .why = "it cannot be sampled"};

	*why = "asking whether it can be sampled was ended";
	if (!run->call(run, ask, &q, QUESTION_MS, NULL))
		return false;
	*why = q.why;
	return q.can;
}

const struct experiment_sources *experiment_sources(struct run *run)
{
	static struct experiment_sources sources;

	sources = (struct experiment_sources){.ctx = run, .can_sample = can_sample};
	if (!run->pmu->driver->recorder)
		return NULL;
	for (unsigned k = RECORD_PRECISE; k < RECORD_KINDS; k++)
		sources.source[k] = recording_source(run, (enum record_kind)k, &sources.absent[k]);
	return &sources;
}

/* --- what came out ---------------------------------------------------------------------------------- */

struct places {
	size_t size;
	uint64_t address_mask;
	int32_t *before; /* by offset: of the one instruction that leads there; NONE, SEVERAL. NULL: not known
			  */
	unsigned named_next; /* records at the instruction behind the one that they are of */
	unsigned *at;
	struct report_addresses *addresses;
	struct report_addresses (*registers)[STEP_GENERAL]; /* by offset */
	unsigned elsewhere, n_branches, n_registers;
	bool addressed;
	struct report_branch branch[BRANCHES];
	unsigned untold; /* branches that found no room there */
};

static struct places places;

#define NONE    (-1)
#define SEVERAL (-2)

static bool places_begin(const struct kernel *k, const struct pmu_record_source *source)
{
	places = (struct places){.size = (size_t)(k->code_end - k->code) + 1,
				 .address_mask =
					 source->address_bits ? low_bits(source->address_bits) : UINT64_MAX};
	places.at = calloc(places.size, sizeof *places.at);
	places.addresses = calloc(places.size, sizeof *places.addresses);
	places.registers = calloc(places.size, sizeof *places.registers);
	for (size_t i = 0; places.addresses && places.registers && i < places.size; i++) {
		places.addresses[i].low = UINT64_MAX;
		for (unsigned g = 0; g < STEP_GENERAL; g++)
			places.registers[i][g].low = UINT64_MAX;
	}
	return places.at && places.addresses && places.registers;
}

static void places_end(void)
{
	free(places.before);
	free(places.at);
	free(places.addresses);
	free(places.registers);
}

/* Records may have the low bits of an address alone. */
static int32_t offset_of(uint64_t address, uint64_t kernel_at)
{
	uint64_t offset = (address - kernel_at) & places.address_mask;

	return offset < places.size ? (int32_t)offset : -1;
}

/* Which instruction leads to each place of the kernel: records may name the one behind theirs. A place that
 * several lead to, such as the beginning of a loop, stays named as it is. */
static void find_before(const struct recorded *rec)
{
	static struct path path;
	const struct window w = recorded_window(rec);
	uint64_t kernel_at = window_code_address(rec->kernel, rec->level);
	struct result unknown = {0};

	if (!path_create(&path, KNOWN_PATH_STEPS, false))
		return;
	if (known_path(&w, rec->n, &path, &unknown))
		places.before = malloc(places.size * sizeof *places.before);
	for (size_t i = 0; places.before && i < places.size; i++)
		places.before[i] = NONE;
	for (unsigned i = path.from; places.before && i < path.to; i++) {
		int32_t from = offset_of(path.step[i].ip, kernel_at),
			to = offset_of(path.step[i].next, kernel_at);

		if (from < 0 || to < 0)
			continue;
		if (places.before[to] == NONE)
			places.before[to] = from;
		else if (places.before[to] != from)
			places.before[to] = SEVERAL;
	}
	path_free(&path);
}

static void add_branch(const struct pmu_record *r, uint64_t kernel_at)
{
	const struct report_branch b = {offset_of(r->from, kernel_at), offset_of(r->to, kernel_at), 0, 0};
	unsigned i = 0;

	while (i < places.n_branches && (places.branch[i].from != b.from || places.branch[i].to != b.to))
		i++;
	if (i == BRANCHES) {
		places.untold++;
		return;
	}
	if (i == places.n_branches)
		places.branch[places.n_branches++] = b;
	places.branch[i].taken++;
	places.branch[i].mispredicted += r->has & RECORD_HAS_MISPREDICTED && r->mispredicted;
}

static void widen(struct report_addresses *range, uint64_t value)
{
	range->low = value < range->low ? value : range->low;
	range->high = value > range->high ? value : range->high;
}

/* Where in the kernel a sample lies; it may be named by the instruction behind it. */
static int32_t place_of(const struct pmu_record *r, uint64_t kernel_at)
{
	bool next = !(r->has & RECORD_HAS_IP);
	int32_t offset = offset_of(next ? r->next_ip : r->ip, kernel_at);

	return next && offset >= 0 && places.before && places.before[offset] >= 0 ? places.before[offset]
										  : offset;
}

static void add_record(const struct pmu_record *r, uint64_t kernel_at, bool trace)
{
	bool next = !trace && !(r->has & RECORD_HAS_IP);
	int32_t offset = offset_of(trace ? r->from : next ? r->next_ip : r->ip, kernel_at);

	if (trace)
		add_branch(r, kernel_at);
	if (next && offset >= 0 && places.before && places.before[offset] >= 0)
		offset = places.before[offset];
	else
		places.named_next += next && offset >= 0;
	if (offset < 0) {
		places.elsewhere++;
		return;
	}
	places.at[offset]++;
	if (r->has & RECORD_HAS_ADDRESS) {
		places.addressed = true;
		widen(&places.addresses[offset], r->address);
	}
	if (record_registers(r))
		places.n_registers = record_registers(r);
	for (unsigned i = 0; i < record_registers(r); i++)
		widen(&places.registers[offset][i], record_register(r, i));
}

/* --- judging ---------------------------------------------------------------------------------------- */

static bool is_branch_sampling(const struct experiment_plan *plan)
{
	return plan->source->kind == RECORD_NEXT_BRANCHES;
}

static bool is_trace(const struct experiment_plan *plan)
{
	return plan->source->kind == RECORD_BRANCH_TRACE || plan->source->kind == RECORD_LAST_BRANCHES ||
	       is_branch_sampling(plan);
}

/* Where a burst lies on the path: as many branches are before it as the period says. */
static bool place_samples(const struct experiment_run *e, unsigned request, const struct recorded *rec,
			  struct trace_expectation *x, struct result *r)
{
	const struct pmu_config *config = &rec->recording.config;
	int64_t branches;
	char room[BRANCH_SAMPLING_WHY];
	const char *why = branch_sampling_unforeseen(e->plan->request[request].event, config->levels,
						     rec->kernel, rec->level, rec->n, &branches, room);

	if (why) {
		judgement_set(&r->judgement, VERDICT_SKIPPED, "%s", why);
		return false;
	}
	if (rec->recording.period >= (uint64_t)branches) {
		judgement_set(&r->judgement, VERDICT_ERROR,
			      "the kernel takes %" PRId64
			      " branches, none behind the period: take a shorter one, or a larger n",
			      branches);
		return false;
	}
	x->skip = (unsigned)rec->recording.period;
	x->part = TRACE_FIRST;
	/* It goes on behind the kernel's end until it is complete. */
	x->surrounded = true;
	return true;
}

static void judge_trace_of(const struct experiment_run *e, unsigned request, const struct recorded *rec,
			   struct result *r)
{
	static struct path path;
	const struct window w = recorded_window(rec);
	struct trace_expectation x = {
		.path = &path,
		.part = e->plan->source->depth ? TRACE_LAST : TRACE_FIRST,
		.room = e->plan->source->depth ? e->plan->source->depth : UINT_MAX,
		.levels = rec->recording.levels,
		.surrounded = rec->level,
		.address_bits = e->plan->source->address_bits,
		.kernel_at = window_code_address(rec->kernel, rec->level),
	};
	struct trace_judgement j;

	if (is_branch_sampling(e->plan) && !place_samples(e, request, rec, &x, r))
		return;
	if (!path_create(&path, KNOWN_PATH_STEPS, false)) {
		judgement_set(&r->judgement, VERDICT_ERROR, "no memory for the kernel's path");
	} else if (known_path(&w, rec->n, &path, r)) {
		trace_judge(&x, rec->record, rec->n_records, &j);
		result_judge(r, rec->n, j.expected, j.expected, j.matched);
		if (!j.right)
			judgement_set(&r->judgement, VERDICT_WRONG, "%s", j.why);
	}
	path_free(&path);
}

/* Periods go on from run to run; on hardware records may be late, and those at the end missing. */
static void judge_samples_of(const struct experiment_run *e, unsigned request, const struct recorded *rec,
			     struct result *r)
{
	const struct experiment_plan *plan = e->plan;
	uint64_t period = plan->experiment->period;
	struct expectation x;
	int64_t share = experiment_share(plan, request, &rec->bracket);
	struct reason why;

	if (!experiment_expects(plan, request, e->kernel, &rec->bracket, rec->n, &x, &why)) {
		judgement_set(&r->judgement, VERDICT_SKIPPED, "%s", why.line);
		return;
	}
	int64_t low = (int64_t)((uint64_t)(x.low + share) * rec->windows / period), high = INT64_MAX;
	if (x.high != INT64_MAX)
		high = (int64_t)((uint64_t)(x.high + share) * rec->windows / period);
	if (!plan->pmu->deterministic && low)
		low = 1;
	result_judge(r, rec->n, low, high, rec->n_records + rec->lost);
}

static void judge_operations(const struct recorded *rec, struct result *r)
{
	result_judge(r, rec->n, 1, INT64_MAX, rec->n_records);
	if (r->judgement.verdict == VERDICT_WITHIN)
		judgement_set(&r->judgement, VERDICT_WITHIN,
			      "which operations are tagged is the machine's business");
}

/* --- recording -------------------------------------------------------------------------------------- */

/* As many as the window can need, if that is known. */
static unsigned buffer_for(const struct experiment_run *e, unsigned request)
{
	uint64_t n = e->plan->n, most = PER_WINDOW;
	struct expectation x;
	struct reason why;

	if (is_trace(e->plan))
		most = (uint64_t)kernel_amount(e->kernel, Q_BRANCHES, n).high +
		       (uint64_t)kernel_amount(e->kernel, Q_EXCEPTIONS, n).high + SPARE_ROOM;
	else if (request != EXPERIMENT_ALL &&
		 experiment_expects(e->plan, request, e->kernel, NULL, n, &x, &why) && x.high != INT64_MAX)
		most = (uint64_t)x.high / e->plan->experiment->period + SPARE_ROOM;
	return most < PER_WINDOW || is_trace(e->plan) ? (unsigned)(most < RECORDS ? most : RECORDS)
						      : PER_WINDOW;
}

static bool carry_out(const struct experiment_run *e, struct recorded *rec, struct result *r)
{
	bool whole, good = recorded_carry_out(e->run, rec, EXPERIMENT_MS, VERDICT_ERROR, r, &whole);

	if (!whole)
		judgement_set(&r->judgement, VERDICT_WRONG, "memory beyond the buffer was written");
	else if (rec->refused && rec->level)
		judgement_set(&r->judgement, VERDICT_ERROR, "%s: take %s=0", rec->failure, level_heading());
	return good && whole;
}

/* A whole trace can do without a ring filter: what is the harness's is told apart. */
static bool record(const struct experiment_run *e, struct recorded *rec, struct result *r)
{
	if (carry_out(e, rec, r))
		return true;
	if (!rec->refused || !is_trace(e->plan) || e->plan->source->depth ||
	    rec->recording.levels == LEVELS_ALL)
		return false;
	r->judgement = (struct judgement){0};
	rec->recording.levels = LEVELS_ALL;
	return carry_out(e, rec, r);
}

static bool set_beside(struct recorded *rec, const struct experiment_plan *plan)
{
	for (unsigned i = plan->n_sampled; i < plan->n_requests; i++)
		rec->beside[rec->n_beside++] =
			(struct sampling_beside){.counter = plan->place[i].alternative,
						 .config = event_placed(&plan->request[i], &plan->place[i])};
	rec->counts = calloc((size_t)rec->windows * rec->n_beside, sizeof *rec->counts);
	return rec->counts;
}

static void count_beside(const struct experiment_run *e, const struct recorded *rec,
			 struct report_experiment *x)
{
	static struct report_count count[EXPERIMENT_REQUESTS];
	static struct observation seen[EXPERIMENT_REQUESTS];

	memset(seen, 0, sizeof seen);
	experiment_beside(e, rec->counts, &rec->bracket, count, seen);
	x->count = count;
	x->n_counts = rec->n_beside;
}

/* @return NULL: they are not wanted, or there is no memory */
static struct report_sample *list_samples(const struct experiment_run *e, const struct recorded *rec)
{
	struct report_sample *list =
		e->plan->experiment->sample ? calloc(rec->n_records, sizeof *list) : NULL;

	for (unsigned i = 0; list && i < rec->n_records; i++) {
		const struct pmu_record *k = &rec->record[i];

		list[i] = (struct report_sample){
			.offset = place_of(k, window_code_address(rec->kernel, rec->level)),
			.timed = k->has & RECORD_HAS_CLOCK,
			.clock = k->clock,
			.registers = record_registers(k) ? k->general : NULL};
	}
	return list;
}

static void report(const struct experiment_run *e, const struct recorded *rec, const struct result *r,
		   struct report_experiment *x)
{
	const struct experiment_plan *plan = e->plan;
	struct report_sample *list = list_samples(e, rec);
	const struct report_samples samples = {
		.record = record_kind_names[plan->source->kind],
		.event = r->event ? r->event : plan->source->name,
		.counter = r->counter,
		.period = is_trace(plan) && !is_branch_sampling(plan) ? 0 : plan->experiment->period,
		.runs = rec->windows,
		.elsewhere = places.elsewhere,
		.named_next = places.named_next,
		.at = places.at,
		.size = places.size,
		.addresses = places.addressed ? places.addresses : NULL,
		.registers = places.registers[0],
		.n_registers = places.n_registers,
		.registers_apart = STEP_GENERAL,
		.n_list = list ? rec->n_records : 0,
		.n_listed_registers = places.n_registers,
		.list = list,
		.n_branches = places.n_branches,
		.branch = is_trace(plan) ? places.branch : NULL,
	};

	x->samples = &samples;
	x->n_samples = 1;
	report_experiment(x);
	free(list);
}

void experiment_record(const struct experiment_run *e, unsigned request, struct result *r,
		       struct report_experiment *x)
{
	const struct experiment_plan *plan = e->plan;
	bool trace = is_trace(plan), operations = !trace && request == EXPERIMENT_ALL;
	struct recorded rec = {
		.pmu = plan->pmu,
		.kernel = e->kernel,
		.level = plan->level,
		.n = plan->n,
		.windows = trace ? 1 : plan->reps,
		.drain_each = true,
		.interrupts = operations ? INTERRUPTS_DRAIN : INTERRUPTS_OFF,
		.room = RECORDS,
		.record = malloc(RECORDS * sizeof *rec.record),
		.recording = {.source = plan->source,
			      .unit = record_unit(plan->source),
			      .period = plan->experiment->period},
	};

	rec.recording.levels = plan->level && !operations ? LEVELS_USER : LEVELS_ALL;
	rec.recording.records = buffer_for(e, request);
	if (operations)
		rec.recording.threshold = 1;
	if (plan->experiment->buffer) {
		rec.interrupts = INTERRUPTS_DRAIN;
		rec.recording.threshold = plan->experiment->buffer;
		rec.recording.records = plan->experiment->buffer + SPARE_ROOM;
	}
	if (plan->n_requests > plan->n_sampled && !set_beside(&rec, plan)) {
		judgement_set(&r->judgement, VERDICT_ERROR, "no memory for counts");
		e->run->report(e->run, r);
		return;
	}
	if (request != EXPERIMENT_ALL) {
		rec.recording.counter = plan->place[request].alternative;
		rec.recording.config = event_placed(&plan->request[request], &plan->place[request]);
		rec.recording.levels = is_branch_sampling(plan) ? LEVELS_ALL : rec.recording.config.levels;
	}
	r->manual = plan->source->manual;
	if (!rec.record || !places_begin(e->kernel, e->plan->source)) {
		judgement_set(&r->judgement, VERDICT_ERROR, "no memory for records");
	} else if (record(e, &rec, r)) {
		if (!trace && !(plan->source->fields & RECORD_HAS_IP))
			find_before(&rec);
		for (unsigned i = 0; i < rec.n_records; i++)
			add_record(&rec.record[i], window_code_address(rec.kernel, rec.level), trace);
		if (plan->experiment->buffer && rec.n_records >= plan->experiment->buffer && !rec.taken)
			judgement_set(&r->judgement, VERDICT_WRONG,
				      "no interrupt came when buffer=%u records were there",
				      plan->experiment->buffer);
		else if (plan->experiment->most && rec.n_records + rec.lost > plan->experiment->most)
			judgement_set(&r->judgement, VERDICT_ERROR,
				      "there are more than max=%u samples: take a longer period",
				      plan->experiment->most);
		else if (rec.lost || (!trace && !operations && rec.state.full))
			judgement_set(
				&r->judgement, VERDICT_ERROR,
				"there was no room for all records: take a longer period, or a smaller n");
		else if (trace)
			judge_trace_of(e, request, &rec, r);
		else if (operations)
			judge_operations(&rec, r);
		else
			judge_samples_of(e, request, &rec, r);
		if (rec.n_beside)
			count_beside(e, &rec, x);
		report(e, &rec, r, x);
	}
	e->run->report(e->run, r);
	places_end();
	free(rec.record);
	free(rec.counts);
}
