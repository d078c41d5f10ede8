/*
 * PMUv3's registers as the Arm ARM has them (D7, D13.4), in the place of a processor's: what register_read()
 * and register_write() reach, and events that occur. One file of tests includes this.
 */
#ifndef TESTS_SELF_HOST_SUPPORT_ARMV8_REGISTERS_H
#define TESTS_SELF_HOST_SUPPORT_ARMV8_REGISTERS_H

#include "pmu/armv8/armv8.h"
#include "pmu/contract/control.h"
#include "arch/register.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST 31 /* event counters */
#define P    (1u << 31)
#define U    (1u << 30)

static struct fake {
	unsigned version, n; /* PMUVer; PMCR_EL0.N */
	bool undefined;      /* all of the PMU's registers */
	int writes;          /* that are let through before one is refused; negative: all are */
	uint64_t ceid[2], midr;
	bool icntr, el2, el3; /* ID_AA64DFR1_EL1, ID_AA64PFR0_EL1 */
	bool promised;        /* ID_AA64DFR1_EL1 has an instruction counter that EL3 keeps (MDCR_EL3.EnPM2) */
	bool trapped;         /* something was accessed that EL3 keeps */
	uint64_t thresholds;  /* PMMIR_EL1 */
	uint32_t pmcr, userenr, selr;
	uint64_t enabled, overflowed, interrupting, uacr, type[MOST], cycle_type, insn_type;
	uint64_t count[MOST], cycles, instructions;
	uint32_t chained; /* what a chained pair counts between two readings of event counters */
} fake;

/* In the place of code that only AArch64 assembles: 12 and 20 bytes for each counter. */
extern const uint8_t armv8_enable_start[1], armv8_enable_start_end[1], armv8_enable_stop[1],
	armv8_enable_stop_end[1];
extern const uint8_t armv8_read_start[12 * 34], armv8_read_stop[20 * 34];
const uint8_t armv8_enable_start[1], armv8_enable_start_end[1], armv8_enable_stop[1],
	armv8_enable_stop_end[1];
const uint8_t armv8_read_start[12 * 34], armv8_read_stop[20 * 34];
const struct pmu_control_check armv8_control[1];

static uint64_t seed = 0x9e3779b97f4a7c15;

static uint64_t random64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static uint64_t there(void)
{
	return ((UINT64_C(1) << fake.n) - 1) | UINT64_C(1) << 31 | (uint64_t)fake.icntr << 32;
}

/* Each even counter goes on, and each that wraps its lower 32 bits is counted by the odd one. */
static void count_chained(void)
{
	for (unsigned c = 0; fake.chained && c + 1 < fake.n; c += 2) {
		uint64_t sum = (fake.count[c] & UINT32_MAX) + fake.chained;

		fake.count[c] = (uint32_t)sum;
		fake.count[c + 1] = (uint32_t)(fake.count[c + 1] + (sum >> 32));
	}
}

static uint64_t width_mask(void)
{
	return fake.version >= 6 ? UINT64_MAX : UINT32_MAX;
}

/* Event selects have ten bits up to PMUv3.0, then sixteen; MT, M and the like are kept, too. */
static uint64_t type_mask(void)
{
	uint64_t threshold =
		fake.version >= 8 && fake.thresholds >> 20 & 0xf ? UINT64_C(0xe000000f00000000) : 0;

	if (threshold && fake.thresholds >> 24 & 0xf)
		threshold |= UINT64_C(1) << 60;
	return threshold | 0xfe000000 | (fake.version >= 4 ? 0xffff : 0x3ff);
}

static void write_pmcr(uint64_t value)
{
	if (value & 2)
		memset(fake.count, 0, sizeof fake.count);
	if (value & 4)
		fake.cycles = 0;
	fake.pmcr = value & (fake.version >= 6 ? 0xf9 : 0x79);
}

