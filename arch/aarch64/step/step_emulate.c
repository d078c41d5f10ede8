/*
 * What the engine carries out in the processor's stead: stores exclusive (an exception ends what their load
 * began), accesses of registers that a client answers, and markers.
 */
#include "arch/aarch64/step/step_engine.h"

#include "arch/exceptions.h"
#include "arch/aarch64/gic.h"
#include "arch/aarch64/presented.h"
#include "arch/aarch64/system.h"

#include <string.h>

#define MARK_BEGIN 0xa51 /* immediates of BRK */
#define MARK_END   0xa52
#define BRK(n)     (UINT32_C(0xd4200000) | (uint32_t)(n) << 5)

static uint64_t load(uint64_t address, unsigned bytes)
{
	uint64_t value = 0;

	memcpy(&value, (const void *)(uintptr_t)address, bytes);
	return value;
}

static uint64_t source(const struct trap_frame *f, unsigned r)
{
	return r == 31 ? 0 : f->x[r];
}

static void store_exclusive(struct trap_frame *f, const struct insn_exclusive_parts *p)
{
	bool good = step_engine.monitor.set && step_engine.monitor.address == p->address &&
		    load(p->address, p->bytes) == step_engine.monitor.value[0] &&
		    (!p->pair || load(p->address + p->bytes, p->bytes) == step_engine.monitor.value[1]);
	uint64_t data[] = {source(f, p->t), source(f, p->t2)};
	struct step_telling t;

	insn_account(step_engine.insn, &step_engine.before, &t.effect);
	if (!good)
		insn_account_failed(step_engine.insn, &t.effect);
	for (unsigned i = 0; good && i <= p->pair; i++)
		memcpy((void *)(uintptr_t)(p->address + i * p->bytes), &data[i], p->bytes);
	if (p->status != 31)
		f->x[p->status] = !good;
	step_engine.monitor.set = false;
	f->pc += 4;
	step_tell(&t, f, step_engine.before.pc, step_level_of(f->pstate), STEP_INSTRUCTION, false);
}

/* @return whether there was nothing to carry out: it is to be stepped */
static bool watch_exclusive(struct trap_frame *f)
{
	struct insn_exclusive_parts p;

	switch (insn_exclusive(step_engine.insn, &step_engine.before, &p)) {
	case EXCLUSIVE_LOAD:
		if (!step_may_access(p.address, p.bytes << p.pair, step_level_of(f->pstate), false))
			return true;
		step_engine.monitor.set = true;
		step_engine.monitor.address = p.address;
		step_engine.monitor.value[0] = load(p.address, p.bytes);
		step_engine.monitor.value[1] = p.pair ? load(p.address + p.bytes, p.bytes) : 0;
		return true;
	case EXCLUSIVE_STORE:
		if (!step_may_access(p.address, p.bytes << p.pair, step_level_of(f->pstate), true))
			return true;
		store_exclusive(f, &p);
		return false;
	case EXCLUSIVE_CLEAR:
		step_engine.monitor.set = false;
		return true;
	default:
		return true;
	}
}

static bool marker(struct trap_frame *f)
{
	bool begin = step_engine.insn == BRK(MARK_BEGIN);

	if (!step_engine.client->marker || (!begin && step_engine.insn != BRK(MARK_END)))
		return false;
	step_engine.client->marker(step_engine.client->ctx, begin);
	f->pc += 4;
	return true;
}

void step_markers(struct step_code *begin, struct step_code *end)
{
	static const uint32_t code[] = {BRK(MARK_BEGIN), BRK(MARK_END)};

	*begin = (struct step_code){(const uint8_t *)code, (const uint8_t *)(code + 1)};
	*end = (struct step_code){(const uint8_t *)(code + 1), (const uint8_t *)(code + 2)};
}

enum register_answer step_ask(struct register_access *a, const struct step *by)
{
	struct step_client *c = step_engine.client;
	enum register_answer answer =
		c->access && c->spaces >> SPACE_SYSTEM & 1 ? c->access(c->ctx, a, by) : REGISTER_NOT_MINE;

	if (answer == REGISTER_NOT_MINE && c->presents && !a->write && !a->level &&
	    presented_register((uint32_t)a->number, &a->value))
		return REGISTER_DONE;
	return answer;
}

/* Undefined at EL1; what EL0 might be let do is trapped (Arm ARM, PMUSERENR_EL0). */
static void refuse(struct trap_frame *f, const struct register_access *a)
{
	bool trapped = a->level && (a->number >> 11 & 7) == 3;

	f->syndrome = (uint64_t)(trapped ? EC_SYSTEM : EC_UNKNOWN) << 26;
	step_engine.pending = true;
	step_exception(f);
	trap_deliver(f);
	step_tell_return(f);
}

/* @return whether it was carried out, or refused */
static bool register_access(struct trap_frame *f)
{
	struct register_access a = {
		.space = SPACE_SYSTEM, .level = step_level_of(f->pstate), .permitted = true};
	struct step_telling t;
	struct step by = {.methods = &step_methods,
			  .instruction = &t,
			  .ip = f->pc,
			  .level = a.level,
			  .length = 4,
			  .cycles = 1};
	uint32_t number;
	unsigned r;

	if (!insn_register(step_engine.insn, &a.write, &number, &r))
		return false;
	a.number = number;
	a.value = a.write ? source(f, r) : 0;
	insn_account(step_engine.insn, &step_engine.before, &t.effect);
	by.terms = t.effect.term;
	by.n_terms = t.effect.n_terms;
	by.kind = step_kind_of(&t.effect, step_engine.insn);
	switch (step_ask(&a, &by)) {
	case REGISTER_DONE:
		if (!a.write && r != 31)
			f->x[r] = a.value;
		f->pc += 4;
		step_tell(&t, f, step_engine.before.pc, a.level, by.kind, true);
		return true;
	case REGISTER_FAULT:
		refuse(f, &a);
		return true;
	default:
		return false;
	}
}

bool step_carries_out(struct trap_frame *f)
{
	return marker(f) || register_access(f) || !watch_exclusive(f);
}
