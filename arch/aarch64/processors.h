/*
 * The list of processors, and signs of life of the one that has the run.
 */
#ifndef ARCH_AARCH64_PROCESSORS_H
#define ARCH_AARCH64_PROCESSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One of firmware's list, by MPIDR_EL1's affinity fields; whoever executes this need not be told, and to be
 * told twice is to be told once. */
void processors_add(uint64_t affinity);

/** Get memory for another one's stack. @return false if it is short */
bool processors_init(void *(*alloc_pages)(size_t pages));

/** What cannot go on ends the turn of the processor that executes this, which is switched off; on the boot
 * processor it returns. @param text why, one line */
void processor_break_off(const char *text);

/** Whoever has the run lives, and has so long before it need say so again. */
void processor_lives(unsigned ms);

#endif
