/*
 * Counters outside of the core: which registers there are, and where RDPMC has them. They count nothing here.
 */
#include "pmu/amd/errata/hooks.h"
#include "pmu/amd/model/model.h"

#define WIDTH_MASK ((1ull << AMD_WIDTH) - 1)

void amd_uncore_reset(struct amd_state *s, uint32_t features, uint32_t numbers)
{
	unsigned told = numbers >> 10 & 63, nb = features >> 24 & 1 ? told ? told : AMD_NB : 0;

	s->uncore.nb = (uint8_t)(nb < AMD_NB_MAX ? nb : AMD_NB_MAX);
	if (features >> 28 & 1)
		s->uncore.llc = amd_merges(s->generation) ? AMD_L3 : AMD_L2I;
}

/* *mine says whether the address belongs to such counters. @return NULL if there is no such register */
static uint64_t *find(struct amd_uncore *u, uint32_t address, bool *counter, bool *mine)
{
	uint32_t nb = address - PERF_NB_CTL0, llc = address - PERF_LLC_CTL0;

	*counter = address & 1;
	*mine = true;
	if (nb < 2 * AMD_NB_MAX)
		return nb / 2 >= u->nb ? NULL : *counter ? &u->nb_value[nb / 2] : &u->nb_select[nb / 2];
	if (llc < 2 * AMD_L3)
		return llc / 2 >= u->llc ? NULL : *counter ? &u->llc_value[llc / 2] : &u->llc_select[llc / 2];
	*mine = false;
	return NULL;
}

enum register_answer amd_uncore_read(const struct amd_state *s, uint32_t address, uint64_t *value)
{
	bool counter, mine;
	const uint64_t *found = find((struct amd_uncore *)&s->uncore, address, &counter, &mine);

	if (found)
		*value = *found;
	return found ? REGISTER_DONE : mine ? REGISTER_FAULT : REGISTER_NOT_MINE;
}

enum register_answer amd_uncore_write(struct amd_state *s, uint32_t address, uint64_t value)
{
	bool counter, mine;
	uint64_t *found = find(&s->uncore, address, &counter, &mine);

	if (found)
		*found = counter ? value & WIDTH_MASK : value;
	return found ? REGISTER_DONE : mine ? REGISTER_FAULT : REGISTER_NOT_MINE;
}

enum register_answer amd_uncore_rdpmc(const struct amd_state *s, uint32_t index, uint64_t *value)
{
	const struct amd_uncore *u = &s->uncore;
	unsigned n;

	if (index < RDPMC_NB)
		return REGISTER_FAULT;
	if (index >= RDPMC_LLC && index < RDPMC_MORE) {
		n = index - RDPMC_LLC;
		if (n >= u->llc)
			return REGISTER_FAULT;
		*value = u->llc_value[n];
		return REGISTER_DONE;
	}
	n = index < RDPMC_LLC ? index - RDPMC_NB : index - RDPMC_MORE + AMD_NB;
	if (n >= u->nb)
		return REGISTER_FAULT;
	*value = u->nb_value[amd_hook_northbridge(s, n)];
	return REGISTER_DONE;
}
