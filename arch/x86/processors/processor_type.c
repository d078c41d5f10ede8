#include "arch/x86/processors/core_types.h"

#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/cpuid_table.h"

static struct cpuid_regs of_this_processor(const void *context, uint32_t leaf, uint32_t subleaf)
{
	(void)context;
	return cpuid(leaf, subleaf);
}

/* The profile answers for what the machine is. */
static struct cpuid_regs of_table(const void *context, uint32_t leaf, uint32_t subleaf)
{
	const struct cpuid_row *r = cpuid_row_of(context, leaf, subleaf);

	return (struct cpuid_regs){r->eax, r->ebx, r->ecx, r->edx};
}

void processor_type_read(struct processor_type *out)
{
	core_identify(out, of_this_processor, 0);
}

void processor_type_of(const void *identity, struct processor_type *out)
{
	core_identify(out, of_table, cpuid_table_of(identity));
}

uint8_t processor_cluster_bits(void)
{
	return core_cluster_bits(of_this_processor, 0);
}

uint8_t processor_thread_bits(void)
{
	return core_thread_bits(of_this_processor, 0);
}
