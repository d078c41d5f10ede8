/*
 * The registers for people and for the control suite: what each field is called, what they hold at hand-over,
 * which accesses fault.
 */
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/netburst/driver/parts.h"
#include "pmu/netburst/driver/state.h"
#include "pmu/netburst/wiring.h"

#include <stdio.h>

static struct pmu_snapshot_entry *take(struct pmu_snapshot *out, const char *name, uint32_t address)
{
	struct pmu_snapshot_entry *e = &out->entry[out->count++];

	*e = (struct pmu_snapshot_entry){.address = address};
	snprintf(e->name, sizeof e->name, "%s", name);
	e->readable = msr_read(address, &e->value);
	return e;
}

/* The last-branch stack, in the shape of the model: 17.11.2. */
static void take_branches(const struct pmu *pmu, struct pmu_snapshot *out)
{
	const unsigned model = netburst_cpu(pmu)->model;
	char name[PMU_SNAPSHOT_NAME];
	static const struct {
		uint8_t models, n;
		uint32_t address;
		const char *suffix;
	} stacks[] = {
		{MODELS_0_TO_2, 4, MSR_LASTBRANCH_0, ""},
		{MODELS_3_4_6, 16, MSR_LASTBRANCH_FROM_0, "_FROM_LIP"},
		{MODELS_3_4_6, 16, MSR_LASTBRANCH_TO_0, "_TO_LIP"},
	};

	for (unsigned s = 0; s < sizeof stacks / sizeof stacks[0]; s++)
		for (unsigned i = 0; i < stacks[s].n && stacks[s].models >> model & 1; i++) {
			snprintf(name, sizeof name, "MSR_LASTBRANCH_%u%s", i, stacks[s].suffix);
			take(out, name, stacks[s].address + i);
		}
}

static void take_l3(const struct pmu *pmu, struct pmu_snapshot *out)
{
	static const char *const names[2][NETBURST_L3_COUNTERS] = {
		{"MSR_IFSB_BUSQ0", "MSR_IFSB_BUSQ1", "MSR_IFSB_SNPQ0", "MSR_IFSB_SNPQ1", "MSR_EFSB_DRDY0",
		 "MSR_EFSB_DRDY1", "MSR_IFSB_CTL6", "MSR_IFSB_CNTR7"},
		{"MSR_EMON_L3_CTR_CTL0", "MSR_EMON_L3_CTR_CTL1", "MSR_EMON_L3_CTR_CTL2",
		 "MSR_EMON_L3_CTR_CTL3", "MSR_EMON_L3_CTR_CTL4", "MSR_EMON_L3_CTR_CTL5",
		 "MSR_EMON_L3_CTR_CTL6", "MSR_EMON_L3_CTR_CTL7"}};

	for (unsigned i = 0; i < NETBURST_L3_COUNTERS && netburst_has_l3(pmu); i++)
		take(out, names[netburst_cpu(pmu)->model == 6][i], MSR_IFSB_BUSQ0 + i);
}

void netburst_snapshot(const struct pmu *pmu, struct pmu_snapshot *out)
{
	static const struct {
		const char *name;
		uint32_t address;
	} others[] = {
		{"MSR_MISC_ENABLE", MSR_MISC_ENABLE},
		{"MSR_LER_FROM_LIP", MSR_LER_FROM_LIP},
		{"MSR_LER_TO_LIP", MSR_LER_TO_LIP},
		{"MSR_LASTBRANCH_TOS", MSR_LASTBRANCH_TOS},
		{"MSR_TC_PRECISE_EVENT", MSR_TC_PRECISE_EVENT},
		{"MSR_PEBS_MATRIX_VERT", MSR_PEBS_MATRIX_VERT},
		{"MSR_DS_AREA", MSR_DS_AREA},
	};
	struct pmu_snapshot_entry *e;

	out->count = 0;
	e = take(out, "MSR_PEBS_ENABLE", MSR_PEBS_ENABLE);
	e->enable = e->value & (PEBS_ENABLE_MINE | PEBS_ENABLE_OTHER);
	e = take(out, "MSR_DEBUGCTLA", MSR_DEBUGCTLA);
	e->enable = e->value & (DEBUGCTLA_LBR | DEBUGCTLA_TR | DEBUGCTLA_BTS);
	for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
		take(out, others[i].name, others[i].address);
	take_branches(pmu, out);
	for (unsigned c = 0; c < NETBURST_COUNTERS; c++) {
		e = take(out, netburst_counter[c].cccr, MSR_NETBURST_CCCR0 + c);
		e->enable = e->value & CCCR_ENABLE;
		take(out, netburst_counter[c].name, MSR_NETBURST_COUNTER0 + c);
	}
	for (unsigned i = 0; i < ESCR_COUNT; i++)
		if (netburst_escr[i].models >> netburst_cpu(pmu)->model & 1)
			take(out, netburst_escr[i].name, netburst_escr[i].msr);
	take_l3(pmu, out);
}

