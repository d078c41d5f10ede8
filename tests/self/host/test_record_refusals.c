/*
 * What cannot be sampled is refused, for each reason alone: of every CPU and every record kind that samples
 * with a counter, a recording that is taken, with one thing about it changed.
 */
#include "pmu/amd/amd.h"
#include "pmu/amd/registers.h"
#include "pmu/netburst/netburst.h"
#include "tests/self/host/support/fake_cpu.h"
#include "tests/self/host/support/fake_memory.h"

#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/contract/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define PERIOD 1000

static struct pmu pmu;

static bool begin(const struct model_profile *p)
{
	const char *why = NULL;

	fake_cpu_start(p, NULL);
	if (!pmu_find(NULL, &pmu, &why))
		return false;
	pmu.driver->list_events(&pmu);
	return true;
}

static struct pmu_recording recording(enum record_kind kind)
{
	return (struct pmu_recording){
		.source = record_source(&pmu, kind), .levels = LEVELS_ALL, .records = 8, .period = PERIOD};
}

static bool can(const struct pmu_recording *r)
{
	const char *why = NULL;
	bool good = record_can_sample(&pmu, r, &why);

	assert_true(good || (why && *why));
	return good;
}

static void refuses(const struct pmu_recording *r, const char *changed, const char *because)
{
	const char *why = "";

	if (record_can_sample(&pmu, r, &why))
		fail_msg("%s, %s with %s: it is taken", pmu.name, r->source->name, changed);
	if (!strstr(why, because))
		fail_msg("%s, %s with %s: %s", pmu.name, r->source->name, changed, why);
}

/* A recording of that kind that is taken: on some general counter, of some event. */
static bool find_taken(struct pmu_recording *r)
{
	for (unsigned i = 0; i < pmu.n_events; i++)
		for (r->counter = 0; r->counter < pmu.n_counters; r->counter++) {
			const struct pmu_event *e = pmu.events[i];

			r->config = (struct pmu_config){.code = e->code, .levels = LEVELS_ALL};
			if (pmu.counter[r->counter].kind == COUNTER_GENERAL &&
			    pmu.driver->can_count(&pmu, e, r->counter) && can(r))
				return true;
		}
	return false;
}

#define FIELDS 5

/* Change one field of the configuration alone. @return its name */
static const char *change(struct pmu_config *config, unsigned field)
{
	static const char *const names[FIELDS] = {"edge", "invert", "cmask 1", "cmask 255", "any_thread"};

	config->edge = field == 0;
	config->invert = field == 1;
	config->cmask = field == 2 ? 1 : field == 3 ? 255 : 0;
	config->any_thread = field == 4;
	return names[field];
}

/* Counters that the source does not name, and such as there are not. */
static void check_counters(const struct pmu_recording *taken, const char *because)
{
	struct pmu_recording r = *taken;
	unsigned strangers = 0;

	for (r.counter = 0; r.counter <= pmu.n_counters; r.counter++)
		if (r.counter == pmu.n_counters || !(r.source->counters >> r.counter & 1)) {
			refuses(&r, "a counter that does not sample", because);
			strangers++;
		}
	assert_true(strangers > 0);
}

static void intel_pebs(void **state)
{
	unsigned seen = 0, extended = 0;

	(void)state;
	for (unsigned p = 0; model_profile(p); p++) {
		if (!begin(model_profile(p)) || strncmp(model_profile(p)->name, "intel", 5) ||
		    !record_source(&pmu, RECORD_PRECISE))
			continue;
		struct pmu_recording taken = recording(RECORD_PRECISE), r;

		if (!find_taken(&taken))
			fail_msg("%s samples nothing", model_profile(p)->name);
		for (unsigned f = 0; f < FIELDS; f++) {
			r = taken;
			refuses(&r, change(&r.config, f), "threshold, edge, inversion or other threads");
		}
		check_counters(&taken, "cannot sample");
		/* Cycles are not precise anywhere, and where the CPU can, they are sampled loosely: no more
		 * than that. */
		r = taken;
		r.config.code = 0x3c;
		refuses(&r, "an event that is not precise", "not precise");
		r.loosely = true;
		if (can(&r)) {
			extended++;
			for (unsigned f = 0; f < FIELDS; f++) {
				struct pmu_recording x = r;

				refuses(&x, change(&x.config, f),
					"threshold, edge, inversion or other threads");
			}
		} else {
			refuses(&r, "an event taken loosely", "no extended PEBS");
			r = taken;
			r.loosely = true;
			refuses(&r, "a precise event taken loosely", "no extended PEBS");
		}
		seen++;
	}
	assert_in_range(extended, 5, seen - 5);
}

