#include "arch/x86/step/account.h"
#include "arch/x86/step/insn_quantities.h"

#define LINE 64
#define PAGE 4096

const quantity_number quantities_by_address[] = {Q_LOADS_SPLIT_LINE,  Q_STORES_SPLIT_LINE, Q_LOADS_SPLIT_PAGE,
						 Q_STORES_SPLIT_PAGE, Q_INSN_LOCKED_SPLIT, Q_COUNT};

struct term_list {
	struct qterm *out;
	unsigned count;
};

static void add(struct term_list *t, enum quantity q, uint64_t amount)
{
	t->out[t->count++] = (struct qterm){.quantity = q, .amount = (uint32_t)amount};
}

static uint64_t address_of(const struct insn_retired *s, const struct insn_access *a)
{
	switch (a->where) {
	case AT_OPERAND:
		return s->address;
	case AT_STACK:
		return s->stack + (uint64_t)(int64_t)a->offset;
	case AT_SOURCE:
		return s->source;
	case AT_DEST:
		return s->dest;
	case AT_FRAME:
		return s->frame;
	default:
		return 0;
	}
}

/**
 * How many of n accesses of `size` bytes, one after the other from `low` on, touch more than one block of
 * `block` bytes. Sizes above 1 are powers of two up to the block size if n > 1.
 */
static uint64_t count_splits(uint64_t low, uint64_t size, uint64_t n, uint64_t block)
{
	if (n == 1)
		return (low & (block - 1)) + size > block;
	/* Aligned elements never straddle; of misaligned ones exactly one straddles each boundary inside the
	 * stretch. */
	if (!n || !(low & (size - 1)))
		return 0;
	return (low + n * size - 1) / block - low / block;
}

/** n accesses of one kind, the lowest at `low`. @return whether one touches more than one line */
static bool add_splits(struct term_list *t, unsigned kind, uint64_t low, uint64_t size, uint64_t n)
{
	uint64_t lines = count_splits(low, size, n, LINE);
	if (!lines)
		return false;
	uint64_t pages = count_splits(low, size, n, PAGE);
	if (kind & ACCESS_LOAD)
		add(t, Q_LOADS_SPLIT_LINE, lines);
	if (kind & ACCESS_STORE)
		add(t, Q_STORES_SPLIT_LINE, lines);
	if (pages && (kind & ACCESS_LOAD))
		add(t, Q_LOADS_SPLIT_PAGE, pages);
	if (pages && (kind & ACCESS_STORE))
		add(t, Q_STORES_SPLIT_PAGE, pages);
	return true;
}

static void add_splits_of(struct term_list *t, const struct insn_retired *s, const struct insn_access *a,
			  uint64_t n)
{
	uint64_t low = address_of(s, a);
	if (s->backwards && n)
		low -= (n - 1) * a->size;
	if (add_splits(t, a->kind, low, a->size, n) && s->insn->flags & INSN_F_LOCK)
		add(t, Q_INSN_LOCKED_SPLIT, 1);
}

/** ENTER at a nesting level: below the frame pointer that it pushes at any (the class's access) go copies of
 * those of the levels around it, and one of its own. */
static void add_levels(struct term_list *t, const struct insn_retired *s, uint64_t size)
{
	uint64_t levels = s->insn->cond, copies = levels - 1;

	if (!levels)
		return;
	add(t, Q_STORES, levels);
	add(t, Q_STORE_BYTES, levels * size);
	add_splits(t, ACCESS_STORE, s->stack - (levels + 1) * size, size, levels);
	if (!copies)
		return;
	add(t, Q_INSN_LOAD, 1);
	add(t, Q_LOADS, copies);
	add(t, Q_LOAD_BYTES, copies * size);
	add_splits(t, ACCESS_LOAD, s->frame - copies * size, size, copies);
}

static bool changes_level(const struct insn *in)
{
	return in->special == INSN_IRET || in->special == INSN_FAR ||
	       (in->special >= INSN_SYSCALL && in->special <= INSN_SYSEXIT);
}

unsigned account_retired(const struct insn_retired *s, struct qterm out[ACCOUNT_TERMS])
{
	const struct insn *in = s->insn;
	const struct insn_class *c = &insn_classes[in->klass];
	const struct insn_term *term = &insn_terms[c->terms], *each = term + c->n_once + c->n_some;
	const struct insn_access *access = &insn_accesses[c->accesses];
	bool iterates = in->special == INSN_STRING || in->special == INSN_MASKMOV;
	struct term_list t = {.out = out};

	if (!s->partial) {
		unsigned n = c->n_once + (iterates && s->iterations ? c->n_some : 0);
		for (unsigned i = 0; i < n; i++)
			add(&t, term[i].quantity, term[i].amount);
		if (in->flags & INSN_F_LOCK)
			add(&t, Q_INSN_LOCKED, 1);
		if (in->special == INSN_JCC || in->special == INSN_LOOP || in->special == INSN_JRCXZ)
			add(&t, s->taken ? Q_BR_COND_TAKEN : Q_BR_COND_NTAKEN, 1);
		if (sizeof(void *) == 4 && in->special == INSN_IRET && s->cpl != s->cpl_after) {
			/* ESP and SS besides: SDM vol. 2, IRET. */
			add(&t, Q_LOADS, 2);
			add(&t, Q_LOAD_BYTES, 2 * 4);
		}
		if (s->cpl != s->cpl_after && changes_level(in))
			add(&t, s->cpl_after ? Q_RING_TO_USER : Q_RING_TO_KERNEL, 1);
	}
	if (iterates && s->iterations) {
		for (unsigned i = 0; i < c->n_each; i++)
			add(&t, each[i].quantity, each[i].amount * s->iterations);
		if (in->flags & INSN_F_REP)
			add(&t, Q_REP_ITERATIONS, s->iterations);
	}
	for (unsigned i = 0; i < c->n_accesses; i++)
		if (access[i].where != AT_OTHER)
			add_splits_of(&t, s, &access[i], iterates ? s->iterations : 1);
	if (in->special == INSN_ENTER)
		add_levels(&t, s, access->size);
	return t.count;
}

