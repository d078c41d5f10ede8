/*
 * Accesses that must raise #GP(0), and some that must not: SDM vol. 2, RDMSR, WRMSR and RDPMC, with the
 * layouts of SDM vol. 3, 18.2.
 */
#include "arch/x86/cpu/cpuid.h"
#include "pmu/intel/driver/here.h"
#include "pmu/intel/driver/parts.h"
#include "pmu/intel/driver/state.h"
#include "pmu/intel/events/extra.h"
#include "pmu/intel/records/lbr.h"
#include "pmu/intel/leaf0a.h"
#include "pmu/intel/registers.h"

#include <stdio.h>

/* MSRs set aside for counters: a missing one among them is no other register. */
#define GENERAL_RANGE 8
#define FIXED_RANGE   4

struct list {
	struct pmu_access *out;
	unsigned count, max;
};

static void add(struct list *l, enum pmu_access_kind kind, const char *name, uint32_t address, uint64_t value,
		bool faults, const char *manual)
{
	struct pmu_access *a;

	if (l->count == l->max)
		return;
	a = &l->out[l->count++];
	*a = (struct pmu_access){.name = name,
				 .kind = kind,
				 .faults = faults,
				 .address = address,
				 .value = value,
				 .manual = manual};
}

static void read(struct list *l, const char *name, uint32_t address, bool faults, const char *manual)
{
	add(l, ACCESS_READ, name, address, 0, faults, manual);
}

static void write(struct list *l, const char *name, uint32_t address, uint64_t value, bool faults,
		  const char *manual)
{
	add(l, ACCESS_WRITE, name, address, value, faults, manual);
}

/* What these address does not exist, so they fault; hypervisors let guests read and write registers that they
 * do not have. */
static void of_nothing(struct list *l)
{
	if (l->count)
		l->out[l->count - 1].faults = ACCESS_OF_NOTHING;
}

static void read_missing(struct list *l, const char *name, uint32_t address, const char *manual)
{
	add(l, ACCESS_READ, name, address, 0, true, manual);
	of_nothing(l);
}

/* Reserved bits that KVM takes for its guests. */
static void write_reserved(struct list *l, const char *name, uint32_t address, uint64_t value,
			   const char *manual)
{
	add(l, ACCESS_WRITE, name, address, value, true, manual);
	if (l->count)
		l->out[l->count - 1].faults = ACCESS_FAULTS_ON_SILICON;
}

static void rdpmc_missing(struct list *l, const char *name, uint32_t index)
{
	add(l, ACCESS_SELECTOR, name, index, 0, true, "SDM vol. 2, RDPMC");
	of_nothing(l);
}

