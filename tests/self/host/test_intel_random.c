/*
 * Random register writes and steps on the Intel model, held against a second reading of the manual: slow,
 * from the raw register values at every cycle, sharing no code with the model.
 */
#include "pmu/intel/events/core_events.h"
#include "pmu/intel/intel.h"
#include "pmu/intel/model/model.h"
#include "pmu/intel/model/profile.h"
#include "tests/self/host/support/model_registers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define ROUNDS 400
#define STEPS  300

static uint64_t seed = 1;

static uint32_t random32(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed >> 16;
}

static unsigned below(unsigned n)
{
	return random32() % n;
}

/* The second reading: registers by address, and nothing derived from them is kept. */
struct reference {
	unsigned version, n_general, n_fixed, width, bus_ratio, slots;
	uint32_t missing; /* architectural events */
	uint64_t msr[0x500];
	bool met[16]; /* condition of the previous cycle: general counters, then fixed at 8 */
	unsigned bus[16];
	bool was_on[16];
	unsigned pmis;
};

static struct reference ref;

static bool counter_on(unsigned c)
{
	uint64_t select = c < 8 ? ref.msr[0x186 + c] : 0,
		 field = c < 8 ? 0 : ref.msr[0x38d] >> (c - 8) * 4 & 15;
	bool rings = c < 8 ? (select >> 16 & 3) != 0 : (field & 3) != 0;
	bool local = c < 8 ? select >> 22 & 1 : true;
	bool global = ref.version < 2 || ref.msr[0x38f] >> (c < 8 ? c : c + 24) & 1;
	bool frozen = ref.version >= 4 && ref.msr[0x38e] >> 59 & 1;
	return rings && local && global && !frozen;
}

/* What counter c adds in one cycle in which `amount[q]` of the quantities happen, with core clocks running or
 * not. */
static unsigned cycle(unsigned c, unsigned instructions, unsigned branches, unsigned misses, unsigned cpl)
{
	uint64_t select = c < 8 ? ref.msr[0x186 + c] : 0;
	unsigned os, usr, value = 0, bus = 0;
	if (c >= 8) {
		uint64_t field = ref.msr[0x38d] >> (c - 8) * 4;
		os = field & 1;
		usr = field >> 1 & 1;
		value = c == 8 ? instructions : c == 11 ? ref.slots : 1;
		return (cpl == 0 ? os : usr) ? value : 0;
	}
	os = select >> 17 & 1;
	usr = select >> 16 & 1;
	if (!(cpl == 0 ? os : usr)) {
		ref.met[c] = false;
		return 0;
	}
	if ((select & 0xffff) == 0x013c && !(ref.missing >> 2 & 1) && ++ref.bus[c] == ref.bus_ratio) {
		ref.bus[c] = 0;
		bus = 1;
	}
	switch (select & 0xffff) {
	case 0x003c:
		value = 1;
		break;
	case 0x013c:
		value = bus;
		break;
	case 0x00c0:
		value = instructions;
		break;
	case 0x00c4:
		value = branches;
		break;
	case 0x00c5:
		value = ref.missing >> 6 & 1 ? 0 : misses;
		break;
	}
	unsigned cmask = select >> 24 & 255;
	bool met = value > 0;
	if (cmask) {
		met = value >= cmask;
		if (select >> 23 & 1)
			met = !met;
	}
	bool rising = met && !ref.met[c];
	ref.met[c] = met;
	if (select >> 18 & 1)
		return rising;
	return cmask ? met : value;
}

static void reference_step(unsigned instructions, unsigned branches, unsigned misses, unsigned cycles,
			   unsigned cpl)
{
	uint64_t top = 1ull << ref.width;
	bool pmi = false;
	for (unsigned c = 0; c < 8 + ref.n_fixed; c++) {
		if ((c >= ref.n_general && c < 8) || !ref.was_on[c])
			continue;
		uint64_t *counter = &ref.msr[c < 8 ? 0xc1 + c : 0x309 + c - 8];
		uint64_t sum = *counter;
		for (unsigned i = 0; i < cycles; i++)
			sum += i ? cycle(c, 0, 0, 0, cpl) : cycle(c, instructions, branches, misses, cpl);
		if (sum >= top) {
			sum -= top;
			if (ref.version >= 2)
				ref.msr[0x38e] |= 1ull << (c < 8 ? c : c + 24);
			if (c < 8 ? ref.msr[0x186 + c] >> 20 & 1 : ref.msr[0x38d] >> ((c - 8) * 4 + 3) & 1) {
				ref.pmis++;
				pmi = true;
			}
		}
		*counter = sum;
	}
	if (pmi && ref.msr[0x1d9] >> 12 & 1) {
		if (ref.version >= 4)
			ref.msr[0x38e] |= 1ull << 59;
		else
			ref.msr[0x38f] = 0;
	}
	if (pmi && ref.msr[0x1d9] >> 11 & 1) {
		if (ref.version >= 4)
			ref.msr[0x38e] |= 1ull << 58;
		else
			ref.msr[0x1d9] &= ~1ull;
	}
}

