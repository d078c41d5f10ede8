/* Who carries out instructions, by SMBIOS: QEMU's own name tells it, and KVM's, a maker's or a damaged table
 * do not. */
#include "arch/aarch64/board.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define ENTRY 24

static uint8_t entry[256], *table; /* with room for any length that it says it has */
static uint32_t size;

/* In memory of its own size, so that a byte too many that is read is told. */
static void tables(const void *bytes, size_t n)
{
	uint64_t address;

	free(table);
	table = malloc(n);
	memcpy(table, bytes, size = (uint32_t)n);
	address = (uint64_t)(uintptr_t)table;
	memset(entry, 0, sizeof entry);
	memcpy(entry, "_SM3_", 5);
	entry[6] = ENTRY;
	memcpy(entry + 12, &size, 4);
	memcpy(entry + 16, &address, 8);
	for (unsigned i = 0; i < ENTRY; i++)
		entry[5] -= i == 5 ? 0 : entry[i];
}

static bool emulated(void)
{
	return board_smbios_emulated((uint64_t)(uintptr_t)entry);
}

#define BIOS                                                                                                 \
	"\0\6\0\0\1\2"                                                                                       \
	"EFI\0001.0\0\0"
#define SYSTEM(s)   "\1\6\1\0\1\2" s "\0\0"
#define THE_END     "\177\4\2\0\0"
#define TABLES(...) tables(__VA_ARGS__, sizeof(__VA_ARGS__))

static void test_named(void **state)
{
	(void)state;
	TABLES(BIOS SYSTEM("QEMU\0QEMU Virtual Machine") THE_END);
	assert_true(emulated());
	TABLES(SYSTEM("QEMU\0QEMU Virtual Machine") THE_END);
	assert_true(emulated());
	TABLES(BIOS SYSTEM("QEMU\0KVM Virtual Machine") THE_END);
	assert_false(emulated());
	TABLES(BIOS SYSTEM("QEMU Virtual Machine\0Board") THE_END);
	assert_false(emulated());
	TABLES(BIOS SYSTEM("QEMU\0QEMU Virtual Machine 2") THE_END);
	assert_false(emulated());
	TABLES(BIOS SYSTEM("QEMU") THE_END);
	assert_false(emulated());
	TABLES(BIOS THE_END SYSTEM("QEMU\0QEMU Virtual Machine"));
	assert_false(emulated());
	assert_false(board_smbios_emulated(0));
}

static void test_damaged(void **state)
{
	static const char good[] = BIOS SYSTEM("QEMU\0QEMU Virtual Machine") THE_END;

	(void)state;
	for (size_t n = 1; n <= sizeof good; n++) {
		tables(good, n);
		assert_int_equal(emulated(), n >= sizeof BIOS - 1 + 6 + 5 + sizeof "QEMU Virtual Machine");
	}
	for (size_t i = 0; i < sizeof good; i++)
		for (unsigned value = 0; value < 256; value++) {
			tables(good, sizeof good);
			table[i] = (uint8_t)value;
			emulated();
		}
	for (size_t i = 0; i < ENTRY; i++) {
		tables(good, sizeof good);
		entry[i]++;
		assert_false(emulated());
	}
	free(table);
	table = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_named), cmocka_unit_test(test_damaged)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
