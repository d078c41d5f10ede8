#include "pmu/amd/records/record.h"

#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/amd/driver/bracket.h"
#include "pmu/amd/driver/state.h"
#include "pmu/amd/driver/workarounds.h"
#include "pmu/amd/records/ibs.h"
#include "pmu/amd/registers.h"

bool amd_change_msr(uint32_t address, uint64_t clear, uint64_t set)
{
	uint64_t value;
	return msr_read(address, &value) && msr_write(address, (value & ~clear) | set);
}

/* The register that starts and stops it, and the bits that do. */
static uint32_t control_of(const struct pmu *pmu, const struct pmu_recording *r, uint64_t *enable)
{
	switch (r->source->kind) {
	case RECORD_OPERATION:
		*enable = OP_EN;
		return IBS_OP_CTL;
	case RECORD_FETCH:
		*enable = FETCH_EN;
		return IBS_FETCH_CTL;
	case RECORD_NEXT_BRANCHES:
		*enable = CTL_EN;
		return amd_select_msr(pmu, r->counter);
	default:
		return amd_lbr_control(enable);
	}
}

bool amd_record_start(const struct pmu *pmu, const struct pmu_recording *r)
{
	uint64_t enable;
	uint32_t address = control_of(pmu, r, &enable);

	return amd_change_msr(address, 0, enable);
}

bool amd_record_stop(const struct pmu *pmu, const struct pmu_recording *r)
{
	uint64_t enable;
	uint32_t address = control_of(pmu, r, &enable);

	if (address == IBS_OP_CTL && pmu_works_around(pmu, AMD_WORK_420)) {
		uint64_t value;

		return msr_read(address, &value) && msr_write(address, value & ~OP_MAX) &&
		       msr_write(address, value & ~(OP_MAX | OP_EN)) && msr_write(address, value & ~OP_EN);
	}
	return amd_change_msr(address, enable, 0);
}

/* The maximum is cleared before the enable. */
bool amd_ibs_stop(const struct pmu *pmu)
{
	return (!pmu_works_around(pmu, AMD_WORK_420) ||
		amd_change_msr(IBS_OP_CTL, OP_MAX | OP_MAX_HIGH, 0)) &&
	       msr_write(IBS_OP_CTL, 0);
}

bool amd_record_bracket(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_bracket *out)
{
	uint64_t enable;
	uint32_t address = control_of(pmu, r, &enable);

	*out = (struct pmu_bracket){.start = amd_bits_start,
				    .start_end = amd_bits_start_end,
				    .stop = amd_bits_stop,
				    .stop_end = amd_bits_stop_end,
				    .args = {address, enable & 0xffffffff, enable >> 32},
				    .own = {{Q_INSTRUCTIONS, AMD_BITS_OWN}},
				    .privileged = true};
	return true;
}

bool amd_record_reset(const struct pmu *pmu)
{
	uint32_t features = amd_ibs_features();
	bool good = true;

	if (features & IBS_FETCH)
		good = msr_write(IBS_FETCH_CTL, 0);
	/* Firmware, or an operating system, may have disabled there what the other registers enable. */
	if (features & IBS_CONTROL2)
		good = msr_write(IBS_FETCH_CTL2, 0) && msr_write(IBS_OP_CTL2, 0) && good;
	if (features & IBS_OP)
		good = amd_ibs_stop(pmu) && good;
	if (cpuid(0x80000022, 0).eax & 2)
		good = msr_write(DBG_EXTN_CFG, 0) && msr_write(LBR_SELECT, 0) && good;
	else if (cpu_has(CPU_BRS))
		good = msr_write(DBG_EXTN_CFG, DBG_EXTN_ONES) && good;
	return good;
}

const struct pmu_recorder amd_recorder = {
	.kind =
		{
			[RECORD_OPERATION] = &amd_record_ibs_op,
			[RECORD_FETCH] = &amd_record_ibs_fetch,
			[RECORD_LAST_BRANCHES] = &amd_record_lbr,
			[RECORD_NEXT_BRANCHES] = &amd_record_brs,
		},
};
