/*
 * Rules of the AMD model's instruction-based sampling, one test each. Included with those of branch records.
 */
#ifndef TESTS_SELF_HOST_AMD_IBS_TESTS_H
#define TESTS_SELF_HOST_AMD_IBS_TESTS_H

#include "pmu/amd/records/ibs.h"
#include "tests/self/host/amd_model_shortcuts.h"
#include "tests/self/host/support/fake_path.h"
#include "tests/self/host/support/later_ibs.h"

#define CODE 0x401000ull
#define DATA 0x500000ull

static struct fake_path path;

static void boot(const struct model_profile *p, const char *inject)
{
	power_up(p, inject);
	fake_path_start(&path, &amd_model, cpu, CODE);
}

static void program_msr(uint32_t address, uint64_t value)
{
	assert_int_equal(fake_path_wrmsr(&path, address, value), REGISTER_DONE);
}

static unsigned extended(unsigned *entry)
{
	unsigned n = 0;

	while (n < 9 && amd_model.take_extended(cpu, entry))
		n++;
	return n;
}

static const struct {
	const struct model_profile *profile;
	uint32_t features;
	bool keeps; /* the fetch count until the enable rises */
} sampling[] = {
	{&amd_k7, 0, false},        {&amd_k8, 0, false},         {&amd_fam10h, 0x1f, false},
	{&amd_fam11h, 0, false},    {&amd_fam12h, 0xff, false},  {&amd_fam14h, 0xff, false},
	{&amd_fam15h, 0xff, false}, {&amd_fam16h, 0xff, true},   {&amd_zen1, 0, true},
	{&amd_zen2, 0x3ff, true},   {&amd_zen3, 0x3fd, false},   {&amd_zen3_epyc, 0x3ff, false},
	{&amd_zen4, 0xbff, false},  {&amd_zen5, 0x81bff, false}, {&amd_zen4_guest, 0, false},
};
#define SAMPLING (sizeof sampling / sizeof sampling[0])

static void ibs_registers(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < SAMPLING; p++) {
		uint32_t f = sampling[p].features;
		bool op = f & IBS_OP;

		boot(sampling[p].profile, "");
		assert_int_equal(faults(IBS_FETCH_CTL), !(f & IBS_FETCH));
		assert_int_equal(faults(IBS_FETCH_LINAD), !(f & IBS_FETCH));
		assert_int_equal(faults(IBS_FETCH_PHYS), !(f & IBS_FETCH));
		for (uint32_t a = IBS_OP_CTL; a <= IBS_DC_PHYS; a++)
			assert_int_equal(faults(a), !op);
		assert_int_equal(faults(IBS_CTL), !f);
		assert_int_equal(faults(IBS_BRTARGET), !(f & IBS_BRANCH));
		assert_int_equal(faults(IBS_FETCH_EXTD), !(f & IBS_FETCH_EXT));
		assert_true(faults(IBS_OP_DATA4));
		if (!op)
			continue;
		set(IBS_OP_CTL, ~0ull & ~OP_EN);
		assert_int_equal(get(IBS_OP_CTL),
				 0xffff | OP_VAL | (f & IBS_OP_COUNT ? OP_DISPATCHED : 0) |
					 (f & IBS_COUNT_27   ? OP_MAX_HIGH | 0x7ffffffull << 32
					  : f & IBS_RW_COUNT ? 0xfffffull << 32
							     : 0) |
					 (f & IBS_ZEN4 ? OP_L3_MISS_ONLY : 0) |
					 (f & IBS_LATENCY ? 0x1full << OP_LATENCY_SHIFT : 0));
		set(IBS_OP_DATA3, 0x1234);
		assert_int_equal(get(IBS_OP_DATA3), 0x1234);
		uint64_t control = get(IBS_CTL);
		assert_int_equal(control, sampling[p].profile == &amd_fam10h ? 0 : IBS_LVT_VALID);
		set(IBS_CTL, 0x103);
		assert_int_equal(get(IBS_CTL), control);
		if (!(f & IBS_FETCH))
			continue;
		set(IBS_FETCH_CTL, ~0ull & ~(FETCH_EN | FETCH_RAND));
		assert_int_equal(get(IBS_FETCH_CTL) & ~FETCH_COUNT,
				 0xffff | FETCH_VAL | (f & IBS_ZEN4 ? FETCH_L3_MISS_ONLY : 0));
	}
}

