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

/** Processor `number`, which the first one alone may ask, executes fn(number) beside what judges, with
 * interrupts masked and on a stack of its own, and is switched off behind it. It must not raise exceptions.
 * @return false if it does not start */
bool processor_send(unsigned number, void (*fn)(unsigned number));

/** Wait until one that was sent is switched off. @return false if it does not come back; no other one is sent
 * then */
bool processor_back(unsigned number);

/** Why no processor can be sent: one line; NULL if it can. */
const char *processor_stays(void);

/** Whoever has the run lives, and has so long before it need say so again. */
void processor_lives(unsigned ms);

#endif
