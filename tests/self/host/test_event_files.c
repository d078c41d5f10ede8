/* Vendors' event files: which are taken for the CPU under judgement, and who has to say so. */
#include "boot/event_files.h"
#include "arch/machine.h"
#include "arch/identity.h"
#include "arch/processors.h"
#include "arch/x86/cpu/cpuid.h"
#include "pmu/intel/intel.h"
#include "tests/self/host/support/fake_cpu.h"
#include "tests/report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define FILES    70
#define STRANGE  80 /* events whose names this CPU does not have: more than may be by chance */
#define MAP_LINE "GenuineIntel-6-(3C|45|46),V1,/HSW/events/%s,core,,,\n"

/* --- what stands in for the machine ----------------------------------------------------------------- */

static bool processor_works = true;

void machine_take(void)
{
}

void machine_give_back(void)
{
}

unsigned identity_read(struct identity_pair *out, unsigned max)
{
	struct cpu_identity cpu;

	assert_true(max >= 4);
	cpu_identify(&cpu);
	out[0].name = "vendor", snprintf(out[0].value, sizeof out[0].value, "%s", cpu.vendor);
	out[1].name = "family", snprintf(out[1].value, sizeof out[1].value, "%u", cpu.family);
	out[2].name = "model", snprintf(out[2].value, sizeof out[2].value, "%u", cpu.model);
	out[3].name = "stepping", snprintf(out[3].value, sizeof out[3].value, "%u", cpu.stepping);
	return 4;
}

bool processor_run(unsigned index, void (*fn)(void *), void *arg, const char **why)
{
	(void)index;
	*why = "it does not answer";
	if (processor_works)
		fn(arg);
	return processor_works;
}

static bool call(struct run *run, void (*fn)(void *), void *arg, unsigned ms, struct result *r)
{
	(void)run, (void)ms, (void)r;
	fn(arg);
	return true;
}

static char notes[8192];

void report_note(const char *text)
{
	strncat(notes, text, sizeof notes - strlen(notes) - 2);
	strcat(notes, "\n");
}

static struct {
	char name[64];
	const char *text;
} stick[FILES];
static unsigned n_stick;

static void put(const char *name, const char *text)
{
	snprintf(stick[n_stick].name, sizeof stick[0].name, "%s", name);
	stick[n_stick++].text = text;
}

static unsigned list_files(const char *directory, struct platform_file *out, unsigned max)
{
	unsigned n = 0;

	assert_string_equal(directory, "\\assay\\events");
	for (; n < n_stick && n < max; n++) {
		snprintf(out[n].name, sizeof out[n].name, "%s", stick[n].name);
		out[n].size = strlen(stick[n].text);
	}
	return n;
}

static bool read_file(const char *path, char **data, size_t *size, const char **why)
{
	for (unsigned i = 0; i < n_stick; i++)
		if (!strcmp(strrchr(path, '\\') + 1, stick[i].name)) {
			*data = strdup(stick[i].text);
			*size = strlen(stick[i].text);
			return true;
		}
	*why = "not found";
	return false;
}

static const struct platform platform = {.list_files = list_files, .read_file = read_file};
static struct pmu pmu;
static struct run run;
static unsigned own; /* rows of the CPU's own table */

/* Names that this CPU does not have, in files of a vendor: by themselves they are another CPU's. */
static char strange[STRANGE * 96];

static int setup(void **state)
{
	const char *why;
	size_t used = 1;

	(void)state;
	strange[0] = '[';
	for (unsigned i = 0; i < STRANGE; i++)
		used += (size_t)snprintf(
			strange + used, sizeof strange - used,
			"%s{\"EventName\":\"STRANGE.N%u\",\"EventCode\":\"0x%x\",\"SampleAfterValue\":\"1\"}",
			i ? "," : "", i, 0x20 + i);
	snprintf(strange + used, sizeof strange - used, "]");
	fake_cpu_start(&intel_haswell, "");
	assert_true(fake_cpu_identify(&intel_driver, &pmu, &why));
	own = pmu.n_events;
	run = (struct run){.pmu = &pmu, .call = call};
	n_stick = 0;
	notes[0] = 0;
	processor_works = true;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	event_files_forget(&run);
	assert_int_equal(pmu.n_events, own);
	assert_int_equal(pmu.n_unexplained, 0);
	fake_cpu_stop();
	return 0;
}

