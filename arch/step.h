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

#include "arch/register.h"
#include "pmu/quantity/quantity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What a step is of. */
enum step_kind {
	STEP_INSTRUCTION,     /* an instruction that retired, or repetitions of one: none of those below */
	STEP_WRITES_REGISTER, /* one that writes a register of the processor: x86's WRMSR */
	STEP_READS_COUNTER,   /* one that reads a counter by a selector: x86's RDPMC */
	STEP_CALLS,           /* one that asks another level for a service: x86's INT n, SYSCALL, SYSENTER */
	STEP_RETURNS,         /* one that goes back to another level: x86's IRET */
	STEP_RETURNS_FAST,    /* the same, made for returns from such services alone: x86's SYSRET, SYSEXIT */
	STEP_DELIVERED,       /* an exception or interrupt was delivered */
	STEP_CALL_DELIVERED, /* the same of one of STEP_CALLS that is delivered as interrupts are: x86's INT n
			      */
	STEP_HALTED,         /* a stretch of halted time */
};

/** What an instruction does with the upper parts of vector registers, which narrower ones do not name. */
enum step_uppers {
	UPPERS_UNTOUCHED,
	UPPERS_KEPT,    /* it writes lower parts and keeps the upper ones: x86's legacy SSE */
	UPPERS_CLEARED, /* it writes lower parts and clears the upper ones: x86's AVX on 128 bits */
	UPPERS_USED,    /* they are in use from here on: x86's AVX on more */
	UPPERS_ZEROED,  /* none is in use any longer: x86's VZEROUPPER and VZEROALL */
};

/** What an instruction throws out of caches or TLBs. */
enum step_flush {
	FLUSH_NONE,
	FLUSH_LINE, /* the line of .flush_address, of all caches */
	FLUSH_PAGE, /* the translation of .flush_address */
	FLUSH_TRANSLATIONS,
};

/** How control went from one instruction to another that does not follow it in memory. */
enum step_transfer {
	TRANSFER_NONE, /* on to the next one; branches that are not taken too */
	TRANSFER_CONDITIONAL,
	TRANSFER_JUMP,
	TRANSFER_JUMP_INDIRECT,
	TRANSFER_CALL,
	TRANSFER_CALL_INDIRECT,
	TRANSFER_RETURN,
	TRANSFER_SYSTEM, /* a system call or the return from one: x86's far branches, IRET, SYSCALL and their
			  * like; the delivery of an INT n, see step.transfer */
	TRANSFER_EVENT,  /* an exception or interrupt was delivered */
};

/** General registers that a step has room for: AArch64 has 31 and the stack pointer. */
#define STEP_GENERAL 32

/** Registers after an instruction, for what records show. */
struct step_registers {
	uint64_t flags, ip;
	uint64_t general[STEP_GENERAL]; /* as general_register_name() numbers them (arch/register.h) */
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

struct step;

/** Terms of a step at most, and accesses of one turn. */
#define STEP_TERMS         48
#define STEP_TURN_ACCESSES 12

/** What the instruction set works out only where it is asked. */
struct step_methods {
	unsigned (*terms)(const struct step *s, struct qterm out[STEP_TERMS]);
	unsigned (*accesses)(const struct step *s, uint64_t turn, struct step_access out[STEP_TURN_ACCESSES]);
};

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
	/* Cores of two logical processors; all 0: there is one. */
	uint8_t thread;        /* logical processor that the step belongs to */
	bool sibling;          /* the other one is active ... */
	uint8_t sibling_level; /* ... at this level */
	bool others;           /* processors of other cores are active */
	uint64_t ip;   /* address of the instruction; of a delivered event: of the instruction before which it
			* is taken */
	uint64_t next; /* of the one after it */
	/*
	 * Only where the client wants them; else 0. An INT n (INT3, INT1) of x86 is two steps: the
	 * instruction, with TRANSFER_NONE to the one behind it, then its delivery, with TRANSFER_SYSTEM from
	 * the INT to the handler. Then the terms include those of the machine model (mispredictions, misses
	 * of caches and TLBs).
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
	uint64_t clock; /* of the processor (x86: the time-stamp counter), no less than at the step before */

