/*
 * Offcore responses, as the model counts them: by the bits of MSR_OFFCORE_RSP_x and nothing that the driver
 * reads. A request leaves this core for data, ownership or code, or as a non-temporal store; the last level
 * has its line, in state E, or memory has. Requests: SDM vol. 3, tables 18-13, 18-22 and those of later
 * cores. A response counts if "any" is set, or both its supplier and its snoop result are (figure 18-24,
 * table 18-24); Nehalem has one bit for both (table 18-13), Silvermont and Goldmont the snoop result alone.
 * There are no prefetches and no write-backs here, and nobody else has a line.
 */
#include "pmu/intel/events/core_events.h"
#include "pmu/intel/errata/hooks.h"

#include <string.h>

#define REQUEST_DATA 0x1
#define REQUEST_RFO  0x2
#define REQUEST_CODE 0x4
#define BIT(n)       (1ull << (n))

/** How a core's register is laid out. A response of the last level or of memory has one bit of each mask that
 * is not 0. */
struct offcore_layout {
	const char *cores;
	uint16_t selector[2];      /* for MSR_OFFCORE_RSP_0 and _1 */
	uint64_t streaming, every; /* requests */
	uint64_t any;
	uint64_t hit_supplier, hit_snoop, miss_supplier, miss_snoop;
};

#define NEHALEM .any = 0, .hit_supplier = BIT(8), .miss_supplier = BIT(13) | BIT(14)
#define BIG                                                                                                  \
	.selector = {0x1b7, 0x1bb}, .streaming = BIT(11), .any = BIT(16), .hit_supplier = BIT(19),           \
	.hit_snoop = BIT(32)
#define NEWER .streaming = BIT(11), .any = BIT(16), .hit_supplier = BIT(19), .hit_snoop = BIT(32)
#define SMALL .selector = {0x1b7, 0x2b7}

static const struct offcore_layout layouts[] = {
	{"NHM NHX", .selector = {0x1b7}, NEHALEM},
	{"WSM WSS WSX", .selector = {0x1b7, 0x1bb}, NEHALEM},
	{"SNB JKT IVB IVT HSX", BIG, .miss_supplier = BIT(22), .miss_snoop = BIT(33)},
	{"HSW", BIG, .miss_supplier = BIT(22), .miss_snoop = BIT(32)},
	{"BDW BDE SKL ICL ICX RKL TGL", BIG, .miss_supplier = BIT(26), .miss_snoop = BIT(32)},
	{"BDX SKX CLX", BIG, .miss_supplier = BIT(26), .miss_snoop = BIT(33)},
	{"GLC SPR EMR RWC GNR", .selector = {0x12a, 0x12b}, NEWER, .miss_supplier = BIT(26),
	 .miss_snoop = BIT(32)},
	/* What Intel's lists show of it. */
	{"LNC LNA CGC", .selector = {0x12a, 0x12b}, .streaming = BIT(11), .any = BIT(16),
	 .hit_supplier = BIT(22), .hit_snoop = BIT(38), .miss_supplier = BIT(31), .miss_snoop = BIT(38)},
	{"SLM GLM GLP", SMALL, .streaming = BIT(11) | BIT(14), .every = BIT(15), .any = BIT(16),
	 .hit_supplier = BIT(33), .miss_supplier = BIT(33)},
	{"KNL", SMALL, .streaming = BIT(11) | BIT(14), .every = BIT(15), .any = BIT(16),
	 .hit_supplier = BIT(23), .hit_snoop = BIT(31), .miss_supplier = BIT(23), .miss_snoop = BIT(31)},
	{"TNT SNR GRT CMT SRF GRR SKT SKA DMT CWF", SMALL, .streaming = BIT(11) | BIT(46) | BIT(47),
	 .any = BIT(16), .hit_supplier = BIT(19), .hit_snoop = BIT(32), .miss_supplier = BIT(26),
	 .miss_snoop = BIT(32)},
};

static const struct offcore_layout *layout_of(int core)
{
	for (unsigned i = 0; core != INTEL_NO_CORE && i < sizeof layouts / sizeof layouts[0]; i++)
		if (strstr(layouts[i].cores, intel_core_names[core]))
			return &layouts[i];
	return NULL;
}

static uint64_t register_value(const struct intel_state *s, uint32_t address)
{
	for (unsigned i = 0; i < s->n_extras; i++)
		if (s->extra[i].address == address)
			return s->extra_value[i];
	return 0;
}

/* Whether the value asks for a response with these bits. */
static bool asks(uint64_t value, uint64_t supplier, uint64_t snoop)
{
	return value & supplier && (!snoop || value & snoop);
}

bool intel_decode_offcore(const struct intel_state *s, struct intel_counter *k, uint64_t select)
{
	static const struct {
		uint64_t request;
		quantity_number all, missed;
	} kinds[] = {
		{REQUEST_DATA, Q_OFFCORE_DATA, Q_OFFCORE_DATA_MISS},
		{REQUEST_RFO, Q_OFFCORE_RFO, Q_OFFCORE_RFO_MISS},
		{REQUEST_CODE, Q_OFFCORE_CODE, Q_OFFCORE_CODE_MISS},
	};
	const struct offcore_layout *l = layout_of(s->core);
	uint64_t code = select & EVTSEL_CODE;

	if (!l || !code || (code != l->selector[0] && code != l->selector[1]))
		return false;
	bool second = code == l->selector[1];
	uint64_t value = register_value(s, second ? MSR_OFFCORE_RSP_1 : MSR_OFFCORE_RSP_0);
	bool hit = asks(value, l->hit_supplier, l->hit_snoop);
	bool miss = asks(value, l->miss_supplier, l->miss_snoop);
	bool any = value & l->any, every = intel_hook_offcore(s, value & l->every);

	for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		if (!every && !(value & kinds[i].request))
			continue;
		k->weight[kinds[i].all] += any || hit;
		k->weight[kinds[i].missed] += any ? 0 : miss - hit;
	}
	k->weight[Q_STORES_NT] += (every || value & l->streaming) && (any || miss);
	return true;
}
