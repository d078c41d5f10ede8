/* Vendor event files: what is read from sound ones, what is said of others, and which rows become of them. */
#include "pmu/amd/amd.h"
#include "pmu/events/grammar.h"
#include "pmu/intel/intel.h"
#include "pmu/events/schedule.h"
#include "pmu/events/vendor_import.h"
#include "tests/self/host/support/fake_cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct vendor_reader reader;
static struct vendor_event event;
static char file[32768];

static size_t load(const char *name)
{
	char path[128];
	FILE *f;
	size_t size;

	snprintf(path, sizeof path, "tests/self/host/data/%s", name);
	f = fopen(path, "rb");
	assert_non_null(f);
	size = fread(file, 1, sizeof file, f);
	assert_in_range(size, 1, sizeof file - 1);
	fclose(f);
	return size;
}

/* What comes of a list with this in it; reading goes on in a copy that ends where the text does. */
static char *copied;

static enum vendor_answer first_of(const char *text)
{
	size_t size = strlen(text);

	free(copied);
	copied = malloc(size ? size : 1);
	memcpy(copied, text, size);
	if (!vendor_open(&reader, copied, size))
		return VENDOR_LOST;
	return vendor_next(&reader, &event);
}

static void reads_intels_form(void **unused)
{
	(void)unused;
	assert_true(vendor_open(&reader, file, load("events-intel.json")));
	assert_string_equal(reader.info, "Events of no CPU - V0");
	assert_true(reader.says_intel);

	assert_int_equal(vendor_next(&reader, &event), VENDOR_EVENT);
	assert_string_equal(event.name, "INST_RETIRED.ANY");
	assert_int_equal(event.fixed, 0);
	assert_int_equal(event.counters, 0);
	assert_int_equal(event.umask, 1);
	assert_string_equal(event.errata, "");
	assert_true(event.has_period);

	assert_int_equal(vendor_next(&reader, &event), VENDOR_EVENT);
	assert_int_equal(event.fixed, 2);

	assert_int_equal(vendor_next(&reader, &event), VENDOR_EVENT);
	assert_string_equal(event.name, "SOMETHING_NEW.TAKEN_UP");
	assert_int_equal(event.select, 0xc4);
	assert_int_equal(event.counters, 0xf);
	assert_int_equal(event.fixed, -1);
	assert_int_equal(event.precise, 1);
	assert_string_equal(event.errata, "XYZ1, XYZ2");

	assert_int_equal(vendor_next(&reader, &event), VENDOR_EVENT);
	assert_int_equal(event.cmask, 1);
	assert_true(event.invert && event.edge);
	assert_false(event.any_thread);

	assert_int_equal(vendor_next(&reader, &event), VENDOR_EVENT);
	assert_int_equal(event.select, 0xb7);
	assert_int_equal(event.extra_register, 0x1a6);
	assert_int_equal(event.extra_value, 0x10003c0001);

	assert_int_equal(vendor_next(&reader, &event), VENDOR_EVENT);
	assert_int_equal(event.counters, 2);
	assert_int_equal(vendor_next(&reader, &event), VENDOR_EVENT);
	assert_int_equal(vendor_next(&reader, &event), VENDOR_OTHER);
	assert_string_equal(event.unit, "CBO");
	assert_int_equal(vendor_next(&reader, &event), VENDOR_OTHER);
	assert_int_equal(vendor_next(&reader, &event), VENDOR_END);
	assert_int_equal(vendor_next(&reader, &event), VENDOR_END);
}

static void reads_perfs_form(void **unused)
{
	(void)unused;
	assert_true(vendor_open(&reader, file, load("events-perf.json")));
	assert_string_equal(reader.info, "");
	assert_int_equal(vendor_next(&reader, &event), VENDOR_EVENT);
	assert_string_equal(event.name, "ex_ret_instr");
	assert_int_equal(event.counters, UINT32_MAX);
	assert_false(event.has_period);
	assert_int_equal(vendor_next(&reader, &event), VENDOR_EVENT);
	assert_int_equal(event.select, 0x1c7);
	assert_int_equal(event.umask, 0x10);
	assert_int_equal(vendor_next(&reader, &event), VENDOR_OTHER);
	assert_int_equal(vendor_next(&reader, &event), VENDOR_OTHER);
	assert_int_equal(vendor_next(&reader, &event), VENDOR_END);
}

