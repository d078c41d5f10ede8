/*
 * Virtual CPUs with AMD's counters. CPUID leaves are those of real parts, from the collection of dumps with
 * which the library libcpuid tests itself, the EPYC's from the InstLatx64 collection; the highest leaves are
 * kept, so software finds no newer leaf than the part had.
 *
 * What the model has not got is cleared: of 8000_0001H:ECX LWP and the breakpoint and time-stamp extensions,
 * of 8000_0022H the memory controllers' counters.
 */
#include "pmu/amd/amd.h"

#define COUNT(a)     (sizeof(a) / sizeof(a)[0])
#define AUTHENTICAMD 0x68747541, 0x444d4163, 0x69746e65
/* Of 8000_0022H:EBX: core counters, depth of the branch stack, data fabric counters. */
#define NO_UMC  0xffffu
#define LACKING (1u << 15 | 1u << 26 | 1u << 27)

/* Athlon XP 3200+ (Barton), signature 6A0. */
static const struct model_cpuid k7_cpuid[] = {
	{0x00, 0, 0x00000001, AUTHENTICAMD},
	{0x01, 0, 0x000006a0, 0x00000000, 0x00000000, 0x0383fbff},
	{0x80000000, 0, 0x80000008, AUTHENTICAMD},
	{0x80000001, 0, 0x000007a0, 0x00000000, 0x00000000 & ~LACKING, 0xc1c3fbff},
	{0x80000002, 0, 0x20444d41, 0x6c687441, 0x74286e6f, 0x5820296d},
	{0x80000003, 0, 0x32332050, 0x002b3030, 0x00000000, 0x00000000},
	{0x80000004, 0, 0x00000000, 0x00000000, 0x00000000, 0x00000000},
	{0x80000005, 0, 0x0408ff08, 0xff20ff10, 0x40020140, 0x40020140},
	{0x80000006, 0, 0x00000000, 0x41004100, 0x02008140, 0x00000000},
	{0x80000008, 0, 0x00002022, 0x00000000, 0x00000000, 0x00000000},
};
const struct model_profile amd_k7 = {
	.name = "amd-k7",
	.description = "Athlon XP 3200+ (Barton), family 06H, four legacy counters",
	.model = &amd_model,
	.cpuid = k7_cpuid,
	.n_cpuid = COUNT(k7_cpuid),
};

/* Opteron 248 (SledgeHammer), signature F5A. */
static const struct model_cpuid k8_cpuid[] = {
	{0x00, 0, 0x00000001, AUTHENTICAMD},
	{0x01, 0, 0x00000f5a, 0x00000800, 0x00000000, 0x078bfbff},
	{0x80000000, 0, 0x80000018, AUTHENTICAMD},
	{0x80000001, 0, 0x00000f5a, 0x00000405, 0x00000000 & ~LACKING, 0xe1d3fbff},
	{0x80000002, 0, 0x20444d41, 0x6574704f, 0x286e6f72, 0x20296d74},
	{0x80000003, 0, 0x636f7250, 0x6f737365, 0x34322072, 0x00000038},
	{0x80000004, 0, 0x00000000, 0x00000000, 0x00000000, 0x00000000},
	{0x80000005, 0, 0xff08ff08, 0xff20ff20, 0x40020140, 0x40020140},
	{0x80000006, 0, 0x00000000, 0x42004200, 0x04008140, 0x00000000},
	{0x80000008, 0, 0x00003028, 0x00000000, 0x00000000, 0x00000000},
};
const struct model_profile amd_k8 = {
	.name = "amd-k8",
	.description = "Opteron 248 (SledgeHammer), family 0FH, four legacy counters",
	.model = &amd_model,
	.cpuid = k8_cpuid,
	.n_cpuid = COUNT(k8_cpuid),
};

