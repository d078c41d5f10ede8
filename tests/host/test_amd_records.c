/* The AMD driver's records against the AMD model: what it sets up, starts, stops and takes out. */
#include "arch/x86/apic.h"
#include "arch/x86/msr.h"
#include "pmu/amd/amd.h"
#include "pmu/amd/ibs.h"
#include "pmu/amd/record.h"
#include "pmu/amd/registers.h"
#include "tests/host/support/later_ibs.h"
#include "tests/host/support/recording_cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define DATA 0x500000ull
#define MAX  80

static struct pmu pmu;
static struct pmu_record got[MAX];

static void start_cpu(const struct model_profile *p, const char *inject)
{
	recording_cpu(&pmu, &amd_driver, p, inject);
}

static struct pmu_recording recording(enum record_kind kind)
{
	struct pmu_recording r = {.source = record_source(&pmu, kind), .ring = RING_ALL, .period = 32};

	assert_non_null(r.source);
	r.unit = kind == RECORD_IBS_FETCH ? RECORD_UNIT_FETCHES : RECORD_UNIT_OPERATIONS;
	return r;
}

static void begin(const struct pmu_recording *r)
{
	recording_begin(&pmu, r);
	fake_cpu_path()->regs.ip = CODE;
}

static unsigned waiting(const struct pmu_recording *r)
{
	struct pmu_record_state state;

	assert_true(record_state(&pmu, r, &state));
	return state.records;
}

static uint64_t count(void)
{
	uint64_t control;

	assert_true(msr_read(IBS_OP_CTL, &control));
	return (control & OP_COUNT) >> OP_COUNT_SHIFT;
}

static void jumps(unsigned n)
{
	struct fake_path *p = fake_cpu_path();

	while (n--)
		fake_path_branch(p, TRANSFER_JUMP, p->regs.ip + 16);
}

static void what_each_part_has(void **unused)
{
	static const struct {
		const struct model_profile *profile;
		const char *lbr;
		bool fetch, op;
		uint32_t op_fields;
		uint16_t lvt;
	} rows[] = {
		{&amd_k8, "last branch", false, false, 0, 0},
		{&amd_fam10h, "last branch", true, true, 0, RECORD_LVT_NONE},
		{&amd_fam15h, "last branch", true, true, RECORD_HAS_BRANCH, APIC_EXT_LVT0},
		{&amd_zen1, "last branch", false, false, 0, 0},
		{&amd_zen3, "last branch", false, true, RECORD_HAS_BRANCH, APIC_EXT_LVT0},
		{&amd_zen4, "LBR version 2", true, true, RECORD_HAS_BRANCH, APIC_EXT_LVT0},
		{&amd_zen4_guest, "last branch", false, false, 0, 0},
	};
	const uint32_t always = RECORD_HAS_IP | RECORD_HAS_OP | RECORD_HAS_ADDRESS | RECORD_HAS_LATENCY |
				RECORD_HAS_SOURCE | RECORD_HAS_MISPREDICTED | RECORD_HAS_WIDTH |
				RECORD_HAS_PHYSICAL | RECORD_HAS_PAGE | RECORD_HAS_TIMES | RECORD_HAS_REFILL;
	(void)unused;
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct pmu_record_source *s;

		start_cpu(rows[i].profile, "");
		assert_string_equal(record_source(&pmu, RECORD_LBR)->name, rows[i].lbr);
		assert_int_equal(record_source(&pmu, RECORD_IBS_FETCH) != NULL, rows[i].fetch);
		assert_int_equal(record_absent(&pmu, RECORD_IBS_FETCH) == NULL, rows[i].fetch);
		s = record_source(&pmu, RECORD_IBS_OP);
		assert_int_equal(s != NULL, rows[i].op);
		assert_int_equal(record_absent(&pmu, RECORD_IBS_OP) == NULL, rows[i].op);
		assert_null(record_source(&pmu, RECORD_BTS));
		assert_null(record_absent(&pmu, RECORD_BTS));
		if (!s)
			continue;
		assert_int_equal(s->fields, always | rows[i].op_fields);
		assert_int_equal(s->lvt, rows[i].lvt);
		assert_int_equal(s->period_unit, 16);
	}
	start_cpu(&amd_zen3, "");
	assert_non_null(strstr(record_absent(&pmu, RECORD_IBS_FETCH), "fetches"));
	start_cpu(&amd_zen4, "");
	fake_cpu_break_msr(IBS_OP_CTL);
	assert_non_null(strstr(record_absent(&pmu, RECORD_IBS_OP), "#GP"));
	start_cpu(&amd_zen4, "");
	fake_cpu_break_msr(DBG_EXTN_CFG);
	assert_non_null(strstr(record_absent(&pmu, RECORD_LBR), "#GP"));
}

