/*
 * PMUv3's registers as software sees them (Arm ARM, descriptions of these registers).
 *
 * Where the manual leaves a choice (CONSTRAINED UNPREDICTABLE), the first one of it is taken: an event
 * counter that does not exist is UNDEFINED by its own register, and reads as zero by PMSELR_EL0.
 */
#include "pmu/armv8/errata/hooks.h"
#include "pmu/armv8/model/model.h"
#include "pmu/contract/counter_bank.h"

#include <string.h>

#define UNKNOWN UINT64_C(0xa5a5a5a5a5a5a5a5)

/* --- who may access what: the accessibility of each register ------------------------------------------ */

enum rights {
	READS = 1,
	WRITES = 2,
	BOTH = READS | WRITES,
	USER = 4,          /* EL0 may, too, where PMUSERENR_EL0.EN lets it */
	USER_SW = 8,       /* ... or SW lets it write */
	USER_CR = 16,      /* ... or CR lets it read */
	USER_ER = 32,      /* ... or ER lets it read */
	USER_ER_BOTH = 64, /* ... or write */
	USER_READS = 128,  /* EL0 may always read */
	USER_UEN = 256,    /* ... or UEN lets it */
};

static const struct {
	uint32_t number;
	uint16_t rights;
	uint8_t since; /* PMUVer */
} registers[] = {
	{PMCR_EL0, BOTH | USER, 0},
	{PMCNTENSET_EL0, BOTH | USER | USER_UEN, 0},
	{PMCNTENCLR_EL0, BOTH | USER | USER_UEN, 0},
	{PMOVSCLR_EL0, BOTH | USER | USER_UEN, 0},
	{PMSWINC_EL0, WRITES | USER | USER_SW | USER_UEN, 0},
	{PMSELR_EL0, BOTH | USER | USER_ER | USER_ER_BOTH | USER_UEN, 0},
	{PMCEID0_EL0, READS | USER | USER_UEN, 0},
	{PMCEID1_EL0, READS | USER | USER_UEN, 0},
	{PMCCNTR_EL0, BOTH | USER | USER_CR | USER_UEN, 0},
	{PMXEVTYPER_EL0, BOTH | USER | USER_UEN, 0},
	{PMXEVCNTR_EL0, BOTH | USER | USER_ER | USER_UEN, 0},
	{PMZR_EL0, WRITES | USER | USER_UEN, PMUVER_3_9},
	{PMUSERENR_EL0, BOTH | USER_READS, 0},
	{PMOVSSET_EL0, BOTH | USER | USER_UEN, 0},
	{PMINTENSET_EL1, BOTH, 0},
	{PMINTENCLR_EL1, BOTH, 0},
	{PMUACR_EL1, BOTH, PMUVER_3_9},
	{PMMIR_EL1, READS, PMUVER_3_4},
	{PMCCFILTR_EL0, BOTH | USER | USER_UEN, 0},
};

/* @return 0: there is no such register */
static unsigned rights_of(const struct armv8_state *s, uint64_t number)
{
	bool both;

	for (unsigned i = 0; i < sizeof registers / sizeof *registers; i++)
		if (registers[i].number == number)
			return s->part->version >= registers[i].since ? registers[i].rights : 0;
	if (armv8_snapshot_has(s, number, &both) || armv8_profiling_has(s, number, &both))
		return both ? BOTH : READS;
	if (number == PMICNTR_EL0 || number == PMICFILTR_EL0)
		return s->part->icntr ? BOTH | USER_UEN : 0;
	if (number >= PMEVCNTR_EL0 && number < PMEVCNTR_EL0 + armv8_first_range(s))
		return BOTH | USER | USER_ER | USER_UEN;
	if (number >= PMEVTYPER_EL0 && number < PMEVTYPER_EL0 + armv8_first_range(s))
		return BOTH | USER | USER_UEN;
	return 0;
}

/* Arm ARM, PMUSERENR_EL0: what it does not permit is trapped to EL1. With UEN it permits all that has to do
 * with counters, and what the bits below forbid is ignored. */
