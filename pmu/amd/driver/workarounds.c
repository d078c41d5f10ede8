#include "pmu/amd/driver/workarounds.h"

#include "pmu/amd/driver/state.h"

#include <stddef.h>

#define RIGHT 2 /* the counter that can be */

/* Linux leaves them out on each CPU that has the stack. */
static bool has_stack(const struct pmu *pmu)
{
	return amd_pmu(pmu)->stacks;
}

/* Revision guides 41322 and 56683; of 1452 Linux tells (arch/x86/events/amd/lbr.c). */
const struct pmu_workaround amd_workarounds[] = {
	[AMD_WORK_420] = {"AMD-420", "the maximum of IBS is cleared before its enable", NULL},
	[AMD_WORK_1452] = {"AMD-1452", "branch records with bit 61 set are left out", has_stack},
	[AMD_WORK_1292] = {"AMD-1292",
			   "PERF_CTR2 has bit 43 set for events of retirement, which it then counts right",
			   NULL},
	{NULL, NULL, NULL},
};

bool amd_retires_right(const struct pmu *pmu, unsigned c, const struct pmu_config *config)
{
	unsigned event = (unsigned)((config->code & 0xff) | (config->code >> 24 & 0xf00));

	return c == RIGHT && !config->interrupt && pmu_works_around(pmu, AMD_WORK_1292) &&
	       ((event >= 0xc0 && event <= 0xc5) || (event >= 0xc8 && event <= 0xcc && event != 0xcb) ||
		event == 0xd1 || event == 0x1c7 || event == 0x1d0);
}
