/*
 * The architecture layer, checked from inside the image: vectors, faults, page rights, rings, interrupts, the
 * watchdog, and the hand-over. All of it is about the machine itself, so nothing here runs on the virtual
 * CPU.
 */
#include "tests/suites/x86/machine.h"

#include "arch/x86/cpu/cpu.h"
#include "arch/processors.h"
#include "arch/second_cpu.h"
#include "tests/suites/suites.h"

#include <string.h>

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

static void prepare(void)
{
	if (!machine_arena.rw)
		arena_create(&machine_arena, ARENA_SIZE, true);
}

static void machine_run(struct run *run)
{
	static const struct machine_check *const tables[] = {
		machine_traps, machine_memory, machine_rings,   machine_interrupts,
		machine_state, machine_clocks, machine_stepped, machine_others};

	for (unsigned i = 0; i < sizeof tables / sizeof tables[0]; i++)
		machine_checks_run(run, tables[i]);
#ifdef MODEL_MUTANTS
	machine_checks_run(run, machine_frames);
	machine_checks_run(run, machine_handover);
#endif
	if (!second_cpu_missing(SECOND_CPU_SIBLING))
		machine_checks_run(run, machine_second);
	if (processor_current())
		machine_checks_run(run, machine_processor);
}

const struct suite suite_machine = {"machine", "the machine under our own tables", machine_run, prepare};
