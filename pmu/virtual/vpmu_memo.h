/*
 * What a retirement adds to the counters, kept by the virtual PMU for those that are alike.
 *
 * Most instructions contribute what their class says and nothing else. What that adds is worked out once and
 * kept until a register is written: until another epoch begins.
 */
#ifndef PMU_VIRTUAL_VPMU_MEMO_H
#define PMU_VIRTUAL_VPMU_MEMO_H

#include "pmu/contract/model.h"

#define MEMO_ROOM 12 /* all counters of most PMUs */
struct memo {
	uint32_t epoch; /* valid in this epoch; 0: in none ... */
	uint8_t level;  /* ... and if the instruction runs at this level */
	uint8_t n;
	struct model_increment increment[MEMO_ROOM];
};

static inline bool memo_holds(const struct memo *m, uint32_t epoch, uint8_t level)
{
	return m->epoch == epoch && m->level == level;
}

/** Add it to the counters. @return false if a counter would overflow; then nothing has been added */
static inline bool memo_add_up(const struct memo *m)
{
	const struct model_increment *i = m->increment, *end = i + m->n;

	for (; i < end; i++) {
		uint64_t value = *i->counter;

		if (__builtin_expect(value > i->limit, 0))
			break;
		*i->counter = value + i->amount;
	}
	if (__builtin_expect(i == end, 1))
		return true;
	while (i-- > m->increment)
		*i->counter -= i->amount;
	return false;
}

/* The same of steps of which the machine model has something to say. */
#define MACHINE_MEMO_TERMS 4
#define MACHINE_MEMOS      64
struct machine_memo {
	const struct memo *plain;              /* of the instruction without it */
	uint64_t said[MACHINE_MEMO_TERMS / 2]; /* two terms each: quantity, amount */
	struct memo memo;
};

/**
 * The memo of a step to which the machine model says `terms`. Of several that have the same place in the
 * table, the last is kept: another one finds a memo that holds in no epoch.
 * @param plain memo of the same instruction without them
 * @return NULL: there is none for so much
 */
static inline struct memo *machine_memo(struct machine_memo table[MACHINE_MEMOS], const struct memo *plain,
					const struct qterm *terms, unsigned n)
{
	struct machine_memo *m;
	uint64_t said[MACHINE_MEMO_TERMS / 2] = {0, 0}, sum;

	if (n > MACHINE_MEMO_TERMS)
		return NULL;
	for (unsigned i = 0; i < n; i++) {
		if (terms[i].amount > UINT8_MAX)
			return NULL;
		said[i / 2] = said[i / 2] << 32 | (uint32_t)terms[i].quantity << 8 | terms[i].amount;
	}
	sum = said[0] + (said[0] >> 8) + (said[0] >> 32) + said[1];
	m = &table[((uintptr_t)plain / sizeof *plain + sum) % MACHINE_MEMOS];
	if (m->plain != plain || m->said[0] != said[0] || m->said[1] != said[1]) {
		m->plain = plain;
		m->said[0] = said[0];
		m->said[1] = said[1];
		m->memo.epoch = 0;
	}
	return &m->memo;
}

#endif
