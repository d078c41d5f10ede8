/* Whether a machine has one node, and what then becomes of the events of other nodes. */
#include "arch/x86/cpu/cpuid_table.h"
#include "arch/x86/machine/acpi.h"
#include "pmu/amd/events/events.h"
#include "pmu/amd/driver/nodes.h"
#include "tests/self/host/support/fake_cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define TOPOEXT  (1u << 22)
#define NODE_MSR (1u << 19)

static struct cpuid_row leaf[] = {
	{0x00, 0, 1, 0x68747541, 0x444d4163, 0x69746e65},
	{0x80000000, 0, 0x8000001e, 0, 0, 0},
	{0x80000001, 0, 0, 0, TOPOEXT, 0},
	{0x80000008, 0, 0, 0, 0x4000, 0},
	{0x8000001e, 0, 0, 0, 0, 0},
};
enum { FEATURES = 2, SIZES, NODES };
static const struct cpuid_table table = {leaf, sizeof leaf / sizeof leaf[0]};

static bool one_node(uint32_t features, uint32_t sizes, uint32_t nodes, uint32_t second_apic,
		     unsigned domains)
{
	struct model_profile p = *model_profile_by_name("amd-zen3");

	leaf[FEATURES].ecx = features;
	leaf[SIZES].ecx = sizes;
	leaf[NODES].ecx = nodes;
	p.identity = &table;
	fake_cpu_start(&p, NULL);
	memset(&acpi, 0, sizeof acpi);
	acpi.memory_domains = domains;
	acpi.n_processors = 2;
	acpi.processor[0].apic_id = 16;
	acpi.processor[1].apic_id = second_apic;
	bool one = amd_one_node();

	fake_cpu_stop();
	return one;
}

static void nodes_are_told_apart(void **state)
{
	(void)state;
	assert_true(one_node(TOPOEXT, 0x4000, 0, 17, 0));
	assert_true(one_node(TOPOEXT, 0x4000, 0x0ff, 31, 1));
	/* two nodes in the package, another package, memory of another domain */
	assert_false(one_node(TOPOEXT, 0x4000, 0x100, 17, 1));
	assert_false(one_node(TOPOEXT, 0x4000, 0, 32, 1));
	assert_false(one_node(TOPOEXT, 0x4000, 0, 17, 2));
	/* The size of a package by its number of cores; nodes that cannot be told. */
	assert_true(one_node(0, 0x0001, 0, 17, 0));
	assert_false(one_node(0, 0x0001, 0, 18, 0));
	assert_true(one_node(0, 0x0002, 0x100, 19, 0));
	assert_false(one_node(NODE_MSR, 0x4000, 0, 17, 0));
	assert_true(one_node(NODE_MSR | TOPOEXT, 0x4000, 0, 17, 0));
}

static void far_events_must_stay_zero_or_may_be_anything(void **state)
{
	static struct pmu_event near[AMD_EVENTS_MAX], any[AMD_EVENTS_MAX];
	unsigned n = amd_unpack(AMD_ZEN4, true, near, AMD_EVENTS_MAX), far = 0;

	(void)state;
	assert_int_equal(amd_unpack(AMD_ZEN4, false, any, AMD_EVENTS_MAX), n);
	for (unsigned i = 0; i < n; i++) {
		bool is_far = strstr(near[i].name, ".FAR_CACHE") || strstr(near[i].name, "_IO_FAR") ||
			      strstr(near[i].name, ".ALT_MEM");

		assert_int_equal(near[i].terms[0].quantity != any[i].terms[0].quantity, is_far);
		if (!is_far)
			continue;
		assert_int_equal(near[i].terms[0].quantity, Q_NOT_PROVOKED);
		assert_int_equal(any[i].terms[0].quantity, Q_REQUESTS);
		assert_int_equal(any[i].judgement, EVENT_EXACT);
		far++;
	}
	assert_int_equal(far, 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_are_told_apart),
		cmocka_unit_test(far_events_must_stay_zero_or_may_be_anything),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
