/*
 * The suite machine on AArch64: exceptions end one check, pages have the rights that they are to have, guard
 * pages end stacks, the watchdog ends what hangs, and the machine is handed back as it was.
 */
#include "arch/exceptions.h"
#include "arch/machine.h"
#include "arch/memory.h"
#include "arch/processors.h"
#include "arch/step.h"
#include "arch/time.h"
#include "arch/watchdog.h"
#include "arch/aarch64/gic.h"
#include "arch/aarch64/system.h"
#include "arch/aarch64/trap.h"
#include "arch/aarch64/watchdog.h"
#include "tests/suites/machine_checks.h"
#include "tests/suites/suites.h"

#include <stddef.h>

#define SOON_MS 1
#define STACK   (256 * 1024) /* of a guarded call: arch/exceptions.h */

/* Data aborts and instruction aborts by the kind of their status code, ISS[5:2] (Arm ARM, D13.2.37). */
#define TRANSLATION       1
#define PERMISSION        3
#define ABORT(class, why) ((class) << 8 | (why))
#define NO_EXCEPTION      (-1)
#define CLAIMED           300 /* no exception's number */

static struct trap_frame seen;

static GENERAL_REGISTERS_ONLY bool take_note(struct trap_frame *f)
{
	seen = *f;
	trap_abort(CLAIMED);
}

struct attempt {
	void (*fn)(void *);
	void *arg;
};

static void attempt(void *arg)
{
	const struct attempt *a = arg;

	trap_claim(take_note);
	a->fn(a->arg);
	trap_claim(NULL);
}

/* @return class of the exception that fn() ends with, of aborts ABORT(); NO_EXCEPTION if it returns */
static int64_t exception_of(void (*fn)(void *), void *arg)
{
	struct attempt a = {fn, arg};
	struct trap_report report;
	unsigned class;

	if (trap_guard(attempt, &a, &report))
		return NO_EXCEPTION;
	if (report.vector != CLAIMED)
		return report.vector;
	class = trap_class(&seen);
	return class == EC_DATA || class == EC_CODE ? ABORT(class, seen.syndrome >> 2 & 0xf) : class;
}

/* --- exceptions and pages ------------------------------------------------------------------------------- */

static void undefined(void *arg)
{
	(void)arg;
	__asm__ volatile("udf #0");
}

static void breakpoint(void *arg)
{
	(void)arg;
	__asm__ volatile("brk #7");
}

static void call(void *arg)
{
	(void)arg;
	__asm__ volatile("svc #7" : : : "memory");
}

static void nothing(void *arg)
{
	(void)arg;
}

static void read_at(void *arg)
{
	(void)*(volatile uint32_t *)arg;
}

static void write_at(void *arg)
{
	*(volatile uint32_t *)arg = 0;
}

static void execute_at(void *arg)
{
	((void (*)(void))(uintptr_t)arg)();
}

static int64_t undefined_ends(void)
{
	return exception_of(undefined, NULL);
}

static int64_t breakpoint_ends(void)
{
	return exception_of(breakpoint, NULL);
}

static int64_t call_ends(void)
{
	return exception_of(call, NULL);
}

static int64_t nothing_ends(void)
{
	return exception_of(nothing, NULL);
}

/* What a check has done is undone: the next one finds its handlers gone. */
static int64_t ended_twice(void)
{
	return exception_of(undefined, NULL) == EC_UNKNOWN && exception_of(breakpoint, NULL) == EC_BRK &&
	       exception_of(nothing, NULL) == NO_EXCEPTION;
}

static int64_t nothing_at_zero(void)
{
	return exception_of(read_at, NULL);
}

static int64_t code_is_kept(void)
{
	return exception_of(write_at, (void *)(uintptr_t)nothing);
}

static int64_t code_is_read(void)
{
	return exception_of(read_at, (void *)(uintptr_t)nothing);
}

static int64_t data_is_no_code(void)
{
	static uint32_t ret = 0xd65f03c0;

	return exception_of(execute_at, &ret);
}

static int64_t data_is_written(void)
{
	static uint32_t word;

	return exception_of(write_at, &word);
}

/* --- the stack ---------------------------------------------------------------------------------------- */

static void __attribute__((noinline)) deeper(volatile uint8_t *above, unsigned levels)
{
	volatile uint8_t here[1024];

	here[0] = above ? above[0] : 0;
	if (levels)
		deeper(here, levels - 1);
	here[1] = here[0];
}

static void descend(void *arg)
{
	deeper(NULL, *(unsigned *)arg);
}

static int64_t stack_has_room(void)
{
	unsigned levels = 100;

	return exception_of(descend, &levels);
}

