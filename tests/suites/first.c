#include "tests/suites/first.h"
#include "tests/suites/suites.h"
#include "tests/judge/ladder.h"
#include "tests/judge/shares.h"
#include "tests/measure/pass.h"

#include "arch/exceptions.h"
#include "arch/identity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FIRST_MS      20000
#define N_WITNESS     100
#define REPS_VIRTUAL  3
#define REPS_HARDWARE 20

/* --- identity ---------------------------------------------------------------------------------------- */

static void tell(void *to, const char *name, const char *value)
{
	struct run *run = to;

	run->detail(run, "identity", name, value, "");
}

static void survey(void *arg)
{
	identity_survey(tell, arg);
}

static void run_identity(struct run *run)
{
	struct result r = {.suite = "identity", .name = "read"};
	struct trap_report trap;

	/* Not by run->call(): the machine is asked, not a virtual processor. */
	if (trap_guard(survey, run, &trap))
		r.judgement.verdict = VERDICT_EXACT;
	else
		judgement_set(&r.judgement, VERDICT_ERROR, "%s", trap.text);
	run->report(run, &r);
}

const struct suite first_identity = {"identity", "what the machine is, and what firmware made of it",
				     run_identity, NULL};

/* --- shares ------------------------------------------------------------------------------------------ */

static void run_shares(struct run *run)
{
	shares_forget();
	if (run->pmu)
		shares_learn(run);
}

const struct suite first_shares = {"shares", "what brackets and deliveries themselves are counted as",
				   run_shares, NULL};

/* --- witnesses --------------------------------------------------------------------------------------- */

struct witnesses {
	struct run *run;
	unsigned n, counter[PMU_COUNTERS_MAX];
	const struct pmu_event *event[PMU_COUNTERS_MAX];
	unsigned reps;
	const struct kernel *kernel;
	int64_t agreed; /* what the first counter said the first time */
};

static uint64_t raw[PMU_COUNTERS_MAX * REPS_HARDWARE];

static struct pass pass_of(const struct witnesses *w, enum bracketing how, unsigned first, unsigned n,
			   bool backwards)
{
	struct pass p = {
		.pmu = w->run->pmu,
		.kernel = w->kernel,
		.bracketing = how,
		.n_slots = n,
		.n_count = 1,
		.n = {N_WITNESS},
		.reps = w->reps,
		.preset = 1,
		.raw = raw,
	};

	for (unsigned i = 0; i < n; i++) {
		unsigned from = first + (backwards ? n - 1 - i : i);

		p.slot[i] = pass_slot(w->event[from], w->counter[from], LEVELS_ALL);
	}
	return p;
}

/* What a slot counted besides its bracket. */
static int64_t counted(const struct pass *p, unsigned rep, unsigned slot)
{
	return (int64_t)pass_raw(p, 0, rep, slot) - pass_share(p, slot);
}

/* Everything that a pass counted must be what was agreed on. */
static void compare(struct witnesses *w, struct pass *p, const char *name, const char *counter)
{
	struct pmu *pmu = w->run->pmu;
	struct result r = {.suite = "witnesses",
			   .name = name,
			   .kernel = w->kernel->name,
			   .counter = counter,
			   .event = w->event[0]->name,
			   .manual = "counters against each other",
			   .virtual = pmu->virtual};
	const struct slot *odd = NULL;
	struct histogram *seen;
	int64_t said = 0;

	trap_set_context(name);
	if (w->run->call(w->run, pass_run, p, FIRST_MS, &r)) {
		if (p->failure) {
			judgement_set(&r.judgement, pass_failure_verdict(p), "%s", p->failure);
		} else {
			if (w->agreed < 0)
				w->agreed = counted(p, 0, 0);
			seen = &result_observe_only(&r, N_WITNESS, w->agreed, w->agreed)->seen;
			for (unsigned rep = 0; rep < p->reps; rep++)
				for (unsigned s = 0; s < p->n_slots; s++) {
					int64_t v = counted(p, rep, s);

					histogram_add(seen, v);
					if (v != w->agreed && !odd) {
						odd = &p->slot[s];
						said = v;
					}
				}
			result_conclude(&r);
			if (odd)
				judgement_set(&r.judgement, VERDICT_WRONG,
					      "%s counted %" PRId64 " where %s had counted %" PRId64,
					      pmu->counter[odd->counter].name, said,
					      pmu->counter[w->counter[0]].name, w->agreed);
			else if (!w->agreed)
				judgement_set(&r.judgement, VERDICT_DEAD, "all of them count nothing");
		}
	}
	w->run->report(w->run, &r);
	trap_set_context(NULL);
}

