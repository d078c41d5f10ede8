/*
 * Which registers exist, what may be written to them, what they read.
 *
 * The manual says of reserved bits that they must be written 0, not what happens otherwise. What does is
 * known of a Pentium 4 of signature 0F43H, whose MSRs the authors of VirtualBox probed (its CPU database):
 * reserved bits of CCCRs and counters are not kept, bit 31 of an ESCR faults, its bits 63:32 are not kept,
 * and each ESCR keeps only the bits that its unit has. Models 3, 4 and 6 do as that part does; of earlier
 * ones nothing is known, and their ESCRs keep every bit here.
 */
#include "pmu/netburst/errata/errata.h"
#include "pmu/netburst/errata/hooks.h"
#include "pmu/netburst/model/model.h"
#include "pmu/netburst/netburst.h"
#include "pmu/contract/counter_bank.h"

#include <string.h>

#define ESCR_ALL      0x7fffffffu
#define ESCR_UNTAGGED (ESCR_ALL & ~(ESCR_TAG | ESCR_TAG_ENABLE))

/* Bits that the ESCRs of the probed part keep, by unit; both of a pair are alike. FSB's row of the probe is
 * garbled. */
static uint32_t escr_kept(const struct netburst_state *s, unsigned e)
{
	static const struct {
		uint8_t first;
		uint32_t lost;
	} units[] = {
		{DAC_ESCR0, 0x61fe01f0}, {U2L_ESCR0, 0x71c001f0},  {BPU_ESCR0, 0x61fc0000},
		{IS_ESCR0, 0x71fe01f0},  {ITLB_ESCR0, 0x0ffff1e0}, {CRU_ESCR0, 0x71fe01f0},
		{IQ_ESCR0, 0x7fffffff},  {MS_ESCR0, 0x61ff81e0},   {TBPU_ESCR0, 0x71fe01f0},
		{TC_ESCR0, 0x61f801f0},  {IX_ESCR0, 0x71fe01f0},   {ALF_ESCR0, 0x700001f0},
		{CRU_ESCR2, 0x61f001f0}, {CRU_ESCR4, 0x71ff01f0},
	};

	if (MODELS_3_4_6 >> s->model & 1)
		for (unsigned i = 0; i < sizeof units / sizeof units[0]; i++)
			if (e == units[i].first || e == units[i].first + 1u)
				return ESCR_ALL & ~units[i].lost;
	return ESCR_ALL;
}

/* Bit 11 is there where the counter takes part in extended cascading: 18.15.5.6, table 18-65. The probed part
 * keeps bits 10 to 8 of the last two as well; nothing is known of them. */
static uint32_t cccr_kept(const struct netburst_state *s, unsigned c)
{
	uint32_t kept = 0xfffff000;

	if (MODELS_2_AND_LATER >> s->model & 1 && netburst_counter[c].extended_cascade_from != NO_COUNTER)
		kept |= CCCR_EXTENDED_CASCADE;
	if (MODELS_3_4_6 >> s->model & 1 && c >= 16)
		kept |= 0x700;
	return kept;
}

static void reset(void *state, const struct model_profile *profile, const struct model_injected *injections)
{
	struct netburst_state *s = state;

	memset(s, 0, sizeof *s);
	s->profile = profile->data;
	s->model = s->profile->model;
	if (injections)
		s->deviations.active = *injections;
	s->misc_enable = s->profile->misc_enable;
	s->tc_precise_event = 0xfc00;
	for (unsigned c = 0; c < NETBURST_COUNTERS; c++)
		s->counter[c].started_by = NO_COUNTER;
	netburst_hook_reset(s);
	netburst_update(s);
}

/* Numbers in the range that belong to no ESCR of this model. 3BFH would be a second SSU ESCR: there is none.
 * IQ's are gone from model 3 on; there the probed part takes writes to them and keeps nothing. */
static bool is_escr(uint32_t address, unsigned *e)
{
	for (*e = 0; *e < ESCR_COUNT; ++*e)
		if (netburst_escr[*e].msr == address)
			return true;
	return false;
}

