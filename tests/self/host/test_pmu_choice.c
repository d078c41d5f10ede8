/* Which PMU is judged: by what the option says, what the CPU has, and what its counters do. */
#include "boot/pmu_choice.h"
#include "boot/selection.h"
#include "arch/courage.h"
#include "arch/processors.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/contract/family.h"
#include "pmu/contract/record.h"
#include "pmu/contract/state.h"
#include "pmu/intel/intel.h"
#include "pmu/virtual/vpmu.h"
#include "tests/self/host/support/fake_cpu.h"
#include "tests/self/host/support/fake_machine.h"
#include "tests/judge/ladder.h"
#include "tests/report/report.h"
#include "tests/measure/virtual.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* --- what stands in for the machine, the ladder and the report --------------------------------------- */

static bool virtual_cpu; /* there is one */
static char created[64], injected[64], notes[4096];
static enum ladder_outcome outcome;
static unsigned climbs, snapshots, printed, pmus;
static bool told_virtual; /* the last PMU that was reported is answered by the virtual CPU */

void vpmu_forget(void)
{
	virtual_cpu = false;
}

void vpmu_identity_details(identity_each *each, void *to)
{
	(void)each, (void)to;
}

unsigned identity_read(struct identity_pair *out, unsigned max)
{
	assert_true(max > 1);
	out[0] = (struct identity_pair){.name = "model", .value = "7"};
	out[1] = (struct identity_pair){.name = "microcode", .value = "0x2a", .loaded = true};
	return 2;
}

void identity_details(identity_each *each, void *to)
{
	(void)each, (void)to;
}

bool vpmu_knows(const char *profile, const char *inject, struct reason *why)
{
	(void)profile;
	why->line = "no such injection";
	return strcmp(inject, "nonsense") != 0;
}

unsigned processor_current(void)
{
	return 0;
}

bool selection_is_first(const struct options *options)
{
	return !strcmp(options->suite, "first");
}

void ladder_trust(struct ladder *ladder)
{
	memset(ladder->reached, RUNG_INTERRUPTS, sizeof ladder->reached);
}

/* A driver for a trace port, or for nothing at all: it has no counters. */
static bool port, port_records;
static bool silent; /* the PMU that is found interrupts from its first counter alone */
static unsigned port_resets;

static void port_snapshot(const struct pmu *pmu, struct pmu_snapshot *out)
{
	(void)pmu;
	out->entry[out->count++] = (struct pmu_snapshot_entry){.name = "PORT_CONTROL", .readable = true};
}

static bool port_reset(const struct pmu *pmu, const char **reason)
{
	(void)pmu, (void)reason;
	port_resets++;
	return true;
}

static void port_events(struct pmu *pmu)
{
	pmu->n_events = 0;
}

static bool port_describe(const struct pmu *pmu, struct pmu_record_source *out, const char **reason)
{
	(void)pmu;
	*reason = "nobody listens to the port";
	out->name = "branch messages";
	return port_records;
}

static const struct pmu_record_kind port_kind = {.describe = port_describe};
static const struct pmu_recorder port_recorder = {.kind = {[RECORD_BRANCH_TRACE] = &port_kind}};
static const struct pmu_driver port_driver = {.name = "port",
					      .list_events = port_events,
					      .snapshot = port_snapshot,
					      .reset = port_reset,
					      .recorder = &port_recorder};

bool __real_pmu_find(const char *name, struct pmu *pmu, const char **reason);
bool __wrap_pmu_find(const char *name, struct pmu *pmu, const char **reason);

bool __wrap_pmu_find(const char *name, struct pmu *pmu, const char **reason)
{
	if (!port) {
		bool found = __real_pmu_find(name, pmu, reason);

		for (unsigned c = 1; silent && c < pmu->n_counters; c++)
			pmu->counter[c].has_interrupt = false;
		return found;
	}
	assert_non_null(pmu_begin(pmu, &port_driver, reason));
	pmu->driver = &port_driver;
	strcpy(pmu->name, "Trace port");
	return true;
}

