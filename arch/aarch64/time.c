/*
 * The generic timer (Arm ARM, D11): its counter is the clock, the physical timer the watchdog, the virtual
 * one the timer that checks use.
 */
#include "arch/time.h"

#include "arch/exceptions.h"
#include "arch/identity.h"
#include "arch/timer.h"
#include "arch/watchdog.h"
#include "arch/aarch64/gic.h"
#include "arch/aarch64/processors.h"
#include "arch/aarch64/system.h"
#include "arch/aarch64/trap.h"
#include "arch/aarch64/watchdog.h"

/* CNTP_CTL_EL0 and CNTV_CTL_EL0, D13.8.16. */
#define TIMER_ENABLE 1u
#define TIMER_MASK   2u
#define TIMER_DUE    4u

#define SLOWEST    1000000 /* Hz, where firmware does not say */
#define HELD_AGAIN 10000   /* us until the watchdog looks again whether it is held */
#define PATIENCE   8       /* where time goes on although nothing is carried out */
#define TRIES      4
#define TURNS      20000
#define ALIKE      2 /* ticks that as many instructions may differ by where they are the clock */

static uint64_t began;

void timer_begin(void)
{
	if (!began)
		began = clock_read();
}

uint64_t clock_read(void)
{
	__asm__ volatile("isb" : : : "memory");
	return SYS_READ(cntvct_el0);
}

uint64_t clock_hz(void)
{
	uint64_t hz = SYS_READ(cntfrq_el0);

	return hz ? hz : SLOWEST;
}

const char clock_name[] = "cntvct";

const char *clock_reference(void)
{
	return SYS_READ(cntfrq_el0) ? "CNTFRQ_EL0" : "none";
}

uint64_t time_us(void)
{
	uint64_t passed = clock_read() - began, hz = clock_hz();

	return began ? passed / hz * 1000000 + passed % hz * 1000000 / hz : 0;
}

void time_relax(void)
{
	__asm__ volatile("yield");
}

/* --- the watchdog
 * --------------------------------------------------------------------------------------------- */

static uint64_t deadline; /* 0: it is not armed */
static unsigned holds;

static void look_at(uint64_t when)
{
	if (!gic_place.version || !gic_place.physical_timer)
		return;
	/* The physical count may differ from the virtual one by an offset: the time that is left counts. */
	uint64_t now = clock_read();
	SYS_WRITE(cntp_tval_el0, when > now ? (when - now > INT32_MAX ? INT32_MAX : when - now) : 1);
	SYS_WRITE(cntp_ctl_el0, TIMER_ENABLE);
	gic_enable(gic_place.physical_timer, true);
}

/* Whether the same instructions always take the same time: they are an emulator's clock. */
static bool instructions_are_time(void)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t before = clock_read(), took;

		for (unsigned turn = 0; turn < TURNS; turn++)
			__asm__ volatile("nop");
		took = clock_read() - before;
		least = took < least ? took : least;
		most = took > most ? took : most;
	}
	return most - least <= ALIKE;
}

unsigned watchdog_patience(void)
{
	static unsigned patience;

	if (!patience)
		patience = identity_emulated() && !instructions_are_time() ? PATIENCE : 1;
	return patience;
}

void watchdog_arm(unsigned ms)
{
	ms *= watchdog_patience();
	deadline = clock_read() + clock_hz() / 1000 * ms;
	processor_lives(ms);
	look_at(deadline);
	if (gic_has_fiq())
		__asm__ volatile("msr daifclr, #1" : : : "memory");
}

void watchdog_disarm(void)
{
	deadline = 0;
	SYS_WRITE(cntp_ctl_el0, 0);
}

void watchdog_fired(void)
{
	if (!deadline)
		return;
	if (clock_read() < deadline) {
		look_at(deadline);
	} else if (holds) {
		look_at(clock_read() + clock_hz() * HELD_AGAIN / 1000000);
	} else {
		deadline = 0;
		trap_abort(TRAP_WATCHDOG);
	}
}

void watchdog_hold(void)
{
	holds++;
}

void watchdog_release(void)
{
	if (holds)
		holds--;
}

void watchdog_forget_holds(void)
{
	holds = 0;
}

unsigned watchdog_ticks(void)
{
	return 0;
}

const char *watchdog_source(void)
{
	if (!gic_place.version || !gic_place.physical_timer)
		return "none";
	if (watchdog_patience() > 1)
		return gic_has_fiq() ? "FIQ from the physical timer, late, as time is the host's"
				     : "IRQ from the physical timer, late, as time is the host's";
	return gic_has_fiq() ? "FIQ from the physical timer" : "IRQ from the physical timer";
}

/* --- the timer of arch/timer.h
 * ---------------------------------------------------------------------------------- */

static const struct timer_claim *claimed;

bool timer_is_free(void)
{
	return gic_place.version && gic_place.virtual_timer;
}

uint64_t timer_hz(void)
{
	return clock_hz();
}

void timer_claim(const struct timer_claim *claim)
{
	claimed = claim;
}

const struct timer_claim *timer_claimed(void)
{
	return claimed;
}

void timer_stop(void)
{
	SYS_WRITE(cntv_ctl_el0, TIMER_MASK);
	if (gic_place.version)
		gic_enable(gic_place.virtual_timer, false);
}

/* It asks as long as it is due, also for what came due while it was masked: that is to be lost. */
void timer_mask(bool masked)
{
	uint64_t control = SYS_READ(cntv_ctl_el0);

	if (masked) {
		SYS_WRITE(cntv_ctl_el0, (control & TIMER_ENABLE) | TIMER_MASK);
		return;
	}
	if (control & TIMER_MASK && control & TIMER_DUE)
		control = 0;
	SYS_WRITE(cntv_ctl_el0, control & TIMER_ENABLE);
	gic_enable(gic_place.virtual_timer, true);
}

bool timer_asks(void)
{
	return !(SYS_READ(cntv_ctl_el0) & TIMER_MASK);
}

void timer_start(uint32_t ticks)
{
	uint64_t mask = SYS_READ(cntv_ctl_el0) & TIMER_MASK;

	if (!ticks) {
		SYS_WRITE(cntv_ctl_el0, mask);
		return;
	}
	SYS_WRITE(cntv_cval_el0, clock_read() + ticks);
	SYS_WRITE(cntv_ctl_el0, mask | TIMER_ENABLE);
}

uint32_t timer_left(void)
{
	uint64_t control = SYS_READ(cntv_ctl_el0);
	int64_t left = (int64_t)(SYS_READ(cntv_cval_el0) - clock_read());

	return !(control & TIMER_ENABLE) || control & TIMER_DUE || left <= 0 ? 0 : (uint32_t)left;
}

bool timer_requested(void)
{
	return (SYS_READ(cntv_ctl_el0) & (TIMER_ENABLE | TIMER_MASK | TIMER_DUE)) ==
	       (TIMER_ENABLE | TIMER_DUE);
}

void timer_fired(void)
{
	if (claimed)
		claimed->handler(claimed->arg);
	else
		trap_stray();
}

uint64_t timer_halt(unsigned us)
{
	uint64_t before = clock_read();

	timer_mask(false);
	timer_start((uint32_t)(timer_hz() * us / 1000000 + 1));
	/* It wakes the processor though PSTATE.I holds it off. */
	__asm__ volatile("dsb sy; wfi" : : : "memory");
	timer_stop();
	return clock_read() - before;
}

uint64_t timer_halt_deeply(unsigned us)
{
	(void)us;
	return 0;
}
