/*
 * Virtual CPUs of family 0FH. Feature bits that only matter to other software are those of the dumps; of leaf
 * 1 the virtual CPU shows what the real one has too (pmu/contract/model.h). Models 0 to 2 have no 64-bit
 * mode: leaf 80000001H is left to the real CPU, so that the image, which is 64-bit code, may be shown this
 * PMU all the same.
 */
#include "arch/x86/cpu/cpuid_table.h"
#include "pmu/netburst/netburst.h"
#include "pmu/netburst/model/profile.h"
#include "pmu/netburst/registers.h"

#define GENUINEINTEL 0x756e6547, 0x6c65746e, 0x49656e69

/* The processor is in the mode that the code is built for. */
#define LEGACY_MODE (sizeof(void *) == 4)

/* Celeron 1.70 GHz (Willamette-128), stepping E0: dump GenuineIntel0000F13 of the InstLatX64 collection, with
 * its MSR 1A0H. */
static const struct cpuid_row willamette_cpuid[] = {
	{0x00, 0, 0x00000002, GENUINEINTEL},
	{0x01, 0, 0x00000f13, 0x0001080a, 0x00000000, 0x3febfbff},
	{0x02, 0, 0x665b5001, 0x00000000, 0x00000000, 0x00397040},
	{0x80000002, 0, 0x20202020, 0x20202020, 0x20202020, 0x20202020},
	{0x80000003, 0, 0x65746e49, 0x2952286c, 0x6c654320, 0x6e6f7265},
	{0x80000004, 0, 0x20295228, 0x20555043, 0x30372e31, 0x007a4847},
};
static const struct netburst_profile willamette_data = {.legacy_mode = LEGACY_MODE, .model = 1, .misc_enable = 0x81};
const struct model_profile netburst_willamette = {
	.name = "netburst-willamette",
	.description = "Pentium 4 (Willamette), family 0FH model 1, presented in 64-bit mode",
	.model = &netburst_model,
	.identity = CPUID_TABLE(willamette_cpuid),
	.data = &willamette_data,
};

/* Pentium 4 2.40 GHz (Northwood), stepping C1: dump GenuineIntel0000F27 of the same collection. */
static const struct cpuid_row northwood_cpuid[] = {
	{0x00, 0, 0x00000002, GENUINEINTEL},
	{0x01, 0, 0x00000f27, 0x00010809, 0x00004400, 0xbfebfbff},
	{0x02, 0, 0x665b5101, 0x00000000, 0x00000000, 0x007b7040},
	{0x80000002, 0, 0x20202020, 0x20202020, 0x20202020, 0x6e492020},
	{0x80000003, 0, 0x286c6574, 0x50202952, 0x69746e65, 0x52286d75},
	{0x80000004, 0, 0x20342029, 0x20555043, 0x30342e32, 0x007a4847},
};
static const struct netburst_profile northwood_data = {.model = 2, .legacy_mode = LEGACY_MODE, .misc_enable = 0xe1};
const struct model_profile netburst_northwood = {
	.name = "netburst-northwood",
	.description = "Pentium 4 (Northwood), family 0FH model 2, presented in 64-bit mode",
	.model = &netburst_model,
	.identity = CPUID_TABLE(northwood_cpuid),
	.data = &northwood_data,
};

/* Pentium 4 2.80 GHz with Hyper-Threading (Northwood), stepping D1: dump GenuineIntel0000F29 of the same
 * collection. */
static const struct cpuid_row northwood_ht_cpuid[] = {
	{0x00, 0, 0x00000002, GENUINEINTEL},
	{0x01, 0, 0x00000f29, 0x00020809, 0x00004400, 0xbfebfbff},
	{0x02, 0, 0x665b5001, 0x00000000, 0x00000000, 0x007b7040},
	{0x80000002, 0, 0x20202020, 0x20202020, 0x20202020, 0x6e492020},
	{0x80000003, 0, 0x286c6574, 0x50202952, 0x69746e65, 0x52286d75},
	{0x80000004, 0, 0x20342029, 0x20555043, 0x30382e32, 0x007a4847},
};
static const struct netburst_profile northwood_ht_data = {
	.model = 2, .hyper_threading = true, .legacy_mode = LEGACY_MODE, .misc_enable = 0xc9};
const struct model_profile netburst_northwood_ht = {
	.name = "netburst-northwood-ht",
	.description = "Pentium 4 (Northwood) with Hyper-Threading, presented in 64-bit mode",
	.model = &netburst_model,
	.identity = CPUID_TABLE(northwood_ht_cpuid),
	.threads = 2,
	.data = &northwood_ht_data,
};

/* Pentium 4 3.00 GHz (Prescott 2M), signature 0F43H: leaves and MSRs as VirtualBox's CPU database has them;
 * bit 22 of MSR_MISC_ENABLE, which limits CPUID, is clear. */
