/*
 * Which registers exist, what may be written to them, and what they read. Reserved bits and writes to
 * read-only registers are ignored (unlike Intel's, which raise #GP); a register that does not exist raises
 * #GP(0). APM vol. 2, 13.2 and the families' guides.
 */
#include "arch/x86/cpu/cpuid_table.h"
#include "pmu/amd/errata/errata.h"
#include "pmu/amd/errata/hooks.h"
#include "pmu/amd/amd.h"
#include "pmu/amd/model/model.h"
#include "pmu/contract/counter_bank.h"

#include <string.h>

/* Addresses that belong to core counters; a missing counter among them raises #GP. */
#define EXTENDED_RANGE 16

static const struct cpuid_row *leaf_of(const struct model_profile *p, uint32_t leaf)
{
	return cpuid_row_of(cpuid_table_of(p->identity), leaf, 0);
}

static void reset(void *state, const struct model_profile *profile, const struct model_injected *injections)
{
	struct amd_state *s = state;
	const struct cpuid_row *v2 = leaf_of(profile, 0x80000022);

	memset(s, 0, sizeof *s);
	s->generation = amd_generation(leaf_of(profile, 1)->eax);
	s->extended = leaf_of(profile, 0x80000001)->ecx >> 23 & 1;
	s->v2 = v2->eax & 1;
	s->freezes = v2->eax >> 2 & 1;
	s->has_irperf = leaf_of(profile, 0x80000008)->ebx >> 1 & 1;
	s->has_aperf = leaf_of(profile, 6)->ecx & 1;
	s->n = s->v2 ? v2->ebx & 15 : s->extended ? AMD_EXTENDED : AMD_LEGACY;
	amd_uncore_reset(s, leaf_of(profile, 0x80000001)->ecx, v2->ebx);
	s->has_svm = leaf_of(profile, 0x80000001)->ecx >> 2 & 1;
	if (injections)
		s->injections = *injections;
	s->noise = 1;
	for (unsigned c = 0; c < s->n; c++)
		s->counter[c].mask = (1ull << AMD_WIDTH) - 1;
	/* As firmware leaves it: guides of families 17H and up, HWCR. */
	s->hwcr = s->has_irperf ? HWCR_LOCK : 0;
	amd_decode_free(s);
	amd_ibs_reset(s, leaf_of(profile, 0x80000001)->ecx >> 10 & 1 ? leaf_of(profile, 0x8000001b)->eax : 0);
	amd_branches_reset(s, v2->eax >> 1 & 1 ? v2->ebx >> 4 & 63 : 0,
			   leaf_of(profile, 0x80000008)->ebx >> 31);
	/* Software that knows of no global enable finds its counters running. */
	if (s->v2)
		s->global_control = (1ull << s->n) - 1;
}

/* Bits of a selector that exist. */
static uint64_t select_bits(const struct amd_state *s)
{
	uint64_t bits = 0xffffffffull & ~(CTL_PC | 1ull << 21);

	if (amd_narrow(s->generation))
		return bits | CTL_PC;
	bits |= CTL_EVENT | (CTL_GUEST | CTL_HOST);
	if (s->generation == AMD_ZEN3)
		bits |= CTL_1292;
	return bits;
}

static enum register_answer write_select(struct amd_state *s, unsigned c, uint64_t value)
{
	if (amd_hook_refused(s, value & ~select_bits(s)))
		return REGISTER_FAULT;
	s->select[c] = value & select_bits(s);
	amd_hook_selected(s);
	amd_decode(s, c);
	amd_update_running(s);
	return REGISTER_DONE;
}

/* All 48 bits are written as they are; those above are ignored. */
static enum register_answer write_counter(struct amd_state *s, unsigned c, uint64_t value)
{
	s->counter[c].value = counter_keeps(value, s->counter[c].mask);
	s->counter[c].carried = 0;
	amd_hook_written(s, c);
	return REGISTER_DONE;
}

static uint64_t counter_bits(const struct amd_state *s)
{
	return (1ull << s->n) - 1;
}

static uint64_t status_bits(const struct amd_state *s)
{
	return counter_bits(s) | (s->freezes ? STATUS_LBR_FROZEN | STATUS_PMC_FROZEN : 0);
}

