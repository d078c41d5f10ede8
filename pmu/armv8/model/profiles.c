/*
 * Virtual CPUs with PMUv3. MIDR_EL1, ID_AA64DFR0_EL1, the exception levels of ID_AA64PFR0_EL1 and caches are
 * those that each core's technical reference manual gives; which common events it lists follows from its list
 * of events (pmu/armv8/events), with CHAIN, and of the Cortex-A53 from the manual's value of PMCEID0_EL0, as
 * its list leaves these out.
 */
#include "arch/aarch64/presented.h"
#include "pmu/armv8/events/events.h"
#include "pmu/armv8/model/model.h"

#include <stddef.h>

#define CEID0_A53 0x67ffbfffull
#define CEID0_ALL 0x7fff0f3full /* of cores since the Cortex-A57 */
#define CEID1_N1  0x00f2ae7full
#define CEID0_N2  (0x0f0f1a7full << 32 | CEID0_ALL)
#define CEID1_N2  (0x77ull << 32 | 0xfef2ae7full)

#define CACHE(number_of_sets, number_of_ways)                                                                \
	{                                                                                                    \
		.sets = (number_of_sets), .ways = (number_of_ways), .line = 64                               \
	}

static const struct armv8_part a53_part = {
	.version = PMUVER_3_0,
	.counters = 6,
	.implementer = 0x41,
	.idcode = 0x03,
	.secure = true,
	.hypervisor = true,
	.ceid = {CEID0_A53},
	.core = ARMV8_A53,
};
static const struct presented_processor a53 = {
	.reg = {{MIDR_EL1, 0x410fd034}, {ID_AA64DFR0_EL1, 0x10305106}, {ID_AA64PFR0_EL1, 0x2222}},
	.geometry = {.l1d = CACHE(128, 4),
		     .l1i = CACHE(256, 2),
		     .l2 = CACHE(512, 16),
		     .dtlb = 10,
		     .itlb = 10,
		     .stlb_sets = 128,
		     .stlb_ways = 4},
};
static const struct model_profile cortex_a53 = {
	.name = "cortex-a53",
	.description = "Cortex-A53 r0p4, PMUv3, six counters of 32 bits",
	.model = &armv8_model,
	.identity = &a53,
	.data = &a53_part,
};

static const struct armv8_part a57_part = {
	.version = PMUVER_3_0,
	.counters = 6,
	.implementer = 0x41,
	.idcode = 0x01,
	.secure = true,
	.hypervisor = true,
	.ceid = {CEID0_ALL},
	.core = ARMV8_A57_A72,
};
static const struct presented_processor a57 = {
	.reg = {{MIDR_EL1, 0x411fd070}, {ID_AA64DFR0_EL1, 0x10305106}, {ID_AA64PFR0_EL1, 0x2222}},
	.geometry = {.l1d = CACHE(256, 2),
		     .l1i = CACHE(256, 3),
		     .l2 = CACHE(2048, 16),
		     .dtlb = 32,
		     .itlb = 48,
		     .stlb_sets = 256,
		     .stlb_ways = 4},
};
static const struct model_profile cortex_a57 = {
	.name = "cortex-a57",
	.description = "Cortex-A57 r1p0, PMUv3, six counters of 32 bits",
	.model = &armv8_model,
	.identity = &a57,
	.data = &a57_part,
};

static const struct armv8_part a72_part = {
	.version = PMUVER_3_0,
	.counters = 6,
	.implementer = 0x41,
	.idcode = 0x02,
	.secure = true,
	.hypervisor = true,
	.ceid = {CEID0_ALL},
	.core = ARMV8_A57_A72,
};
static const struct presented_processor a72 = {
	.reg = {{MIDR_EL1, 0x410fd083}, {ID_AA64DFR0_EL1, 0x10305106}, {ID_AA64PFR0_EL1, 0x2222}},
	.geometry = {.l1d = CACHE(256, 2),
		     .l1i = CACHE(256, 3),
		     .l2 = CACHE(1024, 16),
		     .dtlb = 32,
		     .itlb = 48,
		     .stlb_sets = 256,
		     .stlb_ways = 4},
};
static const struct model_profile cortex_a72 = {
	.name = "cortex-a72",
	.description = "Cortex-A72 r0p3, PMUv3, six counters of 32 bits",
	.model = &armv8_model,
	.identity = &a72,
	.data = &a72_part,
};

