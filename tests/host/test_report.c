/*
 * The report, end to end: results go in, and what comes out is read back by others: the JSON document by
 * python3-jsonschema (through scripts/validate-report), the TAP stream by TAP::Parser (through prove).
 */
#include "tests/host/support/console.h"
#include "tests/report.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const struct report_header header = {
	.build_id = "v0-1-gabcdef",
	.platform = "host test",
	.firmware = "none \"quoted\" \\ \x01 \xff caf\xc3\xa9",
	.cpu_vendor = "GenuineIntel",
	.cpu_brand = "Some CPU",
	.cpu_signature = 0x6f6,
	.cpu_family = 6,
	.cpu_model = 15,
	.cpu_stepping = 6,
	.microcode = 0xd0,
	.cpu_count = 2,
	.tsc_hz = 2400000000,
	.time_reference = "HPET",
	.watchdog = "NMI from HPET",
	.options = "pmu=auto n=20",
};

static struct pmu pmu = {
	.name = "Intel architectural PMU version 2",
	.version = 2,
	.n_counters = 2,
	.n_general = 1,
	.n_fixed = 1,
	.counter =
		{{.name = "PMC0", .width = 40, .write_width = 32, .has_status = true, .has_interrupt = true},
		 {.name = "FIXED_CTR0",
		  .kind = COUNTER_FIXED,
		  .width = 40,
		  .write_width = 40,
		  .rdpmc = 0x40000000}},
	.n_events = 7,
	.virtual = true,
	.model = "intel-core2",
};

static const struct pmu_snapshot snapshot = {
	.count = 2,
	.entry = {{"IA32_PERF_GLOBAL_CTRL", 0x38f, UINT64_MAX, true, true},
		  {"IA32_FIXED_CTR_CTRL", 0x38d, 0, false, false}},
};

static void begin(bool verbose)
{
	struct report_header h = header;

	h.verbose = verbose;
	fake_console_reset();
	report_begin(&h);
	report_note("no HPET: using the ACPI PM timer");
	report_pmu(&pmu);
	report_snapshot(&snapshot, NULL, false);
}

/* A matrix cell on two N; observed differs from expected by delta. */
static void cell(const char *event, const char *counter, const char *kernel, enum verdict verdict,
		 int64_t delta)
{
	struct result r = {
		.suite = "events", .event = event, .kernel = kernel, .counter = counter, .ring = "ring 0"};
	char name[128];

	snprintf(name, sizeof name, "%s/%s/%s", event, counter, kernel);
	r.name = name;
	r.encoding = 0xc0;
	r.manual = "SDM vol. 3, 19.2.1.2";
	r.virtual = true;
	for (unsigned i = 0; i < 2 && verdict != VERDICT_SKIPPED; i++) {
		struct observation *o = &r.observation[i];

		r.n_observations++;
		o->n = 20 * (i + 1);
		o->low = o->high = 12 * (int64_t)o->n;
		for (unsigned k = 0; k < 3; k++)
			histogram_add(&o->seen, o->low + delta);
	}
	r.judgement.verdict = verdict;
	r.judgement.bias = delta;
	r.judgement.slope_num = 12;
	r.judgement.slope_den = 1;
	if (verdict == VERDICT_SKIPPED)
		snprintf(r.judgement.text, sizeof r.judgement.text, "not offered by this CPU");
	else if (verdict_is_bad(verdict))
		snprintf(r.judgement.text, sizeof r.judgement.text, "off by %" PRId64, delta);
	report_result(&r);
}

static void plain(const char *name, enum verdict verdict, const char *text)
{
	struct result r = {.suite = "control", .name = name, .counter = "PMC0"};

	r.judgement.verdict = verdict;
	snprintf(r.judgement.text, sizeof r.judgement.text, "%s", text);
	if (verdict == VERDICT_EXACT || verdict == VERDICT_WRONG) {
		r.n_observations = 1;
		r.observation[0].n = 1;
		r.observation[0].low = 3;
		r.observation[0].high = 5;
		histogram_add(&r.observation[0].seen, 5);
		histogram_add(&r.observation[0].seen, verdict == VERDICT_WRONG ? 6 : 4);
	}
	report_result(&r);
}

