/*
 * The step engine (arch/step.h): software step (Arm ARM, D2.12). MDSCR_EL1.SS has each instruction at EL0,
 * and at EL1 where PSTATE.D lets debug exceptions in, end in an exception; the harness runs with D set but
 * while it is stepped. The instruction about to run is looked at before: what cannot be stepped is carried
 * out here, which is stores exclusive (an exception ends what their load began), accesses of registers that a
 * client answers, and markers.
 */
#include "arch/step.h"

#include "arch/exceptions.h"
#include "arch/memory.h"
#include "arch/overflow.h"
#include "arch/aarch64/account.h"
#include "arch/aarch64/gic.h"
#include "arch/aarch64/presented.h"
#include "arch/aarch64/step.h"
#include "arch/aarch64/system.h"

#include <string.h>

#define MDSCR_SS    UINT64_C(1)
#define MDSCR_KDE   (UINT64_C(1) << 13)
#define PSTATE_SS   (UINT64_C(1) << 21)
#define PSTATE_D    (UINT64_C(1) << 9)
#define PSTATE_I    (UINT64_C(1) << 7)
#define PSTATE_F    (UINT64_C(1) << 6)
#define PSTATE_MODE UINT64_C(0xf)
#define EL0T        0
#define PSTATE_EL1H UINT64_C(5)

#define MARK_BEGIN 0xa51 /* immediates of BRK */
#define MARK_END   0xa52
#define BRK(n)     (UINT32_C(0xd4200000) | (uint32_t)(n) << 5)

const quantity_number quantities_by_address[] = {Q_UNALIGNED, Q_COUNT};
const struct step_exit_kind step_exit_kinds[1];
const unsigned step_n_exit_kinds = 0;
const unsigned step_exit_of_counter_read = 0, step_exit_of_register_write = 0;

static struct {
	struct step_client *client;
	unsigned paused, held;
	bool resting; /* nothing that is stepped concerns the client: code runs free */
	bool due;     /* a counter has asked for an interrupt, which may not have been taken */
	bool pending; /* the instruction below runs, and has not yet been told */
	uint32_t insn;
	struct insn_state before;
	struct {
		bool set;
		uint64_t address, value[2];
	} monitor;
	uint64_t steps;
	bool self;           /* the interrupt that is handled is the one that the processor sent itself */
	bool entered;        /* EL0 since the last step */
	uint64_t entered_at; /* where control went on, as far as it was told */
} engine;

/* --- what a client is told ---------------------------------------------------------------------------------
 */

static void tell_return(const struct trap_frame *f);

struct telling {
	struct insn_effect effect;
	struct step_registers registers;
};

static unsigned terms_of(const struct step *s, struct qterm out[STEP_TERMS])
{
	const struct telling *t = s->instruction;

	memcpy(out, t->effect.term, t->effect.n_terms * sizeof *out);
	return t->effect.n_terms;
}

static unsigned accesses_of(const struct step *s, uint64_t turn, struct step_access out[STEP_TURN_ACCESSES])
{
	const struct telling *t = s->instruction;

	if (turn)
		return 0;
	memcpy(out, t->effect.access, t->effect.n_access * sizeof *out);
	return t->effect.n_access;
}

static const struct step_methods methods = {.terms = terms_of, .accesses = accesses_of};

static uint8_t level_of(uint64_t pstate)
{
	return (pstate & PSTATE_MODE) == EL0T;
}

static void more(struct telling *t, enum quantity q)
{
	t->effect.term[t->effect.n_terms++] = (struct qterm){(quantity_number)q, 1};
}

