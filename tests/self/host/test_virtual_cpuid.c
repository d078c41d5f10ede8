/*
 * The CPUID of every virtual CPU, over a real CPU that has everything and over one that has nothing: of its
 * features exactly those, the PMU's alone, and none that stands on another which is not shown.
 */
#include "arch/x86/cpu/presented_cpuid.h"
#include "pmu/contract/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { EAX, EBX, ECX, EDX, REGISTERS };

struct feature {
	uint32_t leaf;
	uint8_t reg, bit;
};

/* SDM vol. 2, CPUID, and APM vol. 3, appendix E. */
#define XSAVE                                                                                                \
	{                                                                                                    \
		1, ECX, 26                                                                                   \
	}
#define OSXSAVE                                                                                              \
	{                                                                                                    \
		1, ECX, 27                                                                                   \
	}
#define AVX                                                                                                  \
	{                                                                                                    \
		1, ECX, 28                                                                                   \
	}
#define DS                                                                                                   \
	{                                                                                                    \
		1, EDX, 21                                                                                   \
	}
#define AVX2                                                                                                 \
	{                                                                                                    \
		7, EBX, 5                                                                                    \
	}
#define AVX512F                                                                                              \
	{                                                                                                    \
		7, EBX, 16                                                                                   \
	}
#define SSE2                                                                                                 \
	{                                                                                                    \
		1, EDX, 26                                                                                   \
	}
#define SSE3                                                                                                 \
	{                                                                                                    \
		1, ECX, 0                                                                                    \
	}
#define SSSE3                                                                                                \
	{                                                                                                    \
		1, ECX, 9                                                                                    \
	}
#define SSE4_1                                                                                               \
	{                                                                                                    \
		1, ECX, 19                                                                                   \
	}
#define PKU                                                                                                  \
	{                                                                                                    \
		7, ECX, 3                                                                                    \
	}

/* The first cannot be without the second: SDM vol. 1, 13.2, 14.1.1, 14.3, 15.2; vol. 3, 18.4.9. */
static const struct {
	struct feature what, needs;
} stands_on[] = {
	{OSXSAVE, XSAVE},
	{AVX, XSAVE},
	{{1, ECX, 12}, AVX}, /* FMA */
	{{1, ECX, 29}, AVX}, /* F16C */
	{AVX2, AVX},
	{AVX512F, AVX2},
	{{7, EBX, 17}, AVX512F},      /* DQ */
	{{7, EBX, 21}, AVX512F},      /* IFMA */
	{{7, EBX, 28}, AVX512F},      /* CD */
	{{7, EBX, 30}, AVX512F},      /* BW */
	{{7, EBX, 31}, AVX512F},      /* VL */
	{{7, ECX, 1}, AVX512F},       /* VBMI */
	{{7, ECX, 6}, AVX512F},       /* VBMI2 */
	{{7, ECX, 11}, AVX512F},      /* VNNI */
	{{7, ECX, 12}, AVX512F},      /* BITALG */
	{{7, ECX, 14}, AVX512F},      /* VPOPCNTDQ */
	{{7, ECX, 9}, AVX},           /* VAES */
	{{7, ECX, 10}, AVX},          /* VPCLMULQDQ */
	{{7, ECX, 4}, PKU},           /* OSPKE */
	{{1, EDX, 26}, {1, EDX, 25}}, /* SSE2, SSE */
	{SSE3, SSE2},
	{SSSE3, SSE3},
	{SSE4_1, SSSE3},
	{{1, ECX, 20}, SSE4_1},                         /* SSE4.2 */
	{{1, ECX, 25}, SSE2},                           /* AES */
	{{1, ECX, 1}, SSE2},                            /* PCLMULQDQ */
	{{1, ECX, 2}, DS},                              /* DTES64 */
	{{1, ECX, 4}, DS},                              /* DS-CPL */
	{{0x80000001, ECX, 11}, AVX},                   /* XOP */
	{{0x80000001, ECX, 16}, AVX},                   /* FMA4 */
	{{0x80000001, EDX, 30}, {0x80000001, EDX, 31}}, /* 3DNowExt, 3DNow */
};

/* Bits that belong to performance monitoring: shown as the profile has them, whatever the real CPU has. */
static const struct feature monitoring[] = {
	{1, ECX, 2},           {1, ECX, 4},           {1, ECX, 15},          {1, ECX, 31},
	{1, EDX, 21},          {1, EDX, 22},          {6, ECX, 0},           {7, EBX, 25},          {7, EDX, 15},          {7, EDX, 19},
	{0x80000001, ECX, 10}, {0x80000001, ECX, 22}, {0x80000001, ECX, 23}, {0x80000001, ECX, 24},
	{0x80000001, ECX, 26}, {0x80000001, ECX, 27}, {0x80000001, ECX, 28}, {0x80000008, EBX, 1},
	{0x80000008, EBX, 31},
};

