#include "arch/aarch64/el2.h"

#include "arch/aarch64/leave_el2.h"
#include "arch/aarch64/mmu.h"
#include "arch/aarch64/system.h"

#include <stdint.h>

#define EL3 3

/* HCR_EL2: EL1 is AArch64, and no more: nothing is trapped, and interrupts are EL1's. D13.2.46. */
#define HCR_RW  (UINT64_C(1) << 31)
#define HCR_E2H (UINT64_C(1) << 34)
/* CNTHCTL_EL2: EL1 may have the physical counter and timer. D13.8.3. */
#define CNTHCTL_EL1 UINT64_C(3)
/* CPTR_EL2: bits that are fixed to 1 without SVE; TZ is one of them. D13.2.32. */
#define CPTR_FIXED UINT64_C(0x33ff)
#define CPTR_TZ    (UINT64_C(1) << 8)
/* ICC_SRE_EL2: system registers of the GIC, for EL1 as well. IHI 0069, 12.2.22. */
#define SRE_EL1 UINT64_C(9)

extern const char el2_vectors[];
void el2_leave(void);
void el2_return(void);

static struct {
	uint64_t hcr, vbar, cptr, hstr, mdcr, cnthctl, cntvoff, vpidr, vmpidr, sre, elr, spsr;
	uint64_t sctlr, tcr, mair, ttbr0, cpacr, vbar1, sp1, elr1, spsr1; /* EL1's */
} firmware;

static bool left;

/* Whichever of firmware's and of ours is not in force: it begins with ours. */
static uint64_t fine[10] = {[8] = FINE_PMU_READ, [9] = FINE_PMU_WRITE};

#define EXCHANGE(i, name)                                                                                    \
	do {                                                                                                 \
		uint64_t was_ = SYS_READ(name);                                                              \
		SYS_WRITE(name, fine[i]);                                                                    \
		fine[i] = was_;                                                                              \
	} while (0)

/* Fine-grained traps would have accesses of the PMU and of debug registers go to EL2, where nobody answers.
 */
static void exchange_fine_traps(void)
{
	unsigned version = (unsigned)(SYS_READ(id_aa64mmfr0_el1) >> 56 & 0xf);

	if (version >= 1) {
		EXCHANGE(0, FINE_HFGRTR);
		EXCHANGE(1, FINE_HFGWTR);
		EXCHANGE(2, FINE_HFGITR);
		EXCHANGE(3, FINE_HDFGRTR);
		EXCHANGE(4, FINE_HDFGWTR);
	}
	if (version >= 2) {
		EXCHANGE(5, FINE_HFGRTR2);
		EXCHANGE(6, FINE_HFGWTR2);
		EXCHANGE(7, FINE_HFGITR2);
		EXCHANGE(8, FINE_HDFGRTR2);
		EXCHANGE(9, FINE_HDFGWTR2);
	}
}

uint64_t el2_clock_offset(void)
{
	return firmware.cntvoff;
}

const char *el2_refusal(void)
{
	if (system_level() == EL3)
		return "firmware runs at EL3, where no event of its own can be told from others; start from "
		       "EL2 or "
		       "EL1";
	if (system_at_el2() && SYS_READ(hcr_el2) & HCR_E2H)
		return "firmware runs at EL2 as a host (HCR_EL2.E2H), whose registers have other names; "
		       "start from "
		       "EL1, or from EL2 without that";
	return NULL;
}

static bool has_gic_registers(void)
{
	return SYS_READ(id_aa64pfr0_el1) >> 24 & 0xf;
}

static bool has_sve(void)
{
	return SYS_READ(id_aa64pfr0_el1) >> 32 & 0xf;
}

/* All event counters are EL1's (HPMN = PMCR_EL0.N), and no access of them, of profiling or of debug registers
 * is trapped. */
static uint64_t counters_of_el1(void)
{
	uint64_t dfr0 = SYS_READ(id_aa64dfr0_el1);
	unsigned version = (unsigned)(dfr0 >> 8 & 0xf);
	uint64_t further = (dfr0 >> DFR0_SNAPSHOTS & 0xf ? UINT64_C(1) << MDCR_PMSSE_EL1 : 0) |
			   (dfr0 >> DFR0_PROFILING & 0xf ? MDCR_E2PB_EL1 : 0);

	return further | (version == 0 || version == 15 ? 0 : SYS_READ(pmcr_el0) >> 11 & 0x1f);
}