static enum register_answer write_escr(struct netburst_state *s, unsigned e, uint64_t value)
{
	if (value >> 31 & 1)
		return REGISTER_FAULT;
	s->escr[e] = (uint32_t)value & escr_kept(s, e);
	netburst_update(s);
	return REGISTER_DONE;
}

static void stop_cascade(struct netburst_state *s, unsigned from)
{
	for (unsigned c = 0; c < NETBURST_COUNTERS; c++)
		if (s->counter[c].started_by == from)
			s->counter[c].started_by = NO_COUNTER;
}

/* OVF is cleared by writing 0: 18.15.3. A cascade ends with CASCADE of the counter that was started, or with
 * OVF of the one that started it: 18.15.5.5. */
static enum register_answer write_cccr(struct netburst_state *s, unsigned c, uint64_t value)
{
	struct netburst_line *k = &s->counter[c];
	uint32_t kept = (uint32_t)value & cccr_kept(s, c);

	s->cccr[c] = kept;
	if (!(kept & (CCCR_CASCADE | CCCR_EXTENDED_CASCADE)))
		k->started_by = NO_COUNTER;
	if (!(kept & CCCR_OVF)) {
		k->pmi_due = false;
		netburst_hook_cleared(s);
		stop_cascade(s, c);
	}
	netburst_update(s);
	return REGISTER_DONE;
}

/* 18.15.2: 40 bits; those above are not kept. */
static enum register_answer write_counter(struct netburst_state *s, unsigned c, uint64_t value)
{
	struct netburst_line *k = &s->counter[c];

	k->value = counter_keeps(value, NETBURST_HIGHEST);
	k->pebs_due = false;
	return REGISTER_DONE;
}

/* Bits 7, 11 and 12 tell what there is and cannot be written; ones in 11 and 12 fault on the probed part. */
static enum register_answer write_misc_enable(struct netburst_state *s, uint64_t value)
{
	const uint32_t absent = MISC_ENABLE_BTS_ABSENT | MISC_ENABLE_PEBS_ABSENT;

	if (value & absent & ~s->misc_enable)
		return REGISTER_FAULT;
	const uint32_t kept = absent | MISC_ENABLE_PERFMON;

	s->misc_enable = ((uint32_t)value & ~kept) | (s->misc_enable & kept);
	netburst_update(s);
	return REGISTER_DONE;
}

/* 17.11.1; bits 5 and 6 with CPUID.1:ECX[4]. */
static enum register_answer write_debugctl(struct netburst_state *s, uint64_t value)
{
	uint64_t valid = DEBUGCTLA_LBR | DEBUGCTLA_BTF | DEBUGCTLA_TR | DEBUGCTLA_BTS | DEBUGCTLA_BTINT;

	if (s->profile->ds_cpl)
		valid |= DEBUGCTLA_BTS_OFF_OS | DEBUGCTLA_BTS_OFF_USR;
	if (value & ~valid)
		return REGISTER_FAULT;
	s->thread[s->here].debugctl = value;
	netburst_update(s);
	return REGISTER_DONE;
}

/* The stack in its two shapes. @return NULL if the address is no register of it; *high tells a register that
 * holds both addresses. */
static uint64_t *lbr_at(struct netburst_state *s, uint32_t address, bool *joint)
{
	unsigned depth = netburst_lbr_depth(s);
	struct netburst_thread *t = &s->thread[s->here];

	*joint = depth == 4;
	if (*joint)
		return address - MSR_LASTBRANCH_0 < 4 ? &t->lbr_from[address - MSR_LASTBRANCH_0] : NULL;
	if (address - MSR_LASTBRANCH_FROM_0 < LBR_MAX)
		return &t->lbr_from[address - MSR_LASTBRANCH_FROM_0];
	if (address - MSR_LASTBRANCH_TO_0 < LBR_MAX)
		return &t->lbr_to[address - MSR_LASTBRANCH_TO_0];
	return NULL;
}

/* 18.16.3: bits 25 and 26 are those of the logical processor that accesses them, and of the other one. */
static uint64_t as_seen(const struct netburst_state *s, uint64_t pebs_enable)
{
	uint64_t own = pebs_enable & PEBS_ENABLE_MINE, other = pebs_enable & PEBS_ENABLE_OTHER;

	if (!s->here)
		return pebs_enable;
	return (pebs_enable & ~(uint64_t)(PEBS_ENABLE_MINE | PEBS_ENABLE_OTHER)) | own << 1 | other >> 1;
}