/* Registers that CPUID promises and that fault: one line, and no record made up of what was not read. */
static void promised_and_faulting(void **unused)
{
	static const struct {
		uint32_t address;
		uint8_t kind;
		bool absent; /* seen before anything is recorded */
	} rows[] = {{IBS_FETCH_CTL, RECORD_IBS_FETCH, true},   {IBS_OP_CTL, RECORD_IBS_OP, true},
		    {IBS_FETCH_PHYS, RECORD_IBS_FETCH, false}, {IBS_FETCH_EXTD, RECORD_IBS_FETCH, false},
		    {IBS_DC_PHYS, RECORD_IBS_OP, false},       {IBS_OP_DATA2, RECORD_IBS_OP, false},
		    {IBS_BRTARGET, RECORD_IBS_OP, false}};
	(void)unused;
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		start_cpu(&amd_zen4, "");
		if (rows[i].absent) {
			fake_cpu_break_msr(rows[i].address);
			assert_null(record_source(&pmu, rows[i].kind));
			assert_non_null(strstr(record_absent(&pmu, rows[i].kind), "#GP"));
			continue;
		}
		struct pmu_recording r = recording(rows[i].kind);

		begin(&r);
		jumps(64);
		assert_int_equal(waiting(&r), 1);
		fake_cpu_break_msr(rows[i].address);
		assert_int_equal(record_drain(&pmu, &r, got, MAX), 0);
		fake_cpu_break_msr(0);
		assert_int_equal(record_drain(&pmu, &r, got, MAX), 1);
	}
	/* A branch stack without entries: what every part has is taken instead. */
	start_cpu(&amd_zen4, "");
	fake_cpu_set_leaf(0x80000022, 0, 3, 6, 0, 0);
	assert_string_equal(record_source(&pmu, RECORD_LBR)->name, "last branch");
	/* Leaf 8000001BH that promises nothing, though 80000001H has the bit. */
	start_cpu(&amd_zen4, "");
	fake_cpu_set_leaf(0x8000001b, 0, 0, 0, 0, 0);
	assert_null(record_source(&pmu, RECORD_IBS_OP));
	assert_non_null(strstr(record_absent(&pmu, RECORD_IBS_OP), "8000001BH"));
}

static void refuses(struct pmu_recording r, const char *what)
{
	const char *why = "";

	assert_false(record_setup(&pmu, &r, &why));
	assert_non_null(strstr(why, what));
}

static void nonsense_is_refused(void **unused)
{
	(void)unused;
	start_cpu(&amd_fam10h, "");
	struct pmu_recording r = recording(RECORD_IBS_OP), x;
	x = r, x.ring = RING_USR;
	refuses(x, "every ring");
	x = r, x.period = 24;
	refuses(x, "16");
	x = r, x.period = 0;
	refuses(x, "16");
	x = r, x.period = 1 << 20;
	refuses(x, "wide");
	x = r, x.unit = RECORD_UNIT_FETCHES;
	refuses(x, "count");
	start_cpu(&amd_zen4, "");
	r = recording(RECORD_IBS_OP);
	x = r, x.period = 1 << 20;
	begin(&x);
	r = recording(RECORD_IBS_FETCH);
	x = r, x.period = 1 << 20;
	refuses(x, "wide");
	x = r, x.unit = RECORD_UNIT_CYCLES;
	refuses(x, "count");
	start_cpu(&amd_zen2, "");
	r = recording(RECORD_LBR);
	x = r, x.ring = RING_OS;
	refuses(x, "every ring");
}

