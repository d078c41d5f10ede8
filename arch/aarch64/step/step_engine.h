/*
 * The step engine's inside: what step_client.c (exceptions of stepping, the client), step_emulate.c (what the
 * engine carries out itself) and step_told.c (what the client is told) share.
 */
#ifndef ARCH_AARCH64_STEP_STEP_ENGINE_H
#define ARCH_AARCH64_STEP_STEP_ENGINE_H

#include "arch/register.h"
#include "arch/step.h"
#include "arch/aarch64/step/account.h"
#include "arch/aarch64/step/step.h"

#define PSTATE_D    (UINT64_C(1) << 9)
#define PSTATE_MODE UINT64_C(0xf)
#define EL0T        0

struct step_engine {
	struct step_client *client;
	unsigned paused, held;
	bool resting; /* nothing that is stepped concerns the client: code runs free */
	bool due;     /* a counter has asked for an interrupt, which may not have been taken */
	bool pending; /* the instruction below runs, and has not yet been told */
	uint32_t insn;
	struct insn_state before;
	struct {
		bool set;
		uint64_t address, value[2];
	} monitor;
	uint64_t steps;
	bool self;           /* the interrupt that is handled is the one that the processor sent itself */
	bool entered;        /* EL0 since the last step */
	uint64_t entered_at; /* where control went on, as far as it was told */
};

extern struct step_engine step_engine;

static inline uint8_t step_level_of(uint64_t pstate)
{
	return (pstate & PSTATE_MODE) == EL0T;
}

static inline bool step_is_stepped(const struct trap_frame *f)
{
	return step_engine.client && (step_level_of(f->pstate) || !(f->pstate & PSTATE_D));
}

/** What struct step's .instruction points to. */
struct step_telling {
	struct insn_effect effect;
	struct step_registers registers;
};

extern const struct step_methods step_methods;

/** The step's kind (enum step_kind) of an instruction with this effect. */
uint8_t step_kind_of(const struct insn_effect *e, uint32_t insn);

/** Tell the client of a step at ip that left the registers as in *after. @param answered the client has
 * answered it, the processor has not run it */
void step_tell(struct step_telling *t, const struct trap_frame *after, uint64_t ip, uint8_t level,
	       uint8_t kind, bool answered);

/** The instruction that ran has come to its end. */
void step_tell_pending(const struct trap_frame *after);

/** Back at EL0, or at EL1 from the end of a window. */
void step_tell_return(const struct trap_frame *f);

/** What the client answers to an access by a step. */
enum register_answer step_ask(struct register_access *a, const struct step *by);

/** Carry the instruction out that is looked at, if it cannot be stepped. @return whether that was done: the
 * next one is to be looked at */
bool step_carries_out(struct trap_frame *f);

#endif
