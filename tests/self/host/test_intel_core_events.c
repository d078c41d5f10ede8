/* Intel's events of single cores: sound rows, CPUs told apart, and the encodings that libpfm4 knows. */
#include "pmu/events/grammar.h"
#include "pmu/intel/events/core_events.h"
#include "pmu/intel/events/events.h"
#include "pmu/intel/events/extra.h"
#include "pmu/intel/intel.h"
#include "pmu/intel/registers.h"
#include "tests/self/host/support/fake_cpu.h"

#include "arch/x86/cpu/msr.h"
#include "tests/self/host/rule_tests.h"

#include <perfmon/pfmlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static char offcore_names[INTEL_OFFCORE_POOL];

#define ROWS INTEL_CORE_EVENTS_MAX
#define EVENT                                                                                                \
	(EVTSEL_CODE | EVTSEL_E | EVTSEL_ANY | EVTSEL_INV | EVTSEL_CMASK | EVTSEL_EQ |                       \
	 0xffull << EVTSEL_UMASK2_SHIFT)
#define LISTED 128

static struct pmu_event row[ROWS];
static struct event_request found[ROWS];
static struct event_error error;

/* libpfm4's name of a core, or of one with the same events. */
static const struct {
	const char *core, *pfm;
} peers[] = {
	{"MRM", "core"},   {"NHM", "nhm"},    {"NHX", "nhm_ex"}, {"WSM", "wsm_dp"}, {"WSS", "wsm"},
	{"WSX", "wsm_dp"}, {"SNB", "snb"},    {"JKT", "snb_ep"}, {"IVB", "ivb"},    {"IVT", "ivb_ep"},
	{"HSW", "hsw"},    {"HSX", "hsw_ep"}, {"BDW", "bdw"},    {"BDE", "bdw"},    {"BDX", "bdw_ep"},
	{"SKL", "skl"},    {"SKX", "skx"},    {"CLX", "clx"},    {"ICL", "icl"},    {"ICX", "icx"},
	{"RKL", "icl"},    {"TGL", "icl"},    {"GLC", "spr"},    {"SPR", "spr"},    {"EMR", "spr"},
	{"BNL", "atom"},   {"SLM", "slm"},    {"KNL", "knl"},    {"GLM", "glm"},    {"TNT", "tmt"},
	{"SNR", "tmt"},
};
#define PEERS (sizeof peers / sizeof peers[0])

/* Where the lists differ: rows of pmu/intel/events/events.csv with a disagreement. */
static struct {
	char name[64], cores[64];
} listed[LISTED];
static unsigned n_listed;

static int read_disagreements(void **state)
{
	FILE *f = fopen("pmu/intel/events/events.csv", "r");
	char line[512];

	(void)state;
	if (!f || !fgets(line, sizeof line, f))
		return -1;
	while (fgets(line, sizeof line, f) && n_listed < LISTED)
		if (strstr(line, "libpfm4 ") && strchr(line, ':'))
			n_listed += sscanf(line, "%63[^,],%63[^,],", listed[n_listed].name,
					   listed[n_listed].cores) == 2;
	fclose(f);
	return n_listed == 0;
}

static bool may_differ(const char *core, const char *name)
{
	for (unsigned i = 0; i < n_listed; i++)
		if (!strcmp(listed[i].name, name) && strstr(listed[i].cores, core))
			return true;
	return false;
}

/* @return false if libpfm4 does not know the event */
static bool encoding(const char *pfm, const char *name, uint64_t *code, uint64_t *extra)
{
	pfm_pmu_encode_arg_t arg = {.size = sizeof arg};
	char text[192];

	snprintf(text, sizeof text, "%s::%s", pfm, name);
	for (char *dot = text; (dot = strchr(dot, '.'));)
		*dot = ':';
	if (pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &arg))
		return false;
	*code = arg.codes[0] & EVENT;
	*extra = arg.count > 1 ? arg.codes[1] : 0;
	free(arg.codes);
	return true;
}

