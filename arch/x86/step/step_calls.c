/*
 * Beginning to step, pausing, and coming to an end: what the stepped code asks of the engine through its call
 * gate, and what runs it.
 */
#include "arch/x86/step/step.h"
#include "arch/x86/cpu/msr.h"

#include "arch/x86/machine/descriptors.h"
#include "arch/x86/step/step_engine.h"
#include "arch/x86/step/step_gate.h"

#define MONITOR_STACK (2 * STEP_NESTED_STACK)

static const bool never;
const volatile bool *volatile step_idle = &never;

static struct idt_gate monitor_idt[256] __attribute__((aligned(16)));
static struct idt_gate bare_idt[256] __attribute__((aligned(16)));
static uint8_t monitor_stack[MONITOR_STACK] __attribute__((aligned(16)));
static uint8_t nmi_stack[1024] __attribute__((aligned(16)));

/* step.S */
extern const uint8_t step_stubs[], step_nmi_entry[], step_bare_entry[];
void step_run(void (*fn)(void *), void *arg);
void step_bare_run(void (*fn)(void *), void *arg);
extern volatile uint64_t step_bare_traps;
volatile uint64_t step_bare_traps;

void step_load_idt(const struct idt_gate *table)
{
	struct descriptor_pointer p = {sizeof monitor_idt - 1, (uintptr_t)table};

	idt_load(&p);
}

void step_gate_call(struct trap_frame *f)
{
	struct step_engine *e = &step_engine;

	e->current = NULL;
	e->odd.any = 0;
	e->now.rip = 0;
	switch (f->rax) {
	case STEP_GATE_ENTER:
		e->active = true;
		e->paused = e->held = 0;
		e->free_running = false;
		break;
	case STEP_GATE_PAUSE:
		e->paused = 1;
		break;
	case STEP_GATE_REST:
		e->paused = 1;
		e->free_running = true;
		break;
	case STEP_GATE_RESUME:
		e->paused = 0;
		e->free_running = false;
		break;
	default:
		e->active = false;
	}
	register_asks.runs_free = e->free_running && e->paused == 1;
	step_idle = e->active ? &e->client->idle : &never;
	if (!e->active || e->paused)
		step_load_idt(idt);
}

static void prepare(void)
{
	static bool ready;

	tss.ist[IST_MONITOR - 1] = (uintptr_t)(monitor_stack + sizeof monitor_stack);
	tss.ist[IST_MONITOR_NMI - 1] = (uintptr_t)(nmi_stack + sizeof nmi_stack);
	if (ready)
		return;
	for (unsigned v = 0; v < 256; v++)
		gate_set(&monitor_idt[v], step_stubs + v * TRAP_STUB_STRIDE, GATE_INTERRUPT, IST_MONITOR);
	gate_set(&monitor_idt[VECTOR_NMI], step_nmi_entry, GATE_INTERRUPT, IST_MONITOR_NMI);
#ifdef __i386__
	gate_set_double_fault(&monitor_idt[VECTOR_DF]);
#endif
	ready = true;
}

struct whole {
	void (*fn)(void *);
	void *arg;
};

static void whole(void *arg)
{
	const struct whole *w = arg;

	w->fn(w->arg);
	step_wake();
}

void step_not_nested(void)
{
	if (step_active())
		trap_abort(VECTOR_STEP);
}

void step_call(struct step_client *client, void (*fn)(void *), void *arg)
{
	struct step_engine *e = &step_engine;

	if (e->active)
		trap_abort(VECTOR_STEP);
	prepare();
	e->client = client;
	e->nmi_blocked = false;
	e->attention.any = 0;
	e->attention.emulated = e->raises != NULL;
	e->odd.any = 0;
	step_svm_begin();
	e->held_vectors[0] = e->held_vectors[1] = e->held_vectors[2] = e->held_vectors[3] = 0;
	/* The frame's place does not change. */
	e->now.after = (const struct trap_frame *)(monitor_stack + sizeof monitor_stack) - 1;
	step_load_idt(monitor_idt);
	step_run(whole, &(struct whole){fn, arg});
}

/* Pauses that somebody asked for. */
static unsigned pauses(void)
{
	return step_engine.paused - step_engine.free_running;
}

bool step_active(void)
{
	return step_engine.active && !pauses();
}

void step_pause(void)
{
	struct step_engine *e = &step_engine;

	if (!e->active)
		return;
	register_asks.runs_free = false;
	if (e->paused)
		e->paused++;
	else
		step_gate(STEP_GATE_PAUSE);
}

void step_resume(void)
{
	struct step_engine *e = &step_engine;

	if (!e->active || !e->paused)
		return;
	if (e->paused > 1) {
		e->paused--;
		register_asks.runs_free = e->free_running && e->paused == 1;
	} else {
		step_load_idt(monitor_idt);
		step_gate(STEP_GATE_RESUME);
	}
}

/* The nesting of step_hold() is in its upper half. */
#define MARK_HELD 16

unsigned step_mark(void)
{
	return step_engine.active ? (1 + pauses()) | step_engine.held << MARK_HELD : 0;
}

void step_unwind(unsigned mark)
{
	struct step_engine *e = &step_engine;

	if (mark == 0) {
		if (!e->active)
			return;
		if (e->paused)
			step_abandon();
		else
			step_gate(STEP_GATE_LEAVE);
		return;
	}
	/* The engine itself failed: what the guard protected was stepped and cannot go on. */
	if (!e->active)
		trap_abort(e->broken);
	e->held = mark >> MARK_HELD;
	mark &= (1u << MARK_HELD) - 1;
	e->free_running = register_asks.runs_free = false;
	if (mark == 1) {
		if (e->paused) {
			e->paused = 1;
			step_resume();
		}
		return;
	}
	if (!e->paused)
		step_gate(STEP_GATE_PAUSE);
	e->paused = mark - 1;
}

void step_abandon(void)
{
	step_engine.active = step_engine.free_running = register_asks.runs_free = false;
	step_engine.paused = 0;
	step_idle = &never;
}

void step_raise_nmi(void)
{
	step_engine.attention.nmi |= NMI_RAISED;
}

uint64_t step_count(void)
{
	return step_engine.count;
}

uint64_t step_bare_count(void (*fn)(void *), void *arg)
{
	if (step_engine.active)
		return 0;
	prepare();
	for (unsigned v = 0; v < 256; v++)
		bare_idt[v] = idt[v];
	gate_set(&bare_idt[VECTOR_DB], step_bare_entry, GATE_INTERRUPT, IST_MONITOR);
	step_bare_traps = 0;
	step_load_idt(bare_idt);
	step_bare_run(fn, arg);
	step_load_idt(idt);
	return step_bare_traps;
}
