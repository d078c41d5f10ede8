/*
 * The step engine's inside: what step_engine.c (traps, boundaries, delivery) and step_emulate.c (instructions
 * that the monitor carries out itself) share.
 */
#ifndef ARCH_X86_STEP_STEP_ENGINE_H
#define ARCH_X86_STEP_STEP_ENGINE_H

#include "arch/x86/step/step.h"
#include "arch/x86/step/step_cache.h"

#define RFLAGS_FIXED 0x2ull
#define RFLAGS_TF    (1ull << 8)
#define RFLAGS_IF    (1ull << 9)
#define RFLAGS_DF    0x400ull
#define RFLAGS_IOPL  0x3000ull
#define RFLAGS_NT    0x4000ull
#define RFLAGS_RF    0x10000ull
#define RFLAGS_VM    0x20000ull

/** attention.nmi: a real one has come, the client raised one. */
#define NMI_ARRIVED 1
#define NMI_RAISED  2

/** What happened to the stepped code. */
struct step_retired {
	struct insn_retired did;
	const struct description *about; /* of did.insn */
	const struct trap_frame *after;  /* registers after the instruction: RIP, CS, RFLAGS, RSP, SS; all of
					  * them if the instruction has a .special or the client wants
					  * anything. RFLAGS.TF is the engine's */
	uint64_t rip;                    /* of the instruction */
	bool emulated;                   /* the client answered it, the CPU never ran it */
};

enum step_action {
	STEP_RUN,  /* let the CPU run it */
	STEP_DONE, /* the client has carried it out: registers in the frame are those after it (RIP is
		      advanced by the engine) */
	STEP_GP,   /* it raises #GP(0): the engine delivers that */
};

struct step_engine {
	/* What an instruction boundary must look at; all zero in the common case. First: step_nmi_entry
	 * writes .nmi. */
	union {
		struct {
			volatile uint8_t nmi;
			uint8_t held;     /* interrupts are in held_vectors[] */
			uint8_t watchdog; /* its deadline has passed */
			uint8_t emulated; /* .raises is to be asked */
		};
		uint32_t any;
	} attention;
	/* What a retiring instruction must settle; likewise. */
	union {
		struct {
			uint8_t shadow; /* interrupts wait until the next instruction has retired: after STI,
					   MOV SS */
			uint8_t next_shadow; /* the instruction now running casts it */
			uint8_t transaction; /* depth of the transaction that is under way */
		};
		uint32_t any;
	} odd;
	bool busy;         /* the monitor is running */
	bool accepting;    /* ... and has opened a window for interrupts */
	bool active;       /* between step_call()'s gates, paused or not */
	bool nmi_blocked;  /* from the delivery of an NMI to the next IRET */
	bool guest;        /* the stepped code is in one of its own */
	int broken;        /* vector of the trap that ended stepping for good: a defect of the monitor */
	unsigned paused;   /* nesting of step_pause(); 1 more while resting */
	bool free_running; /* the client has nothing to do: paused until step_wake() */
	unsigned held;     /* nesting of step_hold() */
	const struct decoded *current; /* the instruction that the CPU is running; NULL if it is not known */
	struct step_client *client;
	int (*raises)(const struct trap_frame *f,
		      const struct insn_retired *did); /* step_emulate_exceptions() */
	uint64_t count;
	uint64_t watch_at; /* count at which the watchdog's deadline is looked at; emulation counts on too */
	uint64_t rcx;      /* REP: before the first iteration */
	struct step_retired now;  /* of current, as far as it is known before it runs */
	uint64_t held_vectors[4]; /* accepted from the APIC, not yet delivered to the stepped code */
};

extern struct step_engine step_engine;

/** While memory that may fault is touched, the second part of the monitor's stack, of so many bytes, takes
 * the fault. */
#define STEP_NESTED_STACK 16384

/** Load a table of 256 gates. */
struct idt_gate;
void step_load_idt(const struct idt_gate *table);

/** The call gate: INT STEP_GATE with a code of step_gate.h (step.S). */
void step_gate(unsigned code);

/** What has become of an instruction that was looked at before it runs. */
enum step_fate {
	FATE_CPU,  /* the CPU runs it */
	FATE_DONE, /* it is over (carried out, or it has faulted): go on at the new RIP */
};

