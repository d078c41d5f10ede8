/* Memory type range registers: all that the SDM lists are kept, and a change of any is seen. */
#include "arch/x86/machine/mtrr.h"
#include "arch/x86/cpu/msr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define CAP      0xfe
#define DEF_TYPE 0x2ff

/* SDM vol. 3, table 11-9. */
static const uint16_t fixed[] = {
	0x250,               /* IA32_MTRR_FIX64K_00000 */
	0x258, 0x259,        /* FIX16K_80000, A0000 */
	0x268, 0x269, 0x26a, /* FIX4K_C0000, C8000, D0000, */
	0x26b, 0x26c, 0x26d, /* D8000, E0000, E8000, */
	0x26e, 0x26f,        /* F0000, F8000 */
};

static uint64_t value[0x300];
static unsigned reads[0x300];
static bool there;

bool msr_read(uint32_t address, uint64_t *out)
{
	*out = 0;
	if (!there)
		return false;
	assert_in_range(address, 0, 0x2ff);
	reads[address]++;
	*out = value[address];
	return true;
}

bool msr_write(uint32_t address, uint64_t v)
{
	(void)address, (void)v;
	fail();
	return false;
}

static void begin(unsigned variables, bool has_fixed)
{
	there = true;
	memset(reads, 0, sizeof reads);
	for (unsigned i = 0; i < 0x300; i++)
		value[i] = i;
	value[CAP] = variables | (has_fixed ? 1u << 8 : 0);
	mtrrs_keep();
}

static bool is_kept(uint32_t address, unsigned variables, bool has_fixed)
{
	for (unsigned i = 0; has_fixed && i < sizeof fixed / sizeof *fixed; i++)
		if (fixed[i] == address)
			return true;
	return address == CAP || address == DEF_TYPE || (address >= 0x200 && address < 0x200 + 2 * variables);
}

static void each_register_is_kept(void **state)
{
	static const struct {
		unsigned variables;
		bool fixed;
	} of[] = {{8, true}, {10, true}, {0, true}, {8, false}};

	(void)state;
	for (unsigned c = 0; c < sizeof of / sizeof *of; c++) {
		begin(of[c].variables, of[c].fixed);
		assert_false(mtrrs_differ());
		for (uint32_t a = 0; a < 0x300; a++) {
			bool kept = is_kept(a, of[c].variables, of[c].fixed);

			if ((reads[a] > 0) != kept)
				print_error("MSR %#x is read %u times\n", a, reads[a]);
			assert_int_equal(reads[a] > 0, kept);
			if (a == CAP)
				continue;
			value[a] ^= UINT64_C(1) << 56;
			assert_int_equal(mtrrs_differ(), kept);
			value[a] ^= UINT64_C(1) << 56;
		}
		assert_false(mtrrs_differ());
	}
}

static void none_is_no_difference(void **state)
{
	(void)state;
	there = false;
	mtrrs_keep();
	assert_false(mtrrs_differ());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_register_is_kept),
		cmocka_unit_test(none_is_no_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
