/* Event strings: every form, every mistake with its place, the way back, and the encodings against libpfm4's.
 */
#include "pmu/events/fields.h"
#include "pmu/events/grammar.h"
#include "pmu/intel/intel.h"
#include "pmu/intel/registers.h"
#include "pmu/events/text.h"
#include "tests/self/host/support/fake_cpu.h"

#include <perfmon/pfmlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct pmu pmu;
static struct event_request found[64];
static struct event_error error;

static int start(void **state)
{
	const char *why;

	(void)state;
	fake_cpu_start(model_profile_by_name("intel-core2"), NULL);
	/* A model that no table knows: architectural events alone. */
	fake_cpu_set_leaf(1, 0, 0x00ff06f6, 0, 1u << 15, 1u << 9);
	if (!fake_cpu_identify(&intel_driver, &pmu, &why))
		return -1;
	snprintf(pmu.model, sizeof pmu.model, "intel-core2");
	return 0;
}

static int stop(void **state)
{
	(void)state;
	fake_cpu_stop();
	return 0;
}

static unsigned parse(const char *text)
{
	memset(found, 0xee, sizeof found);
	return event_parse(&pmu, text, found, 64, &error);
}

/* What the selector register gets, of what was found first. */
static uint64_t selector(void)
{
	const struct pmu_config *c = &found[0].config;

	return c->code | (c->levels & LEVELS_USER ? EVTSEL_USR : 0) |
	       (c->levels & LEVELS_SYSTEM ? EVTSEL_OS : 0) | (c->edge ? EVTSEL_E : 0) |
	       (c->any_thread ? EVTSEL_ANY : 0) | (c->invert ? EVTSEL_INV : 0) |
	       (uint64_t)c->cmask << EVTSEL_CMASK_SHIFT;
}

