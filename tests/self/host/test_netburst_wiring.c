/*
 * NetBurst's wiring and registers: the tables against the rules that the manual states in words, from both
 * sides, and against a list of the published facts (tests/self/host/data).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "pmu/events/fields.h"
#include "pmu/netburst/driver/parts.h"
#include "pmu/netburst/driver/state.h"
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

/* --- the published facts ----------------------------------------------------------------------------- */

#define FIELDS 8

static const char *const groups[] = {
	[GROUP_BPU] = "BPU", [GROUP_MS] = "MS", [GROUP_FLAME] = "FLAME", [GROUP_IQ] = "IQ"};

static FILE *facts(const char *name, char *line, size_t size)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof path, "tests/self/host/data/%s", name);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, (int)size, f)); /* the head */
	return f;
}

static bool next_fact(FILE *f, char *line, size_t size, char *field[FIELDS])
{
	char *p = line;

	if (!fgets(line, (int)size, f))
		return false;
	line[strcspn(line, "\n")] = '\0';
	for (unsigned i = 0; i < FIELDS; i++)
		field[i] = p ? strsep(&p, ",") : (char *)"";
	return true;
}

/* "12 13 16", "0-4;6": a bit each. */
static uint32_t numbers(const char *list)
{
	uint32_t bits = 0;

	while (*list) {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (; first <= last; first++)
			bits |= 1u << first;
		list = *end ? end + 1 : end;
	}
	return bits;
}

static void escrs_as_published(void **state)
{
	char line[128], *f[FIELDS];
	FILE *csv = facts("netburst-escr.csv", line, sizeof line);
	unsigned n = 0;

	(void)state;
	for (; next_fact(csv, line, sizeof line, f); n++) {
		const struct netburst_escr *e = netburst_escr;

		while (e < netburst_escr + ESCR_COUNT && strcmp(e->name, f[0]))
			e++;
		if (e == netburst_escr + ESCR_COUNT)
			fail_msg("no ESCR %s", f[0]);
		assert_int_equal(e->msr, strtoul(f[1], NULL, 16));
		assert_string_equal(groups[e->group], f[2]);
		assert_int_equal(e->select, atoi(f[3]));
		assert_int_equal(e->counters, numbers(f[4]));
		assert_int_equal(e->models, numbers(f[5]));
	}
	fclose(csv);
	assert_int_equal(n, ESCR_COUNT);
}

static unsigned source(const char *number)
{
	return *number ? (unsigned)atoi(number) : NO_COUNTER;
}

static void counters_as_published(void **state)
{
	char line[128], *f[FIELDS];
	FILE *csv = facts("netburst-counters.csv", line, sizeof line);
	unsigned n = 0;

	(void)state;
	for (; next_fact(csv, line, sizeof line, f); n++) {
		assert_in_range(n, 0, NETBURST_COUNTERS - 1);
		assert_string_equal(netburst_counter[n].name, f[0]);
		assert_int_equal(MSR_NETBURST_COUNTER0 + n, strtoul(f[1], NULL, 16));
		assert_string_equal(netburst_counter[n].cccr, f[2]);
		assert_int_equal(MSR_NETBURST_CCCR0 + n, strtoul(f[3], NULL, 16));
		assert_string_equal(groups[netburst_counter[n].group], f[4]);
		assert_int_equal(n, atoi(f[5]));
		assert_int_equal(netburst_counter[n].cascade_from, source(f[6]));
		assert_int_equal(netburst_counter[n].extended_cascade_from, source(f[7]));
	}
	fclose(csv);
	assert_int_equal(n, NETBURST_COUNTERS);
}

/* Every field of the layouts is where it is published to be, and there is no other. */
static void layouts_as_published(void **state)
{
	char line[128], *f[FIELDS];
	FILE *csv = facts("netburst-layouts.csv", line, sizeof line);
	unsigned n = 0, known = 0;

	(void)state;
	for (; next_fact(csv, line, sizeof line, f); n++) {
		const struct register_field *field = netburst_fields;
		uint32_t first = (uint32_t)strtoul(f[0], NULL, 16), last = (uint32_t)strtoul(f[1], NULL, 16);

		while (field->name && !(field->width && !strcmp(field->name, f[2]) && field->first == first))
			field++;
		if (!field->name)
			fail_msg("no field %s of %s", f[2], f[0]);
		assert_int_equal(field->last, last);
		assert_int_equal(field->low, atoi(f[3]));
		assert_int_equal(field->width * (field->repeat ? field->repeat : 1), atoi(f[4]));
	}
	fclose(csv);
	for (const struct register_field *field = netburst_fields; field->name; field++)
		known += field->width != 0;
	assert_int_equal(n, known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_many_as_the_manual_lists),
		cmocka_unit_test(even_and_odd_reach_their_pairs),
		cmocka_unit_test(addresses_are_unique_and_found),
		cmocka_unit_test(known_wires),
		cmocka_unit_test(cascades),
		cmocka_unit_test(escrs_as_published),
		cmocka_unit_test(counters_as_published),
		cmocka_unit_test(layouts_as_published),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