/* Edges and the bus clock begin afresh when a counter is started. */
static void notice_starts(void)
{
	for (unsigned c = 0; c < 8 + ref.n_fixed; c++) {
		bool on = (c < ref.n_general || c >= 8) && counter_on(c);
		if (on && !ref.was_on[c]) {
			ref.met[c] = false;
			ref.bus[c] = 0;
		}
		ref.was_on[c] = on;
	}
}

static uint64_t random_select(void)
{
	static const uint16_t codes[] = {0xc0, 0xc4, 0x3c, 0x13c, 0xc5, 0xb5, 0x1c0};
	uint64_t value = codes[below(7)];
	value |= (uint64_t)below(4) << 16;
	value |= below(4) ? 1ull << 22 : 0;
	value |= below(4) ? 0 : 1ull << 18;
	value |= below(2) ? 1ull << 20 : 0;
	value |= below(2) ? 1ull << 23 : 0;
	value |= below(2) ? 0 : (uint64_t)below(5) << 24;
	return value;
}

static void *cpu;

/* A valid write, on both sides. */
static void write_both(uint32_t address, uint64_t value)
{
	assert_int_equal(model_wrmsr(&intel_model, cpu, address, value), REGISTER_DONE);
	if (address >= 0xc1 && address < 0xc9) {
		value = (uint64_t)(int64_t)(int32_t)value & ((1ull << ref.width) - 1);
	} else if (address >= 0x186 && address < 0x18e) {
		ref.met[address - 0x186] = false;
		ref.bus[address - 0x186] = 0;
	} else if (address == 0x390) {
		ref.msr[0x38e] &= ~value;
		value = 0;
	}
	ref.msr[address] = value;
	notice_starts();
}

static void random_write(void)
{
	uint64_t counters = ((1ull << ref.n_general) - 1) | ((1ull << ref.n_fixed) - 1) << 32;
	unsigned c = below(ref.n_general);
	uint64_t near = -(uint64_t)below(60);

	switch (below(ref.version >= 2 ? 7 : 2)) {
	case 0:
		write_both(0x186 + c, random_select());
		break;
	case 1:
		write_both(0xc1 + c, below(3) ? near : (uint64_t)random32() << 32 | random32());
		break;
	case 2:
		write_both(0x38f, (random32() | (uint64_t)random32() << 32) & counters);
		break;
	case 3:
		write_both(0x38d, random32() & (ref.n_fixed == 4 ? 0xbbbb : 0xbbb));
		break;
	case 4:
		write_both(0x309 + below(ref.n_fixed), near & ((1ull << ref.width) - 1));
		break;
	case 5:
		write_both(0x390, ((random32() | (uint64_t)random32() << 32) & counters) |
					  (ref.version >= 4 ? (uint64_t)below(4) << 58 : 0));
		break;
	case 6:
		write_both(0x1d9, (below(4) ? 0 : 1ull << 12) | (below(4) ? 0 : 1ull << 11) | below(2));
		break;
	}
}

static void compare(unsigned pmis)
{
	static const uint32_t global[] = {0x38d, 0x38e, 0x38f, 0x1d9};
	uint64_t value;
	for (unsigned c = 0; c < ref.n_general; c++) {
		assert_int_equal(model_rdmsr(&intel_model, cpu, 0xc1 + c, &value), REGISTER_DONE);
		assert_int_equal(value, ref.msr[0xc1 + c]);
		assert_int_equal(model_rdpmc(&intel_model, cpu, c, 0, false, &value), REGISTER_DONE);
		assert_int_equal(value, ref.msr[0xc1 + c]);
	}
	for (unsigned c = 0; c < ref.n_fixed; c++) {
		assert_int_equal(model_rdmsr(&intel_model, cpu, 0x309 + c, &value), REGISTER_DONE);
		assert_int_equal(value, ref.msr[0x309 + c]);
	}
	for (unsigned i = 0; i < (ref.version >= 2 ? 4u : 0u); i++) {
		assert_int_equal(model_rdmsr(&intel_model, cpu, global[i], &value), REGISTER_DONE);
		assert_int_equal(value, ref.msr[global[i]]);
	}
	assert_int_equal(pmis, ref.pmis);
	bool any = false;
	for (unsigned c = 0; c < 8 + ref.n_fixed; c++)
		any |= ref.was_on[c];
	assert_int_equal(intel_model.counting(cpu), any);
}

/* As the virtual PMU does it: by the short cut where the model offers one and no counter would overflow. */
static unsigned long short_cuts;

static void take_step(const struct step *s)
{
	struct model_increment out[16];
	int n = below(2) ? intel_model.increments(cpu, s, out, 16) : -1;
	for (int i = 0; i < n; i++)
		if (*out[i].counter > out[i].limit)
			n = -1;
	if (n < 0) {
		intel_model.advance(cpu, s);
		return;
	}
	short_cuts++;
	for (int i = 0; i < n; i++)
		*out[i].counter += out[i].amount;
}

