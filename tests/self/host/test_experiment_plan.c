/*
 * Experiments made ready for a PMU, and refused: every refusal with its whole text, beside one that differs
 * little and is taken.
 */
#include "tests/self/host/experiment_fixture.h"

static void events_get_counters(void **state)
{
	(void)state;
	power_up("intel-core2");
	taken(K "events=INST_RETIRED.ANY_P,BR_INST_RETIRED.ALL_BRANCHES", 0, 1);
	assert_int_equal(plan.n_requests, 2);
	assert_int_equal(plan.n, 5);
	assert_int_equal(plan.reps, 3);
	assert_int_not_equal(plan.place[0].alternative, plan.place[1].alternative);
	assert_int_equal(plan.request[0].config.levels, LEVELS_ALL);
	taken(K "n=9 reps=2 events=BR_*,INST_RETIRED.ANY_P@PMC1", 3, 2);
	assert_int_equal(plan.n, 9);
	assert_int_equal(plan.reps, 2);
	assert_int_equal(plan.request[0].config.levels, LEVELS_USER);
	fake_cpu_stop();
}

/* Of the bracket's share as much is sure as the mask with most of it counts; the rest may be in the count. */
static void joined_masks_share_a_bracket(void **state)
{
	static const struct pmu_bracket bracket = {.own = {{Q_BRANCHES, 5}, {Q_BR_COND_NTAKEN, 2}}};
	static const struct {
		const char *keys;
		int64_t share, high, without; /* the highest with the bracket, and without it */
	} cases[] = {
		{K "events=branch_retired:MMTP", 3, 10, 10}, /* each branch may be mispredicted */
		{K "events=branch_retired:MMNP", 2, 0, 0},
		{K "events=branch_retired:MMNP:MMTP", 3, 12, 10},
	};

	(void)state;
	power_up("netburst-prescott");
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct expectation x;
		struct reason reason;

		taken(cases[i].keys, 0, 1);
		assert_true(experiment_expects(&plan, 0, &kernel_ten, &bracket, 10, &x, &reason));
		assert_int_equal(experiment_share(&plan, 0, &bracket), cases[i].share);
		assert_int_equal(x.low, 0);
		assert_int_equal(x.high, cases[i].high);
		/* Without a bracket there is nothing to share. */
		assert_true(experiment_expects(&plan, 0, &kernel_ten, NULL, 10, &x, &reason));
		assert_int_equal(x.high, cases[i].without);
	}
	fake_cpu_stop();
}

/* The write that starts is made in ring 0: it is part of what lies ahead there alone, on counters that count
 * it, and only of events that see that ring. */
static void what_lies_ahead_has_the_start_that_is_counted(void **state)
{
	static const struct {
		const char *keys;
		uint8_t ring;
		bool counts_start;
		int64_t ahead;
	} cases[] = {
		{K "events=INST_RETIRED.ANY_P", 0, false, 2},
		{K "events=INST_RETIRED.ANY_P", 0, true, 3},
		{K "events=INST_RETIRED.ANY_P", 3, false, 2},
		{K "events=INST_RETIRED.ANY_P", 3, true, 2},
		{K "events=INST_RETIRED.ANY_P:k", 0, true, 3},
		{K "events=INST_RETIRED.ANY_P:u", 3, true, 2},
		{K "events=BR_INST_RETIRED.ALL_BRANCHES", 0, true, 0},
	};

	(void)state;
	power_up("intel-skylake");
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct pmu_bracket bracket = {0};
		int64_t ahead;

		taken(cases[i].keys, cases[i].ring, 1);
		bracket.ahead[plan.place[0].alternative] = 2;
		pmu.counts_start = cases[i].counts_start ? UINT64_C(1) << plan.place[0].alternative : 0;
		ahead = experiment_share_ahead(&plan, 0, &bracket);
		if (ahead != cases[i].ahead)
			fail_msg("case %u: %d", i, (int)ahead);
		/* Another counter's start is none of it. */
		pmu.counts_start = ~pmu.counts_start;
		if (!cases[i].counts_start)
			continue;
		assert_int_equal(experiment_share_ahead(&plan, 0, &bracket), ahead - (cases[i].ahead == 3));
	}
	pmu.counts_start = 0;
	fake_cpu_stop();
}

/* Tags by hand are judged as the metric of the manual that they make up, and not judged where they make up
 * none. */