static int64_t stack_ends(void)
{
	unsigned levels = 4096;

	return exception_of(descend, &levels);
}

/* The page that was hit is the one right below the stack, and none of the stack's. */
static int64_t guard_page_is_below(void)
{
	uint64_t here = (uint64_t)__builtin_frame_address(0), page;

	stack_ends();
	page = seen.address & ~UINT64_C(4095);
	return page < here && here - page <= STACK + 4096 && !page_readable((void *)(uintptr_t)page, 4096) &&
	       page_writable((void *)(uintptr_t)(page + 4096), here - page - 4096);
}

/* --- stepping ----------------------------------------------------------------------------------------- */

static void step_to_nowhere(void *arg)
{
	step_bare_count(execute_at, arg);
}

/* The engine looks at each instruction before it runs: what it must not read is the code's fault. */
static int64_t nowhere_is_told(void)
{
	return exception_of(step_to_nowhere, NULL);
}

static int64_t half_is_told(void)
{
	return exception_of(step_to_nowhere, (char *)(uintptr_t)nothing + 2);
}

static GENERAL_REGISTERS_ONLY bool go_on(struct trap_frame *f)
{
	return trap_class(f) == EC_SVC;
}

static void exclusive_around_call(void *status)
{
	static uint32_t word;
	uint32_t value;

	__asm__ volatile("ldxr %w1, [%2]; svc #7; stxr %w0, %w1, [%2]"
			 : "=&r"(*(uint32_t *)status), "=&r"(value)
			 : "r"(&word)
			 : "memory");
}

/* @return the status of a store exclusive behind an exception that came after the load */
static int64_t exclusive_ends(void)
{
	uint32_t status;

	trap_claim(go_on);
	step_bare_count(exclusive_around_call, &status);
	trap_claim(NULL);
	return status;
}

/* --- the watchdog ------------------------------------------------------------------------------------- */

static const char *no_fiq(void)
{
	return gic_has_fiq() ? NULL : "the watchdog is an IRQ here, which PSTATE.I holds off";
}

/* Emulators are dear at YIELD and at reading the clock. */
static void spin(void)
{
	for (unsigned i = 0; i < 1000; i++)
		__asm__ volatile("nop");
}

static void hang(void *arg)
{
	(void)arg;
	interrupts_close();
	for (;;)
		spin();
}

static void hang_held(void *arg)
{
	uint64_t *until = arg, end = clock_read() + clock_hz() / 1000 * 3 * SOON_MS * watchdog_patience();

	while (clock_read() < end)
		spin();
	*until = clock_read();
	watchdog_release();
	hang(NULL);
}

static void wait_less(void *arg)
{
	uint64_t end = clock_read() + clock_hz() / 1000 * SOON_MS;

	(void)arg;
	while (clock_read() < end)
		spin();
}

static int64_t ended_by(void (*fn)(void *), void *arg, unsigned ms)
{
	struct trap_report report;
	bool by_itself;

	watchdog_arm(ms);
	by_itself = trap_guard(fn, arg, &report);
	watchdog_disarm();
	return by_itself ? NO_EXCEPTION : report.vector;
}

static int64_t hang_is_ended(void)
{
	return ended_by(hang, NULL, SOON_MS);
}

static int64_t not_before_its_time(void)
{
	uint64_t before = clock_read();

	return ended_by(hang, NULL, SOON_MS) == TRAP_WATCHDOG &&
	       clock_read() - before >= clock_hz() / 1000 * SOON_MS;
}

/* Held before it is armed: an emulator's clock may go on for long in between. */
static int64_t hold_is_kept(void)
{
	uint64_t until = 0;

	watchdog_hold();
	return ended_by(hang_held, &until, SOON_MS) == TRAP_WATCHDOG && until;
}

static void undefined_held(void *arg)
{
	watchdog_hold();
	undefined(arg);
}

static void wait_longer(void *arg)
{
	uint64_t end = clock_read() + clock_hz() / 1000 * 3 * SOON_MS * watchdog_patience();

	(void)arg;
	while (clock_read() < end)
		spin();
}

static int64_t hold_ends_with_its_call(void)
{
	exception_of(undefined_held, NULL);
	return ended_by(wait_longer, NULL, SOON_MS);
}

static int64_t in_time_is_let(void)
{
	return ended_by(wait_less, NULL, MACHINE_CHECK_MS);
}

/* --- the hand-over ------------------------------------------------------------------------------------ */

#define KEPT 80

/* Registers of EL1, of EL2 where firmware runs there, and of the interrupt controller. */
struct registers {
	uint64_t value[KEPT];
	bool ours[KEPT]; /* it must be another one while the machine is taken */
	unsigned count;
};

