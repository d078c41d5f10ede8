/*
 * Which registers exist, what may be written to them, and what they read. Reserved bits and missing registers
 * raise #GP(0), as SDM vol. 2 (WRMSR) says. (Silicon of the time of Core Duo and Core 2 is known to ignore
 * reserved bits here; these rules are the architecture's.)
 */
#include "arch/x86/cpu/cpuid_table.h"
#include "pmu/intel/errata/errata.h"
#include "pmu/contract/bits.h"
#include "pmu/intel/events/core_events.h"
#include "pmu/intel/intel.h"
#include "pmu/intel/errata/hooks.h"
#include "pmu/contract/counter_bank.h"

#include <string.h>

/* Addresses of counters that this family may have. A missing counter among them raises #GP; beyond them the
 * numbers belong to other registers of the machine. */
#define GENERAL_RANGE 8
#define FIXED_RANGE   7
#define V6_RANGE      (4 * INTEL_GENERAL_MAX)

bool intel_reserved(const struct intel_state *s, uint64_t *value, uint64_t valid)
{
	*value = intel_hook_reserved(s, *value, valid);
	return *value & ~valid;
}

static const struct cpuid_row *subleaf_of(const struct model_profile *p, uint32_t leaf, uint32_t subleaf)
{
	return cpuid_row_of(cpuid_table_of(p->identity), leaf, subleaf);
}

static const struct cpuid_row *leaf_of(const struct model_profile *p, uint32_t leaf)
{
	return subleaf_of(p, leaf, 0);
}

static struct intel_leaf0a leaf0a_of(const struct model_profile *p)
{
	const struct cpuid_row *l = leaf_of(p, 0xa);
	struct intel_leaf0a leaf = intel_decode_leaf0a(l->eax, l->ebx, l->ecx, l->edx);
	struct intel_leaf23 sub[INTEL_LEAF23_SUBLEAVES];

	for (unsigned i = 0; i < INTEL_LEAF23_SUBLEAVES; i++) {
		l = subleaf_of(p, 0x23, i);
		sub[i] = (struct intel_leaf23){l->eax, l->ebx, l->ecx, l->edx};
	}
	if (subleaf_of(p, 7, 1)->eax >> 8 & 1)
		intel_apply_leaf23(&leaf, sub);
	return leaf;
}

/* IA32_PERF_CAPABILITIES, which CPUID.1:ECX[15] promises. */
static uint64_t perf_capabilities(const struct intel_state *s)
{
	return s->pdcm ? s->profile->perf_capabilities : 0;
}

static uint64_t general_bits(const struct intel_state *s)
{
	return s->leaf.general;
}

/* Bits of the counters that exist, in the layout of the global registers. */
static uint64_t counter_bits(const struct intel_state *s)
{
	return general_bits(s) | (uint64_t)s->leaf.fixed << GLOBAL_FIXED_SHIFT;
}

static void reset(void *state, const struct model_profile *profile, const struct model_injected *injections)
{
	struct intel_state *s = state;

	memset(s, 0, sizeof *s);
	s->profile = profile->data;
	s->leaf = leaf0a_of(profile);
	s->pdcm = leaf_of(profile, 1)->ecx >> 15 & 1;
	s->core = intel_core(leaf_of(profile, 1)->eax, leaf_of(profile, 0x1a)->eax);
	s->platform.counts = leaf_of(profile, 6)->ecx & 1;
	s->platform.productive = leaf_of(profile, 6)->eax >> 7 & 1;
	s->pt.exists = leaf_of(profile, 7)->ebx & PT_EBX;
	s->threads = (leaf_of(profile, 4)->eax >> 14 & 0xfff) + 1;
	if (injections)
		s->deviations.active = *injections;
	static const struct cpuid_row none;
	const struct cpuid_row *branches =
		leaf_of(profile, 7)->edx >> 19 & 1 ? leaf_of(profile, 0x1c) : &none;
	struct intel_lbr layout = intel_lbr_layout(leaf_of(profile, 1)->eax, perf_capabilities(s),
						   branches->eax, branches->ebx, branches->ecx);
	/* Where the stack would be, a guest finds nothing. */
	if (s->profile->under_hypervisor)
		layout.select = 0;
	intel_lbr_reset(s, &layout);
	if (s->profile->under_hypervisor)
		s->lbr.depth = 0;

	const struct cpuid_row *features = leaf_of(profile, 1);
	s->signature = features->eax;
	s->pebs.late = profile->late;
	s->ds.exists = features->edx >> 21 & 1 && features->ecx >> 2 & 1;
	uint8_t kind = leaf_of(profile, 0x1a)->eax >> 24;
	s->pebs.at = intel_pebs_layout(features->eax, kind, perf_capabilities(s), s->ds.exists && s->pdcm,
				       &s->leaf);
	s->n_extras = s->profile->under_hypervisor ? 0 : intel_extras(features->eax, kind, s->extra);
	s->misc_enable = MISC_ENABLE_PERFMON | (s->ds.exists ? 0 : MISC_ENABLE_NO_BTS) |
			 (s->pebs.at.exists ? 0 : MISC_ENABLE_NO_PEBS);
	for (unsigned i = 0; i < INTEL_GENERAL_MAX; i++)
		if (s->leaf.general >> i & 1)
			s->counter[i].mask = low_bits(s->leaf.general_width);
	for (unsigned i = 0; i < INTEL_FIXED_MAX; i++)
		if (s->leaf.fixed >> i & 1)
			s->counter[INTEL_GENERAL_MAX + i].mask = low_bits(s->leaf.fixed_width);
	/* SDM table 9-1 in its later editions: the general counters' global enables are set, all else is 0.
	 */
	if (s->leaf.version >= 2)
		s->global_control = general_bits(s);
	intel_hook_reset(s);
}

