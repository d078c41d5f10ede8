/*
 * The report's JSON document, end to end: results go in, and what comes out is read back by
 * python3-jsonschema (through scripts/validate-report).
 */
#include "tests/self/host/support/report_run.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

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

/* A microcode that mends an erratum is told where one is known, of errata that are this processor's. */
static void errata_are_fixed_where_it_is_known(void **state)
{
	static const struct {
		struct erratum_report r;
		const char *text;
	} rows[] = {
		{{"ABC1", "extra-quantity", 0, "present", "", true, 0x2e, "expected absent", 3},
		 "\"number\":\"ABC1\",\"mechanism\":\"extra-quantity\",\"state\":\"present\",\"documented\":"
		 "true,"
		 "\"fixed\":\"0x2e\",\"here\":\"expected absent\",\"trials\":3}"},
		{{"ABC2", "extra-quantity", 0, "present", "why", true, 0, "documented", 1},
		 "\"number\":\"ABC2\",\"mechanism\":\"extra-quantity\",\"state\":\"present\",\"documented\":"
		 "true,"
		 "\"trials\":1,\"why\":\"why\"}"},
		{{"ABC3", "extra-quantity", 0, "present", "", false, 0x2e, "not documented", 0},
		 "\"number\":\"ABC3\",\"mechanism\":\"extra-quantity\",\"state\":\"present\",\"documented\":"
		 "false,"
		 "\"trials\":0}"},
	};
	size_t size;
	char *text;

	(void)state;
	begin(false);
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
		report_erratum(&rows[i].r);
	report_end(true);
	text = json_of(&size);
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (!strstr(text, rows[i].text))
			fail_msg("%s", strstr(text, "\"errata\"") ? strstr(text, "\"errata\"") : text);
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
	assert_non_null(strstr(text, "\"deterministic\":true,"));
	/* Leaf 4 has subleaves; leaf 3, a serial number, is nobody's business. */
	assert_non_null(strstr(
		text,
		"\"identity\":[{\"name\":\"CPUID.0H.0\",\"value\":\"0x4 0x756e6547 0x6c65746e "
		"0x49656e69\"},\n"
		"{\"name\":\"CPUID.1H.0\",\"value\":\"0x6f6 0x0 0x80000000 0x0\"},\n"
		"{\"name\":\"CPUID.4H.0\",\"value\":\"0x1 0x0 0x0 0x0\"},\n"
		"{\"name\":\"CPUID.4H.1\",\"value\":\"0x2 0x0 0x0 0x0\"},\n"
		"{\"name\":\"CPUID.40000000H.0\",\"value\":\"0x40000001 0x4b4d564b 0x564b4d56 0x4d\"},\n"
		"{\"name\":\"CPUID.80000000H.0\",\"value\":\"0x80000001 0x0 0x0 0x0\"}]"));
	assert_non_null(strstr(text, "\"encoding\":\"0xc0\",\"share\":-7,"));
	free(text);
}