static void random_sequences(const struct model_profile *p, unsigned version, unsigned general,
			     unsigned fixed, unsigned width, uint32_t missing)
{
	uint64_t overflows = 0, freezes = 0;
	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned pmis = 0;
		memset(&ref, 0, sizeof ref);
		ref.version = version;
		ref.n_general = general;
		ref.n_fixed = fixed;
		ref.width = width;
		ref.missing = missing;
		ref.bus_ratio = ((const struct intel_profile *)p->data)->bus_ratio;
		ref.slots = ((const struct intel_profile *)p->data)->slots;
		ref.msr[0x38f] = version >= 2 ? (1u << general) - 1 : 0;
		free(cpu);
		cpu = calloc(1, intel_model.state_size);
		intel_model.reset(cpu, p, NULL);
		((struct intel_state *)cpu)->core =
			INTEL_NO_CORE; /* the reference knows architectural events alone */
		for (unsigned i = 0; i < STEPS; i++) {
			if (!below(4))
				random_write();
			unsigned instructions = below(5), branches = below(3), misses = below(2),
				 cycles = 1 + below(4), cpl = below(4);
			struct qterm terms[] = {{Q_BRANCHES, branches},
						{Q_INSTRUCTIONS, instructions},
						{Q_BR_MISPRED, misses}};
			struct step s = {.terms = terms, .n_terms = 3, .cycles = cycles, .level = cpl};
			take_step(&s);
			reference_step(instructions, branches, misses, cycles, cpl);
			notice_starts();
			while (intel_model.take_pmi(cpu))
				pmis++;
			compare(pmis);
			freezes += ref.msr[0x38e] >> 59 & 1;
		}
		overflows += ref.pmis;
	}
	/* The sequences must have come where it matters. */
	assert_true(overflows > ROUNDS / 4);
	assert_true(short_cuts > ROUNDS);
	short_cuts = 0;
	if (version >= 4)
		assert_true(freezes > 0);
}

static void version_1(void **unused)
{
	(void)unused;
	random_sequences(&intel_yonah, 1, 2, 0, 40, 0);
}

static void version_2(void **unused)
{
	(void)unused;
	random_sequences(&intel_core2, 2, 2, 3, 40, 0);
}

static void version_3(void **unused)
{
	(void)unused;
	random_sequences(&intel_nehalem, 3, 4, 3, 48, 0x44);
}

static void version_4(void **unused)
{
	(void)unused;
	random_sequences(&intel_skylake, 4, 4, 3, 48, 0);
}

static void version_5(void **unused)
{
	(void)unused;
	random_sequences(&intel_icelake, 5, 8, 4, 48, 0);
}

/* Any write of any value to any address near the PMU's: never a crash, a fault changes nothing, an accepted
 * value reads back (or, of counters, its sign extension). */
static void random_values(void **unused)
{
	static const struct model_profile *const all[] = {&intel_yonah, &intel_core2, &intel_nehalem,
							  &intel_skylake, &intel_icelake};
	(void)unused;
	for (unsigned i = 0; i < 300000; i++) {
		static const uint16_t bases[] = {0xb8, 0x180, 0x300, 0x340, 0x388, 0x3f0, 0x4bc, 0x1d8};
		uint32_t address = bases[below(8)] + below(24);
		uint64_t value = ((uint64_t)random32() << 32 | random32()) &
				 (below(2) ? ~0ull : 1ull << below(64)),
			 before, after;
		if (i % 1000 == 0) {
			free(cpu);
			cpu = calloc(1, intel_model.state_size);
			intel_model.reset(cpu, all[i / 1000 % 5], NULL);
		}
		enum register_answer readable = model_rdmsr(&intel_model, cpu, address, &before);
		enum register_answer written = model_wrmsr(&intel_model, cpu, address, value);
		enum register_answer again = model_rdmsr(&intel_model, cpu, address, &after);
		assert_int_equal(readable, again);
		assert_int_equal(written == REGISTER_NOT_MINE, readable == REGISTER_NOT_MINE);
		if (readable == REGISTER_FAULT)
			assert_int_equal(written, REGISTER_FAULT);
		if (written == REGISTER_FAULT && readable == REGISTER_DONE)
			assert_int_equal(before, after);
		if (written == REGISTER_DONE && address >= 0xc1 && address < 0xc9)
			assert_int_equal(after & 0xffffffff, value & 0xffffffff);
		else if (written == REGISTER_DONE && address != 0x390 && address != 0x391)
			assert_int_equal(after, value);
		/* Steps on whatever has come of it. */
		struct qterm term = {Q_INSTRUCTIONS, 3};
		struct step s = {.terms = &term, .n_terms = 1, .cycles = 1 + below(3), .level = below(4)};
		intel_model.advance(cpu, &s);
		while (intel_model.take_pmi(cpu))
			;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_1), cmocka_unit_test(version_2), cmocka_unit_test(version_3),
		cmocka_unit_test(version_4), cmocka_unit_test(version_5), cmocka_unit_test(random_values),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(cpu);
	return failed;
}
