/* Errata: rows are found by any of their numbers, processors are told by them, and what is wrong is theirs
 * only if it is as they say. */
#include "pmu/amd/errata/errata.h"
#include "pmu/intel/errata/errata.h"
#include "pmu/netburst/errata/errata.h"
#include "tests/judge/errata.h"
#include "arch/levels.h"
#include "pmu/contract/counter_values.h"
#include "tests/judge/event_judge.h"
#include "tests/self/host/fake_kernels.h"
#include "tests/self/host/support/scripted_pmu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const struct errata *const families[] = {&intel_known_errata, &amd_known_errata,
						&netburst_known_errata};
#define FAMILIES (sizeof families / sizeof families[0])

static void numbers(void **state)
{
	const struct errata *e = &intel_known_errata;
	char number[ERRATUM_NUMBER];
	int row = errata_find(e, "HSD73");

	(void)state;
	assert_true(row >= 0);
	assert_int_equal(errata_find(e, "hsd073"), row);
	assert_int_equal(errata_find(e, "HSM74"), row);
	assert_int_equal(errata_find(e, "hsm0074"), row);
	assert_true(errata_number(e, (unsigned)row, 1, number, sizeof number));
	assert_string_equal(number, "HSM74");
	assert_false(errata_number(e, (unsigned)row, 2, number, sizeof number));
	assert_int_equal(errata_find(e, "SKL091"), errata_find(e, "skl91"));
	assert_int_not_equal(errata_find(e, "SKL91"), errata_find(e, "SKL90"));
	assert_int_equal(errata_find(e, "HSD7"), -1);
	assert_int_equal(errata_find(e, "HSD730"), -1);
	assert_int_equal(errata_find(e, "HSD73|HSM74"), -1);
	assert_int_equal(errata_find(e, ""), -1);
	assert_int_equal(errata_find(&amd_known_errata, "420"), errata_find(&amd_known_errata, "amd-0420"));
	assert_true(errata_find(&amd_known_errata, "420") >= 0);
	assert_int_equal(errata_find(e, "420"), -1);
	for (unsigned f = 0; f < FAMILIES; f++)
		for (unsigned at = 0; at < *families[f]->count; at++)
			for (unsigned i = 0; errata_number(families[f], at, i, number, sizeof number); i++)
				assert_in_range(errata_find(families[f], number), 0, at);
}

static void processors(void **state)
{
	const struct errata *e = &intel_known_errata, *a = &amd_known_errata;
	const struct erratum_processor haswell = {6, 0x3c, 3}, skylake = {6, 0x5e, 3},
				       goldmont = {6, 0x5c, 9};
	const struct erratum_processor rome = {0x17, 0x31, 0}, later = {0x17, 0x31, 1};
	uint32_t fixed = 1;

	(void)state;
	assert_true(errata_documented(e, (unsigned)errata_find(e, "HSD73"), &haswell, &fixed));
	assert_int_equal(fixed, 0);
	assert_false(errata_documented(e, (unsigned)errata_find(e, "HSD73"), &skylake, NULL));
	assert_true(errata_documented(e, (unsigned)errata_find(e, "X86-IRQ-INSTR"), &skylake, NULL));
	assert_true(errata_documented(e, (unsigned)errata_find(e, "GLM-CTRFRZ"), &goldmont, &fixed));
	assert_int_equal(fixed, 0x2e);
	assert_true(errata_documented(a, (unsigned)errata_find(a, "1291"), &rome, NULL));
	assert_false(errata_documented(a, (unsigned)errata_find(a, "1291"), &later, NULL));
}

/* Whatever is said of what shows an erratum is said of a row that there is. */
static void tables(void **state)
{
	(void)state;
	for (unsigned f = 0; f < FAMILIES; f++) {
		for (const struct erratum_count *c = families[f]->counts; c->number; c++)
			if (errata_find(families[f], c->number) < 0)
				fail_msg("there is no row %s", c->number);
		for (const struct erratum_symptom *s = families[f]->symptoms; s->number; s++)
			if (errata_find(families[f], s->number) < 0)
				fail_msg("there is no row %s", s->number);
	}
}

