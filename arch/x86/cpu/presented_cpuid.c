#include "arch/x86/cpu/presented_cpuid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Feature leaves: a bit is shown only if the real CPU has it too, or if it belongs to the PMU, which is the
 * model's. */
static const struct {
	uint32_t leaf;
	uint32_t pmu_ebx, pmu_ecx, pmu_edx; /* the model's bits */
} feature_leaves[] = {
	/* SDM vol. 2, CPUID: DTES64, DS-CPL, PDCM; DS, ACPI (the clock's modulation). Bit 31 of ECX tells of
	 * a hypervisor: of the profile's, if it is a guest's, never of the one that this runs on. */
	{0x00000001, 0, 1u << 2 | 1u << 4 | 1u << 15 | 1u << 31, 1u << 21 | 1u << 22},
	/* IA32_MPERF and IA32_APERF: registers that the model has, or no one. */
	{0x00000006, 0, 1u << 0, 0},
	/* Hybrid, architectural LBR; Intel PT. */
	{0x00000007, 1u << 25, 0, 1u << 15 | 1u << 19},
	/* AMD APM vol. 3, E.4.2: IBS, core, NB, data-breakpoint, timestamp and L3 counter extensions; and
	 * that there are leaves of topology, of which the profile has its caches. */
	{0x80000001, 0, 1u << 10 | 1u << 22 | 1u << 23 | 1u << 24 | 1u << 26 | 1u << 27 | 1u << 28, 0},
	/* IRPERF, BRS. */
	{0x80000008, 1u << 1 | 1u << 31, 0, 0},
};

/* Leaves that describe nothing but performance monitoring: the real CPU's would promise what the model has
 * not got. Intel: PMU, PT, LBR, architectural PMU extension. AMD: IBS, PerfMonV2. */
static const uint32_t pmu_leaves[] = {0x0a, 0x14, 0x1c, 0x23, 0x8000001b, 0x80000022};

/* Leaves whose answer depends on ECX. */
static const uint32_t indexed_leaves[] = {0x04, 0x07, 0x0b, 0x0d,       0x0f,       0x10,      0x12,
					  0x14, 0x17, 0x18, 0x1a,       0x1b,       0x1d,      0x1f,
					  0x20, 0x23, 0x24, 0x8000001d, 0x80000020, 0x80000026};

#define LOGICAL_COUNT (0xffu << 16) /* of leaf 1's EBX */

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static bool listed(const uint32_t *leaves, unsigned n, uint32_t leaf)
{
	for (unsigned i = 0; i < n; i++)
		if (leaves[i] == leaf)
			return true;
	return false;
}

/* The profile's row; *leaf_known says whether it has any row for the leaf. */
static const struct cpuid_row *find(const struct cpuid_table *t, uint32_t leaf, uint32_t subleaf,
				    bool *leaf_known)
{
	bool indexed = listed(indexed_leaves, COUNT(indexed_leaves), leaf);

	*leaf_known = false;
	for (unsigned i = 0; i < t->n; i++) {
		if (t->row[i].leaf != leaf)
			continue;
		*leaf_known = true;
		if (!indexed || t->row[i].subleaf == subleaf)
			return &t->row[i];
	}
	return NULL;
}

/* The highest leaf of the range (basic, hypervisor, extended) that the profile presents. The real machine's
 * hypervisor shows nothing. */
static bool beyond(const struct cpuid_table *t, uint32_t leaf)
{
	bool known;
	const struct cpuid_row *head = find(t, leaf & 0xc0000000, 0, &known);

	if (leaf >> 30 == 1 && !head)
		return true;
	return head && leaf > head->eax;
}

bool presented_row(const struct cpuid_table *table, uint32_t leaf, uint32_t subleaf, struct cpuid_row *out)
{
	bool leaf_known;
	const struct cpuid_row *row = find(table, leaf, subleaf, &leaf_known);

	if (!row || beyond(table, leaf))
		return false;
	*out = *row;
	return true;
}

/* A core of several logical processors: HTT, their number, and which of them asks, in the initial APIC ID.
 * SDM vol. 2, CPUID; vol. 3, 8.9.1. */
static void show_threads(const struct presented *p, struct cpuid_row *out)
{
	if (out->leaf != 1 || p->threads < 2)
		return;
	out->edx |= 1u << 28;
	out->ebx = (out->ebx & ~(0xffu << 16 | (p->threads - 1u) << 24)) | (uint32_t)p->threads << 16 |
		   (uint32_t)p->thread << 24;
}

