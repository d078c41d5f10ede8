/*
 * Register rules of the Intel model, one test each. Included by the test of the model as it is and by the one
 * that breaks it.
 */
#ifndef TESTS_SELF_HOST_INTEL_MODEL_TESTS_H
#define TESTS_SELF_HOST_INTEL_MODEL_TESTS_H

#include "tests/self/host/intel_model_shortcuts.h"

#define ALL_PROFILES 5
static const struct model_profile *const profiles[ALL_PROFILES] = {&intel_yonah, &intel_core2, &intel_nehalem,
								   &intel_skylake, &intel_icelake};

/* presence and reset */

static void reset_state(void **unused)
{
	static const uint64_t global[ALL_PROFILES] = {0, 3, 15, 15, 255};
	(void)unused;
	for (unsigned i = 0; i < ALL_PROFILES; i++) {
		power_up(profiles[i], "");
		assert_int_equal(get(IA32_PMC0), 0);
		assert_int_equal(get(IA32_PERFEVTSEL0 + 1), 0);
		assert_int_equal(get(IA32_DEBUGCTL), 0);
		assert_false(intel_model.counting(cpu));
		assert_false(intel_model.take_pmi(cpu));
		if (!i)
			continue;
		assert_int_equal(get(IA32_PERF_GLOBAL_CTRL), global[i]);
		assert_int_equal(get(IA32_PERF_GLOBAL_STATUS), 0);
		assert_int_equal(get(IA32_FIXED_CTR_CTRL), 0);
		assert_int_equal(get(IA32_FIXED_CTR0), 0);
	}
}

static void presence(void **unused)
{
	static const unsigned general[ALL_PROFILES] = {2, 2, 4, 4, 8}, fixed[ALL_PROFILES] = {0, 3, 3, 3, 4};
	static const unsigned version[ALL_PROFILES] = {1, 2, 3, 4, 5};
	uint64_t value;
	(void)unused;
	for (unsigned p = 0; p < ALL_PROFILES; p++) {
		power_up(profiles[p], "");
		for (unsigned i = 0; i < 8; i++) {
			assert_int_equal(faults(IA32_PMC0 + i), i >= general[p]);
			assert_int_equal(faults(IA32_PERFEVTSEL0 + i), i >= general[p]);
			assert_int_equal(put(IA32_PMC0 + i, 0),
					 i >= general[p] ? REGISTER_FAULT : REGISTER_DONE);
			assert_int_equal(put(IA32_PERFEVTSEL0 + i, 0),
					 i >= general[p] ? REGISTER_FAULT : REGISTER_DONE);
			assert_int_equal(faults(IA32_A_PMC0 + i), p < 3 || i >= general[p]);
			assert_int_equal(put(IA32_A_PMC0 + i, 0),
					 p < 3 || i >= general[p] ? REGISTER_FAULT : REGISTER_DONE);
		}
		for (unsigned i = 0; i < 7; i++) {
			assert_int_equal(faults(IA32_FIXED_CTR0 + i), i >= fixed[p]);
			assert_int_equal(put(IA32_FIXED_CTR0 + i, 0),
					 i >= fixed[p] ? REGISTER_FAULT : REGISTER_DONE);
		}
		for (uint32_t a = IA32_FIXED_CTR_CTRL; a <= IA32_PERF_GLOBAL_OVF_CTRL; a++)
			assert_int_equal(faults(a), version[p] < 2);
		assert_int_equal(put(IA32_PERF_GLOBAL_CTRL, 0),
				 version[p] < 2 ? REGISTER_FAULT : REGISTER_DONE);
		assert_int_equal(put(IA32_PERF_GLOBAL_OVF_CTRL, 0),
				 version[p] < 2 ? REGISTER_FAULT : REGISTER_DONE);
		assert_int_equal(faults(IA32_PERF_GLOBAL_STATUS_SET), version[p] < 4);
		assert_int_equal(faults(IA32_PERF_GLOBAL_INUSE), version[p] < 4);
		assert_int_equal(put(IA32_PERF_GLOBAL_STATUS_SET, 0),
				 version[p] < 4 ? REGISTER_FAULT : REGISTER_DONE);
		assert_int_equal(put(IA32_PERF_GLOBAL_INUSE, 0), REGISTER_FAULT);
		/* Registers of others. */
		assert_int_equal(model_rdmsr(&intel_model, cpu, 0x10, &value), REGISTER_NOT_MINE);
		assert_int_equal(model_rdmsr(&intel_model, cpu, 0xcd, &value), REGISTER_NOT_MINE);
		assert_int_equal(put(0xc0000080, 0), REGISTER_NOT_MINE);
	}
}

