/*
 * Processors besides the one that firmware started (arch/processors.h): each turn of another one begins with
 * PSCI's CPU_ON and ends with CPU_OFF, so that between turns firmware has it as it was. What it needs of the
 * boot processor's state is in a block that it reads with translation off.
 */
#include "arch/processors.h"

#include "arch/time.h"
#include "arch/timer.h"
#include "arch/aarch64/el2.h"
#include "arch/aarch64/gic.h"
#include "arch/aarch64/mmu.h"
#include "arch/aarch64/processors.h"
#include "arch/aarch64/psci.h"
#include "arch/aarch64/system.h"
#include "arch/aarch64/trap.h"

#include <stdint.h>
#include <stdio.h>

#define LISTED 64
#define STACK  0x10000
/* Emulators are as fast as their host is. */
#define START_MS 20000
#define OFF_MS   20000
#define AFFINITY UINT64_C(0xff00ffffff)

/* processor_entry.S knows where each field is. */
static struct start {
	uint64_t ttbr0, tcr, mair, sctlr, cpacr, sp, cntvoff, number;
} start[LISTED] __attribute__((aligned(64)));

/* Of each processor: whoever goes on, and whoever gives it up, exchanges it, so that one that is late does
 * nothing. */
enum { IDLE, ASKED, STARTED, DONE, BROKEN, LOST };

static uint64_t listed[LISTED];
static bool on[LISTED];
static struct gic_waiter waiter[LISTED];
static unsigned n_listed;
static char *stack[LISTED];
static unsigned current; /* who has the run */
static unsigned state[LISTED];
static bool lost;       /* one may still execute what it was given */
static char broken[96]; /* why a turn was broken off */
static volatile bool dismissed, waiting;
static volatile uint64_t lives_until;
static struct {
	unsigned number, turn;
	enum processor_fault fault;
	volatile enum processor_fault now;
} spoilt;
static struct {
	void (*fn)(void *);
	void *arg;
	uint64_t cntkctl, cpacr;
} work;
static void (*volatile beside)(
	unsigned number); /* what those that are sent execute; NULL: a turn is a run's */

extern const char processor_entry[];

static uint64_t own(void)
{
	return SYS_READ(mpidr_el1) & AFFINITY;
}

void processors_add(uint64_t affinity)
{
	for (unsigned i = 1; i <= n_listed; i++)
		if (listed[i] == affinity)
			return;
	if (affinity != own() && n_listed + 1 < LISTED)
		listed[++n_listed] = affinity;
}

bool processors_init(void *(*alloc_pages)(size_t pages))
{
	listed[0] = own();
	for (unsigned i = 1; i <= n_listed; i++) {
		stack[i] = alloc_pages(STACK / 4096);
		if (!stack[i])
			return false;
	}
	return true;
}

unsigned processor_count(void)
{
	return n_listed + 1;
}

struct processor processor_at(unsigned number)
{
	uint64_t id = number ? listed[number] : own();

	return (struct processor){.id = (uint32_t)((id & 0xffffff) | (id >> 8 & 0xff000000)),
				  .enabled = true};
}

unsigned processor_current(void)
{
	return current;
}

void processor_lives(unsigned ms)
{
	lives_until = clock_read() + clock_hz() / 1000 * ms + clock_hz() * PROCESSOR_SILENCE_S;
}

_Noreturn void processor_entered(unsigned self);

static unsigned seen(unsigned number)
{
	return __atomic_load_n(&state[number], __ATOMIC_SEQ_CST);
}

