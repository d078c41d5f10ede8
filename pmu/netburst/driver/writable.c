/* Registers by level of courage. SDM vol. 3, 18.15; vol. 4, tables of the Pentium 4. */
#include "arch/courage.h"
#include "pmu/netburst/driver/parts.h"
#include "pmu/netburst/registers.h"

const struct register_range netburst_registers[] = {
	{COURAGE_COUNT, SPACE_MSR, MSR_NETBURST_COUNTER0, MSR_NETBURST_COUNTER0 + 17},
	{COURAGE_COUNT, SPACE_MSR, MSR_NETBURST_CCCR0, MSR_NETBURST_CCCR0 + 17},
	{COURAGE_COUNT, SPACE_MSR, 0x3a0, 0x3e1}, /* ESCRs */
	/* Tagging for events at retirement takes these two; records begin with the DS area alone. */
	{COURAGE_COUNT, SPACE_MSR, MSR_TC_PRECISE_EVENT, MSR_PEBS_MATRIX_VERT},
	{COURAGE_INTERRUPT, SPACE_MSR, MSR_DS_AREA, MSR_DS_AREA},
	{COURAGE_INTERRUPT, SPACE_MSR, MSR_LER_FROM_LIP, MSR_LASTBRANCH_TOS + 4}, /* DEBUGCTLA among them */
	{COURAGE_INTERRUPT, SPACE_MSR, MSR_LASTBRANCH_FROM_0, MSR_LASTBRANCH_TO_0 + 15},
	/* What counts the bus and the third-level cache is the package's. */
	{COURAGE_ALL, SPACE_MSR, MSR_IFSB_BUSQ0, MSR_IFSB_BUSQ0 + 7},
	{COURAGE_ALL, SPACE_MSR, MSR_MISC_ENABLE, MSR_MISC_ENABLE}, /* whether read-only bits are */
	{0, 0, 0, 0},
};