static void capabilities(void **unused)
{
	static const struct cpuid_row no_pdcm[] = {{0x01, 0, 0x000106a5, 0, 0, 0},
						   {0x0a, 0, 0x07300403, 0x44, 0, 0x603}};
	struct intel_profile data = {.perf_capabilities = CAP_FULL_WIDTH, .bus_ratio = 1};
	struct model_profile p = {.model = &intel_model, .identity = CPUID_TABLE(no_pdcm), .data = &data};
	(void)unused;
	power_up(&intel_nehalem, "");
	assert_int_equal(get(IA32_PERF_CAPABILITIES), 0x11c3);
	refuses(IA32_PERF_CAPABILITIES, 0);
	power_up(&p, "");
	assert_true(faults(IA32_PERF_CAPABILITIES));
	assert_true(faults(IA32_A_PMC0));
}

/* what may be written */

static void select_reserved(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < ALL_PROFILES; p++) {
		bool any = p == 2 || p == 3;
		power_up(profiles[p], "");
		for (unsigned bit = 0; bit < 64; bit++) {
			if ((bit >= 32 && (p != 4 || bit != 34)) || (bit == 21 && !any)) {
				refuses(IA32_PERFEVTSEL0, 1ull << bit);
			} else {
				set(IA32_PERFEVTSEL0, 1ull << bit);
				assert_int_equal(get(IA32_PERFEVTSEL0), 1ull << bit);
				assert_int_equal(get(IA32_PERFEVTSEL0 + 1), 0);
			}
		}
	}
}

static void counter_write(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < ALL_PROFILES; p++) {
		uint64_t top = p < 2 ? 0xff00000000 : 0xffff00000000;
		power_up(profiles[p], "");
		for (unsigned i = 0; i < 2; i++) {
			set(IA32_PMC0 + i, 0x7fffffff);
			assert_int_equal(get(IA32_PMC0 + i), 0x7fffffff);
			set(IA32_PMC0 + i, 0x80000000);
			assert_int_equal(get(IA32_PMC0 + i), top | 0x80000000);
			set(IA32_PMC0 + i, 0x123456789abcdef0);
			assert_int_equal(get(IA32_PMC0 + i), top | 0x9abcdef0);
			set(IA32_PMC0 + i, 0x1234567800000001);
			assert_int_equal(get(IA32_PMC0 + i), 1);
		}
	}
}

static void full_width_write(void **unused)
{
	(void)unused;
	power_up(&intel_skylake, "");
	set(IA32_A_PMC0 + 3, 0xffff12345678);
	assert_int_equal(get(IA32_PMC0 + 3), 0xffff12345678);
	assert_int_equal(get(IA32_A_PMC0 + 3), 0xffff12345678);
	set(IA32_A_PMC0 + 3, 0x80000000);
	assert_int_equal(get(IA32_PMC0 + 3), 0x80000000);
	refuses(IA32_A_PMC0 + 3, 1ull << 48);
	refuses(IA32_A_PMC0 + 3, 1ull << 63);
}

static void fixed_write(void **unused)
{
	(void)unused;
	power_up(&intel_core2, "");
	set(IA32_FIXED_CTR0 + 2, 0xff00000001);
	assert_int_equal(get(IA32_FIXED_CTR0 + 2), 0xff00000001);
	refuses(IA32_FIXED_CTR0 + 2, 1ull << 40);
	power_up(&intel_nehalem, "");
	set(IA32_FIXED_CTR0, 0x800080000000);
	assert_int_equal(get(IA32_FIXED_CTR0), 0x800080000000);
	refuses(IA32_FIXED_CTR0, 1ull << 48);
}

