/*
 * Two PMUs of one family in one program, each on a CPU of its own: what is found of one, and what one is
 * programmed with, is nothing to the other. They are identified and programmed in turn, as on a machine whose
 * processors are not all alike.
 */
#include "tests/self/host/support/fake_cpu.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/amd/amd.h"
#include "pmu/amd/driver/state.h"
#include "pmu/contract/control.h"
#include "pmu/contract/record.h"
#include "pmu/contract/state.h"
#include "pmu/events/grammar.h"
#include "pmu/events/schedule.h"
#include "pmu/intel/intel.h"
#include "pmu/netburst/netburst.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SEEN      (1 << 18)
#define ACCESSES  256
#define POWER_UPS 8

/* Two unlike parts of a family. */
struct pair {
	const struct pmu_driver *driver;
	const struct model_profile *profile[2];
};

static const struct pair pairs[] = {
	{&intel_driver, {&intel_alderlake_p, &intel_alderlake_e}},
	{&intel_driver, {&intel_core2, &intel_pantherlake_p}},
	{&intel_driver, {&intel_yonah, &intel_skylake}},
	{&amd_driver, {&amd_k8, &amd_zen4}},
	{&amd_driver, {&amd_fam15h, &amd_zen3}},
	{&netburst_driver, {&netburst_willamette, &netburst_prescott}},
	{&netburst_driver, {&netburst_northwood_ht, &netburst_potomac}},
};
#define PAIRS (sizeof pairs / sizeof pairs[0])

/* What a PMU shows of itself, as text and bytes one behind the other. */
struct view {
	size_t used;
	char bytes[SEEN];
};

static void add(struct view *v, const void *bytes, size_t n)
{
	assert_true(v->used + n <= SEEN);
	memcpy(v->bytes + v->used, bytes, n);
	v->used += n;
}

static void add_text(struct view *v, const char *text)
{
	add(v, text ? text : "-", strlen(text ? text : "-") + 1);
}

static void add_events(struct view *v, const struct pmu *pmu)
{
	for (unsigned i = 0; i < pmu->n_events; i++) {
		struct event_error error;
		struct event_request request;
		char name[160];

		add_text(v, pmu->events[i]->name);
		add(v, &pmu->events[i]->code, sizeof pmu->events[i]->code);
		if (i % 40 == 0 && event_parse(pmu, pmu->events[i]->name, &request, 1, &error)) {
			uint64_t counters = event_counters(pmu, &request);

			event_format(pmu, &request, name, sizeof name);
			add_text(v, name);
			add(v, &counters, sizeof counters);
		}
	}
}

/* Names by which libpfm4 knows one of the parts, and not the other. */
static void add_names(struct view *v, const struct pmu *pmu)
{
	static const char *const names[] = {"adl_glc",
					    "adl_grt",
					    "skl",
					    "core",
					    "amd64_k8_revb",
					    "amd64_fam19h_zen4",
					    "amd64_fam19h_zen3",
					    "amd64_fam15h_interlagos"};

	for (unsigned i = 0; pmu->driver->grammar->is_peer_name && i < sizeof names / sizeof names[0]; i++) {
		bool is = pmu->driver->grammar->is_peer_name(pmu, names[i]);

		add(v, &is, sizeof is);
	}
}

static void add_checks(struct view *v, const struct pmu *pmu)
{
	for (const struct pmu_control_check *c = pmu->driver->control; c && c->name; c++) {
		struct pmu_control_instance instance = {.name = ""};

		for (unsigned i = 0; c->instance(pmu, i, &instance); i++) {
			add_text(v, instance.name);
			add_text(v, instance.lacking);
			instance = (struct pmu_control_instance){.name = ""};
		}
	}
}

static void add_registers(struct view *v, const struct pmu *pmu)
{
	static struct pmu_access access[ACCESSES];
	static struct pmu_snapshot snapshot;
	struct pmu_power_up power_up[POWER_UPS];
	unsigned n = pmu->driver->accesses(pmu, access, ACCESSES);

	for (unsigned i = 0; i < n; i++)
		add_text(v, access[i].name);
	n = pmu->driver->power_up ? pmu->driver->power_up(pmu, power_up, POWER_UPS) : 0;
	for (unsigned i = 0; i < n; i++)
		add_text(v, power_up[i].name);
	pmu->driver->snapshot(pmu, &snapshot);
	for (unsigned i = 0; i < snapshot.count; i++) {
		add_text(v, snapshot.entry[i].name);
		add(v, &snapshot.entry[i].value, sizeof snapshot.entry[i].value);
	}
}

static void add_sources(struct view *v, const struct pmu *pmu, const struct pmu_record_source *source,
			unsigned n)
{
	(void)pmu;
	for (unsigned i = 0; i < n; i++) {
		add_text(v, source[i].name);
		add(v, &source[i].counters, sizeof source[i].counters);
		add(v, &source[i].record_size, sizeof source[i].record_size);
	}
}

/* What overflowed and what a bracket takes depend on what was programmed. */
static void add_programmed(struct view *v, const struct pmu *pmu)
{
	struct pmu_bracket bracket;
	uint64_t mask = 0;

	assert_true(pmu->driver->overflowed(pmu, &mask));
	add(v, &mask, sizeof mask);
	assert_true(pmu->driver->bracket_enable(pmu, 1, &bracket));
	add(v, bracket.start, (size_t)(bracket.start_end - bracket.start));
	add(v, bracket.stop, (size_t)(bracket.stop_end - bracket.stop));
	add(v, bracket.args, sizeof bracket.args);
}

static void look(const struct pmu *pmu, struct view *v)
{
	const struct pmu_record_source *source;
	unsigned n = record_sources(pmu, &source);

	v->used = 0;
	add_sources(v, pmu, source, n);
	add_events(v, pmu);
	add_names(v, pmu);
	add_checks(v, pmu);
	add_registers(v, pmu);
	add_programmed(v, pmu);
}

