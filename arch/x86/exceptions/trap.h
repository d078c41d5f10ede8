/*
 * Exceptions and interrupts: all 256 vectors, the frame they leave, and their handlers. Guarded calls are in
 * arch/exceptions.h.
 */
#ifndef ARCH_X86_EXCEPTIONS_TRAP_H
#define ARCH_X86_EXCEPTIONS_TRAP_H

#include "arch/exceptions.h"

#include <stdbool.h>
#include <stdint.h>

/** What the entry code leaves on the stack, lowest address first. SDM vol. 3, 6.14.2. */
struct trap_frame {
	uint64_t r15, r14, r13, r12, r11, r10, r9, r8;
	uint64_t rbp, rdi, rsi, rdx, rcx, rbx, rax;
	uint64_t vector;
	uint64_t error; /* 0 where the CPU pushes none */
	uint64_t rip, cs, rflags, rsp, ss;
};

enum trap_vector {
	VECTOR_DE = 0,
	VECTOR_DB = 1,
	VECTOR_NMI = 2,
	VECTOR_BP = 3,
	VECTOR_UD = 6,
	VECTOR_NM = 7,
	VECTOR_DF = 8,
	VECTOR_TS = 10,
	VECTOR_NP = 11,
	VECTOR_SS = 12,
	VECTOR_GP = 13,
	VECTOR_PF = 14,
	VECTOR_MF = 16,
	VECTOR_AC = 17,
	VECTOR_MC = 18,
	VECTOR_XM = 19,
	/* ours */
	VECTOR_PMI = 0xe0,   /* LVT performance entry, fixed delivery */
	VECTOR_TIMER = 0xe1, /* LVT timer */
	VECTOR_APIC_ERROR = 0xe2,
	VECTOR_TEST = 0xe3,      /* free for kernels and tests: INT n, self-IPI; reachable from ring 3 */
	VECTOR_USER_EXIT = 0xf2, /* ring 3 asks to go home (arch/x86/exceptions/user.h) */
	VECTOR_STEP = 0xf1,      /* the step engine's own call gate (arch/x86/step/step.h) */
	VECTOR_ORACLE_BEGIN =
		0xf3, /* INT n that the oracle takes for its markers (pmu/virtual/vpmu.h), in any ring */
	VECTOR_ORACLE_END = 0xf4,
	VECTOR_SPURIOUS = 0xff,
};

/** The state that the last guarded call that was ended was left in; until the next one is. */
struct trap_record {
	struct trap_frame frame; /* all 0 if no trap was being handled */
	uint64_t cr2;
};
const struct trap_record *trap_last_record(void);

/**
 * A handler for one vector. Runs with interrupts masked, on the interrupted stack or the vector's IST stack.
 * @return true if the trap is dealt with (the frame, as it now is, is resumed), false to have it treated as
 * unexpected: dumped, and the innermost trap_guard() left.
 */
typedef bool trap_handler(struct trap_frame *frame, void *arg);

/** Install a handler (NULL: back to the default). At most one per vector. Hardware vectors must EOI
 * themselves. */
void trap_set_handler(unsigned vector, trap_handler *handler, void *arg);

/**
 * A row of the exception table (section trap_fixups): an instruction that may fault in ring 0, and where to
 * go on if it does, with the vector in RAX's high half and the error code in its low. Each is the distance
 * from its own field, so that rows need no relocation: `.long from - ., to - .`. It goes before any handler.
 * See msr.S.
 */
struct trap_fixup {
	int32_t from, to;
};

#define TRAP_NAME 16

/** "#GP", "NMI", "vector 0x45": for messages. @return a text that stays, or `text` */
const char *trap_name(unsigned vector, char text[TRAP_NAME]);

/** A register was to be written that the level of courage does not allow: end the innermost guarded call,
 * with a text that names both. Outside of one it is a line on the console, and the caller goes on without the
 * write.
 * @param kind "MSR" or what else it is; numbers are hexadecimal. @param from the level that allows it */
void trap_refuse(const char *kind, uint32_t number, unsigned from);

#endif
