/* AMD's event rows and strings: sound, and with the encodings that libpfm4 knows. */
#include "pmu/amd/amd.h"
#include "tests/self/host/rule_tests.h"
#include "pmu/amd/events/events.h"
#include "pmu/events/fields.h"
#include "pmu/events/grammar.h"
#include "tests/self/host/support/fake_cpu.h"

#include <perfmon/pfmlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <cmocka.h>

#define ENABLES (CTL_INT | CTL_EN | CTL_HOST | CTL_GUEST)

static struct pmu pmu;
static struct event_request found[64];
static struct event_error error;

/* libpfm4 of this version has no Zen 5: see rows_of_zen_5(). */
static const struct {
	unsigned generation;
	const char *pfm;
} peers[] = {
	{AMD_K7, "amd64_k7"},
	{AMD_K8, "amd64_k8_revg"},
	{AMD_10H, "amd64_fam10h_istanbul"},
	{AMD_11H, "amd64_fam11h_turion"},
	{AMD_12H, "amd64_fam12h_llano"},
	{AMD_14H, "amd64_fam14h_bobcat"},
	{AMD_15H, "amd64_fam15h_interlagos"},
	{AMD_16H, "amd64_fam16h"},
	{AMD_ZEN1, "amd64_fam17h_zen1"},
	{AMD_ZEN2, "amd64_fam17h_zen2"},
	{AMD_ZEN3, "amd64_fam19h_zen3"},
	{AMD_ZEN4, "amd64_fam19h_zen4"},
};
#define PEERS (sizeof peers / sizeof peers[0])

/* Rows that are named in short what libpfm4 joins of several masks. */
static const struct {
	const char *row, *masks;
} joined[] = {
	{"RETIRED_MMX_AND_FP_INSTRUCTIONS.PACKED_AND_SCALAR_SSE",
	 "RETIRED_MMX_AND_FP_INSTRUCTIONS:PACKED_SSE_AND_SSE2:SCALAR_SSE_AND_SSE2"},
	{"L1_DTLB_MISS.ALL_L2_MISS", "L1_DTLB_MISS:TLB_RELOAD_4K_L2_MISS:TLB_RELOAD_COALESCED_PAGE_MISS:"
				     "TLB_RELOAD_2M_L2_MISS:TLB_RELOAD_1G_L2_MISS"},
};

static const char *pfm_name(const char *row)
{
	for (size_t i = 0; i < sizeof joined / sizeof *joined; i++)
		if (!strcmp(joined[i].row, row))
			return joined[i].masks;
	return row;
}

/* libpfm4's selector without what says nothing of the event. 0: it does not know the event. */
static uint64_t encoding(const char *peer, const char *name, const char *modifiers)
{
	pfm_pmu_encode_arg_t arg = {.size = sizeof arg};
	char text[192];
	uint64_t code;

	snprintf(text, sizeof text, "%s::%s%s", peer, name, modifiers);
	for (char *dot = text; (dot = strchr(dot, '.'));)
		*dot = ':';
	if (pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &arg))
		return 0;
	code = arg.codes[0] & ~ENABLES;
	free(arg.codes);
	return code;
}

/* Rows that libpfm4 lacks for a generation: as perf's list (Linux, pmu-events/arch/x86/amdzen*) or likwid's
 * has them, or the guide of 10H (the five states of a line, 31116, EventSelect 044h). */
static const struct {
	unsigned generations;
	const char *row;
	unsigned event, umask;
} others[] = {
	{AMD_ZEN2 | AMD_ZEN3, "RETIRED_BRANCH_RESYNCS", 0xc7, 0},
	{AMD_ZEN2, "RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS_MISPREDICTED", 0xd2, 0},
	{AMD_ZEN2 | AMD_ZEN3, "RETIRED_LOCK_INSTRUCTIONS.NON_SPEC_LOCK", 0x25, 2},
	{AMD_ZEN2 | AMD_ZEN3, "RETIRED_LOCK_INSTRUCTIONS.SPEC_LOCK_LO_SPEC", 0x25, 4},
	{AMD_ZEN2 | AMD_ZEN3, "RETIRED_LOCK_INSTRUCTIONS.SPEC_LOCK_HI_SPEC", 0x25, 8},
	{AMD_ZEN2 | AMD_ZEN3, "LS_RDTSC", 0x2d, 0},
	{AMD_ZEN2 | AMD_ZEN3, "DATA_CACHE_ACCESSES", 0x40, 0},
	{AMD_ZEN1 | AMD_ZEN2, "TABLEWALKER_ALLOCATION.DSIDE", 0x46, 3},
	{AMD_ZEN1 | AMD_ZEN2, "TABLEWALKER_ALLOCATION.ISIDE", 0x46, 0xc},
	{AMD_ZEN2 | AMD_ZEN3, "ITLB_RELOADS", 0x99, 0},
	{AMD_10H | AMD_12H, "DATA_CACHE_LINES_EVICTED.STATES", 0x44, 0x1f},
	{AMD_ZEN1, "RETIRED_X87_FLOATING_POINT_OPERATIONS.ALL", 2, 7},
};

