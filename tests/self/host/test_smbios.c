/* SMBIOS, sound and damaged in every way that a reader of firmware's data must survive. */
#include "arch/x86/machine/smbios.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static char said[2048];

static void tell(void *to, const char *name, const char *value)
{
	(void)to;
	assert_in_range(strlen(value), 1, IDENTITY_VALUE - 1);
	snprintf(said + strlen(said), sizeof said - strlen(said), "%s=%s\n", name, value);
}

static const char *read(const void *table, size_t size)
{
	/* A heap block of its own, so that the sanitizer sees a byte read too many. */
	uint8_t *copy = malloc(size ? size : 1);

	memcpy(copy, table, size);
	said[0] = 0;
	smbios_pairs(copy, size, tell, NULL);
	free(copy);
	return said;
}

static const uint8_t bios[] = "\x00\x12\x00\x00\x01\x02\x00\xe0\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"
			      "Maker\0 1.2 \0"
			      "01/02/2003\0";
static const uint8_t boards[] = "\x02\x08\x01\x00\x01\x02\x00\x03"
				"B\0"
				"First\0"
				"SERIAL\0\0"
				"\x02\x08\x02\x00\x01\x02\x00\x00"
				"B\0"
				"Second\0\0"
				"\x7f\x04\x03\x00\0";

static void sound_tables_are_told(void **state)
{
	(void)state;
	assert_string_equal(
		read(bios, sizeof bios),
		"SMBIOS BIOS vendor=Maker\nSMBIOS BIOS version= 1.2\nSMBIOS BIOS date=01/02/2003\n");
	assert_string_equal(read(boards, sizeof boards),
			    "SMBIOS board maker=B\nSMBIOS board product=First\n"
			    "SMBIOS board maker, 2=B\nSMBIOS board product, 2=Second\n");
}

/* Firmware fills its strings up with blanks; one of nothing else says nothing. */
static void blanks_at_the_end_are_none(void **state)
{
	static const uint8_t blanks[] = "\x02\x08\x01\x00\x01\x02\x00\x00"
					" M  2   \0"
					"     \0\0"
					"\x7f\x04\x03\x00\0";

	(void)state;
	assert_string_equal(read(blanks, sizeof blanks), "SMBIOS board maker= M  2\n");
}

/* A structure of any length: what lies whole in it is told, and nothing of the strings behind it is a number.
 */
static void a_field_is_within_its_structure(void **state)
{
	static const struct {
		uint8_t type, offset, size;
		const char *told;
	} fields[] = {
		{0, 4, 1, "BIOS vendor=A\n"},
		{0, 5, 1, "BIOS version=A\n"},
		{0, 8, 1, "BIOS date=A\n"},
		{1, 4, 1, "system manufacturer=A\n"},
		{1, 5, 1, "system product=A\n"},
		{1, 6, 1, "system version=A\n"},
		{2, 4, 1, "board maker=A\n"},
		{2, 5, 1, "board product=A\n"},
		{2, 6, 1, "board version=A\n"},
		{4, 4, 1, "processor socket=A\n"},
		{4, 16, 1, "processor=A\n"},
		{4, 20, 2, "processor MHz at most=257\n"},
		{4, 22, 2, "processor MHz now=257\n"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof fields / sizeof fields[0]; i++) {
		size_t name = strcspn(fields[i].told, "=") + 1;

		for (uint8_t length = 4; length < 32; length++) {
			uint8_t s[64] = {fields[i].type, length};
			char own[64];

			memset(s + 4, 1, length - 4u);
			memcpy(s + length, "A\0", 3);
			read(s, length + 3u);
			snprintf(own, sizeof own, "SMBIOS %.*s", (int)name, fields[i].told);
			if (fields[i].offset + fields[i].size <= length)
				assert_non_null(strstr(said, fields[i].told));
			else
				assert_null(strstr(said, own));
		}
	}
}

/* Serial numbers of boards and systems are no business of a report's. */
static void serial_numbers_are_not(void **state)
{
	(void)state;
	assert_null(strstr(read(boards, sizeof boards), "SERIAL"));
}

static void damaged_ones_do_no_harm(void **state)
{
	uint8_t table[sizeof boards];

	(void)state;
	for (size_t size = 0; size < sizeof boards; size++)
		read(boards, size);
	for (size_t at = 0; at < sizeof boards; at++)
		for (unsigned value = 0; value < 256; value++) {
			memcpy(table, boards, sizeof table);
			table[at] = (uint8_t)value;
			read(table, sizeof table);
		}
	memset(table, 'A', sizeof table); /* no end anywhere */
	read(table, sizeof table);
	table[0] = 1;
	table[1] = 8;
	table[4] = 1;
	assert_non_null(strstr(read(table, sizeof table), "SMBIOS system manufacturer=AAA"));
}

static void entry_points_are_checked(void **state)
{
	static uint8_t entry[32];
	uint64_t at = (uintptr_t)boards, top = UINT64_MAX;
	uint32_t length = sizeof boards;
	uint8_t sum = 0;
	size_t size;

	(void)state;
	memcpy(entry, "_SM3_", 5);
	entry[6] = 0x18;
	memcpy(entry + 12, &length, 4);
	memcpy(entry + 16, &at, 8);
	for (unsigned i = 0; i < 0x18; i++)
		sum += entry[i];
	entry[5] = (uint8_t)-sum;
	assert_ptr_equal(smbios_find((uintptr_t)entry, top, &size), boards);
	assert_int_equal(size, sizeof boards);
	assert_null(smbios_find((uintptr_t)entry, at + 1, &size)); /* the table is beyond all memory */
	entry[5]++;
	assert_null(smbios_find((uintptr_t)entry, top, &size));
	assert_int_equal(size, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound_tables_are_told),    cmocka_unit_test(blanks_at_the_end_are_none),
		cmocka_unit_test(serial_numbers_are_not),   cmocka_unit_test(damaged_ones_do_no_harm),
		cmocka_unit_test(entry_points_are_checked), cmocka_unit_test(a_field_is_within_its_structure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
