/*
 * The driver of PMUv3 against a file of registers that behave as the Arm ARM has them (D7, D13.4), with each
 * number of counters, both widths, and what an earlier user left behind. A register that this PMU does not
 * have is undefined.
 */
#include "pmu/armv8/armv8.h"
#include "pmu/armv8/events/events.h"
#include "pmu/contract/state.h"
#include "tests/self/host/support/armv8_registers.h"

#include "arch/levels.h"
#include "arch/register.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct pmu pmu;
static const struct pmu_driver *const drv = &armv8_driver;
static struct fake before;

static const uint8_t versions[] = {1, 4, 5, 6, 7, 8, 9};
#define VERSIONS (sizeof versions / sizeof versions[0])

static void begin(unsigned version, unsigned n)
{
	const char *why = NULL;

	dirty(version, n);
	before = fake;
	assert_true(drv->identify(&pmu, &why));
	assert_memory_equal(&fake, &before, sizeof fake);
	assert_true(drv->reset(&pmu, &why));
}

/* Event counters that the driver takes: with all 31 and two others there would be one too many. */
static unsigned general(void)
{
	return fake.icntr && fake.n == MOST ? MOST - 1 : fake.n;
}

static unsigned bit_of(unsigned c)
{
	return c < general() ? c : 31 + c - general();
}

static unsigned counters(void)
{
	return general() + 1 + fake.icntr;
}

static uint64_t taken(void)
{
	return there() & ~(fake.n > general() ? UINT64_C(1) << 30 : 0);
}

static void each(void (*check)(void))
{
	for (unsigned v = 0; v < VERSIONS; v++)
		for (unsigned n = 0; n <= MOST; n++) {
			begin(versions[v], n);
			check();
		}
}

static void identified(void)
{
	static const char *const names[] = {
		[1] = "Arm PMUv3",   [4] = "Arm PMUv3p1", [5] = "Arm PMUv3p4", [6] = "Arm PMUv3p5",
		[7] = "Arm PMUv3p7", [8] = "Arm PMUv3p8", [9] = "Arm PMUv3p9"};

	assert_string_equal(pmu.name, names[fake.version]);
	assert_int_equal(pmu.n_general, general());
	assert_int_equal(pmu.n_fixed, 1 + fake.icntr);
	assert_int_equal(pmu.n_counters, counters());
	assert_int_equal(pmu.most_select, fake.version >= 4 ? 0xffff : 0x3ff);
	for (unsigned c = 0; c < counters(); c++) {
		assert_int_equal(pmu.counter[c].width, c >= general() || fake.version >= 6 ? 64 : 32);
		assert_int_equal(pmu.counter[c].write_width, pmu.counter[c].width);
		assert_int_equal(pmu.counter[c].kind, c >= general() ? COUNTER_FIXED : COUNTER_GENERAL);
		assert_int_equal(pmu.counter[c].selector, bit_of(c));
	}
}

static void test_identified(void **state)
{
	(void)state;
	each(identified);
}

static void test_refused(void **state)
{
	const char *why;

	(void)state;
	for (unsigned version = 0; version < 16; version += 15) {
		dirty(version, 6);
		why = NULL;
		assert_false(drv->identify(&pmu, &why));
		assert_non_null(strstr(why, "PMUVer"));
	}
	dirty(4, 6);
	fake.undefined = true;
	why = NULL;
	assert_false(drv->identify(&pmu, &why));
	assert_non_null(strstr(why, "undefined"));
}

static void clean(void)
{
	/* Also of a counter that is not taken. */
	assert_true(!fake.enabled && !fake.overflowed && !fake.interrupting);
	assert_true(fake.version < 9 || (fake.uacr & taken()) == taken());
	assert_true(!fake.icntr || (!fake.insn_type && !fake.instructions));
	assert_int_equal(fake.userenr, 0);
	assert_int_equal(fake.selr, 0);
	assert_int_equal(fake.cycle_type, 0);
	assert_int_equal(fake.cycles, 0);
	/* E and LC; from 64-bit event counters on LP; D, X and DP are left by nobody. */
	assert_int_equal(fake.pmcr, fake.version >= 6 ? 0xc1 : 0x41);
	for (unsigned c = 0; c < general(); c++) {
		assert_int_equal(fake.type[c], 0);
		assert_int_equal(fake.count[c], 0);
	}
}

static void test_reset(void **state)
{
	(void)state;
	each(clean);
}

