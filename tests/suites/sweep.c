/*
 * What must make no difference: where the code lies, which counter counts, in which ring, what the other
 * counters count, what the core's other logical processor does, what all other processors do at once, and how
 * the window is bracketed. Along each
 * of these axes every count must be the one that event and kernel declare.
 *
 * Unless kernels are named, a few go along all axes with every event, and all kernels there are along the
 * first, alignment, with the first events.
 */
#include "arch/levels.h"
#include "tests/suites/suites.h"
#include "tests/judge/hypervisor_exits.h"
#include "tests/judge/expectation_level.h"
#include "tests/judge/ladder.h"
#include "tests/measure/crowd.h"
#include "tests/measure/pass.h"

#include "arch/identity.h"
#include "arch/second_cpu.h"
#include "arch/exceptions.h"
#include "pmu/events/schedule.h"
#include "pmu/virtual/vpmu.h"
#include "pmu/contract/manual.h"
#include "tests/report/level_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SWEEP_MS     20000
#define N_VIRTUAL    3
#define N_EMULATED   100 /* an emulator's own PMU: windows are slow, and their counts repeat themselves */
#define N_HARDWARE   1000
#define REPS_VIRTUAL 3
#define REPS_MAX     100
#define MULTIPLES    2
#define EVENTS_MAX   8
#define EVENTS_WIDE  3 /* for every kernel; one on the virtual PMU */
/* They have a second CPU of their own. */
#define BESIDE_OTHERS (KERNEL_SERVICE_RIVAL | KERNEL_SERVICE_SIBLING)
#define KERNELS       "empty,nop_loop,branches_taken,calls,load_op_store"

struct sweep {
	struct run *run;
	const struct kernel *kernel;
	const struct pmu_event *event;
	const struct pmu_event *all[EVENTS_MAX]; /* events that count a number known beforehand */
	unsigned n_all, reps;
	uint64_t n;
	uint8_t level; /* of the kernel: 0 if it can run there */
	bool wide;     /* no kernels were named */
	bool alone;    /* no other logical processor of the core could work */
	bool lonely;   /* nor could any other processor */

	/* Along the axis that is being swept. */
	struct result r;
	unsigned variants, deviating;
	unsigned apart, counted; /* of the other processors that count, those that deviate; and all */
	unsigned excused;        /* of those that deviate, in a guest ... */
	struct judgement excuse; /* ... and why */
	bool unsteady;           /* a variant differs from itself */
	char first[96];
};

static uint64_t raw[MULTIPLES * REPS_MAX * PMU_COUNTERS_MAX];

static struct pass pass_of(const struct sweep *s, uint8_t level, unsigned counter)
{
	return (struct pass){
		.pmu = s->run->pmu,
		.kernel = s->kernel,
		.level = level,
		.n_slots = 1,
		.slot = {pass_slot(s->event, counter, level ? LEVELS_USER : LEVELS_ALL)},
		.n_count = MULTIPLES,
		.n = {s->n, 2 * s->n},
		.reps = s->reps,
		.raw = raw,
	};
}

static bool carry_out(struct sweep *s, struct pass *p)
{
	if (!s->run->call(s->run, pass_run, p, SWEEP_MS, &s->r))
		return false;
	if (p->failure)
		judgement_set(&s->r.judgement, pass_failure_verdict(p), "%s", p->failure);
	return !p->failure;
}

