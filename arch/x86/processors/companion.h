/*
 * A companion: another logical processor that works while the harness runs on this one, for what takes two:
 * stores of another CPU, a sibling that shares the core. It executes nothing but the loop of companion.S,
 * with interrupts masked; when it is not wanted it is halted, and after companion_dismiss() as INIT leaves
 * it.
 */
#ifndef ARCH_X86_PROCESSORS_COMPANION_H
#define ARCH_X86_PROCESSORS_COMPANION_H

#include <stdbool.h>
#include <stdint.h>

enum companion_kind {
	COMPANION_ANY,     /* of another core, if there is one */
	COMPANION_SIBLING, /* of the core that executes this, by CPUID */
};

/**
 * Start a companion if there is none of this kind yet. Call with the machine taken.
 * @return NULL, or why there is none: one line
 */
const char *companion_missing(enum companion_kind kind);

/**
 * Let it work: from now on it stores to line[0] and loads from line[1], again and again, until
 * companion_rest(). companion_missing(kind) must have been NULL since the machine was taken.
 * @return true once it has stored, false if it does not answer
 */
bool companion_work(enum companion_kind kind, volatile uint32_t *line);

/** Let it halt, and wait until it does. */
void companion_rest(void);

/** Send it back to where INIT leaves a processor: it executes nothing. */
void companion_dismiss(void);

#endif