/* The period is exact from the start, across stops, and after each sample that is taken out. */
static void operations(void **unused)
{
	static const struct model_profile *const parts[] = {&amd_fam10h, &amd_fam15h, &amd_zen2, &amd_zen4};
	(void)unused;
	for (unsigned p = 0; p < 4; p++) {
		start_cpu(parts[p], "");
		struct pmu_recording r = recording(RECORD_IBS_OP);

		/* A stop keeps the count, and what is not recorded does not count. */
		begin(&r);
		fake_cpu_nops(20);
		assert_true(record_stop(&pmu, &r));
		uint64_t stopped = count();
		assert_in_range(stopped, 20, 22); /* stop()'s own reads */
		fake_cpu_nops(100);
		assert_int_equal(count(), stopped);
		assert_true(record_start(&pmu, &r));
		assert_int_equal(count(), stopped);
		begin(&r);
		fake_cpu_nops(32);
		fake_path_load(fake_cpu_path(), DATA);
		assert_int_equal(waiting(&r), 1);
		assert_int_equal(record_drain(&pmu, &r, got, 0), 0);
		assert_int_equal(record_drain(&pmu, &r, got, MAX), 1);
		assert_int_equal(got[0].kind, RECORD_IBS_OP);
		assert_int_equal(got[0].ip, CODE + 32);
		assert_int_equal(got[0].has, RECORD_HAS_IP | RECORD_HAS_OP | RECORD_HAS_ADDRESS |
						     RECORD_HAS_WIDTH | RECORD_HAS_PHYSICAL |
						     RECORD_HAS_TIMES);
		assert_int_equal(got[0].physical, DATA);
		assert_int_equal(got[0].tagged, 2);
		assert_int_equal(got[0].completed, 1);
		assert_int_equal(got[0].width, 8);
		assert_int_equal(got[0].op, RECORD_OP_LOAD);
		assert_int_equal(got[0].address, DATA);
		assert_int_equal(record_drain(&pmu, &r, got, MAX), 0);
		fake_cpu_path()->regs.ip = CODE;
		fake_cpu_nops(30);
		uint64_t before = waiting(&r);
		fake_cpu_nops(4);
		assert_int_equal(before, 0);
		assert_int_equal(waiting(&r), 1);
		assert_true(record_stop(&pmu, &r));
		assert_int_equal(waiting(&r), 1);
		assert_true(record_release(&pmu, &r));
		assert_int_equal(waiting(&r), 0);
		assert_int_equal(fake_cpu_strays(), 0);
	}
}

static void branch(const struct model_profile *p, void (*what)(struct fake_path *))
{
	start_cpu(p, "");
	struct pmu_recording r = recording(RECORD_IBS_OP);
	begin(&r);
	fake_cpu_nops(32);
	what(fake_cpu_path());
	assert_true(record_stop(&pmu, &r));
	assert_int_equal(record_drain(&pmu, &r, got, MAX), 1);
}

static void a_return(struct fake_path *p)
{
	fake_path_mispredicted(p, TRANSFER_RETURN, CODE + 0x500);
}

static void operations_that_branch(void **unused)
{
	(void)unused;
	branch(&amd_zen4, a_return);
	assert_int_equal(got[0].op, RECORD_OP_LOAD | RECORD_OP_BRANCH | RECORD_OP_TAKEN | RECORD_OP_RETURN);
	assert_true(got[0].has & RECORD_HAS_BRANCH);
	assert_true(got[0].mispredicted);
	assert_int_equal(got[0].from, CODE + 32);
	assert_int_equal(got[0].to, CODE + 0x500);
	/* 10H has no register for the target. */
	branch(&amd_fam10h, a_return);
	assert_false(got[0].has & RECORD_HAS_BRANCH);
	assert_true(got[0].has & RECORD_HAS_MISPREDICTED);
	branch(&amd_zen4, fake_path_not_taken);
	assert_int_equal(got[0].op, RECORD_OP_BRANCH);
	assert_int_equal(got[0].has, RECORD_HAS_IP | RECORD_HAS_OP | RECORD_HAS_MISPREDICTED |
					     RECORD_HAS_TIMES | RECORD_HAS_BRANCH);
	assert_int_equal(got[0].to, got[0].from + 2);
	assert_false(got[0].mispredicted);
}

