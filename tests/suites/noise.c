/*
 * Noise on purpose: k interrupts, NMIs, faults inside the window. The slope over k is what one of them adds
 * to a count. Its handler is a few instructions, known beforehand, and part of the kernel's signature; what
 * is counted beyond them is the event's overcount per interrupt, a measured property of the CPU.
 *
 * Counted in both rings, all of it is expected; in ring 3 alone, what the handler does is not; and of a
 * window in ring 0 ring 3 sees nothing. A window in ring 3 that is counted in both rings has the harness's
 * own way there and back in it, which is the same for every k: there only the slope is judged.
 */
#include "tests/suites/suites.h"
#include "tests/ladder.h"
#include "tests/pass.h"
#include "tests/pmi.h"
#include "tests/quiet.h"
#include "tests/truth.h"

#include "arch/x86/apic.h"
#include "arch/x86/time.h"
#include "arch/x86/trap.h"
#include "arch/x86/watchdog.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NOISE_MS      20000
#define K_VIRTUAL     3
#define K_HARDWARE    100
#define REPS_VIRTUAL  2
#define REPS_HARDWARE 10
#define REPS_MAX      20

static const struct source {
	const char *kind;
	const char *kernel; /* of two for one kind and ring, the one that suits the machine */
	uint8_t ring;
	uint8_t handler; /* instructions that it takes in ring 0 ... */
	uint8_t far;     /* ... and the far returns among them; 0: one */
} sources[] = {
	{"timer interrupt", "hlt_xapic", 0, KERNEL_XAPIC_INSTRUCTIONS, 0},
	{"timer interrupt", "hlt_x2apic", 0, KERNEL_X2APIC_INSTRUCTIONS, 0},
	/* Requested by SYSCALL, for which ring 3 has no other way. */
	{"interrupt", "ipi_xapic", 3, KERNEL_IPI_XAPIC_INSTRUCTIONS + KERNEL_XAPIC_INSTRUCTIONS, 2},
	{"interrupt", "ipi_x2apic", 3, KERNEL_IPI_X2APIC_INSTRUCTIONS + KERNEL_X2APIC_INSTRUCTIONS, 2},
	{"NMI", "nmi_xapic", 0, KERNEL_TEST_INT_INSTRUCTIONS, 0},
	{"NMI", "nmi_x2apic", 0, KERNEL_TEST_INT_INSTRUCTIONS, 0},
	{"page fault", "fault_pf_ring0", 0, KERNEL_RESUME_CODE_INSTRUCTIONS, 0},
	{"page fault", "fault_pf_ring3", 3, KERNEL_RESUME_CODE_INSTRUCTIONS, 0},
	{"invalid opcode", "fault_ud_ring0", 0, KERNEL_RESUME_INSTRUCTIONS, 0},
	{"invalid opcode", "fault_ud_ring3", 3, KERNEL_RESUME_INSTRUCTIONS, 0},
	{"division by zero", "fault_de_ring0", 0, KERNEL_RESUME_INSTRUCTIONS, 0},
	{"division by zero", "fault_de_ring3", 3, KERNEL_RESUME_INSTRUCTIONS, 0},
	{"general protection fault", "fault_gp_ring0", 0, KERNEL_RESUME_CODE_INSTRUCTIONS, 0},
	{"general protection fault", "fault_gp_ring3", 3, KERNEL_RESUME_CODE_INSTRUCTIONS, 0},
	{"x87 exception", "fault_mf_ring0", 0, KERNEL_RESUME_INSTRUCTIONS, 0},
	{"x87 exception", "fault_mf_ring3", 3, KERNEL_RESUME_INSTRUCTIONS, 0},
	{"page fault in REP STOS", "fault_pf_rep_ring0", 0, KERNEL_RESUME_CODE_INSTRUCTIONS, 0},
	{"page fault in REP STOS", "fault_pf_rep_ring3", 3, KERNEL_RESUME_CODE_INSTRUCTIONS, 0},
	{"x87 not available", "fault_nm", 0, KERNEL_RESUME_INSTRUCTIONS, 0},
	{"SYSCALL", "syscall", 3, KERNEL_SYSCALL_INSTRUCTIONS, 0},
	{"software interrupt", "int_ring0", 0, KERNEL_TEST_INT_INSTRUCTIONS, 0},
	{"software interrupt", "int_ring3", 3, KERNEL_TEST_INT_INSTRUCTIONS, 0},
};

