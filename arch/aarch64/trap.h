/*
 * Exceptions inside arch/aarch64: the frame, who handles what, and the state that a guarded call puts back.
 */
#ifndef ARCH_AARCH64_TRAP_H
#define ARCH_AARCH64_TRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What vectors.S saves. */
struct trap_frame {
	uint64_t x[31], sp; /* SP_EL0 */
	uint64_t pc, pstate;
	uint64_t syndrome, address; /* ESR_EL1, FAR_EL1 */
	uint64_t vector;            /* 0 to 15, as the table has them: D1.10.2 */
	uint64_t unused;
};

/* ESR_EL1.EC, D13.2.37. */
#define EC_UNKNOWN   0x00
#define EC_SVC       0x15
#define EC_SYSTEM    0x18
#define EC_CODE_USER 0x20
#define EC_CODE      0x21
#define EC_PC        0x22
#define EC_DATA_USER 0x24
#define EC_DATA      0x25
#define EC_STEP_USER 0x32
#define EC_STEP      0x33
#define EC_BRK       0x3c

static inline unsigned trap_class(const struct trap_frame *f)
{
	return f->syndrome >> 26 & 0x3f;
}

/** Immediate of SVC and BRK. */
static inline unsigned trap_immediate(const struct trap_frame *f)
{
	return f->syndrome & 0xffff;
}

/** Have a synchronous exception handled; what nobody claims ends the guarded call. */
void trap_deliver(struct trap_frame *f);

/** What is handled in a few instructions from now on. Stepped code's is told so and handled as before. */
enum trap_quick {
	QUICK_NONE,
	QUICK_USER,       /* synchronous exceptions of EL0 */
	QUICK_SELF,       /* GICv3: the interrupt that the processor sends itself (gic_self_begin()) */
	QUICK_SELF_MAPPED /* GICv2: the same */
};
void trap_quick(enum trap_quick what);
enum trap_quick trap_is_quick(void);

/** Those instructions, for a system call or a fault. The first QUICK_COMMON are those of both.
 * @return how many there are */
#define QUICK_MOST   13
#define QUICK_COMMON 3
unsigned trap_quick_path(bool call, const uint32_t *out[QUICK_MOST]);

/** The same of the interrupt to itself, as trap_is_quick() has it now. 0: that is not handled so */
unsigned trap_self_path(const uint32_t *out[QUICK_MOST]);

/** GICv2's CPU interface, for those instructions. */
extern uint64_t trap_self_interface;

#define SVC_WINDOW_END 0xa55 /* code at the user's level has come to its end */

/** Get memory for stacks. @return false if it is short */
bool trap_init(void *(*alloc_pages)(size_t pages));

/** Vectors and stacks of the harness, and firmware's again. */
void trap_take(void);
void trap_give_back(void);

/** Vectors and stacks of the harness on another processor, while the one that took the machine waits. */
void trap_take_processor(void);

/** Where window_call_user() comes back to: a stack pointer. */
extern uint64_t trap_user_return;

/** For interrupt handlers: the frame of what was interrupted; NULL: none is handled. */
const struct trap_frame *trap_current(void);

/** Whoever owns an interrupt that nobody claimed says so. */
void trap_stray(void);

/** An interrupt: interrupts.c dispatches it. @param fiq it came as one, which holds whatever I is */
void interrupt_entered(struct trap_frame *f, bool fiq);

/** Have an interrupt handled that was taken from this frame. */
void trap_interrupt(struct trap_frame *f, bool fiq);

/** Where a faulting register access goes on (registers.S); 0: the address is none of one. */
uint64_t register_fixup(uint64_t pc);

/** A kernel's exception handler (tests/kernels/aarch64/services.c): @return whether it was handled */
typedef bool trap_handler(struct trap_frame *f);
void trap_claim(trap_handler *handler);

#endif