static bool user_may(const struct armv8_state *s, unsigned rights, bool write)
{
	if (!write && rights & USER_READS)
		return true;
	if (s->userenr & PMUSERENR_UEN)
		return rights & USER_UEN;
	if (s->userenr & PMUSERENR_EN && rights & USER)
		return true;
	if (s->userenr & PMUSERENR_SW && write && rights & USER_SW)
		return true;
	if (s->userenr & PMUSERENR_CR && !write && rights & USER_CR)
		return true;
	return s->userenr & PMUSERENR_ER && rights & (write ? USER_ER_BOTH : USER_ER);
}

/* Whether the number is one of those that the architecture has given to the PMU: of op0 3, CRn 9 with CRm 12
 * to 14, 4 and 6, CRn 14 with CRm 8 to 15 and op1 3, and those of profiling; of op0 2, CRn 14 with CRm 8 to 15 and op1 0. */
static bool is_mine(uint64_t number)
{
	unsigned op1 = number >> 11 & 7, crn = number >> 7 & 15, crm = number >> 3 & 15;

	if (number >> 14 == 2)
		return crn == 14 && op1 == 0 && crm >= 8;
	if (number >> 14 != 3)
		return false;
	if (crn == 9 && op1 == 3 && (crm == 4 || crm == 6))
		return true;
	if (crn == 9 && op1 == 0 && (crm == 9 || crm == 10))
		return true;
	return (crn == 9 && crm >= 12 && crm <= 14 && (op1 == 3 || (op1 == 0 && crm >= 13))) ||
	       (crn == 14 && crm >= 8 && op1 == 3);
}

/* --- what is kept of a write ---------------------------------------------------------------------------- */

/* Arm ARM, PMCR_EL0. */
static uint64_t pmcr_kept(const struct armv8_state *s)
{
	uint64_t kept = PMCR_E | PMCR_D | PMCR_X | PMCR_DP | PMCR_LC;

	if (s->part->version >= PMUVER_3_5)
		kept |= PMCR_LP;
	if (s->part->version >= PMUVER_3_7)
		kept |= PMCR_FZO;
	if (s->part->profiling)
		kept |= PMCR_FZS;
	return armv8_hook_pmcr(s, kept);
}

/* Arm ARM, PMUSERENR_EL0. */
static uint32_t userenr_kept(const struct armv8_state *s)
{
	uint32_t kept = PMUSERENR_EN | PMUSERENR_SW | PMUSERENR_CR | PMUSERENR_ER;

	if (s->part->version >= PMUVER_3_9)
		kept |= PMUSERENR_UEN | PMUSERENR_TID;
	return kept | (s->part->icntr ? PMUSERENR_IR : 0);
}

/* Arm ARM, PMEVTYPER<n>_EL0; PMCCFILTR_EL0 and PMICFILTR_EL0 have the filters alone. */
static uint64_t type_kept(const struct armv8_state *s, unsigned c)
{
	const struct armv8_part *part = s->part;
	uint64_t kept = TYPER_P | TYPER_U;
	unsigned bits = part->pmmir >> PMMIR_THWIDTH & 0xf, edges = part->pmmir >> PMMIR_EDGE & 0xf;

	if (part->secure)
		kept |= TYPER_NSK | TYPER_NSU | TYPER_M;
	if (part->hypervisor)
		kept |= TYPER_NSH;
	if (c >= ARMV8_CYCLES)
		return kept;
	if (part->multithreaded)
		kept |= TYPER_MT;
	kept |= part->version >= PMUVER_3_1 ? TYPER_EVENT : TYPER_EVENT_3_0;
	if (part->version < PMUVER_3_8 || !bits)
		return kept;
	if (edges)
		kept |= TYPER_TE;
	if (edges >= EDGE_LINKS && c % 2)
		kept |= UINT64_C(3) << TYPER_TLC;
	return kept | ((UINT64_C(1) << bits) - 1) << TYPER_TH | UINT64_C(7) << TYPER_TC;
}

