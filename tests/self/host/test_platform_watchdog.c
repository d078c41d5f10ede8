/* Platform watchdogs on machines of each kind: what is there is named, and nothing else. */
#include "arch/x86/machine/platform_watchdog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct {
	unsigned device, function, offset;
	uint32_t value;
} space[8];
static uint16_t control_port, control;
static char said[512];

static uint32_t pci(unsigned device, unsigned function, unsigned offset)
{
	bool there = false;

	for (unsigned i = 0; i < 8; i++) {
		bool same = space[i].value && space[i].device == device && space[i].function == function;

		there |= same;
		if (same && space[i].offset == offset)
			return space[i].value;
	}
	return there ? 0 : 0xffffffff;
}

static uint16_t port(uint16_t at)
{
	assert_int_equal(at, control_port);
	return control;
}

static void found(const char *text)
{
	strcat(said, text);
	strcat(said, "\n");
}

static void says(const char *text)
{
	const struct platform_bus bus = {pci, port};

	said[0] = 0;
	platform_watchdogs_on(&bus, found);
	assert_string_equal(said, text);
}

static void put(unsigned i, unsigned device, unsigned function, unsigned offset, uint32_t value)
{
	space[i].device = device;
	space[i].function = function;
	space[i].offset = offset;
	space[i].value = value;
}

static int setup(void **state)
{
	(void)state;
	memset(space, 0, sizeof space);
	control_port = 0;
	return 0;
}

static void nothing_there_nothing_said(void **state)
{
	(void)state;
	says("");
	put(0, 1, 0, 0, 0x70008086); /* PIIX3: no TCO */
	put(1, 1, 0, 8, 0x06010000);
	says("");
	put(0, 31, 0, 0, 0x12341039); /* another vendor's bridge there */
	put(1, 31, 0, 8, 0x06010000);
	says("");
}

static void an_ich_has_one(void **state)
{
	(void)state;
	put(0, 31, 0, 0, 0x29188086);
	put(1, 31, 0, 8, 0x06010002);
	put(2, 31, 0, 0x40, 0x0601);
	put(3, 31, 0, 0x44, 0x80);
	control_port = 0x668;
	control = 0;
	says("platform watchdog: Intel TCO at port 660H, not halted\n");
	control = 1 << 11;
	says("platform watchdog: Intel TCO at port 660H, halted\n");
	control = 0xffff;
	says("platform watchdog: Intel TCO at port 660H, which does not answer\n");
	control_port = 0;
	put(3, 31, 0, 0x44, 0x10); /* not decoded: its ports are not touched */
	says("");
}

static void a_later_one_has_it_elsewhere(void **state)
{
	(void)state;
	put(0, 31, 0, 0, 0xa1458086);
	put(1, 31, 0, 8, 0x06010031);
	put(2, 31, 4, 0, 0xa1238086);
	put(3, 31, 4, 8, 0x0c050031);
	put(4, 31, 4, 0x50, 0x401);
	put(5, 31, 4, 0x54, 1 << 8);
	control_port = 0x408;
	control = 1 << 11;
	says("platform watchdog: Intel TCO at port 400H, halted\n");
	control_port = 0;
	put(5, 31, 4, 0x54, 1);
	says("");
}

static void others(void **state)
{
	(void)state;
	put(0, 20, 0, 0, 0x790b1022);
	says("platform watchdog: AMD SP5100 TCO; whether it runs cannot be read without a write\n");
	put(0, 20, 0, 0, 0x43851002);
	says("platform watchdog: AMD SP5100 TCO; whether it runs cannot be read without a write\n");
	put(0, 20, 0, 0, 0x12341022);
	says("");
	put(0, 5, 0, 0, 0x25ab8086);
	says("platform watchdog: Intel 6300ESB, halted\n");
	put(1, 5, 0, 0x68, 2);
	says("platform watchdog: Intel 6300ESB, running\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nothing_there_nothing_said, setup),
		cmocka_unit_test_setup(an_ich_has_one, setup),
		cmocka_unit_test_setup(a_later_one_has_it_elsewhere, setup),
		cmocka_unit_test_setup(others, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
