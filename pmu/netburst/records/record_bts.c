/* Branch traces: SDM vol. 3, 17.4.5, 17.4.9.3, 17.4.9.4. */
#include "pmu/netburst/records/record.h"

#include "arch/x86/cpu/cpuid.h"
#include "pmu/netburst/driver/bracket.h"
#include "pmu/netburst/driver/state.h"

#define CPUID_DS_CPL (1u << 4) /* leaf 1, ECX */

#define TRACE (DEBUGCTLA_TR | DEBUGCTLA_BTS | DEBUGCTLA_BTINT | DEBUGCTLA_BTS_OFF_OS | DEBUGCTLA_BTS_OFF_USR)

static bool describe(const struct pmu *pmu, struct pmu_record_source *out, const char **why)
{
	if (!netburst_has_ds(pmu, MISC_ENABLE_BTS_ABSENT, "branch traces are", why))
		return false;
	out->name = "branch trace store";
	out->fields = RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED;
	out->record_size = BTS_WORDS * (size_t)netburst_cpu(pmu)->ds_width;
	out->manual = "SDM 17.4.5, 17.11.1";
	return true;
}

static bool can_sample(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	(void)pmu;
	if (r->levels == LEVELS_ALL || cpuid(1, 0).ecx & CPUID_DS_CPL)
		return true;
	*why = "CPUID.1:ECX[4] says that branch traces cannot be kept to one ring: record all rings";
	return false;
}

/* Without BTINT the buffer is circular; the threshold, which alone does not depend on BTINT, lies above the
 * maximum unless it is asked for. */
static uint32_t bits(const struct pmu_recording *r)
{
	return DEBUGCTLA_TR | DEBUGCTLA_BTS | (r->circular ? 0 : DEBUGCTLA_BTINT) |
	       (r->levels & LEVELS_SYSTEM ? 0 : DEBUGCTLA_BTS_OFF_OS) |
	       (r->levels & LEVELS_USER ? 0 : DEBUGCTLA_BTS_OFF_USR);
}

static bool stop(const struct pmu *pmu, const struct pmu_recording *r)
{
	(void)pmu, (void)r;
	return netburst_change_debugctl(TRACE, 0);
}

static bool setup(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	if (!stop(pmu, r)) {
		*why = "MSR_DEBUGCTLA raised #GP";
		return false;
	}
	return netburst_ds_setup(pmu, r, DS_BTS_BASE, 0, why);
}

static bool start(const struct pmu *pmu, const struct pmu_recording *r)
{
	(void)pmu;
	return netburst_change_debugctl(TRACE, bits(r));
}

static bool bracket(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_bracket *out)
{
	return netburst_bracket_debugctl(pmu, TRACE, bits(r), out);
}

static bool state(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record_state *out)
{
	netburst_ds_state(pmu, r, DS_BTS_BASE, out);
	return true;
}

static void translate(const struct pmu *pmu, const uint64_t *words, struct pmu_record *out)
{
	(void)pmu;
	out->from = words[BTS_FROM];
	out->to = words[BTS_TO];
	out->mispredicted = !(words[BTS_FLAGS] & BTS_PREDICTED);
}

static unsigned drain(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record *out,
		      unsigned max)
{
	return netburst_ds_drain(pmu, r, DS_BTS_BASE, translate, out, max);
}

static bool release(const struct pmu *pmu, const struct pmu_recording *r)
{
	return stop(pmu, r) && netburst_ds_release();
}

const struct pmu_record_kind netburst_record_bts = {
	.describe = describe,
	.can_sample = can_sample,
	.memory = netburst_ds_memory,
	.setup = setup,
	.start = start,
	.stop = stop,
	.bracket = bracket,
	.state = state,
	.drain = drain,
	.release = release,
};