/* @return false if the other side was first */
static bool advance(unsigned number, unsigned from, unsigned to)
{
	return __atomic_compare_exchange_n(&state[number], &from, to, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}

static void misbehave(void)
{
	if (spoilt.now == PROCESSOR_FAULTS)
		__asm__ volatile("udf #0");
	if (spoilt.now == PROCESSOR_IS_DEAF)
		__asm__ volatile("msr daifset, #0xf" : : : "memory");
	while (spoilt.now == PROCESSOR_IS_DEAF || spoilt.now == PROCESSOR_HANGS)
		__asm__ volatile("wfi");
}

static void end_turn(void)
{
	__asm__ volatile("msr daifset, #0xf" : : : "memory");
	SYS_WRITE(cntp_ctl_el0, 0);
	timer_stop();
	gic_leave_processor();
}

static void take_turn(void)
{
	SYS_WRITE(cntkctl_el1, work.cntkctl);
	SYS_WRITE(cpacr_el1, work.cpacr);
	SYS_WRITE(mdscr_el1, 0);
	SYS_WRITE(oslar_el1, 0);
	trap_take_processor();
	gic_take_processor();
	SYS_WRITE(cntp_ctl_el0, 0);
	timer_stop();
	/* An emulator that counts instructions counts those of both: the other one is to halt first. */
	while (!waiting)
		time_relax();
	time_relax();
	/* As machine_take() leaves it: SErrors and FIQs come. */
	__asm__ volatile("msr daifclr, #5" : : : "memory");
	misbehave();
	work.fn(work.arg);
	end_turn();
}

static _Noreturn void switch_off(void)
{
	gic_leave_processor();
	psci_call(PSCI_CPU_OFF, 0, 0, 0);
	for (;;)
		__asm__ volatile("wfi");
}

_Noreturn void processor_entered(unsigned self)
{
	uint64_t late = clock_read() + clock_hz() / 1000 * (START_MS + 1000);

	while (spoilt.now == PROCESSOR_IS_LATE && clock_read() < late)
		time_relax();
	while (!dismissed && advance(self, ASKED, STARTED)) {
		if (beside) {
			beside(self);
			break;
		}
		take_turn();
		gic_let_wake(&waiter[self]);
		if (!advance(self, STARTED, DONE))
			break;
		gic_wake(&waiter[0]);
		while (!dismissed && seen(self) != ASKED) {
			__asm__ volatile("dsb sy; wfi" : : : "memory");
			gic_woken();
			gic_let_wake(&waiter[self]);
		}
		/* It may have seen that it is asked before it is woken, which would interrupt its turn. */
		gic_woken();
	}
	switch_off();
}

void processor_break_off(const char *text)
{
	unsigned self = current;

	if (!self || listed[self] != own())
		return;
	end_turn();
	snprintf(broken, sizeof broken, "%s", text);
	advance(self, STARTED, BROKEN);
	gic_wake(&waiter[0]);
	switch_off();
}

static bool wait_for_start(unsigned number)
{
	uint64_t until = clock_read() + clock_hz() / 1000 * START_MS;

	/* An emulator that carries out one processor at a time goes on to another one there. */
	for (; seen(number) == ASKED; time_relax())
		if (clock_read() > until)
			return !advance(number, ASKED, LOST);
	return true;
}

/* Halted, so that what the other one counts has nothing of this: an emulator may count both as one. */
static bool wait_for_end(unsigned number)
{
	bool done;

	gic_enable(gic_place.physical_timer, true);
	while (!(done = seen(number) != STARTED) && clock_read() < lives_until) {
		SYS_WRITE(cntp_cval_el0, SYS_READ(cntpct_el0) + (lives_until - clock_read()));
		SYS_WRITE(cntp_ctl_el0, 1);
		waiting = true;
		__asm__ volatile("dsb sy; wfi" : : : "memory");
		SYS_WRITE(cntp_ctl_el0, 0);
	}
	gic_woken();
	return done || !advance(number, STARTED, LOST);
}

static bool is_off(uint64_t id)
{
	uint64_t until = clock_read() + clock_hz() / 1000 * OFF_MS;

	for (; psci_call(PSCI_AFFINITY_INFO, id, 0, 0) != PSCI_IS_OFF; time_relax())
		if (clock_read() > until)
			return false;
	return true;
}

/* It reads this with translation off, so from memory. */
static void write_back(const void *at, size_t size)
{
	uintptr_t line = (uintptr_t)4 << (SYS_READ(ctr_el0) >> 16 & 0xf);

	for (uintptr_t p = (uintptr_t)at & ~(line - 1); p < (uintptr_t)at + size; p += line)
		__asm__ volatile("dc civac, %0" : : "r"(p) : "memory");
	barrier();
}

static bool switch_on(unsigned number, const char **why)
{
	if (!is_off(listed[number])) {
		*why = "firmware does not call it switched off (PSCI)";
		return false;
	}
	start[number] = (struct start){
		.ttbr0 = SYS_READ(ttbr0_el1),
		.tcr = SYS_READ(tcr_el1),
		.mair = SYS_READ(mair_el1),
		.sctlr = SYS_READ(sctlr_el1),
		.cpacr = SYS_READ(cpacr_el1),
		.sp = (uint64_t)stack[number] + STACK,
		.cntvoff = el2_clock_offset(),
		.number = number,
	};
	write_back(&start[number], sizeof start[number]);
	write_back(processor_entry, 512);
	if (psci_call(PSCI_CPU_ON, listed[number], (uint64_t)processor_entry, (uint64_t)&start[number])) {
		*why = "firmware does not switch it on (PSCI)";
		return false;
	}
	on[number] = true;
	return true;
}

/* A turn of it begins: the one that is to be spoilt, or not. */
static void spoil_turn(unsigned number)
{
	spoilt.now = PROCESSOR_SOUND;
	if (number == spoilt.number && spoilt.turn && !--spoilt.turn)
		spoilt.now = spoilt.fault;
}

static bool turn(unsigned number, const char **why)
{
	if (seen(number) == LOST && psci_call(PSCI_AFFINITY_INFO, listed[number], 0, 0) != PSCI_IS_OFF) {
		*why = "it did not come back before";
		return false;
	}
	if (seen(number) == LOST)
		on[number] = false;
	spoil_turn(number);
	waiting = false;
	__atomic_store_n(&state[number], ASKED, __ATOMIC_SEQ_CST);
	processor_lives(0);
	gic_let_wake(&waiter[0]);
	if (on[number])
		gic_wake(&waiter[number]);
	else if (!switch_on(number, why))
		return false;
	if (!wait_for_start(number)) {
		*why = "it does not start";
		return false;
	}
	if (!wait_for_end(number)) {
		*why = "it gives no sign of life";
		lost = true;
		return false;
	}
	if (seen(number) == DONE)
		return true;
	/* It leaves the stack of handlers, which is everybody's, when it is off. */
	*why = broken;
	on[number] = !is_off(listed[number]);
	lost = on[number];
	return false;
}

bool processor_run(unsigned number, void (*fn)(void *), void *arg, const char **why)
{
	uint64_t masks = SYS_READ(daif);
	bool good;

	if (!number) {
		fn(arg);
		return true;
	}
	if (!psci_way) {
		*why = "firmware's tables name no way to start it (PSCI)";
		return false;
	}
	if (gic_place.version == 3 && !gic_place_redistributor(listed[number])) {
		*why = "firmware's tables name no redistributor of its own";
		return false;
	}
	if (lost) {
		*why = "another one may still execute what it was given";
		return false;
	}
	work.fn = fn;
	work.arg = arg;
	work.cntkctl = SYS_READ(cntkctl_el1);
	work.cpacr = SYS_READ(cpacr_el1);
	/* Vectors and stacks go with the run. */
	__asm__ volatile("msr daifset, #0xf" : : : "memory");
	current = number;
	good = turn(number, why);
	current = 0;
	SYS_WRITE(daif, masks);
	return good;
}

/* --- beside what judges ------------------------------------------------------------------------------ */

const char *processor_stays(void)
{
	return !n_listed   ? "there is one processor"
	       : current   ? "others work beside the first processor alone"
	       : !psci_way ? "firmware's tables name no way to start another processor (PSCI)"
	       : lost      ? "a processor may still execute what it was given"
			   : NULL;
}

bool processor_send(unsigned number, void (*fn)(unsigned number))
{
	const char *why;

	if (processor_stays() || seen(number) == LOST)
		return false;
	spoil_turn(number);
	beside = fn;
	__atomic_store_n(&state[number], ASKED, __ATOMIC_SEQ_CST);
	if (on[number]) {
		gic_wake(&waiter[number]);
	} else if (!switch_on(number, &why)) {
		beside = NULL;
		return false;
	}
	lost = !wait_for_start(number);
	if (lost)
		beside = NULL;
	return !lost;
}

bool processor_back(unsigned number)
{
	on[number] = !is_off(listed[number]);
	lost |= on[number];
	beside = NULL;
	return !on[number];
}

bool processors_dismiss(void)
{
	uint64_t masks = SYS_READ(daif);
	bool all = true;

	dismissed = true;
	__asm__ volatile("msr daifset, #0xf" : : : "memory");
	/* Firmware's distributor may forward nothing. */
	gic_take();
	for (unsigned i = 1; i <= n_listed; i++)
		if (on[i]) {
			gic_wake(&waiter[i]);
			all &= is_off(listed[i]);
		}
	gic_give_back();
	SYS_WRITE(daif, masks);
	return all;
}

void processor_spoil(unsigned number, enum processor_fault fault, unsigned turn)
{
	spoilt.number = number;
	spoilt.fault = fault;
	spoilt.turn = turn;
}
