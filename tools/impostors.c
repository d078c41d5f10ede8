#include "tools/impostors.h"
#include "arch/levels.h"
#include "tests/judge/bounds.h"
#include "tests/judge/event_seen.h"
#include "tests/judge/expectation.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#define TURNS 1000 /* N_HARDWARE of the suites */
#define SIZES 2

/* What is expected at N and 2N. */
struct span {
	bool known;
	int64_t low[SIZES], high[SIZES];
};

/* Rows that mean the same have the same expectations. */
struct meaning {
	struct pmu_event key;
	struct span *on; /* by kernel, at the highest level (or where else it runs), then at the user's */
	struct meaning *next;
};

#define BUCKETS 1024
static struct meaning *meanings[BUCKETS];
static int64_t (*count)[IMPOSTORS][SIZES]; /* by kernel, of those from IMPOSTOR_OF_KERNEL on */
static unsigned n_kernels;
static bool blunt_low, blunt_high;

const char *impostor_name(unsigned impostor)
{
	return impostor < IMPOSTOR_OF_KERNEL ? impostors_of_truth[impostor]
					     : impostors_of_kernel[impostor - IMPOSTOR_OF_KERNEL].name;
}

static void *allocate(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p) {
		fputs("coverage: no memory\n", stderr);
		exit(1);
	}
	return p;
}

/* An undisturbed machine: a cycle for each instruction and iteration, all else at the least. */
static int64_t undisturbed(const struct kernel *k, enum quantity q, uint64_t n)
{
	struct amount a = bounds_amount(k, q, n);

	if (a.overflow)
		return 0;
	if (q == Q_CYCLES) {
		int64_t steps =
			bounds_amount(k, Q_INSTRUCTIONS, n).low + bounds_amount(k, Q_REP_ITERATIONS, n).low;

		return steps < a.low ? a.low : steps > a.high ? a.high : steps;
	}
	return a.low;
}

static void count_of_kernel(const struct kernel *k, int64_t (*out)[SIZES])
{
	for (unsigned i = 0; i < IMPOSTORS - IMPOSTOR_OF_KERNEL; i++)
		for (unsigned size = 0; size < SIZES; size++) {
			int64_t n = TURNS * (size + 1), sum = 0;

			for (unsigned q = 0; q < 3 && impostors_of_kernel[i].quantity[q]; q++)
				sum += undisturbed(k, (enum quantity)(impostors_of_kernel[i].quantity[q] - 1),
						   (uint64_t)n);
			sum = sum * impostors_of_kernel[i].times / impostors_of_kernel[i].per;
			out[IMPOSTOR_OF_KERNEL + i][size] = sum + impostors_of_kernel[i].constant +
							    (impostors_of_kernel[i].turns ? n : 0);
		}
}

void impostors_begin(bool no_lower, bool no_upper)
{
	kernels_unpack();
	n_kernels = (unsigned)(kernels_end - kernels_begin);
	count = allocate(n_kernels, sizeof *count);
	for (unsigned k = 0; k < n_kernels; k++)
		count_of_kernel(&kernels_begin[k], count[k]);
	blunt_low = no_lower;
	blunt_high = no_upper;
}

/* --- expectations --------------------------------------------------------------------------------------- */

static bool same(const struct pmu_event *a, const struct pmu_event *b)
{
	return !memcmp(a->terms, b->terms, sizeof a->terms) && a->judgement == b->judgement &&
	       a->rule == b->rule && a->floor == b->floor && a->flags == b->flags;
}

static struct pmu_event key_of(const struct pmu_event *e)
{
	struct pmu_event key = {.judgement = e->judgement,
				.rule = e->rule,
				.floor = e->floor,
				.flags = e->flags & (EVENT_MASKED | EVENT_EDGES)};

	memcpy(key.terms, e->terms, sizeof key.terms);
	return key;
}

static unsigned bucket(const struct pmu_event *key)
{
	unsigned h = key->judgement + (unsigned)((uintptr_t)key->rule >> 4) +
		     (unsigned)((uintptr_t)key->floor >> 4);

	for (unsigned i = 0; i < EVENT_TERMS; i++)
		h = h * 31 + key->terms[i].quantity * 7u + (uint8_t)key->terms[i].coefficient;
	return h % BUCKETS;
}

/* @return whether an event looks at levels itself: it says something else of the same kernel at the user's */
static bool looks_at_levels(const struct pmu_event *e)
{
	for (const struct event_term *t = e->terms; t < e->terms + EVENT_TERMS && t->coefficient; t++)
		if (t->quantity == Q_CYCLES_USER)
			return true;
	return false;
}

static bool runs_at_user_level(const struct kernel *k)
{
	return !(k->flags & (KERNEL_PRIVILEGED | KERNEL_USER_ONLY)) && !impostors_leave_user_level(k);
}