/* SDM 18.2.1.1, 18.2.3; figure 18-1 marks bits 63:32 reserved, and bit 21 before version 3 or without
 * AnyThread. Bit 34 came with adaptive PEBS; version 6 has no pin control, and CPUID leaf 23H tells of
 * equality and the second unit mask. */
static enum register_answer write_select(struct intel_state *s, unsigned c, uint64_t value)
{
	uint64_t valid = 0xffffffff & ~EVTSEL_ANY;
	if (s->leaf.any_thread)
		valid |= EVTSEL_ANY;
	valid |= s->pebs.at.adaptive ? EVTSEL_ADAPTIVE : 0;
	valid |= s->lbr.at.logs >> c & 1 ? EVTSEL_LBR_LOG : 0;
	valid |= s->leaf.equal ? EVTSEL_EQ : 0;
	valid |= s->leaf.umask2 ? EVTSEL_UMASK2 : 0;
	valid |= s->leaf.rdpmc_user ? EVTSEL_RDPMC_USER : 0;
	if (s->leaf.version >= 6)
		valid &= ~EVTSEL_PC;
	if (intel_reserved(s, &value, valid))
		return REGISTER_FAULT;
	s->select[c] = intel_hook_select(s, c, value);
	intel_decode_general(s, c);
	intel_update_running(s);
	return REGISTER_DONE;
}

/* SDM 18.2.1, 18.22.2: bits 31:0 are written, bit 31 is copied into the upper ones; bits 63:32 of the value
 * are not looked at. */
static enum register_answer write_general(struct intel_state *s, unsigned c, uint64_t value)
{
	uint64_t kept = value & 0xffffffff;
	if (intel_hook_sign(s, kept >> 31 & 1))
		kept |= ~0xffffffffull;
	s->counter[c].value = counter_keeps(kept, s->counter[c].mask);
	intel_hook_general(s, c, value);
	return REGISTER_DONE;
}

/* SDM 18.2.5. */
static bool has_alias(const struct intel_state *s)
{
	return perf_capabilities(s) & CAP_FULL_WIDTH;
}

static enum register_answer write_alias(struct intel_state *s, unsigned c, uint64_t value)
{
	if (intel_reserved(s, &value, s->counter[c].mask))
		return REGISTER_FAULT;
	s->counter[c].value = counter_keeps(value, s->counter[c].mask);
	return REGISTER_DONE;
}

/* SDM 18.2.2: fixed counters are written in full width, the bits above must be 0. KVM drops them (Linux,
 * intel_pmu_set_msr()). */
static enum register_answer write_fixed(struct intel_state *s, unsigned c, uint64_t value)
{
	struct intel_counter *k = &s->counter[c];
	if (s->profile->under_hypervisor)
		value &= k->mask;
	if (intel_reserved(s, &value, k->mask))
		return REGISTER_FAULT;
	k->value = counter_keeps(intel_hook_fixed(s, c, value), k->mask);
	return REGISTER_DONE;
}

