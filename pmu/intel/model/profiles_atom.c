/*
 * Virtual CPUs of the Atom line.
 *
 * CPUID leaves are those of the InstLatX64 collection of dumps, under the signature given beside each.
 */
#include "pmu/intel/intel.h"
#include "pmu/intel/model/profile.h"
#include "pmu/intel/registers.h"

/*
 * Atom Z3745 (Silvermont), version 3, 30678. IA32_PERF_CAPABILITIES as
 * VirtualBox's CPU database has it for a Pentium N3530.
 */
static const struct cpuid_row silvermont_cpuid[] = {
	{0x00, 0, 0x0000000b, GENUINEINTEL},
	{0x01, 0, 0x00030678, 0x00100800, 0x43d8e3bf, 0xbfebfbff},
	{0x02, 0, 0x61b3a001, 0x0000ffc2, 0x00000000, 0x00000000},
	{0x04, 0, 0x1c000121, 0x0140003f, 0x0000003f, 0x00000001},
	{0x04, 1, 0x1c000122, 0x01c0003f, 0x0000003f, 0x00000001},
	{0x04, 2, 0x1c00c143, 0x03c0003f, 0x000003ff, 0x00000001},
	{0x0a, 0, 0x07280203, 0x00000000, 0x00000000, 0x00004503},
	{0x80000002, 0, 0x20202020, 0x20202020, 0x65746e49, 0x2952286c},
	{0x80000003, 0, 0x6f744120, 0x4d54286d, 0x50432029, 0x5a202055},
	{0x80000004, 0, 0x35343733, 0x20402020, 0x33332e31, 0x007a4847},
};
static const struct intel_profile silvermont_data = {
	.perf_capabilities = 0x32c1,
	.counts_smis = true,
	.debugctl = DEBUGCTL_V3,
	.bus_ratio = 16, /* 1.33 GHz core, 83 MHz bus */
};
INTEL_PROFILE(silvermont, "intel-silvermont", "Silvermont, architectural PMU version 3");

/*
 * Celeron J3455 (Goldmont), version 4, 506C9. IA32_PERF_CAPABILITIES composed: LBR format 6, PEBS trap,
 * registers saved, record format 3, freeze in SMM, full-width writes.
 */
static const struct cpuid_row goldmont_cpuid[] = {
	{0x00, 0, 0x00000015, GENUINEINTEL},
	{0x01, 0, 0x000506c9, 0x00200800, 0x4ff8ebbf, 0xbfebfbff},
	{0x02, 0, 0x6164a001, 0x0000ffc4, 0x00000000, 0x00000000},
	{0x04, 0, 0x3c000121, 0x0140003f, 0x0000003f, 0x00000001},
	{0x04, 1, 0x3c000122, 0x01c0003f, 0x0000003f, 0x00000001},
	{0x04, 2, 0x3c00c143, 0x03c0003f, 0x000003ff, 0x00000001},
	{0x0a, 0, 0x07300404, 0x00000000, 0x00000000, 0x00000603},
	{0x80000002, 0, 0x65746e49, 0x2952286c, 0x6c654320, 0x6e6f7265},
	{0x80000003, 0, 0x20295228, 0x20555043, 0x3534334a, 0x20402035},
	{0x80000004, 0, 0x30352e31, 0x007a4847, 0x00000000, 0x00000000},
};
static const struct intel_profile goldmont_data = {
	.perf_capabilities = 0x33c6,
	.counts_smis = true,
	.debugctl = DEBUGCTL_V3,
	.bus_ratio = 78, /* 1.5 GHz core, 19.2 MHz crystal */
};
INTEL_PROFILE(goldmont, "intel-goldmont", "Goldmont, architectural PMU version 4");

/*
 * Pentium Silver N5030 (Gemini Lake, Goldmont Plus), version 4, 706A8. IA32_PERF_CAPABILITIES composed: LBR
 * format 7, PEBS trap, registers saved, record format 3, freeze in SMM, full-width writes. Of the branch
 * stack's three registers an entry tells SDM vol. 4, that the format's number is 7 Linux (1ac7fd8159a8,
 * "Support LBR format V7").
 */
