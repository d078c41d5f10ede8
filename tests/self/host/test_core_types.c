/* Which processors of a hybrid CPU are of one type, and what they are called: leaves 1AH, 0AH, 23H and 4,
 * both sides. */
#include "arch/x86/processors/core_types.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define MAX_LEAF 0x23

struct row {
	uint32_t leaf, subleaf;
	struct cpuid_regs value;
};

struct cpu {
	struct row row[16];
};

static struct cpuid_regs read(const void *context, uint32_t leaf, uint32_t subleaf)
{
	const struct cpu *c = context;

	for (unsigned i = 0; i < 16; i++)
		if (c->row[i].value.eax + c->row[i].value.ebx + c->row[i].value.ecx + c->row[i].value.edx &&
		    c->row[i].leaf == leaf && c->row[i].subleaf == subleaf)
			return c->row[i].value;
	return (struct cpuid_regs){0};
}

#define L3 0xfc0fc163

/* Rows in this order. */
enum { ROW_MAX, ROW_FEATURES, ROW_L1, ROW_L2, ROW_L3, ROW_TYPE, ROW_PMU, ROW_PMU6, ROW_COUNTERS };

static struct cpu core(uint32_t type, uint32_t counters, uint32_t last_cache)
{
	return (struct cpu){{[ROW_MAX] = {0, 0, {.eax = MAX_LEAF}},
			     [ROW_FEATURES] = {7, 0, {.edx = 1u << 15}},
			     [ROW_L1] = {4, 0, {.eax = 0xfc000121}},
			     [ROW_L2] = {4, 1, {.eax = 0xfc01c143}},
			     [ROW_L3] = {4, 2, {.eax = last_cache}},
			     [ROW_TYPE] = {0x1a, 0, {.eax = type}},
			     [ROW_PMU] = {0x0a, 0, {.eax = 0x07000005 | counters << 8, .edx = 0x8603}},
			     [ROW_PMU6] = {0x23, 0, {.eax = 0xb}},
			     [ROW_COUNTERS] = {0x23, 1, {.eax = (1u << counters) - 1, .ebx = 7}}}};
}

static struct processor_type identity(const struct cpu *c)
{
	struct processor_type id;

	core_identify(&id, read, c);
	return id;
}

static struct processor_type of(uint32_t type, uint32_t counters, uint32_t last_cache)
{
	struct cpu c = core(type, counters, last_cache);

	return identity(&c);
}

static void each_leaf_parts_types(void **state)
{
	struct processor_type p = of(0x40000002, 8, L3), same = of(0x40000002, 8, L3), other;
	static const struct {
		unsigned row;
		struct cpuid_regs value;
	} changes[] = {
		{ROW_TYPE, {.eax = 0x20000002}},               /* kind */
		{ROW_TYPE, {.eax = 0x40000003}},               /* native model */
		{ROW_PMU, {.eax = 0x07300806, .edx = 0x8603}}, /* version of the PMU */
		{ROW_PMU, {.eax = 0x07000805, .edx = 0x8604}}, /* fixed counters */
		{ROW_PMU6, {.eax = 0xb, .ebx = 1}},            /* what version 6 offers */
		{ROW_COUNTERS, {.eax = 0x3ff, .ebx = 7}},      /* bitmap of counters */
		{ROW_COUNTERS, {.eax = 0xff, .ebx = 0xf}},     /* of fixed ones */
		{ROW_L3, {0}},                                 /* the cache whose misses are counted */
	};

	(void)state;
	assert_true(processor_same_type(&p, &same));
	assert_int_equal(p.kind, PROCESSOR_PERFORMANCE);
	assert_true(p.far_cache);
	for (unsigned i = 0; i < sizeof changes / sizeof changes[0]; i++) {
		struct cpu c = core(0x40000002, 8, L3);

		c.row[changes[i].row].value = changes[i].value;
		other = identity(&c);
		assert_false(processor_same_type(&p, &other));
	}
}

static void what_is_no_pmu_parts_nothing(void **state)
{
	struct cpu a = core(0x20000002, 8, L3), b = a;
	struct processor_type x, y;

	(void)state;
	b.row[ROW_L1].value.eax = 0xfc004121;                              /* the geometry of a cache */
	b.row[15] = (struct row){0xb, 0, {.eax = 1, .ebx = 2, .edx = 77}}; /* its own x2APIC ID */
	x = identity(&a);
	y = identity(&b);
	assert_true(processor_same_type(&x, &y));
}

/* Leaves above the highest are not asked for: Intel's older CPUs answer them with the highest one's. */
static void leaves_that_are_not_there(void **state)
{
	struct cpu a = core(0x20000002, 8, L3), b = core(0x40000001, 6, L3);
	struct processor_type x, y;

	(void)state;
	a.row[ROW_MAX].value.eax = b.row[ROW_MAX].value.eax = 6;
	x = identity(&a);
	y = identity(&b);
	assert_int_equal(x.kind, 0);
	assert_true(processor_same_type(&x, &y));
	a.row[ROW_MAX].value.eax = 3;
	x = identity(&a);
	assert_false(x.far_cache);
}

static void no_hybrid_cpu_has_kinds(void **state)
{
	struct cpu a = core(0x40000002, 8, L3);
	struct processor_type x;

	(void)state;
	a.row[ROW_FEATURES].value.edx = 0;
	x = identity(&a);
	assert_int_equal(x.kind, 0);
	assert_null(processor_type_name(&x, &x, 1));
}

