/*
 * Ground truth: every kernel is single-stepped by the oracle at N, 2N and 3N, and every architectural
 * quantity must be as its signature says; then each number of the signature is changed by one, which must not
 * pass (unless check= leaves that out, to which it makes no difference what stepped). After that each kernel
 * runs at full speed between marks (tests/measure/marks.h), so that a witness outside the machine can count
 * what it sees; report.json holds the numbers to compare with, and among its values all amounts that were
 * stepped.
 */
#include "arch/levels.h"
#include "tests/suites/suites.h"
#include "tests/measure/known_path.h"
#include "tests/measure/marks.h"
#include "tests/measure/measure.h"
#include "tests/judge/truth.h"
#include "tests/kernels/services.h"

#include "arch/code.h"
#include "arch/exceptions.h"
#include "arch/watchdog.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MULTIPLES 3
#define N_DEFAULT 3
#define NATIVE_MS 5000
#define NAME_SIZE 96
#define ALL       "all quantities"

/* What a witness outside can see too: these get a check of their own. */
static const quantity_number visible[] = {
	Q_INSTRUCTIONS,  Q_BRANCHES,        Q_BR_COND,        Q_BR_COND_TAKEN,    Q_BR_COND_NTAKEN,
	Q_BR_JMP_DIRECT, Q_BR_JMP_INDIRECT, Q_BR_CALL_DIRECT, Q_BR_CALL_INDIRECT, Q_BR_RET,
	Q_BR_FAR,        Q_LOADS,           Q_STORES,         Q_LOAD_BYTES,       Q_STORE_BYTES,
};
#define VISIBLE (sizeof(visible) / sizeof(visible[0]))

/* A kernel in one ring. */
struct subject {
	const struct kernel *kernel;
	uint8_t level;
	bool stepped;
	uint64_t seen[MULTIPLES][VISIBLE];
	struct judgement all;      /* of every quantity, visible or not */
	unsigned changes, noticed; /* of its signature */
	struct judgement path;     /* of its known path */
};

static const char *level_of(uint8_t level)
{
	return level_name(level);
}

static struct result result_for(const struct subject *s, const char *quantity, char *name)
{
	snprintf(name, NAME_SIZE, "%s/%s/%s", quantity, s->kernel->name, level_of(s->level));
	return (struct result){
		.suite = "truth",
		.name = name,
		.event = quantity,
		.kernel = s->kernel->name,
		.level = level_of(s->level),
		.manual = "the kernel's signature",
	};
}

/* --- changed signatures ----------------------------------------------------------------------------- */

typedef struct qvec stepped[OUTCOMES][MULTIPLES];

static bool passes(const struct kernel *k, enum quantity q, uint64_t n, const stepped seen)
{
	struct amount declared;

	for (unsigned outcome = 0; outcome < outcomes_of(k); outcome++)
		for (unsigned i = 0; i < MULTIPLES; i++)
			if (!truth_agrees_on(k, q, kernel_trial_n(k, n, i), outcome, seen[outcome][i].v[q],
					     &declared))
				return false;
	return true;
}

static bool is_exact(const struct kernel *k, enum quantity q)
{
	struct amount one = kernel_amount(k, q, 1), two = kernel_amount(k, q, 2);

	return one.low == one.high && two.low == two.high;
}

static void change_end(struct subject *s, uint64_t n, const stepped seen, enum quantity q,
		       enum amount_end end)
{
	static const int8_t deltas[][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};

	for (unsigned d = 0; d < sizeof(deltas) / sizeof(deltas[0]); d++) {
		kernel_falsify_end(s->kernel, q, end, deltas[d][0], deltas[d][1]);
		s->changes++;
		s->noticed += !passes(s->kernel, q, n, seen);
		kernel_restore_last();
	}
}

/* Each number of the signature that single-stepping can check, one more and one less. */
static void change_signature(struct subject *s, uint64_t n, const stepped seen)
{
	for (enum quantity q = 0; q < Q_COUNT; q++) {
		if (quantity_info[q].class != QUANTITY_ARCH)
			continue;
		if (is_exact(s->kernel, q)) {
			change_end(s, n, seen, q, AMOUNT_BOTH);
			continue;
		}
		change_end(s, n, seen, q, AMOUNT_LOW);
		change_end(s, n, seen, q, AMOUNT_HIGH);
	}
}

