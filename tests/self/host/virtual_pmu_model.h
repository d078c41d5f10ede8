/*
 * The model of the virtual PMU's tests: a script of counters, and what is asked of it.
 */
#ifndef TESTS_SELF_HOST_VIRTUAL_PMU_MODEL_H
#define TESTS_SELF_HOST_VIRTUAL_PMU_MODEL_H

#include "tests/self/host/virtual_pmu_engine.h"
#include "pmu/virtual/vpmu.h"

/* Two counters of all quantities; a counter overflows behind its limit. Registers: */
enum { ENABLE, RECORD, FAULTY, HANGING, NOT_MINE };

struct scripted {
	uint64_t value[2], limit[2];
	uint32_t enabled;
};

static struct scripted *first;
static const struct step_memory *attached;
static struct step last;
static struct qterm last_terms[64];
static unsigned resets, steps, sums, asked_pmis, pmis, pmis_of[2], extended, placed;
static bool records, vectors, own_line_stays, told_writes, refuses;
static int64_t only; /* the quantity that it is asked about and counts; -1: every one */

static void reset(void *state, const struct model_profile *profile, const struct model_injected *injections)
{
	(void)profile;
	assert_non_null(injections);
	first = state;
	*first = (struct scripted){.limit = {UINT64_MAX, UINT64_MAX}};
	resets++;
}

static void attach(void *state, const struct step_memory *memory)
{
	assert_ptr_equal(state, first);
	attached = memory;
}

static enum register_answer carry_out(void *state, struct register_access *a)
{
	struct scripted *s = state;

	if (a->space == SPACE_SELECTOR)
		return a->number < 2 && a->permitted ? REGISTER_DONE : REGISTER_FAULT;
	switch (a->number) {
	case ENABLE:
		if (a->write)
			s->enabled = (uint32_t)a->value;
		else
			a->value = s->enabled;
		return REGISTER_DONE;
	case RECORD:
		records = a->value;
		return REGISTER_DONE;
	case FAULTY:
		return REGISTER_FAULT;
	case HANGING:
		return REGISTER_HANGS;
	default:
		return REGISTER_NOT_MINE;
	}
}

static bool advance(void *state, const struct step *step)
{
	struct scripted *s = state;
	bool changed = false;

	steps++;
	last = *step;
	assert_true(step->n_terms <= 64);
	memcpy(last_terms, step->terms, step->n_terms * sizeof *last_terms);
	told_writes |= step->own_write;
	for (unsigned c = 0; c < 2; c++)
		for (unsigned t = 0; s->enabled >> c & 1 && t < step->n_terms; t++)
			s->value[c] += step->terms[t].amount;
	for (unsigned c = 0; c < 2; c++)
		if (s->value[c] > s->limit[c]) {
			s->value[c] = 0;
			changed = true;
		}
	return changed;
}

static int increments(void *state, const struct step *step, struct model_increment *out, unsigned room)
{
	struct scripted *s = state;
	uint64_t amount = 0;
	int n = 0;

	sums++;
	if (refuses)
		return -1;
	for (unsigned t = 0; t < step->n_terms; t++)
		amount += step->terms[t].amount;
	for (unsigned c = 0; c < 2 && amount; c++)
		if (s->enabled >> c & 1) {
			assert_true((unsigned)n < room);
			out[n++] = (struct model_increment){&s->value[c], s->limit[c] - amount, amount};
		}
	return n;
}

static bool counts(const void *state, enum quantity q)
{
	return ((const struct scripted *)state)->enabled && (only < 0 || only == (int64_t)q);
}

static bool counting(const void *state)
{
	return ((const struct scripted *)state)->enabled != 0;
}

static bool recording(const void *state)
{
	(void)state;
	return records;
}

static bool shows_vectors(const void *state)
{
	(void)state;
	return vectors;
}

static bool line_stays(const void *state)
{
	(void)state;
	return own_line_stays;
}

static bool take(unsigned *n)
{
	asked_pmis++;
	return *n && (*n)--;
}

static bool take_pmi(void *state)
{
	(void)state;
	return take(&pmis);
}

static bool take_pmi_of(void *state, unsigned thread)
{
	(void)state;
	assert_true(thread < 2);
	return take(&pmis_of[thread]);
}

static bool take_extended(void *state, unsigned *entry)
{
	(void)state;
	*entry = 3;
	return take(&extended);
}

static void place(void *state, unsigned thread)
{
	assert_ptr_equal(state, first);
	placed = thread;
}

static const struct model_injection injections[] = {{"fault", "something"}, {NULL, NULL}};
static struct pmu_model model = {
	.name = "scripted",
	.state_size = sizeof(struct scripted),
	.injections = injections,
	.line_stays = line_stays,
	.reset = reset,
	.access = carry_out,
	.advance = advance,
	.counting = counting,
	.increments = increments,
	.recording = recording,
	.shows_vectors = shows_vectors,
	.attach = attach,
	.place = place,
	.take_pmi = take_pmi,
	.take_pmi_of = take_pmi_of,
};
static struct model_profile profile = {
	.name = "scripted-one", .description = "of this test", .model = &model};
static const struct model_profile *looked_up;

extern const struct model_profile *__real_model_profile_by_name(const char *name);
const struct model_profile *__wrap_model_profile_by_name(const char *name);
const struct model_profile *__wrap_model_profile_by_name(const char *name)
{
	return looked_up && !strcmp(name, looked_up->name) ? looked_up : __real_model_profile_by_name(name);
}

static void nothing(void *unused)
{
	(void)unused;
}

static int set_up(void **unused)
{
	struct reason why;
	(void)unused;
	memset(&asked, 0, sizeof asked);
	memset(terms, 0, sizeof terms);
	terms[0] = (struct qterm){Q_INSTRUCTIONS, 1};
	n_terms = 1;
	load = (struct step_access){0};
	resets = steps = sums = asked_pmis = pmis = pmis_of[0] = pmis_of[1] = extended = 0;
	placed = 99;
	records = vectors = own_line_stays = told_writes = refuses = false;
	only = Q_INSTRUCTIONS;
	attached = NULL;
	model.take_extended = NULL;
	model.counts = counts;
	profile.threads = 1;
	profile.identity = __real_model_profile_by_name("intel-core2")->identity;
	looked_up = &profile;
	assert_true(vpmu_create("scripted-one", NULL, &why));
	vpmu_call(nothing, NULL);
	asked.wakes = 0;
	return 0;
}

static uint64_t counted(unsigned c)
{
	return first->value[c];
}

static void enable(uint32_t mask)
{
	assert_int_equal(write_register(ENABLE, mask), REGISTER_DONE);
}

static unsigned amount_of(enum quantity q)
{
	unsigned sum = 0;

	for (unsigned t = 0; t < last.n_terms; t++)
		sum += last_terms[t].quantity == q ? last_terms[t].amount : 0;
	return sum;
}

#endif
