/*
 * A second CPU: another logical processor that works while the harness runs on this one, for what takes two:
 * stores of another CPU, a sibling that shares the core. It executes nothing but one loop, with
 * interrupts masked; when it is not wanted it is halted, and after second_cpu_dismiss() for good.
 *
 * Example: measure while another CPU stores to the same line.
 *
 *     if (!second_cpu_missing(SECOND_CPU_ANY) && second_cpu_work(SECOND_CPU_ANY, line)) {
 *             measure();
 *             second_cpu_rest();
 *     }
 */
#ifndef ARCH_SECOND_CPU_H
#define ARCH_SECOND_CPU_H

#include <stdbool.h>
#include <stdint.h>

enum second_cpu_kind {
	SECOND_CPU_ANY,     /* of another core, if there is one */
	SECOND_CPU_SIBLING, /* of the core that executes this */
};

/**
 * Start a second CPU if there is none of this kind yet. Call with the machine taken.
 * @return NULL, or why there is none: one line
 */
const char *second_cpu_missing(enum second_cpu_kind kind);

/**
 * Let it work: from now on it stores to line[0] and loads from line[1], again and again, until
 * second_cpu_rest(). second_cpu_missing(kind) must have been NULL since the machine was taken.
 * @return true once it has stored, false if it does not answer
 */
bool second_cpu_work(enum second_cpu_kind kind, volatile uint32_t *line);

/** Let it halt, and wait until it does. */
void second_cpu_rest(void);

/** From here on it executes nothing but a halt. */
void second_cpu_dismiss(void);

#endif