/* Phenom II X4 940 (Deneb), signature 100F42. */
static const struct model_cpuid fam10h_cpuid[] = {
	{0x00, 0, 0x00000005, AUTHENTICAMD},
	{0x01, 0, 0x00100f42, 0x00040800, 0x00802009, 0x178bfbff},
	{0x02, 0, 0, 0, 0, 0},
	{0x04, 0, 0, 0, 0, 0},
	{0x80000000, 0, 0x8000001b, AUTHENTICAMD},
	{0x80000001, 0, 0x00100f42, 0x10001a86, 0x000037ff & ~LACKING, 0xefd3fbff},
	{0x80000002, 0, 0x20444d41, 0x6e656850, 0x74286d6f, 0x4920296d},
	{0x80000003, 0, 0x34582049, 0x30343920, 0x6f725020, 0x73736563},
	{0x80000004, 0, 0x0000726f, 0x00000000, 0x00000000, 0x00000000},
	{0x80000005, 0, 0xff30ff10, 0xff30ff20, 0x40020140, 0x40020140},
	{0x80000006, 0, 0x20800000, 0x42004200, 0x02008140, 0x0030b140},
	{0x80000008, 0, 0x00003030, 0x00000000, 0x00002003, 0x00000000},
	{0x8000001b, 0, 0x0000001f, 0, 0, 0},
};
const struct model_profile amd_fam10h = {
	.name = "amd-fam10h",
	.description = "Phenom II X4 940 (Deneb), family 10H, four legacy counters, IBS",
	.model = &amd_model,
	.cpuid = fam10h_cpuid,
	.n_cpuid = COUNT(fam10h_cpuid),
};

/* Turion X2 Ultra ZM-82 (Griffin), signature 200F31. */
static const struct model_cpuid fam11h_cpuid[] = {
	{0x00, 0, 0x00000001, AUTHENTICAMD},
	{0x01, 0, 0x00200f31, 0x00020800, 0x00002001, 0x178bfbff},
	{0x80000000, 0, 0x8000001a, AUTHENTICAMD},
	{0x80000001, 0, 0x00200f31, 0x20000520, 0x0000131f & ~LACKING, 0xebd3fbff},
	{0x80000002, 0, 0x20444d41, 0x69727554, 0x74286e6f, 0x5820296d},
	{0x80000003, 0, 0x6c552032, 0x20617274, 0x6c617544, 0x726f432d},
	{0x80000004, 0, 0x6f4d2065, 0x656c6962, 0x2d4d5a20, 0x00003238},
	{0x80000005, 0, 0xff08ff08, 0xff20ff20, 0x40020140, 0x40020140},
	{0x80000006, 0, 0x00000000, 0x42004200, 0x04008140, 0x00000000},
	{0x80000008, 0, 0x00003028, 0x00000000, 0x00001001, 0x00000000},
};
const struct model_profile amd_fam11h = {
	.name = "amd-fam11h",
	.description = "Turion X2 Ultra ZM-82 (Griffin), family 11H, four legacy counters",
	.model = &amd_model,
	.cpuid = fam11h_cpuid,
	.n_cpuid = COUNT(fam11h_cpuid),
};

/* A8-3850 (Llano), signature 300F10. */
static const struct model_cpuid fam12h_cpuid[] = {
	{0x00, 0, 0x00000006, AUTHENTICAMD},
	{0x01, 0, 0x00300f10, 0x00040800, 0x00802009, 0x178bfbff},
	{0x02, 0, 0, 0, 0, 0},
	{0x04, 0, 0, 0, 0, 0},
	{0x06, 0, 0x00000000, 0x00000000, 0x00000001, 0x00000000},
	{0x80000000, 0, 0x8000001b, AUTHENTICAMD},
	{0x80000001, 0, 0x00300f10, 0x20002b31, 0x000037ff & ~LACKING, 0xefd3fbff},
	{0x80000002, 0, 0x20444d41, 0x332d3841, 0x20303538, 0x20555041},
	{0x80000003, 0, 0x68746977, 0x64615220, 0x286e6f65, 0x20296d74},
	{0x80000004, 0, 0x47204448, 0x68706172, 0x00736369, 0x00000000},
	{0x80000005, 0, 0xff30ff10, 0xff30ff20, 0x40020140, 0x40020140},
	{0x80000006, 0, 0x20800000, 0x44004200, 0x04008140, 0x00000000},
	{0x80000008, 0, 0x00003028, 0x00000000, 0x00002003, 0x00000000},
	{0x8000001b, 0, 0x000000ff, 0, 0, 0},
};
const struct model_profile amd_fam12h = {
	.name = "amd-fam12h",
	.description = "A8-3850 (Llano), family 12H, four legacy counters, IBS",
	.model = &amd_model,
	.cpuid = fam12h_cpuid,
	.n_cpuid = COUNT(fam12h_cpuid),
};

