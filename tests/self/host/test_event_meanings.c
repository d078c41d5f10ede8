/*
 * What events mean, against a second table (each family's readings/meanings.csv) that was written from the
 * manuals without looking at the rows. Where a model reads the rows that expectations read, as that of
 * NetBurst does, a wrong meaning would agree with itself.
 *
 * The table has what an event counts, not its exceptions: a row may take away more, and may add deliveries
 * and software prefetches, which families differ about.
 */
#include "pmu/intel/events/core_events.h"
#include "pmu/contract/pmu.h"
#include "tests/self/host/support/fake_cpu.h"

#include <fnmatch.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static char offcore_names[INTEL_OFFCORE_POOL];

#define MEANINGS 400

static struct meaning {
	char text[256];
	const char *cpus, *event;
	struct event_term term[EVENT_TERMS];
	unsigned used;
} meaning[MEANINGS];
static unsigned n_meanings;

/* "a - b + 2 c" */
static void parse_terms(char *text, struct event_term out[EVENT_TERMS])
{
	int sign = 1, factor = 1;
	unsigned n = 0;

	for (char *word; (word = strsep(&text, " "));) {
		if (!strcmp(word, "+") || !strcmp(word, "-")) {
			sign = *word == '-' ? -1 : 1;
		} else if (*word >= '0' && *word <= '9' && !strchr(word, '.')) {
			factor = atoi(word);
		} else {
			assert_true(n < EVENT_TERMS && quantity_by_name(word) < Q_COUNT);
			out[n++] = (struct event_term){(quantity_number)quantity_by_name(word),
						       (int8_t)(sign * factor)};
			sign = factor = 1;
		}
	}
	assert_true(n > 0);
}

static void read_table(const char *path)
{
	FILE *f = fopen(path, "r");

	assert_true(f && fgets(meaning[n_meanings].text, sizeof meaning[0].text, f));
	while (n_meanings < MEANINGS && fgets(meaning[n_meanings].text, sizeof meaning[0].text, f)) {
		struct meaning *m = &meaning[n_meanings++];
		char *p = m->text;

		m->cpus = strsep(&p, ",");
		m->event = strsep(&p, ",");
		parse_terms(strsep(&p, ","), m->term);
	}
	fclose(f);
}

static int read_tables(void **state)
{
	glob_t found;

	(void)state;
	if (glob("pmu/*/readings/meanings.csv", 0, NULL, &found))
		return -1;
	for (size_t i = 0; i < found.gl_pathc; i++)
		read_table(found.gl_pathv[i]);
	globfree(&found);
	return n_meanings < 200 || n_meanings == MEANINGS;
}

/* The first row that fits counts. */
static struct meaning *find(const char *cpu, const char *event)
{
	for (unsigned i = 0; i < n_meanings; i++)
		if (!fnmatch(meaning[i].cpus, cpu, 0) && !fnmatch(meaning[i].event, event, 0))
			return &meaning[i];
	return NULL;
}

static bool listed(const struct meaning *m, enum quantity q)
{
	for (unsigned t = 0; t < EVENT_TERMS && m->term[t].coefficient; t++)
		if (m->term[t].quantity == q)
			return true;
	return false;
}

/* An exception that the row's rule names, by its source, counts besides. */
static bool excepted(const struct pmu_event *e, enum quantity q)
{
	for (unsigned i = 0; e->rule && i < sizeof e->rule->also / sizeof e->rule->also[0]; i++)
		if (e->rule->also[i].coefficient && e->rule->also[i].quantity == q)
			return true;
	return false;
}

/* Name of the quantity of which the row has another share than the table; NULL if there is none. */
static const char *fault(const struct pmu_event *e, const struct meaning *m)
{
	for (unsigned t = 0; t < EVENT_TERMS && m->term[t].coefficient; t++)
		if (event_coefficient(e, m->term[t].quantity) != m->term[t].coefficient)
			return quantity_info[m->term[t].quantity].name;
	for (unsigned t = 0; t < EVENT_TERMS && e->terms[t].coefficient; t++) {
		enum quantity q = (enum quantity)e->terms[t].quantity;
		bool may_add = q == Q_INTERRUPTS_HW || q == Q_INTERRUPTS_NMI || q == Q_INTERRUPTS_SW ||
			       q == Q_EXCEPTIONS || q == Q_PREFETCHES || excepted(e, q);

		if (!listed(m, q) && e->terms[t].coefficient > 0 && !may_add)
			return quantity_info[q].name;
	}
	return NULL;
}