static void write_type(struct armv8_state *s, unsigned c, uint64_t value)
{
	s->counter[c].type = value & type_kept(s, c);
	armv8_decode(s, c);
}

static void write_counter(struct armv8_state *s, unsigned c, uint64_t value)
{
	s->counter[c].value = counter_keeps(value, armv8_highest(s, c));
}

static void write_pmcr(struct armv8_state *s, uint64_t value)
{
	for (unsigned c = 0; value & PMCR_P && c < armv8_first_range(s); c++)
		s->counter[c].value = 0;
	if (value & PMCR_C) {
		s->counter[ARMV8_CYCLES].value = 0;
		s->cycles = 0;
	}
	s->pmcr = value & pmcr_kept(s);
}

/* PMSELR_EL0.SEL: 31 is the cycle counter's filter, and no event counter. */
static bool selected(const struct armv8_state *s, bool type, unsigned *c)
{
	*c = s->selr;
	return s->selr < armv8_first_range(s) || (type && s->selr == ARMV8_CYCLES);
}

/* --- what PMUACR_EL1 and PMUSERENR_EL0 leave EL0 of a permitted access
 * ----------------------------------------------------------------------- */

/* Arm ARM, GetPMUAccessMask(): counters that exist for a level. PMICNTR_EL0 is not EL0's without UEN. */
static uint64_t seen(const struct armv8_state *s, uint8_t level)
{
	uint64_t mine = armv8_hook_mine(s, armv8_mine(s));

	if (!level)
		return mine;
	return s->userenr & PMUSERENR_UEN ? mine & s->uacr : mine & ~(UINT64_C(1) << ARMV8_INSTRUCTIONS);
}

/* Arm ARM, GetPMUWriteMask(). */
static uint64_t writable(const struct armv8_state *s, uint8_t level)
{
	uint64_t mask = seen(s, level);

	if (!level || !(s->userenr & PMUSERENR_UEN))
		return mask;
	if (s->userenr & PMUSERENR_IR)
		mask &= ~(UINT64_C(1) << ARMV8_INSTRUCTIONS);
	if (s->userenr & PMUSERENR_CR)
		mask &= ~(UINT64_C(1) << ARMV8_CYCLES);
	if (s->userenr & PMUSERENR_ER)
		mask &= ~armv8_below(ARMV8_GENERAL);
	return mask;
}

/* Arm ARM, PMUSwIncrement(): SW lets EL0 count on all of EL1's counters. */
static uint64_t software(const struct armv8_state *s, uint8_t level)
{
	return s->userenr & PMUSERENR_SW ? armv8_mine(s) : seen(s, level);
}

/* The counter of a register that is one counter's alone. @return false: it is none's */
static bool counter_of(const struct armv8_state *s, uint64_t number, unsigned *c)
{
	*c = (unsigned)(number - PMEVCNTR_EL0) % 32;
	if (number == PMICNTR_EL0 || number == PMICFILTR_EL0)
		*c = ARMV8_INSTRUCTIONS;
	else if (number == PMCCNTR_EL0 || number == PMCCFILTR_EL0)
		*c = ARMV8_CYCLES;
	else if (number == PMXEVTYPER_EL0 || number == PMXEVCNTR_EL0)
		return selected(s, number == PMXEVTYPER_EL0, c);
	else
		return number >= PMEVCNTR_EL0;
	return true;
}

static void zero(struct armv8_state *s, uint64_t counters)
{
	for (unsigned c = 0; c <= ARMV8_INSTRUCTIONS; c++)
		if (counters >> c & 1)
			s->counter[c].value = 0;
}

/* --- accesses ------------------------------------------------------------------------------------------- */

