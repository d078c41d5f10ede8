/*
 * The menu before a run: what is to be run, and how. It changes options, no more.
 */
#ifndef BOOT_MENU_START_H
#define BOOT_MENU_START_H

#include "boot/options.h"
#include "boot/platform.h"

#include <stdbool.h>

/**
 * Ask what to do on platform->terminal. Without a key that means something for o->menu seconds, the answer is
 * to run with the options as they are.
 * @param attended gets whether somebody was there
 * @return whether to run; false: leave
 */
bool menu_start(const struct platform *platform, struct options *o, const struct experiments *experiments,
		bool *attended);

#endif
