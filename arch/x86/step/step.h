/*
 * The step engine, arch/step.h for x86: runs code one instruction at a time (RFLAGS.TF) on the very CPU under
 * test. What only x86's own code needs of it is here.
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

/** What says whether a rest may begin: the client's .idle while something is stepped, else false. */
extern const volatile bool *volatile step_idle;

/**
 * For accessors of registers. While code runs free, have the client answer an access of level 0.
 * @return REGISTER_NOT_MINE if nothing runs free or the client leaves it to the CPU: it is to be executed
 */
enum register_answer step_access(struct register_access *a);

/** For CPUID: whether code runs free and is presented another processor: presented_ask() answers. */
bool step_presents(void);

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