#define CHANGED "changed signatures"

static void report_changes(struct run *run, const struct subject *s, unsigned count)
{
	struct result r = {.suite = "truth", .name = CHANGED, .manual = "no change by one may pass"};
	struct judgement why = {0};
	unsigned changes = 0, noticed = 0;

	if (!check_wanted(run, CHANGED))
		return;

	for (unsigned i = 0; i < count; i++) {
		changes += s[i].changes;
		noticed += s[i].noticed;
		if (s[i].noticed != s[i].changes && !why.text[0])
			judgement_set(&why, VERDICT_ERROR, "%u changes of %s pass",
				      s[i].changes - s[i].noticed, s[i].kernel->name);
	}
	result_judge(&r, count, changes, changes, noticed);
	if (why.text[0])
		r.judgement = why;
	run->report(run, &r);
}

/* --- stepping --------------------------------------------------------------------------------------- */

#define AMOUNT_SIZE 48 /* " name=amount": no name has 26 letters */

/* For tests/self/host/test_bounds.c, which has signatures that no host process can step. */
static void tell_amounts(struct run *run, const struct subject *s, uint64_t trial,
			 enum transaction_outcome outcome, const struct qvec *seen)
{
	char text[Q_COUNT * AMOUNT_SIZE];
	char name[NAME_SIZE], *p = text;

	snprintf(name, sizeof(name), "%s/%s/N = %" PRIu64 "%s", s->kernel->name, level_of(s->level), trial,
		 outcome == OUTCOME_COMMIT ? "/committed" : "");
	*p = 0;
	for (enum quantity q = 0; q < Q_COUNT; q++)
		if (quantity_info[q].class == QUANTITY_ARCH && seen->v[q])
			p += snprintf(p, AMOUNT_SIZE, "%s%s=%" PRIu64, p == text ? "" : " ",
				      quantity_info[q].name, seen->v[q]);
	run->detail(run, "truth", name, text, "stepped");
}

static bool step_once(struct run *run, const struct subject *s, uint64_t trial,
		      enum transaction_outcome outcome, struct qvec *seen, struct result *r)
{
	struct amount declared;
	enum quantity q;

	if (!ground_truth(s->kernel, s->level, trial, outcome, seen, r))
		return false;
	tell_amounts(run, s, trial, outcome, seen);
	q = truth_disagrees(s->kernel, trial, outcome, seen, &declared);
	if (q != Q_COUNT && r->judgement.verdict == VERDICT_EXACT)
		judgement_set(&r->judgement, VERDICT_ERROR,
			      "%s at N = %" PRIu64 ": declared %" PRId64 " to %" PRId64 ", stepped %" PRIu64,
			      quantity_info[q].name, trial, declared.low, declared.high, seen->v[q]);
	return true;
}

static bool step(struct run *run, struct subject *s, uint64_t n)
{
	static stepped seen;
	struct result r = {.judgement = {.verdict = VERDICT_EXACT}};

	for (unsigned i = 0; i < MULTIPLES; i++) {
		uint64_t trial = kernel_trial_n(s->kernel, n, i);

		for (unsigned outcome = 0; outcome < outcomes_of(s->kernel); outcome++)
			if (!step_once(run, s, trial, outcome, &seen[outcome][i], &r)) {
				s->all = r.judgement;
				return false;
			}
		for (unsigned v = 0; v < VISIBLE; v++)
			s->seen[i][v] = seen[OUTCOME_ABORT][i].v[visible[v]];
	}
	s->all = r.judgement;
	if (s->all.verdict == VERDICT_EXACT && check_wanted(run, CHANGED))
		change_signature(s, n, seen);
	return true;
}

/* --- paths ------------------------------------------------------------------------------------------ */

static void walk(struct subject *s, uint64_t n, struct path *path)
{
	const struct window w = {.kernel = s->kernel, .level = s->level};
	struct result r = {.judgement = {.verdict = VERDICT_EXACT}};

	if (path->room)
		known_path(&w, n, path, &r);
	else
		judgement_set(&r.judgement, VERDICT_ERROR, "no memory for a path");
	s->path = r.judgement;
}

