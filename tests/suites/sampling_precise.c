/*
 * PEBS: every record is of an instruction at which its event occurs, of the one that its period says, with
 * the registers, the data address and a time that belong to it. A buffer that is full is not written beyond
 * its end and says that it is full; one that is emptied on interrupts loses nothing.
 */
#include "tests/suites/sampling.h"
#include "tests/judge/attribution_path.h"
#include "tests/judge/under_hypervisor.h"
#include "tests/judge/ladder.h"
#include "tests/measure/recording.h"
#include "tests/judge/sample_judge.h"
#include "tests/judge/shares.h"

#include "arch/levels.h"
#include "arch/exceptions.h"
#include "pmu/virtual/vpmu.h"
#include "tests/kernels/roles.h"

#include <inttypes.h>
#include <stdio.h>

#define EVENTS       64
#define KERNELS_EACH 2
#define MANY         1000 /* samples of the first event in each ring ... */
#define FEW          40   /* ... and of the others */
#define PERIOD       SAMPLING_PERIOD
#define EXACT_PERIOD                                                                                         \
	193             /* likewise; counters with precise distribution want long ones, and 1 less in 64s    \
			 */
#define EXACT_EACH   2  /* events of each such counter */
#define EXACT_FEW    16 /* samples */
#define WINDOWS_MOST 4000
#define SMALL        8
#define FEW_TURNS    5
#define BEYOND       4  /* records that no longer fit */
#define SPARE        40 /* records above what is expected, so that too many can be told */

static const struct {
	const char *name;
	uint8_t aspect;
} aspects[] = {
	{"PEBS instruction", SAMPLE_INSTRUCTION},
	{"PEBS period", SAMPLE_PLACE},
	{"PEBS registers", SAMPLE_REGISTERS},
	{"PEBS address", SAMPLE_ADDRESS},
	{"PEBS time", SAMPLE_TIME},
	{"PEBS vector registers", SAMPLE_VECTORS},
	{"PEBS branches", SAMPLE_BRANCHES},
	{"PEBS counts", SAMPLE_COUNTS},
	{"PEBS counter", SAMPLE_COUNTER},
};

struct precise {
	struct sampling_suite *s;
	const struct pmu_record_source *source;
	const struct sampling_choice *choice;
	const struct kernel *kernel;
	uint8_t level;
	uint64_t n, often;
	uint64_t period;
	bool exact; /* the hardware promises records that are not late */
};

/* Records of a counter without precise distribution may be late on silicon: while the facility gets ready,
 * occurrences pass (SDM vol. 3, 18.3.1.1.1). Of virtual CPUs some are so. */
static bool may_be_late(const struct precise *p)
{
	return !p->exact && (!p->s->run->pmu->deterministic || vpmu_profile()->late);
}

/* --- records and what they should be ---------------------------------------------------------------- */

static bool record(const struct precise *p, struct recorded *rec, struct result *r, bool *whole)
{
	struct run *run = p->s->run;

	rec->pmu = run->pmu;
	rec->kernel = p->kernel;
	rec->level = p->level;
	rec->n = p->n;
	rec->record = p->s->records;
	rec->room = SAMPLING_RECORDS;
	rec->recording.source = p->source;
	rec->recording.levels = p->level ? LEVELS_USER : LEVELS_ALL;
	rec->recording.counter = p->choice->counter;
	rec->recording.config = p->choice->config;
	rec->recording.config.levels = rec->recording.levels;
	rec->recording.period = p->period;
	if (!recorded_carry_out(run, rec, SAMPLING_MS, VERDICT_WRONG, r, whole))
		return false;
	/* Linux, intel_pmu_cross_mapped_check(): while the host counts a guest's event on another counter
	 * than the guest, and while the host samples for itself, KVM has the guest's PEBS off. */
	return rec->n_records || !hypervisor_takes_away(run->pmu, &r->judgement, "PEBS records");
}

/* Terms that take away are meant instruction by instruction, so they leave no less than nothing. */
static uint64_t occurrences(int64_t n)
{
	return n > 0 ? (uint64_t)n : 0;
}

/* The write that starts the counter, where it counts that. */
static unsigned counted_ahead(const struct precise *p, const struct recorded *rec)
{
	int64_t write = share_of_write(&p->choice->where);
	bool counts = p->s->run->pmu->counts_start >> p->choice->counter & 1;

	return counts && rec->recording.levels & LEVELS_SYSTEM && write > 0 ? (unsigned)write : 0;
}

/* A period may end with the write that starts the counter. No manual says whether the record is then of that
 * write or of the first occurrence behind it: the records do. */