static void control_reserved(void **unused)
{
	static const uint64_t fields[ALL_PROFILES] = {0, 0xbbb, 0xfff, 0xfff, 0x11110000bbbb};
	static const uint64_t counters[ALL_PROFILES] = {0, 0x700000003, 0x70000000f, 0x70000000f,
							0x1000f000000ff};
	static const uint64_t status[ALL_PROFILES] = {0, 3ull << 62, 7ull << 61, 0x1f9ull << 55,
						      0xfcull << 56};
	(void)unused;
	for (unsigned p = 1; p < ALL_PROFILES; p++) {
		power_up(profiles[p], "");
		for (unsigned b = 0; b < 64; b++) {
			uint64_t bit = 1ull << b;
			if (fields[p] & bit) {
				set(IA32_FIXED_CTR_CTRL, bit);
				assert_int_equal(get(IA32_FIXED_CTR_CTRL), bit);
			} else {
				refuses(IA32_FIXED_CTR_CTRL, bit);
			}
			if (counters[p] & bit) {
				set(IA32_PERF_GLOBAL_CTRL, bit);
				assert_int_equal(get(IA32_PERF_GLOBAL_CTRL), bit);
			} else {
				refuses(IA32_PERF_GLOBAL_CTRL, bit);
			}
			if ((counters[p] | status[p]) & bit)
				set(IA32_PERF_GLOBAL_OVF_CTRL, bit);
			else
				refuses(IA32_PERF_GLOBAL_OVF_CTRL, bit);
			if (p >= 3) {
				if ((counters[p] | (status[p] & ~(1ull << 63))) & bit)
					set(IA32_PERF_GLOBAL_STATUS_SET, bit);
				else
					refuses(IA32_PERF_GLOBAL_STATUS_SET, bit);
			}
			assert_int_equal(put(IA32_PERF_GLOBAL_STATUS, bit), REGISTER_FAULT);
		}
		set(IA32_PERF_GLOBAL_OVF_CTRL, counters[p]);
		assert_int_equal(get(IA32_PERF_GLOBAL_OVF_CTRL), 0);
	}
}

static void debugctl(void **unused)
{
	static const uint64_t valid[ALL_PROFILES] = {0x1c3, 0x1fc3, 0x7fc3, 0xffc3, 0xffc3};
	(void)unused;
	for (unsigned p = 0; p < ALL_PROFILES; p++) {
		power_up(profiles[p], "");
		for (unsigned b = 0; b < 64; b++) {
			if (valid[p] >> b & 1) {
				set(IA32_DEBUGCTL, 1ull << b);
				assert_int_equal(get(IA32_DEBUGCTL), 1ull << b);
			} else {
				refuses(IA32_DEBUGCTL, 1ull << b);
			}
		}
	}
}

/* RDPMC */

static void rdpmc_rules(void **unused)
{
	uint64_t value;
	(void)unused;
	for (unsigned p = 0; p < ALL_PROFILES; p++) {
		unsigned general = p < 2 ? 2 : p == 4 ? 8 : 4, fixed = p == 0 ? 0 : p == 4 ? 4 : 3;
		power_up(profiles[p], "");
		for (unsigned i = 0; i < general; i++)
			set(IA32_PMC0 + i, 100 + i);
		for (unsigned i = 0; i < fixed; i++)
			set(IA32_FIXED_CTR0 + i, 200 + i);
		for (unsigned i = 0; i < 16; i++) {
			assert_int_equal(pmc(i, true, &value), i < general ? REGISTER_DONE : REGISTER_FAULT);
			assert_int_equal(value, i < general ? 100 + i : 0);
			assert_int_equal(pmc(RDPMC_FIXED + i, true, &value),
					 i < fixed ? REGISTER_DONE : REGISTER_FAULT);
			assert_int_equal(value, i < fixed ? 200 + i : 0);
		}
		assert_int_equal(pmc(0, false, &value), REGISTER_FAULT);
		assert_int_equal(pmc(RDPMC_FIXED, false, &value), REGISTER_FAULT);
		assert_int_equal(pmc(0x80000000, true, &value), REGISTER_FAULT);
		assert_int_equal(pmc(0x20000000, true, &value), p == 4 ? REGISTER_DONE : REGISTER_FAULT);
		assert_int_equal(pmc(0x100, true, &value), REGISTER_FAULT);
		assert_int_equal(pmc(0xffffffff, true, &value), REGISTER_FAULT);
	}
}

