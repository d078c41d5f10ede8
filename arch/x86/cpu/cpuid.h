/*
 * CPUID: raw leaves, and the identity decoded from them. SDM vol. 2 CPUID; AMD APM vol. 3 appendix E.
 */
#ifndef ARCH_X86_CPU_CPUID_H
#define ARCH_X86_CPU_CPUID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpuid_regs {
	uint32_t eax, ebx, ecx, edx;
};

/** Execute CPUID. Leaves above the highest one that the CPU reports give all zeros. */
struct cpuid_regs cpuid(uint32_t leaf, uint32_t subleaf);

/** A CPU feature named once: leaf, register and bit. */
enum cpu_feature {
#define CPU_FEATURE(id, leaf, subleaf, reg, bit) CPU_##id,
#include "arch/x86/cpu/cpu_features.def"
#undef CPU_FEATURE
	CPU_FEATURE_COUNT
};

bool cpu_has(enum cpu_feature feature);

/** The same of a CPU that answers CPUID like this. */
bool cpu_tells(enum cpu_feature feature, struct cpuid_regs (*query)(uint32_t leaf, uint32_t subleaf));

struct cpu_identity {
	char vendor[13];                  /* "GenuineIntel" */
	char brand[49];                   /* leading blanks removed; empty if the CPU has none */
	uint32_t signature;               /* CPUID.1:EAX */
	unsigned family, model, stepping; /* display family and model */
	uint32_t max_leaf, max_extended_leaf;
	bool under_hypervisor; /* CPUID.1:ECX[31]: a hypervisor or emulator says that it is there */
	char hypervisor[13]; /* its signature, of leaf 40000000H; empty on bare metal, or if it gives none */
};

/** The same of a CPU that answers CPUID like this; but for .hypervisor, which is left empty. */
void cpu_decode(struct cpu_identity *out, struct cpuid_regs (*query)(uint32_t leaf, uint32_t subleaf));

/** identity_name() of this CPU (arch/identity.h). */
void cpu_name(const struct cpu_identity *cpu, char *out, size_t size);

/** The microcode's revision in MSR 8BH: Intel's in the upper half (SDM vol. 3, 9.11.7.1), AMD's in the lower
 * one (its patch level). */
uint32_t cpu_microcode(const char *vendor, uint64_t bios_sign_id);

/** A block of CPUID leaves that a hypervisor answers. */
struct cpu_hypervisor {
	char signature[13]; /* EBX, ECX, EDX of its first leaf; other than printable characters are '?' */
	uint32_t first_leaf, max_leaf;
};

/** Identity of the CPU that this code runs on (under the vPMU: of the presented one). */
void cpu_identify(struct cpu_identity *out);

/**
 * The blocks of hypervisor leaves: at 40000000H, and at multiples of 100H above it where one hypervisor also
 * plays another (KVM behind Hyper-V's leaves). None where leaf 1 does not say that there is a hypervisor.
 * @return how many, at most max
 */
unsigned cpu_hypervisors(struct cpu_hypervisor *out, unsigned max);

/** CPUID as software on the presented processor sees it. There must be one. */
struct cpuid_regs presented_ask(uint32_t leaf, uint32_t subleaf);

/** What its identity has for a leaf, also of what the real CPU lacks; zeros where it says nothing of it.
 * There must be one. */
struct cpuid_regs presented_own(uint32_t leaf, uint32_t subleaf);

#endif
