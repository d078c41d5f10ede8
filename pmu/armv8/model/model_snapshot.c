/*
 * Snapshots of all counters at once (FEAT_PMUv3_SS; Arm ARM, PMUCaptureEvent(), PMSSCR_EL1, PMECR_EL1).
 *
 * A capture is done when the write that asks for it is. EL3 leaves captures to EL2, and the OS lock is off.
 */
#include "pmu/armv8/errata/hooks.h"
#include "pmu/armv8/model/model.h"

/* The counter that a register has the saved value of. @return false: it is none's */
static bool saved_of(const struct armv8_state *s, uint64_t number, unsigned *c)
{
	*c = (unsigned)(number - PMEVCNTSVR_EL1);
	if (number >= PMEVCNTSVR_EL1 && *c < armv8_first_range(s))
		return true;
	*c = number == PMICNTSVR_EL1 ? ARMV8_INSTRUCTIONS : ARMV8_CYCLES;
	return number == PMCCNTSVR_EL1 || (number == PMICNTSVR_EL1 && s->part->icntr);
}

bool armv8_snapshot_has(const struct armv8_state *s, uint64_t number, bool *writable)
{
	unsigned c;

	*writable = number == PMSSCR_EL1 || number == PMECR_EL1;
	return s->part->snapshots && (*writable || saved_of(s, number, &c));
}

/* Arm ARM, PMUCaptureEventEnabled() and PMUCaptureEventAllowed(): SSE_, a reserved value is taken for off. */
static unsigned captures(const struct armv8_state *s)
{
	unsigned by_el2 = s->mdcr >> MDCR_PMSSE & 3;

	return armv8_hook_captures(s, by_el2 == PMSSE_BELOW ? s->captures : by_el2);
}

static void capture(struct armv8_state *s)
{
	s->not_captured = captures(s) != SSE_ALLOWED;
	for (unsigned c = 0; !s->not_captured && c <= ARMV8_INSTRUCTIONS; c++)
		if (armv8_all(s) >> c & 1)
			s->saved[c] = armv8_hook_saved(s, c);
}

uint64_t armv8_snapshot_read(const struct armv8_state *s, uint64_t number)
{
	unsigned c;

	if (number == PMECR_EL1)
		return (uint64_t)s->captures << PMECR_SSE;
	if (number == PMSSCR_EL1)
		return s->not_captured ? PMSSCR_NC : 0;
	saved_of(s, number, &c);
	return s->saved[c];
}

/* Where captures are off, PMSSCR_EL1 is read-only. */
void armv8_snapshot_write(struct armv8_state *s, uint64_t number, uint64_t value)
{
	if (number == PMECR_EL1)
		s->captures = value >> PMECR_SSE & 3;
	else if (value & PMSSCR_SS && captures(s) & SSE_PROHIBITED)
		capture(s);
}
