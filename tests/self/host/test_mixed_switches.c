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

/* Kernel and bracket as one piece of code; the driver's registers are asked for in front of it. */
static uint64_t counted(unsigned c, enum pmu_switch start, enum pmu_switch stop)
{
	struct pmu_bracket b;
	uint8_t code[256];
	uint64_t value, regs[4];
	unsigned size = 0;

	assert_true(pmu.driver->bracket_mixed(&pmu, c, start, stop, &b));
	assert_int_equal(b.own[0].quantity, Q_INSTRUCTIONS);
	fake_cpu_nops(5); /* they run on a stopped counter */
	assert_true(pmu.driver->read(&pmu, c, &value));
	assert_int_equal(value, 0);
	memcpy(code, b.start, (size_t)(b.start_end - b.start));
	size = (unsigned)(b.start_end - b.start);
	memset(code + size, 0x90, NOPS);
	size += NOPS;
	memcpy(code + size, b.stop, (size_t)(b.stop_end - b.stop));
	size += (unsigned)(b.stop_end - b.stop);
	memcpy(regs, b.args, sizeof regs);
	fake_cpu_execute(code, size, regs);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_mixture_counts_what_lies_between),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