static const struct cpuid_row prescott_cpuid[] = {
	{0x00, 0, 0x00000005, GENUINEINTEL},
	{0x01, 0, 0x00000f43, 0x00020800, 0x0000649d, 0xbfebfbff},
	{0x02, 0, 0x605b5001, 0x00000000, 0x00000000, 0x007d7040},
	{0x03, 0, 0x00000000, 0x00000000, 0x00000000, 0x00000000},
	{0x04, 0, 0x00004121, 0x01c0003f, 0x0000001f, 0x00000000},
	{0x04, 1, 0x00004143, 0x01c0103f, 0x000007ff, 0x00000000},
	{0x05, 0, 0x00000040, 0x00000040, 0x00000000, 0x00000000},
	{0x80000002, 0, 0x20202020, 0x20202020, 0x20202020, 0x6e492020},
	{0x80000003, 0, 0x286c6574, 0x50202952, 0x69746e65, 0x52286d75},
	{0x80000004, 0, 0x20342029, 0x20555043, 0x30302e33, 0x007a4847},
};
static const struct netburst_profile prescott_data = {
	.model = 4, .hyper_threading = true, .ds_cpl = true, .dtes64 = true, .misc_enable = 0x22850089};
const struct model_profile netburst_prescott = {
	.name = "netburst-prescott",
	.description = "Pentium 4 (Prescott 2M), family 0FH model 4, with Hyper-Threading",
	.model = &netburst_model,
	.identity = CPUID_TABLE(prescott_cpuid),
	.threads = 2,
	.data = &prescott_data,
};

/* Pentium D (Presler): two cores of one logical processor, each with counters of its own. The leaves of the
 * Prescott 2M with the signature 0F64H, and the cores in leaves 1 and 4. No dump of one was at hand. */
static const struct cpuid_row presler_cpuid[] = {
	{0x00, 0, 0x00000005, GENUINEINTEL},
	{0x01, 0, 0x00000f64, 0x00020800, 0x0000649d, 0xbfebfbff},
	{0x02, 0, 0x605b5001, 0x00000000, 0x00000000, 0x007d7040},
	{0x03, 0, 0x00000000, 0x00000000, 0x00000000, 0x00000000},
	{0x04, 0, 0x04000121, 0x01c0003f, 0x0000001f, 0x00000000},
	{0x04, 1, 0x04000143, 0x01c0103f, 0x000007ff, 0x00000000},
	{0x05, 0, 0x00000040, 0x00000040, 0x00000000, 0x00000000},
};
static const struct netburst_profile presler_data = {
	.model = 6, .ds_cpl = true, .dtes64 = true, .misc_enable = 0x22850089};
const struct model_profile netburst_presler = {
	.name = "netburst-presler",
	.description = "Pentium D (Presler), family 0FH model 6, two cores without Hyper-Threading",
	.model = &netburst_model,
	.identity = CPUID_TABLE(presler_cpuid),
	.data = &presler_data,
};

/* 64-bit Xeon MP (Potomac): the leaves of the Prescott with the signature 0F41H and a third-level cache of 8
 * MiB. No dump of one was at hand. */
static const struct cpuid_row potomac_cpuid[] = {
	{0x00, 0, 0x00000005, GENUINEINTEL},
	{0x01, 0, 0x00000f41, 0x00020800, 0x0000649d, 0xbfebfbff},
	{0x02, 0, 0x605b5001, 0x00000000, 0x00000000, 0x007d7040},
	{0x03, 0, 0x00000000, 0x00000000, 0x00000000, 0x00000000},
	{0x04, 0, 0x00004121, 0x01c0003f, 0x0000001f, 0x00000000},
	{0x04, 1, 0x00004143, 0x01c0103f, 0x000007ff, 0x00000000},
	{0x04, 2, 0x00004163, 0x03c0003f, 0x00001fff, 0x00000000},
	{0x05, 0, 0x00000040, 0x00000040, 0x00000000, 0x00000000},
};
static const struct netburst_profile potomac_data = {.model = 4,
						     .hyper_threading = true,
						     .ds_cpl = true,
						     .dtes64 = true,
						     .l3 = true,
						     .misc_enable = 0x22850089};
const struct model_profile netburst_potomac = {
	.name = "netburst-potomac",
	.description = "Xeon MP (Potomac), family 0FH model 4, with Hyper-Threading and a third-level cache",
	.model = &netburst_model,
	.identity = CPUID_TABLE(potomac_cpuid),
	.threads = 2,
	.data = &potomac_data,
};

/* The Prescott as a hypervisor shows it that gives no name, and has counters, but no debug store, to give
 * away. */
static const struct cpuid_row prescott_guest_cpuid[] = {
	{0x00, 0, 0x00000005, GENUINEINTEL},
	{0x01, 0, 0x00000f43, 0x00020800, 0x8000649d, 0xbfebfbff},
	{0x02, 0, 0x605b5001, 0x00000000, 0x00000000, 0x007d7040},
	{0x03, 0, 0x00000000, 0x00000000, 0x00000000, 0x00000000},
	{0x04, 0, 0x00004121, 0x01c0003f, 0x0000001f, 0x00000000},
	{0x04, 1, 0x00004143, 0x01c0103f, 0x000007ff, 0x00000000},
	{0x05, 0, 0x00000040, 0x00000040, 0x00000000, 0x00000000},
};
static const struct netburst_profile prescott_guest_data = {
	.model = 4,
	.hyper_threading = true,
	.ds_cpl = true,
	.dtes64 = true,
	.misc_enable = 0x22850089 | MISC_ENABLE_BTS_ABSENT | MISC_ENABLE_PEBS_ABSENT};
const struct model_profile netburst_prescott_guest = {
	.name = "netburst-prescott-guest",
	.description = "Pentium 4 (Prescott 2M) without branch traces and PEBS, as in a virtual machine",
	.model = &netburst_model,
	.identity = CPUID_TABLE(prescott_guest_cpuid),
	.threads = 2,
	.data = &prescott_guest_data,
};