/* What a check that shows an erratum by its amount sees more than is right, as the vendor's text has it: */
static const struct {
	const char *number;
	uint8_t relation;
	int64_t least, most;
} amounts[] = {
	/* too few: a count that is lost, an interrupt that does not come, rings that lack some, */
	{"AMD-795", SHOWS_MORE, -4, -1},
	{"AMD-1023", SHOWS_MORE, -1, -1},
	{"AMD-538", SHOWS_MORE, -400, -1},
	{"BDM120", SHOWS_MORE, -1000, -1},
	{"AAJ148", SHOWS_MORE, -1, -1},
	{"MTL-PERFCAP", SHOWS_MORE, -1, -1},
	{"P4-CASCADE-PMI", SHOWS_MORE, -1, -1},
	/* too many, with or without an end, */
	{"AMD-420", SHOWS_MORE, 1, INT64_MAX},
	{"AMD-794", SHOWS_MORE, 1, INT64_MAX},
	{"AMD-1267", SHOWS_MORE, 1, INT64_MAX},
	{"AAJ119", SHOWS_MORE, 1, 1000},
	{"AAJ125", SHOWS_MORE, 1, 1000},
	{"AAJ127", SHOWS_MORE, 1, INT64_MAX},
	{"BJ50", SHOWS_MORE, 1, INT64_MAX},
	{"BJ98", SHOWS_MORE, 1, INT64_MAX},
	{"HSD71", SHOWS_MORE, 1, 1},
	{"BJ77", SHOWS_MORE, 1, 1},
	{"BDD53", SHOWS_MORE, 1, 1000},
	{"BDD120", SHOWS_MORE, 1, 1000},
	{"FAM6-ZERO-LOOP", SHOWS_MORE, 1, 1000},
	{"HSD65", SHOWS_MORE, 1, INT64_MAX},
	{"HSD91", SHOWS_MORE, 1, 1000},
	{"HSD135", SHOWS_MORE, 1, INT64_MAX},
	{"HSD143", SHOWS_MORE, 1, 32},
	{"SKL90", SHOWS_MORE, 1, INT64_MAX},
	{"P4-OVF-NMI", SHOWS_MORE, 1, 1000},
	/* a carry between the halves of a register of 40 bits: one that is lost counts 4 Gi less, modulo
	   2^40, */
	{"N15", SHOWS_MORE, 4293967296, 4294967296},
	{"N17", SHOWS_MORE, 1095216660480, 1095216660480},
	/* and bits. */
	{"AAJ83", SHOWS_FLIPPED, 30064771072, 30064771072},
	{"AAJ143", SHOWS_BITS, 1, 1},
	{"BJ58", SHOWS_BITS, 1, 1},
	{"AMD-GLBSTS-RSVD", SHOWS_BITS, 1, 1},
};

/* An amount on either side of what shows the erratum, and just within. */
static void shows_from_least_to_most(const struct erratum_symptom *s, int64_t least, int64_t most)
{
	struct erratum_symptom of = *s;

	of.text = NULL;
	assert_true(errata_shows(&of, "", 5, 5 + least));
	if (least != -INT64_MAX)
		assert_false(errata_shows(&of, "", 5, 5 + least - 1));
	assert_false(errata_shows(&of, "", 5, 5));
	if (most != INT64_MAX) {
		assert_true(errata_shows(&of, "", 5, 5 + most));
		assert_false(errata_shows(&of, "", 5, 5 + most + 1));
	}
}

static void amounts_are_the_vendors(void **state)
{
	bool seen[sizeof amounts / sizeof amounts[0]] = {false};

	(void)state;
	for (unsigned f = 0; f < FAMILIES; f++)
		for (const struct erratum_symptom *s = families[f]->symptoms; s->number; s++) {
			unsigned i = 0;

			if (s->relation >= SHOWS_TEXT)
				continue;
			while (i < sizeof amounts / sizeof amounts[0] && strcmp(amounts[i].number, s->number))
				i++;
			if (i == sizeof amounts / sizeof amounts[0])
				fail_msg("nothing says by how much %s shows", s->number);
			seen[i] = true;
			assert_int_equal(s->relation, amounts[i].relation);
			if (s->relation == SHOWS_MORE)
				shows_from_least_to_most(s, amounts[i].least, amounts[i].most);
			else
				assert_int_equal(s->low, amounts[i].least);
		}
	for (unsigned i = 0; i < sizeof amounts / sizeof amounts[0]; i++)
		assert_true(seen[i]);
}

