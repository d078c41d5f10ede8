/* Rules of extreme machines (extremes.h): branches. */
#include "tests/self/host/support/extremes_rules.h"
#include "arch/x86/step/account.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HISTORY_BITS 10 /* as the machine model's predictor has */
#define RETURN_STACK 4
#define SIGMAS       4

static bool is_random(const struct trace_step *s)
{
	return s->insn.special == INSN_JCC && (s->insn.cond == 2 || s->insn.cond == 3); /* JC, JNC */
}

/* What was seen of conditional branches: which way they went, by address and history. */
struct seen {
	uint64_t rip;
	uint32_t history;
	bool taken;
};

struct forgetful {
	struct seen *seen;
	size_t count;
	uint32_t history;
	uint64_t returns[RETURN_STACK];
	unsigned depth; /* of those that are held */
};

static bool conditional_wrong(struct forgetful *f, const struct trace_step *s)
{
	uint32_t history = f->history;
	size_t at = 0;
	bool wrong;

	f->history = (history << 1 | s->did.taken) & ((1u << HISTORY_BITS) - 1);
	while (at < f->count && (f->seen[at].rip != s->rip || f->seen[at].history != history))
		at++;
	wrong = at == f->count || f->seen[at].taken != s->did.taken;
	if (at == f->count)
		f->seen[f->count++] = (struct seen){s->rip, history, s->did.taken};
	f->seen[at].taken = s->did.taken;
	return wrong;
}

static void call(struct forgetful *f, uint64_t back)
{
	if (f->depth == RETURN_STACK)
		memmove(f->returns, f->returns + 1, sizeof f->returns - sizeof f->returns[0]);
	else
		f->depth++;
	f->returns[f->depth - 1] = back;
}

static bool return_wrong(struct forgetful *f, uint64_t next)
{
	return !f->depth || f->returns[--f->depth] != next;
}

/* Nothing is known at the beginning, and what is seen for the first time is wrong. Some branches leave no
 * trace in the history. */
static uint64_t forget(const struct extreme_run *r, bool (*left_out)(const struct trace_step *s))
{
	struct forgetful f = {.seen = calloc(r->trace->count + 1, sizeof *f.seen)};
	uint64_t wrong = 0;

	for (size_t i = 0; i < r->trace->count; i++) {
		struct trace_step *s = &r->trace->step[i];

		if (trace_amount(s, Q_BR_COND) && !left_out(s))
			wrong += conditional_wrong(&f, s);
		if (trace_amount(s, Q_BR_CALL_DIRECT) + trace_amount(s, Q_BR_CALL_INDIRECT))
			call(&f, s->rip + s->insn.length);
		if (trace_amount(s, Q_BR_RET))
			wrong += return_wrong(&f, s->next);
	}
	free(f.seen);
	return wrong;
}

uint64_t count_forgetful(const struct extreme_run *r)
{
	return forget(r, is_random);
}

static bool is_sign(const struct trace_step *s)
{
	return s->insn.special == INSN_JCC && s->insn.cond == 8; /* JS */
}

/* The sibling has learnt that the branch on a sign is taken. */
uint64_t count_mistaught(const struct extreme_run *r)
{
	uint64_t wrong = forget(r, is_sign);

	for (size_t i = 0; i < r->trace->count; i++)
		wrong += is_sign(&r->trace->step[i]);
	return wrong;
}

static size_t last_conditional(const struct trace *t)
{
	size_t last = t->count;

	while (last > 0 && t->step[last - 1].insn.special != INSN_JCC)
		last--;
	return last;
}

/* Returns are known, and directions but that the loop ends; there is one target for all, that of the branch
 * before, which for the first one is the harness's. */
uint64_t count_one_target(const struct extreme_run *r)
{
	uint64_t target = 0, wrong = last_conditional(r->trace) > 0;

	for (size_t i = 0; i < r->trace->count; i++) {
		struct trace_step *s = &r->trace->step[i];
		bool goes = trace_amount(s, Q_BRANCHES) && (s->did.taken || !trace_amount(s, Q_BR_COND));

		wrong += goes && !trace_amount(s, Q_BR_RET) && target != s->next;
		target = goes ? s->next : target;
	}
	return wrong;
}

double extreme_guesses(double m, int sigmas)
{
	return m / 2 + sigmas * sqrt(m) / 2;
}

static void count_random(const struct extreme_run *r, uint64_t *first, uint64_t *second)
{
	uint64_t calls = extreme_total(r, Q_BR_CALL_INDIRECT);

	/* Returns that have a call go back to it. */
	*first = extreme_total(r, Q_BR_JMP_INDIRECT) + (calls ? calls : extreme_total(r, Q_BR_RET));
	*second = 0;
	for (size_t i = 0; i < r->trace->count; i++)
		if (is_random(&r->trace->step[i]))
			(*(r->trace->step[i].insn.cond == 2 ? first : second))++;
}

uint64_t count_lucky(const struct extreme_run *r)
{
	uint64_t first, second;
	double wrong;

	count_random(r, &first, &second);
	wrong = ceil(extreme_guesses((double)first, -SIGMAS));
	return wrong > 0 ? (uint64_t)wrong : 0;
}

/* The second branch of a pair, if there is one, goes wrong whenever the first one does. */
uint64_t count_unlucky(const struct extreme_run *r)
{
	uint64_t first, second, wrong;

	count_random(r, &first, &second);
	wrong = (uint64_t)floor(extreme_guesses((double)first, SIGMAS));
	wrong = wrong < first ? wrong : first;
	return wrong * (second ? 2 : 1) + count_forgetful(r);
}