/* what counts */

static void enables(void **unused)
{
	(void)unused;
	power_up(&intel_yonah, "");
	program(0, INSTR & ~EVTSEL_EN);
	instructions(5);
	assert_int_equal(get(IA32_PMC0), 0);
	set(IA32_PERFEVTSEL0, INSTR);
	assert_true(intel_model.counting(cpu));
	instructions(5);
	assert_int_equal(get(IA32_PMC0), 5);
	assert_int_equal(get(IA32_PMC0 + 1), 0);

	power_up(&intel_core2, "");
	set(IA32_PERF_GLOBAL_CTRL, 0);
	program(0, INSTR);
	program(1, INSTR & ~EVTSEL_EN);
	set(IA32_FIXED_CTR_CTRL, 0x033);
	assert_false(intel_model.counting(cpu));
	instructions(3);
	set(IA32_PERF_GLOBAL_CTRL, 3);
	instructions(4);
	assert_int_equal(get(IA32_PMC0), 4);
	assert_int_equal(get(IA32_PMC0 + 1), 0);
	assert_int_equal(get(IA32_FIXED_CTR0), 0);
	set(IA32_PERF_GLOBAL_CTRL, FIXED_BIT(0));
	assert_true(intel_model.counting(cpu));
	instructions(6);
	assert_int_equal(get(IA32_PMC0), 4);
	assert_int_equal(get(IA32_FIXED_CTR0), 6);
	assert_int_equal(get(IA32_FIXED_CTR0 + 1), 0);
	set(IA32_PERF_GLOBAL_CTRL, FIXED_BIT(1) | FIXED_BIT(2));
	instructions(7);
	assert_int_equal(get(IA32_FIXED_CTR0), 6);
	assert_int_equal(get(IA32_FIXED_CTR0 + 1), 7);
	assert_int_equal(get(IA32_FIXED_CTR0 + 2), 0);
	set(IA32_FIXED_CTR_CTRL, 0);
	assert_false(intel_model.counting(cpu));
}

static void rings(void **unused)
{
	(void)unused;
	power_up(&intel_nehalem, "");
	set(IA32_PERF_GLOBAL_CTRL, 0x70000000f);
	program(0, INSTR & ~EVTSEL_USR);
	program(1, INSTR & ~EVTSEL_OS);
	program(2, INSTR);
	program(3, INSTR & ~BOTH);
	set(IA32_FIXED_CTR_CTRL, 0x021);
	for (uint8_t cpl = 0; cpl < 4; cpl++)
		for (unsigned i = 0; i < 1u << 4 * cpl; i++)
			step(Q_INSTRUCTIONS, 1, 1, cpl);
	assert_int_equal(get(IA32_PMC0), 0x0001);
	assert_int_equal(get(IA32_PMC0 + 1), 0x1110);
	assert_int_equal(get(IA32_PMC0 + 2), 0x1111);
	assert_int_equal(get(IA32_PMC0 + 3), 0);
	assert_int_equal(get(IA32_FIXED_CTR0), 0x0001);
	assert_int_equal(get(IA32_FIXED_CTR0 + 1), 0x1110);
}