#define E "[{\"EventName\":\"A.B\","

static void takes_values_in_every_form(void **unused)
{
	(void)unused;
	assert_int_equal(first_of(E "\"EventCode\":196,\"UMask\":\"0X0f\",\"CounterMask\":null}]"),
			 VENDOR_EVENT);
	assert_int_equal(event.select, 196);
	assert_int_equal(event.umask, 15);
	assert_int_equal(first_of(E "\"Counter\":\"33,Fixed counter 1, 2 , 3\"}]"), VENDOR_EVENT);
	assert_int_equal(event.fixed, 1);
	assert_int_equal(event.counters, 0xc);
	assert_int_equal(first_of(E
				  "\"MSRValue\":\"0xffffffffffffffff\",\"UMaskExt\":\"0x80\",\"Equal\":\"1\","
				  "\"Unit\":\"cpu_core\",\"Deprecated\":\"1\"}]"),
			 VENDOR_EVENT);
	assert_true(event.extra_value == UINT64_MAX && event.umask2 == 0x80 && event.equal &&
		    event.deprecated);
	assert_string_equal(event.unit, "cpu_core");
	assert_int_equal(first_of("\xef\xbb\xbf \n [ {\"eventname\" : \"A\" } ]"), VENDOR_EVENT);
	/* Members that nobody asks for may be whatever they like. */
	assert_int_equal(first_of(E "\"More\":{\"EventName\":\"C\",\"UMask\":[1,{}]},\"UMask\":\"2\"}]"),
			 VENDOR_EVENT);
	assert_string_equal(event.name, "A.B");
	assert_int_equal(event.umask, 2);
}

static void says_what_is_wrong(void **unused)
{
	static const struct {
		const char *text;
		enum vendor_answer answer;
		const char *why;
	} cases[] = {
		{"", VENDOR_LOST, "no JSON"},
		{"PK\003\004", VENDOR_LOST, "no JSON"},
		{"{\"Metrics\":[]}", VENDOR_LOST, "no list of events"},
		{"{\"Events\":\"none\"}", VENDOR_LOST, "no list of events"},
		{"[", VENDOR_LOST, "cut off"},
		{"[{\"EventName\":\"A", VENDOR_LOST, "byte 1: the file ends within an event: it is cut off"},
		{E "\"UMask\":\"1\"", VENDOR_LOST, "cut off"},
		{"[7]", VENDOR_LOST, "must begin with {"},
		{"[{\"EventName\"?\"A\"}]", VENDOR_LOST, "no JSON"},
		{E "\"UMask\":\"0x100\"}]", VENDOR_BAD, "byte 1: \"0x100\" is no value of UMask"},
		{E "\"UMask\":\"1 2\"}]", VENDOR_BAD, "no value of UMask"},
		{E "\"UMask\":\"-1\"}]", VENDOR_BAD, "no value of UMask"},
		{E "\"UMask\":\"0x\"}]", VENDOR_BAD, "no value of UMask"},
		{E "\"UMask\":\"1,\"}]", VENDOR_BAD, "no value of UMask"},
		{E "\"UMask\":[1]}]", VENDOR_BAD, "UMask is no plain value"},
		{E "\"EventCode\":\"0x1000\"}]", VENDOR_BAD, "no value of EventCode"},
		{E "\"MSRValue\":\"0x10000000000000000\"}]", VENDOR_BAD, "no value of MSRValue"},
		{E "\"MSRValue\":\"18446744073709551616\"}]", VENDOR_BAD, "no value of MSRValue"},
		{E "\"Invert\":\"2\"}]", VENDOR_BAD, "no value of Invert"},
		{E "\"Counter\":\"48\"}]", VENDOR_BAD, "no list of counters"},
		{E "\"Counter\":\"0;1\"}]", VENDOR_BAD, "no list of counters"},
		{E "\"Counter\":\"Fixed counter\"}]", VENDOR_BAD, "no list of counters"},
		{"[{\"EventName\":\"\"}]", VENDOR_BAD, "EventName \"\" is none"},
		{"[{\"EventName\":\"A\\nB\"}]", VENDOR_BAD, "EventName \"A\\nB\" is none"},
		{"[{\"EventName\":\"A\001B\"}]", VENDOR_BAD, "EventName \"A?B\" is none"},
		{"[{\"EventName\":{}}]", VENDOR_BAD, "EventName is no plain value"},
	};
	(void)unused;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		if (first_of(cases[i].text) != cases[i].answer || !strstr(reader.why, cases[i].why))
			fail_msg("%s: \"%s\", expected \"%s\"", cases[i].text, reader.why, cases[i].why);
	}
	/* One that is not understood does not spoil the next. */
	assert_int_equal(first_of(E "\"UMask\":\"x\"},{\"EventName\":\"NEXT\"}]"), VENDOR_BAD);
	assert_int_equal(vendor_next(&reader, &event), VENDOR_EVENT);
	assert_string_equal(event.name, "NEXT");
	/* What a cut file holds before the cut is sound. */
	assert_int_equal(first_of(E "\"UMask\":\"1\"},{\"Eve"), VENDOR_EVENT);
	assert_int_equal(vendor_next(&reader, &event), VENDOR_LOST);
	assert_int_equal(vendor_next(&reader, &event), VENDOR_LOST);
}

