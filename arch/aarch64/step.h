/*
 * The step engine's part of an exception.
 */
#ifndef ARCH_AARCH64_STEP_H
#define ARCH_AARCH64_STEP_H

#include "arch/aarch64/trap.h"

struct step_client;

/** A software-step exception: tell the client, and prepare the next one. @return false if it is none */
bool step_taken(struct trap_frame *f);

/** Before an exception is handled, and before the return from its handler. */
void step_exception(const struct trap_frame *f);
void step_returns(struct trap_frame *f);

/** Whether there is a client, also while stepping is suspended. */
bool step_engaged(void);

/** What a guarded call puts back. */
struct step_kept {
	struct step_client *client;
	unsigned paused;
};
void step_keep(struct step_kept *out);
void step_put_back(const struct step_kept *kept);

#endif