static void events(void **unused)
{
	static const struct {
		uint64_t code;
		enum quantity q;
	} rows[] = {
		{0x00c0, Q_INSTRUCTIONS}, {0x00c4, Q_BRANCHES}, {0x4f2e, Q_LLC_REF}, {0x412e, Q_LLC_MISS}};
	(void)unused;
	for (unsigned p = 0; p < 4; p++) {
		for (unsigned r = 0; r < 4; r++) {
			power_up(profiles[p], "");
			program(1, rows[r].code | BOTH | EVTSEL_EN);
			for (unsigned q = 0; q < 4; q++)
				step(rows[q].q, 3 + q, 1, 0);
			step(Q_LOADS, 9, 1, 0);
			assert_int_equal(get(IA32_PMC0 + 1), 3 + r);
		}
		/* An unknown code and a known one with an unknown unit mask count nothing. */
		program(1, 0xb5 | BOTH | EVTSEL_EN);
		step(Q_INSTRUCTIONS, 1, 1, 0);
		program(1, 0x0ac0 | BOTH | EVTSEL_EN);
		step(Q_INSTRUCTIONS, 1, 1, 0);
		assert_int_equal(get(IA32_PMC0 + 1), 0);
	}
	/* CPUID.0AH:EBX bits 2 and 6 of the Nehalem declare two events missing. */
	power_up(&intel_core2, "");
	program(0, 0xc5 | BOTH | EVTSEL_EN);
	program(1, 0x013c | BOTH | EVTSEL_EN);
	step(Q_BR_MISPRED, 1, 70, 0);
	assert_int_equal(get(IA32_PMC0), 1);
	assert_int_equal(get(IA32_PMC0 + 1), 10);
	power_up(&intel_nehalem, "");
	((struct intel_state *)cpu)->core = INTEL_NO_CORE; /* whose list has one of them all the same */
	program(0, 0xc5 | BOTH | EVTSEL_EN);
	program(1, 0x013c | BOTH | EVTSEL_EN);
	step(Q_BR_MISPRED, 1, 70, 0);
	assert_int_equal(get(IA32_PMC0), 0);
	assert_int_equal(get(IA32_PMC0 + 1), 0);
}

/* The same selector, on cores that know it and on others; as it is defined, and with a threshold asked for.
 */
static void events_of_cores(void **unused)
{
	const uint64_t run = BOTH | EVTSEL_EN;
	(void)unused;
	power_up(&intel_skylake, "");
	program(0, 0x01c4 | run);           /* BR_INST_RETIRED.CONDITIONAL */
	program(1, 0x01c4 | run | 1 << 24); /* the same, cycles with any */
	program(2, 0x02c2 | run | 10 << 24 |
			   EVTSEL_INV); /* UOPS_RETIRED.TOTAL_CYCLES has c=16: this is not it */
	program(3, 0x02d1 | run);       /* MEM_LOAD_RETIRED.L2_HIT: some of all loads, none here */
	step(Q_BR_COND, 3, 7, 0);
	assert_int_equal(get(IA32_PMC0), 3);
	assert_int_equal(get(IA32_PMC0 + 1), 1);
	assert_int_equal(get(IA32_PMC0 + 2), 7);
	assert_int_equal(get(IA32_PMC0 + 3), 0);
	program(0, 0x3200 | run); /* no event */
	program(1, 0x7ec4 | run); /* Silvermont's conditional branches */
	step(Q_BR_COND, 3, 7, 0);
	assert_int_equal(get(IA32_PMC0), 0);
	assert_int_equal(get(IA32_PMC0 + 1), 0);
	power_up(&intel_silvermont, "");
	program(0, 0x01c4 | run);
	program(1, 0x7ec4 | run);
	step(Q_BR_COND, 3, 7, 0);
	assert_int_equal(get(IA32_PMC0), 0);
	assert_int_equal(get(IA32_PMC0 + 1), 3);
	power_up(&intel_haswell, "");
	/* An edge by definition: changes to ring 0, however many in one cycle. */
	program(0, 0x015c | run | EVTSEL_E | 1 << 24);
	step(Q_RING_TO_KERNEL, 2, 7, 0);
	assert_int_equal(get(IA32_PMC0), 2);
}

