/*
 * What AArch64 does not have here: a count of what EL3 does (arch/firmware.h); and what tells processors
 * apart (processors.h).
 */
#include "arch/firmware.h"
#include "arch/processors.h"
#include "arch/aarch64/system.h"

#include <stddef.h>

const char *const firmware_counter_name = "none";

bool firmware_is_counted(void)
{
	return false;
}

bool firmware_interrupts(uint32_t *count)
{
	*count = 0;
	return false;
}

bool firmware_hold_counters(uint64_t *before)
{
	*before = 0;
	return false;
}

void firmware_let_counters(uint64_t before)
{
	(void)before;
}

/* --- types of processors
 * ------------------------------------------------------------------------ */

void processor_type_read(struct processor_type *out)
{
	*out = (struct processor_type){.word = {(uint32_t)SYS_READ(midr_el1)}};
}

void processor_type_of(const void *identity, struct processor_type *out)
{
	(void)identity;
	processor_type_read(out);
}

bool processor_same_type(const struct processor_type *a, const struct processor_type *b)
{
	return a->word[0] == b->word[0];
}

const char *processor_type_name(const struct processor_type *of, const struct processor_type *all, unsigned n)
{
	(void)of, (void)all, (void)n;
	return NULL;
}

uint8_t processor_thread_bits(void)
{
	return SYS_READ(mpidr_el1) >> 24 & 1 ? 8 : 0; /* MPIDR_EL1.MT */
}

uint8_t processor_cluster_bits(void)
{
	/* In a cluster of DynamIQ there are cores of several types: no more than a core's threads are known
	 * to be alike. */
	return processor_thread_bits();
}