static void keep(void)
{
	firmware.hcr = SYS_READ(hcr_el2);
	firmware.vbar = SYS_READ(vbar_el2);
	firmware.cptr = SYS_READ(cptr_el2);
	firmware.hstr = SYS_READ(hstr_el2);
	firmware.mdcr = SYS_READ(mdcr_el2);
	firmware.cnthctl = SYS_READ(cnthctl_el2);
	firmware.cntvoff = SYS_READ(cntvoff_el2);
	firmware.vpidr = SYS_READ(vpidr_el2);
	firmware.vmpidr = SYS_READ(vmpidr_el2);
	firmware.elr = SYS_READ(elr_el2);
	firmware.spsr = SYS_READ(spsr_el2);
	firmware.sctlr = SYS_READ(sctlr_el1);
	firmware.tcr = SYS_READ(tcr_el1);
	firmware.mair = SYS_READ(mair_el1);
	firmware.ttbr0 = SYS_READ(ttbr0_el1);
	firmware.cpacr = SYS_READ(cpacr_el1);
	firmware.vbar1 = SYS_READ(vbar_el1);
	firmware.sp1 = SYS_READ(sp_el1);
	firmware.elr1 = SYS_READ(elr_el1);
	firmware.spsr1 = SYS_READ(spsr_el1);
	if (has_gic_registers())
		firmware.sre = SYS_READ(s3_4_c12_c9_5); /* ICC_SRE_EL2 */
}

void el2_take(void)
{
	if (!system_at_el2())
		return;
	keep();
	SYS_WRITE(vpidr_el2, SYS_READ(midr_el1));
	SYS_WRITE(vmpidr_el2, SYS_READ(mpidr_el1));
	SYS_WRITE(cptr_el2, CPTR_FIXED & ~(has_sve() ? CPTR_TZ : 0));
	SYS_WRITE(hstr_el2, 0);
	SYS_WRITE(mdcr_el2, counters_of_el1());
	exchange_fine_traps();
	SYS_WRITE(cnthctl_el2, CNTHCTL_EL1);
	if (has_gic_registers())
		SYS_WRITE(s3_4_c12_c9_5, firmware.sre | SRE_EL1);
	SYS_WRITE(vbar_el2, (uint64_t)el2_vectors);
	SYS_WRITE(hcr_el2, HCR_RW);
	mmu_set_up_el1();
	el2_leave();
	left = true;
}

void el2_give_back(void)
{
	if (!left)
		return;
	left = false;
	el2_return();
	SYS_WRITE(hcr_el2, firmware.hcr);
	SYS_WRITE(vbar_el2, firmware.vbar);
	SYS_WRITE(cptr_el2, firmware.cptr);
	SYS_WRITE(hstr_el2, firmware.hstr);
	SYS_WRITE(mdcr_el2, firmware.mdcr);
	exchange_fine_traps();
	SYS_WRITE(cnthctl_el2, firmware.cnthctl);
	SYS_WRITE(vpidr_el2, firmware.vpidr);
	SYS_WRITE(vmpidr_el2, firmware.vmpidr);
	SYS_WRITE(elr_el2, firmware.elr);
	SYS_WRITE(spsr_el2, firmware.spsr);
	SYS_WRITE(sctlr_el1, firmware.sctlr);
	SYS_WRITE(tcr_el1, firmware.tcr);
	SYS_WRITE(mair_el1, firmware.mair);
	SYS_WRITE(ttbr0_el1, firmware.ttbr0);
	SYS_WRITE(cpacr_el1, firmware.cpacr);
	SYS_WRITE(vbar_el1, firmware.vbar1);
	SYS_WRITE(sp_el1, firmware.sp1);
	SYS_WRITE(elr_el1, firmware.elr1);
	SYS_WRITE(spsr_el1, firmware.spsr1);
	if (has_gic_registers())
		SYS_WRITE(s3_4_c12_c9_5, firmware.sre);
}
