/*
 * What of the virtual PMU is pure: the CPUID that it presents, the LVT performance entry, and that the
 * models' short cut (increments) does the same as the long way.
 */
#include "arch/x86/step/account.h"
#include "arch/x86/step/describe.h"
#include "pmu/virtual/injections.h"
#include "pmu/virtual/machine_model.h"
#include "pmu/virtual/step_faults.h"
#include "arch/x86/cpu/presented_cpuid.h"
#include "arch/x86/interrupts/lvt.h"
#include "pmu/virtual/vpmu_memo.h"
#include "pmu/amd/amd.h"
#include "pmu/netburst/netburst.h"
#include "tests/self/host/intel_model_shortcuts.h"

#include <stdio.h>

/* --- CPUID ------------------------------------------------------------------------------------------ */

static void answer(const struct model_profile *p, unsigned thread, const struct cpuid_row *real,
		   struct cpuid_row *out)
{
	const struct presented presented = {
		.table = cpuid_table_of(p->identity), .threads = p->threads, .thread = thread};

	presented_answer(&presented, real, out);
}

static struct cpuid_row ask(const struct model_profile *p, uint32_t leaf, uint32_t subleaf, uint32_t real)
{
	struct cpuid_row r = {leaf, subleaf, real, real, real, real}, out;

	answer(p, 0, &r, &out);
	assert_int_equal(out.leaf, leaf);
	assert_int_equal(out.subleaf, subleaf);
	return out;
}

#define NONE 0u
#define ALL  0xffffffffu
#define PDCM (1u << 15)

static void identity_is_the_profiles(void **unused)
{
	(void)unused;
	struct cpuid_row c = ask(&intel_core2, 0, 0, ALL);
	assert_int_equal(c.eax, 10);
	assert_memory_equal(&c.ebx, "Genu", 4);
	assert_int_equal(ask(&intel_core2, 1, 0, ALL).eax, 0x10676);
	assert_int_equal(ask(&intel_core2, 0x0a, 0, NONE).eax, 0x07280202);
}

static void features_need_the_real_cpu(void **unused)
{
	(void)unused;
	const uint32_t sse2 = 1u << 26, apic_id = 0x05000000;
	struct cpuid_row none = ask(&intel_core2, 1, 0, NONE), all = ask(&intel_core2, 1, 0, ALL);

	assert_false(none.edx & sse2);
	assert_true(all.edx & sse2);
	/* AVX: the real CPU has it, the Core 2 has not. */
	assert_false(all.ecx & 1u << 28);
	/* Nothing tells of a hypervisor, and monitoring is the model's whatever the real CPU has. */
	assert_false(all.ecx & 1u << 31);
	assert_true(none.ecx & PDCM);
	/* The APIC ID is the real one's, the number of logical processors the profile's. */
	assert_int_equal(ask(&intel_core2, 1, 0, apic_id).ebx, apic_id | 4 << 16);
	/* Leaf 1 has no subleaves: what is in ECX does not matter. */
	assert_int_equal(ask(&intel_core2, 1, 77, NONE).edx, none.edx);
}

/* What could be emulated: what the profile has, whether the real CPU has it or not, and nothing that it does
 * not tell. */
static void features_of_the_profile_alone(void **unused)
{
	(void)unused;
	const uint32_t sha = 1u << 29;
	struct cpuid_row c;

	assert_true(presented_row(cpuid_table_of(intel_tigerlake.identity), 7, 0, &c));
	assert_true(c.ebx & sha);
	assert_false(ask(&intel_tigerlake, 7, 0, NONE).ebx & sha);
	assert_false(presented_row(cpuid_table_of(intel_core2.identity), 7, 0, &c));
	assert_false(presented_row(cpuid_table_of(intel_tigerlake.identity), 7, 5, &c));
	assert_false(presented_row(cpuid_table_of(intel_tigerlake.identity), 0x40000001, 0, &c));
}

