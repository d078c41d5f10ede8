/*
 * NetBurst's wiring: the table against the rules that the manual states in words, from both sides.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pmu/netburst/wiring.h"

static unsigned wires(unsigned model)
{
	unsigned n = 0;

	for (unsigned c = 0; c < NETBURST_COUNTERS + 4; c++)
		for (unsigned select = 0; select < 10; select++)
			n += netburst_wire(c, select, model) != ESCR_NONE;
	return n;
}

static void as_many_as_the_manual_lists(void **state)
{
	(void)state;
	assert_int_equal(ESCR_COUNT, 45);
	assert_int_equal(wires(0), 103);
	assert_int_equal(wires(2), 103);
	/* Without IQ_ESCR0 and IQ_ESCR1, which reached three counters each. */
	assert_int_equal(wires(3), 97);
	assert_int_equal(wires(6), 97);
	assert_int_equal(wires(5), 0);
	assert_int_equal(wires(8), 0);
}

static void even_and_odd_reach_their_pairs(void **state)
{
	static const struct {
		uint32_t even, odd;
	} reach[] = {
		[GROUP_BPU] = {0x3, 0xc},
		[GROUP_MS] = {0x30, 0xc0},
		[GROUP_FLAME] = {0x300, 0xc00},
		[GROUP_IQ] = {0x13000, 0x2c000},
	};

	(void)state;
	for (unsigned i = 0; i < ESCR_COUNT; i++) {
		const struct netburst_escr *e = &netburst_escr[i];
		bool odd = (e->name[strlen(e->name) - 1] - '0') & 1;

		assert_int_equal(e->counters, odd ? reach[e->group].odd : reach[e->group].even);
		for (unsigned c = 0; c < NETBURST_COUNTERS; c++)
			if (e->counters >> c & 1)
				assert_int_equal(netburst_counter[c].group, e->group);
	}
}

static void addresses_are_unique_and_found(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ESCR_COUNT; i++) {
		assert_in_range(netburst_escr[i].msr, 0x3a0, 0x3e1);
		assert_int_equal(netburst_escr_at(netburst_escr[i].msr, 2), i);
		for (unsigned j = 0; j < i; j++)
			assert_int_not_equal(netburst_escr[i].msr, netburst_escr[j].msr);
	}
	assert_int_equal(netburst_escr_at(0x3ba, 2), IQ_ESCR0);
	assert_int_equal(netburst_escr_at(0x3ba, 3), ESCR_NONE);
	assert_int_equal(netburst_escr_at(0x3bf, 2), ESCR_NONE); /* no SSU_ESCR1 */
	assert_int_equal(netburst_escr_at(0x3b8, 5), ESCR_NONE); /* no model 5 */
}

static void known_wires(void **state)
{
	(void)state;
	assert_int_equal(netburst_wire(0, 6, 1), FSB_ESCR0);
	assert_int_equal(netburst_wire(14, 5, 3), CRU_ESCR3);
	assert_int_equal(netburst_wire(16, 4, 4), CRU_ESCR0);
	assert_int_equal(netburst_wire(12, 3, 2), SSU_ESCR0);
	assert_int_equal(netburst_wire(14, 3, 2), ESCR_NONE);
	assert_int_equal(netburst_wire(4, 7, 2), ESCR_NONE);
}

static void cascades(void **state)
{
	unsigned plain = 0, extended = 0;

	(void)state;
	for (unsigned from = 0; from < NETBURST_COUNTERS; from++)
		for (unsigned to = 0; to < NETBURST_COUNTERS; to++) {
			plain += netburst_cascade(from, to, false, 2);
			extended += netburst_cascade(from, to, true, 2);
			assert_false(netburst_cascade(from, to, true, 1));
		}
	assert_int_equal(plain, 18);
	assert_int_equal(extended, 4);
	/* Either direction between the pairs of a group, but nothing is started by 16 or 17 through CASCADE.
	 */
	assert_true(netburst_cascade(0, 2, false, 0));
	assert_true(netburst_cascade(2, 0, false, 0));
	assert_true(netburst_cascade(14, 16, false, 0));
	assert_false(netburst_cascade(16, 14, false, 0));
	assert_false(netburst_cascade(12, 16, false, 0));
	assert_false(netburst_cascade(0, 1, false, 0));
	assert_true(netburst_cascade(16, 12, true, 3));
	assert_true(netburst_cascade(17, 15, true, 3));
	assert_true(netburst_cascade(17, 16, true, 3));
	assert_true(netburst_cascade(16, 17, true, 3));
	assert_false(netburst_cascade(18, 0, false, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_many_as_the_manual_lists),
		cmocka_unit_test(even_and_odd_reach_their_pairs),
		cmocka_unit_test(addresses_are_unique_and_found),
		cmocka_unit_test(known_wires),
		cmocka_unit_test(cascades),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
