/*
 * What must make no difference to an exact count: where the code lies in its cache line, and how the window
 * is bracketed.
 */
#include "tests/suites/suites.h"
#include "tests/ladder.h"
#include "tests/pass.h"
#include "tests/truth.h"

#include "arch/x86/trap.h"

#include <stdio.h>

#define SWEEPS_MS     20000
#define N_VIRTUAL     4
#define N_HARDWARE    1000
#define REPS_VIRTUAL  1
#define REPS_HARDWARE 10
#define REPS_MAX      10
#define ALIGNMENTS    64
#define NAME_SIZE     96

/* One counter that counts something exactly. */
struct subject {
	struct run *run;
	const struct kernel *kernel;
	unsigned counter;
	const struct pmu_event *event;
	uint64_t n;
	unsigned reps;
};

static uint64_t raw[REPS_MAX];

static struct pass pass_of(const struct subject *s)
{
	return (struct pass){
		.pmu = s->run->pmu,
		.kernel = s->kernel,
		.n_slots = 1,
		.slot = {pass_slot(s->event, s->counter, RING_ALL)},
		.n_count = 1,
		.n = {s->n},
		.reps = s->reps,
		.raw = raw,
	};
}

static struct result result_of(const struct subject *s, const char *name)
{
	return (struct result){
		.suite = "sweeps",
		.name = name,
		.event = s->event->name,
		.kernel = s->kernel->name,
		.counter = s->run->pmu->counter[s->counter].name,
		.ring = "ring 0",
		.encoding = s->event->code,
		.manual = s->event->source,
		.virtual = s->run->pmu->virtual,
	};
}

/* Run the pass and add what it shows to the one observation of *r. @return false if it could not be carried
 * out. */
static bool run_into(const struct subject *s, struct pass *p, struct result *r)
{
	struct observation o;
	struct expectation x;
	unsigned at;

	if (!s->run->call(s->run, pass_run, p, SWEEPS_MS, r))
		return false;
	if (p->failure) {
		judgement_set(&r->judgement, VERDICT_SKIPPED, "%s", p->failure);
		return false;
	}
	if (pass_observe(p, 0, &o, &x, &at)) {
		r->judgement.verdict = VERDICT_ERROR;
		expectation_explain(&x, s->kernel, p->n[at], r->judgement.text, sizeof(r->judgement.text));
		return false;
	}
	if (r->n_observations == 0) {
		r->observation[0] = (struct observation){.n = o.n, .low = o.low, .high = o.high};
		r->n_observations = 1;
	}
	for (unsigned i = 0; i < o.seen.distinct && i < VERDICT_DISTINCT; i++)
		for (unsigned k = 0; k < o.seen.frequency[i]; k++)
			histogram_add(&r->observation[0].seen, o.seen.value[i]);
	return true;
}

static void sweep_alignment(const struct subject *s)
{
	char name[NAME_SIZE];
	struct result r = result_of(s, name);
	struct pass p = pass_of(s);
	bool done = true;

	snprintf(name, sizeof(name), "alignments 0 to 63/%s", s->kernel->name);
	trap_set_context(name);
	for (p.alignment = 0; done && p.alignment < ALIGNMENTS; p.alignment++)
		done = run_into(s, &p, &r);
	if (done)
		judge(r.observation, r.n_observations, &r.judgement);
	s->run->report(s->run, &r);
}

/* Both brackets, each less its own contribution, must leave the same. */
static void compare_brackets(const struct subject *s)
{
	char name[NAME_SIZE];
	struct result r = result_of(s, name);
	struct pass p = pass_of(s);
	bool done;

	snprintf(name, sizeof(name), "enabled and read/%s", s->kernel->name);
	trap_set_context(name);
	done = run_into(s, &p, &r);
	p.bracketing = BRACKET_READ;
	done = done && run_into(s, &p, &r);
	if (done)
		judge(r.observation, r.n_observations, &r.judgement);
	s->run->report(s->run, &r);
}

static bool choose_counter(struct subject *s)
{
	for (s->counter = 0; s->counter < s->run->pmu->n_counters; s->counter++) {
		s->event = counter_yardstick(s->run->pmu, s->counter);
		if (s->event && s->event->judgement == EVENT_EXACT &&
		    ladder_allows(s->run->ladder, s->counter, RUNG_EXACT_ON_NOPS))
			return true;
	}
	return false;
}

static void run_sweeps(struct run *run)
{
	const struct run_options *o = run->options;
	struct subject s = {.run = run};
	struct result none = {.suite = "sweeps", .name = "sweeps"};

	if (!run->pmu || !choose_counter(&s)) {
		judgement_set(&none.judgement, VERDICT_SKIPPED, "no counter counts anything exactly");
		run->report(run, &none);
		return;
	}
	s.n = o->n ? o->n : run->pmu->virtual ? N_VIRTUAL : N_HARDWARE;
	s.reps = o->reps ? o->reps : run->pmu->virtual ? REPS_VIRTUAL : REPS_HARDWARE;
	if (s.reps > REPS_MAX)
		s.reps = REPS_MAX;
	for (s.kernel = kernels_begin; s.kernel < kernels_end; s.kernel++) {
		struct result truth = {.suite = "sweeps", .name = s.kernel->name};

		if (!kernel_selected(s.kernel, o->kernel_glob) || kernel_unfit(s.kernel, 0))
			continue;
		truth_check(s.kernel, 0, s.n, &truth);
		if (verdict_is_bad(truth.judgement.verdict)) {
			run->report(run, &truth);
			continue;
		}
		sweep_alignment(&s);
		compare_brackets(&s);
	}
}

const struct suite suite_sweeps = {"sweeps", "what must make no difference: alignment, bracket", run_sweeps};
