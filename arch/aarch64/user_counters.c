/*
 * Whether EL0 may read counters (arch/levels.h): PMUSERENR_EL0, D13.4.20. From PMUv3p9 on the instruction
 * counter wants UEN, which is RES0 before.
 */
#include "arch/levels.h"
#include "arch/register.h"
#include "arch/aarch64/system.h"

#define PMUSERENR_EN    UINT64_C(1)
#define PMUSERENR_UEN   UINT64_C(0x10)
#define PMUSERENR_EL0   SYSTEM_REGISTER(3, 3, 9, 14, 0)
#define PMINTENSET_EL1  SYSTEM_REGISTER(3, 0, 9, 14, 1)
#define PMINTENCLR_EL1  SYSTEM_REGISTER(3, 0, 9, 14, 2)
#define ID_AA64DFR0_EL1 SYSTEM_REGISTER(3, 0, 0, 5, 0)
#define ID_AA64DFR1_EL1 SYSTEM_REGISTER(3, 0, 0, 5, 1)
#define DFR1_PMICNTR    36                  /* lowest bit of four */
#define INSTRUCTIONS    (UINT64_C(1) << 32) /* F0 */
#define PMUVER_3_9      9
#define PMUVER_OWN_KIND 15

/* Firmware at EL3 that keeps PMICNTR_EL0 keeps PMUACR_EL1 with it (MDCR_EL3.EnPM2), and what that has EL0
 * read with UEN nobody knows. Then F0 of masks cannot be set (Arm ARM, GetPMUWriteMask()). */
static bool keeps_user_mask(void)
{
	uint64_t dfr1 = 0, was, now = 0;

	register_read(SPACE_SYSTEM, ID_AA64DFR1_EL1, &dfr1);
	if (!(dfr1 >> DFR1_PMICNTR & 0xf) || !register_read(SPACE_SYSTEM, PMINTENSET_EL1, &was) ||
	    was & INSTRUCTIONS)
		return false;
	register_write(SPACE_SYSTEM, PMINTENSET_EL1, INSTRUCTIONS);
	register_read(SPACE_SYSTEM, PMINTENSET_EL1, &now);
	register_write(SPACE_SYSTEM, PMINTENCLR_EL1, INSTRUCTIONS);
	return !(now & INSTRUCTIONS);
}

static uint64_t user_bits(void)
{
	uint64_t dfr0 = 0;
	unsigned version;

	register_read(SPACE_SYSTEM, ID_AA64DFR0_EL1, &dfr0);
	version = dfr0 >> 8 & 0xf;
	if (version < PMUVER_3_9 || version == PMUVER_OWN_KIND || keeps_user_mask())
		return PMUSERENR_EN;
	return PMUSERENR_EN | PMUSERENR_UEN;
}

bool level_user_reads_counters(bool allow)
{
	static uint64_t kept; /* all of it, as it was before EL0 was let in */
	static bool changed;
	uint64_t was, bits = user_bits();

	if (!register_read(SPACE_SYSTEM, PMUSERENR_EL0, &was))
		return false;
	if (allow && (was & bits) != bits) {
		kept = was;
		changed = true;
		register_write(SPACE_SYSTEM, PMUSERENR_EL0, was | bits);
	} else if (changed && allow == (kept & PMUSERENR_EN)) {
		changed = false;
		register_write(SPACE_SYSTEM, PMUSERENR_EL0, kept);
	} else if (!allow) {
		register_write(SPACE_SYSTEM, PMUSERENR_EL0, was & ~bits);
	}
	return was & PMUSERENR_EN;
}