static void has_limits(void **unused)
{
	char *text = malloc(VENDOR_FILE_MAX + 1);
	size_t n;

	(void)unused;
	assert_non_null(text);
	memset(text, ' ', VENDOR_FILE_MAX + 1);
	text[0] = '[';
	assert_false(vendor_open(&reader, text, VENDOR_FILE_MAX + 1));
	assert_non_null(strstr(reader.why, "larger than 8 MiB"));
	assert_true(vendor_open(&reader, text, VENDOR_FILE_MAX));
	assert_int_equal(vendor_next(&reader, &event), VENDOR_LOST);

	/* An event that never ends, in length and in members. */
	n = (size_t)sprintf(text, "[{\"a\":\"");
	memset(text + n, 'x', 100000);
	assert_true(vendor_open(&reader, text, n + 100000));
	assert_int_equal(vendor_next(&reader, &event), VENDOR_LOST);
	assert_non_null(strstr(reader.why, "more than 64 KiB"));
	n = (size_t)sprintf(text, "[{\"EventName\":\"A\"");
	for (unsigned i = 0; i < VENDOR_TOKENS; i++)
		n += (size_t)sprintf(text + n, ",\"a\":1");
	n += (size_t)sprintf(text + n, "}]");
	assert_true(vendor_open(&reader, text, n));
	assert_int_equal(vendor_next(&reader, &event), VENDOR_LOST);
	assert_non_null(strstr(reader.why, "too many members"));

	/* A name of the greatest length, and one of one more. */
	for (unsigned longer = 0; longer < 2; longer++) {
		n = (size_t)sprintf(text, "[{\"EventName\":\"");
		memset(text + n, 'N', VENDOR_NAME - 1 + longer);
		n += VENDOR_NAME - 1 + longer;
		n += (size_t)sprintf(text + n, "\"}]");
		assert_true(vendor_open(&reader, text, n));
		assert_int_equal(vendor_next(&reader, &event), longer ? VENDOR_BAD : VENDOR_EVENT);
	}
	free(text);
}

/* --- rows ------------------------------------------------------------------------------------------- */

static struct pmu pmu;
static struct import all;
static struct import_tally tally;

static void start(const struct model_profile *profile, const struct pmu_driver *driver)
{
	const char *why = "";

	fake_cpu_start(profile, "");
	assert_true(fake_cpu_identify(driver, &pmu, &why));
}

static void stop(void)
{
	unsigned own = pmu.n_events;

	import_free(&all, &pmu);
	assert_int_equal(pmu.n_unexplained, 0);
	assert_true(pmu.n_events <= own);
	fake_cpu_stop();
}

static const struct pmu_event *row(const char *name)
{
	const struct pmu_event *e = event_by_name(pmu.events, pmu.n_events + pmu.n_unexplained, name);
	assert_non_null(e);
	return e;
}

/* A list that nothing says of which CPU it is for, with as many events of this CPU's own, and so many under
 * other codes. */