/* Records are judged against paths, which must therefore add up to what the signatures say. */
static void report_paths(struct run *run, const struct subject *s, unsigned count)
{
	struct result r = {
		.suite = "truth", .name = "known paths", .manual = "a path adds up to the signature"};
	struct judgement why = {0};
	unsigned agree = 0, walked = 0;

	if (!check_wanted(run, r.name))
		return;

	for (unsigned i = 0; i < count; i++) {
		if (!kernel_has_path(s[i].kernel))
			continue;
		walked++;
		agree += s[i].path.verdict == VERDICT_EXACT;
		if (s[i].path.verdict != VERDICT_EXACT && !why.text[0])
			judgement_set(&why, VERDICT_ERROR, "%s: %s", level_of(s[i].level), s[i].path.text);
	}
	if (!walked)
		return;
	result_judge(&r, walked, walked, walked, agree);
	if (why.text[0])
		r.judgement = why;
	run->report(run, &r);
}

/* --- full speed ------------------------------------------------------------------------------------- */

#define UNEMULATED "-unemulated"

struct native {
	const struct kernel *kernel;
	uint8_t level;
	uint64_t n;
	const char *suffix; /* of its name in the marks */
	const char *failure;
};

static uint8_t *put_mark(uint8_t *p, uint32_t word)
{
	code_mark(p, word);
	return p + code_mark_size;
}

static void run_native(void *arg)
{
	/* Two buffers in turn: a window counts as composed already if its bracket lies where the last one
	 * did. */
	static uint8_t start[2][(1 + MARK_HEADER) * CODE_MARK_MOST], stop[CODE_MARK_MOST];
	static unsigned turn;
	struct native *native = arg;
	char name[MARK_NAME_WORDS * sizeof(uint32_t)] = {0};
	struct pmu_bracket marks = {
		.start = start[turn ^= 1], .stop = stop, .stop_end = stop + code_mark_size};
	struct window w = {
		.kernel = native->kernel, .bracket = &marks, .level = native->level, .emulate = true};
	uint8_t *p = start[turn];
	const void *entry;

	if (strlen(native->kernel->name) + strlen(native->suffix) >= sizeof(name)) {
		native->failure = "its name is too long for the marks";
		return;
	}
	strcat(strcpy(name, native->kernel->name), native->suffix);
	p = put_mark(p, MARK_BEGIN);
	p = put_mark(p, (uint32_t)native->n);
	p = put_mark(p, w.level);
	for (unsigned i = 0; i < MARK_NAME_WORDS; i++) {
		uint32_t word;

		memcpy(&word, name + i * sizeof(word), sizeof(word));
		p = put_mark(p, word);
	}
	marks.start_end = p;
	put_mark(stop, MARK_END);
	entry = window_compose(&w);
	if (entry)
		window_run(entry, &w, native->n);
	else
		native->failure = "it does not fit the code arena";
}

static void run_native_guarded(struct native *native, struct judgement *judgement)
{
	struct trap_report trap;
	bool done;

	watchdog_arm(NATIVE_MS);
	done = trap_guard(run_native, native, &trap);
	watchdog_disarm();
	if (!done)
		judgement_set(judgement, VERDICT_ERROR, "at full speed: %.100s", trap.text);
	else if (native->failure)
		judgement_set(judgement, VERDICT_ERROR, "%s", native->failure);
}

/* Once for each N. What it counts is for the witness; here it must only come to its end. */
static void run_at_full_speed(struct subject *s, uint64_t n)
{
	for (unsigned i = 0; i < MULTIPLES && s->all.verdict == VERDICT_EXACT; i++) {
		struct native native = {s->kernel, s->level, kernel_trial_n(s->kernel, n, i), "", NULL};

		run_native_guarded(&native, &s->all);
	}
}

/* --- reporting -------------------------------------------------------------------------------------- */

static void report_all(struct run *run, const struct subject *s)
{
	char name[NAME_SIZE];
	struct result r = result_for(s, ALL, name);

	r.judgement = s->all;
	run->report(run, &r);
}

static void report_visible(struct run *run, const struct subject *s, unsigned v, uint64_t n)
{
	enum quantity q = visible[v];
	char name[NAME_SIZE];
	struct result r = result_for(s, quantity_info[q].name, name);
	bool any = false;

	for (unsigned i = 0; i < MULTIPLES; i++) {
		uint64_t trial = kernel_trial_n(s->kernel, n, i);
		struct amount a = kernel_amount(s->kernel, q, trial);

		histogram_add(&result_observe(&r, trial, a.low, a.high)->seen, (int64_t)s->seen[i][v]);
		any |= a.high || s->seen[i][v];
	}
	if (!any)
		return; /* nothing of it on either side: part of "all quantities" */
	result_conclude(&r);
	if (verdict_is_bad(r.judgement.verdict)) /* the fault of the signature, not of any hardware */
		r.judgement.verdict = VERDICT_ERROR;
	run->report(run, &r);
}

