#include "pmu/intel/records/lbr.h"
#include "pmu/intel/registers.h"

#include <stddef.h>

#define SELECT_NEHALEM 0x1ffu
#define SELECT_HASWELL 0x3ffu

/* Stacks whose place goes by the model of family 6: SDM 17.5 to 17.12, tables 17-10 and 35-2 and on. */
static const struct model_lbr {
	uint8_t depth;
	uint32_t from, to;
	uint32_t select;
	uint8_t models[16]; /* 0 ends */
} layouts[] = {
	/* Pentium M, Core Duo */
	{8, 0x40, 0, 0, {0x09, 0x0d, 0x0e}},
	/* Core 2 */
	{4, 0x40, 0x60, 0, {0x0f, 0x16, 0x17, 0x1d}},
	/* Bonnell */
	{8, 0x40, 0x60, 0, {0x1c, 0x26, 0x27, 0x35, 0x36}},
	/* Silvermont, Airmont */
	{8, 0x40, 0x60, SELECT_NEHALEM, {0x37, 0x4a, 0x4c, 0x4d, 0x5a, 0x5d}},
	/* Knights Landing, Knights Mill */
	{8, 0x680, 0x6c0, SELECT_NEHALEM, {0x57, 0x85}},
	/* Nehalem, Westmere, Sandy Bridge, Ivy Bridge */
	{16,
	 0x680,
	 0x6c0,
	 SELECT_NEHALEM,
	 {0x1a, 0x1e, 0x1f, 0x2e, 0x25, 0x2c, 0x2f, 0x2a, 0x2d, 0x3a, 0x3e}},
	/* Haswell, Broadwell */
	{16, 0x680, 0x6c0, SELECT_HASWELL, {0x3c, 0x3f, 0x45, 0x46, 0x3d, 0x47, 0x4f, 0x56}},
	/* Skylake and its descendants */
	{32, 0x680, 0x6c0, SELECT_HASWELL, {0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6, 0x55, 0x66}},
	/* Ice Lake, Tiger Lake, Rocket Lake */
	{32, 0x680, 0x6c0, SELECT_HASWELL, {0x7d, 0x7e, 0x6a, 0x6c, 0x8c, 0x8d, 0xa7}},
	/* Goldmont, Goldmont Plus, Tremont */
	{32, 0x680, 0x6c0, SELECT_HASWELL, {0x5c, 0x5f, 0x7a, 0x86, 0x96, 0x9c}},
};

static const struct model_lbr *of_model(unsigned model)
{
	for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
		for (size_t j = 0; j < sizeof layouts[i].models && layouts[i].models[j]; j++)
			if (layouts[i].models[j] == model)
				return &layouts[i];
	return NULL;
}

static struct intel_lbr architectural(uint32_t eax, uint32_t ebx, uint32_t ecx)
{
	struct intel_lbr lbr = {.format = LBR_ARCH,
				.from = IA32_LBR_0_FROM_IP,
				.to = IA32_LBR_0_TO_IP,
				.info = IA32_LBR_0_INFO,
				.depths = eax & 0xff};

	for (unsigned k = 0; k < 8; k++)
		if (lbr.depths >> k & 1)
			lbr.depth = 8 * (k + 1);
	lbr.control = LBR_CTL_ENABLE | (ebx & LBR_HAS_CPL ? LBR_CTL_OS | LBR_CTL_USR : 0) |
		      (ebx & LBR_HAS_KINDS ? LBR_CTL_ALL_KINDS : 0) |
		      (ebx & LBR_HAS_CALL_STACK ? LBR_CTL_CALL_STACK : 0);
	lbr.mispredicts = ecx & LBR_HAS_MISPREDICT;
	lbr.cycles = ecx & LBR_HAS_TIME;
	lbr.types = ecx & LBR_HAS_TYPE;
	lbr.logs = ecx >> LBR_HAS_LOG & 15;
	return lbr;
}

struct intel_lbr intel_lbr_layout(uint32_t signature, uint64_t capabilities, uint32_t eax, uint32_t ebx,
				  uint32_t ecx)
{
	const struct model_lbr *m = NULL;

	if (eax & 0xff)
		return architectural(eax, ebx, ecx);
	if ((signature >> 8 & 15) == 6)
		m = of_model((signature >> 4 & 15) | (signature >> 12 & 0xf0));
	if (!m)
		return (struct intel_lbr){0};

	unsigned format = capabilities & CAP_LBR_FORMAT;
	bool info = format == LBR_INFO || format == LBR_INFO2;
	return (struct intel_lbr){
		.depth = m->depth,
		.format = format,
		.from = m->from,
		.to = m->to,
		.info = info ? MSR_LBR_INFO_0 : 0,
		.select = m->select,
		.mispredicts = format >= LBR_FLAGS,
		.cycles = info || format == LBR_TIME,
	};
}