static void rows_equal_libpfm4s(void **state)
{
	unsigned compared = 0, different = 0, registers = 0;
	(void)state;
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	assert_int_equal(pfm_initialize(), PFM_SUCCESS);
	for (unsigned p = 0; p < PEERS; p++) {
		unsigned n = intel_unpack(intel_core_by_name(peers[p].core), offcore_names, row, ROWS);
		assert_true(n > 0);
		for (unsigned i = 0; i < n; i++) {
			uint64_t code, extra;
			if (row[i].fixed >= 0 || row[i].flags & EVENT_BY_NAME ||
			    !encoding(peers[p].pfm, row[i].name, &code, &extra))
				continue;
			bool equal = code == row[i].code;
			if (equal == may_differ(peers[p].core, row[i].name))
				fail_msg("%s %s: Assay %llx, libpfm4 %llx", peers[p].core, row[i].name,
					 (unsigned long long)row[i].code, (unsigned long long)code);
			if (equal && row[i].extra_register) {
				assert_true(extra == row[i].extra_value);
				registers++;
			}
			compared++;
			different += !equal;
		}
	}
	printf("# %u rows compared with libpfm4's, %u of them listed as different, %u with a register "
	       "besides\n",
	       compared, different, registers);
	assert_in_range(compared, 5500, 8000);
	assert_in_range(different, 20, 130);
	assert_in_range(registers, 100, 1000);
	pfm_terminate();
}

static void rows_are_sound(void **state)
{
	(void)state;
	for (unsigned c = 0; c < intel_core_count; c++) {
		unsigned n = intel_unpack((int)c, offcore_names, row, ROWS), exact = 0;
		assert_int_equal(intel_core_by_name(intel_core_names[c]), c);
		assert_in_range(n, 45, ROWS - 1);
		for (unsigned i = 0; i < n; i++) {
			const struct pmu_event *e = &row[i];
			assert_int_equal(e->code & ~EVENT, 0);
			assert_int_equal(e->terms[0].coefficient, 1);
			for (unsigned t = 0; t < EVENT_TERMS && e->terms[t].coefficient; t++)
				assert_true(e->terms[t].quantity < Q_COUNT);
			assert_true(e->judgement <= EVENT_TIME);
			if (rule_fault(e))
				fail_msg("%s: %s", e->name, rule_fault(e));
			assert_true((e->fixed >= 0) == !e->counters);
			assert_true(e->flags & EVENT_OF_CORE);
			assert_in_range(strlen(e->name), 3, 90);
			/* A latency above 0 is asked for, too. */
			assert_true(e->extra_register == 0x3f6 || !e->extra_register == !e->extra_value);
			assert_true(e->extra_register || !e->extra_value);
			assert_true(!e->errata || strlen(e->errata) > 3);
			/* What counts nothing that a program does says why. */
			assert_true(e->terms[0].quantity != Q_NOT_PROVOKED || e->rule);
			exact += e->judgement == EVENT_EXACT && !event_is_micro(e);
			for (unsigned k = 0; k < i; k++) {
				if (!strcmp(e->name, row[k].name))
					fail_msg("%s has %s twice", intel_core_names[c], e->name);
				if (e->code == row[k].code && e->extra_value == row[k].extra_value &&
				    e->fixed == row[k].fixed)
					fail_msg("%s: %s and %s have one code", intel_core_names[c], e->name,
						 row[k].name);
			}
		}
		assert_in_range(exact, 2, n);
	}
	/* The model looks its selectors up by bisection. */
	for (unsigned i = 1; i < intel_model_event_count; i++)
		assert_true((intel_model_events[i - 1].selector & EVTSEL_CODE) <=
			    (intel_model_events[i].selector & EVTSEL_CODE));
	assert_in_range(intel_model_event_count, 1000, 4000);
	assert_int_equal(intel_unpack(INTEL_NO_CORE, offcore_names, row, ROWS), 0);
	assert_int_equal(intel_unpack(intel_core_by_name("SKL"), offcore_names, row, 5), 5);
	assert_int_equal(intel_core_by_name("XYZ"), INTEL_NO_CORE);
}

