/* Random writes and steps: the AMD model agrees with a second, slow reading of the manual that keeps nothing
 * decoded and looks everything up when it is needed. Selectors as a program would set them, no free-running
 * counters. */
#include "pmu/amd/events/events.h"
#include "tests/self/host/amd_model_shortcuts.h"

#include <stdio.h>

#define STEPS 60000

static const struct {
	const struct model_profile *profile;
	unsigned generation, counters;
	bool v2;
} parts[] = {
	{&amd_k7, AMD_K7, 4, false},      {&amd_fam11h, AMD_11H, 4, false}, {&amd_fam12h, AMD_12H, 4, false},
	{&amd_k8, AMD_K8, 4, false},      {&amd_fam14h, AMD_14H, 4, false}, {&amd_fam16h, AMD_16H, 4, false},
	{&amd_fam10h, AMD_10H, 4, false}, {&amd_fam15h, AMD_15H, 6, false}, {&amd_zen1, AMD_ZEN1, 6, false},
	{&amd_zen2, AMD_ZEN2, 6, false},  {&amd_zen3, AMD_ZEN3, 6, false},  {&amd_zen4, AMD_ZEN4, 6, true},
	{&amd_zen5, AMD_ZEN5, 6, true},
};

static struct {
	uint64_t select[6], value[6], enable, status;
	bool level[6];
	unsigned interrupts;
} slow;

static uint32_t seed;

static uint32_t below(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(seed >> 4) * n >> 28);
}

static bool runs(unsigned p, unsigned c)
{
	return slow.select[c] >> 22 & 1 && slow.select[c] & RINGS && (!parts[p].v2 || slow.enable >> c & 1);
}

static int64_t per_cycle(unsigned p, unsigned c, const struct step *s, bool first)
{
	struct pmu_event rows[64];
	unsigned n = amd_unpack(parts[p].generation, true, rows, 64);
	uint64_t mask = amd_narrow(parts[p].generation) ? 0xffff : 0xf0000ffffull;
	int64_t sum = 0;

	for (unsigned i = 0; i < n; i++) {
		if (rows[i].code != (slow.select[c] & mask) || !(rows[i].counters >> c & 1))
			continue;
		for (unsigned t = 0; t < EVENT_TERMS && rows[i].terms[t].coefficient; t++) {
			if (rows[i].terms[t].quantity == Q_CYCLES)
				sum++;
			for (unsigned j = 0; first && j < s->n_terms; j++)
				if (s->terms[j].quantity == rows[i].terms[t].quantity)
					sum += rows[i].terms[t].coefficient * (int64_t)s->terms[j].amount;
		}
	}
	return sum;
}

static void slow_step(unsigned p, const struct step *s)
{
	for (unsigned c = 0; c < parts[p].counters; c++) {
		uint64_t select = slow.select[c], cmask = select >> 24 & 0xff, amount = 0;

		if (!runs(p, c))
			continue;
		if (!(select & (s->level ? CTL_USR : CTL_OS))) {
			slow.level[c] = false;
			continue;
		}
		for (uint32_t i = 0; i < s->cycles; i++) {
			uint64_t v = (uint64_t)per_cycle(p, c, s, i == 0);
			bool met = cmask ? (v >= cmask) != !!(select & CTL_INV) : v > 0;

			if (select & CTL_EDGE)
				amount += met && !slow.level[c];
			else
				amount += cmask ? met : v;
			slow.level[c] = met && (cmask || select & CTL_EDGE);
		}
		slow.value[c] += amount;
		if (slow.value[c] > TOP) {
			slow.value[c] &= TOP;
			slow.interrupts += select >> 20 & 1;
			if (parts[p].v2)
				slow.status |= 1ull << c;
		}
	}
}

static uint32_t select_msr(unsigned p, unsigned c)
{
	return parts[p].counters == 4 || (c < 4 && below(2)) ? CTL(c) : PERF_CTL0 + 2 * c;
}

static uint64_t random_select(void)
{
	static const uint64_t codes[] = {0xc0, 0xc2, 0xc4, 0x76, 0xd1, 0x1cb, 0x1000000c9, 0x24, 0x124, 0x29};
	uint64_t select = codes[below(10)] | (uint64_t)below(4) << 16;

	if (below(4))
		select |= CTL_EN;
	if (below(3) == 0)
		select |= CTL_INT;
	if (below(4) == 0)
		select |= CTL_EDGE;
	if (below(3) == 0)
		select |= CMASK(1 + below(4)) | (below(2) ? CTL_INV : 0);
	return select;
}

static void random_write(unsigned p)
{
	unsigned c = below(parts[p].counters);
	bool was = runs(p, c);

	switch (below(parts[p].v2 ? 4 : 2)) {
	case 0:
		slow.select[c] = random_select();
		set(select_msr(p, c), slow.select[c]);
		slow.level[c] = false;
		if (!p)
			slow.select[c] &= 0xffffffff;
		break;
	case 1:
		slow.value[c] = below(2) ? TOP - below(40) : below(1000);
		set(parts[p].counters == 4 ? CTR(c) : PERF_CTR0 + 2 * c, slow.value[c]);
		break;
	case 2:
		for (unsigned i = 0; i < 6; i++) {
			was = runs(p, i);
			slow.enable = (slow.enable & ~(1ull << i)) | (uint64_t)below(4) % 3 % 2 << i;
			if (!was && runs(p, i))
				slow.level[i] = false;
		}
		set(PERF_GLOBAL_CTL, slow.enable);
		break;
	default:
		slow.status &= ~(1ull << c);
		set(PERF_GLOBAL_STATUS_CLR, 1ull << c);
	}
}

static void random_step(unsigned p)
{
	static const quantity_number kinds[] = {Q_INSTRUCTIONS, Q_BRANCHES,     Q_BR_COND,
						Q_INSN_X87,     Q_INSN_LOAD,    Q_INTERRUPTS_HW,
						Q_INSN_LOCKED,  Q_BR_JMP_DIRECT};
	struct qterm t[4];
	struct step s = {.terms = t, .n_terms = below(5), .cycles = 1 + below(3), .level = below(2) ? 3 : 0};

	for (unsigned i = 0; i < s.n_terms; i++)
		t[i] = (struct qterm){kinds[below(8)], 1 + below(3)};
	amd_model.advance(cpu, &s);
	slow_step(p, &s);
}

static void agree(unsigned p, unsigned at)
{
	for (unsigned c = 0; c < parts[p].counters; c++) {
		uint64_t value;
		assert_int_equal(pmc(c, true, &value), REGISTER_DONE);
		if (value != slow.value[c])
			fail_msg("%s, step %u, counter %u: %#lx, slowly %#lx, selector %#lx",
				 parts[p].profile->name, at, c, (unsigned long)value,
				 (unsigned long)slow.value[c], (unsigned long)slow.select[c]);
	}
	if (parts[p].v2)
		assert_int_equal(get(PERF_GLOBAL_STATUS), slow.status);
	assert_int_equal(pmis(), slow.interrupts);
	slow.interrupts = 0;
}

static void models_agree(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < sizeof parts / sizeof parts[0]; p++) {
		memset(&slow, 0, sizeof slow);
		slow.enable = 0x3f;
		seed = 7 + p;
		power_up(parts[p].profile, "");
		for (unsigned i = 0; i < STEPS / 8; i++) {
			if (below(8) == 0)
				random_write(p);
			random_step(p);
			agree(p, i);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(models_agree)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(cpu);
	return failed;
}
