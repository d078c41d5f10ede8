/*
 * The architecture layer, checked from inside the image: vectors, faults, page rights, rings, interrupts, the
 * watchdog, and the hand-over. All of it is about the machine itself, so nothing here runs on the virtual
 * CPU.
 */
#include "tests/suites/x86/machine.h"

#include "arch/x86/cpu/cpu.h"
#include "arch/processors.h"
#include "arch/watchdog.h"
#include "tests/suites/suites.h"

#include <stdio.h>
#include <string.h>

#define CHECK_MS   2000
#define ARENA_SIZE 0x2000

struct code_arena machine_arena;

static struct trap_frame fault_frame;
static uint64_t fault_cr2;

static bool on_fault(struct trap_frame *frame, void *arg)
{
	(void)arg;
	fault_frame = *frame;
	fault_cr2 = cr2_read();
	trap_abort((int)frame->vector);
}

struct attempt {
	void (*fn)(void *);
	void *arg;
};

static void attempt(void *arg)
{
	const struct attempt *a = arg;

	for (unsigned v = 0; v < 32; v++)
		if (v != VECTOR_NMI && v != VECTOR_MC)
			trap_set_handler(v, on_fault, NULL);
	a->fn(a->arg);
	for (unsigned v = 0; v < 32; v++)
		if (v != VECTOR_NMI && v != VECTOR_MC)
			trap_set_handler(v, NULL, NULL);
}

int64_t fault_of(void (*fn)(void *), void *arg, struct trap_frame *frame)
{
	struct attempt a = {fn, arg};
	struct trap_report report;

	if (trap_guard(attempt, &a, &report))
		return NO_FAULT;
	if (frame)
		*frame = fault_frame;
	return FAULT(fault_frame.vector, fault_frame.error);
}

uint64_t fault_address(void)
{
	return fault_cr2;
}

const void *machine_place(const void *code, const void *end)
{
	memcpy(machine_arena.rw, code, (size_t)((const char *)end - (const char *)code));
	return machine_arena.rx;
}

struct carry_out {
	const struct machine_check *check;
	int64_t seen;
};

static void carry_out(void *arg)
{
	struct carry_out *c = arg;

	c->seen = c->check->observe();
}

static void run_check(struct run *run, const struct machine_check *check)
{
	struct result r = {.suite = "machine", .name = check->name, .manual = check->manual};
	struct carry_out c = {check, 0};
	const char *why = check->unfit ? check->unfit() : NULL;
	struct trap_report report;
	bool ok;

	if (why) {
		judgement_set(&r.judgement, VERDICT_SKIPPED, "%s", why);
		run->report(run, &r);
		return;
	}
	trap_set_context(check->name);
	watchdog_arm(CHECK_MS);
	ok = trap_guard(carry_out, &c, &report);
	watchdog_disarm();
	trap_set_context(NULL);
	if (ok)
		result_judge(&r, 0, check->low, check->high, c.seen);
	else
		judgement_set(&r.judgement, VERDICT_ERROR, "%s", report.text);
	run->report(run, &r);
}

static void prepare(void)
{
	if (!machine_arena.rw)
		arena_create(&machine_arena, ARENA_SIZE, true);
}

static void run_table(struct run *run, const struct machine_check *table)
{
	for (const struct machine_check *c = table; c->name; c++)
		run_check(run, c);
}

static void machine_run(struct run *run)
{
	static const struct machine_check *const tables[] = {
		machine_traps, machine_memory, machine_rings,  machine_interrupts,
		machine_state, machine_clocks, machine_stepped};

	for (unsigned i = 0; i < sizeof tables / sizeof tables[0]; i++)
		run_table(run, tables[i]);
#ifdef MODEL_MUTANTS
	run_table(run, machine_frames);
	run_table(run, machine_handover);
#endif
	if (processor_current())
		run_table(run, machine_processor);
}

const struct suite suite_machine = {"machine", "the machine under our own tables", machine_run, prepare};