static void clocks(void **unused)
{
	struct step halted = {.cycles = 50, .halted = true};
	(void)unused;
	power_up(&intel_core2, "");
	set(IA32_PERF_GLOBAL_CTRL, 0x700000003);
	program(0, CYCLES_CORE);
	program(1, 0x013c | BOTH | EVTSEL_EN);
	set(IA32_FIXED_CTR_CTRL, 0x330);
	step(Q_INSTRUCTIONS, 1, 5, 0);
	intel_model.advance(cpu, &halted);
	step(Q_INSTRUCTIONS, 1, 3, 0);
	assert_int_equal(get(IA32_PMC0), 8);
	assert_int_equal(get(IA32_PMC0 + 1), 1);
	assert_int_equal(get(IA32_FIXED_CTR0 + 1), 8);
	assert_int_equal(get(IA32_FIXED_CTR0 + 2), 8);
	step(Q_INSTRUCTIONS, 1, 6, 0);
	assert_int_equal(get(IA32_PMC0 + 1), 2);
}

static void slots(void **unused)
{
	(void)unused;
	power_up(&intel_icelake, "");
	set(IA32_PERF_GLOBAL_CTRL, FIXED_BIT(3) | 3);
	set(IA32_FIXED_CTR_CTRL, 0x3000);
	program(0, 0x01a4 | BOTH | EVTSEL_EN);
	program(1, 0x01a4 | BOTH | EVTSEL_EN | CMASK(5));
	step(Q_INSTRUCTIONS, 1, 7, 0);
	assert_int_equal(get(IA32_FIXED_CTR0 + 3), 35);
	assert_int_equal(get(IA32_PMC0), 35);
	assert_int_equal(get(IA32_PMC0 + 1), 7);
	/* Before version 5 no event counts them. */
	power_up(&intel_skylake, "");
	program(0, 0x01a4 | BOTH | EVTSEL_EN);
	step(Q_INSTRUCTIONS, 1, 7, 0);
	assert_int_equal(get(IA32_PMC0), 0);
}

static void amounts_add_up(void **unused)
{
	struct qterm terms[] = {{Q_INSTRUCTIONS, 1}, {Q_LOADS, 2}, {Q_INSTRUCTIONS, 200}};
	struct step s = {.terms = terms, .n_terms = 3, .cycles = 1};
	(void)unused;
	power_up(&intel_core2, "");
	program(0, INSTR);
	intel_model.advance(cpu, &s);
	assert_int_equal(get(IA32_PMC0), 201);
}

static void own_write(void **unused)
{
	struct qterm one = {Q_INSTRUCTIONS, 1};
	struct step write = {.terms = &one, .n_terms = 1, .cycles = 1, .own_write = true};
	(void)unused;
	power_up(&intel_core2, "");
	set(IA32_PERF_GLOBAL_CTRL, 1);
	program(0, INSTR);
	program(1, INSTR);
	/* Counter 0 runs before and after the write that starts counter 1. */
	set(IA32_PERF_GLOBAL_CTRL, 3);
	intel_model.advance(cpu, &write);
	assert_int_equal(get(IA32_PMC0), 1);
	assert_int_equal(get(IA32_PMC0 + 1), 0);
	/* A write that starts nothing counts on both. */
	set(IA32_FIXED_CTR0, 0);
	intel_model.advance(cpu, &write);
	assert_int_equal(get(IA32_PMC0), 2);
	assert_int_equal(get(IA32_PMC0 + 1), 1);
	/* The write that stops counts on what still runs. */
	set(IA32_PERF_GLOBAL_CTRL, 2);
	intel_model.advance(cpu, &write);
	assert_int_equal(get(IA32_PMC0), 2);
	assert_int_equal(get(IA32_PMC0 + 1), 2);
}

/* threshold and edge */

static uint64_t conditional_count(uint64_t select, const unsigned *amounts, unsigned n, uint32_t cycles)
{
	program(0, INSTR | select);
	for (unsigned i = 0; i < n; i++)
		step(Q_INSTRUCTIONS, amounts[i], cycles, 0);
	return get(IA32_PMC0);
}

