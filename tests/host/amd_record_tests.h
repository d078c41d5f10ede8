/*
 * Rules of the AMD model's sampling and branch records, one test each. Included by the test of the model as
 * it is and by the one that breaks it.
 */
#ifndef TESTS_HOST_AMD_RECORD_TESTS_H
#define TESTS_HOST_AMD_RECORD_TESTS_H

#include "pmu/amd/ibs.h"
#include "tests/host/amd_model_hands.h"
#include "tests/host/support/fake_path.h"

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
	assert_int_equal(fake_path_wrmsr(&path, address, value), MODEL_OK);
}

static unsigned extended(unsigned *entry)
{
	unsigned n = 0;

	while (n < 9 && amd_model.take_extended(cpu, entry))
		n++;
	return n;
}

/* --- IBS -------------------------------------------------------------------------------------------- */

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
	static const struct model_cpuid leaves[] = {{0x00, 0, 5, 0x68747541, 0x444d4163, 0x69746e65},
						    {0x01, 0, 0x00100f42, 0, 0, 0},
						    {0x80000001, 0, 0, 0, 1u << 10, 0},
						    {0x8000001b, 0, 0x17, 0, 0, 0}};
	static const struct model_profile p = {
		.name = "early", .model = &amd_model, .cpuid = leaves, .n_cpuid = 4};
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
		struct model_step slow = {.terms = one, .n_terms = 1, .cycles = 10, .length = 2};
		struct model_step halt = {.cycles = 100, .halted = true};

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
	const struct uarch_access a = {.address = DATA, .size = size, .store = store};

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
		struct model_memory memory = {.translate = tables, .ctx = &shift};

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

/* --- branches --------------------------------------------------------------------------------------- */

static void jumps(unsigned n)
{
	while (n--)
		fake_path_branch(&path, TRANSFER_JUMP, path.regs.ip + 16);
}

static enum model_access look(uint32_t address)
{
	uint64_t value;
	return amd_model.rdmsr(cpu, address, &value);
}

static void branch_registers(void **unused)
{
	static const struct {
		const struct model_profile *profile;
		unsigned entries;
		bool stack;
	} rows[] = {{&amd_k7, 0, false},   {&amd_zen3, 0, false}, {&amd_zen3_epyc, 16, false},
		    {&amd_zen4, 16, true}, {&amd_zen5, 16, true}, {&amd_zen4_guest, 0, false}};
	(void)unused;
	for (unsigned p = 0; p < sizeof rows / sizeof rows[0]; p++) {
		boot(rows[p].profile, "");
		for (unsigned i = 0; i < 64; i++) {
			assert_int_equal(faults(BRANCH_FROM0 + 2 * i), i >= rows[p].entries);
			assert_int_equal(faults(BRANCH_TO0 + 2 * i), i >= rows[p].entries);
		}
		assert_int_equal(look(BRANCH_FROM0 + 128), MODEL_NOT_MINE);
		assert_int_equal(look(LBR_SELECT), rows[p].stack ? MODEL_OK : MODEL_FAULT);
		assert_int_equal(put(LBR_SELECT, ~0ull), rows[p].stack ? MODEL_OK : MODEL_FAULT);
		if (rows[p].stack)
			assert_int_equal(get(LBR_SELECT), 0x1ff);
		assert_int_equal(faults(DBG_EXTN_CFG), !rows[p].entries);
		if (!rows[p].entries)
			continue;
		assert_int_equal(put(DBG_EXTN_CFG, ~0ull), rows[p].stack ? MODEL_FAULT : MODEL_OK);
		assert_int_equal(get(DBG_EXTN_CFG), rows[p].stack ? 0 : 0x70f003c);
		set(DBG_EXTN_CFG, DBG_EXTN_LBR);
		assert_int_equal(get(DBG_EXTN_CFG), rows[p].stack ? DBG_EXTN_LBR : DBG_EXTN_ONES);
		set(DBG_EXTN_CFG, 0);
		assert_int_equal(get(DBG_EXTN_CFG), rows[p].stack ? 0 : DBG_EXTN_ONES);
		set(BRANCH_FROM0, 5);
		set(BRANCH_TO0 + 30, 6);
		assert_int_equal(get(BRANCH_FROM0), 5);
		assert_int_equal(get(BRANCH_TO0 + 30), 6);
	}
}