/* Whichever write is refused, reset() says so. */
static void test_reset_refused(void **state)
{
	const char *why = NULL;
	int writes = 0;

	(void)state;
	begin(6, 6);
	for (;; writes++) {
		fake.writes = writes;
		if (drv->reset(&pmu, &why))
			break;
		assert_non_null(why);
	}
	assert_in_range(writes, 2 * 7 + 5, 2 * 7 + 9);
	fake.writes = -1;
}

static uint64_t value_of(unsigned c)
{
	uint64_t value = 0;

	assert_true(drv->read(&pmu, c, &value));
	return value;
}

static uint64_t overflows(void)
{
	uint64_t mask = 0;

	assert_true(drv->overflowed(&pmu, &mask));
	return mask;
}

/* Each counter counts where it is to, overflows at its width, and asks if it is to. */
static void counts(void)
{
	for (unsigned c = 0; c < counters(); c++)
		for (unsigned levels = LEVELS_SYSTEM; levels <= LEVELS_ALL; levels++) {
			bool interrupt = random64() & 1;
			bool cycles = c == general(), fixed = c >= general();
			struct pmu_config config = {.code = cycles ? 0x11 : 0x08,
						    .levels = (uint8_t)levels,
						    .interrupt = interrupt};
			unsigned event = (unsigned)config.code, width = pmu.counter[c].width;
			uint64_t most = width == 64 ? UINT64_MAX : UINT32_MAX, ones = UINT64_C(1) << c;
			uint64_t bit = UINT64_C(1) << bit_of(c);
			uint64_t *type = cycles ? &fake.cycle_type : fixed ? &fake.insn_type : &fake.type[c];

			*type = fixed ? 0xfc000000 : type_mask();
			/* Whoever had the counter left it so. */
			*(cycles  ? &fake.cycles
			  : fixed ? &fake.instructions
				  : &fake.count[c]) = random64() & most;
			fake.enabled = fake.overflowed = fake.interrupting = bit;
			assert_true(drv->program(&pmu, c, &config));
			assert_int_equal(*type, (fixed ? 0 : 8) | (levels & LEVELS_SYSTEM ? 0 : P) |
							(levels & LEVELS_USER ? 0 : U));
			assert_true(!fake.enabled && !overflows() && !value_of(c));
			assert_int_equal(fake.interrupting, interrupt ? bit : 0);
			occurs(event, false);
			assert_int_equal(value_of(c), 0);
			assert_true(drv->start(&pmu, ones));
			assert_int_equal(fake.enabled, bit);
			occurs(event, false);
			assert_int_equal(value_of(c), levels & LEVELS_SYSTEM ? 1 : 0);
			occurs(event, true);
			assert_int_equal(value_of(c), levels == LEVELS_ALL ? 2 : 1);
			assert_true(drv->write(&pmu, c, most - 1));
			occurs(event, levels == LEVELS_USER);
			assert_true(value_of(c) == most && !overflows() && !asks());
			occurs(event, levels == LEVELS_USER);
			assert_true(value_of(c) == 0 && overflows() == ones && asks() == interrupt);
			assert_true(drv->stop(&pmu));
			assert_int_equal(fake.enabled, 0);
			assert_true(drv->acknowledge(&pmu, ~ones));
			assert_true(overflows() == ones);
			assert_true(drv->acknowledge(&pmu, ones));
			assert_true(!overflows() && !asks());
			assert_true(drv->release(&pmu, c));
			assert_int_equal(*type, P | U);
			assert_int_equal(fake.interrupting, 0);
		}
}

static void test_counts(void **state)
{
	(void)state;
	each(counts);
}