struct noise {
	struct run *run;
	const struct source *source;
	const struct kernel *kernel;
	const struct pmu_event *event;
	unsigned counter, last_k, reps;
	uint8_t rings; /* enum pmu_ring */
	struct result r;
};

static struct observation seen[K_HARDWARE]; /* of k = 1, 2, ... */
static uint64_t raw[PASS_N_MAX * REPS_MAX];

/* What is expected to be counted of one quantity. @return false if nobody says */
static bool amount(const struct noise *s, enum quantity q, uint64_t k, int64_t *out)
{
	struct amount all = kernel_amount(s->kernel, q, k);
	int64_t far = s->source->far ? s->source->far : 1;
	int64_t handlers = q == Q_INSTRUCTIONS                ? s->source->handler
			   : q == Q_BRANCHES || q == Q_BR_FAR ? far
							      : 0;

	if (!all.defined || all.overflow || all.low != all.high)
		return false;
	*out = s->rings == RING_ALL ? all.low : s->source->ring ? all.low - handlers * (int64_t)k : 0;
	return true;
}

static bool expected(const struct noise *s, uint64_t k, int64_t *out)
{
	*out = 0;
	if (s->event->judgement != EVENT_EXACT)
		return false;
	for (unsigned i = 0; i < EVENT_TERMS && s->event->terms[i].coefficient; i++) {
		int64_t part;

		if (!amount(s, s->event->terms[i].quantity, k, &part))
			return false;
		*out += part * s->event->terms[i].coefficient;
	}
	return true;
}

/* The harness's way to ring 3 and back is counted as well. */
static bool slope_only(const struct noise *s)
{
	return s->source->ring && s->rings == RING_ALL;
}

/* Counts at k and the next few. */
static bool measure(struct noise *s, unsigned k)
{
	struct pass p = {
		.pmu = s->run->pmu,
		.kernel = s->kernel,
		.ring = s->source->ring,
		.n_slots = 1,
		.slot = {pass_slot(s->event, s->counter, s->rings)},
		.reps = s->reps,
		.raw = raw,
	};
	int64_t share;

	for (; p.n_count < PASS_N_MAX && k + p.n_count <= s->last_k; p.n_count++)
		p.n[p.n_count] = k + p.n_count;
	if (!s->run->call(s->run, pass_run, &p, NOISE_MS, &s->r))
		return false;
	if (p.failure) {
		judgement_set(&s->r.judgement, pass_failure_verdict(&p), "%s", p.failure);
		return false;
	}
	share = s->rings == RING_USR && !s->source->ring ? 0 : bracket_share(&p.bracket, s->event);
	for (unsigned i = 0; i < p.n_count; i++) {
		struct observation *o = &seen[k + i - 1];

		*o = (struct observation){.n = p.n[i]};
		for (unsigned rep = 0; rep < p.reps; rep++)
			histogram_add(&o->seen, (int64_t)pass_raw(&p, i, rep, 0) - share);
	}
	return true;
}

/* The line through what was counted beyond the expectation, per interrupt. @return false if there is none */
static bool overcount(const struct noise *s, struct line *line)
{
	static uint64_t n[K_HARDWARE];
	static int64_t beyond[K_HARDWARE];

	for (unsigned i = 0; i < s->last_k; i++) {
		n[i] = seen[i].n;
		beyond[i] = histogram_mode(&seen[i].seen) - seen[i].low;
	}
	return line_fit(n, beyond, s->last_k, line);
}

static const char *place(const struct noise *s)
{
	if (s->source->ring)
		return s->rings == RING_ALL ? "ring 3, OS+USR" : "ring 3, USR";
	return s->rings == RING_ALL ? "ring 0, OS+USR" : "ring 0, USR";
}

static void report_slope(const struct noise *s, const struct line *line, const char *unit)
{
	char name[112], value[48];

	snprintf(name, sizeof(name), "%s per %s, %s", s->event->name, s->source->kind, place(s));
	if (line->den == 1)
		snprintf(value, sizeof(value), "%+" PRId64, line->slope_num);
	else
		snprintf(value, sizeof(value), "%+" PRId64 "/%" PRId64, line->slope_num, line->den);
	s->run->value(s->run, "noise", name, value, unit);
}

