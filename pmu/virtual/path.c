#include "pmu/virtual/path.h"

#include "arch/step.h"
#include "pmu/contract/vectors.h"

#include <stdlib.h>
#include <string.h>

/* Where the walk is. */
enum { BEFORE, INSIDE, BEHIND, DONE };

bool path_create(struct path *p, unsigned steps, bool registers)
{
	*p = (struct path){.room = steps};
	p->step = malloc(steps * sizeof *p->step);
	p->access = malloc(steps * PATH_ACCESSES * sizeof *p->access);
	p->terms = malloc(steps * PATH_TERMS * sizeof *p->terms);
	if (registers) {
		p->registers = malloc(steps * sizeof *p->registers);
		p->vectors = malloc(steps * sizeof *p->vectors);
		p->upper = malloc(steps * sizeof *p->upper);
	}
	if (p->step && p->access && p->terms && ((p->registers && p->vectors && p->upper) || !registers))
		return true;
	path_free(p);
	return false;
}

void path_free(struct path *p)
{
	free(p->step);
	free(p->registers);
	free(p->vectors);
	free(p->upper);
	free(p->access);
	free(p->terms);
	*p = (struct path){0};
}

static bool is_full(const struct path *p, const struct step *s)
{
	return p->n_steps == p->room || p->n_terms + s->n_terms > p->room * PATH_TERMS ||
	       p->n_access + s->n_access > p->room * PATH_ACCESSES;
}

static void note(struct path *p, const struct step *s)
{
	if (p->overflow || is_full(p, s)) {
		p->overflow = true;
		return;
	}
	if (p->registers)
		p->registers[p->n_steps] = *s->registers;
	if (p->vectors) {
		p->vectors[p->n_steps] = vectors_digest(s->vectors);
		p->upper[p->n_steps] = vectors_digest(s->vectors + VECTORS_SIZE);
	}
	p->step[p->n_steps++] = (struct path_step){
		.ip = s->ip,
		.next = s->next,
		.access = p->n_access,
		.terms = p->n_terms,
		.n_access = (uint8_t)s->n_access,
		.n_terms = (uint8_t)s->n_terms,
		.transfer = s->transfer,
		.length = s->length,
		.level = s->level,
		.level_after = s->level_after,
	};
	for (unsigned i = 0; i < s->n_access; i++)
		p->access[p->n_access++] = s->access[i];
	for (unsigned i = 0; i < s->n_terms; i++)
		p->terms[p->n_terms++] = s->terms[i];
}

static void forget(struct path *p)
{
	p->n_steps = p->n_access = p->n_terms = 0;
	p->overflow = false;
}

/* On with the walk, where an instruction or an event at this address comes next. */
static void arrive(struct path *p, uint64_t ip)
{
	if (p->stage != BEFORE || ip != p->begin)
		return;
	p->from = p->to = p->n_steps;
	p->stage = p->begin == p->end ? BEHIND : INSIDE;
}

static enum register_answer access_register(void *ctx, struct register_access *a, const struct step *by)
{
	struct path *p = ctx;

	arrive(p, by->ip);
	if (p->stage == INSIDE)
		return REGISTER_NOT_MINE;
	if (!a->write)
		a->value = 0;
	else if (p->stage == BEFORE)
		forget(p);
	else
		p->stage = DONE;
	return REGISTER_DONE;
}

static void follow(struct path *p, const struct step *s)
{
	arrive(p, s->ip);
	if (p->stage == DONE)
		return;
	note(p, s);
	if (p->stage != INSIDE)
		return;
	p->to = p->n_steps;
	if (s->next == p->end)
		p->stage = BEHIND;
}

static void step(void *ctx, struct step *s)
{
	struct path *p = ctx;
	static struct qterm terms[STEP_TERMS];

	/* The write that opens the window, itself, is not in it. Halted time has no place on a path. */
	if ((s->answered && s->kind == STEP_WRITES_REGISTER) || s->kind == STEP_HALTED)
		return;
	s->n_terms = step_terms(s, terms);
	s->terms = terms;
	follow(p, s);
}

static struct step_client client = {
	.access = access_register,
	.spaces = UINT32_MAX,
	.step = step,
};

void path_walk(struct path *p, uint64_t begin, uint64_t end, void (*fn)(void *), void *arg)
{
	/* Before anything of the call that is under way is changed. */
	step_not_nested();
	forget(p);
	p->from = p->to = 0;
	p->rule = (struct path_rule){0};
	p->begin = begin;
	p->end = end;
	p->stage = BEFORE;
	client.ctx = p;
	client.wants = STEP_WANTS_BY_ADDRESS | STEP_WANTS_RECORDS | (p->vectors ? STEP_WANTS_VECTORS : 0);
	step_call(&client, fn, arg);
}
