/*
 * Checks of control logic that are a family's own: pmu/contract/control.h. What they are about is the
 * family's business; here is what they need to run, and the verdict.
 */
#include "tests/suites/control.h"
#include "tests/suites/suites.h"
#include "tests/judge/under_hypervisor.h"
#include "tests/judge/ladder.h"
#include "tests/measure/pass.h"
#include "tests/measure/intrusion.h"
#include "tests/measure/other_thread.h"
#include "tests/judge/truth.h"

#include "arch/courage.h"
#include "arch/exceptions.h"
#include "arch/firmware.h"
#include "arch/levels.h"
#include "arch/time.h"
#include "arch/timer.h"
#include "pmu/contract/control.h"
#include "pmu/virtual/vpmu.h"

#include <stdio.h>
#include <string.h>

#define FAMILY_MS   10000
#define EVENTS_MAX  256
#define NAME_LENGTH 96
#define PLAIN_UNFIT (KERNEL_SERVICES | KERNEL_USER_ONLY | KERNEL_CLOBBERS_CR)
#define PREFER_USER (PLAIN_UNFIT | KERNEL_PRIVILEGED)

struct grip {
	struct control_fixture fixture; /* first: the hands' functions get its address */
	struct probe probe;
	const struct pmu_control_check *check;
	unsigned instance;
	const struct pmu_event *event;
	bool disturbed; /* it failed, and an SMI came, in each of INTRUSION_TRIES */
};

static struct probe *probe_of(struct control_fixture *h)
{
	return &((struct grip *)h)->probe;
}

struct probe *control_probe(struct control_fixture *h)
{
	return probe_of(h);
}

static bool equal(struct control_fixture *h, const char *what, uint64_t expected, uint64_t observed)
{
	return must_be(probe_of(h), what, expected, observed);
}

static bool within(struct control_fixture *h, const char *what, uint64_t low, uint64_t high,
		   uint64_t observed)
{
	uint64_t nearest = observed < low ? low : observed > high ? high : observed;

	return must_be(probe_of(h), what, nearest, observed);
}

static bool works(struct control_fixture *h, const char *what, bool done)
{
	return must_work(probe_of(h), what, done);
}

static void leave(struct control_fixture *h, const char *why)
{
	probe_of(h)->left = why;
}

static void run(struct control_fixture *h, uint64_t mask)
{
	run_counting(probe_of(h), mask);
}

static void run_user(struct control_fixture *h, uint64_t mask)
{
	run_counting_outside(probe_of(h), mask, (uint8_t)level_user(), CONTROL_N);
}

static uint64_t read_user(struct control_fixture *h, unsigned c)
{
	bool before = level_user_reads_counters(true);
	uint64_t count = 0;

	control_read_user(probe_of(h), c, &count);
	level_user_reads_counters(before);
	return count;
}

static void amount(struct control_fixture *h, const struct pmu_event *e, uint8_t level, uint64_t *low,
		   uint64_t *high)
{
	struct probe *p = probe_of(h);
	int64_t share = probe_share(p, h->programmed, e, level);
	struct expectation x;

	*low = 1;
	*high = UINT64_MAX;
	if (e->judgement == EVENT_TIME || expectation(e, p->kernel, CONTROL_N, &x))
		return;
	if (!p->pmu->deterministic)
		expectation_allow_more(&x, e, p->kernel, level, CONTROL_N);
	*low = (uint64_t)(x.low + share);
	*high = x.high == INT64_MAX ? UINT64_MAX : (uint64_t)(x.high + share);
}

static uint64_t guests(struct control_fixture *h, const struct pmu_event *e, uint64_t *entries)
{
	struct expectation with, without;

	*entries = CONTROL_N;
	if (expectation(e, probe_of(h)->kernel, CONTROL_N, &with) ||
	    expectation(e, kernel_by_name("guest_empty"), CONTROL_N, &without))
		return 0;
	return (uint64_t)(with.low - without.low);
}

static void arm(struct control_fixture *h)
{
	pmi_arm(&probe_of(h)->pmi, OVERFLOW_MASKABLE);
}

static unsigned interrupts(struct control_fixture *h)
{
	interrupts_drain();
	return probe_of(h)->pmi.maskable;
}

