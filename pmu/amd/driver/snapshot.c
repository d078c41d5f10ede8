/*
 * The hand-over snapshot, and the accesses that must and must not fault. Both touch only what CPUID promises,
 * or what lies between registers that it promises: another number may hit an unrelated register.
 */
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/amd/driver/parts.h"
#include "pmu/amd/driver/state.h"
#include "pmu/amd/generation.h"
#include "pmu/amd/records/ibs.h"
#include "pmu/amd/records/record.h"
#include "pmu/amd/registers.h"

#include <stdio.h>

static struct pmu_snapshot_entry *take(struct pmu_snapshot *out, const char *name, uint32_t address)
{
	struct pmu_snapshot_entry *e = &out->entry[out->count++];
	*e = (struct pmu_snapshot_entry){.address = address};
	snprintf(e->name, sizeof e->name, "%s", name);
	e->readable = msr_read(address, &e->value);
	return e;
}

static const struct {
	const char *name;
	uint32_t address;
	uint32_t feature; /* without which it does not exist */
	uint64_t enable;
} ibs_registers[] = {
	{"IBS_CTL", IBS_CTL, IBS_VALID, 0},
	{"IBS_FETCH_CTL", IBS_FETCH_CTL, IBS_FETCH, FETCH_EN},
	{"IBS_FETCH_LINAD", IBS_FETCH_LINAD, IBS_FETCH, 0},
	{"IBS_FETCH_PHYSAD", IBS_FETCH_PHYS, IBS_FETCH, 0},
	{"IBS_FETCH_EXTD", IBS_FETCH_EXTD, IBS_FETCH_EXT, 0},
	{"IBS_OP_CTL", IBS_OP_CTL, IBS_OP, OP_EN},
	{"IBS_OP_RIP", IBS_OP_RIP, IBS_OP, 0},
	{"IBS_OP_DATA", IBS_OP_DATA, IBS_OP, 0},
	{"IBS_OP_DATA2", IBS_OP_DATA2, IBS_OP, 0},
	{"IBS_OP_DATA3", IBS_OP_DATA3, IBS_OP, 0},
	{"IBS_OP_DATA4", IBS_OP_DATA4, IBS_DATA4, 0},
	{"IBS_OP_CTL2", IBS_OP_CTL2, IBS_CONTROL2, 0},
	{"IBS_FETCH_CTL2", IBS_FETCH_CTL2, IBS_CONTROL2, 0},
	{"IBS_DC_LINAD", IBS_DC_LINAD, IBS_OP, 0},
	{"IBS_DC_PHYSAD", IBS_DC_PHYS, IBS_OP, 0},
	{"IBS_BRTARGET", IBS_BRTARGET, IBS_BRANCH, 0},
};

/* They may be another core's: the driver leaves them alone. */
static void take_uncore(const struct pmu *pmu, struct pmu_snapshot *out)
{
	const struct amd_uncore_run *runs = amd_uncore_runs(pmu);
	char name[PMU_SNAPSHOT_NAME];

	for (unsigned r = 0; r < AMD_UNCORE_RUNS; r++)
		for (unsigned i = 0; i < runs[r].n; i++) {
			struct pmu_snapshot_entry *e;

			snprintf(name, sizeof name, "%s_PERF_CTL%u", runs[r].name, runs[r].first + i);
			e = take(out, name, runs[r].select + 2 * i);
			e->enable = e->value & CTL_EN;
			snprintf(name, sizeof name, "%s_PERF_CTR%u", runs[r].name, runs[r].first + i);
			take(out, name, runs[r].select + 2 * i + 1);
		}
}

/* What records, and what runs by itself. */
static void take_others(const struct pmu *pmu, struct pmu_snapshot *out)
{
	uint32_t features = amd_ibs_features();
	struct pmu_snapshot_entry *e;

	for (unsigned i = 0; i < sizeof ibs_registers / sizeof ibs_registers[0]; i++) {
		if (!(features & ibs_registers[i].feature))
			continue;
		e = take(out, ibs_registers[i].name, ibs_registers[i].address);
		e->enable = e->value & ibs_registers[i].enable;
	}
	bool stack = cpuid(0x80000022, 0).eax & 2;
	if (stack || cpu_has(CPU_BRS)) {
		e = take(out, "DBG_EXTN_CFG", DBG_EXTN_CFG);
		e->enable = e->value & (DBG_EXTN_LBR | DBG_EXTN_BRS);
	}
	if (stack)
		take(out, "LBR_SELECT", LBR_SELECT);
	if (amd_pmu(pmu)->has_aperf) {
		take(out, "MPERF", MPERF);
		take(out, "APERF", APERF);
	}
	if (amd_pmu(pmu)->has_irperf)
		take(out, "IRPERF", IRPERF);
}

