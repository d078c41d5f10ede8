#include "pmu/virtual/hypervisor_exits.h"

/* What it executes itself, for instance. */
static const struct qterm hosts_own[EXIT_OWN_TERMS] = {
	{Q_UOPS, 900}, {Q_LOADS, 210}, {Q_STORES, 140}, {Q_BR_COND, 80}};

unsigned hypervisor_exit_counted(uint32_t faults, uint32_t turn, struct qterm *terms, unsigned n)
{
	unsigned kept = 0;

	if (faults >> EXITS_HOSTED & 1)
		for (unsigned i = 0; i < EXIT_OWN_TERMS; i++)
			terms[n++] = hosts_own[i];

	if (faults >> EXITS_UNCOUNTED & 1 || (faults >> EXITS_VARY & 1 && turn % 2))
		return 0;
	if (!(faults >> EXITS_EMULATED & 1))
		return n;
	for (unsigned i = 0; i < n; i++)
		if (terms[i].quantity == Q_INSTRUCTIONS || terms[i].quantity == Q_BRANCHES)
			terms[kept++] = terms[i];
	return kept;
}