/** Deal with the instruction *d at f->rip before it runs (DECODED_SPECIAL). step_engine.now is filled in. */
enum step_fate step_special(struct trap_frame *f, const struct decoded *d);

/** Whether the REP instruction that was running has finished: RIP has moved on, or no iteration is left (then
 * RIP is moved on). */
bool step_rep_finished(struct trap_frame *f);

/** The instruction has been carried out without the CPU: retire it, with RIP as it now is, or with RIP
 * behind it. @return FATE_DONE */
enum step_fate step_carried_out(struct trap_frame *f);
enum step_fate step_carried_out_next(struct trap_frame *f, const struct decoded *d);

/** It raises an exception instead (error: as for step_deliver()). @return FATE_DONE */
enum step_fate step_fault(struct trap_frame *f, unsigned vector, int64_t error);

/** Whether the instruction that has just faulted names an address off RSP or RBP that is not canonical: #SS,
 * which QEMU's TCG takes for #GP. Of other reasons that it may have for #GP nothing is asked. */
bool step_stack_fault(const struct trap_frame *f);

/** XBEGIN, XEND, XABORT or XTEST. */
enum step_fate step_transactional(struct trap_frame *f, const struct decoded *d);

/** VMRUN, VMMCALL, STGI or CLGI. */
enum step_fate step_svm(struct trap_frame *f, const struct decoded *d);

/** Stepping begins: the code is in no guest, whatever became of an earlier one's. */
void step_svm_begin(void);

/** Inside a transaction, before the CPU runs *d: keep what it may overwrite. step_engine.now is filled in.
 * @return false if the transaction had to be aborted for it */
bool step_transaction_keeps(struct trap_frame *f, const struct decoded *d);

/** End the transaction that is under way: all is as at its XBEGIN, but for EAX and RIP. */
void step_transaction_abort(struct trap_frame *f, uint32_t status);

/** Count a step, and look at the watchdog from time to time. */
void step_tick(void);

/** Whether the watchdog's deadline has passed: then it is disarmed, and the stepped code must leave its
 * guard. */
bool step_deadline(void);

/** step_engine.now has retired (or .partial): settle what it leaves, and tell the client. */
void step_retire(void);

/** Tell the client all that it wants of step_engine.now, after its quick() did not do. */
void step_report(uint32_t shape);

/** Tell it of an event that was delivered. @param after registers as the handler finds them
 * @param rip of the instruction before which it is taken; STEP_SOFT_INTERRUPT: of the INT n
 * @param cpl before it */
void step_report_delivered(const struct trap_frame *after, enum step_event kind, unsigned vector, uint8_t cpl,
			   uint64_t rip);

/** Tell it that the stepped code has halted for so many ticks of the time-stamp counter. */
void step_report_halted(uint64_t ticks);

/** Ask it to answer a register access of the instruction at rip; length 0: of code that runs free. */
enum register_answer step_ask_register(struct register_access *a, uint64_t rip, uint8_t length);

/** Ask it about an instruction that is about to run: a register access, CPUID, or a marker. */
enum step_action step_ask(struct trap_frame *f, const struct insn *in);

/**
 * Deliver an event to the stepped code through the harness's IDT, as SDM vol. 3, 6.12-6.14 say.
 * @param error below 0: this kind of event has no error code
 */
void step_deliver(struct trap_frame *f, enum step_event kind, unsigned vector, int64_t error);

/** Whether the CPU pushes an error code for an exception of this vector. */
static inline bool step_has_error_code(unsigned vector)
{
	return vector < 32 && (1u << vector & 0x60227d00); /* 8, 10-14, 17, 21, 29, 30 */
}

/** Whether *d, which the CPU was to run, raises an exception that the CPU lacks (step_emulate_exceptions());
 * then it has been delivered. step_engine.now is filled in. */
bool step_raised(struct trap_frame *f, const struct decoded *d);

/** Accept what the APIC has for the stepped code. @return whether an NMI or an interrupt can be delivered to
 * it now */
bool step_event_due(struct trap_frame *f);

/** Have the stepped code leave the innermost trap_guard(). */
void step_abort(struct trap_frame *f, int vector);

/** The call gate; RIP is behind its INT, RAX is its code. */
void step_gate_call(struct trap_frame *f);

#endif
