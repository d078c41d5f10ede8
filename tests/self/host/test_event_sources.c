/* What the image has of Intel's events, against every column of the imported table
 * (pmu/intel/events/events.csv), which tests/self/host/event-columns.t holds against its sources. */
#include "pmu/intel/events/core_events.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static char offcore_names[INTEL_OFFCORE_POOL];

#define LINES   4096
#define COLUMNS 14

struct line {
	char text[400];
	const char *name, *errata, *cores;
	uint64_t selector, value;
	uint32_t msr;
	char counters[8];
	bool pebs;
};

static struct line line[LINES];
static unsigned n_lines;
static struct pmu_event row[INTEL_CORE_EVENTS_MAX];

/* The next field, of which a comma is no end if the field is in quotation marks. */
static char *field(char **p)
{
	char *end;

	if (**p != '"')
		return strsep(p, ",");
	end = strchr(*p + 1, '"');
	if (!end)
		return NULL;
	*p = end + 1;
	return strsep(p, ",");
}

static int read_table(void **state)
{
	FILE *f = fopen("pmu/intel/events/events.csv", "r");

	(void)state;
	if (!f || !fgets(line[0].text, sizeof line[0].text, f))
		return -1;
	while (n_lines < LINES && fgets(line[n_lines].text, sizeof line[0].text, f)) {
		struct line *l = &line[n_lines++];
		char *column[COLUMNS] = {NULL}, *p = l->text;

		l->text[strcspn(l->text, "\r\n")] = 0;
		for (unsigned c = 0; c < COLUMNS && p; c++)
			column[c] = field(&p);
		if (!column[COLUMNS - 1])
			return -1;
		l->name = column[0];
		l->cores = column[1];
		l->selector = strtoull(column[2], NULL, 16);
		snprintf(l->counters, sizeof l->counters, "%s", column[3]);
		l->msr = (uint32_t)strtoul(column[9], NULL, 16);
		l->value = strtoull(column[10], NULL, 16);
		l->pebs = strcmp(column[11], "0");
		l->errata = column[12];
	}
	fclose(f);
	return n_lines < 3000 || n_lines == LINES;
}

static bool has_word(const char *list, const char *word, size_t length)
{
	for (; *list; list += strcspn(list, " "), list += *list == ' ')
		if (strcspn(list, " ") == length && !strncmp(list, word, length))
			return true;
	return false;
}

static const struct line *find(const char *name, const char *core)
{
	for (unsigned i = 0; i < n_lines; i++)
		if (!strcmp(line[i].name, name) && has_word(line[i].cores, core, strlen(core)))
			return &line[i];
	return NULL;
}

/* Every number of the list is in the row; the row may have more. */
static bool has_errata(const struct pmu_event *e, const char *list)
{
	for (const char *p = list; *p; p += strcspn(p, " "), p += *p == ' ')
		if (!e->errata || !has_word(e->errata, p, strcspn(p, " ")))
			return false;
	return true;
}

/* What is wrong with a row; NULL if nothing is. */
static const char *fault(const struct pmu_event *e, const struct line *l)
{
	uint32_t counters = (uint32_t)strtoul(l->counters, NULL, 16);

	if (e->code != l->selector)
		return "selector";
	if (e->extra_register != l->msr || e->extra_value != l->value)
		return "register";
	if (l->counters[0] == 'F' ? e->fixed != atoi(l->counters + 1) || e->counters : e->fixed != -1)
		return "fixed counter";
	/* Those that share a register share one counter, the first that can. */
	if (l->counters[0] != 'F' && e->counters != (l->msr ? counters & -counters : counters))
		return "counters";
	if (!(e->flags & EVENT_PRECISE) == l->pebs)
		return "PEBS";
	return has_errata(e, l->errata) ? NULL : "errata";
}

static void rows_are_the_tables(void **state)
{
	unsigned compared = 0;

	(void)state;
	for (unsigned core = 0; core < intel_core_count; core++) {
		unsigned n = intel_unpack((int)core, offcore_names, row, INTEL_CORE_EVENTS_MAX);

		for (unsigned i = 0; i < n; i++) {
			const struct line *l = row[i].flags & EVENT_BY_NAME
						       ? NULL
						       : find(row[i].name, intel_core_names[core]);

			if (row[i].flags & EVENT_BY_NAME)
				continue; /* offcore responses: test_intel_offcore */
			if (!l)
				fail_msg("%s: %s is in no table", intel_core_names[core], row[i].name);
			if (fault(&row[i], l))
				fail_msg("%s: %s: another %s", intel_core_names[core], row[i].name,
					 fault(&row[i], l));
			compared++;
		}
	}
	printf("# %u rows of Intel's cores compared with the table that was imported\n", compared);
	assert_in_range(compared, 9000, 20000);
}

/* Each column by itself. */
static void another_column_is_told(void **state)
{
	unsigned core = (unsigned)intel_core_by_name("SKL"),
		 n = intel_unpack((int)core, offcore_names, row, INTEL_CORE_EVENTS_MAX);
	static const char *const names[] = {"FRONTEND_RETIRED.DSB_MISS", "BR_INST_RETIRED.COND"};

	(void)state;
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < 2; k++) {
			const struct line *l = find(names[k], "SKL");
			struct pmu_event e = row[i];

			if (strcmp(e.name, names[k]))
				continue;
			assert_null(fault(&e, l));
			e.code ^= 1 << 8;
			assert_string_equal(fault(&e, l), "selector");
			e = row[i];
			e.counters ^= 2;
			assert_string_equal(fault(&e, l), "counters");
			e = row[i];
			e.flags ^= EVENT_PRECISE;
			assert_string_equal(fault(&e, l), "PEBS");
			e = row[i];
			e.extra_value ^= 1;
			assert_string_equal(fault(&e, l), "register");
			e = row[i];
			e.fixed = 1;
			assert_string_equal(fault(&e, l), "fixed counter");
			e = row[i];
			e.errata = NULL;
			if (k)
				assert_string_equal(fault(&e, l), "errata");
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_the_tables),
		cmocka_unit_test(another_column_is_told),
	};

	return cmocka_run_group_tests(tests, read_table, NULL);
}