static void logical_processors(void **unused)
{
	(void)unused;
	const uint32_t htt = 1u << 28;
	struct cpuid_row real = {1, 0, 0, 0x01010800, 0, 0}, out;

	for (unsigned thread = 0; thread < 2; thread++) {
		answer(&netburst_prescott, thread, &real, &out);
		assert_true(out.edx & htt);
		assert_int_equal(out.ebx, 0x00020800 | thread << 24);
	}
	answer(&netburst_northwood, 0, &real, &out);
	assert_false(out.edx & htt);
	assert_int_equal(out.ebx, real.ebx);
	/* On a machine of two processors, too, it has one. */
	real.ebx = 0x01020800;
	answer(&netburst_willamette, 0, &real, &out);
	assert_int_equal(out.ebx, 0x01010800);
}

static void leaves_not_listed(void **unused)
{
	(void)unused;
	/* Below the profile's highest: the real CPU's, but for what belongs to monitoring. */
	assert_int_equal(ask(&intel_core2, 6, 0, 5).eax, 5);
	assert_int_equal(ask(&intel_nehalem, 7, 0, ALL).edx & (1u << 19 | 1u << 15), 0);
	assert_int_equal(ask(&intel_nehalem, 7, 0, ALL).ebx & 1u << 5, 1u << 5);
	assert_int_equal(ask(&intel_core2, 0x80000001, 0, ALL).ecx & 1u << 23, 0);
	assert_int_equal(ask(&intel_core2, 0x80000001, 0, ALL).edx, ALL);
	/* Above it, the hypervisors' range, and AMD's monitoring leaves: nothing. */
	assert_int_equal(ask(&intel_core2, 0x0b, 0, ALL).eax, 0);
	assert_int_equal(ask(&intel_core2, 0x40000000, 0, ALL).ebx, 0);
	assert_int_equal(ask(&intel_core2, 0x80000022, 0, ALL).eax, 0);
	/* A leaf with subleaves, of which the profile lists some: the others are empty. */
	assert_int_not_equal(ask(&intel_core2, 4, 2, NONE).eax, 0);
	assert_int_equal(ask(&intel_core2, 4, 3, ALL).eax, 0);
}

static void hypervisor_is_the_profiles(void **unused)
{
	(void)unused;
	/* The real machine's never shows, a guest's does. */
	assert_int_equal(ask(&amd_zen4, 1, 0, ALL).ecx & 1u << 31, 0);
	assert_int_equal(ask(&amd_zen4_guest, 1, 0, NONE).ecx & 1u << 31, 1u << 31);
	assert_int_equal(ask(&amd_zen4, 0x40000000, 0, ALL).eax, 0);
	struct cpuid_row leaf = ask(&amd_zen4_guest, 0x40000000, 0, ALL);
	assert_int_equal(leaf.eax, 0x40000001);
	assert_memory_equal(&leaf.ebx, "KVMKVMKVM\0\0\0", 12);
	assert_int_equal(ask(&amd_zen4_guest, 0x40000002, 0, ALL).eax, 0);
}

static void answers_of_a_tests_own(void **unused)
{
	static const char *const bad[] = {"cpuid:",
					  "cpuid:a:0:eax",
					  "cpuid:a:0:eax:",
					  "cpuid:a:0:exx:1",
					  "cpuid:a:0:eax:1g",
					  "cpuid:a:0:eax:100000000",
					  "cpuid:-1:0:eax:1",
					  "cpuid:a::eax:1",
					  "cpuid:1:0:eax:1+cpuid:2:0:eax:1+cpuid:3:0:eax:1+cpuid:4:0:eax:1+"
					  "cpuid:5:0:eax:1+cpuid:6:0:eax:1+cpuid:7:0:eax:1+cpuid:8:0:eax:1+"
					  "cpuid:9:0:eax:1"};
	struct injections set;
	char why[INJECTION_REASON];
	(void)unused;
	assert_true(injections_parse(&intel_model, "dead+cpuid:0A:0:eax:07FF0403+smi+cpuid:4:2:edx:ffffffff",
				     &set, why));
	struct identity_answers answers = set.answers;
	assert_int_equal(answers.count, 2);
	struct cpuid_row leaf = {.leaf = 0xa, .eax = 1, .ebx = 2, .edx = 4};
	identity_answers_give(&answers, &leaf);
	assert_int_equal(leaf.eax, 0x07ff0403);
	assert_int_equal(leaf.ebx, 2);
	assert_int_equal(leaf.edx, 4);
	leaf = (struct cpuid_row){.leaf = 4, .subleaf = 1, .edx = 4};
	identity_answers_give(&answers, &leaf);
	assert_int_equal(leaf.edx, 4);
	leaf.subleaf = 2;
	identity_answers_give(&answers, &leaf);
	assert_int_equal(leaf.edx, 0xffffffff);
	for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		assert_false(injections_parse(&intel_model, bad[i], &set, why));
		assert_non_null(strstr(why, "cpuid:LEAF:SUBLEAF:REGISTER:VALUE"));
	}
}