static void operations_that_miss(void **unused)
{
	static const struct qterm terms[] = {{Q_INSTRUCTIONS, 1},  {Q_LOADS, 1},   {Q_L1D_LOAD_MISS, 1},
					     {Q_L2_LOAD_MISS, 1},  {Q_LLC_REF, 1}, {Q_LLC_MISS, 1},
					     {Q_DTLB_LOAD_MISS, 1}};
	const struct uarch_access a = {.address = DATA, .size = 8};
	(void)unused;
	start_cpu(&amd_zen4, "");
	struct pmu_recording r = recording(RECORD_IBS_OP);
	begin(&r);
	fake_cpu_nops(32);
	fake_path_access(fake_cpu_path(), 4, terms, 7, &a, 1);
	assert_int_equal(record_drain(&pmu, &r, got, MAX), 1);
	assert_int_equal(got[0].op, RECORD_OP_LOAD | RECORD_OP_L1D_MISS | RECORD_OP_L2_MISS |
					    RECORD_OP_TLB1_MISS | RECORD_OP_DTLB_MISS);
	assert_true(got[0].has & RECORD_HAS_LATENCY && got[0].has & RECORD_HAS_SOURCE);
	assert_int_equal(got[0].latency, 200);
	assert_int_equal(got[0].source, DATA2_DRAM);
	assert_int_equal(got[0].from_where, RECORD_FROM_MEMORY);
	assert_true(got[0].has & RECORD_HAS_REFILL);
	assert_int_equal(got[0].refill, 30);
}

/* What registers tell beyond what the model does: they can be written. */
static void told(const struct model_profile *p, uint64_t data2, uint64_t data3)
{
	start_cpu(p, "");
	struct pmu_recording r = recording(RECORD_IBS_OP);

	begin(&r);
	assert_true(msr_write(IBS_OP_DATA2, data2) && msr_write(IBS_OP_DATA3, data3) &&
		    msr_write(IBS_OP_CTL, OP_VAL));
	assert_int_equal(record_drain(&pmu, &r, got, MAX), 1);
}

static void sources_and_pages(void **unused)
{
	const uint64_t miss = DATA3_LOAD | DATA3_DC_MISS;
	static const struct {
		const struct model_profile *profile;
		uint64_t data2;
		int from; /* -1: none is told */
	} rows[] = {
		{&amd_zen2, 0, -1},
		{&amd_zen2, 1, RECORD_FROM_CACHE},
		{&amd_zen2, 2, RECORD_FROM_CACHE},
		{&amd_zen2, 3, RECORD_FROM_MEMORY},
		{&amd_zen2, 4, RECORD_FROM_CACHE},
		{&amd_zen2, 5, RECORD_FROM_UNDEFINED},
		{&amd_zen2, 6, RECORD_FROM_UNDEFINED},
		{&amd_zen2, 7, RECORD_FROM_DEVICE},
		{&amd_zen2, 0x43, RECORD_FROM_MEMORY}, /* bits 7:6 are not part of it */
		{&amd_zen4, 1, RECORD_FROM_CACHE},
		{&amd_zen4, 4, RECORD_FROM_UNDEFINED},
		{&amd_zen4, 5, RECORD_FROM_CACHE},
		{&amd_zen4, 6, RECORD_FROM_MEMORY},
		{&amd_zen4, 7, RECORD_FROM_DEVICE},
		{&amd_zen4, 0x40, RECORD_FROM_MEMORY},
		{&amd_zen4, 0x41, RECORD_FROM_UNDEFINED},
		{&amd_zen4, 0x44, RECORD_FROM_MEMORY},
		{&amd_zen4, 0xc7, RECORD_FROM_UNDEFINED},
	};
	(void)unused;
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		told(rows[i].profile, rows[i].data2, miss);
		assert_int_equal((got[0].has & RECORD_HAS_SOURCE) != 0, rows[i].from >= 0);
		if (rows[i].from >= 0)
			assert_int_equal(got[0].from_where, rows[i].from);
		for (unsigned bit = 0; bit < 3; bit++) {
			static const uint64_t unreliable[] = {DATA3_UNCACHED, DATA3_PREFETCH, DATA3_NO_MAB};

			told(rows[i].profile, rows[i].data2, miss | unreliable[bit]);
			assert_false(got[0].has & RECORD_HAS_SOURCE);
		}
		told(rows[i].profile, rows[i].data2, DATA3_STORE | DATA3_DC_MISS);
		assert_false(got[0].has & RECORD_HAS_SOURCE);
	}
	told(&amd_zen4, 0, DATA3_LOAD | DATA3_LIN_VALID | DATA3_L1TLB_2M);
	assert_true(got[0].has & RECORD_HAS_PAGE && got[0].page_shift == 21);
	assert_false(got[0].has & RECORD_HAS_PHYSICAL);
	told(&amd_zen4, 0, DATA3_LOAD | DATA3_LIN_VALID | DATA3_PHYS_VALID | DATA3_L1TLB_1G);
	assert_true(got[0].has & RECORD_HAS_PAGE && got[0].page_shift == 30);
	assert_true(got[0].has & RECORD_HAS_PHYSICAL);
	/* From Zen 5 on of any page, with the physical address alone; so are misses of the TLB. */
	static const unsigned shifts[] = {12, 21, 30, 0};
	for (unsigned page = 0; page < 4; page++) {
		const uint64_t told3 =
			DATA3_LOAD | DATA3_LIN_VALID | DATA3_L1TLB_MISS | (uint64_t)page << DATA3_PAGE_SHIFT;

		told(&amd_zen5, 0, told3 | DATA3_PHYS_VALID);
		assert_int_equal((got[0].has & RECORD_HAS_PAGE) != 0, page < 3);
		assert_int_equal(got[0].page_shift, shifts[page]);
		assert_int_equal(got[0].op, RECORD_OP_LOAD | RECORD_OP_TLB1_MISS);
		told(&amd_zen5, 0, told3);
		assert_false(got[0].has & RECORD_HAS_PAGE);
		assert_int_equal(got[0].op, RECORD_OP_LOAD);
	}
	told(&amd_zen4, 0, DATA3_LOAD | DATA3_LIN_VALID | DATA3_L1TLB_MISS);
	assert_int_equal(got[0].op, RECORD_OP_LOAD | RECORD_OP_TLB1_MISS);
	assert_false(record_source(&pmu, RECORD_IBS_OP)->page_of_miss);
	told(&amd_zen4, 0, DATA3_LOAD | DATA3_UNCACHED);
	assert_int_equal(got[0].op, RECORD_OP_LOAD | RECORD_OP_UNCACHED);
}