static void tags_by_hand(void **state)
{
	static const struct {
		const char *events;
		const char *as; /* the metric that the last event counts as; NULL: none */
	} cases[] = {
		{"uop_type:TAGLOADS,front_end_event:NBOGUS", "memory_loads"},
		{"uop_type:TAGLOADS:TAGSTORES,front_end_event:NBOGUS", NULL},
		{"uop_type:TAGLOADS,front_end_event:BOGUS", NULL},
		{"uop_type:TAGLOADS,front_end_event:NBOGUS:BOGUS", NULL},
		{"uop_type:TAGLOADS:u,front_end_event:NBOGUS:u:t", NULL}, /* other rings */
		{"0x00032000/0x09000054,0x0003B000/0x18000404", "X87_FP_retired"},
		{"0x00032000/0x09000054,0x0003B000/0x18004404", NULL}, /* BOGUS1 besides */
		{"0x00032000/0x09000054,0x00032000/0x11000054,0x0003B000/0x18000404",
		 NULL}, /* one colour for two */
		{"replay_event:NBOGUS:p4pe=0x1000001:p4pmv=1", "1stL_cache_load_miss_retired"},
		{"replay_event:NBOGUS:p4pe=0x1000001:p4pmv=3", NULL},
		{"MOB_load_replay:PARTIAL_DATA:UNALGN_ADDR,replay_event:NBOGUS:p4pe=0x1000200:p4pmv=1",
		 "MOB_load_replay_retired"},
		{"replay_event:NBOGUS:p4pe=0x1000200:p4pmv=1",
		 NULL}, /* without what the metric needs besides */
		{"MOB_load_replay:NO_STA,replay_event:NBOGUS:p4pe=0x1000200:p4pmv=1", NULL},
		{"load_port_replay:SPLIT_LD@FLAME_COUNTER2,replay_event:NBOGUS:p4pe=0x1000400:p4pmv=1",
		 "split_load_retired"},
		{"load_port_replay:SPLIT_LD@FLAME_COUNTER0,replay_event:NBOGUS:p4pe=0x1000400:p4pmv=1",
		 NULL}, /* SAAT_ESCR0: the table has SAAT_ESCR1 */
		{"store_port_replay:SPLIT_ST,replay_event:NBOGUS:p4pe=0x1000400:p4pmv=2",
		 "split_store_retired"},
	};

	(void)state;
	power_up("netburst-northwood-ht");
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct event_request *last;
		struct expectation x;
		char keys[240];

		snprintf(keys, sizeof keys, K "events=%s", cases[i].events);
		taken(keys, 3, 1);
		last = &plan.request[plan.n_requests - 1];
		assert_true(last->joined);
		if (cases[i].as) {
			if (!last->counts_as)
				fail_msg("%s: no metric", cases[i].events);
			assert_string_equal(last->counts_as->name, cases[i].as);
			continue;
		}
		if (last->counts_as)
			fail_msg("%s: %s", cases[i].events, last->counts_as->name);
		assert_false(expects(plan.n_requests - 1, &kernel_ten, &x));
		assert_string_equal(why,
				    "counted, not judged: no row of the table says what these tags select");
	}
	refused(K "events=1stL_cache_load_miss_retired:p4pe=0x1000002", 3,
		"assay.cfg:2:24: no counter of this PMU can count "
		"netburst::1stL_cache_load_miss_retired:u:p4pe=16777218: "
		"1stL_cache_load_miss_retired has values of its own for p4pe and p4pmv: leave them out, or "
		"take replay_event");
	taken(K "events=1stL_cache_load_miss_retired", 3, 1);
	fake_cpu_stop();
}

/* The other logical processor alone: what the kernel does is not counted, but by events that are independent
 * of it. */