static void skip(struct run *run, const struct kernel *k, uint8_t level, const char *why)
{
	struct subject s = {.kernel = k, .level = level};

	judgement_set(&s.all, VERDICT_SKIPPED, "%s", why);
	report_all(run, &s);
}

static unsigned add_subjects(struct run *run, struct subject *subjects)
{
	unsigned count = 0;

	for (const struct kernel *k = kernels_begin; k < kernels_end; k++) {
		const char *why = NULL;
		unsigned before = count;

		if (!kernel_selected(k, run->options->kernel_glob))
			continue;
		for (uint8_t level = 0; level <= level_user(); level += (uint8_t)level_user()) {
			const char *unfit = kernel_unsteppable(k, level);

			if (!unfit)
				subjects[count++] = (struct subject){.kernel = k, .level = level};
			else if (!why || !(k->flags & (level ? KERNEL_PRIVILEGED : KERNEL_USER_ONLY)))
				why = unfit;
		}
		if (count == before)
			skip(run, k, k->flags & KERNEL_USER_ONLY ? (uint8_t)level_user() : 0, why);
	}
	return count;
}

/* Without the exceptions that the CPU lacks a kernel must be wrong, or they are emulated for nothing. At full
 * speed it then has another name. */
static void check_emulated(struct run *run, const struct subject *s, uint64_t n)
{
	char name[NAME_SIZE];
	struct result r = result_for(s, "wrong unless emulated for", name);
	struct native native = {.kernel = s->kernel, .level = s->level, .n = n, .suffix = UNEMULATED};
	enum quantity q = Q_COUNT;
	struct amount declared;
	struct qvec seen;

	if (!exceptions_emulated(s->kernel) || s->all.verdict != VERDICT_EXACT)
		return;
	exceptions_withhold(true);
	if (ground_truth(s->kernel, s->level, n, OUTCOME_ABORT, &seen, &r)) {
		q = truth_disagrees(s->kernel, n, OUTCOME_ABORT, &seen, &declared);
		judgement_set(&r.judgement, VERDICT_ERROR, "it is right without what is emulated for it");
	}
	if (q != Q_COUNT) {
		judgement_set(&r.judgement, VERDICT_EXACT,
			      "as expected: %s at N = %" PRIu64 ": declared %" PRId64 ", stepped %" PRIu64,
			      quantity_info[q].name, n, declared.low, seen.v[q]);
		run_native_guarded(&native, &r.judgement);
	}
	exceptions_withhold(false);
	r.kernel = NULL; /* what was seen is no truth of the kernel */
	run->report(run, &r);
}

static void run_truth(struct run *run)
{
	uint64_t n = run->options->n ? run->options->n : N_DEFAULT;
	struct subject *subjects = calloc(2 * (kernels_end - kernels_begin), sizeof(*subjects));
	struct result none = {.suite = "truth", .name = "truth"};
	struct path path;
	unsigned count;

	if (!subjects) {
		judgement_set(&none.judgement, VERDICT_SKIPPED, "not enough memory");
		run->report(run, &none);
		return;
	}
	count = add_subjects(run, subjects);
	path_create(&path, KNOWN_PATH_STEPS, false);
	for (unsigned i = 0; i < count; i++) {
		struct subject *s = &subjects[i];

		s->stepped = step(run, s, n);
		if (kernel_has_path(s->kernel))
			walk(s, n, &path);
		run_at_full_speed(s, n);
		report_all(run, s);
	}
	for (unsigned v = 0; v < VISIBLE; v++)
		for (unsigned i = 0; i < count; i++)
			if (subjects[i].stepped)
				report_visible(run, &subjects[i], v, n);
	report_changes(run, subjects, count);
	report_paths(run, subjects, count);
	for (unsigned i = 0; i < count; i++)
		check_emulated(run, &subjects[i], n);
	path_free(&path);
	free(subjects);
}

const struct suite suite_truth = {"truth", "what kernels do, by single-stepping, against their signatures",
				  run_truth, NULL};
