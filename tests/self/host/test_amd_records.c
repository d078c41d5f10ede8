/* The AMD driver's records against the AMD model: what it sets up, starts, stops and takes out. */
#include "arch/x86/interrupts/apic.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/amd/amd.h"
#include "pmu/amd/driver/workarounds.h"
#include "pmu/amd/records/ibs.h"
#include "pmu/amd/records/record.h"
#include "pmu/amd/registers.h"
#include "tests/self/host/support/later_ibs.h"
#include "tests/self/host/support/recording_cpu.h"

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
	struct pmu_recording r = {.source = record_source(&pmu, kind), .levels = LEVELS_ALL, .period = 32};

	assert_non_null(r.source);
	r.unit = kind == RECORD_FETCH ? RECORD_UNIT_FETCHES : RECORD_UNIT_OPERATIONS;
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
		uint16_t line;
	} rows[] = {
		{&amd_k8, "last branch", false, false, 0, 0},
		{&amd_fam10h, "last branch", true, true, 0, OVERFLOW_NO_LINE},
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
		assert_string_equal(record_source(&pmu, RECORD_LAST_BRANCHES)->name, rows[i].lbr);
		assert_int_equal(record_source(&pmu, RECORD_FETCH) != NULL, rows[i].fetch);
		assert_int_equal(record_absent(&pmu, RECORD_FETCH) == NULL, rows[i].fetch);
		s = record_source(&pmu, RECORD_OPERATION);
		assert_int_equal(s != NULL, rows[i].op);
		assert_int_equal(record_absent(&pmu, RECORD_OPERATION) == NULL, rows[i].op);
		assert_null(record_source(&pmu, RECORD_BRANCH_TRACE));
		assert_null(record_absent(&pmu, RECORD_BRANCH_TRACE));
		if (!s)
			continue;
		assert_int_equal(s->fields, always | rows[i].op_fields);
		assert_int_equal(s->line, rows[i].line);
		assert_int_equal(s->period_unit, 16);
	}
	start_cpu(&amd_zen3, "");
	assert_non_null(strstr(record_absent(&pmu, RECORD_FETCH), "fetches"));
	start_cpu(&amd_zen4, "");
	fake_cpu_break_msr(IBS_OP_CTL);
	assert_non_null(strstr(record_absent(&pmu, RECORD_OPERATION), "#GP"));
	start_cpu(&amd_zen4, "");
	fake_cpu_break_msr(DBG_EXTN_CFG);
	assert_non_null(strstr(record_absent(&pmu, RECORD_LAST_BRANCHES), "#GP"));
}

/* Registers that CPUID promises and that fault: one line, and no record made up of what was not read. */
static void promised_and_faulting(void **unused)
{
	static const struct {
		uint32_t address;
		uint8_t kind;
		bool absent; /* seen before anything is recorded */
	} rows[] = {{IBS_FETCH_CTL, RECORD_FETCH, true},    {IBS_OP_CTL, RECORD_OPERATION, true},
		    {IBS_FETCH_PHYS, RECORD_FETCH, false},  {IBS_FETCH_EXTD, RECORD_FETCH, false},
		    {IBS_DC_PHYS, RECORD_OPERATION, false}, {IBS_OP_DATA2, RECORD_OPERATION, false},
		    {IBS_BRTARGET, RECORD_OPERATION, false}};
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
	assert_string_equal(record_source(&pmu, RECORD_LAST_BRANCHES)->name, "last branch");
	/* Leaf 8000001BH that promises nothing, though 80000001H has the bit. */
	start_cpu(&amd_zen4, "");
	fake_cpu_set_leaf(0x8000001b, 0, 0, 0, 0, 0);
	assert_null(record_source(&pmu, RECORD_OPERATION));
	assert_non_null(strstr(record_absent(&pmu, RECORD_OPERATION), "8000001BH"));
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
	struct pmu_recording r = recording(RECORD_OPERATION), x;
	x = r, x.levels = LEVELS_USER;
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
	r = recording(RECORD_OPERATION);
	x = r, x.period = 1 << 20;
	begin(&x);
	r = recording(RECORD_FETCH);
	x = r, x.period = 1 << 20;
	refuses(x, "wide");
	x = r, x.unit = RECORD_UNIT_CYCLES;
	refuses(x, "count");
	start_cpu(&amd_zen2, "");
	r = recording(RECORD_LAST_BRANCHES);
	x = r, x.levels = LEVELS_SYSTEM;
	refuses(x, "every ring");
}

#include "tests/self/host/amd_ibs_driver_tests.h"

