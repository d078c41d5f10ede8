#include "tests/judge/hypervisor_exits.h"
#include "tests/judge/under_hypervisor.h"
#include "tests/judge/ladder.h"
#include "tests/measure/pass.h"
#include "tests/measure/pmi.h"
#include "tests/judge/truth.h"
#include "pmu/contract/bits.h"
#include "pmu/contract/counter_values.h"

#include "arch/exceptions.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LADDER_MS       5000
#define SOME            1000 /* a first value other than 0 */
#define N_SMALL         10
#define OVERFLOWS_AFTER 5
#define TICKS           3 /* windows in a row */
#define REPS            3
#define HIGHEST_LEAST   127 /* what eight bits hold that are not the sign */

static const char *const names[] = {
	[RUNG_NONE] = "none",
	[RUNG_ENUMERATED] = "enumerated",
	[RUNG_WRITABLE] = "writable",
	[RUNG_TICKS] = "ticks",
	[RUNG_MONOTONIC] = "monotonic",
	[RUNG_EXACT_ON_NOPS] = "exact on NOPs",
	[RUNG_INTERRUPTS] = "interrupts",
};

const char *rung_name(enum rung rung)
{
	return names[rung];
}

bool ladder_allows(const struct ladder *ladder, unsigned c, enum rung rung)
{
	return !ladder || ladder->reached[c] >= rung;
}

/* One counter on its way up. What is stepped only gathers; judging comes after. */
struct climb {
	const struct pmu *pmu;
	unsigned counter;
	const struct pmu_event *event;
	const struct kernel *kernel;

	const char *refused; /* what the hardware answered with #GP */
	uint64_t wrote[2], read_back[2];

	struct pass pass;
	uint64_t raw[2 * REPS];

	struct pmi pmi;
	uint64_t status, status_after;
};

static bool refuse(struct climb *m, const char *what)
{
	m->refused = what;
	return false;
}

static bool reset(struct climb *m)
{
	const char *why;

	return m->pmu->driver->reset(m->pmu, &why) || refuse(m, why);
}

static void try_writing(void *arg)
{
	struct climb *m = arg;
	const struct pmu_driver *d = m->pmu->driver;
	struct slot s = pass_slot(m->event, m->counter, 0); /* counts in no ring: only writes may change it */

	if (!reset(m))
		return;
	if (!d->program(m->pmu, m->counter, &s.config)) {
		refuse(m, "programming it");
		return;
	}
	for (unsigned i = 0; i < 2; i++)
		if (!d->write(m->pmu, m->counter, m->wrote[i]) ||
		    !d->read(m->pmu, m->counter, &m->read_back[i]))
			refuse(m, "writing and reading it");
}

static void try_overflow(void *arg)
{
	struct climb *m = arg;
	const struct pmu_driver *d = m->pmu->driver;

	pmi_arm(&m->pmi, OVERFLOW_MASKABLE);
	pass_run(&m->pass);
	interrupts_drain();
	if (m->pass.failure)
		return;
	if (!d->overflowed(m->pmu, &m->status) || !d->acknowledge(m->pmu, m->status) ||
	    !d->overflowed(m->pmu, &m->status_after))
		refuse(m, "reading and acknowledging the overflow status");
}

static struct pass pass_of(struct climb *m, uint64_t n, unsigned reps)
{
	return (struct pass){
		.pmu = m->pmu,
		.kernel = m->kernel,
		.n_slots = 1,
		.slot = {pass_slot(m->event, m->counter, LEVELS_ALL)},
		.n_count = 1,
		.n = {n},
		.reps = reps,
		.preset = SOME,
		.raw = m->raw,
	};
}

/* Each rung: climb it, @return whether it holds; *r says why not. */

static bool enumerated(struct run *run, struct climb *m, struct result *r)
{
	const struct pmu_counter *c = &m->pmu->counter[m->counter];

	(void)run;
	if (c->width < 8 || c->width > 64 || c->write_width < 8 || c->write_width > c->width) {
		judgement_set(&r->judgement, VERDICT_WRONG, "enumerated with %u bits, %u of them writable",
			      c->width, c->write_width);
		return false;
	}
	if (counter_highest(c) > counter_ones(c) || counter_highest(c) < HIGHEST_LEAST) {
		judgement_set(&r->judgement, VERDICT_WRONG,
			      "enumerated with %u bits and a highest value of %" PRIu64, c->width,
			      c->highest);
		return false;
	}
	if (!m->kernel) {
		judgement_set(&r->judgement, VERDICT_ERROR,
			      "no kernel to try it with has a signature that holds");
		return false;
	}
	if (!m->event) {
		judgement_set(&r->judgement, VERDICT_SKIPPED, "no known event can be counted on it");
		return false;
	}
	return true;
}

