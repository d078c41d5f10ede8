/*
 * Every deviation that can be injected into the NetBurst model shows, and the model without it does not show
 * it.
 */
#include "tests/self/host/netburst_record_shortcuts.h"

#include <stdio.h>

#define CCCR(c)    (MSR_NETBURST_CCCR0 + (c))
#define COUNTER(c) (MSR_NETBURST_COUNTER0 + (c))

static void count_instructions(unsigned c, uint32_t more, uint64_t start)
{
	program(c, NB_INSTR_RETIRED, 1, RINGS_T0, more);
	set(COUNTER(c), start);
}

static void stop_counter(unsigned c)
{
	set(CCCR(c), get(CCCR(c)) & ~(uint64_t)CCCR_ENABLE);
}

/* Each function sets something up, and says whether the count, register or interrupt is other than it must
 * be. */

static bool dropped_carry(void)
{
	count_instructions(12, 0, 0xffffffff);
	instructions(1);
	return value(12) != 0x100000000;
}

static bool off_by_one(void)
{
	count_instructions(12, 0, 0);
	stop_counter(12);
	set(COUNTER(12), 0);
	set(CCCR(12), cccr(NB_INSTR_RETIRED, 0));
	instructions(10);
	return value(12) != 10;
}

static bool stuck_status(void)
{
	count_instructions(12, 0, TOP);
	instructions(1);
	set(CCCR(12), cccr(NB_INSTR_RETIRED, 0));
	return ovf(12);
}

static bool no_interrupt(void)
{
	count_instructions(12, CCCR_OVF_PMI_T0, TOP);
	instructions(2);
	return interrupts() != 1;
}

static bool lost_status(void)
{
	count_instructions(12, 0, TOP);
	instructions(1);
	return !ovf(12);
}

static bool ring_leak(void)
{
	program(12, NB_INSTR_RETIRED, 1, ESCR_T0_USR, 0);
	instructions(3);
	return value(12) != 0;
}

static bool neighbour(void)
{
	count_instructions(13, 0, 0);
	instructions(5);
	return value(12) != 0;
}

static bool wrong_count(void)
{
	count_instructions(12, 0, 0);
	instructions(1000);
	return value(12) != 1000;
}

static bool dead_counter(void)
{
	count_instructions(17, 0, 0);
	instructions(3);
	return value(17) == 0;
}

static bool counts_down(void)
{
	count_instructions(17, 0, 100);
	instructions(3);
	return value(17) == 97;
}

static bool rdpmc_index(void)
{
	uint64_t v;

	set(COUNTER(4), 44);
	set(COUNTER(5), 55);
	return model_rdpmc(&netburst_model, cpu, 4, 0, false, &v) != REGISTER_DONE || v != 44;
}

static bool reserved_accepted(void)
{
	return model_wrmsr(&netburst_model, cpu, netburst_escr[BSU_ESCR0].msr, 1ull << 31) != REGISTER_FAULT;
}

/* Only while the counter runs, which is why it is stopped before it is written. */
static bool n15(void)
{
	count_instructions(12, 0, 0);
	set(COUNTER(12), 0xffffffff);
	bool running = value(12) != 0xffffffff;

	stop_counter(12);
	set(COUNTER(12), 0xffffffff);
	assert_true(value(12) == 0xffffffff);
	return running;
}

/* Only if it is stopped right at the carry. */
static bool n17(void)
{
	count_instructions(12, 0, 0xffffffff);
	instructions(1);
	stop_counter(12);
	bool at_once = value(12) != 0x100000000;

	count_instructions(12, 0, 0xffffffff);
	instructions(20);
	stop_counter(12);
	assert_true(value(12) == 0x100000000 + 19);
	return at_once;
}

