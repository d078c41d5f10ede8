/*
 * Drivers keep notes of their own: what was written, which counters are joined, which registers others hold.
 * Whatever all counters were used for before, a counter that is taken into use counts, overflows and is told
 * as from a fresh driver, and it alone.
 */
#include "tests/self/host/support/fake_cpu.h"
#include "tests/self/host/support/owned.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define RANDOM_EVENTS 3 /* for each counter, besides one that needs more than a counter */
#define TRIES         400
#define STEPS         10
#define PER_STEP      16

static struct pmu pmu;
static const struct pmu_driver *drv;
static uint32_t seed;
static unsigned used, rare_used; /* comparisons that were made */

static uint32_t below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return (uint32_t)((uint64_t)seed * n >> 32);
}

/* @return false if it has no PMU */
static bool begin(const struct model_profile *p)
{
	const char *why = NULL;

	fake_cpu_start(p, NULL);
	if (!pmu_find(NULL, &pmu, &why))
		return false;
	drv = pmu.driver;
	drv->list_events(&pmu);
	assert_true(drv->reset(&pmu, &why));
	fake_cpu_interrupts();
	return true;
}

static bool is_rare(const struct pmu_event *e)
{
	return owned_by(drv)->rare && owned_by(drv)->rare(e);
}

/* Some event that the counter can count; NULL: none was found. */
static const struct pmu_event *choose(unsigned c, bool rare)
{
	for (unsigned i = 0; i < TRIES; i++) {
		const struct pmu_event *e = pmu.events[below(pmu.n_events)];

		if (drv->can_count(&pmu, e, c) && (!rare || is_rare(e)))
			return e;
	}
	return NULL;
}

/* Let happen what the event counts. */
static void run(const struct pmu_event *e)
{
	struct qterm terms[EVENT_TERMS + 1] = {{Q_INSTRUCTIONS, 1}};
	unsigned n = 1;

	for (unsigned i = 0; i < EVENT_TERMS && e->terms[i].coefficient; i++)
		if (e->terms[i].coefficient > 0 && e->terms[i].quantity != Q_INSTRUCTIONS)
			terms[n++] = (struct qterm){e->terms[i].quantity, PER_STEP};
	fake_cpu_run(terms, n, 1, 0, STEPS);
}

struct seen {
	bool programmed;
	uint64_t value, overflowed, acknowledged, below_top;
	unsigned interrupts;
};

/* One use of a counter, from its set-up to its release: below its top, then over it. */
static void use(unsigned c, const struct pmu_event *e, uint64_t start, struct seen *s)
{
	const struct pmu_config config = {.code = e->code,
					  .levels = LEVELS_ALL,
					  .interrupt = true,
					  .extra_register = e->extra_register,
					  .extra_value = e->extra_value};

	memset(s, 0, sizeof *s);
	s->programmed = drv->program(&pmu, c, &config);
	if (!s->programmed)
		return;
	assert_true(drv->write(&pmu, c, 5));
	assert_true(drv->start(&pmu, 1ull << c));
	run(e);
	assert_true(drv->stop(&pmu));
	assert_true(drv->overflowed(&pmu, &s->below_top));
	assert_true(drv->write(&pmu, c, start));
	assert_true(drv->start(&pmu, 1ull << c));
	run(e);
	assert_true(drv->stop(&pmu));
	assert_true(drv->read(&pmu, c, &s->value));
	assert_true(drv->overflowed(&pmu, &s->overflowed));
	assert_true(drv->acknowledge(&pmu, 1ull << c));
	assert_true(drv->overflowed(&pmu, &s->acknowledged));
	assert_true(drv->release(&pmu, c));
	s->interrupts = fake_cpu_interrupts();
}

static uint64_t near_top(unsigned c)
{
	return (1ull << pmu.counter[c].write_width) - 8;
}

/* Every counter is used for something, in some order and from some value, and given back. */
static void earlier_uses(void)
{
	for (unsigned i = 0; i < 2 * pmu.n_counters; i++) {
		unsigned c = below(pmu.n_counters);
		const struct pmu_event *e = choose(c, below(2));
		struct seen s;

		if (!e)
			e = choose(c, false);
		if (e)
			use(c, e, below(2) ? near_top(c) : 1 + below(1u << 20), &s);
	}
	assert_true(drv->acknowledge(&pmu, (1ull << pmu.n_counters) - 1));
}

static void compare(const struct model_profile *p, unsigned c, bool rare)
{
	struct seen fresh, later;
	const struct pmu_event *e;

	begin(p);
	e = choose(c, rare);
	if (!e)
		return;
	use(c, e, near_top(c), &fresh);
	if (!fresh.programmed)
		return;
	assert_int_equal((fresh.overflowed | fresh.acknowledged | fresh.below_top) & ~(1ull << c), 0);
	begin(p);
	earlier_uses();
	use(c, e, near_top(c), &later);
	if (memcmp(&fresh, &later, sizeof fresh))
		fail_msg("%s, %s on %s: of a fresh driver %llx is read, %llx overflowed (%llx before, %llx "
			 "acknowledged), %u interrupts; later %llx, %llx (%llx, %llx), %u",
			 p->name, e->name, pmu.counter[c].name, (unsigned long long)fresh.value,
			 (unsigned long long)fresh.overflowed, (unsigned long long)fresh.below_top,
			 (unsigned long long)fresh.acknowledged, fresh.interrupts,
			 (unsigned long long)later.value, (unsigned long long)later.overflowed,
			 (unsigned long long)later.below_top, (unsigned long long)later.acknowledged,
			 later.interrupts);
	used++;
	rare_used += is_rare(e);
}

static void earlier_use_is_forgotten(void **state)
{
	(void)state;
	for (unsigned p = 0; model_profile(p); p++) {
		if (!begin(model_profile(p)))
			continue;
		for (unsigned c = 0, n = pmu.n_counters; c < n; c++)
			for (unsigned i = 0; i <= RANDOM_EVENTS; i++) {
				seed = (p * 64 + c + 1) * 0x9e3779b9 + i;
				for (unsigned k = 0; k < 8; k++)
					below(2);
				compare(model_profile(p), c, i == RANDOM_EVENTS);
			}
	}
	assert_in_range(used, 1000, 100000);
	assert_in_range(rare_used, 100, used);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(earlier_use_is_forgotten)};

	return cmocka_run_group_tests_name("drivers after earlier use", tests, NULL, NULL);
}