static void every_form_is_understood(void **state)
{
	static const struct {
		const char *text;
		uint32_t selector;
		const char *name; /* NULL: raw */
	} good[] = {
		{"INST_RETIRED.ANY_P", 0x300c0, "INST_RETIRED.ANY_P"},
		{"inst_retired:any_p", 0x300c0, "INST_RETIRED.ANY_P"},
		{" INST_RETIRED.ANY_P ", 0x300c0, "INST_RETIRED.ANY_P"},
		{"intel::INST_RETIRED:ANY_P:u", 0x100c0, "INST_RETIRED.ANY_P"},
		{"intel-core2::INST_RETIRED.ANY_P:k", 0x200c0, "INST_RETIRED.ANY_P"},
		{"ix86arch::INSTRUCTION_RETIRED:u:k", 0x300c0, "INST_RETIRED.ANY_P"},
		{"branches:uk", 0x300c4, "BR_INST_RETIRED.ALL_BRANCHES"},
		{"branch-misses:u=1:k=0", 0x100c5, "BR_MISP_RETIRED.ALL_BRANCHES"},
		{"LLC_MISSES:e:i:c=2:t", 0x2a7412e | 0x800000 | 0x200000, "LONGEST_LAT_CACHE.MISS"},
		{"LLC_MISSES:c=0xff", 0xff03412e, "LONGEST_LAT_CACHE.MISS"},
		{"r01c0", 0x301c0, NULL},
		{"R5301c0", 0x301c0, NULL},
		{"r1d3412e", 0x183412e, NULL},
		{"r1d3412e:u", 0x181412e, NULL},
		{"r4101c4", 0x101c4, NULL},
		{"r4101c4:k", 0x201c4, NULL},
		{"r01c0:k:c=3", 0x30201c0, NULL},
		{"cpu/event=0xc4,umask=0x20,cmask=1,inv/", 0x18320c4, NULL},
		{"cpu/event=196,umask=32/u", 0x120c4, NULL},
		{"cpu/event=0xc4/uk", 0x300c4, NULL},
		{"cpu/event=0xc4,edge=1,any=0/k:c=7", 0x70600c4, NULL},
		{"intel::cpu/event=0xc4/:u", 0x100c4, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		unsigned n = parse(good[i].text);

		if (n != 1)
			fail_msg("%s: %s", good[i].text, error.text);
		if (selector() != good[i].selector)
			fail_msg("%s: %#lx, not %#x", good[i].text, (unsigned long)selector(),
				 good[i].selector);
		if (good[i].name)
			assert_string_equal(found[0].event->name, good[i].name);
		else
			assert_null(found[0].event);
	}
}

static void globs_give_every_row(void **state)
{
	(void)state;
	assert_int_equal(parse("*"), pmu.n_events);
	assert_int_equal(parse("*:u"), pmu.n_events);
	for (unsigned i = 0; i < pmu.n_events; i++) {
		assert_ptr_equal(found[i].event, pmu.events[i]);
		assert_int_equal(found[i].config.levels, LEVELS_USER);
	}
	assert_int_equal(parse("BR_*:k:c=1"), 2);
	assert_int_equal(found[1].config.cmask, 1);
	assert_int_equal(parse("br_*_retired:all_branches"), 2);
	assert_int_equal(parse("INST_RETIRED:ANY*"), 2);
	assert_int_equal(parse("INST_RETIRED.ANY_?"), 1);
	/* more than there is room for: counted, not stored */
	assert_int_equal(event_parse(&pmu, "*", found, 1, &error), pmu.n_events);
}

static void mistakes_are_pointed_at(void **state)
{
	static const struct {
		const char *text;
		unsigned column;
		const char *message;
	} bad[] = {
		{"", 0, "no event is given"},
		{"  ", 2, "no event is given"},
		{"core::INST_RETIRED", 0,
		 "no PMU core here: before '::' stands intel or intel-core2, or nothing"},
		{"intel::", 7, "no event behind '::'"},
		{":u", 0, "no event before ':'"},
		{"INST_RETIRD.ANY_P", 0, "no event INST_RETIRD.ANY_P: did you mean INST_RETIRED.ANY_P?"},
		{"intel::INST_RETIRED:ANY_X", 20, "no unit mask ANY_X of INST_RETIRED: did you mean ANY_P?"},
		{"LONGEST_LAT_CACHE.ELSEWHERE:u", 18,
		 "no unit mask ELSEWHERE of LONGEST_LAT_CACHE: there are REFERENCE, MISS"},
		{"LONGEST_LAT_CACHE:MISS:REFERENC", 23,
		 "no modifier or unit mask REFERENC: there are u k e t i c= and REFERENCE"},
		{"INST_RETIRED.ANY_P:ANY", 19, "no modifier ANY: there are u k e t i c="},
		{"BR_INST_RETIRED:u", 0,
		 "no event BR_INST_RETIRED: did you mean BR_INST_RETIRED.ALL_BRANCHES?"},
		{"FLOPS:u", 0,
		 "no event FLOPS in Intel architectural PMU version 2; '*' stands for all that there are"},
		{"FP_*:u", 0, "no event of Intel architectural PMU version 2 matches FP_*"},
		{"branches:x", 9, "no modifier x: there are u k e t i c="},
		{"branches:ux", 9, "no modifier ux: there are u k e t i c="},
		{"branches:u:", 11, "a modifier is missing here"},
		{"branches:u:u", 11, "u is given twice"},
		{"branches:uu", 10, "u is given twice"},
		{"branches:c", 10,
		 "c needs a value, c=0 to c=255: of the events of one cycle at least this many make one "
		 "count"},
		{"branches:c=256", 11,
		 "c takes a number from 0 to 255: of the events of one cycle at least this many make one "
		 "count"},
		/* 2^64, in decimal and in hexadecimal, and its neighbours above: no number wraps to a small
		   one. */
		{"branches:c=18446744073709551616", 11,
		 "c takes a number from 0 to 255: of the events of one cycle at least this many make one "
		 "count"},
		{"branches:c=18446744073709551619", 11,
		 "c takes a number from 0 to 255: of the events of one cycle at least this many make one "
		 "count"},
		{"branches:c=0x10000000000000001", 11,
		 "c takes a number from 0 to 255: of the events of one cycle at least this many make one "
		 "count"},
		{"branches:c=", 11,
		 "c takes a number from 0 to 255: of the events of one cycle at least this many make one "
		 "count"},
		{"branches:e=2", 11, "e takes a number from 0 to 1: count how often the condition begins"},
		{"branches:c=1x", 12, "unexpected 'x'"},
		{"branches branches", 9, "text behind the event: one string holds one event"},
		{"r11111111111111111", 1, "the selector exceeds 64 bits"},
		{"r1000001c0", 1,
		 "bits 0x100000000 have no meaning in a selector of Intel architectural PMU version 2"},
		{"r1c0,", 0,
		 "no event r1c0, in Intel architectural PMU version 2; '*' stands for all that there are"},
		{"cpu/event=0xc4", 14, "the closing '/' is missing"},
		{"cpu/event=0xc4,", 15,
		 "a field is missing here: there are event= umask= edge any inv cmask="},
		{"cpu//", 4, "a field is missing here: there are event= umask= edge any inv cmask="},
		{"cpu/evnt=1/", 4, "no field evnt: there are event= umask= edge any inv cmask="},
		{"cpu/event=0x100/", 10, "event takes a number from 0 to 255: event select"},
		{"cpu/event=1,event=2/", 12, "event is given twice"},
		{"cpu/event/", 9, "event needs a value, event=0 to event=255: event select"},
		{"cpu/event=1 /", 11, "unexpected ' ': fields are separated by ',' and end with '/'"},
		{"cpu/event=1/pp", 12,
		 "no such modifiers as pp: after the '/' stand letters such as u and k"},
		{"uncore/event=1/", 0, "no PMU uncore here: before '/' stands cpu"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(parse(bad[i].text), 0);
		assert_string_equal(error.text, bad[i].message);
		assert_int_equal(error.column, bad[i].column);
	}
}

static void formats_parse_to_the_same(void **state)
{
	static const char *const text[] = {"*",         "*:u:c=3", "*:k:e:i:t",
					   "r5301c0:k", "r41ffc0", "cpu/event=0xc4,umask=1,inv,edge/u"};
	char line[128], perf[128];

	(void)state;
	for (size_t t = 0; t < sizeof text / sizeof *text; t++) {
		static struct event_request all[64];
		unsigned n = event_parse(&pmu, text[t], all, 64, &error);

		assert_true(n > 0);
		for (unsigned i = 0; i < n; i++) {
			event_format(&pmu, &all[i], line, sizeof line);
			assert_int_equal(parse(line), 1);
			assert_memory_equal(&found[0], &all[i], sizeof found[0]);
			if (event_format_perf(&pmu, &all[i], perf, sizeof perf)) {
				assert_int_equal(parse(perf), 1);
				assert_memory_equal(&found[0].config, &all[i].config, sizeof found[0].config);
			} else {
				assert_int_equal(all[i].event->counters, 0);
			}
		}
	}
	/* Both rings are what goes without saying; each filter by itself is one. */
	assert_int_equal(parse("branches"), 1);
	event_format(&pmu, &found[0], line, sizeof line);
	assert_string_equal(line, "intel::BR_INST_RETIRED.ALL_BRANCHES");
	assert_false(event_is_filtered(&found[0]));
	assert_int_equal(parse("branches:u"), 1);
	assert_false(event_is_filtered(&found[0]));
	for (const char *const *f = (const char *const[]){"branches:e", "branches:i", "branches:c=1", NULL};
	     *f; f++) {
		assert_int_equal(parse(*f), 1);
		assert_true(event_is_filtered(&found[0]));
	}
	assert_int_equal(parse("branches:u:c=2"), 1);
	event_format(&pmu, &found[0], line, sizeof line);
	assert_string_equal(line, "intel::BR_INST_RETIRED.ALL_BRANCHES:u:c=2");
	event_format_perf(&pmu, &found[0], line, sizeof line);
	assert_string_equal(line, "cpu/event=0xc4,cmask=0x2/u");
	for (size_t room = 1; room < 40; room++)
		assert_true(event_format(&pmu, &found[0], line, room) < room && strlen(line) < room);
}

/* A family whose unit masks are joined. */
static const struct event_mask *two_masks(const struct pmu *pmu, const struct pmu_event *e)
{
	static const struct event_mask masks[] = {{"MMTP", 0x100}, {"MMTM", 0x200}, {NULL, 0}};

	(void)pmu;
	return e->code == 6 ? masks : NULL;
}

static void unit_masks_join(void **state)
{
	static const struct pmu_event branch = {.name = "branch_retired", .code = 6, .counters = 1},
				      other = {.name = "other", .code = 7, .counters = 1};
	static const struct pmu_event *const rows[] = {&branch, &other};
	static struct event_grammar grammar;
	static struct pmu_driver driver;
	struct pmu joined = {.name = "joined", .driver = &driver, .events = rows, .n_events = 2};
	char line[64];

	(void)state;
	grammar = *intel_driver.grammar;
	grammar.masks = two_masks;
	driver = (struct pmu_driver){.name = "p4", .grammar = &grammar};
	assert_int_equal(event_parse(&joined, "p4::branch_retired:mmtp:MMTM:u", found, 64, &error), 1);
	assert_int_equal(found[0].config.code, 0x306);
	event_format(&joined, &found[0], line, sizeof line);
	assert_string_equal(line, "p4::branch_retired:MMTP:MMTM:u");
	assert_int_equal(event_parse(&joined, "branch_retired:mmtx", found, 64, NULL), 0);
	assert_int_equal(event_parse(&joined, "branch_retierd", found, 64, NULL), 0);
	assert_int_equal(event_parse(&joined, "branch_retired:mmtx", found, 64, &error), 0);
	assert_string_equal(error.text,
			    "no modifier or unit mask mmtx: there are u k e t i c= and MMTP MMTM");
	/* A row is an event with one mask. */
	assert_int_equal(parse("longest_lat_cache:miss:REFERENCE:k"), 1);
	assert_int_equal(selector(), 0x2412e | 0x4f2e);
	event_format(&pmu, &found[0], line, sizeof line);
	assert_string_equal(line, "intel::LONGEST_LAT_CACHE.MISS:REFERENCE:k");
	event_format_perf(&pmu, &found[0], line, sizeof line);
	assert_string_equal(line, "cpu/event=0x2e,umask=0x4f/k");
	assert_int_equal(event_parse(&joined, "other:mmtp", found, 64, &error), 0);
	assert_int_equal(error.column, 6);
}

static void a_family_without_grammar_says_so(void **state)
{
	static const struct pmu_driver driver = {.name = "mute"};
	struct pmu mute = {.name = "mute PMU", .driver = &driver};

	(void)state;
	assert_int_equal(event_parse(&mute, "x", found, 64, &error), 0);
	assert_string_equal(error.text, "mute PMU takes no event strings");
}

/* The general counters' events and every modifier that libpfm4 has for them; it wants a c-mask with an edge.
 */
static void encodings_equal_libpfm4s(void **state)
{
	static const char *const event[] = {
		"UNHALTED_CORE_CYCLES", "INSTRUCTION_RETIRED",         "LLC_REFERENCES",
		"LLC_MISSES",           "BRANCH_INSTRUCTIONS_RETIRED", "MISPREDICTED_BRANCH_RETIRED"};
	static const char *const modifiers[] = {"",         ":u",     ":k",     ":u:k", ":c=1",
						":c=255:u", ":i:c=2", ":e:c=1", ":t",   ":e:i:c=7:t:k"};
	unsigned compared = 0;

	(void)state;
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	assert_int_equal(pfm_initialize(), PFM_SUCCESS);
	for (size_t e = 0; e < sizeof event / sizeof *event; e++)
		for (size_t m = 0; m < sizeof modifiers / sizeof *modifiers; m++) {
			pfm_pmu_encode_arg_t arg = {.size = sizeof arg};
			char theirs[96], ours[96];

			/* Core 2 has no AnyThread, and libpfm4's Nehalem no such alias of the last event. */
			if (strchr(modifiers[m], 't') && e == 5)
				continue;
			snprintf(theirs, sizeof theirs, "%s::%s%s",
				 strchr(modifiers[m], 't') ? "nhm" : "core", event[e], modifiers[m]);
			snprintf(ours, sizeof ours, "ix86arch::%s%s", event[e], modifiers[m]);
			assert_int_equal(
				pfm_get_os_event_encoding(theirs, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &arg),
				PFM_SUCCESS);
			assert_int_equal(parse(ours), 1);
			if ((arg.codes[0] & ~(EVTSEL_INT | EVTSEL_EN)) != selector())
				fail_msg("%s: libpfm4 %#lx, Assay %#lx", ours, (unsigned long)arg.codes[0],
					 (unsigned long)selector());
			free(arg.codes);
			compared++;
		}
	pfm_terminate();
	assert_int_equal(compared, 58);
}

static void fields_are_named(void **state)
{
	char line[128];

	(void)state;
	register_format(intel_driver.fields, IA32_PERFEVTSEL0 + 3, 0x2d3412e, line, sizeof line);
	assert_string_equal(line, "EN INT OS USR INV CMASK=0x2 UMASK=0x41 EVENT=0x2e");
	register_format(intel_driver.fields, IA32_FIXED_CTR_CTRL, 0xb3, line, sizeof line);
	assert_string_equal(line, "EN_OS0 EN_OS1 EN_USR0 EN_USR1 PMI1");
	register_format(intel_driver.fields, IA32_PERF_GLOBAL_CTRL, 0x200000009, line, sizeof line);
	assert_string_equal(line, "PMC0 PMC3 FIXED_CTR1");
	register_format(intel_driver.fields, IA32_PERFEVTSEL0, 1ull << 48 | 1, line, sizeof line);
	assert_string_equal(line, "EVENT=0x1 ?=0x1000000000000");
	register_format(intel_driver.fields, IA32_PERFEVTSEL0, 0xff3c00000001, line, sizeof line);
	assert_string_equal(line, "ADAPTIVE LBR_LOG EQ RDPMC_USER UMASK2=0xff EVENT=0x1");
	register_format(intel_driver.fields, IA32_PERF_GLOBAL_STATUS, 0xc1000000000000, line, sizeof line);
	assert_string_equal(line, "METRICS PEBS TRACE");
	assert_string_equal(register_name(intel_driver.fields, IA32_PERFEVTSEL0 + 3, line, sizeof line),
			    "IA32_PERFEVTSEL3");
	assert_string_equal(register_name(intel_driver.fields, IA32_PERF_GLOBAL_OVF_CTRL, line, sizeof line),
			    "IA32_PERF_GLOBAL_OVF_CTRL");
	assert_string_equal(register_name(intel_driver.fields, 0x10, line, sizeof line), "register 0x10");
	register_format(intel_driver.fields, 0x10, 5, line, sizeof line);
	assert_string_equal(line, "?=0x5");
	register_format(intel_driver.fields, IA32_PERF_GLOBAL_CTRL, UINT64_MAX, line, 16);
	assert_int_equal(strlen(line), 15);
}

/* A field as wide as its register, and bits that no field has, in the upper half too. */
static void wide_fields(void **state)
{
	static const struct register_field fields[] = {{.name = "ALL", .first = 1, .last = 1, .width = 64},
						       {.name = "LOW", .first = 2, .last = 2, .width = 8},
						       {.name = NULL}};
	char text[64];

	(void)state;
	register_format(fields, 1, UINT64_MAX, text, sizeof text);
	assert_string_equal(text, "ALL=0xffffffffffffffff");
	register_format(fields, 2, 1ull << 63 | 1, text, sizeof text);
	assert_string_equal(text, "LOW=0x1 ?=0x8000000000000000");
	register_format(fields, 3, 1, text, sizeof text);
	assert_string_equal(text, "?=0x1");
}

static void distances(void **state)
{
	(void)state;
	assert_int_equal(edit_distance("", ""), 0);
	assert_int_equal(edit_distance("abc", ""), 3);
	assert_int_equal(edit_distance("", "abc"), 3);
	assert_int_equal(edit_distance("vebrose", "verbose"), 1);
	assert_int_equal(edit_distance("KERNEL", "kernal"), 1);
	assert_int_equal(edit_distance("kitten", "sitting"), 3);
	assert_true(is_near(1, "n1"));
	assert_false(is_near(2, "ab"));
}

static uint64_t draw(void)
{
	static uint64_t x = 0x2545f4914f6cdd1d;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

static void random_input_is_survived(void **state)
{
	static const char *const piece[] = {"intel::",  "INST_RETIRED",
					    ".ANY_P",   ":u",
					    ":c=",      "12",
					    "*",        "?",
					    "r01c0",    "cpu/",
					    "event=",   ",",
					    "/",        "inv",
					    "=",        " ",
					    "branches", ":",
					    "0x",       "99999999999999999999",
					    "\xff"};
	unsigned accepted = 0;

	(void)state;
	for (unsigned round = 0; round < 300000; round++) {
		char text[200] = "", *exact;

		if (round & 1)
			for (uint64_t i = draw() % 24; i; i--)
				text[i - 1] = (char)(1 + draw() % 255);
		else
			for (uint64_t i = draw() % 7; i; i--)
				strcat(text, piece[draw() % (sizeof piece / sizeof *piece)]);
		text[24 * 8] = 0;
		exact = strdup(text);
		if (parse(exact))
			accepted++;
		else
			assert_true(error.text[0] && error.column <= strlen(exact));
		free(exact);
	}
	assert_true(accepted > 1000);
}

/* Of all the names that libpfm4 has for PMUs a CPU answers to its own, and to no second one. */
static void libpfm4s_names_are_understood(void **state)
{
	unsigned named = 0;

	assert_int_equal(pfm_initialize(), PFM_SUCCESS);
	for (unsigned i = 0; model_profile(i); i++) {
		static struct pmu other;
		unsigned answers = 0;
		const char *why;

		if (strncmp(model_profile(i)->name, "intel-", 6))
			continue;
		fake_cpu_stop();
		fake_cpu_start(model_profile(i), NULL);
		assert_true(fake_cpu_identify(&intel_driver, &other, &why));
		for (int p = 0; p < PFM_PMU_MAX; p++) {
			pfm_pmu_info_t info = {.size = sizeof info};
			char text[80];

			if (pfm_get_pmu_info((pfm_pmu_t)p, &info) != PFM_SUCCESS ||
			    !strcmp(info.name, "ix86arch"))
				continue;
			snprintf(text, sizeof text, "%s::INST_RETIRED.ANY_P", info.name);
			answers += event_parse(&other, text, found, 64, &error) == 1;
		}
		if (answers > 1)
			fail_msg("%s answers to %u names", model_profile(i)->name, answers);
		named += answers;
	}
	pfm_terminate();
	fake_cpu_stop();
	assert_in_range(named, 12, 40); /* libpfm4 has no newer ones than Sapphire Rapids */
	assert_int_equal(start(state), 0);
}

/* A name that is an alias on one core is a row's own on another: there it is that row alone. */
static void a_row_comes_before_an_alias(void **state)
{
	unsigned reached = 0;

	for (unsigned i = 0; model_profile(i); i++) {
		static struct pmu other;
		const char *why;

		if (strncmp(model_profile(i)->name, "intel-", 6))
			continue;
		fake_cpu_stop();
		fake_cpu_start(model_profile(i), NULL);
		assert_true(fake_cpu_identify(&intel_driver, &other, &why));
		for (const struct event_alias *a = intel_driver.grammar->more_aliases[0]; a->alias; a++) {
			const struct pmu_event *row = event_by_name(other.events, other.n_events, a->alias);

			if (!row)
				continue;
			if (event_parse(&other, a->alias, found, 64, &error) != 1 || found[0].event != row)
				fail_msg("%s: %s is not what it is called", model_profile(i)->name, a->alias);
			reached++;
		}
	}
	fake_cpu_stop();
	assert_in_range(reached, 10, 50000);
	assert_int_equal(start(state), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_is_understood),
		cmocka_unit_test(globs_give_every_row),
		cmocka_unit_test(mistakes_are_pointed_at),
		cmocka_unit_test(formats_parse_to_the_same),
		cmocka_unit_test(unit_masks_join),
		cmocka_unit_test(a_row_comes_before_an_alias),
		cmocka_unit_test(libpfm4s_names_are_understood),
		cmocka_unit_test(a_family_without_grammar_says_so),
		cmocka_unit_test(encodings_equal_libpfm4s),
		cmocka_unit_test(fields_are_named),
		cmocka_unit_test(wide_fields),
		cmocka_unit_test(distances),
		cmocka_unit_test(random_input_is_survived),
	};

	return cmocka_run_group_tests_name("grammar", tests, start, stop);
}
