/*
 * What a client is told of each step: the terms and accesses of the instruction that has run, exceptions and
 * interrupts, and the handlers of the harness's that are not stepped.
 */
#include "arch/aarch64/step/step_engine.h"

#include "arch/exceptions.h"
#include "arch/aarch64/gic.h"
#include "arch/aarch64/system.h"

#include <string.h>

#define PSTATE_EL1H UINT64_C(5)

static unsigned terms_of(const struct step *s, struct qterm out[STEP_TERMS])
{
	const struct step_telling *t = s->instruction;

	memcpy(out, t->effect.term, t->effect.n_terms * sizeof *out);
	return t->effect.n_terms;
}

static unsigned accesses_of(const struct step *s, uint64_t turn, struct step_access out[STEP_TURN_ACCESSES])
{
	const struct step_telling *t = s->instruction;

	if (turn)
		return 0;
	memcpy(out, t->effect.access, t->effect.n_access * sizeof *out);
	return t->effect.n_access;
}

const struct step_methods step_methods = {.terms = terms_of, .accesses = accesses_of};

static void more(struct step_telling *t, enum quantity q)
{
	t->effect.term[t->effect.n_terms++] = (struct qterm){(quantity_number)q, 1};
}

void step_tell(struct step_telling *t, const struct trap_frame *after, uint64_t ip, uint8_t level,
	       uint8_t kind, bool answered)
{
	static const uint8_t vectors[VECTORS_BOTH];
	uint8_t level_after = step_level_of(after->pstate);
	struct step s = {
		.methods = &step_methods,
		.instruction = t,
		.cycles = 1,
		.level = level,
		.ip = ip,
		.next = after->pc,
		.level_after = level_after,
		.length = kind == STEP_DELIVERED || !t->effect.n_terms ? 0 : 4,
		.registers = &t->registers,
		.vectors = step_engine.client->wants & STEP_WANTS_VECTORS ? vectors : NULL,
		.access = t->effect.access,
		.n_access = t->effect.n_access,
		.kind = kind,
		.answered = answered,
		.turns = 1,
		.branch = t->effect.branch,
		.taken = t->effect.taken,
	};

	if (level && !level_after)
		more(t, Q_LEVEL_TO_SYSTEM);
	if (!level && level_after)
		more(t, Q_LEVEL_TO_USER);
	s.transfer = t->effect.branch == TRANSFER_CONDITIONAL && !t->effect.taken ? TRANSFER_NONE
										  : t->effect.branch;
	if (kind == STEP_DELIVERED)
		s.transfer = TRANSFER_EVENT;
	if (step_engine.client->wants & STEP_WANTS_RECORDS) {
		s.clock = SYS_READ(cntvct_el0);
		t->registers.ip = after->pc;
		t->registers.flags = after->pstate;
		memcpy(t->registers.general, after->x, sizeof after->x);
		t->registers.general[31] = after->sp;
	}
	step_engine.steps++;
	if (step_engine.client->step)
		step_engine.client->step(step_engine.client->ctx, &s);
}

/* PMCCNTR_EL0, PMXEVCNTR_EL0, PMEVCNTR<n>_EL0. */
static bool is_counter(uint32_t number)
{
	return number == SYSTEM_REGISTER(3, 3, 9, 13, 0) || number == SYSTEM_REGISTER(3, 3, 9, 13, 2) ||
	       (number >= SYSTEM_REGISTER(3, 3, 14, 8, 0) && number < SYSTEM_REGISTER(3, 3, 14, 12, 0));
}

uint8_t step_kind_of(const struct insn_effect *e, uint32_t insn)
{
	bool write;
	uint32_t number;
	unsigned t;

	if (e->svc)
		return STEP_CALLS;
	if (!insn_register(insn, &write, &number, &t))
		return STEP_INSTRUCTION;
	return write ? STEP_WRITES_REGISTER : is_counter(number) ? STEP_READS_COUNTER : STEP_INSTRUCTION;
}

/* The instruction that ran has come to its end. */
void step_tell_pending(const struct trap_frame *after)
{
	struct step_telling t;

	insn_account(step_engine.insn, &step_engine.before, &t.effect);
	step_engine.pending = false;
	step_tell(&t, after, step_engine.before.pc, step_level_of(step_engine.before.pstate),
		  step_kind_of(&t.effect, step_engine.insn), false);
}

static enum quantity exception_quantity(unsigned class)
{
	switch (class) {
	case EC_UNKNOWN:
		return Q_EXC_UNDEF;
	case EC_DATA:
	case EC_DATA_USER:
		return Q_EXC_DABORT;
	case EC_CODE:
	case EC_CODE_USER:
		return Q_EXC_PABORT;
	default:
		return Q_EXCEPTIONS;
	}
}

