/* The suite control's checks of AMD CPUs put back what the reset in front of the next check does not know of:
 * behind one each register is as it was, but for those that count by themselves. */
#include "pmu/amd/amd.h"
#include "pmu/amd/checks/control.h"
#include "pmu/amd/driver/parts.h"
#include "pmu/amd/registers.h"
#include "pmu/contract/control.h"
#include "tests/self/host/support/fake_cpu.h"
#include "tests/self/host/support/register_file.h"

#include "arch/x86/cpu/msr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define EFER_LMA_LME 0x500

static struct pmu pmu;

/* --- hands that do nothing, and find all well ---------------------------------------------------------- */

static bool equal(struct control_fixture *h, const char *what, uint64_t expected, uint64_t observed)
{
	(void)h, (void)what, (void)expected, (void)observed;
	return true;
}

static bool within(struct control_fixture *h, const char *what, uint64_t low, uint64_t high,
		   uint64_t observed)
{
	(void)h, (void)what, (void)low, (void)high, (void)observed;
	return true;
}

static bool works(struct control_fixture *h, const char *what, bool done)
{
	(void)h, (void)what;
	return done;
}

static void run(struct control_fixture *h, uint64_t mask)
{
	(void)h, (void)mask;
}

static void amount(struct control_fixture *h, const struct pmu_event *e, uint8_t level, uint64_t *low,
		   uint64_t *high)
{
	(void)h, (void)e, (void)level;
	*low = 0;
	*high = UINT64_MAX;
}

static uint64_t guests(struct control_fixture *h, const struct pmu_event *e, uint64_t *entries)
{
	(void)h, (void)e;
	*entries = 0;
	return 0;
}

static const struct pmu_event *event_for(const struct pmu_control_instance *instance, unsigned i)
{
	for (unsigned k = 0; instance->suits && k < pmu.n_events; k++)
		if (instance->suits(&pmu, i, pmu.events[k]))
			return pmu.events[k];
	return NULL;
}

static uint64_t efer(void)
{
	uint64_t value = 0;

	assert_true(msr_read(EFER, &value));
	return value;
}

static void carry_out(const struct pmu_control_check *check, unsigned i, const struct pmu_event *e)
{
	struct control_fixture h = {.pmu = &pmu,
				    .equal = equal,
				    .within = within,
				    .works = works,
				    .run = run,
				    .run_user = run,
				    .amount = amount,
				    .guests = guests,
				    .threads = 1};
	const char *why;

	assert_true(pmu.driver->reset(&pmu, &why));
	check->check(&h, i, e);
	assert_true(pmu.driver->reset(&pmu, &why));
}

/* Counters that run by themselves. */
static bool counts(uint32_t address)
{
	return address == MPERF || address == APERF || address == IRPERF || address == 0xc00000e7 ||
	       address == 0xc00000e8;
}

/* Those that execute nothing of the machine's by themselves. */
static bool is_plain(const struct pmu_control_check *check)
{
	static const char *const names[] = {"host and guest", "guests",     "status",  "merged counters",
					    "threshold",      "upper bits", "aliases", "RDPMC map"};

	for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
		if (!strcmp(check->name, names[i]))
			return true;
	return false;
}

static void registers_are_put_back(void **unused)
{
	static const struct model_profile *const of[] = {&amd_fam10h, &amd_fam15h, &amd_zen2, &amd_zen4,
							 &amd_zen5};
	static struct register_file file;
	static uint64_t before[REGISTER_FILE_MAX], after[REGISTER_FILE_MAX];
	unsigned switched = 0;

	(void)unused;
	for (unsigned p = 0; p < sizeof of / sizeof of[0]; p++) {
		const char *why;

		fake_cpu_start(of[p], "");
		register_file_find(&file);
		fake_cpu_add_msr(EFER, EFER_LMA_LME);
		assert_true(fake_cpu_identify(&amd_driver, &pmu, &why));
		for (const struct pmu_control_check *check = amd_control; check->name; check++) {
			struct pmu_control_instance instance = {0};

			for (unsigned i = 0; is_plain(check) && check->instance(&pmu, i, &instance); i++) {
				const struct pmu_event *e = event_for(&instance, i);

				if (instance.suits && !e)
					break;
				assert_true(pmu.driver->reset(&pmu, &why));
				register_file_read(&file, before);
				static struct fake_access seen[4096];

				fake_cpu_note(seen, 4096);
				carry_out(check, i, e);
				for (unsigned k = 0; k < fake_cpu_noted(); k++)
					switched += seen[k].write && seen[k].address == EFER &&
						    seen[k].value & EFER_SVME;
				fake_cpu_note(NULL, 0);
				register_file_read(&file, after);
				for (unsigned k = 0; k < file.n; k++)
					if (before[k] != after[k] && !counts(file.reg[k].address))
						fail_msg("%s, %s/%s: MSR %#x was %#llx, is %#llx",
							 of[p]->name, check->name, instance.name,
							 file.reg[k].address, (unsigned long long)before[k],
							 (unsigned long long)after[k]);
				if (efer() != EFER_LMA_LME)
					fail_msg("%s, %s/%s: EFER is %#llx", of[p]->name, check->name,
						 instance.name, (unsigned long long)efer());
			}
		}
	}
	assert_true(switched > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(registers_are_put_back)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	fake_cpu_stop();
	return failed;
}
