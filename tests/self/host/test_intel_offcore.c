/*
 * Offcore responses: what the tables recompose against the vendor's rows (by their checksum) and libpfm4's
 * encodings; what they mean against words of their names and against the bits that the model counts by.
 */
#include "pmu/intel/events/core_events.h"
#include "pmu/intel/events/extra.h"
#include "pmu/intel/model/model.h"
#include "pmu/intel/events/offcore.h"

#include <perfmon/pfmlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char offcore_names[INTEL_OFFCORE_POOL];

static struct pmu_event row[INTEL_OFFCORE_MAX];

/* --- the vendor's rows ------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct pmu_event *)a)->name, ((const struct pmu_event *)b)->name);
}

static uint32_t crc32(uint32_t crc, const char *text)
{
	for (; *text; text++) {
		crc ^= (uint8_t)*text;
		for (unsigned i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return crc;
}

/* Of the lines "NAME VALUE" of n rows, as scripts/intel-events makes it of the vendor's list. */
static uint32_t checksum(unsigned n)
{
	uint32_t crc = 0xffffffff;

	qsort(row, n, sizeof row[0], by_name);
	for (unsigned i = 0; i < n; i++) {
		char line[128];

		snprintf(line, sizeof line, "%s %llx\n", row[i].name, (unsigned long long)row[i].extra_value);
		crc = crc32(crc, line);
	}
	return ~crc;
}

/* Columns of pmu/intel/events/cores.csv. */
struct facts {
	char core[8], selectors[16];
	unsigned spellings, bare;
	uint32_t checksum;
};

static bool read_facts(FILE *f, struct facts *x)
{
	char line[512], *column[10], *p = line;

	if (!fgets(line, sizeof line, f))
		return false;
	for (unsigned i = 0; i < 10; i++) {
		/* The second column may be quoted, for it may have commas. */
		char *quote = *p == '"' ? strchr(p + 1, '"') : NULL, *comma = strchr(quote ? quote : p, ',');

		column[i] = p;
		if (comma)
			*comma = '\0';
		p = comma ? comma + 1 : p + strlen(p);
	}
	snprintf(x->core, sizeof x->core, "%s", column[0]);
	snprintf(x->selectors, sizeof x->selectors, "%s", column[4]);
	x->spellings = (unsigned)atoi(column[6]);
	x->bare = (unsigned)atoi(column[7]);
	x->checksum = (uint32_t)strtoul(column[8], NULL, 16);
	return true;
}

static void recomposed_rows_are_the_vendors(void **state)
{
	FILE *f = fopen("pmu/intel/events/cores.csv", "r");
	struct facts facts;
	unsigned all = 0;

	(void)state;
	assert_non_null(f);
	assert_true(read_facts(f, &facts)); /* the heading */
	for (unsigned c = 0; c < intel_core_count; c++) {
		assert_true(read_facts(f, &facts));
		assert_string_equal(facts.core, intel_core_names[c]);
		unsigned n = intel_offcore_unpack((int)c, true, offcore_names, row, INTEL_OFFCORE_MAX);
		if (checksum(n) != facts.checksum)
			fail_msg("%s: its %u offcore responses are not those of the vendor's list",
				 facts.core, n);
		for (unsigned i = 0; i < n; i++) {
			unsigned first = 0, second = 0;

			sscanf(facts.selectors, "%x %x", &first, &second);
			assert_true(row[i].extra_register == MSR_OFFCORE_RSP_0
					    ? row[i].code == first
					    : second && row[i].code == second);
		}
		all += n;
		/* The other side: one bit, one letter. */
		if (n) {
			row[n / 2].extra_value ^= 1ull << 20;
			assert_int_not_equal(checksum(n), facts.checksum);
			row[n / 2].extra_value ^= 1ull << 20;
			row[0].name++;
			assert_int_not_equal(checksum(n), facts.checksum);
		}
	}
	fclose(f);
	printf("# %u offcore responses of %u cores\n", all, intel_core_count);
	assert_in_range(all, 4500, 6000);
}

