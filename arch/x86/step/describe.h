/*
 * From an instruction that has retired to a step (arch/step.h). Pure C: for the step engine in the image, and
 * for the host's witness.
 */
#ifndef ARCH_X86_STEP_DESCRIBE_H
#define ARCH_X86_STEP_DESCRIBE_H

#include "arch/step.h"
#include "arch/x86/step/account.h"
#include "arch/x86/step/retired.h"

/** What s->methods points to where s->instruction is a struct insn_retired. */
extern const struct step_methods describe_methods;

/** What does not change from one retirement of an instruction to the next. */
struct description {
	uint32_t shape;   /* of describe_shape(), where no branch is taken; 0: it has none */
	uint8_t kind;     /* enum step_kind */
	uint8_t branch;   /* enum step_transfer: what kind of a branch it is, taken or not */
	uint8_t transfer; /* likewise, far ones too */
	uint8_t uppers;   /* enum step_uppers */
	uint8_t flush;    /* enum step_flush */
	bool accesses;    /* it accesses memory: terms by address may tell two retirements apart */
	bool denormals;   /* denormals_class() of its class */
	bool iterates;    /* it repeats itself, or accesses in turns: account_turns() is to be asked */
};

/** Describe an instruction. @param code its bytes */
void describe_instruction(struct description *about, const struct insn *in, const uint8_t *code);

/**
 * The shape of a retirement: the instruction's class, LOCK, and taken or not. 0 where more tells two
 * retirements apart: instructions that the engine treats specially; and, if terms by address are looked at,
 * those that access memory.
 */
static inline uint32_t describe_shape(const struct description *about, const struct insn_retired *did,
				      bool by_address)
{
	return about->shape && !(by_address && about->accesses) ? about->shape + did->taken : 0;
}

/** Fill in what every client is told; all else is 0. *did is to last as long as the step. */
void describe_step(struct step *s, const struct description *about, const struct insn_retired *did,
		   uint64_t ip, uint64_t next);

/** The same where *s is that of another instruction, of which the same was filled in. */
static inline void describe_again(struct step *s, const struct description *about,
				  const struct insn_retired *did, uint64_t ip, uint64_t next)
{
	s->terms = NULL;
	s->n_terms = 0;
	s->instruction = did;
	s->cycles = did->insn->special == INSN_STRING && did->iterations > 1 ? (uint32_t)did->iterations : 1;
	s->level = did->cpl;
	s->level_after = did->cpl_after;
	s->ip = ip;
	s->next = next;
	s->kind = about->kind;
	s->own_write = s->unfiltered = false;
}

/** How control went on after the instruction, as account_transfer() says of its terms. */
enum step_transfer describe_transfer(const struct description *about, const struct insn_retired *did);

/** Fill in what a model of the machine needs (STEP_WANTS_MACHINE). */
static inline void describe_for_machine(struct step *s, const struct description *about)
{
	const struct insn_retired *did = s->instruction;

	s->length = did->insn->length;
	s->turns = about->iterates ? account_turns(did) : about->accesses;
	s->taken = did->taken;
	s->branch = did->partial ? TRANSFER_NONE : about->branch;
	s->uppers = did->partial ? UPPERS_UNTOUCHED : about->uppers;
	s->flush = about->flush;
	s->flush_address = did->address;
}

#endif