static void another_thread_alone(void **state)
{
	static const struct pmu_bracket bracket = {.own = {{Q_INSTRUCTIONS, 4}, {Q_UOPS, 4}}};
	static const struct {
		const char *event;
		int64_t share, count;
	} cases[] = {
		{"instr_retired:NBOGUSNTAG", 4, 120},         {"instr_retired:NBOGUSNTAG:o", 0, 0},
		{"0x00039000/0x04000204@0x8000000C", 4, 120}, {"0x00039000/0x04000201@0x8000000C", 0, 0},
		{"0x00039000/0x04000204:o@0x8000000C", 0, 0},
	};

	(void)state;
	power_up("netburst-northwood-ht");
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct expectation x;
		struct reason reason;
		char keys[80];

		snprintf(keys, sizeof keys, K "events=%s", cases[i].event);
		taken(keys, 3, 1);
		assert_int_equal(experiment_share(&plan, 0, &bracket), cases[i].share);
		pmu.deterministic = true;
		assert_true(experiment_expects(&plan, 0, &kernel_ten, &bracket, 10, &x, &reason));
		assert_int_equal(x.low, cases[i].count);
		assert_int_equal(x.high, cases[i].count);
		pmu.deterministic = false; /* where another processor is, nothing is known of it */
		assert_int_equal(experiment_expects(&plan, 0, &kernel_ten, &bracket, 10, &x, &reason),
				 cases[i].share > 0);
	}
	fake_cpu_stop();
	power_up("netburst-presler");
	refused(K "events=branch_retired:MMTP:o", 3,
		"assay.cfg:2:24: no counter of this PMU can count netburst::branch_retired:MMTP:u:o: t and o "
		"count the "
		"other logical processor, and this CPU has one: leave it out");
	fake_cpu_stop();
}

/* With a threshold each count takes so many occurrences in one cycle; what another filter lets through nobody
 * knows. */
static void thresholds(void **state)
{
	static const struct pmu_bracket bracket = {.own = {{Q_INSTRUCTIONS, 4}, {Q_UOPS, 4}}};
	static const struct {
		const char *cpu, *event;
		int64_t low, high; /* high -1: not judged */
	} cases[] = {
		{"netburst-northwood", "instr_retired:NBOGUSNTAG", 120, 120},
		{"netburst-northwood", "instr_retired:NBOGUSNTAG:thr=2", 0, (120 + 5) / 3},
		{"netburst-northwood", "instr_retired:NBOGUSNTAG:thr=3:e", 0, (120 + 5) / 4},
		{"netburst-northwood", "instr_retired:NBOGUSNTAG:thr=2:cmpl", 0, -1},
		{"netburst-northwood", "instr_retired:NBOGUSNTAG:e", 0, 120 + 5},
		{"netburst-northwood", "instr_retired:NBOGUSNTAG:cmpl:e", 0, 120 + 5 + 1},
		/* With no, one, two, any number of active threads; with one, and a threshold besides. */
		{"netburst-northwood-ht", "0x00009000/0x04000204@0x8000000C", 0, 0},
		{"netburst-northwood-ht", "0x00019000/0x04000204@0x8000000C", 120, 120},
		{"netburst-northwood-ht", "0x00029000/0x04000204@0x8000000C", 0, 0},
		{"netburst-northwood-ht", "0x00039000/0x04000204@0x8000000C", 120, 120},
		{"netburst-northwood-ht", "0x00259000/0x04000204@0x8000000C", 0, -1},
		{"netburst-northwood", "0x00279000/0x04000204@0x8000000C", 0, (120 + 5) / 3},
		{"netburst-northwood", "0x00239000/0x04000204@0x8000000C", 120, 120}, /* COMPARE is clear */
		{"intel-nehalem", "INST_RETIRED.ANY_P:c=2", 0, (120 + 5) / 2},
		{"intel-nehalem", "INST_RETIRED.ANY_P:c=1", 1, 120 + 5}, /* it occurs, so there is a cycle */
		{"intel-nehalem", "INST_RETIRED.ANY_P:c=2:i", 0, -1},
		{"intel-nehalem", "INST_RETIRED.ANY_P:e", 0, -1},
		{"intel-nehalem", "INST_RETIRED.ANY_P:c=2:e:i", 0, (120 + 5) / 2 + 1},
		{"amd-zen2", "RETIRED_INSTRUCTIONS:c=4", 0, (120 + 5) / 4},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct expectation x;
		struct reason reason;
		char keys[80];

		power_up(cases[i].cpu);
		snprintf(keys, sizeof keys, K "events=%s", cases[i].event);
		taken(keys, 3, 1);
		pmu.deterministic = true;
		if (experiment_expects(&plan, 0, &kernel_ten, &bracket, 10, &x, &reason) !=
		    (cases[i].high >= 0))
			fail_msg("%s: %s", cases[i].event, reason.line);
		if (cases[i].high >= 0) {
			assert_int_equal(x.low, cases[i].low);
			assert_int_equal(x.high, cases[i].high);
		}
		/* A start that counts itself is one occurrence more. */
		pmu.counts_start = UINT64_MAX;
		if (cases[i].high > 0 && !cases[i].low && !plan.request[0].config.invert) {
			unsigned each = (unsigned)((120 + 5) / cases[i].high);

			assert_true(experiment_expects(&plan, 0, &kernel_ten, &bracket, 10, &x, &reason));
			assert_int_equal(x.high, (120 + 6) / each);
		}
		pmu.counts_start = 0;
		fake_cpu_stop();
	}
}