static void rows_are_sound(void **state)
{
	(void)state;
	for (unsigned c = 0; c < intel_core_count; c++) {
		unsigned n = intel_offcore_unpack((int)c, false, offcore_names, row, INTEL_OFFCORE_MAX),
			 alike = 0;

		assert_true(n < INTEL_OFFCORE_MAX);
		for (unsigned i = 0; i < n; i++) {
			const struct pmu_event *e = &row[i];

			assert_true(e->flags & EVENT_BY_NAME && e->flags & EVENT_OF_CORE);
			assert_true(e->counters && !(e->counters & (e->counters - 1)) && e->fixed == -1);
			assert_int_equal(e->terms[0].coefficient, 1);
			assert_in_range(strlen(e->name), 10, 90);
			assert_non_null(e->rule);
			for (unsigned k = 0; k < i; k++) {
				assert_string_not_equal(e->name, row[k].name);
				/* KNL has one value whose two registers have two names. */
				alike += e->extra_value == row[k].extra_value;
			}
		}
		if (alike && strcmp(intel_core_names[c], "KNL"))
			fail_msg("%s: %u values twice", intel_core_names[c], alike);
	}
	assert_int_equal(intel_offcore_unpack(INTEL_NO_CORE, true, offcore_names, row, INTEL_OFFCORE_MAX), 0);
	assert_int_equal(intel_offcore_unpack(intel_core_by_name("SKL"), false, offcore_names, row, 7), 7);
	assert_int_equal(intel_offcore_unpack(intel_core_by_name("YON"), false, offcore_names, row, 7), 0);
}

/* --- libpfm4 ------------------------------------------------------------------------------------------ */

static const struct {
	const char *core, *pfm;
} peers[] = {
	{"NHM", "nhm"},    {"NHX", "nhm_ex"}, {"WSM", "wsm_dp"}, {"WSS", "wsm"},    {"WSX", "wsm_dp"},
	{"SNB", "snb"},    {"JKT", "snb_ep"}, {"IVB", "ivb"},    {"IVT", "ivb_ep"}, {"HSW", "hsw"},
	{"HSX", "hsw_ep"}, {"BDW", "bdw"},    {"BDX", "bdw_ep"}, {"SKL", "skl"},    {"SKX", "skx"},
	{"CLX", "clx"},    {"ICL", "icl"},    {"ICX", "icx"},    {"RKL", "icl"},    {"TGL", "icl"},
	{"SPR", "spr"},    {"EMR", "spr"},    {"SLM", "slm"},    {"KNL", "knl"},    {"GLM", "glm"},
	{"TNT", "tmt"},    {"SNR", "tmt"},
};

/* Where libpfm4 has another value: Intel's list is taken. */
static const struct {
	const char *cores, *part, *why;
} disagreements[] = {
	{"NHM NHX WSM WSS WSX", ".ANY_DATA.", "libpfm4's has requests for ownership, too"},
	{"HSW", ".L3_HIT.", "libpfm4's has no lines in state F"},
	{"HSW BDW SKX CLX SKL", ".L3_MISS.", "libpfm4's has other suppliers"},
	{"CLX", ".L3_HIT.SNOOP_HIT_WITH_FWD", "Intel's has one supplier more"},
	{"SKL", ".SPL_HIT", "libpfm4's has all snoop results"},
	{"SKL", ".ANY_SNOOP", "Intel's has SPL_HIT among the snoop results"},
	{"TNT SNR", ".L3_MISS", "libpfm4's has more snoop results"},
	{"SLM", ".ANY_REQUEST.", "libpfm4's has every bit"},
	{"KNL", ".ANY_", "libpfm4's requests for more than one kind have other bits"},
	{"KNL", ".DDR_FAR", "libpfm4's has the bits of near memory"},
	{"GLM", ".L2_HIT", "libpfm4's has snoop results"},
};

/* Where libpfm4's second event has the first one's selector; Intel's list has another for each register. */
static const char *const one_selector = "SPR EMR";

static bool may_differ(const char *core, const char *name)
{
	for (unsigned i = 0; i < sizeof disagreements / sizeof disagreements[0]; i++)
		if (strstr(disagreements[i].cores, core) && strstr(name, disagreements[i].part))
			return true;
	return false;
}

static bool encoding(const char *text, uint64_t *code, uint64_t *value)
{
	pfm_pmu_encode_arg_t arg = {.size = sizeof arg};

	if (pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &arg))
		return false;
	*code = arg.codes[0] & 0xffff;
	*value = arg.count > 1 ? arg.codes[1] : 0;
	free(arg.codes);
	return *value != 0;
}

