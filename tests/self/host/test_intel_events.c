/* The rows of architectural events: sound, and with the encodings that libpfm4 knows. */
#include "tests/self/host/rule_tests.h"
#include "pmu/intel/events/events.h"
#include "pmu/intel/registers.h"

#include <perfmon/pfmlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* By name, on a part where libpfm4 has the event. */
static const struct {
	const char *row, *pfm;
} peers[] = {
	{"CPU_CLK_UNHALTED.THREAD_P", "skl::CPU_CLK_UNHALTED:THREAD_P"},
	{"INST_RETIRED.ANY_P", "core::INST_RETIRED:ANY_P"},
	{"CPU_CLK_UNHALTED.REF_P", "skl::CPU_CLK_UNHALTED:REF_P"},
	{"LONGEST_LAT_CACHE.REFERENCE", "skl::LONGEST_LAT_CACHE:REFERENCE"},
	{"LONGEST_LAT_CACHE.MISS", "nhm::LONGEST_LAT_CACHE:MISS"},
	{"BR_INST_RETIRED.ALL_BRANCHES", "skl::BR_INST_RETIRED:ALL_BRANCHES"},
	{"BR_MISP_RETIRED.ALL_BRANCHES", "skl::BR_MISP_RETIRED:ALL_BRANCHES"},
	{"TOPDOWN.SLOTS_P", "icl::TOPDOWN:SLOTS_P"},
};

static uint64_t encoding(const char *name)
{
	pfm_pmu_encode_arg_t arg = {.size = sizeof arg};
	uint64_t code;
	int error = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &arg);
	if (error)
		fail_msg("%s: %s", name, pfm_strerror(error));
	assert_true(arg.count >= 1);
	code = arg.codes[0] & EVTSEL_CODE;
	free(arg.codes);
	return code;
}

static void equal_to_libpfm4(void **unused)
{
	unsigned general = 0;
	(void)unused;
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	assert_int_equal(pfm_initialize(), PFM_SUCCESS);
	for (unsigned i = 0; i < intel_arch_event_count; i++) {
		const struct pmu_event *e = &intel_arch_events[i].event;
		unsigned p = 0;
		if (e->fixed >= 0)
			continue;
		general++;
		while (p < sizeof peers / sizeof peers[0] && strcmp(peers[p].row, e->name))
			p++;
		if (p == sizeof peers / sizeof peers[0])
			fail_msg("%s is compared with nothing", e->name);
		assert_int_equal(e->code, encoding(peers[p].pfm));
		/* The peers are in the order of CPUID.0AH:EBX, SDM table 18-1. */
		assert_int_equal(intel_arch_events[i].cpuid_bit, (int)p);
	}
	assert_int_equal(general, sizeof peers / sizeof peers[0]);
	pfm_terminate();
}

static void rows_are_sound(void **unused)
{
	(void)unused;
	for (unsigned i = 0; i < intel_arch_event_count; i++) {
		const struct pmu_event *e = &intel_arch_events[i].event;
		assert_int_equal(e->code & ~EVTSEL_CODE, 0);
		assert_int_equal(intel_arch_events[i].cpuid_bit < 0, e->fixed >= 0);
		assert_int_equal(e->counters == 0, e->fixed >= 0);
		assert_int_not_equal(e->terms[0].coefficient, 0);
		assert_non_null(e->source);
		for (unsigned t = 0; t < EVENT_TERMS && e->terms[t].coefficient; t++)
			assert_true(e->terms[t].quantity < Q_COUNT);
		assert_int_equal(event_coefficient(e, e->terms[0].quantity), 1);
		assert_int_equal(event_coefficient(e, Q_X87_OPS), 0);
		if (rule_fault(e))
			fail_msg("%s: %s", e->name, rule_fault(e));
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(e->name, intel_arch_events[j].event.name);
	}
}

/* SDM 18.2.1.2: only bits below EAX[31:24] say anything, and 1 means missing. */
static void availability(void **unused)
{
	(void)unused;
	assert_true(intel_arch_event_available(7u << 24, 0, 6));
	assert_false(intel_arch_event_available(7u << 24, 0, 7));
	assert_false(intel_arch_event_available(7u << 24, 1u << 6, 6));
	assert_true(intel_arch_event_available(7u << 24, 1u << 6, 5));
	assert_false(intel_arch_event_available(0, 0, 0));
	assert_true(intel_arch_event_available(32u << 24, 0, 31));
	assert_false(intel_arch_event_available(255u << 24, 0, 32));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_to_libpfm4),
		cmocka_unit_test(rows_are_sound),
		cmocka_unit_test(availability),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