static uint64_t read_register(const struct armv8_state *s, uint64_t number, uint8_t level)
{
	unsigned c;
	bool both;

	if (armv8_snapshot_has(s, number, &both))
		return armv8_snapshot_read(s, number);
	if (armv8_profiling_has(s, number, &both))
		return armv8_profiling_read(s, number);
	switch (number) {
	case PMCR_EL0:
		return s->pmcr | (uint32_t)armv8_first_range(s) << PMCR_N | (uint32_t)s->part->idcode << 16 |
		       (uint32_t)s->part->implementer << 24;
	case PMCNTENSET_EL0:
	case PMCNTENCLR_EL0:
		return s->enabled & seen(s, level);
	case PMOVSSET_EL0:
	case PMOVSCLR_EL0:
		return armv8_hook_shown(s, s->overflowed) & seen(s, level);
	case PMINTENSET_EL1:
	case PMINTENCLR_EL1:
		return s->interrupting & seen(s, level);
	case PMSELR_EL0:
		return s->selr;
	case PMUSERENR_EL0:
		return s->userenr;
	case PMCEID0_EL0:
		return armv8_hook_listed(s, s->part->ceid[0]);
	case PMCEID1_EL0:
		return s->part->ceid[1];
	case PMUACR_EL1:
		return s->uacr;
	case PMMIR_EL1:
		return s->part->pmmir;
	case PMCCNTR_EL0:
		return s->counter[ARMV8_CYCLES].value;
	case PMCCFILTR_EL0:
		return s->counter[ARMV8_CYCLES].type;
	case PMICNTR_EL0:
		return s->counter[ARMV8_INSTRUCTIONS].value;
	case PMICFILTR_EL0:
		return s->counter[ARMV8_INSTRUCTIONS].type | EVENT_INST_RETIRED;
	case PMXEVTYPER_EL0:
		return selected(s, true, &c) ? s->counter[c].type : 0;
	case PMXEVCNTR_EL0:
		return selected(s, false, &c) ? s->counter[c].value : 0;
	default:
		return number >= PMEVTYPER_EL0 ? s->counter[number - PMEVTYPER_EL0].type
					       : armv8_hook_read(s, (unsigned)(number - PMEVCNTR_EL0));
	}
}

static void write_register(struct armv8_state *s, uint64_t number, uint64_t value, uint8_t level)
{
	uint64_t mask = value & writable(s, level);
	unsigned c;

	switch (number) {
	case PMCR_EL0:
		write_pmcr(s, value);
		break;
	case PMCNTENSET_EL0:
		s->enabled |= mask;
		break;
	case PMCNTENCLR_EL0:
		s->enabled &= ~mask;
		break;
	case PMOVSSET_EL0:
		s->overflowed |= mask;
		break;
	case PMOVSCLR_EL0:
		s->overflowed &= ~armv8_hook_cleared(s, mask);
		break;
	case PMINTENSET_EL1:
		s->interrupting |= mask;
		break;
	case PMINTENCLR_EL1:
		s->interrupting &= ~mask;
		break;
	case PMSWINC_EL0:
		armv8_software(s, value & software(s, level), level);
		break;
	case PMSELR_EL0:
		s->selr = value & 0x1f;
		break;
	case PMUSERENR_EL0:
		s->userenr = value & userenr_kept(s);
		break;
	case PMCCNTR_EL0:
		s->counter[ARMV8_CYCLES].value = value;
		break;
	case PMICNTR_EL0:
		s->counter[ARMV8_INSTRUCTIONS].value = value;
		break;
	case PMICFILTR_EL0:
		write_type(s, ARMV8_INSTRUCTIONS, value);
		break;
	case PMECR_EL1:
	case PMSSCR_EL1:
		armv8_snapshot_write(s, number, value);
		break;
	case PMSCR_EL1:
	case PMBLIMITR_EL1:
	case PMBSR_EL1:
		armv8_profiling_write(s, number, value);
		break;
	case PMZR_EL0:
		zero(s, armv8_hook_zeroed(s, mask));
		break;
	case PMUACR_EL1:
		s->uacr = mask;
		break;
	case PMCCFILTR_EL0:
		write_type(s, ARMV8_CYCLES, value);
		break;
	case PMXEVTYPER_EL0:
		if (selected(s, true, &c))
			write_type(s, c, value);
		break;
	case PMXEVCNTR_EL0:
		if (selected(s, false, &c))
			write_counter(s, c, value);
		break;
	default:
		if (number >= PMEVTYPER_EL0)
			write_type(s, (unsigned)(number - PMEVTYPER_EL0), value);
		else
			write_counter(s, (unsigned)(number - PMEVCNTR_EL0), value);
	}
}