/* SDM 18.2.2, figure 18-2; bit 2 of a field is AnyThread, 18.2.3. */
static enum register_answer write_fixed_control(struct intel_state *s, uint64_t value)
{
	uint64_t field = FIXED_OS | FIXED_USR | FIXED_PMI, valid = 0;
	if (s->leaf.any_thread)
		field |= FIXED_ANY;
	for (unsigned i = 0; i < INTEL_FIXED_MAX; i++)
		if (s->leaf.fixed >> i & 1) {
			valid |= field << 4 * i;
			if (s->pebs.at.adaptive && i < 8)
				valid |= 1ull << (FIXED_ADAPTIVE_SHIFT + 4 * i);
			if (s->leaf.rdpmc_user && i < 8)
				valid |= 1ull << (FIXED_RDPMC_USER_SHIFT + 4 * i);
		}
	if (intel_metrics_exist(s) && perf_capabilities(s) & CAP_METRICS_CLEAR)
		valid |= FIXED_METRICS_CLEAR;
	if (intel_reserved(s, &value, valid))
		return REGISTER_FAULT;
	s->fixed_control = value;
	for (unsigned i = 0; i < INTEL_FIXED_MAX; i++)
		if (s->leaf.fixed >> i & 1)
			intel_decode_fixed(s, INTEL_GENERAL_MAX + i);
	intel_update_running(s);
	return REGISTER_DONE;
}

static uint64_t metrics_bit(const struct intel_state *s)
{
	return intel_metrics_exist(s) ? GLOBAL_METRICS : 0;
}

static enum register_answer write_global_control(struct intel_state *s, uint64_t value)
{
	if (intel_reserved(s, &value, counter_bits(s) | metrics_bit(s)))
		return REGISTER_FAULT;
	s->global_control = value;
	intel_update_running(s);
	return REGISTER_DONE;
}

/* Status bits that exist: SDM 18.2.2 figure 18-3, 18.2.3 figure 18-5, 18.2.4 figure 18-11. The trace bit 55
 * needs Intel PT, which no profile has. */
static uint64_t status_bits(const struct intel_state *s)
{
	uint64_t bits = counter_bits(s) | STATUS_OVF_BUF | STATUS_COND_CHGD | metrics_bit(s);
	if (s->leaf.version >= 3u)
		bits |= STATUS_OVF_UNCORE;
	if (s->pebs.at.architectural)
		bits |= STATUS_PEBS;
	if (s->leaf.version >= 4)
		bits |= STATUS_LBR_FRZ | STATUS_CTR_FRZ | STATUS_ASCI;
	if (s->leaf.version >= 4 && s->pt.exists)
		bits |= STATUS_TRACE_TOPA;
	return bits;
}

static enum register_answer write_ovf_control(struct intel_state *s, uint64_t value)
{
	if (intel_reserved(s, &value, status_bits(s)))
		return REGISTER_FAULT;
	s->ovf_control = value;
	s->status &= ~intel_hook_cleared(s, value);
	intel_hook_acknowledged(s);
	intel_update_running(s);
	return REGISTER_DONE;
}

/* SDM 18.2.4.3. CondChgd cannot be set. */
static enum register_answer write_status_set(struct intel_state *s, uint64_t value)
{
	if (intel_reserved(s, &value, intel_hook_settable(s, status_bits(s) & ~STATUS_COND_CHGD)))
		return REGISTER_FAULT;
	s->status = (value & ~STATUS_COND_CHGD) | s->status;
	intel_update_running(s);
	return REGISTER_DONE;
}

/* SDM 18.2.4.4, figure 18-13. */
static uint64_t in_use(const struct intel_state *s)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < INTEL_GENERAL_MAX; i++) {
		value |= (s->select[i] & 0xff) != 0 ? 1ull << i : 0;
		value |= s->select[i] & EVTSEL_INT ? INUSE_PMI : 0;
	}
	for (unsigned i = 0; i < INTEL_FIXED_MAX; i++) {
		uint64_t field = s->fixed_control >> 4 * i & FIXED_FIELD;
		value |= field & (FIXED_OS | FIXED_USR) ? 1ull << (GLOBAL_FIXED_SHIFT + i) : 0;
		value |= field & FIXED_PMI ? INUSE_PMI : 0;
	}
	return value;
}

static enum register_answer write_debugctl(struct intel_state *s, uint64_t value)
{
	if (s->profile->under_hypervisor)
		value &= ~(DEBUGCTL_LBR | DEBUGCTL_BTF);
	if (intel_reserved(s, &value, s->profile->debugctl) || intel_hook_debugctl_refused(s, value))
		return REGISTER_FAULT;
	s->debugctl = value;
	return REGISTER_DONE;
}

