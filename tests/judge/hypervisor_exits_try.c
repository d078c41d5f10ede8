/* Which of the instructions that a hypervisor carries out it counts: tried by kernels that consist of them.
 */
#include "tests/judge/hypervisor_exits.h"
#include "arch/levels.h"
#include "tests/measure/measure.h"
#include "tests/measure/pass.h"

#include "arch/exceptions.h"
#include "arch/step.h"
#include "pmu/contract/manual.h"

#include <stdio.h>

#define EXITS_MS 5000
#define N_SMALL  10
#define REPS     3

/* Kinds that were all counted on some kernel. */
static uint64_t proven;

/* Whether what is known to be lost is missing, each time and all of it, and nothing else is. */
static bool known(const struct hypervisor_exits_place *p, const struct result *r)
{
	for (unsigned i = 0; i < r->n_observations; i++) {
		const struct observation *o = &r->observation[i];
		int64_t missing;
		uint64_t kinds;

		if (!hypervisor_exits_missing(p, o->n, &missing, &kinds) || o->seen.min != o->low - missing ||
		    o->seen.max != o->low - missing)
			return false;
	}
	return true;
}

/* All that a count less than it should be may come from is lost, the kind that is tried above all. */
static void conclude(struct run *run, unsigned kind, const struct hypervisor_exits_place *p, struct result *r)
{
	uint64_t met = hypervisor_exits_kinds(p), before = run->pmu->hypervisor_exits_lost,
		 mine = met & UINT64_C(1) << kind;

	if (!verdict_is_bad(r->judgement.verdict)) {
		proven |= met;
	} else if (known(p, r)) {
		proven |= met & ~before;
		hypervisor_exits_excuse(p, r->observation, r->n_observations, &r->judgement);
	} else {
		run->pmu->hypervisor_exits_lost |= mine | (met & ~proven);
		if (!hypervisor_exits_excuse(p, r->observation, r->n_observations, &r->judgement))
			run->pmu->hypervisor_exits_lost = before;
	}
}

/* On one kernel: counted, or lost, or neither. */
static void try_kernel(struct run *run, unsigned kind, const struct kernel *k, unsigned c,
		       const struct pmu_event *e)
{
	const struct hypervisor_exits_place place = {.pmu = run->pmu, .event = e, .kernel = k};
	static uint64_t raw[2 * REPS];
	static struct result r;
	char name[96];
	struct pass p = {
		.pmu = run->pmu,
		.kernel = k,
		.n_slots = 1,
		.slot = {pass_slot(e, c, LEVELS_ALL)},
		.n_count = 2,
		.n = {N_SMALL, 2 * N_SMALL},
		.reps = REPS,
		.raw = raw,
	};

	snprintf(name, sizeof name, "exits/%s/%s", step_exit_kinds[kind].name, k->name);
	trap_set_context(name);
	r = (struct result){
		.suite = "ladder",
		.name = name,
		.event = e->name,
		.kernel = k->name,
		.counter = run->pmu->counter[c].name,
		.level = level_name(0),
		.manual = pmu_manual(run->pmu, "hypervisor exits"),
		.virtual = run->pmu->virtual,
	};
	if (!run->call(run, pass_run, &p, EXITS_MS, &r)) {
		run->report(run, &r);
		return;
	}
	if (p.failure) {
		judgement_set(&r.judgement, pass_failure_verdict(&p), "%s", p.failure);
	} else if (pass_judge(&p, 0, &r)) {
		conclude(run, kind, &place, &r);
	}
	run->report(run, &r);
}

void hypervisor_exits_try(struct run *run, unsigned c, const struct pmu_event *e)
{
	run->pmu->hypervisor_exits_lost = proven = 0;
	if (!run->pmu->under_hypervisor)
		return;
	for (unsigned kind = 0; kind < step_n_exit_kinds; kind++)
		for (const struct kernel *k = kernels_begin; k < kernels_end; k++)
			if (*step_exit_kinds[kind].kernels &&
			    glob_match(step_exit_kinds[kind].kernels, k->name) && !kernel_unfit(k, 0))
				try_kernel(run, kind, k, c, e);
}
