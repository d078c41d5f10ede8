/*
 * Extended PEBS: a counter of what no record can be of, like cycles or slots, samples all the same. Its
 * records are of instructions that the window has, say for which counter they were made, keep to their
 * buffer, and are no more than there were periods, as far as that is known; of which instruction each is
 * nobody promises.
 */
#include "tests/suites/sampling.h"
#include "tests/judge/expectation.h"
#include "tests/measure/known_path.h"
#include "tests/judge/ladder.h"
#include "tests/measure/recording.h"
#include "tests/judge/sample_judge.h"
#include "tests/judge/shares.h"

#include "arch/levels.h"
#include "pmu/contract/manual.h"

#include <inttypes.h>

#define PERIOD 101
#define WINDOWS                                                                                              \
	200          /* with a few instructions in each: some periods of cycles, however many retire in one  \
		      */
#define RECORDS 1000 /* room */

struct extended {
	struct sampling_suite *s;
	const struct pmu_record_source *source;
	struct sampling_choice choice;
	bool yes;
	const char *why; /* not */
};

static void ask(void *arg)
{
	struct extended *x = arg;
	const struct pmu *pmu = x->s->run->pmu;
	struct pmu_recording r = {.source = x->source,
				  .levels = LEVELS_ALL,
				  .counter = x->choice.counter,
				  .config = x->choice.config,
				  .period = PERIOD};
	const char *precise;

	x->yes = !record_can_sample(pmu, &r, &precise);
	r.loosely = true;
	x->yes = record_can_sample(pmu, &r, &x->why) && x->yes;
}

/* No more than there are periods, and at least one if there is one at least. */
static void judge_number(struct extended *x, const struct recorded *rec, const struct kernel *k,
			 struct result *r)
{
	struct expectation e;
	const struct pmu *pmu = x->s->run->pmu;
	int64_t writes =
		(pmu->counts_start >> x->choice.counter & 1) + (pmu->counts_stop >> x->choice.counter & 1);
	int64_t share =
		bracket_share(&rec->bracket, x->choice.event) + writes * share_of_write(x->choice.event);
	bool known = x->choice.known && expectation(x->choice.event, k, rec->n, &e) == EXPECTATION_OK;
	int64_t most = known ? (e.high + share) * rec->windows / PERIOD : RECORDS;

	result_judge(r, rec->n, most > 0, most, rec->n_records);
	if (!rec->n_records)
		judgement_set(&r->judgement, VERDICT_WRONG, "there is no record");
}

static void judge_records(struct extended *x, const struct recorded *rec, const struct kernel *k,
			  struct result *r)
{
	static const uint8_t aspects[] = {SAMPLE_INSTRUCTION, SAMPLE_COUNTER, SAMPLE_TIME};
	const struct window w = recorded_window(rec);
	struct sample_judgement judgement[SAMPLE_ASPECTS];

	if (!known_path(&w, rec->n, &x->s->path, r))
		return;
	const struct sample_expectation expectation = {
		.path = &x->s->path,
		.event = &x->choice.where,
		.levels = rec->recording.levels,
		.period = PERIOD,
		.windows = rec->windows,
		.anywhere = true,
		.counters = UINT64_C(1) << x->choice.counter,
	};
	sample_judge(&expectation, x->s->steps, 0, rec->record, rec->n_records, rec->clock_begin,
		     rec->clock_end, window_kernel_address(rec->level), judgement);
	judge_number(x, rec, k, r);
	for (unsigned i = 0; i < sizeof aspects; i++)
		if (judgement[aspects[i]].why[0])
			judgement_set(&r->judgement, VERDICT_WRONG, "%s", judgement[aspects[i]].why);
}

static void check(struct extended *x, const struct kernel *k, uint8_t level)
{
	char name[SAMPLING_NAME];
	struct run *run = x->s->run;
	struct result r = sampling_result(x->s, name, &x->choice, "PEBS extended", k, level);
	struct recorded rec = {.pmu = run->pmu,
			       .kernel = k,
			       .level = level,
			       .n = sampling_n(x->s),
			       .windows = WINDOWS,
			       .record = x->s->records,
			       .room = SAMPLING_RECORDS};

	r.manual = pmu_manual(run->pmu, "samples of any counter");
	rec.recording = (struct pmu_recording){.source = x->source,
					       .levels = level ? LEVELS_USER : LEVELS_ALL,
					       .counter = x->choice.counter,
					       .config = x->choice.config,
					       .period = PERIOD,
					       .loosely = true,
					       .records = RECORDS};
	rec.recording.config.levels = rec.recording.levels;
	bool whole;
	if (recorded_carry_out(run, &rec, SAMPLING_MS, VERDICT_WRONG, &r, &whole))
		judge_records(x, &rec, k, &r);
	if (!whole)
		judgement_set(&r.judgement, VERDICT_WRONG, "memory beyond the buffer was written");
	run->report(run, &r);
}

/* Of each fixed counter what it counts; of the general ones the first event that can be. */
void sampling_extended(struct sampling_suite *s)
{
	const struct pmu *pmu = s->run->pmu;
	struct extended x = {.s = s};
	bool general = false, any = false;
	const char *why;

	x.source = recording_source(s->run, RECORD_PRECISE, &why);
	if (!x.source)
		return; /* that there is none, PEBS's own part has told */
	for (unsigned counter = 0; counter < pmu->n_counters; counter++) {
		bool found = general && pmu->counter[counter].kind == COUNTER_GENERAL;

		if (!(x.source->counters >> counter & 1) ||
		    !ladder_allows(s->run->ladder, counter, RUNG_EXACT_ON_NOPS))
			continue;
		for (unsigned i = 0; i < pmu->n_events && !found; i++) {
			const struct pmu_event *e = pmu->events[i];
			const struct kernel *k = NULL;
			uint64_t often;

			x.yes = false;
			if (!sampling_selected(s, x.source, e) || !sampling_place(s, e, counter, &x.choice) ||
			    !s->run->call(s->run, ask, &x, SAMPLING_MS, NULL) || !x.yes)
				continue;
			for (uint8_t level = 0; level <= level_user(); level += (uint8_t)level_user()) {
				k = sampling_kernel(s, &x.choice, level, sampling_n(s), 0, &often);
				if (k)
					check(&x, k, level);
				found |= k != NULL;
			}
		}
		any |= found;
		general |= found && pmu->counter[counter].kind == COUNTER_GENERAL;
	}
	if (!any && x.why)
		sampling_skip(s, "PEBS extended", x.why);
}