/* --- LVT -------------------------------------------------------------------------------------------- */

static void request_meets_lvt(void **unused)
{
	(void)unused;
	static const struct {
		uint32_t entry;
		enum lvt_outcome outcome;
		bool masks;
	} rows[] = {
		{0x000e0, LVT_FIXED, true}, {0x100e0, LVT_LOST, false}, /* masked; stays so */
		{0x00400, LVT_NMI, true},   {0x004e0, LVT_NMI, true},   /* the vector does not count */
		{0x10400, LVT_LOST, false}, {0x00010, LVT_FIXED, true},
		{0x0000f, LVT_LOST, false}, /* illegal vector */
		{0x00200, LVT_LOST, false}, /* SMI */
		{0x00500, LVT_LOST, false}, /* INIT */
		{0x00700, LVT_LOST, false}, /* ExtINT */
	};

	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		uint32_t entry = rows[i].entry;
		assert_int_equal(lvt_request(&entry, false), rows[i].outcome);
		assert_int_equal(entry, rows[i].entry | (rows[i].masks ? LVT_MASKED : 0));
		/* One request gets one interrupt. */
		assert_int_equal(lvt_request(&entry, false) == LVT_LOST,
				 rows[i].masks || rows[i].outcome == LVT_LOST);
		entry = rows[i].entry;
		assert_int_equal(lvt_request(&entry, true), rows[i].outcome);
		assert_int_equal(entry, rows[i].entry);
	}
}

/* --- the short cut ---------------------------------------------------------------------------------- */

static unsigned below(unsigned n)
{
	static uint64_t x = 88172645463325252ull;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (unsigned)(x % n);
}

static const uint32_t codes[] = {0x00c0, 0x003c, 0x013c, 0x00c4, 0x00c5, 0x412e, 0x1234};

static void program_at_random(void)
{
	for (unsigned c = 0; c < 2; c++) {
		uint64_t select = codes[below(7)] | (uint64_t)(below(4) << 16) | 1u << 22 |
				  (below(8) ? 0 : 1u << 18) | (below(8) ? 0 : 1u << 24);
		put(IA32_PERFEVTSEL0 + c, select);
		put(IA32_PMC0 + c, below(3) ? below(1000) : 0xfffffff0u + below(15));
	}
	put(IA32_FIXED_CTR_CTRL, below(4) | below(4) << 4 | below(4) << 8);
	for (unsigned c = 0; c < 3; c++)
		put(IA32_FIXED_CTR0 + c, below(3) ? below(1000) : (1ull << 40) - 1 - below(15));
	put(IA32_PERF_GLOBAL_CTRL, below(4) | (uint64_t)below(8) << 32);
}

