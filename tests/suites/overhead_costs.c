/*
 * What the instructions of brackets and fences cost: each in a loop, ten in a row, less the loop itself. How
 * many instructions that is, is known beforehand and judged; the cycles are the result.
 */
#include "arch/levels.h"
#include "tests/suites/overhead.h"
#include "tests/judge/hypervisor_exits.h"
#include "tests/judge/ladder.h"
#include "tests/measure/pass.h"

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
#define LOOP_OWN      2 /* instructions */

#define SET_RCX 0xb9 /* mov $imm32,%ecx */

static const struct cost {
	const char *name;
	uint8_t setup_size, size, copies, instructions;
	uint8_t setup[9], code[4];
} costs[] = {
	{"the loop", 0, 0, 0, 0, {0}, {0}},                        /* first: taken off the others */
	{"RDPMC", 5, 2, COPIES, 1, {SET_RCX}, {0x0f, 0x33}},       /* of the counter that counts */
	{"RDMSR", 5, 2, COPIES, 1, {SET_RCX, 0x10}, {0x0f, 0x32}}, /* IA32_TIME_STAMP_COUNTER */
	/* xor %eax,%eax; xor %edx,%edx; IA32_SYSENTER_CS, which nothing here uses */
	{"WRMSR", 9, 2, COPIES, 1, {0x31, 0xc0, 0x31, 0xd2, SET_RCX, 0x74, 0x01}, {0x0f, 0x30}},
	{"XOR and CPUID", 0, 4, COPIES, 2, {0}, {0x31, 0xc0, 0x0f, 0xa2}},
	{"LFENCE", 0, 3, COPIES, 1, {0}, {0x0f, 0xae, 0xe8}},
};
#define COSTS (sizeof(costs) / sizeof(costs[0]))

static struct kernel kernels[COSTS];
static uint8_t code[9 + 4 * COPIES + 5];
static uint64_t raw[2 * REPS_HARDWARE];

static uint8_t *put(uint8_t *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	return to + size;
}

static const struct kernel *make(unsigned which, uint32_t rdpmc)
{
	const struct cost *c = &costs[which];
	uint8_t *p = put(code, c->setup, c->setup_size), *loop = p;

	if (c->code[1] == 0x33)
		memcpy(code + 1, &rdpmc, 4);
	for (unsigned i = 0; i < c->copies; i++)
		p = put(p, c->code, c->size);
	p = put(p, "\x48\xff\xcf\x75", 4); /* dec %rdi; jnz */
	*p = (uint8_t)(loop - (p + 1));
	kernels[which] = (struct kernel){.name = c->name, .code = code, .code_end = p + 1};
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
		.kernel = make(which, run->pmu->counter[counter].rdpmc),
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
static unsigned hypervisor_exit_kind(const struct cost *c)
{
	return step_exit_of_code(&(struct step_code){c->code, c->code + c->size});
}

/* RDPMC counts as often as was found before. */
static int64_t instructions_of(const struct pmu *pmu, unsigned counter, const struct cost *c)
{
	return c->instructions + (c->code[1] == 0x33 ? pmu->counts_rdpmc[counter] : 0);
}

static void one(struct run *run, unsigned which, const struct pmu_event *e, unsigned counter)
{
	static int64_t loop_cycles; /* of as many turns */
	const struct cost *c = &costs[which];
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
		.manual = "SDM vol. 2: one instruction each",
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
	r.n_observations = 2;
	for (unsigned i = 0; i < 2; i++) {
		struct observation *o = &r.observation[i];

		o->n = p.n[i];
		o->low = o->high =
			(int64_t)p.n[i] * (c->copies * instructions_of(run->pmu, counter, c) + LOOP_OWN) +
			(c->setup_size > 5 ? 3 : c->setup_size / 5);
		for (unsigned rep = 0; rep < p.reps; rep++)
			histogram_add(&o->seen, (int64_t)pass_raw(&p, i, rep, 0) - share);
	}
	instructions = histogram_mode(&r.observation[1].seen) - histogram_mode(&r.observation[0].seen) -
		       LOOP_OWN * (int64_t)p.n[0];
	judge(r.observation, 2, &r.judgement);
	hypervisor_exits_excuse_kind(run->pmu, hypervisor_exit_kind(c), c->copies, r.observation, 2,
				     &r.judgement);
	run->report(run, &r);

	clock = overhead_clock(run, RUNG_MONOTONIC, &counter);
	if (!clock || !measure(run, which, clock, counter, &p, &r))
		return;
	cycles = fastest(&p, 1) - fastest(&p, 0);
	if (!c->copies) {
		loop_cycles = cycles;
		return;
	}
	report_each(run, c->name, (cycles - loop_cycles) * 100 / (int64_t)(p.n[0] * c->copies), "cycles");
	report_each(run, c->name, instructions * 100 / (int64_t)(p.n[0] * c->copies), "instructions");
}

void overhead_costs(struct run *run, const struct pmu_event *e, unsigned counter)
{
	for (unsigned i = 0; i < COSTS; i++)
		one(run, i, e, counter);
}
