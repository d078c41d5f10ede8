/*
 * Virtual CPUs with an architectural PMU. CPUID leaves are those of real parts, from public dumps named
 * beside each; the highest leaf is kept, so software finds no newer leaf than the part had.
 */
#include "pmu/intel/intel.h"
#include "pmu/intel/model/profile.h"
#include "pmu/intel/registers.h"

/*
 * Core Duo T2600 (Yonah), stepping C0, version 1. Leaves and IA32_PERF_CAPABILITIES, IA32_DEBUGCTL as probed
 * on the part by the authors of VirtualBox (its CPU database). The real part has no 64-bit mode; leaf
 * 80000001H is left to the real CPU, so that the image, which is 64-bit code, may be shown this PMU all the
 * same. Its debug store is of 32 bits (no DTES64), which 64-bit code cannot use.
 */
static const struct cpuid_row yonah_cpuid[] = {
	{0x00, 0, 0x0000000a, GENUINEINTEL},
	{0x01, 0, 0x000006e8, 0x01020800, 0x0000c1a9, 0xbfe9fbff},
	{0x02, 0, 0x02b3b001, 0x000000f0, 0x00000000, 0x2c04307d},
	{0x04, 0, 0x04000121, 0x01c0003f, 0x0000003f, 0x00000001},
	{0x04, 1, 0x04000122, 0x01c0003f, 0x0000003f, 0x00000001},
	{0x04, 2, 0x04004143, 0x01c0003f, 0x00000fff, 0x00000001},
	{0x0a, 0, 0x07280201, 0x00000000, 0x00000000, 0x00000000},
	{0x80000002, 0, 0x756e6547, 0x20656e69, 0x65746e49, 0x2952286c},
	{0x80000003, 0, 0x55504320, 0x20202020, 0x20202020, 0x54202020},
	{0x80000004, 0, 0x30303632, 0x20402020, 0x36312e32, 0x007a4847},
};
static const struct intel_profile yonah_data = {
	.perf_capabilities = 0,
	.debugctl = DEBUGCTL_LBR | DEBUGCTL_BTF | 0x1c0, /* TR, BTS, BTINT */
	.bus_ratio = 13,                                 /* 2.16 GHz core, 166 MHz bus */
};
INTEL_PROFILE(yonah, "intel-yonah",
	      "Core Duo (Yonah), architectural PMU version 1, presented in 64-bit mode");

/*
 * Xeon E5462 (Penryn core), version 2. Leaves from the InstLatX64 collection of CPUID dumps (GenuineIntel
 * 10676); leaf 0AH is the same on the Core 2 Duo T9600 of Bochs. IA32_PERF_CAPABILITIES and IA32_DEBUGCTL as
 * VirtualBox's CPU database has them for a Core 2 X6800.
 */
static const struct cpuid_row core2_cpuid[] = {
	{0x00, 0, 0x0000000a, GENUINEINTEL},
	{0x01, 0, 0x00010676, 0x00040800, 0x000ce3bd, 0xbfebfbff},
	{0x02, 0, 0x05b0b101, 0x005657f0, 0x00000000, 0x2cb4304e},
	{0x04, 0, 0x0c000121, 0x01c0003f, 0x0000003f, 0x00000001},
	{0x04, 1, 0x0c000122, 0x01c0003f, 0x0000003f, 0x00000001},
	{0x04, 2, 0x0c004143, 0x05c0003f, 0x00000fff, 0x00000001},
	{0x0a, 0, 0x07280202, 0x00000000, 0x00000000, 0x00000503},
	{0x80000002, 0, 0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e},
	{0x80000003, 0, 0x55504320, 0x20202020, 0x20202020, 0x45202020},
	{0x80000004, 0, 0x32363435, 0x20402020, 0x30382e32, 0x007a4847},
};
static const struct intel_profile core2_data = {
	.perf_capabilities = 0x82, .debugctl = DEBUGCTL_V2, .bus_ratio = 7, /* 2.8 GHz core, 400 MHz bus */
};
INTEL_PROFILE(core2, "intel-core2", "Core 2 (Penryn), architectural PMU version 2");