static bool is_list(uint64_t number)
{
	return number == PMCEID0_EL0 || number == PMCEID1_EL0;
}

enum register_answer armv8_access(void *state, struct register_access *a)
{
	struct armv8_state *s = state;
	unsigned rights, c;

	if (a->space != SPACE_SYSTEM || !is_mine(a->number))
		return REGISTER_NOT_MINE;
	rights = rights_of(s, a->number);
	if (!(rights & (a->write ? WRITES : READS)) || (a->level && !user_may(s, rights, a->write)))
		return REGISTER_FAULT;
	if (a->level && is_list(a->number) && s->userenr & PMUSERENR_TID)
		return REGISTER_FAULT;
	if (counter_of(s, a->number, &c) &&
	    !(armv8_hook_user(s, a->write ? writable(s, a->level) : seen(s, a->level)) >> c & 1)) {
		a->value = a->write ? a->value : 0;
		return REGISTER_DONE;
	}
	if (!a->write) {
		a->value = read_register(s, a->number, a->level);
		return REGISTER_DONE;
	}
	write_register(s, a->number, a->value, a->level);
	s->written = a->number;
	armv8_update(s);
	s->written = 0;
	return REGISTER_DONE;
}

/* --- power-up ------------------------------------------------------------------------------------------- */

/* Of a Warm reset PMCR_EL0.E, LP and FZO are known. */
static void reset(void *state, const struct model_profile *profile, const struct model_injected *active)
{
	struct armv8_state *s = state;

	memset(s, 0, sizeof *s);
	s->part = profile->data;
	if (active)
		s->injections = *active;
	s->mdcr = s->part->mdcr;
	if (!armv8_first_range(s))
		s->mdcr |= s->part->counters;
	s->pmcr = (uint32_t)UNKNOWN & (PMCR_D | PMCR_X | PMCR_DP | PMCR_LC);
	s->enabled = s->overflowed = s->interrupting = UNKNOWN & armv8_all(s);
	s->uacr = UNKNOWN & armv8_mine(s);
	s->userenr = (uint32_t)UNKNOWN & userenr_kept(s);
	s->captures = s->part->hypervisor || s->part->secure ? SSE_PROHIBITED : SSE_OFF;
	s->not_captured = true;
	s->sampling = s->buffer_status = (uint32_t)UNKNOWN;
	s->buffer_limit = UNKNOWN & ~(uint64_t)PMBLIMITR_E;
	s->selr = (uint32_t)UNKNOWN & 0x1f;
	for (unsigned c = 0; c <= ARMV8_INSTRUCTIONS; c++) {
		if (!(armv8_all(s) >> c & 1))
			continue;
		write_type(s, c, UNKNOWN);
		write_counter(s, c, UNKNOWN);
		s->saved[c] = UNKNOWN;
	}
	armv8_update(s);
}

static bool take_request(void *state)
{
	struct armv8_state *s = state;
	bool was = s->request;

	s->request = false;
	return was;
}

/* Delivery leaves the interrupt asserted: it is the interrupt controller's to mask. */
static bool line_stays(const void *state)
{
	(void)state;
	return true;
}

const struct pmu_model armv8_model = {
	.name = "armv8",
	.state_size = sizeof(struct armv8_state),
	.injections = armv8_injections,
	.line_stays = line_stays,
	.reset = reset,
	.access = armv8_access,
	.advance = armv8_advance,
	.counts = armv8_counts,
	.counting = armv8_counting,
	.increments = armv8_increments,
	.take_pmi = take_request,
};
