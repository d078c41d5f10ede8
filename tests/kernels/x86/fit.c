/*
 * Whether a kernel can run here: what it needs of the CPU, of the ring and of services.
 */
#include "tests/kernels/x86/emulators.h"
#include "tests/kernels/x86/kernel.h"
#include "tests/kernels/x86/services.h"

#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "pmu/virtual/vpmu.h"

/* Of 64 bits, as their complements are asked for. */
#define EMULATED_FEATURES ((uint64_t)KERNEL_NEEDS_EMULATED)
/* Emulated for a virtual CPU of any profile; what else can be emulated, to those whose profile has it. */
#define EMULATED_FOR_ALL ((uint64_t)(KERNEL_NEEDS_RTM | KERNEL_NEEDS_SERIALIZE))
_Static_assert((~EMULATED_FEATURES & KERNEL_NEEDS_SVM) != 0, "needs above 32 bits are not emulated");

static bool profile_has(enum cpu_feature feature)
{
	return cpu_has(feature) || cpu_tells(feature, presented_own);
}

static const struct kernel_need *feature_missing(const struct kernel *k, enum services_for whom)
{
	const struct kernel_need *missing;

	if (whom == FOR_SILICON)
		return kernel_missing(k->needs, cpu_has, xcr0_read());
	missing = kernel_missing(k->needs & ~EMULATED_FEATURES, cpu_has, xcr0_read());
	if (missing || whom == FOR_ORACLE)
		return missing;
	return kernel_missing(k->needs & EMULATED_FEATURES & ~EMULATED_FOR_ALL, profile_has, UINT64_MAX);
}

static const char *unfit(const struct kernel *k, uint8_t ring, enum services_for whom)
{
	const struct emulator_trouble *trouble = emulator_trouble(k);
	const struct kernel_need *feature;
	const char *missing;

	if (ring && (k->flags & KERNEL_PRIVILEGED))
		return "privileged instructions";
	if (!ring && (k->flags & KERNEL_USER_ONLY))
		return "for ring 3 only";
	missing = services_missing(k, whom);
	if (missing)
		return missing;
	feature = feature_missing(k, whom);
	if (feature)
		return feature->lacking;
	return trouble && whom == FOR_SILICON ? trouble->reason : NULL;
}

const char *kernel_unfit(const struct kernel *k, uint8_t ring)
{
	return unfit(k, ring, vpmu_profile() ? FOR_VIRTUAL_CPU : FOR_SILICON);
}

const char *kernel_unsteppable(const struct kernel *k, uint8_t ring)
{
	return unfit(k, ring, FOR_ORACLE);
}