/*
 * Xeon E5520 (Nehalem-EP), version 3, from a public dump of that part (signature 106A5). CPUID declares the
 * reference-cycle and the mispredicted-branch event as missing (0AH:EBX bits 2 and 6; errata AAJ79, AAJ80).
 * IA32_PERF_CAPABILITIES is composed from SDM 18.8.1 and 17.7: LBR format 3, PEBS trap, registers saved,
 * record format 1, freeze in SMM; no full-width writes.
 */
static const struct cpuid_row nehalem_cpuid[] = {
	{0x00, 0, 0x0000000b, GENUINEINTEL},
	{0x01, 0, 0x000106a5, 0x06100800, 0x009ce3bd, 0xbfebfbff},
	{0x02, 0, 0x55035a01, 0x00f0b2e4, 0x00000000, 0x09ca212c},
	{0x04, 0, 0x1c004121, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 1, 0x1c004122, 0x00c0003f, 0x0000007f, 0x00000000},
	{0x04, 2, 0x1c004143, 0x01c0003f, 0x000001ff, 0x00000000},
	{0x04, 3, 0x1c03c163, 0x03c0003f, 0x00001fff, 0x00000002},
	{0x06, 0, 0x00000000, 0x00000000, 0x00000001, 0x00000000},
	{0x0a, 0, 0x07300403, 0x00000044, 0x00000000, 0x00000603},
	{0x80000002, 0, 0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e},
	{0x80000003, 0, 0x55504320, 0x20202020, 0x20202020, 0x45202020},
	{0x80000004, 0, 0x30323535, 0x20402020, 0x37322e32, 0x007a4847},
};
static const struct intel_profile nehalem_data = {
	.perf_capabilities = 0x11c3,
	.counts_smis = true,
	.debugctl = DEBUGCTL_V3,
	.bus_ratio = 17, /* 2.27 GHz core, 133 MHz bus */
};
INTEL_PROFILE(nehalem, "intel-nehalem", "Nehalem-EP, architectural PMU version 3");

/*
 * Core i7-8700 (Coffee Lake, the Skylake core), version 4, from a public dump of that part (signature 906EA).
 * IA32_PERF_CAPABILITIES as VirtualBox's CPU database has it for a Core i7-6700K. Of leaf 7 the processor
 * trace alone.
 */
static const struct cpuid_row skylake_cpuid[] = {
	{0x00, 0, 0x00000016, GENUINEINTEL},
	{0x01, 0, 0x000906ea, 0x09100800, 0x7ffafbff, 0xbfebfbff},
	{0x02, 0, 0x76036301, 0x00f0b5ff, 0x00000000, 0x00c30000},
	{0x04, 0, 0x1c004121, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 1, 0x1c004122, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 2, 0x1c004143, 0x00c0003f, 0x000003ff, 0x00000000},
	{0x04, 3, 0x1c03c163, 0x03c0003f, 0x00002fff, 0x00000006},
	{0x07, 0, 0x00000000, PT_EBX, 0x00000000, 0x00000000},
	{0x0a, 0, 0x07300404, 0x00000000, 0x00000000, 0x00000603},
	{0x14, 0, 0x00000001, 0x0000000f, 0x00000007, 0x00000000},
	{0x80000002, 0, 0x65746e49, 0x2952286c, 0x726f4320, 0x4d542865},
	{0x80000003, 0, 0x37692029, 0x3037382d, 0x50432030, 0x20402055},
	{0x80000004, 0, 0x30322e33, 0x007a4847, 0x00000000, 0x00000000},
};
static const struct intel_profile skylake_data = {
	.perf_capabilities = 0x33c5,
	.counts_smis = true,
	.debugctl = DEBUGCTL_V3 | DEBUGCTL_RTM,
	.bus_ratio = 133, /* 3.2 GHz core, 24 MHz crystal */
};
INTEL_PROFILE(skylake, "intel-skylake", "Coffee Lake (Skylake core), architectural PMU version 4");

/*
 * The same without Hyper-Threading: the core's one logical processor has the counters of both.
 */
