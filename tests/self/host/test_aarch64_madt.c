/* Cores, their redistributors and their PMU's interrupts by ACPI's MADT: regions, one base for each core, and
 * tables and frames that do not fit. */
#include "arch/aarch64/acpi_table.h"
#include "arch/aarch64/gic_place.h"
#include "arch/aarch64/processors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define FRAMES GIC_REDISTRIBUTOR_SIZE
#define VLPIS  2
#define LAST   16

static uint64_t listed[256];
static unsigned n_listed;

void processors_add(uint64_t affinity)
{
	listed[n_listed++ % 256] = affinity;
}

static uint8_t *table;
static uint32_t size;
static struct board board;

/* In memory of its own size, so that a byte too many that is read is told. */
static void begin(void)
{
	free(table);
	table = calloc(1, size = 44);
	gic_place = (struct gic_place){.version = 0};
	board = (struct board){.processors = 0};
	n_listed = 0;
}

static uint8_t *entry(uint8_t type, uint8_t length)
{
	uint8_t *p;

	table = realloc(table, size + length);
	p = memset(table + size, 0, length);
	p[0] = type;
	p[1] = length;
	size += length;
	return p;
}

static void put(uint8_t *p, size_t at, uint64_t value, size_t n)
{
	memcpy(p + at, &value, n);
}

static void core(uint64_t mpidr, unsigned interrupt, uint64_t cpu, uint64_t redistributor, bool enabled)
{
	uint8_t *p = entry(11, 80);

	put(p, 12, enabled, 4);
	put(p, 20, interrupt, 4);
	put(p, 32, cpu, 8);
	put(p, 60, redistributor, 8);
	put(p, 68, mpidr, 8);
}

static void distributor(uint64_t base, unsigned version)
{
	uint8_t *p = entry(12, 24);

	put(p, 8, base, 8);
	put(p, 20, version, 1);
}

static void region(const void *base, uint64_t length)
{
	uint8_t *p = entry(14, 16);

	put(p, 4, (uint64_t)(uintptr_t)base, 8);
	put(p, 12, length, 4);
}

static void finish(void)
{
	memcpy(table + 4, &size, 4);
	board_read_madt(table, &board);
}

/* Frames of one redistributor behind the other. */
static uint8_t *frames(unsigned n)
{
	return calloc(n, FRAMES);
}

static uint64_t frame(uint8_t *base, unsigned i, uint32_t affinity, uint32_t type)
{
	memcpy(base + i * FRAMES + 8, &type, 4);
	memcpy(base + i * FRAMES + 12, &affinity, 4);
	return (uint64_t)(uintptr_t)(base + i * FRAMES);
}

static void test_regions(void **state)
{
	uint8_t *first = frames(2), *second = frames(2);
	uint64_t at[4] = {frame(first, 0, 0, 0), frame(first, 1, 1, LAST), frame(second, 0, 0x100, 0),
			  frame(second, 1, 0x02000101, LAST)};

	(void)state;
	begin();
	/* Cores in front of what they lie in, and another processor's interrupt behind the one that runs. */
	core(0x80000000, 23, 0, 0, true);
	core(0x80000001, 24, 0, 0, true);
	region(first, 2 * FRAMES);
	distributor(0x8000000, 3);
	region(second, 2 * FRAMES);
	core(0x80000100, 23, 0, 0, true);
	core(0x0000000280000101, 31, 0, 0, true);
	finish();
	assert_int_equal(gic_place.version, 3);
	assert_int_equal(gic_place.distributor, 0x8000000);
	assert_int_equal(board.processors, 4);
	assert_int_equal(n_listed, 4);
	assert_int_equal(listed[3], 0x0000000280000101);
	for (unsigned again = 0; again < 2; again++) {
		assert_int_equal(gic_place_redistributor(0x80000000), at[0]);
		assert_int_equal(gic_place_redistributor(0x80000001), at[1]);
		assert_int_equal(gic_place_redistributor(0x80000100), at[2]);
		assert_int_equal(gic_place_redistributor(0x0000000280000101), at[3]);
	}
	assert_int_equal(gic_place_counters(0x80000000), 23);
	assert_int_equal(gic_place_counters(0x80000001), 24);
	assert_int_equal(gic_place_counters(0x80000100), 23);
	assert_int_equal(gic_place_counters(0x0000000280000101), 31);
	/* A core that no table and no frame names. */
	assert_int_equal(gic_place_redistributor(0x80000200), 0);
	assert_int_equal(gic_place_counters(0x80000200), 0);
	free(first);
	free(second);
}

/* A region ends with its last redistributor or with its length, whichever is first. */
static void test_ends(void **state)
{
	uint8_t *frame_of = frames(6);

	(void)state;
	frame(frame_of, 0, 0, LAST);
	frame(frame_of, 1, 1, 0); /* behind the last */
	frame(frame_of, 2, 2, VLPIS);
	frame(frame_of, 3, 3, 0); /* one of the four frames of the one in front */
	uint64_t four = frame(frame_of, 4, 4, 0);
	frame(frame_of, 5, 5, 0); /* behind the length */
	begin();
	region(frame_of, 2 * FRAMES);
	region(frame_of + 2 * FRAMES, 3 * FRAMES);
	distributor(1, 4);
	finish();
	assert_int_equal(gic_place.version, 3);
	assert_int_not_equal(gic_place_redistributor(0), 0);
	assert_int_equal(gic_place_redistributor(1), 0);
	assert_int_not_equal(gic_place_redistributor(2), 0);
	assert_int_equal(gic_place_redistributor(3), 0);
	assert_int_equal(gic_place_redistributor(4), four);
	assert_int_equal(gic_place_redistributor(5), 0);
	begin();
	region(frame_of, FRAMES - 1);
	distributor(1, 3);
	finish();
	assert_int_equal(gic_place_redistributor(0), 0);
	free(frame_of);
}

