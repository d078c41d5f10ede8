/* SMIs: which CPUs count them, what the counter says, and what a gap in time is taken for. */
#include "arch/x86/cpu/msr.h"
#include "arch/x86/cpu/smi.h"
#include "arch/step.h"
#include "arch/exceptions.h"
#include "arch/time.h"
#include "arch/watchdog.h"
#include "pmu/intel/intel.h"
#include "tests/self/host/support/fake_cpu.h"
#include "tests/measure/intrusion.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

/* Of nanoseconds. */
uint64_t clock_hz(void)
{
	return 1000000000;
}

uint64_t clock_read(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Nothing is stepped here. */
void step_pause(void)
{
}

void step_resume(void)
{
}

static unsigned ticks, strays;

unsigned watchdog_ticks(void)
{
	return ticks;
}

unsigned trap_strays(void)
{
	return strays;
}

static void the_counter_is_known_by_model(void **unused)
{
	static const struct {
		uint32_t signature;
		bool counted;
	} parts[] = {
		{0x000106a5, true},  /* Nehalem-EP */
		{0x000206a7, true},  /* Sandy Bridge */
		{0x00030678, true},  /* Silvermont */
		{0x000906ea, true},  /* Coffee Lake */
		{0x00010676, false}, /* Penryn */
		{0x000106d1, false}, /* Dunnington */
		{0x000106c2, false}, /* Bonnell */
		{0x00030661, false}, /* Saltwell */
		{0x00000f43, false}, /* NetBurst */
		{0x00400f10, true},  /* family 19 */
	};

	(void)unused;
	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (smi_counted("GenuineIntel", parts[i].signature) != parts[i].counted)
			fail_msg("signature %08x", parts[i].signature);
		assert_false(smi_counted("AuthenticAMD", parts[i].signature));
	}
}

static struct intrusion_watch watch_on(const struct model_profile *profile, const char *inject, bool virtual)
{
	struct intrusion_watch w;

	fake_cpu_start(profile, inject);
	intrusion_watch_open(&w, virtual);
	return w;
}

static void set(uint32_t address, uint64_t value)
{
	assert_true(msr_write(address, value));
}

static uint64_t get(uint32_t address)
{
	uint64_t value = 0;

	assert_true(msr_read(address, &value));
	return value;
}

static bool window(struct intrusion_watch *w, uint64_t instructions)
{
	intrusion_watch_begin(w);
	fake_cpu_nops(instructions);
	return intrusion_watch_end(w);
}

static void the_counter_tells_which_window(void **unused)
{
	struct intrusion_watch w = watch_on(&intel_nehalem, "smi", true);

	(void)unused;
	assert_int_equal(w.source, INTRUSION_COUNTER);
	set(0x186, 0x4300c0);
	set(0x38f, 1);
	assert_false(window(&w, 3000));
	assert_true(window(&w, 3000));
	assert_false(window(&w, 3000)); /* taken again */
	fake_cpu_stop();

	w = watch_on(&intel_nehalem, "", true);
	set(0x186, 0x4300c0);
	set(0x38f, 1);
	for (unsigned i = 0; i < 10; i++)
		assert_false(window(&w, 3000));
	fake_cpu_stop();
}

static void counters_are_held_while_windows_are_watched(void **unused)
{
	static const char *const inject[] = {"", "smi", "smm-counted"};
	uint64_t count[3];

	(void)unused;
	for (unsigned i = 0; i < 3; i++) {
		struct intrusion_watch w = watch_on(&intel_nehalem, inject[i], true);

		assert_true(w.holds);
		assert_int_equal(get(0x1d9), 1 << 14);
		set(0x186, 0x4300c0);
		set(0x38f, 1);
		assert_int_equal(window(&w, 6000), i > 0);
		set(0x38f, 0);
		count[i] = get(0xc1);
		intrusion_watch_close(&w);
		assert_int_equal(get(0x1d9), 0);
		fake_cpu_stop();
	}
	assert_int_equal(count[1], count[0]);
	assert_int_equal(count[2], count[0] + 100);

	/* Not without the capability. */
	struct intrusion_watch w = watch_on(&intel_core2, "", true);
	assert_false(w.holds);
	assert_int_equal(get(0x1d9), 0);
	intrusion_watch_close(&w);
	fake_cpu_stop();
}

static void without_a_counter_time_tells(void **unused)
{
	struct intrusion_watch w = watch_on(&intel_core2, "", false);

	(void)unused;
	assert_int_equal(w.source, INTRUSION_CLOCK);
	assert_int_equal(w.gap, 1000 * INTRUSION_GAP_US);
	fake_cpu_stop();
	w = watch_on(&intel_core2, "", true);
	assert_int_equal(w.source, INTRUSION_NONE);
	assert_false(window(&w, 100));
	fake_cpu_stop();
	/* A CPU that should count and faults is watched by the clock as well. */
	fake_cpu_start(&intel_nehalem, "");
	fake_cpu_break_msr(MSR_SMI_COUNT);
	intrusion_watch_open(&w, false);
	assert_int_equal(w.source, INTRUSION_CLOCK);
	fake_cpu_stop();
}

static void other_interrupts_break_in(void **unused)
{
	struct intrusion_watch w = watch_on(&intel_core2, "", true);

	(void)unused;
	intrusion_watch_begin(&w);
	ticks++;
	assert_true(intrusion_watch_end(&w));
	assert_true(w.interrupted);
	intrusion_watch_begin(&w);
	strays++;
	assert_true(intrusion_watch_end(&w));
	assert_true(w.interrupted);
	intrusion_watch_begin(&w);
	assert_false(intrusion_watch_end(&w));
	fake_cpu_stop();
}

static void a_gap_is_more_than_the_allowance(void **unused)
{
	uint64_t fastest = UINT64_MAX;

	(void)unused;
	assert_false(intrusion_gap(&fastest, 5000, 100));
	assert_false(intrusion_gap(&fastest, 5100, 100));
	assert_true(intrusion_gap(&fastest, 5101, 100));
	assert_false(intrusion_gap(&fastest, 4000, 100));
	assert_true(intrusion_gap(&fastest, 5000, 100));
	assert_int_equal(fastest, 4000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_counter_is_known_by_model),
		cmocka_unit_test(the_counter_tells_which_window),
		cmocka_unit_test(counters_are_held_while_windows_are_watched),
		cmocka_unit_test(without_a_counter_time_tells),
		cmocka_unit_test(other_interrupts_break_in),
		cmocka_unit_test(a_gap_is_more_than_the_allowance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