static bool cascaded_interrupt(void)
{
	count_instructions(12, 0, TOP);
	program(14, NB_INSTR_RETIRED, 1, RINGS_T0, 0);
	set(CCCR(14), (cccr(NB_INSTR_RETIRED, CCCR_CASCADE | CCCR_OVF_PMI_T0) & ~CCCR_ENABLE));
	set(COUNTER(14), TOP);
	instructions(5);
	return interrupts() != 1;
}

static bool forced_cascade(void)
{
	count_instructions(12, CCCR_FORCE_OVF, 0);
	program(14, NB_INSTR_RETIRED, 1, RINGS_T0, 0);
	set(CCCR(14), cccr(NB_INSTR_RETIRED, CCCR_CASCADE) & ~CCCR_ENABLE);
	instructions(5);
	return value(14) == 0;
}

static bool cccr1(void)
{
	program(1, NB_GLOBAL_POWER_EVENTS, 1, RINGS_T0, 0);
	instructions(5);
	return value(1) == 0;
}

/* A handler that asks for more before it has cleared OVF is interrupted again. */
static bool ovf_level(void)
{
	count_instructions(12, CCCR_OVF_PMI_T0, TOP);
	instructions(2);
	assert_int_equal(interrupts() > 0, true);
	instructions(1);
	bool again = interrupts() > 0;

	set(CCCR(12), cccr(NB_INSTR_RETIRED, CCCR_OVF_PMI_T0));
	instructions(1);
	assert_int_equal(interrupts(), 0);
	return again;
}

static bool found_running(void)
{
	step(Q_INSTRUCTIONS, 1, 10, 0);
	return netburst_model.counting(cpu) && value(0) != 0;
}

/* A buffer that is no multiple of a record and ends at the top of the address space, of which this is the
 * last page; behind it comes the first. */
static uint8_t top_page[4096], first_page[4096];

static void *page_at(uint64_t address, size_t size)
{
	uint64_t top = -(uint64_t)sizeof top_page;

	if (address >= top)
		return size <= -address || -address == 0 ? top_page + (address - top) : NULL;
	return address + size <= sizeof first_page ? first_page + address : NULL;
}

static bool read_top(void *ctx, uint64_t address, void *out, size_t size)
{
	const void *from = page_at(address, size);

	(void)ctx;
	if (from)
		memcpy(out, from, size);
	return from;
}

static bool write_top(void *ctx, uint64_t address, const void *data, size_t size)
{
	void *to = page_at(address, size);

	(void)ctx;
	if (to)
		memcpy(to, data, size);
	return to;
}

static bool p79(void)
{
	static const struct step_memory memory = {.read = read_top, .write = write_top};
	uint64_t ds = -(uint64_t)sizeof top_page;
	const uint64_t words[] = {-(uint64_t)40, -(uint64_t)40, -(uint64_t)2, -(uint64_t)1};

	begin_path();
	netburst_model.attach(cpu, &memory);
	memset(top_page, 0, sizeof top_page);
	memset(first_page, 0, sizeof first_page);
	memcpy(top_page, words, sizeof words);
	set(MSR_DS_AREA, ds);
	set(MSR_DEBUGCTLA, BTS_ON | DEBUGCTLA_BTINT);
	jump(0x1234);
	jump(0x5678);
	assert_int_equal(top_page[4096 - 40 + 9], 0x12);
	return first_page[0] || first_page[7];
}

static bool pebs_skid(void)
{
	begin_path();
	set_up_ds(0, 0, 8, 0, TOP);
	set(MSR_PEBS_ENABLE, PEBS_ENABLE_MINE);
	set_up_pebs(CCCR_OVF_PMI_T0, TOP);
	fake_path_load(&path, 0x10000);
	fake_path_load(&path, 0x10000);
	uint64_t right = path.regs.ip;
	fake_path_nops(&path, 3);
	return get_word(PEBS_BUFFER + 8) != right;
}

static bool pebs_no_reload(void)
{
	begin_path();
	set_up_ds(0, 0, 8, 0, TOP);
	set(MSR_PEBS_ENABLE, PEBS_ENABLE_MINE);
	set_up_pebs(CCCR_OVF_PMI_T0, TOP);
	for (unsigned i = 0; i < 4; i++)
		fake_path_load(&path, 0x10000);
	return pebs_records() != 2;
}