/* --- the judgement
 * ------------------------------------------------------------------------------------------ */

FAKE_KERNEL(far_jumps, "far_jumps", 0, FAKE_EXACT(INSTRUCTIONS, 5, 2), FAKE_EXACT(BR_FAR, 1, 0),
	    FAKE_EXACT(INSN_CPUID, 0, 0));
FAKE_KERNEL(iret_self, "iret_self", 0, FAKE_EXACT(INSTRUCTIONS, 8, 4), FAKE_EXACT(BR_FAR, 1, 0),
	    FAKE_EXACT(INSN_CPUID, 0, 0));

/* Its handler runs in ring 0. */
FAKE_KERNEL(system_calls, "system_calls", KERNEL_USER_ONLY, FAKE_EXACT(INSTRUCTIONS, 9, 2),
	    FAKE_EXACT(BR_FAR, 2, 0), FAKE_EXACT(INTERRUPTS_SW, 1, 0), FAKE_EXACT(RING_TO_KERNEL, 1, 0));

static struct pmu pmu;
static const struct pmu_event instructions = {
	.name = "INST_RETIRED.ANY_P", .terms = {{Q_INSTRUCTIONS, 1}}, .judgement = EVENT_EXACT};
static const struct pmu_event *const events[] = {&instructions};

static int setup(void **state)
{
	(void)state;
	pmu = (struct pmu){.errata = &intel_known_errata,
			   .processor = {6, 0xaf, 3},
			   .events = events,
			   .n_events = 1,
			   .n_counters = 1,
			   .deterministic = true};
	strcpy(pmu.counter[0].name, "PMC0");
	pmu.counter[0].width = 48;
	errata_begin();
	return 0;
}

/* Two N, what must be and what was seen. */
static struct result counted(const char *kernel, int64_t low1, int64_t low2, int64_t seen1, int64_t seen2)
{
	struct result r = {.suite = "events",
			   .name = "n",
			   .event = "INST_RETIRED.ANY_P",
			   .kernel = kernel,
			   .counter = "PMC0",
			   .n_observations = 2};

	r.observation[0] = (struct observation){.n = 5, .low = low1, .high = low1};
	r.observation[1] = (struct observation){.n = 10, .low = low2, .high = low2};
	histogram_add(&r.observation[0].seen, seen1);
	histogram_add(&r.observation[1].seen, seen2);
	judge(r.observation, 2, &r.judgement);
	errata_judge(&pmu, &r);
	return r;
}

static const struct erratum_found *of(const char *number)
{
	return errata_found((unsigned)errata_find(&intel_known_errata, number));
}

static void counts(void **state)
{
	struct result r = counted("far_jumps", 27, 52, 32, 62);

	(void)state;
	assert_int_equal(r.judgement.verdict, VERDICT_ERRATUM);
	assert_non_null(strstr(r.judgement.text, "as erratum SRF7 says: expected 27"));
	assert_int_equal(of("SRF7")->present, 1);
	assert_int_equal(of("SRF7")->tried, 2);
	assert_int_equal(of("BV52")->tried, 0);
	/* Indistinguishable there, and documented for neither. */
	pmu.processor.model = 0x3c;
	r = counted("iret_self", 44, 84, 49, 94);
	assert_int_equal(r.judgement.verdict, VERDICT_ERRATUM);
	assert_non_null(strstr(r.judgement.text, "SRF7 or BV52 says, which is not documented"));
	pmu.processor = (struct erratum_processor){6, 0x3a, 9};
	r = counted("iret_self", 44, 84, 49, 94);
	assert_non_null(strstr(r.judgement.text, "as erratum BV52 or SRF7 says: "));
}