static void open_line(struct control_fixture *h, uint16_t line, bool open)
{
	if (!open)
		overflow_mask(line);
	else
		h->works(h, "unmasking a line", overflow_arm(line, OVERFLOW_MASKABLE));
}

static unsigned other_interrupts(struct control_fixture *h)
{
	(void)h;
	return vpmu_sibling_interrupts();
}

#define WHILE 1000

static unsigned run_open(struct control_fixture *h, uint64_t mask, unsigned *empty)
{
	struct pmi *pmi = &probe_of(h)->pmi;

	pmi->goes_on = true;
	arm(h);
	interrupts_open();
	run(h, mask);
	for (unsigned i = 0; i < WHILE; i++)
		time_relax();
	interrupts_close();
	pmi->goes_on = false;
	*empty = pmi->empty;
	return pmi->maskable;
}

static uint64_t halt(struct control_fixture *h, unsigned us)
{
	uint64_t took = timer_halt(us);

	(void)h;
	return took < clock_hz() / 1000000 * us / 2 ? 0 : took;
}

static uint64_t halt_deeply(struct control_fixture *h, unsigned us)
{
	return h->pmu->virtual ? timer_halt(us) : timer_halt_deeply(us);
}

static uint64_t debug_exception(struct control_fixture *h)
{
	(void)h;
	return trap_debug_exception();
}

static void place(struct control_fixture *h, unsigned thread, enum pmu_other_thread other)
{
	static const enum vpmu_sibling states[] = {[OTHER_HALTED] = SIBLING_HALTED,
						   [OTHER_SYSTEM] = SIBLING_KERNEL,
						   [OTHER_USER] = SIBLING_USER};

	if (h->threads > 1)
		must_work(probe_of(h), "going to a logical processor", vpmu_place(thread, states[other]));
}

static void carry_out_once(struct grip *g)
{
	uint32_t before = 0, after = 0;
	const char *why;

	g->disturbed = false;
	if (!works(&g->fixture, "resetting", g->fixture.pmu->driver->reset(g->fixture.pmu, &why)))
		return;
	bool counted = firmware_is_counted() && firmware_interrupts(&before);
	g->check->check(&g->fixture, g->instance, g->event);
	place(&g->fixture, 0, OTHER_HALTED);
	g->disturbed = !(g->check->needs & PMU_CONTROL_FIRMWARE) && (g->probe.failed || g->probe.refused) &&
		       counted && firmware_interrupts(&after) && after != before;
}

/* Counters are not held during SMIs, as a check may be about the register that has them held. */
static void carry_out_stepped(void *arg)
{
	struct grip *g = arg;
	const struct probe fresh = g->probe;

	carry_out_once(g);
	for (unsigned i = 1; i < INTRUSION_TRIES && g->disturbed; i++) {
		g->probe = fresh;
		carry_out_once(g);
	}
}

/* --- kernels ---------------------------------------------------------------------------------------- */

/* The kernel that causes an event, found once: a number known beforehand if there is one, and in either ring.
 */
static struct {
	const struct pmu_event *event;
	const struct kernel *kernel;
} found[EVENTS_MAX];
static unsigned n_found;

static bool causes(const struct kernel *k, const struct pmu_event *e, bool *exact)
{
	struct expectation x;

	*exact = false;
	if (!e)
		return true;
	if (e->judgement == EVENT_TIME)
		return k == kernel_by_name("nop_loop");
	if (expectation(e, k, CONTROL_N, &x) || x.low <= 0)
		return false;
	*exact = x.low == x.high;
	return true;
}

static unsigned merit(const struct kernel *k, const struct pmu_event *e, const struct pmu_event *also)
{
	bool exact, also_exact;

	/* Most kernels do not cause it, which takes less to know than whether one can be run here. */
	if (k->flags & PLAIN_UNFIT || k->needs || !causes(k, e, &exact) || !causes(k, also, &also_exact) ||
	    kernel_unfit(k, 0))
		return 0;
	return 1 + 2 * exact + !(k->flags & PREFER_USER);
}

static bool confirmed(const struct kernel *k)
{
	struct result r = {0};

	truth_check(k, 0, CONTROL_N, &r);
	return !verdict_is_bad(r.judgement.verdict);
}