/* A count that CPUID does not say can be written is not. */
static void ibs_count_is_read_only(void **unused)
{
	static const struct cpuid_row leaves[] = {{0x00, 0, 5, 0x68747541, 0x444d4163, 0x69746e65},
						  {0x01, 0, 0x00100f42, 0, 0, 0},
						  {0x80000001, 0, 0, 0, 1u << 10, 0},
						  {0x8000001b, 0, 0x17, 0, 0, 0}};
	static const struct cpuid_table table = {leaves, sizeof leaves / sizeof leaves[0]};
	static const struct model_profile p = {.name = "early", .model = &amd_model, .identity = &table};
	(void)unused;
	boot(&p, "");
	set(IBS_OP_CTL, 5ull << OP_COUNT_SHIFT);
	assert_int_equal(get(IBS_OP_CTL), 0);
}

static void ibs_counts_operations(void **unused)
{
	unsigned entry;
	(void)unused;
	for (unsigned p = 0; p < SAMPLING; p++) {
		if (!(sampling[p].features & IBS_OP))
			continue;
		boot(sampling[p].profile, "");
		assert_false(amd_model.recording(cpu));
		program_msr(IBS_OP_CTL, 2 | OP_EN | OP_DISPATCHED);
		assert_true(amd_model.recording(cpu));
		fake_path_nops(&path, 31);
		assert_int_equal(get(IBS_OP_CTL) >> OP_COUNT_SHIFT, 31);
		fake_path_nops(&path, 1);
		assert_false(get(IBS_OP_CTL) & OP_VAL);
		uint64_t ip = path.regs.ip;
		fake_path_nops(&path, 1);
		assert_true(path.changed);
		assert_true(get(IBS_OP_CTL) & OP_VAL);
		assert_int_equal(get(IBS_OP_RIP), ip);
		assert_false(amd_model.recording(cpu));
		/* It begins again at a random number, and waits for software. */
		uint64_t count = get(IBS_OP_CTL) >> OP_COUNT_SHIFT;
		assert_in_range(count, 1, 127);
		fake_path_nops(&path, 100);
		assert_int_equal(get(IBS_OP_CTL) >> OP_COUNT_SHIFT, count);
		assert_int_equal(get(IBS_OP_RIP), ip);
		assert_int_equal(extended(&entry), sampling[p].profile == &amd_fam10h ? 0 : 1);
		assert_int_equal(entry, 0);
		assert_int_equal(pmis(), 0);
		/* A count that is written is where it goes on. */
		program_msr(IBS_OP_CTL, 2 | OP_EN | OP_DISPATCHED | 30ull << OP_COUNT_SHIFT);
		fake_path_nops(&path, 2);
		assert_false(get(IBS_OP_CTL) & OP_VAL);
		fake_path_nops(&path, 1);
		assert_true(get(IBS_OP_CTL) & OP_VAL);
	}
}

/* Cycles are counted without the bit: an instruction of several is one operation. Halted time is none. */
static void ibs_counts_cycles(void **unused)
{
	static const struct qterm one[] = {{Q_INSTRUCTIONS, 1}};
	(void)unused;
	for (unsigned dispatched = 0; dispatched < 2; dispatched++) {
		struct step slow = {.terms = one, .n_terms = 1, .cycles = 10, .length = 2};
		struct step halt = {.cycles = 100, .halted = true};

		boot(&amd_zen2, "");
		program_msr(IBS_OP_CTL, 2 | OP_EN | (dispatched ? OP_DISPATCHED : 0));
		fake_path_step(&path, &slow, CODE);
		amd_model.advance(cpu, &halt);
		assert_int_equal(get(IBS_OP_CTL) >> OP_COUNT_SHIFT, dispatched ? 1 : 10);
		fake_path_event(&path, CODE);
		assert_int_equal(get(IBS_OP_CTL) >> OP_COUNT_SHIFT, dispatched ? 1 : 11);
		/* A maximum of 0 samples nothing. */
		boot(&amd_zen2, "");
		program_msr(IBS_OP_CTL, OP_EN);
		assert_false(amd_model.recording(cpu));
	}
}

static void ibs_long_periods(void **unused)
{
	(void)unused;
	assert_int_equal(ibs_op_max_field(0x7fffff0), 0xffff | OP_MAX_HIGH);
	assert_int_equal(ibs_op_max(0xffff | OP_MAX_HIGH), 0x7fffff0);
	assert_int_equal(ibs_op_max(ibs_op_max_field(0x123450)), 0x123450);
	boot(&amd_zen4, "");
	program_msr(IBS_OP_CTL,
		    ibs_op_max_field(0x123450) | OP_EN | OP_DISPATCHED | 0x12344full << OP_COUNT_SHIFT);
	fake_path_nops(&path, 1);
	assert_false(get(IBS_OP_CTL) & OP_VAL);
	fake_path_nops(&path, 1);
	assert_true(get(IBS_OP_CTL) & OP_VAL);
}

