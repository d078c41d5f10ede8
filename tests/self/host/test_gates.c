/* Gates that kernels need are put back as they were, whichever of them share a vector. The rest of services.c
 * is the machine's, and is left out of the program. */
#include "tests/kernels/x86/services.c"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

struct idt_gate idt[256];
uint64_t kernel_lacking_else;
uint8_t (*kernel_lacking_done)(struct trap_frame *f, const void **then);
const uint8_t kernel_on_test_int[1], kernel_on_fault[1], kernel_on_fault_code[1], kernel_on_xapic[1],
	kernel_on_x2apic[1], kernel_on_x2apic_emulated[1], kernel_on_lacking[1];

uint8_t emulation_carry_out(struct trap_frame *f, const void **then)
{
	(void)f, (void)then;
	return 0;
}

static const uint64_t flags[] = {KERNEL_SERVICE_TEST_INT,
				 KERNEL_SERVICE_XAPIC,
				 KERNEL_SERVICE_X2APIC,
				 X2APIC_EMULATED,
				 KERNEL_SERVICE_NMI,
				 KERNEL_SERVICE_RESUME,
				 LACKING};
#define FLAGS (sizeof flags / sizeof flags[0])

static void gates_are_put_back(void **state)
{
	struct idt_gate before[256], on[256];

	(void)state;
	for (unsigned i = 0; i < sizeof before; i++)
		((uint8_t *)before)[i] = (uint8_t)(i * 7 + i / 256);
	for (unsigned set = 0; set < 1u << FLAGS; set++) {
		struct service_use u = {.flags = 0};

		for (unsigned i = 0; i < FLAGS; i++)
			u.flags |= set >> i & 1 ? flags[i] : 0;
		memcpy(idt, before, sizeof idt);
		assert_true(gates_on(&u));
		memcpy(on, idt, sizeof on);
		assert_int_equal(memcmp(on, before, sizeof on) != 0, set != 0);
		gates_off(&u);
		assert_memory_equal(idt, before, sizeof idt);
	}
}

/* What carries out what the CPU lacks goes on to the kernel's own handler of #UD, not the other way round. */
static void what_is_lacking_comes_first(void **state)
{
	const struct service_use u = {.flags = LACKING | KERNEL_SERVICE_RESUME};

	(void)state;
	gates_on(&u);
	assert_true(gate_offset(&idt[VECTOR_UD]) == (uintptr_t)kernel_on_lacking);
	assert_true(kernel_lacking_else == (uintptr_t)kernel_on_fault);
	gates_off(&u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gates_are_put_back),
		cmocka_unit_test(what_is_lacking_comes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