static const struct kernel *find_kernel(const struct pmu_event *e, const struct pmu_event *also)
{
	unsigned best = 0;
	const struct kernel *kernel = NULL;

	for (unsigned i = 0; !also && i < n_found; i++)
		if (found[i].event == e)
			return found[i].kernel;
	for (const struct kernel *k = kernels_begin; k < kernels_end; k++) {
		unsigned m = merit(k, e, also);

		if (m > best && confirmed(k)) {
			best = m;
			kernel = k;
		}
	}
	if (!also && n_found < EVENTS_MAX) {
		found[n_found].event = e;
		found[n_found++].kernel = kernel;
	}
	return kernel;
}

/* The event of an instance, and the kernel that causes it; of several events the one that is known best. */
static void choose(struct run *r, struct grip *g, const struct pmu_control_instance *instance)
{
	const struct pmu *pmu = r->pmu;
	unsigned best = 0;

	g->event = NULL;
	if (instance->kernel) {
		g->probe.kernel = kernel_by_name(instance->kernel);
		for (unsigned i = 0; instance->suits && i < pmu->n_events && !g->event; i++)
			if (instance->suits(pmu, g->instance, pmu->events[i]))
				g->event = pmu->events[i];
		return;
	}
	g->probe.kernel = r->ladder ? r->ladder->kernel[0] : kernel_by_name("nop_loop");
	if (!instance->suits && instance->also && find_kernel(NULL, instance->also))
		g->probe.kernel = find_kernel(NULL, instance->also);
	for (unsigned i = 0; instance->suits && i < pmu->n_events; i++) {
		const struct pmu_event *e = pmu->events[i];
		const struct kernel *k;

		if (!instance->suits(pmu, g->instance, e))
			continue;
		k = find_kernel(e, instance->also);
		if (k && merit(k, e, instance->also) > best) {
			best = merit(k, e, instance->also);
			g->event = e;
			g->probe.kernel = k;
		}
	}
}

/* --- verdicts --------------------------------------------------------------------------------------- */

static bool counters_good(const struct run *r, const struct pmu_control_check *check, uint64_t counters)
{
	enum rung rung = check->needs & PMU_CONTROL_INTERRUPT ? RUNG_INTERRUPTS : RUNG_EXACT_ON_NOPS;

	for (unsigned c = 0; c < r->pmu->n_counters; c++)
		if (counters >> c & 1 && !ladder_allows(r->ladder, c, rung))
			return false;
	return true;
}

static const char *suite_of(const struct pmu_control_check *check)
{
	return check->needs & PMU_CONTROL_DANGEROUS ? suite_dangerous.name : "control";
}

static void carry_out(struct run *r, const struct pmu_control_check *check, unsigned i,
		      const struct pmu_control_instance *instance, unsigned threads)
{
	static struct grip g;
	char name[NAME_LENGTH];
	struct result result = {
		.suite = suite_of(check), .name = name, .manual = check->manual, .virtual = r->pmu->virtual};

	snprintf(name, sizeof(name), "%s/%s", check->name, instance->name);
	if (!control_selected(r, name))
		return;
	g = (struct grip){
		.fixture = {.pmu = r->pmu,
			    .equal = equal,
			    .within = within,
			    .works = works,
			    .leave = leave,
			    .run = run,
			    .run_user = run_user,
			    .read_user = read_user,
			    .amount = amount,
			    .guests = guests,
			    .arm = arm,
			    .open_line = open_line,
			    .interrupts = interrupts,
			    .other_interrupts = other_interrupts,
			    .run_open = run_open,
			    .halt = halt,
			    .halt_deeply = halt_deeply,
			    .debug_exception = debug_exception,
			    .threads = threads,
			    .place = place},
		.probe = {.pmu = r->pmu, .usable = instance->counters},
		.check = check,
		.instance = i,
	};
	control_give_other(&g.fixture);
	if (instance->lacking && hypervisor_withholds(r->pmu, &result.judgement, instance->lacking)) {
		r->report(r, &result);
		return;
	}
	choose(r, &g, instance);
	if (instance->kernel && kernel_unfit(g.probe.kernel, 0)) {
		judgement_set(&result.judgement, VERDICT_SKIPPED, "%s: %s", instance->kernel,
			      kernel_unfit(g.probe.kernel, 0));
		r->report(r, &result);
		return;
	}
	result.event = g.event ? g.event->name : NULL;
	result.kernel = g.probe.kernel->name;
	result.machine_model = g.event && result.virtual && event_is_micro(g.event);
	trap_set_context(name);
	if (check->needs & PMU_CONTROL_INTERRUPT)
		pmi_claim(&g.probe.pmi, r->pmu);
	bool done = r->call(r, carry_out_stepped, &g, FAMILY_MS, &result);
	if (check->needs & PMU_CONTROL_INTERRUPT)
		pmi_unclaim();
	if (done && g.disturbed)
		judgement_set(&result.judgement, VERDICT_ERROR, "an SMI came during each of %u tries",
			      INTRUSION_TRIES);
	else if (done)
		probe_conclude(&g.probe, &result);
	trap_set_context(NULL);
	r->report(r, &result);
}