static void filter(const struct cpuid_row *real, bool profiled, struct cpuid_row *out)
{
	uint32_t count = (profiled ? out : real)->ebx & LOGICAL_COUNT;

	for (unsigned i = 0; i < COUNT(feature_leaves); i++) {
		if (feature_leaves[i].leaf != out->leaf || (out->leaf == 7 && out->subleaf))
			continue;
		/* Not in the profile: the registers are the real ones, of which the PMU's bits go. */
		uint32_t keep = profiled ? ~0u : 0;
		out->ebx &= real->ebx | feature_leaves[i].pmu_ebx;
		out->ecx &= real->ecx | feature_leaves[i].pmu_ecx;
		out->edx &= real->edx | feature_leaves[i].pmu_edx;
		out->ebx &= ~feature_leaves[i].pmu_ebx | keep;
		out->ecx &= ~feature_leaves[i].pmu_ecx | keep;
		out->edx &= ~feature_leaves[i].pmu_edx | keep;
	}
	/* APIC ID and CLFLUSH size are of the machine that the code really runs on; the number of logical
	 * processors is the profile's, whose PMU knows as many. OSXSAVE mirrors CR4. */
	if (out->leaf == 1) {
		out->ebx = (real->ebx & ~LOGICAL_COUNT) | count;
		if (out->ecx & 1u << 26)
			out->ecx |= real->ecx & 1u << 27;
	}
	/* Address sizes, number of cores: likewise of the real machine. */
	if (out->leaf == 0x80000008) {
		out->eax = real->eax;
		out->ecx = real->ecx;
		out->edx = real->edx;
	}
}

void presented_answer(const struct presented *p, const struct cpuid_row *real, struct cpuid_row *out)
{
	bool leaf_known;
	const struct cpuid_row *row = find(p->table, real->leaf, real->subleaf, &leaf_known);

	*out = (struct cpuid_row){.leaf = real->leaf, .subleaf = real->subleaf};
	if (beyond(p->table, real->leaf))
		return;
	if (!row && (leaf_known || listed(pmu_leaves, COUNT(pmu_leaves), real->leaf)))
		return;
	*out = row ? *row : *real;
	out->subleaf = real->subleaf;
	filter(real, row != NULL, out);
	show_threads(p, out);
}

/* --- answers of a test's own --- */

#define ANSWER "cpuid:"

static bool hexadecimal(const char **p, char behind, uint32_t *value)
{
	char *end;
	bool digit = strchr("0123456789abcdefABCDEF", **p) && **p;
	unsigned long v = digit ? strtoul(*p, &end, 16) : 0;

	if (!digit || v > UINT32_MAX || *end != behind)
		return false;
	*value = (uint32_t)v;
	*p = end + (behind != '\0');
	return true;
}

static bool parse_answer(const char *p, struct identity_answer *out)
{
	static const char *const registers[] = {"eax:", "ebx:", "ecx:", "edx:"};

	if (!hexadecimal(&p, ':', &out->number) || !hexadecimal(&p, ':', &out->part))
		return false;
	for (out->place = 0; out->place < 4; out->place++)
		if (!strncmp(p, registers[out->place], 4)) {
			p += 4;
			return hexadecimal(&p, '\0', &out->value);
		}
	return false;
}

bool identity_answer_is_one(const char *name)
{
	return !strncmp(name, ANSWER, sizeof ANSWER - 1);
}

bool identity_answer_add(const char *name, struct identity_answers *out)
{
	return out->count < IDENTITY_ANSWERS_MAX &&
	       parse_answer(name + sizeof ANSWER - 1, &out->answer[out->count]) && ++out->count;
}

const char identity_answer_form[] = "cpuid:LEAF:SUBLEAF:REGISTER:VALUE, in hexadecimal";

void identity_answers_give(const struct identity_answers *answers, struct cpuid_row *row)
{
	uint32_t *const registers[] = {&row->eax, &row->ebx, &row->ecx, &row->edx};

	for (unsigned i = 0; i < answers->count; i++) {
		const struct identity_answer *a = &answers->answer[i];

		if (a->number == row->leaf && a->part == row->subleaf)
			*registers[a->place] = a->value;
	}
}