	/* What the engine tells its client besides. Clients of a client, such as PMU models, need not look.
	 */
	const struct step_methods *methods; /* valid in the callback; .terms and .n_terms are not set then */
	const void *instruction;            /* the instruction set's own, for the methods */
	uint32_t shape; /* equal shapes other than 0 have equal terms: see step_client.quick */
	uint8_t kind;   /* enum step_kind */
	bool answered;  /* the client has carried out its register access or marker itself */
	/* Of an instruction, where the client wants them. */
	uint64_t turns; /* repetitions that step_accesses() tells apart; 1: it does not repeat itself; 0: it
			 * accesses no memory */
	uint64_t flush_address; /* see enum step_flush */
	uint8_t flush;          /* enum step_flush */
	uint8_t branch;         /* enum step_transfer: what kind of a branch it is, taken or not */
	bool taken;             /* a conditional branch's condition is true */
	uint8_t uppers;         /* enum step_uppers */
	bool denormal;          /* an operand or the result is a denormal number that takes an assist */
	uint8_t exit; /* a hypervisor may carry it out: 1 + the number of its row of step_exit_kinds[]; 0: it
		       * is of none of these kinds */
};

/** The step's terms; quantities may repeat. For a client's callbacks. @return how many were written to out */
static inline unsigned step_terms(const struct step *s, struct qterm out[STEP_TERMS])
{
	return s->methods->terms(s, out);
}

/**
 * The accesses of one turn, from 0 to .turns - 1: of an instruction that repeats itself those of one
 * repetition. Those whose addresses are not known are left out; a read-modify-write is a load and a store.
 * @return how many were written to out
 */
static inline unsigned step_accesses(const struct step *s, uint64_t turn,
				     struct step_access out[STEP_TURN_ACCESSES])
{
	return s->methods->accesses(s, turn, out);
}

/** Quantities of which addresses decide, so that steps of one instruction differ in them; Q_COUNT ends. */
extern const quantity_number quantities_by_address[];

/** A kind of instructions that a processor may hand over to a hypervisor instead of executing them. */
struct step_exit_kind {
	const char *name;    /* "RDTSC and RDTSCP" */
	const char *kernels; /* globs of those it is tried by, as glob_match() takes them; "": none */
};

/** Every kind, in the order in which they are tried; the instruction set's. */
#define STEP_EXIT_KINDS_MAX 64
extern const struct step_exit_kind step_exit_kinds[];
extern const unsigned step_n_exit_kinds;

/** The kinds of the instructions that brackets consist of: the numbers of rows of step_exit_kinds[]. */
extern const unsigned step_exit_of_counter_read, step_exit_of_register_write;

/** Code between two addresses. */
struct step_code {
	const uint8_t *begin, *end;
};

/** The kind of the first instruction in a piece of code that is of one: the number of its row;
 * step_n_exit_kinds if there is none. What registers hold is not asked. */
unsigned step_exit_of_code(const struct step_code *code);

/** What becomes of transactions in stepped code. */
enum step_transactions {
	STEP_TRANSACTIONS_ABORT,  /* at once */
	STEP_TRANSACTIONS_COMMIT, /* at the last moment: when asked to, at what cannot be done inside, or
				     never */
};

/** What a client looks at. */
enum step_wants {
	STEP_WANTS_BY_ADDRESS = 1 << 0, /* quantities_by_address[]; else these may be anything */
	STEP_WANTS_MACHINE = 1 << 1, /* what a model of caches and predictors needs: .turns, step_accesses(),
				      * .branch, .taken, .uppers, .flush, .length */
	STEP_WANTS_DENORMALS = 1 << 2, /* .denormal */
	STEP_WANTS_RECORDS =
		1 << 3, /* what records show: .transfer, .length, .vector, .registers, .access, .clock */
	STEP_WANTS_VECTORS = 1 << 4, /* .vectors */
	STEP_WANTS_EXITS = 1 << 5,   /* .exit */
};

/**
 * All callbacks run inside the engine with interrupts masked, must not fault and must leave floating-point
 * and vector registers alone. Any may be NULL.
 */
