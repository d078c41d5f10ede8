/*
 * Noise put in on purpose: k interrupts, exceptions or system calls inside the window, for k from 1 to 100.
 * What an event counts more than its quantities have, per interrupt, is the slope over k: a property of the
 * machine, measured and not avoided.
 *
 * The kernels that need the harness's handlers make one of these per turn, so that N is k.
 */
#include "tests/suites/suites.h"
#include "tests/ladder.h"
#include "tests/pass.h"
#include "tests/truth.h"

#include "arch/x86/trap.h"

#include <inttypes.h>
#include <stdio.h>

#define NOISE_MS      30000
#define REPS_VIRTUAL  1
#define REPS_HARDWARE 20
#define REPS_MAX      20
#define NAME_SIZE     128

static const uint64_t ks[] = {1, 10, 50, 100};
#define KS (sizeof(ks) / sizeof(ks[0]))

/* One per turn. */
#define MAKES_NOISE                                                                                          \
	(KERNEL_SERVICE_TEST_INT | KERNEL_SERVICE_RESUME | KERNEL_SERVICE_SYSCALL |                          \
	 KERNEL_SERVICE_SYSENTER | KERNEL_SERVICE_XAPIC | KERNEL_SERVICE_X2APIC)

/* The most frequent overcount at each k, as a line over k: its slope is the overcount per interrupt. */
static bool overcount(const struct result *r, struct line *line)
{
	int64_t over[KS];

	for (unsigned i = 0; i < KS; i++)
		over[i] = histogram_mode(&r->observation[i].seen) - r->observation[i].low;
	return line_fit(ks, over, KS, line);
}

static void report_slope(struct run *run, const struct result *r)
{
	struct line line;
	char value[64];

	if (!overcount(r, &line))
		return;
	if (line.den == 1)
		snprintf(value, sizeof(value), "%+" PRId64 "%s", line.slope_num,
			 line.straight ? "" : " (no straight line)");
	else
		snprintf(value, sizeof(value), "%+" PRId64 "/%" PRId64 "%s", line.slope_num, line.den,
			 line.straight ? "" : " (no straight line)");
	run->value(run, "noise", r->name, value, "overcount per interrupt");
}

static void measure(struct run *run, const struct kernel *k, const struct pmu_event *e, unsigned c)
{
	static uint64_t raw[KS * REPS_MAX];
	unsigned reps = run->options->reps  ? run->options->reps
			: run->pmu->virtual ? REPS_VIRTUAL
					    : REPS_HARDWARE;
	struct pass p = {
		.pmu = run->pmu,
		.kernel = k,
		.n_slots = 1,
		.slot = {pass_slot(e, c, RING_ALL)},
		.n_count = KS,
		.reps = reps < REPS_MAX ? reps : REPS_MAX,
		.raw = raw,
	};
	struct expectation x;
	unsigned at;
	char name[NAME_SIZE];
	struct result r = {
		.suite = "noise",
		.name = name,
		.event = e->name,
		.kernel = k->name,
		.counter = run->pmu->counter[c].name,
		.ring = "ring 0",
		.encoding = e->code,
		.manual = e->source,
		.virtual = run->pmu->virtual,
	};

	snprintf(name, sizeof(name), "%s/%s", e->name, k->name);
	trap_set_context(name);
	for (unsigned i = 0; i < KS; i++)
		p.n[i] = ks[i];
	if (!run->call(run, pass_run, &p, NOISE_MS, &r)) {
		run->report(run, &r);
		return;
	}
	if (p.failure) {
		judgement_set(&r.judgement, VERDICT_WRONG, "%s", p.failure);
	} else if (pass_observe(&p, 0, r.observation, &x, &at)) {
		r.judgement.verdict = VERDICT_ERROR;
		expectation_explain(&x, k, p.n[at], r.judgement.text, sizeof(r.judgement.text));
	} else {
		r.n_observations = KS;
		judge(r.observation, KS, &r.judgement);
		report_slope(run, &r);
	}
	run->report(run, &r);
}

/* The first counter that may judge the event; the number of counters if there is none. */
static unsigned counter_for(const struct run *run, const struct pmu_event *e)
{
	unsigned c = 0;

	while (c < run->pmu->n_counters && !(run->pmu->driver->can_count(run->pmu, e, c) &&
					     ladder_allows(run->ladder, c, RUNG_EXACT_ON_NOPS)))
		c++;
	return c;
}

static void run_kernel(struct run *run, const struct kernel *k)
{
	struct result r = {.suite = "noise", .name = k->name};
	const char *unfit = kernel_unfit(k, 0);

	if (unfit) {
		judgement_set(&r.judgement, VERDICT_SKIPPED, "%s", unfit);
		run->report(run, &r);
		return;
	}
	truth_check(k, 0, 1, &r);
	if (verdict_is_bad(r.judgement.verdict)) {
		run->report(run, &r);
		return;
	}
	for (unsigned i = 0; i < run->pmu->n_events; i++) {
		const struct pmu_event *e = run->pmu->events[i];
		unsigned c = counter_for(run, e);
		struct expectation x;

		if (e->judgement == EVENT_EXACT && c < run->pmu->n_counters &&
		    glob_match(run->options->event_glob, e->name) &&
		    expectation(e, k, 1, &x) == EXPECTATION_OK && x.low == x.high)
			measure(run, k, e, c);
	}
}

static void run_noise(struct run *run)
{
	const char *globs = run->options->kernel_glob;

	for (const struct kernel *k = kernels_begin; run->pmu && k < kernels_end; k++)
		if ((k->flags & MAKES_NOISE) && !(k->flags & KERNEL_RING3_ONLY) &&
		    (kernel_selected(k, globs) || kernel_selected(kernel_by_name("empty"), globs)))
			run_kernel(run, k);
}

const struct suite suite_noise = {"noise", "interrupts and exceptions inside the window, and what they add",
				  run_noise};