/* Only from Zen 4 on there is a filter; it is set, and stays when a sample is taken out. */
static void filter(void **unused)
{
	static const uint8_t kinds[] = {RECORD_IBS_OP, RECORD_IBS_FETCH};
	const char *why = "";
	uint64_t control;
	(void)unused;
	for (unsigned k = 0; k < 2; k++) {
		const uint32_t address = k ? IBS_FETCH_CTL : IBS_OP_CTL;
		const uint64_t only = k ? FETCH_L3_MISS_ONLY : OP_L3_MISS_ONLY;

		start_cpu(&amd_zen2, "");
		struct pmu_recording r = recording(kinds[k]);

		r.far_only = true;
		assert_false(r.source->far_filter);
		assert_false(record_setup(&pmu, &r, &why));
		assert_non_null(strstr(why, "filter"));
		start_cpu(&amd_zen4, "ibs-filter");
		r = recording(kinds[k]);
		r.far_only = true;
		assert_true(r.source->far_filter);
		begin(&r);
		assert_true(msr_read(address, &control) && control & only);
		jumps(64);
		assert_int_equal(record_drain(&pmu, &r, got, MAX), 1);
		assert_true(msr_read(address, &control) && control & only);
		r.far_only = false;
		begin(&r);
		assert_true(msr_read(address, &control) && !(control & only));
	}
}

/* Zen 5 filters loads by what their miss takes, in multiples of 128 cycles, and wants the other filter set
 * with it; both stay when a sample is taken out. */
static void latency_filter(void **unused)
{
	static const uint16_t good[] = {128, 256, 2048}, bad[] = {1, 64, 129, 2176};
	const uint64_t filter = OP_L3_MISS_ONLY | OP_LATENCY_EN | OP_LATENCY_MIN;
	const char *why = "";
	uint64_t control;
	(void)unused;

	start_cpu(&amd_zen4, "");
	struct pmu_recording r = recording(RECORD_IBS_OP);
	r.latency_above = 128;
	assert_false(record_setup(&pmu, &r, &why));
	assert_non_null(strstr(why, "no filter of latencies"));
	start_cpu(&amd_zen5, "ibs-latency+ibs-filter");
	assert_int_equal(record_source(&pmu, RECORD_IBS_FETCH)->latency_unit, 0);
	r = recording(RECORD_IBS_OP);
	assert_true(r.source->page_of_miss);
	for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		r.latency_above = bad[i];
		assert_false(record_setup(&pmu, &r, &why));
		assert_non_null(strstr(why, "multiples of 128"));
	}
	for (unsigned i = 0; i < sizeof good / sizeof good[0]; i++) {
		const uint64_t expected =
			OP_L3_MISS_ONLY | OP_LATENCY_EN | (good[i] / 128 - 1ull) << OP_LATENCY_SHIFT;

		r.latency_above = good[i];
		begin(&r);
		assert_true(msr_read(IBS_OP_CTL, &control) && (control & filter) == expected);
		jumps(64);
		assert_int_equal(record_drain(&pmu, &r, got, MAX), 1);
		assert_true(msr_read(IBS_OP_CTL, &control) && (control & filter) == expected);
	}
	r.latency_above = 0;
	begin(&r);
	assert_true(msr_read(IBS_OP_CTL, &control) && !(control & filter));
}

