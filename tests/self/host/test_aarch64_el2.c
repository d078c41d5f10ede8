/*
 * EL2 of firmware, by registers that are the test's: while the machine is taken nothing is trapped and the
 * counters are EL1's; afterwards every register is as firmware had it, whatever EL1 and the way back did.
 */
#define ARCH_AARCH64_SYSTEM_H /* the processor's own are not here */

#include <stdbool.h>
#include <stdint.h>

static uint64_t *system_register(const char *name);
static unsigned level;
#define SYS_READ(name)         (*system_register(#name))
#define SYS_WRITE(name, value) (*system_register(#name) = (uint64_t)(value))

static inline unsigned system_level(void)
{
	return level;
}

static inline bool system_at_el2(void)
{
	return level == 2;
}

#include "arch/aarch64/el2.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

const char el2_vectors[16];

static struct {
	const char *name;
	uint64_t value;
} registers[64];
static unsigned n_registers;

/* Those that no code writes. */
static bool is_fixed(const char *name)
{
	return !strncmp(name, "id_", 3) || !strcmp(name, "midr_el1") || !strcmp(name, "mpidr_el1") ||
	       !strcmp(name, "pmcr_el0");
}

static uint64_t *system_register(const char *name)
{
	static uint64_t x = 88172645463325252ull;
	unsigned i = 0;

	while (i < n_registers && strcmp(registers[i].name, name))
		i++;
	if (i == n_registers) {
		assert_true(n_registers < 64);
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		registers[n_registers].name = name;
		registers[n_registers++].value = is_fixed(name) ? 0 : x;
	}
	return &registers[i].value;
}

static uint64_t of(const char *name)
{
	return *system_register(name);
}

/* The harness's own at EL1: each that may be written is another one. */
static void scramble_el1(void)
{
	for (unsigned i = 0; i < n_registers; i++)
		if (strstr(registers[i].name, "_el1") && !is_fixed(registers[i].name))
			registers[i].value = ~registers[i].value;
}

void mmu_set_up_el1(void)
{
	assert_int_equal(level, 2);
	scramble_el1();
}

void el2_leave(void)
{
	assert_int_equal(level, 2);
	level = 1;
}

/* An exception: it leaves marks of its own. */
void el2_return(void)
{
	assert_int_equal(level, 1);
	level = 2;
	*system_register("elr_el2") = 1;
	*system_register("spsr_el2") = 2;
	*system_register("elr_el1") = 3;
	*system_register("spsr_el1") = 4;
}

#define FINE       (UINT64_C(1) << 56)
#define FINE2      (UINT64_C(2) << 56)
#define GIC_PFR    (UINT64_C(1) << 24)
#define SVE_PFR    (UINT64_C(1) << 32)
#define PMUV3P5    (UINT64_C(6) << 8)
#define IMPDEF     (UINT64_C(15) << 8)
#define SNAPSHOTS  (UINT64_C(1) << DFR0_SNAPSHOTS)
#define PROFILING  (UINT64_C(1) << DFR0_PROFILING)
#define PMCR_N(n)  ((uint64_t)(n) << 11)
#define TRAPS_FINE 10

static const char *const fine_traps[TRAPS_FINE] = {
	"s3_4_c1_c1_4", "s3_4_c1_c1_5", "s3_4_c1_c1_6", "s3_4_c3_c1_4", "s3_4_c3_c1_5",
	"s3_4_c3_c1_2", "s3_4_c3_c1_3", "s3_4_c3_c1_7", "s3_4_c3_c1_0", "s3_4_c3_c1_1"};

static const struct cpu {
	uint64_t pfr0, dfr0, mmfr0, pmcr;
	uint64_t mdcr; /* while the machine is taken */
} cpus[] = {
	{0, PMUV3P5, 0, PMCR_N(6), 6},
	{GIC_PFR, PMUV3P5, FINE, PMCR_N(31), 31},
	{SVE_PFR, PMUV3P5 | SNAPSHOTS, FINE2, PMCR_N(2), UINT64_C(1) << MDCR_PMSSE_EL1 | 2},
	{GIC_PFR | SVE_PFR, PMUV3P5 | PROFILING, FINE2, PMCR_N(8), MDCR_E2PB_EL1 | 8},
	{0, 0, FINE2, PMCR_N(5), 0},
	{0, IMPDEF, 0, PMCR_N(5), 0},
};
#define CPUS (sizeof cpus / sizeof cpus[0])

