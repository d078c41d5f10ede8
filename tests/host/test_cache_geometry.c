/* Cache geometry from the three ways in which CPUID tells it, and from none. */
#include "tests/kernels/cache_geometry.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

struct row {
	uint32_t leaf, subleaf;
	struct cpuid_regs regs; /* eax ebx ecx edx */
};

static const struct row *rows;
static unsigned n_rows;

static struct cpuid_regs answer(uint32_t leaf, uint32_t subleaf)
{
	for (unsigned i = 0; i < n_rows; i++)
		if (rows[i].leaf == leaf && rows[i].subleaf == subleaf)
			return rows[i].regs;
	return (struct cpuid_regs){0};
}

#define PRESENT(table) (rows = table, n_rows = sizeof(table) / sizeof(table[0]))

static void expect(unsigned level, uint32_t line, uint32_t ways, uint32_t sets)
{
	struct cache_geometry g;

	assert_true(cache_geometry(level, answer, &g));
	assert_int_equal(g.line, line);
	assert_int_equal(g.ways, ways);
	assert_int_equal(g.sets, sets);
}

/* 32 KiB 8-way data, 32 KiB 8-way code, 256 KiB 4-way unified. The code cache is level 1 too and must be
 * passed over. */
static void leaf_4(void **state)
{
	static const struct row intel[] = {
		{0, 0, {0xd, 0, 0, 0}},
		{4, 0, {0x22, 7u << 22 | 63, 63, 0}},
		{4, 1, {0x21, 7u << 22 | 63, 63, 0}},
		{4, 2, {0x43, 3u << 22 | 63, 1023, 0}},
	};

	(void)state;
	PRESENT(intel);
	expect(1, 64, 8, 64);
	expect(2, 64, 4, 1024);
}

static void leaf_8000001d(void **state)
{
	static const struct row amd[] = {
		{0, 0, {0xd, 0, 0, 0}},
		{0x80000000, 0, {0x80000020, 0, 0, 0}},
		{0x80000001, 0, {0, 0, 1u << 22, 0}},
		{0x8000001d, 0, {0x21, 11u << 22 | 63, 63, 0}},
		{0x8000001d, 1, {0x22, 11u << 22 | 63, 63, 0}},
		{0x8000001d, 2, {0x43, 15u << 22 | 63, 1023, 0}},
	};

	(void)state;
	PRESENT(amd);
	expect(1, 64, 12, 64);
	expect(2, 64, 16, 1024);
}

/* 64 KiB 2-way data, 1 MiB 16-way (code 8). */
static void leaves_80000005_and_6(void **state)
{
	static const struct row k8[] = {
		{0, 0, {1, 0, 0, 0}},
		{0x80000000, 0, {0x80000018, 0, 0, 0}},
		{0x80000005, 0, {0, 0, 64u << 24 | 2u << 16 | 64, 0}},
		{0x80000006, 0, {0, 0, 1024u << 16 | 8u << 12 | 64, 0}},
	};

	(void)state;
	PRESENT(k8);
	expect(1, 64, 2, 512);
	expect(2, 64, 16, 1024);
}

static void nothing_is_told(void **state)
{
	static const struct row none[] = {{0, 0, {2, 0, 0, 0}}};
	static const struct row empty_leaves[] = {
		{0, 0, {4, 0, 0, 0}},
		{0x80000000, 0, {0x80000008, 0, 0, 0}},
		{0x80000006, 0, {0, 0, 0, 0}},
	};
	struct cache_geometry g;

	(void)state;
	PRESENT(none);
	assert_false(cache_geometry(1, answer, &g));
	PRESENT(empty_leaves);
	assert_false(cache_geometry(1, answer, &g));
	assert_false(cache_geometry(2, answer, &g));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaf_4),
		cmocka_unit_test(leaf_8000001d),
		cmocka_unit_test(leaves_80000005_and_6),
		cmocka_unit_test(nothing_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
