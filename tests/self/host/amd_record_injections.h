/*
 * Deviations of what AMD's PMU writes down (IBS, branch records): each function sets something up, and says
 * whether the record or its interrupt is other than the manual says.
 */
#ifndef TESTS_SELF_HOST_AMD_RECORD_INJECTIONS_H
#define TESTS_SELF_HOST_AMD_RECORD_INJECTIONS_H

#include "pmu/amd/records/ibs.h"
#include "pmu/virtual/uarch.h"
#include "tests/self/host/amd_model_shortcuts.h"

#define OP_ON (1 | OP_EN | OP_DISPATCHED | 15ull << OP_COUNT_SHIFT)

static inline void sample_branches(unsigned n)
{
	struct qterm taken = {Q_BRANCHES, 1};
	set(DBG_EXTN_CFG, DBG_EXTN_BRS);
	set(CTL(0), 0xc4 | RINGS | CTL_EN | CTL_INT);
	set(CTR(0), TOP);
	while (n--)
		amd_model.advance(cpu, &(struct step){.terms = &taken,
						      .n_terms = 1,
						      .cycles = 1,
						      .ip = 0x1000,
						      .next = 0x2000,
						      .transfer = TRANSFER_JUMP,
						      .length = 2});
}

static inline bool sampled_branch_missing(void)
{
	sample_branches(17);
	return pmis() == 0;
}

static inline bool sampled_early(void)
{
	sample_branches(1);
	return pmis() == 1;
}

/* The operation behind one NOP is sampled. */
static inline void sample(const struct step *tagged)
{
	static const struct qterm one[] = {{Q_INSTRUCTIONS, 1}};
	struct step nop = {.terms = one, .n_terms = 1, .cycles = 1, .length = 1};

	set(IBS_OP_CTL, OP_ON);
	amd_model.advance(cpu, &nop);
	amd_model.advance(cpu, tagged);
}

static const struct qterm branch[] = {{Q_INSTRUCTIONS, 1}, {Q_BRANCHES, 1}, {Q_BR_JMP_DIRECT, 1}};
static const struct step jump = {.terms = branch,
				 .n_terms = 3,
				 .cycles = 1,
				 .ip = 0x1000,
				 .next = 0x2000,
				 .transfer = TRANSFER_JUMP,
				 .length = 2};

static inline bool sample_skids(void)
{
	sample(&jump);
	return get(IBS_OP_RIP) != 0x1000;
}

static inline bool sample_tells_untaken(void)
{
	sample(&jump);
	return !(get(IBS_OP_DATA) & DATA_TAKEN);
}

static inline bool source_of_prefetch(void)
{
	static const struct qterm prefetch[] = {{Q_INSTRUCTIONS, 1}, {Q_PREFETCHES, 1}};
	const struct step s = {.terms = prefetch, .n_terms = 2, .cycles = 1, .length = 4};

	sample(&s);
	return get(IBS_OP_DATA2) != 0;
}

static inline bool request_stays(void)
{
	unsigned entry;
	bool stays = false;

	set(IBS_OP_CTL, 2 | OP_EN);
	instructions(8); /* none is tagged yet */
	set(IBS_OP_CTL, 0);
	instructions(1000);
	if (amd_model.take_extended(cpu, &entry))
		return false;
	for (unsigned i = 0; i < 40; i++) {
		set(IBS_OP_CTL, 1 | OP_EN);
		instructions(i);
		set(IBS_OP_CTL, 0);
		amd_model.take_extended(cpu, &entry); /* that of a sample which was taken */
		instructions(1000);
		stays |= amd_model.take_extended(cpu, &entry);
	}
	return stays;
}

/* A load that misses every level is sampled. */
static inline void sample_far_load(void)
{
	static const struct step_access access = {.address = 0x7000, .size = 8};
	static const struct qterm far[] = {{Q_INSTRUCTIONS, 1}, {Q_L1D_LOAD_MISS, 1}, {Q_L2_LOAD_MISS, 1},
					   {Q_LLC_REF, 1},      {Q_LLC_MISS, 1},      {Q_DTLB_LOAD_MISS, 1}};
	const struct step load = {.terms = far,
				  .n_terms = 6,
				  .cycles = 1,
				  .length = 4,
				  .ip = 0x1000,
				  .next = 0x1004,
				  .access = &access,
				  .n_access = 1};

	set(IBS_OP_CTL, 1 | OP_EN | 15ull << OP_COUNT_SHIFT);
	amd_model.advance(cpu, &load);
	amd_model.advance(cpu, &load);
}

static inline bool other_page(void)
{
	sample_far_load();
	return get(IBS_DC_PHYS) != 0x7000;
}

static inline bool times_swapped(void)
{
	sample_far_load();
	return (get(IBS_OP_DATA) & DATA_CYCLES) > (get(IBS_OP_DATA) >> DATA_TAG_SHIFT & DATA_CYCLES);
}