static enum register_answer answer(enum register_answer access, uint64_t *value, uint64_t content)
{
	*value = access == REGISTER_DONE ? content : 0;
	return access;
}

static enum register_answer present(bool condition)
{
	return condition ? REGISTER_DONE : REGISTER_FAULT;
}

/* Is the address that of counter `index` of a range starting at `base`? */
static bool in_range(uint32_t address, uint32_t base, unsigned size, unsigned *index)
{
	*index = address - base;
	return address >= base && *index < size;
}

static unsigned general_range(const struct intel_state *s)
{
	return s->leaf.general >> GENERAL_RANGE ? INTEL_GENERAL_MAX : GENERAL_RANGE;
}

static enum register_answer has_general(const struct intel_state *s, unsigned i)
{
	return present(i < INTEL_GENERAL_MAX && s->leaf.general >> i & 1);
}

static enum register_answer has_fixed(const struct intel_state *s, unsigned i)
{
	return present(s->leaf.fixed >> i & 1);
}

static enum register_answer has_version(const struct intel_state *s, unsigned version)
{
	if (version == 4)
		version = 4u;
	return present(s->leaf.version >= version);
}

/* Version 6: four registers for each counter, of which fixed counters lack the selector. Reload mask and
 * value exist for counters that CPUID.23H.2 names, the latter also for those that sample. */
static bool v6_counter(const struct intel_state *s, uint32_t address, unsigned *c, unsigned *part)
{
	bool fixed = address >= IA32_PMC_FX0_CTR;
	unsigned n = (address - (fixed ? IA32_PMC_FX0_CTR : IA32_PMC_GP0_CTR)) / 4;

	*part = address % 4;
	*c = fixed ? INTEL_GENERAL_MAX + n : n;
	if (s->leaf.version < 6u || !s->counter[*c].mask || (fixed && *part == 1))
		return false;
	return *part < 2 || s->leaf.reloaded & intel_global_bit(*c) ||
	       (*part == 3 && intel_apebs_config_bits(s, *c));
}

static enum register_answer read_v6(const struct intel_state *s, uint32_t address, uint64_t *value)
{
	unsigned c, part;

	*value = 0;
	if (!v6_counter(s, address, &c, &part))
		return REGISTER_FAULT;
	*value = part == 0   ? s->counter[c].value
		 : part == 1 ? s->select[c]
		 : part == 2 ? s->reload_by[c]
			     : s->cfg_c[c];
	return REGISTER_DONE;
}

static enum register_answer write_v6(struct intel_state *s, uint32_t address, uint64_t value)
{
	unsigned c, part;

	if (!v6_counter(s, address, &c, &part))
		return REGISTER_FAULT;
	switch (part) {
	case 0:
		return intel_is_fixed(c) ? write_fixed(s, c, value) : write_alias(s, c, value);
	case 1:
		return write_select(s, c, value);
	case 2:
		if (intel_reserved(s, &value, s->leaf.reloads))
			return REGISTER_FAULT;
		s->reload_by[c] = value;
		intel_update_running(s);
		return REGISTER_DONE;
	default:
		if (intel_reserved(s, &value, CFG_C_RELOAD | intel_apebs_config_bits(s, c)))
			return REGISTER_FAULT;
		s->cfg_c[c] = value;
		intel_apebs_changed(s);
		return REGISTER_DONE;
	}
}

static enum register_answer read_register(void *state, uint32_t address, uint64_t *value)
{
	struct intel_state *s = state;
	unsigned i;