/* Numbers as s<op0>_<op1>_c<CRn>_c<CRm>_<op2> in decimal: 3 03 09 12 0. @return false if it is undefined */
static bool one(uint64_t number, bool write, uint64_t *value)
{
	unsigned op0 = number >> 14 & 3, op1 = number >> 11 & 7, crn = number >> 7 & 15,
		 crm = number >> 3 & 15, op2 = number & 7;
	unsigned name = ((op0 * 10 + op1) * 100 + crn) * 1000 + crm * 10 + op2, index = (crm & 3) << 3 | op2;
	uint32_t *plain = NULL;
	uint64_t *wide = NULL, mask = there(), set = write ? *value & mask : 0;

	if (name == 3000050) { /* ID_AA64DFR0_EL1 */
		*value = 0x10305006 | (uint64_t)fake.version << 8;
		return !write;
	}
	if (name == 3000051) { /* ID_AA64DFR1_EL1 */
		*value = (uint64_t)(fake.icntr || fake.promised) << 36;
		return !write;
	}
	if (name == 3000040) { /* ID_AA64PFR0_EL1 */
		*value = 0x11 | (uint64_t)fake.el2 << 8 | (uint64_t)fake.el3 << 12;
		return !write;
	}
	if (name == 3000000) { /* MIDR_EL1 */
		*value = fake.midr;
		return !write;
	}
	if (fake.undefined || number >> 16)
		return false;
	if (name == 3009146) { /* PMMIR_EL1 */
		*value = 5 | fake.thresholds;
		return !write && fake.version >= 5;
	}
	/* PMICNTR_EL0, PMICFILTR_EL0, PMZR_EL0, PMUACR_EL1 */
	fake.trapped |=
		fake.promised && (name == 3309040 || name == 3309060 || name == 3309134 || name == 3009144);
	if (name == 3009144 && fake.version < 9) /* PMUACR_EL1 */
		return false;
	if ((name == 3309040 || name == 3309060) && !fake.icntr) /* PMICNTR_EL0, PMICFILTR_EL0 */
		return false;
	switch (name) {
	case 3309120: /* PMCR_EL0 */
		if (write)
			write_pmcr(*value);
		else
			*value = 0x41000000 | fake.n << 11 | fake.pmcr;
		return true;
	case 3309121: /* PMCNTENSET_EL0 */
		fake.enabled |= set;
		*value = fake.enabled;
		return true;
	case 3309122: /* PMCNTENCLR_EL0 */
		fake.enabled &= ~set;
		*value = fake.enabled;
		return true;
	case 3309123: /* PMOVSCLR_EL0 */
		fake.overflowed &= ~set;
		*value = fake.overflowed;
		return true;
	case 3309143: /* PMOVSSET_EL0 */
		fake.overflowed |= set;
		*value = fake.overflowed;
		return true;
	case 3009141: /* PMINTENSET_EL1 */
		fake.interrupting |= set;
		*value = fake.interrupting;
		return true;
	case 3009142: /* PMINTENCLR_EL1 */
		fake.interrupting &= ~set;
		*value = fake.interrupting;
		return true;
	case 3309126: /* PMCEID0_EL0, PMCEID1_EL0 */
	case 3309127:
		*value = fake.ceid[name & 1];
		return !write;
	case 3309130: /* PMCCNTR_EL0 */
		if (write)
			fake.cycles = *value;
		*value = fake.cycles;
		return true;
	case 3309040: /* PMICNTR_EL0 */
		wide = &fake.instructions;
		mask = UINT64_MAX;
		break;
	case 3309060: /* PMICFILTR_EL0 */
		wide = &fake.insn_type;
		mask = 0xfc000000;
		break;
	case 3009144: /* PMUACR_EL1 */
		wide = &fake.uacr;
		break;
	case 3309125: /* PMSELR_EL0 */
		plain = &fake.selr;
		mask = 0x1f;
		break;
	case 3309140: /* PMUSERENR_EL0 */
		plain = &fake.userenr;
		mask = fake.version == 9 ? 0x5f | fake.icntr << 5 : 0xf;
		break;
	case 3314157: /* PMCCFILTR_EL0 */
		wide = &fake.cycle_type;
		mask = 0xff000000;
		break;
	default:
		if (op0 != 3 || op1 != 3 || crn != 14 || crm < 8 || index >= fake.n)
			return false;
		if (crm < 12) { /* PMEVCNTR<n>_EL0 */
			if (write)
				fake.count[index] = *value & width_mask();
			*value = fake.count[index];
			count_chained();
			return true;
		}
		wide = &fake.type[index];
		mask = type_mask();
	}
	if (wide) {
		if (write)
			*wide = *value & mask;
		*value = *wide;
		return true;
	}
	if (write)
		*plain = (uint32_t)(*value & mask);
	*value = *plain;
	return true;
}

