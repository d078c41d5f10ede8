#include "pmu/virtual/machine_model.h"

#include "arch/x86/cpu/cpuid_table.h"

#include <string.h>

const quantity_number machine_quantities[] = {
	Q_BR_MISPRED,       Q_L1D_LOAD_MISS,  Q_L1D_FILL,          Q_L1I_MISS,
	Q_L2_LOAD_MISS,     Q_LLC_REF,        Q_LLC_MISS,          Q_DTLB_LOAD_MISS,
	Q_DTLB_STORE_MISS,  Q_DTLB_LOAD_STLB, Q_DTLB_STORE_STLB,   Q_DTLB_LOAD_4K,
	Q_DTLB_LOAD_2M,     Q_DTLB_LOAD_1G,   Q_DTLB_STORE_4K,     Q_DTLB_STORE_2M,
	Q_DTLB_STORE_1G,    Q_ITLB_MISS,      Q_STORE_FORWARD,     Q_STORE_FORWARD_BLOCK,
	Q_CLEARS_SMC,       Q_CLEARS_MO,      Q_ASSISTS_FP,        Q_AVX_SSE_TRANSITIONS,
	Q_AVX_TO_SSE,       Q_SSE_TO_AVX,     Q_UOPS_DECODED,      Q_UOPS_CACHED,
	Q_DECODED_MISS,     Q_OFFCORE_DATA,   Q_OFFCORE_DATA_MISS, Q_OFFCORE_RFO,
	Q_OFFCORE_RFO_MISS, Q_OFFCORE_CODE,   Q_OFFCORE_CODE_MISS, Q_COUNT,
};

/* --- geometry --------------------------------------------------------------------------------------- */

enum { CACHE_DATA = 1, CACHE_CODE, CACHE_UNIFIED };

static const struct cpuid_row *leaf(const struct model_profile *profile, uint32_t number)
{
	const struct cpuid_table *t = cpuid_table_of(profile->identity);

	for (unsigned i = 0; i < t->n; i++)
		if (t->row[i].leaf == number)
			return &t->row[i];
	return NULL;
}

/* Leaf 4 and AMD's 8000001DH: one cache per subleaf. */
static void find_deterministic(const struct model_profile *profile, struct uarch_geometry *g)
{
	const struct cpuid_table *t = cpuid_table_of(profile->identity);

	for (unsigned i = 0; i < t->n; i++) {
		const struct cpuid_row *c = &t->row[i];
		unsigned type = c->eax & 31, level = c->eax >> 5 & 7;
		struct uarch_cache_geometry cache = {
			.sets = c->ecx + 1,
			.ways = (uint16_t)((c->ebx >> 22) + 1),
			.line = (uint16_t)((c->ebx & 0xfff) + 1),
		};

		if ((c->leaf != 4 && c->leaf != 0x8000001d) || !type)
			continue;
		if (level == 1 && type != CACHE_CODE)
			g->l1d = cache;
		if (level == 1 && type != CACHE_DATA)
			g->l1i = cache;
		if (level == 2 && type == CACHE_UNIFIED)
			g->l2 = cache;
		if (level == 3)
			g->llc = cache;
	}
}

/* Ways of a second or third level by their code in leaf 80000006H, as far as profiles have them: AMD APM
 * vol. 3, E.4.4. */
static const uint8_t coded_ways[16] = {[4] = 4, [6] = 8, [8] = 16, [11] = 48, [12] = 64};

static struct uarch_cache_geometry cache_of(uint32_t kib, unsigned ways, unsigned line)
{
	if (!kib || !ways || !line)
		return (struct uarch_cache_geometry){0};
	return (struct uarch_cache_geometry){
		.sets = kib * 1024 / (ways * line), .ways = (uint16_t)ways, .line = (uint16_t)line};
}

/* AMD's older leaves: size, ways, line. */
static void find_classic(const struct model_profile *profile, struct uarch_geometry *g)
{
	const struct cpuid_row *first = leaf(profile, 0x80000005), *outer = leaf(profile, 0x80000006);

	if (first) {
		g->l1d = cache_of(first->ecx >> 24, first->ecx >> 16 & 0xff, first->ecx & 0xff);
		g->l1i = cache_of(first->edx >> 24, first->edx >> 16 & 0xff, first->edx & 0xff);
	}
	if (outer) {
		g->l2 = cache_of(outer->ecx >> 16, coded_ways[outer->ecx >> 12 & 15], outer->ecx & 0xff);
		g->llc = cache_of((outer->edx >> 18) * 512, coded_ways[outer->edx >> 12 & 15],
				  outer->edx & 0xff);
	}
}