unsigned netburst_accesses(const struct pmu *pmu, struct pmu_access *out, unsigned max)
{
	bool later = MODELS_3_4_6 >> netburst_cpu(pmu)->model & 1;
	bool by_ring = cpuid(1, 0).ecx >> 4 & 1;
	bool extended = MODELS_2_AND_LATER >> netburst_cpu(pmu)->model & 1;
	const char *probed = "SDM 18.15; faults as probed on signature 0F43H", *rdpmc = "SDM vol. 2, RDPMC";
	uint64_t misc = 0;

	msr_read(MSR_MISC_ENABLE, &misc);
	const struct pmu_access all[] = {
		{"read BPU_COUNTER0", ACCESS_READ, false, MSR_NETBURST_COUNTER0, 0, "SDM 18.15.2"},
		{"read IQ_COUNTER5", ACCESS_READ, false, MSR_NETBURST_COUNTER0 + 17, 0, "SDM 18.15.2"},
		{"write BPU_COUNTER0, bit 40", ACCESS_WRITE, false, MSR_NETBURST_COUNTER0, 1ull << 40,
		 probed},
		{"write BPU_CCCR0, bit 0", ACCESS_WRITE, false, MSR_NETBURST_CCCR0, 1, probed},
		{"write BSU_ESCR0, bit 31", ACCESS_WRITE, true, 0x3a0, 1ull << 31, probed},
		{"write CRU_ESCR5, bit 31", ACCESS_WRITE, true, 0x3e1, 1ull << 31, probed},
		{"write BSU_ESCR0, bit 32", ACCESS_WRITE, false, 0x3a0, 1ull << 32, probed},
		{"write MSR_DEBUGCTLA, bit 7", ACCESS_WRITE, true, MSR_DEBUGCTLA, 1 << 7, "SDM 17.11.1"},
		{"write MSR_DEBUGCTLA, BTS_OFF_OS", ACCESS_WRITE, !by_ring, MSR_DEBUGCTLA,
		 DEBUGCTLA_BTS_OFF_OS, "SDM 17.11.1, CPUID.1:ECX[4]"},
		{"write MSR_DEBUGCTLA, BTINT", ACCESS_WRITE, false, MSR_DEBUGCTLA, DEBUGCTLA_BTINT,
		 "SDM 17.11.1"},
		{"read MSR_LER_FROM_LIP", ACCESS_READ, false, MSR_LER_FROM_LIP, 0, "SDM 17.11.3"},
		{"write MSR_LASTBRANCH_TOS", ACCESS_WRITE, false, MSR_LASTBRANCH_TOS, 1, "SDM table 35-41"},
		{"write MSR_PEBS_ENABLE, bit 31", ACCESS_WRITE, false, MSR_PEBS_ENABLE, 1u << 31, probed},
		{"write IA32_DS_AREA", ACCESS_WRITE, false, MSR_DS_AREA, 0x1000, "SDM 17.4.9"},
		{"write IA32_DS_AREA, not canonical", ACCESS_WRITE, later, MSR_DS_AREA, 1ull << 63,
		 "SDM vol. 2, WRMSR"},
		{"write MSR_LER_FROM_LIP", ACCESS_WRITE, true, MSR_LER_FROM_LIP, 0, "SDM 17.11.3"},
		{"read the first MSR of the older branch stack", ACCESS_READ,
		 later ? ACCESS_OF_NOTHING : ACCESS_WORKS, MSR_LASTBRANCH_0, 0, "SDM 17.11.2"},
		{"read the first MSR of the later branch stack", ACCESS_READ,
		 later ? ACCESS_WORKS : ACCESS_OF_NOTHING, MSR_LASTBRANCH_FROM_0, 0, "SDM 17.11.2"},
		{"RDPMC of counter 17", ACCESS_SELECTOR, false, 17, 0, rdpmc},
		{"RDPMC of counter 17, fast", ACCESS_SELECTOR, false, RDPMC_FAST | 17, 0, rdpmc},
		{"RDPMC of index 18", ACCESS_SELECTOR,
		 netburst_has_l3(pmu) ? ACCESS_WORKS : ACCESS_OF_NOTHING, RDPMC_L3, 0, "SDM 18.20"},
		{"RDPMC of index 26", ACCESS_SELECTOR, ACCESS_OF_NOTHING, 26, 0, rdpmc},
		{"RDPMC of index 26, fast", ACCESS_SELECTOR, ACCESS_OF_NOTHING, RDPMC_FAST | 26, 0, rdpmc},
		{"RDPMC of index 40000000H", ACCESS_SELECTOR, ACCESS_OF_NOTHING, 0x40000000, 0, rdpmc},
		{"keep IQ_CCCR0, bit 11", extended ? ACCESS_KEPT : ACCESS_IGNORED, false,
		 MSR_NETBURST_CCCR0 + 12, CCCR_EXTENDED_CASCADE, "SDM 18.15.5.6"},
		{"keep IQ_CCCR1, bit 11", ACCESS_IGNORED, false, MSR_NETBURST_CCCR0 + 13,
		 CCCR_EXTENDED_CASCADE, probed},
		{"keep MSR_PEBS_ENABLE, bit 26",
		 netburst_cpu(pmu)->hyper_threading ? ACCESS_KEPT : ACCESS_IGNORED, false, MSR_PEBS_ENABLE,
		 PEBS_ENABLE_OTHER, "SDM table 35-41"},
		{"keep MSR_MISC_ENABLE, bit 7", ACCESS_IGNORED, false, MSR_MISC_ENABLE,
		 misc & ~(uint64_t)MISC_ENABLE_PERFMON, "SDM table 35-41"},
		/* The rest is known of later models only. */
		{"write IQ_ESCR0", ACCESS_WRITE, false, 0x3ba, 0, probed},
		{"keep BPU_CCCR0, reserved bits", ACCESS_IGNORED, false, MSR_NETBURST_CCCR0, 0x7ff, probed},
		{"keep DAC_ESCR0, bits of its unit", ACCESS_KEPT, false, 0x3a8, 0x1e01fe0f, probed},
		{"keep CRU_ESCR0, bits that its unit lacks", ACCESS_IGNORED, false, 0x3b8, 0x71fe01f0,
		 probed},
		{"write MSR_MISC_ENABLE, bit 12", ACCESS_WRITE, !(misc & MISC_ENABLE_PEBS_ABSENT),
		 MSR_MISC_ENABLE, misc | MISC_ENABLE_PEBS_ABSENT, probed},
	};
	const unsigned n_later = 5;
	unsigned n = sizeof all / sizeof all[0] - (later ? 0 : n_later);

	(void)pmu;
	for (unsigned i = 0; i < n && i < max; i++)
		out[i] = all[i];
	return n < max ? n : max;
}