/* Registers that are features from the first bit to the last. */
static const struct feature words[] = {
	{1, ECX, 0}, {1, EDX, 0},          {6, ECX, 0},          {7, EBX, 0},          {7, ECX, 0},
	{7, EDX, 0}, {0x80000001, ECX, 0}, {0x80000001, EDX, 0}, {0x80000008, EBX, 0},
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

static uint32_t word_of(const struct cpuid_row *c, unsigned reg)
{
	return (const uint32_t[]){c->eax, c->ebx, c->ecx, c->edx}[reg];
}

/* What the profile shows over a real CPU all of whose registers are `real`. */
static uint32_t shown(const struct model_profile *p, const struct feature *f, uint32_t real)
{
	struct cpuid_row r = {f->leaf, 0, real, real, real, real}, out;

	presented_answer(&(struct presented){.table = cpuid_table_of(p->identity), .threads = p->threads}, &r,
			 &out);
	return word_of(&out, f->reg);
}

static bool has(const struct model_profile *p, struct feature f, uint32_t real)
{
	return shown(p, &f, real) >> f.bit & 1;
}

static uint32_t monitoring_mask(const struct feature *f)
{
	uint32_t mask = 0;

	for (unsigned i = 0; i < COUNT(monitoring); i++)
		if (monitoring[i].leaf == f->leaf && monitoring[i].reg == f->reg)
			mask |= 1u << monitoring[i].bit;
	return mask;
}

/* Bits of a word that follow from others, and not from the profile's row. */
static uint32_t derived(const struct model_profile *p, const struct feature *f, uint32_t own, uint32_t real)
{
	if (f->leaf == 1 &&
	    f->reg == ECX) /* OSXSAVE mirrors CR4, which is the real CPU's: SDM vol. 1, 13.2 */
		return own & 1u << 26 ? real & 1u << 27 : 0;
	if (f->leaf == 1 && f->reg == EDX) /* HTT: several logical processors */
		return p->threads > 1 ? 1u << 28 : 0;
	return 0;
}

static void features_are_the_profiles_and_the_cpus(void **state)
{
	unsigned rows = 0;

	(void)state;
	for (unsigned p = 0; model_profile(p); p++)
		for (unsigned w = 0; w < COUNT(words); w++)
			for (unsigned all = 0; all < 2; all++) {
				uint32_t real = all ? ~0u : 0, monitors = monitoring_mask(&words[w]), wanted;
				struct cpuid_row row;

				if (!presented_row(cpuid_table_of(model_profile(p)->identity), words[w].leaf,
						   0, &row))
					continue;
				wanted = word_of(&row, words[w].reg);
				wanted = (wanted & (real | monitors)) |
					 derived(model_profile(p), &words[w], wanted, real);
				if (shown(model_profile(p), &words[w], real) != wanted)
					fail_msg("%s, leaf %x, register %u, over a CPU that has %s: %08x is "
						 "shown, not "
						 "%08x",
						 model_profile(p)->name, words[w].leaf, words[w].reg,
						 all ? "everything" : "nothing",
						 shown(model_profile(p), &words[w], real), wanted);
				rows++;
			}
	assert_in_range(rows, 300, 10000);
}

/* A leaf that the profile does not list is the real CPU's, or empty, but for what belongs to monitoring. */
static void of_leaves_that_are_not_listed_monitoring_is_left_out(void **state)
{
	unsigned seen = 0;

	(void)state;
	for (unsigned p = 0; model_profile(p); p++)
		for (unsigned i = 0; i < COUNT(monitoring); i++) {
			struct cpuid_row row;

			if (presented_row(cpuid_table_of(model_profile(p)->identity), monitoring[i].leaf, 0,
					  &row))
				continue;
			assert_false(has(model_profile(p), monitoring[i], ~0u));
			seen++;
		}
	assert_true(seen > 0);
}

static void no_feature_without_what_it_stands_on(void **state)
{
	unsigned met[COUNT(stands_on)] = {0};

	(void)state;
	for (unsigned p = 0; model_profile(p); p++)
		for (unsigned i = 0; i < COUNT(stands_on); i++)
			for (unsigned all = 0; all < 2; all++) {
				uint32_t real = all ? ~0u : 0;
				struct cpuid_row row;

				/* What the profile leaves to the real CPU, that has in its own way. */
				if (!presented_row(cpuid_table_of(model_profile(p)->identity),
						   stands_on[i].what.leaf, 0, &row) ||
				    !has(model_profile(p), stands_on[i].what, real))
					continue;
				if (!has(model_profile(p), stands_on[i].needs, real))
					fail_msg("%s, over a CPU that has %s: bit %u of register %u of leaf "
						 "%x without "
						 "bit %u of register %u of leaf %x",
						 model_profile(p)->name, all ? "everything" : "nothing",
						 stands_on[i].what.bit, stands_on[i].what.reg,
						 stands_on[i].what.leaf, stands_on[i].needs.bit,
						 stands_on[i].needs.reg, stands_on[i].needs.leaf);
				met[i]++;
			}
	for (unsigned i = 0; i < 6; i++) /* XSAVE to AVX-512 */
		assert_true(met[i] > 0);
}

/* OSXSAVE and OSPKE are the operating system's: without its consent they are not shown by CPUs that could. */
static void what_the_system_switches_on_is_not_promised(void **state)
{
	const struct feature features = {1, ECX, 27};

	(void)state;
	for (unsigned p = 0; model_profile(p); p++)
		assert_false(shown(model_profile(p), &features, ~(1u << 27)) >> 27 & 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(features_are_the_profiles_and_the_cpus),
		cmocka_unit_test(of_leaves_that_are_not_listed_monitoring_is_left_out),
		cmocka_unit_test(no_feature_without_what_it_stands_on),
		cmocka_unit_test(what_the_system_switches_on_is_not_promised),
	};

	return cmocka_run_group_tests_name("CPUID of virtual CPUs", tests, NULL, NULL);
}
