/*
 * What the instructions of brackets and fences cost: each in a loop, ten in a row, less the loop itself. How
 * many instructions that is, is known beforehand and judged; the cycles are the result.
 */
#include "arch/levels.h"
#include "tests/suites/overhead.h"
#include "tests/judge/hypervisor_exits.h"
#include "tests/judge/ladder.h"
#include "tests/measure/pass.h"

#include "arch/code.h"
#include "arch/exceptions.h"
#include "arch/step.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COSTS_MS      20000
#define COPIES        10
#define N_VIRTUAL     2
#define N_HARDWARE    1000
#define REPS_VIRTUAL  2
#define REPS_HARDWARE 100

/* First, and taken off the others. */
static const struct code_cost the_loop = {.name = "the loop"};

static const struct code_cost *cost_of(unsigned which)
{
	return which ? &code_costs[which - 1] : &the_loop;
}

static struct kernel kernels[1 + CODE_COSTS_MOST];
static uint8_t code[sizeof the_loop.setup + COPIES * sizeof the_loop.code + CODE_LOOP_MOST];
static uint64_t raw[2 * REPS_HARDWARE];

static unsigned copies_of(const struct code_cost *c)
{
	return c->size ? COPIES : 0;
}

static const struct kernel *make(unsigned which, uint32_t selector)
{
	const struct code_cost *c = cost_of(which);
	uint8_t *loop = code_cost_setup(code, c, selector), *p = loop;

	for (unsigned i = 0; i < copies_of(c); i++, p += c->size)
		memcpy(p, c->code, c->size);
	kernels[which] = (struct kernel){.name = c->name, .code = code, .code_end = code_loop(p, loop)};
	return &kernels[which];
}

/* What N turns more add to a count, every time: the second N is twice the first. */
static bool measure(struct run *run, unsigned which, const struct pmu_event *e, unsigned counter,
		    struct pass *p, struct result *r)
{
	bool deterministic = run->pmu->deterministic;
	unsigned reps = deterministic ? REPS_VIRTUAL : REPS_HARDWARE;

	if (run->options->reps && run->options->reps < reps)
		reps = run->options->reps;
	*p = (struct pass){
		.pmu = run->pmu,
		.kernel = make(which, run->pmu->counter[counter].selector),
		.n_slots = 1,
		.slot = {pass_slot(e, counter, LEVELS_ALL)},
		.n_count = 2,
		.reps = reps,
		.raw = raw,
	};
	p->n[0] = deterministic ? N_VIRTUAL : run->options->n ? run->options->n : N_HARDWARE;
	p->n[1] = 2 * p->n[0];
	if (!run->call(run, pass_run, p, COSTS_MS, r))
		return false;
	if (p->failure)
		judgement_set(&r->judgement, pass_failure_verdict(p), "%s", p->failure);
	return !p->failure;
}

static int64_t fastest(const struct pass *p, unsigned i)
{
	uint64_t least = UINT64_MAX;

	for (unsigned rep = 0; rep < p->reps; rep++)
		if (pass_raw(p, i, rep, 0) < least)
			least = pass_raw(p, i, rep, 0);
	return (int64_t)least;
}

static void report_each(struct run *run, const char *name, int64_t hundredths, const char *unit)
{
	char value[32];

	snprintf(value, sizeof(value), "%s%" PRId64 ".%02u", hundredths < 0 ? "-" : "",
		 (hundredths < 0 ? -hundredths : hundredths) / 100,
		 (unsigned)((hundredths < 0 ? -hundredths : hundredths) % 100));
	run->value(run, "overhead", name, value, unit);
}

/* Of the only instruction of a copy that may be one. */
static unsigned hypervisor_exit_kind(const struct code_cost *c)
{
	return step_exit_of_code(&(struct step_code){c->code, c->code + c->size});
}

/* Reading a counter counts as often as was found before. */
static int64_t instructions_of(const struct pmu *pmu, unsigned counter, const struct code_cost *c)
{
	return c->instructions + (c->reads_counter ? pmu->counts_reading[counter] : 0);
}

static void one(struct run *run, unsigned which, const struct pmu_event *e, unsigned counter)
{
	static int64_t loop_cycles; /* of as many turns */
	const struct code_cost *c = cost_of(which);
	unsigned copies = copies_of(c);
	const struct pmu_event *clock;
	char name[48];
	struct pass p;
	struct result r = {
		.suite = "overhead",
		.name = name,
		.event = e->name,
		.counter = run->pmu->counter[counter].name,
		.level = level_name(0),
		.encoding = e->code,
		.manual = code_costs_manual,
		.virtual = run->pmu->virtual,
	};
	int64_t share, cycles, instructions;

	snprintf(name, sizeof(name), "cost/%s", c->name);
	trap_set_context(name);
	if (!measure(run, which, e, counter, &p, &r)) {
		run->report(run, &r);
		return;
	}
	share = pass_share(&p, 0);
	for (unsigned i = 0; i < 2; i++) {
		int64_t each = copies * instructions_of(run->pmu, counter, c) + code_loop_instructions;
		int64_t all = (int64_t)p.n[i] * each + c->setup_instructions;
		struct observation *o = result_observe(&r, p.n[i], all, all);

		for (unsigned rep = 0; rep < p.reps; rep++)
			histogram_add(&o->seen, (int64_t)pass_raw(&p, i, rep, 0) - share);
	}
	instructions = histogram_mode(&r.observation[1].seen) - histogram_mode(&r.observation[0].seen) -
		       (int64_t)(code_loop_instructions * p.n[0]);
	result_conclude(&r);
	hypervisor_exits_excuse_kind(run->pmu, hypervisor_exit_kind(c), copies, r.observation, 2,
				     &r.judgement);
	run->report(run, &r);

	clock = overhead_clock(run, RUNG_MONOTONIC, &counter);
	if (!clock || !measure(run, which, clock, counter, &p, &r))
		return;
	cycles = fastest(&p, 1) - fastest(&p, 0);
	if (!copies) {
		loop_cycles = cycles;
		return;
	}
	report_each(run, c->name, (cycles - loop_cycles) * 100 / (int64_t)(p.n[0] * copies), "cycles");
	report_each(run, c->name, instructions * 100 / (int64_t)(p.n[0] * copies), "instructions");
}

void overhead_costs(struct run *run, const struct pmu_event *e, unsigned counter)
{
	for (unsigned i = 0; cost_of(i)->name; i++)
		one(run, i, e, counter);
}