static void short_cut_equals_long_way(void **unused)
{
	(void)unused;
	static const uint32_t counters[] = {IA32_PMC0, IA32_PMC0 + 1, IA32_FIXED_CTR0, IA32_FIXED_CTR0 + 1,
					    IA32_FIXED_CTR0 + 2};
	unsigned short_cuts = 0, overflows = 0, ticks = 0, refused = 0;

	for (unsigned round = 0; round < 20000; round++) {
		if (round % 8 == 0) {
			power_up(&intel_core2, NULL);
			program_at_random();
		}
		struct qterm terms[] = {{Q_INSTRUCTIONS, below(3)},
					{Q_BRANCHES, below(3)},
					{Q_BR_MISPRED, below(2)},
					{Q_LOADS, 3}};
		struct step s = {.terms = terms, .n_terms = 4, .cycles = 1 + below(3), .level = below(2) * 3};
		struct model_increment add[5];
		void *other = malloc(intel_model.state_size);

		memcpy(other, cpu, intel_model.state_size);
		int n = intel_model.increments(cpu, &s, add, 5);
		bool fits = n >= 0;
		for (int i = 0; i < n; i++)
			fits &= *add[i].counter <= add[i].limit;
		bool changed = intel_model.advance(other, &s);
		if (n < 0) {
			refused++;
		} else if (!fits) {
			/* It says so when a counter overflows, and where the bus clock ticks. */
			overflows += changed;
			ticks += !changed;
		} else {
			assert_false(changed);
			short_cuts++;
			for (int i = 0; i < n; i++)
				*add[i].counter += add[i].amount;
			for (unsigned c = 0; c < 5; c++) {
				uint64_t value;
				assert_int_equal(model_rdmsr(&intel_model, other, counters[c], &value),
						 REGISTER_DONE);
				assert_int_equal(get(counters[c]), value);
			}
		}
		free(cpu);
		cpu = other;
	}
	assert_true(short_cuts > 1000 && overflows > 100 && ticks > 100 && refused > 1000);
}

static void short_cut_refuses(void **unused)
{
	(void)unused;
	struct qterm term = {Q_INSTRUCTIONS, 1};
	struct step s = {.terms = &term, .n_terms = 1, .cycles = 1};
	struct model_increment add[5];

	power_up(&intel_core2, NULL);
	put(IA32_PERFEVTSEL0, 0x4300c0);
	put(IA32_PERFEVTSEL0 + 1, 0x4300c0);
	put(IA32_PERF_GLOBAL_CTRL, 3);
	assert_int_equal(intel_model.increments(cpu, &s, add, 5), 2);
	assert_int_equal(intel_model.increments(cpu, &s, add, 1), -1); /* no room */
	s.own_write = true;
	assert_int_equal(intel_model.increments(cpu, &s, add, 5), -1);
	s.own_write = false;
	put(IA32_PERFEVTSEL0, 0x10100c0 | 1u << 22); /* a threshold */
	assert_int_equal(intel_model.increments(cpu, &s, add, 5), -1);
	power_up(&intel_core2, "dropped-carry");
	put(IA32_PERFEVTSEL0, 0x4300c0);
	put(IA32_PERF_GLOBAL_CTRL, 1);
	assert_int_equal(intel_model.increments(cpu, &s, add, 5), -1);
}

/* --- memos ------------------------------------------------------------------------------------------ */

/* What is found for a step is its own or none: never what another step left at the same place. */
static void memos_of_other_steps_hold_no_more(void **unused)
{
	static const struct memo plain[20];
	static struct machine_memo table[MACHINE_MEMOS];
	uint64_t step_at[MACHINE_MEMOS] = {0};
	unsigned found = 0, taken_over = 0;

	(void)unused;
	for (unsigned round = 0; round < 100000; round++) {
		struct qterm terms[MACHINE_MEMO_TERMS] = {{below(8), 1 + below(4)}, {below(8), below(2)}};
		unsigned which = below(20), n = 1 + below(2);
		uint64_t step = 1 + which + 100 * (terms[0].quantity + 10 * terms[0].amount) +
				(n == 2 ? 10000 * (1 + terms[1].quantity + 10 * terms[1].amount) : 0);
		struct memo *m = machine_memo(table, &plain[which], terms, n);
		unsigned at = (unsigned)((char *)m - (char *)table) / sizeof table[0];

		if (memo_holds(m, 1, 0)) {
			assert_int_equal(step_at[at], step);
			found++;
		} else {
			taken_over += step_at[at] && step_at[at] != step;
			*m = (struct memo){.epoch = 1};
			step_at[at] = step;
		}
		assert_false(memo_holds(m, 2, 0));
		assert_false(memo_holds(m, 1, 3));
	}
	assert_true(found > 100 && taken_over > 100);
}

