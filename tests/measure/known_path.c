#include "tests/measure/known_path.h"
#include "tests/kernels/services.h"
#include "tests/judge/truth.h"

#include "arch/exceptions.h"
#include "arch/watchdog.h"

#include <inttypes.h>
#include <string.h>

#define WALK_MS 5000

/* What was walked last, and where it went: a suite that records one window at several periods walks it once.
 */
static struct {
	const struct path *path;
	const struct path_step *step;
	unsigned n_steps;
	const struct kernel *kernel;
	const void *entry;
	struct pmu_bracket bracket;
	uint64_t n;
	unsigned alignment;
	uint8_t level;
	bool emulate;
} last;

static const struct pmu_bracket *bracket_of(const struct window *w)
{
	static const struct pmu_bracket none;

	return w->bracket ? w->bracket : &none;
}

static bool is_last(const struct window *w, const void *entry, uint64_t n, const struct path *path)
{
	const struct pmu_bracket *b = bracket_of(w);

	return path->n_steps && last.path == path && last.step == path->step &&
	       last.n_steps == path->n_steps && last.kernel == w->kernel && last.entry == entry &&
	       last.n == n && last.alignment == w->alignment && last.level == w->level &&
	       last.emulate == w->emulate && last.bracket.start == b->start &&
	       last.bracket.start_end == b->start_end && last.bracket.stop == b->stop &&
	       last.bracket.stop_end == b->stop_end && last.bracket.version == b->version &&
	       !memcmp(last.bracket.args, b->args, sizeof b->args);
}

static void remember(const struct window *w, const void *entry, uint64_t n, const struct path *path)
{
	last.path = path;
	last.step = path->step;
	last.n_steps = path->n_steps;
	last.kernel = w->kernel;
	last.entry = entry;
	last.bracket = *bracket_of(w);
	last.n = n;
	last.alignment = w->alignment;
	last.level = w->level;
	last.emulate = w->emulate;
}

struct walk {
	const struct window *window;
	const void *entry;
	uint64_t n;
	struct path *path;
};

static void run_window(void *arg)
{
	const struct walk *w = arg;

	window_run(w->entry, w->window, w->n);
}

static void walk(void *arg)
{
	const struct walk *w = arg;
	const struct kernel *k = w->window->kernel;
	uint64_t begin = window_kernel_address(w->window->level);

	path_walk(w->path, begin, window_kernel_end(k, w->window->level), run_window, arg);
}

static bool agrees(const struct path *p, const struct kernel *k, uint64_t n, struct judgement *out)
{
	struct qvec seen = {{0}};
	struct amount declared;
	enum quantity q;
	unsigned at;

	if (p->overflow) {
		judgement_set(out, VERDICT_ERROR, "the path of %s at N = %" PRIu64 " has more than %u steps",
			      k->name, n, p->room);
		return false;
	}
	if (!path_is_connected(p, &at)) {
		judgement_set(out, VERDICT_ERROR, "the path of %s is broken at step %u", k->name,
			      at - p->from);
		return false;
	}
	for (unsigned i = p->from; i < p->to; i++)
		for (unsigned t = 0; t < p->step[i].n_terms; t++) {
			const struct qterm *term = &p->terms[p->step[i].terms + t];

			seen.v[term->quantity] += term->amount;
		}
	q = truth_disagrees(k, n, OUTCOME_ABORT, &seen, &declared);
	if (q == Q_COUNT)
		return true;
	judgement_set(out, VERDICT_ERROR,
		      "the path of %s at N = %" PRIu64 " has %" PRIu64 " %s, declared are %" PRId64
		      " to %" PRId64,
		      k->name, n, seen.v[q], quantity_info[q].name, declared.low, declared.high);
	return false;
}

bool known_path(const struct window *window, uint64_t n, struct path *path, struct result *r)
{
	struct walk w = {window, window_compose(window), n, path};
	struct trap_report report = {0};
	bool done;

	if (!w.entry) {
		judgement_set(&r->judgement, VERDICT_ERROR, "kernel %s does not fit the code arena",
			      window->kernel->name);
		return false;
	}
	if (is_last(window, w.entry, n, path))
		return true;
	last.path = NULL;
	window_forget();
	watchdog_arm(WALK_MS);
	done = trap_guard(walk, &w, &report);
	watchdog_disarm();
	services_finish();
	if (!done)
		judgement_set(&r->judgement, VERDICT_ERROR, "walking was ended by %s", report.text);
	if (!done || !agrees(path, window->kernel, n, &r->judgement))
		return false;
	remember(window, w.entry, n, path);
	return true;
}