static void general(struct list *l, const struct pmu *pmu, const struct intel_leaf0a *leaf)
{
	const char *layout = "SDM 18.2.1.1, figure 18-1", *width = "SDM 18.2.1, 18.2.5";
	unsigned n = 0;

	while (leaf->general >> n & 1)
		n++; /* the first one that is missing */

	if (n) {
		/* Pin control is left out: parts without the pins refuse it (a Core i7-5600U does). */
		write(l, "write IA32_PERFEVTSEL0, every defined bit but EN and PC", IA32_PERFEVTSEL0,
		      0xffffffff & ~EVTSEL_ANY & ~EVTSEL_EN & ~EVTSEL_PC, false, layout);
		if (leaf->version >= 6) {
			write(l, "write IA32_PERFEVTSEL0, EQ", IA32_PERFEVTSEL0, EVTSEL_EQ, !leaf->equal,
			      "CPUID.23H:EBX[1]");
			write(l, "write IA32_PERFEVTSEL0, unit mask 2", IA32_PERFEVTSEL0, EVTSEL_UMASK2,
			      !leaf->umask2, "CPUID.23H:EBX[0]");
			write(l, "write IA32_PERFEVTSEL0, kept from RDPMC", IA32_PERFEVTSEL0,
			      EVTSEL_RDPMC_USER, !leaf->rdpmc_user, "CPUID.23H:EBX[2]");
			write(l, "write IA32_PMC_GP0_CFG_B, nothing", IA32_PMC_GP0_CFG_B, 0,
			      !(leaf->reloaded & 1), "CPUID.23H.2:EAX");
		}
		if (leaf->version >= 5)
			write(l, "write IA32_PERFEVTSEL0, counts in last-branch records", IA32_PERFEVTSEL0,
			      EVTSEL_LBR_LOG, !(intel_lbr_here().logs & 1), "CPUID.1CH:ECX[19:16]");
		/* Bit 32 selects transactions where there are any. */
		if (!cpu_has(CPU_RTM) && !cpu_has(CPU_HLE))
			write(l, "write IA32_PERFEVTSEL0, bit 32", IA32_PERFEVTSEL0, 1ull << 32, true,
			      layout);
		write(l, "write IA32_PERFEVTSEL0, bit 63", IA32_PERFEVTSEL0, 1ull << 63, true, layout);
		write(l, "write IA32_PERFEVTSEL0, AnyThread", IA32_PERFEVTSEL0, EVTSEL_ANY, !leaf->any_thread,
		      "SDM 18.2.3, figure 18-4");
		write(l, "write IA32_PMC0, bits above 31", IA32_PMC0, 0xffffffff00000001, false, width);
	}
	if (n && n < GENERAL_RANGE) {
		read_missing(l, "read the IA32_PMCx after the last", IA32_PMC0 + n,
			     "SDM 18.2.1, CPUID.0AH:EAX[15:8]");
		read_missing(l, "read the IA32_PERFEVTSELx after the last", IA32_PERFEVTSEL0 + n,
			     "SDM 18.2.1, CPUID.0AH:EAX[15:8]");
		rdpmc_missing(l, "RDPMC of the general counter after the last", n);
	}
	if (n && pmu->counter[0].write_width > 32 && pmu->counter[0].write_width < 64) {
		write(l, "write IA32_A_PMC0, the bit above its width", IA32_A_PMC0,
		      1ull << pmu->counter[0].write_width, true, width);
		write(l, "write IA32_A_PMC0, all bits of its width", IA32_A_PMC0,
		      (1ull << pmu->counter[0].write_width) - 1, false, width);
	}
	if (n && pmu->counter[0].write_width <= 32)
		read_missing(l, "read IA32_A_PMC0, which IA32_PERF_CAPABILITIES does not promise",
			     IA32_A_PMC0, width);
	if (n && leaf->version < 6 && !cpu_has(CPU_ARCH_PERFMON_EXT))
		read_missing(l, "read IA32_PMC_GP0_CTR before version 6", IA32_PMC_GP0_CTR,
			     "CPUID.0AH:EAX[7:0]");
	rdpmc_missing(l, "RDPMC of index 10000000H", 0x10000000);
}

/* Registers by which an overflow reloads counters: of those that CPUID names, for the causes that it names.
 */
static void reload(struct list *l, const struct intel_leaf0a *leaf)
{
	const char *manual = "CPUID.23H.2";
	unsigned reloaded = 0, missing = 0, cause = 0;

	while (reloaded < 64 && !(leaf->reloaded >> reloaded & 1))
		reloaded++;
	while (leaf->general >> missing & 1 && leaf->reloaded >> missing & 1)
		missing++;
	while (cause < 64 && leaf->reloads >> cause & 1)
		cause++;
	if (leaf->general >> missing & 1)
		read_missing(l, "read the reload mask of a counter that has none", intel_reload_mask(missing),
			     manual);
	if (reloaded < 64 && cause < 64)
		write(l, "write a reload mask, a counter that reloads none", intel_reload_mask(reloaded),
		      1ull << cause, true, manual);
}

static void fixed(struct list *l, const struct pmu *pmu, const struct intel_leaf0a *leaf)
{
	const char *layout = "SDM 18.2.2, figure 18-2";
	unsigned missing = 0;

	while (leaf->fixed >> missing & 1)
		missing++;
	if (pmu->n_fixed) {
		const struct pmu_counter *first = &pmu->counter[pmu->n_general];

		/* Linux, arch/x86/kvm/vmx/pmu_intel.c, intel_pmu_set_msr(): of a full-width write to a
		 * general counter KVM looks at the bits above the width, of one to a fixed counter it drops
		 * them. */
		if (first->width < 64)
			write_reserved(l, "write the first IA32_FIXED_CTRx, above its width",
				       IA32_FIXED_CTR0 + first->index, 1ull << first->width, "SDM 18.2.2");
		write(l, "write IA32_FIXED_CTR_CTRL, AnyThread", IA32_FIXED_CTR_CTRL,
		      FIXED_ANY << 4 * first->index, !leaf->any_thread, layout);
		write(l, "write IA32_FIXED_CTR_CTRL, a missing counter", IA32_FIXED_CTR_CTRL,
		      FIXED_OS << 4 * missing, missing < INTEL_FIXED_MAX, layout);
	}
	if (leaf->fixed_unknown)
		return;
	if (missing < FIXED_RANGE)
		read_missing(l, "read the IA32_FIXED_CTRx after the last", IA32_FIXED_CTR0 + missing,
			     "SDM 18.2.2, CPUID.0AH:EDX[4:0]");
	rdpmc_missing(l, "RDPMC of the fixed counter after the last", RDPMC_FIXED + missing);
}

