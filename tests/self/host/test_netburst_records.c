/* What the NetBurst driver records, against the NetBurst model, on every profile. */
#include "arch/x86/cpu/msr.h"
#include "pmu/events/grammar.h"
#include "pmu/netburst/driver/parts.h"
#include "pmu/netburst/driver/state.h"
#include "pmu/netburst/netburst.h"
#include "pmu/netburst/model/profile.h"
#include "pmu/netburst/records/record.h"
#include "tests/self/host/support/fake_memory.h"
#include "tests/self/host/support/recording_cpu.h"
#include "tests/self/host/support/skip.h"
#include "pmu/x86/general.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MAX  1100
#define DATA 0x10000

static const struct model_profile *const parts[] = {&netburst_willamette, &netburst_northwood,
						    &netburst_northwood_ht, &netburst_prescott};
#define PARTS (sizeof parts / sizeof parts[0])

static struct pmu pmu;
static const struct pmu_driver *const drv = &netburst_driver;
static struct pmu_record got[MAX];
static uint64_t
	end; /* where the program was when the recording was stopped: register accesses are part of it */

static struct fake_path *path(void)
{
	return fake_cpu_path();
}

static void start_cpu(const struct model_profile *p, const char *inject)
{
	recording_cpu(&pmu, drv, p, inject);
}

static uint64_t msr(uint32_t address)
{
	uint64_t value;

	assert_true(msr_read(address, &value));
	return value;
}

static struct pmu_config config_of(const char *text)
{
	struct event_request request;
	struct event_error error;

	if (event_parse(&pmu, text, &request, 1, &error) != 1)
		fail_msg("%s: %s", text, error.text);
	return request.config;
}

/* A recording with memory for `records`. */
static struct pmu_recording recording(enum record_kind kind, unsigned records, unsigned threshold)
{
	struct pmu_recording r = {.source = record_source(&pmu, kind),
				  .levels = LEVELS_ALL,
				  .records = records,
				  .threshold = threshold};

	assert_non_null(r.source);
	r.size = record_memory(&pmu, &r);
	if (r.size)
		r.memory = fake_memory_create(r.size);
	return r;
}

static struct pmu_recording sampling(const char *event, uint64_t period, unsigned records, unsigned threshold)
{
	struct pmu_recording r = recording(RECORD_PRECISE, records, threshold);

	r.counter = netburst_cpu(&pmu)->thread ? 17 : 16;
	r.config = config_of(event);
	r.period = period;
	return r;
}

static void begin(const struct pmu_recording *r)
{
	recording_begin(&pmu, r);
	path()->regs.ip = CODE;
}

static unsigned finish(const struct pmu_recording *r)
{
	unsigned n;

	end = path()->regs.ip;
	assert_true(record_stop(&pmu, r));
	n = record_drain(&pmu, r, got, MAX);
	assert_true(record_release(&pmu, r));
	return n;
}

static void refused(const struct pmu_recording *r, const char *because)
{
	const char *why = NULL;

	assert_false(record_setup(&pmu, r, &why));
	assert_non_null(why);
	if (!strstr(why, because))
		fail_msg("%s", why);
}

static void jumps(unsigned n)
{
	while (n--)
		fake_path_branch(path(), TRANSFER_JUMP, path()->regs.ip + 16);
}

static void loads(unsigned n)
{
	while (n--) {
		fake_path_load(path(), DATA);
		fake_path_nops(path(), 2);
	}
}

