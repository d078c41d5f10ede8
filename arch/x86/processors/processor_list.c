#include "arch/processors.h"
#include "arch/x86/processors/processors_internal.h"

#include "arch/x86/machine/acpi.h"

_Static_assert(ACPI_PROCESSORS == PROCESSORS_MAX, "all that are listed can be had");

static uint32_t boot_id;

void processors_list(uint32_t boot_apic_id)
{
	boot_id = boot_apic_id;
}

/* Where the boot processor stands in ACPI's list; behind its end if it is not there. */
static unsigned boot_place(void)
{
	unsigned i = 0;

	while (i < acpi.n_processors && acpi.processor[i].apic_id != boot_id)
		i++;
	return i;
}

unsigned processor_count(void)
{
	return acpi.n_processors + (boot_place() == acpi.n_processors);
}

struct processor processor_at(unsigned number)
{
	unsigned boot = boot_place();
	unsigned i = number <= boot ? number - 1 : number;

	return number ? (struct processor){acpi.processor[i].apic_id, acpi.processor[i].enabled}
		      : (struct processor){boot_id, true};
}
