/* PMUv3's common events, and the lists of Arm's cores, as the tool coverage looks at them. */
#include "pmu/armv8/armv8.h"
#include "pmu/armv8/events/events.h"
#include "pmu/contract/coverage.h"

/* What each processor with such a core has. Cryptography may be left out of any: rows are asked as of one that has
 * it, as without it there is nothing that they could miss. */
#define V8_0 "CRC PMU AES IC"
#define V8_2 V8_0 " LSE"
#define V8_3 V8_2 " RCPC"
#define V9   V8_3 " SVE FP16"

static const struct {
	const char *title, *needs;
	uint32_t core;
} lists[] = {
	{"PMUv3, common events", V8_0, ARMV8_NO_CORE},
	{"Arm Cortex-A34", V8_0, ARMV8_A34},
	{"Arm Cortex-A35", V8_0, ARMV8_A35},
	{"Arm Cortex-A53", V8_0, ARMV8_A53},
	{"Arm Cortex-A55", V8_3, ARMV8_A55},
	{"Arm Cortex-A57 and A72", V8_0, ARMV8_A57_A72},
	{"Arm Cortex-A65 and Neoverse E1", V8_3, ARMV8_A65_E1},
	{"Arm Cortex-A73", V8_0, ARMV8_A73},
	{"Arm Cortex-A75", V8_3, ARMV8_A75},
	{"Arm Cortex-A76 and Neoverse N1", V8_3, ARMV8_A76_N1},
	{"Arm Cortex-A77", V8_3, ARMV8_A77},
	{"Arm Cortex-A78", V8_3, ARMV8_A78},
	{"Arm Cortex-A510", V9, ARMV8_A510},
	{"Arm Cortex-A710", V9, ARMV8_A710},
	{"Arm Cortex-X1", V8_3, ARMV8_X1},
	{"Arm Cortex-X2", V9, ARMV8_X2},
	{"Arm Neoverse N2", V9, ARMV8_N2},
	{"Arm Neoverse V1", V9, ARMV8_V1},
};

#define ROWS 512

static bool part(unsigned i, struct coverage_part *out)
{
	static struct pmu_event row[ROWS];

	if (i >= sizeof lists / sizeof *lists)
		return false;
	*out = (struct coverage_part){.title = lists[i].title, .needs = lists[i].needs, .row = row};
	for (unsigned r = 0; r < armv8_row_count && out->n < ROWS; r++)
		if (lists[i].core ? armv8_rows[r].cores & lists[i].core : !armv8_rows[r].cores)
			row[out->n++] = armv8_rows[r].event;
	return true;
}

extern const struct pmu_coverage armv8_family_coverage;
const struct pmu_coverage armv8_family_coverage = {
	.groups = {"Arm PMUv3"}, .identities = armv8_identities, .part = part};