static void take_starts(const struct precise *p, struct recorded *rec, struct sample_expectation *x,
			unsigned *n_steps)
{
	unsigned in_order;

	x->of_start = sample_drop_starts(x, rec->record, rec->n_records);
	rec->n_records -= x->of_start;
	in_order = sample_in_order(x, p->s->steps, *n_steps, rec->record, rec->n_records);
	x->ahead_next = true;
	*n_steps = sample_steps(x, p->s->steps, SAMPLING_RECORDS);
	if (!x->of_start && sample_in_order(x, p->s->steps, *n_steps, rec->record, rec->n_records) > in_order)
		return;
	x->ahead_next = false;
	*n_steps = sample_steps(x, p->s->steps, SAMPLING_RECORDS);
}

/* What is counted in a window besides the kernel must be what the bracket says. */
static bool expect(const struct precise *p, struct recorded *rec, struct sample_expectation *x,
		   unsigned *n_steps, struct result *r)
{
	const struct window w = recorded_window(rec);
	uint64_t share;

	if (!sampling_path(p->s, p->choice, &w, p->n, &p->s->path, r))
		return false;
	*x = (struct sample_expectation){
		.path = &p->s->path,
		.event = &p->choice->where,
		.levels = rec->recording.levels,
		.period = p->period,
		.windows = rec->windows,
		.anywhere = !p->choice->known,
		.late = may_be_late(p),
		.counters = UINT64_C(1) << p->choice->counter,
		.ahead = counted_ahead(p, rec),
	};
	if (rec->interrupts == INTERRUPTS_DRAIN) {
		x->each = attribution_of_interrupt(&p->s->path.rule, x->event);
		x->every = rec->recording.threshold;
	}
	*n_steps = 0;
	if (x->anywhere)
		return true;
	share = occurrences(
		bracket_share(&rec->bracket, &p->choice->where) +
		(p->level ? attribution_beyond_way(p->s->run->pmu->attribution, x->event, x->levels) : 0));
	if (sample_occurrences(x) != p->often + share) {
		judgement_set(&r->judgement, VERDICT_ERROR,
			      "the path has %" PRIu64 " occurrences, the kernel declares %" PRIu64
			      " and the bracket %" PRIu64,
			      sample_occurrences(x), p->often, share);
		return false;
	}
	*n_steps = sample_steps(x, p->s->steps, SAMPLING_RECORDS);
	if (x->ahead)
		take_starts(p, rec, x, n_steps);
	return true;
}

static struct result result_for(const struct precise *p, char *name, const char *what)
{
	struct result r = sampling_result(p->s, name, p->choice, what, p->kernel, p->level);

	r.manual = p->source->manual;
	trap_set_context(name);
	return r;
}

static void judge_count(struct result *r, const struct sample_judgement *j, uint64_t n)
{
	result_judge(r, n, j->checked, j->checked, j->right);
	if (j->why[0])
		judgement_set(&r->judgement, VERDICT_WRONG, "%s", j->why);
}

/* --- checks ----------------------------------------------------------------------------------------- */

static void judge_late(struct result *r, const struct recorded *rec, const struct sample_expectation *x,
		       unsigned n_steps)
{
	unsigned right = sample_not_early(x, rec->record, rec->n_records);

	result_judge(r, rec->n, n_steps != 0, n_steps, rec->n_records);
	if (r->judgement.verdict == VERDICT_WITHIN)
		judgement_set(&r->judgement, VERDICT_WITHIN,
			      "records, of one in each period: they may be late");
	if (right < rec->n_records)
		judgement_set(&r->judgement, VERDICT_WRONG,
			      "record %u is of no occurrence a period behind the record before", right + 1);
}

