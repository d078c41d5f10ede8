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

#include "arch/register.h"
#include "pmu/quantity/quantity.h"

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

/** Loops that it can count. */
enum second_cpu_loop {
	SECOND_CPU_PLAIN,   /* loads, a store, a branch */
	SECOND_CPU_FAR,     /* a far branch: x86's IRET to the next instruction */
	SECOND_CPU_PATIENT, /* as the first, with a hint to let others go on: of struct others_job alone */
	SECOND_CPU_LOOPS
};

/** What they consist of, instruction by instruction. */
#define SECOND_CPU_TERMS        8
#define SECOND_CPU_INSTRUCTIONS 10
struct second_cpu_instruction {
	uint8_t n_terms;
	struct qterm terms[SECOND_CPU_TERMS];
};

struct second_cpu_turn {
	uint8_t n; /* instructions; 0: there is no such loop here */
	struct second_cpu_instruction instruction[SECOND_CPU_INSTRUCTIONS];
};

extern const struct second_cpu_turn second_cpu_turns[SECOND_CPU_LOOPS];

/** Have the sibling, which must not be missing and rests, access a register of its own.
 * @return false if the access raised an exception, or it does not answer */
bool second_cpu_access(struct register_access *a);

/**
 * Have the sibling write a register, which starts its counters, go through a loop until second_cpu_counted(),
 * and write one that stops them. Between the two writes are turns of the loop, and a few instructions of
 * which there are always as many.
 * @return false if it does not, see second_cpu_access()
 */
bool second_cpu_count(enum second_cpu_loop loop, const struct register_access *start,
		      const struct register_access *stop);

/** Have it stop. @param turns gets how often it has been through the loop. @return false if it does not
 * answer */
bool second_cpu_counted(uint64_t *turns);

/** Let it halt, and wait until it does. */
void second_cpu_rest(void);

/** From here on it executes nothing but a halt. */
void second_cpu_dismiss(void);

/**
 * What all other processors do at once, each by itself: begin(), the loop SECOND_CPU_PATIENT until it is to
 * end, and end(). Both run on the other processor, with interrupts masked and 1 KiB of stack, in code that
 * uses general registers alone; of exceptions only those of register accesses that may be refused are
 * handled.
 */
struct others_job {
	void (*begin)(void *arg, unsigned i);
	void (*end)(void *arg, unsigned i);
	void *arg;
};

#define OTHERS_MAX 255
#define OTHERS_ALL (~0u)

/** How many there are, started or not, one of each core but that which executes this: they are numbered from
 * 0 on. */
unsigned others_count(void);

/**
 * Start them, all or one of them, one after the other: each is in its loop then. *job must stay. Call with
 * the machine taken, and with second_cpu_missing(SECOND_CPU_ANY) NULL.
 * @return how many have come
 */
unsigned others_begin(const struct others_job *job, unsigned only);

/** Have one leave its loop; it halts afterwards. @param turns gets how often it has been through the loop
 * @return false if it does not work, or is of another type than the one that executes this: then it did
 * neither begin() nor end() */
bool others_end(unsigned i, uint64_t *turns);

/** Its number among all processors (arch/processors.h). */
unsigned others_number(unsigned i);

/** Let all other processors that can be had work at once, each on a line of its own, until others_rest().
 * They are started for it. Call with the machine taken, and with second_cpu_missing(SECOND_CPU_ANY) NULL.
 * @return how many work, each of which has stored by now */
unsigned others_work(void);

/** Let each of them halt. */
void others_rest(void);

#endif