static uint32_t counter_msr(const struct pmu *pmu)
{
	return pmu->driver == &intel_driver ? 0xc1 /* IA32_PMC0 */
	       : pmu->driver == &amd_driver ? amd_counter_msr(pmu, 0)
					    : 0x300 /* MSR_BPU_COUNTER0 */;
}

/* The first event that counter 0 counts, with a value that shows whose `written` is looked at: 5 of one CPU,
 * 3000 of the other, and then moved to 1000, which is an overflow where there is no status register, and
 * where 3000 was written. */
static void program(const struct pmu *pmu, uint64_t first)
{
	struct pmu_config config = {.levels = LEVELS_ALL};
	unsigned i = 0;

	while (!pmu->driver->can_count(pmu, pmu->events[i], 0))
		i++;
	config.code = pmu->events[i]->code;
	assert_true(pmu->driver->program(pmu, 0, &config));
	assert_true(pmu->driver->write(pmu, 0, first));
	assert_true(msr_write(counter_msr(pmu), 1000));
}

static void identify(const struct pair *p, unsigned which, struct pmu *pmu)
{
	const char *why = "";

	fake_cpu_start(p->profile[which], NULL);
	fake_cpu_hold(); /* registers that count all the time would tell how often one has looked */
	if (!fake_cpu_identify(p->driver, pmu, &why))
		fail_msg("%s: %s", p->profile[which]->name, why);
	assert_true(p->driver->reset(pmu, &why));
	program(pmu, which ? 3000 : 5);
}

static struct view alone[2], together;

static void two_of_a_family_do_not_disturb_each_other(void **unused)
{
	(void)unused;
	for (unsigned i = 0; i < PAIRS; i++) {
		const struct pair *p = &pairs[i];
		static struct pmu pmu[2];
		const struct pmu_record_source *source[2];
		unsigned n[2];

		for (unsigned which = 0; which < 2; which++) {
			identify(p, which, &pmu[0]);
			look(&pmu[0], &alone[which]);
		}
		assert_true(alone[0].used != alone[1].used ||
			    memcmp(alone[0].bytes, alone[1].bytes, alone[0].used));

		identify(p, 0, &pmu[0]);
		n[0] = record_sources(&pmu[0], &source[0]);
		fake_cpu_switch();
		identify(p, 1, &pmu[1]);
		n[1] = record_sources(&pmu[1], &source[1]);
		for (unsigned turn = 0; turn < 4; turn++) {
			fake_cpu_switch();
			look(&pmu[turn % 2], &together);
			if (together.used != alone[turn % 2].used ||
			    memcmp(together.bytes, alone[turn % 2].bytes, together.used))
				fail_msg("%s beside %s is not what it is alone", p->profile[turn % 2]->name,
					 p->profile[1 - turn % 2]->name);
		}
		for (unsigned which = 0; which < 2; which++) {
			struct view held = {0};

			add_sources(&held, &pmu[which], source[which], n[which]);
			assert_memory_equal(held.bytes, alone[which].bytes, held.used);
		}
		/* With one state for both, that of the CPU identified last, it would be seen. */
		fake_cpu_switch();
		struct pmu mixed = pmu[0];
		mixed.state = pmu[1].state;
		look(&mixed, &together);
		assert_true(together.used != alone[0].used ||
			    memcmp(together.bytes, alone[0].bytes, together.used));
		fake_cpu_stop();
		fake_cpu_switch();
		fake_cpu_stop();
		pmu_forget(&pmu[0]);
		pmu_forget(&pmu[1]);
	}
}

/* One PMU's reason stays while another one gives a reason. */
static void reasons_are_each_ones_own(void **unused)
{
	static struct pmu one, other;
	const char *why, *whys;
	(void)unused;

	fake_cpu_start(&intel_skylake, NULL);
	assert_false(amd_driver.identify(&one, &why));
	assert_false(pmu_find("nobody", &one, &why));
	assert_non_null(strstr(why, "nobody"));
	assert_false(pmu_find("somebody", &other, &whys));
	assert_non_null(strstr(why, "nobody"));
	assert_non_null(strstr(whys, "somebody"));
	assert_ptr_equal(pmu_reason(&one, "<%s>", why), why);
	assert_non_null(strstr(why, "<no PMU driver"));
	fake_cpu_stop();
	pmu_forget(&one);
	pmu_forget(&other);
	assert_null(one.state);
}

/* Identified again, a PMU knows nothing of what it was; its rows lie where they lay. */
static void a_pmu_begins_anew(void **unused)
{
	static struct pmu pmu;
	const struct pmu_event *const *rows;
	const char *why;
	uint64_t mask;
	(void)unused;

	fake_cpu_start(&amd_zen3, NULL);
	assert_true(fake_cpu_identify(&amd_driver, &pmu, &why));
	rows = pmu.events;
	program(&pmu, 3000);
	assert_true(pmu.driver->overflowed(&pmu, &mask));
	assert_int_equal(mask, 1);
	assert_true(fake_cpu_identify(&amd_driver, &pmu, &why));
	assert_true(pmu.driver->overflowed(&pmu, &mask));
	assert_int_equal(mask, 0);
	assert_ptr_equal(rows, pmu.events);
	fake_cpu_start(&netburst_prescott, NULL);
	assert_true(pmu_find(NULL, &pmu, &why));
	assert_ptr_equal(pmu.driver, &netburst_driver);
	fake_cpu_stop();
	pmu_forget(&pmu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_of_a_family_do_not_disturb_each_other),
		cmocka_unit_test(reasons_are_each_ones_own),
		cmocka_unit_test(a_pmu_begins_anew),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
