#include "arch/processors.h"
#include "arch/x86/processors/processors_internal.h"

#include "arch/machine.h"
#include "arch/x86/machine/acpi.h"
#include "arch/x86/machine/notes.h"

#include <stddef.h>

_Static_assert(ACPI_PROCESSORS == PROCESSORS_MAX, "all that are listed can be had");

static uint32_t boot_id;
static bool in_apic_ids; /* services speak of processors by these */

/* As firmware's services have it; NULL: they do not know it. */
static const struct firmware_processor *known(const struct boot_info *boot, uint32_t id)
{
	for (unsigned i = 0; i < boot->n_processors; i++)
		if (boot->processors[i].id == id)
			return &boot->processors[i];
	return NULL;
}

static bool listed(uint64_t id)
{
	for (unsigned i = 0; i < acpi.n_processors; i++)
		if (acpi.processor[i].apic_id == id)
			return true;
	return id == boot_id;
}

/* What the services say counts: they have seen each processor execute something, the table is only written.
 */
static void compare(const struct boot_info *boot)
{
	enum { UNKNOWN, DISABLED, UNHEALTHY, KINDS };
	static const char *const what[KINDS] = {"are not known to its MP services",
						"are disabled by its MP services",
						"are called unhealthy by its MP services"};
	uint32_t first[KINDS];
	unsigned n[KINDS] = {0}, unlisted = 0;

	for (unsigned i = 0; i < acpi.n_processors; i++) {
		uint32_t id = acpi.processor[i].apic_id;
		const struct firmware_processor *p = known(boot, id);
		unsigned kind = !p ? UNKNOWN : !p->enabled ? DISABLED : p->healthy ? KINDS : UNHEALTHY;

		if (!acpi.processor[i].enabled || kind == KINDS || id == boot_id)
			continue;
		acpi.processor[i].enabled = false;
		acpi.cpus--;
		if (!n[kind]++)
			first[kind] = id;
	}
	for (unsigned i = 0; i < boot->n_processors; i++)
		unlisted += !listed(boot->processors[i].id);
	for (unsigned i = 0; i < KINDS; i++)
		if (n[i])
			note_add("processors that firmware's MADT lists %s: %u, the first with APIC ID %u; "
				 "not used",
				 what[i], n[i], (unsigned)first[i]);
	if (unlisted)
		note_add("processors that firmware's MP services know are not in its MADT: %u; not used",
			 unlisted);
}

void processors_list(uint32_t boot_apic_id, const struct boot_info *boot)
{
	boot_id = boot_apic_id;
	/* Services that do not know the processor that executes this do not speak of APIC IDs. */
	in_apic_ids = known(boot, boot_id) != NULL;
	if (in_apic_ids)
		compare(boot);
}

bool processors_listed_alike(void)
{
	return in_apic_ids;
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