/* E-350 (Bobcat), signature 500F10. */
static const struct model_cpuid fam14h_cpuid[] = {
	{0x00, 0, 0x00000006, AUTHENTICAMD},
	{0x01, 0, 0x00500f10, 0x00020800, 0x00802209, 0x178bfbff},
	{0x02, 0, 0, 0, 0, 0},
	{0x04, 0, 0, 0, 0, 0},
	{0x06, 0, 0x00000000, 0x00000000, 0x00000001, 0x00000000},
	{0x80000000, 0, 0x8000001b, AUTHENTICAMD},
	{0x80000001, 0, 0x00500f10, 0x00001242, 0x000035ff & ~LACKING, 0x2fd3fbff},
	{0x80000002, 0, 0x20444d41, 0x35332d45, 0x72502030, 0x7365636f},
	{0x80000003, 0, 0x00726f73, 0x00000000, 0x00000000, 0x00000000},
	{0x80000004, 0, 0x00000000, 0x00000000, 0x00000000, 0x00000000},
	{0x80000005, 0, 0xff08ff08, 0xff280000, 0x20080140, 0x20020140},
	{0x80000006, 0, 0x00000000, 0x42004200, 0x02008140, 0x00000000},
	{0x80000008, 0, 0x00003024, 0x00000000, 0x00001001, 0x00000000},
	{0x8000001b, 0, 0x000000ff, 0, 0, 0},
};
const struct model_profile amd_fam14h = {
	.name = "amd-fam14h",
	.description = "E-350 (Bobcat), family 14H, four legacy counters, IBS",
	.model = &amd_model,
	.cpuid = fam14h_cpuid,
	.n_cpuid = COUNT(fam14h_cpuid),
};

/* FX-8150 (Bulldozer), signature 600F12. */
static const struct model_cpuid fam15h_cpuid[] = {
	{0x00, 0, 0x0000000d, AUTHENTICAMD},
	{0x01, 0, 0x00600f12, 0x00080800, 0x1e98220b, 0x178bfbff},
	{0x02, 0, 0, 0, 0, 0},
	{0x04, 0, 0, 0, 0, 0},
	{0x06, 0, 0x00000000, 0x00000000, 0x00000001, 0x00000000},
	{0x80000000, 0, 0x8000001e, AUTHENTICAMD},
	{0x80000001, 0, 0x00600f12, 0x10000000, 0x01c9bfff & ~LACKING, 0x2fd3fbff},
	{0x80000002, 0, 0x20444d41, 0x74285846, 0x382d296d, 0x20303531},
	{0x80000003, 0, 0x68676945, 0x6f432d74, 0x50206572, 0x65636f72},
	{0x80000004, 0, 0x726f7373, 0x20202020, 0x20202020, 0x00202020},
	{0x80000005, 0, 0xff20ff18, 0xff20ff30, 0x10040140, 0x40020140},
	{0x80000006, 0, 0x64000000, 0x64004200, 0x08008140, 0x0040c140},
	{0x80000008, 0, 0x00003030, 0x00000000, 0x00004007, 0x00000000},
	{0x8000001b, 0, 0x000000ff, 0, 0, 0},
	{0x8000001d, 0, 0x00000121, 0x00c0003f, 0x0000003f, 0x00000000},
	{0x8000001d, 1, 0x00004122, 0x0040003f, 0x000001ff, 0x00000000},
	{0x8000001d, 2, 0x00004143, 0x03c0003f, 0x000007ff, 0x00000001},
	{0x8000001d, 3, 0x0001c163, 0x0fc0003f, 0x000007ff, 0x00000001},
};
const struct model_profile amd_fam15h = {
	.name = "amd-fam15h",
	.description = "FX-8150 (Bulldozer), family 15H, core extension with wired counters, IBS",
	.model = &amd_model,
	.cpuid = fam15h_cpuid,
	.n_cpuid = COUNT(fam15h_cpuid),
};