static const struct armv8_part n1_part = {
	.version = PMUVER_3_1,
	.counters = 6,
	.implementer = 0x41,
	.idcode = 0x0c,
	.secure = true,
	.hypervisor = true,
	.ceid = {CEID0_ALL, CEID1_N1},
	.core = ARMV8_A76_N1,
};
static const struct presented_processor n1 = {
	.reg = {{MIDR_EL1, 0x414fd0c1}, {ID_AA64DFR0_EL1, 0x110305408}, {ID_AA64PFR0_EL1, 0x1112}},
	.geometry = {.l1d = CACHE(256, 4),
		     .l1i = CACHE(256, 4),
		     .l2 = CACHE(2048, 8),
		     .dtlb = 48,
		     .itlb = 48,
		     .stlb_sets = 256,
		     .stlb_ways = 5},
};
static const struct model_profile neoverse_n1 = {
	.name = "neoverse-n1",
	.description = "Neoverse N1 r4p1, PMUv3p1, six counters of 32 bits",
	.model = &armv8_model,
	.identity = &n1,
	.data = &n1_part,
};

static const struct armv8_part n2_part = {
	.version = PMUVER_3_5,
	.counters = 6,
	.implementer = 0x41,
	.secure = true,
	.hypervisor = true,
	.pmmir = 5,
	.ceid = {CEID0_N2, CEID1_N2},
	.core = ARMV8_N2,
};
static const struct presented_processor n2 = {
	.reg = {{MIDR_EL1, 0x410fd493}, {ID_AA64DFR0_EL1, 0x11f010305619}, {ID_AA64PFR0_EL1, 0x1111}},
	.geometry = {.l1d = CACHE(256, 4),
		     .l1i = CACHE(256, 4),
		     .l2 = CACHE(2048, 8),
		     .dtlb = 44,
		     .itlb = 48,
		     .stlb_sets = 256,
		     .stlb_ways = 5},
};
static const struct model_profile neoverse_n2 = {
	.name = "neoverse-n2",
	.description = "Neoverse N2 r0p3, PMUv3p5, six counters of 64 bits",
	.model = &armv8_model,
	.identity = &n2,
	.data = &n2_part,
};

/* No part: what the model does of PMUv3p9 (docs/aarch64.md has what it does not), with every event that can
 * be listed. */
static const struct armv8_part newest_part = {
	.version = PMUVER_3_9,
	.counters = 12,
	.mdcr = 10 | PMSSE_BELOW << MDCR_PMSSE,
	.icntr = true,
	.snapshots = true,
	.profiling = true,
	.secure = true,
	.hypervisor = true,
	.multithreaded = true,
	.pmmir = EDGE_LINKS << PMMIR_EDGE | 12u << PMMIR_THWIDTH | 8,
	.ceid = {UINT64_MAX, UINT64_MAX},
	.core = ARMV8_NO_CORE,
};
static const struct presented_processor newest = {
	.reg = {{MIDR_EL1, 0x410f9090},
		{ID_AA64DFR0_EL1, 0x310315909},
		{ID_AA64DFR1_EL1, UINT64_C(1) << DFR1_ICNTR},
		{ID_AA64PFR0_EL1, 0x1111}},
};
static const struct model_profile pmuv3p9 = {
	.name = "arm-pmuv3p9",
	.description = "no part: PMUv3p9, ten counters of 64 bits, and two that EL2 has kept",
	.model = &armv8_model,
	.identity = &newest,
	.data = &newest_part,
};

const struct model_profile *const armv8_profiles[] = {&cortex_a53,  &cortex_a57, &cortex_a72, &neoverse_n1,
						      &neoverse_n2, &pmuv3p9,    NULL};