static void sources_of_each_part(void **state)
{
	(void)state;
	for (unsigned i = 0; i < PARTS; i++) {
		const struct netburst_profile *p = parts[i]->data;

		start_cpu(parts[i], NULL);
		const struct pmu_record_source *lbr = record_source(&pmu, RECORD_LAST_BRANCHES);
		const struct pmu_record_source *bts = record_source(&pmu, RECORD_BRANCH_TRACE);
		const struct pmu_record_source *pebs = record_source(&pmu, RECORD_PRECISE);

		assert_int_equal(lbr->depth, p->model < 3 ? 4 : 16);
		assert_int_equal(lbr->address_bits, p->model < 3 ? 32 : 0);
		assert_int_equal(bts->record_size, 24);
		assert_int_equal(pebs->record_size, 144);
		assert_int_equal(pebs->counters, 1 << 16);
		assert_null(record_source(&pmu, RECORD_OPERATION));
		assert_null(record_absent(&pmu, RECORD_PRECISE));
		assert_int_equal(fake_cpu_strays(), 0);
	}
}

static void absent_where_the_cpu_says_so(void **state)
{
	struct netburst_profile data = *(const struct netburst_profile *)netburst_prescott.data;
	struct model_profile part = netburst_prescott;

	(void)state;
	part.data = &data;
	data.misc_enable |= MISC_ENABLE_BTS_ABSENT;
	start_cpu(&part, NULL);
	assert_null(record_source(&pmu, RECORD_BRANCH_TRACE));
	assert_non_null(record_source(&pmu, RECORD_PRECISE));
	assert_non_null(strstr(record_absent(&pmu, RECORD_BRANCH_TRACE), "MSR_MISC_ENABLE"));
	data.misc_enable = (data.misc_enable & ~MISC_ENABLE_BTS_ABSENT) | MISC_ENABLE_PEBS_ABSENT;
	start_cpu(&part, NULL);
	assert_non_null(record_source(&pmu, RECORD_BRANCH_TRACE));
	assert_null(record_source(&pmu, RECORD_PRECISE));
	fake_cpu_set_leaf(1, 0, 0xf43, 0x20800, 0x649d, 0xbfebfbff & ~(1u << 21));
	assert_null(record_source(&pmu, RECORD_BRANCH_TRACE));
	assert_non_null(strstr(record_absent(&pmu, RECORD_PRECISE), "CPUID"));
	assert_non_null(record_source(&pmu, RECORD_LAST_BRANCHES));
	fake_cpu_break_msr(MSR_LASTBRANCH_TOS);
	assert_null(record_source(&pmu, RECORD_LAST_BRANCHES));
}

/* --- branches --------------------------------------------------------------------------------------- */

static void last_branches(void **state)
{
	(void)state;
	for (unsigned i = 0; i < PARTS; i++) {
		struct pmu_record_state now;

		start_cpu(parts[i], NULL);
		struct pmu_recording r = recording(RECORD_LAST_BRANCHES, 0, 0);
		unsigned depth = r.source->depth;

		begin(&r);
		jumps(3);
		fake_path_not_taken(path());
		record_state(&pmu, &r, &now);
		assert_int_equal(now.records, 3);
		assert_false(now.full);
		jumps(depth);
		uint64_t last = path()->regs.ip;
		record_state(&pmu, &r, &now);
		assert_true(now.full);
		assert_int_equal(finish(&r), depth);
		for (unsigned k = 0; k < depth; k++) {
			assert_true(got[k].from + 16 == got[k].to);
			assert_true(k == 0 || got[k].from == got[k - 1].to);
			assert_int_equal(got[k].has, RECORD_HAS_BRANCH);
		}
		assert_true(got[depth - 1].to == last);
		assert_int_equal(msr(MSR_DEBUGCTLA), 0);
		begin(&r);
		assert_int_equal(finish(&r), 0);
	}
	start_cpu(&netburst_willamette, NULL);
	struct pmu_recording r = recording(RECORD_LAST_BRANCHES, 0, 0);
	r.levels = LEVELS_USER;
	refused(&r, "all rings");
	r.levels = LEVELS_ALL;
	fake_cpu_break_msr(MSR_LASTBRANCH_0 + 3);
	refused(&r, "cannot be written");
}