static bool pebs_interrupt(void)
{
	begin_path();
	set_up_ds(0, 0, 8, 1, TOP);
	set(MSR_PEBS_ENABLE, PEBS_ENABLE_MINE);
	set_up_pebs(CCCR_OVF_PMI_T0, TOP);
	fake_path_load(&path, 0x10000);
	fake_path_load(&path, 0x10000);
	return interrupts() != 1;
}

static bool bts_lost(void)
{
	begin_path();
	set_up_ds(20, 0, 0, 0, 0);
	set(MSR_DEBUGCTLA, BTS_ON);
	for (unsigned i = 0; i < 18; i++)
		jump(0x1000);
	return bts_records() != 18;
}

static bool lbr_swapped(void)
{
	begin_path();
	set(MSR_DEBUGCTLA, DEBUGCTLA_LBR);
	jump(0x1000);
	return get(MSR_LASTBRANCH_TO_0 + 1) != 0x1000;
}

static bool miswired(void)
{
	program(9, NB_X87_FP_UOP, 1u << 15, RINGS_T0, 0);
	step_with(x87, 3, 0);
	return value(9) != 1;
}

static const struct qterm seven_uops[] = {{Q_INSTRUCTIONS, 1}, {Q_LOADS, 6}}; /* 3 + 3 + 1 a cycle */

static bool filtered(uint32_t filter, unsigned count)
{
	program(12, NB_UOPS_RETIRED, 1, RINGS_T0, filter);
	step_with(seven_uops, 2, 0);
	return value(12) != count;
}

static bool threshold_reached(void)
{
	return filtered(CCCR_COMPARE | 1u << CCCR_THRESHOLD_SHIFT, 2);
}

static bool edge_ignored(void)
{
	return filtered(CCCR_COMPARE | CCCR_EDGE, 1);
}

static bool compare_value(void)
{
	return filtered(CCCR_COMPARE, 3);
}

/* One instruction of the second processor. */
static void second_processor(void)
{
	const struct qterm term = {Q_INSTRUCTIONS, 1};
	struct step s = {.terms = &term, .n_terms = 1, .cycles = 1, .thread = 1, .sibling = true};

	advance(&s);
}

static bool threads_alike(void)
{
	count_instructions(12, 0, 0);
	second_processor();
	return value(12) != 0;
}

static bool active_ignored(void)
{
	program(12, NB_INSTR_RETIRED, 1, RINGS_T1, 0);
	set(CCCR(12), (cccr(NB_INSTR_RETIRED, 0) & ~CCCR_THREAD) | CCCR_THREAD_SINGLE);
	second_processor();
	return value(12) != 0;
}

static bool pmi_swapped(void)
{
	count_instructions(12, CCCR_OVF_PMI_T0, TOP);
	instructions(3);
	return interrupts() == 0;
}

static bool force_ignored(void)
{
	count_instructions(12, CCCR_FORCE_OVF, 0);
	instructions(1);
	return !ovf(12);
}

static bool cascade_any(void)
{
	count_instructions(13, 0, TOP);
	program(14, NB_INSTR_RETIRED, 1, RINGS_T0, 0);
	set(CCCR(14), cccr(NB_INSTR_RETIRED, CCCR_CASCADE) & ~CCCR_ENABLE);
	instructions(5);
	return value(14) != 0;
}

static bool fast_wide(void)
{
	uint64_t v;

	set(COUNTER(4), 0x4400000044);
	return model_rdpmc(&netburst_model, cpu, RDPMC_FAST | 4, 0, false, &v) != REGISTER_DONE || v != 0x44;
}

static bool torn_read(void)
{
	uint64_t v;

	count_instructions(12, 0, 0xffffffff);
	instructions(1);
	return model_rdpmc(&netburst_model, cpu, 12, 0, false, &v) != REGISTER_DONE || v != 0x100000000;
}