/* What is counted in ring 3 is held against what an erratum makes of a count there. */
static void levels(void **state)
{
	uint8_t user = (uint8_t)level_user();
	struct event_place place = {
		.pmu = &pmu, .event = &instructions, .kernel = &system_calls, .level = user};
	const struct erratum_count *c = intel_known_errata.counts;
	struct pmu_event altered;
	struct expectation right, as_said, system;
	struct result r = {.suite = "events",
			   .name = "n",
			   .event = "INST_RETIRED.ANY_P",
			   .kernel = "system_calls",
			   .counter = "PMC0",
			   .level = level_name(user),
			   .n_observations = 1};
	bool meant;

	(void)state;
	scripted.handled = 4; /* instructions of the handler */
	place.highest = counter_highest(&pmu.counter[0]);
	while (strcmp(c->number, "SRF7"))
		c++;
	assert_true(errata_alter(c, &instructions, &altered, &meant));
	assert_int_equal(event_expected(&place, 5, &right), EXPECTATION_OK);
	place.event = &altered;
	assert_int_equal(event_expected(&place, 5, &as_said), EXPECTATION_OK);
	place.level = 0;
	assert_int_equal(event_expected(&place, 5, &system), EXPECTATION_OK);
	assert_int_not_equal(as_said.low, right.low);
	assert_int_not_equal(as_said.low, system.low);
	for (unsigned as_system = 0; as_system < 2; as_system++) {
		r.observation[0] = (struct observation){.n = 5, .low = right.low, .high = right.high};
		histogram_add(&r.observation[0].seen, as_system ? system.low : as_said.low);
		judge(r.observation, 1, &r.judgement);
		errata_judge(&pmu, &r);
		assert_int_equal(r.judgement.verdict, as_system ? VERDICT_WRONG : VERDICT_ERRATUM);
	}
	scripted.handled = 0;
}

/* A check that compares without counting is a trial as well. */
static void trials(void **state)
{
	struct result r = {.suite = "control", .name = "write near the top/FIXED_CTR2"};

	(void)state;
	r.judgement.verdict = VERDICT_EXACT;
	errata_judge(&pmu, &r);
	assert_int_equal(of("BJ77")->tried, 1);
	r.judgement.verdict = VERDICT_SKIPPED;
	errata_judge(&pmu, &r);
	assert_int_equal(of("BJ77")->tried, 1);
}

/* Near misses: twice as much, less in place of more, at one N alone, and on a kernel without it. */
static void near_misses(void **state)
{
	(void)state;
	assert_int_equal(counted("far_jumps", 27, 52, 37, 72).judgement.verdict, VERDICT_WRONG);
	assert_int_equal(counted("far_jumps", 27, 52, 22, 42).judgement.verdict, VERDICT_WRONG);
	assert_int_equal(counted("far_jumps", 27, 52, 32, 52).judgement.verdict, VERDICT_WRONG);
	assert_int_equal(of("SRF7")->present, 0);
	assert_int_equal(of("SRF7")->otherwise, 3);
	assert_int_equal(counted("far_jumps", 27, 52, 27, 52).judgement.verdict, VERDICT_EXACT);
	assert_int_equal(of("SRF7")->otherwise, 3);
	assert_int_equal(of("SRF7")->tried, 8);
	/* A count that is right speaks against the erratum, whatever another counter shows. */
	assert_int_equal(of("SRF7")->denied, 1);
	struct result r = counted("far_jumps", 27, 52, 32, 62);

	assert_int_equal(r.judgement.verdict, VERDICT_WRONG);
	assert_non_null(strstr(r.judgement.text, "but other counts are right"));
	assert_int_equal(of("SRF7")->present, 1);
	assert_int_equal(of("SRF7")->denied, 1);
	/* Another erratum of which nothing speaks to the contrary remains. */
	pmu.processor = (struct erratum_processor){6, 0x3a, 9};
	r = counted("iret_self", 44, 84, 49, 94);
	assert_int_equal(r.judgement.verdict, VERDICT_ERRATUM);
	assert_non_null(strstr(r.judgement.text, "as erratum BV52 says: "));
}

static struct result compared(const char *check, const char *text, int64_t expected, int64_t observed)
{
	struct result r = {.suite = "control", .name = check, .n_observations = 1};

