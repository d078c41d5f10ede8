/* ACPI tables, sound and damaged in every way that a parser of firmware's data must survive. */
#include "arch/x86/machine/acpi.h"
#include "arch/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define HEADER 36
#define TABLES 5

/* One heap block per table, so that the sanitizer sees a byte read too many. */
static struct {
	uint8_t *xsdt, *table[TABLES];
	uint8_t *rsdp;
	unsigned count;
} fw;

static void checksum(uint8_t *data, size_t size, size_t at)
{
	uint8_t sum = 0;

	data[at] = 0;
	for (size_t i = 0; i < size; i++)
		sum += data[i];
	data[at] = (uint8_t)-sum;
}

static void seal(uint8_t *t)
{
	uint32_t length;

	memcpy(&length, t + 4, 4);
	checksum(t, length, 9);
}

static uint8_t *table(const char *signature, const void *body, uint32_t size)
{
	uint32_t length = HEADER + size;
	uint8_t *t = calloc(1, length);

	memcpy(t, signature, 4);
	memcpy(t + 4, &length, 4);
	if (size)
		memcpy(t + HEADER, body, size);
	seal(t);
	return t;
}

static void add(uint8_t *t)
{
	fw.table[fw.count++] = t;
}

/* Root pointer and XSDT over what was added. */
static void finish(void)
{
	uint64_t address[TABLES], xsdt;
	uint32_t length = 36;

	for (unsigned i = 0; i < fw.count; i++)
		address[i] = (uint64_t)fw.table[i];
	fw.xsdt = table("XSDT", address, fw.count * 8);
	fw.rsdp = calloc(1, 36);
	memcpy(fw.rsdp, "RSD PTR ", 8);
	fw.rsdp[15] = 2;
	xsdt = (uint64_t)fw.xsdt;
	memcpy(fw.rsdp + 20, &length, 4);
	memcpy(fw.rsdp + 24, &xsdt, 8);
	checksum(fw.rsdp, 20, 8);
	checksum(fw.rsdp, 36, 32);
}

/* Two CPUs enabled, one not, one listed as both kinds, one with a large ID; an I/O APIC; IRQ 0 on pin 2. */
static const uint8_t madt[] = {
	0, 0,  0xe0, 0xfe, 1, 0, 0,    0,                            /* local APIC address, PCAT_COMPAT */
	0, 8,  0,    0,    1, 0, 0,    0,                            /* APIC 0, enabled */
	0, 8,  1,    4,    0, 0, 0,    0,                            /* APIC 4, not enabled */
	0, 8,  2,    6,    1, 0, 0,    0,                            /* APIC 6, enabled */
	9, 16, 0,    0,    6, 0, 0,    0,    1, 0, 0, 0, 2, 0, 0, 0, /* x2APIC 6: the same CPU */
	9, 16, 0,    0,    0, 1, 0,    0,    1, 0, 0, 0, 3, 0, 0, 0, /* x2APIC 256, enabled */
	1, 12, 2,    0,    0, 0, 0xc0, 0xfe, 0, 0, 0, 0,             /* I/O APIC at FEC00000H */
	2, 10, 0,    14,   5, 0, 0,    0,    0, 0,                   /* IRQ 14 is pin 5, */
	2, 10, 0,    0,    2, 0, 0,    0,    0, 0,                   /* IRQ 0 is pin 2, */
	2, 10, 0,    9,    9, 0, 0,    0,    13, 0,                  /* IRQ 9 is pin 9, by level */
};

static int set_up(void **state)
{
	static const uint8_t hpet[] = {0, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0xd0, 0xfe, 0, 0, 0, 0, 0, 0, 0, 0};
	uint8_t fadt[240] = {0};

	(void)state;
	memset(&fw, 0, sizeof fw);
	fadt[76 - HEADER] = 0x08;
	fadt[77 - HEADER] = 0x06;
	fadt[91 - HEADER] = 4;
	add(table("APIC", madt, sizeof madt));
	add(table("HPET", hpet, sizeof hpet));
	add(table("FACP", fadt, sizeof fadt));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (unsigned i = 0; i < fw.count; i++)
		free(fw.table[i]);
	free(fw.xsdt);
	free(fw.rsdp);
	return 0;
}

static void read_all(void)
{
	acpi_read((uint64_t)fw.rsdp, UINT64_MAX);
}

/** Whether a note that came since *from contains the text. */
static bool noted(unsigned from, const char *text)
{
	for (unsigned i = from; i < machine_note_count(); i++)
		if (strstr(machine_note(i), text))
			return true;
	return false;
}

static void sound_tables_are_understood(void **state)
{
	unsigned notes = machine_note_count();

	(void)state;
	finish();
	read_all();
	assert_int_equal(acpi.cpus, 3);
	assert_int_equal(acpi.n_io_apics, 1);
	assert_int_equal(acpi.io_apic[0].address, 0xfec00000);
	assert_int_equal(acpi.pit_gsi, 2);
	assert_true(acpi.legacy_pics);
	assert_int_equal(acpi.hpet, 0xfed00000);
	assert_int_equal(acpi.pm_timer, 0x608);
	assert_int_equal(machine_note_count(), notes);
}