/* Add what a slot counted to what the axis shows, and remember the first variant that deviates. */
static bool gather(struct sweep *s, const struct pass *p, unsigned slot, const char *variant)
{
	struct observation seen[MULTIPLES];
	struct expectation x;
	bool deviates = false;
	unsigned at;

	if (pass_observe(p, slot, seen, &x, &at)) {
		s->r.judgement.verdict = VERDICT_ERROR;
		expectation_explain(&x, p->kernel, p->n[at], s->r.judgement.text,
				    sizeof(s->r.judgement.text));
		return false;
	}
	for (unsigned i = 0; i < MULTIPLES; i++) {
		const struct histogram *h = &seen[i].seen;
		struct histogram all = s->r.observation[i].seen;

		histogram_merge(&all, h);
		s->r.observation[i] = seen[i];
		s->r.observation[i].seen = all;
		s->unsteady |= h->min != h->max;
		if (!deviates && (h->min < seen[i].low || h->max > seen[i].high)) {
			deviates = true;
			if (!s->deviating)
				snprintf(s->first, sizeof(s->first),
					 "%s: %" PRId64 " instead of %" PRId64 " at N = %" PRIu64, variant,
					 histogram_mode(h), seen[i].low, p->n[i]);
		}
	}
	s->r.n_observations = MULTIPLES;
	s->variants++;
	s->deviating += deviates;
	if (deviates)
		s->excuse.verdict = VERDICT_WRONG;
	s->excused += deviates &&
		      hypervisor_exits_excuse(&(struct hypervisor_exits_place){p->pmu, s->event, p->kernel,
									       &p->bracket, p->level,
									       p->level != 0, false},
					      seen, MULTIPLES, &s->excuse);
	return true;
}

static bool usable(const struct sweep *s, unsigned c)
{
	return s->run->pmu->driver->can_count(s->run->pmu, s->event, c) &&
	       ladder_allows(s->run->ladder, c, RUNG_EXACT_ON_NOPS);
}

static unsigned first_counter(const struct sweep *s)
{
	unsigned c = 0;

	while (c < s->run->pmu->n_counters && !usable(s, c))
		c++;
	return c;
}

/* Each axis. @return false if it could not be gone along to its end; then the result says why */

static bool sweep_alignment(struct sweep *s)
{
	static const uint8_t few[] = {0, 1, 31, 32, 63};
	const struct run_options *o = s->run->options;
	bool core = s->wide && s->kernel->flags & KERNEL_CORE && s->event == s->all[0];
	bool all = !s->run->pmu->deterministic || o->n || o->verbose || core;

	for (unsigned i = 0; i < (all ? 64 : sizeof(few)); i++) {
		struct pass p = pass_of(s, s->level, first_counter(s));
		char variant[32];

		p.alignment = all ? i : few[i];
		snprintf(variant, sizeof(variant), "%u bytes behind a line", p.alignment);
		if (!carry_out(s, &p) || !gather(s, &p, 0, variant))
			return false;
	}
	return true;
}

static bool sweep_counter(struct sweep *s)
{
	for (unsigned c = 0; c < s->run->pmu->n_counters; c++) {
		struct pass p = pass_of(s, s->level, c);

		if (usable(s, c) && (!carry_out(s, &p) || !gather(s, &p, 0, s->run->pmu->counter[c].name)))
			return false;
	}
	return true;
}

static bool sweep_level(struct sweep *s)
{
	for (unsigned level = 0; level <= level_user(); level += (uint8_t)level_user()) {
		struct pass p = pass_of(s, level, first_counter(s));

		if (!kernel_unfit(s->kernel, level) &&
		    (!carry_out(s, &p) || !gather(s, &p, 0, level_name(level))))
			return false;
	}
	return true;
}

/* All counters at once, the events moved on from counter to counter. */
static bool sweep_order(struct sweep *s)
{
	const struct pmu *pmu = s->run->pmu;

	for (unsigned turn = 0; turn < s->n_all; turn++) {
		struct pass p = pass_of(s, s->level, 0);

		uint64_t taken = 0;

		p.n_slots = 0;
		for (unsigned c = 0; c < pmu->n_counters; c++)
			for (unsigned i = 0; i < s->n_all; i++) {
				const struct pmu_event *e = s->all[(c + turn + i) % s->n_all];

				if (!ladder_allows(s->run->ladder, c, RUNG_EXACT_ON_NOPS) ||
				    !pmu->driver->can_count(pmu, e, c) || event_takes(pmu, e, c) & taken)
					continue;
				taken |= event_takes(pmu, e, c);
				p.slot[p.n_slots++] = pass_slot(e, c, s->level ? LEVELS_USER : LEVELS_ALL);
				break;
			}
		if (!carry_out(s, &p))
			return false;
		for (unsigned i = 0; i < p.n_slots; i++) {
			char variant[48];

			snprintf(variant, sizeof(variant), "%s, order %u",
				 pmu->counter[p.slot[i].counter].name, turn + 1);
			if (p.slot[i].event == s->event && !gather(s, &p, i, variant))
				return false;
		}
	}
	return true;
}