struct step_client {
	void *ctx;
	/**
	 * An instruction accesses a register of a space that is in `spaces` (bit per enum register_space).
	 * Also for accesses of code that runs free.
	 * @param by the instruction: .ip, .level, and the terms that it will contribute, in .terms. .length
	 * is 0 where code runs free: then it will not retire
	 * @return REGISTER_NOT_MINE: the processor carries it out
	 */
	enum register_answer (*access)(void *ctx, struct register_access *a, const struct step *by);
	uint32_t spaces;
	/** The code is told that its processor is the one that is presented (arch/presented.h). */
	bool presents;
	/**
	 * An instruction of a shape other than 0 has retired. Shapes are smaller than step_shapes(). Not
	 * asked while the client wants more of a step than terms.
	 * @return whether the client has made of it all that it wants: then nothing more is told of it
	 */
	bool (*quick)(void *ctx, uint32_t shape, uint8_t level);
	/** A step, which does not last longer than the call. The client may change it. */
	void (*step)(void *ctx, struct step *s);
	/** The stepped code enters a guest of its own, or has left it. */
	void (*world)(void *ctx, bool guest);
	/** The stepped code has passed a marker (step_markers()). NULL: it is an instruction like others. */
	void (*marker)(void *ctx, bool begin);
	/** Of enum step_wants. May be changed in callbacks. */
	volatile uint32_t wants;
	/**
	 * Where a processor has transactions, or the engine carries them out in its place. Committing,
	 * general registers and up to 64 bytes of a store's operand are put back by an abort; an instruction
	 * that the engine treats specially retires and aborts.
	 */
	enum step_transactions transactions;
	/** Nothing that is stepped concerns the client until a register access changes that. Then code
	 * outside of step_hold() runs free, and its register accesses go to access() all the same. May be
	 * changed in callbacks. */
	volatile bool idle;
};

/**
 * Run fn(arg) under the engine until it returns.
 * Call with the machine taken, at level 0. Not reentrant: a nested call while stepping is active aborts the
 * check. An unexpected exception inside is delivered to the harness's handlers as on hardware; if that leaves
 * the innermost guarded call, stepping ends cleanly.
 */
void step_call(struct step_client *client, void (*fn)(void *), void *arg);

/** Abort the check if the caller is being stepped: for what changes state before step_call(). */
void step_not_nested(void);

/** How many shapes there are, 0 among them. */
uint32_t step_shapes(void);

/** The code of the two markers, which every level may run. Outside of step_call(), or where the client takes
 * none, they are unexpected interrupts. */
void step_markers(struct step_code *begin, struct step_code *end);

/**
 * For a client's callbacks: a counter of the stepped code's processor asks a line (arch/overflow.h) for an
 * interrupt. It is delivered to the stepped code as the processor would deliver it.
 * @param stays the line is left as it is; else delivery masks it
 */
void step_request_overflow(unsigned line, bool stays);

/** The line of number n besides the counters', OVERFLOW_NO_LINE if there is none. x86: of AMD's extended
 * local vector table (APM vol. 2, 16.7). */
unsigned step_extra_line(unsigned n);

/** Whether the stepped code's processor has such lines where the real one lacks them. */
void step_emulate_extra_lines(bool emulate);

/** Memory as the processor's own accesses reach it (buffers for records), and as its page tables have it.
 * Addresses are those of the stepped code. */
struct step_memory {
	/** @return false if it is not mapped, or not for that: nothing was accessed */
	bool (*read)(void *ctx, uint64_t address, void *out, size_t size);
	bool (*write)(void *ctx, uint64_t address, const void *data, size_t size);
	/** Where an address lies, and the bits of its page's size. NULL: addresses are physical ones, in
	 * pages of 4 KiB. @return false if it is not mapped */
	bool (*translate)(void *ctx, uint64_t address, uint64_t *physical, unsigned *shift);
	void *ctx;
};

/** The stepped code's, for a client's callbacks. */
extern const struct step_memory step_memory;

/** Whether the caller is being stepped right now. */
bool step_active(void);

/** Suspend stepping for code that is not part of the experiment (printing, bookkeeping). Nests; no-op if
 * inactive. */
void step_pause(void);
void step_resume(void);

/** Step every instruction from here to step_release(): code that the compiler has not made, with accesses of
 * its own. Behind it code runs free again if the client is idle. Nests; no-op if inactive. */
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