static void memos_have_room_for_so_much(void **unused)
{
	static const struct memo plain;
	static struct machine_memo table[MACHINE_MEMOS];
	struct qterm terms[MACHINE_MEMO_TERMS + 1] = {
		{Q_LOADS, 255}, {Q_LOADS, 1}, {Q_LOADS, 1}, {Q_LOADS, 1}, {Q_LOADS, 1}};

	(void)unused;
	assert_non_null(machine_memo(table, &plain, terms, MACHINE_MEMO_TERMS));
	assert_null(machine_memo(table, &plain, terms, MACHINE_MEMO_TERMS + 1));
	terms[0].amount = 256;
	assert_null(machine_memo(table, &plain, terms, 1));
}

/* All of it or nothing. */
static void a_memo_adds_nothing_where_one_counter_would_overflow(void **unused)
{
	uint64_t counter[3] = {10, 20, 30};
	struct memo m = {.n = 3,
			 .increment = {{&counter[0], 100, 1}, {&counter[1], 100, 2}, {&counter[2], 30, 3}}};

	(void)unused;
	assert_true(memo_add_up(&m));
	assert_int_equal(counter[0], 11);
	assert_int_equal(counter[1], 22);
	assert_int_equal(counter[2], 33);
	assert_false(memo_add_up(&m));
	assert_int_equal(counter[0], 11);
	assert_int_equal(counter[1], 22);
	assert_int_equal(counter[2], 33);
}

/* --- the machine model ------------------------------------------------------------------------------ */

static void every_profile_has_a_machine(void **unused)
{
	(void)unused;
	const struct model_profile *p;
	for (unsigned at = 0; (p = model_profile(at)); at++) {
		struct machine_geometry g = machine_geometry(p);
		assert_true(uarch_size(&g) > 0);
	}
	struct machine_geometry g = machine_geometry(&intel_core2);
	assert_int_equal(g.l1d.sets, 64);
	assert_int_equal(g.l1d.ways, 8);
	assert_int_equal(g.l2.sets, 4096);
	assert_int_equal(g.l2.ways, 24);
	assert_int_equal(g.llc.sets, 0);
	assert_int_equal(g.dtlb, 16);
	assert_int_equal(g.itlb, 128);
	assert_int_equal(g.stlb_sets * g.stlb_ways, 256);
	g = machine_geometry(&intel_yonah);
	assert_int_equal(g.dtlb, 128);
	assert_int_equal(g.stlb_sets, 0);
	g = machine_geometry(&intel_nehalem);
	assert_int_equal(g.dtlb, 64);
	assert_int_equal(g.stlb_sets * g.stlb_ways, 512);
	assert_int_equal(g.l1i.sets, 128);
	assert_int_equal(g.llc.sets * g.llc.ways * g.llc.line, 8 << 20);
	g = machine_geometry(&intel_skylake);
	assert_int_equal(g.stlb_sets * g.stlb_ways, 1536);
	assert_int_equal(g.llc.sets, 12288); /* no power of two: six slices */
	g = machine_geometry(&intel_icelake);
	assert_int_equal(g.l1d.ways, 12);
	assert_int_equal(g.stlb_sets * g.stlb_ways, 1536); /* its leaf 2 refers to others */
	g = machine_geometry(&intel_sapphirerapids);
	assert_int_equal(g.llc.sets, 90112 / 8); /* 82 MB are more than the model holds */
	assert_int_equal(g.llc.ways, 15);
	g = machine_geometry(&intel_haswell);
	assert_int_equal(g.stlb_sets * g.stlb_ways, 1024);
	assert_int_equal(g.decoded.sets * g.decoded.ways, 256);
	g = machine_geometry(model_profile_by_name("netburst-prescott"));
	assert_int_equal(g.decoded.sets * g.decoded.ways, 12 * 1024 / 6); /* by its leaf 2 */
	g = machine_geometry(&intel_goldmont);
	assert_int_equal(g.dtlb, 32);
	assert_int_equal(g.itlb, 48);
	assert_int_equal(g.stlb_sets * g.stlb_ways, 512);
	g = machine_geometry(&amd_k8);
	assert_int_equal(g.l1d.sets, 512);
	assert_int_equal(g.l1d.ways, 2);
	assert_int_equal(g.l1i.sets, 512);
	assert_int_equal(g.l2.sets * g.l2.ways * g.l2.line, 1 << 20);
	assert_int_equal(g.llc.sets, 0);
	assert_int_equal(g.dtlb, 32);
	assert_int_equal(g.stlb_sets, 128);
	g = machine_geometry(&amd_fam10h);
	assert_int_equal(g.llc.sets, 2048);
	assert_int_equal(g.llc.ways, 48);
	g = machine_geometry(&amd_zen1);
	assert_int_equal(g.l1i.ways, 4);
	assert_int_equal(g.stlb_sets, 192); /* no power of two */
	g = machine_geometry(&amd_zen5);
	assert_int_equal(g.l1d.ways, 12);
	assert_int_equal(g.dtlb, 96);
	assert_int_equal(g.stlb_sets * g.stlb_ways, 4096); /* told in units of 32 */
	/* Without such leaves there is a cache nevertheless. */
	static const struct cpuid_table nothing;
	struct model_profile bare = {.name = "bare", .identity = &nothing};
	g = machine_geometry(&bare);
	assert_true(uarch_size(&g) > 0);
}