static void check_records(const struct precise *p, unsigned samples, uint8_t more)
{
	char name[SAMPLING_NAME];
	struct result r = result_for(p, name, "PEBS");
	struct sample_judgement judgement[SAMPLE_ASPECTS];
	struct sample_expectation x;
	struct recorded rec = {.windows = (unsigned)(samples * p->period / p->often + 1)};
	uint64_t room;
	unsigned n_steps;
	bool whole;

	if (rec.windows > WINDOWS_MOST)
		rec.windows = WINDOWS_MOST;
	rec.recording.more = more;
	/* The bracket's share: where windows are many, it comes to as much as the kernel's. */
	room = p->often * rec.windows / p->period + samples + SPARE;
	if (p->source->records_most && room > p->source->records_most) {
		room = p->source->records_most;
		rec.windows = (unsigned)(room / 2 * p->period / p->often);
		if (!rec.windows)
			rec.windows = 1;
	}
	rec.recording.records = room < SAMPLING_RECORDS ? (unsigned)room : SAMPLING_RECORDS;
	if (!record(p, &rec, &r, &whole) || !expect(p, &rec, &x, &n_steps, &r) || !rec.n_records) {
		if (r.judgement.verdict == VERDICT_EXACT)
			judgement_set(&r.judgement, VERDICT_WRONG, "there is no record");
		p->s->run->report(p->s->run, &r);
		return;
	}
	sample_judge(&x, p->s->steps, n_steps, rec.record, rec.n_records, rec.clock_begin, rec.clock_end,
		     window_kernel_address(p->level), judgement);
	for (unsigned i = 0; i < sizeof aspects / sizeof aspects[0]; i++) {
		const struct sample_judgement *j = &judgement[aspects[i].aspect];

		if (!j->checked && !j->why[0])
			continue; /* not told, or there is none */
		if (more && aspects[i].aspect < SAMPLE_VECTORS)
			continue; /* judged without */
		if (p->exact && aspects[i].aspect != SAMPLE_PLACE)
			continue; /* likewise */
		r = result_for(p, name, p->exact ? "PEBS precise distribution" : aspects[i].name);
		judge_count(&r, j, rec.n);
		if (aspects[i].aspect == SAMPLE_PLACE && may_be_late(p))
			judge_late(&r, &rec, &x, n_steps);
		if (!whole)
			judgement_set(&r.judgement, VERDICT_WRONG, "memory beyond the buffer was written");
		p->s->run->report(p->s->run, &r);
	}
}

static void check_buffer(const struct precise *p, bool emptied)
{
	char name[SAMPLING_NAME];
	struct result r = result_for(p, name, emptied ? "PEBS emptied on interrupts" : "PEBS buffer full");
	struct sample_judgement judgement[SAMPLE_ASPECTS], *j = &judgement[SAMPLE_PLACE];
	struct sample_expectation x;
	struct recorded rec = {.windows = (unsigned)(4 * SMALL * p->period / p->often + 1),
			       .interrupts = emptied ? INTERRUPTS_DRAIN : INTERRUPTS_COUNT};
	unsigned n_steps;
	bool whole;

	rec.recording.records = emptied ? 2 * SMALL : SMALL;
	rec.recording.threshold = SMALL;
	if (record(p, &rec, &r, &whole) && expect(p, &rec, &x, &n_steps, &r)) {
		if (!emptied && n_steps > SMALL - x.of_start)
			n_steps = SMALL - x.of_start;
		sample_judge(&x, p->s->steps, n_steps, rec.record, rec.n_records, rec.clock_begin,
			     rec.clock_end, window_kernel_address(p->level), judgement);
		judge_count(&r, j, rec.n);
		if (may_be_late(p))
			judge_late(&r, &rec, &x, n_steps);
		if (!whole)
			judgement_set(&r.judgement, VERDICT_WRONG, "memory beyond the buffer was written");
		else if (!rec.taken)
			judgement_set(&r.judgement, VERDICT_WRONG, "no interrupt at the threshold");
		/* On silicon records may be written before the handler has begun. */
		else if (emptied && rec.pmu->deterministic && !may_be_late(p) &&
			 rec.taken != (n_steps + x.of_start) / SMALL)
			judgement_set(&r.judgement, VERDICT_WRONG,
				      "%u interrupts for %u records, with one after each %u", rec.taken,
				      n_steps + x.of_start, SMALL);
		else if (!emptied && !rec.state.overflow)
			judgement_set(&r.judgement, VERDICT_WRONG,
				      "an interrupt at the threshold, and no status says so");
		else if (!emptied && !rec.state.full)
			judgement_set(&r.judgement, VERDICT_WRONG, "the buffer is full, and nothing says so");
	}
	p->s->run->report(p->s->run, &r);
}

/* A threshold that no index reaches: the buffer gets full, and nobody is to hear of it. */
static void check_silence(const struct precise *p)
{
	char name[SAMPLING_NAME];
	struct result r = result_for(p, name, "PEBS full, no threshold");
	/* A few more than fit: where they go beyond the end, they stay within the fence. */
	struct recorded rec = {.windows = (unsigned)((SMALL + BEYOND) * p->period / p->often + 1),
			       .interrupts = INTERRUPTS_COUNT};
	bool whole;

	rec.recording.records = SMALL;
	if (record(p, &rec, &r, &whole)) {
		result_judge(&r, rec.n, 0, 0, rec.taken);
		if (rec.taken)
			judgement_set(&r.judgement, VERDICT_WRONG,
				      "interrupts, though no threshold was reached");
		else if (!whole)
			judgement_set(&r.judgement, VERDICT_WRONG, "memory beyond the buffer was written");
		else if (!rec.state.full)
			judgement_set(&r.judgement, VERDICT_WRONG, "the buffer did not get full");
	}
	p->s->run->report(p->s->run, &r);
}

