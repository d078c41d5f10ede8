/* Levels of courage: what each lets be written, and that each family's driver counts with what the list for
 * counting has. */
#include "arch/courage.h"
#include "arch/x86/cpu/courage_bits.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/contract/family.h"
#include "pmu/contract/state.h"
#include "tests/self/host/support/fake_cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define EFER  0xc0000080
#define NOTED 4096

static struct pmu pmu;
static struct fake_access noted[NOTED];

static const struct register_range list[] = {
	{COURAGE_COUNT, SPACE_MSR, 0x186, 0x187},
	{COURAGE_INTERRUPT, SPACE_MSR, 0x600, 0x600},
	{COURAGE_INTERRUPT, SPACE_MSR, 0x187, 0x188}, /* the least that has it counts */
	{COURAGE_ALL, SPACE_MSR, 0x700, 0x700},
	{COURAGE_ALL, SPACE_MSR, 0x107cc, 0x107cc},
	{COURAGE_COUNT, SPACE_MSR, 0xc0010701, 0xc0010701},
	{0, 0, 0, 0},
};

static bool bit_refuses(uint32_t msr)
{
	return courage_refuses[courage_bit(msr) / 8] >> courage_bit(msr) % 8 & 1;
}

static void each_level_has_its_list(void **state)
{
	static const struct {
		uint32_t msr;
		enum courage from;
	} cases[] = {
		{EFER, COURAGE_READ},        {0x185, COURAGE_NEVER},      {0x186, COURAGE_COUNT},
		{0x187, COURAGE_COUNT},      {0x188, COURAGE_INTERRUPT},  {0x189, COURAGE_NEVER},
		{0x600, COURAGE_INTERRUPT},  {0x5ff, COURAGE_NEVER},      {0x601, COURAGE_NEVER},
		{0x700, COURAGE_ALL},        {0, COURAGE_NEVER},          {UINT32_MAX, COURAGE_NEVER},
		{0x10700, COURAGE_NEVER},    {0x107cc, COURAGE_ALL},      {0xc0000700, COURAGE_NEVER},
		{0xc0010700, COURAGE_NEVER}, {0xc0010701, COURAGE_COUNT},
	};
	const struct register_range *const lists[] = {NULL, list};

	(void)state;
	assert_false(bit_refuses(0x185));
	assert_true(courage_allows(SPACE_MSR, 0x185)); /* nothing is refused before a level was set */
	courage_lists(lists, 2);
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(courage_of(SPACE_MSR, cases[i].msr), cases[i].from);
		for (enum courage level = COURAGE_READ; level <= COURAGE_ALL; level++) {
			courage_set(level);
			assert_int_equal(courage_level(), level);
			assert_int_equal(courage_allows(SPACE_MSR, cases[i].msr), level >= cases[i].from);
			if (!(cases[i].msr & ~COURAGE_BLOCK_BITS))
				assert_int_equal(bit_refuses(cases[i].msr), level < cases[i].from);
			assert_int_equal(courage_allows(SPACE_MEMORY, cases[i].msr), level == COURAGE_ALL);
		}
	}
	/* Another list takes its place. */
	courage_lists(NULL, 0);
	assert_int_equal(courage_of(SPACE_MSR, 0x186), COURAGE_NEVER);
	courage_set(COURAGE_ALL);
}

/* What a register holds before anything was written: a write of that is left out. */
static uint64_t power_up(uint32_t address)
{
	uint64_t value;

	assert_true(msr_read(address, &value));
	return value;
}

/* What the driver does to count, on every counter. @return writes that changed a register and that the level
 * for counting does not have */
static unsigned beyond_counting(const struct model_profile *profile)
{
	const struct pmu_driver *d = pmu.driver;
	unsigned beyond = 0;
	const char *why;
	uint64_t value;

	fake_cpu_note(noted, NOTED);
	assert_true(d->reset(&pmu, &why));
	for (unsigned c = 0; c < pmu.n_counters; c++) {
		for (unsigned e = 0; e < pmu.n_events; e++) {
			struct pmu_config config = {.code = pmu.events[e]->code, .levels = LEVELS_ALL};

			if (pmu.events[e]->extra_register || !d->can_count(&pmu, pmu.events[e], c))
				continue;
			d->program(&pmu, c, &config);
			break;
		}
		d->write(&pmu, c, 5);
	}
	d->start(&pmu, ~UINT64_C(0) >> (64 - pmu.n_counters));
	d->stop(&pmu);
	if (d->overflowed(&pmu, &value))
		d->acknowledge(&pmu, 1);
	assert_true(d->reset(&pmu, &why));
	unsigned n = fake_cpu_noted();

	fake_cpu_note(NULL, 0);
	fake_cpu_stop();
	fake_cpu_start(profile, "");
	for (unsigned i = 0; i < n; i++)
		if (noted[i].write && !courage_allows(SPACE_MSR, noted[i].address) &&
		    noted[i].value != power_up(noted[i].address)) {
			if (courage_level() == COURAGE_COUNT)
				print_error("%s: MSR %XH\n", pmu.name, noted[i].address);
			beyond++;
		}
	return beyond;
}

/* A CPU of this profile, with its driver's list in force. */
static void begin(const struct model_profile *profile)
{
	const char *why;

	fake_cpu_start(profile, "");
	assert_true(pmu_find(NULL, &pmu, &why));
	assert_non_null(pmu.driver->registers);
	courage_lists(&pmu.driver->registers, 1);
}

static void counting_takes_no_more_than_its_list(void **state)
{
	const struct model_profile *profile;

	(void)state;
	for (unsigned i = 0; (profile = model_profile(i)); i++) {
		begin(profile);
		pmu.driver->list_events(&pmu);
		courage_set(COURAGE_COUNT);
		assert_int_equal(beyond_counting(profile), 0);
		/* None of it is for reading alone: a list that lets all through would not be told otherwise.
		 */
		courage_set(COURAGE_READ);
		assert_int_not_equal(beyond_counting(profile), 0);
		courage_set(COURAGE_ALL);
		fake_cpu_stop();
	}
	pmu_forget(&pmu);
}

/* What no run has any business with is on no driver's list: clocks, loaders of microcode, power limits, and
 * what locks a feature until the next reset. SDM vol. 4, table 2-2; APM vol. 2, appendix A. */
static void some_registers_are_on_no_list(void **state)
{
	static const uint32_t never[] = {0x10, 0x3a, 0x79, 0x150,      0x199,      0x610,      0xc80,
					 0xe2, 0x9b, 0x9e, 0xc0010010, 0xc0010020, 0xc0010062, 0xc0010114};
	const struct model_profile *profile;

	(void)state;
	for (unsigned i = 0; (profile = model_profile(i)); i++) {
		begin(profile);
		for (unsigned n = 0; n < sizeof never / sizeof never[0]; n++)
			assert_int_equal(courage_of(SPACE_MSR, never[n]), COURAGE_NEVER);
		fake_cpu_stop();
	}
	pmu_forget(&pmu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_level_has_its_list),
		cmocka_unit_test(counting_takes_no_more_than_its_list),
		cmocka_unit_test(some_registers_are_on_no_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
