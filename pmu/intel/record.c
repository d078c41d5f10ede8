#include "pmu/intel/record.h"

#include "arch/x86/msr.h"
#include "pmu/intel/bracket.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct intel_record_kind *const kinds[RECORD_KINDS] = {
	[RECORD_PEBS] = &intel_record_pebs,
	[RECORD_BTS] = &intel_record_bts,
	[RECORD_LBR] = &intel_record_lbr,
};

/* What the CPU that was identified last can record. */
static struct pmu_record_source found[RECORD_KINDS];

const char *intel_reason(const char *format, ...)
{
	static char reason[160];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof reason, format, args);
	va_end(args);
	return reason;
}

bool intel_change_msr(uint32_t address, uint64_t clear, uint64_t set)
{
	uint64_t value;
	return msr_read(address, &value) && msr_write(address, (value & ~clear) | set);
}

void intel_bracket_msr(uint32_t address, uint64_t on, uint64_t off, struct pmu_bracket *out)
{
	*out = (struct pmu_bracket){.start = intel_single_start,
				    .start_end = intel_single_start_end,
				    .stop = intel_single_stop,
				    .stop_end = intel_single_stop_end,
				    .args = {address, on, off},
				    .own = {{Q_INSTRUCTIONS, INTEL_SINGLE_OWN}},
				    .ring0_only = true};
}

static unsigned sources(const struct pmu *pmu, const struct pmu_record_source **out)
{
	const char *why;
	unsigned n = 0;

	for (unsigned k = 0; k < RECORD_KINDS; k++) {
		if (!kinds[k])
			continue;
		found[n] = (struct pmu_record_source){.kind = (uint8_t)k};
		n += kinds[k]->describe(pmu, &found[n], &why);
	}
	*out = found;
	return n;
}

static const char *absent(const struct pmu *pmu, enum record_kind kind)
{
	struct pmu_record_source source;
	const char *why;

	if (!kinds[kind])
		return NULL;
	return kinds[kind]->describe(pmu, &source, &why) ? NULL : why;
}

static const struct intel_record_kind *of(const struct pmu_recording *r)
{
	return kinds[r->source->kind];
}

static bool can_sample(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	return !of(r)->can_sample || of(r)->can_sample(pmu, r, why);
}

static size_t memory(const struct pmu *pmu, const struct pmu_recording *r)
{
	return of(r)->memory ? of(r)->memory(pmu, r) : 0;
}

static bool setup(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	return can_sample(pmu, r, why) && of(r)->setup(pmu, r, why);
}

static bool start(const struct pmu *pmu, const struct pmu_recording *r)
{
	return of(r)->start(pmu, r);
}

static bool stop(const struct pmu *pmu, const struct pmu_recording *r)
{
	return of(r)->stop(pmu, r);
}

static bool bracket(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_bracket *out)
{
	return of(r)->bracket(pmu, r, out);
}

static bool state(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record_state *out)
{
	memset(out, 0, sizeof *out);
	return of(r)->state(pmu, r, out);
}

static unsigned drain(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record *out,
		      unsigned max)
{
	return of(r)->drain(pmu, r, out, max);
}

static bool release(const struct pmu *pmu, const struct pmu_recording *r)
{
	return of(r)->release(pmu, r);
}

const struct pmu_recorder intel_recorder = {
	.sources = sources,
	.absent = absent,
	.can_sample = can_sample,
	.memory = memory,
	.setup = setup,
	.start = start,
	.stop = stop,
	.bracket = bracket,
	.state = state,
	.drain = drain,
	.release = release,
};
