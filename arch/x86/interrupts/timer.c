#include "arch/timer.h"

#include "arch/x86/exceptions/trap.h"
#include "arch/watchdog.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/interrupts/apic.h"
#include "arch/x86/interrupts/mwait.h"
#include "arch/x86/time/tsc.h"

#include <stddef.h>
#include <string.h>

bool timer_is_free(void)
{
	return apic_present() && apic_timer_hz() && strcmp(watchdog_source(), "APIC timer");
}

uint64_t timer_hz(void)
{
	return apic_timer_hz();
}

static bool on_timer(struct trap_frame *frame, void *arg)
{
	const struct timer_claim *claim = arg;

	(void)frame;
	claim->handler(claim->arg);
	apic_eoi();
	return true;
}

/* On a vector of its own: the harness takes VECTOR_TIMER for itself. */
void timer_claim(const struct timer_claim *claim)
{
	trap_set_handler(VECTOR_TEST, claim ? on_timer : NULL, (void *)(uintptr_t)claim);
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

uint64_t timer_halt(unsigned us)
{
	uint64_t begin;

	apic_timer_oneshot((uint32_t)(apic_timer_hz() * us / 1000000));
	begin = tsc_read();
	__asm__ volatile("sti\n\thlt\n\tcli" ::: "memory");
	apic_timer_oneshot(0);
	return tsc_read() - begin;
}

uint64_t timer_halt_deeply(unsigned us)
{
	static volatile char watched;
	struct cpuid_regs leaf = {0};
	uint32_t hint;
	uint64_t begin;

	if (cpu_has(CPU_MONITOR))
		leaf = cpuid(CPUID_MWAIT, 0);
	hint = mwait_deepest(leaf.ecx, leaf.edx);
	/* SDM vol. 3, 10.5.4: without ARAT its timer may stand still there, and nothing would end the halt.
	 */
	if (!hint || !cpu_has(CPU_ARAT))
		return 0;
	apic_timer_oneshot((uint32_t)(apic_timer_hz() * us / 1000000));
	begin = tsc_read();
	__asm__ volatile("monitor" ::"a"(&watched), "c"(0), "d"(0));
	__asm__ volatile("sti\n\tmwait\n\tcli" ::"a"(hint), "c"(0) : "memory");
	apic_timer_oneshot(0);
	return tsc_read() - begin;
}
