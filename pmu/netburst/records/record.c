#include "pmu/netburst/records/record.h"

#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/netburst/driver/state.h"
#include "pmu/netburst/model/uops.h"

#include <stdio.h>

#define CPUID_DS (1u << 21) /* leaf 1, EDX */

bool netburst_has_ds(const struct pmu *pmu, uint32_t absent, const char *what, const char **why)
{
	uint64_t misc;

	if (!(cpuid(1, 0).edx & CPUID_DS)) {
		*why = "CPUID.1:EDX[21] says that there is no debug store";
		return false;
	}
	if (!msr_read(MSR_MISC_ENABLE, &misc) || misc & absent) {
		*why = pmu_reason(pmu, "MSR_MISC_ENABLE says that %s not available", what);
		return false;
	}
	return true;
}

bool netburst_change_debugctl(uint32_t clear, uint32_t set)
{
	uint64_t value;

	return msr_read(MSR_DEBUGCTLA, &value) && msr_write(MSR_DEBUGCTLA, (value & ~(uint64_t)clear) | set);
}

/* Where tagging does not reach, none of the kind are left; a far branch makes some accesses. */
static void take_away_untagged(struct pmu_event *e, quantity_number of)
{
	unsigned n = 1;

	if (of == Q_LOADS)
		e->terms[n++] = (struct event_term){Q_BR_RET, -1};
	if (of == Q_LOADS || of == Q_STORES) {
		e->terms[n++] = (struct event_term){Q_INSN_LOCKED, -1};
		e->terms[n++] = (struct event_term){Q_BR_FAR, -8};
	}
	e->terms[n] = (struct event_term){0};
}

static bool instructions_of(const struct pmu *pmu, const struct pmu_event *e, struct pmu_event *out)
{
	(void)pmu;
	if (e->terms[1].coefficient)
		return false;
	for (unsigned i = 0; i < NETBURST_KINDS_OF_UOP; i++)
		if (netburst_kind_of_uop[i].uops == e->terms[0].quantity) {
			*out = *e;
			out->terms[0].quantity = netburst_kind_of_uop[i].of;
			take_away_untagged(out, netburst_kind_of_uop[i].of);
			return true;
		}
	return false;
}

const struct pmu_recorder netburst_recorder = {
	.kind =
		{
			[RECORD_PRECISE] = &netburst_record_pebs,
			[RECORD_BRANCH_TRACE] = &netburst_record_bts,
			[RECORD_LAST_BRANCHES] = &netburst_record_lbr,
		},
	.instructions_of = instructions_of,
};
