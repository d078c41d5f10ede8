/*
 * Rest: code that does not concern the client runs free, and its accesses to registers go to the client all
 * the same. step_calls.c keeps the books of what is paused.
 */
#include "arch/x86/step/step.h"
#include "arch/x86/cpu/msr.h"

#include "arch/x86/machine/descriptors.h"
#include "arch/x86/step/step_engine.h"
#include "arch/x86/step/step_gate.h"

void step_wake(void)
{
	if (!register_asks.runs_free)
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
	if (step_engine.active && step_engine.held && !--step_engine.held && *step_idle)
		step_run_free();
}

void step_run_free(void)
{
	struct step_engine *e = &step_engine;
	unsigned long flags;

	if (!e->active || !e->client->idle || e->paused || e->held || e->busy)
		return;
	/* What is pending is delivered first; where an interrupt could come between the look and the gate
	 * stepping goes on. */
	__asm__ volatile("pushf; pop %0" : "=r"(flags));
	if (e->attention.any || e->odd.transaction || e->nmi_blocked || (flags & RFLAGS_IF))
		return;
	step_gate(STEP_GATE_REST);
}

enum register_answer step_access(struct register_access *a)
{
	struct step_engine *e = &step_engine;
	enum register_answer answer;

	if (!register_asks.runs_free)
		return REGISTER_NOT_MINE;
	answer = step_ask_register(a, 0, 0);
	if (!e->client->idle)
		step_wake();
	return answer;
}

bool step_presents(void)
{
	return register_asks.runs_free && step_engine.client->presents;
}
