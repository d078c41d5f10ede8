#include "arch/x86/machine/smbios.h"

#include <stdio.h>
#include <string.h>

#define BIOS_BEGIN 0xf0000
#define BIOS_END   0x100000
#define TABLE_MAX  (1u << 20)
#define END        127 /* of the table */
#define HEADER     4

enum form { FORM_STRING, FORM_WORD };

static const struct {
	uint8_t type, offset, form;
	const char *name;
} fields[] = {
	{0, 4, FORM_STRING, "BIOS vendor"},      {0, 5, FORM_STRING, "BIOS version"},
	{0, 8, FORM_STRING, "BIOS date"},        {1, 4, FORM_STRING, "system manufacturer"},
	{1, 5, FORM_STRING, "system product"},   {1, 6, FORM_STRING, "system version"},
	{2, 4, FORM_STRING, "board maker"},      {2, 5, FORM_STRING, "board product"},
	{2, 6, FORM_STRING, "board version"},    {4, 4, FORM_STRING, "processor socket"},
	{4, 16, FORM_STRING, "processor"},       {4, 20, FORM_WORD, "processor MHz at most"},
	{4, 22, FORM_WORD, "processor MHz now"},
};

static bool sums_to_zero(const uint8_t *p, size_t size)
{
	uint8_t sum = 0;

	while (size--)
		sum += *p++;
	return !sum;
}

static const uint8_t *table_of(const uint8_t *entry, uint64_t top, size_t *size)
{
	uint64_t at = 0;
	uint32_t low, length = 0;
	uint16_t word;

	if (!memcmp(entry, "_SM3_", 5) && entry[6] >= 0x18 && sums_to_zero(entry, entry[6])) {
		memcpy(&length, entry + 12, sizeof length);
		memcpy(&at, entry + 16, sizeof at);
	} else if (!memcmp(entry, "_SM_", 4) && entry[5] >= 0x1e && sums_to_zero(entry, entry[5])) {
		memcpy(&word, entry + 0x16, sizeof word);
		memcpy(&low, entry + 0x18, sizeof low);
		length = word;
		at = low;
	}
	if (!at || !length || length > TABLE_MAX || at > top - length)
		return NULL;
	*size = length;
	return (const uint8_t *)(uintptr_t)at;
}

const uint8_t *smbios_find(uint64_t entry, uint64_t top, size_t *size)
{
	const uint8_t *table = NULL;

	*size = 0;
	if (entry)
		return entry < top - 32 ? table_of((const uint8_t *)(uintptr_t)entry, top, size) : NULL;
	for (uintptr_t at = BIOS_BEGIN; !table && at < BIOS_END; at += 16)
		if (!memcmp((const void *)at, "_SM", 3))
			table = table_of((const uint8_t *)at, top, size);
	return table;
}

/* The n-th string behind a structure; an empty one if there is none. */
static const char *string_of(const uint8_t *p, const uint8_t *end, unsigned n, char out[IDENTITY_VALUE])
{
	size_t used = 0;

	while (n && --n) {
		while (p < end && *p)
			p++;
		p += p < end;
	}
	for (; p < end && *p && used < IDENTITY_VALUE - 1; p++)
		out[used++] = *p >= ' ' && *p <= '~' ? (char)*p : '?';
	while (used && out[used - 1] == ' ')
		used--;
	out[used] = 0;
	return out;
}

static void tell(const uint8_t *s, const uint8_t *end, unsigned field, unsigned of_kind, identity_each *each,
		 void *to)
{
	const uint8_t *at = s + fields[field].offset;
	char name[48], value[IDENTITY_VALUE] = "";

	if (fields[field].offset + 1u + fields[field].form > s[1])
		return;
	if (fields[field].form == FORM_WORD)
		snprintf(value, sizeof value, "%u", at[0] | at[1] << 8);
	else if (*at)
		string_of(s + s[1], end, *at, value);
	snprintf(name, sizeof name, of_kind > 1 ? "SMBIOS %s, %u" : "SMBIOS %s", fields[field].name, of_kind);
	if (*value)
		each(to, name, value);
}

void smbios_pairs(const uint8_t *table, size_t size, identity_each *each, void *to)
{
	const uint8_t *end = table + size;
	unsigned seen[5] = {0};

	for (const uint8_t *s = table; end - s >= HEADER && s[1] >= HEADER && s[1] <= end - s && *s != END;) {
		const uint8_t *next = s + s[1];

		if (*s < sizeof seen / sizeof seen[0]) {
			seen[*s]++;
			for (unsigned i = 0; i < sizeof fields / sizeof fields[0]; i++)
				if (fields[i].type == *s)
					tell(s, end, i, seen[*s], each, to);
		}
		while (end - next >= 2 && (next[0] || next[1]))
			next++;
		if (end - next < 2)
			return;
		s = next + 2;
	}
}
