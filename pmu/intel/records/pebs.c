#include "pmu/contract/bits.h"
#include "pmu/intel/records/pebs.h"
#include "pmu/intel/records/apebs.h"
#include "pmu/intel/events/extra.h"
#include "pmu/intel/registers.h"

#define LATENCY_NEHALEM 0x100b /* MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD */
#define LATENCY_EVENT   0x01cd /* MEM_TRANS_RETIRED.LOAD_LATENCY */
#define LATENCY_ATOM    0x05d0 /* MEM_UOPS_RETIRED.LOAD_LATENCY of Gracemont */
#define CODE_PREC_DIST  0x01c0 /* INST_RETIRED.PREC_DIST */

/* Parts whose PEBS differs from what its format says: by model of family 6. */
enum part {
	PART_CORE2,
	PART_NEHALEM,
	PART_SANDY,
	PART_HASWELL,
	PART_SKYLAKE,
	PART_SILVERMONT,
	PART_GOLDMONT,
	PART_GOLDMONT_PLUS,
	PART_ICELAKE
};

static unsigned model_of(uint32_t signature)
{
	return (signature >> 4 & 15) | (signature >> 12 & 0xf0);
}

static enum part part_of(uint32_t signature)
{
	switch (model_of(signature)) {
	case 0x1a:
	case 0x1e:
	case 0x1f:
	case 0x2e:
	case 0x25:
	case 0x2c:
	case 0x2f:
		return PART_NEHALEM;
	case 0x2a:
	case 0x2d:
	case 0x3a:
	case 0x3e:
		return PART_SANDY;
	case 0x3c:
	case 0x3f:
	case 0x45:
	case 0x46:
	case 0x3d:
	case 0x47:
	case 0x4f:
	case 0x56:
		return PART_HASWELL;
	case 0x1c: /* Bonnell, Silvermont, Airmont and Knights Landing sample with the first counter only. */
	case 0x26:
	case 0x27:
	case 0x35:
	case 0x36:
	case 0x37:
	case 0x4a:
	case 0x4c:
	case 0x4d:
	case 0x5a:
	case 0x5d:
	case 0x57:
	case 0x85:
		return PART_SILVERMONT;
	case 0x5c:
	case 0x5f:
		return PART_GOLDMONT;
	case 0x7a:
		return PART_GOLDMONT_PLUS;
	case 0x6a: /* with Tiger Lake and Rocket Lake */
	case 0x6c:
	case 0x7d:
	case 0x7e:
	case 0x8c:
	case 0x8d:
	case 0xa7:
		return PART_ICELAKE;
	case 0x0f:
	case 0x16:
	case 0x17:
	case 0x1d:
		return PART_CORE2;
	default:
		return PART_SKYLAKE;
	}
}

/* Every counter samples, events as the later parts have them. */
static bool later_form(const struct intel_pebs *p)
{
	return p->adaptive || p->architectural;
}

/* Tremont, and Gracemont beside and without other cores: of the Atom line's later parts those that have one
 * exact general counter. */
static bool one_exact(uint32_t signature)
{
	static const uint8_t models[] = {0x86, 0x96, 0x9c, 0x97, 0x9a, 0xb7, 0xba, 0xbf, 0xbe};

	for (size_t i = 0; i < sizeof models; i++)
		if (models[i] == model_of(signature))
			return true;
	return false;
}

/*
 * Counters without skid. Sandy Bridge to Skylake: general counter 1 with INST_RETIRED.PREC_DIST (SDM
 * 18.9.4.4). Goldmont: its one counter (18.7.1.2), Goldmont Plus: counter 0 of four. Ice Lake: fixed counter
 * 0 (KVM's vmx_pebs_pdir_cpu). Golden Cove and later: besides it PDist on general counter 0, by Linux's
 * constraints, which also have the Atom line's: general counter 0 with Tremont and Gracemont, 0 and 1 from
 * Crestmont on, and fixed counter 0. Architectural PEBS tells by CPUID. That PDist does not wait for the next
 * occurrence, and that fixed counter 0 does, is what KVM's authors quote from the manual
 * (vmx_pebs_pdist_cpu); Tremont's and Gracemont's are taken to wait as Goldmont's does.
 */
