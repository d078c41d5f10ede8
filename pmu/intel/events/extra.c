#include "pmu/intel/events/extra.h"

#include <stddef.h>

/* Columns: MSR_OFFCORE_RSP_0, _1, MSR_PEBS_LD_LAT, MSR_PEBS_FRONTEND. */
static const char *const names[INTEL_EXTRAS] = {"MSR_OFFCORE_RSP_0", "MSR_OFFCORE_RSP_1", "MSR_PEBS_LD_LAT",
						"MSR_PEBS_FRONTEND"};
static const uint16_t addresses[INTEL_EXTRAS] = {MSR_OFFCORE_RSP_0, MSR_OFFCORE_RSP_1, MSR_PEBS_LD_LAT,
						 MSR_PEBS_FRONTEND};

#define P_CORE 0x40 /* kinds of core: CPUID.1AH:EAX[31:24] */
#define E_CORE 0x20

static const struct {
	uint8_t kind; /* 0: any */
	uint64_t valid[INTEL_EXTRAS];
	uint8_t models[10]; /* of family 6; 0 ends */
} rows[] = {
	/* Nehalem */
	{0, {0xffff, 0, 0xffff, 0}, {0x1a, 0x1e, 0x1f, 0x2e}},
	/* Westmere */
	{0, {0xffff, 0xffff, 0xffff, 0}, {0x25, 0x2c, 0x2f}},
	/* Sandy Bridge, Ivy Bridge: clients, servers */
	{0, {0x3f807f8fff, 0x3f807f8fff, 0xffff, 0}, {0x2a, 0x3a}},
	{0, {0x3fffff8fff, 0x3fffff8fff, 0xffff, 0}, {0x2d, 0x3e}},
	/* Haswell, Broadwell: Intel's lists of the clients, too, have the suppliers 30:23 */
	{0, {0x3fffff8fff, 0x3fffff8fff, 0xffff, 0}, {0x3c, 0x45, 0x46, 0x3d, 0x47, 0x3f, 0x4f, 0x56}},
	/* Skylake and its descendants */
	{0, {0x3fffff8fff, 0x3fffff8fff, 0xffff, 0x7fff17}, {0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6, 0x55, 0x66}},
	/* Ice Lake, Tiger Lake, Rocket Lake */
	{0, {0x3fffffbfff, 0x3fffffbfff, 0xffff, 0x7fff17}, {0x7d, 0x7e, 0x6a, 0x6c, 0x8c, 0x8d, 0xa7}},
	/* Golden Cove, Redwood Cove: servers, clients; Gracemont beside them and alone */
	{0, {0x3fffffffff, 0x3fffffffff, 0xffff, 0x7fff1f}, {0x8f, 0xcf, 0xad, 0xae}},
	{P_CORE,
	 {0x3fffffffff, 0x3fffffffff, 0xffff, 0x7fff1f},
	 {0x97, 0x9a, 0xb7, 0xba, 0xbf, 0xaa, 0xac, 0xb5}},
	/* Linux refuses bits 47:46, which Intel's list of Gracemont has (streaming writes) */
	{E_CORE, {0xc03fffffffff, 0xc03fffffffff, 0xffff, 0}, {0x97, 0x9a, 0xb7, 0xba, 0xbf}},
	{0, {0xc03fffffffff, 0xc03fffffffff, 0xffff, 0}, {0xbe}},
	/* Lion Cove, Cougar Cove */
	{P_CORE, {0xfffffffffff, 0xfffffffffff, 0xffff, 0x7fff1f}, {0xbd, 0xc5, 0xc6, 0xcc, 0xd5, 0xe5}},
	/* Crestmont, Skymont, Darkmont: in hybrid parts, in servers */
	{E_CORE,
	 {0x800ff3ffffffffff, 0xff3ffffffffff, 0xffff, 0},
	 {0xaa, 0xac, 0xb5, 0xbd, 0xc5, 0xc6, 0xcc, 0xd5, 0xe5}},
	{0, {0x800ff3ffffffffff, 0xff3ffffffffff, 0xffff, 0}, {0xaf, 0xb6, 0xdd}},
	/* Silvermont, Airmont; Knights Landing */
	{0, {0x768005ffff, 0x368005ffff, 0, 0}, {0x37, 0x4a, 0x4c, 0x4d, 0x5a, 0x5d}},
	/* Linux refuses bits 11 and 4 of the first and 4:3 of the second, which events of Intel's list have
	 */
	{0, {0x799ffbbef7, 0x399ffbffff, 0, 0}, {0x57, 0x85}},
	/* Goldmont, Goldmont Plus; Tremont */
	{0, {0x768005ffff, 0x368005ffff, 0, 0}, {0x5c, 0x5f, 0x7a}},
	{0, {0x800ff0ffffff9fff, 0xff0ffffff9fff, 0, 0}, {0x86, 0x96, 0x9c}},
};

unsigned intel_extras(uint32_t signature, uint8_t kind, struct intel_extra out[INTEL_EXTRAS])
{
	unsigned model = (signature >> 4 & 15) | (signature >> 12 & 0xf0), n = 0;

	if ((signature >> 8 & 15) != 6)
		return 0;
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		for (size_t m = 0; m < sizeof rows[r].models && rows[r].models[m]; m++) {
			if (rows[r].models[m] != model || (rows[r].kind && rows[r].kind != kind))
				continue;
			for (unsigned i = 0; i < INTEL_EXTRAS; i++)
				if (rows[r].valid[i])
					out[n++] = (struct intel_extra){names[i], addresses[i],
									rows[r].valid[i]};
			return n;
		}
	return 0;
}
