/* The list of processors, with the boot processor at every place of ACPI's. */
#include "arch/x86/machine/acpi.h"
#include "arch/machine.h"
#include "arch/processors.h"
#include "arch/x86/processors/processors_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#define MOST    6
#define MISSING 0x1ff /* an APIC ID that no list has */

/* IDs that are neither in order nor equal to a place; of three processors one is not enabled. */
static uint32_t id_at(unsigned place)
{
	return 0x40 + place * 7 % MOST * 2;
}

static bool enabled_at(unsigned place)
{
	return place % 3 != 1;
}

static const struct boot_info nothing_known;

static void list(unsigned n, uint32_t boot)
{
	acpi.n_processors = n;
	for (unsigned i = 0; i < ACPI_PROCESSORS; i++) {
		/* What lies behind the end must not be looked at. */
		acpi.processor[i].apic_id = i < n ? id_at(i) : MISSING;
		acpi.processor[i].enabled = i < n && enabled_at(i);
	}
	processors_list(boot, &nothing_known);
}

/* Number 0 is the boot processor; the others are all of the rest, each once, in ACPI's order. */
static void check(unsigned n, unsigned boot_place)
{
	uint32_t boot = boot_place < n ? id_at(boot_place) : MISSING;
	unsigned number = 1;

	list(n, boot);
	assert_int_equal(processor_count(), boot_place < n ? n : n + 1);
	assert_int_equal(processor_at(0).id, boot);
	assert_true(processor_at(0).enabled);
	for (unsigned i = 0; i < n; i++) {
		if (i == boot_place)
			continue;
		assert_int_equal(processor_at(number).id, id_at(i));
		assert_int_equal(processor_at(number).enabled, enabled_at(i));
		number++;
	}
	assert_int_equal(number, processor_count());
}

/* First, in the middle, last, and not there at all; the list may be empty. */
static void the_boot_processor_may_stand_anywhere(void **state)
{
	(void)state;
	for (unsigned n = 0; n <= MOST; n++)
		for (unsigned place = 0; place <= n; place++)
			check(n, place);
}

static void a_full_list_has_room_for_it(void **state)
{
	(void)state;
	acpi.n_processors = ACPI_PROCESSORS;
	for (unsigned i = 0; i < ACPI_PROCESSORS; i++) {
		acpi.processor[i].apic_id = 1000 + i;
		acpi.processor[i].enabled = true;
	}
	processors_list(1000 + ACPI_PROCESSORS - 1, &nothing_known);
	assert_int_equal(processor_count(), ACPI_PROCESSORS);
	assert_int_equal(processor_at(ACPI_PROCESSORS - 1).id, 1000 + ACPI_PROCESSORS - 2);
	processors_list(1, &nothing_known);
	assert_int_equal(processor_count(), ACPI_PROCESSORS + 1);
	assert_int_equal(processor_at(ACPI_PROCESSORS).id, 1000 + ACPI_PROCESSORS - 1);
}

/* @return what the notes that came say of the list, one after the other */
static const char *compared(const struct firmware_processor *known, unsigned n)
{
	const struct boot_info boot = {.processors = known, .n_processors = n};
	static char text[1024];
	unsigned before = machine_note_count();

	list(MOST, id_at(0));
	for (unsigned i = 0; i < MOST; i++)
		acpi.processor[i].enabled = true;
	acpi.cpus = MOST;
	processors_list(id_at(0), &boot);
	text[0] = 0;
	for (unsigned i = before; i < machine_note_count(); i++)
		strcat(strcat(text, machine_note(i)), "\n");
	return text;
}

static void what_firmware_services_say_counts(void **state)
{
	struct firmware_processor known[MOST + 1];

	(void)state;
	for (unsigned i = 0; i < MOST; i++)
		known[i] = (struct firmware_processor){id_at(i), true, true};
	assert_string_equal(compared(known, MOST), "");
	assert_int_equal(acpi.cpus, MOST);
	assert_true(processors_listed_alike());
	known[2].enabled = false;
	known[4].healthy = false;
	known[5].healthy = false;
	known[MOST] = (struct firmware_processor){MISSING, true, true};
	known[1].id = MISSING + 1;
	assert_string_equal(
		compared(known, MOST + 1),
		"processors that firmware's MADT lists are not known to its MP services: 1, the "
		"first with APIC ID 66; not used\n"
		"processors that firmware's MADT lists are disabled by its MP services: 1, the first "
		"with APIC ID 68; not used\n"
		"processors that firmware's MADT lists are called unhealthy by its MP services: 2, "
		"the first with APIC ID 72; not used\n"
		"processors that firmware's MP services know are not in its MADT: 2; not used\n");
	assert_int_equal(acpi.cpus, MOST - 4);
	for (unsigned i = 0; i < MOST; i++)
		assert_int_equal(processor_at(i).enabled, i == 0 || i == 3);
	/* They may number otherwise: then the boot processor is not among them, and nothing is compared. */
	known[0].id = MISSING + 2;
	assert_string_equal(compared(known, MOST), "");
	assert_int_equal(acpi.cpus, MOST);
	assert_false(processors_listed_alike());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_boot_processor_may_stand_anywhere),
		cmocka_unit_test(a_full_list_has_room_for_it),
		cmocka_unit_test(what_firmware_services_say_counts),
	};

	return cmocka_run_group_tests_name("processor list", tests, NULL, NULL);
}
