/*
 * How fast code runs under the virtual PMU, against a bare trap-flag handler that only counts.
 */
#include "tests/suites/suites.h"
#include "tests/measure/pass.h"

#include "arch/step.h"
#include "arch/time.h"
#include "arch/exceptions.h"
#include "arch/watchdog.h"
#include "pmu/virtual/vpmu.h"

#include <inttypes.h>
#include <stdio.h>

#define BENCH_MS 60000
#define TURNS    15000 /* of the kernel mix */
#define ROUNDS   3

struct bench {
	struct run *run;
	const void *entry;
	struct window window;
	uint64_t steps, ticks; /* of the fastest round */
};

static void turn(void *arg)
{
	struct bench *b = arg;

	window_run(b->entry, &b->window, TURNS);
}

/* Every counter programmed and running: the model has all the work that it can have. */
static void turn_counting(void *arg)
{
	struct bench *b = arg;
	const struct pmu *pmu = b->run->pmu;
	uint64_t mask = 0;
	const char *why;

	for (unsigned c = 0; c < pmu->n_counters; c++) {
		const struct pmu_event *e = counter_yardstick(pmu, c);
		struct slot s;

		if (!e)
			continue;
		s = pass_slot(e, c, LEVELS_ALL);
		if (pmu->driver->program(pmu, c, &s.config))
			mask |= UINT64_C(1) << c;
	}
	pmu->driver->start(pmu, mask);
	turn(b);
	pmu->driver->stop(pmu);
	pmu->driver->reset(pmu, &why);
}

static uint64_t step_bare(void *arg)
{
	return step_bare_count(turn, arg);
}

static uint64_t step_virtual(void *arg)
{
	uint64_t before = step_count();

	vpmu_call(turn, arg);
	return step_count() - before;
}

static uint64_t step_virtual_counting(void *arg)
{
	uint64_t before = step_count();

	vpmu_call(turn_counting, arg);
	return step_count() - before;
}

static const struct {
	const char *name;
	uint64_t (*run)(void *arg);
} ways[] = {
	{"bare trap-flag handler", step_bare},
	{"virtual PMU, idle", step_virtual},
	{"virtual PMU, every counter running", step_virtual_counting},
};

static unsigned way; /* of ways[], for time_rounds() */

static void time_rounds(void *arg)
{
	struct bench *b = arg;

	b->ticks = UINT64_MAX;
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t start = clock_read(), steps = ways[way].run(b), ticks = clock_read() - start;

		if (ticks < b->ticks) {
			b->ticks = ticks;
			b->steps = steps;
		}
	}
}

static uint64_t per_second(const struct bench *b)
{
	return b->ticks ? (uint64_t)((double)b->steps * (double)clock_hz() / (double)b->ticks) : 0;
}

static void run_bench(struct run *run)
{
	struct result r = {.suite = "bench", .name = "stepping rate"};
	struct bench b = {.run = run, .window = {.kernel = kernel_by_name("mix")}};
	uint64_t bare = 0;

	if (!run->pmu || !run->pmu->virtual) {
		judgement_set(&r.judgement, VERDICT_SKIPPED, "needs the virtual PMU: pmu=virtual");
		run->report(run, &r);
		return;
	}
	b.entry = window_compose(&b.window);
	for (way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
		struct trap_report report;
		char value[32];
		bool done;

		watchdog_arm(BENCH_MS);
		done = trap_guard(time_rounds, &b, &report);
		watchdog_disarm();
		if (!done) {
			judgement_set(&r.judgement, VERDICT_ERROR, "%s: %.100s", ways[way].name, report.text);
			run->report(run, &r);
			return;
		}
		snprintf(value, sizeof(value), "%" PRIu64, per_second(&b));
		run->value(run, "bench", ways[way].name, value, "steps/s");
		if (way == 0) {
			bare = per_second(&b);
		} else if (bare) {
			uint64_t hundredths = (100 * per_second(&b) + bare / 2) / bare;

			snprintf(value, sizeof(value), "%" PRIu64 ".%02" PRIu64, hundredths / 100,
				 hundredths % 100);
			run->value(run, "bench", ways[way].name, value, "of the bare rate");
		}
	}
}

const struct suite suite_bench = {"bench", "how fast code runs under the virtual PMU", run_bench, NULL};
