/* NetBurst's models, as the tool coverage looks at them. */
#include "pmu/contract/coverage.h"
#include "pmu/netburst/driver/parts.h"
#include "pmu/netburst/events/events.h"

static const struct {
	const char *title, *needs;
	unsigned model;
} models[] = {{"NetBurst, models 0 to 2", "SEP", 2}, {"NetBurst, models 3 and later", "SSE3 SEP MONITOR", 4}};

static bool part(unsigned i, struct coverage_part *out)
{
	static struct pmu_event row[NETBURST_ROWS_MAX];
	static char names[NETBURST_ROWS_MAX][NETBURST_NAME];

	if (i >= sizeof models / sizeof models[0])
		return false;
	*out = (struct coverage_part){.title = models[i].title, .needs = models[i].needs, .row = row};
	out->n = netburst_rows(models[i].model, 0, row, names);
	return true;
}

const struct pmu_coverage netburst_family_coverage = {
	.groups = {"NetBurst"}, .identities = netburst_identities, .part = part};
