/*
 * Exceptions and guarded calls (arch/exceptions.h). Synchronous ones of EL1 and EL0 arrive here by vectors.S,
 * interrupts go on to interrupts.c.
 */
#include "arch/exceptions.h"

#include "arch/console.h"
#include "arch/levels.h"
#include "arch/overflow.h"
#include "arch/aarch64/gic.h"
#include "arch/aarch64/mmu.h"
#include "arch/aarch64/processors.h"
#include "arch/aarch64/step/step.h"
#include "arch/aarch64/system.h"
#include "arch/aarch64/trap.h"
#include "arch/aarch64/watchdog.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define GUARD_STACK   (256 * 1024)
#define HANDLER_STACK (64 * 1024)
#define PSTATE_EL1T   0x4
#define PSTATE_DAIF   0x3c0
#define EL1_SYNC      0 /* the vectors, in groups of four: where it came from, then what it is */

extern const char trap_vectors[], trap_quick_vectors[], window_back[];
extern const char trap_self_vectors[], trap_self_mapped_vectors[];
extern const uint32_t trap_quick_call[], trap_quick_call_end[], trap_quick_fault[], trap_quick_fault_end[];
extern const uint32_t trap_self[], trap_self_end[], trap_self_mapped[], trap_self_mapped_end[];
void trap_stacks(void *handlers);
void trap_stacks_back(void);

/* As guard_save() has it: x19 to x30, SP and DAIF, D8 to D15, FPCR. */
struct guard_context {
	uint64_t word[23];
};
uint64_t guard_save(struct guard_context *c) __attribute__((returns_twice));
_Noreturn void guard_restore(struct guard_context *c, void *handlers);
void guard_on_stack(void (*fn)(void *), void *arg, void *top);

struct guard {
	struct guard_context context;
	struct guard *outer;
	struct trap_report report;
	const struct trap_frame *current;
};

static struct guard *innermost;
static char *guard_top, *handler_top;
static char context[160];
static unsigned strays, strays_told;
static trap_handler *claimed;
static const struct trap_frame *current;
static uint64_t firmware_vectors, firmware_stack;

uint64_t trap_user_return;

bool trap_init(void *(*alloc_pages)(size_t pages))
{
	char *guard = alloc_pages(GUARD_STACK / 4096 + 1), *handler = alloc_pages(HANDLER_STACK / 4096 + 1);

	if (!guard || !handler)
		return false;
	mmu_guard_page(guard);
	mmu_guard_page(handler);
	guard_top = guard + 4096 + GUARD_STACK;
	handler_top = handler + 4096 + HANDLER_STACK;
	return true;
}

/* Firmware may keep the stack of its handlers in SP_EL0, which all levels share: it runs on that of its own
 * level. */
void trap_take(void)
{
	firmware_stack = SYS_READ(sp_el0);
	trap_stacks(handler_top);
	firmware_vectors = SYS_READ(vbar_el1);
	SYS_WRITE(vbar_el1, (uint64_t)trap_vectors);
}

void trap_take_processor(void)
{
	trap_stacks(handler_top);
	SYS_WRITE(vbar_el1, (uint64_t)trap_vectors);
}

static enum trap_quick quick;
uint64_t trap_self_interface;

void trap_quick(enum trap_quick what)
{
	static const char *const vectors[] = {
		[QUICK_NONE] = trap_vectors,
		[QUICK_USER] = trap_quick_vectors,
		[QUICK_SELF] = trap_self_vectors,
		[QUICK_SELF_MAPPED] = trap_self_mapped_vectors,
	};

	quick = what;
	SYS_WRITE(vbar_el1, (uint64_t)vectors[step_engaged() ? QUICK_NONE : what]);
}

enum trap_quick trap_is_quick(void)
{
	return quick;
}

