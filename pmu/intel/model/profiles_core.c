/*
 * Virtual CPUs of the Core line after Nehalem, with the leaves that profiles.c says.
 *
 * CPUID leaves are those of the InstLatX64 collection of dumps, under the signature given beside each.
 */
#include "pmu/intel/intel.h"
#include "pmu/intel/model/profile.h"
#include "pmu/intel/registers.h"

/*
 * Xeon W3670 (Westmere-EP), version 3, 206C2. IA32_PERF_CAPABILITIES as on Nehalem.
 */
static const struct cpuid_row westmere_cpuid[] = {
	{0x00, 0, 0x0000000b, GENUINEINTEL},
	{0x01, 0, 0x000206c2, 0x00200800, 0x029ee3ff, 0xbfebfbff},
	{0x02, 0, 0x55035a01, 0x00f0b2ff, 0x00000000, 0x00ca0000},
	{0x04, 0, 0x3c004121, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 1, 0x3c004122, 0x00c0003f, 0x0000007f, 0x00000000},
	{0x04, 2, 0x3c004143, 0x01c0003f, 0x000001ff, 0x00000000},
	{0x04, 3, 0x3c07c163, 0x03c0003f, 0x00002fff, 0x00000002},
	{0x0a, 0, 0x07300403, 0x00000004, 0x00000000, 0x00000603},
	{0x80000002, 0, 0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e},
	{0x80000003, 0, 0x55504320, 0x20202020, 0x20202020, 0x57202020},
	{0x80000004, 0, 0x30373633, 0x20402020, 0x30322e33, 0x007a4847},
};
static const struct intel_profile westmere_data = {
	.perf_capabilities = 0x11c3,
	.counts_smis = true,
	.debugctl = DEBUGCTL_V3,
	.bus_ratio = 24, /* 3.2 GHz core, 133 MHz bus */
};
INTEL_PROFILE(westmere, "intel-westmere", "Westmere, architectural PMU version 3");

/*
 * Core i7-2600 (Sandy Bridge), version 3, 206A7; two threads a core, so four counters each.
 * IA32_PERF_CAPABILITIES as VirtualBox's CPU database has it for a Core i7-2635QM.
 */
static const struct cpuid_row sandybridge_cpuid[] = {
	{0x00, 0, 0x0000000d, GENUINEINTEL},
	{0x01, 0, 0x000206a7, 0x00100800, 0x1fbae3ff, 0xbfebfbff},
	{0x02, 0, 0x76035a01, 0x00f0b2ff, 0x00000000, 0x00ca0000},
	{0x04, 0, 0x1c004121, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 1, 0x1c004122, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 2, 0x1c004143, 0x01c0003f, 0x000001ff, 0x00000000},
	{0x04, 3, 0x1c03c163, 0x03c0003f, 0x00001fff, 0x00000006},
	{0x0a, 0, 0x07300403, 0x00000000, 0x00000000, 0x00000603},
	{0x80000002, 0, 0x20202020, 0x20202020, 0x65746e49, 0x2952286c},
	{0x80000003, 0, 0x726f4320, 0x4d542865, 0x37692029, 0x3036322d},
	{0x80000004, 0, 0x50432030, 0x20402055, 0x30342e33, 0x007a4847},
};
static const struct intel_profile sandybridge_data = {
	.perf_capabilities = 0x31c3,
	.counts_smis = true,
	.debugctl = DEBUGCTL_V3,
	.bus_ratio = 34, /* 3.4 GHz core, 100 MHz bus */
};
INTEL_PROFILE(sandybridge, "intel-sandybridge", "Sandy Bridge, architectural PMU version 3");

/*
 * Xeon E3-1230 v2 (Ivy Bridge), version 3, 306A9. IA32_PERF_CAPABILITIES as VirtualBox's CPU database has
 * it for a Core i5-3570.
 */
static const struct cpuid_row ivybridge_cpuid[] = {
	{0x00, 0, 0x0000000d, GENUINEINTEL},
	{0x01, 0, 0x000306a9, 0x00100800, 0x7fbae3ff, 0xbfebfbff},
	{0x02, 0, 0x76035a01, 0x00f0b2ff, 0x00000000, 0x00ca0000},
	{0x04, 0, 0x1c004121, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 1, 0x1c004122, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 2, 0x1c004143, 0x01c0003f, 0x000001ff, 0x00000000},
	{0x04, 3, 0x1c03c163, 0x03c0003f, 0x00001fff, 0x00000006},
	{0x0a, 0, 0x07300403, 0x00000000, 0x00000000, 0x00000603},
	{0x80000002, 0, 0x20202020, 0x6e492020, 0x286c6574, 0x58202952},
	{0x80000003, 0, 0x286e6f65, 0x43202952, 0x45205550, 0x32312d33},
	{0x80000004, 0, 0x56203033, 0x20402032, 0x30332e33, 0x007a4847},
};
static const struct intel_profile ivybridge_data = {
	.perf_capabilities = 0x31c3,
	.counts_smis = true,
	.debugctl = DEBUGCTL_V3,
	.bus_ratio = 33, /* 3.3 GHz core, 100 MHz bus */
};
INTEL_PROFILE(ivybridge, "intel-ivybridge", "Ivy Bridge, architectural PMU version 3");

