#include "tests/judge/trace_judge.h"

#include <inttypes.h>
#include <stdio.h>

/* Where one goes along a path and a trace, in either direction. */
struct walk {
	const struct trace_expectation *x;
	const struct pmu_record *record;
	int step, last_step; /* of the path, both included */
	int at, last_at;     /* of the trace */
	int direction;
	bool calls; /* open calls alone */
};

static bool is_left_out(const struct path_step *s, uint32_t without)
{
	uint8_t kind = s->transfer == TRANSFER_EVENT ? TRANSFER_SYSTEM : s->transfer;

	return kind == TRANSFER_NONE || (without >> kind & 1);
}

static bool changes_level(const struct path_step *s)
{
	return (s->level != 0) != (s->level_after != 0);
}

static bool is_recorded(const struct trace_expectation *x, uint8_t level)
{
	return x->levels & (level ? LEVELS_USER : LEVELS_SYSTEM);
}

static bool is_optional(const struct trace_expectation *x, const struct path_step *s)
{
	return changes_level(s) && x->levels != LEVELS_ALL && !x->level_of_target;
}

/* Or at least allowed. */
static bool is_expected(const struct trace_expectation *x, const struct path_step *s)
{
	return !is_left_out(s, x->without) && (is_optional(x, s) || is_recorded(x, s->level_after));
}

unsigned trace_branches(const struct trace_expectation *x)
{
	const struct path *p = x->path;
	unsigned n = 0;

	for (unsigned i = p->from; i < p->to; i++)
		n += is_expected(x, &p->step[i]) && !is_optional(x, &p->step[i]);
	return n;
}

/* As far as records tell addresses. */
static bool is_equal(const struct trace_expectation *x, uint64_t a, uint64_t b)
{
	return !((a ^ b) & (x->address_bits ? (1ull << x->address_bits) - 1 : UINT64_MAX));
}

static bool is_on_path(const struct trace_expectation *x, uint64_t ip)
{
	const struct path *p = x->path;

	for (unsigned i = p->from; i < p->to; i++)
		if (is_equal(x, p->step[i].ip, ip))
			return true;
	return false;
}

/* One of the path's, or one of the harness's before and behind it? */
static bool is_own(const struct trace_expectation *x, const struct pmu_record *r)
{
	const struct path *p = x->path;

	if (!x->hides_source || r->from != RECORD_HIDDEN)
		return is_on_path(x, r->from);
	for (unsigned i = p->from; i < p->to; i++)
		if (changes_level(&p->step[i]) && is_equal(x, p->step[i].next, r->to))
			return true;
	return false;
}

/* The next branch that is expected, if there is one. */
static const struct path_step *next_step(const struct walk *w)
{
	return w->direction > 0          ? w->step <= w->last_step ? &w->x->path->step[w->step] : NULL
	       : w->step >= w->last_step ? &w->x->path->step[w->step]
					 : NULL;
}

static const struct pmu_record *next_record(const struct walk *w)
{
	return w->direction > 0      ? w->at <= w->last_at ? &w->record[w->at] : NULL
	       : w->at >= w->last_at ? &w->record[w->at]
				     : NULL;
}

static bool is_same(const struct trace_expectation *x, const struct path_step *s, const struct pmu_record *r)
{
	bool hidden = r->from == RECORD_HIDDEN && changes_level(s);

	if (x->hides_source && hidden == is_recorded(x, s->level))
		return false;
	return r->has & RECORD_HAS_BRANCH && is_equal(x, r->to, s->next) &&
	       (hidden || is_equal(x, r->from, s->ip));
}

/* A branch between the kernel and the handler of an interrupt. */
static bool is_foreign(const struct trace_expectation *x, const struct pmu_record *r)
{
	const struct path *p = x->path;
	bool from = false, to = false;

	for (unsigned i = p->from; i < p->to && !(from && to); i++) {
		from |= is_equal(x, p->step[i].ip, r->from);
		to |= is_equal(x, p->step[i].ip, r->to) || is_equal(x, p->step[i].next, r->to);
	}
	return !from || !to;
}

static void say(const struct walk *w, const struct path_step *s, const struct pmu_record *r,
		struct trace_judgement *out)
{
	uint64_t base = w->x->kernel_at;
	int n;

	out->right = false;
	n = snprintf(out->why, sizeof out->why, "%u branches from the %s are right, then ", out->matched,
		     w->direction > 0 ? "first" : "last");
	if (r)
		n += snprintf(out->why + n, sizeof out->why - (size_t)n, "%+" PRId64 " to %+" PRId64,
			      (int64_t)(r->from - base), (int64_t)(r->to - base));
	else
		n += snprintf(out->why + n, sizeof out->why - (size_t)n, "none");
	if (s)
		snprintf(out->why + n, sizeof out->why - (size_t)n, " instead of %+" PRId64 " to %+" PRId64,
			 (int64_t)(s->ip - base), (int64_t)(s->next - base));
	else
		snprintf(out->why + n, sizeof out->why - (size_t)n, "%s",
			 w->calls ? ", a call that has come back" : ", which the kernel does not take");
}

