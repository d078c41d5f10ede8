/*
 * Interrupt controllers outside the processor, by chips that this test answers for: each input pin is masked while
 * the machine is taken, and as firmware left it afterwards. Intel 82093AA data sheet, 3.2.
 */
#define _GNU_SOURCE /* REG_EFL */
#include "arch/x86/interrupts/apic.h"
#include "arch/x86/interrupts/irq_chips.h"
#include "arch/x86/machine/acpi.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <cmocka.h>

#define CHIPS     2
#define REGISTERS 256
#define MASKED    (1u << 16)
#define NMI       (4u << 8)
#define TRAP_FLAG 0x100

struct acpi_info acpi;

static uint32_t value[CHIPS][REGISTERS];
static uint8_t pic[2];

bool apic_present(void)
{
	return true;
}

/* --- the chips: an index and a window, each access of which faults and is then stepped --- */

static uint8_t *page;
static uint32_t chip_index[CHIPS];
static unsigned chip;
static bool of_window;

static volatile uint32_t *window_of(unsigned c)
{
	return (volatile uint32_t *)(page + 0x1000 * c);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	const uint8_t *code = (const uint8_t *)r[REG_RIP];
	size_t offset = (size_t)((uint8_t *)info->si_addr - page);

	(void)signal;
	if (code[0] == 0xe4 || code[0] == 0xec || code[0] == 0xe6 || code[0] == 0xee) {
		bool by_dx = code[0] & 8;
		uint16_t port = by_dx ? (uint16_t)r[REG_RDX] : code[1];

		if (port != 0x21 && port != 0xa1)
			_exit(3);
		if (code[0] & 2)
			pic[port == 0xa1] = (uint8_t)r[REG_RAX];
		else
			r[REG_RAX] = (r[REG_RAX] & ~0xff) | pic[port == 0xa1];
		r[REG_RIP] += by_dx ? 1 : 2;
		return;
	}
	if (offset >= 0x1000 * CHIPS || (offset % 0x1000 != 0 && offset % 0x1000 != 16))
		_exit(3);
	chip = (unsigned)(offset / 0x1000);
	of_window = offset % 0x1000;
	mprotect(page, 0x1000 * CHIPS, PROT_READ | PROT_WRITE);
	window_of(chip)[4] = value[chip][chip_index[chip]];
	r[REG_EFL] |= TRAP_FLAG;
}

static void on_step(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info;
	if (of_window) {
		/* The version is read only. */
		if (chip_index[chip] != 1)
			value[chip][chip_index[chip]] = window_of(chip)[4];
	} else {
		chip_index[chip] = window_of(chip)[0] % REGISTERS;
	}
	mprotect(page, 0x1000 * CHIPS, PROT_NONE);
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

static const unsigned pins[CHIPS] = {24, 8};

/* In the test itself: cmocka sets signals of its own between a set-up and its test. */
static void begin(void)
{
	struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO},
			 step = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};

	if (!page)
		page = mmap(NULL, 0x1000 * CHIPS, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	assert_ptr_not_equal(page, MAP_FAILED);
	acpi = (struct acpi_info){.cpus = 1, .n_io_apics = CHIPS, .legacy_pics = true};
	pic[0] = 0xb8;
	pic[1] = 0x8e;
	for (unsigned c = 0; c < CHIPS; c++) {
		acpi.io_apic[c].address = (uint32_t)(uintptr_t)window_of(c);
		acpi.io_apic[c].gsi_base = c ? 24 : 0;
		for (unsigned i = 0; i < REGISTERS; i++)
			value[c][i] = 0xdead0000 + i;
		value[c][1] = (pins[c] - 1) << 16 | 0x20;
		for (unsigned p = 0; p < pins[c]; p++) {
			value[c][0x10 + 2 * p] = (0x30 + p) | (p % 3 ? 0 : MASKED);
			value[c][0x11 + 2 * p] = (p + 1) << 24;
		}
	}
	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGTRAP, &step, NULL);
}

static void each_pin_is_masked_and_put_back(void **state)
{
	uint32_t left[CHIPS][REGISTERS];

	(void)state;
	begin();
	memcpy(left, value, sizeof left);
	irq_chips_take();
	for (unsigned c = 0; c < CHIPS; c++)
		for (unsigned i = 0; i < REGISTERS; i++) {
			bool is_low = i >= 0x10 && i < 0x10 + 2 * pins[c] && i % 2 == 0;

			if (value[c][i] != (left[c][i] | (is_low ? MASKED : 0)))
				fail_msg("register 0x%x of chip %u is 0x%x", i, c, value[c][i]);
		}
	assert_int_equal(pic[0], 0xff);
	assert_int_equal(pic[1], 0xff);
	assert_true(irq_route_nmi(23, 5));
	assert_true(irq_route_nmi(31, 6));
	irq_chips_give_back();
	assert_memory_equal(value, left, sizeof left);
	assert_int_equal(pic[0], 0xb8);
	assert_int_equal(pic[1], 0x8e);
}

/* An interrupt number belongs to the chip whose pins hold it. */
static void a_number_is_routed_to_its_pin(void **state)
{
	uint32_t before[CHIPS][REGISTERS];

	(void)state;
	for (uint32_t gsi = 0; gsi < 40; gsi++) {
		unsigned c = gsi >= 24, pin = gsi - 24 * c;

		begin();
		memcpy(before, value, sizeof before);
		assert_int_equal(irq_can_route_nmi(gsi, 255), gsi < 32);
		assert_false(irq_can_route_nmi(gsi, 256));
		assert_int_equal(irq_route_nmi(gsi, 200), gsi < 32);
		if (gsi < 32) {
			before[c][0x10 + 2 * pin] = NMI;
			before[c][0x11 + 2 * pin] = 200u << 24;
		}
		assert_memory_equal(value, before, sizeof before);
		irq_route_off(gsi);
		if (gsi < 32)
			before[c][0x10 + 2 * pin] = MASKED;
		assert_memory_equal(value, before, sizeof before);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_pin_is_masked_and_put_back),
		cmocka_unit_test(a_number_is_routed_to_its_pin),
	};

	return cmocka_run_group_tests_name("interrupt controllers outside the processor", tests, NULL, NULL);
}