	r.observation[0] = (struct observation){.n = 1, .low = expected, .high = expected};
	histogram_add(&r.observation[0].seen, observed);
	judge(r.observation, 1, &r.judgement);
	if (expected != observed)
		judgement_set(&r.judgement, VERDICT_WRONG, "%s", text);
	errata_judge(&pmu, &r);
	return r;
}

static void symptoms(void **state)
{
	const char *check = "write near the top/FIXED_CTR2", *text = "interrupts of writes 0, observed 0x1";
	struct result r = compared(check, text, 0, 1);

	(void)state;
	assert_int_equal(r.judgement.verdict, VERDICT_ERRATUM);
	assert_non_null(strstr(r.judgement.text, "as erratum BJ77 says, which is not documented"));
	assert_int_equal(compared(check, text, 0, 2).judgement.verdict, VERDICT_WRONG);
	assert_int_equal(compared(check, "the counter holds 1000, observed 0", 1000, 1001).judgement.verdict,
			 VERDICT_WRONG);
	assert_int_equal(compared("write near the top/FIXED_CTR1", text, 0, 1).judgement.verdict,
			 VERDICT_WRONG);
	assert_int_equal(compared(check, text, 0, 0).judgement.verdict, VERDICT_EXACT);
	assert_int_equal(of("BJ77")->present, 1);
	assert_int_equal(of("BJ77")->otherwise, 1);
	assert_int_equal(of("BJ77")->tried, 3);
	r = compared("stop at an overflow/PMC0",
		     "status that stays after a stop at an overflow 0, observed 0x1", 0, 1);
	assert_non_null(strstr(r.judgement.text, "AAJ143"));
	r = compared("power-up/IA32_PERF_GLOBAL_CTRL", "expected", 15, 15 | 7ll << 32);
	assert_non_null(strstr(r.judgement.text, "AAJ83"));
	assert_int_equal(
		compared("power-up/IA32_PERF_GLOBAL_CTRL", "expected", 15, 15 | 3ll << 32).judgement.verdict,
		VERDICT_WRONG);
	/* A bit that is lost beside those that are too many is none of the erratum's. */
	assert_int_equal(compared("stop at an overflow/PMC0",
				  "status that stays after a stop at an overflow 4, observed 0x3", 4, 3)
				 .judgement.verdict,
			 VERDICT_WRONG);
	assert_int_equal(compared("stop at an overflow/PMC0",
				  "status that stays after a stop at an overflow 4, observed 0x5", 4, 5)
				 .judgement.verdict,
			 VERDICT_ERRATUM);
}

/* What an erratum is about must be right where it says nothing of it: a check that finds that wrong, or what
 * it is about wrong in another way, is no sign of it. */