unsigned trap_self_path(const uint32_t *out[QUICK_MOST])
{
	const uint32_t *p = quick == QUICK_SELF ? trap_self : trap_self_mapped;
	const uint32_t *end = quick == QUICK_SELF ? trap_self_end : trap_self_mapped_end;
	unsigned n = 0;

	while (quick >= QUICK_SELF && p < end)
		out[n++] = p++;
	return n;
}

unsigned trap_quick_path(bool call, const uint32_t *out[QUICK_MOST])
{
	unsigned n = 0;

	for (const uint32_t *p = trap_quick_call; p < trap_quick_call_end && (call || n < QUICK_COMMON); p++)
		out[n++] = p;
	for (const uint32_t *p = trap_quick_fault; !call && p < trap_quick_fault_end; p++)
		out[n++] = p;
	return n;
}

void trap_give_back(void)
{
	trap_quick(QUICK_NONE);
	SYS_WRITE(vbar_el1, firmware_vectors);
	trap_stacks_back();
	SYS_WRITE(sp_el0, firmware_stack);
}

/* --- guarded calls ------------------------------------------------------------------------------------ */

static void run(struct guard *g, void (*fn)(void *), void *arg)
{
	if (g->outer)
		fn(arg);
	else
		guard_on_stack(fn, arg, guard_top);
}

bool trap_guard(void (*fn)(void *), void *arg, struct trap_report *report)
{
	struct guard g = {
		.outer = innermost,
		.report = {.vector = TRAP_NONE},
		.current = current,
	};
	struct interrupt_claims claims;
	struct step_kept kept;
	uint64_t user_return = trap_user_return;
	volatile bool done = false;

	interrupt_claims_keep(&claims);
	step_keep(&kept);
	innermost = &g;
	if (!guard_save(&g.context)) {
		run(&g, fn, arg);
		done = true;
	}
	innermost = g.outer;
	if (!done) {
		current = g.current;
		claimed = NULL;
		trap_quick(QUICK_NONE);
		trap_user_return = user_return;
		interrupt_claims_restore(&claims);
		step_put_back(&kept);
		watchdog_forget_holds();
		if (report)
			*report = g.report;
	}
	return done;
}

static _Noreturn void leave(int vector, const char *text)
{
	struct guard *g = innermost;

	if (!g) {
		current = NULL;
		claimed = NULL;
		quick = QUICK_NONE;
		step_put_back(&(struct step_kept){.client = NULL});
		watchdog_forget_holds();
		processor_break_off(text);
		console_text("assay: could not run: %s, outside of any guard, while running %s\n", text,
			     context);
		machine_halt_now();
	}
	g->report.vector = vector;
	snprintf(g->report.text, sizeof g->report.text, "%s", text);
	guard_restore(&g->context, handler_top);
}

void trap_abort(int vector)
{
	static const char *const why[] = {"the watchdog", "a recall", "a register that must not be written"};
	unsigned own = (unsigned)(vector - TRAP_WATCHDOG);

	leave(vector, vector >= TRAP_WATCHDOG && own < sizeof why / sizeof *why ? why[own] : "an abort");
}

/* --- exceptions --------------------------------------------------------------------------------------- */

static const char *exception_name(unsigned class)
{
	switch (class) {
	case EC_UNKNOWN:
		return "an undefined instruction";
	case EC_SVC:
		return "a supervisor call";
	case EC_SYSTEM:
		return "a system register that is trapped";
	case EC_CODE:
	case EC_CODE_USER:
		return "an instruction abort";
	case EC_DATA:
	case EC_DATA_USER:
		return "a data abort";
	case EC_STEP:
	case EC_STEP_USER:
		return "a software step";
	case EC_BRK:
		return "a breakpoint instruction";
	case 0x07:
		return "an FP instruction that is trapped";
	case 0x0e:
		return "an illegal execution state";
	case EC_PC:
		return "a misaligned PC";
	case 0x26:
		return "a misaligned SP";
	default:
		return "an exception";
	}
}