/* Each fault changes what it is about, and nothing else. */
static void steps_are_broken(void **unused)
{
	(void)unused;

	for (unsigned f = 0; f < STEP_FAULTS; f++) {
		struct step_breaker b = {.faults = 1u << f};
		unsigned late = 0, lost = 0, off = 0, address = 0, registers = 0, kind = 0, still = 0;

		for (unsigned i = 0; i < 10; i++) {
			struct qterm terms[RECORDED_TERMS] = {{Q_LOADS, i + 1}};
			struct step_copies d = {.registers.general = {100 + i},
						.access = {{.address = 0x800}}};
			struct step s = {.terms = terms,
					 .n_terms = 1,
					 .next = 0x40,
					 .transfer = TRANSFER_JUMP,
					 .registers = &d.registers,
					 .access = d.access,
					 .n_access = 1,
					 .clock = 50 + i};

			step_break(&b, &s, &d, terms);
			late += s.n_terms != 1 || terms[0].amount != i + 1;
			if (f == STEP_LATE && i)
				assert_int_equal(terms[0].amount, i);
			lost += s.transfer != TRANSFER_JUMP;
			off += s.next != 0x40;
			address += d.access[0].address != 0x800;
			registers += d.registers.general[0] != 100 + i;
			kind += d.access[0].store;
			still += s.clock != 50 + i;
		}
		assert_int_equal(late, f == STEP_LATE ? 10 : 0);
		assert_int_equal(lost, f == STEP_BRANCH_LOST ? 2 : 0);
		assert_int_equal(off, f == STEP_TARGET_OFF ? 10 : 0);
		assert_int_equal(address, f == STEP_ADDRESS_OFF ? 10 : 0);
		assert_int_equal(registers, f == STEP_STALE_REGISTERS ? 10 : 0);
		assert_int_equal(kind, f == STEP_KIND_MIXED ? 10 : 0);
		assert_int_equal(still, f == STEP_TIME_STANDS ? 10 : 0);
	}
}

static struct uarch *machine;