static void controls(void **state)
{
	static const struct {
		const struct errata *family;
		const char *number, *check, *shows;
		int64_t expected, observed;
		const char *control;
		int64_t control_expected, control_observed;
	} cases[] = {
		{&intel_known_errata, "AAJ119", "interrupts of two overflows/FIXED_CTR1 and FIXED_CTR2",
		 "interrupts after which nothing has overflowed 0, observed 0x1", 0, 1,
		 "interrupts after which something has overflowed 1, observed 0", 1, 0},
		{&intel_known_errata, "AAJ119", "interrupts of two overflows/FIXED_CTR1 and FIXED_CTR2",
		 "interrupts after which nothing has overflowed 0, observed 0x1", 0, 1,
		 "of two counters without FIXED_CTR2, interrupts for nothing 0, observed 0x1", 0, 1},
		{&intel_known_errata, "AAJ125", "interrupts of a frozen overflow/FIXED_CTR0",
		 "interrupts after which nothing has overflowed 0, observed 0x1", 0, 1,
		 "interrupts after which something has overflowed 1, observed 0", 1, 0},
		{&intel_known_errata, "AAJ125", "interrupts of a frozen overflow/FIXED_CTR0",
		 "interrupts after which nothing has overflowed 0, observed 0x1", 0, 1,
		 "without a freeze, interrupts for nothing 0, observed 0x1", 0, 1},
		{&intel_known_errata, "AAJ148", "overflow together, frozen/fixed counters",
		 "overflow status of a counter that has wrapped, or not 1, observed 0", 1, 0,
		 "without a freeze, overflow status of one that has wrapped, or not 1, observed 0", 1, 0},
		{&intel_known_errata, "AAJ148", "overflow together, frozen/fixed counters",
		 "overflow status of a counter that has wrapped, or not 1, observed 0", 1, 0,
		 "a counter that has not wrapped is 9, observed 8", 9, 8},
		{&intel_known_errata, "BJ94", "freeze on an interrupt/LBR",
		 "source of the branch that froze the stack, less its address 0, observed 0x5", 0, 5,
		 "source of the branch before, less its address 0, observed 0x5", 0, 5},
		{&intel_known_errata, "BJ94", "freeze on an interrupt/LBR",
		 "source of the branch that froze the stack, less its address 0, observed 0x5", 0, 5,
		 "target of the branch that froze the stack, less its address 0, observed 0x5", 0, 5},
		{&intel_known_errata, "SKL186", "freeze on an interrupt/LBR",
		 "newest record of a frozen stack that repeats the one before 0, observed 0x1", 0, 1,
		 "target of the branch before, less its address 0, observed 0x5", 0, 5},
		{&intel_known_errata, "HSD91", "interrupt, fixed/PMC0",
		 "interrupts with the entry armed again and the status still set 0, observed 0x1", 0, 1,
		 "interrupts of counting on, acknowledged 0, observed 0x1", 0, 1},
		{&amd_known_errata, "AMD-1023", "two counters interrupt/counters 0 and 1",
		 "interrupts after a later overflow of one of two counters 1, observed 0", 1, 0,
		 "interrupts after each overflow of the only one that may 1, observed 0", 1, 0},
		{&amd_known_errata, "AMD-1023", "two counters interrupt/counters 0 and 1",
		 "interrupts after a later overflow of one of two counters 1, observed 0", 1, 0,
		 "interrupts after the first overflow of one of two counters 1, observed 0", 1, 0},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		unsigned row = (unsigned)errata_find(cases[i].family, cases[i].number);
		struct result r;

		errata_begin();
		pmu.errata = cases[i].family;
		r = compared(cases[i].check, cases[i].control, cases[i].control_expected,
			     cases[i].control_observed);
		assert_int_equal(r.judgement.verdict, VERDICT_WRONG);
		assert_int_equal(errata_found(row)->present, 0);
		r = compared(cases[i].check, cases[i].shows, cases[i].expected, cases[i].observed);
		assert_int_equal(r.judgement.verdict, VERDICT_ERRATUM);
		assert_int_equal(errata_found(row)->present, 1);
		/* No other row is told. */
		for (unsigned other = 0; other < *cases[i].family->count; other++)
			assert_int_equal(errata_found(other)->present, other == row);
	}
}

/* A row of an event that tells of a direction and no amount agrees, or does not, and gives no verdict. */
static void directions(void **state)
{
	static struct pmu_event event;
	static const struct pmu_event *const list[] = {&event};
	static const struct {
		const char *errata;
		int64_t seen;
		bool agrees;
	} cases[] = {
		{"AAJ57", 28, true},   {"AAJ57", 26, false}, {"AAJ107", 28, false},
		{"AAJ107", 26, true},  {"BDM061", 28, true}, {"AAJ107 HSD140", 28, true},
		{"XYZ1", 28, false},   {"SKL57", 28, false}, /* of sources of data */
		{"HSD29", 26, false},                        /* takes the other thread */
		{"HSD135", 28, false},                       /* these take what no kernel does */
		{"HSD65", 28, false},  {"HSD30", 26, false}, {"BJ54", 28, false}, /* of no count */
		{"SRF7", 28, false},                                              /* says how much */
	};

	(void)state;
	event = instructions;
	pmu.events = list;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		event.errata = cases[i].errata;
		struct result r = counted("far_jumps", 27, 52, cases[i].seen, 52 + 1);

		if (cases[i].seen < 27)
			r = counted("far_jumps", 27, 52, cases[i].seen, 52 - 1);
		assert_int_equal(r.judgement.verdict, VERDICT_BIASED);
		assert_int_equal(!!strstr(r.judgement.text, "(consistent with"), cases[i].agrees);
	}
	assert_true(of("AAJ57")->agree && of("AAJ57")->otherwise);
	assert_int_equal(of("SKL57")->tried, 0);
	assert_int_equal(of("AAJ57")->present, 0);
	pmu.events = events;
}

