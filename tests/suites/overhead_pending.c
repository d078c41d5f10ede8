/*
 * Whether an interrupt that is held off slows a window down. Some cores retire fewer instructions in a cycle
 * while one is requested and IF = 0 (nanoBench found that on Ice Lake); what the APIC masks is not requested
 * at all. So windows are masked in the APIC (arch/masking.h), and here is what it makes of the
 * difference.
 *
 * How many instructions are counted is known beforehand and judged, either way; the rate is the result.
 */
#include "arch/levels.h"
#include "tests/suites/overhead.h"
#include "tests/judge/ladder.h"
#include "tests/measure/pass.h"
#include "tests/measure/pmi.h"

#include "arch/exceptions.h"

#include "arch/time.h"
#include "arch/timer.h"
#include "pmu/contract/manual.h"
#include "arch/masking.h"

#include <inttypes.h>
#include <stdio.h>

#define PENDING_MS    20000
#define N_VIRTUAL     4
#define N_HARDWARE    1000
#define REPS_VIRTUAL  2
#define REPS_HARDWARE 100
#define DUE_TICKS     1

enum { MASKED, HELD_OFF, WAYS };

struct pending {
	struct pass pass;
	bool masked;
	bool before, after;          /* whether it was requested */
	volatile unsigned delivered; /* by the time that interrupts have been let in */
};

static GENERAL_REGISTERS_ONLY void on_interrupt(void *arg)
{
	struct pending *w = arg;

	w->delivered++;
}

/* Interrupts are disabled all the while. */
static void run_while_due(void *arg)
{
	struct pending *w = arg;

	w->delivered = 0;
	timer_stop();
	timer_mask(w->masked);
	timer_start(DUE_TICKS);
	while (timer_left())
		;
	/* An emulator's timer may request it a little after its count has run out. */
	for (uint64_t start = clock_read();
	     !w->masked && !timer_requested() && clock_read() - start < clock_hz() / 100;)
		;
	w->before = timer_requested();
	pass_run(&w->pass);
	w->after = timer_requested();
	interrupts_drain();
	timer_stop();
}

/* Two values of N: what they differ by has nothing of the bracket. */
static struct pass make_pass(const struct run *run, const struct pmu_event *e, unsigned counter,
			     uint64_t *raw)
{
	bool deterministic = run->pmu->deterministic;
	struct pass p = {
		.pmu = run->pmu,
		.kernel = kernel_by_name("nop_sled"),
		.n_slots = 1,
		.slot = {pass_slot(e, counter, LEVELS_ALL)},
		.n_count = 2,
		.reps = deterministic ? REPS_VIRTUAL : REPS_HARDWARE,
		.raw = raw,
	};

	p.n[0] = deterministic ? N_VIRTUAL : N_HARDWARE;
	p.n[1] = 2 * p.n[0];
	return p;
}

/* @return false if the window was not what it was to be; then the result says so */
static bool measure(struct run *run, unsigned way, const struct pmu_event *e, unsigned counter,
		    struct pending *w, struct result *r)
{
	static uint64_t raw[2 * REPS_HARDWARE];
	const struct timer_claim claim = {on_interrupt, w};
	bool done;

	*w = (struct pending){.pass = make_pass(run, e, counter, raw), .masked = way == MASKED};
	timer_claim(&claim);
	done = run->call(run, run_while_due, w, PENDING_MS, r);
	timer_claim(NULL);
	if (!done)
		return false;
	if (w->pass.failure)
		judgement_set(&r->judgement, pass_failure_verdict(&w->pass), "%s", w->pass.failure);
	else if (w->before == w->masked || w->after == w->masked || w->delivered != !w->masked)
		judgement_set(&r->judgement, VERDICT_ERROR,
			      "the interrupt was requested before %u, after %u; delivered %u", w->before,
			      w->after, w->delivered);
	else
		return true;
	return false;
}

static uint64_t fastest(const struct pass *p, unsigned i)
{
	uint64_t least = UINT64_MAX;

	for (unsigned rep = 0; rep < p->reps; rep++)
		if (pass_raw(p, i, rep, 0) < least)
			least = pass_raw(p, i, rep, 0);
	return least;
}

/* Instructions that the second N has more than the first one, in hundredths per cycle more. */
static void report_rate(struct run *run, const char *name, uint64_t instructions, const struct pass *clock)
{
	uint64_t cycles = fastest(clock, 1) - fastest(clock, 0), rate;
	char value[32];

	if ((int64_t)cycles <= 0)
		return;
	rate = instructions * 100 / cycles;
	snprintf(value, sizeof(value), "%" PRIu64 ".%02" PRIu64, rate / 100, rate % 100);
	run->value(run, "overhead", name, value, "instructions per cycle");
}

static void one(struct run *run, unsigned way, const struct pmu_event *e, unsigned counter)
{
	static struct pending w;
	const struct pmu_event *clock;
	char name[64];
	struct result r = {
		.suite = "overhead",
		.name = name,
		.event = e->name,
		.kernel = "nop_sled",
		.counter = run->pmu->counter[counter].name,
		.level = level_name(0),
		.encoding = e->code,
		.manual = pmu_manual(run->pmu, "pending interrupt"),
		.virtual = run->pmu->virtual,
	};
	uint64_t instructions;

	snprintf(name, sizeof(name), "rate/interrupt %s", way == MASKED ? masking_done : masking_else);
	trap_set_context(name);
	if (!timer_is_free()) {
		judgement_set(&r.judgement, VERDICT_SKIPPED, "the timer is not free");
	} else if (measure(run, way, e, counter, &w, &r)) {
		pass_judge(&w.pass, 0, &r);
	}
	run->report(run, &r);
	if (!r.n_observations)
		return;
	instructions = (uint64_t)(r.observation[1].low - r.observation[0].low);
	clock = overhead_clock(run, RUNG_MONOTONIC, &counter);
	if (clock && measure(run, way, clock, counter, &w, &r))
		report_rate(run, name, instructions, &w.pass);
}

void overhead_pending(struct run *run, const struct pmu_event *e, unsigned counter)
{
	for (unsigned way = 0; way < WAYS; way++)
		one(run, way, e, counter);
}