/* Numbers at and beyond the limits of what JSON readers keep. */
static void extreme(void)
{
	struct result r = {.suite = "limits", .name = "extreme numbers", .n_observations = 1};
	struct observation *o = &r.observation[0];

	o->n = UINT64_MAX;
	o->low = INT64_MIN;
	o->high = INT64_C(1) << 53;
	histogram_add(&o->seen, INT64_MAX);
	histogram_add(&o->seen, o->high + 1);
	report_result(&r);
}

/* A run with every verdict in it. */
static void mixed_run(bool verbose)
{
	begin(verbose);
	report_suite_begin("control", "counters obey their controls");
	plain("enable gating", VERDICT_EXACT, "");
	plain("a # mark and a \\ in the name", VERDICT_WRONG, "status \"bit\" 3 stays set");
	plain("freeze on PMI", VERDICT_SKIPPED, "version 2 has no such control # really");
	plain("interrupt as NMI", VERDICT_ERROR, "the watchdog ended it");
	report_suite_end();
	report_suite_begin("events", "every event on every counter against every kernel");
	for (unsigned e = 0; e < 2; e++)
		for (unsigned c = 0; c < 4; c++)
			for (unsigned k = 0; k < 3; k++) {
				static const char *const event[] = {"INST_RETIRED.ANY_P",
								    "BR_INST_RETIRED.ALL_BRANCHES"};
				static const char *const counter[] = {"PMC0", "PMC1", "PMC3", "FIXED_CTR0"};
				static const char *const kernel[] = {"nop_loop", "taken", "calls"};

				cell(event[e], counter[c], kernel[k],
				     e && c == 2 ? VERDICT_BIASED : VERDICT_EXACT, e && c == 2);
			}
	cell("LLC_MISSES", "PMC0", "nop_loop", VERDICT_SKIPPED, 0);
	report_suite_end();
	report_value("overhead", "bracket", "4", "instructions");
}

struct taken {
	char *text;
	size_t size, most;
};

static bool take(void *to, const char *text, size_t size)
{
	struct taken *t = to;

	if (t->most - t->size < size)
		return false;
	t->text = realloc(t->text, t->size + size + 1);
	assert_non_null(t->text);
	memcpy(t->text + t->size, text, size);
	t->size += size;
	t->text[t->size] = 0;
	return true;
}

static char *json_of(size_t *size)
{
	struct taken t = {.most = SIZE_MAX};

	assert_true(report_json(take, &t));
	assert_int_equal(strlen(t.text), t.size);
	*size = t.size;
	return t.text;
}

/* Exit status of a command that is given `text` in a file as its last argument. */
static int judge_file(const char *command, const char *text)
{
	char path[] = "/tmp/assay-test-XXXXXX", line[512];
	int fd = mkstemp(path), status;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	snprintf(line, sizeof line, command, path, path);
	status = system(line);
	unlink(path);
	assert_true(status != -1);
	return status >> 8;
}

#define VALIDATE "python3 scripts/validate-report %s"
/* TAP::Parser of Debian 12 knows versions up to 13; what we use of 14 it reads as comments. */
#define OLD_TAP "sed -i s/^TAP.version.14$/TAP\\ version\\ 13/ %s; "
#define SUMMARY "perl tests/host/tap-summary.pl %s"
#define PROVE   OLD_TAP "prove --merge --exec cat %s >/dev/null"

