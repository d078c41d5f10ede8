/*
 * The load-latency facility: with each threshold that the CPU's events have, every record is of a load, of
 * its data address, and of a latency above the threshold. The loads are those of lines that were flushed
 * before: all come from memory, which takes longer than the lower thresholds, so there records must be.
 */
#include "tests/suites/sampling.h"
#include "tests/measure/known_path.h"
#include "tests/measure/recording.h"
#include "tests/judge/sample_judge.h"

#include "arch/levels.h"
#include "tests/kernels/roles.h"
#include "pmu/contract/manual.h"

#include <inttypes.h>
#include <stdio.h>

#define FROM_MEMORY  32 /* core cycles: no memory is faster */
#define PERIOD       2
#define LOADS        200 /* silicon watches one load at a time, and not every one */
#define LOADS_MODEL  40
#define RECORDS_MOST LOADS

static const struct pmu_event loads = {.name = "loads", .fixed = -1, .terms = {{Q_LOADS, 1}}};

struct latency {
	struct sampling_suite *s;
	const struct pmu_record_source *source;
	struct sampling_choice choice;
	uint32_t cycles;

	/* Of the question. */
	const struct pmu_event *event;
	bool is;
};

static void ask(void *arg)
{
	struct latency *l = arg;
	const struct pmu *pmu = l->s->run->pmu;
	const char *why;

	l->is = pmu->driver->recorder->latency_above(pmu, l->event, &l->cycles);
	for (unsigned c = 0; l->is && c < pmu->n_counters; c++) {
		const struct pmu_recording r = {.source = l->source,
						.levels = LEVELS_ALL,
						.counter = c,
						.config = {.code = l->event->code}};

		if (l->source->counters >> c & 1 && sampling_place(l->s, l->event, c, &l->choice) &&
		    record_can_sample(pmu, &r, &why))
			return;
	}
	l->is = false;
}

/* What is wrong with the records, if anything; else how many there are. */
static void judge_records(const struct latency *l, const struct recorded *rec, struct result *r)
{
	static const uint8_t aspects[] = {SAMPLE_LATENCY, SAMPLE_INSTRUCTION, SAMPLE_ADDRESS};
	const struct window w = recorded_window(rec);
	struct sample_judgement judgement[SAMPLE_ASPECTS];

	if (!known_path(&w, rec->n, &l->s->path, r))
		return;
	const struct sample_expectation x = {
		.path = &l->s->path,
		.event = &loads,
		.levels = rec->recording.levels,
		.period = PERIOD,
		.windows = rec->windows,
		.latencies = true,
		.latency_above = l->cycles,
	};
	sample_judge(&x, l->s->steps, 0, rec->record, rec->n_records, rec->clock_begin, rec->clock_end,
		     window_kernel_address(rec->level), judgement);
	result_judge(r, rec->n, 0, 0, 0);
	for (unsigned i = 0; i < sizeof aspects; i++) {
		const struct sample_judgement *j = &judgement[aspects[i]];

		if (j->right == j->checked)
			continue;
		result_judge(r, rec->n, 0, 0, j->checked - j->right);
		judgement_set(&r->judgement, VERDICT_WRONG, "%s", j->why);
		return;
	}
	if (!rec->n_records && l->cycles <= FROM_MEMORY)
		judgement_set(&r->judgement, VERDICT_WRONG,
			      "there is no record, though every load comes from memory");
}

static void check(struct latency *l, const struct kernel *k, uint8_t level)
{
	char name[SAMPLING_NAME];
	struct run *run = l->s->run;
	struct result r = sampling_result(l->s, name, &l->choice, "load latency", k, level);
	struct recorded rec = {.pmu = run->pmu,
			       .kernel = k,
			       .level = level,
			       .n = sampling_n(l->s),
			       .record = l->s->records,
			       .room = SAMPLING_RECORDS};

	r.manual = pmu_manual(run->pmu, "load latency");
	rec.windows = (unsigned)((run->pmu->deterministic ? LOADS_MODEL : LOADS) / rec.n + 1);
	rec.recording = (struct pmu_recording){.source = l->source,
					       .levels = level ? LEVELS_USER : LEVELS_ALL,
					       .counter = l->choice.counter,
					       .config = l->choice.config,
					       .period = PERIOD,
					       .records = RECORDS_MOST};
	rec.recording.config.levels = rec.recording.levels;
	bool whole;
	if (recorded_carry_out(run, &rec, SAMPLING_MS, VERDICT_WRONG, &r, &whole))
		judge_records(l, &rec, &r);
	if (!whole)
		judgement_set(&r.judgement, VERDICT_WRONG, "memory beyond the buffer was written");
	run->report(run, &r);
}

void sampling_latency(struct sampling_suite *s)
{
	const struct pmu *pmu = s->run->pmu;
	const struct kernel *k = kernel_by_name(kernel_flushes);
	struct latency l = {.s = s};
	const char *why;

	if (!pmu->driver->recorder || !pmu->driver->recorder->latency_above || !k ||
	    !kernel_selected(k, s->run->options->kernel_glob))
		return;
	l.source = recording_source(s->run, RECORD_PRECISE, &why);
	if (!l.source)
		return; /* that there is none, PEBS's own part has told */
	for (unsigned i = 0; i < pmu->n_events; i++) {
		l.event = pmu->events[i];
		if (!l.event->extra_register || !sampling_selected(s, l.source, l.event) ||
		    !s->run->call(s->run, ask, &l, SAMPLING_MS, NULL) || !l.is)
			continue;
		for (uint8_t level = 0; level <= level_user(); level += (uint8_t)level_user())
			if (!kernel_unfit(k, level))
				check(&l, k, level);
	}
}
