/* The leaves of CPUID that a report lists: each one, with its subleaves, on a CPU that answers all or little.
 */
#include "arch/x86/interrupts/mwait.h"
#include "arch/x86/cpu/cpuid_leaves.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define MOST 4096

static uint32_t highest[2]; /* basic and extended */
static bool hypervisor, answers_nothing;
static struct {
	uint32_t leaf, subleaf;
	struct cpuid_regs r;
} listed[MOST];
static unsigned n_listed;

/* Every leaf and subleaf has an answer of its own. */
static struct cpuid_regs query(uint32_t leaf, uint32_t subleaf)
{
	struct cpuid_regs r = {0, leaf, subleaf, 1};

	if (!(leaf & 0x7fffffff))
		r.eax = highest[leaf >> 31];
	else if (answers_nothing)
		r = (struct cpuid_regs){0};
	if (leaf == 1)
		r.ecx = hypervisor ? UINT32_C(1) << 31 : 0;
	return r;
}

static void each(void *to, uint32_t leaf, uint32_t subleaf, struct cpuid_regs r)
{
	assert_ptr_equal(to, listed);
	assert_in_range(n_listed, 0, MOST - 1);
	listed[n_listed].leaf = leaf;
	listed[n_listed].subleaf = subleaf;
	listed[n_listed++].r = r;
}

static void list(uint32_t basic, uint32_t extended)
{
	n_listed = 0;
	highest[0] = basic;
	highest[1] = extended;
	cpuid_leaves(query, each, listed);
}

static unsigned times(uint32_t leaf)
{
	unsigned n = 0;

	for (unsigned i = 0; i < n_listed; i++)
		if (listed[i].leaf == leaf) {
			assert_int_equal(listed[i].subleaf, n);
			n++;
		}
	return n;
}

/* SDM vol. 2A table 3-8 and APM vol. 3 appendix E: leaves that read ECX. */
static bool reads_ecx(uint32_t leaf)
{
	switch (leaf) {
	case 0x04:       /* caches */
	case 0x07:       /* features */
	case 0x0b:       /* topology */
	case 0x0d:       /* extended state */
	case 0x0f:       /* resource monitoring */
	case 0x10:       /* resource allocation */
	case 0x12:       /* SGX */
	case 0x14:       /* processor trace */
	case 0x17:       /* vendor of the chip */
	case 0x18:       /* translations */
	case 0x1d:       /* tiles */
	case 0x1e:       /* tile multiplication */
	case 0x1f:       /* topology */
	case 0x20:       /* HRESET */
	case 0x23:       /* performance monitoring */
	case 0x24:       /* AVX10 */
	case 0x8000001d: /* caches */
	case 0x80000020: /* resource allocation */
	case 0x80000026: /* topology */
		return true;
	default:
		return false;
	}
}

static void every_leaf_is_listed(void **state)
{
	(void)state;
	hypervisor = answers_nothing = false;
	list(0x3f, 0x8000003f);
	for (uint32_t leaf = 0; leaf < 0x40; leaf++)
		assert_int_equal(times(leaf), leaf == 3 ? 0 : reads_ecx(leaf) ? CPUID_SUBLEAVES : 1);
	for (uint32_t leaf = 0x80000000; leaf < 0x80000040; leaf++)
		assert_int_equal(times(leaf), reads_ecx(leaf) ? CPUID_SUBLEAVES : 1);
	assert_int_equal(times(0x40000000), 0);
	for (unsigned i = 0; i < n_listed; i++) {
		struct cpuid_regs r = query(listed[i].leaf, listed[i].subleaf);

		assert_memory_equal(&listed[i].r, &r, sizeof r);
	}
}

static void no_leaf_beyond_the_highest(void **state)
{
	(void)state;
	for (uint32_t basic = 1; basic < 0x28; basic++) {
		list(basic, 0x80000000 + basic);
		assert_int_equal(times(basic) > 0, basic != 3);
		assert_int_equal(times(basic + 1), 0);
		assert_true(times(0x80000000 + basic) > 0);
		assert_int_equal(times(0x80000001 + basic), 0);
	}
	list(1, 1); /* no extended range: the answer is that of a basic leaf */
	assert_int_equal(times(0x80000000), 0);
	list(UINT32_MAX, UINT32_MAX); /* a highest leaf out of bounds */
	assert_int_equal(times(0x3f), 1);
	assert_int_equal(times(0x40), 0);
	assert_int_equal(times(0x80000040), 0);
}

static void what_is_zero_is_left_out(void **state)
{
	(void)state;
	answers_nothing = true;
	list(0x20, 0x80000020);
	assert_int_equal(n_listed, 2); /* the highest leaves alone */
	answers_nothing = false;
}

static void a_hypervisor_has_its_first_leaf(void **state)
{
	(void)state;
	hypervisor = true;
	list(2, 0x80000001);
	assert_int_equal(times(0x40000000), 1);
	assert_int_equal(times(0x40000001), 0);
	hypervisor = false;
	list(2, 0x80000001);
	assert_int_equal(times(0x40000000), 0);
}

struct seen_pairs {
	unsigned n;
	char text[400];
};

static void each_pair(void *to, const char *name, const char *value)
{
	struct seen_pairs *s = to;

	s->n++;
	snprintf(s->text + strlen(s->text), sizeof s->text - strlen(s->text), "%s = %s\n", name, value);
}

static struct cpuid_regs extremes(uint32_t leaf, uint32_t subleaf)
{
	if (leaf == 0x80000000)
		return (struct cpuid_regs){0x80000000, UINT32_MAX, 0, UINT32_C(0x80000000)};
	if (leaf)
		return leaf == 4 && subleaf == 7 ? (struct cpuid_regs){0, 0, 0, 1} : (struct cpuid_regs){0};
	return (struct cpuid_regs){0xa, 0x756e6547, 0x6c65746e, 0x49656e69};
}

/* As pairs of an identity: leaves in hexadecimal, subleaves in decimal, registers in the order of CPUID. */
static void leaves_as_pairs(void **state)
{
	struct seen_pairs seen = {0};

	(void)state;
	cpuid_pairs(extremes, each_pair, &seen);
	assert_string_equal(seen.text, "CPUID.0H.0 = 0xa 0x756e6547 0x6c65746e 0x49656e69\n"
				       "CPUID.4H.7 = 0x0 0x0 0x0 0x1\n"
				       "CPUID.80000000H.0 = 0x80000000 0xffffffff 0x0 0x80000000\n");
	assert_int_equal(seen.n, 3);
}

/* The hint's state 0 is C1, of which leaf 05H tells in bits 7:4. */
static void the_deepest_idle_state(void **state)
{
	(void)state;
	assert_int_equal(mwait_deepest(3, 0), 0);
	assert_int_equal(mwait_deepest(3, 0x12), 0);      /* C0 and C1 alone */
	assert_int_equal(mwait_deepest(3, 0x1120), 0x20); /* Nehalem's: C1, C3, C6 */
	assert_int_equal(mwait_deepest(3, 0x11142120), 0x60);
	assert_int_equal(mwait_deepest(0, 0x1120), 0); /* not told of */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_leaf_is_listed),     cmocka_unit_test(no_leaf_beyond_the_highest),
		cmocka_unit_test(what_is_zero_is_left_out), cmocka_unit_test(a_hypervisor_has_its_first_leaf),
		cmocka_unit_test(leaves_as_pairs),          cmocka_unit_test(the_deepest_idle_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