static void read_all(void)
{
	event_files_read(&platform, &run, 0);
}

static void said(const char *text)
{
	if (!strstr(notes, text))
		fail_msg("%s", notes);
}

static void a_file_that_nobody_vouches_for_is_held_against_the_table(void **state)
{
	(void)state;
	put("some.json", strange);
	read_all();
	said("events\\some.json: for another CPU: 0 of 80 events are this one's");
	assert_int_equal(pmu.n_unexplained, 0);
}

static void its_name_vouches_for_it(void **state)
{
	(void)state;
	put("GenuineIntel-6-3C_core.json", strange);
	read_all();
	said("80 of unknown meaning");
	assert_int_equal(pmu.n_unexplained, STRANGE);
}

static void the_map_vouches_for_it(void **state)
{
	char map[128];

	(void)state;
	snprintf(map, sizeof map, MAP_LINE, "haswell_core.json");
	put("haswell_core.json", strange);
	put("mapfile.csv", map);
	read_all();
	said("80 of unknown meaning");
	assert_int_equal(pmu.n_unexplained, STRANGE);
}

/* Only for that file, and not for one that it does not name. */
static void nobody_vouches_for_the_next_one(void **state)
{
	static char other[sizeof strange];
	char map[128];

	(void)state;
	strcpy(other, strange);
	for (char *at = other; (at = strstr(at, "STRANGE")); at++)
		memcpy(at, "UNKNOWN", 7);
	snprintf(map, sizeof map, MAP_LINE, "haswell_core.json");
	put("mapfile.csv", map);
	put("haswell_core.json", strange);
	put("other.json", other);
	read_all();
	said("events\\haswell_core.json: 80 events, 80 of unknown meaning");
	said("events\\other.json: for another CPU: 0 of 80 events are this one's");
	assert_int_equal(pmu.n_unexplained, STRANGE);
}

static void who_says_otherwise_is_believed(void **state)
{
	(void)state;
	put("mapfile.csv", "GenuineIntel-6-8F,V1,/SPR/events/spr_core.json,core,,,\n");
	put("spr_core.json", strange);
	put("GenuineIntel-6-8F.json", strange);
	put("readme.txt", "not looked at");
	read_all();
	said("events\\spr_core.json: for another CPU, as mapfile.csv says; this one is GenuineIntel-6-3C-");
	said("events\\GenuineIntel-6-8F.json: for another CPU, as its name says");
	assert_int_equal(pmu.n_unexplained, 0);
	assert_null(strstr(notes, "readme"));
}

static void what_cannot_be_read_is_left_out(void **state)
{
	(void)state;
	for (unsigned i = 0; i < FILES; i++) {
		char name[32];

		snprintf(name, sizeof name, "empty%02u.txt", i);
		put(name, "");
	}
	read_all();
	said("there may be more than 64 files; these are read");
	n_stick = 0;
	put("GenuineIntel-6-3C.json", strange);
	processor_works = false;
	read_all();
	said("the CPU could not be identified: left out");
	assert_int_equal(pmu.n_unexplained, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_file_that_nobody_vouches_for_is_held_against_the_table,
						setup, teardown),
		cmocka_unit_test_setup_teardown(its_name_vouches_for_it, setup, teardown),
		cmocka_unit_test_setup_teardown(the_map_vouches_for_it, setup, teardown),
		cmocka_unit_test_setup_teardown(nobody_vouches_for_the_next_one, setup, teardown),
		cmocka_unit_test_setup_teardown(who_says_otherwise_is_believed, setup, teardown),
		cmocka_unit_test_setup_teardown(what_cannot_be_read_is_left_out, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
