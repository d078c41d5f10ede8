/*
 * Restricted transactional memory while stepping (step.h, .transactions): SDM vol. 1, 16.3, and vol. 2, each
 * instruction under its name.
 */
#include "arch/x86/step/step_engine.h"

#include <string.h>

#define NEST_MAX   7
#define KEPT_MAX   16
#define KEPT_BYTES 64
#define PAGE       4096

/* Abort status in EAX. */
#define STATUS_XABORT   (1u << 0)
#define STATUS_CAPACITY (1u << 3)
#define STATUS_NESTED   (1u << 5)

#define RFLAGS_STATUS 0x8d5ull /* CF, PF, AF, ZF, SF, OF */
#define RFLAGS_ZF     0x40ull

static struct {
	struct trap_frame begin;
	uint64_t fallback;
	unsigned n_kept;
	struct {
		void *at;
		unsigned size;
		uint8_t bytes[KEPT_BYTES];
	} kept[KEPT_MAX];
} outer;

static void set_status(struct trap_frame *f, uint32_t status)
{
	f->rax = status;
}

void step_transaction_abort(struct trap_frame *f, uint32_t status)
{
	struct step_engine *e = &step_engine;

	if (e->odd.transaction > 1)
		status |= STATUS_NESTED;
	while (outer.n_kept) {
		outer.n_kept--;
		step_copy(outer.kept[outer.n_kept].at, outer.kept[outer.n_kept].bytes,
			  outer.kept[outer.n_kept].size);
	}
	e->odd.transaction = 0;
	*f = outer.begin;
	f->rip = outer.fallback;
	set_status(f, status);
}

/* As much as can be read: what cannot be read cannot be written either, so the instruction will fault. */
static unsigned keep(void *at, uint8_t bytes[KEPT_BYTES])
{
	unsigned in_page = PAGE - (unsigned)((uintptr_t)at % PAGE);

	if (step_copy(bytes, at, KEPT_BYTES))
		return KEPT_BYTES;
	return in_page < KEPT_BYTES && step_copy(bytes, at, in_page) ? in_page : 0;
}

bool step_transaction_keeps(struct trap_frame *f, const struct decoded *d)
{
	void *at = (void *)(uintptr_t)step_engine.now.did.address;

	if (!(d->in.flags & INSN_F_MEM))
		return true;
	if (outer.n_kept == KEPT_MAX) {
		step_transaction_abort(f, STATUS_CAPACITY);
		return false;
	}
	outer.kept[outer.n_kept].at = at;
	outer.kept[outer.n_kept].size = keep(at, outer.kept[outer.n_kept].bytes);
	outer.n_kept++;
	return true;
}

static uint64_t fallback_of(const struct trap_frame *f, const struct decoded *d)
{
	const uint8_t *displacement = (const uint8_t *)d->bytes + d->in.modrm_at + 1;
	int32_t near;
	int16_t narrow;

	if (d->in.length == d->in.modrm_at + 1 + sizeof near) {
		memcpy(&near, displacement, sizeof near);
		return f->rip + d->in.length + (uint64_t)(int64_t)near;
	}
	memcpy(&narrow, displacement, sizeof narrow);
	return f->rip + d->in.length + (uint64_t)(int64_t)narrow;
}

static enum step_fate xbegin(struct trap_frame *f, const struct decoded *d)
{
	struct step_engine *e = &step_engine;

	if (e->client->transactions == STEP_TRANSACTIONS_ABORT) {
		f->rip = fallback_of(f, d);
		set_status(f, 0);
		return step_carried_out(f);
	}
	if (e->odd.transaction == NEST_MAX) {
		step_transaction_abort(f, STATUS_CAPACITY);
		return FATE_DONE;
	}
	if (!e->odd.transaction) {
		outer.begin = *f;
		outer.fallback = fallback_of(f, d);
		outer.n_kept = 0;
	}
	e->odd.transaction++;
	return step_carried_out_next(f, d);
}

static enum step_fate xend(struct trap_frame *f, const struct decoded *d)
{
	struct step_engine *e = &step_engine;

	if (!e->odd.transaction)
		return step_fault(f, VECTOR_GP, 0);
	e->odd.transaction--;
	return step_carried_out_next(f, d);
}

static enum step_fate xabort(struct trap_frame *f, const struct decoded *d)
{
	uint32_t reason = ((const uint8_t *)d->bytes)[d->in.length - 1];

	step_carried_out_next(f, d);
	if (step_engine.odd.transaction)
		step_transaction_abort(f, reason << 24 | STATUS_XABORT);
	return FATE_DONE;
}

static enum step_fate xtest(struct trap_frame *f, const struct decoded *d)
{
	f->rflags &= ~RFLAGS_STATUS;
	if (!step_engine.odd.transaction)
		f->rflags |= RFLAGS_ZF;
	return step_carried_out_next(f, d);
}

enum step_fate step_transactional(struct trap_frame *f, const struct decoded *d)
{
	switch ((enum insn_special)d->in.special) {
	case INSN_XBEGIN:
		return xbegin(f, d);
	case INSN_XEND:
		return xend(f, d);
	case INSN_XABORT:
		return xabort(f, d);
	default:
		return xtest(f, d);
	}
}