static void cpus_are_told_apart(void **state)
{
	static const struct {
		uint32_t signature, hybrid;
		const char *core;
	} cpu[] = {
		{0x000006e8, 0, "YON"},          {0x00010676, 0, "MRM"},
		{0x000106a5, 0, "NHM"},          {0x000206c2, 0, "WSM"},
		{0x000206a7, 0, "SNB"},          {0x000206d7, 0, "JKT"},
		{0x000306a9, 0, "IVB"},          {0x000306c3, 0, "HSW"},
		{0x000306d4, 0, "BDW"},          {0x000906ea, 0, "SKL"},
		{0x00050654, 0, "SKX"},          {0x00050657, 0, "CLX"},
		{0x000706e5, 0, "ICL"},          {0x00090672, 0x40000001, "GLC"},
		{0x00090672, 0x20000001, "GRT"}, {0x000b06e0, 0, "GRT"},
		{0x000806f8, 0, "SPR"},          {0x000c0652, 0x20000003, "SKA"},
		{0x000c0652, 0x20000002, "CMA"}, {0x000b06d1, 0x40000003, "LNC"},
		{0x00030678, 0, "SLM"},          {0x000506c9, 0, "GLM"},
		{0x000906c0, 0, "TNT"},          {0x00090672, 0, NULL},
		{0x000006b1, 0, NULL},           {0x00000f41, 0, NULL},
		{0x00a20f10, 0, NULL},
	};
	(void)state;
	for (unsigned i = 0; i < sizeof cpu / sizeof *cpu; i++) {
		int core = intel_core(cpu[i].signature, cpu[i].hybrid);
		if (!cpu[i].core)
			assert_int_equal(core, INTEL_NO_CORE);
		else if (core == INTEL_NO_CORE || strcmp(intel_core_names[core], cpu[i].core))
			fail_msg("%x is %s", cpu[i].signature,
				 core == INTEL_NO_CORE ? "unknown" : intel_core_names[core]);
	}
}

static const struct pmu_event *of_skylake(const char *name)
{
	unsigned n = intel_unpack(intel_core_by_name("SKL"), offcore_names, row, ROWS);
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(row[i].name, name))
			return &row[i];
	fail_msg("no %s", name);
	return NULL;
}

static void columns_are_imported(void **state)
{
	const struct pmu_event *e = of_skylake("FRONTEND_RETIRED.DSB_MISS");
	(void)state;
	assert_int_equal(e->extra_register, MSR_PEBS_FRONTEND);
	assert_int_equal(e->extra_value, 0x11);
	assert_int_equal(e->counters, 1); /* of the four that could: they share the register */
	assert_true(e->flags & EVENT_PRECISE);
	e = of_skylake("L1D_PEND_MISS.PENDING_CYCLES");
	assert_int_equal(e->code, 0x01000148);
	assert_null(e->errata);
	e = of_skylake("BR_INST_RETIRED.COND");
	assert_int_equal(e->terms[0].quantity, Q_BR_COND);
	assert_int_equal(e->judgement, EVENT_EXACT);
	assert_non_null(strstr(e->errata, "SKL091"));
	e = of_skylake("BR_INST_RETIRED.NEAR_TAKEN");
	assert_int_equal(event_coefficient(e, Q_BRANCHES), 1);
	assert_int_equal(event_coefficient(e, Q_BR_FAR), -1);
}

static uint64_t reg(uint32_t address)
{
	uint64_t value = 0;
	assert_true(msr_read(address, &value));
	return value;
}