static inline bool outer_alone(void)
{
	sample_far_load();
	return !(get(IBS_OP_DATA3) & DATA3_L1TLB_MISS);
}

static inline bool reserved_source(void)
{
	sample_far_load();
	return get(IBS_OP_DATA2) != DATA2_DRAM;
}

static inline bool far_source(void)
{
	sample_far_load();
	return get(IBS_OP_DATA2) & DATA2_FAR;
}

static inline bool filter_passes(void)
{
	set(IBS_OP_CTL, 1 | OP_EN | OP_L3_MISS_ONLY | 15ull << OP_COUNT_SHIFT);
	amd_model.advance(cpu, &jump);
	amd_model.advance(cpu, &jump);
	return get(IBS_OP_CTL) & OP_VAL;
}

static inline bool short_load_passes(void)
{
	set(IBS_OP_CTL, 1 | OP_EN | OP_LATENCY_EN | 1ull << OP_LATENCY_SHIFT | 15ull << OP_COUNT_SHIFT);
	amd_model.advance(cpu, &jump);
	amd_model.advance(cpu, &jump);
	return get(IBS_OP_CTL) & OP_VAL;
}

static inline bool fetch_comes_early(void)
{
	set(IBS_FETCH_CTL, 1000 | FETCH_EN);
	amd_model.advance(cpu, &jump);
	amd_model.advance(cpu, &jump);
	return get(IBS_FETCH_CTL) & FETCH_VAL;
}

static unsigned branches_of(unsigned n)
{
	unsigned good = 0;

	set(DBG_EXTN_CFG, DBG_EXTN_LBR);
	for (unsigned i = 0; i < n; i++)
		amd_model.advance(cpu, &jump);
	for (unsigned i = 0; i < n; i++)
		good += get(BRANCH_FROM0 + 2 * i) == 0x1000 &&
			get(BRANCH_TO0 + 2 * i) == (0x2000 | BRANCH_VALID);
	return good;
}

static inline bool branch_missing(void)
{
	return branches_of(10) != 10;
}

static inline bool line_of_ibs(void)
{
	return get(IBS_CTL) & IBS_LVT_VALID;
}

/* One that loads and stores, and hits, is sampled. */
static inline void sample_update(uint64_t misses_before)
{
	static const struct step_access access[] = {{.address = 0x7000, .size = 8},
						    {.address = 0x7000, .size = 8, .store = true}};
	static const struct qterm terms_of_update[] = {{Q_INSTRUCTIONS, 1}, {Q_LOADS, 1}, {Q_STORES, 1}};
	const struct step update = {.terms = terms_of_update,
				    .n_terms = 3,
				    .cycles = 1,
				    .length = 4,
				    .ip = 0x1000,
				    .next = 0x1004,
				    .access = access,
				    .n_access = 2};

	set(IBS_OP_DATA3, misses_before);
	set(IBS_OP_CTL, 1 | OP_EN | 15ull << OP_COUNT_SHIFT);
	amd_model.advance(cpu, &update);
	amd_model.advance(cpu, &update);
}

static inline bool period_passed_over(void)
{
	set(IBS_OP_CTL, 1 | OP_EN);
	instructions(20);
	return !(get(IBS_OP_CTL) & OP_VAL);
}

static inline bool address_behind(void)
{
	sample_update(0);
	return get(IBS_OP_RIP) == 0x1010;
}

static inline bool store_untold(void)
{
	sample_update(0);
	return !(get(IBS_OP_DATA3) & DATA3_STORE);
}

static inline bool line_asked_for(void)
{
	sample_update(0);
	return get(IBS_OP_DATA3) & DATA3_NO_MAB;
}

static inline bool miss_stays(void)
{
	sample_update(DATA3_L2TLB_MISS);
	return get(IBS_OP_DATA3) & DATA3_L2TLB_MISS;
}

static inline bool count_is_kept(void)
{
	set(IBS_FETCH_CTL, FETCH_MAX | FETCH_EN | 5ull << FETCH_COUNT_SHIFT);
	set(IBS_FETCH_CTL, FETCH_MAX | FETCH_EN);
	return get(IBS_FETCH_CTL) & FETCH_COUNT;
}

static inline bool fetch_misses(void)
{
	static const struct qterm one = {Q_INSTRUCTIONS, 1};
	struct step s = {.terms = &one, .n_terms = 1, .cycles = 1, .length = 4};

	set(IBS_FETCH_CTL, 1 | FETCH_EN);
	for (s.ip = 0x1000; s.ip < 0x2000; s.ip += 0x40) {
		s.next = s.ip + 4;
		amd_model.advance(cpu, &s);
	}
	return get(IBS_FETCH_CTL) & FETCH_IC_MISS;
}

#endif
