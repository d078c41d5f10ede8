/*
 * Identification tries registers that CPUID does not tell of. Whatever it has written it puts back, and on
 * bare metal it tries few.
 */
#include "tests/self/host/support/fake_cpu.h"

#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/amd/registers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define ACCESSES 4096
#define WRITTEN  64

static struct fake_access access[ACCESSES];
static uint32_t written[WRITTEN];
static unsigned n_written;

static void power_up(const struct model_profile *p, bool guest)
{
	struct cpuid_regs r;

	fake_cpu_start(p, NULL);
	fake_cpu_hold();
	r = cpuid(1, 0);
	if (guest)
		fake_cpu_set_leaf(1, 0, r.eax, r.ebx, r.ecx | 1u << 31, r.edx);
}

static void identify(void)
{
	static struct pmu pmu;
	const char *why = NULL;

	fake_cpu_note(access, ACCESSES);
	if (pmu_find(NULL, &pmu, &why))
		pmu.driver->list_events(&pmu);
}

static bool is_written(uint32_t address)
{
	for (unsigned i = 0; i < n_written; i++)
		if (written[i] == address)
			return true;
	return false;
}

static void list_written(void)
{
	n_written = 0;
	for (unsigned i = 0; i < fake_cpu_noted(); i++)
		if (access[i].write && !is_written(access[i].address)) {
			assert_true(n_written < WRITTEN);
			written[n_written++] = access[i].address;
		}
	fake_cpu_note(NULL, 0);
}

/* Every bit that can be set is. @return false if the register cannot be read */
static bool fill(uint32_t address, uint64_t *value)
{
	for (unsigned bit = 0; bit < 64; bit++)
		if (msr_read(address, value) && !(*value >> bit & 1))
			msr_write(address, *value | 1ull << bit);
	return msr_read(address, value);
}

/* What counts is tried on the legacy counters of AMD, which no CPUID bit promises. */
static void nothing_but_a_select(const char *profile)
{
	for (unsigned i = 0; i < n_written; i++)
		if (written[i] != PERF_LEGACY_CTL0)
			fail_msg("%s: MSR %XH is written on bare metal", profile, written[i]);
}

static void as_found(void **state)
{
	unsigned tried = 0;

	(void)state;
	for (unsigned p = 0; model_profile(p); p++)
		for (unsigned guest = 0; guest < 2; guest++) {
			power_up(model_profile(p), guest);
			identify();
			list_written();
			if (!cpu_has(CPU_HYPERVISOR))
				nothing_but_a_select(model_profile(p)->name);
			tried += n_written;
			for (unsigned full = 0; full < 2; full++) {
				uint64_t before[WRITTEN], after;
				bool readable[WRITTEN];

				power_up(model_profile(p), guest);
				for (unsigned i = 0; i < n_written; i++)
					readable[i] = full ? fill(written[i], &before[i])
							   : msr_read(written[i], &before[i]);
				identify();
				fake_cpu_note(NULL, 0);
				for (unsigned i = 0; i < n_written; i++)
					if (readable[i] && msr_read(written[i], &after) && after != before[i])
						fail_msg("%s%s: MSR %XH was %jXH and is %jXH",
							 model_profile(p)->name, guest ? " in a guest" : "",
							 written[i], (uintmax_t)before[i], (uintmax_t)after);
			}
		}
	assert_in_range(tried, 100, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