static bool sweep_bracket(struct sweep *s)
{
	for (unsigned c = 0; c < s->run->pmu->n_counters; c++)
		for (unsigned b = BRACKET_ENABLE; usable(s, c) && b <= BRACKET_READ; b++) {
			struct pass p = pass_of(s, 0, c);
			struct pmu_bracket ignored;
			char variant[48];

			if (b == BRACKET_READ && !s->run->pmu->driver->bracket_read(s->run->pmu, c, &ignored))
				continue;
			p.bracketing = b;
			snprintf(variant, sizeof(variant), "%s, %s", s->run->pmu->counter[c].name,
				 b == BRACKET_READ ? "difference of readings" : "enabled and disabled");
			if (!carry_out(s, &p) || !gather(s, &p, 0, variant))
				return false;
		}
	return true;
}

/* While a pass runs the sibling works on a line of its own, or is halted. The virtual CPU's is told to be as
 * active. */
static bool run_beside(struct sweep *s, struct pass *p, bool works)
{
	static uint32_t line[16] __attribute__((aligned(64)));
	bool virtual = s->run->pmu->virtual, good = !works || second_cpu_work(SECOND_CPU_SIBLING, line);

	if (!good)
		judgement_set(&s->r.judgement, VERDICT_ERROR, "the other logical processor does not answer");
	if (virtual)
		vpmu_place(0, works ? SIBLING_KERNEL : SIBLING_HALTED);
	good = good && carry_out(s, p);
	if (virtual)
		vpmu_place(0, SIBLING_HALTED);
	second_cpu_rest();
	return good;
}

static bool sweep_sibling(struct sweep *s)
{
	for (unsigned works = 0; works < 2; works++) {
		struct pass p = pass_of(s, s->level, first_counter(s));

		if (!run_beside(s, &p, works) ||
		    !gather(s, &p, 0, works ? "the sibling works" : "the sibling is halted"))
			return false;
	}
	return true;
}

/* While a pass runs every other processor works, or none does: the counters of one have to do with that one
 * alone. The virtual CPU's are told of it. */
static bool run_among(struct sweep *s, struct pass *p, bool work)
{
	bool virtual = s->run->pmu->virtual, good = !work || others_work();

	if (!good)
		judgement_set(&s->r.judgement, VERDICT_ERROR, "no other processor answers");
	if (virtual)
		vpmu_others(work);
	good = good && carry_out(s, p);
	if (virtual)
		vpmu_others(false);
	others_rest();
	return good;
}

static bool sweep_others(struct sweep *s)
{
	for (unsigned work = 0; work < 2; work++) {
		struct pass p = pass_of(s, s->level, first_counter(s));

		if (!run_among(s, &p, work) ||
		    !gather(s, &p, 0, work ? "all other processors work" : "all other processors are halted"))
			return false;
	}
	return true;
}

/* Not more than the instructions of a driver's start and stop. */
#define OWN_MOST 4096

/* What each other processor counts besides its turns is the same whether it counts alone or all do. */
static void compare(struct sweep *s, const struct crowd *c, const uint64_t *alone)
{
	for (unsigned i = 0; i < c->n; i++) {
		uint64_t own = crowd_beside_turns(c, i);
		char name[24];

		crowd_name(c, i, name, sizeof name);
		if (alone[i] == UINT64_MAX ||
		    !crowd_counted(c, i)) /* of another type, or it does not start */
			continue;
		s->counted++;
		if (own == alone[i] && own <= OWN_MOST)
			continue;
		if (!s->apart++)
			snprintf(s->first, sizeof s->first,
				 "%s counts %" PRId64 " beside its turns while all count, %" PRId64 " alone",
				 name, (int64_t)own, (int64_t)alone[i]);
	}
}

/* All processors count the same event on the same counter at the same moment: each as it does when no other
 * one counts. */
