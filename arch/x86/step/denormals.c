#include "arch/x86/step/denormals.h"

#include "arch/x86/step/insn_quantities.h"

#include <string.h>

#define MXCSR_AT  24
#define XMM_AT    160
#define MXCSR_DAZ (1u << 6)
#define MXCSR_FTZ (1u << 15)

#define SINGLE 4
#define DOUBLE 8

/* The operands of an instruction: elements of a size, in bytes. 0: none that matter. */
struct shape {
	unsigned size, count;
};

static struct shape shape_of(const struct qterm *terms, unsigned n)
{
	static const struct {
		quantity_number quantity;
		struct shape shape;
	} shapes[] = {
		{Q_FP_SCALAR_SP, {SINGLE, 1}}, {Q_FP_SCALAR_DP, {DOUBLE, 1}}, {Q_FP_128_SP, {SINGLE, 4}},
		{Q_FP_128_DP, {DOUBLE, 2}},    {Q_FP_256_SP, {SINGLE, 4}},    {Q_FP_256_DP, {DOUBLE, 2}},
		{Q_FP_512_SP, {SINGLE, 4}},    {Q_FP_512_DP, {DOUBLE, 2}},
	};

	for (unsigned i = 0; i < n; i++)
		for (unsigned s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
			if (terms[i].quantity == shapes[s].quantity)
				return shapes[s].shape;
	return (struct shape){0, 0};
}

/* The size of an x87 instruction's floating-point operand in memory, 0 if it has none: D8, D9 /0, DC, DD /0.
 * SDM vol. 2, appendix B.17. */
static unsigned x87_operand(const struct insn *in, const uint8_t *code)
{
	const uint8_t *modrm = code + in->modrm_at;
	unsigned reg = *modrm >> 3 & 7;

	if (!(in->flags & INSN_F_MEM) || !in->modrm_at)
		return 0;
	switch (modrm[-1]) {
	case 0xd8:
		return SINGLE;
	case 0xd9:
		return reg ? 0 : SINGLE;
	case 0xdc:
		return DOUBLE;
	case 0xdd:
		return reg ? 0 : DOUBLE;
	default:
		return 0;
	}
}

static bool is_x87(const struct qterm *terms, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (terms[i].quantity == Q_INSN_X87)
			return true;
	return false;
}

static bool any_denormal(const uint8_t *at, struct shape s)
{
	for (unsigned i = 0; i < s.count; i++) {
		uint64_t value = 0;

		memcpy(&value, at + i * s.size, s.size);
		value &= s.size == SINGLE ? 0x7fffffff : 0x7fffffffffffffff; /* without its sign */
		if (value && value < (s.size == SINGLE ? 1ull << 23 : 1ull << 52))
			return true;
	}
	return false;
}

bool denormals_class(unsigned class)
{
	const struct insn_class *c = &insn_classes[class];

	for (unsigned i = 0; i < c->n_once; i++) {
		const struct qterm term = {.quantity = insn_terms[c->terms + i].quantity, .amount = 1};

		if (shape_of(&term, 1).size || is_x87(&term, 1))
			return true;
	}
	return false;
}

bool denormals_possible(const struct insn_retired *did, const uint8_t *code, const struct qterm *terms,
			unsigned n_terms)
{
	return shape_of(terms, n_terms).size || (is_x87(terms, n_terms) && x87_operand(did->insn, code));
}

bool denormals_met(const struct insn_retired *did, const uint8_t *code, const struct qterm *terms,
		   unsigned n_terms, const uint8_t fxsave[DENORMALS_FXSAVE],
		   const uint8_t memory[DENORMALS_MEMORY])
{
	const struct insn *in = did->insn;
	struct shape s = shape_of(terms, n_terms);
	unsigned modrm = code[in->modrm_at], result, source;
	uint32_t mxcsr;

	if (is_x87(terms, n_terms))
		return any_denormal(memory, (struct shape){x87_operand(in, code), 1});
	if (!s.size || !(in->flags & INSN_F_MODRM))
		return false;
	memcpy(&mxcsr, fxsave + MXCSR_AT, sizeof mxcsr);
	result = (modrm >> 3 & 7) | (in->rex & 4) << 1;
	source = (modrm & 7) | (in->rex & 1) << 3;
	if (!(mxcsr & MXCSR_FTZ) && any_denormal(fxsave + XMM_AT + 16 * result, s))
		return true;
	if (mxcsr & MXCSR_DAZ)
		return false;
	return any_denormal(in->flags & INSN_F_MEM ? memory : fxsave + XMM_AT + 16 * source, s);
}