/* uops_retired and page_walk_type are written alike: the counter tells which of them is meant. */
static void words_of_two_events(void **state)
{
	(void)state;
	power_up("netburst-northwood");
	taken(K "events=0x00038000/0x02000204@0x8000000C", 3, 1);
	assert_string_equal(experiment_row(&plan, 0)->name, "uops_retired:NBOGUS");
	taken(K "events=0x00038000/0x02000204@0x80000000", 3, 1);
	assert_string_equal(experiment_row(&plan, 0)->name, "page_walk_type:DTMISS");
	fake_cpu_stop();
}

static void what_does_not_fit_is_split_or_refused(void **state)
{
	(void)state;
	power_up("intel-core2");
	taken(K "events=INST_RETIRED.ANY:u,INST_RETIRED.ANY:k", 0, 2);
	refused(K "passes=one events=INST_RETIRED.ANY:u,INST_RETIRED.ANY:k", 0,
		"assay.cfg:2:24: intel::INST_RETIRED.ANY:u and intel::INST_RETIRED.ANY:k can be counted by "
		"FIXED_CTR0 only: "
		"take passes=split, or leave some out");
	taken(K "passes=one events=INST_RETIRED.ANY:u,INST_RETIRED.ANY_P:k", 0, 1);
	refused(K "passes=one "
		  "events=INST_RETIRED.ANY_P:u,INST_RETIRED.ANY_P:k,INST_RETIRED.ANY,BR_INST_RETIRED.ALL_"
		  "BRANCHES",
		0,
		"assay.cfg:2:24: intel::INST_RETIRED.ANY_P:u, intel::INST_RETIRED.ANY_P:k and "
		"intel::BR_INST_RETIRED.ALL_BRANCHES can be counted by PMC0 and PMC1 only: take "
		"passes=split, or leave some out");
	refused(K "events=INST_RETIRED.ANY@PMC1", 0,
		"assay.cfg:2:24: PMC1 cannot count intel::INST_RETIRED.ANY: take FIXED_CTR0");
	refused(K "events=INST_RETIRED.ANY_P,INST_RETIRED.ANY:c=1", 0,
		"assay.cfg:2:43: no counter of this PMU can count intel::INST_RETIRED.ANY:c=1: e, i and c "
		"need a counter with a "
		"selector");
	fake_cpu_stop();
	/* Without a global enable, windows in ring 0 are for one. */
	power_up("intel-yonah");
	taken(K "events=INST_RETIRED.ANY_P,BR_INST_RETIRED.ALL_BRANCHES", 0, 2);
	taken(K "passes=one events=INST_RETIRED.ANY_P,BR_INST_RETIRED.ALL_BRANCHES", 3, 1);
	refused(K "passes=one events=INST_RETIRED.ANY_P,BR_INST_RETIRED.ALL_BRANCHES", 0,
		"assay.cfg:2:24: Intel architectural PMU version 1 starts its counters one by one, so in "
		"ring 0 events have no "
		"window in common: take passes=split, or ring=3");
	fake_cpu_stop();
}

static void names_are_corrected(void **state)
{
	(void)state;
	power_up("intel-core2");
	refused("kernel=nop_lop events=*", 0, "assay.cfg:2:8: no kernel nop_lop: did you mean nop_loop?");
	refused("kernel=gate,zzzzzzz events=*", 0,
		"assay.cfg:2:13: no kernel is called zzzzzzz; kernel=* stands for all that there are");
	refused("kernel=x* events=*", 0,
		"assay.cfg:2:8: no kernel is called x*; kernel=* stands for all that there are");
	taken("kernel=GATE,nop_* events=INST_RETIRED.ANY_P", 0, 1);
	refused(K "events=INST_RETIRED.ANY_Q", 0,
		"assay.cfg:2:37: no unit mask ANY_Q of INST_RETIRED: did you mean ANY_P?");
	refused(K "events=INST_RETIRED.ANY_P:q", 0, "assay.cfg:2:43: no modifier q: there are u k e t i c=");
	refused(K "events=INST_RETIRED.ANY_P@PMC9", 0,
		"assay.cfg:2:43: no counter PMC9: there are PMC0 PMC1 FIXED_CTR0 FIXED_CTR1 FIXED_CTR2");
	refused(K "events=*,*,*,*", 0,
		"assay.cfg:2:30: * makes them more than 32 events: share them among experiments");
	fake_cpu_stop();
}

