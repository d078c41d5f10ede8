#include "arch/levels.h"

#include <stddef.h>

#define RINGS   4
#define FILTERS 2

const char *level_name(unsigned level)
{
	static const char *const names[RINGS] = {"ring 0", "ring 1", "ring 2", "ring 3"};

	return level < RINGS ? names[level] : NULL;
}

const char level_option[] = "ring", level_choices[] = "0|3|both";

unsigned level_user(void)
{
	return 3;
}

/* SDM vol. 3, 18.2.1.1: USR counts at privilege levels 1, 2 and 3. */
unsigned level_filter(unsigned level)
{
	return level != 0;
}

const char *level_filter_name(unsigned filter)
{
	static const char *const names[FILTERS] = {"OS", "USR"};

	return filter < FILTERS ? names[filter] : NULL;
}
