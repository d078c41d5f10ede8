/*
 * Negative controls: events of every PMU have kernels on which they must count exactly nothing, and one count
 * there is told.
 */
#include "pmu/amd/driver.h"
#include "pmu/amd/events.h"
#include "pmu/intel/core_events.h"
#include "pmu/intel/events.h"
#include "pmu/netburst/driver.h"
#include "pmu/netburst/events.h"
#include "tests/expectation.h"
#include "tests/verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#define ROWS        INTEL_CORE_EVENTS_MAX
#define GENERATIONS 13 /* of AMD's */
#define N           5

/*
 * Quantities of which any kernel may have some, so that none can be a control: time and what is in flight
 * meanwhile; what is done for instructions that never retire, by prefetchers and by microcode, that of the
 * bracket included. Events of these have intervals alone.
 */
static const uint8_t anywhere[] = {
	Q_CYCLES,
	Q_REF_CYCLES,
	Q_BUS_CYCLES,
	Q_CYCLES_SOME,
	Q_CYCLES_DIV,
	Q_OCCUPANCY,
	Q_SLOTS,
	Q_SLOTS_SOME,
	Q_STALLS_STORE,
	Q_UOPS,
	Q_UOPS_LOAD,
	Q_UOPS_STORE,
	Q_UOPS_BOGUS,
	Q_UOPS_SOME,
	Q_UOPS_FUSED,
	Q_UOPS_FP,
	Q_UOPS_DIV,
	Q_UOPS_SIMD,
	Q_UOPS_FP_SCALAR,
	Q_UOPS_FP_128,
	Q_INSN_SOME,
	Q_LOADS_SOME,
	Q_STORES_SOME,
	Q_WALKS_SOME,
	Q_REQUESTS,
	Q_RESTEERS,
	Q_CLEARS,
	Q_ASSISTS,
	Q_UNDOCUMENTED,
	Q_ITLB_MISS,
	Q_ITLB_HIT,
	Q_L1I_MISS,
	Q_LLC_REF,
	Q_LLC_MISS,
	Q_L2_LOAD_HIT,
	Q_L3_ACCESS,
	Q_BUS_REQUESTS,
	Q_BUS_DATA,
	Q_WC_EVICTIONS,
	Q_STORE_UNKNOWN,
	Q_ALIAS_64K,
	Q_UOPS_TC,
	Q_UOPS_TC_BUILD,
	Q_UOPS_ROM,
	Q_ROM_SWITCHES,
	Q_TC_MISS,
	Q_TC_FLUSH,
	Q_TC_BUILD_CYCLES,
	Q_OFFCORE_DATA,
	Q_OFFCORE_DATA_SOME,
	Q_OFFCORE_DATA_MISS,
	Q_OFFCORE_RFO,
	Q_OFFCORE_RFO_MISS,
	Q_OFFCORE_CODE,
	Q_OFFCORE_CODE_MISS,
	Q_OFFCORE_WRITEBACKS,
	Q_OFFCORE_PREFETCHES,
	Q_OFFCORE_STREAMING,
	Q_OFFCORE_UNCACHED,
};

static bool needed[Q_COUNT]; /* some event has no control because of it */

static bool is_anywhere(enum quantity q)
{
	return memchr(anywhere, q, sizeof(anywhere)) != NULL;
}

/* A control of an event: one that runs by default, if there is any. */
static const struct kernel *control_of(const struct pmu_event *e)
{
	const struct kernel *found = NULL;
	struct expectation x;

	for (const struct kernel *k = kernels_begin; k < kernels_end; k++) {
		if (expectation(e, k, N, &x) != EXPECTATION_OK || x.low || x.high)
			continue;
		if (kernel_selected(k, NULL))
			return k;
		found = k;
	}
	return found;
}

/* What three values of N show if `extra` is counted each time where nothing should be. */
static enum verdict judged(const struct pmu_event *e, const struct kernel *k, int64_t extra)
{
	struct observation o[3];
	struct judgement j;

	for (unsigned i = 0; i < 3; i++) {
		struct expectation x;

		assert_int_equal(expectation(e, k, N * (i + 1), &x), EXPECTATION_OK);
		o[i] = (struct observation){.n = N * (i + 1), .low = x.low, .high = x.high};
		histogram_add(&o[i].seen, extra);
	}
	judge(o, 3, &j);
	return j.verdict;
}

static unsigned with_control, without, bad;

static bool lacks_control(const struct pmu_event *e)
{
	bool excused = false;

	for (const struct event_term *t = e->terms; t < e->terms + EVENT_TERMS && t->coefficient; t++)
		if (is_anywhere(t->quantity))
			excused = needed[t->quantity] = true;
	return !excused;
}

static void look_at(const struct pmu_event *row, unsigned n)
{
	for (const struct pmu_event *e = row; e < row + n; e++) {
		const struct kernel *k = control_of(e);

		if (!k) {
			without++;
			if (lacks_control(e)) {
				bad++;
				printf("%s has no control\n", e->name);
			}
			continue;
		}
		with_control++;
		if (!event_is_micro(e) && !kernel_selected(k, NULL)) {
			bad++;
			printf("%s has no control among the kernels that run by default\n", e->name);
		}
		if (judged(e, k, 0) != VERDICT_EXACT || !verdict_is_bad(judged(e, k, 1))) {
			bad++;
			printf("%s on %s: 0 must be exact, and 1 must not\n", e->name, k->name);
		}
	}
}

static void every_event_has_a_control(void **state)
{
	static struct pmu_event row[NETBURST_ROWS_MAX > ROWS ? NETBURST_ROWS_MAX : ROWS];
	static char names[NETBURST_ROWS_MAX][NETBURST_NAME];

	(void)state;
	for (unsigned i = 0; i < intel_arch_event_count; i++)
		look_at(&intel_arch_events[i].event, 1);
	for (unsigned core = 0; core < intel_core_count; core++)
		look_at(row, intel_unpack((int)core, row, ROWS));
	for (unsigned g = 0; g < GENERATIONS; g++)
		look_at(row, amd_unpack(1u << g, row, ROWS));
	for (unsigned model = 2; model <= 4; model += 2)
		look_at(row, netburst_rows(model, row, names));
	printf("%u events have a control, %u count what may be anywhere\n", with_control, without);
	assert_int_equal(bad, 0);
	assert_true(with_control > 2000);
}

static void each_excuse_is_needed(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(anywhere); i++) {
		if (!needed[anywhere[i]])
			printf("no event lacks a control because of %s\n", quantity_info[anywhere[i]].name);
		assert_true(needed[anywhere[i]]);
		assert_int_equal(quantity_info[anywhere[i]].class, QUANTITY_MICRO);
	}
}

static void an_event_without_one_shows(void **state)
{
	struct pmu_event e = {.name = "all", .terms = {{Q_INSTRUCTIONS, 1}}};

	(void)state;
	assert_non_null(control_of(&e)); /* the empty kernel */
	for (const struct kernel *k = kernels_begin; k < kernels_end; k++)
		if (k->code == k->code_end)
			assert_true(kernel_falsify(k, Q_INSTRUCTIONS, 0, 1));
	assert_null(control_of(&e));
	assert_true(lacks_control(&e));
	kernel_restore();
}

static int set_up(void **state)
{
	(void)state;
	kernels_unpack();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_has_a_control),
		cmocka_unit_test(each_excuse_is_needed),
		cmocka_unit_test(an_event_without_one_shows),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