/* All at once; what one has is no other's. */
static void together(void)
{
	struct pmu_config config = {.code = 0x11, .levels = LEVELS_ALL};
	uint64_t all = (UINT64_C(1) << (counters() - 1) << 1) - 1, some = random64() & all;
	uint64_t value[PMU_COUNTERS_MAX];
	struct pmu_bracket bracket;

	fake.enabled = 0;
	for (unsigned c = 0; c < counters(); c++)
		assert_true(drv->program(&pmu, c, &config) && drv->write(&pmu, c, 100 * c));
	assert_true(drv->bracket_enable(&pmu, some, &bracket));
	assert_true(drv->start(&pmu, some));
	assert_int_equal(bracket.args[0], fake.enabled);
	occurs(0x11, false);
	occurs(0x08, false);
	memset(value, 0xff, sizeof value);
	assert_true(drv->read_all(&pmu, some, value));
	for (unsigned c = 0; c < counters(); c++) {
		assert_true(value[c] == (some >> c & 1 ? 100 * c + 1 : UINT64_MAX));
		assert_int_equal(value_of(c), 100 * c + (some >> c & 1));
		assert_true(drv->bracket_read(&pmu, c, &bracket));
		assert_ptr_equal(bracket.start, armv8_read_start + 12 * bit_of(c));
		assert_ptr_equal(bracket.stop_end, armv8_read_stop + 20 * (bit_of(c) + 1));
		assert_true(bracket.args[1] == (pmu.counter[c].width == 64 ? UINT64_MAX : UINT32_MAX));
	}
	config.edge = true;
	assert_false(drv->program(&pmu, 0, &config));
	config = (struct pmu_config){.code = 0x11, .levels = LEVELS_ALL, .cmask = 1};
	assert_false(drv->program(&pmu, 0, &config));
}

static void test_together(void **state)
{
	(void)state;
	each(together);
}

/* EL2's filter where there is EL2, comparisons where PMMIR_EL1 has them, and no other bit of a code. */
static void filtered(void)
{
	const uint64_t th = UINT64_C(0xe00000ff00000008), edge = UINT64_C(1) << 60,
		       threshold = type_mask() >> 32;
	struct pmu_config config = {.code = 8, .levels = LEVELS_USER | ARMV8_LEVELS_EL2};

	if (!general())
		return;
	assert_int_equal(drv->program(&pmu, 0, &config), fake.el2);
	if (fake.el2)
		assert_true(fake.type[0] == (8 | P | 1u << 27));
	config = (struct pmu_config){.code = th & (type_mask() | ~UINT64_C(0xf000000f00000000)),
				     .levels = LEVELS_ALL};
	/* Thresholds of four bits. */
	assert_false(drv->program(&pmu, 0, &config));
	config.code = th & UINT64_C(0xe000000f0000ffff);
	assert_int_equal(drv->program(&pmu, 0, &config), threshold != 0);
	if (threshold)
		assert_true(fake.type[0] == config.code);
	config.code |= edge;
	assert_int_equal(drv->program(&pmu, 0, &config), threshold >> 28 & 1);
	config.code = 8 | 1u << 16;
	assert_false(drv->program(&pmu, 0, &config));
}

static void test_filtered(void **state)
{
	(void)state;
	each(filtered);
}

/* A threshold has twelve bits at most; PMMIR_EL1.THWIDTH can say more, which is reserved. */
static void test_threshold_bits(void **state)
{
	const char *why = NULL;

	(void)state;
	for (unsigned width = 0; width < 16; width++) {
		unsigned bits = width < 12 ? width : 12;
		uint64_t th = ((UINT64_C(1) << bits) - 1) << 32;

		dirty(8, 6);
		fake.thresholds = width << 20;
		assert_true(drv->identify(&pmu, &why));
		assert_true(armv8_found(&pmu)->thresholds == (width ? th | UINT64_C(7) << 61 : 0));
	}
}

/* An odd counter's threshold can be linked where PMMIR_EL1.EDGE says so, an even one's never. */
static void test_links(void **state)
{
	const char *why = NULL;

	(void)state;
	for (unsigned edge = 0; edge < 3; edge++) {
		const struct pmu_config config = {.code = UINT64_C(1) << 54 | 8, .levels = LEVELS_ALL};

		dirty(8, 6);
		fake.thresholds = 4u << 20 | edge << 24;
		assert_true(drv->identify(&pmu, &why));
		assert_int_equal(armv8_found(&pmu)->links, edge == 2);
		assert_false(armv8_found(&pmu)->snapshots);
		for (unsigned c = 0; c < 4; c++)
			assert_int_equal(drv->program(&pmu, c, &config), edge == 2 && c % 2);
	}
}

/* An instruction counter that EL3 keeps is found by PMCNTENSET_EL0, and nothing that would trap is accessed.
 */