/* As long as path and trace agree. */
static void compare(struct walk *w, unsigned room, struct trace_judgement *out)
{
	const struct trace_expectation *x = w->x;
	unsigned taken = 0;

	out->right = true;
	for (;; w->step += w->direction) {
		const struct path_step *s = next_step(w);
		const struct pmu_record *r = next_record(w);

		if (s && !is_expected(x, s))
			continue;
		while (r && x->interrupted && !(s && is_same(x, s, r)) && is_foreign(x, r)) {
			w->at += w->direction;
			r = next_record(w);
		}
		if (s && r && is_same(x, s, r)) {
			taken++;
			out->matched += !is_optional(x, s);
			out->mispredicted += r->has & RECORD_HAS_MISPREDICTED && r->mispredicted;
			w->at += w->direction;
			continue;
		}
		if (s && is_optional(x, s))
			continue;
		if (!s && !r)
			return;
		if (!r && taken >= room) {
			out->expected = out->matched;
			return;
		}
		say(w, s, r, out);
		return;
	}
}

void trace_judge(const struct trace_expectation *x, const struct pmu_record *record, unsigned n,
		 struct trace_judgement *out)
{
	const struct path *p = x->path;
	unsigned first = 0, end = n, all = trace_branches(x), room = x->room;
	struct walk w = {.x = x, .record = record};

	*out = (struct trace_judgement){0};
	while (x->surrounded && first < end && !is_own(x, &record[first]))
		first++;
	while (x->surrounded && end > first && !is_own(x, &record[end - 1]))
		end--;
	/* What is the harness's takes room as well. */
	if (n < room && x->surrounded)
		room = UINT32_MAX;
	else if (x->surrounded)
		room -= x->part == TRACE_FIRST ? first : n - end;
	all = all > x->skip ? all - x->skip : 0;
	out->expected = all < room ? all : room;
	if (n > x->room) {
		snprintf(out->why, sizeof out->why, "%u branches, and there is room for %u", n, x->room);
		return;
	}
	if (x->part == TRACE_FIRST) {
		w.direction = 1;
		w.step = (int)p->from;
		w.last_step = (int)p->to - 1;
		w.at = (int)first;
		w.last_at = (int)end - 1;
		for (unsigned left = x->skip; left && w.step <= w.last_step; w.step++)
			left -= is_expected(x, &p->step[w.step]);
	} else {
		w.direction = -1;
		w.step = (int)p->to - 1;
		w.last_step = (int)p->from;
		w.at = (int)end - 1;
		w.last_at = (int)first;
	}
	compare(&w, room, out);
}

#define CALLS_MAX 64 /* entries of the deepest stack there is */

/* A call to the instruction behind it is none: SDM 17.11. */
static bool opens_call(const struct path_step *s)
{
	return (s->transfer == TRANSFER_CALL || s->transfer == TRANSFER_CALL_INDIRECT) &&
	       s->next != s->ip + s->length;
}

/* Calls of the path that are open at its end, oldest first: steps of it. Of more than there is room for the
 * oldest are lost. */
static unsigned open_calls(const struct trace_expectation *x, unsigned step[CALLS_MAX])
{
	const struct path *p = x->path;
	unsigned room = x->room < CALLS_MAX ? x->room : CALLS_MAX, n = 0;

	for (unsigned i = p->from; i < p->to; i++) {
		const struct path_step *s = &p->step[i];

		if (!is_recorded(x, s->level_after))
			continue;
		if (s->transfer == TRANSFER_RETURN && n)
			n--;
		if (!opens_call(s) || !room)
			continue;
		if (n == room) {
			for (unsigned k = 1; k < n; k++)
				step[k - 1] = step[k];
			n--;
		}
		step[n++] = i;
	}
	return n;
}

void trace_judge_calls(const struct trace_expectation *x, const struct pmu_record *record, unsigned n,
		       struct trace_judgement *out)
{
	unsigned step[CALLS_MAX];
	struct walk w = {.x = x, .direction = 1, .calls = true};

	*out = (struct trace_judgement){.right = true, .expected = open_calls(x, step)};
	for (unsigned i = 0; i < n && out->right; i++) {
		if (x->surrounded && !is_own(x, &record[i]))
			continue;
		if (out->matched < out->expected &&
		    is_same(x, &x->path->step[step[out->matched]], &record[i]))
			out->matched++;
		else
			say(&w, out->matched < out->expected ? &x->path->step[step[out->matched]] : NULL,
			    &record[i], out);
	}
	if (out->right && out->matched < out->expected)
		say(&w, &x->path->step[step[out->matched]], NULL, out);
}