/* The next instruction is tagged. */
static void tag(const struct model_profile *p, const char *inject, uint64_t more)
{
	boot(p, inject);
	program_msr(IBS_OP_CTL, 1 | OP_EN | OP_DISPATCHED | more | 15ull << OP_COUNT_SHIFT);
	fake_path_nops(&path, 1);
	assert_false(get(IBS_OP_CTL) & OP_VAL);
}

static void ibs_tells_branches(void **unused)
{
	(void)unused;
	tag(&amd_zen2, "", 0);
	fake_path_branch(&path, TRANSFER_JUMP, CODE + 0x100);
	assert_int_equal(get(IBS_OP_DATA) >> 32, (DATA_BRANCH | DATA_TAKEN) >> 32);
	assert_int_equal(get(IBS_BRTARGET), CODE + 0x100);
	assert_int_equal(get(IBS_OP_DATA3), 0);
	tag(&amd_zen2, "", 0);
	fake_path_mispredicted(&path, TRANSFER_RETURN, CODE + 0x200);
	assert_int_equal(get(IBS_OP_DATA) >> 32,
			 (DATA_BRANCH | DATA_TAKEN | DATA_RETURN | DATA_MISPRED) >> 32);
	assert_int_equal(get(IBS_OP_DATA3) & 3, DATA3_LOAD);
	tag(&amd_zen2, "", 0);
	fake_path_not_taken(&path);
	assert_int_equal(get(IBS_OP_DATA) >> 32, DATA_BRANCH >> 32);
	assert_int_equal(get(IBS_BRTARGET), path.regs.ip);
	tag(&amd_zen2, "", 0);
	fake_path_nops(&path, 1);
	assert_int_equal(get(IBS_OP_DATA) >> 32, 0);
	assert_int_equal(get(IBS_BRTARGET), 0);
}

static void touch(const struct qterm *terms, unsigned n, uint32_t size, bool store)
{
	const struct step_access a = {.address = DATA, .size = size, .store = store};

	fake_path_access(&path, 4, terms, n, &a, 1);
}

static void ibs_tells_accesses(void **unused)
{
	static const struct {
		struct qterm terms[6];
		uint64_t data3, data2;
		uint32_t size;
		bool store;
	} rows[] = {
		{{{Q_INSTRUCTIONS, 1}, {Q_LOADS, 1}}, DATA3_LOAD | 4ull << DATA3_WIDTH_SHIFT, 0, 8, false},
		{{{Q_INSTRUCTIONS, 1}, {Q_STORES, 1}}, DATA3_STORE | 1ull << DATA3_WIDTH_SHIFT, 0, 1, true},
		{{{Q_INSTRUCTIONS, 1}, {Q_LOADS, 1}, {Q_LOADS_SPLIT_LINE, 1}, {Q_INSN_LOCKED, 1}},
		 DATA3_LOAD | DATA3_MISALIGNED | DATA3_LOCKED,
		 0,
		 10,
		 false},
		{{{Q_INSTRUCTIONS, 1}, {Q_LOADS, 1}, {Q_L1D_LOAD_MISS, 1}},
		 DATA3_LOAD | DATA3_DC_MISS | 14ull << 32 | 5ull << DATA3_WIDTH_SHIFT,
		 0,
		 16,
		 false},
		{{{Q_INSTRUCTIONS, 1},
		  {Q_LOADS, 1},
		  {Q_L1D_LOAD_MISS, 1},
		  {Q_L2_LOAD_MISS, 1},
		  {Q_LLC_REF, 1}},
		 DATA3_LOAD | DATA3_DC_MISS | DATA3_L2_MISS | 46ull << 32 | 6ull << DATA3_WIDTH_SHIFT,
		 1,
		 32,
		 false},
		{{{Q_INSTRUCTIONS, 1},
		  {Q_L1D_LOAD_MISS, 1},
		  {Q_L2_LOAD_MISS, 1},
		  {Q_LLC_REF, 1},
		  {Q_LLC_MISS, 1}},
		 DATA3_LOAD | DATA3_DC_MISS | DATA3_L2_MISS | 200ull << 32 | 7ull << DATA3_WIDTH_SHIFT,
		 3,
		 64,
		 false},
		{{{Q_INSTRUCTIONS, 1}, {Q_STORES, 1}, {Q_DTLB_STORE_MISS, 1}},
		 DATA3_STORE | DATA3_L1TLB_MISS | DATA3_L2TLB_MISS | 30ull << 48 | 2ull << DATA3_WIDTH_SHIFT,
		 0,
		 2,
		 true},
	};
	(void)unused;
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		tag(&amd_zen4, "", 0);
		touch(rows[i].terms, 6, rows[i].size, rows[i].store);
		assert_int_equal(get(IBS_OP_DATA3), rows[i].data3 | DATA3_LIN_VALID | DATA3_PHYS_VALID);
		assert_int_equal(get(IBS_OP_DATA2), rows[i].data2);
		assert_int_equal(get(IBS_DC_LINAD), DATA);
		assert_int_equal(get(IBS_DC_PHYS), DATA);
	}
	static const struct qterm prefetch[] = {{Q_INSTRUCTIONS, 1}, {Q_PREFETCHES, 1}};
	tag(&amd_zen4, "", 0);
	fake_path_insn(&path, 4, prefetch, 2);
	assert_int_equal(get(IBS_OP_DATA3), DATA3_PREFETCH);
}

