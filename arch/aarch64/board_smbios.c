#include "arch/aarch64/board.h"

#include <stddef.h>
#include <string.h>

/* DMTF DSP0134, 5.2.2: the entry point of 64 bits. */
#define ENTRY_LENGTH  6
#define ENTRY_SIZE    24
#define TABLE_LENGTH  12 /* at most */
#define TABLE_ADDRESS 16

/* 6.1.2: a structure's head; its strings are behind it. 7.2: that of the system. */
#define HEAD           4
#define SYSTEM         1
#define SYSTEM_PRODUCT 5 /* number of a string */
#define END            127

/* What QEMU calls its machines where it carries the instructions out itself: with KVM it is another name. */
static const char product[] = "QEMU Virtual Machine";

static bool is_entry(const uint8_t *entry)
{
	uint8_t sum = 0;

	if (memcmp(entry, "_SM3_", 5) || entry[ENTRY_LENGTH] < ENTRY_SIZE)
		return false;
	for (unsigned i = 0; i < entry[ENTRY_LENGTH]; i++)
		sum += entry[i];
	return !sum;
}

/* Of the strings from `at` on the one with this number, from 1 on; two zeros end them. @return its place, or
 * `size` */
static size_t string_at(const uint8_t *table, size_t size, size_t at, unsigned number)
{
	for (; at < size && table[at] && --number; at++)
		while (at < size && table[at])
			at++;
	return at < size && table[at] ? at : size;
}

bool board_smbios_emulated(uint64_t entry)
{
	const uint8_t *e = (const uint8_t *)(uintptr_t)entry, *table;
	uint64_t address;
	uint32_t size;

	if (!e || !is_entry(e))
		return false;
	memcpy(&size, e + TABLE_LENGTH, sizeof size);
	memcpy(&address, e + TABLE_ADDRESS, sizeof address);
	table = (const uint8_t *)(uintptr_t)address;
	for (size_t at = 0; at + HEAD <= size && table[at] != END;) {
		size_t strings = at + table[at + 1], name;

		if (table[at + 1] < HEAD || strings > size)
			break;
		if (table[at] == SYSTEM && table[at + 1] > SYSTEM_PRODUCT) {
			name = table[at + SYSTEM_PRODUCT]
				       ? string_at(table, size, strings, table[at + SYSTEM_PRODUCT])
				       : size;
			return size - name >= sizeof product &&
			       !memcmp(table + name, product, sizeof product);
		}
		for (at = strings; at + 2 <= size && (table[at] || table[at + 1]);)
			at++;
		at += 2;
	}
	return false;
}