/* Amount of q that one instruction gives. */
static uint32_t retire(const uint8_t *code, struct insn_retired did, uint64_t rip, uint64_t next,
		       enum quantity q)
{
	struct insn in;
	struct description about;
	struct step step;
	struct qterm out[MACHINE_TERMS];
	uint32_t amount = 0;

	assert_true(insn_decode(code, 15, &in));
	did.insn = &in;
	describe_instruction(&about, &in, code);
	describe_step(&step, &about, &did, rip, next ? next : rip + in.length);
	describe_for_machine(&step, &about);
	unsigned n = machine_retired(machine, &step, out);
	for (unsigned i = 0; i < n; i++)
		amount += out[i].quantity == q ? out[i].amount : 0;
	return amount;
}

static void instructions_reach_the_machine(void **unused)
{
	static const uint8_t load[15] = {0x48, 0x8b, 0x07}, flush[15] = {0x0f, 0xae, 0x3f},
			     write_back[15] = {0x66, 0x0f, 0xae, 0x37}, rep_movsq[15] = {0xf3, 0x48, 0xa5},
			     invlpg[15] = {0x0f, 0x01, 0x3f}, cr3[15] = {0x0f, 0x22, 0xd8}, ret[15] = {0xc3},
			     jump[15] = {0xff, 0xe0}, jz[15] = {0x74, 0x10};
	static const struct {
		uint8_t code[15], length;
	} calls[] = {{{0xe8, 0, 1, 0, 0}, 5}, {{0xff, 0xd0}, 2}, {{0xff, 0x17}, 2}};
	const struct insn_retired at = {.address = 0x100000, .stack = 0x8000};
	struct machine_geometry g = machine_geometry(&intel_core2);
	(void)unused;

	machine = uarch_create(malloc(uarch_size(&g)), &g);
	assert_int_equal(retire(load, at, 0x400000, 0, Q_L1D_LOAD_MISS), 1);
	assert_int_equal(retire(load, at, 0x400000, 0, Q_L1D_LOAD_MISS), 0);
	retire(write_back, at, 0x400010, 0, Q_CYCLES); /* stays */
	assert_int_equal(retire(load, at, 0x400000, 0, Q_L1D_LOAD_MISS), 0);
	retire(flush, at, 0x400010, 0, Q_CYCLES);
	assert_int_equal(retire(load, at, 0x400000, 0, Q_LLC_MISS), 1);
	assert_int_equal(retire(load, at, 0x400000, 0, Q_DTLB_LOAD_MISS), 0);
	retire(invlpg, at, 0x400010, 0, Q_CYCLES);
	assert_int_equal(retire(load, at, 0x400000, 0, Q_DTLB_LOAD_MISS), 1);
	retire(cr3, at, 0x400010, 0, Q_CYCLES);
	assert_int_equal(retire(load, at, 0x400000, 0, Q_DTLB_LOAD_MISS), 1);
	/* 64 iterations of 8 bytes: 8 lines. */
	const struct insn_retired copy = {.source = 0x200000, .dest = 0x300000, .iterations = 64};
	assert_int_equal(retire(rep_movsq, copy, 0x400020, 0, Q_L1D_LOAD_MISS), 8);
	assert_int_equal(retire(rep_movsq, copy, 0x400020, 0, Q_L1D_LOAD_MISS), 0);
	const struct insn_retired none = {.source = 0x500000, .dest = 0x600000, .iterations = 0};
	assert_int_equal(retire(rep_movsq, none, 0x400020, 0, Q_L1D_LOAD_MISS), 0);
	/* A return to where the call came from is predicted, whichever call it was, one to elsewhere is not.
	 */
	for (unsigned i = 0; i < sizeof calls / sizeof calls[0]; i++)
		for (unsigned off = 0; off < 2; off++) {
			retire(calls[i].code, at, 0x400030, 0x400135, Q_CYCLES);
			assert_int_equal(
				retire(ret, at, 0x400135, 0x400030 + calls[i].length + off, Q_BR_MISPRED),
				off);
		}
	/* A jump has put nothing there: behind it the return goes to where the call in front of it was. */
	retire(calls[0].code, at, 0x400030, 0x400135, Q_CYCLES);
	retire(jump, at, 0x400040, 0x401000, Q_CYCLES);
	assert_int_equal(retire(ret, at, 0x401000, 0x400030 + calls[0].length, Q_BR_MISPRED), 0);
	/* An indirect jump is predicted to go where it went. */
	retire(jump, at, 0x400040, 0x401000, Q_CYCLES);
	assert_int_equal(retire(jump, at, 0x400040, 0x401000, Q_BR_MISPRED), 0);
	assert_int_equal(retire(jump, at, 0x400040, 0x402000, Q_BR_MISPRED), 1);
	/* A branch that is never taken is learnt at once, as counters begin with "weakly not taken". */
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(retire(jz, at, 0x400050, 0, Q_BR_MISPRED), 0);
	const struct insn_retired taken = {.taken = true};
	assert_int_equal(retire(jz, taken, 0x400050, 0x400062, Q_BR_MISPRED), 1);
	free(machine);
}