/* Zen 4: what does not miss the last level is thrown away, and the count begins again. */
static void ibs_filter(void **unused)
{
	static const struct qterm hit[] = {{Q_INSTRUCTIONS, 1}, {Q_LOADS, 1}};
	static const struct qterm miss[] = {
		{Q_INSTRUCTIONS, 1}, {Q_L1D_LOAD_MISS, 1}, {Q_L2_LOAD_MISS, 1}, {Q_LLC_MISS, 1}};
	static const struct qterm code[] = {{Q_INSTRUCTIONS, 1}, {Q_L1I_MISS, 1}, {Q_LLC_MISS, 1}};
	(void)unused;
	tag(&amd_zen4, "", OP_L3_MISS_ONLY);
	touch(hit, 2, 8, false);
	assert_false(get(IBS_OP_CTL) & OP_VAL);
	assert_in_range(get(IBS_OP_CTL) >> OP_COUNT_SHIFT, 0, 127);
	tag(&amd_zen4, "", OP_L3_MISS_ONLY);
	touch(code, 3, 8, false);
	assert_false(get(IBS_OP_CTL) & OP_VAL);
	tag(&amd_zen4, "", OP_L3_MISS_ONLY);
	touch(miss, 4, 8, false);
	assert_true(get(IBS_OP_CTL) & OP_VAL);
	tag(&amd_zen4, "ibs-filter", OP_L3_MISS_ONLY);
	touch(hit, 2, 8, false);
	assert_true(get(IBS_OP_CTL) & OP_VAL);

	boot(&amd_zen4, "");
	program_msr(IBS_FETCH_CTL, 1 | FETCH_EN | FETCH_L3_MISS_ONLY | 0ull);
	for (unsigned i = 0; i < 17; i++)
		fake_path_branch(&path, TRANSFER_JUMP, CODE + 64 * i);
	assert_false(get(IBS_FETCH_CTL) & FETCH_VAL);
	for (unsigned i = 0; i < 16; i++)
		fake_path_branch(&path, TRANSFER_JUMP, CODE + 64 * i);
	fake_path_insn(&path, 4, code, 3);
	assert_true(get(IBS_FETCH_CTL) & FETCH_VAL);
	assert_int_equal(get(IBS_FETCH_CTL) & (FETCH_L2_MISS | FETCH_L3_MISS), 0);
}

/* Zen 5: what is no load that missed for more than 128, 256 and so on cycles is thrown away; memory takes
 * 200.
 */