static bool is_other(unsigned generation, const struct pmu_event *row)
{
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (others[i].generations & generation && !strcmp(others[i].row, row->name))
			return row->code == (others[i].event | others[i].umask << 8);
	return false;
}

static unsigned rows_of_others(void)
{
	unsigned n = 0;

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		n += (unsigned)__builtin_popcount(others[i].generations);
	return n;
}

/* A row that went, or came without its like in libpfm4, is another number. */
#define COMPARED 2117

static void rows_equal_libpfm4s(void **unused)
{
	unsigned compared = 0, elsewhere = 0;
	(void)unused;
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	assert_int_equal(pfm_initialize(), PFM_SUCCESS);
	for (unsigned p = 0; p < PEERS; p++) {
		static struct pmu_event rows[AMD_EVENTS_MAX];
		unsigned n = amd_unpack(peers[p].generation, true, rows, AMD_EVENTS_MAX);
		for (unsigned i = 0; i < n; i++) {
			uint64_t theirs = encoding(peers[p].pfm, pfm_name(rows[i].name), "");
			if (!theirs && is_other(peers[p].generation, &rows[i])) {
				elsewhere++;
				continue;
			}
			if (theirs != (rows[i].code | CTL_USR | CTL_OS))
				fail_msg("%s::%s: libpfm4 %#lx, Assay %#lx", peers[p].pfm, rows[i].name,
					 (unsigned long)theirs, (unsigned long)rows[i].code);
			compared++;
		}
	}
	printf("rows compared with libpfm4's: %u\n", compared);
	assert_int_equal(compared, COMPARED);
	assert_int_equal(elsewhere, rows_of_others()); /* none of them is there in vain */
	assert_int_equal(encoding("amd64_k8_revg", "NO_SUCH_EVENT", ""), 0);
	pfm_terminate();
}

/* The selector and unit mask of a row of Zen 5, and whether there is one of that name. */
static bool row_is(const struct pmu_event *rows, unsigned n, const char *name, unsigned event, unsigned umask)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(rows[i].name, name))
			return rows[i].code ==
			       ((event & 0xff) | umask << 8 | (uint64_t)(event & 0xf00) << 24);
	return false;
}

/* Hold rows of Zen 5 against another list's. @return how many the list has */
static unsigned confirm(const char *list, const struct pmu_event *rows, unsigned n, bool *confirmed)
{
	char line[256], theirs[96], row[96];
	unsigned event, umask, facts = 0;
	FILE *csv = fopen(list, "r");

	assert_non_null(csv);
	assert_non_null(fgets(line, sizeof line, csv)); /* the head */
	for (; fgets(line, sizeof line, csv); facts++) {
		assert_int_equal(sscanf(line, "%95[^,],%x,%x,%95s", theirs, &event, &umask, row), 4);
		if (!row_is(rows, n, row, event, umask))
			fail_msg("%s is %03x, %02x in %s, %s is something else", theirs, event, umask, list,
				 row);
		assert_false(row_is(rows, n, row, event ^ 1, umask));
		assert_false(row_is(rows, n, row, event, umask ^ 1));
		for (unsigned i = 0; i < n; i++)
			confirmed[i] = confirmed[i] || !strcmp(rows[i].name, row);
	}
	fclose(csv);
	return facts;
}

