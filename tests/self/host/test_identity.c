/* What a CPU is called, from what CPUID and MSR 8BH said on real ones. */
#include "arch/x86/cpu/cpuid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static struct {
	const char *vendor, *brand; /* brand: 48 characters at most, NULL: no such leaves */
	uint32_t signature, features;
} cpu;

/* The text's next four characters, blanks of any kind behind its end included. */
static uint32_t word_of(const char *text, unsigned at)
{
	char padded[49] = {0};
	uint32_t word;

	memcpy(padded, text, strlen(text));
	memcpy(&word, padded + at, 4);
	return word;
}

static struct cpuid_regs query(uint32_t leaf, uint32_t subleaf)
{
	assert_int_equal(subleaf, 0);
	switch (leaf) {
	case 0:
		return (struct cpuid_regs){0x16, word_of(cpu.vendor, 0), word_of(cpu.vendor, 8),
					   word_of(cpu.vendor, 4)};
	case 1:
		return (struct cpuid_regs){cpu.signature, 0x12345678, cpu.features, 0x9abcdef0};
	case 0x80000000:
		return (struct cpuid_regs){cpu.brand ? 0x80000008 : 0x80000001, 0, 0, 0};
	case 0x80000002:
	case 0x80000003:
	case 0x80000004: {
		unsigned at = 16 * (leaf - 0x80000002);

		assert_non_null(cpu.brand);
		return (struct cpuid_regs){word_of(cpu.brand, at), word_of(cpu.brand, at + 4),
					   word_of(cpu.brand, at + 8), word_of(cpu.brand, at + 12)};
	}
	default:
		fail_msg("leaf %x is none of these", (unsigned)leaf);
		return (struct cpuid_regs){0};
	}
}

/* Signatures as the vendors list them in their specification updates and revision guides. */
static void signatures(void **state)
{
	static const struct {
		const char *vendor;
		uint32_t signature;
		unsigned family, model, stepping;
	} known[] = {
		{"GenuineIntel", 0x00000f12, 15, 1, 2},     /* Willamette */
		{"GenuineIntel", 0x00000f29, 15, 2, 9},     /* Northwood */
		{"GenuineIntel", 0x00000f41, 15, 3 + 1, 1}, /* Prescott */
		{"GenuineIntel", 0x000006f6, 6, 15, 6},     /* Conroe */
		{"GenuineIntel", 0x0001067a, 6, 23, 10},    /* Wolfdale */
		{"GenuineIntel", 0x000106a5, 6, 26, 5},     /* Bloomfield */
		{"GenuineIntel", 0x000506e3, 6, 94, 3},     /* Skylake */
		{"GenuineIntel", 0x000906ed, 6, 158, 13},   /* Coffee Lake */
		{"GenuineIntel", 0x000a0671, 6, 167, 1},    /* Rocket Lake */
		{"GenuineIntel", 0x000b06f2, 6, 191, 2},    /* Raptor Lake */
		{"AuthenticAMD", 0x00020f32, 15, 35, 2},    /* Toledo: family 15, with an extended model */
		{"AuthenticAMD", 0x00100f43, 16, 4, 3},     /* Deneb */
		{"AuthenticAMD", 0x00500f20, 20, 2, 0},     /* Ontario */
		{"AuthenticAMD", 0x00600f12, 21, 1, 2},     /* Zambezi */
		{"AuthenticAMD", 0x00730f01, 22, 48, 1},    /* Mullins */
		{"AuthenticAMD", 0x00800f82, 23, 8, 2},     /* Pinnacle Ridge */
		{"AuthenticAMD", 0x00a20f10, 25, 33, 0},    /* Vermeer */
		{"AuthenticAMD", 0x00b40f40, 26, 68, 0},    /* Granite Ridge */
	};

	(void)state;
	for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
		struct cpu_identity id;

		cpu.vendor = known[i].vendor;
		cpu.signature = known[i].signature;
		cpu.brand = NULL;
		cpu_decode(&id, query);
		assert_string_equal(id.vendor, known[i].vendor);
		assert_int_equal(id.signature, known[i].signature);
		assert_int_equal(id.family, known[i].family);
		assert_int_equal(id.model, known[i].model);
		assert_int_equal(id.stepping, known[i].stepping);
		assert_int_equal(id.max_leaf, 0x16);
		assert_int_equal(id.max_extended_leaf, 0x80000001);
		assert_string_equal(id.brand, "");
	}
}