static void processors_are_listed_once(void **state)
{
	static const uint8_t more[] = {
		0, 0,  0xe0, 0xfe, 1, 0, 0, 0,                         /* local APIC address, PCAT_COMPAT */
		0, 8,  0,    1,    1, 0, 0, 0,                         /* APIC 1, enabled */
		0, 8,  1,    2,    2, 0, 0, 0,                         /* APIC 2, online capable */
		0, 8,  2,    3,    0, 0, 0, 0,                         /* APIC 3, neither */
		0, 8,  3,    1,    1, 0, 0, 0,                         /* APIC 1 again */
		0, 8,  4,    5,    2, 0, 0, 0,                         /* APIC 5, online capable, ... */
		9, 16, 0,    0,    5, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, /* ... and enabled */
	};
	static const struct {
		uint32_t id;
		bool enabled;
	} expected[] = {{1, true}, {2, false}, {5, true}};

	(void)state;
	free(fw.table[0]);
	fw.table[0] = table("APIC", more, sizeof more);
	finish();
	read_all();
	assert_int_equal(acpi.cpus, 2);
	assert_int_equal(acpi.n_processors, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(acpi.processor[i].apic_id, expected[i].id);
		assert_int_equal(acpi.processor[i].enabled, expected[i].enabled);
	}
}

static void more_processors_than_there_is_room_for_are_counted(void **state)
{
	enum { LISTED = ACPI_PROCESSORS + 3, ENTRY = 16 };
	static uint8_t many[8 + LISTED * ENTRY];

	(void)state;
	for (uint32_t i = 0; i < LISTED; i++) {
		uint8_t entry[ENTRY] = {9, ENTRY, 0, 0, (uint8_t)i, (uint8_t)(i >> 8), 0, 0, 1};

		memcpy(many + 8 + i * ENTRY, entry, ENTRY);
	}
	free(fw.table[0]);
	fw.table[0] = table("APIC", many, sizeof many);
	finish();
	read_all();
	assert_int_equal(acpi.cpus, LISTED);
	assert_int_equal(acpi.n_processors, ACPI_PROCESSORS);
	assert_int_equal(acpi.processor[ACPI_PROCESSORS - 1].apic_id, ACPI_PROCESSORS - 1);
}

/* An entry of the SRAT: memory of a domain, enabled or not. */
static void memory_of(uint8_t *entry, uint8_t domain, bool enabled)
{
	memset(entry, 0, 40);
	entry[0] = 1;
	entry[1] = 40;
	entry[2] = domain;
	entry[28] = enabled;
}

static void domains_of_memory_are_counted(void **state)
{
	static const struct {
		uint8_t domain[3];
		bool enabled[3];
		unsigned count;
	} rows[] = {{{0, 0, 0}, {true, true, true}, 1},
		    {{0, 1, 0}, {true, true, true}, 2},
		    {{0, 1, 2}, {true, false, true}, 2},
		    {{7, 1, 2}, {false, false, false}, 0},
		    {{7, 1, 2}, {true, true, true}, 3}};
	uint8_t body[12 + 16 + 3 * 40] = {[12] = 0 /* a processor's */, [13] = 16};

	(void)state;
	finish();
	read_all();
	assert_int_equal(acpi.memory_domains, 0);
	add(NULL);
	for (unsigned r = 0; r < sizeof rows / sizeof rows[0]; r++)
		for (uint32_t cut = 0; cut < 2; cut++) {
			for (unsigned i = 0; i < 3; i++)
				memory_of(body + 28 + 40 * i, rows[r].domain[i], rows[r].enabled[i]);
			free(fw.table[3]);
			free(fw.xsdt);
			free(fw.rsdp);
			fw.table[3] = table("SRAT", body, cut ? 12 : sizeof body);
			finish();
			read_all();
			assert_int_equal(acpi.memory_domains, cut ? 0 : rows[r].count);
		}
}

static void the_extended_pm_timer_wins(void **state)
{
	static const uint8_t x[12] = {1, 32, 0, 3, 0x08, 0x18, 0, 0, 0, 0, 0, 0};

	(void)state;
	memcpy(fw.table[2] + 208, x, sizeof x);
	seal(fw.table[2]);
	finish();
	read_all();
	assert_int_equal(acpi.pm_timer, 0x1808);
}