static const struct cpuid_row goldmontplus_cpuid[] = {
	{0x00, 0, 0x00000018, GENUINEINTEL},
	{0x01, 0, 0x000706a8, 0x00400800, 0x4ff8ebbf, 0xbfebfbff},
	{0x02, 0, 0x00feff01, 0x00000000, 0x00000000, 0x00000000},
	{0x04, 0, 0x7c000121, 0x0140003f, 0x0000003f, 0x00000001},
	{0x04, 1, 0x7c000122, 0x01c0003f, 0x0000003f, 0x00000001},
	{0x04, 2, 0x7c01c143, 0x03c0003f, 0x00000fff, 0x00000001},
	{0x0a, 0, 0x07300404, 0x00000000, 0x00000000, 0x00008603},
	{0x18, 0, 0x00000004, 0x00000000, 0x00000000, 0x00000000},
	{0x18, 1, 0x00000000, 0x00200001, 0x00000001, 0x00000121},
	{0x18, 2, 0x00000000, 0x00040001, 0x00000080, 0x00000043},
	{0x18, 3, 0x00000000, 0x00040006, 0x00000008, 0x00000043},
	{0x18, 4, 0x00000000, 0x00300001, 0x00000001, 0x00000122},
	{0x80000002, 0, 0x65746e49, 0x2952286c, 0x6e655020, 0x6d756974},
	{0x80000003, 0, 0x20295228, 0x766c6953, 0x4e207265, 0x30333035},
	{0x80000004, 0, 0x55504320, 0x31204020, 0x4730312e, 0x00007a48},
};
static const struct intel_profile goldmontplus_data = {
	.perf_capabilities = 0x33c7,
	.counts_smis = true,
	.debugctl = DEBUGCTL_V3,
	.bus_ratio = 57, /* 1.1 GHz core, 19.2 MHz crystal */
};
INTEL_PROFILE(goldmontplus, "intel-goldmontplus", "Goldmont Plus, architectural PMU version 4");

/*
 * Celeron N5095A (Jasper Lake, Tremont), version 5, 906C0. IA32_PERF_CAPABILITIES composed: LBR format 7,
 * PEBS trap, registers saved, record format 4, freeze in SMM, full-width writes, PEBS baseline. Of the format
 * no public text that was found names Tremont: it is inferred from Goldmont Plus, which has it, and from
 * there being no transactions, the one thing by which format 5 differs. A driver goes by the register.
 */
static const struct cpuid_row tremont_cpuid[] = {
	{0x00, 0, 0x0000001b, GENUINEINTEL},
	{0x01, 0, 0x000906c0, 0x00800800, 0x4ff8ebbf, 0xbfebfbff},
	{0x02, 0, 0x00feff01, 0x00000000, 0x00000000, 0x00000000},
	{0x04, 0, 0xfc000121, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 1, 0xfc000122, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 2, 0xfc01c143, 0x02c0003f, 0x000007ff, 0x00000000},
	{0x04, 3, 0xfc1fc163, 0x03c0003f, 0x00000fff, 0x00000006},
	{0x0a, 0, 0x07300405, 0x00000000, 0x00000007, 0x00008603},
	{0x1a, 0, 0x20000000, 0x00000000, 0x00000000, 0x00000000},
	{0x80000002, 0, 0x65746e49, 0x2952286c, 0x6c654320, 0x6e6f7265},
	{0x80000003, 0, 0x20295228, 0x3930354e, 0x40204135, 0x302e3220},
	{0x80000004, 0, 0x7a484730, 0x00000000, 0x00000000, 0x00000000},
};
static const struct intel_profile tremont_data = {
	.perf_capabilities = 0x74c7,
	.counts_smis = true,
	.debugctl = DEBUGCTL_V3,
	.bus_ratio = 52, /* 2.0 GHz core, 38.4 MHz crystal */
};
INTEL_PROFILE(tremont, "intel-tremont", "Tremont, architectural PMU version 5");

/*
 * An efficient core of the Alder Lake in profiles_core.c (Gracemont), version 5, 90672.
 */
static const struct cpuid_row alderlake_e_cpuid[] = {
	{0x00, 0, 0x00000020, GENUINEINTEL},
	{0x01, 0, 0x00090672, 0x40800800, 0x7ffafbbf, 0xbfebfbff},
	{0x02, 0, 0x00feff01, 0x00000000, 0x00000000, 0x00000000},
	{0x04, 0, 0xfc004121, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x04, 1, 0xfc004122, 0x01c0003f, 0x0000007f, 0x00000000},
	{0x04, 2, 0xfc01c143, 0x03c0003f, 0x000007ff, 0x00000000},
	{0x04, 3, 0xfc1fc163, 0x0240003f, 0x00009fff, 0x00000004},
	{0x07, 0, 0x00000002, 0x239c27eb & ~PT_EBX, 0x98c007ac, 0xfc18c410},
	{0x0a, 0, 0x07300605, 0x00000000, 0x00000007, 0x00008603},
	{0x1a, 0, 0x20000001, 0x00000000, 0x00000000, 0x00000000},
	{0x1c, 0, 0x4000000b, 0x00000007, 0x00000007, 0x00000000},
	{0x80000002, 0, 0x68743231, 0x6e654720, 0x746e4920, 0x52286c65},
	{0x80000003, 0, 0x6f432029, 0x54286572, 0x6920294d, 0x32312d37},
	{0x80000004, 0, 0x48303038, 0x00000058, 0x00000000, 0x00000000},
};
static const struct intel_profile alderlake_e_data = {
	.perf_capabilities = 0x74ff,
	.counts_smis = true,
	.debugctl = DEBUGCTL_V3,
	.bus_ratio = 52, /* 2.0 GHz core, 38.4 MHz crystal */
};
INTEL_PROFILE(alderlake_e, "intel-alderlake-e", "Alder Lake E-core (Gracemont), architectural PMU version 5");
