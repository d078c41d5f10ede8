#include "arch/timer.h"

#include "arch/x86/exceptions/trap.h"
#include "arch/watchdog.h"
#include "arch/x86/interrupts/apic.h"

#include <stddef.h>
#include <string.h>

static timer_handler *claimed;
static void *claimed_arg;

bool timer_is_free(void)
{
	return apic_present() && apic_timer_hz() && strcmp(watchdog_source(), "APIC timer");
}

uint64_t timer_hz(void)
{
	return apic_timer_hz();
}

/* On a vector that handlers of the harness's own use of the timer do not share. */
static bool on_timer(struct trap_frame *frame, void *arg)
{
	(void)frame;
	(void)arg;
	claimed(claimed_arg);
	apic_eoi();
	return true;
}

void timer_claim(timer_handler *handler, void *arg)
{
	if (!handler)
		trap_set_handler(VECTOR_TEST, NULL, NULL);
	claimed = handler;
	claimed_arg = arg;
	if (handler)
		trap_set_handler(VECTOR_TEST, on_timer, NULL);
}

void timer_stop(void)
{
	apic_timer_oneshot(0);
}

void timer_mask(bool masked)
{
	apic_write(APIC_LVT_TIMER, VECTOR_TEST | (masked ? APIC_LVT_MASKED : 0));
}

void timer_start(uint32_t ticks)
{
	apic_write(APIC_TIMER_INITIAL, ticks);
}

uint32_t timer_left(void)
{
	return apic_read(APIC_TIMER_CURRENT);
}

bool timer_requested(void)
{
	return apic_requested(VECTOR_TEST);
}

void timer_halt(unsigned us)
{
	apic_timer_oneshot((uint32_t)(apic_timer_hz() * us / 1000000));
	__asm__ volatile("sti\n\thlt\n\tcli" ::: "memory");
	apic_timer_oneshot(0);
}
