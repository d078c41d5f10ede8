#include "arch/exceptions.h"

#include "arch/x86/exceptions/trap.h"

#include <stddef.h>

void interrupts_open(void)
{
	__asm__ volatile("sti" ::: "memory");
}

void interrupts_close(void)
{
	__asm__ volatile("cli" ::: "memory");
}

/* SDM vol. 2, STI: interrupts are let in behind the instruction that follows it. */
void interrupts_drain(void)
{
	__asm__ volatile("sti\n\tnop\n\tnop\n\tcli" ::: "memory");
}

static bool on_debug_exception(struct trap_frame *f, void *arg)
{
	*(uint64_t *)arg = f->rip;
	return true;
}

/* The address of a label to %0. */
#ifdef __i386__
#define ADDRESS_OF(label) "mov $" label ", %0"
#else
#define ADDRESS_OF(label) "lea " label "(%%rip), %0"
#endif

uint64_t trap_debug_exception(void)
{
	uint64_t came = 0;
	uintptr_t from;

	trap_set_handler(VECTOR_DB, on_debug_exception, &came);
	__asm__ volatile(ADDRESS_OF("1f") "\n1:\t.byte 0xf1" : "=r"(from)::"memory");
	trap_set_handler(VECTOR_DB, NULL, NULL);
	return came == from + 1 ? from : 0;
}
