/*
 * Sampling: the records of PEBS and IBS, and the places that overflow interrupts find, against the known path
 * of kernels. sampling_precise.c, sampling_extended.c, sampling_latency.c, sampling_tagged.c, sampling_pmi.c.
 */
#include "tests/suites/sampling.h"
#include "arch/levels.h"
#include "tests/suites/suites.h"
#include "tests/judge/attribution_path.h"
#include "tests/judge/expectation_level.h"
#include "tests/measure/known_path.h"
#include "tests/judge/ladder.h"

#include "pmu/events/schedule.h"
#include "tests/kernels/roles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_VIRTUAL   5
#define N_HARDWARE  20
#define CANDIDATES  512
#define QUESTION_MS 20000

/* --- events ----------------------------------------------------------------------------------------- */

struct candidates {
	const struct pmu *pmu;
	const struct pmu_record_source *source;
	unsigned n, left_out;
	struct sampling_choice choice[CANDIDATES];
	bool can[CANDIDATES];
};

static bool known(const struct pmu_event *e)
{
	return e->judgement == EVENT_EXACT && !event_is_micro(e);
}

static void look_up(const struct candidates *c, const struct pmu_recorder *recorder,
		    struct sampling_choice *choice)
{
	if (recorder->instructions_of && recorder->instructions_of(c->pmu, choice->event, &choice->where))
		choice->known = known(&choice->where);
}

static void ask(void *arg)
{
	struct candidates *c = arg;
	const struct pmu_recorder *recorder = c->pmu->driver->recorder;

	for (unsigned i = 0; i < c->n; i++) {
		const struct pmu_recording r = {.source = c->source,
						.levels = LEVELS_ALL,
						.counter = c->choice[i].counter,
						.config = c->choice[i].config,
						.period = SAMPLING_PERIOD};
		const char *why;

		c->can[i] = record_can_sample(c->pmu, &r, &why);
		look_up(c, recorder, &c->choice[i]);
	}
}

static bool is_chosen(const struct pmu_event *e, const struct sampling_choice *choice, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (choice[i].event == e)
			return true;
	return false;
}

/* Whether there is a kernel to sample it on. */
static bool has_kernel(struct sampling_suite *s, const struct sampling_choice *c)
{
	uint64_t often;

	return sampling_kernel(s, c, (uint8_t)level_user(), sampling_n(s), 0, &often) ||
	       sampling_kernel(s, c, 0, sampling_n(s), 0, &often);
}

/* The default selection is of architectural events, of which hardly any is precise. */
bool sampling_selected(const struct sampling_suite *s, const struct pmu_record_source *source,
		       const struct pmu_event *e)
{
	const char *glob = s->run->options->event_glob;

	return (source && glob && !strcmp(glob, "arch")) || event_selected(e, glob);
}

bool sampling_place(const struct sampling_suite *s, const struct pmu_event *e, unsigned counter,
		    struct sampling_choice *out)
{
	const struct event_request request = {
		.event = e,
		.config = {.code = e->code,
			   .levels = LEVELS_ALL,
			   .extra_register = e->extra_register,
			   .extra_value = e->extra_value},
		.counter = (uint8_t)(counter + 1),
	};
	struct sched_place place;
	struct sched_result result;
	const char *why;

	*out = (struct sampling_choice){.event = e, .counter = counter, .known = known(e), .where = *e};
	if (!schedule_events(s->run->pmu, &request, 1, &place, &result, &why))
		return false;
	out->config = event_placed(&request, &place);
	return true;
}

/* An event on one counter. */
static void gather(struct sampling_suite *s, const struct pmu_event *e, unsigned counter,
		   struct candidates *c)
{
	struct sampling_choice choice = {.event = e, .known = known(e), .where = *e};

	if (!(choice.known || (c->source && e->judgement != EVENT_TIME)) ||
	    !sampling_selected(s, c->source, e) || !has_kernel(s, &choice) ||
	    !sampling_place(s, e, counter, &choice))
		return;
	if (c->n < CANDIDATES)
		c->choice[c->n++] = choice;
	else
		c->left_out++;
}

/* Said of the counter that was looked at last: what another has found room for is not asked about there. Of
 * interrupts (no source) a few events are shown anyway. */
static void say_left_out(struct sampling_suite *s, const struct pmu_record_source *source, unsigned left_out)
{
	char why[96];

	if (!left_out || !source)
		return;
	snprintf(why, sizeof why,
		 "%u more events on one counter: name those that matter with event=", left_out);
	sampling_skip(s, source->name, why);
}

unsigned sampling_choices(struct sampling_suite *s, const struct pmu_record_source *source,
			  struct sampling_choice *out, unsigned max)
{
	static struct candidates c;
	const struct pmu *pmu = s->run->pmu;
	unsigned n = 0, left_out = 0;

	for (unsigned counter = 0; counter < pmu->n_counters; counter++) {
		if ((source ? !(source->counters >> counter & 1) : !pmu->counter[counter].has_interrupt) ||
		    !ladder_allows(s->run->ladder, counter, source ? RUNG_EXACT_ON_NOPS : RUNG_INTERRUPTS))
			continue;
		c = (struct candidates){.pmu = pmu, .source = source};
		for (unsigned i = 0; i < pmu->n_events; i++)
			if (!is_chosen(pmu->events[i], out, n))
				gather(s, pmu->events[i], counter, &c);
		if (source && !s->run->call(s->run, ask, &c, QUESTION_MS, NULL))
			return n;
		left_out = c.left_out;
		for (unsigned i = 0; i < c.n; i++) {
			if (source && !c.can[i])
				continue;
			if (n < max)
				out[n++] = c.choice[i];
			else
				left_out++;
		}
	}
	say_left_out(s, source, left_out);
	return n;
}