static void document_is_valid_at_every_step(void **state)
{
	size_t size;
	char *text;

	(void)state;
	begin(false);
	text = json_of(&size);
	assert_int_equal(judge_file(VALIDATE, text), 0);
	free(text);

	report_suite_begin("control", "title");
	text = json_of(&size);
	assert_int_equal(judge_file(VALIDATE, text), 0);
	free(text);

	plain("one", VERDICT_EXACT, "");
	text = json_of(&size);
	assert_non_null(strstr(text, "\"complete\":false"));
	assert_int_equal(judge_file(VALIDATE, text), 0);
	free(text);

	mixed_run(false);
	report_end(true);
	text = json_of(&size);
	assert_non_null(strstr(text, "\"complete\":true,\"lost\":0"));
	assert_null(strstr(text, "\"complete\":false"));
	assert_int_equal(judge_file(VALIDATE, text), 0);
	free(text);
}

static void document_holds_what_was_measured(void **state)
{
	size_t size;
	char *text;

	(void)state;
	mixed_run(false);
	extreme();
	report_end(true);
	text = json_of(&size);
	assert_int_equal(judge_file(VALIDATE, text), 0);
	assert_non_null(strstr(text, "\"n\":\"18446744073709551615\",\"low\":\"-9223372036854775808\","
				     "\"high\":9007199254740992,"));
	assert_non_null(strstr(text, "\"values\":[[\"9223372036854775807\",1],[\"9007199254740993\",1]]"));
	assert_non_null(strstr(text, "\"value\":\"0xffffffffffffffff\",\"running\":true"));
	assert_non_null(strstr(text, "\"address\":\"0x38d\",\"value\":null"));
	assert_non_null(strstr(text, "\"verdict\":\"biased\",\"virtual\":true,\"text\":\"off by "
				     "1\",\"event\":\"BR_INST_RETIRED.ALL_BRANCHES\""));
	assert_non_null(strstr(text, "\"bias\":1,\"slope\":[12,1]"));
	assert_non_null(
		strstr(text, "\"firmware\":\"none \\\"quoted\\\" \\\\ \\u0001 \\ufffd caf\xc3\xa9\""));
	assert_non_null(strstr(text, "\"hypervisor\":null"));
	assert_non_null(strstr(text, "\"model\":\"intel-core2\""));
	assert_non_null(strstr(
		text,
		"{\"suite\":\"overhead\",\"name\":\"bracket\",\"value\":\"4\",\"unit\":\"instructions\"}"));
	free(text);
}

/* An experiment with everything that there can be: two counts, one without bounds, their difference, samples.
 */
static void an_experiment(unsigned counted)
{
	static struct observation counts[2], delta;
	static unsigned at[8] = {[3] = 2, [7] = 40};
	const struct report_count count[] = {{"intel::A:u", "PMC0", 1, 0xc0, true, 1, &counts[0]},
					     {"intel::B:c=1", "PMC1", 2, 0xc4, false, 1, &counts[1]}};
	const struct report_delta difference = {"1-2", true, false, 1, &delta};
	const struct report_samples samples = {.record = "pmi",
					       .event = "intel::A:u",
					       .counter = "PMC0",
					       .period = 100,
					       .runs = 5,
					       .elsewhere = 1,
					       .at = at,
					       .size = 8};
	const struct report_experiment x = {.name = "mine",
					    .kernel = "nop_loop",
					    .ring = "ring 3",
					    .n = 5,
					    .reps = counted,
					    .passes = 2,
					    .bound = 2,
					    .proof = "counters",
					    .n_counts = 2,
					    .n_deltas = 1,
					    .n_samples = 1,
					    .count = count,
					    .delta = &difference,
					    .samples = &samples};

	memset(counts, 0, sizeof counts);
	memset(&delta, 0, sizeof delta);
	counts[0].n = counts[1].n = delta.n = 5;
	counts[0].low = counts[0].high = 60;
	for (unsigned i = 0; i < counted; i++) {
		histogram_add(&counts[0].seen, 60);
		histogram_add(&counts[1].seen, 70 + (i & 1));
		histogram_add(&delta.seen, -10 - (int64_t)(i & 1));
	}
	report_experiment(&x);
}

