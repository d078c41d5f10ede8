/*
 * The toy machine's overflow line, exceptions and watchdog (arch/overflow.h, exceptions.h, watchdog.h). The
 * line is one flag that software masks; delivery leaves it as it is.
 */
#include "arch/exceptions.h"
#include "arch/masking.h"
#include "arch/overflow.h"
#include "arch/timer.h"
#include "arch/toy/cpu.h"
#include "arch/watchdog.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the overflow line -------------------------------------------------------------------------------- */

const char overflow_device[] = "interrupt line";
const char overflow_absent[] = "there is no interrupt line";
const char overflow_entry[] = "line";

const struct overflow_way_name overflow_way_name[OVERFLOW_WAYS] = {
	[OVERFLOW_MASKABLE] = {"maskable", "docs/toy.md"},
	[OVERFLOW_NMI] = {"not maskable", "docs/toy.md"},
};

static bool masked = true, open, pending[OVERFLOW_WAYS]; /* of the line, by enum overflow_way */
static enum overflow_way armed;
static const struct overflow_claim *claimed[OVERFLOW_WAYS];
static unsigned strays, strays_told;

bool overflow_present(unsigned line)
{
	return line == OVERFLOW_COUNTERS;
}

bool overflow_register(unsigned number, uint64_t *value)
{
	(void)number, (void)value;
	return false;
}

void overflow_claim(enum overflow_way way, const struct overflow_claim *claim)
{
	claimed[way] = claim;
}

bool overflow_arm(unsigned line, enum overflow_way way)
{
	if (line == OVERFLOW_NO_LINE)
		return true;
	if (line != OVERFLOW_COUNTERS)
		return false;
	armed = way;
	masked = false;
	return true;
}

void overflow_mask(unsigned line)
{
	if (line == OVERFLOW_COUNTERS)
		masked = true;
}

bool overflow_masked(unsigned line)
{
	return line != OVERFLOW_COUNTERS || masked;
}

void toy_request_overflow(void)
{
	if (!masked)
		pending[armed] = true;
}

void toy_set_open(bool to)
{
	open = to;
}

bool toy_is_open(void)
{
	return open;
}

bool toy_interrupt_pends(enum toy_interrupt *interrupt)
{
	*interrupt = pending[OVERFLOW_NMI]        ? TOY_OVERFLOW_NMI
		     : pending[OVERFLOW_MASKABLE] ? TOY_OVERFLOW_MASKABLE
						  : TOY_TIMER;
	if (*interrupt == TOY_OVERFLOW_NMI)
		return true;
	return open && (*interrupt == TOY_OVERFLOW_MASKABLE || toy_timer_pends());
}

static void handle_overflow(enum overflow_way way, uint64_t address)
{
	const struct overflow_claim *claim = claimed[way];

	pending[way] = false;
	if (claim)
		claim->handler(address, way, claim->arg);
	else
		strays++;
}

void toy_take_interrupt(enum toy_interrupt interrupt, uint64_t address)
{
	bool was = open;

	open = false;
	if (interrupt == TOY_TIMER)
		strays += !toy_timer_take();
	else
		handle_overflow(interrupt == TOY_OVERFLOW_NMI ? OVERFLOW_NMI : OVERFLOW_MASKABLE, address);
	open = was;
}

void interrupts_open(void)
{
	open = true;
	interrupts_drain();
}

void interrupts_close(void)
{
	open = false;
}

/* The harness's own code has no address on this machine. */
void interrupts_drain(void)
{
	bool was = open;
	enum toy_interrupt interrupt;

	open = true;
	while (toy_interrupt_pends(&interrupt))
		toy_take_interrupt(interrupt, 0);
	open = was;
}

/* --- masking around windows --------------------------------------------------------------------------- */

static struct {
	bool spoilt, on, timer, line; /* what was masked before */
} around;

const char masking_done[] = "masked at its source", masking_else[] = "held off by the machine";

void masking_begin(bool keep_overflow)
{
	if (around.on || around.spoilt)
		return;
	around.on = true;
	around.timer = toy_timer_masked();
	around.line = masked;
	timer_mask(true);
	masked |= !keep_overflow;
}

void masking_end(void)
{
	if (!around.on)
		return;
	around.on = false;
	timer_mask(around.timer);
	masked = around.line;
}

void masking_spoil(void)
{
	around.spoilt = true;
}

/* --- guarded calls ------------------------------------------------------------------------------------ */

struct guard {
	jmp_buf back;
	struct guard *outer;
	struct trap_report report;
};

static struct guard *innermost;
static char context[160];

bool trap_guard(void (*fn)(void *), void *arg, struct trap_report *report)
{
	struct guard g = {.outer = innermost, .report = {.vector = TRAP_NONE}};
	const struct overflow_claim *was_claimed[OVERFLOW_WAYS] = {claimed[0], claimed[1]};
	struct step_client *client = toy_client();
	bool was_open = open, done = false;

	innermost = &g;
	if (!setjmp(g.back)) {
		fn(arg);
		done = true;
	}
	innermost = g.outer;
	if (!done) {
		open = was_open;
		masked = true;
		memset(pending, 0, sizeof pending);
		timer_stop();
		toy_timer_forget();
		memcpy(claimed, was_claimed, sizeof claimed);
		toy_set_client(client);
		if (report)
			*report = g.report;
	}
	return done;
}

static _Noreturn void leave(int vector, const char *text)
{
	if (!innermost) {
		fprintf(stderr, "toy: %s outside of any guard, while running %s\n", text, context);
		exit(2);
	}
	innermost->report.vector = vector;
	snprintf(innermost->report.text, sizeof innermost->report.text, "%s", text);
	longjmp(innermost->back, 1);
}

void trap_abort(int vector)
{
	leave(vector, vector == TRAP_WATCHDOG ? "the watchdog" : "an abort");
}

void toy_fault(enum toy_fault fault, uint64_t pc)
{
	static const char *const what[] = {
		[TOY_FAULT_ADDRESS] = "an address that is none",
		[TOY_FAULT_PRIVILEGE] = "REG at the user's level",
		[TOY_FAULT_REGISTER] = "a register access that is refused",
		[TOY_FAULT_CALL] = "SYS with a number that is none",
	};
	char text[96];

	snprintf(text, sizeof text, "%s, at %#" PRIx64, what[fault], pc);
	leave((int)fault, text);
}

void trap_set_context(const char *description)
{
	snprintf(context, sizeof context, "%s", description ? description : "");
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

uint64_t trap_debug_exception(void)
{
	return 0;
}

/* --- the watchdog ------------------------------------------------------------------------------------- */

#define CYCLES_PER_MS 100000 /* of interpreted code: far less than in a millisecond of the host */

static uint64_t deadline = UINT64_MAX;

uint64_t toy_deadline(void)
{
	return deadline;
}

void watchdog_arm(unsigned ms)
{
	deadline = toy_cycles() + (uint64_t)ms * CYCLES_PER_MS;
}

void watchdog_disarm(void)
{
	deadline = UINT64_MAX;
}

void watchdog_hold(void)
{
}

void watchdog_release(void)
{
}

unsigned watchdog_ticks(void)
{
	return 0;
}

const char *watchdog_source(void)
{
	return "cycles that were interpreted";
}