bool virtual_pmu_create(struct run *run, struct pmu *pmu, const char *profile, const char *inject,
			struct reason *why)
{
	why->line = "it cannot be created";
	if (!strcmp(inject, "nonsense"))
		return false;
	assert_false(virtual_cpu);
	virtual_cpu = true;
	snprintf(created, sizeof created, "%s", profile);
	snprintf(injected, sizeof injected, "%s", inject);
	assert_non_null(pmu_begin(pmu, &intel_driver, &why->line));
	pmu->driver = &intel_driver;
	pmu->virtual = true;
	pmu->n_counters = 1;
	strcpy(pmu->remark[0], "a virtual remark");
	run->pmu = pmu;
	return true;
}

bool selection_identify_only(const struct options *o)
{
	return !strcmp(o->suite, "none");
}

/* Only where a virtual PMU is judged there is a virtual CPU. */
enum ladder_outcome ladder_climb(struct run *run, struct ladder *ladder)
{
	assert_int_equal(virtual_cpu, run->pmu->virtual);
	memset(ladder, 0, sizeof *ladder);
	ladder->reached[0] = RUNG_INTERRUPTS;
	climbs++;
	return run->pmu->virtual ? LADDER_FULL : outcome;
}

void report_note(const char *text)
{
	strncat(notes, text, sizeof notes - strlen(notes) - 2);
	strcat(notes, "\n");
}

void report_pmu(const struct pmu *pmu, identity_source *identity)
{
	assert_int_equal(pmu->loaded, pmu->virtual ? 0 : 0x2a);
	assert_int_equal(virtual_cpu, pmu->virtual);
	told_virtual = identity == vpmu_identity_details;
	assert_true(told_virtual || identity == identity_details);
	pmus++;
}

void report_snapshot(const struct pmu_snapshot *snapshot, const struct register_field *fields, bool print)
{
	(void)snapshot, (void)fields;
	snapshots++;
	printed += print;
}

void report_suite_begin(const char *name, const char *title)
{
	(void)title;
	assert_string_equal(name, "ladder");
}

void report_suite_end(void)
{
}

static bool call(struct run *run, void (*fn)(void *), void *arg, unsigned ms, struct result *r)
{
	(void)run, (void)ms, (void)r;
	fn(arg);
	return true;
}

static struct run run;
static struct options o;
static struct reason why;

static void reported(struct run *of, const struct result *r)
{
	(void)of;
	assert_string_equal(r->suite, "snapshot");
	assert_int_equal(r->judgement.verdict, VERDICT_EXACT);
}

static int setup(void **state)
{
	(void)state;
	fake_cpu_start(&intel_skylake, "");
	virtual_cpu = told_virtual = port = port_records = silent = false;
	port_resets = 0;
	created[0] = injected[0] = notes[0] = 0;
	climbs = snapshots = printed = pmus = 0;
	outcome = LADDER_FULL;
	options_default(&o);
	run = (struct run){.call = call, .report = reported};
	why.line = NULL;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fake_cpu_stop();
	fake_machine_is_real = false;
	return 0;
}

static bool choose(const char *pmu, const char *inject)
{
	snprintf(o.pmu, sizeof o.pmu, "%s", pmu);
	return pmu_choose(&run, &o, inject, &why);
}

/* A CPU of no driver's. */
static void no_pmu(void)
{
	fake_cpu_set_leaf(0, 0, 1, 0x20202020, 0x20202020, 0x20202020);
	fake_cpu_set_leaf(0x0a, 0, 0, 0, 0, 0);
}

static void is_the_machines(void)
{
	assert_non_null(run.pmu);
	assert_false(run.pmu->virtual);
	assert_false(virtual_cpu);
	assert_false(told_virtual);
	assert_ptr_equal(run.pmu->driver, &intel_driver);
	assert_true(run.pmu->n_events > 100);
	assert_non_null(run.ladder);
	assert_int_equal(run.ladder->reached[0], RUNG_INTERRUPTS);
}

static void is_virtual(const char *profile)
{
	assert_non_null(run.pmu);
	assert_true(run.pmu->virtual && virtual_cpu && told_virtual);
	assert_string_equal(created, profile);
	assert_non_null(run.ladder);
	assert_non_null(strstr(notes, "a virtual remark\n"));
}

