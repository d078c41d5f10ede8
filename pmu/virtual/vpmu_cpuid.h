/*
 * What CPUID says on the virtual CPU: the profile's leaves, held against what the real CPU can execute. Pure,
 * so that it is tested on the host.
 */
#ifndef PMU_VIRTUAL_VPMU_CPUID_H
#define PMU_VIRTUAL_VPMU_CPUID_H

#include "arch/x86/cpu/cpuid_table.h"
#include "pmu/contract/model.h"

/** What the profile itself has for a leaf, whatever the real CPU has. @return false if it says nothing of it
 */
bool vpmu_cpuid_own(const struct model_profile *profile, uint32_t leaf, uint32_t subleaf,
		    struct cpuid_row *out);

/**
 * The answer for real->leaf, real->subleaf.
 * @param thread logical processor that asks, below profile->threads; 0 if there is one
 * @param real   what the real CPU says for it; all zero beyond its highest leaf
 * @param out    gets the registers; leaf and subleaf are copied
 */
void vpmu_cpuid(const struct model_profile *profile, unsigned thread, const struct cpuid_row *real,
		struct cpuid_row *out);

/** A register that CPUID answers with a value of the test's own, whatever the profile has. */
struct cpuid_lie {
	uint32_t leaf, subleaf, value;
	uint8_t reg; /* 0 to 3: EAX, EBX, ECX, EDX */
};
#define CPUID_LIES_MAX 8
struct cpuid_lies {
	struct cpuid_lie lie[CPUID_LIES_MAX];
	unsigned count;
};

/**
 * Take the injections cpuid:LEAF:SUBLEAF:REGISTER:VALUE out of a list (numbers in hexadecimal, REGISTER one
 * of eax, ebx, ecx, edx).
 * @param inject names separated by '+'; NULL and "" are none
 * @param rest gets the others, in the same form
 * @return false with *why, one line, if one is malformed, or there are too many
 */
bool cpuid_lies_take(const char *inject, struct cpuid_lies *out, char *rest, size_t size, const char **why);

/** Tell them. */
void cpuid_lies_tell(const struct cpuid_lies *lies, struct cpuid_row *answer);

#endif