static void thresholds(void **unused)
{
	static const unsigned amounts[] = {0, 1, 2, 3, 3, 0, 4, 1};
	(void)unused;
	power_up(&intel_core2, "");
	assert_int_equal(conditional_count(0, amounts, 8, 1), 14);
	assert_int_equal(conditional_count(CMASK(1), amounts, 8, 1), 6);
	assert_int_equal(conditional_count(CMASK(3), amounts, 8, 1), 3);
	assert_int_equal(conditional_count(CMASK(5), amounts, 8, 1), 0);
	assert_int_equal(conditional_count(CMASK(3) | EVTSEL_INV, amounts, 8, 1), 5);
	assert_int_equal(conditional_count(CMASK(255) | EVTSEL_INV, amounts, 8, 1), 8);
	assert_int_equal(conditional_count(EVTSEL_INV, amounts, 8, 1), 14);
	/* The quantities fall into the first cycle of a group, the others are below any threshold. */
	assert_int_equal(conditional_count(CMASK(1), amounts, 8, 4), 6);
	assert_int_equal(conditional_count(CMASK(1) | EVTSEL_INV, amounts, 8, 4), 26);
}

static void edges(void **unused)
{
	static const unsigned amounts[] = {0, 1, 2, 3, 3, 0, 4, 1};
	(void)unused;
	power_up(&intel_core2, "");
	assert_int_equal(conditional_count(EVTSEL_E, amounts, 8, 1), 2);
	assert_int_equal(conditional_count(EVTSEL_E | EVTSEL_INV, amounts, 8, 1), 2);
	assert_int_equal(conditional_count(EVTSEL_E | CMASK(3), amounts, 8, 1), 2);
	assert_int_equal(conditional_count(EVTSEL_E | CMASK(2) | EVTSEL_INV, amounts, 8, 1), 3);
	/* With idle cycles in between each group is an edge of its own. */
	assert_int_equal(conditional_count(EVTSEL_E, amounts, 8, 2), 6);
	/* The other ring hides the condition. */
	program(0, (CYCLES_CORE & ~EVTSEL_USR) | EVTSEL_E);
	step(Q_INSTRUCTIONS, 1, 3, 0);
	step(Q_INSTRUCTIONS, 1, 3, 0);
	step(Q_INSTRUCTIONS, 1, 1, 3);
	step(Q_INSTRUCTIONS, 1, 3, 0);
	assert_int_equal(get(IA32_PMC0), 2);
	/* A bus clock below the core clock has an edge at every tick. */
	program(0, 0x013c | BOTH | EVTSEL_EN | EVTSEL_E);
	step(Q_INSTRUCTIONS, 1, 7 * 5, 0);
	assert_int_equal(get(IA32_PMC0), 5);
}