static bool tagged(uint32_t tag, unsigned asked)
{
	program(8, NB_X87_FP_UOP, 1u << 15, RINGS_T0 | tag, 0);
	program(12, NB_EXECUTION_EVENT, asked, RINGS_T0, 0);
	step_with(x87, 3, 0);
	return value(12) != 0;
}

static bool one_colour(void)
{
	return tagged(ESCR_TAG_ENABLE | 1u << ESCR_TAG_SHIFT, 2);
}

static bool tags_unasked(void)
{
	return tagged(1u << ESCR_TAG_SHIFT, 1);
}

static bool front_end_untagged(void)
{
	program(12, NB_FRONT_END_EVENT, 1, RINGS_T0, 0);
	step_with(load, 3, 0);
	return value(12) != 0;
}

static bool replay_always(void)
{
	program(12, NB_REPLAY_EVENT, 1, RINGS_T0, 0);
	step(Q_DTLB_LOAD_MISS, 1, 1, 0);
	return value(12) != 0;
}

static bool bus_agents(void)
{
	program(0, NB_FSB_DATA_ACTIVITY, 1u << 2, RINGS_T0, 0);
	instructions(10);
	return value(0) != 0;
}

static const struct {
	const char *name;
	bool (*deviates)(void);
} cases[] = {
	{"dropped-carry", dropped_carry},
	{"off-by-one", off_by_one},
	{"stuck-status", stuck_status},
	{"no-pmi", no_interrupt},
	{"lost-status", lost_status},
	{"ring-leak", ring_leak},
	{"neighbour-coupling", neighbour},
	{"overcount-x16", wrong_count},
	{"dead-counter", dead_counter},
	{"backwards", counts_down},
	{"dead", wrong_count},
	{"noisy", wrong_count},
	{"rdpmc-wrong-index", rdpmc_index},
	{"reserved-accepted", reserved_accepted},
	{"miswired", miswired},
	{"threshold-reached", threshold_reached},
	{"edge-ignored", edge_ignored},
	{"compare-value", compare_value},
	{"threads-alike", threads_alike},
	{"active-ignored", active_ignored},
	{"pmi-swapped", pmi_swapped},
	{"force-ignored", force_ignored},
	{"cascade-any", cascade_any},
	{"fast-wide", fast_wide},
	{"torn-read", torn_read},
	{"one-colour", one_colour},
	{"tags-unasked", tags_unasked},
	{"front-end-untagged", front_end_untagged},
	{"replay-always", replay_always},
	{"bus-agents", bus_agents},
	{"n15", n15},
	{"n17", n17},
	{"cascade-no-pmi", cascaded_interrupt},
	{"force-cascade", forced_cascade},
	{"cccr1", cccr1},
	{"ovf-level", ovf_level},
	{"ht-ovf", found_running},
	{"p79", p79},
	{"pebs-skid", pebs_skid},
	{"pebs-no-reload", pebs_no_reload},
	{"pebs-pmi-late", pebs_interrupt},
	{"bts-lost", bts_lost},
	{"lbr-swapped", lbr_swapped},
};

static void each_shows(void **state)
{
	unsigned n = 0;

	(void)state;
	while (netburst_model.injections[n].name)
		n++;
	assert_int_equal(n, sizeof cases / sizeof cases[0]);
	for (unsigned i = 0; i < n; i++) {
		assert_string_equal(netburst_model.injections[i].name, cases[i].name);
		assert_non_null(netburst_model.injections[i].summary);
		power_up(&netburst_prescott, NULL);
		if (cases[i].deviates())
			fail_msg("%s shows in the clean model", cases[i].name);
		power_up(&netburst_prescott, cases[i].name);
		if (!cases[i].deviates())
			fail_msg("%s does not show", cases[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_shows)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	free(cpu);
	return failed;
}