static void find_caches(const struct model_profile *profile, struct uarch_geometry *g)
{
	find_deterministic(profile, g);
	if (!g->l1d.sets)
		find_classic(profile, g);
	/* Of a last level that is too large for the model, every second set, until it fits: lines that share
	 * a set still do. */
	while ((uint64_t)g->llc.sets * g->llc.ways > UARCH_LLC_LINES)
		g->llc.sets /= 2;
	if (!g->l1d.sets || !g->l1i.sets) {
		g->l1d = g->l1i = (struct uarch_cache_geometry){.sets = 64, .ways = 8, .line = 64};
		g->l2 = (struct uarch_cache_geometry){.sets = 1024, .ways = 8, .line = 64};
	}
}

enum tlb { DTLB, ITLB, SECOND_TLB };

/* Descriptors of leaf 2 that tell of translations of 4 KiB pages, as far as profiles have them: SDM vol. 2,
 * CPUID, table 3-12. */
static const struct {
	uint8_t descriptor, tlb;
	uint16_t entries, ways;
} descriptors[] = {
	{0x03, DTLB, 64, 4},         {0x50, ITLB, 64, 64},       {0x57, DTLB, 16, 4},
	{0x5b, DTLB, 64, 64},        {0xb0, ITLB, 128, 4},       {0xb2, ITLB, 64, 4},
	{0xb3, DTLB, 128, 4},        {0xb4, SECOND_TLB, 256, 4}, {0xb5, ITLB, 64, 8},
	{0xc3, SECOND_TLB, 1536, 6}, {0xca, SECOND_TLB, 512, 4}, {0xc1, SECOND_TLB, 1024, 8},
	{0x61, ITLB, 48, 48},        {0x64, SECOND_TLB, 512, 4}, {0xa0, DTLB, 32, 32},
	{0xc2, DTLB, 16, 4},         {0x51, ITLB, 128, 128},
};

/* The trace cache that profiles have: 12 K micro-operations, eight ways (SDM vol. 2, CPUID, table 3-12), in
 * lines of six (Optimization Reference Manual of NetBurst), of which each holds a window here. */
#define TRACE_CACHE      0x70
#define TRACE_CACHE_SETS (12 * 1024 / 6 / 8)

static bool find_tlb(uint8_t descriptor, struct uarch_geometry *g)
{
	for (unsigned i = 0; i < sizeof descriptors / sizeof descriptors[0]; i++) {
		uint16_t entries = descriptors[i].entries;

		if (descriptors[i].descriptor != descriptor)
			continue;
		if (descriptors[i].tlb == DTLB)
			g->dtlb = entries;
		else if (descriptors[i].tlb == ITLB)
			g->itlb = entries;
		else
			g->stlb_sets = entries / (g->stlb_ways = descriptors[i].ways);
		return true;
	}
	return false;
}

/* The leaf of Intel's descriptors. */
static bool find_described_tlbs(const struct model_profile *profile, struct uarch_geometry *g)
{
	bool known = false;

	const struct cpuid_table *t = cpuid_table_of(profile->identity);

	for (unsigned i = 0; i < t->n; i++) {
		const struct cpuid_row *c = &t->row[i];
		const uint32_t regs[] = {c->eax & ~0xffu, c->ebx, c->ecx, c->edx};

		for (unsigned r = 0; r < 4 && c->leaf == 2; r++)
			for (unsigned shift = 0; shift < 32 && !(regs[r] >> 31); shift += 8) {
				known |= find_tlb(regs[r] >> shift & 0xff, g);
				if ((regs[r] >> shift & 0xff) == TRACE_CACHE)
					g->decoded.sets = TRACE_CACHE_SETS;
			}
	}
	return known;
}

#define TLB_ENTRIES(reg) ((reg)&0xfff)
#define L2_TLB_X32       (1u << 14) /* CPUID.80000021H:EAX, sizes are in units of 32 entries */

/* AMD's: of the second level the data side, which the model uses for both. */
static bool find_classic_tlbs(const struct model_profile *profile, struct uarch_geometry *g)
{
	const struct cpuid_row *first = leaf(profile, 0x80000005), *second = leaf(profile, 0x80000006),
			       *unit = leaf(profile, 0x80000021);
	uint32_t entries;

	if (!first || !second)
		return false;
	g->dtlb = first->ebx >> 16 & 0xff;
	if (first->ebx & 0xff) /* Bobcat tells of none on the first level */
		g->itlb = first->ebx & 0xff;
	entries = TLB_ENTRIES(second->ebx >> 16) * (unit && unit->eax & L2_TLB_X32 ? 32 : 1);
	g->stlb_ways = coded_ways[second->ebx >> 28];
	g->stlb_sets = g->stlb_ways ? entries / g->stlb_ways : 0;
	return true;
}