static void add(struct registers *r, uint64_t value, bool ours)
{
	r->value[r->count] = value;
	r->ours[r->count++] = ours;
}

/* While the machine is taken, EL2's cannot be read. */
static void add_el2(struct registers *r, bool el2)
{
	bool here = system_at_el2();

	if (!el2)
		return;
	add(r, here ? SYS_READ(hcr_el2) : 0, false);
	add(r, here ? SYS_READ(vbar_el2) : 0, true);
	add(r, here ? SYS_READ(mdcr_el2) : 0, false);
	add(r, here ? SYS_READ(cptr_el2) : 0, false);
	add(r, here ? SYS_READ(hstr_el2) : 0, false);
	add(r, here ? SYS_READ(cnthctl_el2) : 0, false);
	add(r, here ? SYS_READ(ttbr0_el2) : 0, true);
	add(r, here ? SYS_READ(sctlr_el2) : 0, true);
	add(r, here ? SYS_READ(sp_el1) : 0, false);
	add(r, SYS_READ(mair_el1), false);
}

static void registers_of_machine(struct registers *r, bool el2)
{
	r->count = 0;
	add(r, SYS_READ(vbar_el1), true);
	add(r, SYS_READ(ttbr0_el1), true);
	/* Firmware at EL1 may have chosen the same. */
	add(r, SYS_READ(tcr_el1), false);
	add(r, SYS_READ(sctlr_el1), false);
	add(r, SYS_READ(cpacr_el1), false);
	add(r, SYS_READ(cntkctl_el1), true);
	add(r, SYS_READ(mdscr_el1), false);
	add(r, SYS_READ(daif), true);
	add(r, SYS_READ(cntv_cval_el0), false);
	add(r, SYS_READ(cntp_cval_el0), false);
	add(r, SYS_READ(spsel), true);
	/* It is the stack in use while the machine is taken, and no register then. */
	add(r, SYS_READ(spsel) ? SYS_READ(sp_el0) : (uint64_t)__builtin_frame_address(0), true);
	add(r, SYSTEM_OS_LOCKED(), true);
	add(r, SYS_READ(spsel) ? SYS_READ(elr_el1) : 0, false);
	add(r, SYS_READ(spsel) ? SYS_READ(spsr_el1) : 0, false);
	add_el2(r, el2);
	for (unsigned i = 0, n = gic_registers(&r->value[r->count], KEPT - r->count); i < n; i++)
		r->ours[r->count++] = false;
}

static unsigned differences(const struct registers *a, const struct registers *b)
{
	unsigned n = a->count != b->count;

	for (unsigned i = 0; i < a->count; i++)
		n += a->value[i] != b->value[i];
	return n;
}

struct handover {
	struct registers before, ours, after;
	bool others_were_off; /* interrupts that the harness has no use for */
};

/* What firmware has is none of what the harness leaves by itself. */
static void hand_over(struct handover *h)
{
	uint64_t vectors, events, masks, virtual_due, physical_due, stack, locked;
	unsigned other;
	bool el2;

	machine_give_back();
	masks = SYS_READ(daif);
	__asm__ volatile("msr daifset, #0xf" : : : "memory");
	el2 = system_at_el2();
	vectors = SYS_READ(vbar_el1);
	events = SYS_READ(cntkctl_el1);
	virtual_due = SYS_READ(cntv_cval_el0);
	physical_due = SYS_READ(cntp_cval_el0);
	stack = SYS_READ(sp_el0);
	locked = SYSTEM_OS_LOCKED();
	SYS_WRITE(vbar_el1, 0x7ff800);
	SYS_WRITE(cntkctl_el1, 0x100);
	SYS_WRITE(cntv_cval_el0, 0x123456789a);
	SYS_WRITE(cntp_cval_el0, 0xa987654321);
	SYS_WRITE(sp_el0, 0x7ffff0);
	SYS_WRITE(oslar_el1, 1);
	other = gic_disturb();
	registers_of_machine(&h->before, el2);
	machine_take();
	registers_of_machine(&h->ours, el2);
	h->others_were_off = !gic_enabled(other);
	undefined_ends(); /* writes ELR_EL1 and SPSR_EL1 */
	machine_give_back();
	registers_of_machine(&h->after, el2);
	gic_quieten();
	SYS_WRITE(vbar_el1, vectors);
	SYS_WRITE(cntkctl_el1, events);
	SYS_WRITE(cntv_cval_el0, virtual_due);
	SYS_WRITE(cntp_cval_el0, physical_due);
	SYS_WRITE(sp_el0, stack);
	SYS_WRITE(oslar_el1, locked);
	SYS_WRITE(daif, masks);
	machine_take();
}

static int64_t registers_come_back(void)
{
	struct handover h;

	hand_over(&h);
	return differences(&h.before, &h.after);
}