static void tell(struct telling *t, const struct trap_frame *after, uint64_t ip, uint8_t level, uint8_t kind,
		 bool answered)
{
	static const uint8_t vectors[VECTORS_BOTH];
	uint8_t level_after = level_of(after->pstate);
	struct step s = {
		.methods = &methods,
		.instruction = t,
		.cycles = 1,
		.level = level,
		.ip = ip,
		.next = after->pc,
		.level_after = level_after,
		.length = kind == STEP_DELIVERED || !t->effect.n_terms ? 0 : 4,
		.registers = &t->registers,
		.vectors = engine.client->wants & STEP_WANTS_VECTORS ? vectors : NULL,
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
	if (engine.client->wants & STEP_WANTS_RECORDS) {
		s.clock = SYS_READ(cntvct_el0);
		t->registers.ip = after->pc;
		t->registers.flags = after->pstate;
		memcpy(t->registers.general, after->x, sizeof after->x);
		t->registers.general[31] = after->sp;
	}
	engine.steps++;
	if (engine.client->step)
		engine.client->step(engine.client->ctx, &s);
}

/* PMCCNTR_EL0, PMXEVCNTR_EL0, PMEVCNTR<n>_EL0. */
static bool is_counter(uint32_t number)
{
	return number == SYSTEM_REGISTER(3, 3, 9, 13, 0) || number == SYSTEM_REGISTER(3, 3, 9, 13, 2) ||
	       (number >= SYSTEM_REGISTER(3, 3, 14, 8, 0) && number < SYSTEM_REGISTER(3, 3, 14, 12, 0));
}

static uint8_t kind_of(const struct insn_effect *e, uint32_t insn)
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
static void account_pending(const struct trap_frame *after)
{
	struct telling t;

	insn_account(engine.insn, &engine.before, &t.effect);
	engine.pending = false;
	tell(&t, after, engine.before.pc, level_of(engine.before.pstate), kind_of(&t.effect, engine.insn),
	     false);
}

/* --- what is carried out here
 * -------------------------------------------------------------------------------- */

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
	bool good = engine.monitor.set && engine.monitor.address == p->address &&
		    load(p->address, p->bytes) == engine.monitor.value[0] &&
		    (!p->pair || load(p->address + p->bytes, p->bytes) == engine.monitor.value[1]);
	uint64_t data[] = {source(f, p->t), source(f, p->t2)};
	struct telling t;

	insn_account(engine.insn, &engine.before, &t.effect);
	if (!good)
		insn_account_failed(engine.insn, &t.effect);
	for (unsigned i = 0; good && i <= p->pair; i++)
		memcpy((void *)(uintptr_t)(p->address + i * p->bytes), &data[i], p->bytes);
	if (p->status != 31)
		f->x[p->status] = !good;
	engine.monitor.set = false;
	f->pc += 4;
	tell(&t, f, engine.before.pc, level_of(f->pstate), STEP_INSTRUCTION, false);
}

/* @return whether there was nothing to carry out: it is to be stepped */
static bool watch_exclusive(struct trap_frame *f)
{
	struct insn_exclusive_parts p;

	switch (insn_exclusive(engine.insn, &engine.before, &p)) {
	case EXCLUSIVE_LOAD:
		if (!step_may_access(p.address, p.bytes << p.pair, level_of(f->pstate), false))
			return true;
		engine.monitor.set = true;
		engine.monitor.address = p.address;
		engine.monitor.value[0] = load(p.address, p.bytes);
		engine.monitor.value[1] = p.pair ? load(p.address + p.bytes, p.bytes) : 0;
		return true;
	case EXCLUSIVE_STORE:
		if (!step_may_access(p.address, p.bytes << p.pair, level_of(f->pstate), true))
			return true;
		store_exclusive(f, &p);
		return false;
	case EXCLUSIVE_CLEAR:
		engine.monitor.set = false;
		return true;
	default:
		return true;
	}
}

static bool marker(struct trap_frame *f)
{
	bool begin = engine.insn == BRK(MARK_BEGIN);

	if (!engine.client->marker || (!begin && engine.insn != BRK(MARK_END)))
		return false;
	engine.client->marker(engine.client->ctx, begin);
	f->pc += 4;
	return true;
}

static enum register_answer ask(struct register_access *a, const struct step *by)
{
	struct step_client *c = engine.client;
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
	engine.pending = true;
	step_exception(f);
	trap_deliver(f);
	tell_return(f);
}

