/*
 * Statistical profiling as far as counters depend on it (Arm ARM, SPEFreezeOnEvent(), PMBLIMITR_EL1, PMBSR_EL1):
 * nothing is ever sampled, and software alone says that profiling has stopped.
 */
#include "pmu/armv8/model/model.h"

/* Arm ARM, PMSCR_EL1 without EL2's part, PMBLIMITR_EL1 (LIMIT, PMFZ, FM, E) and PMBSR_EL1 (EC, DL, EA, S, COLL, BSC). */
#define SCR_KEPT    0xfbu
#define LIMIT_KEPT  UINT64_C(0xfffffffffffff027)
#define STATUS_KEPT 0xfc0f003fu

bool armv8_profiling_has(const struct armv8_state *s, uint64_t number, bool *writable)
{
	*writable = number != PMBIDR_EL1;
	return s->part->profiling && (number == PMSCR_EL1 || number == PMBLIMITR_EL1 ||
				      number == PMBSR_EL1 || number == PMBIDR_EL1);
}

/* PMBIDR_EL1: the buffer is EL1's, and has no alignment. */
uint64_t armv8_profiling_read(const struct armv8_state *s, uint64_t number)
{
	return number == PMSCR_EL1       ? s->sampling
	       : number == PMBLIMITR_EL1 ? s->buffer_limit
	       : number == PMBSR_EL1     ? s->buffer_status
					 : 0;
}

void armv8_profiling_write(struct armv8_state *s, uint64_t number, uint64_t value)
{
	if (number == PMSCR_EL1)
		s->sampling = (uint32_t)value & SCR_KEPT;
	else if (number == PMBLIMITR_EL1)
		s->buffer_limit = value & LIMIT_KEPT;
	else
		s->buffer_status = (uint32_t)value & STATUS_KEPT;
}

bool armv8_profiling_freezes(const struct armv8_state *s)
{
	const uint64_t both = PMBLIMITR_PMFZ | PMBLIMITR_E;

	return s->pmcr & PMCR_FZS && (s->buffer_limit & both) == both && s->buffer_status & PMBSR_S;
}