static void low_power_cores_are_named(void **state)
{
	/* Meteor Lake: leaf 1AH is the same for both of its efficient kinds. */
	struct processor_type meteor[] = {of(0x40000002, 8, L3), of(0x20000002, 8, L3), of(0x20000002, 8, 0)};
	/* Arrow Lake-H: Skymont, and Crestmont on the SoC tile. */
	struct processor_type arrow[] = {of(0x40000003, 10, L3), of(0x20000003, 8, L3), of(0x20000002, 8, 0)};
	/* Lunar Lake: efficient cores without a level-3 cache, and no others. */
	struct processor_type lunar[] = {of(0x40000003, 10, L3), of(0x20000003, 8, 0)};
	struct processor_type unknown = of(0x60000001, 8, 0);

	(void)state;
	assert_string_equal(processor_type_name(&meteor[0], meteor, 3), "P-core");
	assert_string_equal(processor_type_name(&meteor[1], meteor, 3), "E-core");
	assert_string_equal(processor_type_name(&meteor[2], meteor, 3), "LP E-core");
	assert_string_equal(processor_type_name(&meteor[2], &meteor[2], 1),
			    "E-core"); /* nothing to compare it with */
	assert_false(processor_same_type(&meteor[1], &meteor[2]));
	assert_string_equal(processor_type_name(&arrow[1], arrow, 3), "E-core");
	assert_string_equal(processor_type_name(&arrow[2], arrow, 3), "LP E-core");
	assert_false(processor_same_type(&arrow[1], &arrow[2]));
	assert_string_equal(processor_type_name(&lunar[1], lunar, 2), "E-core");
	assert_string_equal(processor_type_name(&lunar[0], lunar, 2), "P-core");
	assert_null(processor_type_name(&unknown, meteor, 3));
}

static void siblings_by_apic_id(void **state)
{
	struct cpu c = core(0x40000002, 8, L3);

	(void)state;
	c.row[14] = (struct row){0xb, 0, {.eax = 1, .ebx = 2}};
	assert_int_equal(core_thread_bits(read, &c), 1);
	c.row[14] = (struct row){0xb, 0, {.eax = 0, .ebx = 1}};
	assert_int_equal(core_thread_bits(read, &c), 0);
	/* Before leaf 0BH: logical processors of the package over cores. */
	c = (struct cpu){{{0, 0, {.eax = 4}},
			  {1, 0, {.ebx = 4 << 16, .edx = 1u << 28}},
			  {4, 0, {.eax = 1u << 26 | 0x121}}}};
	assert_int_equal(core_thread_bits(read, &c), 1);
	c.row[1].value.edx = 1;
	assert_int_equal(core_thread_bits(read, &c), 0);
	/* Pentium D: two cores. Before leaf 4, Northwood: two threads, and K8: two cores (CmpLegacy). */
	c.row[1].value.ebx = 2 << 16;
	c.row[1].value.edx = 1u << 28;
	assert_int_equal(core_thread_bits(read, &c), 0);
	c = (struct cpu){{{0, 0, {.eax = 2}}, {1, 0, {.ebx = 2 << 16, .edx = 1u << 28}}}};
	assert_int_equal(core_thread_bits(read, &c), 1);
	c.row[2] = (struct row){0x80000000, 0, {.eax = 0x80000008}};
	c.row[3] = (struct row){0x80000001, 0, {.ecx = 1 << 1}};
	assert_int_equal(core_thread_bits(read, &c), 0);
	/* AMD. */
	c = (struct cpu){{{0, 0, {.eax = 0xd}},
			  {0x80000000, 0, {.eax = 0x8000001e}},
			  {0x80000001, 0, {.ecx = 1u << 22}},
			  {0x8000001e, 0, {.ebx = 1 << 8}}}};
	assert_int_equal(core_thread_bits(read, &c), 1);
	c.row[2].value.ecx = 1;
	assert_int_equal(core_thread_bits(read, &c), 0);
}

/* Alder Lake's performance core shares its level-2 cache with 8 IDs' worth, of which two are there. */
static void clusters_by_cache(void **state)
{
	struct cpu c = core(0x40000002, 8, L3);

	(void)state;
	assert_int_equal(core_cluster_bits(read, &c), 3);
	c.row[ROW_L2].value.eax = 0x143 | 4 << 14; /* five IDs are set aside as eight */
	assert_int_equal(core_cluster_bits(read, &c), 3);
	c.row[ROW_L2].value.eax = 0x143;
	assert_int_equal(core_cluster_bits(read, &c), 0);
	c.row[ROW_L2].value.eax = 0x142 | 7 << 14; /* of instructions alone */
	c.row[14] = (struct row){0xb, 0, {.eax = 1, .ebx = 2}};
	assert_int_equal(core_cluster_bits(read, &c), 1); /* the core's own threads share whatever there is */
	c.row[ROW_L2].value.eax = 0;
	c.row[ROW_L3].value.eax = 0x143 | 7 << 14; /* behind the end of the list */
	assert_int_equal(core_cluster_bits(read, &c), 1);
	c = (struct cpu){{{0, 0, {.eax = 3}}, {4, 0, {.eax = 0x143 | 7 << 14}}}};
	assert_int_equal(core_cluster_bits(read, &c), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_leaf_parts_types),     cmocka_unit_test(what_is_no_pmu_parts_nothing),
		cmocka_unit_test(leaves_that_are_not_there), cmocka_unit_test(no_hybrid_cpu_has_kinds),
		cmocka_unit_test(low_power_cores_are_named), cmocka_unit_test(siblings_by_apic_id),
		cmocka_unit_test(clusters_by_cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
