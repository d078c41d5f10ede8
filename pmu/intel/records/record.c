#include "pmu/intel/records/record.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/intel/driver/bracket.h"

#include <stdio.h>

bool intel_change_msr(uint32_t address, uint64_t clear, uint64_t set)
{
	uint64_t value;
	return msr_read(address, &value) && msr_write(address, (value & ~clear) | set);
}

void intel_bracket_msr(uint32_t address, uint64_t on, uint64_t off, struct pmu_bracket *out)
{
	*out = (struct pmu_bracket){.start = intel_single_start,
				    .start_end = intel_single_start_end,
				    .stop = intel_single_stop,
				    .stop_end = intel_single_stop_end,
				    .args = {address, on, off},
				    .own = {{Q_INSTRUCTIONS, INTEL_SINGLE_OWN}},
				    .privileged = true};
}

const struct pmu_recorder intel_recorder = {
	.kind =
		{
			[RECORD_PRECISE] = &intel_record_pebs,
			[RECORD_BRANCH_TRACE] = &intel_record_bts,
			[RECORD_LAST_BRANCHES] = &intel_record_lbr,
		},
	.latency_above = intel_latency_above,
};