/* In one window, or, where the PMU cannot start several together, one after the other. */
static void compare_all(struct witnesses *w, const char *name, bool backwards)
{
	const struct pmu *pmu = w->run->pmu;

	if (pmu->joint) {
		struct pass p = pass_of(w, BRACKET_ENABLE, 0, w->n, backwards);

		compare(w, &p, name, NULL);
		return;
	}
	for (unsigned i = 0; i < w->n; i++) {
		unsigned at = backwards ? w->n - 1 - i : i;
		const char *counter = pmu->counter[w->counter[at]].name;
		struct pass p = pass_of(w, BRACKET_ENABLE, at, 1, false);
		char each[96];

		snprintf(each, sizeof each, "%s/%s", name, counter);
		compare(w, &p, each, counter);
	}
}

/* Each by itself, read before and after while it runs. */
static void compare_read(struct witnesses *w)
{
	const struct pmu *pmu = w->run->pmu;

	for (unsigned i = 0; i < w->n; i++) {
		const char *counter = pmu->counter[w->counter[i]].name;
		struct pass p = pass_of(w, BRACKET_READ, i, 1, false);
		struct pmu_bracket bracket;
		char name[64];

		snprintf(name, sizeof name, "read while it runs/%s", counter);
		if (pmu->driver->bracket_read(pmu, w->counter[i], &bracket)) {
			compare(w, &p, name, counter);
			continue;
		}
		struct result none = {
			.suite = "witnesses", .name = name, .counter = counter, .virtual = pmu->virtual};

		judgement_set(&none.judgement, VERDICT_SKIPPED, "the PMU has no bracket by reading");
		w->run->report(w->run, &none);
	}
}

/* Another event on each counter that has one, so that it must be programmed anew. */
static void count_something_else(struct witnesses *w)
{
	const struct pmu *pmu = w->run->pmu;

	for (unsigned i = 0; i < w->n; i++)
		for (unsigned e = 0; e < pmu->n_events; e++) {
			const struct pmu_event *other = pmu->events[e];

			if (other == w->event[i] || other->extra_register || other->flags & EVENT_BY_NAME ||
			    !pmu->driver->can_count(pmu, other, w->counter[i]))
				continue;
			struct pass p = pass_of(w, BRACKET_ENABLE, i, 1, false);

			p.slot[0] = pass_slot(other, w->counter[i], LEVELS_ALL);
			p.reps = 1;
			w->run->call(w->run, pass_run, &p, FIRST_MS, NULL);
			break;
		}
}

static void run_witnesses(struct run *run)
{
	const struct pmu *pmu = run->pmu;
	struct witnesses w = {.run = run,
			      .reps = pmu && pmu->deterministic ? REPS_VIRTUAL : REPS_HARDWARE,
			      .kernel = kernel_by_name("nop_loop"),
			      .agreed = -1};

	for (unsigned c = 0; pmu && c < pmu->n_counters; c++) {
		const struct pmu_event *e = counter_yardstick(pmu, c);

		if (!e || e->judgement != EVENT_EXACT || !event_counts_instructions(e))
			continue;
		w.event[w.n] = e;
		w.counter[w.n++] = c;
	}
	if (!w.n) {
		struct result none = {.suite = "witnesses", .name = "witnesses"};

		judgement_set(&none.judgement, VERDICT_SKIPPED, "no counter counts instructions exactly");
		run->report(run, &none);
		return;
	}
	compare_all(&w, "together", false);
	compare_all(&w, "programmed in the other order", true);
	compare_read(&w);
	count_something_else(&w);
	compare_all(&w, "programmed anew", false);
}

const struct suite first_witnesses = {"witnesses",
				      "counters against each other, however they are programmed and read",
				      run_witnesses, NULL};

/* --- few kernels ------------------------------------------------------------------------------------- */

static void run_on(struct run *run, const struct suite *suite, const char *kernels)
{
	struct run_options options = *run->options;
	struct run few = *run;

	options.kernel_glob = kernels;
	options.event_glob = "arch";
	few.options = &options;
	suite->run(&few);
}

static void run_kernels(struct run *run)
{
	run_on(run, &suite_events, "empty,nop_loop,loop,calls,loads");
}

static void run_sampling(struct run *run)
{
	run_on(run, &suite_sampling, "calls");
}

static void run_trace(struct run *run)
{
	run_on(run, &suite_trace, "calls");
}

const struct suite first_kernels = {"events", "five kernels, before all others", run_kernels, NULL};
const struct suite first_sampling = {"sampling", "samples of one kernel", run_sampling, NULL};
const struct suite first_trace = {"trace", "traces of one kernel", run_trace, NULL};
