/*
 * Virtual CPUs of the last years, with the leaves that profiles.c says.
 *
 * CPUID leaves are those of the InstLatX64 collection of dumps, under the signature given beside each. Of
 * subleaf 1 of leaf 7 only the bit of leaf 23H is kept.
 */
#include "pmu/intel/intel.h"
#include "pmu/intel/model/profile.h"
#include "pmu/intel/registers.h"

/*
 * Core i5-1135G7 (Tiger Lake), version 5, 806C1. IA32_PERF_CAPABILITIES as for Ice Lake.
 */
static const struct cpuid_row tigerlake_cpuid[] = {
	{0x00, 0, 0x0000001b, GENUINEINTEL},
	{0x01, 0, 0x000806c1, 0x00100800, 0x7ffafbbf, 0xbfebfbff},
	{0x02, 0, 0x00feff01, 0x000000f0, 0x00000000, 0x00000000},
	{0x04, 0, 0x1c004121, 0x02c0003f, 0x0000003f, 0x00000000},
	{0x04, 1, 0x1c004122, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 2, 0x1c004143, 0x04c0003f, 0x000003ff, 0x00000000},
	{0x04, 3, 0x1c03c163, 0x01c0003f, 0x00003fff, 0x00000004},
	{0x07, 0, 0x00000000, 0xf3bfa7eb & ~PT_EBX, 0x18c05fce, 0xfc100510},
	{0x0a, 0, 0x08300805, 0x00000000, 0x0000000f, 0x00008604},
	{0x80000002, 0, 0x68743131, 0x6e654720, 0x746e4920, 0x52286c65},
	{0x80000003, 0, 0x6f432029, 0x54286572, 0x6920294d, 0x31312d35},
	{0x80000004, 0, 0x37473533, 0x32204020, 0x4730342e, 0x00007a48},
};
static const struct intel_profile tigerlake_data = {
	.perf_capabilities = 0xf4c5,
	.counts_smis = true,
	.debugctl = DEBUGCTL_V3 | DEBUGCTL_RTM,
	.slots = 5,
	.bus_ratio = 63, /* 2.4 GHz core, 38.4 MHz crystal */
};
INTEL_PROFILE(tigerlake, "intel-tigerlake", "Tiger Lake, architectural PMU version 5");

/*
 * A performance core of a Core Ultra 5 125H (Meteor Lake, Redwood Cove), version 5, A06A4. Leaf 0AH is that
 * of all the part's cores; leaf 23H, of which subleaf 1 of leaf 7 tells, has this core's eight general and
 * four fixed counters. IA32_PERF_CAPABILITIES as for Alder Lake: its bit of PERF_METRICS is known to be
 * missing.
 */
static const struct cpuid_row meteorlake_p_cpuid[] = {
	{0x00, 0, 0x00000023, GENUINEINTEL},
	{0x01, 0, 0x000a06a4, 0x20800800, 0x7ffafbff, 0xbfebfbff},
	{0x02, 0, 0x00feff01, 0x000000f0, 0x00000000, 0x00000000},
	{0x04, 0, 0xfc004121, 0x02c0003f, 0x0000003f, 0x00000000},
	{0x04, 1, 0xfc004122, 0x03c0003f, 0x0000003f, 0x00000000},
	{0x04, 2, 0xfc01c143, 0x03c0003f, 0x000007ff, 0x00000000},
	{0x04, 3, 0xfc0fc163, 0x02c0003f, 0x00005fff, 0x00000004},
	{0x07, 0, 0x00000002, 0x239c27eb & ~PT_EBX, 0x994007ac, 0xfc18c410},
	{0x07, 1, 0x00000100, 0x00000000, 0x00000000, 0x00000000},
	{0x0a, 0, 0x07300805, 0x00000000, 0x00000007, 0x00008603},
	{0x1a, 0, 0x40000002, 0x00000000, 0x00000000, 0x00000000},
	{0x1c, 0, 0x4000000b, 0x00000007, 0x00000007, 0x00000000},
	{0x23, 0, 0x0000000b, 0x00000000, 0x00000000, 0x00000000},
	{0x23, 1, 0x000000ff, 0x0000000f, 0x00000000, 0x00000000},
	{0x23, 3, 0x00000dff, 0x00000000, 0x00000000, 0x00000000},
	{0x80000002, 0, 0x65746e49, 0x2952286c, 0x726f4320, 0x4d542865},
	{0x80000003, 0, 0x6c552029, 0x20617274, 0x32312035, 0x00004835},
	{0x80000004, 0, 0x00000000, 0x00000000, 0x00000000, 0x00000000},
};
static const struct intel_profile meteorlake_p_data = {
	.perf_capabilities = 0x74ff,
	.counts_smis = true,
	.debugctl = DEBUGCTL_V3 | DEBUGCTL_RTM,
	.slots = 6,
	.bus_ratio = 31, /* 1.2 GHz core, 38.4 MHz crystal */
};
INTEL_PROFILE(meteorlake_p, "intel-meteorlake-p",
	      "Meteor Lake P-core (Redwood Cove), architectural PMU version 5");