static void experiments_are_tables_and_records(void **state)
{
	size_t size;
	char *text, *times;

	(void)state;
	begin(false);
	an_experiment(3);
	report_end(true);
	assert_non_null(strstr(fake_console_text(),
			       "  mine: nop_loop in ring 3\n"
			       "    intel::A:u           PMC0       N=5: 60 x3\n"
			       "    intel::B:c=1         PMC1       N=5: 70 x2, 71 x1\n"
			       "    1-2                  difference N=5: -10 x2, -11 x1\n"
			       "    intel::A:u on PMC0: 43 samples in 5 runs, every 100\n"
			       "      nop_loop+0x3         2 ##\n"
			       "      nop_loop+0x7        40 ########################################\n"
			       "      outside the kernel 1\n"));
	text = json_of(&size);
	assert_int_equal(judge_file(VALIDATE, text), 0);
	assert_non_null(strstr(text, "\"observations\":[{\"n\":5,\"low\":60,\"high\":60,\"total\":3"));
	assert_non_null(
		strstr(text, "\"observations\":[{\"n\":5,\"total\":3,\"distinct\":2,\"min\":70,\"max\":71"));
	assert_non_null(strstr(text, "{\"at\":\"nop_loop+0x7\",\"offset\":7,\"samples\":40}"));
	/* The other side: a frequency that does not add up, a place that is none. */
	times = strstr(text, "[70,2]");
	assert_non_null(times);
	times[4] = '3';
	assert_int_equal(judge_file(VALIDATE, text), 1);
	times[4] = '2';
	memcpy(strstr(text, "nop_loop+0x7"), "nop_loop 0x7", 12);
	assert_int_equal(judge_file(VALIDATE, text), 1);
	free(text);
}

/* Records of hardware: addresses with places, branches of a trace. */
static void records_are_tables_and_records(void **state)
{
	static const unsigned at[4] = {[2] = 10, [3] = 5};
	static const struct report_addresses addresses[4] = {
		{1, 0}, {1, 0}, {0x7000, 0x7038}, {0x8000, 0x8000}};
	static const struct report_branch branches[] = {{2, 0, 9, 3}, {3, -1, 1, 0}};
	const struct report_samples samples[] = {{.record = "pebs",
						  .event = "intel::L",
						  .counter = "PMC0",
						  .period = 7,
						  .runs = 1,
						  .at = at,
						  .size = 4,
						  .addresses = addresses},
						 {.record = "bts",
						  .event = "branch trace store",
						  .runs = 1,
						  .at = at,
						  .size = 4,
						  .n_branches = 2,
						  .branch = branches}};
	const struct report_experiment x = {.name = "mine",
					    .kernel = "calls",
					    .ring = "ring 0",
					    .proof = "",
					    .n_samples = 2,
					    .samples = samples};
	char *text, *from;
	size_t size;

	(void)state;
	begin(false);
	report_experiment(&x);
	report_end(true);
	assert_non_null(strstr(fake_console_text(),
			       "    intel::L on PMC0: 15 samples in 1 run, every 7\n"
			       "      calls+0x2        10 ######################################## data at "
			       "0x7000 to 0x7038\n"
			       "      calls+0x3         5 #################### data at 0x8000\n"
			       "    branch trace store: 15 branches in 1 run\n"
			       "      calls+0x2    -> calls+0           9, 3 mispredicted\n"
			       "      calls+0x3    ->    elsewhere      1\n"));
	text = json_of(&size);
	assert_int_equal(judge_file(VALIDATE, text), 0);
	assert_non_null(
		strstr(text, "\"samples\":10,\"addresses\":{\"low\":\"0x7000\",\"high\":\"0x7038\"}"));
	assert_non_null(
		strstr(text, "{\"from\":\"calls+0x3\",\"to\":\"elsewhere\",\"taken\":1,\"mispredicted\":0}"));
	from = strstr(text, "\"bts\"");
	assert_non_null(from);
	from[3] = 'x';
	assert_int_equal(judge_file(VALIDATE, text), 1);
	free(text);
}

