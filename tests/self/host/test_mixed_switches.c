/*
 * Brackets that start a counter by one of its switches and stop it by the same or the other one, of each
 * family's driver against its model: nothing is counted before or behind, and between them the code that
 * is declared.
 */
#include "tests/self/host/support/fake_cpu.h"
#include "tests/self/host/support/owned.h"

#include "tests/judge/expectation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define NOPS 7

static struct pmu pmu;

static bool begin(const struct model_profile *p, const char *inject)
{
	const char *why;

	fake_cpu_start(p, inject);
	if (!pmu_find(NULL, &pmu, &why))
		return false;
	pmu.driver->list_events(&pmu);
	assert_true(pmu.driver->reset(&pmu, &why));
	return true;
}

static const struct pmu_event *instructions(unsigned c)
{
	for (unsigned i = 0; i < pmu.n_events; i++) {
		const struct pmu_event *e = pmu.events[i];

		if (e->judgement == EVENT_EXACT && event_counts_instructions(e) &&
		    pmu.driver->can_count(&pmu, e, c))
			return e;
	}
	return NULL;
}

static void run(const struct pmu_bracket *b)
{
	uint8_t code[256];
	uint64_t regs[4];
	unsigned size = (unsigned)(b->start_end - b->start);

	memcpy(code, b->start, size);
	memset(code + size, 0x90, NOPS);
	size += NOPS;
	memcpy(code + size, b->stop, (size_t)(b->stop_end - b->stop));
	size += (unsigned)(b->stop_end - b->stop);
	memcpy(regs, b->args, sizeof regs);
	fake_cpu_execute(code, size, regs);
}

/* Kernel and bracket as one piece of code; the driver's registers are asked for in front of it. */
static uint64_t counted(unsigned c, enum pmu_switch start, enum pmu_switch stop)
{
	struct pmu_bracket b;
	uint64_t value;

	assert_true(pmu.driver->bracket_mixed(&pmu, c, start, stop, &b));
	assert_int_equal(b.own[0].quantity, Q_INSTRUCTIONS);
	fake_cpu_nops(5); /* they run on a stopped counter */
	assert_true(pmu.driver->read(&pmu, c, &value));
	assert_int_equal(value, 0);
	run(&b);
	fake_cpu_nops(5);
	assert_true(pmu.driver->read(&pmu, c, &value));
	return value - b.own[0].amount;
}

static void each_mixture_counts_what_lies_between(void **state)
{
	const struct model_profile *p;
	unsigned tried = 0, single = 0;
	(void)state;

	for (unsigned i = 0; (p = model_profile(i)); i++) {
		bool has = false, wanted;

		if (!begin(p, NULL))
			continue;
		for (unsigned c = 0; c < pmu.n_counters; c++) {
			const struct pmu_event *e = instructions(c);
			struct pmu_bracket b;

			if (!e)
				continue;
			for (unsigned at = 0; at < 4; at++) {
				struct pmu_config config = {.code = e->code, .levels = LEVELS_ALL};

				assert_true(pmu.driver->program(&pmu, c, &config));
				if (!pmu.driver->bracket_mixed ||
				    !pmu.driver->bracket_mixed(&pmu, c, at / 2, at % 2, &b))
					break;
				assert_true(pmu.driver->program(&pmu, c, &config));
				assert_int_equal(counted(c, at / 2, at % 2), NOPS);
				has = true;
			}
			assert_true(pmu.driver->release(&pmu, c));
		}
		/* One switch where each counter starts by itself, unless the manual has two of each counter.
		 */
		wanted = pmu.has_global || owned_by(pmu.driver)->two_switches;
		if (has != (wanted && !owned_by(pmu.driver)->one_switch))
			fail_msg("%s: %d", p->name, has);
		if (has)
			assert_non_null(pmu.driver->switch_name[SWITCH_OTHER]);
		tried += has;
		single += !has;
		assert_int_equal(fake_cpu_strays(), 0);
	}
	assert_in_range(tried, 20, 100);
	assert_in_range(single, 5, 100);
	fake_cpu_stop();
}

/* What makes it tick, in one step. */
static void move(const struct pmu_event *e, unsigned level)
{
	fake_cpu_run(&(struct qterm){e->terms[0].quantity, 7}, 1, 3, (uint8_t)level, 1);
}

static const struct pmu_event *any_of(unsigned c)
{
	for (unsigned i = 0; i < pmu.n_events; i++)
		if (pmu.events[i]->terms[0].coefficient > 0 && pmu.driver->can_count(&pmu, pmu.events[i], c))
			return pmu.events[i];
	return NULL;
}

/* Whatever a counter counts, and at whatever level: behind the window it stands, and a counter beside it that
 * was not stopped runs on. */
static void each_mixture_stops_its_counter_alone(void **state)
{
	const struct model_profile *p;
	unsigned stopped = 0, beside = 0;
	(void)state;

	for (unsigned i = 0; (p = model_profile(i)); i++) {
		if (!begin(p, NULL) || !pmu.driver->bracket_mixed)
			continue;
		for (unsigned c = 0; c < pmu.n_counters; c++) {
			const struct pmu_event *e = any_of(c), *other = NULL;
			unsigned o = pmu.counter[c].kind == COUNTER_FIXED && c ? c - 1 : c;
			struct pmu_bracket b;

			if (!e)
				continue;
			if (o != c && pmu.counter[o].kind == COUNTER_FIXED)
				other = instructions(o);
			for (unsigned at = 0; at < 4; at++) {
				struct pmu_config config = {.code = e->code, .levels = LEVELS_ALL};
				uint64_t first, then, o_first = 0, o_then = 0;

				assert_true(pmu.driver->program(&pmu, c, &config));
				config.code = other ? other->code : 0;
				if (other)
					assert_true(pmu.driver->program(&pmu, o, &config));
				if (!pmu.driver->bracket_mixed(&pmu, c, at / 2, at % 2, &b))
					break;
				run(&b);
				assert_true(pmu.driver->read(&pmu, c, &first));
				if (other && at % 2) {
					assert_true(pmu.driver->start(&pmu, 1ull << o));
					assert_true(pmu.driver->read(&pmu, o, &o_first));
				}
				for (unsigned level = 0; level <= 3; level += 3) {
					move(e, level);
					if (other)
						move(other, level);
					assert_true(pmu.driver->read(&pmu, c, &then));
					if (then != first)
						fail_msg("%s, counter %u, mixture %u: %s in ring %u", p->name, c, at, e->name,
							 level);
				}
				stopped++;
				if (other && at % 2) {
					assert_true(pmu.driver->read(&pmu, o, &o_then));
					if (o_then <= o_first)
						fail_msg("%s, counter %u, mixture %u: %s on counter %u stands", p->name,
							 c, at, other->name, o);
					assert_true(pmu.driver->stop(&pmu));
					beside++;
				}
			}
			assert_true(pmu.driver->release(&pmu, c));
			if (other)
				assert_true(pmu.driver->release(&pmu, o));
		}
	}
	assert_in_range(stopped, 300, 10000);
	assert_in_range(beside, 20, 10000);
	fake_cpu_stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_mixture_stops_its_counter_alone),
		cmocka_unit_test(each_mixture_counts_what_lies_between),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
