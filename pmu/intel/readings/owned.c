#include "tests/self/host/support/owned.h"

#include "pmu/intel/driver/workarounds.h"
#include "pmu/intel/intel.h"
#include "pmu/intel/model/model.h"
#include "pmu/intel/registers.h"
#include "tests/self/host/support/fake_cpu.h"
#include "tests/self/host/support/model_registers.h"

/* Before version 4 no write sets overflow status. */
static void scramble(uint64_t random)
{
	struct intel_state *s = fake_cpu_state();
	uint64_t bits = 0;

	for (unsigned b = 0; b < 64 && s->leaf.version >= 2; b++)
		if (model_wrmsr(&intel_model, s, IA32_PERF_GLOBAL_OVF_CTRL, 1ull << b) == REGISTER_DONE)
			bits |= 1ull << b;
	s->status = random & bits;
}

static bool rare(const struct pmu_event *e)
{
	return e->extra_register;
}

static uint64_t bit_of(const struct pmu_counter *k)
{
	return 1ull << (k->kind == COUNTER_GENERAL ? k->index : GLOBAL_FIXED_SHIFT + k->index);
}

static void owns(const struct pmu *pmu, enum driver_op op, unsigned c, const struct pmu_config *config,
		 owner *own)
{
	const struct pmu_counter *k = &pmu->counter[c];
	bool general = k->kind == COUNTER_GENERAL, global = pmu->has_global;
	uint32_t select = general ? IA32_PERFEVTSEL0 + k->index : IA32_FIXED_CTR_CTRL;
	uint64_t field = general ? ~0ull
				 : FIXED_FIELD << 4 * k->index |
					   (k->index < 8 ? 3ull << (FIXED_ADAPTIVE_SHIFT + 4 * k->index) : 0);

	if (op == PROGRAM || op == RELEASE)
		own(select, field);
	if (op == PROGRAM || op == WRITE)
		own((k->kind == COUNTER_FIXED ? IA32_FIXED_CTR0 : IA32_PMC0) + k->index, ~0ull);
	if (global && (op == PROGRAM || op == ACKNOWLEDGE))
		own(IA32_PERF_GLOBAL_STATUS, bit_of(k));
	if (global && (op == PROGRAM || op == RELEASE || op == START))
		own(IA32_PERF_GLOBAL_CTRL, bit_of(k));
	if (global && op == STOP)
		own(IA32_PERF_GLOBAL_CTRL, ~0ull);
	if (!global && op == START)
		own(select, EVTSEL_EN);
	for (unsigned i = 0; !global && op == STOP && i < pmu->n_counters; i++)
		own(IA32_PERFEVTSEL0 + pmu->counter[i].index, EVTSEL_EN);
	if (op == PROGRAM && general && config->extra_register)
		own(config->extra_register, ~0ull);
}

/* SDM 18.2.1.1, figure 18-1 (18-6 with AnyThread); 18.2.2, figure 18-2. */
static uint64_t selector(const struct pmu *pmu, unsigned c, const struct pmu_config *config)
{
	uint64_t os = config->levels & LEVELS_SYSTEM ? 1 : 0, usr = config->levels & LEVELS_USER ? 1 : 0,
		 any = config->any_thread, interrupt = config->interrupt;

	if (pmu->counter[c].kind == COUNTER_FIXED)
		return os | usr << 1 | any << 2 | interrupt << 3;
	uint64_t code = config->cmask ? config->code & ~0xff000000ull : config->code;

	return code | usr << 16 | os << 17 | (uint64_t)config->edge << 18 | interrupt << 20 | any << 21 |
	       (uint64_t)pmu->has_global << 22 | (uint64_t)config->invert << 23 |
	       (uint64_t)config->cmask << 24;
}

static uint64_t selected(const struct pmu *pmu, unsigned c)
{
	const struct pmu_counter *k = &pmu->counter[c];
	const struct intel_state *s = fake_cpu_state();

	/* Of a fixed counter's field the upper half too: adaptive records, RDPMC outside of ring 0. */
	return k->kind == COUNTER_GENERAL
		       ? s->select[k->index]
		       : (s->fixed_control >> 4 * k->index & 15) |
				 (k->index < 8 ? s->fixed_control >> (32 + 4 * k->index) & 15 : 0) << 4;
}

/* The stack of branches: its registers, and those that control it. */
static void own_stack(owner *own)
{
	const struct intel_state *s = fake_cpu_state();
	const struct intel_lbr *l = &s->lbr.at;

	for (unsigned i = 0; i < l->depth; i++) {
		own(l->from + i, ~0ull);
		if (l->to)
			own(l->to + i, ~0ull);
		if (l->info)
			own(l->info + i, ~0ull);
	}
	if (l->format == LBR_ARCH)
		own(IA32_LBR_CTL, ~0ull);
	else
		own(IA32_DEBUGCTL, DEBUGCTL_LBR);
	if (l->format != LBR_ARCH && l->select)
		own(MSR_LBR_SELECT, ~0ull);
}

/* That counts instructions for the records: the fixed one, or one that does not sample itself. */
static unsigned instructions_counter(const struct pmu *pmu, const struct pmu_recording *r)
{
	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (pmu->counter[c].kind == COUNTER_FIXED && !pmu->counter[c].index && c != r->counter)
			return c;
	return !r->counter;
}

