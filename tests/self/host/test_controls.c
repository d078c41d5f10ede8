/*
 * Negative controls: events of every PMU have kernels on which they must count exactly nothing, and one count
 * there is told.
 */
#include "pmu/amd/driver/parts.h"
#include "pmu/amd/driver/state.h"
#include "pmu/amd/events/events.h"
#include "pmu/intel/events/core_events.h"
#include "pmu/intel/events/events.h"
#include "pmu/netburst/driver/parts.h"
#include "pmu/netburst/driver/state.h"
#include "pmu/netburst/events/events.h"
#include "tests/judge/expectation.h"
#include "tests/judge/verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static char offcore_names[INTEL_OFFCORE_POOL];

#define ROWS        INTEL_CORE_EVENTS_MAX
#define GENERATIONS 13 /* of AMD's */
#define N           5

/*
 * Quantities of which any kernel may have some, so that none can be a control, and why that is so. Events of
 * these have intervals alone.
 */
static const char time[] = "it passes in every window";
static const char code[] = "every window fetches its code, and that of other kernels lay there before";
static const char microcode[] =
	"the instructions of the bracket have it: they are many micro-operations, and empty the pipeline";
static const char memory[] = "fetches, page walks, prefetchers and other agents reach it";
static const char unknown[] = "nothing is said of what it counts";

static const struct {
	quantity_number quantity;
	const char *why;
} anywhere[] = {
	{Q_CYCLES, time},
	{Q_REF_CYCLES, time},
	{Q_BUS_CYCLES, time},
	{Q_CYCLES_SOME, time},
	{Q_OCCUPANCY, time},
	{Q_CYCLES_CAUSED, microcode},
	{Q_OCCUPANCY_CAUSED, microcode},
	{Q_SLOTS_CAUSED, microcode},
	{Q_SLOTS, time},
	{Q_SLOTS_SOME, time},
	{Q_ITLB_MISS, code},
	{Q_ITLB_HIT, code},
	{Q_L1I_MISS, code},
	{Q_WALKS_SOME, code},
	{Q_RESTEERS, code},
	{Q_UOPS_CACHED, code},
	{Q_UOPS_DECODED, code},
	{Q_DECODED_MISS, code},
	{Q_DECODED_SOME, code},
	{Q_TC_FLUSH, code},
	{Q_TC_BUILD_CYCLES, code},
	{Q_OFFCORE_CODE, code},
	{Q_OFFCORE_CODE_MISS, code},
	{Q_UOPS, microcode},
	{Q_UOPS_LOAD, microcode},
	{Q_UOPS_STORE, microcode},
	{Q_UOPS_SOME, microcode},
	{Q_UOPS_CAUSED, microcode},
	{Q_SEGMENT_LOADS, microcode},
	{Q_LOADS_SPLIT_BLOCK, microcode},
	{Q_LOADS_PREFETCHED, microcode},
	{Q_UOPS_FUSED, microcode},
	{Q_UOPS_FP, microcode},
	{Q_UOPS_DIV, microcode},
	{Q_UOPS_SIMD, microcode},
	{Q_UOPS_256, microcode},
	{Q_UOPS_512, microcode},
	{Q_UOPS_FP_SCALAR, microcode},
	{Q_UOPS_FP_128, microcode},
	{Q_CYCLES_DIV, microcode},
	{Q_UOPS_ROM, microcode},
	{Q_ROM_SWITCHES, microcode},
	{Q_INSN_SOME, microcode},
	{Q_INSN_CAUSED, microcode},
	{Q_LOADS_SOME, microcode},
	{Q_STORES_SOME, microcode},
	{Q_ASSISTS, microcode},
	{Q_CLEARS, microcode},
	{Q_UOPS_BOGUS, microcode},
	{Q_LLC_REF, memory},
	{Q_LLC_MISS, memory},
	{Q_L2_LOAD_HIT, memory},
	{Q_L3_ACCESS, memory},
	{Q_REQUESTS, memory},
	{Q_BUS_REQUESTS, memory},
	{Q_BUS_DATA, memory},
	{Q_OFFCORE_DATA, memory},
	{Q_OFFCORE_DATA_SOME, memory},
	{Q_OFFCORE_DATA_MISS, memory},
	{Q_OFFCORE_WRITEBACKS, memory},
	{Q_OFFCORE_PREFETCHES, memory},
	{Q_OFFCORE_UNCACHED, memory},
	{Q_UNDOCUMENTED, unknown},
	{Q_L1D_ACCESS, memory},
	{Q_L1D_SOME, memory},
	{Q_L1D_FILL, memory},
	{Q_L1D_FILL_OTHER, memory},
	{Q_FILLS_SOME, memory},
	{Q_FILLS_OTHER_CORE, memory},
	{Q_PREFETCHES_HW, memory},
	{Q_TLB1_MISS, memory},
	{Q_WALK_STEPS, memory},
	{Q_LINES_OUT, memory},
	{Q_WRITE_TRANSFERS, memory},
	{Q_CODE_READS, code},
	{Q_CODE_FETCHES, code},
	{Q_CODE_LOST, code},
	{Q_ITLB1_MISS, code},
};
#define ANYWHERE (sizeof(anywhere) / sizeof(anywhere[0]))