/* The other side: the validator must refuse what is wrong. */
static void damaged_documents_are_refused(void **state)
{
	static const struct {
		const char *from, *to;
	} damage[] = {
		{"\"verdict\":\"biased\"", "\"verdict\":\"fine..\""},
		{"\"complete\":true", "\"complete\":null"},
		{"\"address\":\"0x38d\"", "\"address\":\"0X38D\""},
		{"\"build\"", "\"bulid\""},
		{"\"total\":3", "\"total\":4"},
		{"\"exact\":22", "\"exact\":21"},
		{"PMC0/nop_loop", "PMC1/nop_loop"},
		{"\"n\":20", "\"n\":-2"},
	};
	size_t size;
	char *text;

	(void)state;
	mixed_run(false);
	report_end(true);
	for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
		text = json_of(&size);
		char *at = strstr(text, damage[i].from);
		assert_non_null(at);
		memcpy(at, damage[i].to, strlen(damage[i].to));
		assert_int_equal(judge_file(VALIDATE " 2>/dev/null", text), 1);
		free(text);
	}
	text = json_of(&size);
	text[size / 2] = 0; /* cut short */
	assert_int_equal(judge_file(VALIDATE " 2>/dev/null", text), 2);
	free(text);
}

static void totals_and_last_line(void **state)
{
	static const char last[] = "assay: 29 checks: 22 exact, 0 within, 3 biased, 0 noisy, 0 dead, 1 "
				   "wrong, 0 erratum, 1 error, 2 skipped\n";
	const char *text;

	(void)state;
	mixed_run(false);
	report_end(true);
	assert_int_equal(report_totals()->checks, 29);
	assert_int_equal(report_totals()->verdicts[VERDICT_BIASED], 3);
	text = fake_console_text();
	assert_string_equal(text + strlen(text) - strlen(last), last);
}

static void table_groups_equal_outcomes(void **state)
{
	const char *text, *table;

	(void)state;
	mixed_run(false);
	report_end(true);
	text = fake_console_text();
	table = strstr(text, "event  ");
	assert_non_null(table);
	assert_non_null(strstr(
		table,
		"INST_RETIRED.ANY_P           PMC0-1,PMC3,FIXED_CTR0   3 kernels    0    exact (12)\n"));
	assert_non_null(strstr(
		table,
		"BR_INST_RETIRED.ALL_BRANCHES PMC0-1,FIXED_CTR0        3 kernels    0    exact (9)\n"));
	assert_non_null(strstr(
		table, "                             PMC3                     3 kernels    0    biased (3)\n"
		       "    such as PMC3/nop_loop ring 0 N=20: expected 240, observed 241 x3; off by 1\n"));
	assert_non_null(strstr(table, "skipped (1)\n    not offered by this CPU\n"));
	/* every table of the virtual PMU says so, and only those */
	assert_non_null(
		strstr(text, "against every kernel\nvirtual PMU (model intel-core2), not silicon\n-----"));
	assert_non_null(strstr(text, "counters obey their controls\n-----"));
	/* a bad plain check shows at once, and in the table */
	assert_non_null(strstr(text, "  error   interrupt as NMI PMC0; the watchdog ended it\n"));
	assert_non_null(strstr(text, "wrong\n    status \"bit\" 3 stays set\n"));
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		assert_in_range(strcspn(line, "\n"), 0, 110);
}

/* What a machine model counted is told apart, in the table that it is in and in the document. */
static void a_machine_model_is_named(void **state)
{
	static const char line[] =
		"cycles, misses and mispredictions are those of a machine model, not of a CPU\n";
	struct result r = {.suite = "events",
			   .name = "cycles/PMC0/loop",
			   .event = "cycles",
			   .kernel = "loop",
			   .virtual = true};
	size_t size;
	char *json;

	(void)state;
	for (unsigned modelled = 0; modelled < 2; modelled++) {
		begin(false);
		r.machine_model = modelled;
		report_result(&r);
		report_end(true);
		assert_int_equal(strstr(fake_console_text(), line) != NULL, modelled);
		json = json_of(&size);
		assert_int_equal(strstr(json, "\"machine_model\":true") != NULL, modelled);
		free(json);
	}
}