/* --- kernels ---------------------------------------------------------------------------------------- */

uint64_t sampling_n(const struct sampling_suite *s)
{
	return s->run->options->n ? s->run->options->n : s->run->pmu->deterministic ? N_VIRTUAL : N_HARDWARE;
}

uint64_t sampling_turns(const struct kernel *k, unsigned steps)
{
	static const quantity_number quantities[] = {Q_INSTRUCTIONS, Q_REP_ITERATIONS, Q_EXCEPTIONS,
						     Q_INTERRUPTS_HW, Q_INTERRUPTS_NMI};
	uint64_t turns = 1000, all = 0;

	for (unsigned i = 0; i < sizeof quantities / sizeof quantities[0]; i++)
		all += (uint64_t)kernel_amount(k, quantities[i], turns).high;
	return !all ? UINT64_MAX : all > steps ? turns * steps / all : turns * (steps / all);
}

/* A window begins with the kernels' data as they are before any has run, so these do the same again: it is no
 * miss a second time. */
static bool carries_on(const struct kernel *k)
{
	return k->flags & (KERNEL_SERVICE_CHAINS | KERNEL_SERVICE_CODE | KERNEL_SERVICE_CODE_FULL);
}

static const struct pmu_event *where(const struct sampling_choice *c)
{
	return c->known ? &c->where : c->event;
}

bool sampling_path(const struct sampling_suite *s, const struct sampling_choice *c, const struct window *w,
		   uint64_t n, struct path *path, struct result *r)
{
	if (!known_path(w, n, path, r))
		return false;
	if (attribution_rule(s->run->pmu->attribution, where(c), w->kernel, &path->rule))
		return true;
	judgement_set(&r->judgement, VERDICT_SKIPPED, "what round trips count on this CPU follows no rule");
	return false;
}

/* An NMI that is the kernel's own never comes to a handler of overflows. */
static bool suits(const struct sampling_suite *s, const struct kernel *k, const struct sampling_choice *c,
		  uint8_t level, uint64_t n, uint64_t *often)
{
	struct expectation x;

	/* The window of ring 3 is a round trip itself. */
	if (k && attribution_bears_on(where(c)))
		attribution_measure(s->run, level ? NULL : k);
	if (!k || kernel_transacts(k) || !kernel_has_path(k) || kernel_unfit(k, level) ||
	    k->flags & KERNEL_SERVICE_NMI || (!c->known && carries_on(k)) ||
	    sampling_turns(k, SAMPLING_STEPS) < n ||
	    expectation_at_level(where(c), k, level, n, s->run->pmu->attribution, &x) != EXPECTATION_OK)
		return false;
	*often = (uint64_t)x.low;
	return x.low > 0 && (x.low == x.high || !c->known);
}

const struct kernel *sampling_kernel(struct sampling_suite *s, const struct sampling_choice *c, uint8_t level,
				     uint64_t n, unsigned k, uint64_t *often)
{
	const char *glob = s->run->options->kernel_glob;

	if (glob && *glob && strcmp(glob, "core")) {
		for (const struct kernel *kernel = kernels_begin; kernel < kernels_end; kernel++)
			if (kernel_selected(kernel, glob) && suits(s, kernel, c, level, n, often) && !k--)
				return kernel;
		return NULL;
	}
	for (unsigned i = 0; kernels_sampled[i]; i++) {
		const struct kernel *kernel = kernel_by_name(kernels_sampled[i]);

		if (suits(s, kernel, c, level, n, often) && !k--)
			return kernel;
	}
	return NULL;
}

const struct kernel *sampling_named(const struct sampling_suite *s, const char *name,
				    const struct sampling_choice *c, uint8_t level, uint64_t n,
				    uint64_t *often)
{
	const struct kernel *k = kernel_by_name(name);
	const char *glob = s->run->options->kernel_glob;
	bool all = !glob || !*glob || !strcmp(glob, "core");

	return suits(s, k, c, level, n, often) && (all || kernel_selected(k, glob)) ? k : NULL;
}

/* --- results ---------------------------------------------------------------------------------------- */

struct result sampling_result(const struct sampling_suite *s, char *name, const struct sampling_choice *c,
			      const char *what, const struct kernel *k, uint8_t level)
{
	struct result r = {
		.suite = "sampling",
		.name = name,
		.event = c->event ? c->event->name : what,
		.kernel = k->name,
		.counter = c->event ? s->run->pmu->counter[c->counter].name : NULL,
		.level = level_name(level),
		.encoding = c->event ? c->event->code : 0,
		.virtual = s->run->pmu->virtual,
	};

	snprintf(name, SAMPLING_NAME, "%s/%s/%s/%s", r.event, c->event ? what : "all", k->name, r.level);
	return r;
}

void sampling_skip(struct sampling_suite *s, const char *name, const char *why)
{
	run_skip(s->run, "sampling", name, NULL, why);
}

static void run_sampling(struct run *run)
{
	struct sampling_suite s = {.run = run,
				   .records = malloc(SAMPLING_RECORDS * sizeof *s.records),
				   .steps = malloc((SAMPLING_RECORDS + 1) * sizeof *s.steps)};

	if (!run->pmu) {
		sampling_skip(&s, "sampling", "there is no PMU");
	} else if (!s.records || !s.steps || !path_create(&s.path, SAMPLING_STEPS, true)) {
		sampling_skip(&s, "sampling", "not enough memory for a path and its records");
	} else {
		sampling_precise(&s);
		sampling_extended(&s);
		sampling_latency(&s);
		sampling_tagged(&s);
		sampling_pmi(&s);
	}
	path_free(&s.path);
	free(s.records);
	free(s.steps);
}

const struct suite suite_sampling = {"sampling", "sampled records against the known path of kernels",
				     run_sampling, NULL};