static bool import_mixed(unsigned same, unsigned other)
{
	size_t n = (size_t)snprintf(file, sizeof file, "[");
	unsigned taken = 0;

	start(&intel_haswell, &intel_driver);
	for (unsigned i = 0; i < pmu.n_events && taken < same + other; i++) {
		const struct pmu_event *e = pmu.events[i];

		if (e->fixed >= 0 || e->extra_register || e->code >> 16 || e->counters != 0xff)
			continue;
		n += (size_t)snprintf(file + n, sizeof file - n,
				      "%s{\"EventName\":\"%s\",\"EventCode\":\"%#x\",\"UMask\":\"%#x\","
				      "\"SampleAfterValue\":\"1\"}",
				      taken ? "," : "", e->name, (unsigned)e->code & 0xff,
				      (unsigned)(e->code >> 8 & 0xff) ^ (taken < other ? 0x80 : 0));
		taken++;
	}
	n += (size_t)snprintf(file + n, sizeof file - n,
			      ",{\"EventName\":\"BRAND.NEW\",\"EventCode\":\"0xc4\",\"UMask\":\"0\","
			      "\"SampleAfterValue\":\"1\"}]");
	assert_int_equal(taken, same + other);
	return import_file(&all, &pmu, NULL, file, n, &tally);
}

static void tells_another_cpus_by_its_codes(void **unused)
{
	(void)unused;
	assert_true(import_mixed(60, 0));
	assert_int_equal(tally.there, 60);
	assert_int_equal(all.count, 1);
	import_free(&all, &pmu);
	/* Few, or few of many, are a newer edition. */
	assert_true(import_mixed(60, 4));
	assert_int_equal(tally.contrary, 4);
	assert_int_equal(all.count, 1);
	import_free(&all, &pmu);
	assert_false(import_mixed(60, 5));
	assert_string_equal(tally.first,
			    "for another CPU: 60 of 66 events are this one's, 5 more under other codes");
	assert_int_equal(tally.events, 0);
	assert_int_equal(all.count, 0);
	import_free(&all, &pmu);
	/* One in 32 of those that the CPU has. */
	assert_false(import_mixed(154, 5));
	import_free(&all, &pmu);
	assert_true(import_mixed(155, 5));
	import_free(&all, &pmu);
}

/* So many new events, beside one of this CPU's own. */
static bool import_strange(unsigned count, bool periods)
{
	size_t n = (size_t)snprintf(
		file, sizeof file,
		"[{\"EventName\":\"INST_RETIRED.ANY_P\",\"EventCode\":\"0xc0\",\"UMask\":\"0\"}");

	start(&intel_haswell, &intel_driver);
	for (unsigned i = 0; i < count; i++)
		n += (size_t)snprintf(
			file + n, sizeof file - n,
			",{\"EventName\":\"STRANGE.N%u\",\"EventCode\":\"0xc4\",\"UMask\":\"%u\"%s}", i, i,
			periods ? ",\"SampleAfterValue\":\"1\"" : "");
	n += (size_t)snprintf(file + n, sizeof file - n, "]");
	return import_file(&all, &pmu, NULL, file, n, &tally);
}

static void tells_another_cpus_by_its_names(void **unused)
{
	(void)unused;
	assert_true(import_strange(63, true)); /* a newer edition may have as many more */
	assert_int_equal(all.count, 63);
	import_free(&all, &pmu);
	assert_false(import_strange(64, true));
	assert_string_equal(tally.first,
			    "for another CPU: 1 of 65 events are this one's, 0 more under other codes");
	assert_int_equal(all.count, 0);
	import_free(&all, &pmu);
	assert_true(import_strange(64, false)); /* not in Intel's way */
	import_free(&all, &pmu);
	all.sure = true;
	assert_true(import_strange(64, true));
	import_free(&all, &pmu);
}