static void branch_stack(void **unused)
{
	(void)unused;
	boot(&amd_zen4, "");
	jumps(1);
	assert_int_equal(get(BRANCH_TO0), 0);
	set(DBG_EXTN_CFG, DBG_EXTN_LBR);
	assert_true(amd_model.recording(cpu));
	path.regs.ip = CODE;
	fake_path_nops(&path, 1);
	fake_path_not_taken(&path);
	jumps(1);
	fake_path_mispredicted(&path, TRANSFER_CONDITIONAL, CODE);
	assert_int_equal(get(BRANCH_FROM0), (CODE + 19) | BRANCH_MISPREDICTED);
	assert_int_equal(get(BRANCH_TO0), CODE | BRANCH_VALID);
	assert_int_equal(get(BRANCH_FROM0 + 2), CODE + 3);
	assert_int_equal(get(BRANCH_TO0 + 2), (CODE + 19) | BRANCH_VALID);
	assert_int_equal(get(BRANCH_TO0 + 4), 0);
	jumps(15);
	assert_int_equal(get(BRANCH_FROM0 + 30), (CODE + 19) | BRANCH_MISPREDICTED);
	assert_int_equal(get(BRANCH_FROM0), CODE + 14 * 16);
	/* Addresses of the upper half are cut to 57 bits. */
	fake_path_branch(&path, TRANSFER_JUMP, 0xffff800000000000ull);
	assert_int_equal(get(BRANCH_TO0), 0x1ff800000000000ull | BRANCH_VALID);
	/* A conditional branch may be one with the instruction before it, unless DebugCtl says no. */
	for (unsigned apart = 0; apart < 2; apart++) {
		path.regs.ip = CODE;
		set(DEBUGCTL, apart ? DEBUGCTL_LBR : 0);
		fake_path_nops(&path, 2);
		fake_path_branch(&path, TRANSFER_CONDITIONAL, CODE + 0x100);
		assert_int_equal(get(BRANCH_FROM0), CODE + 1 + apart);
		fake_path_branch(&path, TRANSFER_CONDITIONAL, CODE);
		assert_int_equal(get(BRANCH_FROM0), CODE + 0x100);
		fake_path_nops(&path, 1);
		fake_path_branch(&path, TRANSFER_JUMP, CODE);
		assert_int_equal(get(BRANCH_FROM0), CODE + 1);
	}
	/* Frozen, it stays as it is. */
	set(PERF_GLOBAL_STATUS_SET, STATUS_LBR_FROZEN);
	boot(&amd_zen5, "");
	set(DBG_EXTN_CFG, DBG_EXTN_LBR);
	set(PERF_GLOBAL_STATUS_SET, STATUS_LBR_FROZEN);
	jumps(1);
	assert_int_equal(get(BRANCH_TO0), 0);
	set(PERF_GLOBAL_STATUS_CLR, STATUS_LBR_FROZEN);
	jumps(1);
	assert_true(get(BRANCH_TO0) & BRANCH_VALID);
}

static void branch_filters(void **unused)
{
	static const struct {
		enum model_transfer kind;
		uint32_t bit;
	} rows[] = {
		{TRANSFER_CONDITIONAL, LBR_SELECT_JCC}, {TRANSFER_JUMP, LBR_SELECT_JUMP},
		{TRANSFER_CALL, LBR_SELECT_CALL},       {TRANSFER_JUMP_INDIRECT, LBR_SELECT_JUMP_INDIRECT},
		{TRANSFER_RETURN, LBR_SELECT_RETURN},   {TRANSFER_CALL_INDIRECT, LBR_SELECT_CALL_INDIRECT},
		{TRANSFER_FAR, LBR_SELECT_FAR}};
	(void)unused;
	for (unsigned i = 0; i < 7; i++)
		for (unsigned b = 2; b < 9; b++) {
			boot(&amd_zen4, "");
			set(LBR_SELECT, 1u << b);
			set(DBG_EXTN_CFG, DBG_EXTN_LBR);
			if (rows[i].kind == TRANSFER_FAR)
				fake_path_far(&path, CODE, 0);
			else
				fake_path_branch(&path, rows[i].kind, CODE);
			assert_int_equal(get(BRANCH_TO0) == 0, rows[i].bit == 1u << b);
		}
	/* The ring in which it ends. */
	for (unsigned b = 0; b < 2; b++) {
		boot(&amd_zen4, "");
		set(LBR_SELECT, 1u << b);
		set(DBG_EXTN_CFG, DBG_EXTN_LBR);
		fake_path_far(&path, CODE, 3);
		assert_int_equal(get(BRANCH_TO0) != 0, b == 0);
		set(BRANCH_TO0, 0);
		fake_path_event(&path, CODE);
		assert_int_equal(get(BRANCH_TO0) != 0, b == 1);
	}
}

static void last_branch(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < SAMPLING; p++) {
		boot(sampling[p].profile, "");
		jumps(1);
		assert_int_equal(get(LAST_BRANCH_FROM), 0);
		set(DEBUGCTL, DEBUGCTL_LBR);
		assert_true(amd_model.recording(cpu));
		path.regs.ip = CODE;
		jumps(2);
		assert_int_equal(get(LAST_BRANCH_FROM), CODE + 16);
		assert_int_equal(get(LAST_BRANCH_TO), CODE + 32);
		assert_int_equal(get(LAST_EXCEPTION_FROM), 0);
		fake_path_event(&path, CODE + 0x1000);
		assert_int_equal(get(LAST_EXCEPTION_FROM), CODE + 16);
		assert_int_equal(get(LAST_EXCEPTION_TO), CODE + 32);
		assert_int_equal(get(LAST_BRANCH_FROM), CODE + 32);
		assert_int_equal(get(LAST_BRANCH_TO), CODE + 0x1000);
		set(LAST_BRANCH_TO, 1);
		assert_int_equal(get(LAST_BRANCH_TO), CODE + 0x1000);
	}
}

