#include "tests/suites/noise_masking.h"
#include "tests/measure/pass.h"
#include "tests/measure/pmi.h"

#include "arch/exceptions.h"
#include "arch/masking.h"
#include "arch/time.h"
#include "arch/timer.h"
#include "pmu/contract/manual.h"

#include <stdio.h>

#define MASKING_MS      20000
#define PASS_REPS       20
#define PASS_TRIES      8 /* if one takes less than half the time of the one before */
#define PASS_N_VIRTUAL  400
#define PASS_N_HARDWARE 20000
#define WAIT_MS         500
#define NAME            64

struct masking {
	volatile unsigned interrupts;
	unsigned masked, unmasked; /* interrupts by the timer while it is masked, and while not */
	bool perf_masked, perf_kept, perf_restored;
};

struct watched {
	struct pass *pass;
	bool due, requested; /* the timer, in the midst of it; its interrupt, at its end */
};

static GENERAL_REGISTERS_ONLY void on_interrupt(void *arg)
{
	struct masking *m = arg;

	m->interrupts++;
}

/* Let the timer run out with interrupts enabled. */
static unsigned wait_for_timer(struct masking *m, bool mask)
{
	uint64_t until = clock_read() + clock_hz() / 1000 * WAIT_MS;

	m->interrupts = 0;
	timer_stop();
	timer_mask(false);
	if (mask)
		masking_begin(false);
	timer_start((uint32_t)(timer_hz() / 1000));
	interrupts_open();
	while (!m->interrupts && clock_read() < until)
		if (mask && !timer_left())
			break;
	interrupts_drain();
	masking_end();
	timer_stop();
	return m->interrupts;
}

static void try_masking(void *arg)
{
	struct masking *m = arg;

	m->unmasked = wait_for_timer(m, false);
	m->masked = wait_for_timer(m, true);
	overflow_arm(OVERFLOW_COUNTERS, OVERFLOW_MASKABLE);
	masking_begin(false);
	m->perf_masked = overflow_masked(OVERFLOW_COUNTERS);
	masking_end();
	m->perf_restored = !overflow_masked(OVERFLOW_COUNTERS);
	masking_begin(true);
	m->perf_kept = !overflow_masked(OVERFLOW_COUNTERS);
	masking_end();
	overflow_mask(OVERFLOW_COUNTERS);
}

/* Interrupts are disabled all the while, so what was requested stays requested. */
static void try_pass(void *arg)
{
	struct watched *w = arg;
	uint32_t took;

	timer_stop();
	timer_mask(true);
	pass_run(w->pass); /* once, so that the next takes as long as the one that counts */
	/* Whoever runs an emulator may leave it alone for so long that the timer comes due ahead of the window:
	 * what is requested each time is not masked. */
	for (unsigned i = 0; i < PASS_TRIES && (!w->due || w->requested); i++) {
		if (w->requested)
			interrupts_drain();
		timer_mask(true);
		timer_start(UINT32_MAX);
		pass_run(w->pass);
		took = UINT32_MAX - timer_left();
		timer_start(0);
		timer_mask(false);
		timer_start(took / 2);
		pass_run(w->pass);
		w->due = timer_left() == 0;
		w->requested = timer_requested();
	}
	interrupts_drain();
	timer_stop();
}

static const char *timer_missing(void)
{
	if (!overflow_present(OVERFLOW_COUNTERS))
		return overflow_absent;
	return timer_is_free() ? NULL : "the timer is not free, or its rate is not known";
}

static bool can_be_tried(struct run *run, struct result *r)
{
	const char *why = timer_missing();

	if (why) {
		judgement_set(&r->judgement, VERDICT_SKIPPED, "%s", why);
		run->report(run, r);
	}
	return !why;
}

static bool call_with_handler(struct run *run, void (*fn)(void *), void *arg, struct masking *m,
			      struct result *r)
{
	const struct timer_claim claim = {on_interrupt, m};
	bool done;

	trap_set_context(r->name);
	timer_claim(&claim);
	done = run->call(run, fn, arg, MASKING_MS, r);
	timer_claim(NULL);
	return done;
}

static struct result result_of(const struct run *run, const char *what, char name[NAME])
{
	snprintf(name, NAME, "%s %s", overflow_device, what);
	return (struct result){.suite = "noise",
			       .name = name,
			       .manual = pmu_manual(run->pmu, what),
			       .virtual = run->pmu->virtual};
}

static void mask_when_asked(struct run *run)
{
	struct masking m = {0};
	char name[NAME];
	struct result r = result_of(run, "masked around windows", name);

	if (!can_be_tried(run, &r))
		return;
	if (call_with_handler(run, try_masking, &m, &m, &r) &&
	    (m.unmasked != 1 || m.masked || !m.perf_masked || !m.perf_kept || !m.perf_restored))
		judgement_set(&r.judgement, VERDICT_ERROR,
			      "timer: %u interrupts, %u while masked; performance entry: masked %u, kept %u, "
			      "restored %u",
			      m.unmasked, m.masked, m.perf_masked, m.perf_kept, m.perf_restored);
	run->report(run, &r);
}

/* A pass during which the timer comes due, unmasked before. */
static void mask_in_pass(struct run *run)
{
	static uint64_t raw[PASS_REPS];
	struct masking m = {0};
	struct pass pass = {.pmu = run->pmu,
			    .kernel = kernel_by_name("nop_loop"),
			    .n_slots = 1,
			    .n_count = 1,
			    .n = {run->pmu->deterministic ? PASS_N_VIRTUAL : PASS_N_HARDWARE},
			    .reps = PASS_REPS,
			    .raw = raw};
	struct watched w = {.pass = &pass};
	char name[NAME];
	struct result r = result_of(run, "masked while a pass runs", name);
	const struct pmu_event *e = counter_yardstick(run->pmu, 0);

	if (!e || !can_be_tried(run, &r))
		return;
	pass.slot[0] = pass_slot(e, 0, LEVELS_ALL);
	if (call_with_handler(run, try_pass, &w, &m, &r)) {
		if (pass.failure)
			judgement_set(&r.judgement, pass_failure_verdict(&pass), "%s", pass.failure);
		else if (!w.due)
			judgement_set(&r.judgement, VERDICT_ERROR, "the timer did not come due meanwhile");
		else if (w.requested)
			judgement_set(&r.judgement, VERDICT_ERROR,
				      "an interrupt that came due during a window was requested");
	}
	run->report(run, &r);
}

void noise_masking(struct run *run)
{
	mask_when_asked(run);
	mask_in_pass(run);
}