/*
 * Zen 5's rows are libpfm4's too, of a later version. They are held against what perf's and likwid's lists of
 * Zen 5 say under their own names, and illumos's, which is made from AMD's publication 58550; the others that
 * Zen 4 has under the same name against the library's Zen 4. Each row has such a second source.
 *
 * Where the lists differ AMD's publication decides:
 * - likwid gives 00CH/A0H to moves of 128 bits, and 256 bits as well: 0AH and A0H.
 * - likwid has 00DH/08H and 80H as carry-less multiplications: they are conversions or packs.
 * - likwid has the closing of write-combining buffers in event 064H: 063H.
 * - likwid has 071H/0EH for prefetches of the data cache: E0H, as in 070H and 072H.
 * - libpfm4 exchanges the names of 072H, prefetches that miss the L3, and 165H, the sources of the L2's
 * fills; perf and illumos have them the other way round. The rows have libpfm4's names and AMD's meaning.
 */
static void rows_of_zen_5(void **unused)
{
	static struct pmu_event rows[AMD_EVENTS_MAX];
	unsigned n = amd_unpack(AMD_ZEN5, true, rows, AMD_EVENTS_MAX), shared = 0;
	static bool confirmed[AMD_EVENTS_MAX];
	(void)unused;

	assert_int_equal(confirm("tests/self/host/data/amd-zen5.csv", rows, n, confirmed), 177);
	assert_int_equal(confirm("tests/self/host/data/amd-zen5-likwid.csv", rows, n, confirmed), 26);
	assert_int_equal(confirm("tests/self/host/data/amd-zen5-illumos.csv", rows, n, confirmed), 19);
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	assert_int_equal(pfm_initialize(), PFM_SUCCESS);
	for (unsigned i = 0; i < n; i++) {
		uint64_t theirs = encoding("amd64_fam19h_zen4", pfm_name(rows[i].name), "");
		bool equal = theirs == (rows[i].code | CTL_USR | CTL_OS);
		if (theirs && !equal && !confirmed[i])
			fail_msg("%s: Zen 4 %#lx, Zen 5 %#lx", rows[i].name, (unsigned long)theirs,
				 (unsigned long)rows[i].code);
		shared += equal && !confirmed[i];
		if (!equal && !confirmed[i])
			fail_msg("%s: it has no second source", rows[i].name);
	}
	pfm_terminate();
	printf("rows of Zen 5: %u, of those in none of the lists, as Zen 4 has them: %u\n", n, shared);
	assert_true(shared > 80);
}

/* Each line of errata.def is about rows of each of its generations, which have its numbers. */
static void errata_are_attached(void **unused)
{
	static const struct {
		unsigned generations, select, umask;
		const char *numbers;
	} lines[] = {
#define ANY                                              0x100
#define AMD_ERRATUM(generations, select, umask, numbers) {generations, select, umask, numbers},
#include "pmu/amd/errata/errata.def"
#undef AMD_ERRATUM
	};

	(void)unused;
	for (unsigned l = 0; l < sizeof lines / sizeof lines[0]; l++)
		for (unsigned g = 1; g < AMD_NEWER; g <<= 1) {
			static struct pmu_event rows[AMD_EVENTS_MAX];
			unsigned n = lines[l].generations & g ? amd_unpack(g, true, rows, AMD_EVENTS_MAX) : 0;
			unsigned attached = 0, others = 0;

			for (unsigned i = 0; i < n; i++) {
				unsigned select = (rows[i].code & 0xff) | (rows[i].code >> 24 & 0xf00);

				if (!rows[i].errata)
					others++;
				else if (select == lines[l].select &&
					 (lines[l].umask == ANY ||
					  (rows[i].code >> 8 & 0xff) == lines[l].umask))
					attached += !strcmp(rows[i].errata, lines[l].numbers);
			}
			if (n && (!attached || !others))
				fail_msg("%s, %03x: %u rows have it", lines[l].numbers, lines[l].select,
					 attached);
		}
}