/* As ever, but an overcount that is the same for each interrupt is a bias, and its size is the result. */
static void conclude(struct noise *s)
{
	struct judgement *j = &s->r.judgement;
	struct line line;
	bool fits = overcount(s, &line);

	judge(seen, s->last_k, j);
	if (fits && line.straight && (j->verdict == VERDICT_WRONG || j->verdict == VERDICT_BIASED) &&
	    line.den == 1) {
		judgement_set(j, VERDICT_BIASED, "%+" PRId64 " per %s", line.slope_num, s->source->kind);
		if (line.offset_num && !slope_only(s))
			snprintf(j->text + strlen(j->text), sizeof(j->text) - strlen(j->text),
				 ", %+" PRId64 " besides", line.offset_num);
		j->bias = line.slope_num;
	}
	if (fits && (line.slope_num || s->rings == RING_ALL || s->source->ring))
		report_slope(s, &line,
			     line.straight ? "overcount per interrupt"
					   : "overcount per interrupt, about: no straight line");
	s->r.n_observations = 0;
	for (unsigned i = 0; i < s->last_k && i < RESULT_OBSERVATIONS - 1; i++)
		s->r.observation[s->r.n_observations++] = seen[i];
	if (s->last_k > RESULT_OBSERVATIONS - 1)
		s->r.observation[s->r.n_observations++] = seen[s->last_k - 1];
}

static void take_off(int64_t way, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct histogram *h = &seen[i].seen;

		h->min -= way;
		h->max -= way;
		for (unsigned v = 0; v < h->distinct && v < VERDICT_DISTINCT; v++)
			h->value[v] -= way;
	}
}

static void run_event(struct noise *s)
{
	char name[128];
	struct line line;
	bool judged = true;

	s->r = (struct result){
		.suite = "noise",
		.name = name,
		.event = s->event->name,
		.kernel = s->kernel->name,
		.counter = s->run->pmu->counter[s->counter].name,
		.ring = s->source->ring ? "ring 3" : "ring 0",
		.encoding = s->event->code,
		.manual = s->event->source,
		.virtual = s->run->pmu->virtual,
	};
	snprintf(name, sizeof(name), "%s/%s/%s", s->source->kind, s->event->name, place(s));
	trap_set_context(name);
	for (unsigned k = 1; k <= s->last_k; k += PASS_N_MAX)
		if (!measure(s, k)) {
			s->run->report(s->run, &s->r);
			return;
		}
	for (unsigned i = 0; i < s->last_k; i++) {
		judged &= expected(s, seen[i].n, &seen[i].low);
		seen[i].high = seen[i].low;
	}
	if (!judged) { /* clocks, caches: no number is right or wrong */
		for (unsigned i = 0; i < s->last_k; i++)
			seen[i].low = 0;
		if (overcount(s, &line) && line.slope_num)
			report_slope(s, &line,
				     line.straight ? "per interrupt, handler and all"
						   : "per interrupt, handler and all, about");
		return;
	}
	if (slope_only(s))
		take_off(histogram_mode(&seen[0].seen) - seen[0].low, s->last_k);
	conclude(s);
	s->run->report(s->run, &s->r);
}

static bool find_counter(struct noise *s)
{
	const struct pmu *pmu = s->run->pmu;

	for (s->counter = 0; s->counter < pmu->n_counters; s->counter++)
		if (pmu->driver->can_count(pmu, s->event, s->counter) &&
		    ladder_allows(s->run->ladder, s->counter, RUNG_EXACT_ON_NOPS))
			return true;
	return false;
}

static void run_source(struct noise *s)
{
	const struct pmu *pmu = s->run->pmu;
	struct result truth = {.suite = "noise", .name = s->kernel->name};

	truth_check(s->kernel, s->source->ring, 1, &truth);
	if (verdict_is_bad(truth.judgement.verdict)) {
		s->run->report(s->run, &truth);
		return;
	}
	for (s->rings = RING_ALL; s->rings >= RING_USR; s->rings--)
		for (unsigned i = 0; i < pmu->n_events; i++) {
			s->event = pmu->events[i];
			if (glob_match(s->run->options->event_glob, s->event->name) && find_counter(s))
				run_event(s);
		}
}

static void skip(struct run *run, const char *name, const char *why)
{
	struct result r = {.suite = "noise", .name = name};

	judgement_set(&r.judgement, VERDICT_SKIPPED, "%s", why);
	run->report(run, &r);
}

/* --- the other side: what is kept out --------------------------------------------------------------- */

#define WAIT_MS 500

struct masking {
	volatile unsigned interrupts;
	unsigned masked, unmasked; /* interrupts by the timer while quiet, and while not */
	bool perf_masked, perf_kept, perf_restored;
};