/* Words of ours, from a dot or colon on, and libpfm4's. */
static const struct {
	const char *ours, *theirs;
} words[] = {
	{"DEMAND_CODE_RD", "DMND_CODE_RD"},
	{"DEMAND_CODE_RD", "DMND_IFETCH"},
	{"DEMAND_IFETCH", "DMND_IFETCH"},
	{"DEMAND_DATA_RD", "DMND_DATA_RD"},
	{"DEMAND_RFO", "DMND_RFO"},
	{"COREWB", "WB"},
	{"STREAMING_STORES", "STRM_ST"},
	{"PF_L2_DATA_RD", "PF_DATA_RD"},
	{"PF_L2_RFO", "PF_RFO"},
	{"PF_L2_CODE_RD", "PF_IFETCH"},
	{"PF_L3_DATA_RD", "PF_LLC_DATA_RD"},
	{"PF_L3_RFO", "PF_LLC_RFO"},
	{"PF_L3_CODE_RD", "PF_LLC_IFETCH"},
	{"PF_LLC_CODE_RD", "PF_LLC_IFETCH"},
	{"ALL_RFO", "ANY_RFO"},
	{"L3_MISS_LOCAL_DRAM", "L3_MISS_LOCAL"},
	{"L3_MISS_LOCAL_DRAM", "LLC_MISS_LOCAL"},
	{"LLC_MISS.DRAM", "LLC_MISS_LOCAL:SNP_NOT_NEEDED:SNP_MISS"},
	{"L3_HIT_M", "L3_HITM"},
	{"L3_HIT_E", "L3_HITE"},
	{"L3_HIT_S", "L3_HITS"},
	{"L3_HIT_F", "L3_HITF"},
	{"L3_HIT", "LLC_HITMESF"},
	{"LLC_HIT", "LLC_HITMESF"},
	{"L3_HIT", "L3_HITMESF"},
	{"ANY_SNOOP", "SNP_ANY"},
	{"ANY_RESPONSE", "SNP_ANY"},
	{"SNOOP_NONE", "SNP_NONE"},
	{"SNOOP_NOT_NEEDED", "SNP_NOT_NEEDED"},
	{"NO_SNOOP_NEEDED", "SNP_NOT_NEEDED"},
	{"NO_SNOOP_NEEDED", "NO_SNP_NEEDED"},
	{"SNOOP_MISS", "SNP_MISS"},
	{"SNOOP_HIT_NO_FWD", "SNP_HIT_NO_FWD"},
	{"SNOOP_HIT_NO_FWD", "SNP_NO_FWD"},
	{"HIT_OTHER_CORE_NO_FWD", "SNP_HIT_NO_FWD"},
	{"HIT_OTHER_CORE_NO_FWD", "SNP_NO_FWD"},
	{"HIT_OTHER_CORE_FWD", "SNP_HIT_WITH_FWD"},
	{"SNOOP_HIT_WITH_FWD", "SNP_HIT_WITH_FWD"},
	{"HITM_OTHER_CORE", "SNP_HITM"},
	{"HITM_OTHER_CORE", "HITM"},
	{"SNOOP_HITM", "SNP_HITM"},
	{"SNOOP_HITM", "HITM"},
	{"SNOOP_NON_DRAM", "SNP_NON_DRAM"},
	{"SNOOP_NON_DRAM", "NON_DRAM"},
};

/* libpfm4 knows the rest of a name, beginning with words [at, end of `name`), in some spelling. */
static bool known_as(char *text, size_t used, const char *rest, uint64_t *code, uint64_t *value)
{
	if (!*rest) {
		text[used] = '\0';
		return encoding(text, code, value);
	}
	size_t length = strcspn(rest, ".");
	const char *next = rest + length + (rest[length] == '.');

	text[used++] = ':';
	memcpy(text + used, rest, length);
	if (known_as(text, used + length, next, code, value))
		return true;
	for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
		size_t n = strlen(words[i].ours);

		if (strncmp(rest, words[i].ours, n) || (rest[n] && rest[n] != '.'))
			continue;
		strcpy(text + used, words[i].theirs);
		if (known_as(text, used + strlen(words[i].theirs), rest + n + (rest[n] == '.'), code, value))
			return true;
	}
	return false;
}

