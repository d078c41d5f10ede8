/*
 * The same promises while the step engine runs the code one instruction at a time.
 */
#include "tests/suites/x86/machine.h"

#include "arch/console.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/machine/descriptors.h"
#include "arch/x86/step/step.h"
#include "arch/x86/time/tsc.h"
#include "arch/watchdog.h"
#include "arch/x86/exceptions/watchdog_internal.h"

#include <string.h>

static struct step_client nobody;
static char printed[4096];

struct job {
	void (*fn)(void *);
	void *arg;
};

static void step_job(void *arg)
{
	const struct job *j = arg;

	step_call(&nobody, j->fn, j->arg);
}

/** Step through fn(arg), guarded. @return how it ended; -2 if the engine did not let go of the CPU */
static int64_t stepped(void (*fn)(void *), void *arg)
{
	struct job j = {fn, arg};
	struct descriptor_pointer in_force;
	struct trap_report r;

	console_capture(printed, sizeof printed);
	trap_guard(step_job, &j, &r);
	console_capture(NULL, 0);
	__asm__ volatile("sidt %0" : "=m"(in_force));
	return step_active() || in_force.base != idt_pointer.base ? -2 : r.vector;
}

static void undefined(void *arg)
{
	(void)arg;
	__asm__ volatile("ud2");
}

static void note_active(void *arg)
{
	*(int64_t *)arg = step_active();
}

static int64_t returns(void)
{
	int64_t active = 0;

	return stepped(note_active, &active) == TRAP_NONE ? active : -1;
}

static int64_t exception_ends_stepping(void)
{
	return stepped(undefined, NULL);
}

static int64_t exception_is_dumped(void)
{
	stepped(undefined, NULL);
	return strstr(printed, "unexpected #UD") && strstr(printed, "undefined+0x") &&
	       strstr(printed, "trap_guard+0x");
}

static void guard_inside(void *arg)
{
	struct trap_report r;
	bool ok = trap_guard(undefined, NULL, &r);

	/* The guard was entered while stepping, so stepping goes on behind it. */
	*(int64_t *)arg = !ok && r.vector == VECTOR_UD && step_active();
}

static int64_t guard_inside_goes_on(void)
{
	int64_t right = 0;

	return stepped(guard_inside, &right) == TRAP_NONE ? right : -1;
}

static void step_inside(void *arg)
{
	*(int64_t *)arg = stepped(undefined, NULL) == VECTOR_UD;
}

static int64_t exception_between_guards(void)
{
	int64_t right = 0;

	return trap_guard(step_inside, &right, NULL) ? right : -1;
}

/* The engine looks at the deadline by itself: this needs no source of interrupts. */
static void hang(void *arg)
{
	(void)arg;
	watchdog_arm(20);
	for (;;)
		cpu_relax();
}

static int64_t watchdog_ends_stepped_hang(void)
{
	int64_t vector = stepped(hang, NULL);

	watchdog_disarm();
	return vector;
}

static int64_t watchdog_tells_the_place(void)
{
	stepped(hang, NULL);
	watchdog_disarm();
	return strstr(printed, "watchdog: the deadline passed in ring 0") && strstr(printed, "hang+0x") &&
	       strstr(printed, "running: stepped/and tells the place and the check");
}

static void hang_holding(void *arg)
{
	watchdog_hold();
	watchdog_arm(10);
	while (!watchdog_expired())
		cpu_relax();
	for (unsigned i = 0; i < 10000; i++) /* the engine looks every so many steps */
		cpu_relax();
	*(int64_t *)arg = 1;
	watchdog_release();
	*(int64_t *)arg = 2;
}

static int64_t watchdog_can_be_held(void)
{
	int64_t stage = 0, vector = stepped(hang_holding, &stage);

	watchdog_disarm();
	return vector == TRAP_WATCHDOG ? stage : -1;
}

static bool on_nmi(struct trap_frame *f, void *arg)
{
	(void)f;
	++*(volatile int64_t *)arg;
	return true;
}

/* The deadline passes while nothing is stepped for a moment, so that the interrupt comes by itself. */
static void expire_paused(void *arg)
{
	trap_set_handler(VECTOR_NMI, on_nmi, arg);
	watchdog_hold();
	watchdog_arm(10);
	step_pause();
	while (!watchdog_expired())
		cpu_relax();
	for (uint64_t from = tsc_read(); tsc_read() - from < tsc_hz() / 200;)
		cpu_relax();
	step_resume();
	watchdog_disarm();
	watchdog_release();
	trap_set_handler(VECTOR_NMI, NULL, NULL);
}

static int64_t watchdog_calls_no_handler(void)
{
	int64_t calls = 0;

	return stepped(expire_paused, &calls) == TRAP_NONE ? calls : -1;
}

static const char *no_nmi_watchdog(void)
{
	return !strncmp(watchdog_source(), "NMI", 3) ? NULL : "the watchdog's source sends no NMI";
}

static bool on_test(struct trap_frame *f, void *arg)
{
	*(int64_t *)arg = !(f->rflags & RFLAGS_TF) && step_active();
	return true;
}

static void software_interrupt(void *arg)
{
	trap_set_handler(VECTOR_TEST, on_test, arg);
	__asm__ volatile("int %0" ::"i"(VECTOR_TEST));
	trap_set_handler(VECTOR_TEST, NULL, NULL);
}

static int64_t handler_sees_no_stepping(void)
{
	int64_t right = 0;

	return stepped(software_interrupt, &right) == TRAP_NONE ? right : -1;
}

/* In Bochs each fault that is told takes a tenth of a second of the machine's time, of the two that a check
 * has. */
static int64_t works_after_faults(void)
{
	int64_t right = 0;

	for (unsigned i = 0; i < 10; i++) {
		right += stepped(undefined, NULL) == VECTOR_UD;
		right += returns() == 1;
	}
	return right;
}

#define ONLY(value) (value), (value)

const struct machine_check machine_stepped[] = {
	{"stepped/code runs and returns", NULL, returns, ONLY(1), NULL},
	{"stepped/an exception ends it", NULL, exception_ends_stepping, ONLY(VECTOR_UD), NULL},
	{"stepped/and is dumped", NULL, exception_is_dumped, ONLY(1), NULL},
	{"stepped/a guard inside keeps it going", NULL, guard_inside_goes_on, ONLY(1), NULL},
	{"stepped/a guard outside another is not left", NULL, exception_between_guards, ONLY(1), NULL},
	{"stepped/the watchdog ends a loop", NULL, watchdog_ends_stepped_hang, ONLY(TRAP_WATCHDOG), NULL},
	{"stepped/and tells the place and the check", NULL, watchdog_tells_the_place, ONLY(1), NULL},
	{"stepped/paused, it calls no handler of the stepped code", NULL, watchdog_calls_no_handler, ONLY(0),
	 no_nmi_watchdog},
	{"stepped/the watchdog can be held", NULL, watchdog_can_be_held, ONLY(1), NULL},
	{"stepped/handlers see no trap flag", NULL, handler_sees_no_stepping, ONLY(1), NULL},
	{"stepped/works after faults", NULL, works_after_faults, ONLY(20), NULL},
	{NULL, NULL, NULL, 0, 0, NULL},
};
