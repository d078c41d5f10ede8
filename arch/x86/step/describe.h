/*
 * From an instruction that has retired to a step (arch/step.h). Pure C: for the step engine in the image, and
 * for the host's witness.
 */
#ifndef ARCH_X86_STEP_DESCRIBE_H
#define ARCH_X86_STEP_DESCRIBE_H

#include "arch/step.h"
#include "arch/x86/step/retired.h"

/** What s->methods points to where s->instruction is a struct insn_retired. */
extern const struct step_methods describe_methods;

/**
 * The shape of an instruction: its class, LOCK, and taken or not. 0 where more tells two retirements apart:
 * instructions that the engine treats specially; and, if terms by address are looked at, those that access
 * memory.
 */
uint32_t describe_shape(const struct insn_retired *did, bool by_address);

/** The same of an instruction that is known to be plain, or a conditional branch, and valid. */
static inline uint32_t describe_plain_shape(const struct insn_retired *did)
{
	return 1 + did->insn->klass * 4u + (did->insn->flags & INSN_F_LOCK ? 2 : 0) + did->taken;
}

/** Fill in what every client is told; all else is 0. *did is to last as long as the step. */
void describe_step(struct step *s, const struct insn_retired *did, uint64_t ip, uint64_t next);

/** The same where *s is that of another instruction, of which the same was filled in. */
void describe_again(struct step *s, const struct insn_retired *did, uint64_t ip, uint64_t next);

/** How control went on after the instruction, as account_transfer() says of its terms. */
enum step_transfer describe_transfer(const struct insn_retired *did);

/** Fill in what a model of the machine needs (STEP_WANTS_MACHINE). @param code the instruction's bytes */
void describe_for_machine(struct step *s, const uint8_t *code);

/** Whether operands of instructions of this class (insn.klass) may be denormal numbers: denormals_class(),
 * worked out once for each class that is asked for over and over. */
bool describe_meets_denormals(unsigned class);

#endif