static void amd_branches(void **state)
{
	static const char because[] = "RETIRED_TAKEN_BRANCH_INSTRUCTIONS on PERF_CTR0";
	unsigned seen = 0;

	(void)state;
	for (unsigned p = 0; model_profile(p); p++) {
		if (!begin(model_profile(p)) || pmu.driver != &amd_driver ||
		    !record_source(&pmu, RECORD_NEXT_BRANCHES))
			continue;
		struct pmu_recording taken = recording(RECORD_NEXT_BRANCHES);

		assert_true(find_taken(&taken));
		check_counters(&taken, because);
		/* Inversion alone inverts nothing: without a threshold it has no effect (PPR, PERF_CTL). Of
		 * other threads AMD's counters know nothing. */
		for (unsigned f = 0; f < FIELDS; f++) {
			struct pmu_recording r = taken;
			const char *name = change(&r.config, f);

			if (!r.config.invert && !r.config.any_thread)
				refuses(&r, name, because);
		}
		/* Each bit of the selector is another event. */
		for (unsigned bit = 0; bit < 36; bit++) {
			struct pmu_recording r = taken;

			if (bit < 16 || bit > 31) {
				r.config.code ^= 1ull << bit;
				refuses(&r, "another event", because);
			}
		}
		seen++;
	}
	assert_true(seen > 0);
}

static void netburst_tagged(void **state)
{
	unsigned seen = 0, refused = 0;

	(void)state;
	for (unsigned p = 0; model_profile(p); p++) {
		if (!begin(model_profile(p)) || pmu.driver != &netburst_driver ||
		    !record_source(&pmu, RECORD_PRECISE))
			continue;
		struct pmu_recording taken = recording(RECORD_PRECISE), r;

		assert_true(find_taken(&taken));
		check_counters(&taken, "is made by");
		r = taken;
		r.loosely = true;
		refuses(&r, "an event taken loosely", "tagged");
		/* Whatever else this counter counts. */
		for (unsigned i = 0; i < pmu.n_events; i++) {
			r = taken;
			r.config.code = pmu.events[i]->code;
			if (!pmu.driver->can_count(&pmu, pmu.events[i], r.counter) || can(&r))
				continue;
			refuses(&r, pmu.events[i]->name, "PEBS takes front_end_event");
			refused++;
		}
		seen++;
	}
	assert_true(seen > 0);
	assert_true(refused > 0);
}

/* Rings that a trace cannot keep apart. */
static void netburst_rings(void **state)
{
	unsigned seen = 0;

	(void)state;
	for (unsigned p = 0; model_profile(p); p++) {
		if (!begin(model_profile(p)) || pmu.driver != &netburst_driver)
			continue;
		for (unsigned ring = LEVELS_SYSTEM; ring <= LEVELS_ALL; ring++) {
			struct pmu_recording r = recording(RECORD_LAST_BRANCHES);

			if (!r.source)
				continue;
			r.levels = (uint8_t)ring;
			assert_int_equal(can(&r), ring == LEVELS_ALL);
			seen++;
		}
	}
	assert_true(seen > 0);
}

/* --- periods ------------------------------------------------------------------------------------------ */

static bool sets_up(struct pmu_recording *r, uint64_t period)
{
	const char *why = NULL;

	r->period = period;
	bool good = record_setup(&pmu, r, &why);
	assert_true(good || (why && *why));
	return good;
}

/* The end that must be taken: the occurrences until the first record, as the registers have it. PEBS records
 * what follows an overflow, but where it is exact and at once. */
