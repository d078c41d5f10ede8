#define _GNU_SOURCE
#include "tests/self/host/support/other_cpu.h"
#include "tests/self/host/support/stepper_internal.h"

#include <Zydis/Zydis.h>
#include <stdlib.h>
#include <string.h>

#define RFLAGS_CF 1u
#define RFLAGS_ZF 0x40u

static unsigned long long *general(struct user_regs_struct *r, unsigned number)
{
	unsigned long long *const gpr[16] = {&r->rax, &r->rcx, &r->rdx, &r->rbx, &r->rsp, &r->rbp,
					     &r->rsi, &r->rdi, &r->r8,  &r->r9,  &r->r10, &r->r11,
					     &r->r12, &r->r13, &r->r14, &r->r15};

	return gpr[number];
}

static bool decode(const uint8_t *code, const struct insn *in, ZydisDecodedInstruction *z,
		   ZydisDecodedOperand *operands)
{
	static ZydisDecoder decoder;
	static bool ready;

	if (!ready)
		ready = ZYAN_SUCCESS(
			ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64));
	return ready && ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, in->length, z, operands));
}

/** A shift by nothing leaves all flags as they are. SDM vol. 2, SAL/SAR/SHL/SHR, SHLD, RCL. */
static bool shifts_by_nothing(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *o,
			      const struct user_regs_struct *before)
{
	const ZydisDecodedOperand *count = &o[z->operand_count_visible - 1];
	uint64_t by = 1;

	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_RCL:
	case ZYDIS_MNEMONIC_RCR:
	case ZYDIS_MNEMONIC_ROL:
	case ZYDIS_MNEMONIC_ROR:
	case ZYDIS_MNEMONIC_SAR:
	case ZYDIS_MNEMONIC_SHL:
	case ZYDIS_MNEMONIC_SHLD:
	case ZYDIS_MNEMONIC_SHR:
	case ZYDIS_MNEMONIC_SHRD:
		if (count->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
			by = count->imm.value.u;
		else if (count->type == ZYDIS_OPERAND_TYPE_REGISTER)
			by = before->rcx;
		return !(by & (o[0].size == 64 ? 63 : 31));
	default:
		return false;
	}
}

/** Put all zeros or all ones into the destination. */
static void fill_destination(const ZydisDecodedOperand *o, bool ones, struct user_regs_struct *after)
{
	unsigned long long *r = general(after, (unsigned)ZydisRegisterGetId(o->reg.value));

	if (o->size == 16)
		*r = (*r & ~0xffffull) | (ones ? 0xffff : 0);
	else
		*r = !ones ? 0 : o->size == 64 ? ~0ull : UINT32_MAX;
}

static void answer(bool ones, const uint8_t *code, const struct insn *in,
		   const struct user_regs_struct *before, struct user_regs_struct *after)
{
	ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction z;

	if (!decode(code, in, &z, o))
		return;
	if (z.cpu_flags && !shifts_by_nothing(&z, o, before))
		after->eflags = ones ? after->eflags | z.cpu_flags->undefined
				     : after->eflags & ~(uint64_t)z.cpu_flags->undefined;
	switch (z.mnemonic) {
	case ZYDIS_MNEMONIC_BSF:
	case ZYDIS_MNEMONIC_BSR:
		if (after->eflags & RFLAGS_ZF)
			fill_destination(o, ones, after);
		break;
	case ZYDIS_MNEMONIC_RDRAND:
	case ZYDIS_MNEMONIC_RDSEED:
		fill_destination(o, ones, after);
		after->eflags = ones ? after->eflags | RFLAGS_CF : after->eflags & ~(uint64_t)RFLAGS_CF;
		break;
	case ZYDIS_MNEMONIC_CPUID:
		after->rax = after->rbx = after->rcx = after->rdx = ones ? UINT32_MAX : 0;
		break;
	default:
		break;
	}
	if (in->special == INSN_STRING && in->flags & INSN_F_REP && in->flags & INSN_F_ADDR32 &&
	    !insn_rep_left(in, before->rcx))
		after->rcx = ones ? before->rcx : 0;
}

static void answer_low(const uint8_t *code, const struct insn *in, const struct user_regs_struct *before,
		       struct user_regs_struct *after)
{
	answer(false, code, in, before, after);
}

static void answer_high(const uint8_t *code, const struct insn *in, const struct user_regs_struct *before,
			struct user_regs_struct *after)
{
	answer(true, code, in, before, after);
}

bool other_cpu(const char *name)
{
	bool plain = name && !strcmp(name, "plain");
	stepper_answer *how = !name                           ? NULL
			      : plain || !strcmp(name, "low") ? answer_low
			      : !strcmp(name, "high")         ? answer_high
							      : NULL;

	if (name && !how)
		return false;
	stepper_answer_otherwise(how);
	stepper_without_features(plain);
	return true;
}

bool other_cpu_from_environment(void)
{
	return other_cpu(getenv(OTHER_CPU));
}
