#include "tests/self/host/support/owned.h"

#include "pmu/amd/amd.h"
#include "pmu/amd/driver/parts.h"
#include "pmu/amd/driver/state.h"
#include "pmu/amd/events/events.h"
#include "pmu/amd/model/model.h"
#include "tests/self/host/support/fake_cpu.h"
#include "tests/self/host/support/model_registers.h"

/* Overflow status is set through a register that reads 0. */
static void scramble(uint64_t random)
{
	struct amd_state *s = fake_cpu_state();

	if (s->v2)
		model_wrmsr(&amd_model, s, PERF_GLOBAL_STATUS_SET, random);
}

static bool was_pair, is_pair;

static bool is_merge(const struct pmu_config *config)
{
	const struct amd_state *s = fake_cpu_state();

	return amd_merges(s->generation) && (config->code & CTL_EVENT) == EVENT_LARGE;
}

static bool rare(const struct pmu_event *e)
{
	return is_merge(&(struct pmu_config){.code = e->code});
}

static void before(const struct pmu *pmu, unsigned c, const struct pmu_config *first,
		   const struct pmu_config *config)
{
	(void)pmu;
	(void)c;
	was_pair = first && is_merge(first);
	is_pair = is_merge(config);
}

static void owns(const struct pmu *pmu, enum driver_op op, unsigned c, const struct pmu_config *config,
		 owner *own)
{
	bool global = pmu->has_global;

	(void)config;
	for (unsigned i = c; i < c + 1u + (op == PROGRAM ? was_pair || is_pair : is_pair); i++) {
		bool odd = i > c;

		if (op == PROGRAM || op == RELEASE)
			own(amd_select_msr(pmu, i), ~0ull);
		if (op == WRITE || (op == PROGRAM && (!odd || is_pair)) || (op == ACKNOWLEDGE && odd))
			own(amd_counter_msr(pmu, i), ~0ull);
		if (global && (op == PROGRAM || op == RELEASE || op == START))
			own(PERF_GLOBAL_CTL, 1ull << i);
	}
	if (global && (op == PROGRAM || op == ACKNOWLEDGE))
		own(PERF_GLOBAL_STATUS, 1ull << c);
	if (global && op == STOP)
		own(PERF_GLOBAL_CTL, ~0ull);
	if (!global && op == START)
		own(amd_select_msr(pmu, c), CTL_EN);
	for (unsigned i = 0; !global && op == STOP && i < pmu->n_counters; i++)
		if (!is_pair || i != c + 1)
			own(amd_select_msr(pmu, i), CTL_EN);
}

/* APM vol. 2, 13.2.1, figure 13-15: as Intel's; no AnyThread. */
static uint64_t selector(const struct pmu *pmu, unsigned c, const struct pmu_config *config)
{
	uint64_t os = config->levels & LEVELS_SYSTEM ? 1 : 0, usr = config->levels & LEVELS_USER ? 1 : 0;

	(void)c;
	return config->code | usr << 16 | os << 17 | (uint64_t)config->edge << 18 |
	       (uint64_t)config->interrupt << 20 | (uint64_t)pmu->has_global << 22 |
	       (uint64_t)config->invert << 23 | (uint64_t)config->cmask << 24;
}

static uint64_t selected(const struct pmu *pmu, unsigned c)
{
	const struct amd_state *s = fake_cpu_state();

	(void)pmu;
	return s->select[c];
}

static void record_owns(const struct pmu *pmu, enum record_op_of_driver op, const struct pmu_recording *r,
			owner *own)
{
	const struct amd_state *s = fake_cpu_state();
	bool set = op == RECORD_SETUP || op == RECORD_RELEASE, stack = s->branches.depth;

	switch (r->source->kind) {
	case RECORD_OPERATION:
		own(IBS_OP_CTL, set ? ~0ull : OP_EN);
		return;
	case RECORD_FETCH:
		own(IBS_FETCH_CTL, set ? ~0ull : FETCH_EN);
		return;
	case RECORD_NEXT_BRANCHES:
		owns(pmu,
		     op == RECORD_SETUP     ? PROGRAM
		     : op == RECORD_RELEASE ? RELEASE
					    : START,
		     r->counter, &r->config, own);
		if (set)
			own(DBG_EXTN_CFG, ~0ull);
		return;
	default:
		if (set || !stack)
			own(DEBUGCTL, DEBUGCTL_LBR);
		if (!stack)
			return;
		own(DBG_EXTN_CFG, set ? ~0ull : DBG_EXTN_LBR);
		if (!set)
			return;
		own(LBR_SELECT, ~0ull);
		for (unsigned i = 0; i < 2u * s->branches.depth; i++)
			own(BRANCH_FROM0 + i, ~0ull);
		if (op == RECORD_SETUP && pmu->has_global)
			own(PERF_GLOBAL_STATUS, STATUS_LBR_FROZEN);
	}
}

static uint64_t stays(const struct pmu *pmu, uint32_t address)
{
	(void)pmu;
	switch (address) {
	case DEBUGCTL:
		return DEBUGCTL_BTF; /* single-stepping on branches is not the PMU's */
	case MPERF:                  /* they run by themselves */
	case APERF:
	case IRPERF:
	case HWCR:
	case IBS_CTL: /* the firmware's: where it interrupts */
		return ~0ull;
	case IBS_FETCH_CTL:
	case IBS_OP_CTL:
	case IBS_FETCH_CTL2:
	case IBS_OP_CTL2:
		return 0;
	default:
		/* What a sample fills; the stack of branches, which recording clears; counters outside of the
		 * core, which are not the driver's. */
		return (address >= IBS_FETCH_CTL && address <= IBS_FETCH_CTL2) ||
				       address - BRANCH_FROM0 < 2 * BRANCHES_MAX ||
				       (address >= PERF_LLC_CTL0 && address < PERF_NB_CTL0 + 2 * AMD_NB_MAX)
			       ? ~0ull
			       : 0;
	}
}

const struct ownership amd_family_owned = {
	.driver = &amd_driver,
	.scramble = scramble,
	.rare = rare,
	.before = before,
	.owns = owns,
	.selector = selector,
	.selected = selected,
	.record_owns = record_owns,
	.stays = stays,
	.counts_by_itself = true,
	.no_any_thread = true,
};