static void takes(struct pmu_recording *r, uint64_t period)
{
	uint64_t value = 0, distance;

	if (!sets_up(r, period))
		fail_msg("%s, %s: period %#llx is refused", pmu.name, r->source->name,
			 (unsigned long long)period);
	if (r->source->kind == RECORD_OPERATION) {
		/* IbsOpMaxCnt: bits 19:4 in 15:0, bits 26:20 in their own place. */
		assert_true(msr_read(IBS_OP_CTL, &value));
		distance = (value & 0xffff) << 4 | (value & 0x7f00000);
	} else if (r->source->kind == RECORD_FETCH) {
		assert_true(msr_read(IBS_FETCH_CTL, &value));
		distance = (value & 0xffff) << 4; /* IbsFetchMaxCnt */
	} else {
		assert_true(pmu.driver->read(&pmu, r->counter, &value));
		distance = (UINT64_C(1) << pmu.counter[r->counter].width) - value;
	}
	if (distance != period && !(r->source->kind == RECORD_PRECISE && distance == period - 1))
		fail_msg("%s, %s: period %#llx is set as %#llx", pmu.name, r->source->name,
			 (unsigned long long)period, (unsigned long long)distance);
	assert_true(record_release(&pmu, r));
}

static void takes_not(struct pmu_recording *r, uint64_t period)
{
	if (sets_up(r, period))
		fail_msg("%s, %s: period %#llx is taken", pmu.name, r->source->name,
			 (unsigned long long)period);
}

/* The longest period. */
static uint64_t most(const struct pmu_recording *r)
{
	const struct pmu_counter *k = &pmu.counter[r->counter];
	struct cpuid_regs ibs;

	switch (r->source->kind) {
	case RECORD_OPERATION: /* APM vol. 2, 13.3.2: OpCntExt, CPUID 8000001BH:EAX[6], for the upper bits */
		ibs = cpuid(0x8000001b, 0);
		return ibs.eax & 0x40 ? 0x7fffff0 : 0xffff0;
	case RECORD_FETCH: /* APM vol. 2, 13.3.1 */
		return 0xffff0;
	case RECORD_NEXT_BRANCHES: /* the counter has 48 bits, and overflows behind its upper half */
		return (UINT64_C(1) << 47) - 1;
	default:
		/* PEBS: half of what can be written; a reload value of architectural PEBS has 32 bits
		 * (CPUID.23H). */
		if (strstr(r->source->name, "architectural"))
			return UINT64_C(1) << 31;
		return UINT64_C(1) << (k->write_width - 1);
	}
}

/* Of every kind that has periods: the least and the longest are taken and set as they are, and the next ones
 * are not. */
static void periods_have_two_ends(void **state)
{
	unsigned seen[RECORD_KINDS] = {0};

	(void)state;
	for (unsigned p = 0; model_profile(p); p++) {
		const struct pmu_record_source *source;

		if (!begin(model_profile(p)))
			continue;
		for (unsigned n = record_sources(&pmu, &source); n--; source++) {
			struct pmu_recording r = recording((enum record_kind)source->kind);
			uint64_t unit = source->period_unit ? source->period_unit : !!source->counters;

			if (!unit) /* a trace */
				continue;
			if (source->counters)
				assert_true(find_taken(&r));
			else
				r.unit = record_unit(source);
			r.size = record_memory(&pmu, &r);
			r.memory = r.size ? fake_memory_create(r.size) : NULL;
			uint64_t least = source->kind == RECORD_PRECISE ? 2 : unit;
			takes_not(&r, 0);
			takes_not(&r, least - 1);
			takes(&r, least);
			takes(&r, least + unit);
			takes(&r, most(&r) - unit);
			takes(&r, most(&r));
			takes_not(&r, most(&r) + 1);
			takes_not(&r, most(&r) + unit);
			takes_not(&r, UINT64_MAX);
			takes_not(&r, (UINT64_MAX / 2 + 1) | least);
			for (unsigned bit = 0; 1u << bit < unit; bit++)
				takes_not(&r, 4 * unit + (1u << bit));
			seen[source->kind]++;
			if (r.memory)
				fake_memory_free();
		}
	}
	assert_true(seen[RECORD_PRECISE] > 0 && seen[RECORD_OPERATION] > 0 && seen[RECORD_FETCH] > 0 &&
		    seen[RECORD_NEXT_BRANCHES] > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intel_pebs),
		cmocka_unit_test(amd_branches),
		cmocka_unit_test(netburst_tagged),
		cmocka_unit_test(netburst_rings),
		cmocka_unit_test(periods_have_two_ends),
	};

	return cmocka_run_group_tests_name("refusals of records", tests, NULL, NULL);
}