static bool was_refused(const struct climb *m, struct result *r)
{
	if (m->refused)
		judgement_set(&r->judgement, VERDICT_WRONG, "%s was answered with a fault", m->refused);
	else if (m->pass.failure)
		judgement_set(&r->judgement, pass_failure_verdict(&m->pass), "%s", m->pass.failure);
	return m->refused || m->pass.failure;
}

static bool writable(struct run *run, struct climb *m, struct result *r)
{
	const struct pmu_counter *c = &m->pmu->counter[m->counter];
	unsigned bits = c->write_width - 1u;

	while (low_bits(bits) > counter_highest(c))
		bits--;
	m->wrote[0] = UINT64_C(0x5555555555555555) & low_bits(bits);
	m->wrote[1] = UINT64_C(0xaaaaaaaaaaaaaaaa) & low_bits(bits);
	if (!run->call(run, try_writing, m, LADDER_MS, r))
		return false;
	if (m->refused) {
		judgement_set(&r->judgement, VERDICT_DEAD, "%s was answered with a fault", m->refused);
		return false;
	}
	if (m->read_back[0] == m->wrote[0] && m->read_back[1] == m->wrote[1])
		return true;
	if (m->read_back[0] == 0 && m->read_back[1] == 0)
		judgement_set(&r->judgement, VERDICT_DEAD, "reads 0 whatever is written");
	else
		judgement_set(&r->judgement, VERDICT_WRONG,
			      "wrote %#" PRIx64 ", read %#" PRIx64 "; wrote %#" PRIx64 ", read %#" PRIx64,
			      m->wrote[0], m->read_back[0], m->wrote[1], m->read_back[1]);
	return false;
}

/* What is no clock, and has but an interval from 0 up on the kernel: it may stand still. */
static bool may_stand_still(const struct climb *m)
{
	struct expectation x;

	return m->event->judgement != EVENT_TIME &&
	       expectation(m->event, m->kernel, N_SMALL, &x) == EXPECTATION_OK && x.low == 0 && x.high > 0;
}

static bool ticks(struct run *run, struct climb *m, struct result *r)
{
	m->pass = pass_of(m, N_SMALL, TICKS);
	if (!run->call(run, pass_run, &m->pass, LADDER_MS, r) || was_refused(m, r))
		return false;
	if (may_stand_still(m)) {
		judgement_set(&r->judgement, VERDICT_SKIPPED, "nothing here must move it");
		return false;
	}
	for (unsigned i = 0; i < TICKS; i++)
		if (m->raw[i])
			return true;
	judgement_set(&r->judgement, VERDICT_DEAD, "never ticks: stays at %u", SOME);
	return false;
}

/* The windows that ticked ran on without a reset: each must have moved the counter, forwards. */
static bool monotonic(struct run *run, struct climb *m, struct result *r)
{
	(void)run;
	for (unsigned i = 0; i < TICKS; i++) {
		int64_t moved = counter_step(&m->pmu->counter[m->counter], 0, m->raw[i]);

		if (moved <= 0) {
			judgement_set(&r->judgement, VERDICT_WRONG, "window %u of %u moved it by %" PRId64,
				      i + 1, TICKS, moved);
			return false;
		}
	}
	return true;
}

static bool counts_nops(struct run *run, struct climb *m, struct result *r)
{
	m->pass = pass_of(m, N_SMALL, REPS);
	m->pass.n_count = 2;
	m->pass.n[1] = 2 * N_SMALL;
	if (!run->call(run, pass_run, &m->pass, LADDER_MS, r) || was_refused(m, r))
		return false;
	return pass_judge(&m->pass, 0, r) && r->judgement.verdict == VERDICT_EXACT;
}

/* What an empty window counts has been measured by then: whatever it is, it must be one number. */
static bool has_steady_share(const struct climb *m, struct result *r)
{
	const struct share_place at = pass_share_place(&m->pass, 0);
	struct share share = share_find(&at);

	if (share.state != SHARE_UNSTEADY && share.state != SHARE_SLOPE)
		return true;
	judgement_set(&r->judgement, share.state == SHARE_UNSTEADY ? VERDICT_NOISY : VERDICT_WRONG,
		      share.state == SHARE_UNSTEADY ? "what an empty window counts is not the same each time"
						    : "NOPs in a row are not counted by their number");
	return false;
}

/* With its own instructions added (vpmc.freezeMode=vcpu) a hypervisor leaves no counter to judge by. */
static bool counts_host_too(const struct run *run, struct result *r)
{
	for (unsigned i = 0; i < r->n_observations; i++)
		if (r->observation[i].seen.min < r->observation[i].low)
			return false;
	return r->n_observations && hypervisor_adds(run->pmu, &r->judgement);
}