static void set_exact(struct intel_pebs *p, uint32_t signature, const struct intel_leaf0a *leaf, bool atom)
{
	const uint64_t fixed0 = 1ull << GLOBAL_FIXED_SHIFT, general = fixed0 - 1;
	enum part part = part_of(signature);

	if (p->architectural)
		p->exact = leaf->pebs_exact & leaf->pebs_counters;
	else if (p->adaptive && part == PART_ICELAKE)
		p->exact = fixed0;
	else if (p->adaptive)
		p->exact = fixed0 | (atom && !one_exact(signature) ? 3 : 1);
	else if (part == PART_GOLDMONT || part == PART_GOLDMONT_PLUS)
		p->exact = 1;
	else if (part == PART_SANDY || part == PART_HASWELL || part == PART_SKYLAKE)
		p->exact = 2;
	if (p->exact == 2 && !p->architectural)
		p->exact_code = CODE_PREC_DIST;
	p->exact &= p->counters;
	if (p->architectural || (p->adaptive && !(atom && one_exact(signature))))
		p->at_once = p->exact & general;
}

bool intel_pebs_exact(const struct intel_pebs *p, uint64_t bit, uint64_t code, uint64_t distance)
{
	return p->exact & bit && distance >= PEBS_EXACT_LEAST &&
	       (!p->exact_code || (code & EVTSEL_CODE) == p->exact_code);
}

struct intel_pebs intel_pebs_layout(uint32_t signature, uint8_t kind, uint64_t capabilities, bool ds,
				    const struct intel_leaf0a *leaf)
{
	static const size_t sizes[] = {offsetof(struct pebs_record, status),
				       offsetof(struct pebs_record, eventing_ip),
				       offsetof(struct pebs_record, clock), sizeof(struct pebs_record)};
	enum part part = part_of(signature);
	struct intel_pebs p = {0};
	struct intel_extra extras[INTEL_EXTRAS];

	p.format = capabilities >> 8 & 15;
	p.architectural = leaf->pebs_counters;
	if (!p.architectural && (!ds || leaf->version < 2 || !leaf->n_general))
		return p;
	p.exists = !p.architectural;
	p.trap = capabilities & CAP_PEBS_TRAP;
	p.adaptive = p.exists && capabilities & CAP_PEBS_BASELINE && p.format >= 4;
	p.eventing_ip = p.format >= 2;
	p.size = sizes[p.format > 3 ? 3 : p.format];
	if (p.architectural) {
		p.trap = p.eventing_ip = true;
		p.groups = leaf->record_groups & APEBS_GROUPS;
		p.counters = leaf->pebs_counters;
	} else if (p.adaptive || part == PART_GOLDMONT_PLUS) {
		/* Of Goldmont Plus SDM vol. 4 has the fixed counters' bits of IA32_PEBS_ENABLE, too. */
		p.counters = leaf->general | (uint64_t)leaf->fixed << GLOBAL_FIXED_SHIFT;
		p.enable = p.counters;
	} else {
		unsigned most =
			part == PART_CORE2 || part == PART_SILVERMONT || part == PART_GOLDMONT ? 1 : 4;
		p.counters = low_bits(leaf->n_general < most ? leaf->n_general : most);
		p.enable = p.counters;
	}
	/* SDM 18.7.1: Goldmont samples all events; every counter from Goldmont Plus on, and with adaptive
	 * records. */
	p.extended = later_form(&p) || part == PART_GOLDMONT || part == PART_GOLDMONT_PLUS;

	bool watches = false, front_end = false;
	for (unsigned n = intel_extras(signature, kind, extras), i = 0; i < n; i++) {
		watches |= extras[i].address == MSR_PEBS_LD_LAT;
		front_end |= extras[i].address == MSR_PEBS_FRONTEND;
	}
	/* Of the parts with adaptive records those that tag no fetches are the Atom line's. */
	if (watches)
		p.latency_event = part == PART_NEHALEM           ? LATENCY_NEHALEM
				  : later_form(&p) && !front_end ? LATENCY_ATOM
								 : LATENCY_EVENT;
	p.latency_enable = p.latency_event && !later_form(&p);
	if (p.latency_enable)
		p.enable |= p.counters << PEBS_LATENCY;
	p.precise_store = part == PART_SANDY;
	if (p.precise_store)
		p.enable |= PEBS_PRECISE_STORE;
	set_exact(&p, signature, leaf, later_form(&p) && !front_end);
	return p;
}

uint64_t intel_pebs_data_cfg_bits(const struct intel_pebs *pebs)
{
	uint64_t bits = PEBS_CFG_MEMORY | PEBS_CFG_GPRS | PEBS_CFG_XMM | PEBS_CFG_BRANCHES |
			0xffull << PEBS_CFG_DEPTH;

	if (pebs->format >= 6)
		bits |= PEBS_CFG_COUNTERS | PEBS_CFG_METRICS | 0xffffull << PEBS_CFG_GENERAL |
			0xffull << PEBS_CFG_FIXED;
	return bits;
}