/* Nothing is below a count that may be none, and nothing above one that may be anything: what is right there
 * says nothing of such a row. */
static void shown_by(void **state)
{
	static struct pmu_event event;
	static const struct pmu_event *const list[] = {&event};
	static const struct {
		const char *number;
		int64_t low, high;
		unsigned tried;
	} cases[] = {
		{"AAJ107", 0, 27, 0}, /* counts less */
		{"AAJ107", 1, INT64_MAX, 3},
		{"AAJ57", 0, INT64_MAX, 0}, /* counts more */
		{"AAJ57", 0, 27, 3},
	};

	(void)state;
	event = instructions;
	pmu.events = list;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct result r = {.suite = "events",
				   .name = "n",
				   .event = "INST_RETIRED.ANY_P",
				   .kernel = "far_jumps",
				   .counter = "PMC0",
				   .n_observations = 1};

		errata_begin();
		event.errata = cases[i].number;
		r.observation[0] = (struct observation){.n = 5, .low = cases[i].low, .high = cases[i].high};
		for (unsigned n = 0; n < 3; n++)
			histogram_add(&r.observation[0].seen, 27);
		errata_judge(&pmu, &r);
		assert_int_equal(of(cases[i].number)->tried, cases[i].tried);
	}
	/* What is wrong is a trial all the same, and otherwise. */
	struct result r = counted("far_jumps", 27, 52, 26, 51);

	assert_int_equal(r.judgement.verdict, VERDICT_BIASED);
	assert_int_equal(of("AAJ57")->tried, 5);
	assert_int_equal(of("AAJ57")->otherwise, 1);
	pmu.events = events;
}

/* Each end of what was seen that is off has to be off in a direction that the row has. */
static void both_ends(void **state)
{
	static struct pmu_event event;
	static const struct pmu_event *const list[] = {&event};
	static const char *const numbers[] = {"AAJ107", "AAJ57"}; /* counts less; counts more */

	(void)state;
	event = instructions;
	pmu.events = list;
	for (int64_t least = 26; least <= 28; least++)
		for (int64_t most = least; most <= 28; most++)
			for (unsigned i = 0; i < 2; i++) {
				struct result r = {.suite = "events",
						   .name = "n",
						   .event = "INST_RETIRED.ANY_P",
						   .kernel = "far_jumps",
						   .counter = "PMC0",
						   .n_observations = 1};
				bool off = least < 27 || most > 27,
				     like = off && !(i == 0 ? most > 27 : least < 27);

				errata_begin();
				event.errata = numbers[i];
				r.observation[0] = (struct observation){.n = 5, .low = 27, .high = 27};
				histogram_add(&r.observation[0].seen, least);
				histogram_add(&r.observation[0].seen, most);
				judge(r.observation, 1, &r.judgement);
				errata_judge(&pmu, &r);
				assert_int_equal(!!strstr(r.judgement.text, "(consistent with"), like);
			}
	pmu.events = events;
}

/* A rung that counts too few is not consistent with what counts too many. */
static void likely_direction(void **state)
{
	(void)state;
	pmu.errata = &amd_known_errata;
	for (int more = -1; more <= 1; more += 2) {
		struct result r = {.suite = "ladder", .name = "PERF_CTR0", .n_observations = 1};

		r.observation[0] = (struct observation){.n = 5, .low = 27, .high = 27};
		histogram_add(&r.observation[0].seen, 27 + more);
		judgement_set(&r.judgement, VERDICT_WRONG, "not exact on NOPs");
		errata_begin();
		errata_judge(&pmu, &r);
		assert_int_equal(!!strstr(r.judgement.text, "(consistent with AMD-1291)"), more > 0);
		assert_int_equal(!!strstr(r.judgement.text, "(consistent with AMD-1292)"), more > 0);
	}
}