/* Bit 26 is reserved without Hyper-Threading: table 35-41. */
static enum register_answer write_pebs_enable(struct netburst_state *s, uint64_t value)
{
	uint64_t kept = 0x7ffffffull;

	if (!s->profile->hyper_threading)
		kept &= ~(uint64_t)PEBS_ENABLE_OTHER;
	s->pebs_enable = as_seen(s, value & kept);
	netburst_update(s);
	return REGISTER_DONE;
}

/* Parts with 64-bit mode want a canonical address. SDM vol. 2, WRMSR. */
static enum register_answer write_ds_area(struct netburst_state *s, uint64_t value)
{
	bool canonical = (uint64_t)((int64_t)(value << 16) >> 16) == value;

	if (!canonical && MODELS_3_4_6 >> s->model & 1)
		return REGISTER_FAULT;
	s->thread[s->here].ds_area = value;
	return REGISTER_DONE;
}

/* 18.20, 18.21. */
static bool has_l3(const struct netburst_state *s)
{
	return s->profile->l3;
}

static uint64_t *plain_register(struct netburst_state *s, uint32_t address, uint64_t *kept)
{
	switch (address) {
	case MSR_TC_PRECISE_EVENT:
		*kept = 0x3ffe0;
		return &s->tc_precise_event;
	case MSR_PEBS_MATRIX_VERT:
		*kept = 0x1fff;
		return &s->pebs_vert;
	default:
		*kept = UINT64_MAX;
		return has_l3(s) && address - MSR_IFSB_BUSQ0 < NETBURST_L3_COUNTERS
			       ? &s->l3[address - MSR_IFSB_BUSQ0]
			       : NULL;
	}
}

/* Addresses that are this unit's on some model. */
static bool ours(uint32_t address)
{
	return (address >= 0x3a0 && address <= 0x3e1) || address - MSR_LASTBRANCH_0 < 4 ||
	       address - MSR_LASTBRANCH_FROM_0 < LBR_MAX || address - MSR_LASTBRANCH_TO_0 < LBR_MAX;
}

static enum register_answer rdmsr(void *state, uint32_t address, uint64_t *value)
{
	struct netburst_state *s = state;
	struct netburst_thread *t = &s->thread[s->here];
	uint64_t *plain, kept;
	bool joint;
	unsigned e;

	if (address - MSR_NETBURST_COUNTER0 < NETBURST_COUNTERS) {
		*value = s->counter[address - MSR_NETBURST_COUNTER0].value;
	} else if (address - MSR_NETBURST_CCCR0 < NETBURST_COUNTERS) {
		*value = s->cccr[address - MSR_NETBURST_CCCR0];
	} else if (is_escr(address, &e)) {
		*value = s->escr[e];
	} else if ((plain = plain_register(s, address, &kept)) != NULL) {
		*value = *plain;
	} else if ((plain = lbr_at(s, address, &joint)) != NULL) {
		*value = *plain;
		if (joint)
			*value = (uint32_t)*plain | t->lbr_to[plain - t->lbr_from] << 32;
	} else if (address == MSR_DS_AREA) {
		*value = t->ds_area;
	} else if (address == MSR_PEBS_ENABLE) {
		*value = as_seen(s, s->pebs_enable);
	} else if (address == MSR_MISC_ENABLE) {
		*value = s->misc_enable;
	} else if (address == MSR_DEBUGCTLA) {
		*value = t->debugctl;
	} else if (address == MSR_LASTBRANCH_TOS) {
		*value = t->tos;
	} else if (address == MSR_LER_FROM_LIP) {
		*value = t->ler_from;
	} else if (address == MSR_LER_TO_LIP) {
		*value = t->ler_to;
	} else {
		*value = 0;
		return ours(address) ? REGISTER_FAULT : REGISTER_NOT_MINE;
	}
	return REGISTER_DONE;
}

