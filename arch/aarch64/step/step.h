/*
 * The step engine's part of an exception.
 */
#ifndef ARCH_AARCH64_STEP_STEP_H
#define ARCH_AARCH64_STEP_STEP_H

#include "arch/aarch64/trap.h"

struct step_client;

/** A software-step exception: tell the client, and prepare the next one. @return false if it is none */
bool step_taken(struct trap_frame *f);

/** Before an exception is handled, and before the return from its handler. */
void step_exception(const struct trap_frame *f);
void step_returns(struct trap_frame *f);

/** The same of an interrupt. */
void step_interrupted(const struct trap_frame *f, bool fiq);
void step_interrupt_returns(const struct trap_frame *f);

struct register_access;

/** An access of code that is not stepped though there is a client: of code that rests, of handlers, and for
 * a processor that is presented of code that is no part of the experiment.
 * @return whether the client has answered; then *good tells whether it was carried out */
bool step_asks(struct register_access *a, bool *good);

/** Whether the code that asks is told of a processor that is presented. */
bool step_presents(void);

/** From here on code rests if nothing that is stepped concerns the client. */
void step_run_free(void);

/** Whether there is a client, also while stepping is suspended. */
bool step_engaged(void);

/** The instruction at an address; where none can be fetched, one that is undefined (UDF #0): the processor
 * says what is wrong, in its stead. A page that could be read is held for readable until step_fetch_anew().
 */
uint32_t step_fetch(uint64_t pc);
void step_fetch_anew(void);

/** Whether an access would not fault. @param level as struct step has it */
bool step_may_access(uint64_t address, size_t size, unsigned level, bool write);

/** What a guarded call puts back. */
struct step_kept {
	struct step_client *client;
	unsigned paused, held;
	bool resting;
};
void step_keep(struct step_kept *out);
void step_put_back(const struct step_kept *kept);

#endif