/* Athlon 5350 (Jaguar), signature 700F01. */
static const struct model_cpuid fam16h_cpuid[] = {
	{0x00, 0, 0x0000000d, AUTHENTICAMD},
	{0x01, 0, 0x00700f01, 0x00040800, 0x3ed8220b, 0x178bfbff},
	{0x02, 0, 0, 0, 0, 0},
	{0x04, 0, 0, 0, 0, 0},
	{0x06, 0, 0x00000000, 0x00000000, 0x00000001, 0x00000000},
	{0x80000000, 0, 0x8000001e, AUTHENTICAMD},
	{0x80000001, 0, 0x00700f01, 0x10000000, 0x154037ff & ~LACKING, 0x2fd3fbff},
	{0x80000002, 0, 0x20444d41, 0x6c687441, 0x74286e6f, 0x3520296d},
	{0x80000003, 0, 0x20303533, 0x20555041, 0x68746977, 0x64615220},
	{0x80000004, 0, 0x286e6f65, 0x20296d74, 0x20203352, 0x00202020},
	{0x80000005, 0, 0xff08ff08, 0xff28ff20, 0x20080140, 0x20020140},
	{0x80000006, 0, 0x21000000, 0x42004200, 0x08008140, 0x00000000},
	{0x80000008, 0, 0x00003028, 0x00000000, 0x00003003, 0x00000000},
	{0x8000001b, 0, 0x000000ff, 0, 0, 0},
	{0x8000001d, 0, 0x00000121, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x8000001d, 1, 0x00000122, 0x0040003f, 0x000000ff, 0x00000000},
	{0x8000001d, 2, 0x0000c143, 0x03c0003f, 0x000007ff, 0x00000002},
};
const struct model_profile amd_fam16h = {
	.name = "amd-fam16h",
	.description = "Athlon 5350 (Jaguar), family 16H, four legacy counters, IBS",
	.model = &amd_model,
	.cpuid = fam16h_cpuid,
	.n_cpuid = COUNT(fam16h_cpuid),
};

/* Ryzen 7 1800X (Zen), signature 800F11. */
static const struct model_cpuid zen1_cpuid[] = {
	{0x00, 0, 0x0000000d, AUTHENTICAMD},
	{0x01, 0, 0x00800f11, 0x00100800, 0x7ed8320b, 0x178bfbff},
	{0x02, 0, 0, 0, 0, 0},
	{0x04, 0, 0, 0, 0, 0},
	{0x06, 0, 0x00000004, 0x00000000, 0x00000001, 0x00000000},
	{0x80000000, 0, 0x8000001f, AUTHENTICAMD},
	{0x80000001, 0, 0x00800f11, 0x20000000, 0x35c233ff & ~LACKING, 0x2fd3fbff},
	{0x80000002, 0, 0x20444d41, 0x657a7952, 0x2037206e, 0x30303831},
	{0x80000003, 0, 0x69452058, 0x2d746867, 0x65726f43, 0x6f725020},
	{0x80000004, 0, 0x73736563, 0x2020726f, 0x20202020, 0x00202020},
	{0x80000005, 0, 0xff40ff40, 0xff40ff40, 0x20080140, 0x40040140},
	{0x80000006, 0, 0x26006400, 0x66006400, 0x02006140, 0x00808140},
	{0x80000008, 0, 0x00003030, 0x00000007, 0x0000400f, 0x00000000},
	{0x8000001b, 0, 0x000003ff, 0, 0, 0},
	{0x8000001d, 0, 0x00004121, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x8000001d, 1, 0x00004122, 0x00c0003f, 0x000000ff, 0x00000000},
	{0x8000001d, 2, 0x00004143, 0x01c0003f, 0x000003ff, 0x00000002},
	{0x8000001d, 3, 0x0001c163, 0x03c0003f, 0x00001fff, 0x00000001},
};
const struct model_profile amd_zen1 = {
	.name = "amd-zen1",
	.description = "Ryzen 7 1800X (Zen), family 17H, core extension",
	.model = &amd_model,
	.cpuid = zen1_cpuid,
	.n_cpuid = COUNT(zen1_cpuid),
};