/*
 * The same without Hyper-Threading: the core's one logical processor has the counters of both.
 */
static const struct cpuid_row ivybridge_8_cpuid[] = {
	{0x00, 0, 0x0000000d, GENUINEINTEL},
	{0x01, 0, 0x000306a9, 0x00100800, 0x7fbae3ff, 0xbfebfbff},
	{0x02, 0, 0x76035a01, 0x00f0b2ff, 0x00000000, 0x00ca0000},
	{0x04, 0, 0x1c000121, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 1, 0x1c000122, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 2, 0x1c000143, 0x01c0003f, 0x000001ff, 0x00000000},
	{0x04, 3, 0x1c03c163, 0x03c0003f, 0x00001fff, 0x00000006},
	{0x0a, 0, 0x07300803, 0x00000000, 0x00000000, 0x00000603},
	{0x80000002, 0, 0x20202020, 0x6e492020, 0x286c6574, 0x58202952},
	{0x80000003, 0, 0x286e6f65, 0x43202952, 0x45205550, 0x32312d33},
	{0x80000004, 0, 0x56203033, 0x20402032, 0x30332e33, 0x007a4847},
};
#define ivybridge_8_data ivybridge_data
INTEL_PROFILE(ivybridge_8, "intel-ivybridge-8",
	      "Ivy Bridge without Hyper-Threading, architectural PMU version 3, eight counters");

/*
 * Core i7-4765T (Haswell), version 3, 306C3. IA32_PERF_CAPABILITIES composed from SDM 17.8 and 18.11: LBR
 * format 4, record format 2, full-width writes; it is that of the Broadwell below.
 */
static const struct cpuid_row haswell_cpuid[] = {
	{0x00, 0, 0x0000000d, GENUINEINTEL},
	{0x01, 0, 0x000306c3, 0x00100800, 0x7ffafbff, 0xbfebfbff},
	{0x02, 0, 0x76036301, 0x00f0b5ff, 0x00000000, 0x00c10000},
	{0x04, 0, 0x1c004121, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 1, 0x1c004122, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 2, 0x1c004143, 0x01c0003f, 0x000001ff, 0x00000000},
	{0x04, 3, 0x1c03c163, 0x03c0003f, 0x00001fff, 0x00000006},
	{0x0a, 0, 0x07300403, 0x00000000, 0x00000000, 0x00000603},
	{0x80000002, 0, 0x65746e49, 0x2952286c, 0x726f4320, 0x4d542865},
	{0x80000003, 0, 0x37692029, 0x3637342d, 0x43205435, 0x40205550},
	{0x80000004, 0, 0x302e3220, 0x7a484730, 0x00000000, 0x00000000},
};
static const struct intel_profile haswell_data = {
	.perf_capabilities = 0x32c4,
	.counts_smis = true,
	.debugctl = DEBUGCTL_V3 | DEBUGCTL_RTM,
	.bus_ratio = 20, /* 2.0 GHz core, 100 MHz bus */
};
INTEL_PROFILE(haswell, "intel-haswell", "Haswell, architectural PMU version 3");

/*
 * Core i5-5250U (Broadwell), version 3, 306D4. IA32_PERF_CAPABILITIES as VirtualBox's CPU database has it for
 * a Core i7-5600U. Of leaf 7 the processor trace alone.
 */
static const struct cpuid_row broadwell_cpuid[] = {
	{0x00, 0, 0x00000014, GENUINEINTEL},
	{0x01, 0, 0x000306d4, 0x00100800, 0x7ffafbbf, 0xbfebfbff},
	{0x02, 0, 0x76036301, 0x00f0b5ff, 0x00000000, 0x00c30000},
	{0x04, 0, 0x1c004121, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 1, 0x1c004122, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 2, 0x1c004143, 0x01c0003f, 0x000001ff, 0x00000000},
	{0x04, 3, 0x1c03c163, 0x02c0003f, 0x00000fff, 0x00000006},
	{0x07, 0, 0x00000000, PT_EBX, 0x00000000, 0x00000000},
	{0x0a, 0, 0x07300403, 0x00000000, 0x00000000, 0x00000603},
	{0x14, 0, 0x00000000, 0x00000001, 0x00000001, 0x00000000},
	{0x80000002, 0, 0x65746e49, 0x2952286c, 0x726f4320, 0x4d542865},
	{0x80000003, 0, 0x35692029, 0x3532352d, 0x43205530, 0x40205550},
	{0x80000004, 0, 0x362e3120, 0x7a484730, 0x00000000, 0x00000000},
};
static const struct intel_profile broadwell_data = {
	.perf_capabilities = 0x32c4,
	.counts_smis = true,
	.debugctl = DEBUGCTL_V3 | DEBUGCTL_RTM,
	.bus_ratio = 16, /* 1.6 GHz core, 100 MHz bus */
};
INTEL_PROFILE(broadwell, "intel-broadwell", "Broadwell, architectural PMU version 3", .late = true);