	if (in_range(address, IA32_PMC0, general_range(s), &i))
		return answer(has_general(s, i), value, s->counter[i].value);
	if (in_range(address, IA32_PERFEVTSEL0, general_range(s), &i))
		return answer(has_general(s, i), value, intel_hook_select_read(s, i, s->select[i]));
	if (in_range(address, IA32_A_PMC0, general_range(s), &i))
		return answer(has_alias(s) ? has_general(s, i) : REGISTER_FAULT, value, s->counter[i].value);
	if (in_range(address, IA32_FIXED_CTR0, FIXED_RANGE, &i))
		return answer(has_fixed(s, i), value, s->counter[INTEL_GENERAL_MAX + i].value);
	switch (address) {
	case IA32_FIXED_CTR_CTRL:
		return answer(has_version(s, 2), value, s->fixed_control);
	case IA32_PERF_GLOBAL_STATUS:
		return answer(has_version(s, 2), value, s->status);
	case IA32_PERF_GLOBAL_CTRL:
		return answer(has_version(s, 2), value, s->global_control);
	case IA32_PERF_GLOBAL_OVF_CTRL:
		return answer(has_version(s, 2), value, 0);
	case IA32_PERF_GLOBAL_STATUS_SET:
		return answer(has_version(s, 4), value, 0);
	case IA32_PERF_GLOBAL_INUSE:
		return answer(has_version(s, 4), value, in_use(s));
	case IA32_PERF_CAPABILITIES:
		return answer(present(s->pdcm), value,
			      intel_hook_capabilities(s, s->profile->perf_capabilities));
	case MSR_SMI_COUNT:
		return answer(present(s->profile->counts_smis), value, s->smis);
	case IA32_DEBUGCTL:
		return answer(REGISTER_DONE, value, s->debugctl);
	default:
		break;
	}
	if (in_range(address, IA32_PMC_GP0_CTR, V6_RANGE, &i) ||
	    in_range(address, IA32_PMC_FX0_CTR, V6_RANGE, &i))
		return read_v6(s, address, value);
	if (address == MSR_PERF_METRICS)
		return answer(present(intel_metrics_exist(s)), value, intel_metrics_read(s));
	enum register_answer access = intel_lbr_read(s, address, value);
	if (access == REGISTER_NOT_MINE)
		access = intel_pt_read(s, address, value);
	if (access == REGISTER_NOT_MINE)
		access = intel_platform_read(s, address, value);
	return access == REGISTER_NOT_MINE ? intel_pebs_read(s, address, value) : access;
}

static enum register_answer write_register(void *state, uint32_t address, uint64_t value)
{
	struct intel_state *s = state;
	unsigned i;

	s->started = 0;
	if (intel_hook_hangs(s, address, value))
		return REGISTER_HANGS;
	if (in_range(address, IA32_PMC0, general_range(s), &i))
		return has_general(s, i) == REGISTER_DONE ? write_general(s, i, value) : REGISTER_FAULT;
	if (in_range(address, IA32_PERFEVTSEL0, general_range(s), &i))
		return has_general(s, i) == REGISTER_DONE ? write_select(s, i, value) : REGISTER_FAULT;
	if (in_range(address, IA32_A_PMC0, general_range(s), &i))
		return has_alias(s) && has_general(s, i) == REGISTER_DONE ? write_alias(s, i, value)
									  : REGISTER_FAULT;
	if (in_range(address, IA32_FIXED_CTR0, FIXED_RANGE, &i))
		return has_fixed(s, i) == REGISTER_DONE ? write_fixed(s, INTEL_GENERAL_MAX + i, value)
							: REGISTER_FAULT;
	switch (address) {
	case IA32_FIXED_CTR_CTRL:
		return has_version(s, 2) == REGISTER_DONE ? write_fixed_control(s, value) : REGISTER_FAULT;
	case IA32_PERF_GLOBAL_CTRL:
		return has_version(s, 2) == REGISTER_DONE ? write_global_control(s, value) : REGISTER_FAULT;
	case IA32_PERF_GLOBAL_OVF_CTRL:
		return has_version(s, 2) == REGISTER_DONE ? write_ovf_control(s, value) : REGISTER_FAULT;
	case IA32_PERF_GLOBAL_STATUS_SET:
		return has_version(s, 4) == REGISTER_DONE ? write_status_set(s, value) : REGISTER_FAULT;
	case IA32_PERF_GLOBAL_STATUS: /* read-only registers */
		return REGISTER_FAULT;
	case IA32_PERF_CAPABILITIES:
		return REGISTER_FAULT;
	case IA32_PERF_GLOBAL_INUSE:
	case MSR_SMI_COUNT:
		return REGISTER_FAULT;
	case IA32_DEBUGCTL:
		return write_debugctl(s, value);
	default:
		break;
	}
	if (in_range(address, IA32_PMC_GP0_CTR, V6_RANGE, &i) ||
	    in_range(address, IA32_PMC_FX0_CTR, V6_RANGE, &i))
		return write_v6(s, address, value);
	if (address == MSR_PERF_METRICS) {
		if (intel_metrics_exist(s))
			intel_metrics_write(s, value);
		return present(intel_metrics_exist(s));
	}
	enum register_answer access = intel_lbr_write(s, address, value);
	if (access == REGISTER_NOT_MINE)
		access = intel_pt_write(s, address, value);
	if (access == REGISTER_NOT_MINE)
		access = intel_platform_write(s, address, value);
	return access == REGISTER_NOT_MINE ? intel_pebs_write(s, address, value) : access;
}

