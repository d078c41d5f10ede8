/*
 * Rest: code that does not concern the client runs free, and its accesses to registers go to the client all
 * the same. step.c keeps the books of what is paused.
 */
#include "arch/x86/step/step.h"

#include "arch/x86/machine/descriptors.h"
#include "arch/x86/step/step_engine.h"
#include "arch/x86/step/step_gate.h"

void step_wake(void)
{
	if (!step_runs_free)
		return;
	step_resume();
}

void step_hold(void)
{
	if (!step_engine.active)
		return;
	step_engine.held++;
	step_wake();
}

void step_release(void)
{
	if (step_engine.active && step_engine.held)
		step_engine.held--;
}

void step_run_free(void)
{
	struct step_engine *e = &step_engine;
	uint64_t flags;

	if (!e->active || !e->client->idle || e->paused || e->held || e->busy)
		return;
	/* What is pending is delivered first; where an interrupt could come between the look and the gate
	 * stepping goes on. */
	__asm__ volatile("pushf; pop %0" : "=r"(flags));
	if (e->attention.any || e->odd.transaction || e->nmi_blocked || (flags & RFLAGS_IF))
		return;
	step_gate(STEP_GATE_REST);
}

enum step_action step_access(struct trap_frame *f, uint8_t special)
{
	struct step_engine *e = &step_engine;
	const struct insn in = {.special = special};
	enum step_action action;

	if (!step_runs_free || !(e->client->intercepts >> special & 1))
		return STEP_RUN;
	action = e->client->before(e->client->ctx, f, &in);
	if (!e->client->idle)
		step_wake();
	return action;
}