static void ibs_filters_latency(void **unused)
{
	static const struct qterm hit[] = {{Q_INSTRUCTIONS, 1}, {Q_LOADS, 1}};
	static const struct qterm second[] = {{Q_INSTRUCTIONS, 1}, {Q_LOADS, 1}, {Q_L1D_LOAD_MISS, 1}};
	static const struct qterm memory[] = {
		{Q_INSTRUCTIONS, 1}, {Q_L1D_LOAD_MISS, 1}, {Q_L2_LOAD_MISS, 1}, {Q_LLC_MISS, 1}};
	static const struct {
		const struct qterm *terms;
		unsigned n;
		uint32_t above;
		bool passes;
	} rows[] = {{hit, 2, 128, false},    {second, 3, 128, false},  {memory, 4, 128, true},
		    {memory, 4, 256, false}, {memory, 4, 2048, false}, {hit, 2, 0, true}};
	(void)unused;
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		uint64_t filter = rows[i].above ? OP_LATENCY_EN | ibs_op_latency_field(rows[i].above) : 0;

		assert_int_equal(ibs_op_latency(filter), rows[i].above ? rows[i].above : 128);
		tag(&amd_zen5, "", filter);
		touch(rows[i].terms, rows[i].n, 8, false);
		assert_int_equal((get(IBS_OP_CTL) & OP_VAL) != 0, rows[i].passes);
		tag(&amd_zen5, "ibs-latency", filter);
		touch(rows[i].terms, rows[i].n, 8, false);
		assert_true(get(IBS_OP_CTL) & OP_VAL);
		/* Zen 4 has no such filter. */
		tag(&amd_zen4, "", filter);
		touch(rows[i].terms, rows[i].n, 8, false);
		assert_true(get(IBS_OP_CTL) & OP_VAL);
	}
}

static bool samples_fetch(uint64_t control2, uint64_t at)
{
	static const struct qterm code[] = {
		{Q_INSTRUCTIONS, 1}, {Q_L1I_MISS, 1}, {Q_LLC_REF, 1}, {Q_LLC_MISS, 1}};

	program_msr(IBS_FETCH_CTL2, control2);
	program_msr(IBS_FETCH_CTL, 0);
	program_msr(IBS_FETCH_CTL, 1 | FETCH_EN);
	for (unsigned n = 0; n < 16; n++)
		fake_path_branch(&path, TRANSFER_JUMP, at);
	fake_path_insn(&path, 4, code, 4);
	return get(IBS_FETCH_CTL) & FETCH_VAL;
}

static bool samples_op(uint64_t control2, uint64_t at, bool streaming)
{
	const struct qterm store[] = {{Q_INSTRUCTIONS, 1}, {Q_STORES, 1}, {Q_STORES_NT, streaming}};

	program_msr(IBS_OP_CTL2, control2);
	program_msr(IBS_OP_CTL, 0);
	program_msr(IBS_OP_CTL, 1 | OP_EN | OP_DISPATCHED | 15ull << OP_COUNT_SHIFT);
	path.regs.ip = at;
	fake_path_nops(&path, 1);
	touch(store, 3, 8, true);
	return get(IBS_OP_CTL) & OP_VAL;
}

/* A fetch that comes from memory takes 200 cycles. */
static void ibs_second_control(void **unused)
{
	static const struct {
		uint32_t feature;
		uint64_t fetch, op;
	} bits[] = {{0, 0, 0},
		    {IBS_DISABLE, FETCH2_DISABLE, OP2_DISABLE},
		    {IBS_FETCH_LATENCY, FETCH2_LATENCY, 0},
		    {IBS_BIT63, FETCH2_NOT_HIGH | FETCH2_NOT_LOW, OP2_NOT_HIGH | OP2_NOT_LOW},
		    {IBS_STREAMING, 0, OP2_STREAMING}};
	const uint64_t high = 1ull << 63 | CODE;
	(void)unused;
	for (unsigned i = 0; i < sizeof bits / sizeof bits[0]; i++) {
		boot(later_ibs(bits[i].feature), "");
		assert_int_equal(faults(IBS_FETCH_CTL2), !bits[i].feature);
		assert_int_equal(faults(IBS_OP_CTL2), !bits[i].feature);
		if (!bits[i].feature)
			continue;
		set(IBS_FETCH_CTL2, ~0ull);
		assert_int_equal(get(IBS_FETCH_CTL2), bits[i].fetch);
		set(IBS_OP_CTL2, ~0ull);
		assert_int_equal(get(IBS_OP_CTL2), bits[i].op);
	}
	boot(later_ibs(IBS_CONTROL2), "");
	assert_true(samples_fetch(0, CODE) && samples_fetch(0, high));
	assert_false(samples_fetch(FETCH2_DISABLE, CODE));
	assert_true(samples_fetch(1 << FETCH2_LATENCY_SHIFT, CODE));
	assert_false(samples_fetch(2 << FETCH2_LATENCY_SHIFT, CODE));
	assert_true(samples_fetch(FETCH2_NOT_HIGH, CODE) && samples_fetch(FETCH2_NOT_LOW, high));
	assert_false(samples_fetch(FETCH2_NOT_LOW, CODE) || samples_fetch(FETCH2_NOT_HIGH, high));
	assert_true(samples_op(0, CODE, false) && samples_op(0, high, false));
	assert_int_equal(get(IBS_OP_DATA2) & DATA2_STREAMING, 0);
	assert_false(samples_op(OP2_DISABLE, CODE, false));
	assert_true(samples_op(OP2_NOT_HIGH, CODE, false) && samples_op(OP2_NOT_LOW, high, false));
	assert_false(samples_op(OP2_NOT_LOW, CODE, false) || samples_op(OP2_NOT_HIGH, high, false));
	assert_false(samples_op(OP2_STREAMING, CODE, false));
	assert_true(samples_op(OP2_STREAMING, CODE, true));
	assert_int_equal(get(IBS_OP_DATA2) & DATA2_STREAMING, DATA2_STREAMING);
}

