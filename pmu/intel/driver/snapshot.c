/*
 * The hand-over snapshot: reads what CPUID promises and touches nothing else, as a wrong number may hit an
 * unrelated register.
 */
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/intel/records/apebs.h"
#include "pmu/intel/driver/here.h"
#include "pmu/intel/driver/parts.h"
#include "pmu/intel/driver/state.h"
#include "pmu/intel/events/extra.h"
#include "pmu/intel/records/lbr.h"
#include "pmu/intel/registers.h"

#include <stdio.h>

static const char *const select_names[INTEL_GENERAL_MAX] = {
	"IA32_PERFEVTSEL0", "IA32_PERFEVTSEL1", "IA32_PERFEVTSEL2",  "IA32_PERFEVTSEL3",
	"IA32_PERFEVTSEL4", "IA32_PERFEVTSEL5", "IA32_PERFEVTSEL6",  "IA32_PERFEVTSEL7",
	"IA32_PERFEVTSEL8", "IA32_PERFEVTSEL9", "IA32_PERFEVTSEL10", "IA32_PERFEVTSEL11",
};
static const char *const counter_names[INTEL_GENERAL_MAX] = {
	"IA32_PMC0", "IA32_PMC1", "IA32_PMC2", "IA32_PMC3", "IA32_PMC4",  "IA32_PMC5",
	"IA32_PMC6", "IA32_PMC7", "IA32_PMC8", "IA32_PMC9", "IA32_PMC10", "IA32_PMC11",
};
static const char *const fixed_names[INTEL_FIXED_MAX] = {
	"IA32_FIXED_CTR0",  "IA32_FIXED_CTR1",  "IA32_FIXED_CTR2",  "IA32_FIXED_CTR3",
	"IA32_FIXED_CTR4",  "IA32_FIXED_CTR5",  "IA32_FIXED_CTR6",  "IA32_FIXED_CTR7",
	"IA32_FIXED_CTR8",  "IA32_FIXED_CTR9",  "IA32_FIXED_CTR10", "IA32_FIXED_CTR11",
	"IA32_FIXED_CTR12", "IA32_FIXED_CTR13", "IA32_FIXED_CTR14", "IA32_FIXED_CTR15",
};

static struct pmu_snapshot_entry *take(struct pmu_snapshot *out, const char *name, uint32_t address)
{
	struct pmu_snapshot_entry *e = &out->entry[out->count++];
	*e = (struct pmu_snapshot_entry){.address = address};
	snprintf(e->name, sizeof e->name, "%s", name);
	e->readable = msr_read(address, &e->value);
	return e;
}

/* What goes by the model is promised to no guest. */
static bool promised(uint32_t address)
{
	uint64_t ignored;

	return !cpu_has(CPU_HYPERVISOR) || msr_read(address, &ignored);
}

/* Registers of records, and of single events. */
static void take_records(struct pmu_snapshot *out)
{
	const struct intel_lbr lbr = intel_lbr_here();
	struct intel_extra extra[INTEL_EXTRAS];

	if (cpu_has(CPU_DS) && cpu_has(CPU_DTES64))
		take(out, "IA32_DS_AREA", IA32_DS_AREA);
	if (intel_has_pebs()) {
		struct pmu_snapshot_entry *e = take(out, "IA32_PEBS_ENABLE", IA32_PEBS_ENABLE);
		e->enable = e->value != 0;
		if (intel_perf_capabilities() & CAP_PEBS_BASELINE)
			take(out, "IA32_PEBS_DATA_CFG", IA32_PEBS_DATA_CFG);
	}
	if (intel_leaf0a_here().pebs_counters) {
		take(out, "IA32_PEBS_BASE", IA32_PEBS_BASE);
		struct pmu_snapshot_entry *e = take(out, "IA32_PEBS_INDEX", IA32_PEBS_INDEX);
		e->enable = e->value & APEBS_ENABLE;
	}
	if (lbr.format == LBR_ARCH)
		take(out, "IA32_LBR_CTL", IA32_LBR_CTL);
	else if (lbr.select && promised(MSR_LBR_SELECT))
		take(out, "MSR_LBR_SELECT", MSR_LBR_SELECT);
	for (unsigned n = intel_extras(cpuid(1, 0).eax, intel_kind_of_core(), extra), i = 0; i < n; i++)
		if (promised(extra[i].address))
			take(out, extra[i].name, extra[i].address);
}

/* What reloads counters (version 6): one that firmware left would disturb counting. */
static void take_reloads(const struct pmu *pmu, struct pmu_snapshot *out)
{
	char name[PMU_SNAPSHOT_NAME];

	for (unsigned bit = 0; bit < 64; bit++) {
		bool fixed = bit >= GLOBAL_FIXED_SHIFT;

		if (!(intel_found(pmu)->leaf.reloaded >> bit & 1))
			continue;
		snprintf(name, sizeof name, "IA32_PMC_%s%u_CFG_B", fixed ? "FX" : "GP",
			 fixed ? bit - GLOBAL_FIXED_SHIFT : bit);
		take(out, name, intel_reload_mask(bit));
	}
}

void intel_snapshot(const struct pmu *pmu, struct pmu_snapshot *out)
{
	uint64_t enabled = ~0ull, fixed_control = 0;

	out->count = 0;
	if (pmu->has_global) {
		enabled = take(out, "IA32_PERF_GLOBAL_CTRL", IA32_PERF_GLOBAL_CTRL)->value;
		take(out, "IA32_PERF_GLOBAL_STATUS", IA32_PERF_GLOBAL_STATUS);
		take(out, "IA32_DEBUGCTL", IA32_DEBUGCTL);
	}
	if (pmu->version >= 4)
		take(out, "IA32_PERF_GLOBAL_INUSE", IA32_PERF_GLOBAL_INUSE);
	if (pmu->n_fixed)
		fixed_control = take(out, "IA32_FIXED_CTR_CTRL", IA32_FIXED_CTR_CTRL)->value;
	if (cpu_has(CPU_PDCM))
		take(out, "IA32_PERF_CAPABILITIES", IA32_PERF_CAPABILITIES);
	take_records(out);
	take_reloads(pmu, out);

	for (unsigned c = 0; c < pmu->n_counters; c++) {
		const struct pmu_counter *k = &pmu->counter[c];
		struct pmu_snapshot_entry *e;
		if (k->kind == COUNTER_GENERAL) {
			e = take(out, select_names[k->index], IA32_PERFEVTSEL0 + k->index);
			e->enable = e->value & EVTSEL_EN && e->value & (EVTSEL_USR | EVTSEL_OS) &&
				    enabled >> k->index & 1;
			take(out, counter_names[k->index], IA32_PMC0 + k->index);
		} else {
			e = take(out, fixed_names[k->index], IA32_FIXED_CTR0 + k->index);
			e->enable = fixed_control >> 4 * k->index & (FIXED_OS | FIXED_USR) &&
				    enabled >> (GLOBAL_FIXED_SHIFT + k->index) & 1;
		}
	}
}
