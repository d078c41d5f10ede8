#include "pmu/amd/record.h"

#include "arch/x86/cpuid.h"
#include "arch/x86/msr.h"
#include "pmu/amd/bracket.h"
#include "pmu/amd/generation.h"
#include "pmu/amd/ibs.h"
#include "pmu/amd/registers.h"

#include <string.h>

static const struct amd_record_kind *const kinds[RECORD_KINDS] = {
	[RECORD_IBS_OP] = &amd_record_ibs_op,
	[RECORD_IBS_FETCH] = &amd_record_ibs_fetch,
	[RECORD_LBR] = &amd_record_lbr,
};

/* What the CPU that was identified last can record. */
static struct pmu_record_source found[RECORD_KINDS];

bool amd_change_msr(uint32_t address, uint64_t clear, uint64_t set)
{
	uint64_t value;
	return msr_read(address, &value) && msr_write(address, (value & ~clear) | set);
}

static const struct amd_record_kind *of(const struct pmu_recording *r)
{
	return kinds[r->source->kind];
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

static size_t memory(const struct pmu *pmu, const struct pmu_recording *r)
{
	(void)pmu, (void)r;
	return 0;
}

static bool setup(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	return of(r)->setup(pmu, r, why);
}

static bool start(const struct pmu *pmu, const struct pmu_recording *r)
{
	uint64_t enable;
	uint32_t address = of(r)->control(&enable);

	(void)pmu;
	return amd_change_msr(address, 0, enable);
}

static bool stop(const struct pmu *pmu, const struct pmu_recording *r)
{
	uint64_t enable;
	uint32_t address = of(r)->control(&enable);

	(void)pmu;
	/* Revision guide 41322, erratum 420: on family 10H the request may stay unless the maximum is
	 * cleared before the enable. */
	if (address == IBS_OP_CTL && amd_generation(cpuid(1, 0).eax) == AMD_10H) {
		uint64_t value;

		return msr_read(address, &value) && msr_write(address, value & ~OP_MAX) &&
		       msr_write(address, value & ~(OP_MAX | OP_EN)) && msr_write(address, value & ~OP_EN);
	}
	return amd_change_msr(address, enable, 0);
}

static bool bracket(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_bracket *out)
{
	uint64_t enable;
	uint32_t address = of(r)->control(&enable);

	(void)pmu;
	*out = (struct pmu_bracket){.start = amd_bits_start,
				    .start_end = amd_bits_start_end,
				    .stop = amd_bits_stop,
				    .stop_end = amd_bits_stop_end,
				    .args = {address, enable & 0xffffffff, enable >> 32},
				    .own = {{Q_INSTRUCTIONS, AMD_BITS_OWN}},
				    .ring0_only = true};
	return true;
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

bool amd_record_reset(void)
{
	uint32_t features = amd_ibs_features();
	bool good = true;

	if (features & IBS_FETCH)
		good = msr_write(IBS_FETCH_CTL, 0);
	if (features & IBS_OP)
		good = amd_change_msr(IBS_OP_CTL, OP_MAX | OP_MAX_HIGH, 0) && msr_write(IBS_OP_CTL, 0) &&
		       good;
	if (cpuid(0x80000022, 0).eax & 2)
		good = msr_write(DBG_EXTN_CFG, 0) && msr_write(LBR_SELECT, 0) && good;
	else if (cpu_has(CPU_BRS))
		good = msr_write(DBG_EXTN_CFG, DBG_EXTN_ONES) && good;
	return good;
}

const struct pmu_recorder amd_recorder = {
	.sources = sources,
	.absent = absent,
	.memory = memory,
	.setup = setup,
	.start = start,
	.stop = stop,
	.bracket = bracket,
	.state = state,
	.drain = drain,
	.release = release,
};