/* A suite may measure all events on one kernel side by side, kernel after kernel: progress by kernel, tables
 * and points by event. */
/* What is asked of a text between two others. */
static bool between(const char *text, const char *from, const char *to, const char *what)
{
	const char *start = strstr(text, from), *end = start ? strstr(start, to) : NULL;
	const char *found = start ? strstr(start, what) : NULL;

	return end && found && found < end;
}

static void processors_are_kept_apart(void **state)
{
	struct pmu other = pmu;
	size_t size;

	(void)state;
	snprintf(other.model, sizeof other.model, "intel-core3");
	fake_console_reset();
	report_begin(&header);
	report_processor(&(struct report_processor){0, 0, "P-core", true});
	report_processor(&(struct report_processor){1, 8, "E-core", true});
	report_processor(&(struct report_processor){2, 16, NULL, false});
	report_judging(0);
	report_pmu(&pmu);
	report_suite_begin("events", "all events");
	cell("INST", "PMC0", "nops", VERDICT_EXACT, 0);
	report_value("events", "bracket", "4", "instructions");
	report_judging(1);
	report_pmu(&other);
	report_snapshot(&snapshot, NULL, true);
	report_suite_begin("events", "all events");
	cell("INST", "PMC0", "nops", VERDICT_WRONG, 1);
	report_end(true);

	const char *first = "events on processor 0 (P-core): all events\nvirtual PMU (model intel-core2)";
	const char *second = "events on processor 1 (E-core): all events\nvirtual PMU (model intel-core3)";
	assert_true(between(fake_console_text(), first, second, "exact (1)"));
	assert_false(between(fake_console_text(), first, second, "wrong"));
	assert_true(between(fake_console_text(), second, "assay: ", "wrong (1)"));
	assert_non_null(
		strstr(fake_console_tap(), "not ok 2 - events on processor 1 (E-core): INST on PMC0"));

	char *json = json_of(&size);
	assert_int_equal(judge_file(VALIDATE, json), 0);
	assert_non_null(strstr(json, "\"apic_id\":\"0x8\",\"kind\":\"E-core\",\"judged\":true"));
	assert_non_null(strstr(
		json, "\"snapshots\":[{\"processor\":1,\"registers\":[{\"name\":\"IA32_PERF_GLOBAL_CTRL\""));
	assert_non_null(
		strstr(fake_console_text(), "registers as they were found on processor 1 (E-core):\n"));
	for (char *lie = json; (lie = strstr(lie, "\"processor\":1")); lie++) {
		lie[strlen("\"processor\":")] = '2'; /* which was not judged */
		assert_int_equal(judge_file(VALIDATE " 2>/dev/null", json), 1);
		lie[strlen("\"processor\":")] = '1';
	}
	free(json);
}

static void order_of_the_matrix_is_free(void **state)
{
	static const char *const event[] = {"EA", "EB"}, *const counter[] = {"PMC10", "PMC9", "FIXED_CTR0",
									     "PMC0"};
	const char *text;

	(void)state;
	begin(false);
	report_suite_begin("events", "title");
	plain("before", VERDICT_EXACT, "");
	report_suite_begin("events", "title");
	for (unsigned k = 0; k < 3; k++)
		for (unsigned c = 0; c < 4; c++)
			cell(event[(c + k) % 2], counter[c],
			     (const char *const[]){"nops", "calls", "rets"}[k], VERDICT_EXACT, 0);
	report_end(true);
	text = fake_console_text();
	assert_non_null(strstr(text, "  nops, ring 0                       4 checks: 4 exact\n"
				     "  calls, ring 0                      4 checks: 4 exact\n"
				     "  rets, ring 0                       4 checks: 4 exact\n"
				     "  12 checks: 12 exact\n"));
	assert_non_null(strstr(text, "EA           PMC0,PMC9-10,FIXED_CTR0  3 kernels    0    exact (6)\n"));
	assert_non_null(
		strstr(fake_console_tap(),
		       "ok 2 - events: EA on PMC0,PMC9-10,FIXED_CTR0, 3 kernels: 6 checks: 6 exact\n"
		       "ok 3 - events: EB on PMC0,PMC9-10,FIXED_CTR0, 3 kernels: 6 checks: 6 exact\n1..3\n"));
}