/* Cycles from the tag to retirement hold those of what the operation waited for; a NOP is complete with it.
 */
static void ibs_times(void **unused)
{
	static const struct {
		struct qterm terms[4];
		unsigned tagged;
	} rows[] = {
		{{{Q_INSTRUCTIONS, 1}, {Q_INSN_NOP, 1}}, 1},
		{{{Q_INSTRUCTIONS, 1}}, 2},
		{{{Q_INSTRUCTIONS, 1}, {Q_L1D_LOAD_MISS, 1}, {Q_LLC_REF, 1}, {Q_LLC_MISS, 1}}, 202},
		{{{Q_INSTRUCTIONS, 1}, {Q_L1D_LOAD_MISS, 1}, {Q_LLC_REF, 1}, {Q_DTLB_LOAD_MISS, 1}}, 78},
	};
	(void)unused;
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
		for (unsigned swapped = 0; swapped < 2; swapped++) {
			uint64_t one = 1, tagged = rows[i].tagged;

			tag(&amd_zen4, swapped ? "ibs-times" : "", 0);
			touch(rows[i].terms, 4, 8, false);
			assert_int_equal(get(IBS_OP_DATA), swapped ? tagged | one << 16 : one | tagged << 16);
		}
}

/* Physical addresses, and how large the page is in the TLB, are the page tables'. */
static bool tables(void *ctx, uint64_t address, uint64_t *physical, unsigned *shift)
{
	if (!*(unsigned *)ctx)
		return false;
	*physical = address + 0x40000000;
	*shift = *(unsigned *)ctx;
	return true;
}

static void ibs_translates(void **unused)
{
	static const struct qterm load[] = {{Q_INSTRUCTIONS, 1}, {Q_LOADS, 1}, {Q_DTLB_LOAD_MISS, 1}};
	static const struct {
		unsigned shift;
		uint64_t told, fetched;
	} rows[] = {{0, 0, 0}, {12, 0, 0}, {21, DATA3_L1TLB_2M, 1}, {30, DATA3_L1TLB_1G, 2}};
	(void)unused;
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		unsigned shift = rows[i].shift;
		uint64_t offset = shift ? 0x40000000 : 0;
		struct step_memory memory = {.translate = tables, .ctx = &shift};

		for (unsigned walks = 0; walks < 2; walks++) {
			for (unsigned later = 0; later < 2; later++) {
				tag(later ? &amd_zen5 : &amd_zen4, "", 0);
				amd_model.attach(cpu, &memory);
				touch(load, walks ? 3 : 2, 8, false);
				assert_int_equal(get(IBS_DC_PHYS), DATA + offset);
				assert_int_equal(get(IBS_OP_DATA3) & DATA3_PAGE_SIZE,
						 walks && !later ? 0 : rows[i].told);
			}
		}
		boot(&amd_zen4, "");
		amd_model.attach(cpu, &memory);
		program_msr(IBS_FETCH_CTL, 1 | FETCH_EN);
		for (unsigned n = 0; n < 17; n++)
			fake_path_branch(&path, TRANSFER_JUMP, CODE);
		assert_int_equal(get(IBS_FETCH_LINAD), CODE);
		assert_int_equal(get(IBS_FETCH_PHYS), CODE + offset);
		assert_int_equal((get(IBS_FETCH_CTL) & FETCH_PAGE_SIZE) >> FETCH_PAGE_SHIFT, rows[i].fetched);
		assert_int_equal(get(IBS_FETCH_EXTD), 0);
	}
}

