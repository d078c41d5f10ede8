#include "tests/measure/measure.h"

#include "tests/kernels/user_code.h"

#include "arch/exceptions.h"
#include "arch/levels.h"
#include "arch/step.h"
#include "arch/watchdog.h"
#include "arch/window.h"
#include "pmu/virtual/vpmu.h"

#include <string.h>

#define GROUND_TRUTH_MS 5000

struct pmu_bracket bracket_user;

static struct composed {
	const struct kernel *kernel;
	const uint8_t *start, *stop; /* of the bracket, NULL if none */
	uint32_t version;
	unsigned alignment;
	bool emulate, valid;
	struct code_place place;
} composed[LEVELS_MAX];

bool measure_init(void)
{
	services_init();
	for (unsigned i = 0; i < LEVELS_MAX; i++)
		composed[i].valid = false;
	_Static_assert(sizeof bracket_user.own == sizeof code_user_share.term, "the bracket's own terms");
	memcpy(bracket_user.own, code_user_share.term, sizeof bracket_user.own);
	memset(bracket_user.ahead, code_user_share.ahead, sizeof bracket_user.ahead);
	return code_init(KERNEL_DATA_SIZE);
}

/* Levels may share their memory: what was composed for another one is gone. */
static bool compose(struct composed *c, const struct window *w, const struct pmu_bracket *b)
{
	const struct user_code *own = user_code_of(w->kernel);
	const struct code_row row = {b->start,
				     b->start_end,
				     own ? own->call : w->kernel->code,
				     own ? own->call + own->call_size : w->kernel->code_end,
				     b->stop,
				     b->stop_end,
				     w->alignment,
				     w->level};
	struct code_place place;

	if (!code_compose(&row, &place))
		return false;
	for (unsigned i = 0; i < LEVELS_MAX; i++)
		if (composed[i].place.area == place.area)
			composed[i].valid = false;
	if (w->emulate)
		services_emulate(w->kernel, place.copy);
	*c = (struct composed){w->kernel,    b->start,   b->stop, b->version,
			       w->alignment, w->emulate, true,    place};
	return true;
}

const void *window_compose(const struct window *w)
{
	struct composed *c = &composed[w->level];
	const struct pmu_bracket *b = w->bracket ? w->bracket : &bracket_user;
	bool done;

	if (c->valid && c->kernel == w->kernel && c->start == b->start && c->stop == b->stop &&
	    c->version == b->version && c->alignment == w->alignment && c->emulate == w->emulate)
		return c->place.entry;
	step_pause();
	done = compose(c, w, b);
	step_resume();
	return done ? c->place.entry : NULL;
}

uint64_t window_kernel_address(uint8_t level)
{
	return composed[level].place.kernel;
}

uint64_t window_kernel_end(const struct kernel *k, uint8_t level)
{
	const struct user_code *own = user_code_of(k);

	return composed[level].place.kernel + (own ? own->call_size : (uint64_t)(k->code_end - k->code));
}

uint64_t window_code_address(const struct kernel *k, uint8_t level)
{
	return user_code_of(k) ? (uintptr_t)k->code : composed[level].place.kernel;
}

void window_forget(void)
{
	step_pause();
	memset(code_data(), 0, KERNEL_DATA_SIZE);
	step_resume();
}

uint8_t *window_data(void)
{
	return code_data();
}

static void services_off(const struct window *w)
{
	if (!services_wanted(w->kernel))
		return;
	step_pause();
	services_finish();
	step_resume();
}

/* What a window starts from: registers, memory, services. @return false if a service could not be set up */
static __attribute__((noinline)) bool prepare(const struct window *w, uint64_t n, struct code_call *call)
{
	const struct pmu_bracket *b = w->bracket ? w->bracket : &bracket_user;
	const struct code_place *code = &composed[w->level].place;
	const struct kernel_place place = {w->level,        code_data(), code->area,
					   code->area_size, code->runs,  w->emulate};
	bool good = !services_wanted(w->kernel) || services_prepare(w->kernel, &place);

	if (user_code_of(w->kernel)) {
		user_code_rewind(user_code_of(w->kernel));
		memset(code_data(), 0, KERNEL_DATA_SIZE);
	}
	code_prepare(call, code, n, b->args);
	return good;
}

uint64_t window_run(const void *entry, const struct window *w, uint64_t n)
{
	struct code_call call;
	uint64_t result;
	bool good;

	step_pause(); /* what comes before is no part of the experiment: neither stepped nor counted */
	good = prepare(w, n, &call);
	call.entry = entry;
	step_resume();
	if (!good)
		trap_abort(TRAP_NONE);
	result = code_run(&call);
	services_off(w);
	return result;
}

struct truth {
	const void *entry;
	const struct window *window;
	uint64_t n;
	enum transaction_outcome outcome;
	struct qvec *out;
};

static void run_once(void *arg)
{
	const struct truth *t = arg;

	window_run(t->entry, t->window, t->n);
}

static void run_watched(void *arg)
{
	struct truth *t = arg;

	if (t->outcome == OUTCOME_COMMIT)
		oracle_call_committing(run_once, t, t->out);
	else
		oracle_call(run_once, t, t->out);
}

bool ground_truth(const struct kernel *k, uint8_t level, uint64_t n, enum transaction_outcome outcome,
		  struct qvec *out, struct result *r)
{
	struct pmu_bracket markers;
	struct window w = {.kernel = k, .bracket = &markers, .level = level};
	struct truth t = {.window = &w, .n = n, .outcome = outcome, .out = out};
	struct trap_report report = {0};
	bool done;

	oracle_bracket(&markers);
	t.entry = window_compose(&w);
	if (!t.entry) {
		if (r)
			judgement_set(&r->judgement, VERDICT_ERROR, "kernel %s does not fit the code arena",
				      k->name);
		return false;
	}
	watchdog_arm(GROUND_TRUTH_MS);
	done = trap_guard(run_watched, &t, &report);
	watchdog_disarm();
	services_finish();
	if (!done && r)
		judgement_set(&r->judgement, VERDICT_ERROR, "the oracle was ended by %s", report.text);
	return done;
}
