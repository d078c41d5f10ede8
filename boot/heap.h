/*
 * Memory behind malloc(), and what else newlib asks of the machine (boot/syscalls.c).
 */
#ifndef BOOT_HEAP_H
#define BOOT_HEAP_H

#include "boot/platform.h"

/**
 * Give newlib its heap, as large as the platform can spare, 1 to 64 MiB. Called once by every entry before
 * anything else.
 * @return false if there is not even the least amount
 */
bool heap_init(struct platform *platform);

#endif