static const struct cpuid_row skylake_8_cpuid[] = {
	{0x00, 0, 0x00000016, GENUINEINTEL},
	{0x01, 0, 0x000906ea, 0x09100800, 0x7ffafbff, 0xbfebfbff},
	{0x02, 0, 0x76036301, 0x00f0b5ff, 0x00000000, 0x00c30000},
	{0x04, 0, 0x1c000121, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 1, 0x1c000122, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 2, 0x1c000143, 0x00c0003f, 0x000003ff, 0x00000000},
	{0x04, 3, 0x1c03c163, 0x03c0003f, 0x00002fff, 0x00000006},
	{0x0a, 0, 0x07300804, 0x00000000, 0x00000000, 0x00000603},
	{0x80000002, 0, 0x65746e49, 0x2952286c, 0x726f4320, 0x4d542865},
	{0x80000003, 0, 0x37692029, 0x3037382d, 0x50432030, 0x20402055},
	{0x80000004, 0, 0x30322e33, 0x007a4847, 0x00000000, 0x00000000},
};
#define skylake_8_data skylake_data
INTEL_PROFILE(skylake_8, "intel-skylake-8",
	      "Coffee Lake without Hyper-Threading, architectural PMU version 4, eight counters");

/*
 * Core i7-1065G7 (Ice Lake), version 5: leaves 0, 1 (signature), 4 and 0AH as Bochs has them for that part.
 * IA32_PERF_CAPABILITIES is composed from Intel's documentation: LBR format 5, PEBS trap, registers saved,
 * record format 4, freeze in SMM, full-width writes, PEBS baseline, PERF_METRICS.
 */
static const struct cpuid_row icelake_cpuid[] = {
	{0x00, 0, 0x0000001b, GENUINEINTEL},
	{0x01, 0, 0x000706e5, 0x00100800, 0x77faf3bf, 0xbfebfbff},
	{0x02, 0, 0x00feff01, 0x000000f0, 0x00000000, 0x00000000},
	{0x04, 0, 0x1c004121, 0x02c0003f, 0x0000003f, 0x00000000},
	{0x04, 1, 0x1c004122, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 2, 0x1c004143, 0x01c0003f, 0x000003ff, 0x00000000},
	{0x04, 3, 0x1c03c163, 0x03c0003f, 0x00001fff, 0x00000006},
	{0x0a, 0, 0x08300805, 0x00000000, 0x0000000f, 0x00008604},
};
static const struct intel_profile icelake_data = {
	.perf_capabilities = 0xf4c5,
	.counts_smis = true,
	.debugctl = DEBUGCTL_V3 | DEBUGCTL_RTM,
	.slots = 5,      /* instructions allocated per cycle */
	.bus_ratio = 39, /* 1.5 GHz core, 38.4 MHz crystal */
};
INTEL_PROFILE(icelake, "intel-icelake", "Ice Lake, architectural PMU version 5");

/*
 * A virtual machine on that Ice Lake: KVM's name and leaves, and of the PMU what KVM shows where it offers
 * neither PDCM nor the debug store: version 2, no more than eight general and three fixed counters, of the
 * architectural events those with a counter, AnyThread deprecated. LBR and BTF of IA32_DEBUGCTL are dropped.
 * IA32_PERF_CAPABILITIES is the host's, and faults.
 */
static const struct cpuid_row icelake_guest_cpuid[] = {
	{0x00, 0, 0x0000001b, GENUINEINTEL},
	{0x01, 0, 0x000706e5, 0x00100800, 0xfffa3203, 0x0f8bfbff},
	{0x02, 0, 0x00feff01, 0x000000f0, 0x00000000, 0x00000000},
	{0x04, 0, 0x1c004121, 0x02c0003f, 0x0000003f, 0x00000000},
	{0x04, 1, 0x1c004122, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 2, 0x1c004143, 0x01c0003f, 0x000003ff, 0x00000000},
	{0x04, 3, 0x1c03c163, 0x03c0003f, 0x00001fff, 0x00000006},
	{0x0a, 0, 0x07300802, 0x00000000, 0x00000000, 0x00008603},
	{0x40000000, 0, 0x40000001, 0x4b4d564b, 0x564b4d56, 0x0000004d},
	{0x40000001, 0, 0x01007efb, 0x00000000, 0x00000000, 0x00000000},
};
static const struct intel_profile icelake_guest_data = {
	.under_hypervisor = true,
	.perf_capabilities = 0xf4c5,
	.counts_smis = true,
	.debugctl = 0,
	.slots = 5,
	.bus_ratio = 39,
};
INTEL_PROFILE(icelake_guest, "intel-icelake-guest",
	      "virtual machine on an Ice Lake, architectural PMU version 2");
