/*
 * What the parts of the stepper share: stepper_steps.c makes the steps, stepper_emulate.c carries out what
 * the CPU does not, stepper_events.c stands for the image's handlers.
 */
#ifndef TESTS_HOST_STEPPER_INTERNAL_H
#define TESTS_HOST_STEPPER_INTERNAL_H

#include "tests/self/host/support/stepper.h"

#include <stddef.h>
#include <sys/types.h>
#include <sys/user.h>

#define STACK_SIZE 0x4000
#define XSTATE_MAX 16384

struct stepper {
	pid_t child;
	uint8_t *code_rw, *code_rx, *stack; /* at the same addresses in both processes */
	uint8_t *data[2];                   /* the second has an absent page */
	struct user_regs_struct initial;
	uint8_t xstate[XSTATE_MAX]; /* as FNINIT and reset leave it */
	size_t xstate_size;
	uint64_t random; /* seed of the kernels' generator, another one in each run */
	void (*seen)(const struct insn_retired *did, const uint8_t *code, uint64_t rip, uint64_t next);
	stepper_answer *otherwise;
};
extern struct stepper stepper;

/** One line that says what went wrong, for stepper_run(). Valid until the next call. */
const char *stepper_because(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Have the child's registers be *r. @return NULL, or what went wrong */
const char *stepper_set_registers(const struct user_regs_struct *r);

/** Whether this is an Intel CPU. */
bool stepper_as_intel(void);

/* --- stepper_emulate.c --------------------------------------------------------------------------------- */

/** Whether the stepper, not the CPU, carries the instruction out. */
bool stepper_is_emulated(const uint8_t *code, const struct insn *in);

/**
 * Carry it out.
 * @param address of its operand in memory
 * @param data    the kernel's data area, which an aborted transaction puts back
 * @param r       the child's registers, as they are and as they are to be
 * @return NULL, or what went wrong
 */
const char *stepper_emulate(const uint8_t *code, const struct insn *in, uint64_t address,
			    struct user_regs_struct *r, uint8_t *data);

/**
 * The CPU raised `signal` at an instruction that the image allows this kernel and the operating system does
 * not (RDPMC; INT n, by the privilege of the vector's gate): carry it out if that is so.
 * @return whether *r is as after it
 */
bool stepper_emulate_refused(const struct kernel *k, const struct insn *in, int signal,
			     struct user_regs_struct *r);

/** A kernel begins: there is no transaction. */
void stepper_transactions_reset(void);
bool stepper_in_transaction(void);

/** All is as at XBEGIN, but for RIP and EAX. @return NULL, or what went wrong */
const char *stepper_transaction_abort(struct user_regs_struct *r, uint32_t status, uint8_t *data);

/* --- stepper_events.c ------------------------------------------------------------------------------- */

/**
 * A software interrupt or system call has retired, any other instruction is none of it: add what the image's
 * handler does, which the kernel must have asked for, and go on where it returns to. A call whose handler
 * asks for an interrupt sends the child a signal.
 */
const char *stepper_call(const struct kernel *k, const struct insn *in, struct user_regs_struct *r,
			 struct qvec *out);

/** Whether a signal is the interrupt that stepper_call() asked for. */
bool stepper_is_interrupt(int signal);

/** It has arrived, before an instruction: add it, and what the image's handler does. */
const char *stepper_interrupt(const struct kernel *k, struct qvec *out);

/**
 * The instruction faulted. It did not retire; iterations that a string instruction had made count. Go on
 * where the image's handler would return to.
 */
const char *stepper_fault(const struct kernel *k, int signal, const uint8_t *code, struct insn_retired *did,
			  struct user_regs_struct *r, struct qvec *out);

#endif
