#include "arch/x86/exceptions/trap.h"
#include "arch/x86/exceptions/trap_internal.h"

#include "arch/x86/interrupts/apic.h"
#include "arch/x86/interrupts/apic_internal.h"
#include "arch/console.h"
#include "arch/courage.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/machine/descriptors.h"
#include "arch/x86/exceptions/guard.h"
#include "arch/machine.h"
#include "arch/screen.h"
#include "arch/x86/machine/paging.h"
#include "arch/x86/processors/processors_internal.h"
#include "arch/x86/step/step.h"
#include "arch/x86/exceptions/symbols.h"
#include "arch/x86/exceptions/user_internal.h"
#include "arch/watchdog.h"
#include "arch/x86/exceptions/watchdog_internal.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct handler {
	trap_handler *function;
	void *arg;
};

#define TRAP_REFUSAL 96

struct guard {
	struct guard_context context;
	struct guard *outer;
	struct trap_frame *frame; /* being handled when the guard was entered */
	unsigned step, held;
	struct user_state user;
	struct handler handlers[256]; /* what an abandoned check installed must not outlive its stack */
	struct trap_report *report;
	char refusal[TRAP_REFUSAL]; /* why a register was not written: TRAP_REFUSED */
};

/* From the linker script. */
extern const struct trap_fixup trap_fixups_begin[], trap_fixups_end[];

static struct handler handlers[256];
static struct guard *innermost;
static struct trap_frame *current;  /* innermost frame being handled, NULL in plain code */
static struct trap_frame abandoned; /* where stepped code was when the engine ended it */
static bool is_abandoned;
static struct trap_record last; /* of the guarded call that was ended last */
static char context[96];        /* "": no check */
static unsigned strays;
static unsigned dumping;
static void *guard_stack_low, *guard_stack_top;

static const char *const exception_names[32] = {
	"#DE",       "#DB",       "NMI",       "#BP",       "#OF", "#BR", "#UD",       "#NM",
	"#DF",       "vector 9",  "#TS",       "#NP",       "#SS", "#GP", "#PF",       "vector 15",
	"#MF",       "#AC",       "#MC",       "#XM",       "#VE", "#CP", "vector 22", "vector 23",
	"vector 24", "vector 25", "vector 26", "vector 27", "#HV", "#VC", "#SX",       "vector 31",
};

const char *trap_name(unsigned vector, char text[TRAP_NAME])
{
	if (vector < 32)
		return exception_names[vector];
	if (vector == TRAP_WATCHDOG)
		return "watchdog";
	if (vector == TRAP_RECALLED)
		return "recall";
	snprintf(text, TRAP_NAME, "vector 0x%x", vector);
	return text;
}

void trap_set_stack(void *low, void *top)
{
	guard_stack_low = low;
	guard_stack_top = top;
}

void trap_set_handler(unsigned vector, trap_handler *handler, void *arg)
{
	uint64_t flags = interrupts_mask();

	handlers[vector & 255] = (struct handler){handler, arg};
	interrupts_restore(flags);
}

const struct trap_record *trap_last_record(void)
{
	return &last;
}

void trap_set_context(const char *description)
{
	snprintf(context, sizeof context, "%s", description ? description : "");
}

unsigned trap_stray_count(void)
{
	static unsigned told;
	unsigned n = strays - told;

	told += n;
	return n;
}

unsigned trap_strays(void)
{
	return strays;
}

static bool fix_up(struct trap_frame *f)
{
	if (f->cs & 3)
		return false;
	for (const struct trap_fixup *x = trap_fixups_begin; x < trap_fixups_end; x++) {
		if ((uintptr_t)&x->from + (uint64_t)(int64_t)x->from != f->rip)
			continue;
		f->rax = f->vector << 32 | (uint32_t)f->error;
		f->rip = (uintptr_t)&x->to + (uint64_t)(int64_t)x->to;
		return true;
	}
	return false;
}

/* @return whether it is in a function of the image */
static bool print_place(const char *before, uint64_t rip, const char *after)
{
	uint64_t offset;
	const char *name = symbol_at(rip, &offset);

	if (name)
		console_text("%s%016lx %s+0x%lx%s", before, (unsigned long)rip, name, (unsigned long)offset,
			     after);
	else
		console_text("%s%016lx%s", before, (unsigned long)rip, after);
	return name;
}

/* Frames are followed as long as the page tables in force say that reading is safe and the code is the
 * image's. */
