#include "pmu/intel/records/record_ds.h"

#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/contract/state.h"
#include "pmu/intel/registers.h"

#include <string.h>

_Static_assert(sizeof(struct ds_area) % 64 == 0, "the buffer behind the area is aligned as the memory is");

bool intel_ds_usable(const struct pmu *pmu, uint64_t absent, const char **why)
{
	const char *hypervisor = cpu_has(CPU_HYPERVISOR) ? " (the hypervisor does not pass it on)" : "";
	uint64_t value;

	if (!cpu_has(CPU_DS)) {
		*why = pmu_reason(pmu, "CPUID.1:EDX[21] is 0: no debug store%s", hypervisor);
		return false;
	}
	if (!cpu_has(CPU_DTES64)) {
		*why = "CPUID.1:ECX[2] is 0: the debug store has no form for 64-bit code";
		return false;
	}
	if (msr_read(IA32_MISC_ENABLE, &value) && value & absent) {
		*why = pmu_reason(pmu, "IA32_MISC_ENABLE[%u] says that it is not available%s",
				  absent == MISC_ENABLE_NO_BTS ? 11u : 12u, hypervisor);
		return false;
	}
	if (!msr_read(IA32_DS_AREA, &value)) {
		*why = pmu_reason(pmu, "IA32_DS_AREA raises #GP though CPUID promises it%s", hypervisor);
		return false;
	}
	return true;
}

size_t intel_ds_memory(const struct pmu_recording *r, size_t record_size)
{
	return sizeof(struct ds_area) + r->records * record_size;
}

volatile struct ds_area *intel_ds_area(const struct pmu_recording *r)
{
	return r->memory;
}

bool intel_ds_setup(const struct pmu_recording *r, size_t record_size, bool pebs, const char **why)
{
	volatile struct ds_area *area = intel_ds_area(r);
	volatile struct ds_buffer *b = pebs ? &area->pebs : &area->bts;
	uint64_t start = (uintptr_t)r->memory + sizeof *area;

	if (!r->records || r->size < intel_ds_memory(r, record_size)) {
		*why = "too little memory for the records";
		return false;
	}
	if (r->threshold > r->records) {
		*why = "the threshold lies beyond the buffer";
		return false;
	}
	memset(r->memory, 0, intel_ds_memory(r, record_size));
	b->base = b->index = start;
	b->max = start + r->records * record_size;
	/* One that no index reaches: beyond the maximum. */
	b->threshold = r->threshold ? start + r->threshold * record_size : b->max + record_size;
	if (!msr_write(IA32_DS_AREA, (uintptr_t)r->memory)) {
		*why = "IA32_DS_AREA raised #GP";
		return false;
	}
	return true;
}

void intel_ds_state(const struct pmu *pmu, volatile struct ds_buffer *b, size_t record_size,
		    struct pmu_record_state *out)
{
	uint64_t status = 0;

	if (pmu->has_global)
		msr_read(IA32_PERF_GLOBAL_STATUS, &status);
	out->overflow = status & STATUS_OVF_BUF;
	out->records = (unsigned)((b->index - b->base) / record_size);
	out->full = b->index + record_size > b->max;
}

void intel_ds_taken(const struct pmu *pmu, volatile struct ds_buffer *b, size_t taken)
{
	uint64_t left = b->index - b->base - taken;

	memmove((void *)(uintptr_t)b->base, (const void *)(uintptr_t)(b->base + taken), left);
	b->index = b->base + left;
	if (pmu->has_global)
		msr_write(IA32_PERF_GLOBAL_OVF_CTRL, STATUS_OVF_BUF);
}