static void global(struct list *l, const struct pmu *pmu, const struct intel_leaf0a *leaf)
{
	const char *layout = "SDM 18.2.2, figure 18-3";
	uint64_t missing = 1, missing_fixed = 1ull << GLOBAL_FIXED_SHIFT;

	while (leaf->general & missing)
		missing <<= 1;
	while ((uint64_t)leaf->fixed << GLOBAL_FIXED_SHIFT & missing_fixed)
		missing_fixed <<= 1;
	if (!pmu->has_global) {
		read_missing(l, "read IA32_PERF_GLOBAL_CTRL", IA32_PERF_GLOBAL_CTRL, layout);
		read_missing(l, "read IA32_PERF_GLOBAL_STATUS", IA32_PERF_GLOBAL_STATUS, layout);
		return;
	}
	read(l, "read IA32_PERF_GLOBAL_CTRL", IA32_PERF_GLOBAL_CTRL, false, layout);
	read(l, "read IA32_PERF_GLOBAL_STATUS", IA32_PERF_GLOBAL_STATUS, false, layout);
	if (!leaf->general_unknown)
		write(l, "write IA32_PERF_GLOBAL_CTRL, a missing general", IA32_PERF_GLOBAL_CTRL, missing,
		      true, layout);
	if (!leaf->fixed_unknown)
		write(l, "write IA32_PERF_GLOBAL_CTRL, a missing fixed", IA32_PERF_GLOBAL_CTRL, missing_fixed,
		      true, layout);
	write(l, "write IA32_PERF_GLOBAL_STATUS", IA32_PERF_GLOBAL_STATUS, 0, true, layout);
	if (!leaf->general_unknown)
		write(l, "write IA32_PERF_GLOBAL_OVF_CTRL, a missing general", IA32_PERF_GLOBAL_OVF_CTRL,
		      missing, true, layout);
	write(l, "write IA32_PERF_GLOBAL_OVF_CTRL, nothing", IA32_PERF_GLOBAL_OVF_CTRL, 0, false, layout);
	if (leaf->version >= 4)
		write(l, "write IA32_PERF_GLOBAL_STATUS_SET, bit 63", IA32_PERF_GLOBAL_STATUS_SET, 1ull << 63,
		      true, "SDM 18.2.4.3");
	if (leaf->version == 2)
		write(l, "write IA32_PERF_GLOBAL_OVF_CTRL, the uncore's bit", IA32_PERF_GLOBAL_OVF_CTRL,
		      STATUS_OVF_UNCORE, true, "SDM 18.2.3, figure 18-5");
}

/* Registers that hold for all counters, and those that single events need. */
static void common(const struct pmu *pmu, struct list *l)
{
	char(*names)[INTEL_ACCESS_NAME] = intel_pmu(pmu)->extra_name;
	struct intel_extra extra[INTEL_EXTRAS];
	unsigned n = intel_extras(cpuid(1, 0).eax, intel_kind_of_core(), extra);

	if (cpu_has(CPU_PDCM))
		write(l, "write IA32_PERF_CAPABILITIES", IA32_PERF_CAPABILITIES, intel_perf_capabilities(),
		      true, "SDM chapter 35, read only");
	else
		read_missing(l, "read IA32_PERF_CAPABILITIES, which CPUID does not promise",
			     IA32_PERF_CAPABILITIES, "CPUID.1:ECX[15]");
	write(l, "write IA32_DEBUGCTL, bit 63", IA32_DEBUGCTL, 1ull << 63, true, "SDM 17.4.1");
	for (unsigned i = 0; i < n; i++) {
		snprintf(names[i], sizeof names[i], "write %s, bit 62", extra[i].name);
		write(l, names[i], extra[i].address, 1ull << 62, true, "SDM chapter 35");
		of_nothing(l); /* model-specific: a guest may do without the register */
	}
}