/* The model's upper half is part of it in families 6 and 15 alone: a Pentium has none. */
static void old_families(void **state)
{
	struct cpu_identity id;

	(void)state;
	cpu.vendor = "GenuineIntel";
	cpu.brand = NULL;
	cpu.signature = 0x00ff0543; /* what lies in reserved bits is not looked at */
	cpu_decode(&id, query);
	assert_int_equal(id.family, 5);
	assert_int_equal(id.model, 4);
	assert_int_equal(id.stepping, 3);
}

static void brands(void **state)
{
	static const struct {
		const char *told, *brand;
	} known[] = {
		{"              Intel(R) Pentium(R) 4 CPU 3.00GHz", "Intel(R) Pentium(R) 4 CPU 3.00GHz"},
		{"AMD Ryzen 9 5950X 16-Core Processor            ",
		 "AMD Ryzen 9 5950X 16-Core Processor            "},
		{"123456789012345678901234567890123456789012345678",
		 "123456789012345678901234567890123456789012345678"},
		{"                                                ", ""},
	};
	struct cpu_identity id;

	(void)state;
	cpu.vendor = "GenuineIntel";
	cpu.signature = 0xf41;
	for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
		cpu.brand = known[i].told;
		cpu_decode(&id, query);
		assert_string_equal(id.brand, known[i].brand);
	}
}

static void guests(void **state)
{
	struct cpu_identity id;

	(void)state;
	cpu.vendor = "GenuineIntel";
	cpu.brand = NULL;
	for (unsigned guest = 0; guest < 2; guest++) {
		cpu.features = 0x7fffffff | (uint32_t)guest << 31;
		cpu_decode(&id, query);
		assert_int_equal(id.under_hypervisor, guest);
		assert_string_equal(id.hypervisor, "");
	}
}

/* As WRMSR, CPUID, RDMSR leave it, of one with the vendor's published revision. */
static void microcode(void **state)
{
	(void)state;
	assert_int_equal(cpu_microcode("GenuineIntel", 0x000000f000000000), 0xf0);
	assert_int_equal(cpu_microcode("GenuineIntel", 0xb000040deadbeef0), 0xb000040d);
	assert_int_equal(cpu_microcode("AuthenticAMD", 0x000000000a20102b), 0x0a20102b);
	assert_int_equal(cpu_microcode("AuthenticAMD", 0xdeadbeef06003106), 0x06003106);
	assert_int_equal(cpu_microcode("HygonGenuine", 0x0000000080901047), 0x80901047);
}

static void names_of_cpus(void **state)
{
	static const struct {
		struct cpu_identity cpu;
		const char *name;
	} cases[] = {
		{{.vendor = "GenuineIntel", .family = 6, .model = 0x5e, .stepping = 3},
		 "GenuineIntel-6-5E-3"},
		{{.vendor = "AuthenticAMD", .family = 25, .model = 0x21, .stepping = 0},
		 "AuthenticAMD-25-21-0"},
		{{.vendor = "VIA VIA VIA ", .family = 6, .model = 15, .stepping = 10}, "VIAVIAVIA-6-F-A"},
		{{.vendor = "<:\\/*?\"|> \x80\xff", .family = 15}, "CPU-15-0-0"},
	};
	char name[48];

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		cpu_name(&cases[i].cpu, name, sizeof name);
		assert_string_equal(name, cases[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_cpus), cmocka_unit_test(signatures), cmocka_unit_test(old_families),
		cmocka_unit_test(brands),        cmocka_unit_test(guests),     cmocka_unit_test(microcode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