static _Noreturn void unexpected(const struct trap_frame *f)
{
	static const char *const kinds[] = {NULL, "an IRQ", "an FIQ", "an SError"};
	const char *what = f->vector % 4 ? kinds[f->vector % 4] : exception_name(trap_class(f));
	char text[96];

	console_fresh_line();
	console_text("unexpected: %s at %#" PRIx64 ", while running %s\n", what, f->pc,
		     *context ? context : "nothing");
	console_text("  ESR %#" PRIx64 ", FAR %#" PRIx64 ", PSTATE %#" PRIx64 ", SP %#" PRIx64
		     ", vector %u\n",
		     f->syndrome, f->address, f->pstate, f->sp, (unsigned)f->vector);
	for (unsigned i = 0; i < 31; i += 4) {
		console_text(" ");
		for (unsigned r = i; r < i + 4 && r < 31; r++)
			console_text(" X%-2u %016" PRIx64, r, f->x[r]);
		console_text("\n");
	}
	snprintf(text, sizeof text, "%s (class %#x) at %#" PRIx64, what, trap_class(f), f->pc);
	leave((int)(f->vector % 4 ? 0x100 - f->vector % 4 : trap_class(f)), text);
}

static bool end_of_window(struct trap_frame *f)
{
	if (f->vector < 8 || trap_class(f) != EC_SVC || trap_immediate(f) != SVC_WINDOW_END ||
	    !trap_user_return)
		return false;
	f->pc = (uint64_t)window_back;
	f->sp = trap_user_return;
	f->pstate = PSTATE_EL1T | (f->pstate & PSTATE_DAIF);
	trap_user_return = 0;
	return true;
}

static bool refused_register(struct trap_frame *f)
{
	uint64_t to = register_fixup(f->pc);

	if (!to || (trap_class(f) != EC_UNKNOWN && trap_class(f) != EC_SYSTEM))
		return false;
	f->pc = to;
	return true;
}

void trap_deliver(struct trap_frame *f)
{
	if (!end_of_window(f) && !refused_register(f) && !(claimed && claimed(f)))
		unexpected(f);
}

void trap_interrupt(struct trap_frame *f, bool fiq)
{
	const struct trap_frame *outer = current;

	current = f;
	interrupt_entered(f, fiq);
	current = outer;
}

void trap_entered(struct trap_frame *f);

void trap_entered(struct trap_frame *f)
{
	switch (f->vector % 4) {
	case 0:
		if (step_taken(f))
			break;
		step_exception(f);
		trap_deliver(f);
		step_returns(f);
		break;
	case 1:
	case 2:
		step_interrupted(f, f->vector % 4 == 2);
		trap_interrupt(f, f->vector % 4 == 2);
		step_interrupt_returns(f);
		break;
	default:
		unexpected(f);
	}
}

void trap_claim(trap_handler *handler)
{
	claimed = handler;
}

const struct trap_frame *trap_current(void)
{
	return current;
}

bool overflow_register(unsigned number, uint64_t *value)
{
	if (!current || number > 31)
		return false;
	*value = number == 31 ? current->sp : current->x[number];
	return true;
}

void trap_set_context(const char *description)
{
	snprintf(context, sizeof context, "%s", description ? description : "");
}

void trap_stray(void)
{
	strays++;
}

unsigned trap_stray_count(void)
{
	unsigned n = strays - strays_told;

	strays_told = strays;
	return n;
}

unsigned trap_strays(void)
{
	return strays;
}

/* --- interrupts: PSTATE.I holds them off; FIQs, which stand for NMIs, come all the same ----------------- */

void interrupts_open(void)
{
	__asm__ volatile("msr daifclr, #2; isb" : : : "memory");
}

void interrupts_close(void)
{
	__asm__ volatile("msr daifset, #2" : : : "memory");
}

void interrupts_drain(void)
{
	barrier();
	__asm__ volatile("msr daifclr, #2; isb; nop; nop; msr daifset, #2" : : : "memory");
}

uint64_t trap_debug_exception(void)
{
	return 0;
}