/* Ryzen 7 3700X (Zen 2), signature 870F10. */
static const struct model_cpuid zen2_cpuid[] = {
	{0x00, 0, 0x00000010, AUTHENTICAMD},
	{0x01, 0, 0x00870f10, 0x00100800, 0x7ed8320b, 0x178bfbff},
	{0x02, 0, 0, 0, 0, 0},
	{0x04, 0, 0, 0, 0, 0},
	{0x06, 0, 0x00000004, 0x00000000, 0x00000001, 0x00000000},
	{0x80000000, 0, 0x80000020, AUTHENTICAMD},
	{0x80000001, 0, 0x00870f10, 0x20000000, 0x75c237ff & ~LACKING, 0x2fd3fbff},
	{0x80000002, 0, 0x20444d41, 0x657a7952, 0x2037206e, 0x30303733},
	{0x80000003, 0, 0x2d382058, 0x65726f43, 0x6f725020, 0x73736563},
	{0x80000004, 0, 0x2020726f, 0x20202020, 0x20202020, 0x00202020},
	{0x80000005, 0, 0xff40ff40, 0xff40ff40, 0x20080140, 0x20080140},
	{0x80000006, 0, 0x48006400, 0x68006400, 0x02006140, 0x01009140},
	{0x80000008, 0, 0x00003030, 0x010eb757, 0x0000700f, 0x00010000},
	{0x8000001b, 0, 0x000003ff, 0, 0, 0},
	{0x8000001d, 0, 0x00004121, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x8000001d, 1, 0x00004122, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x8000001d, 2, 0x00004143, 0x01c0003f, 0x000003ff, 0x00000002},
	{0x8000001d, 3, 0x0001c163, 0x03c0003f, 0x00003fff, 0x00000001},
};
const struct model_profile amd_zen2 = {
	.name = "amd-zen2",
	.description = "Ryzen 7 3700X (Zen 2), family 17H, core extension, IBS",
	.model = &amd_model,
	.cpuid = zen2_cpuid,
	.n_cpuid = COUNT(zen2_cpuid),
};

/* Ryzen 9 5950X (Zen 3), signature A20F10. */
static const struct model_cpuid zen3_cpuid[] = {
	{0x00, 0, 0x00000010, AUTHENTICAMD},
	{0x01, 0, 0x00a20f10, 0x00200800, 0x7ed8320b, 0x178bfbff},
	{0x02, 0, 0, 0, 0, 0},
	{0x04, 0, 0, 0, 0, 0},
	{0x06, 0, 0x00000004, 0x00000000, 0x00000001, 0x00000000},
	{0x80000000, 0, 0x80000023, AUTHENTICAMD},
	{0x80000001, 0, 0x00a20f10, 0x20000000, 0x75c237ff & ~LACKING, 0x2fd3fbff},
	{0x80000002, 0, 0x20444d41, 0x657a7952, 0x2039206e, 0x30353935},
	{0x80000003, 0, 0x36312058, 0x726f432d, 0x72502065, 0x7365636f},
	{0x80000004, 0, 0x20726f73, 0x20202020, 0x20202020, 0x00202020},
	{0x80000005, 0, 0xff40ff40, 0xff40ff40, 0x20080140, 0x20080140},
	{0x80000006, 0, 0x48002200, 0x68004200, 0x02006140, 0x02009140},
	{0x80000008, 0, 0x00003030, 0x111ef657, 0x0000501f, 0x00010000},
	{0x8000001b, 0, 0x000003fd, 0, 0, 0},
	{0x8000001d, 0, 0x00004121, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x8000001d, 1, 0x00004122, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x8000001d, 2, 0x00004143, 0x01c0003f, 0x000003ff, 0x00000002},
	{0x8000001d, 3, 0x0003c163, 0x03c0003f, 0x00007fff, 0x00000001},
};
const struct model_profile amd_zen3 = {
	.name = "amd-zen3",
	.description = "Ryzen 9 5950X (Zen 3), family 19H, core extension, IBS of operations",
	.model = &amd_model,
	.cpuid = zen3_cpuid,
	.n_cpuid = COUNT(zen3_cpuid),
};

/* EPYC 7763 (Zen 3), signature A00F11; of its caches and TLBs no dump was at hand: the 5950X's, the same
 * core. */