static void a_live_pmu_is_judged(void **state)
{
	(void)state;
	for (outcome = LADDER_PARTIAL; outcome <= LADDER_FULL; outcome++) {
		assert_true(choose("auto", ""));
		is_the_machines();
	}
	assert_string_equal(notes, "");
	assert_int_equal(climbs, 2);
	assert_true(choose("intel", ""));
	is_the_machines();
}

static void a_dead_one_gives_way(void **state)
{
	(void)state;
	outcome = LADDER_DEAD;
	assert_true(choose("auto", "some"));
	is_virtual(pmu_default_profile());
	assert_string_equal(injected, "some");
	assert_int_equal(climbs, 2);
	assert_non_null(strstr(notes, " never ticks: the virtual PMU intel-core2 is judged"));
	/* Not where it was asked for by name. */
	setup(NULL);
	outcome = LADDER_DEAD;
	assert_true(choose("intel", ""));
	is_the_machines();
	assert_int_equal(climbs, 1);
}

/* What has no counters but records is judged by that: no virtual PMU takes its place. */
static void one_that_only_records_is_judged(void **state)
{
	static const char *const options[] = {"auto", "port"};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		setup(NULL);
		port = port_records = true;
		outcome = LADDER_NONE;
		assert_true(choose(options[i], ""));
		assert_ptr_equal(run.pmu->driver, &port_driver);
		assert_false(run.pmu->virtual || virtual_cpu);
		assert_int_equal(run.pmu->n_counters, 0);
		assert_non_null(run.ladder);
		assert_int_equal(pmus, 1);
		assert_int_equal(snapshots, 1);
		assert_string_equal(
			notes, "Trace port has no counters: what it records is judged: branch messages\n");
		pmu_switch_off();
		assert_int_equal(port_resets, 1);
		assert_false(choose(options[i], "dead")); /* nor is there a model to break */
		assert_non_null(strstr(why.line, "add pmu=virtual"));
	}
	/* With neither there is nothing to judge. */
	setup(NULL);
	port = true;
	outcome = LADDER_NONE;
	assert_true(choose("auto", ""));
	is_virtual(pmu_default_profile());
	assert_non_null(strstr(notes, "Trace port neither counts nor records: the virtual PMU"));
}

static void a_cpu_without_one_has_a_virtual_one(void **state)
{
	(void)state;
	no_pmu();
	assert_true(choose("auto", ""));
	is_virtual(pmu_default_profile());
	assert_non_null(strstr(notes, "this CPU has no PMU that a driver knows: the virtual PMU"));
	assert_int_equal(climbs, 1);
	/* Not if a driver was named. */
	assert_false(choose("intel", ""));
	assert_null(run.pmu);
	assert_non_null(why.line);
	assert_false(virtual_cpu);
}

/* There a virtual PMU's verdicts would pass for the machine's. */
static void hardware_is_never_replaced(void **state)
{
	(void)state;
	fake_machine_is_real = true;
	no_pmu();
	assert_false(choose("auto", ""));
	assert_non_null(strstr(why.line, "this CPU has no PMU that a driver knows ("));
	assert_non_null(strstr(why.line, "pmu=virtual judges a virtual one"));
	assert_false(virtual_cpu);
	assert_int_equal(climbs, 0);
	setup(NULL);
	outcome = LADDER_DEAD;
	assert_true(choose("auto", ""));
	is_the_machines();
	assert_non_null(strstr(notes, "never ticks: nothing can be judged by it; pmu=virtual"));
	setup(NULL);
	port = true;
	outcome = LADDER_NONE;
	assert_true(choose("auto", ""));
	assert_false(virtual_cpu);
	assert_non_null(strstr(notes, "Trace port neither counts nor records: nothing can be judged"));
	setup(NULL);
	assert_true(choose("virtual", ""));
	is_virtual(pmu_default_profile());
}

static void another_familys_driver_does_not_fit(void **state)
{
	(void)state;
	assert_false(choose("amd", ""));
	assert_non_null(why.line);
	assert_null(run.pmu);
	assert_null(run.ladder);
}

static void a_profile_is_as_it_is_named(void **state)
{
	(void)state;
	assert_true(choose("virtual", ""));
	is_virtual(pmu_default_profile());
	assert_true(choose("virtual:amd-zen3", "one+two"));
	is_virtual("amd-zen3");
	assert_string_equal(injected, "one+two");
	assert_int_equal(snapshots, 0); /* the machine's registers are not looked at */
	assert_false(choose("virtual:amd-zen3", "nonsense"));
	assert_string_equal(why.line, "it cannot be created");
}