static void print_backtrace(const struct trap_frame *f)
{
	uintptr_t rbp = (uintptr_t)f->rbp;

	console_text("  backtrace:\n");
	print_place("    ", f->rip, "\n");
	for (unsigned depth = 0; depth < 32; depth++) {
		const uintptr_t *frame = (const uintptr_t *)rbp;

		if (rbp % sizeof *frame || !page_readable(frame, 2 * sizeof *frame))
			break;
		bool known = print_place("    ", frame[1], "\n");
		/* The one step downwards is from the guard's own stack to its caller's. */
		bool leaves_guard = rbp >= (uintptr_t)guard_stack_low && rbp < (uintptr_t)guard_stack_top;
		if (!known || (frame[0] <= rbp && !leaves_guard))
			break;
		rbp = frame[0];
	}
}

static void dump(const struct trap_frame *f, unsigned vector, uint64_t cr2)
{
	static const struct {
		const char *name;
		uint8_t offset;
	} registers[] = {
#define REGISTER(name) {#name, offsetof(struct trap_frame, name)}
		REGISTER(rax), REGISTER(rbx), REGISTER(rcx),    REGISTER(rdx), REGISTER(rsi),
		REGISTER(rdi), REGISTER(rbp), REGISTER(rsp),    REGISTER(r8),  REGISTER(r9),
		REGISTER(r10), REGISTER(r11), REGISTER(r12),    REGISTER(r13), REGISTER(r14),
		REGISTER(r15), REGISTER(rip), REGISTER(rflags), REGISTER(cs),  REGISTER(ss),
#undef REGISTER
	};
	const unsigned n = sizeof registers / sizeof registers[0];
	char name[TRAP_NAME];

	console_fresh_line();
	if (vector == TRAP_WATCHDOG)
		console_text("watchdog: the deadline passed in ring %u\n", (unsigned)(f->cs & 3));
	else if (vector == TRAP_RECALLED)
		console_text("the boot processor heard nothing from this one, which is in ring %u\n",
			     (unsigned)(f->cs & 3));
	else
		console_text("unexpected %s (vector %u), error code 0x%lx, in ring %u\n",
			     trap_name(vector, name), vector, (unsigned long)f->error, (unsigned)(f->cs & 3));
	console_text("  running: %s\n", *context ? context : "(no check)");
	for (unsigned i = 0; i < n; i++) {
		uint64_t value = *(const uint64_t *)((const char *)f + registers[i].offset);
		console_text("  %-6s %016lx%s", registers[i].name, (unsigned long)value,
			     i % 4 == 3 ? "\n" : "");
	}
	console_text("  cr0    %016lx  cr2    %016lx  cr3    %016lx  cr4    %016lx\n",
		     (unsigned long)cr0_read(), (unsigned long)cr2, (unsigned long)cr3_read(),
		     (unsigned long)cr4_read());
	print_backtrace(f);
	screen_draw();
}

/* "name+0x12"; code that was composed at run time has no name. */
static void place_text(uint64_t rip, char *out, size_t size)
{
	uint64_t offset;
	const char *name = symbol_at(rip, &offset);

	if (name)
		snprintf(out, size, "%s+0x%lx", name, (unsigned long)offset);
	else
		snprintf(out, size, "0x%lx", (unsigned long)rip);
}

static void describe(struct trap_report *r, const char *refusal)
{
	if (r->vector == TRAP_REFUSED) {
		snprintf(r->text, sizeof r->text, "%s", refusal);
		return;
	}

	const struct trap_frame *f = &last.frame;
	char error[24] = "", address[32] = "", place[48], name[TRAP_NAME];

	if (r->vector >= 0 && r->vector < 32 && f->error)
		snprintf(error, sizeof error, "(0x%lx)", (unsigned long)f->error);
	if (r->vector == VECTOR_PF)
		snprintf(address, sizeof address, " on 0x%lx", (unsigned long)last.cr2);
	place_text(f->rip, place, sizeof place);
	snprintf(r->text, sizeof r->text, "%s%s%s in ring %u at %s", trap_name((unsigned)r->vector, name),
		 error, address, (unsigned)(f->cs & 3), place);
}

static _Noreturn void halt_for_good(void)
{
	console_text("stopped: no check is running that this could end\n");
	screen_draw();
	for (;;)
		__asm__ volatile("cli; hlt");
}

static _Noreturn void leave_guard(int vector, uint64_t cr2)
{
	struct guard *g = innermost;

	if (!g)
		halt_for_good();
	last = (struct trap_record){.cr2 = cr2};
	if (current)
		last.frame = *current;
	if (g->report) {
		memset(g->report, 0, sizeof *g->report);
		g->report->vector = vector;
		describe(g->report, g->refusal);
	}
	step_unwind(g->step);
	if (machine_taken())
		apic_end_all();
	guard_leave(&g->context);
}