static const struct model_cpuid zen3_epyc_cpuid[] = {
	{0x00, 0, 0x00000010, AUTHENTICAMD},
	{0x01, 0, 0x00a00f11, 0x00400800, 0x7eda320b, 0x178bfbff},
	{0x02, 0, 0, 0, 0, 0},
	{0x04, 0, 0, 0, 0, 0},
	{0x06, 0, 0x00000004, 0x00000000, 0x00000001, 0x00000000},
	{0x80000000, 0, 0x80000023, AUTHENTICAMD},
	{0x80000001, 0, 0x00a00f11, 0x40000000, 0x75c237ff & ~LACKING, 0x2fd3fbff},
	{0x80000002, 0, 0x20444d41, 0x43595045, 0x36373720, 0x34362033},
	{0x80000003, 0, 0x726f432d, 0x72502065, 0x7365636f, 0x20726f73},
	{0x80000004, 0, 0x20202020, 0x20202020, 0x20202020, 0x00202020},
	{0x80000005, 0, 0xff40ff40, 0xff40ff40, 0x20080140, 0x20080140},
	{0x80000006, 0, 0x48002200, 0x68004200, 0x02006140, 0x02009140},
	{0x80000008, 0, 0x00003030, 0x91bef75f, 0x0000603f, 0x00010007},
	{0x8000001b, 0, 0x000003ff, 0, 0, 0},
	{0x8000001d, 0, 0x00004121, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x8000001d, 1, 0x00004122, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x8000001d, 2, 0x00004143, 0x01c0003f, 0x000003ff, 0x00000002},
	{0x8000001d, 3, 0x0003c163, 0x03c0003f, 0x00007fff, 0x00000001},
};
const struct model_profile amd_zen3_epyc = {
	.name = "amd-zen3-epyc",
	.description = "EPYC 7763 (Zen 3), family 19H, core extension, IBS, branch sampling",
	.model = &amd_model,
	.cpuid = zen3_epyc_cpuid,
	.n_cpuid = COUNT(zen3_epyc_cpuid),
};

/* Ryzen 7 7700X (Zen 4), signature A60F12; leaf 7 from the InstLatx64 collection, a Ryzen 5 7600's of the
 * same signature. */
static const struct model_cpuid zen4_cpuid[] = {
	{0x00, 0, 0x00000010, AUTHENTICAMD},
	{0x01, 0, 0x00a60f12, 0x00100800, 0x7ef8320b, 0x178bfbff},
	{0x02, 0, 0, 0, 0, 0},
	{0x04, 0, 0, 0, 0, 0},
	{0x06, 0, 0x00000004, 0x00000000, 0x00000001, 0x00000000},
	{0x07, 0, 0x00000001, 0xf1bf97a9, 0x00405fce, 0x10000010},
	{0x07, 1, 0x00000020, 0x00000000, 0x00000000, 0x00000000},
	{0x80000000, 0, 0x80000028, AUTHENTICAMD},
	{0x80000001, 0, 0x00a60f12, 0x00000000, 0x75c237ff & ~LACKING, 0x2fd3fbff},
	{0x80000002, 0, 0x20444d41, 0x657a7952, 0x2037206e, 0x30303737},
	{0x80000003, 0, 0x2d382058, 0x65726f43, 0x6f725020, 0x73736563},
	{0x80000004, 0, 0x2020726f, 0x20202020, 0x20202020, 0x00202020},
	{0x80000005, 0, 0xff48ff40, 0xff48ff40, 0x20080140, 0x20080140},
	{0x80000006, 0, 0x5c002200, 0x6c004200, 0x04006140, 0x01009140},
	{0x80000008, 0, 0x00003030, 0x191ef257, 0x0000400f, 0x00010000},
	{0x8000001b, 0, 0x00000bff, 0, 0, 0},
	{0x8000001d, 0, 0x00004121, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x8000001d, 1, 0x00004122, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x8000001d, 2, 0x00004143, 0x01c0003f, 0x000007ff, 0x00000002},
	{0x8000001d, 3, 0x0003c163, 0x03c0003f, 0x00007fff, 0x00000001},
	{0x80000022, 0, 0x00000003, 0x00084106 & NO_UMC, 0, 0},
};
const struct model_profile amd_zen4 = {
	.name = "amd-zen4",
	.description = "Ryzen 7 7700X (Zen 4), family 19H, PerfMonV2, IBS, LBR",
	.model = &amd_model,
	.cpuid = zen4_cpuid,
	.n_cpuid = COUNT(zen4_cpuid),
};