static void rows_are_sound(void **unused)
{
	(void)unused;
	for (unsigned g = 0; g < 13; g++) {
		static struct pmu_event rows[AMD_EVENTS_MAX], few[3];
		unsigned n = amd_unpack(1u << g, true, rows, AMD_EVENTS_MAX);
		assert_in_range(n, g ? 120 : 30, AMD_EVENTS_MAX - 1);
		for (unsigned i = 0; i < n; i++) {
			assert_int_equal(rows[i].code & ~CTL_CODE, 0);
			assert_int_not_equal(rows[i].terms[0].coefficient, 0);
			assert_int_not_equal(rows[i].counters, 0);
			assert_true(rows[i].judgement <= EVENT_TIME);
			if (rule_fault(&rows[i]))
				fail_msg("%s: %s", rows[i].name, rule_fault(&rows[i]));
			assert_true(strlen(rows[i].name) < 100);
			assert_true(rows[i].terms[0].quantity != Q_NOT_PROVOKED || rows[i].rule);
			for (unsigned t = 0; t < EVENT_TERMS && rows[i].terms[t].coefficient; t++)
				assert_true(rows[i].terms[t].quantity < Q_COUNT);
			for (unsigned j = 0; j < i; j++) {
				assert_string_not_equal(rows[i].name, rows[j].name);
				assert_true(rows[i].code != rows[j].code);
			}
		}
		assert_int_equal(amd_unpack(1u << g, true, few, 3), 3);
	}
	for (unsigned i = 0; i < amd_event_count; i++) {
		assert_true(amd_events[i].generations);
		assert_true(!(amd_events[i].generations & AMD_15H) == !amd_events[i].bulldozer);
	}
}

/* Counters that family 15H wires an event to, as Linux has them (arch/x86/events/amd/core.c,
 * amd_get_event_constraints_f15h()). */
static uint32_t counters_of_15h(unsigned event, unsigned umask)
{
	unsigned masks = (unsigned)__builtin_popcount(umask);

	switch (event & 0xf0) {
	case 0x00:
	case 0x10: /* floating point */
		if (event == 0x003 || event == 0x00b || event == 0x00d || (event == 0x004 && masks > 1) ||
		    (event == 0x000 && umask & 0xf0 && umask & 0x0f))
			return 0x08;
		return 0x38;
	case 0x20:
	case 0x30:
	case 0x40:
	case 0x50: /* load and store, data cache */
	case 0xc0: /* execution */
		switch (event) {
		case 0x023:
		case 0x043:
		case 0x045:
		case 0x046:
		case 0x054:
		case 0x055:
			return 0x07;
		case 0x02d:
			return 0x08;
		case 0x02e:
			return 0x09;
		case 0x031:
			return masks <= 1 ? 0x07 : 0;
		case 0x1c0:
			return 0x38;
		default:
			return 0x3f;
		}
	case 0x60:
	case 0x70:
	case 0x80:
	case 0x90: /* second-level cache, fetching, decoding */
	case 0xd0: /* decoding, dispatch */
		if (event == 0x08f || event == 0x187 || event == 0x188)
			return 0x01;
		return (event >= 0x0db && event <= 0x0df) || event == 0x1d6 || event == 0x1d8 ? 0x3f : 0x07;
	default:
		return 0;
	}
}

static void wiring_of_family_15h(void **unused)
{
	static struct pmu_event rows[AMD_EVENTS_MAX];
	unsigned n = amd_unpack(AMD_15H, true, rows, AMD_EVENTS_MAX);
	(void)unused;

	assert_in_range(n, 120, AMD_EVENTS_MAX);
	for (unsigned i = 0; i < n; i++) {
		unsigned event = (unsigned)((rows[i].code & 0xff) | (rows[i].code >> 24 & 0xf00));
		uint32_t counters = counters_of_15h(event, rows[i].code >> 8 & 0xff);

		/* The guide's entries of these two name counter 3 alone, which Linux does only for masks that
		 * need it. */
		if (event == 0x000 || event == 0x004)
			counters &= 0x08;
		if (rows[i].counters != counters)
			fail_msg("%s: counters %#x, Linux %#x", rows[i].name, rows[i].counters, counters);
	}
	/* Elsewhere every counter counts everything. */
	for (unsigned g = AMD_K7; g <= AMD_ZEN5; g <<= 1)
		for (unsigned i = 0; g != AMD_15H && i < (n = amd_unpack(g, true, rows, AMD_EVENTS_MAX)); i++)
			assert_int_equal(rows[i].counters, ~0u);
}

