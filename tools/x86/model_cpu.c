#include "tools/model_cpu.h"

#include "arch/memory.h"
#include "arch/x86/machine/acpi.h"
#include "arch/identity.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/cpuid_table.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/cpu/register_access.h"

#include <stdlib.h>
#include <string.h>

static const struct model_profile *profile;
static void *state;
static struct model_cpu_write written[MODEL_CPU_WRITES];
static unsigned n_written;

bool model_cpu_start(const struct model_profile *p)
{
	model_cpu_stop();
	state = calloc(1, p->model->state_size);
	if (!state)
		return false;
	profile = p;
	p->model->reset(state, p, NULL);
	return true;
}

void model_cpu_stop(void)
{
	free(state);
	state = NULL;
	n_written = 0;
}

void model_cpu_forget(void)
{
	n_written = 0;
}

unsigned model_cpu_writes(struct model_cpu_write out[MODEL_CPU_WRITES])
{
	memcpy(out, written, n_written * sizeof *out);
	return n_written;
}

/* Drops what this write makes needless: an earlier one to the same register that set no other bit. (Where
 * writing 1 clears, bits that an earlier write cleared are still to be told.) */
static void keep(uint32_t address, uint64_t value)
{
	for (unsigned i = 0; i < n_written;)
		if (written[i].address == address && !(written[i].value & ~value))
			memmove(&written[i], &written[i + 1], (--n_written - i) * sizeof *written);
		else
			i++;
	if (n_written < MODEL_CPU_WRITES)
		written[n_written++] = (struct model_cpu_write){address, value};
}

struct acpi_info acpi; /* of no machine: nothing is known */

/* --- what drivers ask of the machine ---------------------------------------------------------------- */

struct cpuid_regs cpuid(uint32_t leaf, uint32_t subleaf)
{
	const struct cpuid_row *r = cpuid_row_of(cpuid_table_of(profile->identity), leaf, subleaf);

	return (struct cpuid_regs){r->eax, r->ebx, r->ecx, r->edx};
}

bool cpu_has(enum cpu_feature feature)
{
	return cpu_tells(feature, cpuid);
}

void cpu_identify(struct cpu_identity *out)
{
	cpu_decode(out, cpuid);
	if (out->under_hypervisor) {
		struct cpuid_regs name = cpuid(0x40000000, 0);

		memcpy(out->hypervisor, &name.ebx, 4);
		memcpy(out->hypervisor + 4, &name.ecx, 4);
		memcpy(out->hypervisor + 8, &name.edx, 4);
	}
}

static bool read_register(struct register_access a, uint64_t *value)
{
	bool done = profile->model->access(state, &a) == REGISTER_DONE;

	*value = a.value;
	return done;
}

bool page_also_at(uint64_t address, void *page)
{
	(void)address, (void)page;
	return false;
}

/* Memory of no machine. */
bool page_translate(uint64_t address, uint64_t *physical, unsigned *shift)
{
	(void)address, (void)physical, (void)shift;
	return false;
}

bool msr_read(uint32_t address, uint64_t *value)
{
	return read_register(access_rdmsr(address), value);
}

bool msr_read_list(const uint32_t *address, unsigned n, uint64_t *value)
{
	for (unsigned i = 0; i < n; i++)
		if (!msr_read(address[i], &value[i]))
			return false;
	return true;
}

bool msr_write(uint32_t address, uint64_t value)
{
	struct register_access a = access_wrmsr(address, value);

	if (profile->model->access(state, &a) != REGISTER_DONE)
		return false;
	keep(address, value);
	return true;
}

bool pmc_read(uint32_t index, uint64_t *value)
{
	return read_register(access_rdpmc(index, 0, false), value);
}

bool identity_hypervisor(char name[IDENTITY_HYPERVISOR])
{
	struct cpu_identity cpu;

	cpu_identify(&cpu);
	memcpy(name, cpu.hypervisor, sizeof cpu.hypervisor);
	return cpu.under_hypervisor;
}
