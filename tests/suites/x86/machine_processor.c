/*
 * Another processor than the boot processor: what must be alike on all of them. Carried out there only.
 */
#include "tests/suites/x86/machine.h"

#include "arch/x86/cpu/cpu.h"
#include "arch/x86/machine/cpu_state.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/machine/mtrr.h"

#include <stddef.h>

#define MTRR_CAP      0xfe
#define MTRR_BASE0    0x200
#define MTRR_VALID    (1ull << 11)
#define MTRR_SOME_BIT (1ull << 20)

static int64_t registers_that_differ(void)
{
	return cpu_state_differs();
}

static int64_t memory_types_differ(void)
{
	return mtrrs_differ();
}

static const char *no_mtrr(void)
{
	uint64_t cap;

	return msr_read(MTRR_CAP, &cap) && cap & 0xff ? NULL : "the CPU has no variable MTRRs";
}

/* The last variable range, which stays without effect: its mask is not valid. @return what was seen, as
 * digits: a difference, and after mtrrs_adopt() none */
static int64_t changed_memory_types(void)
{
	uint64_t cap, base, mask;
	int64_t seen;
	uint32_t last;

	msr_read(MTRR_CAP, &cap);
	last = MTRR_BASE0 + 2 * ((cap & 0xff) - 1);
	if (!msr_read(last, &base) || !msr_read(last + 1, &mask) || mask & MTRR_VALID)
		return -1;
	msr_write(last, base ^ MTRR_SOME_BIT);
	seen = mtrrs_differ() ? 10 : 0;
	mtrrs_adopt();
	seen += mtrrs_differ();
	msr_write(last, base);
	return seen;
}

/* That a register which is not the same would be seen. */
static int64_t one_register_changed(void)
{
	uint64_t cr4 = cr4_read();
	int64_t seen;

	cr4_write(cr4 ^ CR4_PCE);
	seen = cpu_state_differs();
	cr4_write(cr4);
	return seen;
}

const struct machine_check machine_processor[] = {
	{"alike/registers are as on the boot processor", NULL, registers_that_differ, 0, 0, NULL},
	{"alike/a register that is not is seen", NULL, one_register_changed, 1, 1, NULL},
	{"alike/memory types are as on the boot processor", "SDM vol. 3, 11.11.8", memory_types_differ, 0, 0,
	 NULL},
	{"alike/memory types that are not are seen and taken over", "SDM vol. 3, 11.11.8",
	 changed_memory_types, 10, 10, no_mtrr},
	{NULL, NULL, NULL, 0, 0, NULL},
};