/* At an N that fills the buffer little by little: of what goes beyond its end there is not to be much. */
static void check_buffers(const struct precise *p)
{
	struct precise own = *p;

	own.n = FEW_TURNS;
	own.kernel = sampling_named(p->s, p->kernel->name, p->choice, p->level, own.n, &own.often);
	if (!own.kernel)
		return;
	check_silence(&own);
	check_buffer(&own, false);
	if (own.level) /* in ring 0 the handler is sampled, too */
		check_buffer(&own, true);
}

/* With all that records can tell if they are asked; such records are larger. */
static void check_more(const struct precise *p)
{
	struct precise own = *p;

	for (unsigned i = 0; p->source->more && kernels_sampled_more[i]; i++) {
		own.kernel =
			sampling_named(p->s, kernels_sampled_more[i], p->choice, p->level, p->n, &own.often);
		if (own.kernel)
			check_records(&own, FEW, p->source->more);
	}
}

static void check_level(struct precise *p, const struct sampling_choice *choice, unsigned n)
{
	bool first = true;

	/* Those whose periods are known begin. */
	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < n; i++)
			for (unsigned k = 0; k < KERNELS_EACH && choice[i].known == !pass; k++) {
				p->choice = &choice[i];
				p->kernel = sampling_kernel(p->s, &choice[i], p->level, p->n, k, &p->often);
				if (!p->kernel)
					break;
				check_records(p, first ? MANY : FEW, 0);
				/* How many records there are to be is known, or nothing to judge. */
				if (first && choice[i].known) {
					check_buffers(p);
					check_more(p);
				}
				first = false;
			}
}

/* --- precise distribution --------------------------------------------------------------------------- */

struct question {
	const struct precise *p;
	const struct sampling_choice *choice;
	bool yes;
};

static void ask_exact(void *arg)
{
	struct question *q = arg;
	const struct pmu *pmu = q->p->s->run->pmu;
	const struct pmu_recording r = {.source = q->p->source,
					.levels = LEVELS_ALL,
					.counter = q->choice->counter,
					.config = q->choice->config,
					.period = EXACT_PERIOD};
	const char *why;

	q->yes = record_can_sample(pmu, &r, &why) && record_is_exact(pmu, &r);
}

static bool samples_exactly(const struct precise *p, const struct pmu_event *e, unsigned counter,
			    struct sampling_choice *choice)
{
	struct question q = {.p = p, .choice = choice};

	return sampling_selected(p->s, p->source, e) && sampling_place(p->s, e, counter, choice) &&
	       choice->known && p->s->run->call(p->s->run, ask_exact, &q, SAMPLING_MS, NULL) && q.yes;
}

/* Where the hardware promises records that are not late, none is: also on silicon. */
static void check_exact(struct precise *p)
{
	const struct pmu *pmu = p->s->run->pmu;
	struct sampling_choice choice;

	p->choice = &choice;
	p->period = EXACT_PERIOD;
	p->exact = true;
	for (unsigned counter = 0; counter < pmu->n_counters; counter++) {
		if (!(p->source->counters >> counter & 1) ||
		    !ladder_allows(p->s->run->ladder, counter, RUNG_EXACT_ON_NOPS))
			continue;
		for (unsigned i = 0, n = 0; i < pmu->n_events && n < EXACT_EACH; i++) {
			if (!samples_exactly(p, pmu->events[i], counter, &choice))
				continue;
			for (p->level = 0; p->level <= level_user(); p->level += (uint8_t)level_user()) {
				p->kernel = sampling_kernel(p->s, &choice, p->level, p->n, 0, &p->often);
				if (p->kernel)
					check_records(p, EXACT_FEW, 0);
			}
			n++;
		}
	}
}

void sampling_precise(struct sampling_suite *s)
{
	static struct sampling_choice choice[EVENTS];
	struct precise p = {.s = s, .n = sampling_n(s), .period = PERIOD};
	const char *why;
	unsigned n;

	p.source = recording_source(s->run, RECORD_PRECISE, &why);
	if (!p.source) {
		sampling_skip(s, "PEBS", why);
		return;
	}
	n = sampling_choices(s, p.source, choice, EVENTS);
	if (!n) {
		sampling_skip(s, "PEBS", "no event that is known exactly can be sampled");
		return;
	}
	for (p.level = 0; p.level <= level_user(); p.level += (uint8_t)level_user())
		check_level(&p, choice, n);
	check_exact(&p);
}
