/*
 * Branch traces in memory: SDM 17.4.5, 17.4.6, 17.4.9.
 */
#include "pmu/intel/records/record_ds.h"

#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/intel/registers.h"

#include <string.h>

#define ON     (DEBUGCTL_TR | DEBUGCTL_BTS)
#define OPTION (DEBUGCTL_BTINT | DEBUGCTL_BTS_OFF_OS | DEBUGCTL_BTS_OFF_USR)

static bool describe(const struct pmu *pmu, struct pmu_record_source *out, const char **why)
{
	uint64_t value;

	if (!intel_ds_usable(pmu, MISC_ENABLE_NO_BTS, why))
		return false;
	if (!msr_read(IA32_DEBUGCTL, &value)) {
		*why = "IA32_DEBUGCTL raises #GP";
		return false;
	}
	*out = (struct pmu_record_source){
		.kind = RECORD_BRANCH_TRACE,
		.name = "BTS",
		.fields = RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED,
		.record_size = sizeof(struct ds_branch),
		.manual = "SDM 17.4.9",
	};
	return true;
}

static size_t memory(const struct pmu *pmu, const struct pmu_recording *r)
{
	(void)pmu;
	return intel_ds_memory(r, sizeof(struct ds_branch));
}

static bool setup(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	uint64_t options = (r->levels & LEVELS_SYSTEM ? 0 : DEBUGCTL_BTS_OFF_OS) |
			   (r->levels & LEVELS_USER ? 0 : DEBUGCTL_BTS_OFF_USR) |
			   (r->circular ? 0 : DEBUGCTL_BTINT);

	(void)pmu;
	if (r->levels != LEVELS_ALL && !cpu_has(CPU_DS_CPL)) {
		*why = "CPUID.1:ECX[4] is 0: the trace takes the branches of every ring";
		return false;
	}
	if (r->without) {
		*why = "a branch trace takes every kind of branch";
		return false;
	}
	if (r->circular && r->threshold) {
		*why = "a circular branch trace raises no interrupt";
		return false;
	}
	if (!intel_change_msr(IA32_DEBUGCTL, ON | OPTION, 0) ||
	    !intel_ds_setup(r, sizeof(struct ds_branch), false, why))
		return false;
	if (!intel_change_msr(IA32_DEBUGCTL, ON | OPTION, options)) {
		*why = "IA32_DEBUGCTL raised #GP";
		return false;
	}
	return true;
}

static bool start(const struct pmu *pmu, const struct pmu_recording *r)
{
	(void)pmu, (void)r;
	return intel_change_msr(IA32_DEBUGCTL, 0, ON);
}

static bool stop(const struct pmu *pmu, const struct pmu_recording *r)
{
	(void)pmu, (void)r;
	return intel_change_msr(IA32_DEBUGCTL, ON, 0);
}

static bool bracket(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_bracket *out)
{
	uint64_t value;

	(void)pmu, (void)r;
	if (!msr_read(IA32_DEBUGCTL, &value))
		return false;
	intel_bracket_msr(IA32_DEBUGCTL, value | ON, value & ~ON, out);
	return true;
}

/* A circular buffer has been round once if there is a record where the next one goes. */
static bool wrapped(const struct pmu_recording *r, volatile const struct ds_buffer *b)
{
	volatile const struct ds_branch *next = (void *)(uintptr_t)b->index;
	return r->circular && (next->from || next->to);
}

static bool state(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record_state *out)
{
	volatile struct ds_buffer *b = &intel_ds_area(r)->bts;

	intel_ds_state(pmu, b, sizeof(struct ds_branch), out);
	if (r->circular) {
		out->full = wrapped(r, b);
		if (out->full)
			out->records = r->records;
	}
	return true;
}

/* What was written last comes last: a buffer that has been round is turned until its oldest record is first.
 */
static void straighten(const struct pmu_recording *r, volatile struct ds_buffer *b)
{
	struct ds_branch *first = (void *)(uintptr_t)b->base;
	size_t turn = (b->index - b->base) / sizeof *first;

	if (!wrapped(r, b))
		return;
	while (turn--) {
		struct ds_branch newest = first[0];
		memmove(first, first + 1, (r->records - 1) * sizeof *first);
		first[r->records - 1] = newest;
	}
	b->index = b->max;
}

static unsigned drain(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record *out,
		      unsigned max)
{
	volatile struct ds_buffer *b = &intel_ds_area(r)->bts;
	uint64_t control;
	unsigned n = 0;

	/* In its handler the trace goes on: not while it is taken out. */
	if (!msr_read(IA32_DEBUGCTL, &control) || (control & ON && !msr_write(IA32_DEBUGCTL, control & ~ON)))
		return 0;
	straighten(r, b);
	volatile const struct ds_branch *record = (void *)(uintptr_t)b->base;
	for (; n < max && (uintptr_t)&record[n + 1] <= b->index; n++)
		out[n] = (struct pmu_record){.kind = RECORD_BRANCH_TRACE,
					     .has = RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED,
					     .from = record[n].from,
					     .to = record[n].to,
					     .mispredicted = !(record[n].flags & DS_BRANCH_PREDICTED)};
	intel_ds_taken(pmu, b, n * sizeof *record);
	memset((void *)(uintptr_t)b->index, 0, b->max - b->index);
	if (b->index == b->max) /* nothing was taken of a full circular buffer */
		b->index = r->circular ? b->base : b->index;
	if (control & ON)
		msr_write(IA32_DEBUGCTL, control);
	return n;
}

static bool release(const struct pmu *pmu, const struct pmu_recording *r)
{
	(void)pmu, (void)r;
	return intel_change_msr(IA32_DEBUGCTL, ON | OPTION, 0) && msr_write(IA32_DS_AREA, 0);
}

const struct pmu_record_kind intel_record_bts = {
	.describe = describe,
	.memory = memory,
	.setup = setup,
	.start = start,
	.stop = stop,
	.bracket = bracket,
	.state = state,
	.drain = drain,
	.release = release,
};
