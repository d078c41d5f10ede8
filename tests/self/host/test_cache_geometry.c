/* Cache geometry from the three ways in which CPUID tells it, and from none. */
#include "tests/kernels/x86/cache_geometry.h"

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

/* 256 KiB below 2 MiB: eight times as large and no more. */
static void size_of_third_level(void **state)
{
	static const struct row three[] = {
		{0, 0, {0xd, 0, 0, 0}},
		{4, 0, {0x21, 7u << 22 | 63, 63, 0}},
		{4, 1, {0x43, 3u << 22 | 63, 1023, 0}},
		{4, 2, {0x63, 15u << 22 | 63, 2047, 0}},
	};
	static const struct row two[] = {
		{0, 0, {0xd, 0, 0, 0}},
		{4, 0, {0x21, 7u << 22 | 63, 63, 0}},
		{4, 1, {0x43, 3u << 22 | 63, 1023, 0}},
	};

	(void)state;
	PRESENT(three);
	expect(3, 64, 16, 2048);
	assert_true(third_level_exceeds(8, answer));
	assert_false(third_level_exceeds(9, answer));
	PRESENT(two);
	assert_false(third_level_exceeds(1, answer));
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

/* APM vol. 3, function 8000_0006H: encodings of the second and the third level's associativity. */
static void each_encoding_of_ways(void **state)
{
	static const uint8_t ways[16] = {0, 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128, 0};
	struct cache_geometry g;

	(void)state;
	for (uint32_t code = 0; code < 16; code++) {
		/* So large that no number of ways leaves a rest: 576 KiB, and 4.5 MiB. */
		const struct row amd[] = {
			{0x80000000, 0, {0x80000006, 0, 0, 0}},
			{0x80000006, 0, {0, 0, 576u << 16 | code << 12 | 64, 9u << 18 | code << 12 | 64}},
		};

		PRESENT(amd);
		if (!ways[code]) {
			assert_false(cache_geometry(2, answer, &g));
			assert_false(cache_geometry(3, answer, &g));
			continue;
		}
		expect(2, 64, ways[code], 576 * 1024 / 64 / ways[code]);
		expect(3, 64, ways[code], 9 * 512 * 1024 / 64 / ways[code]);
	}
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

/* Three levels by leaf 80000005H and 80000006H: the third is told in units of 512 KiB. */
static void third_level(void **state)
{
	static const struct row amd[] = {
		{0, 0, {1, 0, 0, 0}},
		{0x80000000, 0, {0x80000008, 0, 0, 0}},
		{0x80000006, 0, {0, 0, 0, 16u << 18 | 8u << 12 | 64}},
	};
	static const struct row intel[] = {{0, 0, {0xd, 0, 0, 0}}, {4, 0, {0x163, 15u << 22 | 63, 8191, 0}}};

	(void)state;
	PRESENT(amd);
	expect(3, 64, 16, 8192);
	PRESENT(intel);
	expect(3, 64, 16, 8192);
}

static unsigned tlb_entries(struct cpuid_regs (*query)(uint32_t leaf, uint32_t subleaf))
{
	struct tlb_geometry g = tlb_geometry(query);

	return g.first + g.second;
}

static void data_tlbs(void **state)
{
	static const struct row leaf_18[] = {
		{0, 0, {0x18, 0, 0, 0}},
		{0x18, 0, {3, 0, 0, 0}},
		{0x18, 1, {0, 8u << 16 | 1, 8, 2u | 1 << 5}},    /* code */
		{0x18, 2, {0, 4u << 16 | 1, 16, 1u | 1 << 5}},   /* 64 for data */
		{0x18, 3, {0, 12u << 16 | 7, 128, 3u | 2 << 5}}, /* 1536 for both */
	};
	static const struct row leaf_2[] = {
		{0, 0, {0xd, 0, 0, 0}},
		{2, 0, {0x76036301, 0x00f0b5ff, 0, 0x00c30000}}, /* 64, and 1536; B5H is for code */
	};
	static const struct row no_entries[] = {
		{0, 0, {2, 0, 0, 0}},
		{2,
		 0,
		 {0x03, 0x80000003, 0,
		  0}}, /* the lowest byte is no descriptor, and a register with bit 31 tells none */
	};
	static const struct row amd[] = {
		{0, 0, {1, 0, 0, 0}},
		{0x80000000, 0, {0x80000008, 0, 0, 0}},
		{0x80000005, 0, {0, 0xff40ff20, 0, 0}},
		{0x80000006, 0, {0, 0x48002200 | 0x6000000, 0, 0}},
	};
	static const struct row zen5[] = {
		{0, 0, {1, 0, 0, 0}},
		{0x80000000, 0, {0x80000021, 0, 0, 0}},
		{0x80000005, 0, {0, 0xff60ff40, 0, 0}},
		{0x80000006, 0, {0, 0x60804040, 0, 0}},
		{0x80000021, 0, {1u << 14, 0, 0, 0}}, /* in units of 32 */
	};

	(void)state;
	PRESENT(leaf_18);
	assert_int_equal(tlb_entries(answer), 64 + 1536);
	assert_int_equal(tlb_geometry(answer).first, 64);
	assert_int_equal(tlb_geometry(answer).second, 1536);
	PRESENT(leaf_2);
	assert_int_equal(tlb_entries(answer), 64 + 1536);
	PRESENT(no_entries);
	assert_int_equal(tlb_entries(answer), 0);
	PRESENT(amd);
	assert_int_equal(tlb_entries(answer), 0x40 + 0xe00);
	PRESENT(zen5);
	assert_int_equal(tlb_entries(answer), 96 + 4096);
	assert_int_equal(tlb_geometry(answer).first, 96);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaf_4),
		cmocka_unit_test(third_level),
		cmocka_unit_test(size_of_third_level),
		cmocka_unit_test(data_tlbs),
		cmocka_unit_test(leaf_8000001d),
		cmocka_unit_test(leaves_80000005_and_6),
		cmocka_unit_test(each_encoding_of_ways),
		cmocka_unit_test(nothing_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
