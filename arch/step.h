/*
 * Stepping: code runs one instruction at a time, and a client is told what each one did. The instruction set
 * decodes and accounts; the client sees no instruction. Every instruction set implements this, each in its
 * own way: by a trace trap, by breakpoints, or by interpretation.
 *
 * Example: `call f` of five bytes at 1000H in user mode is a step of .ip = 1000H, .next = the address of f,
 * .transfer = TRANSFER_CALL, .level = .level_after = 3 on x86, one access that stores, and the terms
 * {instructions, 1}, {branches, 1}, {stores, 1} and so on.
 */
#ifndef ARCH_STEP_H
#define ARCH_STEP_H

#include "pmu/quantity/quantity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** How control went from one instruction to another that does not follow it in memory. */
enum step_transfer {
	TRANSFER_NONE, /* on to the next one; branches that are not taken too */
	TRANSFER_CONDITIONAL,
	TRANSFER_JUMP,
	TRANSFER_JUMP_INDIRECT,
	TRANSFER_CALL,
	TRANSFER_CALL_INDIRECT,
	TRANSFER_RETURN,
	TRANSFER_FAR,   /* a system call or the return from one: x86's far branches, IRET, SYSCALL and their
			 * like; the delivery of an INT n, see step.transfer */
	TRANSFER_EVENT, /* an exception or interrupt was delivered */
};

#define STEP_GENERAL 16 /* general registers that a step has room for */

/** Registers after an instruction, for what records show. */
struct step_registers {
	uint64_t flags, ip;
	uint64_t gpr[STEP_GENERAL]; /* numbered as the instruction set's records do; x86: RAX, RBX, RCX, RDX,
				       RSI, RDI, RBP, RSP, R8 to R15 */
};

/** A data access of one retired instruction or iteration. */
struct step_access {
	uint64_t address; /* as the instruction has it, not translated */
	uint32_t size;    /* bytes */
	bool store;
};

/** Bytes of vector registers that a step shows, in two halves. x86: XMM0 to XMM15, then as many upper halves
 * of YMM registers, 16 bytes each. */
#define VECTORS_SIZE 256
#define VECTORS_BOTH (2 * VECTORS_SIZE)

/** Accesses that a step tells at most. */
#define STEP_ACCESSES 32

/**
 * What one cycle group contributes: an instruction that retired, the delivery of an event, a stretch of
 * halted time. An instruction that repeats itself and is interrupted half done is one step for what it did,
 * with TRANSFER_NONE and .next = .ip, before that of the delivery, and another one later.
 */
struct step {
	const struct qterm *terms; /* sparse; quantities may repeat (amounts add up) */
	unsigned n_terms;
	uint32_t cycles; /* core cycles that pass with it, at least 1; halted: that would pass if they
			  * ticked */
	uint8_t level;   /* privilege level, numbered as the instruction set does: x86's CPL */
	bool guest;      /* the instruction is that of a guest */
	bool halted;     /* core cycles do not tick, reference cycles do not either; the time-stamp counter
			  * does. No terms then */
	bool unfiltered; /* a hypervisor has carried it out, and adds its terms to a counter whatever that
			  * filters by: Linux, kvm_pmu_trigger_event() */
	bool own_write;  /* the retirement of a register write that the model has just carried out, see
			  * pmu_model.access (pmu/contract/model.h) */
	/* Cores whose logical processors share the counters; all 0: there is one. */
	uint8_t thread;        /* logical processor that the step belongs to */
	bool sibling;          /* the other one is active ... */
	uint8_t sibling_level; /* ... at this level */
	uint64_t ip;   /* address of the instruction; of a delivered event: of the instruction before which it
			* is taken */
	uint64_t next; /* of the one after it */
	/*
	 * Only where the client wants them; else 0. An INT n (INT3, INT1) of x86 is two steps: the
	 * instruction, with TRANSFER_NONE to the one behind it, then its delivery, with TRANSFER_FAR from the
	 * INT to the handler. Then the terms include those of the machine model (mispredictions, misses of
	 * caches and TLBs).
	 */
	uint8_t transfer;                       /* enum step_transfer, from .ip to .next */
	uint8_t level_after;                    /* at .next */
	uint8_t length;                         /* of the instruction, bytes; 0: a delivered event ... */
	uint8_t vector;                         /* ... of this number */
	const struct step_registers *registers; /* after it; NULL if halted */
	const uint8_t *vectors; /* VECTORS_BOTH bytes: vector registers after it; NULL: not wanted */
	const struct step_access *access; /* in order: of instructions that repeat themselves those of the
					   * first iterations, STEP_ACCESSES at most; none of x86's gathers
					   * and scatters, nor of deliveries */
	unsigned n_access;
	uint64_t tsc; /* time-stamp counter, no less than at the step before */
};

/** Whether the caller is being stepped right now. */
bool step_active(void);

/** Suspend stepping for code that is not part of the experiment (printing, bookkeeping). Nests; no-op if
 * inactive. */
void step_pause(void);
void step_resume(void);

/** Step every instruction from here to step_release(): code that the compiler has not made, with accesses of
 * its own. Nests; no-op if inactive. */
void step_hold(void);
void step_release(void);

/** The client's state has changed without an instruction: code runs free no longer from here on, as long as
 * the client is not idle. No-op if nothing runs free. */
void step_wake(void);

/** Instructions and iterations stepped since the start. */
uint64_t step_count(void);

/**
 * Run fn(arg) with the least that stepping takes, and a handler that only counts: the yardstick for the
 * engine's speed.
 * @return the number of steps; 0 while something is stepped
 */
uint64_t step_bare_count(void (*fn)(void *), void *arg);

#endif