static bool known(const char *pfm, const struct pmu_event *e, uint64_t *code, uint64_t *value)
{
	const char *rest = strchr(e->name, '.') + 1;
	unsigned which = e->extra_register == MSR_OFFCORE_RSP_1;
	char text[256];
	int used = snprintf(text, sizeof text, "%s::OFFCORE_RESPONSE_%u", pfm, which);

	if (known_as(text, (size_t)used, rest, code, value))
		return true;
	/* From Ice Lake on a unit mask is the whole, with underscores. */
	used += snprintf(text + used, sizeof text - (size_t)used, ":%s", rest);
	for (char *dot = strchr(text, '.'); dot; dot = strchr(dot, '.'))
		*dot = '_';
	return encoding(text, code, value);
}

static void values_equal_libpfm4s(void **state)
{
	unsigned compared = 0, different = 0, used[sizeof disagreements / sizeof disagreements[0]] = {0};

	(void)state;
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	assert_int_equal(pfm_initialize(), PFM_SUCCESS);
	for (unsigned p = 0; p < sizeof peers / sizeof peers[0]; p++) {
		unsigned n = intel_offcore_unpack(intel_core_by_name(peers[p].core), false, offcore_names,
						  row, INTEL_OFFCORE_MAX);

		for (unsigned i = 0; i < n; i++) {
			uint64_t code, value;

			if (!known(peers[p].pfm, &row[i], &code, &value))
				continue;
			compared++;
			if (strstr(one_selector, peers[p].core) && code != row[i].code) {
				assert_int_equal(
					code,
					intel_offcore_cores[intel_core_by_name(peers[p].core)].selector[0]);
				code = row[i].code;
			}
			if (code == row[i].code && value == row[i].extra_value)
				continue;
			different++;
			if (code != row[i].code || !may_differ(peers[p].core, row[i].name))
				fail_msg("%s %s: %llx:%llx, libpfm4 %llx:%llx", peers[p].core, row[i].name,
					 (unsigned long long)row[i].code,
					 (unsigned long long)row[i].extra_value, (unsigned long long)code,
					 (unsigned long long)value);
			for (unsigned d = 0; d < sizeof used / sizeof used[0]; d++)
				used[d] += strstr(disagreements[d].cores, peers[p].core) &&
					   strstr(row[i].name, disagreements[d].part);
		}
	}
	printf("# %u compared with libpfm4's, %u of them listed as different\n", compared, different);
	for (unsigned d = 0; d < sizeof used / sizeof used[0]; d++)
		if (!used[d])
			fail_msg("no difference because of %s: %s", disagreements[d].part,
				 disagreements[d].why);
	assert_in_range(compared, 1500, 5000);
	pfm_terminate();
}

/* --- what they mean ----------------------------------------------------------------------------------- */

static bool counts(const struct pmu_event *e, enum quantity q)
{
	return event_coefficient(e, q) > 0;
}

/* Words of requests, and a quantity that each must or cannot count. */
static const struct {
	const char *word;
	quantity_number quantity, also;
	bool must;
} says[] = {
	{".DEMAND_DATA_RD.", Q_OFFCORE_DATA, Q_OFFCORE_DATA_MISS, true},
	{".DEMAND_RFO.", Q_OFFCORE_RFO, Q_OFFCORE_RFO_MISS, true},
	{".DEMAND_CODE_RD.", Q_OFFCORE_CODE, Q_OFFCORE_CODE_MISS, true},
	{".DEMAND_RFO.", Q_OFFCORE_DATA, Q_OFFCORE_DATA_SOME, false},
	{".DEMAND_CODE_RD.", Q_OFFCORE_RFO, Q_OFFCORE_DATA_SOME, false},
	{"STREAMING", Q_OFFCORE_STREAMING, Q_OFFCORE_STREAMING, true},
	{"STREAMING", Q_OFFCORE_DATA, Q_OFFCORE_RFO, false},
	{".COREWB", Q_OFFCORE_WRITEBACKS, Q_OFFCORE_WRITEBACKS, true},
	{".PF_", Q_OFFCORE_PREFETCHES, Q_OFFCORE_PREFETCHES, true},
	{".HWPF_", Q_OFFCORE_PREFETCHES, Q_OFFCORE_PREFETCHES, true},
	{".PF_", Q_OFFCORE_DATA, Q_OFFCORE_RFO, false},
	{".UC_RD", Q_OFFCORE_UNCACHED, Q_OFFCORE_UNCACHED, true},
	{".BUS_LOCKS", Q_OFFCORE_UNCACHED, Q_OFFCORE_UNCACHED, true},
	{"_CODE_RD.", Q_OFFCORE_STREAMING, Q_OFFCORE_RFO, false},
};

