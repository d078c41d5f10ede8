/*
 * The step engine: runs code one instruction at a time (RFLAGS.TF) on the very CPU under test and lets a
 * client look at, answer or account for each instruction. The vPMU and the oracle are its clients.
 *
 * While stepping, the engine owns the real IDT (its own, all vectors to one monitor entry on IST stacks); the
 * harness's IDT stays the architectural one for the stepped code: exceptions, interrupts and software
 * interrupts are delivered to it by building the frame that the CPU would build (SDM vol. 3, 6.12-6.14: gate
 * type, IST, TSS.RSP0, error code, IF and TF), with the stepping flag hidden, and its handlers are stepped
 * too. IRET, POPF and the return to ring 3 keep stepping alive.
 */
#ifndef ARCH_X86_STEP_STEP_H
#define ARCH_X86_STEP_STEP_H

#include "arch/step.h"
#include "arch/x86/step/retired.h"
#include "arch/x86/exceptions/trap.h"

#include <stdbool.h>
#include <stdint.h>

/** What happened to the stepped code; filled in by the engine for the client's retired() call. */
struct step_retired {
	struct insn_retired did;
	const struct trap_frame *after; /* registers after the instruction: RIP, CS, RFLAGS, RSP, SS; all of
					 * them if the instruction has a .special or with .details. RFLAGS.TF
					 * is the engine's */
	uint64_t rip;                   /* of the instruction */
	bool emulated;                  /* the client's before() answered it, the CPU never ran it */
};

/** An event that was delivered through the harness's IDT. */
struct step_delivered {
	enum step_event kind;
	unsigned vector;
	uint8_t cpl;  /* before it */
	uint64_t rip; /* of the instruction before which it is taken; STEP_SOFT_INTERRUPT: of the
		       * INT n */
	const struct trap_frame *after; /* all registers as its handler finds them */
};

/** What becomes of transactions (RTM) in stepped code. */
enum step_transactions {
	STEP_TRANSACTIONS_ABORT,  /* at once: XBEGIN goes to its fallback, with status 0 */
	STEP_TRANSACTIONS_COMMIT, /* at the last moment: at XABORT, at what cannot be done inside, or never */
};

enum step_action {
	STEP_RUN,  /* let the CPU run it */
	STEP_DONE, /* the client has carried it out: registers in the frame are those after it (RIP is
		      advanced by the engine) */
	STEP_GP,   /* it raises #GP(0): the engine delivers that */
};

/**
 * All callbacks run on the monitor's stack with interrupts masked, must not fault and must leave x87 and
 * vector registers alone (general registers only). Any may be NULL.
 */
struct step_client {
	void *ctx;
	/** Before an instruction whose .special is in `intercepts` (bit per enum insn_special; not
	 * conditional branches). */
	enum step_action (*before)(void *ctx, struct trap_frame *frame, const struct insn *in);
	uint64_t intercepts;
	/** The client looks at did.address, .stack, .source, .dest, .frame, .backwards of any instruction, or
	 * at its general registers afterwards. While it is false they are only right for instructions with a
	 * .special: stepping is quicker then. May be changed in callbacks. */
	volatile bool details;
	/** The CPU's own transactions would be aborted by the trap flag, so the engine carries XBEGIN, XEND,
	 * XABORT and XTEST out itself, whether the CPU has them or not; so it does with SERIALIZE, and, where
	 * they raise #UD, with the instructions of emulated.h. SDM vol.
	 * 1, 16.3 lets a CPU abort when it likes: both of these are right. Committing, general registers and
	 * up to 64 bytes of a store's operand are put back by an abort; an instruction that the engine treats
	 * specially (insn.h) retires and aborts. */
	enum step_transactions transactions;
	/** After each retired instruction, and for the iterations of an interrupted one (.did.partial). */
	void (*retired)(void *ctx, const struct step_retired *r);
	/** An event was delivered to the stepped code. */
	void (*delivered)(void *ctx, const struct step_delivered *d);
	/** The stepped code enters a guest of its own (VMRUN has retired), or has left it. */
	void (*world)(void *ctx, bool guest);
	/** The stepped code halts: called again and again until an interrupt is due. Time may be advanced.
	 * @param ticks of the time-stamp counter since the last call, or since the halt began */
	void (*halted)(void *ctx, uint64_t ticks);
	/** Nothing that is stepped concerns the client until one of the instructions of `intercepts` changes
	 * that. Then code outside of step_hold() rests: the CPU runs free, and what msr.h and cpuid.h access
	 * goes to before() all the same. May be changed in callbacks. */
	volatile bool idle;
};

/**
 * For a client's callbacks: an NMI that is delivered to the stepped code at the next instruction boundary
 * where NMIs are not blocked. (A fixed interrupt needs no such call: request it of the local APIC by
 * apic_self_ipi(); the engine lets it through as it does any other.)
 */
void step_raise_nmi(void);

/**
 * For a client's callbacks: copy n bytes where either side may be unmapped.
 * @return false if it faulted (some bytes may have been copied)
 */
bool step_copy(void *to, const void *from, uint64_t n);

/**
 * For a CPU that lacks an exception: while code is stepped, ask before each instruction whether it raises
 * one. It is delivered in place of the instruction, with error code 0 where its vector has one.
 * @param raises told of registers as before it, of the addresses that it accesses in *did, and of its code at
 * f->rip; in the monitor, as a client's callbacks are. @return the vector, or -1. NULL: nobody is asked
 */
void step_emulate_exceptions(int (*raises)(const struct trap_frame *f, const struct insn_retired *did));

/**
 * Run fn(arg) under the engine until it returns.
 * Call with the harness's descriptor tables loaded, in ring 0. Not reentrant: a nested call while stepping is
 * active aborts the check. An unexpected exception inside is delivered to the harness's handlers as on
 * hardware; if that leaves the innermost trap_guard(), stepping ends cleanly.
 */
void step_call(struct step_client *client, void (*fn)(void *), void *arg);

/** Whether the caller rests: the CPU runs free, and step_access() is asked for registers. */
extern volatile bool step_runs_free;

/** What says whether a rest may begin: the client's .idle while something is stepped, else false. */
extern const volatile bool *volatile step_idle;

/**
 * For accessors of registers. While code rests, have the client carry out the instruction, one of its
 * `intercepts`, in ring 0, with operands and results in *f.
 * @return STEP_RUN if nothing rests or the client leaves it to the CPU: it is to be executed
 */
enum step_action step_access(struct trap_frame *f, uint8_t special);

/** For accessors of registers, afterwards: rest if the client is idle. */
void step_run_free(void);

/**
 * For trap_guard(): what the engine is doing now (0: not active), and going back to that when a guarded call
 * is abandoned. step_unwind(0) ends stepping: when it returns, the CPU runs free with the harness's own IDT
 * loaded. Otherwise only the nesting of step_pause() is put back.
 */
unsigned step_mark(void);
void step_unwind(unsigned mark);

/** The processor that stepped is gone: nothing is stepped now. */
void step_abandon(void);

#endif
