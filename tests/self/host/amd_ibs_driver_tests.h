/*
 * The AMD driver and IBS: what it sets up, filters and tells of samples. For test_amd_records.c alone, whose
 * helpers it uses.
 */
#ifndef TESTS_SELF_HOST_AMD_IBS_DRIVER_TESTS_H
#define TESTS_SELF_HOST_AMD_IBS_DRIVER_TESTS_H

/* The period is exact from the start, across stops, and after each sample that is taken out. */
static void operations(void **unused)
{
	static const struct model_profile *const parts[] = {&amd_fam10h, &amd_fam15h, &amd_zen2, &amd_zen4};
	(void)unused;
	for (unsigned p = 0; p < 4; p++) {
		start_cpu(parts[p], "");
		struct pmu_recording r = recording(RECORD_OPERATION);

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
		assert_int_equal(got[0].kind, RECORD_OPERATION);
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
	struct pmu_recording r = recording(RECORD_OPERATION);
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
	const struct step_access a = {.address = DATA, .size = 8};
	(void)unused;
	start_cpu(&amd_zen4, "");
	struct pmu_recording r = recording(RECORD_OPERATION);
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
	struct pmu_recording r = recording(RECORD_OPERATION);

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
	assert_false(record_source(&pmu, RECORD_OPERATION)->page_of_miss);
	told(&amd_zen4, 0, DATA3_LOAD | DATA3_UNCACHED);
	assert_int_equal(got[0].op, RECORD_OP_LOAD | RECORD_OP_UNCACHED);
}

/* Only from Zen 4 on there is a filter; it is set, and stays when a sample is taken out. */
static void filter(void **unused)
{
	static const uint8_t kinds[] = {RECORD_OPERATION, RECORD_FETCH};
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
	struct pmu_recording r = recording(RECORD_OPERATION);
	r.latency_above = 128;
	assert_false(record_setup(&pmu, &r, &why));
	assert_non_null(strstr(why, "no filter of latencies"));
	start_cpu(&amd_zen5, "ibs-latency+ibs-filter");
	assert_int_equal(record_source(&pmu, RECORD_FETCH)->latency_unit, 0);
	r = recording(RECORD_OPERATION);
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

/* The registers' bits as the PPR of family 1AH has them, not as the model and the driver share them: MSR
 * C001_1033, IbsOpLatFltEn 63, IbsOpLatThrsh 62:59 (so many times 128 cycles, and 128), IbsOpL3MissOnly 16.
 */
static void latency_filter_in_numbers(void **unused)
{
	static const struct {
		uint16_t above;
		uint64_t bits;
	} rows[] = {
		{128, 0x8000000000010000},  {256, 0x8800000000010000},  {384, 0x9000000000010000},
		{1024, 0xb800000000010000}, {1152, 0xc000000000010000}, {2048, 0xf800000000010000},
	};
	(void)unused;

	start_cpu(&amd_zen5, "");
	struct pmu_recording r = recording(RECORD_OPERATION);

	assert_int_equal(r.source->latency_unit, 128);
	assert_int_equal(r.source->latency_most, 2048);
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		uint64_t control;

		r.latency_above = rows[i].above;
		begin(&r);
		assert_true(msr_read(0xc0011033, &control) && (control & 0xf800000000010000) == rows[i].bits);
		assert_int_equal(ibs_op_latency(rows[i].bits), rows[i].above);
	}
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
	struct pmu_recording r = recording(RECORD_OPERATION);
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
		struct pmu_recording r = recording(RECORD_FETCH);

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

#endif
