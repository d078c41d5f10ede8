/*
 * The opcode space as small kernels made at run time: every form of every instruction that the decoder knows,
 * with operands that do no harm in ring 3, and a signature that follows from its class alone.
 *
 * Pure: what is made is bytes, which the caller has run. Nothing here knows which of them this CPU has.
 */
#ifndef TESTS_KERNELS_X86_OPCODES_H
#define TESTS_KERNELS_X86_OPCODES_H

#include "arch/x86/step/insn.h"
#include "tests/kernels/x86/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the kernels' data area: what forms have as memory operand. */
#define OPCODES_SCRATCH      (KERNEL_SCRATCH + 64)
#define OPCODES_SCRATCH_SIZE 0xa00

/** Why a form is not run. */
enum opcode_left_out {
	OPCODE_RUNS,
	OPCODE_LEADS_AWAY, /* a branch that needs a place to lead to; an interrupt, a system call */
	OPCODE_WAITS,      /* in any ring, until something comes */
	OPCODE_LASTS,      /* changes flags, segments, keys for good, or calls a hypervisor or an enclave */
	OPCODE_MASKED,     /* gathers and scatters: how many accesses it makes is said by a mask */
	OPCODE_VARIES,     /* CPUs differ in what it does */
	OPCODE_REASONS
};

/** In words. */
extern const char *const opcode_left_out[OPCODE_REASONS];

/** One form: prefixes, opcode, /reg if that chooses the instruction, register or memory operand. */
struct opcode_form {
	uint8_t code[16];
	struct insn insn;   /* .length 0: no instruction, what stands around one alone */
	uint8_t opcode_end; /* of the bytes before ModRM */
	bool group;         /* ModRM.reg is part of the opcode */
	bool x87;           /* ModRM.rm, too; it gets values on the register stack */
	enum opcode_left_out left_out;
};

/** Which forms: one of each class that the decoder tells apart (of a class that this CPU refuses, a few more
 * are offered); one of each class for each opcode; all, also with prefixes that make no difference. */
enum opcode_depth { OPCODES_BY_CLASS, OPCODES_BY_OPCODE, OPCODES_ALL };

/* Forms are fewer, whatever the depth. */
#define OPCODES_MOST 20000

/**
 * Call visit() for each form, in the same order every time if it answers the same; first for what stands
 * around one alone, without and with x87.
 * @param visit returns whether the form is one that this CPU executes
 */
void opcode_forms(enum opcode_depth depth, bool (*visit)(void *ctx, const struct opcode_form *f), void *ctx);

#define OPCODE_NAME 40

/** "66 0f 38 f6 mem", "d9 /5 mem", "d9 fe". */
void opcode_name(const struct opcode_form *f, char out[OPCODE_NAME]);

/** A form as a kernel for ring 3, each turn of which sets its operands up anew. */
struct opcode_kernel {
	struct kernel kernel;
	uint8_t code[96];
	struct signature_exact exact[64];
};

/**
 * Make it. out->kernel points into *out, so that must stay where it is.
 * @param scratch the address of OPCODES_SCRATCH in the kernels' data
 */
void opcode_kernel(const struct opcode_form *f, uint64_t scratch, struct opcode_kernel *out);

/** Put there what the form wants to find in memory: numbers that are neither zero nor denormal, or the image
 * of a state that may be loaded. */
void opcode_operand(const struct opcode_form *f, uint8_t *scratch);

#endif