/* @return whether it was carried out, or refused */
static bool register_access(struct trap_frame *f)
{
	struct register_access a = {.space = SPACE_SYSTEM, .level = level_of(f->pstate), .permitted = true};
	struct telling t;
	struct step by = {.methods = &methods,
			  .instruction = &t,
			  .ip = f->pc,
			  .level = a.level,
			  .length = 4,
			  .cycles = 1};
	uint32_t number;
	unsigned r;

	if (!insn_register(engine.insn, &a.write, &number, &r))
		return false;
	a.number = number;
	a.value = a.write ? source(f, r) : 0;
	insn_account(engine.insn, &engine.before, &t.effect);
	by.terms = t.effect.term;
	by.n_terms = t.effect.n_terms;
	by.kind = kind_of(&t.effect, engine.insn);
	switch (ask(&a, &by)) {
	case REGISTER_DONE:
		if (!a.write && r != 31)
			f->x[r] = a.value;
		f->pc += 4;
		tell(&t, f, engine.before.pc, a.level, by.kind, true);
		return true;
	case REGISTER_FAULT:
		refuse(f, &a);
		return true;
	default:
		return false;
	}
}

/* An interrupt for which a counter has asked: the controller gives it. @return whether one was taken */
static bool take_interrupt(struct trap_frame *f)
{
	bool fiq = gic_counters_as_fiq();

	if (!engine.due || f->pstate & (fiq ? PSTATE_F : PSTATE_I))
		return false;
	engine.due = false;
	if (!gic_pending(gic_counters()) || !gic_enabled(gic_counters()))
		return false;
	step_interrupted(f, fiq);
	trap_interrupt(f, fiq);
	step_interrupt_returns(f);
	return true;
}

/* Look at the instructions ahead until one is to run by itself. */
static void prepare(struct trap_frame *f)
{
	do {
		take_interrupt(f);
		engine.insn = step_fetch(f->pc);
		memcpy(engine.before.x, f->x, sizeof f->x);
		engine.before.x[31] = f->sp;
		engine.before.pc = f->pc;
		engine.before.pstate = f->pstate;
	} while (marker(f) || register_access(f) || !watch_exclusive(f));
	engine.pending = true;
	f->pstate |= PSTATE_SS;
}

/* --- exceptions
 * ------------------------------------------------------------------------------------------------- */

static bool is_stepped(const struct trap_frame *f)
{
	return engine.client && (level_of(f->pstate) || !(f->pstate & PSTATE_D));
}

bool step_taken(struct trap_frame *f)
{
	unsigned class = trap_class(f);

	if (class != EC_STEP && class != EC_STEP_USER)
		return false;
	if (!engine.client) {
		f->pstate &= ~PSTATE_SS;
		return true;
	}
	if (engine.pending)
		account_pending(f);
	prepare(f);
	return true;
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

	if (!level_of(f->pstate) || trap_is_quick() != QUICK_USER)
		return f->pc;
	trap_quick_path(trap_class(f) == EC_SVC, path);
	return (uint64_t)path[0];
}

/* A handler of the harness's, which is not stepped, is all that comes between: an exception and the return
 * are told as one. */
void step_exception(const struct trap_frame *f)
{
	struct telling t;
	struct trap_frame inside = *f;
	uint8_t level = level_of(f->pstate);

	/* The handler's return clears the processor's monitor (Arm ARM, B2.9). */
	engine.entered = engine.monitor.set = false;
	if (!is_stepped(f) || !engine.pending)
		return;
	inside.pstate = PSTATE_EL1H;
	inside.pc = engine.entered_at = first_of_handler(f);
	if (trap_class(f) == EC_SVC) {
		insn_account(engine.insn, &engine.before, &t.effect);
		more(&t, Q_EXC_SVC);
	} else {
		insn_nothing(&t.effect);
		if (exception_quantity(trap_class(f)) != Q_EXCEPTIONS)
			more(&t, exception_quantity(trap_class(f)));
	}
	more(&t, Q_EXCEPTIONS);
	engine.pending = false;
	engine.entered = level;
	tell(&t, &inside, engine.before.pc, level, trap_class(f) == EC_SVC ? STEP_CALLS : STEP_DELIVERED,
	     false);
}