/* One event under the name of a row of the PMU's table, with these encodings. */
static void import_one(const struct pmu_event *e, const char *counter, uint64_t code, uint32_t msr,
		       uint64_t value)
{
	size_t n = (size_t)snprintf(
		file, sizeof file,
		"[{\"EventName\":\"%s\",\"EventCode\":\"%#x\",\"UMask\":\"%#x\",\"CounterMask\":\"%u\","
		"\"Counter\":\"%s\",\"MSRIndex\":\"%#x\",\"MSRValue\":\"%#llx\",\"SampleAfterValue\":\"1\"}]",
		e->name, (unsigned)code & 0xff, (unsigned)(code >> 8) & 0xff, (unsigned)(code >> 24) & 0xff,
		counter, msr, (unsigned long long)value);

	assert_true(import_file(&all, &pmu, NULL, file, n, &tally));
	assert_int_equal(tally.events, 1);
}

/* A name alone is no event: each part of the encoding counts. */
static void knows_rows_by_the_whole_encoding(void **unused)
{
	const struct pmu_event *offcore = NULL, *threshold = NULL, *fixed = NULL;

	(void)unused;
	start(&intel_skylake, &intel_driver);
	for (unsigned i = 0; i < pmu.n_events; i++) {
		const struct pmu_event *e = pmu.events[i];

		if (e->extra_register == 0x1a6 && e->extra_value)
			offcore = e;
		if (e->fixed < 0 && !e->extra_register && e->code >> 24 == 1 && !(e->code & 0xff0000))
			threshold = e;
		if (e->fixed == 1)
			fixed = e;
	}
	const struct {
		const struct pmu_event *row;
		const char *counter;
		uint64_t code;
		uint32_t msr;
		uint64_t value;
		bool known;
	} files[] = {
		{offcore, "0,1,2,3", offcore->code, 0x1a6, offcore->extra_value, true},
		{offcore, "0,1,2,3", offcore->code, 0x1a6, offcore->extra_value ^ 2, false},
		{offcore, "0,1,2,3", offcore->code, 0x1a6, offcore->extra_value | 1ull << 37, false},
		{offcore, "0,1,2,3", offcore->code, 0x1a7, offcore->extra_value, false},
		{offcore, "0,1,2,3", offcore->code ^ 0xc, 0x1a6, offcore->extra_value, false},
		{offcore, "0,1,2,3", offcore->code, 0, 0, false},
		{threshold, "0,1,2,3", threshold->code, 0, 0, true},
		{threshold, "0,1,2,3", threshold->code ^ 0x100, 0, 0, false},
		{threshold, "0,1,2,3", threshold->code ^ 3 << 24, 0, 0, false},
		{threshold, "Fixed counter 1", threshold->code, 0, 0, false},
		{fixed, "Fixed counter 1", 0, 0, 0, true}, /* a code says nothing of it */
		{fixed, "Fixed counter 2", fixed->code, 0, 0, false},
		{fixed, "0,1,2,3", fixed->code, 0, 0, false},
	};

	for (unsigned i = 0; i < sizeof files / sizeof files[0]; i++) {
		import_one(files[i].row, files[i].counter, files[i].code, files[i].msr, files[i].value);
		if (tally.there != files[i].known || tally.differing == files[i].known)
			fail_msg("%s, file %u: %u known, %u differing", files[i].row->name, i, tally.there,
				 tally.differing);
		assert_int_equal(all.count, 0);
		/* Of events with a register besides, other codes are no sign of another CPU. */
		assert_int_equal(tally.contrary, !files[i].known && !files[i].msr);
	}
	/* One name in several files, or twice in one, whatever its case: the first stays. */
	const struct pmu_event first = {.name = "BRAND.NEW"}, again = {.name = "Brand.New"};

	import_one(&first, "0,1,2,3", 0x1c4, 0, 0);
	assert_int_equal(all.count, 1);
	import_one(&again, "0,1,2,3", 0x1c4, 0, 0);
	assert_int_equal(tally.there, 1);
	import_one(&again, "0,1,2,3", 0x2c4, 0, 0);
	assert_int_equal(tally.differing, 1);
	assert_int_equal(tally.contrary, 0);
	assert_int_equal(all.count, 1);
	import_free(&all, &pmu);
	fake_cpu_stop();
}

