/*
 * Memory type range registers: all that the SDM lists are kept, a change of any is seen, and a processor that
 * has others takes them over. Privileged instructions of the image's code are carried out when they fault.
 */
#define _GNU_SOURCE /* REG_RIP */
#include "arch/x86/machine/mtrr.h"
#include "arch/x86/cpu/msr.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
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

/* SDM vol. 3, 11.11.8: types change while caches are off and empty, ranges while MTRRs are off as well. */
#define CR0_CD  (UINT64_C(1) << 30)
#define ENABLED (UINT64_C(1) << 11)

static uint64_t cr0, cr3 = 0x1000;
static bool emptied, tlb_emptied;

bool msr_write(uint32_t address, uint64_t v)
{
	assert_in_range(address, 0x200, 0x2ff);
	assert_true(cr0 & CR0_CD && emptied && tlb_emptied);
	assert_true(address == DEF_TYPE || !(value[DEF_TYPE] & ENABLED));
	value[address] = v;
	return true;
}

/* WBINVD, and moves from and to CR0 and CR3. SDM vol. 2. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
	static const uint8_t of[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
				     REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	const uint8_t *code = (const uint8_t *)r[REG_RIP];
	bool rex = (*code & 0xf0) == 0x40, high = rex && *code & 1;
	uint64_t *control, *general;

	(void)signal, (void)info;
	code += rex;
	if (code[0] != 0x0f)
		_exit(3);
	if (code[1] == 0x09) {
		emptied = cr0 & CR0_CD;
		r[REG_RIP] = (greg_t)(code + 2);
		return;
	}
	control = (code[2] >> 3 & 7) == 0 ? &cr0 : (code[2] >> 3 & 7) == 3 ? &cr3 : NULL;
	general = (uint64_t *)&r[of[(code[2] & 7) + 8 * high]];
	if (!control || (code[1] != 0x20 && code[1] != 0x22))
		_exit(3);
	if (code[1] == 0x20) {
		*general = *control;
	} else {
		*control = *general;
		tlb_emptied = tlb_emptied || control == &cr3;
	}
	r[REG_RIP] = (greg_t)(code + 3);
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

/* Each register of another processor that differs is as the first one's afterwards, and no other is touched. */
static void another_processor_takes_them_over(void **state)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	uint64_t first[0x300];

	(void)state;
	sigaction(SIGSEGV, &action, NULL);
	for (unsigned has_fixed = 0; has_fixed < 2; has_fixed++)
		for (uint32_t differs = 0x200; differs < 0x300; differs++) {
			begin(8, has_fixed);
			value[DEF_TYPE] = ENABLED | 6;
			mtrrs_keep();
			memcpy(first, value, sizeof first);
			value[differs] ^= 3 | (differs == DEF_TYPE ? ENABLED : 0);
			first[differs] = is_kept(differs, 8, has_fixed) ? first[differs] : value[differs];
			cr0 = 0x80000011;
			emptied = tlb_emptied = false;
			mtrrs_adopt();
			if (memcmp(value, first, sizeof first))
				fail_msg("where MSR %#x differed, not all is as on the first", differs);
			assert_int_equal(cr0, 0x80000011);
			assert_int_equal(cr3, 0x1000);
			assert_int_equal(emptied, is_kept(differs, 8, has_fixed));
			assert_false(mtrrs_differ());
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_register_is_kept),
		cmocka_unit_test(none_is_no_difference),
		cmocka_unit_test(another_processor_takes_them_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