static void rings_agree(void **state)
{
	(void)state;
	power_up("intel-core2");
	refused(K "events=INST_RETIRED.ANY_P:k", 3,
		"assay.cfg:2:24: INST_RETIRED.ANY_P:k counts ring 0 alone, and the kernel runs in ring 3: "
		"take ring=0, or u for k");
	taken(K "events=INST_RETIRED.ANY_P:k", 0, 1);
	taken(K "events=INST_RETIRED.ANY_P:u:k", 3, 1);
	fake_cpu_stop();
}

static void deltas_name_two_events(void **state)
{
	(void)state;
	power_up("intel-core2");
	taken(K "events=INST_RETIRED.ANY_P,BR_INST_RETIRED.ALL_BRANCHES:u "
		"delta=2-1,INST_RETIRED.ANY_P-BR_INST_RETIRED.ALL_BRANCHES:u",
	      0, 1);
	assert_int_equal(plan.n_deltas, 2);
	assert_int_equal(plan.delta[0].minuend, 1);
	assert_int_equal(plan.delta[0].subtrahend, 0);
	assert_int_equal(plan.delta[1].minuend, 0);
	refused(K "events=INST_RETIRED.ANY_P delta=1-2", 0,
		"assay.cfg:2:49: delta=1-2: it wants two events of events=, as they are written there or by "
		"number, 2-1");
	refused(K "events=INST_RETIRED.ANY_P,BR_* delta=1-1", 0,
		"assay.cfg:2:54: delta=1-1: it wants two events of events=, as they are written there or by "
		"number, 2-1");
	refused(K "events=INST_RETIRED.ANY_P,BR_* delta=1-BR_*", 0,
		"assay.cfg:2:54: delta=1-BR_*: it wants two events of events=, as they are written there or "
		"by number, 2-1");
	refused(K "events=INST_RETIRED.ANY_P,BR_* delta=1-2,1-2", 0,
		"assay.cfg:2:58: delta=1-2 is there already: leave one out");
	fake_cpu_stop();
}

/* What it does is known when it has been stepped, for these N alone. */
static void own_code_is_judged_by_what_was_seen(void **state)
{
	static const struct kernel own = {.name = "own", .flags = KERNEL_OWN};
	struct experiment *x = &all.experiment[0];
	struct qvec seen = {{0}};
	struct expectation e;
	char text[80];

	(void)state;
	power_up("intel-core2");
	assert_true(make("code=own.elf events=INST_RETIRED.ANY_P", 0));
	x->own = &own;
	assert_true(experiment_plan(&all, x, &pmu, NULL, 0, 5, 3, &plan, text, sizeof text));
	assert_false(expects(0, &own, &e));
	assert_string_equal(why, "counted, not judged: the kernel does not define what the event counts");
	seen.v[Q_INSTRUCTIONS] = 77;
	kernel_observe(&own, 10, &seen);
	assert_true(expects(0, &own, &e));
	assert_int_equal(e.low, 77);
	assert_int_equal(e.high, 77);
	kernel_observe(&own, 0, NULL);
	assert_false(expects(0, &own, &e));
	x->own = NULL;
	x->own_why = "it is empty";
	assert_false(experiment_plan(&all, x, &pmu, NULL, 0, 5, 3, &plan, text, sizeof text));
	assert_string_equal(text, "assay.cfg:2:6: own.elf: it is empty");
	assert_true(make("bytes=90 events=INST_RETIRED.ANY_P", 0));
	x->own_why = "it is empty";
	assert_false(experiment_plan(&all, x, &pmu, NULL, 0, 5, 3, &plan, text, sizeof text));
	assert_string_equal(text, "assay.cfg:2:7: bytes=: it is empty");
	fake_cpu_stop();
}