static bool sweep_together(struct sweep *s)
{
	static struct crowd crowd;
	static uint64_t alone[OTHERS_MAX];
	unsigned c = first_counter(s), n = crowd_open(&crowd, s->run, s->event, c);
	struct pass p = pass_of(s, s->level, c);
	bool virtual = s->run->pmu->virtual, good = true;

	if (!n) {
		judgement_set(&s->r.judgement, VERDICT_SKIPPED, "there is no other core that could count");
		return false;
	}
	s->apart = s->counted = 0;
	for (unsigned i = 0; i < n && good; i++) {
		alone[i] = UINT64_MAX;
		good = crowd_begin(&crowd, i, &s->r) && crowd_end(&crowd, &s->r);
		if (good && crowd_counted(&crowd, i))
			alone[i] = crowd_beside_turns(&crowd, i);
	}
	good = good && carry_out(s, &p) && gather(s, &p, 0, "it counts alone");
	if (good) {
		if (virtual)
			vpmu_others(true);
		good = crowd_begin(&crowd, OTHERS_ALL, &s->r);
		if (good) {
			good = carry_out(s, &p);
			good = crowd_end(&crowd, &s->r) && good;
		}
		if (virtual)
			vpmu_others(false);
	}
	if (good)
		compare(s, &crowd, alone);
	good = good && gather(s, &p, 0, "all processors count");
	crowd_close(&crowd);
	if (good && !s->counted) {
		judgement_set(&s->r.judgement, VERDICT_SKIPPED,
			      "no other processor of this one's type counts");
		return false;
	}
	return good;
}

static const struct {
	const char *name;     /* NULL: the word for a level */
	const char *rests_on; /* as pmu_manual() knows it; NULL: on nothing that a manual would say */
	bool (*sweep)(struct sweep *s);
	bool together; /* needs a common start */
	bool harness;  /* and code beside the kernel that only the harness's level may run */
	bool beside;   /* and another logical processor of the core */
	bool among;    /* and another processor, whichever; with the first event alone, as all are started */
} axes[] = {
	{"alignment", NULL, sweep_alignment, false, false, false, false},
	{"counter", "sweep/counter", sweep_counter, false, false, false, false},
	{NULL, "sweep/level", sweep_level, false, false, false, false},
	{"order", "sweep/order", sweep_order, true, false, false, false},
	{"bracket", "sweep/bracket", sweep_bracket, false, true, false, false},
	{"sibling", "sweep/sibling", sweep_sibling, false, false, true, false},
	{"others", "sweep/sibling", sweep_others, false, false, false, true},
	{"together", "sweep/sibling", sweep_together, false, false, false, true},
};
#define AXES (sizeof(axes) / sizeof(axes[0]))

static void conclude(struct sweep *s)
{
	struct judgement *j = &s->r.judgement;

	result_conclude(&s->r);
	if (s->apart) {
		judgement_set(j, VERDICT_WRONG, "%u of %u other processors deviate; %s", s->apart, s->counted,
			      s->first);
		return;
	}
	if (verdict_is_bad(j->verdict) && s->excused && s->excused == s->deviating) {
		*j = s->excuse;
		return;
	}
	/* Different along the axis, and steady at every place of it: that is no noise. */
	if (verdict_is_bad(j->verdict) && s->deviating && !s->unsteady)
		judgement_set(j, VERDICT_WRONG, "%u of %u deviate; %s", s->deviating, s->variants, s->first);
}