bool register_read(enum register_space space, uint64_t number, uint64_t *value)
{
	bool good = space == SPACE_SYSTEM && one(number, false, value);

	if (!good)
		*value = 0;
	return good;
}

bool register_write(enum register_space space, uint64_t number, uint64_t value)
{
	if (!fake.writes)
		return false;
	fake.writes -= fake.writes > 0;
	return space == SPACE_SYSTEM && one(number, true, &value);
}

static const char *remark;

void pmu_remark(struct pmu *p, const char *format, ...)
{
	(void)p;
	remark = format;
}

static void count_on(unsigned bit, uint64_t *counter, uint64_t type, bool user, bool wide)
{
	uint64_t old = *counter;

	if (!(fake.pmcr & 1) || !(fake.enabled >> bit & 1) || type & (user ? U : P))
		return;
	*counter = (old + 1) & (bit >= 31 ? UINT64_MAX : width_mask());
	if (wide ? old == UINT64_MAX : (uint32_t)old == UINT32_MAX)
		fake.overflowed |= UINT64_C(1) << bit;
}

/* An event occurs once. */
static void occurs(unsigned event, bool user)
{
	for (unsigned c = 0; c < fake.n; c++)
		if ((fake.type[c] & 0xffff) == event)
			count_on(c, &fake.count[c], fake.type[c], user,
				 fake.version >= 6 && fake.pmcr & 0x80);
	if (event == 0x08 && fake.icntr)
		count_on(32, &fake.instructions, fake.insn_type, user, true);
	if (event == 0x11)
		count_on(31, &fake.cycles, fake.cycle_type, user, fake.pmcr & 0x40);
}

static bool asks(void)
{
	return fake.pmcr & 1 && fake.overflowed & fake.interrupting;
}

/* Every register holds what somebody left there. */
static void dirty(unsigned version, unsigned n)
{
	fake = (struct fake){.version = version,
			     .n = n,
			     .writes = -1,
			     .icntr = version >= 9 && n % 2,
			     .el2 = random64() & 1,
			     .el3 = random64() & 1,
			     .thresholds = n % 3 ? 4u << 20 | (n % 3 - 1) << 24 : 0,
			     .ceid = {random64(), random64()},
			     .midr = 0x410f0000 | (random64() & 0xff) << 4};
	fake.pmcr = (uint32_t)random64() & (version >= 6 ? 0xf9 : 0x79);
	fake.enabled = random64() & there();
	fake.overflowed = random64() & there();
	fake.interrupting = random64() & there();
	fake.uacr = version >= 9 ? random64() & there() : 0;
	fake.insn_type = fake.icntr ? random64() & 0xfc000000 : 0;
	fake.instructions = fake.icntr ? random64() : 0;
	fake.userenr = (uint32_t)random64() & 0xf;
	fake.selr = (uint32_t)random64() & 0x1f;
	fake.cycle_type = (uint32_t)random64() & 0xff000000;
	fake.cycles = random64();
	for (unsigned c = 0; c < n; c++) {
		fake.type[c] = random64() & type_mask();
		fake.count[c] = random64() & width_mask();
	}
}

#endif