static unsigned compared;

static void compare(const char *cpu, const struct pmu_event *e, bool needed)
{
	struct meaning *m = find(cpu, e->name);

	if (!m && needed)
		fail_msg("%s: %s is not in the second table", cpu, e->name);
	/* What is an interval anyway, of cores that count in another way, the table does not have. */
	if (!m || (!needed && quantity_info[m->term[0].quantity].class == QUANTITY_ARCH))
		return;
	m->used++;
	compared++;
	if (fault(e, m))
		fail_msg("%s: %s: the second table has another share of %s", cpu, e->name, fault(e, m));
}

/* Every row of NetBurst, of the architectural events, and of AMD's that have exact meanings. */
static void rows_of_drivers(void **state)
{
	(void)state;
	const struct model_profile *p;
	for (unsigned at = 0; (p = model_profile(at)); at++) {
		const char *why;
		static struct pmu pmu;

		fake_cpu_start(p, NULL);
		if (!pmu_find(NULL, &pmu, &why))
			continue;
		pmu.driver->list_events(&pmu);
		for (unsigned i = 0; i < pmu.n_events; i++)
			if (!(pmu.events[i]->flags & EVENT_OF_CORE))
				compare(p->name, pmu.events[i], true);
	}
	fake_cpu_stop();
	assert_in_range(compared, 1500, 5000);
}

/* Every row of every core of Intel's that counts exactly what a program does. */
static void rows_of_cores(void **state)
{
	static struct pmu_event row[INTEL_CORE_EVENTS_MAX];

	(void)state;
	compared = 0;
	for (unsigned core = 0; core < intel_core_count; core++) {
		unsigned n = intel_unpack((int)core, offcore_names, row, INTEL_CORE_EVENTS_MAX);

		for (unsigned i = 0; i < n; i++) {
			struct meaning *m = find("intel-core", row[i].name);

			if (m)
				m->used++;
			if (row[i].judgement == EVENT_EXACT && !(row[i].flags & EVENT_BY_NAME) &&
			    row[i].terms[0].quantity != Q_NOT_PROVOKED)
				compare("intel-core", &row[i], !event_is_micro(&row[i]));
		}
	}
	assert_in_range(compared, 600, 5000);
	for (unsigned i = 0; i < n_meanings; i++)
		if (!meaning[i].used)
			fail_msg("no row is called %s", meaning[i].event);
}

static void another_meaning_is_told(void **state)
{
	const struct meaning *taken = find("netburst-prescott", "branch_retired:MMTP");
	const struct pmu_event right = {
		.terms = {{Q_BRANCHES, 1}, {Q_BR_COND_NTAKEN, -1}, {Q_BR_MISPRED_TAKEN, -1}}};
	struct pmu_event e = right;

	(void)state;
	assert_null(fault(&e, taken));
	e.terms[0].quantity = Q_BR_COND;
	assert_non_null(fault(&e, taken));
	e = right;
	e.terms[2].coefficient = 0;
	assert_string_equal(fault(&e, taken), "br.mispredicted.taken");
	e = right;
	e.terms[1].coefficient = 1;
	assert_string_equal(fault(&e, taken), "br.cond.ntaken");
	e = right;
	e.terms[3] = (struct event_term){Q_LOADS, 1};
	assert_string_equal(fault(&e, taken), "loads");
	e.terms[3] = (struct event_term){Q_EXCEPTIONS, 1};
	assert_null(fault(&e, taken));
	assert_null(find("netburst-prescott", "NO_SUCH_EVENT"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_drivers),
		cmocka_unit_test(rows_of_cores),
		cmocka_unit_test(another_meaning_is_told),
	};

	return cmocka_run_group_tests(tests, read_tables, NULL);
}
