/*
 * What a bracket itself adds to a count: an empty kernel, again and again. It must be the share that was
 * measured before (tests/judge/shares.h), the same every time, so that it can be subtracted exactly. What the
 * bracket's code implies is told beside it.
 */
#include "arch/levels.h"
#include "tests/suites/suites.h"
#include "tests/suites/overhead.h"
#include "tests/judge/hypervisor_exits.h"
#include "tests/judge/ladder.h"
#include "tests/measure/pass.h"

#include "arch/exceptions.h"

#include <inttypes.h>
#include <stdio.h>

#define OVERHEAD_MS   60000
#define REPS_VIRTUAL  1000
#define REPS_HARDWARE 10000
#define CHUNK         250 /* repetitions in one go */
#define N_COUNT       2

static uint64_t raw[N_COUNT * CHUNK];

static const struct {
	const char *name;
	uint8_t bracketing;
	bool user; /* at the user's level */
} brackets[] = {
	{"enable, %s", BRACKET_ENABLE, false},
	{"enable around %s", BRACKET_ENABLE, true},
	{"read, %s", BRACKET_READ, false},
};

/* Raw counts, nothing subtracted, against the bracket's share. */
static void gather(const struct pass *p, struct result *r)
{
	int64_t share = pass_share(p, 0);

	for (unsigned i = 0; i < p->n_count; i++) {
		bool first = i == r->n_observations;
		struct observation *o = first ? result_observe(r, p->n[i], share, share) : &r->observation[i];

		for (unsigned rep = 0; rep < p->reps; rep++)
			histogram_add(&o->seen, (int64_t)pass_raw(p, i, rep, 0));
	}
}

static bool repeat(struct run *run, struct pass *p, unsigned reps, struct result *r)
{
	/* Two values of N share the repetitions: an empty kernel makes no difference between them. */
	for (unsigned left = (reps + N_COUNT - 1) / N_COUNT; left; left -= p->reps) {
		p->reps = left < CHUNK ? left : CHUNK;
		if (!run->call(run, pass_run, p, OVERHEAD_MS, r))
			return false;
		if (p->failure) {
			judgement_set(&r->judgement, VERDICT_SKIPPED, "%s", p->failure);
			return false;
		}
		gather(p, r);
	}
	return true;
}

static void measure(struct run *run, unsigned b, unsigned c, const struct pmu_event *e, unsigned reps)
{
	const uint8_t level = brackets[b].user ? (uint8_t)level_user() : 0;
	struct pass p = {
		.pmu = run->pmu,
		.kernel = kernel_by_name("empty"),
		.level = level,
		.bracketing = brackets[b].bracketing,
		.n_slots = 1,
		.slot = {pass_slot(e, c, level ? LEVELS_USER : LEVELS_ALL)},
		.n_count = N_COUNT,
		.n = {1, 2},
		.preset = 1,
		.raw = raw,
	};
	char name[64], what[32], value[32], unit[96];
	struct result r = {
		.suite = "overhead",
		.name = name,
		.event = e->name,
		.kernel = "empty",
		.counter = run->pmu->counter[c].name,
		.level = level_name(level),
		.encoding = e->code,
		.manual = "the driver's brackets",
		.virtual = run->pmu->virtual,
		.machine_model = run->pmu->virtual && event_is_micro(e),
	};

	snprintf(what, sizeof what, brackets[b].name, level_name(level));
	snprintf(name, sizeof(name), "bracket/%s/%s", what, run->pmu->counter[c].name);
	trap_set_context(name);
	if (repeat(run, &p, reps, &r)) {
		result_conclude(&r);
		hypervisor_exits_excuse(&(struct hypervisor_exits_place){p.pmu, e, p.kernel, &p.bracket,
									 p.level, p.level != 0, false},
					r.observation, r.n_observations, &r.judgement);
		snprintf(value, sizeof(value), "%" PRId64, histogram_mode(&r.observation[0].seen));
		snprintf(unit, sizeof(unit), "%s, where its code has %" PRId64, e->name,
			 bracket_share(&p.bracket, e));
		run->value(run, "overhead", name, value, unit);
		snprintf(value, sizeof(value), "%u",
			 r.observation[0].seen.total + r.observation[1].seen.total);
		run->value(run, "overhead", "repetitions", value, "windows");
	}
	run->report(run, &r);
}

static void run_overhead(struct run *run)
{
	bool deterministic = run->pmu && run->pmu->deterministic;
	unsigned reps = run->options->reps ? run->options->reps
			: deterministic    ? REPS_VIRTUAL
					   : REPS_HARDWARE;
	struct result none = {.suite = "overhead", .name = "overhead"};

	for (unsigned c = 0; run->pmu && c < run->pmu->n_counters; c++) {
		const struct pmu_event *e = counter_yardstick(run->pmu, c);

		if (!e || e->judgement != EVENT_EXACT || !event_counts_instructions(e) ||
		    !ladder_allows(run->ladder, c, RUNG_EXACT_ON_NOPS))
			continue;
		for (unsigned b = 0; b < sizeof(brackets) / sizeof(brackets[0]); b++)
			measure(run, b, c, e, reps);
		overhead_costs(run, e, c);
		overhead_pending(run, e, c);
		return; /* one counter stands for all: the events suite has the empty kernel on each */
	}
	judgement_set(&none.judgement, VERDICT_SKIPPED, "no counter counts instructions exactly");
	run->report(run, &none);
}

const struct suite suite_overhead = {"overhead", "what the brackets themselves add to a count", run_overhead,
				     NULL};