static void skip(struct run *r, const struct pmu_control_check *check, const char *why)
{
	if (control_selected(r, check->name))
		run_skip(r, suite_of(check), check->name, check->manual, why);
}

/* @return why a check is not carried out here, or NULL */
static const char *left_out(struct run *r, const struct pmu_control_check *check, unsigned threads)
{
	struct pmu_control_instance instance = {0};

	if (courage_level() < COURAGE_ALL)
		return "what only this family has is for courage=3";
	if (!check->instance(r->pmu, 0, &instance))
		return "this CPU has nothing of the kind";
	if (check->needs & PMU_CONTROL_THREADS && threads < 2)
		return r->pmu->virtual ? "the core has one logical processor"
				       : "a check stays on its logical processor, and the other one "
					 "executes nothing";
	if (check->needs & PMU_CONTROL_OTHER && other_thread_missing(r->pmu))
		return other_thread_missing(r->pmu);
	if (check->needs & PMU_CONTROL_TIMER && !timer_is_free())
		return "there is no timer to end a halt";
	if (check->needs & PMU_CONTROL_INTERRUPT && !r->pmu->has_pmi)
		return "the PMU has no overflow interrupt";
	if (check->needs & PMU_CONTROL_INTERRUPT && !overflow_present(OVERFLOW_COUNTERS))
		return overflow_absent;
	return NULL;
}

void control_of_the_family(struct run *r)
{
	const struct pmu_control_check *check = r->pmu->driver->control;
	/* On silicon a check stays where it began: the others do not execute meanwhile. */
	unsigned threads = r->pmu->virtual ? vpmu_threads() : 1;

	n_found = 0;
	for (; check && check->name; check++) {
		struct pmu_control_instance instance = {0};
		const char *why;

		if (check->needs & PMU_CONTROL_DANGEROUS)
			continue;
		why = left_out(r, check, threads);
		if (why)
			skip(r, check, why);
		for (unsigned i = 0; !why && check->instance(r->pmu, i, &instance); i++) {
			if (counters_good(r, check, instance.counters))
				carry_out(r, check, i, &instance, threads);
			instance = (struct pmu_control_instance){0};
		}
	}
}

/* --- what can hang the machine ------------------------------------------------------------------------ */

static const struct pmu_control_check *dangerous;

const char *control_choose_dangerous(struct run *r, unsigned turn)
{
	static char name[NAME_LENGTH];
	struct pmu_control_instance instance = {0};

	for (dangerous = r->pmu ? r->pmu->driver->control : NULL; dangerous && dangerous->name; dangerous++) {
		if (!(dangerous->needs & PMU_CONTROL_DANGEROUS) || !dangerous->instance(r->pmu, 0, &instance))
			continue;
		snprintf(name, sizeof name, "%s/%s", dangerous->name, instance.name);
		if (control_selected(r, name) && !turn--)
			return name;
	}
	return NULL;
}

static void run_dangerous(struct run *r)
{
	struct pmu_control_instance instance = {0};
	const char *why = left_out(r, dangerous, 1);

	if (!why && dangerous->instance(r->pmu, 0, &instance) &&
	    !counters_good(r, dangerous, instance.counters))
		why = "its counter did not pass the ladder";
	if (why)
		skip(r, dangerous, why);
	else
		carry_out(r, dangerous, 0, &instance, 1);
}

const struct suite suite_dangerous = {"dangerous", "what can hang a machine that has an erratum",
				      run_dangerous, NULL};