/*
 * The same without Hyper-Threading: the core's one logical processor has the counters of both.
 */
static const struct cpuid_row broadwell_8_cpuid[] = {
	{0x00, 0, 0x00000014, GENUINEINTEL},
	{0x01, 0, 0x000306d4, 0x00100800, 0x7ffafbbf, 0xbfebfbff},
	{0x02, 0, 0x76036301, 0x00f0b5ff, 0x00000000, 0x00c30000},
	{0x04, 0, 0x1c000121, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 1, 0x1c000122, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 2, 0x1c000143, 0x01c0003f, 0x000001ff, 0x00000000},
	{0x04, 3, 0x1c03c163, 0x02c0003f, 0x00000fff, 0x00000006},
	{0x0a, 0, 0x07300803, 0x00000000, 0x00000000, 0x00000603},
	{0x80000002, 0, 0x65746e49, 0x2952286c, 0x726f4320, 0x4d542865},
	{0x80000003, 0, 0x35692029, 0x3532352d, 0x43205530, 0x40205550},
	{0x80000004, 0, 0x362e3120, 0x7a484730, 0x00000000, 0x00000000},
};
#define broadwell_8_data broadwell_data
INTEL_PROFILE(broadwell_8, "intel-broadwell-8",
	      "Broadwell without Hyper-Threading, architectural PMU version 3, eight counters", .late = true);

/*
 * A performance core of a Core i7-12800HX (Alder Lake, Golden Cove), version 5, 90672. Its CPUID tells of the
 * six general and three fixed counters that both kinds of core have. IA32_PERF_CAPABILITIES composed:
 * architectural LBR (all format bits set), PEBS trap, registers saved, record format 4, freeze in SMM,
 * full-width writes, PEBS baseline; no PERF_METRICS, which go with a fixed counter that this CPUID does not
 * show.
 */
static const struct cpuid_row alderlake_p_cpuid[] = {
	{0x00, 0, 0x00000020, GENUINEINTEL},
	{0x01, 0, 0x00090672, 0x00800800, 0x7ffafbbf, 0xbfebfbff},
	{0x02, 0, 0x00feff01, 0x000000f0, 0x00000000, 0x00000000},
	{0x04, 0, 0xfc004121, 0x02c0003f, 0x0000003f, 0x00000000},
	{0x04, 1, 0xfc004122, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 2, 0xfc01c143, 0x0240003f, 0x000007ff, 0x00000000},
	{0x04, 3, 0xfc1fc163, 0x0240003f, 0x00009fff, 0x00000004},
	{0x06, 0, 0x00000080, 0x00000000, 0x00000001, 0x00000000},
	{0x07, 0, 0x00000002, 0x239c27eb & ~PT_EBX, 0x98c007ac, 0xfc18c410},
	{0x0a, 0, 0x07300605, 0x00000000, 0x00000007, 0x00008603},
	{0x1a, 0, 0x40000001, 0x00000000, 0x00000000, 0x00000000},
	{0x1c, 0, 0x4000000b, 0x00000007, 0x00000007, 0x00000000},
	{0x80000002, 0, 0x68743231, 0x6e654720, 0x746e4920, 0x52286c65},
	{0x80000003, 0, 0x6f432029, 0x54286572, 0x6920294d, 0x32312d37},
	{0x80000004, 0, 0x48303038, 0x00000058, 0x00000000, 0x00000000},
};
static const struct intel_profile alderlake_p_data = {
	.perf_capabilities = 0x74ff,
	.counts_smis = true,
	.debugctl = DEBUGCTL_V3 | DEBUGCTL_RTM,
	.slots = 6,
	.bus_ratio = 52, /* 2.0 GHz core, 38.4 MHz crystal */
};
INTEL_PROFILE(alderlake_p, "intel-alderlake-p",
	      "Alder Lake P-core (Golden Cove), architectural PMU version 5");

/*
 * Xeon w9-3475X (Sapphire Rapids, Golden Cove), version 5, 806F8. IA32_PERF_CAPABILITIES as for Alder Lake,
 * and PERF_METRICS, of which Alder Lake's CPUID shows no counter of slots.
 */