static enum register_answer wrmsr(void *state, uint32_t address, uint64_t value)
{
	struct netburst_state *s = state;
	struct netburst_thread *t = &s->thread[s->here];
	uint64_t *plain, kept;
	bool joint;
	unsigned e;

	s->started = 0;
	value = netburst_hook_write(s, address, value);
	if (address - MSR_NETBURST_COUNTER0 < NETBURST_COUNTERS)
		return write_counter(s, address - MSR_NETBURST_COUNTER0, value);
	if (address - MSR_NETBURST_CCCR0 < NETBURST_COUNTERS)
		return write_cccr(s, address - MSR_NETBURST_CCCR0, value);
	if (is_escr(address, &e))
		return write_escr(s, e, value);
	if ((plain = plain_register(s, address, &kept)) != NULL) {
		*plain = value & kept;
		netburst_update(s);
		return REGISTER_DONE;
	}
	if ((plain = lbr_at(s, address, &joint)) != NULL) {
		*plain = joint ? (uint32_t)value : value;
		if (joint)
			t->lbr_to[plain - t->lbr_from] = value >> 32;
		return REGISTER_DONE;
	}
	switch (address) {
	case MSR_DS_AREA:
		return write_ds_area(s, value);
	case MSR_PEBS_ENABLE:
		return write_pebs_enable(s, value);
	case MSR_MISC_ENABLE:
		return write_misc_enable(s, value);
	case MSR_DEBUGCTLA:
		return write_debugctl(s, value);
	case MSR_LASTBRANCH_TOS:
		t->tos = (uint8_t)(value & (netburst_lbr_depth(s) - 1));
		return REGISTER_DONE;
	case MSR_LER_FROM_LIP: /* read-only */
	case MSR_LER_TO_LIP:
		return REGISTER_FAULT;
	default:
		return ours(address) ? REGISTER_FAULT : REGISTER_NOT_MINE;
	}
}

/* SDM vol. 2, RDPMC: the number of a counter, bit 31 for the fast form of 32 bits. */
static enum register_answer rdpmc(void *state, struct register_access *a)
{
	const struct netburst_state *s = state;
	uint32_t index = (uint32_t)a->number;
	unsigned c = index & ~RDPMC_FAST;

	a->value = 0;
	if (!a->permitted)
		return REGISTER_FAULT;
	if (c - RDPMC_L3 < NETBURST_L3_COUNTERS && has_l3(s)) {
		a->value = (uint32_t)s->l3[c - RDPMC_L3];
		return REGISTER_DONE;
	}
	if (c >= NETBURST_COUNTERS)
		return REGISTER_FAULT;
	a->value = s->counter[c].value;
	if (index & RDPMC_FAST)
		a->value &= 0xffffffff;
	a->value = netburst_hook_rdpmc(s, c, index & RDPMC_FAST, a->value);
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
	const struct netburst_state *s = state;

	return s->running || s->recording;
}

static bool recording(const void *state)
{
	return ((const struct netburst_state *)state)->recording;
}

static void attach(void *state, const struct step_memory *memory)
{
	((struct netburst_state *)state)->memory = memory;
}

static void place(void *state, unsigned thread)
{
	((struct netburst_state *)state)->here = thread & 1;
}

static bool take_pmi_of(void *state, unsigned thread)
{
	struct netburst_state *s = state;

	if (!s->pmi_pending[thread])
		return false;
	s->pmi_pending[thread] -= 1;
	return true;
}

static bool take_pmi(void *state)
{
	return take_pmi_of(state, 0);
}

static bool other_switch(const void *state, const struct register_access *a)
{
	(void)state;
	return a->space == SPACE_MSR && a->number - MSR_NETBURST_CCCR0 < NETBURST_COUNTERS;
}

const struct pmu_model netburst_model = {
	.name = "netburst",
	.state_size = sizeof(struct netburst_state),
	.injections = netburst_injections,
	.errata = &netburst_known_errata,
	.reset = reset,
	.access = access,
	.other_switch = other_switch,
	.advance = netburst_advance,
	.counting = counting,
	.increments = netburst_increments,
	.recording = recording,
	.attach = attach,
	.place = place,
	.take_pmi = take_pmi,
	.take_pmi_of = take_pmi_of,
};