/* The offered table, and what goes into the registers. */
static void strings_reach_the_registers(void **state)
{
	static struct pmu pmu;
	const char *why;
	uint64_t value;
	(void)state;
	fake_cpu_start(model_profile_by_name("intel-skylake"), NULL);
	assert_true(fake_cpu_identify(&intel_driver, &pmu, &why));
	assert_int_equal(event_parse(&pmu, "BR_INST_RETIRED.CONDITIONAL:u", found, ROWS, &error), 1);
	assert_true(intel_driver.program(&pmu, 0, &found[0].config));
	assert_int_equal(reg(IA32_PERFEVTSEL0) & 0xffffffff, 0x4101c4);
	/* Its own counter mask, and another one asked for. */
	assert_int_equal(event_parse(&pmu, "UOPS_ISSUED.STALL_CYCLES", found, ROWS, &error), 1);
	assert_true(intel_driver.program(&pmu, 1, &found[0].config));
	assert_int_equal(reg(IA32_PERFEVTSEL0 + 1), 0x1c3010e);
	assert_int_equal(event_parse(&pmu, "UOPS_ISSUED.STALL_CYCLES:c=2", found, ROWS, &error), 1);
	assert_true(intel_driver.program(&pmu, 1, &found[0].config));
	assert_int_equal(reg(IA32_PERFEVTSEL0 + 1), 0x2c3010e);
	assert_int_equal(event_parse(&pmu, "FRONTEND_RETIRED.DSB_MISS:k", found, ROWS, &error), 1);
	assert_true(intel_driver.program(&pmu, 0, &found[0].config));
	assert_int_equal(reg(IA32_PERFEVTSEL0), 0x4201c6);
	value = reg(MSR_PEBS_FRONTEND);
	assert_int_equal(value, 0x11);
	/* A register that is missing, and another vendor's CPU of the same number. */
	fake_cpu_break_msr(MSR_PEBS_FRONTEND);
	assert_false(intel_driver.program(&pmu, 0, &found[0].config));
	fake_cpu_break_msr(0);
	fake_cpu_set_leaf(0, 0, 0x16, 0x746e6543, 0x736c7561, 0x48727561);
	assert_true(fake_cpu_identify(&intel_driver, &pmu, &why));
	assert_int_equal(pmu.n_events, 10);
	fake_cpu_stop();
}

static bool has_erratum(int core, const char *name, const char *number)
{
	for (unsigned i = 0; i < intel_arch_event_count; i++) {
		struct pmu_event e = intel_arch_events[i].event;

		if (strcmp(e.name, name))
			continue;
		intel_of_core(core, &e);
		return e.errata && strstr(e.errata, number);
	}
	return false;
}

/* An architectural event takes the place of the core's own, and has its errata: of general and fixed
 * counters. */
static void architectural_events_have_errata(void **state)
{
	(void)state;
	assert_true(has_erratum(intel_core_by_name("SKL"), "INST_RETIRED.ANY_P", "SKL091"));
	assert_true(has_erratum(intel_core_by_name("SKL"), "LONGEST_LAT_CACHE.MISS", "SKL057"));
	assert_true(has_erratum(intel_core_by_name("HSW"), "INST_RETIRED.ANY", "HSD143"));
	assert_false(has_erratum(intel_core_by_name("HSW"), "INST_RETIRED.ANY", "SKL091"));
	assert_false(has_erratum(intel_core_by_name("ICL"), "INST_RETIRED.ANY_P", "SKL091"));
	assert_false(has_erratum(INTEL_NO_CORE, "INST_RETIRED.ANY_P", "SKL091"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(architectural_events_have_errata),
		cmocka_unit_test(rows_equal_libpfm4s),
		cmocka_unit_test(rows_are_sound),
		cmocka_unit_test(cpus_are_told_apart),
		cmocka_unit_test(columns_are_imported),
		cmocka_unit_test(strings_reach_the_registers),
	};
	return cmocka_run_group_tests(tests, read_disagreements, NULL);
}