/* Short and long encodings; fetches tell of outer levels where IBS can. */
static void ibs_tells_levels(void **unused)
{
	static const struct qterm near[] = {
		{Q_INSTRUCTIONS, 1}, {Q_L1D_LOAD_MISS, 1}, {Q_L2_LOAD_MISS, 1}, {Q_LLC_REF, 1}};
	static const struct qterm code[] = {
		{Q_INSTRUCTIONS, 1}, {Q_L1I_MISS, 1}, {Q_LLC_REF, 1}, {Q_LLC_MISS, 1}};
	static const struct {
		const struct model_profile *profile;
		uint64_t near, fetched;
	} rows[] = {{&amd_fam10h, DATA2_CACHE, 0},
		    {&amd_zen2, DATA2_CACHE, FETCH_L2_MISS},
		    {&amd_zen4, DATA2_LOCAL, FETCH_L2_MISS | FETCH_L3_MISS}};
	(void)unused;
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		tag(rows[i].profile, "", 0);
		touch(near, 4, 8, false);
		assert_int_equal(get(IBS_OP_DATA2), rows[i].near);
		boot(rows[i].profile, "");
		program_msr(IBS_FETCH_CTL, 1 | FETCH_EN);
		for (unsigned n = 0; n < 16; n++)
			fake_path_branch(&path, TRANSFER_JUMP, CODE);
		fake_path_insn(&path, 4, code, 4);
		assert_int_equal(get(IBS_FETCH_CTL) & (FETCH_L2_MISS | FETCH_L3_MISS), rows[i].fetched);
		assert_int_equal((get(IBS_FETCH_CTL) & FETCH_LAT) >> FETCH_LAT_SHIFT, 200);
	}
}

static void ibs_fetches(void **unused)
{
	static const struct qterm cold[] = {{Q_INSTRUCTIONS, 1}, {Q_L1I_MISS, 1}, {Q_ITLB_MISS, 1}};
	unsigned entry;
	(void)unused;
	boot(&amd_zen2, "");
	program_msr(IBS_FETCH_CTL, 1 | FETCH_EN);
	assert_true(amd_model.recording(cpu));
	/* In sequence: 32 bytes each. */
	path.regs.ip = CODE;
	fake_path_nops(&path, 15 * 32);
	assert_int_equal(get(IBS_FETCH_CTL) & FETCH_COUNT, 0);
	fake_path_nops(&path, 1);
	assert_int_equal(get(IBS_FETCH_CTL) & FETCH_COUNT, 1ull << FETCH_COUNT_SHIFT);
	fake_path_nops(&path, 31);
	assert_false(get(IBS_FETCH_CTL) & FETCH_VAL);
	fake_path_insn(&path, 4, cold, 3);
	assert_true(path.changed);
	assert_int_equal(get(IBS_FETCH_CTL), 1 | FETCH_EN | FETCH_VAL | FETCH_COMP | FETCH_PHYS_VALID |
						     FETCH_IC_MISS | FETCH_L1TLB_MISS | FETCH_L2TLB_MISS |
						     44ull << FETCH_LAT_SHIFT);
	assert_int_equal(get(IBS_FETCH_LINAD), CODE + 16 * 32);
	assert_int_equal(get(IBS_FETCH_PHYS), CODE + 16 * 32);
	assert_int_equal(get(IBS_FETCH_EXTD), 30);
	assert_int_equal(extended(&entry), 1);
	/* It waits for software. */
	fake_path_nops(&path, 64 * 32);
	assert_int_equal(get(IBS_FETCH_LINAD), CODE + 16 * 32);
	/* What a branch leads to is fetched, though it is where the last fetch was. */
	boot(&amd_zen2, "");
	program_msr(IBS_FETCH_CTL, 1 | FETCH_EN);
	for (unsigned i = 0; i < 16; i++)
		fake_path_branch(&path, TRANSFER_JUMP, CODE);
	assert_false(get(IBS_FETCH_CTL) & FETCH_VAL);
	fake_path_nops(&path, 1);
	assert_true(get(IBS_FETCH_CTL) & FETCH_VAL);
	assert_int_equal(get(IBS_FETCH_CTL) & (FETCH_IC_MISS | FETCH_L2TLB_MISS), 0);
}