static bool on_interrupt(struct trap_frame *frame, void *arg)
{
	struct masking *m = arg;

	(void)frame;
	m->interrupts++;
	apic_eoi();
	return true;
}

/* Let the timer run out with interrupts enabled. */
static unsigned wait_for_timer(struct masking *m, bool quiet)
{
	uint64_t until = tsc_read() + tsc_hz() / 1000 * WAIT_MS;

	m->interrupts = 0;
	apic_timer_oneshot(0);
	apic_write(APIC_LVT_TIMER, VECTOR_TEST);
	if (quiet)
		quiet_begin(false);
	apic_write(APIC_TIMER_INITIAL, (uint32_t)(apic_timer_hz() / 1000));
	__asm__ volatile("sti" ::: "memory");
	while (!m->interrupts && tsc_read() < until)
		if (quiet && !apic_read(APIC_TIMER_CURRENT))
			break;
	pmi_let_in();
	quiet_end();
	apic_timer_oneshot(0);
	return m->interrupts;
}

static bool perf_is_masked(void)
{
	return apic_read(APIC_LVT_PERF) & APIC_LVT_MASKED;
}

static void try_masking(void *arg)
{
	struct masking *m = arg;

	m->unmasked = wait_for_timer(m, false);
	m->masked = wait_for_timer(m, true);
	apic_write(APIC_LVT_PERF, VECTOR_PMI);
	quiet_begin(false);
	m->perf_masked = perf_is_masked();
	quiet_end();
	m->perf_restored = !perf_is_masked();
	quiet_begin(true);
	m->perf_kept = !perf_is_masked();
	quiet_end();
	apic_write(APIC_LVT_PERF, VECTOR_PMI | APIC_LVT_MASKED);
}

static void run_masking(struct run *run)
{
	struct masking m = {0};
	struct result r = {.suite = "noise",
			   .name = "local APIC masked around windows",
			   .manual = "SDM 10.5.1, mask bits of the local vector table",
			   .virtual = run->pmu->virtual};
	bool done;

	if (!apic_present() || !apic_has_lvt(APIC_LVT_PERF) || !apic_timer_hz() ||
	    !strcmp(watchdog_source(), "APIC timer")) {
		skip(run, r.name, "the local APIC's timer is not free, or its rate is not known");
		return;
	}
	trap_set_context(r.name);
	trap_set_handler(VECTOR_TEST, on_interrupt, &m);
	done = run->call(run, try_masking, &m, NOISE_MS, &r);
	trap_set_handler(VECTOR_TEST, NULL, NULL);
	if (done && (m.unmasked != 1 || m.masked || !m.perf_masked || !m.perf_kept || !m.perf_restored))
		judgement_set(&r.judgement, VERDICT_ERROR,
			      "timer: %u interrupts, %u while masked; performance entry: masked %u, kept %u, "
			      "restored %u",
			      m.unmasked, m.masked, m.perf_masked, m.perf_kept, m.perf_restored);
	run->report(run, &r);
}

static void run_noise(struct run *run)
{
	static struct noise s;
	const struct run_options *o = run->options;
	const char *last_kind = "";

	if (!run->pmu) {
		skip(run, "noise", "there is no PMU");
		return;
	}
	s = (struct noise){.run = run};
	s.last_k = o->n                ? (o->n < 2            ? 2
					  : o->n > K_HARDWARE ? K_HARDWARE
							      : o->n)
		   : run->pmu->virtual ? K_VIRTUAL
				       : K_HARDWARE;
	s.reps = o->reps ? o->reps : run->pmu->virtual ? REPS_VIRTUAL : REPS_HARDWARE;
	if (s.reps > REPS_MAX)
		s.reps = REPS_MAX;
	for (s.source = sources; s.source < sources + sizeof(sources) / sizeof(sources[0]); s.source++) {
		s.kernel = kernel_by_name(s.source->kernel);
		if (!s.kernel)
			continue;
		if (kernel_unfit(s.kernel, s.source->ring)) {
			/* There may be another for this kind. */
			if (strcmp(last_kind, s.source->kind) && s.source[1].ring == s.source->ring)
				continue;
			if (strcmp(last_kind, s.source->kind))
				skip(run, s.source->kind, kernel_unfit(s.kernel, s.source->ring));
			continue;
		}
		last_kind = s.source->kind;
		run_source(&s);
	}
	run_masking(run);
}

const struct suite suite_noise = {"noise", "what interrupts, NMIs and faults inside a window add to a count",
				  run_noise};
