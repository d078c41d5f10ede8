/*
 * Other processors: what must be alike on all of them, which is asked on each but the boot processor; and
 * that all of them work at once.
 */
#include "tests/suites/x86/machine.h"

#include "arch/processors.h"
#include "arch/second_cpu.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/machine/cpu_state.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/machine/mtrr.h"

#include <stddef.h>
#include <string.h>

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

/* --- all at once -------------------------------------------------------------------------------------- */

static struct {
	uint32_t id; /* as the processor itself says */
	bool begun, refused, survived, ended;
} seen[OTHERS_MAX];

/* A virtual machine may take the write. */
__attribute__((target("general-regs-only"))) bool machine_refuses(void)
{
	uint64_t before;
	bool readable = msr_read_own(MSR_REFUSING, &before);

	if (!msr_write_own(MSR_REFUSING, REFUSED_VALUE))
		return true;
	if (readable)
		msr_write_own(MSR_REFUSING, before);
	return false;
}

const char *machine_refuses_nothing(void)
{
	return machine_refuses() ? NULL : "this machine refuses no register";
}

/* On the other processor. */
static __attribute__((target("general-regs-only"))) void begin(void *arg, unsigned i)
{
	(void)arg;
	seen[i].id = (cpuid(1, 0).ebx >> 24) & 0xff;
	seen[i].begun = true;
	seen[i].refused = machine_refuses();
	seen[i].survived = true;
}

static __attribute__((target("general-regs-only"))) void end(void *arg, unsigned i)
{
	(void)arg;
	seen[i].ended = seen[i].begun;
}

/* All begin before one of them ends, and refuse what this one refuses. @return those that did all of it, each
 * by itself */
static int64_t all_at_once(void)
{
	const struct others_job job = {begin, end, NULL};
	unsigned n = others_count(), began;
	bool refused = machine_refuses();
	int64_t good = 0;

	memset(seen, 0, sizeof seen);
	began = others_begin(&job, OTHERS_ALL);
	for (unsigned i = 0; i < n; i++) {
		uint64_t turns = 0;
		bool early = seen[i].ended, counted = others_end(i, &turns);

		good += counted && !early && turns && seen[i].survived && seen[i].ended &&
			seen[i].refused == refused &&
			seen[i].id == (processor_at(others_number(i)).id & 0xff);
	}
	return began == n && good == n;
}

static const char *no_other_core(void)
{
	const char *why = second_cpu_missing(SECOND_CPU_ANY);

	return why ? why : others_count() ? NULL : "there is no other core";
}

const struct machine_check machine_others[] = {
	{"others/all work at once, each by itself", "SDM vol. 3, 8.4.4", all_at_once, 1, 1, no_other_core},
	{NULL, NULL, NULL, 0, 0, NULL},
};

const struct machine_check machine_processor[] = {
	{"alike/registers are as on the boot processor", NULL, registers_that_differ, 0, 0, NULL},
	{"alike/a register that is not is seen", NULL, one_register_changed, 1, 1, NULL},
	{"alike/memory types are as on the boot processor", "SDM vol. 3, 11.11.8", memory_types_differ, 0, 0,
	 NULL},
	{"alike/memory types that are not are seen and taken over", "SDM vol. 3, 11.11.8",
	 changed_memory_types, 10, 10, no_mtrr},
	{NULL, NULL, NULL, 0, 0, NULL},
};
