/* The TSC's rate as the CPU tells it, by numbers of real parts. */
#include "arch/x86/time/tsc_rate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static struct cpuid_regs leaf0, leaf1, leaf15, leaf16;
static uint64_t platform_info;
static bool may_be_read;

static struct cpuid_regs query(uint32_t leaf, uint32_t subleaf)
{
	(void)subleaf;
	return leaf == 0      ? leaf0
	       : leaf == 1    ? leaf1
	       : leaf == 0x15 ? leaf15
	       : leaf == 0x16 ? leaf16
			      : (struct cpuid_regs){0};
}

static bool read(uint32_t address, uint64_t *value)
{
	assert_true(may_be_read);
	assert_int_equal(address, 0xce);
	*value = platform_info;
	return true;
}

static void cpu(uint32_t max_leaf, uint32_t signature)
{
	leaf0 = (struct cpuid_regs){max_leaf, 0x756e6547, 0x6c65746e, 0x49656e69};
	leaf1 = (struct cpuid_regs){.eax = signature};
	leaf15 = leaf16 = (struct cpuid_regs){0};
	may_be_read = false;
}

static void tells(uint64_t hz, const char *by)
{
	const char *source = NULL;

	assert_int_equal(tsc_rate(query, read, &source), hz);
	if (hz)
		assert_string_equal(source, by);
}

static void by_leaf_15(void **state)
{
	(void)state;
	cpu(0x16, 0x806ea); /* a crystal that is told: 24 MHz * 166 / 2 */
	leaf15 = (struct cpuid_regs){2, 166, 24000000, 0};
	leaf16 = (struct cpuid_regs){1900, 0, 0, 0};
	tells(1992000000, "CPUID.15H");
	cpu(0x15, 0x506f1); /* Denverton does not tell it */
	leaf15 = (struct cpuid_regs){3, 264, 0, 0};
	tells(2200000000, "CPUID.15H");
}

static void by_leaf_16(void **state)
{
	(void)state;
	cpu(0x16, 0x506e3); /* i7-6700K: no crystal; the base frequency is the TSC's */
	leaf15 = (struct cpuid_regs){2, 334, 0, 0};
	leaf16 = (struct cpuid_regs){4000, 4200, 100, 0};
	tells(4000000000, "CPUID.16H");
	cpu(0x15, 0x806ea); /* a leaf that is not there is not asked for */
	leaf16 = (struct cpuid_regs){4000, 0, 0, 0};
	may_be_read = true;
	platform_info = 0;
	tells(0, NULL);
}

static void by_ratio(void **state)
{
	(void)state;
	cpu(0xd, 0x306a9); /* 34 * 100 MHz */
	may_be_read = true;
	platform_info = 0x80838f3012200;
	tells(3400000000, "MSR_PLATFORM_INFO");
	cpu(0xb, 0x106a5); /* 17 * 133.33 MHz */
	may_be_read = true;
	platform_info = 17 << 8;
	tells(2266666666, "MSR_PLATFORM_INFO");
	/* Where it may be missing it is not read: of others, and in guests. */
	cpu(0xa, 0x6fb);
	tells(0, NULL);
	cpu(0xd, 0x306a9);
	leaf1.ecx = 1u << 31;
	tells(0, NULL);
	cpu(0xd, 0x800f12);
	leaf0.ebx++;
	tells(0, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_leaf_15),
		cmocka_unit_test(by_leaf_16),
		cmocka_unit_test(by_ratio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
