#include "arch/x86/cpu/cpuid.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define EXTENDED 0x80000000u

static const struct {
	uint32_t leaf;
	uint8_t subleaf, reg, bit;
} features[CPU_FEATURE_COUNT] = {
#define CPU_FEATURE(id, leaf, subleaf, reg, bit) {leaf, subleaf, offsetof(struct cpuid_regs, reg), bit},
#include "arch/x86/cpu/cpu_features.def"
#undef CPU_FEATURE
};

bool cpu_tells(enum cpu_feature feature, struct cpuid_regs (*query)(uint32_t leaf, uint32_t subleaf))
{
	struct cpuid_regs r = query(features[feature].leaf, features[feature].subleaf);

	return *(const uint32_t *)((const char *)&r + features[feature].reg) >> features[feature].bit & 1;
}

static void decode_signature(struct cpu_identity *out, uint32_t signature)
{
	out->signature = signature;
	out->stepping = signature & 15;
	out->family = signature >> 8 & 15;
	out->model = signature >> 4 & 15;
	if (out->family == 15 || out->family == 6)
		out->model |= signature >> 12 & 0xf0;
	if (out->family == 15)
		out->family += signature >> 20 & 0xff;
}

void cpu_decode(struct cpu_identity *out, struct cpuid_regs (*query)(uint32_t leaf, uint32_t subleaf))
{
	struct cpuid_regs r = query(0, 0);

	memset(out, 0, sizeof *out);
	out->max_leaf = r.eax;
	memcpy(out->vendor, &r.ebx, 4);
	memcpy(out->vendor + 4, &r.edx, 4);
	memcpy(out->vendor + 8, &r.ecx, 4);

	r = query(1, 0);
	decode_signature(out, r.eax);
	out->under_hypervisor = r.ecx >> 31;

	out->max_extended_leaf = query(EXTENDED, 0).eax;
	if (out->max_extended_leaf >= EXTENDED + 4) {
		char brand[48];
		size_t skip = 0;

		for (unsigned i = 0; i < 3; i++) {
			r = query(EXTENDED + 2 + i, 0);
			memcpy(brand + 16 * i, &r, 16);
		}
		while (skip < sizeof brand && brand[skip] == ' ')
			skip++;
		memcpy(out->brand, brand + skip, sizeof brand - skip);
	}
}

uint32_t cpu_microcode(const char *vendor, uint64_t bios_sign_id)
{
	return (uint32_t)(strcmp(vendor, "GenuineIntel") ? bios_sign_id : bios_sign_id >> 32);
}

void cpu_name(const struct cpu_identity *cpu, char *out, size_t size)
{
	char vendor[sizeof cpu->vendor];
	size_t n = 0;

	for (const char *c = cpu->vendor; *c; c++)
		if ((*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z'))
			vendor[n++] = *c;
	vendor[n] = 0;
	snprintf(out, size, "%s-%u-%X-%X", n ? vendor : "CPU", cpu->family, cpu->model, cpu->stepping);
}