unsigned netburst_power_up(const struct pmu *pmu, struct pmu_power_up *out, unsigned max)
{
	static const struct pmu_power_up all[] = {
		{"MSR_TC_PRECISE_EVENT", MSR_TC_PRECISE_EVENT, 0xfc00, "as perfctr and Linux found it"},
		{"MSR_PEBS_ENABLE", MSR_PEBS_ENABLE, 0, "SDM table 9-1"},
		{"MSR_DEBUGCTLA", MSR_DEBUGCTLA, 0, "SDM table 9-1"},
		{"BPU_CCCR0", MSR_NETBURST_CCCR0, 0, "SDM table 9-1"},
		{"IQ_COUNTER5", MSR_NETBURST_COUNTER0 + 17, 0, "SDM table 9-1"},
	};
	const unsigned n = sizeof all / sizeof all[0];

	(void)pmu;
	for (unsigned i = 0; i < n && i < max; i++)
		out[i] = all[i];
	return n < max ? n : max;
}

#define CCCRS    MSR_NETBURST_CCCR0, MSR_NETBURST_CCCR0 + NETBURST_COUNTERS - 1
#define ESCRS    0x3a0, 0x3e1
#define ALONE(r) r, r

const struct register_field netburst_fields[] = {
	{"BPU_COUNTER", 0x300, 0x303, 0, 0, 0, 0},
	{"MS_COUNTER", 0x304, 0x307, 0, 0, 0, 0},
	{"FLAME_COUNTER", 0x308, 0x30b, 0, 0, 0, 0},
	{"IQ_COUNTER", 0x30c, 0x311, 0, 0, 0, 0},
	{"BPU_CCCR", 0x360, 0x363, 0, 0, 0, 0},
	{"MS_CCCR", 0x364, 0x367, 0, 0, 0, 0},
	{"FLAME_CCCR", 0x368, 0x36b, 0, 0, 0, 0},
	{"IQ_CCCR", 0x36c, 0x371, 0, 0, 0, 0},
	{"BSU_ESCR", 0x3a0, 0x3a1, 0, 0, 0, 0},
	{"FSB_ESCR", 0x3a2, 0x3a3, 0, 0, 0, 0},
	{"FIRM_ESCR", 0x3a4, 0x3a5, 0, 0, 0, 0},
	{"FLAME_ESCR", 0x3a6, 0x3a7, 0, 0, 0, 0},
	{"DAC_ESCR", 0x3a8, 0x3a9, 0, 0, 0, 0},
	{"MOB_ESCR", 0x3aa, 0x3ab, 0, 0, 0, 0},
	{"PMH_ESCR", 0x3ac, 0x3ad, 0, 0, 0, 0},
	{"SAAT_ESCR", 0x3ae, 0x3af, 0, 0, 0, 0},
	{"U2L_ESCR", 0x3b0, 0x3b1, 0, 0, 0, 0},
	{"BPU_ESCR", 0x3b2, 0x3b3, 0, 0, 0, 0},
	{"IS_ESCR", 0x3b4, 0x3b5, 0, 0, 0, 0},
	{"ITLB_ESCR", 0x3b6, 0x3b7, 0, 0, 0, 0},
	{"CRU_ESCR", 0x3b8, 0x3b9, 0, 0, 0, 0},
	{"IQ_ESCR", 0x3ba, 0x3bb, 0, 0, 0, 0},
	{"RAT_ESCR", 0x3bc, 0x3bd, 0, 0, 0, 0},
	{"SSU_ESCR0", ALONE(0x3be), 0, 0, 0, 0},
	{"MS_ESCR", 0x3c0, 0x3c1, 0, 0, 0, 0},
	{"TBPU_ESCR", 0x3c2, 0x3c3, 0, 0, 0, 0},
	{"TC_ESCR", 0x3c4, 0x3c5, 0, 0, 0, 0},
	{"IX_ESCR", 0x3c8, 0x3c9, 0, 0, 0, 0},
	{"ALF_ESCR", 0x3ca, 0x3cb, 0, 0, 0, 0},
	{"CRU_ESCR2", ALONE(0x3cc), 0, 0, 0, 0},
	{"CRU_ESCR3", ALONE(0x3cd), 0, 0, 0, 0},
	{"CRU_ESCR4", ALONE(0x3e0), 0, 0, 0, 0},
	{"CRU_ESCR5", ALONE(0x3e1), 0, 0, 0, 0},
	{"MSR_TC_PRECISE_EVENT", ALONE(MSR_TC_PRECISE_EVENT), 0, 0, 0, 0},
	{"MSR_PEBS_ENABLE", ALONE(MSR_PEBS_ENABLE), 0, 0, 0, 0},
	{"MSR_PEBS_MATRIX_VERT", ALONE(MSR_PEBS_MATRIX_VERT), 0, 0, 0, 0},
	{"MSR_MISC_ENABLE", ALONE(MSR_MISC_ENABLE), 0, 0, 0, 0},
	{"MSR_DEBUGCTLA", ALONE(MSR_DEBUGCTLA), 0, 0, 0, 0},
	{"MSR_LER_FROM_LIP", ALONE(MSR_LER_FROM_LIP), 0, 0, 0, 0},
	{"MSR_LER_TO_LIP", ALONE(MSR_LER_TO_LIP), 0, 0, 0, 0},
	{"MSR_LASTBRANCH_TOS", ALONE(MSR_LASTBRANCH_TOS), 0, 0, 0, 0},
	{"MSR_LASTBRANCH_", MSR_LASTBRANCH_0, MSR_LASTBRANCH_0 + 3, 0, 0, 0, 0},
	{"MSR_LASTBRANCH_FROM_LIP_", MSR_LASTBRANCH_FROM_0, MSR_LASTBRANCH_FROM_0 + 15, 0, 0, 0, 0},
	{"MSR_LASTBRANCH_TO_LIP_", MSR_LASTBRANCH_TO_0, MSR_LASTBRANCH_TO_0 + 15, 0, 0, 0, 0},
	{"IA32_DS_AREA", ALONE(MSR_DS_AREA), 0, 0, 0, 0},
	{"MSR_IFSB_BUSQ", MSR_IFSB_BUSQ0, MSR_IFSB_BUSQ0 + 1, 0, 0, 0, 0},
	{"MSR_IFSB_SNPQ", MSR_IFSB_SNPQ0, MSR_IFSB_SNPQ0 + 1, 0, 0, 0, 0},
	{"MSR_EFSB_DRDY", MSR_EFSB_DRDY0, MSR_EFSB_DRDY0 + 1, 0, 0, 0, 0},
	{"MSR_IFSB_CTL6", ALONE(MSR_IFSB_CTL6), 0, 0, 0, 0},
	{"MSR_IFSB_CNTR7", ALONE(MSR_IFSB_CNTR7), 0, 0, 0, 0},
	{"OVF", CCCRS, 31, 1, 0, 0},
	{"CASCADE", CCCRS, 30, 1, 0, 0},
	{"OVF_PMI_T1", CCCRS, 27, 1, 0, 0},
	{"OVF_PMI_T0", CCCRS, 26, 1, 0, 0},
	{"FORCE_OVF", CCCRS, 25, 1, 0, 0},
	{"EDGE", CCCRS, 24, 1, 0, 0},
	{"THRESHOLD", CCCRS, CCCR_THRESHOLD_SHIFT, 4, 0, 0},
	{"COMPLEMENT", CCCRS, 19, 1, 0, 0},
	{"COMPARE", CCCRS, 18, 1, 0, 0},
	{"ACTIVE_THREAD", CCCRS, CCCR_THREAD_SHIFT, 2, 0, 0},
	{"ESCR_SELECT", CCCRS, CCCR_SELECT_SHIFT, 3, 0, 0},
	{"ENABLE", CCCRS, 12, 1, 0, 0},
	{"EXTENDED_CASCADE", CCCRS, 11, 1, 0, 0},
	{"EVENT", ESCRS, ESCR_EVENT_SHIFT, 6, 0, 0},
	{"MASK", ESCRS, ESCR_MASK_SHIFT, 16, 0, 0},
	{"TAG", ESCRS, ESCR_TAG_SHIFT, 4, 0, 0},
	{"TAG_ENABLE", ESCRS, 4, 1, 0, 0},
	{"T0_OS", ESCRS, 3, 1, 0, 0},
	{"T0_USR", ESCRS, 2, 1, 0, 0},
	{"T1_OS", ESCRS, 1, 1, 0, 0},
	{"T1_USR", ESCRS, 0, 1, 0, 0},
	{"UOP_TAG", ALONE(MSR_PEBS_ENABLE), 24, 1, 0, 0},
	{"PEBS_MY_THREAD", ALONE(MSR_PEBS_ENABLE), 25, 1, 0, 0},
	{"PEBS_OTHER_THREAD", ALONE(MSR_PEBS_ENABLE), 26, 1, 0, 0},
	{"CAUSE", ALONE(MSR_PEBS_ENABLE), 0, 1, 17, 1},
	{"LOADS", ALONE(MSR_PEBS_MATRIX_VERT), 0, 1, 0, 0},
	{"STORES", ALONE(MSR_PEBS_MATRIX_VERT), 1, 1, 0, 0},
	{"BRANCHES", ALONE(MSR_PEBS_MATRIX_VERT), 4, 1, 0, 0},
	{"FAST_STRINGS", ALONE(MSR_MISC_ENABLE), 0, 1, 0, 0},
	{"X87_COMPATIBLE", ALONE(MSR_MISC_ENABLE), 2, 1, 0, 0},
	{"THERMAL_MONITOR", ALONE(MSR_MISC_ENABLE), 3, 1, 0, 0},
	{"SPLIT_LOCK_DISABLE", ALONE(MSR_MISC_ENABLE), 4, 1, 0, 0},
	{"L3_DISABLE", ALONE(MSR_MISC_ENABLE), 6, 1, 0, 0},
	{"PERFMON", ALONE(MSR_MISC_ENABLE), 7, 1, 0, 0},
	{"BTS_UNAVAILABLE", ALONE(MSR_MISC_ENABLE), 11, 1, 0, 0},
	{"PEBS_UNAVAILABLE", ALONE(MSR_MISC_ENABLE), 12, 1, 0, 0},
	{"LIMIT_CPUID", ALONE(MSR_MISC_ENABLE), 22, 1, 0, 0},
	/* No manual names the bits of the first; of the others the parts keep more than is documented. */
	{"VALUE", ALONE(MSR_TC_PRECISE_EVENT), 5, 13, 0, 0},
	{"INDEX", ALONE(MSR_LASTBRANCH_TOS), 0, 4, 0, 0},
	{"COUNT", MSR_NETBURST_COUNTER0, MSR_NETBURST_COUNTER0 + NETBURST_COUNTERS - 1, 0, 40, 0, 0},
	/* Of the last two on models 3 and 4 the first enables, with its bit 26, the second. */
	{"COUNT", MSR_IFSB_BUSQ0, MSR_IFSB_CTL6, 0, 32, 0, 0},
	{"CONTROL", MSR_IFSB_BUSQ0, MSR_IFSB_CTL6, 32, 32, 0, 0},
	{"COUNT", ALONE(MSR_IFSB_CNTR7), 0, 64, 0, 0},
	{"ADDRESS", ALONE(MSR_DS_AREA), 0, 64, 0, 0},
	{"ADDRESS", ALONE(MSR_LER_FROM_LIP), 0, 64, 0, 0},
	{"ADDRESS", ALONE(MSR_LER_TO_LIP), 0, 64, 0, 0},
	{"FROM", MSR_LASTBRANCH_0, MSR_LASTBRANCH_0 + 3, 0, 32, 0, 0},
	{"TO", MSR_LASTBRANCH_0, MSR_LASTBRANCH_0 + 3, 32, 32, 0, 0},
	{"ADDRESS", MSR_LASTBRANCH_FROM_0, MSR_LASTBRANCH_FROM_0 + 15, 0, 64, 0, 0},
	{"ADDRESS", MSR_LASTBRANCH_TO_0, MSR_LASTBRANCH_TO_0 + 15, 0, 64, 0, 0},
	{"LBR", ALONE(MSR_DEBUGCTLA), 0, 1, 0, 0},
	{"BTF", ALONE(MSR_DEBUGCTLA), 1, 1, 0, 0},
	{"TR", ALONE(MSR_DEBUGCTLA), 2, 1, 0, 0},
	{"BTS", ALONE(MSR_DEBUGCTLA), 3, 1, 0, 0},
	{"BTINT", ALONE(MSR_DEBUGCTLA), 4, 1, 0, 0},
	{"BTS_OFF_OS", ALONE(MSR_DEBUGCTLA), 5, 1, 0, 0},
	{"BTS_OFF_USR", ALONE(MSR_DEBUGCTLA), 6, 1, 0, 0},
	{NULL, 0, 0, 0, 0, 0, 0},
};