static void meanings_agree_with_names(void **state)
{
	unsigned compared = 0, foreign = 0;

	(void)state;
	for (unsigned c = 0; c < intel_core_count; c++) {
		unsigned n = intel_offcore_unpack((int)c, true, offcore_names, row, INTEL_OFFCORE_MAX);

		for (unsigned i = 0; i < n; i++) {
			const struct pmu_event *e = &row[i];

			if (counts(e, Q_LOADS_HITM)) {
				foreign++;
				assert_true(strstr(e->name, "HITM") || strstr(e->name, "TILE_M"));
				continue;
			}
			if (counts(e, Q_OCCUPANCY_CAUSED)) {
				assert_non_null(strstr(e->name, "OUTSTANDING"));
				continue;
			}
			for (unsigned s = 0; s < sizeof says / sizeof says[0]; s++) {
				bool does = counts(e, says[s].quantity) || counts(e, says[s].also) ||
					    (says[s].quantity == Q_OFFCORE_DATA && says[s].must &&
					     counts(e, Q_OFFCORE_DATA_SOME));

				if (!strstr(e->name, says[s].word))
					continue;
				compared++;
				if (does != says[s].must)
					fail_msg("%s %s: %s", intel_core_names[c], e->name,
						 quantity_info[says[s].quantity].name);
			}
			/* Only a whole has a lower bound. */
			if (counts(e, Q_OFFCORE_DATA))
				assert_true(strstr(e->name, ".ANY_RESPONSE") ||
					    strstr(e->name, ".ANY_LOCATION"));
		}
	}
	printf("# %u words of names, %u events of other cores' caches\n", compared, foreign);
	assert_in_range(compared, 4000, 12000);
	assert_in_range(foreign, 250, 1500);
}

/* What the model counts by bits, the row must allow by kind. */
static bool allows(const struct pmu_event *e, enum quantity q)
{
	switch (q) {
	case Q_OFFCORE_DATA:
		return counts(e, q) || counts(e, Q_OFFCORE_DATA_SOME);
	case Q_OFFCORE_DATA_MISS:
		return counts(e, q) || counts(e, Q_OFFCORE_DATA_SOME);
	case Q_OFFCORE_RFO:
		return counts(e, q);
	case Q_OFFCORE_RFO_MISS:
		return counts(e, q) || counts(e, Q_OFFCORE_RFO);
	case Q_OFFCORE_CODE:
		return counts(e, q);
	case Q_OFFCORE_CODE_MISS:
		return counts(e, q) || counts(e, Q_OFFCORE_CODE);
	case Q_STORES_NT:
		return counts(e, Q_OFFCORE_STREAMING);
	default:
		return false;
	}
}

static unsigned modelled(int core, const struct pmu_event *e, bool *strange)
{
	struct intel_state s = {.core = core, .n_extras = 2};
	struct intel_counter k = {0};
	unsigned seen = 0;

	s.extra[0].address = MSR_OFFCORE_RSP_0;
	s.extra[1].address = MSR_OFFCORE_RSP_1;
	s.extra_value[e->extra_register == MSR_OFFCORE_RSP_1] = e->extra_value;
	assert_true(intel_decode_offcore(&s, &k, e->code));
	for (unsigned q = 0; q < Q_COUNT; q++) {
		*strange |= k.weight[q] && !allows(e, q);
		seen += k.weight[q] != 0;
	}
	return seen;
}