static void branch_traces(void **state)
{
	(void)state;
	for (unsigned i = 0; i < PARTS; i++) {
		struct pmu_record_state now;

		start_cpu(parts[i], NULL);
		struct pmu_recording r = recording(RECORD_BRANCH_TRACE, 20, 8);

		begin(&r);
		jumps(4);
		fake_path_not_taken(path());
		fake_path_mispredicted(path(), TRANSFER_CONDITIONAL, 0x5000);
		fake_path_event(path(), 0x9000);
		record_state(&pmu, &r, &now);
		assert_int_equal(now.records, 6);
		assert_false(now.overflow);
		assert_int_equal(fake_cpu_interrupts(), 0);
		jumps(2);
		assert_int_equal(fake_cpu_interrupts(), 1);
		record_state(&pmu, &r, &now);
		assert_true(now.overflow);
		/* In the handler: the oldest five, then go on. */
		assert_int_equal(record_drain(&pmu, &r, got, 5), 5);
		assert_true(got[0].from == CODE && got[0].to == CODE + 16 && !got[0].mispredicted);
		assert_true(got[4].to == 0x5000 && got[4].mispredicted);
		record_state(&pmu, &r, &now);
		assert_int_equal(now.records, 3);
		assert_false(now.overflow);
		path()->regs.ip = 0x9000 + 2 * 16;
		jumps(30);
		assert_int_equal(fake_cpu_interrupts(), 1);
		record_state(&pmu, &r, &now);
		assert_true(now.full && now.records == 20);
		assert_int_equal(finish(&r), 20);
		assert_true(got[0].to == 0x9000);
		assert_true(got[19].to == 0x9000 + 19 * 16);
		assert_int_equal(msr(MSR_DEBUGCTLA), 0);
		assert_int_equal(msr(MSR_DS_AREA), 0);
		assert_int_equal(fake_memory_refused(), 0);
	}
}

static void circular_traces(void **state)
{
	struct pmu_record_state now;

	(void)state;
	start_cpu(&netburst_prescott, NULL);
	struct pmu_recording r = recording(RECORD_BRANCH_TRACE, 8, 0);
	r.circular = true;
	begin(&r);
	jumps(5);
	record_state(&pmu, &r, &now);
	assert_int_equal(now.records, 5);
	jumps(14);
	record_state(&pmu, &r, &now);
	assert_int_equal(now.records, 8);
	assert_false(now.full);
	assert_int_equal(fake_cpu_interrupts(), 0);
	assert_int_equal(record_drain(&pmu, &r, got, 3), 3);
	assert_true(got[0].from == CODE + 11 * 16);
	assert_int_equal(finish(&r), 5);
	assert_true(got[0].from == CODE + 14 * 16);
	assert_true(got[4].to == end);
}

static void traces_by_ring(void **state)
{
	(void)state;
	start_cpu(&netburst_prescott, NULL);
	struct pmu_recording r = recording(RECORD_BRANCH_TRACE, 8, 0);
	r.levels = LEVELS_USER;
	begin(&r);
	jumps(2);
	path()->level = 3;
	jumps(3);
	assert_int_equal(finish(&r), 3);
	r.levels = LEVELS_SYSTEM;
	begin(&r);
	jumps(2);
	path()->level = 0;
	jumps(4);
	assert_int_equal(finish(&r), 4);
	start_cpu(&netburst_northwood, NULL);
	r = recording(RECORD_BRANCH_TRACE, 8, 0);
	r.levels = LEVELS_USER;
	refused(&r, "all rings");
}

