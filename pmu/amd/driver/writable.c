/* Registers by level of courage. APM vol. 2, 13.2 and 13.3; appendix A. */
#include "arch/courage.h"
#include "pmu/amd/driver/parts.h"
#include "pmu/amd/registers.h"

const struct register_range amd_registers[] = {
	{COURAGE_COUNT, SPACE_MSR, PERF_LEGACY_CTL0, PERF_LEGACY_CTR0 + 3},
	{COURAGE_COUNT, SPACE_MSR, PERF_CTL0, PERF_LLC_CTL0 - 1},
	{COURAGE_COUNT, SPACE_MSR, PERF_GLOBAL_CTL, PERF_GLOBAL_STATUS_SET},
	{COURAGE_INTERRUPT, SPACE_MSR, DEBUGCTL, LAST_EXCEPTION_TO},
	{COURAGE_INTERRUPT, SPACE_MSR, LBR_SELECT, DBG_EXTN_CFG},
	{COURAGE_INTERRUPT, SPACE_MSR, BRANCH_FROM0, BRANCH_FROM0 + 0x1f},
	{COURAGE_INTERRUPT, SPACE_MSR, IBS_FETCH_CTL, IBS_FETCH_CTL2},
	/* Counters of the node and of the third-level cache are other processors', too. */
	{COURAGE_ALL, SPACE_MSR, PERF_LLC_CTL0, PERF_LLC_CTL0 + 0xf},
	{COURAGE_ALL, SPACE_MSR, PERF_NB_CTL0, PERF_NB_CTL0 + 0x1f},
	{COURAGE_ALL, SPACE_MSR, HWCR, HWCR},
	{COURAGE_ALL, SPACE_MSR, IRPERF, IRPERF},
	{COURAGE_ALL, SPACE_MSR, MPERF, APERF},
	{COURAGE_ALL, SPACE_MSR, PERF_GLOBAL_STATUS,
	 PERF_GLOBAL_STATUS}, /* whether it keeps what is read only */
	{0, 0, 0, 0},
};