static int64_t registers_are_ours(void)
{
	struct handover h;

	hand_over(&h);
	for (unsigned i = 0; i < h.before.count; i++)
		if (h.before.ours[i] && h.before.value[i] == h.ours.value[i])
			return i;
	return NO_EXCEPTION;
}

static int64_t others_are_off(void)
{
	struct handover h;

	hand_over(&h);
	return h.others_were_off;
}

/* It alone has the machine from firmware. */
static const char *not_first(void)
{
	return processor_current() ? "firmware has the machine on processor 0" : NULL;
}

static const char *no_controller(void)
{
	return not_first()         ? not_first()
	       : gic_place.version ? NULL
				   : "there is no interrupt controller that is known";
}

/* Vectors, pages and the watchdog work after it as before. */
static int64_t goes_on(void)
{
	struct handover h;

	hand_over(&h);
	return exception_of(undefined, NULL) == EC_UNKNOWN && code_is_kept() == ABORT(EC_DATA, PERMISSION) &&
	       (no_fiq() || hang_is_ended() == TRAP_WATCHDOG);
}

/* ------------------------------------------------------------------------------------------------------------
 */

/** One value that a check must give. */
#define IS(value) (value), (value)

static const struct machine_check checks[] = {
	{"exceptions/an undefined instruction ends a call", "Arm ARM D13.2.37", undefined_ends,
	 IS(EC_UNKNOWN), NULL},
	{"exceptions/a breakpoint ends a call", "Arm ARM D13.2.37", breakpoint_ends, IS(EC_BRK), NULL},
	{"exceptions/a supervisor call of EL1 ends a call", "Arm ARM D13.2.37", call_ends, IS(EC_SVC), NULL},
	{"exceptions/a call without one returns", NULL, nothing_ends, IS(NO_EXCEPTION), NULL},
	{"exceptions/what follows one goes on", NULL, ended_twice, IS(1), NULL},
	{"memory/nothing is at address 0", "Arm ARM D5.4", nothing_at_zero, IS(ABORT(EC_DATA, TRANSLATION)),
	 NULL},
	{"memory/code is not written", "Arm ARM D5.4", code_is_kept, IS(ABORT(EC_DATA, PERMISSION)), NULL},
	{"memory/code is read", "Arm ARM D5.4", code_is_read, IS(NO_EXCEPTION), NULL},
	{"memory/data is not executed", "Arm ARM D5.4", data_is_no_code, IS(ABORT(EC_CODE, PERMISSION)),
	 NULL},
	{"memory/data is written", "Arm ARM D5.4", data_is_written, IS(NO_EXCEPTION), NULL},
	{"stack/there is room", NULL, stack_has_room, IS(NO_EXCEPTION), NULL},
	{"stack/its end is told", NULL, stack_ends, IS(ABORT(EC_DATA, TRANSLATION)), NULL},
	{"stack/the guard page is below it", NULL, guard_page_is_below, IS(1), NULL},
	{"stepping/a jump to nowhere is told", "Arm ARM D13.2.37", nowhere_is_told,
	 IS(ABORT(EC_CODE, TRANSLATION)), NULL},
	{"stepping/a jump between instructions is told", "Arm ARM D13.2.37", half_is_told, IS(EC_PC), NULL},
	{"stepping/an exception ends an exclusive access", "Arm ARM B2.9", exclusive_ends, IS(1), NULL},
	{"watchdog/ends a loop with interrupts masked", "Arm ARM D11", hang_is_ended, IS(TRAP_WATCHDOG),
	 no_fiq},
	{"watchdog/not before its time", "Arm ARM D11", not_before_its_time, IS(1), no_fiq},
	{"watchdog/waits while it is held", NULL, hold_is_kept, IS(1), no_fiq},
	{"watchdog/is not held beyond the call that held it", NULL, hold_ends_with_its_call,
	 IS(TRAP_WATCHDOG), no_fiq},
	{"watchdog/lets what is in time", NULL, in_time_is_let, IS(NO_EXCEPTION), NULL},
	{"hand-over/registers come back", NULL, registers_come_back, IS(0), not_first},
	{"hand-over/they were the harness's", NULL, registers_are_ours, IS(NO_EXCEPTION), not_first},
	{"hand-over/no other interrupt comes", "IHI 0048 4.3.6", others_are_off, IS(1), no_controller},
	{"hand-over/the machine goes on", NULL, goes_on, IS(1), not_first},
	{NULL, NULL, NULL, 0, 0, NULL},
};

static void machine_run(struct run *run)
{
	machine_checks_run(run, checks);
}

const struct suite suite_machine = {"machine", "the machine under our own tables", machine_run, NULL};