static void pebs_owns(const struct pmu *pmu, enum record_op_of_driver op, const struct pmu_recording *r,
		      owner *own)
{
	const struct intel_state *s = fake_cpu_state();
	const struct intel_pebs *p = &s->pebs.at;
	const struct pmu_config instructions = {.code = 0xc0};
	bool set = op == RECORD_SETUP || op == RECORD_RELEASE, counts = r->more & RECORD_MORE_INSTRUCTIONS;
	enum driver_op counter_op = op == RECORD_SETUP ? PROGRAM : op == RECORD_RELEASE ? RELEASE : START;

	owns(pmu, counter_op, r->counter, &r->config, own);
	if (counts)
		owns(pmu, counter_op, instructions_counter(pmu, r), &instructions, own);
	/* The event beside load latency is on the first counter that is free. */
	const struct pmu_config aux = {.code = LOADS_AUX_CODE};

	if (pmu_works_around(pmu, WORK_LOADS_AUX) && p->latency_event &&
	    (r->config.code & EVTSEL_CODE) == p->latency_event &&
	    pmu->counter[r->counter].kind == COUNTER_GENERAL)
		owns(pmu, counter_op, r->counter ? 0 : 1, &aux, own);
	if (op == RECORD_RELEASE)
		own(IA32_PERF_GLOBAL_STATUS, bit_of(&pmu->counter[r->counter]));
	if (set && r->more & RECORD_MORE_BRANCHES)
		own_stack(own);
	if (set && p->architectural) {
		own(IA32_PEBS_BASE, ~0ull);
		own(IA32_PEBS_INDEX, ~0ull);
		own(IA32_PERF_GLOBAL_STATUS, STATUS_PEBS);
		for (unsigned c = 0; c < pmu->n_counters; c++) {
			const struct pmu_counter *k = &pmu->counter[c];
			uint32_t at = k->kind == COUNTER_GENERAL ? IA32_PMC_GP0_CTR : IA32_PMC_FX0_CTR;

			if (op == RECORD_SETUP
				    ? p->counters & bit_of(k)
				    : c == r->counter || (counts && c == instructions_counter(pmu, r)))
				own(at + 4 * k->index + 3, ~0ull);
		}
	} else if (set) {
		own(IA32_PEBS_ENABLE, ~0ull);
		own(IA32_DS_AREA, ~0ull);
		own(IA32_PERF_GLOBAL_STATUS, STATUS_OVF_BUF);
		if (p->adaptive)
			own(IA32_PEBS_DATA_CFG, ~0ull);
	}
}

static void record_owns(const struct pmu *pmu, enum record_op_of_driver op, const struct pmu_recording *r,
			owner *own)
{
	const struct intel_state *s = fake_cpu_state();
	bool set = op == RECORD_SETUP || op == RECORD_RELEASE, arch = s->lbr.at.format == LBR_ARCH;

	if (r->source->kind == RECORD_PRECISE)
		pebs_owns(pmu, op, r, own);
	else if (r->source->kind == RECORD_BRANCH_TRACE)
		own(IA32_DEBUGCTL, set ? DEBUGCTL_TRACE : DEBUGCTL_TR | DEBUGCTL_BTS);
	else if (set)
		own_stack(own);
	else
		own(arch ? IA32_LBR_CTL : IA32_DEBUGCTL, arch ? LBR_CTL_ENABLE : DEBUGCTL_LBR);
	if (r->source->kind == RECORD_BRANCH_TRACE && set)
		own(IA32_DS_AREA, ~0ull);
}

static uint64_t stays(const struct pmu *pmu, uint32_t address)
{
	const struct intel_state *s = fake_cpu_state();
	const struct intel_lbr *l = &s->lbr.at;

	(void)pmu;

	for (unsigned i = 0; i < s->n_extras; i++)
		if (address == s->extra[i].address)
			return ~0ull; /* looked at by the events that need it, which set it */
	for (unsigned i = 0; i < 3; i++) {
		uint32_t first = (const uint32_t[]){l->from, l->to, l->info}[i];

		if (first && address >= first && address < first + INTEL_LBR_DEPTH_MAX)
			return ~0ull; /* recording clears it */
	}
	/* Nothing is reloaded whose CFG_B is 0; of a counter that can sample the register holds more. */
	if (address >= IA32_PMC_GP0_CTR && address < IA32_PMC_FX0_CTR + 4 * INTEL_FIXED_MAX &&
	    address % 4 == 3 &&
	    !(s->leaf.pebs_counters >> (address < IA32_PMC_FX0_CTR
						? (address - IA32_PMC_GP0_CTR) / 4
						: GLOBAL_FIXED_SHIFT + (address - IA32_PMC_FX0_CTR) / 4) &
	      1))
		return CFG_C_RELOAD;
	switch (address) {
	case IA32_DEBUGCTL:
		return DEBUGCTL_BTF; /* single-stepping on branches is not the PMU's */
	case MSR_LBR_SELECT:
	case MSR_LASTBRANCH_TOS:
	case MSR_LER_FROM_LIP:
	case MSR_LER_TO_LIP:
	case IA32_LER_INFO:
	case IA32_DS_AREA:       /* looked at when something records */
	case IA32_PEBS_DATA_CFG: /* likewise */
	case MSR_PERF_METRICS:   /* likewise: its check writes it */
	case IA32_MISC_ENABLE:   /* the firmware's and the system's */
	case IA32_MPERF:         /* nor are the core's clock and power */
	case IA32_APERF:
	case IA32_CLOCK_MODULATION:
	case MSR_PPERF:
	case IA32_RTIT_OUTPUT_BASE: /* the processor trace is no part of the PMU */
	case IA32_RTIT_OUTPUT_MASK_PTRS:
	case IA32_RTIT_CTL:
	case IA32_RTIT_STATUS:
		return ~0ull;
	default:
		return 0;
	}
}

const struct ownership intel_family_owned = {
	.driver = &intel_driver,
	.scramble = scramble,
	.rare = rare,
	.owns = owns,
	.selector = selector,
	.selected = selected,
	.record_owns = record_owns,
	.stays = stays,
};