static void test_kept_by_el3(void **state)
{
	static struct pmu_snapshot s;
	struct pmu_access a[16];
	const char *why = NULL;

	(void)state;
	for (unsigned n = 0; n <= MOST; n++) {
		dirty(9, n);
		fake.icntr = false;
		fake.promised = true;
		fake.enabled = fake.overflowed = fake.interrupting = there();
		fake.uacr = 0;
		before = fake;
		remark = NULL;
		assert_true(drv->identify(&pmu, &why));
		assert_memory_equal(&fake, &before, sizeof fake);
		assert_non_null(remark);
		assert_non_null(strstr(remark, "MDCR_EL3.EnPM2"));
		assert_int_equal(pmu.n_fixed, 1);
		assert_false(armv8_found(&pmu)->user_mask);
		drv->snapshot(&pmu, &s);
		assert_true(drv->reset(&pmu, &why) && drv->stop(&pmu));
		assert_true(!fake.enabled && !fake.overflowed && !fake.interrupting);
		assert_int_equal(drv->accesses(&pmu, a, 16), n ? 10 : 8);
		assert_false(fake.trapped);
		/* With it, and without it said, nothing is left out. */
		fake.promised = false;
		fake.icntr = n % 2;
		remark = NULL;
		fake.enabled = 0;
		assert_true(drv->identify(&pmu, &why));
		assert_true(!remark && !fake.enabled && armv8_found(&pmu)->user_mask);
		assert_int_equal(pmu.n_fixed, 1 + n % 2);
	}
}

/* EL0 is let read counters by PMUSERENR_EL0.UEN from PMUv3p9 on, but where firmware keeps PMUACR_EL1. */
static void test_user_reads(void **state)
{
	static const struct {
		unsigned version;
		bool icntr, promised;
		unsigned bits;
	} rows[] = {{1, false, false, 1},    {8, false, false, 1},  {9, false, false, 0x11},
		    {9, true, false, 0x11}, {9, false, true, 1}, {15, false, false, 1}};

	(void)state;
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		dirty(rows[i].version, 6);
		fake.icntr = rows[i].icntr;
		fake.promised = rows[i].promised;
		fake.userenr = 0;
		fake.interrupting = 5;
		before = fake;
		assert_false(level_user_reads_counters(true));
		assert_int_equal(fake.userenr, rows[i].bits);
		fake.userenr = 0;
		assert_memory_equal(&fake, &before, sizeof fake);
		fake.userenr = rows[i].bits;
		assert_true(level_user_reads_counters(false));
		assert_int_equal(fake.userenr, 0);
	}
}

/* A pair where PMCEID0_EL0 lists CHAIN: short, also where event counters are long. */
static void paired(void)
{
	struct pmu_config config = {.code = 8, .levels = LEVELS_SYSTEM};
	bool listed = fake.ceid[0] >> 0x1e & 1;
	uint64_t value = 0, written = random64();

	assert_int_equal(armv8_has_pairs(&pmu), listed && general() > 1);
	assert_false(armv8_pair_program(&pmu, 1, &config));
	for (unsigned c = 0; c < general(); c += 2) {
		bool can = listed && c + 1 < general();

		assert_int_equal(armv8_pair_program(&pmu, c, &config), can);
		if (!can)
			continue;
		assert_int_equal(fake.pmcr & 0x80, 0);
		assert_true(fake.type[c] == (8 | U) && fake.type[c + 1] == (0x1e | U));
		assert_true(armv8_pair_write(&pmu, c, written) && armv8_pair_read(&pmu, c, &value));
		assert_true(value == written && fake.count[c] == (uint32_t)written);
		fake.count[c] += fake.version >= 6 ? UINT64_C(1) << 32 : 0;
		assert_true(armv8_pair_read(&pmu, c, &value) && value == written);
	}
}

static void test_paired(void **state)
{
	(void)state;
	each(paired);
}

/* A pair that counts while it is read: what is read is a value that it had meanwhile. */
static void test_pair_that_counts(void **state)
{
	static const uint32_t paces[] = {1, 1000, UINT32_C(1) << 30};

	(void)state;
	begin(4, 6);
	for (unsigned p = 0; p < 3; p++)
		for (unsigned ahead = 0; ahead < 6; ahead++) {
			uint64_t from = (UINT64_C(7) << 32) - (uint64_t)ahead * paces[p], value = 0, until;

			assert_true(armv8_pair_write(&pmu, 2, from));
			fake.chained = paces[p];
			assert_true(armv8_pair_read(&pmu, 2, &value));
			fake.chained = 0;
			until = fake.count[3] << 32 | (uint32_t)fake.count[2];
			if (value < from || value > until)
				fail_msg("%lx, read from %lx to %lx", (unsigned long)value, (unsigned long)from,
					 (unsigned long)until);
		}
}

