#include "pmu/x86/bracket_switch.h"

#include "arch/x86/bracket_registers.h"
#include "arch/x86/cpu/msr.h"

/* Instructions from the write that starts to the one that stops. */
#ifdef __i386__
#define OWN 3
#else
#define OWN 4
#endif

extern const uint8_t bracket_switch_start[], bracket_switch_start_end[], bracket_switch_stop[],
	bracket_switch_stop_end[];

bool bracket_switch(const struct msr_switch of[SWITCHES], enum pmu_switch start, enum pmu_switch stop,
		    struct pmu_bracket *out)
{
	const struct msr_switch *other = &of[start == SWITCH_USUAL ? SWITCH_OTHER : SWITCH_USUAL];

	*out = (struct pmu_bracket){
		.start = bracket_switch_start,
		.start_end = bracket_switch_start_end,
		.stop = bracket_switch_stop,
		.stop_end = bracket_switch_stop_end,
		.args = {of[start].address, of[start].on, of[stop].address, of[stop].off},
		.own = {{Q_INSTRUCTIONS, OWN}, BRACKET_ARGUMENT_TERMS(3)},
		.privileged = true,
	};
	return msr_write(of[start].address, of[start].off) && msr_write(other->address, other->on);
}