/*
 * An efficient core of that Meteor Lake (Crestmont), with eight general and three fixed counters.
 */
static const struct cpuid_row meteorlake_e_cpuid[] = {
	{0x00, 0, 0x00000023, GENUINEINTEL},
	{0x01, 0, 0x000a06a4, 0x00800800, 0x7ffafbff, 0xbfebfbff},
	{0x02, 0, 0x00feff01, 0x000000f0, 0x00000000, 0x00000000},
	{0x04, 0, 0xfc000121, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 1, 0xfc000122, 0x01c0003f, 0x0000007f, 0x00000000},
	{0x04, 2, 0xfc01c143, 0x03c0003f, 0x000007ff, 0x00000000},
	{0x04, 3, 0xfc0fc163, 0x02c0003f, 0x00005fff, 0x00000004},
	{0x07, 0, 0x00000002, 0x239c27eb & ~PT_EBX, 0x994007ac, 0xfc18c410},
	{0x07, 1, 0x00000100, 0x00000000, 0x00000000, 0x00000000},
	{0x0a, 0, 0x07300805, 0x00000000, 0x00000007, 0x00008603},
	{0x1a, 0, 0x20000002, 0x00000000, 0x00000000, 0x00000000},
	{0x1c, 0, 0xc000000b, 0x00000007, 0x00000007, 0x00000000},
	{0x23, 0, 0x0000000b, 0x00000000, 0x00000006, 0x00000000},
	{0x23, 1, 0x000000ff, 0x00000007, 0x00000000, 0x00000000},
	{0x23, 3, 0x0000007f, 0x00000000, 0x00000000, 0x00000000},
	{0x80000002, 0, 0x65746e49, 0x2952286c, 0x726f4320, 0x4d542865},
	{0x80000003, 0, 0x6c552029, 0x20617274, 0x32312035, 0x00004835},
	{0x80000004, 0, 0x00000000, 0x00000000, 0x00000000, 0x00000000},
};
static const struct intel_profile meteorlake_e_data = {
	.perf_capabilities = 0x74ff,
	.counts_smis = true,
	.debugctl = DEBUGCTL_V3,
	.bus_ratio = 18, /* 0.7 GHz core, 38.4 MHz crystal */
};
INTEL_PROFILE(meteorlake_e, "intel-meteorlake-e",
	      "Meteor Lake E-core (Crestmont), architectural PMU version 5");

/*
 * Xeon 658X (Granite Rapids, Redwood Cove), version 5, A06D1. IA32_PERF_CAPABILITIES as for Sapphire Rapids.
 */
static const struct cpuid_row graniterapids_cpuid[] = {
	{0x00, 0, 0x00000024, GENUINEINTEL},
	{0x01, 0, 0x000a06d1, 0x00800800, 0x7ffefbff, 0xbfebfbff},
	{0x02, 0, 0x00feff01, 0x000000f0, 0x00000000, 0x00000000},
	{0x04, 0, 0xfc004121, 0x02c0003f, 0x0000003f, 0x00000000},
	{0x04, 1, 0xfc004122, 0x03c0003f, 0x0000003f, 0x00000000},
	{0x04, 2, 0xfc004143, 0x03c0003f, 0x000007ff, 0x00000000},
	{0x04, 3, 0xfc1fc163, 0x03c0003f, 0x00023fff, 0x00000004},
	{0x07, 0, 0x00000002, 0xf3bfbffb & ~PT_EBX, 0xbb417fee, 0xffdd4430},
	{0x07, 1, 0x00000100, 0x00000000, 0x00000000, 0x00000000},
	{0x0a, 0, 0x08300805, 0x00000000, 0x0000000f, 0x00008604},
	{0x1a, 0, 0x40000002, 0x00000000, 0x00000000, 0x00000000},
	{0x1c, 0, 0x4000000b, 0x00000007, 0x00000007, 0x00000000},
	{0x23, 0, 0x0000000b, 0x00000000, 0x00000000, 0x00000000},
	{0x23, 1, 0x000000ff, 0x0000000f, 0x00000000, 0x00000000},
	{0x23, 3, 0x00000dff, 0x00000000, 0x00000000, 0x00000000},
	{0x80000002, 0, 0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e},
	{0x80000003, 0, 0x38353620, 0x00000058, 0x00000000, 0x00000000},
	{0x80000004, 0, 0x00000000, 0x00000000, 0x00000000, 0x00000000},
};
static const struct intel_profile graniterapids_data = {
	.perf_capabilities = 0xf4ff,
	.counts_smis = true,
	.debugctl = DEBUGCTL_V3 | DEBUGCTL_RTM,
	.slots = 6,
	.bus_ratio = 120, /* 3.0 GHz core, 25 MHz crystal */
};
INTEL_PROFILE(graniterapids, "intel-graniterapids", "Granite Rapids, architectural PMU version 5");