static void plain_checks_of_one_stem_share_a_row(void **state)
{
	const char *text;

	(void)state;
	for (unsigned verbose = 0; verbose < 2; verbose++) {
		begin(verbose);
		report_suite_begin("control", "title");
		plain("wrap/PMC1", VERDICT_EXACT, "");
		plain("other", VERDICT_EXACT, "");
		plain("wrap/PMC0", VERDICT_EXACT, "");
		plain("wrap/PMC2", VERDICT_WRONG, "stuck");
		plain("wrap/PMC3", VERDICT_SKIPPED, "not here");
		plain("wrap/PMC4", VERDICT_SKIPPED, "not here");
		report_end(true);
		text = strstr(fake_console_text(), "\ncheck ");
		assert_non_null(text);
		assert_int_equal(!verbose, strstr(text, "\nwrap         PMC0               -    3..5         "
							"5 x1, 4 x1     exact (2)\n") != NULL);
		assert_int_equal(!verbose, strstr(text, "\nwrap         PMC0               -    -            "
							"-              skipped (2)\n"
							"    not here\n") != NULL);
		assert_int_equal(verbose, strstr(text, "\nwrap/PMC1    PMC0               -    3..5         "
						       "5 x1, 4 x1     exact\n") != NULL);
		assert_non_null(strstr(text, "\nwrap/PMC2    PMC0               -    3..5         5 x1, 6 x1 "
					     "    wrong\n    stuck\n"));
		assert_non_null(strstr(fake_console_tap(), "\n1..6\n"));
	}
}

static void verbose_shows_every_check(void **state)
{
	(void)state;
	mixed_run(true);
	report_end(true);
	assert_non_null(strstr(
		fake_console_text(),
		"  exact   INST_RETIRED.ANY_P/PMC1/taken ring 0 N=40: expected 480, observed 480 x3\n"));
	assert_non_null(strstr(fake_console_tap(),
			       "    ok 12 - INST_RETIRED.ANY_P/FIXED_CTR0/calls\n    1..12\nok 5 - events: "
			       "INST_RETIRED.ANY_P on "
			       "PMC0-1,PMC3,FIXED_CTR0, 3 kernels: 12 checks: 12 exact\n"));
	assert_non_null(strstr(fake_console_tap(),
			       "    not ok 7 - BR_INST_RETIRED.ALL_BRANCHES/PMC3/nop_loop\n      ---\n"));
	mixed_run(false);
	report_end(true);
	assert_null(strstr(fake_console_text(), "  exact   "));
	assert_null(strstr(fake_console_tap(), "Subtest"));
}

static void tap_is_understood_by_prove(void **state)
{
	(void)state;
	for (unsigned verbose = 0; verbose < 2; verbose++) {
		begin(verbose);
		plain("good", VERDICT_EXACT, "");
		plain("absent", VERDICT_SKIPPED, "not here");
		cell("E", "PMC0", "k", VERDICT_EXACT, 0);
		cell("E", "PMC1", "k", VERDICT_WITHIN, 0);
		report_end(true);
		assert_int_equal(judge_file(PROVE, fake_console_tap()), 0);
		assert_non_null(strstr(fake_console_tap(), "ok 2 - control: absent # SKIP not here\n"));
		assert_non_null(strstr(fake_console_tap(), "1..3\n"));

		mixed_run(verbose); /* 2 of 4 plain ones are bad, 1 of 3 groups */
		report_end(true);
		assert_int_equal(
			judge_file(OLD_TAP SUMMARY
				   " | grep -qx '7 run, 3 failed, 2 skipped, 0 parse errors, [36] diagnoses'",
				   fake_console_tap()),
			0);
		assert_int_equal(judge_file(PROVE, fake_console_tap()), 1);
	}
}