/* Ryzen 7 9700X (Zen 5), signature B40F40. */
static const struct model_cpuid zen5_cpuid[] = {
	{0x00, 0, 0x00000010, AUTHENTICAMD},
	{0x01, 0, 0x00b40f40, 0x00100800, 0x7ed8320b, 0x178bfbff},
	{0x02, 0, 0, 0, 0, 0},
	{0x04, 0, 0, 0, 0, 0},
	{0x06, 0, 0x00000004, 0x00000000, 0x00000001, 0x00000000},
	{0x80000000, 0, 0x80000028, AUTHENTICAMD},
	{0x80000001, 0, 0x00b40f40, 0x00000000, 0x75c237ff & ~LACKING, 0x2fd3fbff},
	{0x80000002, 0, 0x20444d41, 0x657a7952, 0x2037206e, 0x30303739},
	{0x80000003, 0, 0x2d382058, 0x65726f43, 0x6f725020, 0x73736563},
	{0x80000004, 0, 0x2020726f, 0x20202020, 0x20202020, 0x00202020},
	{0x80000005, 0, 0xff60ff40, 0xff60ff40, 0x300c0140, 0x20080140},
	{0x80000006, 0, 0x40802040, 0x60804040, 0x04008140, 0x01009140},
	{0x80000008, 0, 0x00003030, 0x791ef257, 0x0000400f, 0x00010000},
	{0x8000001b, 0, 0x00081bff, 0, 0, 0},
	{0x8000001d, 0, 0x00004121, 0x02c0003f, 0x0000003f, 0x00000000},
	{0x8000001d, 1, 0x00004122, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x8000001d, 2, 0x00004143, 0x03c0003f, 0x000003ff, 0x00000002},
	{0x8000001d, 3, 0x0003c163, 0x03c0003f, 0x00007fff, 0x00000001},
	{0x80000021, 0, 0x597f6fcf, 0x00080382, 0x00000000, 0x00000000},
	{0x80000022, 0, 0x00000007, 0x00084106 & NO_UMC, 0, 0},
};
const struct model_profile amd_zen5 = {
	.name = "amd-zen5",
	.description = "Ryzen 7 9700X (Zen 5), family 1AH, PerfMonV2 with freeze, IBS, LBR",
	.model = &amd_model,
	.cpuid = zen5_cpuid,
	.n_cpuid = COUNT(zen5_cpuid),
};

/* A virtual machine on that Zen 4: KVM's name and leaves, and of the PMU what KVM shows of it: the core
 * counters and PerfMonV2. */
static const struct model_cpuid zen4_guest_cpuid[] = {
	{0x00, 0, 0x00000010, AUTHENTICAMD},
	{0x01, 0, 0x00a60f12, 0x00100800, 0xfef8320b, 0x178bfbff},
	{0x02, 0, 0, 0, 0, 0},
	{0x04, 0, 0, 0, 0, 0},
	{0x06, 0, 0x00000004, 0x00000000, 0x00000000, 0x00000000},
	{0x40000000, 0, 0x40000001, 0x4b4d564b, 0x564b4d56, 0x0000004d},
	{0x40000001, 0, 0x01007efb, 0x00000000, 0x00000000, 0x00000000},
	{0x80000000, 0, 0x80000028, AUTHENTICAMD},
	{0x80000001, 0, 0x00a60f12, 0x00000000, 0x00c233ff, 0x2fd3fbff},
	{0x80000002, 0, 0x20444d41, 0x657a7952, 0x2037206e, 0x30303737},
	{0x80000003, 0, 0x2d382058, 0x65726f43, 0x6f725020, 0x73736563},
	{0x80000004, 0, 0x2020726f, 0x20202020, 0x20202020, 0x00202020},
	{0x80000005, 0, 0xff48ff40, 0xff48ff40, 0x20080140, 0x20080140},
	{0x80000006, 0, 0x5c002200, 0x6c004200, 0x04006140, 0x01009140},
	{0x80000008, 0, 0x00003030, 0x0100f205, 0x0000400f, 0x00000000},
	{0x8000001d, 0, 0x00004121, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x8000001d, 1, 0x00004122, 0x01c0003f, 0x0000003f, 0x00000000},
	{0x8000001d, 2, 0x00004143, 0x01c0003f, 0x000007ff, 0x00000002},
	{0x8000001d, 3, 0x0003c163, 0x03c0003f, 0x00007fff, 0x00000001},
	{0x80000022, 0, 0x00000001, 0x00000006, 0, 0},
};
const struct model_profile amd_zen4_guest = {
	.name = "amd-zen4-guest",
	.description = "virtual machine on a Ryzen 7 7700X (Zen 4), PerfMonV2",
	.model = &amd_model,
	.cpuid = zen4_guest_cpuid,
	.n_cpuid = COUNT(zen4_guest_cpuid),
};