static void metrics_are_made_of_what_is_counted(void **state)
{
	(void)state;
	power_up("intel-core2");
	taken(E "metric=\"m = 2 * BR_INST_RETIRED.ALL_BRANCHES / #1\"", 0, 1);
	assert_int_equal(plan.n_requests, 2);
	assert_int_equal(plan.n_metrics, 1);
	assert_int_equal(plan.metric[0].n_terms, 5);
	assert_int_equal(plan.metric[0].term[1].operand, 1);
	assert_int_equal(plan.metric[0].term[3].operand, 0);
	assert_false(plan.clock);
	taken(E "metric=\"m = tsc / #1\"", 0, 1);
	assert_true(plan.clock);
	assert_int_equal(plan.metric[0].term[0].operand, METRIC_CLOCK);
	taken(K "events=INST_RETIRED.ANY_P,tsc", 3, 1);
	assert_true(plan.clock);
	assert_int_equal(plan.n_requests, 1);
	assert_int_equal(plan.n_metrics, 0);
	refused(K "events=tsc", 0, "assay.cfg:2:24: tsc takes no counter: name an event beside it");
	refused(E "metric=\"m = #1 / #2\"", 0,
		"assay.cfg:2:60: metric=m = #1 / #2: #2 is no event of events=, no number and not tsc");
	refused(K "events=BR_* metric=\"m = BR_*\" events=BR_*", 0,
		"assay.cfg:2:41: metric=m = BR_*: BR_* is no event of events=, no number and not tsc");
	refused(E "metric=\"m = #1\" record=pmi period=1000", 0,
		"assay.cfg:2:51: tsc and metric= are of counts: leave record= or cascade= out");
	refused(K "events=INST_RETIRED.ANY_P,tsc record=pmi period=1000", 0,
		"assay.cfg:2:24: tsc and metric= are of counts: leave record= or cascade= out");
	fake_cpu_stop();
}

static void counts_fit_their_counters(void **state)
{
	(void)state;
	power_up("intel-core2"); /* 40 bits */
	taken("kernel=big_loop n=349525 events=INST_RETIRED.ANY_P", 0, 1);
	refused("kernel=big_loop n=349526 events=INST_RETIRED.ANY_P", 0,
		"assay.cfg:2:19: N = 1048578 is too large: instructions of kernel big_loop overflows the "
		"counter (PMC0): take a "
		"smaller n");
	taken("kernel=big_loop n=1048575 events=INST_RETIRED.ANY_P record=pmi period=1000", 0, 1);
	refused(K "n=9223372036854775807 events=INST_RETIRED.ANY_P", 0,
		"assay.cfg:2:19: n=9223372036854775807: 3 times that is measured, too: take a smaller one");
	refused(K "n=3000000000000000000 events=INST_RETIRED.ANY_P", 0,
		"assay.cfg:2:19: N = 9000000000000000000 is too large: instructions of kernel nop_loop does "
		"not fit 64 bits (PMC0): "
		"take a smaller n");
	fake_cpu_stop();
}

static void expectations_follow_the_request(void **state)
{
	struct expectation x;

	(void)state;
	power_up("intel-core2");
	taken(E, 0, 1);
	assert_true(expects(0, &kernel_ten, &x));
	assert_int_equal(x.low, 120);
	taken(K "events=r00c0", 0, 1); /* the same, by its selector */
	assert_true(expects(0, &kernel_ten, &x));
	assert_int_equal(x.low, 120);
	taken(K "events=r77c0", 0, 1);
	assert_false(expects(0, &kernel_ten, &x));
	taken(K "events=INST_RETIRED.ANY_P:c=1", 0, 1); /* a cycle has one of them at least */
	assert_true(expects(0, &kernel_ten, &x));
	assert_int_equal(x.low, 1);
	assert_int_equal(x.high, 124); /* the bracket's four in it */
	taken(K "events=INST_RETIRED.ANY_P:c=1:i", 0, 1);
	assert_false(expects(0, &kernel_ten, &x));
	taken(K "events=INST_RETIRED.ANY_P:u", 0, 1); /* the other ring */
	assert_true(expects(0, &kernel_ten, &x));
	assert_int_equal(x.low, 0);
	assert_int_equal(x.high, 0);
	taken(K "events=INST_RETIRED.ANY_P:u", 3, 1);
	assert_true(expects(0, &kernel_ten, &x));
	assert_int_equal(x.low, 120);
	assert_false(expects(0, &kernel_gate, &x)); /* its handler runs in ring 0 */
	assert_non_null(strstr(why, "the kernel changes rings"));
	taken(K "events=INST_RETIRED.ANY_P:k", 0, 1);
	assert_true(expects(0, &kernel_ten, &x));
	assert_false(expects(0, &kernel_gate, &x));
	assert_non_null(strstr(why, "the kernel changes rings"));
	taken(K "events=INST_RETIRED.ANY_P", 0, 1);
	assert_true(expects(0, &kernel_gate, &x)); /* both rings are counted */
	taken(K "events=INST_RETIRED.ANY_P", 0, 1);
	plan.request[0].config.any_thread = true; /* what the other thread does nobody knows */
	pmu.deterministic = true;
	assert_true(expects(0, &kernel_ten, &x));
	pmu.deterministic = false;
	assert_false(expects(0, &kernel_ten, &x));
	assert_non_null(strstr(why, "what the other logical processor does"));
	fake_cpu_stop();
}

