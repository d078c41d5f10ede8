#include "tests/self/host/support/report_run.h"

#include "arch/x86/cpu/cpuid_leaves.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const struct identity_pair fake_identity[] = {
	{"vendor", "GenuineIntel", false}, {"brand", "Some CPU", false},
	{"signature", "0x906fb", false},   {"family", "6", false},
	{"model", "159", false},           {"stepping", "11", false},
	{"microcode", "0xd0", true},
};

const struct report_header fake_header = {
	.build_id = "v0-1-gabcdef",
	.platform = "host test",
	.firmware = "none \"quoted\" \\ \x01 \xff caf\xc3\xa9",
	.isa = "x86-64",
	.cpu = "Some CPU, family 6 model 159 stepping 11",
	.identity = fake_identity,
	.n_identity = 7,
	.processor_count = 2,
	.clock_hz = 2400000000,
	.time_reference = "HPET",
	.watchdog = "NMI from HPET",
	.options = "pmu=auto n=20",
};

const struct pmu fake_report_pmu = {
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
		  .selector = 0x40000000}},
	.n_events = 7,
	.virtual = true,
	.deterministic = true,
	.model = "intel-core2",
};

const struct pmu_snapshot fake_snapshot = {
	.count = 2,
	.entry = {{"IA32_PERF_GLOBAL_CTRL", 0x38f, UINT64_MAX, true, true},
		  {"IA32_FIXED_CTR_CTRL", 0x38d, 0, false, false}},
};

static struct cpuid_regs fake_cpuid(uint32_t leaf, uint32_t subleaf)
{
	switch (leaf) {
	case 0:
		return (struct cpuid_regs){4, 0x756e6547, 0x6c65746e, 0x49656e69};
	case 1:
		return (struct cpuid_regs){0x6f6, 0, 1u << 31, 0};
	case 3: /* a serial number */
		return (struct cpuid_regs){0, 0, 0x5e71a1, 0x5e71a1};
	case 4:
		return (struct cpuid_regs){subleaf < 2 ? subleaf + 1 : 0, 0, 0, 0};
	case 0x40000000:
		return (struct cpuid_regs){0x40000001, 0x4b4d564b, 0x564b4d56, 0x4d};
	case 0x80000000:
		return (struct cpuid_regs){0x80000001, 0, 0, 0};
	default:
		return (struct cpuid_regs){0, 0, 0, 0};
	}
}

void fake_leaves(identity_each *each, void *to)
{
	cpuid_pairs(fake_cpuid, each, to);
}

void begin(bool verbose)
{
	struct report_header h = fake_header;

	h.verbose = verbose;
	fake_console_reset();
	report_begin(&h);
	report_note("no HPET: using the ACPI PM timer");
	report_pmu(&fake_report_pmu, fake_leaves);
	report_snapshot(&fake_snapshot, NULL, false);
}

void cell(const char *event, const char *counter, const char *kernel, enum verdict verdict, int64_t delta)
{
	struct result r = {
		.suite = "events", .event = event, .kernel = kernel, .counter = counter, .level = "ring 0"};
	char name[128];

	snprintf(name, sizeof name, "%s/%s/%s", event, counter, kernel);
	r.name = name;
	r.encoding = 0xc0;
	r.manual = "SDM vol. 3, 19.2.1.2";
	r.virtual = true;
	r.has_share = true;
	r.share = -7;
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

void plain(const char *name, enum verdict verdict, const char *text)
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

void mixed_run(bool verbose)
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

bool take(void *to, const char *text, size_t size)
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

char *json_of(size_t *size)
{
	struct taken t = {.most = SIZE_MAX};

	assert_true(report_json(take, &t));
	assert_int_equal(strlen(t.text), t.size);
	*size = t.size;
	return t.text;
}

int judge_file(const char *command, const char *text)
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