/* Brackets do what start() and stop() do. */
static void brackets(void **state)
{
	static const enum record_kind kinds[] = {RECORD_BRANCH_TRACE, RECORD_LAST_BRANCHES};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		uint64_t regs[4] = {0};
		struct pmu_bracket bracket;
		const char *why;

		start_cpu(&netburst_prescott, NULL);
		struct pmu_recording r = recording(kinds[i], 8, 0);

		assert_true(record_setup(&pmu, &r, &why));
		assert_true(record_bracket(&pmu, &r, &bracket));
		fake_cpu_execute(bracket.start, (unsigned)(bracket.start_end - bracket.start), regs);
		assert_int_equal(msr(MSR_DEBUGCTLA),
				 i ? DEBUGCTLA_LBR : DEBUGCTLA_TR | DEBUGCTLA_BTS | DEBUGCTLA_BTINT);
		fake_cpu_execute(bracket.stop, (unsigned)(bracket.stop_end - bracket.stop), regs);
		assert_int_equal(msr(MSR_DEBUGCTLA), 0);
		assert_true(record_release(&pmu, &r));
	}
}

/* --- PEBS ------------------------------------------------------------------------------------------- */

static void precise_on_each_part(void **state)
{
	(void)state;
	for (unsigned i = 0; i < PARTS; i++) {
		struct pmu_record_state now;
		uint64_t ip[5];

		start_cpu(parts[i], NULL);
		struct pmu_recording r = sampling("memory_loads", 7, 10, 4);

		begin(&r);
		for (unsigned k = 0; k < 5; k++) {
			loads(6);
			fake_path_load(path(), DATA);
			ip[k] = path()->regs.ip;
			assert_int_equal(fake_cpu_interrupts(), k == 3);
		}
		uint64_t rax = path()->regs.general[GPR_RAX];
		record_state(&pmu, &r, &now);
		assert_true(now.records == 5 && now.overflow && !now.full);
		assert_int_equal(finish(&r), 5);
		for (unsigned k = 0; k < 5; k++) {
			assert_true(got[k].next_ip == ip[k]);
			assert_true(got[k].general[GPR_R15] == path()->regs.general[GPR_R15]);
			assert_int_equal(got[k].has, r.source->fields);
		}
		assert_true(got[4].general[GPR_RAX] == rax);
		assert_int_equal(msr(MSR_PEBS_ENABLE), 0);
		assert_int_equal(msr(MSR_DS_AREA), 0);
		assert_int_equal(msr(MSR_NETBURST_CCCR0 + 16), 0);
		assert_int_equal(fake_cpu_strays(), 0);
	}
}

/* On the second logical processor: its counter, its bits, its interrupt. */
static void precise_on_the_second_processor(void **state)
{
	static const struct qterm terms[] = {{Q_INSTRUCTIONS, 1}, {Q_LOADS, 1}};
	const char *why;

	(void)state;
	fake_cpu_start(&netburst_prescott, NULL);
	fake_cpu_set_leaf(1, 0, 0xf43, 0x01020800, 0x649d, 0xbfebfbff);
	netburst_model.place(fake_cpu_state(), 1);
	assert_true(fake_cpu_identify(drv, &pmu, &why));
	assert_true(drv->reset(&pmu, &why));
	assert_int_equal(netburst_cpu(&pmu)->thread, 1);
	struct pmu_recording r = sampling("memory_loads", 5, 8, 2);
	assert_int_equal(r.source->counters, 1 << 17);
	r.counter = 16;
	refused(&r, "IQ_COUNTER5");
	r.counter = 17;
	begin(&r);
	assert_int_equal(msr(MSR_PEBS_ENABLE), PEBS_ENABLE_MINE);
	for (unsigned i = 0; i < 10; i++) {
		struct step s = {.terms = terms, .n_terms = 2, .length = 3, .thread = 1};

		fake_path_step(path(), &s, path()->regs.ip + 3);
	}
	assert_int_equal(fake_cpu_interrupts(), 0);
	assert_true(netburst_model.take_pmi_of(fake_cpu_state(), 1));
	assert_int_equal(finish(&r), 2);
}