static void makes_rows_for_intel(void **unused)
{
	struct event_request request;
	struct event_error error;
	unsigned own;

	(void)unused;
	start(&intel_haswell, &intel_driver);
	own = pmu.n_events;
	assert_true(import_file(&all, &pmu, NULL, file, load("events-intel.json"), &tally));
	assert_int_equal(tally.events, 7);
	assert_int_equal(tally.there, 1);
	assert_int_equal(tally.explained, 1);
	assert_int_equal(tally.unexplained, 4);
	assert_int_equal(tally.differing, 1);
	assert_int_equal(tally.others, 2);
	assert_int_equal(tally.unfit + tally.bad + tally.lost + tally.full, 0);
	assert_true(tally.periods);
	assert_string_equal(tally.first,
			    "LONGEST_LAT_CACHE.MISS: code 0x184412e in the file, 0x412e in the table");

	assert_true(import_finish(&all, &pmu));
	assert_int_equal(pmu.n_events, own + 1);
	assert_int_equal(pmu.n_unexplained, 4);
	assert_int_equal(row("CPU_CLK_UNHALTED.REF_TSC")->fixed, 2);
	assert_int_equal(row("CPU_CLK_UNHALTED.REF_TSC")->terms[0].quantity, Q_REF_CYCLES);
	assert_int_equal(row("SOMETHING_NEW.TAKEN_UP")->code, 0xc4);
	assert_int_equal(row("SOMETHING_NEW.TAKEN_UP")->terms[0].coefficient, 0);
	assert_int_equal(row("SOMETHING_ELSE.ENTIRELY")->counters, 2);
	assert_string_equal(row("SOMETHING_NEW.TAKEN_UP")->errata, "XYZ1 XYZ2");
	assert_true(row("SOMETHING_NEW.TAKEN_UP")->flags & EVENT_PRECISE);
	assert_null(row("SOMETHING_ELSE.ENTIRELY")->errata);
	assert_int_equal(row("OFFCORE_RESPONSE:request=ANY:response=ANY")->extra_register, 0x1a6);
	assert_true(row("OFFCORE_RESPONSE:request=ANY:response=ANY")->extra_value == 0x10003c0001);

	/* Names of both kinds can be asked for. */
	assert_int_equal(event_parse(&pmu, "something_new:taken_up:u", &request, 1, &error), 1);
	assert_int_equal(request.config.code, 0xc4);
	assert_int_equal(event_parse(&pmu, "CPU_CLK_UNHALTED.REF_TSC", &request, 1, &error), 1);
	stop();
	assert_int_equal(pmu.n_events, own);
}

static void makes_rows_for_amd(void **unused)
{
	(void)unused;
	start(&amd_zen3, &amd_driver);
	assert_true(import_file(&all, &pmu, NULL, file, load("events-perf.json"), &tally));
	assert_int_equal(tally.explained, 1);
	assert_int_equal(tally.unexplained, 1);
	assert_int_equal(tally.others, 2);
	assert_false(tally.periods);
	assert_true(import_finish(&all, &pmu));
	assert_int_equal(row("ex_ret_instr")->terms[0].quantity, Q_INSTRUCTIONS);
	assert_true(row("ex_ret_novelty")->code == 0x1000010c7);
	stop();
}

static struct import_tally import_text(const char *core, const char *text)
{
	assert_true(import_file(&all, &pmu, core, text, strlen(text), &tally));
	return tally;
}

/* What a file says of how an event can be sampled stays with the row, whether its meaning is known or not. */
static void keeps_what_the_file_says(void **unused)
{
	static const char *const names[] = {"MEM_INST_RETIRED.ALL_LOADS", "NOBODY_KNOWS.THIS"};
	char text[256];

	(void)unused;
	for (unsigned i = 0; i < 2; i++)
		for (unsigned pebs = 0; pebs < 2; pebs++) {
			start(&intel_core2, &intel_driver);
			snprintf(text, sizeof text,
				 "[{\"EventName\":\"%s\",\"EventCode\":\"0xd0\",\"UMask\":\"0x81\","
				 "\"Counter\":\"0,1\",\"PEBS\":\"%u\"}]",
				 names[i], pebs);
			assert_int_equal(import_text(NULL, text).explained, i == 0);
			assert_true(import_finish(&all, &pmu));
			assert_int_equal(!!(row(names[i])->flags & EVENT_PRECISE), pebs);
			stop();
		}
}