/* After a virtual CPU a processor's own PMU is judged on the processor itself. */
static void a_virtual_cpu_does_not_stay_behind(void **state)
{
	(void)state;
	assert_true(choose("virtual", ""));
	assert_true(choose("auto", ""));
	is_the_machines();
	assert_true(choose("virtual", ""));
	outcome = LADDER_DEAD;
	assert_true(choose("auto", ""));
	is_virtual(pmu_default_profile());
}

/* Nor does what was chosen before. */
static void a_choice_that_fails_leaves_nothing(void **state)
{
	(void)state;
	assert_true(choose("intel", ""));
	assert_false(choose("amd", ""));
	assert_null(run.pmu);
	assert_null(run.ladder);
	assert_true(choose("intel", ""));
	assert_true(choose("virtual", ""));
	snapshots = 0;
	pmu_look_for_rearming(&run);
	assert_int_equal(snapshots, 0); /* of the machine's own PMU, which is not judged any more */
}

static void profiles_and_injections_are_known_or_not(void **state)
{
	(void)state;
	snprintf(o.pmu, sizeof o.pmu, "virtual:amd-zen99");
	assert_false(pmu_is_known(&o, "", &why));
	assert_non_null(strstr(why.line, "pmu=virtual:amd-zen99: no such profile: did you mean amd-zen"));
	snprintf(o.pmu, sizeof o.pmu, "virtual:nonesuch");
	assert_false(pmu_is_known(&o, "", &why));
	assert_non_null(strstr(why.line, "pmu=virtual:nonesuch: no such profile; there are"));
	assert_non_null(strstr(why.line, "amd-zen3"));
	assert_non_null(strstr(why.line, "netburst-prescott"));
	snprintf(o.pmu, sizeof o.pmu, "virtual:amd-zen3");
	assert_true(pmu_is_known(&o, "", &why));
	assert_false(pmu_is_known(&o, "nonsense", &why));
	snprintf(o.pmu, sizeof o.pmu, "virtual");
	assert_true(pmu_is_known(&o, "", &why));
	assert_false(pmu_is_known(&o, "nonsense", &why));
	snprintf(o.pmu, sizeof o.pmu, "auto");
	assert_true(pmu_is_known(&o, "nonsense", &why)); /* of a model that is not chosen yet */
}

static void injections_are_for_models(void **state)
{
	(void)state;
	assert_false(choose("intel", "dead"));
	assert_non_null(strstr(why.line, "add pmu=virtual"));
	assert_false(choose("auto", "dead"));
	assert_non_null(strstr(why.line, "add pmu=virtual"));
}

static void identifying_writes_nothing(void **state)
{
	uint64_t value;

	(void)state;
	snprintf(o.suite, sizeof o.suite, "none");
	assert_true(msr_write(0x186, 0x4300c0));
	assert_true(choose("auto", ""));
	assert_int_equal(climbs, 0);
	assert_int_equal(pmus, 1);
	assert_true(msr_read(0x186, &value));
	assert_int_equal(value, 0x4300c0);
	assert_true(choose("virtual", ""));
	assert_int_equal(climbs, 0);
	assert_false(choose("amd", ""));
	no_pmu();
	notes[0] = 0;
	assert_true(choose("auto", ""));
	assert_null(run.pmu);
	assert_non_null(strstr(notes, "this CPU has no PMU that a driver knows ("));
	assert_false(choose("intel", ""));
}

static void registers_are_shown_if_asked_for(void **state)
{
	(void)state;
	assert_true(choose("auto", ""));
	assert_int_equal(snapshots, 1);
	assert_int_equal(printed, 0);
	o.registers = true;
	assert_true(choose("auto", ""));
	assert_int_equal(snapshots, 2);
	assert_int_equal(printed, 1);
}

