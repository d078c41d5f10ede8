/*
 * A program for models under test that is told instruction by instruction: every step has all that the
 * virtual PMU gives while a model records (pmu/contract/model.h). Addresses, registers and time go on by
 * themselves.
 */
#ifndef TESTS_HOST_FAKE_PATH_H
#define TESTS_HOST_FAKE_PATH_H

#include "pmu/contract/model.h"
#include "pmu/contract/vectors.h"
#include "pmu/contract/record.h"
#include "pmu/virtual/uarch.h"

#include <stdbool.h>
#include <stdint.h>

#define FAKE_PATH_CYCLE 3 /* how much the time-stamp counter goes on with each step */

struct fake_path {
	const struct pmu_model *model;
	void *state;
	struct step_registers regs; /* as the last instruction left them; .ip: of the one that comes next */
	uint8_t vectors[VECTORS_BOTH]; /* shown with each step: byte i is i, in upper halves i + 1, at first
					*/
	uint64_t clock;
	uint8_t level;
	struct step last; /* the last step, but for what it points to */
	bool changed;     /* what advance() returned for it */
};

/** Begin at an address, CPL 0, with registers that all differ: gpr[i] is 0x1111000000000000 + i << 8. */
void fake_path_start(struct fake_path *p, const struct pmu_model *model, void *state, uint64_t ip);

/** Any step: of *s the terms, .transfer, .length, .level_after, .access and .own_write are looked at, and
 * .cycles (0: 1). The next one is at `next`. */
void fake_path_step(struct fake_path *p, struct step *s, uint64_t next);

/** Overflow requests taken since the last call, at most 100. */
unsigned fake_path_interrupts(struct fake_path *p);

/** An instruction with these terms (INSTRUCTIONS is one of them or is not: nothing is added). It adds 1 to
 * RAX, so that records show whether they were made before or after it. */
void fake_path_insn(struct fake_path *p, unsigned length, const struct qterm *terms, unsigned n_terms);

/** One that accesses memory besides. */
void fake_path_access(struct fake_path *p, unsigned length, const struct qterm *terms, unsigned n_terms,
		      const struct step_access *access, unsigned n_access);

/** `count` NOPs of one byte; loads and stores of 8 bytes by an instruction of 3. */
void fake_path_nops(struct fake_path *p, unsigned count);
void fake_path_load(struct fake_path *p, uint64_t address);
void fake_path_store(struct fake_path *p, uint64_t address);

/** A branch of two bytes that is taken, with the quantities of its kind; calls store and returns load 8 bytes
 * at RSP. */
void fake_path_branch(struct fake_path *p, enum step_transfer kind, uint64_t to);

/** The same, and the machine model says that it was mispredicted. */
void fake_path_mispredicted(struct fake_path *p, enum step_transfer kind, uint64_t to);

/** A conditional branch of two bytes that is not taken. */
void fake_path_not_taken(struct fake_path *p);

/** A far branch of two bytes to another level; an exception or interrupt that is delivered to a handler at
 * CPL 0. */
void fake_path_far(struct fake_path *p, uint64_t to, uint8_t cpl);
void fake_path_event(struct fake_path *p, uint64_t handler);

/** A WRMSR of two bytes, with the rules of model.h. */
enum register_answer fake_path_wrmsr(struct fake_path *p, uint32_t address, uint64_t value);

#endif