/* Events that only counters could count which are not believed are taken aside, each of them. */
static void what_no_counter_is_believed_for_is_taken_aside(void **state)
{
	(void)state;
	power_up("intel-core2");
	pmu.left_out = UINT64_C(7) << pmu.n_general; /* the fixed ones */
	taken(K "events=INST_RETIRED.ANY,INST_RETIRED.ANY_P,CPU_CLK_UNHALTED.REF,CPU_CLK_UNHALTED.THREAD", 0,
	      1);
	assert_int_equal(plan.n_requests + plan.n_excluded, 4);
	assert_int_equal(plan.n_excluded, 3);
	assert_int_equal(plan.n_requests, 1);
	assert_string_equal(plan.request[0].event->name, "INST_RETIRED.ANY_P");
	taken(K "events=INST_RETIRED.*", 0, 1); /* of several by one name, too */
	assert_int_equal(plan.n_excluded, 1);
	assert_int_equal(plan.n_requests, 1);
	pmu.left_out = 0;
	taken(K "events=INST_RETIRED.ANY,INST_RETIRED.ANY_P,CPU_CLK_UNHALTED.REF,CPU_CLK_UNHALTED.THREAD", 0,
	      1);
	assert_int_equal(plan.n_excluded, 0);
	fake_cpu_stop();
}

/* On silicon some events may count more than on a model. */
static void silicon_is_allowed_more(void **state)
{
	unsigned differing = 0;
	const char *reason;

	(void)state;
	fake_cpu_start(model_profile_by_name("intel-skylake"), NULL);
	assert_true(pmu_find(NULL, &pmu, &reason));
	pmu.driver->list_events(&pmu);
	for (unsigned i = 0; i < pmu.n_events; i++) {
		struct expectation x[2];
		char keys[200];
		bool judged;

		snprintf(keys, sizeof keys, K "events=%s", pmu.events[i]->name);
		if (pmu.events[i]->judgement != EVENT_AT_LEAST || !make(keys, 0))
			continue;
		for (unsigned d = 0; d < 2; d++) {
			pmu.deterministic = d;
			judged = expects(0, &kernel_ten, &x[d]);
		}
		assert_true(!judged || x[0].high >= x[1].high);
		differing += judged && x[0].high > x[1].high;
	}
	assert_in_range(differing, 1, pmu.n_events);
	fake_cpu_stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_get_counters),
		cmocka_unit_test(joined_masks_share_a_bracket),
		cmocka_unit_test(what_lies_ahead_has_the_start_that_is_counted),
		cmocka_unit_test(tags_by_hand),
		cmocka_unit_test(another_thread_alone),
		cmocka_unit_test(thresholds),
		cmocka_unit_test(words_of_two_events),
		cmocka_unit_test(what_does_not_fit_is_split_or_refused),
		cmocka_unit_test(names_are_corrected),
		cmocka_unit_test(rings_agree),
		cmocka_unit_test(deltas_name_two_events),
		cmocka_unit_test(own_code_is_judged_by_what_was_seen),
		cmocka_unit_test(metrics_are_made_of_what_is_counted),
		cmocka_unit_test(counts_fit_their_counters),
		cmocka_unit_test(expectations_follow_the_request),
		cmocka_unit_test(what_no_counter_is_believed_for_is_taken_aside),
		cmocka_unit_test(silicon_is_allowed_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
