#include "arch/machine.h"

#include <stddef.h>

const struct machine_setting machine_settings[] = {
	{"x2apic", "0|1", 0, "0", "1: use x2APIC mode if the CPU has it"},
	{"serial", NULL, 0xffff, "0", "I/O port of a 16550, 0: probe"},
	{"hpet", "0|1", 0, "1", "0: do as if there were no HPET"},
	{0},
};