bool step_engaged(void)
{
	return engine.client;
}

/* What the quick vectors would have executed, the last of which returns. @param x9 what branches and accesses
 * find there */
static void tell_path(const struct trap_frame *f, const uint32_t *const *path, unsigned n, uint64_t x9)
{
	struct insn_state at = {.pstate = PSTATE_EL1H};
	struct trap_frame inside = *f;
	struct telling t;

	at.x[9] = x9;
	inside.pstate = PSTATE_EL1H;
	for (unsigned i = 0; i < n; i++) {
		at.pc = (uint64_t)path[i];
		inside.pc = i + 1 < n ? (uint64_t)path[i + 1] : f->pc;
		insn_account(*path[i], &at, &t.effect);
		tell(&t, i + 1 < n ? &inside : f, at.pc, 0,
		     i + 1 < n ? kind_of(&t.effect, *path[i]) : STEP_RETURNS, false);
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
static void tell_return(const struct trap_frame *f)
{
	struct telling t;

	insn_nothing(&t.effect);
	if (engine.entered && level_of(f->pstate) && trap_is_quick() == QUICK_USER)
		tell_quick(f);
	else if (engine.entered)
		tell(&t, f, engine.entered_at, 0, STEP_RETURNS, false);
	engine.entered = false;
}

void step_returns(struct trap_frame *f)
{
	if (!is_stepped(f))
		return;
	tell_return(f);
	prepare(f);
}

void step_interrupted(const struct trap_frame *f, bool fiq)
{
	const uint32_t *path[QUICK_MOST];
	struct telling t;
	struct trap_frame inside = *f;

	insn_nothing(&t.effect);
	engine.entered = engine.monitor.set = engine.self = false;
	if (!is_stepped(f))
		return;
	/* It may have come before the instruction that was to run, or behind it. */
	if (engine.pending && f->pc != engine.before.pc)
		account_pending(f);
	inside.pstate = PSTATE_EL1H;
	more(&t, fiq ? Q_INTERRUPTS_NMI : Q_INTERRUPTS_HW);
	engine.entered = level_of(f->pstate);
	engine.self = !fiq && trap_self_path(path) && gic_self_pending();
	if (engine.self)
		inside.pc = (uint64_t)path[0];
	tell(&t, &inside, f->pc, level_of(f->pstate), STEP_DELIVERED, false);
}

void step_interrupt_returns(const struct trap_frame *f)
{
	struct telling t;

	insn_nothing(&t.effect);
	if (is_stepped(f) && engine.self)
		tell_self(f);
	else if (is_stepped(f) && engine.entered && level_of(f->pstate))
		tell(&t, f, f->pc, 0, STEP_RETURNS, false);
	engine.entered = engine.self = false;
}

/* --- the engine
 * --------------------------------------------------------------------------------------------------- */

static void enable(bool on)
{
	SYS_WRITE(mdscr_el1, on ? MDSCR_SS | MDSCR_KDE : 0);
}

static bool in_handler(void)
{
	return SYS_READ(spsel) & 1;
}

/* From here on the code that executes this is stepped, or not. */
static inline void let_steps(bool on)
{
	step_fetch_anew();
	if (on)
		__asm__ volatile("msr daifclr, #8" : : : "memory");
	else
		__asm__ volatile("msr daifset, #8" : : : "memory");
}

void step_not_nested(void)
{
	if (engine.client)
		trap_abort(TRAP_NONE);
}

void step_call(struct step_client *client, void (*fn)(void *), void *arg)
{
	step_not_nested();
	engine.paused = engine.held = 0;
	engine.pending = engine.monitor.set = engine.entered = engine.due = false;
	engine.resting = client->idle;
	engine.client = client;
	enable(true);
	if (!engine.resting)
		let_steps(true);
	fn(arg);
	let_steps(false);
	enable(false);
	engine.client = NULL;
	engine.pending = engine.resting = false;
}

void step_keep(struct step_kept *out)
{
	out->client = engine.client;
	out->paused = engine.paused;
	out->held = engine.held;
	out->resting = engine.resting;
}

void step_put_back(const struct step_kept *kept)
{
	engine.client = kept->client;
	engine.paused = kept->paused;
	engine.held = kept->held;
	engine.resting = kept->resting;
	engine.pending = false;
	if (!engine.client)
		enable(false);
	else if (!engine.client->idle)
		step_wake();
}

bool step_active(void)
{
	return engine.client && !engine.paused && !in_handler();
}

void step_pause(void)
{
	if (!engine.client || in_handler())
		return;
	if (!engine.paused++ && !engine.resting)
		let_steps(false);
}

void step_resume(void)
{
	if (!engine.client || in_handler() || !engine.paused || --engine.paused || engine.resting)
		return;
	engine.pending = false;
	let_steps(true);
}

/* --- rest: code that does not concern the client runs free, and its accesses of registers are the client's
 * to answer all the same -------------------------------------------------------------------------------- */

void step_wake(void)
{
	if (!engine.client || !engine.resting || in_handler())
		return;
	engine.resting = false;
	if (engine.paused)
		return;
	engine.pending = false;
	let_steps(true);
}

void step_run_free(void)
{
	if (!engine.client || !engine.client->idle || engine.paused || engine.held || engine.resting ||
	    in_handler())
		return;
	engine.resting = true;
	let_steps(false);
}

bool step_presents(void)
{
	return engine.client && engine.client->presents;
}

void step_hold(void)
{
	if (!engine.client || in_handler())
		return;
	engine.held++;
	step_wake();
}

void step_release(void)
{
	if (engine.client && !in_handler() && engine.held)
		engine.held--;
}

bool step_asks(struct register_access *a, bool *good)
{
	const struct step by = {.cycles = 1};
	enum register_answer answer;

	if (!engine.client || !(engine.resting || in_handler() || (engine.paused && engine.client->presents)))
		return false;
	answer = ask(a, &by);
	*good = answer == REGISTER_DONE;
	if (!engine.client->idle)
		step_wake();
	return answer != REGISTER_NOT_MINE;
}

uint32_t step_shapes(void)
{
	return 1;
}

uint64_t step_count(void)
{
	return engine.steps;
}

void step_markers(struct step_code *begin, struct step_code *end)
{
	static const uint32_t code[] = {BRK(MARK_BEGIN), BRK(MARK_END)};

	*begin = (struct step_code){(const uint8_t *)code, (const uint8_t *)(code + 1)};
	*end = (struct step_code){(const uint8_t *)(code + 1), (const uint8_t *)(code + 2)};
}

unsigned step_exit_of_code(const struct step_code *code)
{
	(void)code;
	return step_n_exit_kinds;
}

static void count_only(void *ctx, struct step *s)
{
	(void)s;
	++*(uint64_t *)ctx;
}

uint64_t step_bare_count(void (*fn)(void *), void *arg)
{
	uint64_t n = 0;
	struct step_client client = {.ctx = &n, .step = count_only};

	if (engine.client)
		return 0;
	step_call(&client, fn, arg);
	return n;
}

/* --- for virtual CPUs
 * ------------------------------------------------------------------------------------------------ */

/* The controller's line is masked by the handler that it interrupts, not by delivery. */
void step_request_overflow(unsigned line, bool stays)
{
	(void)stays;
	if (line != OVERFLOW_COUNTERS || overflow_masked(line))
		return;
	gic_pend(gic_counters());
	engine.due = true;
}

unsigned step_extra_line(unsigned n)
{
	(void)n;
	return OVERFLOW_NO_LINE;
}

void step_emulate_extra_lines(bool emulate)
{
	(void)emulate;
}