/* Events by PMCEID<n>_EL0 (D13.4.2): 0 and 20H in the lower halves, 4000H and 4020H in the upper ones. */
static bool listed(unsigned event)
{
	unsigned half = event >> 14 & 1, word = event >> 5 & 1;

	if (event != (half << 14 | word << 5 | (event & 0x1f)) || (half && fake.version < 4))
		return false;
	return fake.ceid[word] >> (32 * half + (event & 0x1f)) & 1;
}

static void discovered(void)
{
	unsigned n = 0;

	for (unsigned event = 0; event < 0x10000; event += event < 0x60 || (event & 0x3fff) < 0x60 ? 1 : 0x20)
		assert_int_equal(armv8_listed(event, fake.ceid, fake.version), listed(event));
	drv->list_events(&pmu);
	for (unsigned i = 0; i < armv8_row_count; i++) {
		const struct armv8_row *row = &armv8_rows[i];

		if (row->cores ? row->cores & armv8_core_of(fake.midr) : listed((unsigned)row->event.code))
			assert_ptr_equal(pmu.events[n++], &row->event);
	}
	assert_int_equal(pmu.n_events, n);
	for (unsigned i = 0; i < n; i++)
		for (unsigned c = 0; c < counters(); c++)
			assert_int_equal(drv->can_count(&pmu, pmu.events[i], c),
					 c < general() ||
						 pmu.events[i]->code == (c == general() ? 0x11 : 0x08));
}

static void test_discovered(void **state)
{
	(void)state;
	each(discovered);
}

/* The first look changes nothing, and tells which counters run. */
static void test_snapshot(void **state)
{
	static struct pmu_snapshot s;
	const char *why;

	(void)state;
	for (unsigned n = 0; n <= MOST; n++) {
		unsigned running = 0, found = 0;

		dirty(n % 3 == 2 ? 9 : n % 2 ? 4 : 6, n);
		before = fake;
		assert_true(drv->identify(&pmu, &why));
		drv->snapshot(&pmu, &s);
		assert_memory_equal(&fake, &before, sizeof fake);
		assert_int_equal(s.count, 8 + 2 * counters() + (fake.version >= 9));
		for (unsigned i = 0; i < s.count; i++) {
			uint64_t value;

			assert_true(s.entry[i].readable &&
				    register_read(SPACE_SYSTEM, s.entry[i].address, &value));
			assert_true(s.entry[i].value == value);
			running += s.entry[i].enable;
			found += !strcmp(s.entry[i].name, "PMCNTENSET_EL0");
		}
		assert_int_equal(found, 1);
		assert_int_equal(running, fake.pmcr & 1 && fake.enabled & taken());
	}
}

/* What is listed does what it is said to do: a write of a read-only register is refused, all others are
 * kept; those of event counters are listed where there is one. */
static void accessible(void)
{
	struct pmu_access a[16];
	unsigned n = drv->accesses(&pmu, a, 16), of_counters = 0;

	assert_int_equal(n, (fake.n ? 10 : 8) + (fake.version >= 9));
	for (unsigned i = 0; i < n; i++) {
		bool write = a[i].kind != ACCESS_READ;
		uint64_t value;

		of_counters += !strncmp(a[i].name, "write PMEV", 10);
		assert_int_equal(write ? register_write(SPACE_SYSTEM, a[i].address, a[i].value)
				       : register_read(SPACE_SYSTEM, a[i].address, &value),
				 a[i].faults == ACCESS_WORKS);
		if (a[i].kind == ACCESS_KEPT)
			assert_true(register_read(SPACE_SYSTEM, a[i].address, &value) && value == a[i].value);
	}
	assert_int_equal(of_counters, fake.n ? 2 : 0);
}

static void test_accesses(void **state)
{
	(void)state;
	each(accessible);
}

static int forget(void **state)
{
	(void)state;
	pmu_forget(&pmu);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_identified),  cmocka_unit_test(test_refused),
		cmocka_unit_test(test_reset),       cmocka_unit_test(test_reset_refused),
		cmocka_unit_test(test_counts),      cmocka_unit_test(test_together),
		cmocka_unit_test(test_discovered),  cmocka_unit_test(test_snapshot),
		cmocka_unit_test(test_accesses),    cmocka_unit_test(test_filtered),
		cmocka_unit_test(test_paired),      cmocka_unit_test(test_threshold_bits), cmocka_unit_test(test_links),
		cmocka_unit_test(test_pair_that_counts), cmocka_unit_test(test_user_reads),
		cmocka_unit_test(test_kept_by_el3),
	};
	return cmocka_run_group_tests(tests, NULL, forget);
}