size_t intel_pebs_adaptive_size(uint64_t data_cfg)
{
	size_t size = sizeof(struct pebs_basic);

	if (data_cfg & PEBS_CFG_MEMORY)
		size += sizeof(struct pebs_memory);
	if (data_cfg & PEBS_CFG_GPRS)
		size += sizeof(struct pebs_gprs);
	if (data_cfg & PEBS_CFG_XMM)
		size += PEBS_XMM_SIZE;
	if (data_cfg & PEBS_CFG_BRANCHES)
		size += sizeof(struct pebs_branch) * ((data_cfg >> PEBS_CFG_DEPTH & 0xff) + 1);
	if (data_cfg & (PEBS_CFG_COUNTERS | PEBS_CFG_METRICS))
		size += sizeof(struct pebs_counters) + (data_cfg & PEBS_CFG_METRICS ? 16 : 0);
	if (data_cfg & PEBS_CFG_COUNTERS)
		size += sizeof(uint64_t) *
			(unsigned)(__builtin_popcountll(data_cfg >> PEBS_CFG_GENERAL & 0xffff) +
				   __builtin_popcountll(data_cfg >> PEBS_CFG_FIXED & 0xff));
	return size;
}

/* Precise events by event code; of codes that are listed twice by code and unit mask (tables 18-10, 18-14,
 * 18-25 and the vendor's event files). */
struct precise {
	uint8_t code;
	int16_t umask; /* -1: any but 0; -2: any */
};
#define ANY    -2
#define ANY_OF -1

static const struct precise core2[] = {{0xc0, 0},      {0xc1, 0xfe},   {0xc5, 0},
				       {0xc7, ANY_OF}, {0xcb, ANY_OF}, {0, 0}};
static const struct precise nehalem[] = {{0x0b, ANY_OF}, {0x0c, 1},      {0xc0, ANY_OF}, {0xc2, ANY_OF},
					 {0xc4, ANY_OF}, {0xc5, ANY_OF}, {0xc7, ANY_OF}, {0xc8, 0x20},
					 {0xcb, ANY_OF}, {0xf7, ANY_OF}, {0, 0}};
static const struct precise sandy[] = {{0xc0, 1},      {0xc0, 2},      {0xc2, ANY_OF}, {0xc4, ANY_OF},
				       {0xc5, ANY_OF}, {0xc6, 1},      {0xc8, ANY_OF}, {0xc9, ANY_OF},
				       {0xcd, ANY_OF}, {0xd0, ANY_OF}, {0xd1, ANY_OF}, {0xd2, ANY_OF},
				       {0xd3, ANY_OF}, {0xd4, ANY_OF}, {0, 0}};
static const struct precise silvermont[] = {{0x03, ANY_OF}, {0x04, ANY_OF}, {0xc4, ANY}, {0xc5, ANY}, {0, 0}};
static const struct precise later[] = {
	{0x03, ANY_OF}, {0x13, ANY_OF}, {0xc0, ANY},    {0xc2, ANY},    {0xc4, ANY},    {0xc5, ANY},
	{0xc6, ANY_OF}, {0xc7, ANY_OF}, {0xc8, ANY_OF}, {0xc9, ANY_OF}, {0xcd, ANY_OF}, {0xd0, ANY_OF},
	{0xd1, ANY},    {0xd2, ANY_OF}, {0xd3, ANY_OF}, {0xd4, ANY_OF}, {0xe4, 1},      {0, 0}};

bool intel_pebs_precise(uint32_t signature, const struct intel_pebs *pebs, uint64_t code)
{
	static const struct precise *const lists[] = {
		[PART_CORE2] = core2,    [PART_NEHALEM] = nehalem,     [PART_SANDY] = sandy,
		[PART_HASWELL] = sandy,  [PART_SKYLAKE] = sandy,       [PART_SILVERMONT] = silvermont,
		[PART_GOLDMONT] = later, [PART_GOLDMONT_PLUS] = later, [PART_ICELAKE] = later,
	};
	const struct precise *p = later_form(pebs) ? later : lists[part_of(signature)];
	int umask = code >> 8 & 0xff;

	for (; p->code; p++)
		if (p->code == (code & 0xff) &&
		    (p->umask == ANY || p->umask == umask || (p->umask == ANY_OF && umask)))
			return true;
	return false;
}

bool intel_pebs_has_address(const struct intel_pebs *pebs, uint64_t code)
{
	unsigned event = code & 0xff;

	code &= EVTSEL_CODE;
	if (pebs->latency_event && code == pebs->latency_event)
		return true;
	if (pebs->precise_store && code == 0x02cd)
		return true;
	return pebs->format >= 2 && (event == 0xcd || (event >= 0xd0 && event <= 0xd3));
}