void amd_snapshot(const struct pmu *pmu, struct pmu_snapshot *out)
{
	char name[PMU_SNAPSHOT_NAME];
	uint64_t enabled = ~0ull;

	out->count = 0;
	if (pmu->has_global) {
		enabled = take(out, "PERF_GLOBAL_CTL", PERF_GLOBAL_CTL)->value;
		take(out, "PERF_GLOBAL_STATUS", PERF_GLOBAL_STATUS);
	}
	for (unsigned c = 0; c < pmu->n_counters; c++) {
		snprintf(name, sizeof name, "PERF_CTL%u", c);
		struct pmu_snapshot_entry *e = take(out, name, amd_select_msr(pmu, c));
		e->enable = e->value & CTL_EN && e->value & (CTL_USR | CTL_OS) && enabled >> c & 1;
		snprintf(name, sizeof name, "PERF_CTR%u", c);
		take(out, name, amd_counter_msr(pmu, c));
	}
	take_uncore(pmu, out);
	take_others(pmu, out);
}

#define SELECT "APM vol. 2, 13.2.1"
#define STACK  "APM vol. 2, figures 13-4, 13-6 and 13-9"

/* By the legacy numbers, which the core extension keeps as aliases. What is ignored is seen after a reset,
 * when the registers are 0. */
static const struct pmu_access accesses[] = {
	{"ignore PERF_CTL0, reserved bit 21", ACCESS_IGNORED, false, PERF_LEGACY_CTL0, 1ull << 21, SELECT},
	{"write PERF_CTL0, every defined bit but EN", ACCESS_WRITE, false, PERF_LEGACY_CTL0,
	 0xffffffffull & ~(CTL_EN | CTL_PC | 1ull << 21), SELECT},
	{"write PERF_CTR0, bits above 47", ACCESS_WRITE, false, PERF_LEGACY_CTR0, ~0ull, SELECT},
	{"read PERF_LEGACY_CTL3", ACCESS_READ, false, PERF_LEGACY_CTL0 + 3, 0, SELECT},
	{"read PERF_LEGACY_CTR3", ACCESS_READ, false, PERF_LEGACY_CTR0 + 3, 0, SELECT},
	{"RDPMC of counter 3", ACCESS_SELECTOR, false, 3, 0, "APM vol. 3, RDPMC"},
	{"RDPMC of index 10000000H", ACCESS_SELECTOR, ACCESS_OF_NOTHING, 0x10000000, 0, "APM vol. 3, RDPMC"},
	{"ignore PERF_GLOBAL_CTL, a missing counter", ACCESS_IGNORED, false, PERF_GLOBAL_CTL,
	 1ull << AMD_CORE_MAX, SELECT},
	{"ignore LBR_SELECT, reserved bits", ACCESS_IGNORED, false, LBR_SELECT, ~0ull << 9, STACK},
	{"write DBG_EXTN_CFG, reserved bit 7", ACCESS_WRITE, true, DBG_EXTN_CFG, 1ull << 7, STACK},
	{"ignore DebugCtl, reserved bits", ACCESS_IGNORED, false, DEBUGCTL, ~0ull << 13, STACK},
	{"write PERF_GLOBAL_STATUS", ACCESS_WRITE, false, PERF_GLOBAL_STATUS, 0, SELECT},
	{"read PERF_GLOBAL_STATUS_CLR", ACCESS_READ, false, PERF_GLOBAL_STATUS_CLR, 0, SELECT},
};

/* K7 and K8. */
static const struct pmu_access no_upper_half = {
	"ignore PERF_CTL0, bits 35:32", ACCESS_IGNORED, false, PERF_LEGACY_CTL0, 0xfull << 32,
	"BKDG of family 0FH, 4.13"};
static const struct pmu_access pin_control = {
	"keep PERF_CTL0, pin control", ACCESS_KEPT, false, PERF_LEGACY_CTL0, CTL_PC,
	"BKDG of family 0FH, 4.13"};

unsigned amd_accesses(const struct pmu *pmu, struct pmu_access *out, unsigned max)
{
	bool narrow = amd_narrow(amd_pmu(pmu)->generation);
	unsigned n = 0;

	if (narrow && n < max)
		out[n++] = no_upper_half;
	for (unsigned i = 0; i < sizeof accesses / sizeof *accesses && n < max; i++) {
		uint32_t address = accesses[i].address;
		bool global = address >= PERF_GLOBAL_STATUS && address <= PERF_GLOBAL_STATUS_SET;

		bool stack = address == LBR_SELECT || address == DBG_EXTN_CFG || address == DEBUGCTL;

		if ((!global || pmu->has_global) && (!stack || amd_pmu(pmu)->stacks))
			out[n++] = accesses[i];
	}
	if (narrow && n < max)
		out[n++] = pin_control;
	return n;
}

unsigned amd_power_up(const struct pmu *pmu, struct pmu_power_up *out, unsigned max)
{
	if (!pmu->has_global || !max)
		return 0;
	out[0] = (struct pmu_power_up){"PERF_GLOBAL_CTL", PERF_GLOBAL_CTL, (1ull << pmu->n_counters) - 1,
				       SELECT};
	return 1;
}