static struct span expect(const struct pmu_event *e, const struct kernel *k, uint8_t level)
{
	struct span s = {0};

	for (unsigned size = 0; size < SIZES; size++) {
		uint64_t n = TURNS * (size + 1);
		struct pmu_event seen;
		struct expectation x = {0};

		if (event_seen_at(e, level, &seen) && expectation(&seen, k, n, &x) != EXPECTATION_OK)
			return (struct span){0};
		expectation_allow_more(&x, e, k, level, n);
		s.low[size] = blunt_low ? 0 : x.low;
		s.high[size] = blunt_high ? INT64_MAX : x.high;
	}
	s.known = true;
	return s;
}

static const struct span *spans(const struct pmu_event *e)
{
	struct pmu_event key = key_of(e);
	struct meaning **at = &meanings[bucket(&key)];
	bool levels = looks_at_levels(e);

	for (; *at; at = &(*at)->next)
		if (same(&(*at)->key, &key))
			return (*at)->on;
	*at = allocate(1, sizeof **at);
	(*at)->key = key;
	(*at)->on = allocate(2 * n_kernels, sizeof *(*at)->on);
	for (unsigned k = 0; k < n_kernels; k++) {
		const struct kernel *kernel = &kernels_begin[k];

		if (impostors_suit(kernel))
			(*at)->on[k] = expect(e, kernel, 0);
		if (levels && impostors_suit(kernel) && runs_at_user_level(kernel))
			(*at)->on[n_kernels + k] = expect(e, kernel, (uint8_t)level_user());
	}
	return (*at)->on;
}

/* --- equations ------------------------------------------------------------------------------------------ */

#define OF_ROW 32 /* equations that one row is part of */

struct part {
	const struct pmu_identity *equation;
	unsigned n, self;
	const struct span *term[IDENTITY_TERMS];
};

static bool is_filtered(const struct impostor_equation *q)
{
	for (unsigned t = 0; t < q->n; t++)
		if (strchr(q->identity->term[t].event, ':'))
			return true;
	return false;
}

/* Those that are about the row once, with no filter on any term. */
static unsigned parts_of(const struct impostor_offer *o, const struct pmu_event *e, struct part *out)
{
	unsigned n = 0;

	for (const struct impostor_equation *q = o->equation; q < o->equation + o->n_equations && n < OF_ROW;
	     q++) {
		struct part p = {.equation = q->identity, .n = q->n};
		unsigned about = 0;

		for (unsigned t = 0; t < q->n; t++)
			if (q->row[t] == e)
				p.self = t, about++;
		if (about != 1 || is_filtered(q))
			continue;
		for (unsigned t = 0; t < q->n; t++)
			p.term[t] = spans(q->row[t]);
		out[n++] = p;
	}
	return n;
}

/* The least and the most that the other terms come to. @return false if that is not known */
static bool others(const struct part *p, unsigned k, unsigned size, __int128 *least, __int128 *most)
{
	*least = *most = 0;
	for (unsigned t = 0; t < p->n; t++) {
		const struct span *s = &p->term[t][k];
		int c = p->equation->term[t].coefficient;

		if (t == p->self)
			continue;
		if (!s->known)
			return false;
		*least += (__int128)c * (c > 0 ? s->low[size] : s->high[size]);
		*most += (__int128)c * (c > 0 ? s->high[size] : s->low[size]);
	}
	return true;
}