static void thousand_periods(void **state)
{
	(void)state;
	start_cpu(&netburst_prescott, NULL);
	struct pmu_recording r = sampling("memory_loads", 3, 1000, 0);
	begin(&r);
	for (unsigned k = 0; k < 3000; k++) {
		/* It may be stopped in between. */
		if (k % 100 == 50) {
			assert_true(record_stop(&pmu, &r));
			loads(5);
			assert_true(record_start(&pmu, &r));
		}
		fake_path_load(path(), DATA);
	}
	assert_int_equal(fake_cpu_interrupts(), 0);
	assert_int_equal(finish(&r), 1000);
}

/* Each mechanism samples. */
static void every_mechanism(void **state)
{
	static const struct qterm packed[] = {{Q_INSTRUCTIONS, 1}, {Q_INSN_SSE, 1}, {Q_FP_128_SP, 1}};
	static const struct qterm missed[] = {{Q_INSTRUCTIONS, 1}, {Q_LOADS, 1}, {Q_L1D_LOAD_MISS, 1}};
	static const struct {
		const char *event;
		const struct qterm *terms;
	} rows[] = {{"packed_SP_retired", packed}, {"1stL_cache_load_miss_retired", missed}};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		start_cpu(&netburst_prescott, NULL);
		struct pmu_recording r = sampling(rows[i].event, 2, 10, 0);

		begin(&r);
		for (unsigned k = 0; k < 8; k++) {
			fake_path_insn(path(), 4, rows[i].terms, 3);
			fake_path_nops(path(), 1);
		}
		assert_int_equal(finish(&r), 4);
		assert_int_equal(msr(MSR_PEBS_ENABLE), 0);
	}
}

/* Instructions that have the micro-operations of an event. */
static void instructions_of_events(void **state)
{
	static const struct {
		const char *event;
		enum quantity of;
	} rows[] = {{"memory_loads", Q_LOADS},
		    {"memory_stores", Q_STORES},
		    {"packed_SP_retired", Q_FP_128_SP},
		    {"packed_DP_retired", Q_FP_128_DP},
		    {"scalar_SP_retired", Q_FP_SCALAR_SP},
		    {"scalar_DP_retired", Q_FP_SCALAR_DP},
		    {"64_bit_MMX_retired", Q_INSN_MMX},
		    {"X87_FP_retired", Q_X87_OPS},
		    {"128_bit_MMX_retired", Q_COUNT},
		    {"1stL_cache_load_miss_retired", Q_COUNT}};

	(void)state;
	start_cpu(&netburst_prescott, NULL);
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct pmu_event e;
		unsigned k = 0;

		while (k < pmu.n_events && strcmp(pmu.events[k]->name, rows[i].event))
			k++;
		assert_true(k < pmu.n_events);
		assert_int_equal(netburst_recorder.instructions_of(&pmu, pmu.events[k], &e),
				 rows[i].of != Q_COUNT);
		if (rows[i].of != Q_COUNT)
			assert_true(event_coefficient(&e, rows[i].of) == 1 && e.name == pmu.events[k]->name);
	}
}

static void a_full_buffer(void **state)
{
	struct pmu_record_state now;

	(void)state;
	start_cpu(&netburst_prescott, NULL);
	struct pmu_recording r = sampling("memory_loads", 2, 3, 0);
	begin(&r);
	loads(20);
	record_state(&pmu, &r, &now);
	assert_true(now.full && now.records == 3);
	assert_int_equal(record_drain(&pmu, &r, got, 2), 2);
	loads(2);
	assert_int_equal(finish(&r), 2);
}