/* What the machine says of itself, each in its place. */
static void identity_is_as_the_machine_said(void **state)
{
	static const struct identity_pair pairs[] = {
		{"midr", "0x410fd0b1", false},
		{"firmware's patch", "7", true},
		{"hypervisor", "KVMKVMKVM, CPUID leaves 40000000H to 40000001H", false},
		{"hypervisor 2", "Microsoft Hv, CPUID leaves 40000100H to 4000010BH", false},
	};
	struct report_header h = fake_header;
	char *text;
	size_t size;

	(void)state;
	fake_console_reset();
	h.under_hypervisor = true;
	h.hypervisor = "KVMKVMKVM";
	h.identity = pairs;
	h.n_identity = 4;
	report_begin(&h);
	text = json_of(&size);
	assert_non_null(strstr(text, "\"build\":\"v0-1-gabcdef\",\"options\":\"pmu=auto n=20\","
				     "\"isa\":\"x86-64\",\"levels\":["
				     "{\"name\":\"ring 0\",\"filter\":\"OS\"},\n"
				     "{\"name\":\"ring 1\",\"filter\":\"USR\"},\n"
				     "{\"name\":\"ring 2\",\"filter\":\"USR\"},\n"
				     "{\"name\":\"ring 3\",\"filter\":\"USR\"}],"
				     "\"machine\":{\"platform\":\"host test\","));
	assert_non_null(strstr(
		text,
		"\"hypervisor\":\"KVMKVMKVM\",\"guest\":true,"
		"\"cpu\":\"Some CPU, family 6 model 159 stepping 11\",\"identity\":["
		"{\"name\":\"midr\",\"value\":\"0x410fd0b1\"},\n"
		"{\"name\":\"firmware's patch\",\"value\":\"7\",\"loaded\":true},\n"
		"{\"name\":\"hypervisor\",\"value\":\"KVMKVMKVM, CPUID leaves 40000000H to 40000001H\"},\n"
		"{\"name\":\"hypervisor 2\","
		"\"value\":\"Microsoft Hv, CPUID leaves 40000100H to 4000010BH\"}],"
		"\"processor_count\":2,\"clock_hz\":2400000000,\"time_reference\":\"HPET\","
		"\"watchdog\":\"NMI from HPET\"}"));
	free(text);
	assert_non_null(strstr(fake_console_text(),
			       "hypervisor: KVMKVMKVM, CPUID leaves 40000000H to 40000001H\n"
			       "hypervisor: Microsoft Hv, CPUID leaves 40000100H to 4000010BH\n"));
	assert_null(strstr(fake_console_text(), "no name"));
	fake_console_reset();
	h.hypervisor = NULL;
	h.n_identity = 0;
	report_begin(&h);
	text = json_of(&size);
	assert_non_null(strstr(text, "\"hypervisor\":null,\"guest\":true,\"cpu\":"));
	assert_non_null(strstr(text, "\"identity\":[],"));
	free(text);
	static const char title[] =
		"Assay v0-1-gabcdef\nSome CPU, family 6 model 159 stepping 11\noptions: pmu=auto n=20\n";
	assert_memory_equal(fake_console_text(), title, strlen(title));
	assert_string_equal(fake_console_text() + strlen(title),
			    "hypervisor: there is one, and it gives no name\n"
			    "watchdog: NMI from HPET\n");
	fake_console_reset();
	h.under_hypervisor = false;
	h.watchdog = NULL;
	report_begin(&h);
	text = json_of(&size);
	assert_non_null(strstr(text, "\"hypervisor\":null,\"guest\":false,"));
	free(text);
	assert_string_equal(fake_console_text(), title);
	/* When it was is told where there is a clock. */
	text = json_of(&size);
	assert_null(strstr(text, "\"date\""));
	free(text);
	fake_console_reset();
	h.date = "2026-03-04 05:06:07";
	report_begin(&h);
	assert_non_null(strstr(fake_console_text(), "Assay v0-1-gabcdef, 2026-03-04 05:06:07\n"));
	text = json_of(&size);
	assert_non_null(strstr(text, "\"date\":\"2026-03-04 05:06:07\","));
	free(text);
}

/* A counter, a register and a check, field by field. */
static void pmu_and_registers_are_as_found(void **state)
{
	char *text;
	size_t size;

	(void)state;
	mixed_run(false);
	text = json_of(&size);
	assert_non_null(strstr(
		text,
		"\"name\":\"Intel architectural PMU version "
		"2\",\"driver\":null,\"version\":2,\"virtual\":true,"
		"\"model\":\"intel-core2\",\"deterministic\":true,\"general\":1,\"fixed\":1,\"events\":7,"
		"\"global_control\":false,\"interrupt\":false,\"counters\":["
		"{\"name\":\"PMC0\",\"kind\":\"general\",\"index\":0,\"width\":40,\"write_width\":32,"
		"\"status\":true,\"interrupt\":true,\"selector\":\"0x0\"},\n"
		"{\"name\":\"FIXED_CTR0\",\"kind\":\"fixed\",\"index\":0,\"width\":40,\"write_width\":40,"
		"\"status\":false,\"interrupt\":false,\"selector\":\"0x40000000\"}]"));
	assert_non_null(strstr(
		text,
		"\"registers\":[{\"name\":\"IA32_PERF_GLOBAL_CTRL\",\"space\":\"MSR\",\"address\":\"0x38f\","
		"\"value\":\"0xffffffffffffffff\",\"running\":true},\n"
		"{\"name\":\"IA32_FIXED_CTR_CTRL\",\"space\":\"MSR\",\"address\":\"0x38d\",\"value\":null,"
		"\"running\":false}]"));
	assert_non_null(strstr(
		text,
		"\"name\":\"INST_RETIRED.ANY_P/PMC1/taken\",\"verdict\":\"exact\",\"virtual\":true,"
		"\"event\":\"INST_RETIRED.ANY_P\",\"kernel\":\"taken\",\"counter\":\"PMC1\","
		"\"level\":\"ring 0\",\"manual\":\"SDM vol. 3, 19.2.1.2\",\"encoding\":\"0xc0\",\"share\":-7,"
		"\"slope\":[12,1],\"observations\":["
		"{\"n\":20,\"low\":240,\"high\":240,\"total\":3,\"distinct\":1,\"min\":240,\"max\":240,"
		"\"values\":[[240,3]]},\n"
		"{\"n\":40,\"low\":480,\"high\":480,\"total\":3,\"distinct\":1,\"min\":480,\"max\":480,"
		"\"values\":[[480,3]]}]}"));
	free(text);
}

