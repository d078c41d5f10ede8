#include "pmu/x86/bracket_read.h"

#include "arch/x86/bracket_registers.h"

extern const uint8_t bracket_rdpmc_start[], bracket_rdpmc_start_end[], bracket_rdpmc_stop[],
	bracket_rdpmc_stop_end[];

/* Without 64-bit mode the first reading is kept in memory, and the index comes from there. */
#ifdef __i386__
#define OWN_ARGUMENTS {Q_INSN_STORE, 2}, {Q_STORES, 2}, {Q_STORE_BYTES, 8}, BRACKET_ARGUMENT_TERMS(1)
#else
#define OWN_ARGUMENTS {Q_INSTRUCTIONS, 0}
#endif

void bracket_rdpmc(uint32_t index, uint64_t mask, struct pmu_bracket *out)
{
	*out = (struct pmu_bracket){
		.start = bracket_rdpmc_start,
		.start_end = bracket_rdpmc_start_end,
		.stop = bracket_rdpmc_stop,
		.stop_end = bracket_rdpmc_stop_end,
		.args = {index, mask},
		.own_readings = 1,
		.own = {{Q_INSTRUCTIONS, BRACKET_RDPMC_OWN}, {Q_INSN_FENCE, 2}, {Q_INSN_LFENCE, 2}, OWN_ARGUMENTS},
	};
}