static void refuses_what_cannot_be(void **state)
{
	(void)state;
	start_cpu(&netburst_prescott, NULL);
	struct pmu_recording r = sampling("instr_retired:NBOGUSNTAG", 100, 8, 0);
	refused(&r, "not instr_retired");
	refused(&r, "memory_loads");
	r.config = config_of("branch_retired:MMTP");
	refused(&r, "not branch_retired");
	r.config = config_of("memory_loads");
	r.counter = 12;
	refused(&r, "IQ_COUNTER4");
	r.counter = 16;
	r.period = 1;
	refused(&r, "from 2");
	r.period = 100;
	r.threshold = 9;
	refused(&r, "threshold");
	r.threshold = 0;
	r.size--;
	refused(&r, "too small");
	r.size++;
	/* Another mechanism of tagging at the same time. */
	struct pmu_config other = config_of("packed_SP_retired");
	assert_true(drv->program(&pmu, 12, &other));
	refused(&r, "IQ_COUNTER0");
	assert_true(drv->release(&pmu, 12));
	/* The debug store is in use. */
	begin(&r);
	struct pmu_recording bts = {
		.source = record_source(&pmu, RECORD_BRANCH_TRACE), .levels = LEVELS_ALL, .records = 4};
	bts.memory = r.memory;
	bts.size = r.size;
	bts.memory = (uint8_t *)bts.memory + 512;
	bts.size -= 512;
	refused(&bts, "another recording");
	/* The same may be set up anew. */
	loads(100);
	begin(&r);
	loads(200);
	assert_int_equal(finish(&r), 2);
	const char *why;
	assert_true(record_setup(&pmu, &bts, &why));
	record_release(&pmu, &bts);
}

static void gives_up_in_order(void **state)
{
	(void)state;
	start_cpu(&netburst_prescott, NULL);
	struct pmu_recording r = sampling("memory_loads", 100, 8, 0);
	fake_cpu_break_msr(MSR_PEBS_ENABLE);
	refused(&r, "MSR_PEBS_ENABLE");
	fake_cpu_break_msr(0);
	assert_int_equal(msr(MSR_DS_AREA), 0);
	begin(&r);
	finish(&r);
}

/* The form of 32-bit mode, of model and driver. */
static void debug_store_of_32_bits(void **state)
{
	struct netburst_profile data = *(const struct netburst_profile *)netburst_northwood.data;
	struct model_profile part = netburst_northwood;

	(void)state;
	part.data = &data;
	data.legacy_mode = true;
	start_cpu(&part, NULL);
	assert_int_equal(netburst_cpu(&pmu)->ds_width, 8);
	netburst_cpu(&pmu)->ds_width = 4;
	struct pmu_recording r = sampling("memory_loads", 3, 8, 2);
	assert_int_equal(r.source->record_size, 40);
	if ((uintptr_t)r.memory > UINT32_MAX) {
		refused(&r, "4 GiB");
		skip_because("memory for records lies above 4 GiB");
	}
	begin(&r);
	loads(6);
	assert_int_equal(fake_cpu_interrupts(), 1);
	assert_int_equal(finish(&r), 2);
	assert_true(got[1].next_ip + 2 == end);
	assert_int_equal(got[1].general[GPR_RSP], (uint32_t)path()->regs.general[GPR_RSP]);
	assert_int_equal(record_registers(&got[1]), GPR_COUNT_32);
	r = recording(RECORD_BRANCH_TRACE, 8, 0);
	begin(&r);
	jumps(3);
	assert_int_equal(finish(&r), 3);
	assert_true(got[2].to == end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sources_of_each_part),
		cmocka_unit_test(absent_where_the_cpu_says_so),
		cmocka_unit_test(last_branches),
		cmocka_unit_test(branch_traces),
		cmocka_unit_test(circular_traces),
		cmocka_unit_test(traces_by_ring),
		cmocka_unit_test(brackets),
		cmocka_unit_test(precise_on_each_part),
		cmocka_unit_test(precise_on_the_second_processor),
		cmocka_unit_test(thousand_periods),
		cmocka_unit_test(every_mechanism),
		cmocka_unit_test(instructions_of_events),
		cmocka_unit_test(a_full_buffer),
		cmocka_unit_test(refuses_what_cannot_be),
		cmocka_unit_test(gives_up_in_order),
		cmocka_unit_test(debug_store_of_32_bits),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	fake_cpu_stop();
	fake_memory_free();
	return failed;
}