/* What the second control registers disable and leave out is sampled again when the driver has taken over. */
static void second_control(void **unused)
{
	const char *why = "";
	uint64_t op, fetch;
	(void)unused;

	start_cpu(later_ibs(IBS_CONTROL2), "");
	assert_true(msr_write(IBS_OP_CTL2, OP2_DISABLE | OP2_STREAMING) &&
		    msr_write(IBS_FETCH_CTL2, FETCH2_DISABLE | FETCH2_LATENCY));
	struct pmu_recording r = recording(RECORD_IBS_OP);
	begin(&r);
	jumps(64);
	assert_int_equal(waiting(&r), 0);
	assert_true(amd_driver.reset(&pmu, &why));
	assert_true(msr_read(IBS_OP_CTL2, &op) && msr_read(IBS_FETCH_CTL2, &fetch));
	assert_int_equal(op | fetch, 0);
	begin(&r);
	jumps(64);
	assert_int_equal(waiting(&r), 1);
}

static void fetches(void **unused)
{
	static const struct model_profile *const parts[] = {&amd_fam15h, &amd_fam16h, &amd_zen2, &amd_zen5};
	(void)unused;
	for (unsigned p = 0; p < 4; p++) {
		start_cpu(parts[p], "");
		struct pmu_recording r = recording(RECORD_IBS_FETCH);

		begin(&r);
		for (unsigned round = 0; round < 2; round++) {
			fake_cpu_path()->regs.ip = CODE;
			jumps(31);
			assert_int_equal(waiting(&r), 0);
			jumps(2);
			assert_int_equal(waiting(&r), 1);
			assert_int_equal(record_drain(&pmu, &r, got, MAX), 1);
			assert_int_equal(got[0].has, RECORD_HAS_IP | RECORD_HAS_OP | RECORD_HAS_LATENCY |
							     RECORD_HAS_PHYSICAL | RECORD_HAS_PAGE |
							     (p >= 2 ? (unsigned)RECORD_HAS_REFILL : 0));
			assert_int_equal(got[0].physical, got[0].ip);
			assert_int_equal(got[0].page_shift, 12);
			assert_int_equal(got[0].op, RECORD_OP_COMPLETE);
			assert_int_equal(got[0].latency, 4);
			assert_in_range(got[0].ip, CODE + 31 * 16, CODE + 33 * 16);
		}
		assert_true(record_stop(&pmu, &r));
		jumps(100);
		assert_int_equal(waiting(&r), 0);
		assert_true(record_release(&pmu, &r));
	}
}

