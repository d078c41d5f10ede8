/*
 * The step engine (arch/step.h): software step (Arm ARM, D2.12). MDSCR_EL1.SS has each instruction at EL0,
 * and at EL1 where PSTATE.D lets debug exceptions in, end in an exception; the harness runs with D set but
 * while it is stepped. The instruction about to run is looked at before: what cannot be stepped is carried
 * out (step_emulate.c).
 */
#include "arch/aarch64/step/step_engine.h"

#include "arch/exceptions.h"
#include "arch/overflow.h"
#include "arch/aarch64/gic.h"
#include "arch/aarch64/system.h"

#include <string.h>

#define MDSCR_SS  UINT64_C(1)
#define MDSCR_KDE (UINT64_C(1) << 13)
#define PSTATE_SS (UINT64_C(1) << 21)
#define PSTATE_I  (UINT64_C(1) << 7)
#define PSTATE_F  (UINT64_C(1) << 6)

const quantity_number quantities_by_address[] = {Q_UNALIGNED, Q_COUNT};
const struct step_exit_kind step_exit_kinds[1];
const unsigned step_n_exit_kinds = 0;
const unsigned step_exit_of_counter_read = 0, step_exit_of_register_write = 0;

struct step_engine step_engine;

/* --- exceptions of stepping --- */

/* An interrupt for which a counter has asked: the controller gives it. @return whether one was taken */
static bool take_interrupt(struct trap_frame *f)
{
	bool fiq = gic_counters_as_fiq();

	if (!step_engine.due || f->pstate & (fiq ? PSTATE_F : PSTATE_I))
		return false;
	step_engine.due = false;
	if (!gic_counters_pending() || !gic_enabled(gic_counters()))
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
		step_engine.insn = step_fetch(f->pc);
		memcpy(step_engine.before.x, f->x, sizeof f->x);
		step_engine.before.x[31] = f->sp;
		step_engine.before.pc = f->pc;
		step_engine.before.pstate = f->pstate;
	} while (step_carries_out(f));
	step_engine.pending = true;
	f->pstate |= PSTATE_SS;
}

bool step_taken(struct trap_frame *f)
{
	unsigned class = trap_class(f);

	if (class != EC_STEP && class != EC_STEP_USER)
		return false;
	if (!step_engine.client) {
		f->pstate &= ~PSTATE_SS;
		return true;
	}
	if (step_engine.pending)
		step_tell_pending(f);
	prepare(f);
	return true;
}

void step_returns(struct trap_frame *f)
{
	if (!step_is_stepped(f))
		return;
	step_tell_return(f);
	prepare(f);
}

bool step_engaged(void)
{
	return step_engine.client;
}

/* --- the engine --- */

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
	if (step_engine.client)
		trap_abort(TRAP_NONE);
}

void step_call(struct step_client *client, void (*fn)(void *), void *arg)
{
	step_not_nested();
	step_engine.paused = step_engine.held = 0;
	step_engine.pending = step_engine.monitor.set = step_engine.entered = step_engine.due = false;
	step_engine.resting = client->idle;
	step_engine.client = client;
	enable(true);
	if (!step_engine.resting)
		let_steps(true);
	fn(arg);
	let_steps(false);
	enable(false);
	step_engine.client = NULL;
	step_engine.pending = step_engine.resting = false;
}

void step_keep(struct step_kept *out)
{
	out->client = step_engine.client;
	out->paused = step_engine.paused;
	out->held = step_engine.held;
	out->resting = step_engine.resting;
}

void step_put_back(const struct step_kept *kept)
{
	step_engine.client = kept->client;
	step_engine.paused = kept->paused;
	step_engine.held = kept->held;
	step_engine.resting = kept->resting;
	step_engine.pending = false;
	if (!step_engine.client)
		enable(false);
	else if (!step_engine.client->idle)
		step_wake();
}

bool step_active(void)
{
	return step_engine.client && !step_engine.paused && !in_handler();
}

void step_pause(void)
{
	if (!step_engine.client || in_handler())
		return;
	if (!step_engine.paused++ && !step_engine.resting)
		let_steps(false);
}

void step_resume(void)
{
	if (!step_engine.client || in_handler() || !step_engine.paused || --step_engine.paused ||
	    step_engine.resting)
		return;
	step_engine.pending = false;
	let_steps(true);
}

/* --- rest: code that does not concern the client runs free, and its accesses of registers are the client's
 * to answer all the same -------------------------------------------------------------------------------- */

void step_wake(void)
{
	if (!step_engine.client || !step_engine.resting || in_handler())
		return;
	step_engine.resting = false;
	if (step_engine.paused)
		return;
	step_engine.pending = false;
	let_steps(true);
}

void step_run_free(void)
{
	if (!step_engine.client || !step_engine.client->idle || step_engine.paused || step_engine.held ||
	    step_engine.resting || in_handler())
		return;
	step_engine.resting = true;
	let_steps(false);
}

bool step_presents(void)
{
	return step_engine.client && step_engine.client->presents;
}

void step_hold(void)
{
	if (!step_engine.client || in_handler())
		return;
	step_engine.held++;
	step_wake();
}

void step_release(void)
{
	if (step_engine.client && !in_handler() && step_engine.held)
		step_engine.held--;
}

bool step_asks(struct register_access *a, bool *good)
{
	const struct step by = {.cycles = 1};
	enum register_answer answer;

	if (!step_engine.client ||
	    !(step_engine.resting || in_handler() || (step_engine.paused && step_engine.client->presents)))
		return false;
	answer = step_ask(a, &by);
	*good = answer == REGISTER_DONE;
	if (!step_engine.client->idle)
		step_wake();
	return answer != REGISTER_NOT_MINE;
}

uint32_t step_shapes(void)
{
	return 1;
}

uint64_t step_count(void)
{
	return step_engine.steps;
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

	if (step_engine.client)
		return 0;
	step_call(&client, fn, arg);
	return n;
}

/* --- for virtual CPUs --- */

/* The controller's line is masked by the handler that it interrupts, not by delivery. */
void step_request_overflow(unsigned line, bool stays)
{
	(void)stays;
	if (line != OVERFLOW_COUNTERS || overflow_masked(line))
		return;
	gic_pend_counters();
	step_engine.due = true;
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
