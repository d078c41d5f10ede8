#include "arch/machine.h"

#include <stddef.h>

const struct machine_setting machine_settings[] = {
#define SETTING(name, choices, highest, initial, help) {name, choices, highest, initial, help},
#include "arch/x86/settings.def"
	{0},
};