static void refuses_what_the_cpu_cannot(void **unused)
{
	(void)unused;
	start(&intel_core2, &intel_driver);
	assert_int_equal(import_text(NULL, E "\"AnyThread\":\"1\"}]").unfit, 1);
	assert_int_equal(import_text(NULL, E "\"EventCode\":\"0x1c0\"}]").unfit, 1);
	assert_int_equal(import_text(NULL, E "\"UMaskExt\":\"1\"}]").unfit, 1);
	assert_int_equal(import_text(NULL, E "\"Equal\":\"1\"}]").unfit, 1);
	assert_int_equal(import_text(NULL, E "\"Counter\":\"2,3\"}]").unfit, 1);
	/* A file may not set what it likes: IA32_MISC_ENABLE. */
	assert_int_equal(import_text(NULL, E "\"MSRIndex\":\"0x1a0\",\"MSRValue\":\"0\"}]").unfit, 1);
	assert_int_equal(import_text(NULL, E "\"Counter\":\"Fixed counter 3\"}]").unfit, 1);
	assert_int_equal(import_text("cpu_core", E "\"Unit\":\"cpu_atom\"}]").unfit, 1);
	assert_int_equal(import_text("cpu_core", E "\"Unit\":\"cpu_core\"}]").unexplained, 1);
	assert_int_equal(import_text("cpu_core", E "\"Unit\":\"cpu\"}]").there, 1);
	assert_int_equal(import_text(NULL, E "\"Unit\":\"cpu_atom\",\"UMask\":1}]").differing, 1);
	stop();

	start(&amd_zen3, &amd_driver);
	assert_int_equal(import_text(NULL, E "\"AnyThread\":\"1\"}]").unfit, 1);
	assert_int_equal(import_text(NULL, E "\"Counter\":\"Fixed counter 0\"}]").unfit, 1);
	assert_int_equal(import_text(NULL, E "\"MSRIndex\":\"0x1a6\",\"MSRValue\":\"1\"}]").unfit, 1);
	stop();

	/* A family whose vendor publishes none. */
	struct pmu_driver none = intel_driver;
	none.encode = NULL;
	start(&intel_core2, &intel_driver);
	pmu.driver = &none;
	assert_false(import_file(&all, &pmu, NULL, "[]", 2, &tally));
	assert_non_null(strstr(tally.first, "no event files"));
	stop();
}

/* A name that cores mean differently: where they encode it differently as well, the encoding decides. */
static void tells_meanings_apart(void **unused)
{
	static const char text[] = "[{\"EventName\":\"FP_ARITH_INST_RETIRED.SCALAR_DOUBLE\",\"EventCode\":"
				   "\"0xc7\",\"UMask\":\"0x1\"},"
				   "{\"EventName\":\"FP_ARITH_INST_RETIRED.SCALAR_SINGLE\",\"EventCode\":"
				   "\"0xc8\",\"UMask\":\"0x2\"},"
				   "{\"EventName\":\"FP_ARITH_INST_RETIRED.128B_PACKED_DOUBLE\","
				   "\"EventCode\":\"0xc9\",\"UMask\":\"0x4\"},"
				   "{\"EventName\":\"BR_INST_RETIRED.ANY\",\"EventCode\":\"0xc4\"}]";
	const struct event_rule *rule;
	struct pmu_event meant;
	const char *core;

	(void)unused;
	start(&intel_haswell, &intel_driver);
	assert_int_equal(import_text(NULL, text).explained, 2);
	assert_int_equal(tally.unexplained, 2);
	assert_true(import_finish(&all, &pmu));
	assert_int_equal(row("FP_ARITH_INST_RETIRED.SCALAR_DOUBLE")->judgement, EVENT_EXACT);
	assert_non_null(row("FP_ARITH_INST_RETIRED.SCALAR_SINGLE")->rule);
	assert_ptr_not_equal(row("FP_ARITH_INST_RETIRED.SCALAR_DOUBLE")->rule,
			     row("FP_ARITH_INST_RETIRED.SCALAR_SINGLE")->rule);
	assert_false(intel_driver.candidate(row("FP_ARITH_INST_RETIRED.SCALAR_DOUBLE"), 0, &meant, &core));

	/* Where the encoding does not tell, or is that of none, all of them are left. */
	assert_true(
		intel_driver.candidate(row("FP_ARITH_INST_RETIRED.128B_PACKED_DOUBLE"), 1, &meant, &core));
	assert_false(
		intel_driver.candidate(row("FP_ARITH_INST_RETIRED.128B_PACKED_DOUBLE"), 2, &meant, &core));
	assert_true(intel_driver.candidate(row("BR_INST_RETIRED.ANY"), 0, &meant, &core));
	assert_string_equal(core, "BNL");
	rule = meant.rule;
	assert_int_equal(meant.code, 0xc4);
	assert_true(intel_driver.candidate(row("BR_INST_RETIRED.ANY"), 1, &meant, &core));
	assert_string_equal(core, "MRM");
	assert_int_equal(meant.terms[0].quantity, Q_BRANCHES);
	assert_ptr_not_equal(meant.rule, rule);
	assert_false(intel_driver.candidate(row("BR_INST_RETIRED.ANY"), 2, &meant, &core));
	stop();
}