static enum register_answer rdmsr(void *state, uint32_t address, uint64_t *value)
{
	enum register_answer access = read_register(state, address, value);

	if (access == REGISTER_FAULT)
		*value = 0;
	return intel_hook_absent(state, access);
}

/* What cannot be read does not exist; what can be read refuses reserved bits all the same. */
static enum register_answer wrmsr(void *state, uint32_t address, uint64_t value)
{
	enum register_answer access = write_register(state, address, value);
	uint64_t ignored;

	if (access == REGISTER_FAULT && read_register(state, address, &ignored) == REGISTER_FAULT)
		return intel_hook_absent(state, access);
	return access;
}

#define RDPMC_USER_BIT 37 /* EVTSEL_RDPMC_USER */

/* Whether this bit of a counter's control keeps it from who asks. There are bits for the first eight fixed
 * counters. */
static bool kept_from(const struct intel_state *s, unsigned level, uint64_t control, unsigned bit)
{
	bool outside = level != 0;

	return intel_hook_kept(s, s->leaf.rdpmc_user && outside && bit < 64 && control >> bit & 1);
}

/* SDM vol. 2, RDPMC: needs CPL 0 or CR4.PCE; index 40000000H + n is fixed counter n; anything that is no
 * counter raises #GP. */
static enum register_answer rdpmc(void *state, struct register_access *a)
{
	struct intel_state *s = state;
	uint32_t index = (uint32_t)a->number;
	bool fixed = index & RDPMC_FIXED;
	unsigned i = index & ~RDPMC_FIXED;

	a->value = 0;
	if (!a->permitted)
		return REGISTER_FAULT;
	const enum register_answer missing = intel_hook_absent(s, REGISTER_FAULT);
	if (index == RDPMC_METRICS && intel_metrics_exist(s)) {
		a->value = intel_metrics_read(s);
		/* "Metrics clear": the counter of slots with them. */
		if (s->fixed_control & FIXED_METRICS_CLEAR) {
			intel_metrics_write(s, 0);
			s->counter[INTEL_GENERAL_MAX + FIXED_SLOTS].value = 0;
		}
		return REGISTER_DONE;
	}
	if (fixed) {
		if (i >= INTEL_FIXED_MAX || !(s->leaf.fixed >> i & 1))
			return missing;
		i = intel_hook_rdpmc_fixed(s, i);
		a->value = kept_from(s, a->level, s->fixed_control, FIXED_RDPMC_USER_SHIFT + 4 * i)
				   ? 0
				   : s->counter[INTEL_GENERAL_MAX + i].value;
		return REGISTER_DONE;
	}
	if (i >= INTEL_GENERAL_MAX || !(s->leaf.general >> i & 1))
		return missing;
	i = intel_hook_rdpmc(s, i);
	a->value = kept_from(s, a->level, s->select[i], RDPMC_USER_BIT) ? 0 : s->counter[i].value;
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
	const struct intel_state *s = state;
	return s->n_running || intel_hook_waiting(s);
}

static bool recording(const void *state)
{
	return intel_lbr_enabled(state) || intel_bts_enabled(state) || intel_pebs_recording(state);
}

static bool take_pmi(void *state)
{
	struct intel_state *s = state;
	if (!s->pmi_pending)
		return false;
	s->pmi_pending = s->pmi_pending - 1;
	return true;
}

static bool line_stays(const void *state)
{
	return intel_hook_line_stays(state);
}

static bool other_switch(const void *state, const struct register_access *a)
{
	const struct intel_state *s = state;

	return a->space == SPACE_MSR && s->leaf.version >= 2 &&
	       (a->number == IA32_FIXED_CTR_CTRL || a->number - IA32_PERFEVTSEL0 < INTEL_GENERAL_MAX);
}

const struct pmu_model intel_model = {
	.name = "intel",
	.state_size = sizeof(struct intel_state),
	.injections = intel_injections,
	.errata = &intel_known_errata,
	.line_stays = line_stays,
	.reset = reset,
	.access = access,
	.other_switch = other_switch,
	.counts = intel_counts,
	.advance = intel_advance,
	.counting = counting,
	.increments = intel_increments,
	.recording = recording,
	.shows_vectors = intel_pebs_shows_vectors,
	.attach = intel_attach,
	.take_pmi = take_pmi,
	.has_other = intel_has_other,
	.join = intel_join,
};