/*
 * An efficient core of the Lunar Lake in profiles_core.c (Skymont), version 6. General counters 2 to 7 and
 * fixed counters 0 and 1 can be reloaded by an overflow of each other (leaf 23H, subleaf 2); fixed counters 4
 * to 6 count slots by what became of them.
 */
static const struct cpuid_row lunarlake_e_cpuid[] = {
	{0x00, 0, 0x00000023, GENUINEINTEL},
	{0x01, 0, 0x000b06d1, 0x40800800, 0x7ffafbff, 0xbfebfbff},
	{0x02, 0, 0x00feff01, 0x000000f0, 0x00000000, 0x00000000},
	{0x04, 0, 0xfc000121, 0x01c0003f, 0x0000003f, 0x00000001},
	{0x04, 1, 0xfc000122, 0x01c0003f, 0x0000007f, 0x00000001},
	{0x04, 2, 0xfc01c143, 0x03c0003f, 0x00000fff, 0x00000001},
	{0x07, 0, 0x00000002, 0x239ca7eb & ~PT_EBX, 0x994027ac, 0xfc1cc430},
	{0x07, 1, 0x00000100, 0x00000000, 0x00000000, 0x00000000},
	{0x0a, 0, 0x0d300806, 0x00000280, 0x00000007, 0x00008603},
	{0x1a, 0, 0x20000003, 0x00000000, 0x00000000, 0x00000000},
	{0x1c, 0, 0xc000000b, 0x00000007, 0x000f0007, 0x00000000},
	{0x23, 0, 0x0000000f, 0x00000003, 0x00000008, 0x00000000},
	{0x23, 1, 0x000000ff, 0x00000077, 0x00000000, 0x00000000},
	{0x23, 2, 0x000000fc, 0x00000003, 0x000000fc, 0x00000003},
	{0x23, 3, 0x00001f7f, 0x00000000, 0x00000000, 0x00000000},
	{0x80000002, 0, 0x65746e49, 0x2952286c, 0x726f4320, 0x4d542865},
	{0x80000003, 0, 0x6c552029, 0x20617274, 0x38322039, 0x00005638},
	{0x80000004, 0, 0x00000000, 0x00000000, 0x00000000, 0x00000000},
};
static const struct intel_profile lunarlake_e_data = {
	.perf_capabilities = 0x75ff,
	.counts_smis = true,
	.debugctl = DEBUGCTL_V3,
	.slots = 8,
	.bus_ratio = 57, /* 2.2 GHz core, 38.4 MHz crystal */
};
INTEL_PROFILE(lunarlake_e, "intel-lunarlake-e", "Lunar Lake E-core (Skymont), architectural PMU version 6");

/*
 * A performance core of a Core Ultra 7 355 (Panther Lake, Cougar Cove), version 6, C06C3, with architectural
 * PEBS (leaf 23H, subleaves 4 and 5). IA32_PERF_CAPABILITIES is composed: as for Lunar Lake, with the record
 * format 15 by which Linux tells architectural PEBS, and without what belongs to the debug store's form,
 * which IA32_MISC_ENABLE[12] of a dump of the same cores (Core 5 320, D0651) says is not there.
 */
/* clang-format off */
#define PANTHERLAKE_P(features) \
	{0x00, 0, 0x00000028, GENUINEINTEL}, \
	{0x01, 0, 0x000c06c3, 0x00800800, 0x7ffafbff, 0xbfebfbff}, \
	{0x02, 0, 0x00feff01, 0x000000f0, 0x00000000, 0x00000000}, \
	{0x04, 0, 0xfc004121, 0x02c0003f, 0x0000003f, 0x00000000}, \
	{0x04, 1, 0xfc004122, 0x03c0003f, 0x0000003f, 0x00000000}, \
	{0x04, 2, 0xfc01c143, 0x02c0003f, 0x00000fff, 0x00000000}, \
	{0x04, 3, 0xfc0fc163, 0x02c0003f, 0x00003fff, 0x00000004}, \
	{0x07, 0, 0x00000002, 0x239ca7eb & ~PT_EBX, 0x994007bc, 0xfc18c430}, \
	{0x07, 1, 0x00000100, 0x00000000, 0x00000000, 0x00000000}, \
	{0x0a, 0, 0x0d300806, 0x00000280, 0x00000007, 0x00008603}, \
	{0x1a, 0, 0x40000004, 0x00000000, 0x00000000, 0x00000000}, \
	{0x1c, 0, 0x4000000b, 0x00000007, 0x000f0007, 0x00000000}, \
	{0x23, 0, 0x0000003b, features, 0x00000000, 0x00000000}, \
	{0x23, 1, 0x000003ff, 0x0000000f, 0x00000000, 0x00000000}, \
	{0x23, 3, 0x00001dff, 0x00000000, 0x00000000, 0x00000000}, \
	{0x23, 4, 0x00000000, 0x60060378, 0x00000000, 0x00000000}, \
	{0x23, 5, 0x000003ff, 0x00000003, 0x0000000f, 0x00000001}, \
	{0x80000002, 0, 0x65746e49, 0x2952286c, 0x726f4320, 0x4d542865}, \
	{0x80000003, 0, 0x6c552029, 0x20617274, 0x35332037, 0x00000035}, \
	{0x80000004, 0, 0x00000000, 0x00000000, 0x00000000, 0x00000000}