/* The short cut offers what advance() would add, and nothing where there is more to a step. */
static void increments(void **unused)
{
	struct qterm terms[] = {{Q_INSTRUCTIONS, 3}, {Q_BRANCHES, 1}};
	struct step s = {.terms = terms, .n_terms = 2, .cycles = 2, .level = 3};
	struct model_increment out[8];
	uint64_t before[3];
	(void)unused;
	power_up(&intel_icelake, "");
	set(IA32_PERF_GLOBAL_CTRL, FIXED_BIT(3) | 7);
	set(IA32_FIXED_CTR_CTRL, 0x3000);
	program(0, INSTR);
	program(1, BRANCHES & ~EVTSEL_USR);
	program(2, BRANCHES);
	assert_int_equal(intel_model.increments(cpu, &s, out, 8), 3);
	for (unsigned i = 0; i < 3; i++) {
		before[i] = *out[i].counter;
		assert_int_equal(out[i].limit, 0xffffffffffff - out[i].amount);
	}
	intel_model.advance(cpu, &s);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(*out[i].counter - before[i], out[i].amount);
	assert_int_equal(get(IA32_PMC0), 3);
	assert_int_equal(get(IA32_PMC0 + 2), 1);
	assert_int_equal(get(IA32_FIXED_CTR0 + 3), 10);

	assert_int_equal(intel_model.increments(cpu, &s, out, 2), -1);
	s.own_write = true;
	assert_int_equal(intel_model.increments(cpu, &s, out, 8), -1);
	s.own_write = false;
	s.halted = true;
	assert_int_equal(intel_model.increments(cpu, &s, out, 8), -1);
	s.halted = false;
	program(1, INSTR | EVTSEL_E);
	assert_int_equal(intel_model.increments(cpu, &s, out, 8), -1);
	program(1, INSTR | CMASK(1));
	assert_int_equal(intel_model.increments(cpu, &s, out, 8), -1);
	/* The bus clock, one tick in 39 cycles: its divider up to the tick, which is left to advance(). */
	program(1, 0x013c | BOTH | EVTSEL_EN);
	s.n_terms = 0;
	for (unsigned i = 0; i < 3 * 39; i++) {
		s.cycles = 1 + i % 2;
		assert_int_equal(intel_model.increments(cpu, &s, out, 8), 2);
		assert_int_equal(out[0].amount, s.cycles);
		if (*out[0].counter > out[0].limit)
			intel_model.advance(cpu, &s);
		else
			*out[0].counter += out[0].amount;
	}
	assert_int_equal(get(IA32_PMC0 + 1), 3 * 39 * 3 / 2 / 39);
	s.cycles = 39;
	assert_int_equal(intel_model.increments(cpu, &s, out, 8), -1);
	s.cycles = 2;
	s.n_terms = 2;
	program(1, 0);
	assert_int_equal(intel_model.increments(cpu, &s, out, 8), 3);
	power_up(&intel_icelake, "noisy");
	program(0, INSTR);
	assert_int_equal(intel_model.increments(cpu, &s, out, 8), -1);
}

/* Those of clocks too, from when one of their counts is written. */
static void increments_of_clocks(void **unused)
{
	static const uint32_t counts[] = {IA32_MPERF, IA32_APERF};
	struct qterm term = {Q_INSTRUCTIONS, 3};
	struct step s = {.terms = &term, .n_terms = 1, .cycles = 2, .level = 3};
	struct model_increment out[8];
	(void)unused;
	for (unsigned i = 0; i < 2; i++) {
		power_up(&intel_nehalem, "");
		set(IA32_PERF_GLOBAL_CTRL, 1);
		program(0, INSTR);
		assert_int_equal(intel_model.increments(cpu, &s, out, 8), 1);
		set(counts[i], 5);
		assert_int_equal(intel_model.increments(cpu, &s, out, 8), -1);
		intel_model.advance(cpu, &s);
		assert_int_equal(get(counts[i]), 7);
		set(IA32_MPERF, 0);
		set(IA32_APERF, 0);
		assert_int_equal(intel_model.increments(cpu, &s, out, 8), 1);
	}
}

#define MODEL_RULE_TESTS                                                                                     \
	cmocka_unit_test(reset_state), cmocka_unit_test(presence), cmocka_unit_test(capabilities),           \
		cmocka_unit_test(select_reserved), cmocka_unit_test(counter_write),                          \
		cmocka_unit_test(full_width_write), cmocka_unit_test(fixed_write),                           \
		cmocka_unit_test(control_reserved), cmocka_unit_test(debugctl),                              \
		cmocka_unit_test(rdpmc_rules), cmocka_unit_test(enables), cmocka_unit_test(rings),           \
		cmocka_unit_test(events), cmocka_unit_test(events_of_cores), cmocka_unit_test(clocks),       \
		cmocka_unit_test(slots), cmocka_unit_test(amounts_add_up), cmocka_unit_test(own_write),      \
		cmocka_unit_test(thresholds), cmocka_unit_test(edges), cmocka_unit_test(increments),         \
		cmocka_unit_test(increments_of_clocks)

#endif