static void run_axis(struct sweep *s, unsigned axis)
{
	char name[112];

	if (axes[axis].beside && (s->alone || s->kernel->flags & BESIDE_OTHERS))
		return;
	if (axes[axis].among && (s->lonely || s->kernel->flags & BESIDE_OTHERS || s->event != s->all[0]))
		return;
	snprintf(name, sizeof(name), "%s/%s/%s", axes[axis].name ? axes[axis].name : level_heading(),
		 s->kernel->name, s->event->name);
	trap_set_context(name);
	s->variants = s->deviating = s->excused = s->apart = 0;
	s->unsteady = false;
	s->r = (struct result){
		.suite = "sweep",
		.name = name,
		.event = s->event->name,
		.kernel = s->kernel->name,
		.encoding = s->event->code,
		.manual = axes[axis].rests_on ? pmu_manual(s->run->pmu, axes[axis].rests_on)
					      : "a count does not depend on where code lies",
		.virtual = s->run->pmu->virtual,
		.machine_model = s->run->pmu->virtual && event_is_micro(s->event),
	};
	if (axes[axis].together && !s->run->pmu->has_global)
		judgement_set(&s->r.judgement, VERDICT_SKIPPED, "counters cannot be started together");
	else if (axes[axis].harness && s->level)
		judgement_set(&s->r.judgement, VERDICT_SKIPPED, "in %s counters are started outside",
			      level_name(level_user()));
	else if (axes[axis].sweep(s))
		conclude(s);
	s->run->report(s->run, &s->r);
}

/* Along so many of the axes, with so many of the events. */
static void run_kernel(struct sweep *s, unsigned n_axes, unsigned n_events)
{
	for (unsigned i = 0; i < n_events && i < s->n_all; i++) {
		struct expectation x;

		s->event = s->all[i];
		attribution_measure(s->run, s->kernel);
		if (expectation_at_level(s->event, s->kernel, s->level, 2 * s->n, s->run->pmu->attribution,
					 &x) ||
		    x.low != x.high)
			continue;
		for (unsigned axis = 0; axis < n_axes; axis++)
			run_axis(s, axis);
	}
}

static void find_events(struct sweep *s)
{
	const struct pmu *pmu = s->run->pmu;

	s->n_all = 0;
	for (unsigned i = 0; pmu && i < pmu->n_events && s->n_all < EVENTS_MAX; i++) {
		s->event = pmu->events[i];
		if (s->event->judgement == EVENT_EXACT &&
		    event_selected(s->event, s->run->options->event_glob) &&
		    first_counter(s) < pmu->n_counters)
			s->all[s->n_all++] = s->event;
	}
}

static void run_sweep(struct run *run)
{
	static struct sweep s;
	const struct run_options *o = run->options;
	const char *kernels = o->kernel_glob;
	bool deterministic = run->pmu && run->pmu->deterministic;
	bool emulated = identity_emulated();
	s = (struct sweep){.run = run,
			   .n = o->n            ? o->n
				: deterministic ? N_VIRTUAL
				: emulated      ? N_EMULATED
						: N_HARDWARE};
	s.wide = !kernels || !*kernels || !strcmp(kernels, "core");
	if (s.wide)
		kernels = KERNELS;
	s.reps = emulated && !o->reps ? REPS_VIRTUAL : run_repetitions(run, "sweep", REPS_VIRTUAL, REPS_MAX);
	find_events(&s);
	if (!s.n_all) {
		run_skip(run, "sweep", "sweep", NULL, "no counter counts anything exactly");
		return;
	}
	s.alone = second_cpu_missing(SECOND_CPU_SIBLING) != NULL;
	if (s.alone)
		run_skip(run, "sweep", "sibling", NULL, second_cpu_missing(SECOND_CPU_SIBLING));
	s.lonely = second_cpu_missing(SECOND_CPU_ANY) != NULL;
	if (s.lonely)
		run_skip(run, "sweep", "others", NULL, second_cpu_missing(SECOND_CPU_ANY));
	for (s.kernel = kernels_begin; s.kernel < kernels_end; s.kernel++) {
		bool chosen = kernel_selected(s.kernel, kernels);

		if (!chosen && (!s.wide || s.kernel->flags & KERNEL_FINER))
			continue;
		s.level = s.kernel->flags & KERNEL_USER_ONLY ? (uint8_t)level_user() : 0;
		if (kernel_unfit(s.kernel, s.level))
			run_skip(run, "sweep", s.kernel->name, NULL, kernel_unfit(s.kernel, s.level));
		else
			run_kernel(&s, chosen ? AXES : 1,
				   chosen                      ? EVENTS_MAX
				   : deterministic || emulated ? 1
							       : EVENTS_WIDE);
	}
}

const struct suite suite_sweep = {
	"sweep", "where, on which counter, at which level: nothing of it changes a count", run_sweep, NULL};