/* ACPI 5.2.3.2: an address is of a space, and only a port can be read as one. */
static void a_register_is_read_in_its_space(void **state)
{
	static const uint8_t x[12] = {1, 32, 0, 3, 0x08, 0x18, 0, 0, 0, 0, 0, 0}, none[12] = {1, 32, 0, 3};

	(void)state;
	finish();
	for (unsigned space = 0; space < 256; space++) {
		memcpy(fw.table[2] + 208, x, sizeof x);
		fw.table[2][208] = (uint8_t)space;
		seal(fw.table[2]);
		fw.table[1][HEADER + 4] = (uint8_t)space;
		seal(fw.table[1]);
		read_all();
		assert_int_equal(acpi.pm_timer, space == 1 ? 0x1808 : 0x608);
		assert_int_equal(acpi.hpet, space == 0 ? 0xfed00000 : 0);
	}
	/* Address 0 says that there is none. */
	memcpy(fw.table[2] + 208, none, sizeof none);
	seal(fw.table[2]);
	read_all();
	assert_int_equal(acpi.pm_timer, 0x608);
	/* Nor is there a port of that number. */
	memcpy(fw.table[2] + 208, x, sizeof x);
	fw.table[2][208 + 6] = 1;
	seal(fw.table[2]);
	read_all();
	assert_int_equal(acpi.pm_timer, 0);
}

static void a_bad_checksum_costs_only_that_table(void **state)
{
	static const char *const names[] = {"APIC", "HPET", "FACP"};

	(void)state;
	finish();
	for (unsigned i = 0; i < 3; i++) {
		unsigned notes = machine_note_count();

		fw.table[i][HEADER] ^= 0x10;
		read_all();
		assert_true(noted(notes, names[i]));
		assert_true(noted(notes, "checksum"));
		assert_int_equal(acpi.cpus, i == 0 ? 0 : 3);
		assert_int_equal(acpi.hpet != 0, i != 1);
		assert_int_equal(acpi.pm_timer != 0, i != 2);
		fw.table[i][HEADER] ^= 0x10;
	}
}

static void an_impossible_length_is_named(void **state)
{
	static const uint32_t lengths[] = {0, 35, 0xffffffff};

	(void)state;
	finish();
	for (unsigned i = 0; i < 3; i++) {
		unsigned notes = machine_note_count();

		memcpy(fw.table[0] + 4, &lengths[i], 4);
		read_all();
		assert_true(noted(notes, "impossible length"));
		assert_int_equal(acpi.cpus, 0);
		assert_int_equal(acpi.hpet, 0xfed00000);
	}
}

static void entries_that_do_not_fit_end_the_list(void **state)
{
	(void)state;
	finish();
	/* Every length byte of the first entry, and the list cut off at every place. */
	for (unsigned length = 0; length < 256; length++) {
		fw.table[0][HEADER + 8 + 1] = (uint8_t)length;
		seal(fw.table[0]);
		read_all();
		assert_true(acpi.cpus <= 3);
		if (length < 2)
			assert_int_equal(acpi.cpus, 0);
	}
	fw.table[0][HEADER + 8 + 1] = 8;
	for (uint32_t size = 0; size <= sizeof madt; size++) {
		free(fw.table[0]);
		fw.table[0] = table("APIC", madt, size);
		memcpy(fw.xsdt + HEADER, &fw.table[0], 8);
		seal(fw.xsdt);
		read_all();
		assert_int_equal(acpi.n_io_apics, size >= 76);
	}
}

static void short_tables_are_not_read_beyond_their_end(void **state)
{
	(void)state;
	for (uint32_t size = 0; size < 32; size++) {
		uint8_t zeros[32] = {0};

		for (unsigned i = 0; i < 3; i++) {
			char signature[5] = {0};

			memcpy(signature, fw.table[i], 4);
			free(fw.table[i]);
			fw.table[i] = table(signature, zeros, size);
		}
		free(fw.xsdt);
		free(fw.rsdp);
		finish();
		read_all();
		assert_int_equal(acpi.cpus, 0);
		assert_int_equal(acpi.pm_timer, 0);
	}
}

static void a_bad_root_is_named(void **state)
{
	unsigned notes = machine_note_count();

	(void)state;
	finish();
	fw.rsdp[9] ^= 1;
	read_all();
	assert_true(noted(notes, "RSDP"));
	assert_int_equal(acpi.cpus, 0);
	fw.rsdp[9] ^= 1;

	notes = machine_note_count();
	fw.xsdt[HEADER] ^= 1;
	read_all();
	assert_true(noted(notes, "XSDT"));
	assert_int_equal(acpi.hpet, 0);
}

static void an_address_outside_memory_is_not_followed(void **state)
{
	uint64_t far = 0x4000000000000000;

	(void)state;
	finish();
	memcpy(fw.xsdt + HEADER, &far, 8);
	seal(fw.xsdt);
	acpi_read((uint64_t)fw.rsdp, 0x1000000000000);
	assert_int_equal(acpi.cpus, 0);
	assert_int_equal(acpi.hpet, 0xfed00000);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(sound_tables_are_understood),
		TEST(processors_are_listed_once),
		TEST(more_processors_than_there_is_room_for_are_counted),
		TEST(domains_of_memory_are_counted),
		TEST(the_extended_pm_timer_wins),
		TEST(a_register_is_read_in_its_space),
		TEST(a_bad_checksum_costs_only_that_table),
		TEST(an_impossible_length_is_named),
		TEST(entries_that_do_not_fit_end_the_list),
		TEST(short_tables_are_not_read_beyond_their_end),
		TEST(a_bad_root_is_named),
		TEST(an_address_outside_memory_is_not_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