unsigned account_event(enum step_event event, unsigned vector, uint8_t cpl, struct qterm out[ACCOUNT_TERMS])
{
	static const quantity_number by_vector[32] = {
		[0] = Q_EXC_DE,  [1] = Q_EXC_DB,  [6] = Q_EXC_UD,  [7] = Q_EXC_NM,
		[11] = Q_EXC_NP, [12] = Q_EXC_SS, [13] = Q_EXC_GP, [14] = Q_EXC_PF,
		[16] = Q_EXC_MF, [17] = Q_EXC_AC, [19] = Q_EXC_XM,
	};
	struct term_list t = {.out = out};

	if (event == STEP_INTERRUPT)
		add(&t, Q_INTERRUPTS_HW, 1);
	if (event == STEP_NMI)
		add(&t, Q_INTERRUPTS_NMI, 1);
	if (event == STEP_EXCEPTION) {
		add(&t, Q_EXCEPTIONS, 1);
		if (vector < 32 && by_vector[vector])
			add(&t, by_vector[vector], 1);
	}
	if (cpl)
		add(&t, Q_RING_TO_KERNEL, 1);
	return t.count;
}

uint64_t account_turns(const struct insn_retired *s)
{
	switch (s->insn->special) {
	case INSN_STRING:
		return s->iterations;
	case INSN_ENTER:
		return 1u + s->insn->cond;
	default:
		return 1;
	}
}

/** Of nesting level i: a copy, but for the last level, whose frame pointer is the new one. */
static unsigned level_accesses(const struct insn_retired *s, uint64_t i, uint16_t size,
			       struct step_access *out)
{
	unsigned n = 0;

	if (i < s->insn->cond)
		out[n++] = (struct step_access){.address = s->frame - i * size, .size = size};
	out[n++] = (struct step_access){.address = s->stack - (i + 1) * size, .size = size, .store = true};
	return n;
}

unsigned account_accesses(const struct insn_retired *s, uint64_t i,
			  struct step_access out[2 * ACCOUNT_ACCESSES])
{
	const struct insn_class *c = &insn_classes[s->insn->klass];
	const struct insn_access *access = &insn_accesses[c->accesses];
	unsigned n = 0;

	if (s->insn->special == INSN_ENTER && i)
		return level_accesses(s, i, access->size, out);
	for (unsigned k = 0; k < c->n_accesses; k++) {
		const struct insn_access *a = &access[k];
		uint64_t at = address_of(s, a);
		if (a->where == AT_OTHER)
			continue;
		if (s->insn->special == INSN_STRING)
			at += s->backwards ? -(i * a->size) : i * a->size;
		if (a->kind & ACCESS_LOAD)
			out[n++] = (struct step_access){.address = at, .size = a->size, .store = false};
		if (a->kind & ACCESS_STORE)
			out[n++] = (struct step_access){.address = at, .size = a->size, .store = true};
	}
	return n;
}

bool account_misaligned(const struct insn_retired *s)
{
	const struct insn_class *c = &insn_classes[s->insn->klass];
	const struct insn_access *access = &insn_accesses[c->accesses];

	for (unsigned k = 0; k < c->n_accesses; k++) {
		const struct insn_access *a = &access[k];

		if (a->where != AT_OTHER && (a->size == 2 || a->size == 4 || a->size == 8) &&
		    address_of(s, a) & (a->size - 1))
			return true;
	}
	return false;
}

enum step_transfer account_transfer(const struct insn_retired *s, const struct qterm *terms, unsigned n_terms)
{
	/* The kinds of branches exclude each other; of a conditional one, BR_COND itself says nothing. */
	static const uint8_t by_quantity[Q_COUNT] = {
		[Q_BR_JMP_DIRECT] = TRANSFER_JUMP,
		[Q_BR_JMP_INDIRECT] = TRANSFER_JUMP_INDIRECT,
		[Q_BR_CALL_DIRECT] = TRANSFER_CALL,
		[Q_BR_RET] = TRANSFER_RETURN,
		[Q_BR_CALL_INDIRECT] = TRANSFER_CALL_INDIRECT,
		[Q_BR_FAR] = TRANSFER_SYSTEM,
		[Q_BR_COND_TAKEN] = TRANSFER_CONDITIONAL,
	};
	uint8_t special = s->insn->special;

	if (s->partial || special == INSN_INT || special == INSN_INT3 || special == INSN_INT1)
		return TRANSFER_NONE;
	for (unsigned i = 0; i < n_terms; i++)
		if (by_quantity[terms[i].quantity])
			return (enum step_transfer)by_quantity[terms[i].quantity];
	return TRANSFER_NONE;
}

enum step_transfer account_delivery(enum step_event event)
{
	return event == STEP_SOFT_INTERRUPT ? TRANSFER_SYSTEM : TRANSFER_EVENT;
}