void trap_abort_from(const struct trap_frame *frame)
{
	abandoned = *frame;
	is_abandoned = true;
}

void trap_abort(int vector)
{
	__asm__ volatile("cli");
	uint64_t cr2 = cr2_read();

	if (is_abandoned)
		current = &abandoned;
	is_abandoned = false;

	if (vector == TRAP_WATCHDOG && current && !dumping++)
		dump(current, TRAP_WATCHDOG, cr2);
	dumping = 0;
	leave_guard(vector, cr2);
}

void trap_refuse(const char *kind, uint32_t number, unsigned from)
{
	char alone[TRAP_REFUSAL], *refusal;

	step_pause();
	refusal = innermost ? innermost->refusal : alone;
	if (from == COURAGE_NEVER)
		snprintf(refusal, TRAP_REFUSAL, "%s %lXH is not on the list of courage=%u, nor any other's",
			 kind, (unsigned long)number, courage_level());
	else
		snprintf(refusal, TRAP_REFUSAL,
			 "%s %lXH is written from courage=%u on, and this is courage=%u", kind,
			 (unsigned long)number, from, courage_level());
	if (!innermost)
		console_text("refused: %s\n", refusal);
	step_resume();
	if (innermost)
		trap_abort(TRAP_REFUSED);
}

static void unexpected(struct trap_frame *f)
{
	uint64_t cr2 = cr2_read();

	/* A fault of the dump itself must not be dumped again. */
	if (!dumping++)
		dump(f, (unsigned)f->vector, cr2);
	dumping = 0;
	leave_guard((int)f->vector, cr2);
}

static struct guard *outermost_guard(void)
{
	struct guard *g = innermost;

	while (g && g->outer)
		g = g->outer;
	return g;
}

static _Noreturn void give_run_back(struct trap_frame *f)
{
	if (!dumping++)
		dump(f, TRAP_RECALLED, cr2_read());
	dumping = 0;
	innermost = outermost_guard();
	leave_guard(TRAP_RECALLED, 0);
}

static void stray(const struct trap_frame *f)
{
	strays++;
	/* The spurious vector sets no in-service bit and wants no EOI: SDM vol. 3, 10.9. */
	if (f->vector != VECTOR_NMI && f->vector != VECTOR_SPURIOUS && apic_present() &&
	    apic_in_service((uint8_t)f->vector))
		apic_eoi();
}

void trap_dispatch(struct trap_frame *f)
{
	struct trap_frame *outer = current;
	unsigned vector = (unsigned)f->vector & 255;
	struct handler h = handlers[vector];

	if (vector < 32 && vector != VECTOR_NMI && fix_up(f))
		return;
	current = f;
	if (vector == VECTOR_NMI && processor_recalled())
		give_run_back(f);
	bool watchdog = watchdog_interrupt(vector);
	/* While stepping is paused, what a handler of the stepped code asks would be answered by the real
	 * machine: it is not for the watchdog's sake that it is called. */
	if (watchdog && step_mark() && !step_active())
		h.function = NULL;
	if (h.function) {
		if (!h.function(f, h.arg) && !watchdog)
			unexpected(f);
	} else if (!watchdog) {
		if (vector >= 32 || vector == VECTOR_NMI)
			stray(f);
		else
			unexpected(f);
	}
	current = outer;
}

static void put_back(const struct guard *g)
{
	current = g->frame;
	watchdog_set_held(g->held);
	user_state_restore(&g->user);
	uint64_t flags = interrupts_mask();
	memcpy(handlers, g->handlers, sizeof handlers);
	interrupts_restore(flags);
}

void trap_abandon(void)
{
	const struct guard *g = outermost_guard();

	step_abandon();
	if (g)
		put_back(g);
	innermost = NULL;
	dumping = 0;
}

bool trap_guard(void (*fn)(void *), void *arg, struct trap_report *report)
{
	struct guard g;
	bool outermost = machine_taken() && !innermost && guard_stack_top;

	g.outer = innermost;
	g.frame = current;
	g.step = step_mark();
	g.held = watchdog_held();
	g.user = user_state_save();
	g.report = report;
	memcpy(g.handlers, handlers, sizeof handlers);
	if (report) {
		memset(report, 0, sizeof *report);
		report->vector = TRAP_NONE;
	}
	innermost = &g;
	bool left = guard_call(&g.context, fn, arg, outermost ? guard_stack_top : NULL);
	innermost = g.outer;
	if (left)
		put_back(&g);
	return !left;
}