/* What is tagged when the register is written again is sampled no more, fetches as operations. */
static void ibs_tags_end_with_a_write(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < SAMPLING; p++) {
		if (sampling[p].features & IBS_FETCH)
			for (unsigned stop = 0; stop < 2; stop++) {
				boot(sampling[p].profile, "");
				program_msr(IBS_FETCH_CTL, 1 | FETCH_EN);
				path.regs.ip = CODE;
				fake_path_nops(&path, 16 * 32);
				assert_false(get(IBS_FETCH_CTL) & FETCH_VAL);
				if (stop) {
					program_msr(IBS_FETCH_CTL, 1);
					program_msr(IBS_FETCH_CTL, 0x100 | FETCH_EN);
					fake_path_nops(&path, 4 * 32);
					assert_false(get(IBS_FETCH_CTL) & FETCH_VAL);
				} else {
					fake_path_nops(&path, 32);
					assert_true(get(IBS_FETCH_CTL) & FETCH_VAL);
				}
			}
		if (sampling[p].features & IBS_OP)
			for (unsigned stop = 0; stop < 2; stop++) {
				boot(sampling[p].profile, "");
				program_msr(IBS_OP_CTL, 2 | OP_EN | OP_DISPATCHED);
				fake_path_nops(&path, 32);
				assert_false(get(IBS_OP_CTL) & OP_VAL);
				if (stop) {
					program_msr(IBS_OP_CTL, 2 | OP_DISPATCHED);
					program_msr(IBS_OP_CTL, 0x100 | OP_EN | OP_DISPATCHED);
				}
				fake_path_nops(&path, 1);
				assert_int_equal(!(get(IBS_OP_CTL) & OP_VAL), stop);
			}
	}
}

static void ibs_fetch_count(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < SAMPLING; p++) {
		if (!(sampling[p].features & IBS_FETCH))
			continue;
		boot(sampling[p].profile, "");
		set(IBS_FETCH_CTL, 100 | FETCH_EN | 7ull << FETCH_COUNT_SHIFT);
		assert_int_equal(get(IBS_FETCH_CTL) & FETCH_COUNT, 7ull << FETCH_COUNT_SHIFT);
		set(IBS_FETCH_CTL, 100 | FETCH_EN);
		assert_int_equal((get(IBS_FETCH_CTL) & FETCH_COUNT) >> FETCH_COUNT_SHIFT,
				 sampling[p].keeps ? 7 : 0);
		set(IBS_FETCH_CTL, 100);
		set(IBS_FETCH_CTL, 100 | FETCH_EN);
		assert_int_equal(get(IBS_FETCH_CTL) & FETCH_COUNT, 0);
	}
	/* The low bits, which no register shows, are random if asked for: the sample comes sooner. */
	unsigned sooner = 0;
	for (unsigned random = 0; random < 2; random++) {
		boot(&amd_zen3_epyc, "");
		for (unsigned round = 0; round < 4; round++) {
			unsigned n = 0;

			program_msr(IBS_FETCH_CTL, 0);
			program_msr(IBS_FETCH_CTL, 1 | FETCH_EN | (random ? FETCH_RAND : 0));
			for (; !(get(IBS_FETCH_CTL) & FETCH_VAL); n++)
				fake_path_branch(&path, TRANSFER_JUMP, CODE);
			assert_in_range(n, random ? 2 : 17, 17);
			sooner += n < 17;
		}
		assert_int_equal(sooner > 0, random);
	}
}

static void ibs_own_write(void **unused)
{
	(void)unused;
	/* Counting already: the write that begins sampling reaches advance(), and does not count itself. */
	boot(&amd_zen2, "");
	program(0, INSTR);
	program_msr(IBS_OP_CTL, 2 | OP_EN | OP_DISPATCHED);
	assert_int_equal(get(IBS_OP_CTL) >> OP_COUNT_SHIFT, 0);
	fake_path_nops(&path, 3);
	program_msr(CTR(0), 0);
	assert_int_equal(get(IBS_OP_CTL) >> OP_COUNT_SHIFT, 4);
}

#define IBS_RULE_TESTS                                                                                       \
	cmocka_unit_test(ibs_registers), cmocka_unit_test(ibs_count_is_read_only),                           \
		cmocka_unit_test(ibs_counts_operations), cmocka_unit_test(ibs_counts_cycles),                \
		cmocka_unit_test(ibs_long_periods), cmocka_unit_test(ibs_tells_branches),                    \
		cmocka_unit_test(ibs_tells_accesses), cmocka_unit_test(ibs_filter),                          \
		cmocka_unit_test(ibs_filters_latency), cmocka_unit_test(ibs_second_control),                 \
		cmocka_unit_test(ibs_times), cmocka_unit_test(ibs_translates),                               \
		cmocka_unit_test(ibs_tells_levels), cmocka_unit_test(ibs_fetches),                           \
		cmocka_unit_test(ibs_tags_end_with_a_write), cmocka_unit_test(ibs_fetch_count),              \
		cmocka_unit_test(ibs_own_write)

#endif