static enum register_answer write_global(struct amd_state *s, uint32_t address, uint64_t value)
{
	switch (address) {
	case PERF_GLOBAL_CTL:
		s->global_control = value & counter_bits(s);
		break;
	case PERF_GLOBAL_STATUS_CLR:
		s->status &= ~amd_hook_cleared(s, value);
		break;
	case PERF_GLOBAL_STATUS_SET:
		s->status = s->status | (value & status_bits(s));
		break;
	default: /* PERF_GLOBAL_STATUS: ignored */
		break;
	}
	amd_update_running(s);
	return REGISTER_DONE;
}

static uint64_t read_global(const struct amd_state *s, uint32_t address)
{
	if (address == PERF_GLOBAL_STATUS)
		return amd_hook_status(s, s->status);
	if (address == PERF_GLOBAL_CTL)
		return s->global_control;
	return 0;
}

enum kind { NONE, SELECT, COUNTER };

/* What register of which core counter an address is. *c is AMD_CORE_MAX if there is no such counter. */
static enum kind core_register(const struct amd_state *s, uint32_t address, unsigned *c)
{
	uint32_t offset = address - PERF_LEGACY_CTL0;

	if (offset < 2 * AMD_LEGACY) {
		*c = offset % AMD_LEGACY;
		return offset < AMD_LEGACY ? SELECT : COUNTER;
	}
	offset = address - PERF_CTL0;
	if (offset < 2 * EXTENDED_RANGE) {
		*c = offset / 2;
		if (!s->extended || *c >= s->n)
			*c = AMD_CORE_MAX;
		return offset % 2 ? COUNTER : SELECT;
	}
	return NONE;
}

static bool global_register(uint32_t address)
{
	return address >= PERF_GLOBAL_STATUS && address <= PERF_GLOBAL_STATUS_SET;
}

static enum register_answer present(bool condition)
{
	return condition ? REGISTER_DONE : REGISTER_FAULT;
}

/* MPERF, APERF and IRPERF are counters that run by themselves. */
static bool free_running(uint32_t address, unsigned *c)
{
	*c = address == MPERF ? COUNTER_MPERF : address == APERF ? COUNTER_APERF : COUNTER_IRPERF;
	return address == MPERF || address == APERF || address == IRPERF;
}

static void watch(struct amd_state *s, unsigned c)
{
	if (c != COUNTER_IRPERF && !s->watched) {
		s->watched = true;
		amd_update_running(s);
	}
}

static enum register_answer rdmsr(void *state, uint32_t address, uint64_t *value)
{
	struct amd_state *s = state;
	unsigned c;
	enum kind kind = core_register(s, address, &c);

	*value = 0;
	if (kind != NONE) {
		if (c == AMD_CORE_MAX)
			return REGISTER_FAULT;
		*value = kind == SELECT ? s->select[c] : s->counter[c].value;
		return REGISTER_DONE;
	}
	if (global_register(address)) {
		if (!s->v2 || amd_hook_kept_back(s, address))
			return REGISTER_FAULT;
		*value = read_global(s, address);
		return REGISTER_DONE;
	}
	if (free_running(address, &c)) {
		if (!s->counter[c].mask)
			return REGISTER_FAULT;
		watch(s, c);
		*value = s->counter[c].value;
		return REGISTER_DONE;
	}
	if (address == HWCR && s->has_irperf) {
		*value = s->hwcr;
		return REGISTER_DONE;
	}
	if (address == DEBUGCTL) {
		*value = s->debugctl;
		return REGISTER_DONE;
	}
	enum register_answer access = amd_ibs_read(s, address, value);
	if (access == REGISTER_NOT_MINE)
		access = amd_uncore_read(s, address, value);
	return access == REGISTER_NOT_MINE ? amd_branches_read(s, address, value) : access;
}

/* LBR, BTF, pin control; freezing where CPUID has it. What is behind is ignored: APM vol. 2, figure 13-4. */
static uint64_t debugctl_bits(const struct amd_state *s)
{
	return 0x7f | (s->freezes ? DEBUGCTL_FREEZE_LBR | DEBUGCTL_FREEZE_PMC : 0);
}

static enum register_answer wrmsr(void *state, uint32_t address, uint64_t value)
{
	struct amd_state *s = state;
	unsigned c;
	enum kind kind = core_register(s, address, &c);