static void the_model_counts_what_is_meant(void **state)
{
	unsigned some = 0, wholes = 0;

	(void)state;
	for (unsigned c = 0; c < intel_core_count; c++) {
		unsigned n = intel_offcore_unpack((int)c, false, offcore_names, row, INTEL_OFFCORE_MAX);

		for (unsigned i = 0; i < n; i++) {
			struct pmu_event other = row[i];
			bool strange = false, strange_too = false;
			unsigned seen = modelled((int)c, &row[i], &strange);

			if (strange)
				fail_msg("%s %s (%llx): the model counts what is not meant",
					 intel_core_names[c], row[i].name,
					 (unsigned long long)row[i].extra_value);
			some += seen != 0;
			if (!counts(&row[i], Q_OFFCORE_DATA))
				continue;
			/* A whole counts; with another meaning that would show. */
			wholes++;
			assert_true(seen > 0);
			intel_offcore_mean(&other, OFFCORE_KIND_WRITEBACK, OFFCORE_ANY);
			modelled((int)c, &other, &strange_too);
			assert_true(strange_too);
		}
	}
	printf("# the model counts something of %u, %u of them wholes\n", some, wholes);
	assert_true(some > 500 && wholes > 60);
}

/* The register of every CPU of the core takes the value: it has no bit that would fault. */
static void values_have_no_reserved_bits(void **state)
{
	unsigned looked = 0;

	(void)state;
	for (unsigned i = 0; i < intel_cpu_count; i++) {
		const struct intel_cpu *c = &intel_cpus[i];
		uint32_t signature =
			(uint32_t)(c->family << 8 | (c->model & 15) << 4 | (c->model >> 4) << 16);
		struct intel_extra extra[INTEL_EXTRAS];
		unsigned n = intel_offcore_unpack(c->core, true, offcore_names, row, INTEL_OFFCORE_MAX);
		unsigned extras = intel_extras(signature, c->kind, extra);
		uint64_t beyond[2] = {0, 0};

		for (unsigned e = 0; e < n; e++) {
			uint64_t valid = 0;

			for (unsigned x = 0; x < extras; x++)
				if (extra[x].address == row[e].extra_register)
					valid = extra[x].valid;
			beyond[row[e].extra_register == MSR_OFFCORE_RSP_1] |= row[e].extra_value & ~valid;
			looked++;
		}
		if (beyond[0] | beyond[1])
			fail_msg("%s, model %x, kind %x: %llx %llx", intel_core_names[c->core], c->model,
				 c->kind, (unsigned long long)beyond[0], (unsigned long long)beyond[1]);
	}
	printf("# %u values of %u CPUs\n", looked, intel_cpu_count);
}

static void names_of_files_have_meanings(void **state)
{
	struct pmu_event e = {.flags = 0};

	(void)state;
	assert_true(intel_offcore_meaning("OCR.DEMAND_DATA_RD.ANY_RESPONSE", &e));
	assert_true(counts(&e, Q_OFFCORE_DATA));
	assert_true(intel_offcore_meaning("offcore_response.demand_rfo.l3_hit.snoop_hitm", &e));
	assert_true(counts(&e, Q_LOADS_HITM));
	assert_int_equal(e.flags, 0);
	assert_false(intel_offcore_meaning("OCR.DEMAND_DATA_RD.NO_SUCH", &e));
	assert_false(intel_offcore_meaning("INST.DEMAND_DATA_RD.ANY_RESPONSE", &e));
	assert_false(intel_offcore_meaning("OCR", &e));
}

/* Bits that these registers take, as Linux has them (arch/x86/events/intel/core.c, *_extra_regs[]). Intel's
 * lists have values with more: those bits of the rows are named beside. */