static void branch_stack(void **unused)
{
	(void)unused;
	for (unsigned v = 4; v <= 5; v++) {
		start_cpu(v == 4 ? &amd_zen4 : &amd_zen5, "");
		struct pmu_recording r = recording(RECORD_LAST_BRANCHES);
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
		r.levels = LEVELS_USER;
		begin(&r);
		jumps(2);
		assert_true(record_stop(&pmu, &r));
		assert_int_equal(record_drain(&pmu, &r, got, MAX), 0);
		assert_true(record_release(&pmu, &r));
		assert_true(msr_read(DEBUGCTL, &control));
		assert_int_equal(control, 0);
	}
}

/* Erratum 1452: bogus entries are known by bit 61, and passed over, or let show. */
static void bogus_entries(void **unused)
{
	(void)unused;
	for (unsigned works_around = 0; works_around < 2; works_around++) {
		start_cpu(&amd_zen4, "1452");
		pmu.works_around = works_around << AMD_WORK_1452;
		struct pmu_recording r = recording(RECORD_LAST_BRANCHES);
		unsigned right = 0;

		begin(&r);
		jumps(8);
		assert_int_equal(record_drain(&pmu, &r, got, MAX), works_around ? 8 : 10);
		for (unsigned i = 0; i < 10; i++)
			right += got[i].to == got[i].from + 16;
		assert_int_equal(right, 8);
	}
}

static void branch_sampling(void **unused)
{
	const char *why = NULL;
	(void)unused;
	start_cpu(&amd_zen3_epyc, "");
	struct pmu_recording r = recording(RECORD_NEXT_BRANCHES), x;
	r.config = (struct pmu_config){.code = 0xc4, .levels = LEVELS_ALL};

	assert_int_equal(r.source->depth, 16);
	assert_int_equal(r.source->counters, 1);
	x = r, x.config.code = 0xc2;
	refuses(x, "RETIRED_TAKEN_BRANCH_INSTRUCTIONS on PERF_CTR0");
	x = r, x.counter = 1;
	refuses(x, "RETIRED_TAKEN_BRANCH_INSTRUCTIONS on PERF_CTR0");
	x = r, x.config.cmask = 1;
	refuses(x, "RETIRED_TAKEN_BRANCH_INSTRUCTIONS on PERF_CTR0");
	x = r, x.levels = LEVELS_USER;
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
	assert_non_null(strstr(record_absent(&pmu, RECORD_NEXT_BRANCHES), "#GP"));
	start_cpu(&amd_zen3, "");
	assert_null(record_source(&pmu, RECORD_NEXT_BRANCHES));
	assert_non_null(strstr(record_absent(&pmu, RECORD_NEXT_BRANCHES), "80000008H"));
	start_cpu(&amd_zen3_epyc, "brs-lost");
	r.source = record_source(&pmu, RECORD_NEXT_BRANCHES);
	begin(&r);
	jumps(22);
	assert_int_equal(waiting(&r), 14);
}

static void last_branch(void **unused)
{
	(void)unused;
	start_cpu(&amd_fam15h, "");
	struct pmu_recording r = recording(RECORD_LAST_BRANCHES);

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
	struct pmu_recording r = recording(RECORD_OPERATION);
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
	r = recording(RECORD_FETCH);
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
	for (unsigned works_around = 0; works_around < 2; works_around++) {
		start_cpu(&amd_fam10h, "420+ibs-line");
		pmu.works_around = works_around << AMD_WORK_420;
		struct pmu_recording r = recording(RECORD_OPERATION);
		bool stays = false;

		for (unsigned n = 0; n < 2 * r.period; n++) {
			begin(&r);
			fake_cpu_nops(n);
			assert_true(record_stop(&pmu, &r));
			assert_true(record_release(&pmu, &r));
			amd_model.take_extended(fake_cpu_state(), &entry);
			fake_cpu_nops(1000);
			stays |= amd_model.take_extended(fake_cpu_state(), &entry);
		}
		assert_int_equal(stays, !works_around);
	}
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
		cmocka_unit_test(latency_filter_in_numbers),
		cmocka_unit_test(second_control),
		cmocka_unit_test(fetches),
		cmocka_unit_test(branch_stack),
		cmocka_unit_test(bogus_entries),
		cmocka_unit_test(branch_sampling),
		cmocka_unit_test(last_branch),
		cmocka_unit_test(brackets),
		cmocka_unit_test(no_request_stays),
	};
	return cmocka_run_group_tests(tests, NULL, cleanup);
}