static void power_up(const struct cpu *c)
{
	n_registers = 0;
	level = 2;
	*system_register("id_aa64pfr0_el1") = c->pfr0;
	*system_register("id_aa64dfr0_el1") = c->dfr0;
	*system_register("id_aa64mmfr0_el1") = c->mmfr0;
	*system_register("pmcr_el0") = c->pmcr;
	*system_register("midr_el1") = 0x410fd0c0;
	*system_register("mpidr_el1") = 0x80000102;
	/* All that there is has a value of its own before anybody looks. */
	static const char *const kept[] = {
		"hcr_el2",     "vbar_el2",  "cptr_el2",     "hstr_el2",  "mdcr_el2", "cnthctl_el2",
		"cntvoff_el2", "vpidr_el2", "vmpidr_el2",   "elr_el2",   "spsr_el2", "sctlr_el1",
		"tcr_el1",     "mair_el1",  "ttbr0_el1",    "cpacr_el1", "vbar_el1", "sp_el1",
		"elr_el1",     "spsr_el1",  "s3_4_c12_c9_5"};

	for (unsigned i = 0; i < sizeof kept / sizeof kept[0]; i++)
		system_register(kept[i]);
	for (unsigned i = 0; i < TRAPS_FINE; i++)
		system_register(fine_traps[i]);
}

static void firmware_gets_all_of_it_back(void **state)
{
	uint64_t before[64];

	(void)state;
	for (unsigned c = 0; c < CPUS; c++)
		for (unsigned round = 0; round < 2; round++) {
			power_up(&cpus[c]);
			for (unsigned i = 0; i < n_registers; i++)
				before[i] = registers[i].value;
			unsigned n = n_registers;

			el2_take();
			scramble_el1();
			el2_give_back();
			assert_int_equal(n_registers, n); /* none that the test does not know */
			for (unsigned i = 0; i < n; i++)
				if (registers[i].value != before[i])
					fail_msg("%s, CPU %u", registers[i].name, c);
			/* Once is enough. */
			level = 2;
			el2_give_back();
			assert_int_equal(of("hcr_el2"), before[6]);
		}
}

static void nothing_is_trapped_meanwhile(void **state)
{
	(void)state;
	for (unsigned c = 0; c < CPUS; c++) {
		uint64_t version = cpus[c].mmfr0 >> 56, fine_before[TRAPS_FINE], sre;

		power_up(&cpus[c]);
		for (unsigned i = 0; i < TRAPS_FINE; i++)
			fine_before[i] = of(fine_traps[i]);
		sre = of("s3_4_c12_c9_5");
		uint64_t offset = of("cntvoff_el2");
		el2_take();
		assert_int_equal(level, 1);
		assert_int_equal(of("hcr_el2"), UINT64_C(1) << 31);
		assert_int_equal(of("mdcr_el2"), cpus[c].mdcr);
		assert_int_equal(of("cptr_el2"), cpus[c].pfr0 & SVE_PFR ? 0x32ff : 0x33ff);
		assert_int_equal(of("hstr_el2"), 0);
		assert_int_equal(of("cnthctl_el2"), 3);
		assert_int_equal(of("vpidr_el2"), 0x410fd0c0);
		assert_int_equal(of("vmpidr_el2"), 0x80000102);
		assert_int_equal(of("vbar_el2"), (uintptr_t)el2_vectors);
		assert_int_equal(of("s3_4_c12_c9_5"), cpus[c].pfr0 & GIC_PFR ? sre | 9 : sre);
		/* It stays, and is told: counts of the clock are read by it. */
		assert_int_equal(of("cntvoff_el2"), offset);
		assert_int_equal(el2_clock_offset(), offset);
		for (unsigned i = 0; i < TRAPS_FINE; i++) {
			uint64_t ours = i == 8 ? FINE_PMU_READ : i == 9 ? FINE_PMU_WRITE : 0;
			bool has = version >= (i < 5 ? 1 : 2);

			assert_int_equal(of(fine_traps[i]), has ? ours : fine_before[i]);
		}
		el2_give_back();
	}
}

static void from_el1_nothing_is_done(void **state)
{
	uint64_t before[64];

	(void)state;
	power_up(&cpus[2]);
	level = 1;
	for (unsigned i = 0; i < n_registers; i++)
		before[i] = registers[i].value;
	el2_take();
	el2_give_back();
	assert_int_equal(level, 1);
	for (unsigned i = 0; i < n_registers; i++)
		assert_int_equal(registers[i].value, before[i]);
}

static void levels_that_are_refused(void **state)
{
	(void)state;
	power_up(&cpus[0]);
	*system_register("hcr_el2") = 0;
	assert_null(el2_refusal());
	*system_register("hcr_el2") = UINT64_C(1) << 34;
	assert_non_null(strstr(el2_refusal(), "as a host"));
	level = 1;
	assert_null(el2_refusal());
	level = 3;
	assert_non_null(strstr(el2_refusal(), "EL3"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(firmware_gets_all_of_it_back),
		cmocka_unit_test(nothing_is_trapped_meanwhile),
		cmocka_unit_test(from_el1_nothing_is_done),
		cmocka_unit_test(levels_that_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