static void branch_stack(void **unused)
{
	(void)unused;
	for (unsigned v = 4; v <= 5; v++) {
		start_cpu(v == 4 ? &amd_zen4 : &amd_zen5, "");
		struct pmu_recording r = recording(RECORD_LBR);
		struct pmu_record_state state;
		uint64_t control;

		assert_int_equal(r.source->depth, 16);
		begin(&r);
		/* So that no branch is one with the instruction before it. */
		assert_true(msr_read(DEBUGCTL, &control));
		assert_int_equal(control, DEBUGCTL_LBR);
		begin(&r);
		jumps(2);
		fake_path_mispredicted(fake_cpu_path(), TRANSFER_CONDITIONAL, 0xffff800000001000ull);
		assert_int_equal(waiting(&r), 3);
		assert_int_equal(record_drain(&pmu, &r, got, 1), 1);
		assert_int_equal(got[0].from, CODE);
		assert_int_equal(got[0].to, CODE + 16);
		assert_int_equal(record_drain(&pmu, &r, got, MAX), 2);
		assert_true(got[1].mispredicted);
		assert_false(got[0].mispredicted);
		assert_int_equal(got[1].to, 0xffff800000001000ull);
		fake_cpu_path()->regs.ip = CODE;
		jumps(20);
		assert_true(record_stop(&pmu, &r));
		jumps(2);
		assert_true(record_state(&pmu, &r, &state));
		assert_true(state.full);
		assert_int_equal(record_drain(&pmu, &r, got, MAX), 16);
		assert_int_equal(got[0].from, CODE + 4 * 16);
		assert_int_equal(got[15].from, CODE + 19 * 16);
		/* Left out: jumps, then a ring. */
		r.without = 1u << TRANSFER_JUMP;
		begin(&r);
		jumps(2);
		fake_path_branch(fake_cpu_path(), TRANSFER_CALL, CODE);
		assert_true(record_stop(&pmu, &r));
		assert_int_equal(record_drain(&pmu, &r, got, MAX), 1);
		r.without = 0;
		r.ring = RING_USR;
		begin(&r);
		jumps(2);
		assert_true(record_stop(&pmu, &r));
		assert_int_equal(record_drain(&pmu, &r, got, MAX), 0);
		assert_true(record_release(&pmu, &r));
		assert_true(msr_read(DEBUGCTL, &control));
		assert_int_equal(control, 0);
	}
	/* Erratum 1452: bogus entries are known by bit 61, and passed over. */
	start_cpu(&amd_zen4, "1452");
	struct pmu_recording r = recording(RECORD_LBR);
	begin(&r);
	jumps(8);
	assert_int_equal(record_drain(&pmu, &r, got, MAX), 6);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(got[i].to, got[i].from + 16);
}

static void branch_sampling(void **unused)
{
	const char *why = NULL;
	(void)unused;
	start_cpu(&amd_zen3_epyc, "");
	struct pmu_recording r = recording(RECORD_BRS), x;
	r.config = (struct pmu_config){.code = 0xc4, .ring = RING_ALL};

	assert_int_equal(r.source->depth, 16);
	assert_int_equal(r.source->counters, 1);
	x = r, x.config.code = 0xc2;
	refuses(x, "RETIRED_TAKEN_BRANCH_INSTRUCTIONS on PERF_CTR0");
	x = r, x.counter = 1;
	refuses(x, "RETIRED_TAKEN_BRANCH_INSTRUCTIONS on PERF_CTR0");
	x = r, x.config.cmask = 1;
	refuses(x, "RETIRED_TAKEN_BRANCH_INSTRUCTIONS on PERF_CTR0");
	x = r, x.ring = RING_USR;
	refuses(x, "every ring");
	x = r, x.period = 0;
	refuses(x, "at least one");
	x = r, x.period = 1ull << 47;
	refuses(x, "fits");
	/* What is not recorded does not count; 16 from the first behind the period, then the interrupt. */
	r.period = 5;
	assert_true(record_setup(&pmu, &r, &why));
	jumps(40);
	assert_int_equal(waiting(&r), 0);
	assert_true(record_start(&pmu, &r));
	fake_cpu_path()->regs.ip = CODE;
	jumps(5);
	assert_int_equal(waiting(&r), 0);
	jumps(3);
	assert_int_equal(waiting(&r), 3);
	assert_int_equal(fake_cpu_interrupts(), 0);
	jumps(13);
	assert_int_equal(fake_cpu_interrupts(), 1);
	jumps(5);
	assert_true(record_stop(&pmu, &r));
	assert_int_equal(waiting(&r), 16);
	assert_int_equal(record_drain(&pmu, &r, got, 4), 4);
	assert_int_equal(waiting(&r), 12);
	assert_int_equal(record_drain(&pmu, &r, got + 4, MAX - 4), 12);
	assert_int_equal(record_drain(&pmu, &r, got, MAX), 0);
	/* Behind five jumps and the RDMSR that asked. */
	assert_int_equal(got[0].from, CODE + 5 * 16 + 2);
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(got[i].to, got[i].from + 16);
	/* Addresses of the upper half; cut short. */
	begin(&r);
	jumps(5);
	fake_path_branch(fake_cpu_path(), TRANSFER_CALL, 0xffff800000001000ull);
	assert_true(record_stop(&pmu, &r));
	assert_int_equal(record_drain(&pmu, &r, got, MAX), 1);
	assert_int_equal(got[0].to, 0xffff800000001000ull);
	assert_true(record_release(&pmu, &r));
	jumps(40);
	assert_int_equal(fake_cpu_interrupts(), 0);
	/* A register that faults; CPUs without. */
	fake_cpu_break_msr(DBG_EXTN_CFG);
	assert_non_null(strstr(record_absent(&pmu, RECORD_BRS), "#GP"));
	start_cpu(&amd_zen3, "");
	assert_null(record_source(&pmu, RECORD_BRS));
	assert_non_null(strstr(record_absent(&pmu, RECORD_BRS), "80000008H"));
	start_cpu(&amd_zen3_epyc, "brs-lost");
	r.source = record_source(&pmu, RECORD_BRS);
	begin(&r);
	jumps(22);
	assert_int_equal(waiting(&r), 14);
}

