/* The board by ACPI's tables: timers, the serial line, how firmware is called, and tables that are not sound.
 * (test_aarch64_madt.c has processors and their interrupt controller.) */
#include "arch/aarch64/acpi_table.h"
#include "arch/aarch64/gic_place.h"
#include "arch/aarch64/identity.h"
#include "arch/aarch64/serial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

char identity_board[IDENTITY_VALUE];
bool identity_is_guest;
unsigned machine_cpus;
enum board_psci psci_way;
uint64_t serial_base;

void board_read_madt(const uint8_t *t, struct board *b)
{
	(void)t;
	b->processors++;
}

enum { FADT, GTDT, SPCR, MADT, TABLES };

static struct {
	uint8_t data[512];
	uint32_t size;
} table[TABLES];
static uint8_t xsdt[36 + 8 * TABLES], rsdp[36];
static struct board board;

static void put(uint8_t *at, uint64_t value, size_t bytes)
{
	memcpy(at, &value, bytes);
}

/* ACPI specification 6.5, 5.2.6: all bytes add up to 0. @param at where the sum is made right */
static void sum(uint8_t *data, size_t size, size_t at)
{
	uint8_t all = 0;

	data[at] = 0;
	for (size_t i = 0; i < size; i++)
		all = (uint8_t)(all + data[i]);
	data[at] = (uint8_t)-all;
}

static void head(uint8_t *data, const char *signature, uint32_t size)
{
	memcpy(data, signature, 4);
	put(data + 4, size, 4);
	memcpy(data + 10, "ACME  ", 6);
	memcpy(data + 16, "BOARD   ", 8);
	sum(data, size, 9);
}

/* Nothing but heads and zeros. */
static int begin(void **state)
{
	static const uint32_t sizes[TABLES] = {276, 104, 80, 44};

	(void)state;
	memset(table, 0, sizeof table);
	for (unsigned i = 0; i < TABLES; i++)
		table[i].size = sizes[i];
	gic_place = (struct gic_place){.version = 3};
	serial_base = 0;
	return 0;
}

static bool read_with(const char *oem)
{
	static const char signatures[TABLES][5] = {"FACP", "GTDT", "SPCR", "APIC"};

	for (unsigned i = 0; i < TABLES; i++) {
		head(table[i].data, signatures[i], table[i].size);
		put(xsdt + 36 + 8 * i, (uintptr_t)table[i].data, 8);
	}
	head(xsdt, "XSDT", sizeof xsdt);
	memcpy(xsdt + 10, oem, 6);
	sum(xsdt, sizeof xsdt, 9);
	memcpy(rsdp, "RSD PTR ", 8);
	put(rsdp + 24, (uintptr_t)xsdt, 8);
	sum(rsdp, sizeof rsdp, 32);
	return board_read_acpi((uintptr_t)rsdp, &board);
}

/* 5.2.9.4: bit 0 of the ARM boot flags says that PSCI is there, bit 1 that it is called by HVC. */
static void firmware_is_called_as_the_flags_say(void **state)
{
	static const enum board_psci way[] = {PSCI_NONE, PSCI_SMC, PSCI_NONE, PSCI_HVC};

	for (unsigned flags = 0; flags < 8; flags++)
		for (unsigned last = 129; last <= 131; last++) {
			begin(state);
			table[FADT].data[129] = (uint8_t)flags;
			table[FADT].size = last;
			assert_true(read_with("ACME  "));
			assert_int_equal(board.psci, last == 131 ? way[flags & 3] : PSCI_NONE);
			assert_int_equal(psci_way, board.psci);
		}
}

/* 5.2.25: the interrupts of the secure timer of EL1, that which is not, the virtual one and EL2's follow each
 * other, each with its flags. */
static void timers_are_those_of_el1(void **state)
{
	static const uint8_t at[] = {48, 56, 64, 72};

	for (unsigned first = 16; first < 28; first++) {
		begin(state);
		for (unsigned i = 0; i < 4; i++) {
			put(table[GTDT].data + at[i], first + i, 4);
			put(table[GTDT].data + at[i] + 4, 2, 4);
		}
		assert_true(read_with("ACME  "));
		assert_int_equal(gic_place.physical_timer, first + 1);
		assert_int_equal(gic_place.virtual_timer, first + 2);
	}
	/* A shared interrupt is no processor's timer; and a table that ends too early names none. */
	put(table[GTDT].data + 56, 40, 4);
	assert_true(read_with("ACME  "));
	assert_int_equal(gic_place.physical_timer, 0);
	put(table[GTDT].data + 56, 30, 4);
	table[GTDT].size = 67;
	gic_place.physical_timer = 0;
	assert_true(read_with("ACME  "));
	assert_int_equal(gic_place.physical_timer, 0);
	table[GTDT].size = 68;
	assert_true(read_with("ACME  "));
	assert_int_equal(gic_place.physical_timer, 30);
}

/* SPCR, types of interface: 3 and 0EH are a PL011 and its subset. */
static void the_serial_line_is_a_pl011(void **state)
{
	for (unsigned type = 0; type < 32; type++) {
		begin(state);
		table[SPCR].data[36] = (uint8_t)type;
		put(table[SPCR].data + 44, 0x123456789000, 8);
		assert_true(read_with("ACME  "));
		assert_true(serial_base == (type == 3 || type == 0xe ? 0x123456789000 : 0));
	}
}

static void names_tell_what_it_is(void **state)
{
	begin(state);
	assert_true(read_with("ACME  "));
	assert_string_equal(identity_board, "ACME BOARD");
	assert_false(board.guest || identity_is_guest);
	assert_true(read_with("BOCHS "));
	assert_true(board.guest && identity_is_guest);
	memcpy(table[FADT].data + 268, "QEMU\0\0\0", 8);
	assert_true(read_with("ACME  "));
	assert_true(board.guest && identity_is_guest);
	table[FADT].size = 275;
	assert_true(read_with("ACME  "));
	assert_false(board.guest || identity_is_guest);
}

/* What is damaged is passed over; without a root there is nothing. */
static void what_is_not_sound_is_not_read(void **state)
{
	begin(state);
	table[SPCR].data[36] = 3;
	put(table[SPCR].data + 44, 0x1000, 8);
	assert_true(read_with("ACME  "));
	assert_int_equal(serial_base, 0x1000);
	assert_int_equal(machine_cpus, 1);
	serial_base = 0;
	table[SPCR].data[44]++;
	assert_true(board_read_acpi((uintptr_t)rsdp, &board));
	assert_int_equal(serial_base, 0);
	assert_int_equal(board.processors, 1);
	xsdt[16]++;
	assert_false(board_read_acpi((uintptr_t)rsdp, &board));
	xsdt[16]--;
	assert_true(board_read_acpi((uintptr_t)rsdp, &board));
	rsdp[8]++;
	assert_false(board_read_acpi((uintptr_t)rsdp, &board));
	rsdp[8]--;
	rsdp[0]++;
	assert_false(board_read_acpi((uintptr_t)rsdp, &board));
	assert_false(board_read_acpi(0, &board));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(firmware_is_called_as_the_flags_say),
		cmocka_unit_test(timers_are_those_of_el1),
		cmocka_unit_test(the_serial_line_is_a_pl011),
		cmocka_unit_test(names_tell_what_it_is),
		cmocka_unit_test(what_is_not_sound_is_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