static void likely(void **state)
{
	struct result r = compared("IA32_PERF_GLOBAL_CTRL", "", 1, 1);

	(void)state;
	r = (struct result){.suite = "trace", .name = "BTS whole/calls/ring 0"};
	judgement_set(&r.judgement, VERDICT_WRONG,
		      "0 branches from the first are right, then +1 to +2 instead of +3 to +2");
	errata_judge(&pmu, &r);
	assert_int_equal(r.judgement.verdict, VERDICT_WRONG);
	assert_non_null(strstr(r.judgement.text, "(consistent with HSD53)"));
	assert_int_equal(of("HSD53")->agree, 1);
	assert_int_equal(of("HSD53")->otherwise, 0);
	assert_int_equal(of("AR62")->tried, 0);
	judgement_set(&r.judgement, VERDICT_EXACT, "%s", "");
	errata_judge(&pmu, &r);
	assert_int_equal(of("HSD53")->tried, 2);
	assert_int_equal(of("HSD53")->agree, 1);
}

/* What no vendor has published is named, and gives no verdict. */
static void observations(void **state)
{
	struct result r;

	(void)state;
	pmu.errata = &netburst_known_errata;
	r = compared("interrupt, fixed/IQ_COUNTER0",
		     "interrupts with the entry armed again and the status still set 0, observed 0x1", 0, 1);
	assert_int_equal(r.judgement.verdict, VERDICT_WRONG);
	assert_non_null(strstr(r.judgement.text, "(as was observed elsewhere: P4-OVF-NMI)"));
	pmu.errata = NULL;
	assert_int_equal(compared("power-up/IA32_PERF_GLOBAL_CTRL", "", 15, 15 | 7ll << 32).judgement.verdict,
			 VERDICT_WRONG);
}

/* What an event counts by its rule is the erratum's doing. */
static void by_rule(void **state)
{
	const struct erratum_count c = {"W146", "INST*", Q_INSN_CPUID, 1, NULL, ""};
	struct pmu_event ruled = instructions, out;
	bool meant;

	(void)state;
	assert_true(errata_alter(&c, &instructions, &out, &meant));
	assert_false(meant);
	assert_int_equal(out.terms[1].quantity, Q_INSN_CPUID);
	assert_int_equal(out.terms[1].coefficient, 1);
	ruled.terms[1] = (struct event_term){Q_INSN_CPUID, 1};
	ruled.terms[2] = (struct event_term){Q_BRANCHES, 1};
	assert_true(errata_alter(&c, &ruled, &out, &meant));
	assert_true(meant);
	assert_int_equal(out.terms[1].quantity, Q_BRANCHES);
	assert_int_equal(out.terms[2].coefficient, 0);
	/* A term of another amount is no sign of it: the erratum adds to that one. */
	ruled.terms[1] = (struct event_term){Q_INSN_CPUID, 2};
	assert_true(errata_alter(&c, &ruled, &out, &meant));
	assert_false(meant);
	assert_int_equal(out.terms[1].quantity, Q_INSN_CPUID);
	assert_int_equal(out.terms[1].coefficient, 3);
	ruled.name = "BR_INST";
	assert_false(errata_alter(&c, &ruled, &out, &meant));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(processors),
		cmocka_unit_test(tables),
		cmocka_unit_test_setup(counts, setup),
		cmocka_unit_test_setup(levels, setup),
		cmocka_unit_test_setup(trials, setup),
		cmocka_unit_test_setup(near_misses, setup),
		cmocka_unit_test(amounts_are_the_vendors),
		cmocka_unit_test_setup(symptoms, setup),
		cmocka_unit_test_setup(controls, setup),
		cmocka_unit_test_setup(directions, setup),
		cmocka_unit_test_setup(shown_by, setup),
		cmocka_unit_test_setup(both_ends, setup),
		cmocka_unit_test_setup(likely_direction, setup),
		cmocka_unit_test_setup(likely, setup),
		cmocka_unit_test_setup(observations, setup),
		cmocka_unit_test_setup(by_rule, setup),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