/* 256 bits and more leave upper halves of registers in use, whatever the encoding and the prefixes in front.
 */
static void wide_vectors_reach_the_machine(void **unused)
{
	static const uint8_t addps[15] = {0x0f, 0x58, 0xc1};
	static const struct {
		uint8_t code[15];
		bool wide;
	} forms[] = {
		{{0xc5, 0xf8, 0x58, 0xc1}, false},
		{{0xc5, 0xfc, 0x58, 0xc1}, true},
		{{0xc4, 0xe1, 0x78, 0x58, 0xc1}, false},
		{{0xc4, 0xe1, 0x7c, 0x58, 0xc1}, true},
		{{0x62, 0xf1, 0x7c, 0x08, 0x58, 0xc1}, false},
		{{0x62, 0xf1, 0x7c, 0x28, 0x58, 0xc1}, true},
		{{0x62, 0xf1, 0x7c, 0x48, 0x58, 0xc1}, true},
		{{0x67, 0xc5, 0xfc, 0x58, 0x07}, true},
		{{0x67, 0xc5, 0xf8, 0x58, 0x07}, false},
		{{0x65, 0x67, 0xc5, 0xfc, 0x58, 0x07}, true},
		{{0x67, 0x62, 0xf1, 0x7c, 0x48, 0x58, 0x07}, true},
	};
	const struct insn_retired at = {.address = 0x100000};
	struct machine_geometry g = machine_geometry(&intel_skylake);
	void *memory = malloc(uarch_size(&g));

	(void)unused;
	for (unsigned i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		machine = uarch_create(memory, &g);
		retire(forms[i].code, at, 0x400000, 0, Q_CYCLES);
		if (retire(addps, at, 0x400010, 0, Q_AVX_SSE_TRANSITIONS) != forms[i].wide)
			fail_msg("form %u", i);
	}
	free(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(identity_is_the_profiles),
		cmocka_unit_test(features_need_the_real_cpu),
		cmocka_unit_test(features_of_the_profile_alone),
		cmocka_unit_test(logical_processors),
		cmocka_unit_test(leaves_not_listed),
		cmocka_unit_test(hypervisor_is_the_profiles),
		cmocka_unit_test(answers_of_a_tests_own),
		cmocka_unit_test(request_meets_lvt),
		cmocka_unit_test(short_cut_equals_long_way),
		cmocka_unit_test(short_cut_refuses),
		cmocka_unit_test(memos_of_other_steps_hold_no_more),
		cmocka_unit_test(memos_have_room_for_so_much),
		cmocka_unit_test(a_memo_adds_nothing_where_one_counter_would_overflow),
		cmocka_unit_test(every_profile_has_a_machine),
		cmocka_unit_test(steps_are_broken),
		cmocka_unit_test(instructions_reach_the_machine),
		cmocka_unit_test(wide_vectors_reach_the_machine),
	};

	int failed = cmocka_run_group_tests_name("vpmu", tests, NULL, NULL);
	free(cpu);
	return failed;
}