static void registers_are_linuxs(void **state)
{
	static const struct {
		uint32_t signature;
		uint8_t kind;
		uint64_t valid[INTEL_EXTRAS], more[2]; /* RSP_0, RSP_1, LD_LAT, FRONTEND */
	} cpus[] = {
		{0x106a5, 0, {0xffff, 0, 0xffff, 0}, {0, 0}},
		{0x206c2, 0, {0xffff, 0xffff, 0xffff, 0}, {0, 0}},
		{0x206a7, 0, {0x3f807f8fff, 0x3f807f8fff, 0xffff, 0}, {0, 0}},
		{0x206d7, 0, {0x3fffff8fff, 0x3fffff8fff, 0xffff, 0}, {0, 0}},
		{0x306c3, 0, {0x3f807f8fff, 0x3f807f8fff, 0xffff, 0}, {0x7f800000, 0x7f800000}},
		{0x506e3, 0, {0x3fffff8fff, 0x3fffff8fff, 0xffff, 0x7fff17}, {0, 0}},
		{0x706e5, 0, {0x3fffffbfff, 0x3fffffbfff, 0xffff, 0x7fff17}, {0, 0}},
		{0x806f8, 0, {0x3fffffffff, 0x3fffffffff, 0xffff, 0x7fff1f}, {0, 0}},
		{0x30678, 0, {0x768005ffff, 0x368005ffff, 0, 0}, {0, 0}},
		{0x50670, 0, {0x799ffbb6e7, 0x399ffbffe7, 0, 0}, {0x810, 0x18}},
		{0x506c9, 0, {0x760005ffbf, 0x360005ffbf, 0, 0}, {0x80000040, 0x80000040}},
		{0x906c0, 0, {0x800ff0ffffff9fff, 0xff0ffffff9fff, 0, 0}, {0, 0}},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof cpus / sizeof cpus[0]; i++) {
		static const uint32_t address[] = {MSR_OFFCORE_RSP_0, MSR_OFFCORE_RSP_1, MSR_PEBS_LD_LAT,
						   MSR_PEBS_FRONTEND};
		struct intel_extra extra[INTEL_EXTRAS];
		unsigned n = intel_extras(cpus[i].signature, cpus[i].kind, extra);

		for (unsigned r = 0; r < INTEL_EXTRAS; r++) {
			uint64_t valid = 0;

			for (unsigned k = 0; k < n; k++)
				if (extra[k].address == address[r])
					valid = extra[k].valid;
			if (valid != (cpus[i].valid[r] | (r < 2 ? cpus[i].more[r] : 0)))
				fail_msg("%x: MSR %x takes %llx, Linux %llx", cpus[i].signature, address[r],
					 (unsigned long long)valid, (unsigned long long)cpus[i].valid[r]);
		}
	}
}

/* A name that means one thing on one core and another elsewhere means nothing in a file. */
struct named {
	char suffix[96];
	struct event_term terms[EVENT_TERMS];
};

static int by_suffix(const void *a, const void *b)
{
	return strcasecmp(((const struct named *)a)->suffix, ((const struct named *)b)->suffix);
}

static void names_that_cores_differ_about_mean_nothing(void **state)
{
	struct named *list = calloc(INTEL_OFFCORE_MAX * intel_core_count, sizeof *list);
	unsigned n = 0, differing = 0, agreed = 0;

	(void)state;
	assert_non_null(list);
	for (unsigned c = 0; c < intel_core_count; c++)
		for (unsigned i = 0, rows = intel_offcore_unpack((int)c, true, offcore_names, row,
								 INTEL_OFFCORE_MAX);
		     i < rows; i++) {
			snprintf(list[n].suffix, sizeof list[n].suffix, "%s", strchr(row[i].name, '.'));
			memcpy(list[n++].terms, row[i].terms, sizeof row[i].terms);
		}
	qsort(list, n, sizeof *list, by_suffix);
	for (unsigned i = 0, end; i < n; i = end) {
		char name[128];
		bool differ = false, means;
		struct pmu_event e = {.name = name};

		for (end = i; end < n && !by_suffix(&list[i], &list[end]); end++)
			differ |= memcmp(list[i].terms, list[end].terms, sizeof list[i].terms) != 0;
		if (!differ && i % 50) /* a look takes its time */
			continue;
		snprintf(name, sizeof name, "OCR%s", list[i].suffix);
		means = intel_offcore_meaning(name, &e);
		if (means == differ || (means && memcmp(e.terms, list[i].terms, sizeof e.terms)))
			fail_msg("%s means %s", name, means ? "something" : "nothing");
		differ ? differing++ : agreed++;
	}
	free(list);
	printf("# offcore names that cores differ about: %u; others that were looked up: %u\n", differing,
	       agreed);
	assert_in_range(agreed, 20, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recomposed_rows_are_the_vendors),
		cmocka_unit_test(rows_are_sound),
		cmocka_unit_test(values_equal_libpfm4s),
		cmocka_unit_test(meanings_agree_with_names),
		cmocka_unit_test(the_model_counts_what_is_meant),
		cmocka_unit_test(names_that_cores_differ_about_mean_nothing),
		cmocka_unit_test(registers_are_linuxs),
		cmocka_unit_test(names_of_files_have_meanings),
		cmocka_unit_test(values_have_no_reserved_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