static void find_tlbs(const struct model_profile *profile, struct uarch_geometry *g)
{
	if (find_described_tlbs(profile, g) || find_classic_tlbs(profile, g))
		return;
	g->stlb_sets = 256;
	g->stlb_ways = 6;
}

struct uarch_geometry machine_geometry(const struct model_profile *profile)
{
	struct uarch_geometry g = {
		.decoded = {.sets = 32, .ways = 8, .line = 32},
		.dtlb = 64,
		.itlb = 64,
		.page_shift = 12,
		.history_bits = 10,
		.return_stack = 16,
		.store_buffer = 32,
	};

	find_caches(profile, &g);
	find_tlbs(profile, &g);
	return g;
}

bool faults_take(const struct uarch_fault_info *known, unsigned n, const char *list, uint32_t *faults,
		 char *rest, size_t size, const char **why)
{
	size_t used = 0;

	*faults = 0;
	for (const char *p = list ? list : ""; *p;) {
		size_t length = strcspn(p, "+");
		unsigned f = 0;

		while (f < n && (strlen(known[f].name) != length || strncmp(known[f].name, p, length)))
			f++;
		if (f < n) {
			*faults |= 1u << f;
		} else {
			if (used + length + 2 > size) {
				*why = "too many injections";
				return false;
			}
			if (used)
				rest[used++] = '+';
			memcpy(rest + used, p, length);
			used += length;
		}
		p += length + (p[length] == '+');
	}
	rest[used] = '\0';
	return true;
}

/* --- what retires ----------------------------------------------------------------------------------- */

static enum uarch_branch branch_of(const struct step *s)
{
	static const uint8_t branches[] = {
		[TRANSFER_CONDITIONAL] = UARCH_CONDITIONAL, [TRANSFER_JUMP] = UARCH_DIRECT,
		[TRANSFER_JUMP_INDIRECT] = UARCH_INDIRECT,  [TRANSFER_CALL] = UARCH_DIRECT,
		[TRANSFER_CALL_INDIRECT] = UARCH_INDIRECT,  [TRANSFER_RETURN] = UARCH_RETURN,
		[TRANSFER_FAR] = UARCH_NO_BRANCH,
	};

	return (enum uarch_branch)branches[s->branch];
}

static enum uarch_vector vector_of(const struct step *s)
{
	static const uint8_t vectors[] = {
		[UPPERS_UNTOUCHED] = UARCH_NO_VECTOR, [UPPERS_KEPT] = UARCH_LEGACY_SSE,
		[UPPERS_CLEARED] = UARCH_AVX,         [UPPERS_USED] = UARCH_AVX_WIDE,
		[UPPERS_ZEROED] = UARCH_ZERO_UPPER,
	};

	return (enum uarch_vector)vectors[s->uppers];
}

static void flush(struct uarch *machine, const struct step *s)
{
	switch ((enum step_flush)s->flush) {
	case FLUSH_NONE:
		break;
	case FLUSH_LINE:
		uarch_flush_line(machine, s->flush_address);
		break;
	case FLUSH_PAGE:
		uarch_flush_tlb(machine, s->flush_address);
		break;
	case FLUSH_TRANSLATIONS:
		uarch_flush_tlb(machine, UINT64_MAX);
		break;
	}
}

static unsigned merge(struct qterm *out, unsigned n, const struct qterm *more, unsigned n_more)
{
	for (unsigned i = 0; i < n_more; i++) {
		unsigned at = 0;

		while (at < n && out[at].quantity != more[i].quantity)
			at++;
		if (at < n)
			out[at].amount += more[i].amount;
		else if (n < MACHINE_TERMS)
			out[n++] = more[i];
	}
	return n;
}

unsigned machine_retired(struct uarch *machine, const struct step *step, struct qterm out[MACHINE_TERMS])
{
	struct step_access access[STEP_TURN_ACCESSES];
	struct uarch_step s = {.ip = step->ip,
			       .length = step->length,
			       .branch = (uint8_t)branch_of(step),
			       .call = step->branch == TRANSFER_CALL ||
				       step->branch == TRANSFER_CALL_INDIRECT,
			       .taken = step->taken,
			       .denormal = step->denormal,
			       .vector = (uint8_t)vector_of(step),
			       .next = step->next,
			       .access = access};
	struct qterm more[MACHINE_TERMS];
	unsigned n;

	if (step->turns)
		s.n_access = step_accesses(step, 0, access);
	n = uarch_step(machine, &s, out, MACHINE_TERMS);
	for (uint64_t i = 1; i < step->turns; i++) {
		s.n_access = step_accesses(step, i, access);
		n = merge(out, n, more, uarch_step(machine, &s, more, MACHINE_TERMS));
	}
	flush(machine, step);
	return n;
}