static void last_branch(void **unused)
{
	(void)unused;
	start_cpu(&amd_fam15h, "");
	struct pmu_recording r = recording(RECORD_LBR);

	assert_int_equal(r.source->depth, 1);
	begin(&r);
	assert_int_equal(waiting(&r), 0);
	fake_cpu_path()->regs.ip = CODE;
	jumps(3);
	assert_int_equal(waiting(&r), 1);
	assert_int_equal(record_drain(&pmu, &r, got, MAX), 1);
	assert_int_equal(got[0].from, CODE + 32);
	assert_int_equal(got[0].to, CODE + 48);
	assert_int_equal(record_drain(&pmu, &r, got, MAX), 0);
	assert_true(record_release(&pmu, &r));
	jumps(1);
	assert_int_equal(waiting(&r), 0);
}

/* Bits of the bracket's own: the count between its writes is what .own says. */
static void brackets(void **unused)
{
	struct pmu_bracket b;
	uint64_t control;
	(void)unused;
	start_cpu(&amd_zen2, "");
	struct pmu_recording r = recording(RECORD_IBS_OP);
	const char *why;

	assert_true(record_setup(&pmu, &r, &why));
	assert_true(record_bracket(&pmu, &r, &b));
	fake_cpu_execute(b.start, (unsigned)(b.start_end - b.start), b.args);
	assert_true(msr_read(IBS_OP_CTL, &control));
	assert_int_equal(control >> OP_COUNT_SHIFT, 0);
	assert_true(control & OP_EN);
	fake_cpu_execute(b.stop, (unsigned)(b.stop_end - b.stop), b.args);
	assert_true(msr_read(IBS_OP_CTL, &control));
	assert_false(control & OP_EN);
	assert_int_equal(b.own[0].quantity, Q_INSTRUCTIONS);
	r = recording(RECORD_IBS_FETCH);
	assert_true(record_setup(&pmu, &r, &why));
	assert_true(record_bracket(&pmu, &r, &b));
	fake_cpu_execute(b.start, (unsigned)(b.start_end - b.start), b.args);
	assert_true(msr_read(IBS_FETCH_CTL, &control));
	assert_true(control & FETCH_EN);
	fake_cpu_execute(b.stop, (unsigned)(b.stop_end - b.stop), b.args);
	assert_true(msr_read(IBS_FETCH_CTL, &control));
	assert_false(control & FETCH_EN);
}

/* Erratum 420: the way around it leaves no request behind. */
static void no_request_stays(void **unused)
{
	unsigned entry;
	(void)unused;
	start_cpu(&amd_fam10h, "420");
	struct pmu_recording r = recording(RECORD_IBS_OP);
	begin(&r);
	fake_cpu_nops(3);
	assert_true(record_stop(&pmu, &r));
	assert_true(record_release(&pmu, &r));
	assert_false(amd_model.take_extended(fake_cpu_state(), &entry));
}

static int cleanup(void **unused)
{
	(void)unused;
	fake_cpu_stop();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_each_part_has),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(operations),
		cmocka_unit_test(operations_that_branch),
		cmocka_unit_test(operations_that_miss),
		cmocka_unit_test(sources_and_pages),
		cmocka_unit_test(promised_and_faulting),
		cmocka_unit_test(filter),
		cmocka_unit_test(latency_filter),
		cmocka_unit_test(second_control),
		cmocka_unit_test(fetches),
		cmocka_unit_test(branch_stack),
		cmocka_unit_test(branch_sampling),
		cmocka_unit_test(last_branch),
		cmocka_unit_test(brackets),
		cmocka_unit_test(no_request_stays),
	};
	return cmocka_run_group_tests(tests, NULL, cleanup);
}
