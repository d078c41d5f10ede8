/*
 * The toy machine's timer (arch/timer.h): it counts cycles down and interrupts once. Code on the machine
 * reaches it by TOY_REG_TIMER.
 */
#include "arch/timer.h"

#include "arch/time.h"
#include "arch/toy/cpu.h"

static const struct timer_claim *claimed;
static uint64_t left; /* 0: it does not run */
static bool masked, requested;

bool timer_is_free(void)
{
	return true;
}

uint64_t timer_hz(void)
{
	return clock_hz();
}

void timer_claim(const struct timer_claim *claim)
{
	claimed = claim;
}

void timer_stop(void)
{
	left = 0;
	masked = true;
}

void timer_mask(bool to)
{
	masked = to;
}

bool toy_timer_masked(void)
{
	return masked;
}

void timer_start(uint32_t ticks)
{
	left = ticks;
}

/* Whoever looks at it waits, and so time passes. */
uint32_t timer_left(void)
{
	time_relax();
	return (uint32_t)left;
}

bool timer_requested(void)
{
	return requested;
}

uint64_t timer_halt(unsigned us)
{
	uint64_t ticks = timer_hz() * us / 1000000;

	toy_idle(ticks);
	return ticks;
}

uint64_t timer_halt_deeply(unsigned us)
{
	(void)us;
	return 0;
}

void toy_timer_runs(uint64_t cycles)
{
	if (!left)
		return;
	left = left > cycles ? left - cycles : 0;
	requested |= !left && !masked;
}

bool toy_timer_pends(void)
{
	return requested;
}

bool toy_timer_take(void)
{
	requested = false;
	if (claimed)
		claimed->handler(claimed->arg);
	return claimed;
}

void toy_timer_forget(void)
{
	requested = false;
}

bool toy_own_register(struct register_access *a)
{
	switch (a->number) {
	case TOY_REG_TIMER:
		if (a->write && a->value > UINT32_MAX)
			return false;
		if (!a->write) {
			a->value = left;
			return true;
		}
		timer_mask(false);
		timer_start((uint32_t)a->value);
		return true;
	case TOY_REG_OPEN:
		if (a->write && a->value > 1)
			return false;
		if (a->write)
			toy_set_open(a->value);
		else
			a->value = toy_is_open();
		return true;
	default:
		return false;
	}
}