/* It ends recording and stepping by branches, and is not recorded. */
static void debug_exception(void **unused)
{
	struct model_step step = {
		.cycles = 1, .ip = CODE, .next = CODE + 0x1000, .transfer = TRANSFER_EVENT, .vector = 1};
	(void)unused;
	boot(&amd_zen4, "");
	set(DEBUGCTL, DEBUGCTL_LBR | DEBUGCTL_BTF);
	set(DBG_EXTN_CFG, DBG_EXTN_LBR);
	path.regs.ip = CODE + 16;
	jumps(1);
	amd_model.advance(cpu, &step);
	assert_int_equal(get(DEBUGCTL), 0);
	assert_int_equal(get(DBG_EXTN_CFG), 0);
	assert_int_equal(get(LAST_BRANCH_FROM), CODE + 16);
	assert_int_equal(get(LAST_EXCEPTION_FROM), 0);
	assert_int_equal(get(BRANCH_FROM0), CODE + 16);
	assert_int_equal(get(BRANCH_TO0 + 2), 0);
	/* Another exception is one branch more. */
	set(DEBUGCTL, DEBUGCTL_LBR | DEBUGCTL_BTF);
	set(DBG_EXTN_CFG, DBG_EXTN_LBR);
	step.vector = 6;
	amd_model.advance(cpu, &step);
	assert_int_equal(get(DEBUGCTL), DEBUGCTL_LBR | DEBUGCTL_BTF);
	assert_int_equal(get(LAST_EXCEPTION_FROM), CODE + 16);
	assert_int_equal(get(BRANCH_FROM0), CODE);
}

/* Branch sampling: from an overflow of its counter on, 16 branches, then the interrupt. */
static void branch_sampling(void **unused)
{
	(void)unused;
	boot(&amd_zen3_epyc, "");
	for (unsigned c = 0; c < 3; c++) {
		program(c, 0xc4 | RINGS | CTL_EN | CTL_INT);
		set(CTR(c), c == 2 ? TOP - 1 : c == 1 ? TOP - 2 : 0);
	}
	set(DBG_EXTN_CFG, DBG_EXTN_BRS | DBG_EXTN_ONES | 2ull << DBG_EXTN_BRS_PMC_SHIFT);
	assert_true(amd_model.recording(cpu));
	path.regs.ip = CODE;
	jumps(2); /* counter 2 overflows with the second */
	assert_int_equal(get(DBG_EXTN_CFG) & DBG_EXTN_BRS_VALID, 0);
	assert_int_equal(pmis(), 0);
	jumps(1); /* counter 1: not the sampling one */
	assert_int_equal(pmis(), 1);
	assert_int_equal(get(DBG_EXTN_CFG) & (DBG_EXTN_BRS_VALID | DBG_EXTN_BRS_NEXT),
			 DBG_EXTN_BRS_VALID | 1ull << DBG_EXTN_BRS_NEXT_SHIFT);
	assert_int_equal(get(BRANCH_FROM0), CODE + 32);
	assert_int_equal(get(BRANCH_TO0), CODE + 48);
	jumps(14);
	assert_int_equal(pmis(), 0);
	jumps(1);
	assert_int_equal(pmis(), 1);
	jumps(3);
	assert_int_equal(get(BRANCH_FROM0 + 30), CODE + 17 * 16);
	/* The next slot is 0 again. */
	assert_int_equal(get(DBG_EXTN_CFG) & (DBG_EXTN_BRS_VALID | DBG_EXTN_BRS_NEXT), DBG_EXTN_BRS_VALID);
	/* Another event, or no sampling: the interrupt comes at once. */
	boot(&amd_zen3_epyc, "");
	set(DBG_EXTN_CFG, DBG_EXTN_BRS);
	program(0, 0xc2 | RINGS | CTL_EN | CTL_INT);
	set(CTR(0), TOP);
	jumps(1);
	assert_int_equal(pmis(), 1);
}

#define RECORD_RULE_TESTS                                                                                    \
	cmocka_unit_test(ibs_registers), cmocka_unit_test(ibs_count_is_read_only),                           \
		cmocka_unit_test(ibs_counts_operations), cmocka_unit_test(ibs_counts_cycles),                \
		cmocka_unit_test(ibs_long_periods), cmocka_unit_test(ibs_tells_branches),                    \
		cmocka_unit_test(ibs_tells_accesses), cmocka_unit_test(ibs_filter),                          \
		cmocka_unit_test(ibs_filters_latency), cmocka_unit_test(ibs_times),                          \
		cmocka_unit_test(ibs_translates), cmocka_unit_test(ibs_tells_levels),                        \
		cmocka_unit_test(ibs_fetches), cmocka_unit_test(ibs_fetch_count),                            \
		cmocka_unit_test(ibs_own_write), cmocka_unit_test(branch_registers),                         \
		cmocka_unit_test(branch_stack), cmocka_unit_test(branch_filters),                            \
		cmocka_unit_test(last_branch), cmocka_unit_test(branch_sampling),                            \
		cmocka_unit_test(debug_exception)

#endif