/* More observations, counters or registers than a record has room for: the record is lost, and that is said.
 */
static void what_has_no_room_is_lost(void **state)
{
	static struct result r = {
		.suite = "control", .name = "many", .n_observations = RESULT_OBSERVATIONS + 1};
	struct pmu pmu = fake_report_pmu;
	struct pmu_snapshot snapshot = fake_snapshot;
	char *text;
	size_t size;

	(void)state;
	begin(false);
	pmu.n_counters = PMU_COUNTERS_MAX + 1;
	report_pmu(&pmu, NULL);
	snapshot.count = PMU_SNAPSHOT_MAX + 1;
	report_snapshot(&snapshot, NULL, false);
	report_result(&r);
	report_end(true);
	text = json_of(&size);
	assert_non_null(strstr(text, "\"complete\":false,\"lost\":3,"));
	assert_non_null(strstr(fake_console_tap(), " - memory for every record (3 lost)\n"));
	free(text);
}

/* A noisy counter at many N: each value is in the document, and what finds no room is counted. */
static void every_value_is_in_the_document(void **state)
{
	static struct observation further[97];
	struct result r = {
		.suite = "noise", .name = "E/many", .n_observations = 4, .n_more = 97, .more = further};
	size_t size;
	char *text;

	(void)state;
	memset(further, 0, sizeof further);
	for (unsigned n = 0; n < 101; n++) {
		struct observation *o = n < 4 ? &r.observation[n] : &further[n - 4];

		o->n = n;
		o->low = o->high = n;
		for (int value = 0; n == 2 && value < 100; value++)
			histogram_add(&o->seen, 7000 + value);
		for (int value = 0; n == 3 && value < HISTOGRAM_MOST + 10; value++)
			histogram_add(&o->seen, value);
		if (n != 2 && n != 3)
			histogram_add(&o->seen, n < 100 ? n : 12345);
	}
	r.judgement.verdict = VERDICT_NOISY;
	begin(false);
	report_result(&r);
	report_end(true);
	text = json_of(&size);
	assert_int_equal(judge_file(VALIDATE, text), 0);
	assert_non_null(strstr(
		text, "\"total\":100,\"distinct\":100,\"min\":7000,\"max\":7099,\"values\":[[7000,1],"));
	for (int value = 0; value < 100; value++) {
		char entry[16];

		snprintf(entry, sizeof entry, "[%d,1]", 7000 + value);
		assert_non_null(strstr(text, entry));
	}
	assert_non_null(
		strstr(text, "\"distinct\":4106,\"min\":0,\"max\":4105,\"unlisted\":10,\"values\":[[0,1],"));
	assert_non_null(strstr(
		text, "{\"n\":100,\"low\":100,\"high\":100,\"total\":1,\"distinct\":1,\"min\":12345,"));
	assert_non_null(strstr(fake_console_text(), "7000 x1, 7001 x1, 7002 x1, ... (7000..7099)"));
	/* The other side: a value that is missing without a word. */
	memcpy(strstr(text, "\"unlisted\":10"), "\"unlisted\":11", 13);
	assert_int_equal(judge_file(VALIDATE, text), 1);
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
	const struct report_delta difference = {"1-2", NULL, true, false, 1, &delta};
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
					    .level = "ring 3",
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
	static const struct report_addresses registers[4][3] = {
		[2] = {{0x10, 0x20}, {7, 7}, {1, 0}}, [3] = {{1, 0}, {1, 0}, {9, 9}}};
	static const struct report_branch branches[] = {{2, 0, 9, 3}, {3, -1, 1, 0}};
	const struct report_samples samples[] = {{.record = "pebs",
						  .event = "intel::L",
						  .counter = "PMC0",
						  .period = 7,
						  .runs = 1,
						  .at = at,
						  .size = 4,
						  .addresses = addresses,
						  .registers = registers[0],
						  .n_registers = 2,
						  .registers_apart = 3},
						 {.record = "bts",
						  .event = "branch trace store",
						  .runs = 1,
						  .at = at,
						  .size = 4,
						  .n_branches = 2,
						  .branch = branches}};
	const struct report_experiment x = {.name = "mine",
					    .kernel = "calls",
					    .level = "ring 0",
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
	assert_non_null(strstr(text, "\"samples\":10,\"addresses\":{\"low\":\"0x7000\",\"high\":\"0x7038\"},"
				     "\"registers\":{\"RAX\":{\"low\":\"0x10\",\"high\":\"0x20\"},"
				     "\"RBX\":{\"low\":\"0x7\",\"high\":\"0x7\"}}}"));
	assert_non_null(strstr(text, "\"high\":\"0x8000\"},\"registers\":{}}"));
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
		{"\"share\":-7", "\"share\":{}"},
		{"[5,1],[4,1]", "[5,0],[4,2]"},
		{"\"text\":\"not offered by this CPU\"", "\"next\":\"not offered by this CPU\""},
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
	assert_non_null(
		strstr(fake_console_text(), "EVENT.3      PMC0-9           99 kernels 0    exact (990)\n"));
	assert_non_null(strstr(fake_console_text(), "    and 4 other outcomes: see the JSON report\n"));
	assert_non_null(strstr(fake_console_tap(), "  not_listed: 2\n"));
	text = json_of(&size);
	assert_true(size > 3000000);
	assert_int_equal(judge_file("python3 -m json.tool %s >/dev/null", text), 0);
	free(text);
}

/* A report of a run without a check, as it stands for itself. To be freed. */
static char *of_nothing(void)
{
	size_t size;

	begin(false);
	report_end(true);
	return json_of(&size);
}

static char *nothing;

static int before_all(void **state)
{
	(void)state;
	nothing = of_nothing();
	return 0;
}

/* The menu runs suites again in one session: what a report says is of its own run, whichever was before. */
static int the_next_begins_with_nothing(void **state)
{
	char *again = of_nothing();

	(void)state;
	assert_string_equal(again, nothing);
	free(again);
	return 0;
}

static int behind_all(void **state)
{
	(void)state;
	free(nothing);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(document_is_valid_at_every_step, the_next_begins_with_nothing),
		cmocka_unit_test_teardown(errata_are_fixed_where_it_is_known, the_next_begins_with_nothing),
		cmocka_unit_test_teardown(document_holds_what_was_measured, the_next_begins_with_nothing),
		cmocka_unit_test_teardown(identity_is_as_the_machine_said, the_next_begins_with_nothing),
		cmocka_unit_test_teardown(pmu_and_registers_are_as_found, the_next_begins_with_nothing),
		cmocka_unit_test_teardown(what_has_no_room_is_lost, the_next_begins_with_nothing),
		cmocka_unit_test_teardown(every_value_is_in_the_document, the_next_begins_with_nothing),
		cmocka_unit_test_teardown(experiments_are_tables_and_records, the_next_begins_with_nothing),
		cmocka_unit_test_teardown(records_are_tables_and_records, the_next_begins_with_nothing),
		cmocka_unit_test_teardown(damaged_documents_are_refused, the_next_begins_with_nothing),
		cmocka_unit_test_teardown(a_refused_piece_ends_the_document, the_next_begins_with_nothing),
		cmocka_unit_test_teardown(ten_thousand_checks, the_next_begins_with_nothing),
	};

	return cmocka_run_group_tests_name("report document", tests, before_all, behind_all);
}