	s->started = 0;
	s->ibs.fetch_started = s->ibs.op_started = false;
	if (kind != NONE && c == AMD_CORE_MAX)
		return REGISTER_FAULT;
	if (kind != NONE)
		return kind == SELECT ? write_select(s, c, value) : write_counter(s, c, value);
	if (global_register(address))
		return s->v2 && !amd_hook_kept_back(s, address) ? write_global(s, address, value)
								: REGISTER_FAULT;
	if (free_running(address, &c)) {
		watch(s, c);
		/* PPR 57930, IRPerfCount: locked, a write is an error. Guides before Zen 4 say read-only. */
		if (c == COUNTER_IRPERF && s->generation >= AMD_ZEN4)
			return REGISTER_FAULT;
		if (s->counter[c].mask && c != COUNTER_IRPERF)
			s->counter[c].value = value;
		return present(s->counter[c].mask);
	}
	if (address == HWCR && s->has_irperf) {
		s->hwcr = HWCR_LOCK | (value & HWCR_IRPERF);
		amd_update_running(s);
		return REGISTER_DONE;
	}
	if (address == EFER && s->has_svm) {
		s->svme = value & EFER_SVME;
		amd_update_running(s);
		return REGISTER_NOT_MINE;
	}
	if (address == DEBUGCTL) {
		s->debugctl = value & debugctl_bits(s);
		return REGISTER_DONE;
	}
	enum register_answer access = amd_ibs_write(s, address, value);
	if (access == REGISTER_NOT_MINE)
		access = amd_uncore_write(s, address, value);
	return access == REGISTER_NOT_MINE ? amd_branches_write(s, address, value) : access;
}

/* APM vol. 3, RDPMC: needs CPL 0 or CR4.PCE; anything that is no counter raises #GP. */
static enum register_answer rdpmc(void *state, struct register_access *a)
{
	const struct amd_state *s = state;
	uint32_t index = (uint32_t)a->number;

	a->value = 0;
	if (!a->permitted || amd_hook_rdpmc_refused(s))
		return REGISTER_FAULT;
	if (index >= s->n) {
		enum register_answer access = amd_uncore_rdpmc(s, index, &a->value);

		return access;
	}
	a->value = s->counter[amd_hook_rdpmc(s, index)].value;
	return REGISTER_DONE;
}

/* RDMSR, WRMSR and RDPMC. */
static enum register_answer access(void *state, struct register_access *a)
{
	if (a->space == SPACE_SELECTOR)
		return rdpmc(state, a);
	if (a->space != SPACE_MSR)
		return REGISTER_NOT_MINE;
	return a->write ? wrmsr(state, (uint32_t)a->number, a->value)
			: rdmsr(state, (uint32_t)a->number, &a->value);
}

static bool counting(const void *state)
{
	const struct amd_state *s = state;
	return s->n_running;
}

static bool recording(const void *state)
{
	return amd_ibs_runs(state) || amd_branches_run(state) || amd_branches_armed(state) ||
	       (amd_hook_sees_halts(state) && counting(state)) || amd_hook_samples_see_halts(state);
}

static bool take_extended(void *state, unsigned *entry)
{
	struct amd_state *s = state;

	*entry = s->ibs.ctl & IBS_LVT_OFFSET;
	if (!s->ibs_pending)
		return false;
	s->ibs_pending = s->ibs_pending - 1;
	return s->ibs.ctl & IBS_LVT_VALID;
}

static bool take_pmi(void *state)
{
	struct amd_state *s = state;
	if (!s->pmi_pending)
		return false;
	s->pmi_pending = s->pmi_pending - 1;
	return true;
}

static void attach(void *state, const struct step_memory *memory)
{
	((struct amd_state *)state)->memory = memory;
}

static bool line_stays(const void *state)
{
	(void)state;
	return true;
}

static bool other_switch(const void *state, const struct register_access *a)
{
	const struct amd_state *s = state;
	unsigned c;

	return a->space == SPACE_MSR && s->v2 && core_register(s, a->number, &c) == SELECT;
}

/* Two cores to a compute unit of family 15H, two threads to a core of Zen. */
static bool has_other(const void *state)
{
	const struct amd_state *s = state;

	return s->generation == AMD_15H || s->generation >= AMD_ZEN1;
}

static void join(void *first, void *second)
{
	struct amd_state *s = first, *other = second;

	s->other = other;
	other->other = s;
	other->thread = 1;
}

const struct pmu_model amd_model = {
	.name = "amd",
	.state_size = sizeof(struct amd_state),
	.injections = amd_injections,
	.errata = &amd_known_errata,
	.line_stays = line_stays,
	.reset = reset,
	.access = access,
	.other_switch = other_switch,
	.advance = amd_advance,
	.counts = amd_counts,
	.counting = counting,
	.increments = amd_increments,
	.recording = recording,
	.attach = attach,
	.take_pmi = take_pmi,
	.take_extended = take_extended,
	.has_other = has_other,
	.join = join,
};
