#include "pmu/netburst/record.h"

#include "arch/x86/cpuid.h"
#include "arch/x86/msr.h"
#include "pmu/netburst/driver.h"
#include "pmu/netburst/uops.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CPUID_DS (1u << 21) /* leaf 1, EDX */

static const struct netburst_record_kind *const kinds[RECORD_KINDS] = {
	[RECORD_PEBS] = &netburst_record_pebs,
	[RECORD_BTS] = &netburst_record_bts,
	[RECORD_LBR] = &netburst_record_lbr,
};

static struct pmu_record_source found[RECORD_KINDS];

const char *netburst_reason(const char *format, ...)
{
	static char reason[200];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof reason, format, args);
	va_end(args);
	return reason;
}

bool netburst_has_ds(uint32_t absent, const char *what, const char **why)
{
	uint64_t misc;

	if (!(cpuid(1, 0).edx & CPUID_DS)) {
		*why = "CPUID.1:EDX[21] says that there is no debug store";
		return false;
	}
	if (!msr_read(MSR_MISC_ENABLE, &misc) || misc & absent) {
		*why = netburst_reason("MSR_MISC_ENABLE says that %s not available", what);
		return false;
	}
	return true;
}

bool netburst_change_debugctl(uint32_t clear, uint32_t set)
{
	uint64_t value;

	return msr_read(MSR_DEBUGCTLA, &value) && msr_write(MSR_DEBUGCTLA, (value & ~(uint64_t)clear) | set);
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
	struct pmu_record_source source = {0};
	const char *why;

	return !kinds[kind] || kinds[kind]->describe(pmu, &source, &why) ? NULL : why;
}

static const struct netburst_record_kind *of(const struct pmu_recording *r)
{
	return kinds[r->source->kind];
}

static bool can_sample(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	return !of(r)->can_sample || of(r)->can_sample(pmu, r, why);
}

/* Where tagging does not reach, none of the kind are left; a far branch makes some accesses. */
static void take_away_untagged(struct pmu_event *e, uint8_t of)
{
	unsigned n = 1;

	if (of == Q_LOADS)
		e->terms[n++] = (struct event_term){Q_BR_RET, -1};
	if (of == Q_LOADS || of == Q_STORES) {
		e->terms[n++] = (struct event_term){Q_INSN_LOCKED, -1};
		e->terms[n++] = (struct event_term){Q_BR_FAR, -8};
	}
	e->terms[n] = (struct event_term){0};
}

static bool instructions_of(const struct pmu *pmu, const struct pmu_event *e, struct pmu_event *out)
{
	(void)pmu;
	if (e->terms[1].coefficient)
		return false;
	for (unsigned i = 0; i < NETBURST_KINDS_OF_UOP; i++)
		if (netburst_kind_of_uop[i].uops == e->terms[0].quantity) {
			*out = *e;
			out->terms[0].quantity = netburst_kind_of_uop[i].of;
			take_away_untagged(out, netburst_kind_of_uop[i].of);
			return true;
		}
	return false;
}

static size_t memory(const struct pmu *pmu, const struct pmu_recording *r)
{
	(void)pmu;
	return r->source->record_size ? netburst_ds_memory(r) : 0;
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

const struct pmu_recorder netburst_recorder = {
	.sources = sources,
	.absent = absent,
	.can_sample = can_sample,
	.instructions_of = instructions_of,
	.memory = memory,
	.setup = setup,
	.start = start,
	.stop = stop,
	.bracket = bracket,
	.state = state,
	.drain = drain,
	.release = release,
};