static void generations_by_signature(void **unused)
{
	static const struct {
		uint32_t signature;
		unsigned generation;
	} rows[] = {
		{0x00000662, AMD_K7},    {0x00000f5a, AMD_K8},   {0x00020ff0, AMD_K8},
		{0x00100f42, AMD_10H},   {0x00200f31, AMD_11H},  {0x00300f10, AMD_12H},
		{0x00500f20, AMD_14H},   {0x00600f12, AMD_15H},  {0x00700f01, AMD_16H},
		{0x00800f11, AMD_ZEN1},  {0x00820f01, AMD_ZEN1}, {0x00870f10, AMD_ZEN2},
		{0x00830f10, AMD_ZEN2},  {0x00900f02, AMD_ZEN1}, {0x00a00f11, AMD_ZEN3},
		{0x00a20f10, AMD_ZEN3},  {0x00a50f00, AMD_ZEN3}, {0x00a10f11, AMD_ZEN4},
		{0x00a60f12, AMD_ZEN4},  {0x00aa0f01, AMD_ZEN4}, {0x00b40f40, AMD_ZEN5},
		{0x000906ea, AMD_K7},    {0x00000521, 0},        {0x00c00f00, AMD_NEWER},
		{0x01900f12, AMD_NEWER},
	};
	(void)unused;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (amd_generation(rows[i].signature) != rows[i].generation)
			fail_msg("%x is taken for %#x", rows[i].signature, amd_generation(rows[i].signature));
}

static unsigned parse(const char *profile, const char *text)
{
	const char *why;
	fake_cpu_start(model_profile_by_name(profile), NULL);
	assert_true(fake_cpu_identify(&amd_driver, &pmu, &why));
	snprintf(pmu.model, sizeof pmu.model, "%s", profile);
	return event_parse(&pmu, text, found, 64, &error);
}

static uint64_t selector(void)
{
	const struct pmu_config *c = &found[0].config;

	return c->code | (c->levels & LEVELS_USER ? CTL_USR : 0) | (c->levels & LEVELS_SYSTEM ? CTL_OS : 0) |
	       (c->edge ? CTL_EDGE : 0) | (c->invert ? CTL_INV : 0) | (uint64_t)c->cmask << CTL_CMASK_SHIFT;
}

static void strings_are_understood(void **unused)
{
	static const struct {
		const char *profile, *text;
		uint64_t selector;
	} good[] = {
		{"amd-zen4", "RETIRED_INSTRUCTIONS", 0x300c0},
		{"amd-zen4", "amd64::ex_ret_instr:u", 0x100c0},
		{"amd-zen4", "cycles:k", 0x20076},
		{"amd-k8", "cycles", 0x30076},
		{"amd-k8", "branch-misses", 0x300c3},
		{"amd-zen2", "branch-misses:e:c=2", 0x20700c3},
		{"amd-zen4", "RETIRED_MMX_FP_INSTRUCTIONS:SSE_INSTR:i:c=1", 0x18304cb},
		{"amd-zen4", "amd-zen4::RETIRED_UNCONDITIONAL_BRANCH_INSTRUCTIONS", 0x1000300c9},
		{"amd-zen4", "r1000000c9:u", 0x1000100c9},
		{"amd-zen4", "r5300c0", 0x300c0},
		{"amd-zen4", "cpu/event=0x1c9,umask=0x7,cmask=3,inv/u", 0x1038107c9},
		{"amd-zen4", "RETIRED_INSTRUCTIONS:h", 0x200000300c0},
	};
	(void)unused;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		if (parse(good[i].profile, good[i].text) != 1)
			fail_msg("%s: %s", good[i].text, error.text);
		if (selector() != good[i].selector)
			fail_msg("%s: %#lx", good[i].text, (unsigned long)selector());
	}
	/* of another generation, and beyond the field */
	assert_int_equal(parse("amd-k8", "ex_ret_cond"), 0);
	assert_int_equal(parse("amd-k8", "CYCLES_NOT_IN_HALT"), 0);
	assert_int_equal(parse("amd-zen4", "cpu/event=0x1000/"), 0);
	assert_non_null(strstr(error.text, "4095"));
	assert_int_equal(parse("amd-zen4", "cpu/event=1,event=2/"), 0);
}

