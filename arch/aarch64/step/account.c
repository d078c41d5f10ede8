#include "arch/aarch64/step/account.h"

#include "arch/aarch64/step/insn_table.h"

#include <string.h>

#define FLAG_N (UINT64_C(1) << 31)
#define FLAG_Z (UINT64_C(1) << 30)
#define FLAG_C (UINT64_C(1) << 29)
#define FLAG_V (UINT64_C(1) << 28)

static uint32_t bits(uint32_t insn, unsigned low, unsigned n)
{
	return insn >> low & ((1u << n) - 1);
}

static const struct insn_form *form_of(uint32_t insn)
{
	unsigned at = insn_root;

	while (at & INSN_NODE) {
		const uint16_t *node = &insn_nodes[at & ~INSN_NODE];

		at = node[1 + (insn >> (node[0] & 31) & node[0] >> 5)];
	}
	return &insn_forms[at];
}

static void add(struct insn_effect *e, enum quantity q, uint32_t amount)
{
	if (amount)
		e->term[e->n_terms++] = (struct qterm){(quantity_number)q, amount};
}

/* As a source of data, register 31 is zero. */
static uint64_t data(const struct insn_state *s, unsigned r)
{
	return r == 31 ? 0 : s->x[r];
}

/* --- branches ---------------------------------------------------------------------------------------- */

/* ConditionHolds() of the Arm ARM. */
static bool flags_hold(unsigned condition, uint64_t p)
{
	bool n = p & FLAG_N, z = p & FLAG_Z, c = p & FLAG_C, v = p & FLAG_V;
	const bool is[] = {z, c, n, v, c && !z, n == v, n == v && !z, true};

	return is[condition >> 1] != (condition & 1 && condition != 15);
}

static bool is_taken(uint32_t insn, const struct insn_form *f, const struct insn_state *s)
{
	uint64_t value = data(s, bits(insn, 0, 5)), bit = value >> (bits(insn, 19, 5) | insn >> 31 << 5) & 1;

	if (f->flags & FORM_NARROW)
		value = (uint32_t)value;
	switch (f->condition) {
	case CONDITION_FLAGS:
		return flags_hold(bits(insn, 0, 4), s->pstate);
	case CONDITION_ZERO:
		return !value;
	case CONDITION_OTHER:
		return value;
	case CONDITION_CLEAR:
		return !bit;
	default:
		return bit;
	}
}

/* --- loads and stores -------------------------------------------------------------------------------- */

static uint64_t offset_of(uint32_t insn, const struct insn_offset *o)
{
	uint64_t value = (uint64_t)bits(insn, o->low, o->bits) << o->shift;

	return o->sign && insn >> o->sign & 1 ? value - (UINT64_C(1) << (o->bits + o->shift)) : value;
}

static uint64_t index_of(uint32_t insn, const struct insn_form *f, const struct insn_state *s)
{
	uint64_t value = data(s, bits(insn, 16, 5));

	switch (f->index) {
	case INDEX_NONE:
		return 0;
	case INDEX_UNSIGNED:
		value = (uint32_t)value;
		break;
	case INDEX_SIGNED:
		value = (uint64_t)(int64_t)(int32_t)value;
		break;
	}
	return value << f->index_shift;
}

static void account_memory(uint32_t insn, const struct insn_form *f, const struct insn_state *s,
			   struct insn_effect *e)
{
	uint64_t address = (f->flags & FORM_LITERAL ? s->pc : s->x[bits(insn, 5, 5)]) +
			   offset_of(insn, &f->offset) + index_of(insn, f, s);

	for (unsigned way = 0; way < 2; way++) {
		bool store = way;

		if (!(f->flags & (store ? FORM_STORE : FORM_LOAD)))
			continue;
		add(e, store ? Q_INSN_STORE : Q_INSN_LOAD, 1);
		add(e, store ? Q_STORES : Q_LOADS, f->accesses);
		add(e, store ? Q_STORE_BYTES : Q_LOAD_BYTES, (uint32_t)f->accesses * f->bytes);
		for (unsigned i = 0; i < f->accesses && e->n_access < INSN_ACCESSES; i++)
			e->access[e->n_access++] =
				(struct step_access){address + i * f->bytes, f->bytes, store};
	}
	/* Alignment of structures is that of elements: nothing is said of it. */
	add(e, Q_UNALIGNED, !(f->flags & FORM_STRUCTURE) && address % f->bytes);
}

