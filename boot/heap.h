/*
 * Memory behind malloc(), and what else newlib asks of the machine (boot/syscalls.c).
 */
#ifndef BOOT_HEAP_H
#define BOOT_HEAP_H

#include "boot/platform.h"

/**
 * Give newlib its heap, as large as the platform can spare, 1 to 256 MiB: a report of all events of one
 * microarchitecture on all kernels takes tens of megabytes. Called once by every entry before anything else.
 * @param pages as in struct boot_info, but what it returns need not be zero
 * @return false if there is not even the least amount
 */
bool heap_init(struct platform *platform, void *(*pages)(size_t pages));

#endif
