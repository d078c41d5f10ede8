/* What firmware set up and a run would suffer from is changed, where it is so, and put back. */
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/machine/held_registers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define MISC_ENABLE       0x1a0
#define INTERRUPT_PENDING 0xc0010055

static struct cpu_identity cpu;
static uint32_t address;
static uint64_t value, stuck; /* bits that stay as they are */
static bool there;
static unsigned writes;

void cpu_identify(struct cpu_identity *out)
{
	*out = cpu;
}

bool msr_read_own(uint32_t msr, uint64_t *out)
{
	assert_int_equal(msr, address);
	*out = there ? value : 0;
	return there;
}

bool msr_write_own(uint32_t msr, uint64_t v)
{
	assert_int_equal(msr, address);
	assert_true(there);
	writes++;
	value = (v & ~stuck) | (value & stuck);
	return true;
}

static void begin(const char *vendor, unsigned family, unsigned max_leaf, uint32_t msr, uint64_t v)
{
	cpu = (struct cpu_identity){.family = family, .max_leaf = max_leaf};
	strcpy(cpu.vendor, vendor);
	address = msr;
	value = v;
	stuck = 0;
	there = true;
	writes = 0;
}

static void is_changed_and_put_back(enum held_register which, uint64_t bits)
{
	struct held_registers held = {0};
	uint64_t before = value;

	assert_true(held_change(&held, which, msr_read_own));
	assert_int_equal(value, before & ~bits);
	held_put_back(&held, which);
	assert_int_equal(value, before);
	held_put_back(&held, which); /* once */
	assert_int_equal(writes, 2);
}

static void is_left_alone(enum held_register which, unsigned most_writes)
{
	struct held_registers held = {0};
	uint64_t before = value;

	assert_false(held_change(&held, which, msr_read_own));
	held_put_back(&held, which);
	assert_int_equal(value, before);
	assert_in_range(writes, 0, most_writes);
}

static void a_limit_of_cpuid_is_lifted(void **state)
{
	(void)state;
	begin("GenuineIntel", 6, 3, MISC_ENABLE, 0x850089 | 1 << 22);
	is_changed_and_put_back(HELD_CPUID_LIMIT, 1 << 22);
	begin("GenuineIntel", 15, 2, MISC_ENABLE, UINT64_C(1) << 34 | 1 << 22);
	is_changed_and_put_back(HELD_CPUID_LIMIT, 1 << 22);
	/* Not set; not there; stays as it is. */
	begin("GenuineIntel", 6, 3, MISC_ENABLE, 0x850089);
	is_left_alone(HELD_CPUID_LIMIT, 0);
	there = false;
	is_left_alone(HELD_CPUID_LIMIT, 0);
	begin("GenuineIntel", 6, 3, MISC_ENABLE, 1 << 22);
	stuck = 1 << 22;
	is_left_alone(HELD_CPUID_LIMIT, 1);
	/* The register is not even asked for where CPUID tells all, nor of others and in guests. */
	begin("GenuineIntel", 6, 0xa, 0, 1 << 22);
	is_left_alone(HELD_CPUID_LIMIT, 0);
	begin("AuthenticAMD", 15, 1, 0, 1 << 22);
	is_left_alone(HELD_CPUID_LIMIT, 0);
	begin("GenuineIntel", 6, 2, 0, 1 << 22);
	cpu.under_hypervisor = true;
	is_left_alone(HELD_CPUID_LIMIT, 0);
}

static void c1e_is_off(void **state)
{
	(void)state;
	for (unsigned bits = 1; bits <= 3; bits++) {
		begin("AuthenticAMD", 0x10, 5, INTERRUPT_PENDING, (uint64_t)bits << 27 | 0x1234);
		is_changed_and_put_back(HELD_C1E, 3 << 27);
	}
	begin("AuthenticAMD", 0xf, 1, INTERRUPT_PENDING, 1 << 28);
	is_changed_and_put_back(HELD_C1E, 3 << 27);
	begin("AuthenticAMD", 0x10, 5, INTERRUPT_PENDING, 0x1234);
	is_left_alone(HELD_C1E, 0);
	begin("AuthenticAMD", 0x17, 0x10, 0, 3 << 27); /* reserved there */
	is_left_alone(HELD_C1E, 0);
	begin("GenuineIntel", 0xf, 5, 0, 3 << 27);
	is_left_alone(HELD_C1E, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_limit_of_cpuid_is_lifted),
		cmocka_unit_test(c1e_is_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