static bool needed[Q_COUNT]; /* some event has no control because of it */

static bool is_anywhere(enum quantity q)
{
	for (unsigned i = 0; i < ANYWHERE; i++)
		if (anywhere[i].quantity == q)
			return needed[q] = true;
	return false;
}

/* As hardware is judged: with what the event's rule allows besides. */
static enum expectation_status expected(const struct pmu_event *e, const struct kernel *k, uint64_t n,
					struct expectation *x)
{
	enum expectation_status status = expectation(e, k, n, x);

	expectation_allow_more(x, e, k, 0, n);
	return status;
}

/* A control of an event: one that runs by default, if there is any. */
/* What a window may show at its edges, whatever is in it. */
static int64_t edge(const struct pmu_event *e)
{
	return e->judgement == EVENT_AT_LEAST ? e->rule->edge : 0;
}

static const struct kernel *control_of(const struct pmu_event *e)
{
	const struct kernel *found = NULL;
	struct expectation x;

	for (const struct kernel *k = kernels_begin; k < kernels_end; k++) {
		if (expected(e, k, N, &x) != EXPECTATION_OK || x.low || x.high != edge(e))
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

		assert_int_equal(expected(e, k, N * (i + 1), &x), EXPECTATION_OK);
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
		excused |= is_anywhere(t->quantity);
	if (e->judgement == EVENT_AT_LEAST)
		for (const struct event_allowance *m = e->rule->may; m->times; m++)
			excused |= is_anywhere(m->quantity);
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
		if (verdict_is_bad(judged(e, k, 0)) || !verdict_is_bad(judged(e, k, edge(e) + 1)) ||
		    (!edge(e) && judged(e, k, 0) != VERDICT_EXACT)) {
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
		look_at(row, intel_unpack((int)core, offcore_names, row, ROWS));
	for (unsigned g = 0; g < GENERATIONS; g++)
		look_at(row, amd_unpack(1u << g, true, row, ROWS));
	for (unsigned model = 2; model <= 4; model += 2)
		look_at(row, netburst_rows(model, 0, row, names));
	printf("%u events have a control, %u count what may be anywhere\n", with_control, without);
	assert_int_equal(bad, 0);
	assert_true(with_control > 2000);
}

static void each_excuse_is_needed(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ANYWHERE; i++) {
		unsigned q = anywhere[i].quantity;

		if (!needed[q])
			printf("no event lacks a control because of %s: %s\n", quantity_info[q].name,
			       anywhere[i].why);
		assert_true(needed[q]);
		assert_int_equal(quantity_info[q].class, QUANTITY_MICRO);
	}
}

static void an_event_without_one_shows(void **state)
{
	static const struct event_rule loose = {"loose", .may = {{Q_INSTRUCTIONS, false, 1}}};
	struct pmu_event e = {.name = "all", .terms = {{Q_INSTRUCTIONS, 1}}};
	struct pmu_event allowed = {.terms = {{Q_BR_FAR, 1}}, .judgement = EVENT_AT_LEAST, .rule = &loose};

	(void)state;
	assert_non_null(control_of(&e)); /* the empty kernel */
	assert_non_null(control_of(&allowed));
	for (const struct kernel *k = kernels_begin; k < kernels_end; k++)
		if (k->code == k->code_end)
			assert_true(kernel_falsify(k, Q_INSTRUCTIONS, 0, 1));
	assert_null(control_of(&e));
	assert_true(lacks_control(&e));
	/* Nor has one that its rule lets count everywhere. */
	assert_null(control_of(&allowed));
	assert_true(lacks_control(&allowed));
	kernel_restore();
}

/* How a kernel's windows are judged if the processor counts `each` per turn. */
static enum verdict counted(const struct pmu_event *e, const char *kernel, int64_t each, int64_t once)
{
	const struct kernel *k = kernel_by_name(kernel);
	struct observation o[3];
	struct judgement j;

	assert_non_null(k);
	for (unsigned i = 0; i < 3; i++) {
		struct expectation x;
		int64_t n = N * (i + 1);

		assert_int_equal(expected(e, k, (uint64_t)n, &x), EXPECTATION_OK);
		o[i] = (struct observation){.n = (uint64_t)n, .low = x.low, .high = x.high};
		histogram_add(&o[i].seen, each * n + once);
	}
	judge(o, 3, &j);
	return j.verdict;
}

/* No manual says whether reading a descriptor is a load, so either is right; anything more is wrong, and so
 * is anything at all where no descriptor is read. */
static void descriptors_may_be_loads(void **state)
{
	static struct pmu_event row[ROWS];
	static const char *const of_instructions[] = {
		"INST_RETIRED.LOADS",         "INST_RETIRED.STORES",        "MEM_INST_RETIRED.LOADS",
		"MEM_INST_RETIRED.STORES",    "MEM_INST_RETIRED.ALL_LOADS", "MEM_INST_RETIRED.ALL_STORES",
		"MEM_INST_RETIRED.LOCK_LOADS"};
	static const char *const of_uops[] = {"MEM_UOPS_RETIRED.ALL_LOADS", "MEM_UOPS_RETIRED.ALL_STORES"};
	unsigned instructions = 0, uops = 0;

	(void)state;
	for (unsigned core = 0; core < intel_core_count; core++) {
		unsigned n = intel_unpack((int)core, offcore_names, row, ROWS);

		for (const struct pmu_event *e = row; e < row + n; e++) {
			for (unsigned i = 0; i < sizeof of_instructions / sizeof *of_instructions; i++) {
				if (strcmp(e->name, of_instructions[i]))
					continue;
				instructions++;
				for (int64_t each = 0; each <= 2; each++)
					assert_false(verdict_is_bad(counted(e, "segment_loads", each, 0)));
				assert_true(verdict_is_bad(counted(e, "segment_loads", 3, 0)));
				assert_int_equal(counted(e, "segment_reads", i == 6 ? 0 : 2, 0),
						 VERDICT_EXACT);
				assert_true(verdict_is_bad(counted(e, "segment_reads", 2, 1)));
			}
			for (unsigned i = 0; i < sizeof of_uops / sizeof *of_uops; i++) {
				if (strcmp(e->name, of_uops[i]))
					continue;
				uops++;
				assert_false(verdict_is_bad(counted(e, "segment_loads", 0, 0)));
				assert_false(verdict_is_bad(counted(e, "segment_loads", 4, 0)));
				assert_true(verdict_is_bad(counted(e, "segment_loads", 50, 0)));
				assert_true(verdict_is_bad(counted(e, "nop_loop", 4, 0)));
			}
		}
	}
	assert_true(instructions > 20 && uops > 5);
}

static void marks_may_be_locks(void **state)
{
	static struct pmu_event row[ROWS];
	unsigned found = 0;

	(void)state;
	for (unsigned g = 0; g < GENERATIONS; g++) {
		unsigned n = amd_unpack(1u << g, true, row, ROWS);

		for (const struct pmu_event *e = row; e < row + n; e++) {
			if (strcmp(e->name, "LOCKED_OPS.EXECUTED") &&
			    strcmp(e->name, "RETIRED_LOCK_INSTRUCTIONS.ANY"))
				continue;
			found++;
			assert_false(verdict_is_bad(counted(e, "task_register", 0, 0)));
			assert_false(verdict_is_bad(counted(e, "task_register", 1, 0)));
			assert_true(verdict_is_bad(counted(e, "task_register", 1, 1)));
			assert_true(verdict_is_bad(counted(e, "debug_registers", 0, 1)));
		}
	}
	assert_true(found > 5);
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
		cmocka_unit_test(every_event_has_a_control),  cmocka_unit_test(each_excuse_is_needed),
		cmocka_unit_test(an_event_without_one_shows), cmocka_unit_test(descriptors_may_be_loads),
		cmocka_unit_test(marks_may_be_locks),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