/* What runs before anything was written, and what firmware starts again. */
static void counters_that_firmware_runs_are_told(void **state)
{
	(void)state;
	assert_true(msr_write(0x187, 0x4300c0));
	assert_true(msr_write(0x38f, 2));
	assert_true(choose("auto", ""));
	assert_non_null(strstr(notes, "firmware left a counter running: IA32_PERFEVTSEL1\n"));
	assert_null(strstr(notes, "IA32_PERFEVTSEL0"));
	notes[0] = 0;
	pmu_tell_registers(&run); /* suite=first has a step that looks */
	assert_non_null(strstr(notes, "firmware left a counter running: IA32_PERFEVTSEL1\n"));
	pmu_switch_off();
	notes[0] = 0;
	pmu_look_for_rearming(&run);
	assert_string_equal(notes, "");
	assert_true(msr_write(0x188, 0x4300c0));
	assert_true(msr_write(0x38f, 4));
	pmu_look_for_rearming(&run);
	assert_non_null(strstr(notes, "firmware armed a counter again: IA32_PERFEVTSEL2\n"));
	assert_null(strstr(notes, "IA32_PERFEVTSEL1"));
}

/* suite=first climbs the ladder when its turn comes, and below a level there are no interrupts. */
static void first_comes_by_steps(void **state)
{
	(void)state;
	snprintf(o.suite, sizeof o.suite, "first");
	outcome = LADDER_DEAD;
	pmu_be_courageous(&run, COURAGE_READ);
	assert_true(choose("auto", ""));
	is_the_machines();
	assert_int_equal(climbs, 0);
	assert_false(run.pmu->has_pmi);
	assert_false(run.pmu->counter[0].has_interrupt);
	assert_true(run.pmu->counts_only);
	assert_false(courage_allows(SPACE_MSR, 0x186));
	pmu_be_courageous(&run, COURAGE_COUNT);
	assert_true(courage_allows(SPACE_MSR, 0x186));
	assert_false(courage_allows(SPACE_MSR, 0x600));
	assert_false(run.pmu->has_pmi);
	pmu_be_courageous(&run, COURAGE_INTERRUPT);
	assert_true(courage_allows(SPACE_MSR, 0x600));
	assert_true(run.pmu->has_pmi && run.pmu->counter[0].has_interrupt && !run.pmu->counts_only);
	pmu_climb(&run);
	assert_int_equal(climbs, 1);
	pmu_be_courageous(&run, COURAGE_ALL);
	assert_false(courage_allows(SPACE_MSR, 0x123)); /* it is on no list */
}

/* Of two kinds of core each has the interrupts that it has, not those of the one before. */
static void interrupts_are_the_processors_own(void **state)
{
	(void)state;
	for (unsigned second = 0; second < 3; second++) {
		silent = second == 1;
		assert_true(choose("auto", ""));
		assert_true(run.pmu->n_counters > 1);
		assert_true(run.pmu->counter[0].has_interrupt);
		for (unsigned c = 1; c < run.pmu->n_counters; c++)
			assert_int_equal(run.pmu->counter[c].has_interrupt, !silent);
	}
}

/* At the level that only reads, what firmware left running runs on. */
static void reading_switches_nothing_off(void **state)
{
	uint64_t value;

	(void)state;
	assert_true(choose("auto", ""));
	assert_true(msr_write(0x186, 0x4300c0));
	courage_set(COURAGE_READ);
	pmu_switch_off();
	assert_true(msr_read(0x186, &value));
	assert_int_equal(value, 0x4300c0);
	courage_set(COURAGE_ALL);
	pmu_switch_off();
	assert_true(msr_read(0x186, &value));
	assert_int_equal(value, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_live_pmu_is_judged),
		TEST(a_dead_one_gives_way),
		TEST(one_that_only_records_is_judged),
		TEST(a_cpu_without_one_has_a_virtual_one),
		TEST(hardware_is_never_replaced),
		TEST(another_familys_driver_does_not_fit),
		TEST(a_profile_is_as_it_is_named),
		TEST(a_virtual_cpu_does_not_stay_behind),
		TEST(a_choice_that_fails_leaves_nothing),
		TEST(profiles_and_injections_are_known_or_not),
		TEST(injections_are_for_models),
		TEST(identifying_writes_nothing),
		TEST(registers_are_shown_if_asked_for),
		TEST(counters_that_firmware_runs_are_told),
		TEST(interrupts_are_the_processors_own),
		TEST(first_comes_by_steps),
		TEST(reading_switches_nothing_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