static void strings_go_back(void **unused)
{
	char text[128];
	(void)unused;
	assert_int_equal(parse("amd-zen4", "RETIRED_UNCONDITIONAL_BRANCH_INSTRUCTIONS:u:c=2"), 1);
	event_format(&pmu, &found[0], text, sizeof text);
	assert_string_equal(text, "amd::RETIRED_UNCONDITIONAL_BRANCH_INSTRUCTIONS:u:c=2");
	event_format_perf(&pmu, &found[0], text, sizeof text);
	assert_string_equal(text, "cpu/event=0x1c9,cmask=0x2/u");
	assert_int_equal(event_parse(&pmu, text, found, 64, &error), 1);
	assert_int_equal(selector(), 0x1020100c9);
}

static void strings_equal_libpfm4s(void **unused)
{
	static const char *const modifiers[] = {"",     ":u",       ":k",     ":u:k",
						":c=1", ":i:c=2:u", ":e:c=1", ":e:i:c=7:k"};
	static const char *const event[] = {"RETIRED_INSTRUCTIONS", "RETIRED_BRANCH_INSTRUCTIONS",
					    "RETIRED_NEAR_RETURNS"};
	static const char *const parts[][2] = {{"amd-k8", "amd64_k8_revg"},
					       {"amd-fam15h", "amd64_fam15h_interlagos"},
					       {"amd-zen4", "amd64_fam19h_zen4"}};
	(void)unused;
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	assert_int_equal(pfm_initialize(), PFM_SUCCESS);
	for (unsigned p = 0; p < 3; p++)
		for (unsigned e = 0; e < 3; e++)
			for (unsigned m = 0; m < sizeof modifiers / sizeof *modifiers; m++) {
				char ours[96];
				snprintf(ours, sizeof ours, "%s%s", event[e], modifiers[m]);
				assert_int_equal(parse(parts[p][0], ours), 1);
				assert_int_equal(selector(), encoding(parts[p][1], event[e], modifiers[m]));
			}
	pfm_terminate();
}

static void fields_are_named(void **unused)
{
	char text[128];
	(void)unused;
	assert_string_equal(register_name(amd_driver.fields, PERF_CTL0 + 4, text, sizeof text), "PERF_CTL2");
	assert_string_equal(register_name(amd_driver.fields, PERF_LEGACY_CTR0 + 1, text, sizeof text),
			    "PERF_LEGACY_CTR1");
	register_format(amd_driver.fields, PERF_CTL0 + 4, 0x1025107c9, text, sizeof text);
	assert_string_equal(text, "EN INT USR CMASK=0x2 UMASK=0x7 EVENT=0xc9 EVENT11_8=0x1");
	register_format(amd_driver.fields, PERF_GLOBAL_STATUS, 0x0c00000000000005, text, sizeof text);
	assert_string_equal(text, "CTR0 CTR2 LBR_FROZEN PMC_FROZEN");
	register_format(amd_driver.fields, IBS_FETCH_CTL, 0x3fffffff0010ull | 0xfdull << 48, text,
			sizeof text);
	assert_null(strchr(text, '?'));
	register_format(amd_driver.fields, IBS_OP_DATA3, 1ull << 15 | 4 << 22 | 1, text, sizeof text);
	assert_string_equal(text, "LOAD LOCKED WIDTH=0x4");
	register_format(amd_driver.fields, IBS_OP_DATA, 1ull << 35 | 1ull << 37 | 7, text, sizeof text);
	assert_string_equal(text, "COMPLETE_TO_RETIRE=0x7 TAKEN BRANCH");
	register_format(amd_driver.fields, DBG_EXTN_CFG, 0x0103003c, text, sizeof text);
	assert_string_equal(text, "BRS ONES=0x3 BRS_VALID BRS_NEXT=0x3 BRS_PMC=0x1");
	assert_string_equal(register_name(amd_driver.fields, IBS_OP_RIP, text, sizeof text), "IBS_OP_RIP");
}

static int cleanup(void **unused)
{
	(void)unused;
	fake_cpu_stop();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_equal_libpfm4s),      cmocka_unit_test(rows_of_zen_5),
		cmocka_unit_test(errata_are_attached),      cmocka_unit_test(rows_are_sound),
		cmocka_unit_test(generations_by_signature), cmocka_unit_test(wiring_of_family_15h),
		cmocka_unit_test(strings_are_understood),   cmocka_unit_test(strings_go_back),
		cmocka_unit_test(strings_equal_libpfm4s),   cmocka_unit_test(fields_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, cleanup);
}
