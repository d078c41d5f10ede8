/*
 * The toy machine: a processor with memory, interpreted on the host. It has no performance-monitoring unit: a
 * client that steps its code answers for one.
 */
#ifndef ARCH_TOY_CPU_H
#define ARCH_TOY_CPU_H

#include "arch/overflow.h"
#include "arch/register.h"
#include "arch/step.h"
#include "arch/toy/encoding.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOY_MEMORY     0x100000 /* bytes, from address 0 on */
#define TOY_SUPERVISOR 0x1000   /* where TOY_SYS_CALL goes: TOY_SYS_RETURN lies there */
#define TOY_CODE       0x10000  /* free for code, up to TOY_DATA */
#define TOY_DATA       0x80000  /* free for data, page aligned */
#define TOY_STEP_TERMS 10       /* of one step, at most */

extern uint8_t toy_memory[TOY_MEMORY];

/** Whom step_call() steps for (arch/step.h); NULL: nobody. */
void toy_set_client(struct step_client *client);
struct step_client *toy_client(void);

/** Steps so far. */
uint64_t toy_steps(void);

/** The state of the processor between two instructions. */
struct toy_cpu {
	uint64_t r[TOY_REGISTERS];
	uint64_t pc;
	uint8_t level;
};

/**
 * Run code at cpu->pc until TOY_SYS_END. What faults (an address outside of memory or not aligned, REG at
 * the user's level, a register that is refused) ends the innermost trap_guard(). After so many cycles that
 * the watchdog's time is up, that does.
 */
void toy_run(struct toy_cpu *cpu);

/** A register access by the harness itself, at level 0: no instruction, so no step. @return false if it was
 * refused */
bool toy_register(struct register_access *a);

/** Core cycles since the start. */
uint64_t toy_cycles(void);

/** Let time pass without an instruction. */
void toy_idle(uint64_t cycles);

/* What arch/toy's files tell each other. */

enum toy_fault { TOY_FAULT_ADDRESS, TOY_FAULT_PRIVILEGE, TOY_FAULT_REGISTER, TOY_FAULT_CALL };
_Noreturn void toy_fault(enum toy_fault fault, uint64_t pc);

enum toy_interrupt { TOY_OVERFLOW_MASKABLE, TOY_OVERFLOW_NMI, TOY_TIMER, TOY_INTERRUPTS };
/** Whether an interrupt is to be taken now. */
bool toy_interrupt_pends(enum toy_interrupt *interrupt);
/** Take it. */
void toy_take_interrupt(enum toy_interrupt interrupt, uint64_t address);
/** Registers from TOY_REG_MACHINE on. @return false if it is refused */
bool toy_own_register(struct register_access *a);
/** So many cycles have passed. */
void toy_timer_runs(uint64_t cycles);
/** Whether the timer's interrupt is requested. */
bool toy_timer_pends(void);
bool toy_timer_masked(void);
/** Take it. @return whether it was handled */
bool toy_timer_take(void);
/** Throw it away. */
void toy_timer_forget(void);
/** Let interrupts that can be masked in, or hold them off, from the next instruction on. */
void toy_set_open(bool to);
bool toy_is_open(void);
/** The client asks the line. */
void toy_request_overflow(void);
/** The machine's cycle of the watchdog's deadline. */
uint64_t toy_deadline(void);

#endif