/* Where control goes on: handlers that are told as if they had run have addresses. */
static uint64_t first_of_handler(const struct trap_frame *f)
{
	const uint32_t *path[QUICK_MOST];

	if (!step_level_of(f->pstate) || trap_is_quick() != QUICK_USER)
		return f->pc;
	trap_quick_path(trap_class(f) == EC_SVC, path);
	return (uint64_t)path[0];
}

/* A handler of the harness's, which is not stepped, is all that comes between: an exception and the return
 * are told as one. */
void step_exception(const struct trap_frame *f)
{
	struct step_telling t;
	struct trap_frame inside = *f;
	uint8_t level = step_level_of(f->pstate);

	/* The handler's return clears the processor's monitor (Arm ARM, B2.9). */
	step_engine.entered = step_engine.monitor.set = false;
	if (!step_is_stepped(f) || !step_engine.pending)
		return;
	inside.pstate = PSTATE_EL1H;
	inside.pc = step_engine.entered_at = first_of_handler(f);
	if (trap_class(f) == EC_SVC) {
		insn_account(step_engine.insn, &step_engine.before, &t.effect);
		more(&t, Q_EXC_SVC);
	} else {
		insn_nothing(&t.effect);
		if (exception_quantity(trap_class(f)) != Q_EXCEPTIONS)
			more(&t, exception_quantity(trap_class(f)));
	}
	more(&t, Q_EXCEPTIONS);
	step_engine.pending = false;
	step_engine.entered = level;
	step_tell(&t, &inside, step_engine.before.pc, level,
		  trap_class(f) == EC_SVC ? STEP_CALLS : STEP_DELIVERED, false);
}

/* What the quick vectors would have executed, the last of which returns. @param x9 what branches and accesses
 * find there */
static void tell_path(const struct trap_frame *f, const uint32_t *const *path, unsigned n, uint64_t x9)
{
	struct insn_state at = {.pstate = PSTATE_EL1H};
	struct trap_frame inside = *f;
	struct step_telling t;

	at.x[9] = x9;
	inside.pstate = PSTATE_EL1H;
	for (unsigned i = 0; i < n; i++) {
		at.pc = (uint64_t)path[i];
		inside.pc = i + 1 < n ? (uint64_t)path[i + 1] : f->pc;
		insn_account(*path[i], &at, &t.effect);
		step_tell(&t, i + 1 < n ? &inside : f, at.pc, 0,
			  i + 1 < n ? step_kind_of(&t.effect, *path[i]) : STEP_RETURNS, false);
	}
}

static void tell_quick(const struct trap_frame *f)
{
	const uint32_t *path[QUICK_MOST];
	unsigned n = trap_quick_path(trap_class(f) == EC_SVC, path);

	tell_path(f, path, n, f->syndrome);
}

/* Its branch is not taken, and its accesses are aligned. */
static void tell_self(const struct trap_frame *f)
{
	const uint32_t *path[QUICK_MOST];
	unsigned n = trap_self_path(path);

	tell_path(f, path, n, 0);
}

/* Back at EL0, or at EL1 from the end of a window. */
void step_tell_return(const struct trap_frame *f)
{
	struct step_telling t;

	insn_nothing(&t.effect);
	if (step_engine.entered && step_level_of(f->pstate) && trap_is_quick() == QUICK_USER)
		tell_quick(f);
	else if (step_engine.entered)
		step_tell(&t, f, step_engine.entered_at, 0, STEP_RETURNS, false);
	step_engine.entered = false;
}

void step_interrupted(const struct trap_frame *f, bool fiq)
{
	const uint32_t *path[QUICK_MOST];
	struct step_telling t;
	struct trap_frame inside = *f;

	insn_nothing(&t.effect);
	step_engine.entered = step_engine.monitor.set = step_engine.self = false;
	if (!step_is_stepped(f))
		return;
	/* It may have come before the instruction that was to run, or behind it. */
	if (step_engine.pending && f->pc != step_engine.before.pc)
		step_tell_pending(f);
	inside.pstate = PSTATE_EL1H;
	more(&t, fiq ? Q_INTERRUPTS_NMI : Q_INTERRUPTS_HW);
	step_engine.entered = step_level_of(f->pstate);
	step_engine.self = !fiq && trap_self_path(path) && gic_self_pending();
	if (step_engine.self)
		inside.pc = (uint64_t)path[0];
	step_tell(&t, &inside, f->pc, step_level_of(f->pstate), STEP_DELIVERED, false);
}

void step_interrupt_returns(const struct trap_frame *f)
{
	struct step_telling t;

	insn_nothing(&t.effect);
	if (step_is_stepped(f) && step_engine.self)
		tell_self(f);
	else if (step_is_stepped(f) && step_engine.entered && step_level_of(f->pstate))
		step_tell(&t, f, f->pc, 0, STEP_RETURNS, false);
	step_engine.entered = step_engine.self = false;
}