/* Two values of one register take two passes, one value one. */
static void schedules_by_the_register(void **unused)
{
	static const char text[] = "[{\"EventName\":\"A\",\"MSRIndex\":\"0x3f7\",\"MSRValue\":\"0x11\"},"
				   "{\"EventName\":\"B\",\"MSRIndex\":\"0x3f7\",\"MSRValue\":\"0x12\"},"
				   "{\"EventName\":\"C\",\"MSRIndex\":\"0x3f7\",\"MSRValue\":\"0x11\"},"
				   "{\"EventName\":\"D\",\"MSRIndex\":\"0x1a6\",\"MSRValue\":\"0x12\"}]";
	struct event_request request[4];
	struct event_error error;
	struct sched_place place[4];
	struct sched_result result;
	const char *why;

	(void)unused;
	start(&intel_skylake, &intel_driver);
	assert_int_equal(import_text(NULL, text).unexplained, 4);
	assert_true(import_finish(&all, &pmu));
	for (unsigned i = 0; i < 4; i++) {
		const char name[] = {(char)('A' + i), 0};
		assert_int_equal(event_parse(&pmu, name, &request[i], 1, &error), 1);
	}
	assert_true(schedule_events(&pmu, request, 4, place, &result, &why));
	assert_int_equal(result.passes, 2);
	assert_int_equal(result.bound, 2);
	assert_int_not_equal(place[0].pass, place[1].pass);
	assert_int_equal(place[0].pass, place[2].pass);
	assert_true(event_clashes(request[0].event, request[1].event));
	assert_false(event_clashes(request[0].event, request[2].event));
	assert_false(event_clashes(request[0].event, request[3].event));
	stop();
}

static void takes_no_more_than_there_is_room_for(void **unused)
{
	const unsigned count = IMPORT_MAX + 10;
	char *text = malloc(count * 40 + 16);
	size_t n = 0;

	(void)unused;
	assert_non_null(text);
	for (unsigned i = 0; i < count; i++)
		n += (size_t)sprintf(text + n, "%c{\"EventName\":\"E%u\"}", i ? ',' : '[', i);
	n += (size_t)sprintf(text + n, "]");
	start(&intel_core2, &intel_driver);
	assert_true(import_file(&all, &pmu, NULL, text, n, &tally));
	assert_true(tally.full);
	assert_int_equal(tally.unexplained, IMPORT_MAX);
	stop();
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_intels_form),
		cmocka_unit_test(reads_perfs_form),
		cmocka_unit_test(takes_values_in_every_form),
		cmocka_unit_test(says_what_is_wrong),
		cmocka_unit_test(has_limits),
		cmocka_unit_test(tells_another_cpus_by_its_codes),
		cmocka_unit_test(tells_another_cpus_by_its_names),
		cmocka_unit_test(knows_rows_by_the_whole_encoding),
		cmocka_unit_test(makes_rows_for_intel),
		cmocka_unit_test(makes_rows_for_amd),
		cmocka_unit_test(keeps_what_the_file_says),
		cmocka_unit_test(refuses_what_the_cpu_cannot),
		cmocka_unit_test(tells_meanings_apart),
		cmocka_unit_test(schedules_by_the_register),
		cmocka_unit_test(takes_no_more_than_there_is_room_for),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	free(copied);
	return failed;
}