/* --- all --------------------------------------------------------------------------------------------- */

/* What lies behind the counts is left as it is. */
void insn_nothing(struct insn_effect *out)
{
	out->n_terms = out->n_access = 0;
	out->branch = TRANSFER_NONE;
	out->taken = out->svc = false;
}

static void account_class(const struct insn_form *f, struct insn_effect *out)
{
	const struct qterm *t = insn_classes[f->klass].term;

	insn_nothing(out);
	for (unsigned i = 0; i < INSN_CLASS_TERMS && t[i].amount; i++)
		out->term[out->n_terms++] = t[i];
}

void insn_account(uint32_t insn, const struct insn_state *before, struct insn_effect *out)
{
	const struct insn_form *f = form_of(insn);

	account_class(f, out);
	out->branch = f->branch;
	out->svc = f->flags & FORM_SUPERVISOR;
	if (f->condition) {
		out->taken = is_taken(insn, f, before);
		add(out, out->taken ? Q_BR_COND_TAKEN : Q_BR_COND_NTAKEN, 1);
	}
	if (f->accesses)
		account_memory(insn, f, before, out);
}

enum insn_exclusive insn_exclusive(uint32_t insn, const struct insn_state *before,
				   struct insn_exclusive_parts *out)
{
	const struct insn_form *f = form_of(insn);

	if (!(f->flags & FORM_EXCLUSIVE))
		return EXCLUSIVE_NONE;
	if (!f->accesses)
		return EXCLUSIVE_CLEAR;
	*out = (struct insn_exclusive_parts){
		.address = before->x[bits(insn, 5, 5)],
		.bytes = f->bytes,
		.pair = f->accesses == 2,
		.t = (uint8_t)bits(insn, 0, 5),
		.t2 = (uint8_t)bits(insn, 10, 5),
		.status = (uint8_t)bits(insn, 16, 5),
	};
	return f->flags & FORM_LOAD ? EXCLUSIVE_LOAD : EXCLUSIVE_STORE;
}

void insn_account_failed(uint32_t insn, struct insn_effect *out)
{
	account_class(form_of(insn), out);
}

/* By op1, CRn and CRm, where op0 is 3 (D12.3.1). */
static bool counts_or_identifies(unsigned op1, unsigned n, unsigned m)
{
	if (op1 == 0) /* identification; profiling; PMINTENSET_EL1 and those beside it; PMSSCR_EL1 */
		return n == 0 || (n == 9 && (m == 9 || m == 10 || m == 13 || m == 14));
	if (op1 != 3)
		return false;
	/* PMICNTR_EL0 and PMICFILTR_EL0; PMCR_EL0 and those that follow; PMEVCNTR<n>_EL0 and
	 * PMEVTYPER<n>_EL0. */
	return (n == 9 && (m == 4 || m == 6 || (m >= 12 && m <= 14))) || (n == 14 && m >= 8);
}

/* The same where op0 is 2: PMEVCNTSVR<n>_EL1, PMCCNTSVR_EL1, PMICNTSVR_EL1. */
static bool is_saved_count(unsigned op1, unsigned n, unsigned m)
{
	return op1 == 0 && n == 14 && m >= 8;
}

bool insn_register(uint32_t insn, bool *write, uint32_t *number, unsigned *t)
{
	unsigned op1 = bits(insn, 16, 3), n = bits(insn, 12, 4), m = bits(insn, 8, 4);

	if (!(form_of(insn)->flags & FORM_REGISTER))
		return false;
	if (bits(insn, 19, 1) ? !counts_or_identifies(op1, n, m) : !is_saved_count(op1, n, m))
		return false;
	*write = !bits(insn, 21, 1);
	*number = bits(insn, 5, 15) | 1u << 15;
	*t = bits(insn, 0, 5);
	return true;
}