/* Registers of records that CPUID promises: reserved bits, and what the layout leaves out. */
static void records(const struct pmu *pmu, struct list *l)
{
	/* A stack that goes by the model is promised to no guest. */
	const bool branches = intel_found(pmu)->records_branches || !cpu_has(CPU_HYPERVISOR);
	const struct intel_lbr lbr = branches ? intel_lbr_here() : (struct intel_lbr){0};
	const struct intel_pebs pebs = intel_pebs_here();

	if (lbr.depth)
		write(l, "write MSR_LER_TO_LIP", MSR_LER_TO_LIP, 0, lbr.format != LBR_ARCH, "SDM 35");
	if (lbr.format == LBR_ARCH && lbr.depth) {
		const char *manual = "SDM vol. 3, last branch records";
		write(l, "write IA32_LBR_CTL, bit 63", IA32_LBR_CTL, 1ull << 63, true, manual);
		write(l, "write IA32_LBR_DEPTH, 0", IA32_LBR_DEPTH, 0, true, manual);
		write(l, "write IA32_LBR_DEPTH, the deepest", IA32_LBR_DEPTH, lbr.depth, false, manual);
	} else if (lbr.select) {
		/* Linux, intel_pmu_handle_lbr_msrs_access(): until a guest records branches, KVM writes its
		 * registers for it, and drops what the host's raise #GP for. */
		write_reserved(l, "write MSR_LBR_SELECT, bit 63", MSR_LBR_SELECT, 1ull << 63,
			       "SDM 17.7.2, table 17-11");
		write(l, "write MSR_LBR_SELECT, every kind", MSR_LBR_SELECT, 0x1ff, false,
		      "SDM 17.7.2, table 17-11");
		write(l, "write MSR_LBR_SELECT, nothing", MSR_LBR_SELECT, 0, false,
		      "SDM 17.7.2, table 17-11");
	}
	if (pebs.architectural) {
		const char *manual = "CPUID.23H.4, CPUID.23H.5";
		uint64_t missing = 1ull << 32;

		while (pebs.groups & missing)
			missing <<= 1;
		write(l, "write IA32_PEBS_BASE, bit 4", IA32_PEBS_BASE, 1ull << 4, true, manual);
		write(l, "write IA32_PEBS_BASE, 0", IA32_PEBS_BASE, 0, false, manual);
		write(l, "write IA32_PEBS_INDEX, bit 63", IA32_PEBS_INDEX, 1ull << 63, true, manual);
		write(l, "write IA32_PEBS_INDEX, 0", IA32_PEBS_INDEX, 0, false, manual);
		write(l, "write IA32_PMC_GP0_CFG_C, a missing group", IA32_PMC_GP0_CFG_C, missing, true,
		      manual);
		write(l, "write IA32_PMC_GP0_CFG_C, 0", IA32_PMC_GP0_CFG_C, 0, !(pebs.counters & 1), manual);
	}
	/* Bits 60:57 of an address are alike; those above are flags in some formats. */
	if (lbr.depth && lbr.to && lbr.format >= LBR_FLAGS)
		write_reserved(l, "write the first last-branch source, not canonical", lbr.from, 1ull << 58,
			       "SDM 17.4.8.1"); /* as above */
	if (!pebs.exists)
		return;
	write(l, "write IA32_DS_AREA, not canonical", IA32_DS_AREA, 1ull << 62, true, "SDM vol. 2, WRMSR");
	write(l, "write IA32_DS_AREA, 0", IA32_DS_AREA, 0, false, "SDM 17.4.9");
	for (unsigned bit = 0; bit < 64; bit++)
		if (!(pebs.enable >> bit & 1)) {
			write(l, "write IA32_PEBS_ENABLE, a missing counter", IA32_PEBS_ENABLE, 1ull << bit,
			      true, "SDM 18.8.1.1");
			break;
		}
	write(l, "write IA32_PEBS_ENABLE, nothing", IA32_PEBS_ENABLE, 0, false, "SDM 18.8.1.1");
	if (pebs.adaptive)
		write(l, "write IA32_PEBS_DATA_CFG, bit 63", IA32_PEBS_DATA_CFG, 1ull << 63, true,
		      "SDM vol. 3, adaptive PEBS");
}

unsigned intel_accesses(const struct pmu *pmu, struct pmu_access *out, unsigned max)
{
	struct intel_leaf0a leaf = intel_found(pmu)->leaf;
	struct list l = {.out = out, .max = max};

	if (pmu->version < 2) /* also where CPUID says more than there is */
		leaf.fixed = 0;
	general(&l, pmu, &leaf);
	fixed(&l, pmu, &leaf);
	global(&l, pmu, &leaf);
	reload(&l, &leaf);
	common(pmu, &l);
	if (pmu->has_global)
		records(pmu, &l);
	return l.count;
}

/* The general counters' global enables are set, so that software that knows of none finds its counters
 * running; all else is 0. */
unsigned intel_power_up(const struct pmu *pmu, struct pmu_power_up *out, unsigned max)
{
	if (!pmu->has_global || !max || intel_found(pmu)->leaf.general_unknown)
		return 0;
	out[0] = (struct pmu_power_up){"IA32_PERF_GLOBAL_CTRL", IA32_PERF_GLOBAL_CTRL,
				       intel_found(pmu)->leaf.general, "SDM table 9-1"};
	return 1;
}
