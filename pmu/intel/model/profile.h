/*
 * What the model needs to know of a CPU beyond its CPUID leaves.
 */
#ifndef PMU_INTEL_MODEL_PROFILE_H
#define PMU_INTEL_MODEL_PROFILE_H

#include "arch/x86/cpu/cpuid_table.h"
#include "pmu/intel/registers.h"

#include <stdbool.h>
#include <stdint.h>

struct intel_profile {
	uint64_t perf_capabilities; /* IA32_PERF_CAPABILITIES; read only if CPUID.1:ECX[15] */
	uint64_t debugctl;          /* bits of IA32_DEBUGCTL that exist */
	unsigned slots;             /* pipeline slots per core cycle (topdown); 0 where nothing counts them */
	bool counts_smis;           /* MSR_SMI_COUNT exists: Nehalem and later */
	bool under_hypervisor; /* a virtual machine's: neither the stack of last branches nor registers of
		       single events that go by the model; LBR and BTF of IA32_DEBUGCTL, and
		       bits above a fixed counter's width, can be written and are not kept */
	unsigned bus_ratio;    /* core cycles per tick of the reference-cycle event 3CH/01H */
};

/* For the rows of profiles*.c. */
#define GENUINEINTEL 0x756e6547, 0x6c65746e, 0x49656e69

/* The virtual CPU that a file's id_cpuid and id_data describe. */
#define INTEL_PROFILE(id, called, text, ...)                                                                 \
	const struct model_profile intel_##id = {.name = called,                                             \
						 .description = text,                                        \
						 .model = &intel_model,                                      \
						 .identity = CPUID_TABLE(id##_cpuid),                        \
						 .data = &id##_data,                                         \
						 __VA_ARGS__}

/* The processor trace of leaf 7: most models lack it, of others its registers exist. */
#define PT_EBX (1u << 25)

/* IA32_DEBUGCTL from version 2 on: SDM 17.4.1. */
#define DEBUGCTL_V2                                                                                          \
	(DEBUGCTL_LBR | DEBUGCTL_BTF | DEBUGCTL_TRACE | DEBUGCTL_FREEZE_LBRS_ON_PMI |                        \
	 DEBUGCTL_FREEZE_PERFMON_ON_PMI)
#define DEBUGCTL_V3 (DEBUGCTL_V2 | DEBUGCTL_UNCORE_PMI | DEBUGCTL_FREEZE_WHILE_SMM)

#endif