/* clang-format on */
static const struct cpuid_row pantherlake_p_cpuid[] = {PANTHERLAKE_P(3)};
static const struct intel_profile pantherlake_p_data = {
	.perf_capabilities = 0xbf3f,
	.counts_smis = true,
	.debugctl = DEBUGCTL_V3 | DEBUGCTL_RTM,
	.slots = 8,
	.bus_ratio = 86, /* 3.3 GHz core, 38.4 MHz crystal */
};
INTEL_PROFILE(pantherlake_p, "intel-pantherlake-p",
	      "Panther Lake P-core (Cougar Cove), architectural PMU version 6");

/*
 * No CPU that there is: the same with what version 6 has besides, counters that are kept from RDPMC outside
 * of ring 0. Linux has it from Panther Cove on, of which no CPUID has been published.
 */
static const struct cpuid_row version6_cpuid[] = {PANTHERLAKE_P(7)};
#define version6_data pantherlake_p_data
INTEL_PROFILE(version6, "intel-version6",
	      "composed: Panther Lake's P-core, with counters that can be kept from RDPMC");

/*
 * A low-power efficient core of that Panther Lake (Darkmont), version 6. It reloads as Lunar Lake's do; its
 * records have no metrics.
 */
static const struct cpuid_row pantherlake_e_cpuid[] = {
	{0x00, 0, 0x00000028, GENUINEINTEL},
	{0x01, 0, 0x000c06c3, 0x40800800, 0x7ffafbff, 0xbfebfbff},
	{0x02, 0, 0x00feff01, 0x000000f0, 0x00000000, 0x00000000},
	{0x04, 0, 0xfc000121, 0x01c0003f, 0x0000003f, 0x00000001},
	{0x04, 1, 0xfc000122, 0x01c0003f, 0x0000007f, 0x00000001},
	{0x04, 2, 0xfc01c143, 0x03c0003f, 0x00000fff, 0x00000001},
	{0x07, 0, 0x00000002, 0x239ca7eb & ~PT_EBX, 0x994007bc, 0xfc18c430},
	{0x07, 1, 0x00000100, 0x00000000, 0x00000000, 0x00000000},
	{0x0a, 0, 0x0d300806, 0x00000280, 0x00000007, 0x00008603},
	{0x1a, 0, 0x20000004, 0x00000000, 0x00000000, 0x00000000},
	{0x1c, 0, 0xc000000b, 0x00000007, 0x000f0007, 0x00000000},
	{0x23, 0, 0x0000003f, 0x00000003, 0x00000008, 0x00000000},
	{0x23, 1, 0x000000ff, 0x00000077, 0x00000000, 0x00000000},
	{0x23, 2, 0x000000fc, 0x00000003, 0x000000fc, 0x00000003},
	{0x23, 3, 0x00001f7f, 0x00000000, 0x00000000, 0x00000000},
	{0x23, 4, 0x00000000, 0x60060338, 0x00000000, 0x00000000},
	{0x23, 5, 0x000000ff, 0x00000003, 0x00000077, 0x00000001},
	{0x80000002, 0, 0x65746e49, 0x2952286c, 0x726f4320, 0x4d542865},
	{0x80000003, 0, 0x6c552029, 0x20617274, 0x35332037, 0x00000035},
	{0x80000004, 0, 0x00000000, 0x00000000, 0x00000000, 0x00000000},
};
static const struct intel_profile pantherlake_e_data = {
	.perf_capabilities = 0x3f3f,
	.counts_smis = true,
	.debugctl = DEBUGCTL_V3,
	.slots = 8,
	.bus_ratio = 86, /* 3.3 GHz core, 38.4 MHz crystal */
};
INTEL_PROFILE(pantherlake_e, "intel-pantherlake-e",
	      "Panther Lake E-core (Darkmont), architectural PMU version 6");