static const struct cpuid_row sapphirerapids_cpuid[] = {
	{0x00, 0, 0x00000020, GENUINEINTEL},
	{0x01, 0, 0x000806f8, 0x00800800, 0x7ffefbff, 0xbfebfbff},
	{0x02, 0, 0x00feff01, 0x000000f0, 0x00000000, 0x00000000},
	{0x04, 0, 0xfc004121, 0x02c0003f, 0x0000003f, 0x00000000},
	{0x04, 1, 0xfc004122, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 2, 0xfc004143, 0x03c0003f, 0x000007ff, 0x00000000},
	{0x04, 3, 0xfc1fc163, 0x0380003f, 0x00015fff, 0x00000004},
	{0x07, 0, 0x00000002, 0xf3bfbffb & ~PT_EBX, 0xbb417fee, 0xffdd4430},
	{0x0a, 0, 0x08300805, 0x00000000, 0x0000000f, 0x00008604},
	{0x1c, 0, 0x4000000b, 0x00000007, 0x00000007, 0x00000000},
	{0x80000002, 0, 0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e},
	{0x80000003, 0, 0x2d397720, 0x35373433, 0x00000058, 0x00000000},
	{0x80000004, 0, 0x00000000, 0x00000000, 0x00000000, 0x00000000},
};
static const struct intel_profile sapphirerapids_data = {
	.perf_capabilities = 0xf4ff,
	.counts_smis = true,
	.debugctl = DEBUGCTL_V3 | DEBUGCTL_RTM,
	.slots = 6,
	.bus_ratio = 88, /* 2.2 GHz core, 25 MHz crystal */
};
INTEL_PROFILE(sapphirerapids, "intel-sapphirerapids",
	      "Sapphire Rapids, architectural PMU version 5, without PERF_METRICS", .late = true);

/*
 * Core Ultra 9 288V (Lunar Lake, Lion Cove), version 6, B06D1. Leaf 0AH is that of all the part's cores; leaf
 * 23H tells of this core's ten general and four fixed counters. Of subleaf 1 of leaf 7 only the bit of leaf
 * 23H is kept. IA32_PERF_CAPABILITIES is composed: as for Sapphire
 * Rapids, with record format 5.
 */
static const struct cpuid_row lunarlake_p_cpuid[] = {
	{0x00, 0, 0x00000023, GENUINEINTEL},
	{0x01, 0, 0x000b06d1, 0x00800800, 0x7ffafbff, 0xbfebfbff},
	{0x02, 0, 0x00feff01, 0x000000f0, 0x00000000, 0x00000000},
	{0x04, 0, 0xfc004121, 0x02c0003f, 0x0000003f, 0x00000000},
	{0x04, 1, 0xfc004122, 0x03c0003f, 0x0000003f, 0x00000000},
	{0x04, 2, 0xfc01c143, 0x0240003f, 0x00000fff, 0x00000000},
	{0x04, 3, 0xfc0fc163, 0x02c0003f, 0x00003fff, 0x00000004},
	{0x07, 0, 0x00000002, 0x239ca7eb & ~PT_EBX, 0x994027ac, 0xfc1cc430},
	{0x07, 1, 0x00000100, 0x00000000, 0x00000000, 0x00000000},
	{0x0a, 0, 0x0d300806, 0x00000280, 0x00000007, 0x00008603},
	{0x1a, 0, 0x40000003, 0x00000000, 0x00000000, 0x00000000},
	{0x1c, 0, 0x4000000b, 0x00000007, 0x000f0007, 0x00000000},
	{0x23, 0, 0x0000000b, 0x00000003, 0x00000000, 0x00000000},
	{0x23, 1, 0x000003ff, 0x0000000f, 0x00000000, 0x00000000},
	{0x23, 3, 0x00001dff, 0x00000000, 0x00000000, 0x00000000},
	{0x80000002, 0, 0x65746e49, 0x2952286c, 0x726f4320, 0x4d542865},
	{0x80000003, 0, 0x6c552029, 0x20617274, 0x38322039, 0x00005638},
	{0x80000004, 0, 0x00000000, 0x00000000, 0x00000000, 0x00000000},
};
static const struct intel_profile lunarlake_p_data = {
	.perf_capabilities = 0xf5ff,
	.counts_smis = true,
	.debugctl = DEBUGCTL_V3 | DEBUGCTL_RTM,
	.slots = 8,
	.bus_ratio = 86, /* 3.3 GHz core, 38.4 MHz crystal */
};
INTEL_PROFILE(lunarlake_p, "intel-lunarlake-p", "Lunar Lake P-core (Lion Cove), architectural PMU version 6");