static bool exact_on_nops(struct run *run, struct climb *m, struct result *r)
{
	/* Of a clock no number is known beforehand. */
	if (m->event->judgement != EVENT_EXACT || (counts_nops(run, m, r) && has_steady_share(m, r)))
		return true;
	counts_host_too(run, r);
	return false;
}

static bool interrupts(struct run *run, struct climb *m, struct result *r)
{
	uint64_t mine = UINT64_C(1) << m->counter;
	const struct pmu_counter *c = &m->pmu->counter[m->counter];
	bool done;

	m->pass = pass_of(m, N_SMALL, 1);
	m->pass.slot[0].config.interrupt = true;
	m->pass.preset = counter_before(c, 0, OVERFLOWS_AFTER);
	pmi_claim(&m->pmi, m->pmu);
	done = run->call(run, try_overflow, m, LADDER_MS, r);
	pmi_unclaim();
	if (!done || was_refused(m, r))
		return false;
	if (m->pmi.maskable == 0 && hypervisor_withholds(m->pmu, &r->judgement, "overflow interrupts"))
		return false;
	if (m->pmi.maskable != 1 || !(m->status & mine) || (m->status_after & mine)) {
		judgement_set(
			&r->judgement, VERDICT_WRONG,
			"an overflow gave %u interrupts, status bit %d, and %d after it was acknowledged",
			m->pmi.maskable, !!(m->status & mine), !!(m->status_after & mine));
		return false;
	}
	return true;
}

static const struct {
	enum rung rung;
	bool (*climb)(struct run *run, struct climb *m, struct result *r);
} rungs[] = {
	{RUNG_ENUMERATED, enumerated}, {RUNG_WRITABLE, writable},           {RUNG_TICKS, ticks},
	{RUNG_MONOTONIC, monotonic},   {RUNG_EXACT_ON_NOPS, exact_on_nops}, {RUNG_INTERRUPTS, interrupts},
};

static bool applies(const struct pmu *pmu, unsigned c, enum rung rung)
{
	return rung != RUNG_INTERRUPTS ||
	       (pmu->has_pmi && pmu->counter[c].has_interrupt && overflow_present(OVERFLOW_COUNTERS));
}

/* The first kernel to try counters with that does what its signature says; one that does not is reported. */
static const struct kernel *confirmed_kernel(struct run *run)
{
	static const char *const candidates[] = {"nop_loop", "loop"};

	for (unsigned i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++) {
		const struct kernel *k = kernel_by_name(candidates[i]);
		struct result r = {.suite = "ladder"};
		char name[64];

		if (!k)
			continue;
		truth_check(k, 0, N_SMALL, &r);
		if (!verdict_is_bad(r.judgement.verdict))
			return k;
		snprintf(name, sizeof(name), "ground truth/%s", k->name);
		r.name = name;
		run->report(run, &r);
	}
	return NULL;
}

/* At least two per turn: what the checks take a counter across takes some. */
static bool causes(const struct kernel *k, const struct pmu_event *e)
{
	struct expectation x;

	return expectation(e, k, N_SMALL, &x) == EXPECTATION_OK && x.low == x.high && x.low >= 2 * N_SMALL;
}

/* A kernel for an event that the general one does not cause: plain code for both rings and any CPU. */
static const struct kernel *special_kernel(const struct pmu_event *e)
{
	for (const struct kernel *k = kernels_begin; k < kernels_end; k++) {
		uint64_t unfit = KERNEL_SERVICES | KERNEL_PRIVILEGED | KERNEL_USER_ONLY | KERNEL_CLOBBERS_CR;
		struct result r = {0};

		if (k->flags & unfit || k->needs || kernel_unfit(k, 0) || !causes(k, e))
			continue;
		truth_check(k, 0, N_SMALL, &r);
		if (!verdict_is_bad(r.judgement.verdict))
			return k;
	}
	return NULL;
}

static const struct kernel *kernel_for(const struct pmu *pmu, unsigned c, const struct kernel *general)
{
	const struct pmu_event *e = counter_yardstick(pmu, c);
	const struct kernel *special = NULL;
	struct expectation x;

	if (general && e && e->judgement != EVENT_TIME &&
	    expectation(e, general, N_SMALL, &x) == EXPECTATION_OK && x.high == 0)
		special = special_kernel(e);
	return special ? special : general;
}

static enum rung climb(struct run *run, const struct kernel *kernel, unsigned c, struct result *r)
{
	struct climb m = {
		.pmu = run->pmu,
		.counter = c,
		.event = counter_yardstick(run->pmu, c),
		.kernel = kernel,
	};
	enum rung reached = RUNG_NONE;
	char context[48];