static void test_own_base(void **state)
{
	uint8_t *one = frames(2), *two = frames(1), *three = frames(1);
	uint64_t at[2] = {frame(one, 0, 0, 0), frame(two, 0, 1, 0)};

	(void)state;
	frame(one, 1, 2, 0); /* of nobody's entry */
	frame(three, 0, 3, 0);
	begin();
	distributor(1, 0);
	core(0, 23, 0, at[0], true);
	core(1, 25, 0, at[1], true);
	core(3, 26, 0, (uint64_t)(uintptr_t)three, false);
	finish();
	assert_int_equal(gic_place.version, 3);
	assert_int_equal(gic_place_redistributor(0), at[0]);
	assert_int_equal(gic_place_redistributor(1), at[1]);
	assert_int_equal(gic_place_redistributor(2), 0);
	/* A core that is not enabled is none. */
	assert_int_equal(gic_place_redistributor(3), 0);
	assert_int_equal(gic_place_counters(3), 0);
	assert_int_equal(board.processors, 2);
	assert_int_equal(n_listed, 2);
	/* Where there are regions, what cores say is not read. */
	begin();
	core(0, 23, 0, at[0], true);
	core(1, 23, 0, at[1], true);
	region(two, FRAMES);
	distributor(1, 3);
	finish();
	assert_int_equal(gic_place_redistributor(0), 0);
	assert_int_equal(gic_place_redistributor(1), at[1]);
	free(one);
	free(two);
	free(three);
}

static void test_version(void **state)
{
	static const struct {
		unsigned told;
		uint64_t cpu, redistributor;
		unsigned is;
	} row[] = {{0, 0x8010000, 0, 2}, {2, 0x8010000, 0, 2},
		   {3, 0x8010000, 0, 0}, {0, 0x8010000, 0x80a0000, 3},
		   {2, 0, 0x80a0000, 0}, {4, 0, 0x80a0000, 3},
		   {0, 0, 0, 0}};

	(void)state;
	for (unsigned i = 0; i < sizeof row / sizeof row[0]; i++) {
		begin();
		distributor(0x8000000, row[i].told);
		core(0, 23, row[i].cpu, row[i].redistributor, true);
		finish();
		assert_int_equal(gic_place.version, row[i].is);
		assert_int_equal(gic_place.cpu, row[i].cpu);
	}
	begin();
	core(0, 23, 0x8010000, 0x80a0000, true);
	finish();
	assert_int_equal(gic_place.version, 0);
}

/* A private peripheral interrupt is from 16 to 31; the first column is the number that is told. */
static void test_interrupts(void **state)
{
	static const unsigned row[][2] = {{0, 0},   {5, 0},  {15, 0}, {16, 16}, {23, 23},
					  {31, 31}, {32, 0}, {40, 0}, {1056, 0}};

	(void)state;
	for (unsigned i = 0; i < sizeof row / sizeof row[0]; i++) {
		begin();
		distributor(1, 2);
		core(7, row[i][0], 1, 0, true);
		finish();
		assert_int_equal(gic_place_counters(7), row[i][1]);
		/* What is told of all of them, as by a device tree. */
		gic_place.counters = 22;
		assert_int_equal(gic_place_counters(7), row[i][1] ? row[i][1] : 22);
	}
}

static void test_too_many(void **state)
{
	uint8_t *frame_of = frames(1);

	(void)state;
	frame(frame_of, 0, 300, 0);
	begin();
	distributor(1, 3);
	for (unsigned i = 0; i < 200; i++)
		core(i, 16 + i % 16, 0, 0, true);
	for (unsigned i = 0; i < 200; i++)
		region(frame_of + i, i ? 0 : FRAMES);
	finish();
	assert_int_equal(gic_place.regions, GIC_REGIONS);
	assert_int_equal(gic_place.cores, GIC_CORES);
	assert_int_equal(gic_place_counters(GIC_CORES - 1), 16 + (GIC_CORES - 1) % 16);
	assert_int_equal(gic_place_counters(GIC_CORES), 0);
	/* A core that has no place in the list is found none the less. */
	assert_int_equal(gic_place_redistributor(300), (uint64_t)(uintptr_t)frame_of);
	free(frame_of);
}

static void test_damaged(void **state)
{
	uint8_t good[44 + 80 + 24 + 16];

	(void)state;
	begin();
	core(0, 23, 0x8010000, 0, true);
	distributor(0x8000000, 3);
	region((void *)0x80a0000, FRAMES);
	finish();
	assert_int_equal(size, sizeof good);
	memcpy(good, table, size);
	for (uint32_t n = 36; n <= sizeof good; n++) {
		begin();
		table = realloc(table, n);
		memcpy(table, good, size = n);
		finish();
		assert_int_equal(gic_place.version, n == sizeof good ? 3 : 0);
		assert_int_equal(board.processors, n >= 44 + 80);
	}
	for (size_t i = 44; i < sizeof good; i++)
		for (unsigned value = 0; value < 256; value++) {
			begin();
			table = realloc(table, size = sizeof good);
			memcpy(table, good, size);
			table[i] = (uint8_t)value;
			finish();
		}
	free(table);
	table = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_regions),    cmocka_unit_test(test_ends),
		cmocka_unit_test(test_own_base),   cmocka_unit_test(test_version),
		cmocka_unit_test(test_interrupts), cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