static void a_run_cut_short_says_so(void **state)
{
	size_t size;
	char *text;

	(void)state;
	begin(false);
	report_suite_begin("events", "title");
	cell("E", "PMC0", "k", VERDICT_EXACT, 0);
	report_end(false);
	assert_non_null(
		strstr(fake_console_text(), "\nincomplete: the run was cut short\nassay: 1 checks: 1 exact"));
	assert_non_null(strstr(fake_console_tap(), "not ok 2 - the run came to its end\n1..2\n"));
	assert_int_equal(judge_file(PROVE, fake_console_tap()), 1);
	text = json_of(&size);
	assert_non_null(strstr(text, "\"complete\":false,\"lost\":0"));
	assert_int_equal(judge_file(VALIDATE, text), 0);
	free(text);
}

/* A medium may be full: then nothing more is written, and the writer is told. */
static void a_refused_piece_ends_the_document(void **state)
{
	struct taken t = {0};
	size_t size, most;

	(void)state;
	mixed_run(false);
	report_end(true);
	free(json_of(&size));
	for (most = 0; most < size; most += size / 7) {
		t = (struct taken){.most = most};
		assert_false(report_json(take, &t));
		free(t.text);
	}
	t = (struct taken){.most = size};
	assert_true(report_json(take, &t));
	free(t.text);
}

/* A large run: the document stays valid across chunks, and the same result costs the same. */
static void ten_thousand_checks(void **state)
{
	size_t size;
	char *text;

	(void)state;
	begin(false);
	for (unsigned e = 0; e < 10; e++)
		for (unsigned c = 0; c < 10; c++)
			for (unsigned k = 0; k < 100; k++) {
				char event[16], counter[16], kernel[16];

				snprintf(event, sizeof event, "EVENT.%u", e);
				snprintf(counter, sizeof counter, "PMC%u", c);
				snprintf(kernel, sizeof kernel, "kernel_%u", k);
				cell(event, counter, kernel, k == 77 ? VERDICT_WRONG : VERDICT_EXACT,
				     k == 77 ? c : 0);
			}
	report_end(true);
	assert_non_null(strstr(fake_console_text(),
			       "EVENT.3      PMC0-9                   99 kernels   0    exact (990)\n"));
	assert_non_null(strstr(fake_console_text(), "    and 4 other outcomes: see the JSON report\n"));
	assert_non_null(strstr(fake_console_tap(), "  not_listed: 2\n"));
	text = json_of(&size);
	assert_true(size > 3000000);
	assert_int_equal(judge_file("python3 -m json.tool %s >/dev/null", text), 0);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(document_is_valid_at_every_step),
		cmocka_unit_test(document_holds_what_was_measured),
		cmocka_unit_test(experiments_are_tables_and_records),
		cmocka_unit_test(records_are_tables_and_records),
		cmocka_unit_test(damaged_documents_are_refused),
		cmocka_unit_test(totals_and_last_line),
		cmocka_unit_test(table_groups_equal_outcomes),
		cmocka_unit_test(a_machine_model_is_named),
		cmocka_unit_test(processors_are_kept_apart),
		cmocka_unit_test(order_of_the_matrix_is_free),
		cmocka_unit_test(plain_checks_of_one_stem_share_a_row),
		cmocka_unit_test(verbose_shows_every_check),
		cmocka_unit_test(tap_is_understood_by_prove),
		cmocka_unit_test(a_run_cut_short_says_so),
		cmocka_unit_test(a_refused_piece_ends_the_document),
		cmocka_unit_test(ten_thousand_checks),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