	snprintf(context, sizeof(context), "calibration ladder, %s", run->pmu->counter[c].name);
	trap_set_context(context);
	if (m.event)
		r->event = m.event->name;
	for (unsigned i = 0; i < sizeof(rungs) / sizeof(rungs[0]); i++) {
		if (!applies(run->pmu, c, rungs[i].rung))
			break;
		if (!rungs[i].climb(run, &m, r)) {
			struct judgement why = r->judgement;

			snprintf(r->judgement.text, sizeof(r->judgement.text), "rung \"%s\": %.100s",
				 rung_name(rungs[i].rung), why.text);
			return reached;
		}
		reached = rungs[i].rung;
	}
	r->judgement.verdict = VERDICT_EXACT;
	return reached;
}

static void take_reset(void *arg)
{
	const struct pmu *pmu = arg;
	const char *why;

	pmu->driver->reset(pmu, &why); /* a refusal has been reported where it was tried first */
}

void ladder_trust(struct ladder *ladder)
{
	*ladder = (struct ladder){0};
	memset(ladder->reached, RUNG_INTERRUPTS, sizeof ladder->reached);
}

void ladder_presume(struct run *run, struct ladder *ladder)
{
	const struct kernel *general = confirmed_kernel(run);

	*ladder = (struct ladder){0};
	for (unsigned c = 0; c < run->pmu->n_counters; c++) {
		ladder->kernel[c] = kernel_for(run->pmu, c, general);
		ladder->reached[c] = RUNG_INTERRUPTS;
	}
	shares_forget();
	shares_learn(run);
}

/* Instructions that a hypervisor carries out, on the first counter that counts instructions exactly. */
static void try_exits(struct run *run, const struct ladder *ladder)
{
	for (unsigned c = 0; c < run->pmu->n_counters; c++) {
		const struct pmu_event *e = counter_yardstick(run->pmu, c);

		if (ladder_allows(ladder, c, RUNG_EXACT_ON_NOPS) && e->judgement == EVENT_EXACT &&
		    event_counts_instructions(e)) {
			hypervisor_exits_try(run, c, e);
			run->call(run, take_reset, run->pmu, LADDER_MS, NULL);
			trap_set_context(NULL);
			return;
		}
	}
}

enum ladder_outcome ladder_climb(struct run *run, struct ladder *ladder)
{
	static struct result results[PMU_COUNTERS_MAX];
	struct pmu *pmu = run->pmu;
	unsigned dead = 0, failed = 0;

	*ladder = (struct ladder){0};
	if (!pmu)
		return LADDER_NONE;
	pmu->left_out = 0;
	pmu->counts_start = pmu->counts_stop = 0;
	memset(pmu->counts_reading, 0, sizeof pmu->counts_reading);
	pmu->hypervisor_exits_lost = 0;
	pmu->attribution = NULL;
	shares_forget();
	if (pmu->n_counters == 0)
		return LADDER_NONE;

	const struct kernel *general = confirmed_kernel(run);

	for (unsigned c = 0; c < pmu->n_counters; c++) {
		const struct kernel *kernel = kernel_for(pmu, c, general);
		struct result *r = &results[c];

		ladder->kernel[c] = kernel;
		*r = (struct result){
			.suite = "ladder",
			.name = pmu->counter[c].name,
			.counter = pmu->counter[c].name,
			.kernel = kernel ? kernel->name : NULL,
			.manual = "calibration ladder",
			.virtual = pmu->virtual,
		};
		ladder->reached[c] = climb(run, kernel, c, r);
		if (!ladder_allows(ladder, c, RUNG_EXACT_ON_NOPS))
			pmu->left_out |= UINT64_C(1) << c;
		dead += r->judgement.verdict == VERDICT_DEAD;
		failed += verdict_is_bad(r->judgement.verdict);
	}
	run->call(run, take_reset, pmu, LADDER_MS, NULL);
	trap_set_context(NULL);

	if (dead == pmu->n_counters) {
		struct result all = {.suite = "ladder", .name = "all counters", .virtual = pmu->virtual};

		judgement_set(&all.judgement, VERDICT_DEAD,
			      "none of %u advertised counters ticks; %s: %.100s", pmu->n_counters,
			      pmu->counter[0].name, results[0].judgement.text);
		run->report(run, &all);
		return LADDER_DEAD;
	}
	for (unsigned c = 0; c < pmu->n_counters; c++)
		run->report(run, &results[c]);
	shares_learn(run);
	try_exits(run, ladder);
	return failed ? LADDER_PARTIAL : LADDER_FULL;
}