static __int128 floor_div(__int128 a, __int128 b)
{
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* Narrow s to what the equation leaves. @return whether it says what the count is, given the others */
static bool narrow(const struct part *p, unsigned k, unsigned size, struct span *s)
{
	__int128 least, most, low, high;
	int c = p->equation->term[p->self].coefficient;
	bool equal = !(p->equation->relation & IDENTITY_NOT_NEGATIVE);

	if (!others(p, k, size, &least, &most))
		return false;
	/* c * x + rest >= 0, and <= 0 if equal */
	if (c > 0) {
		low = -floor_div(most, c);
		high = equal ? floor_div(-least, c) : INT64_MAX;
	} else {
		high = floor_div(most, -c);
		low = equal ? -floor_div(-least, -c) : 0;
	}
	if (low > s->low[size])
		s->low[size] = low > INT64_MAX ? INT64_MAX : (int64_t)low;
	if (high < s->high[size])
		s->high[size] = high < 0 ? 0 : (int64_t)high;
	return equal;
}

/* --- impostors ------------------------------------------------------------------------------------------ */

static bool inside(const struct span *s, unsigned size, int64_t x)
{
	return x >= s->low[size] && x <= s->high[size];
}

static uint32_t of_kernel_passing(const struct span *s, unsigned k)
{
	uint32_t passed = 0;

	for (unsigned i = IMPOSTOR_OF_KERNEL; i < IMPOSTORS; i++)
		if (inside(s, 0, count[k % n_kernels][i][0]) && inside(s, 1, count[k % n_kernels][i][1]))
			passed |= UINT32_C(1) << i;
	return passed;
}

/* What a row with the same event select and another mask counts at the least. */
static bool passes_as(const struct span *s, const struct span *other)
{
	if (!other || !other->known)
		return true;
	return inside(s, 0, other->low[0]) && inside(s, 1, other->low[1]);
}

static uint32_t passing(const struct span *s, unsigned k, bool equal, const struct span *next,
			const struct span *previous)
{
	uint32_t passed = of_kernel_passing(s, k);
	bool dead = true, twice = true, half = true, more = !equal;

	for (unsigned size = 0; size < SIZES; size++) {
		int64_t low = s->low[size], high = s->high[size];

		dead &= low <= 0;
		twice &= low <= (equal ? 0 : high / 2);
		half &= equal ? low <= 0 : high / 2 >= low;
		more &= low < high;
	}
	passed |= (uint32_t)dead << IMPOSTOR_DEAD | (uint32_t)twice << IMPOSTOR_TWICE |
		  (uint32_t)half << IMPOSTOR_HALF | (uint32_t)more << IMPOSTOR_ONE_MORE;
	if (s->low[0] <= s->high[1] && s->low[1] <= s->high[0])
		passed |= 1u << IMPOSTOR_DELAYED;
	if (dead || impostors_leave_user_level(&kernels_begin[k % n_kernels]))
		passed |= 1u << IMPOSTOR_OTHER_LEVEL;
	passed |= (uint32_t)passes_as(s, next) << IMPOSTOR_NEXT_MASK;
	passed |= (uint32_t)passes_as(s, previous) << IMPOSTOR_PREVIOUS_MASK;
	return passed;
}

/* The nearest row behind (step 1) or before (-1) it that has the same event select and means something else,
 * else the nearest one that means something else. */
static const struct span *neighbour(const struct impostor_offer *o, const struct pmu_event *e, int step)
{
	const struct span *own = spans(e), *any = NULL;

	if (e < o->row || e >= o->row + o->n)
		return NULL;
	for (const struct pmu_event *other = e + step; other >= o->row && other < o->row + o->n;
	     other += step) {
		const struct span *theirs = spans(other);

		if (theirs == own)
			continue;
		if ((other->code & 0xff) == (e->code & 0xff))
			return theirs;
		if (!any)
			any = theirs;
	}
	return any;
}

uint64_t impostors_needs(const char *names)
{
	uint64_t needs = 0;

	for (size_t n; *(names += strspn(names, " ")); names += n) {
		uint64_t bit;

		n = strcspn(names, " ");
		bit = impostors_need(names, n);
		if (!bit) {
			fprintf(stderr, "coverage: kernels know no need %.*s\n", (int)n, names);
			exit(1);
		}
		needs |= bit;
	}
	return needs;
}

static bool usable(const struct impostor_offer *o, unsigned k)
{
	return !(kernels_begin[k % n_kernels].needs & ~o->needs);
}

/* Whether the most that a row may count, twice over, is little beside the instructions of kernel k. */
static bool is_near_0(const struct span *s, unsigned k)
{
	struct amount steps = bounds_amount(&kernels_begin[k % n_kernels], Q_INSTRUCTIONS, TURNS * SIZES);

	return !steps.overflow && s->high[SIZES - 1] <= steps.low / IMPOSTORS_NEAR_0;
}

static struct span narrowed(const struct span *own, const struct part *part, unsigned n, unsigned k,
			    bool *equal)
{
	struct span s = *own;

	*equal = false;
	for (unsigned p = 0; p < n; p++)
		for (unsigned size = 0; size < SIZES; size++)
			*equal |= narrow(&part[p], k, size, &s);
	return s;
}

struct impostor_result impostors_try(const struct impostor_offer *o, const struct pmu_event *e)
{
	struct impostor_result r = {.never = true, .passed = UINT32_MAX};
	struct part part[OF_ROW];
	unsigned n = parts_of(o, e, part);
	const struct span *own = spans(e), *next = neighbour(o, e, 1), *previous = neighbour(o, e, -1);

	for (unsigned k = 0; k < 2 * n_kernels; k++) {
		struct span s;
		bool equal;

		if (!usable(o, k) || !own[k].known)
			continue;
		s = narrowed(&own[k], part, n, k, &equal);
		r.judged = true;
		r.never &= !own[k].high[0] && !own[k].high[1];
		if (own[k].low[0] > own[k].high[0] || own[k].low[1] > own[k].high[1])
			r.contradiction = kernels_begin[k % n_kernels].name;
		if (!r.near_0 && is_near_0(&s, k))
			r.near_0 = kernels_begin[k % n_kernels].name;
		r.lower |= s.low[0] > 0 || s.low[1] > 0;
		r.passed &= passing(&s, k, equal, next ? &next[k] : NULL, previous ? &previous[k] : NULL);
	}
	return r;
}
