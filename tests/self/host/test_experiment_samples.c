/*
 * Experiments that sample, record and cascade, made ready for a PMU, and refused: every refusal with its
 * whole text, beside one that differs little and is taken.
 */
#include "tests/self/host/experiment_fixture.h"

static void keys_of_samples_need_samples(void **state)
{
	(void)state;
	power_up("intel-core2");
	taken(E "record=pmi period=200 sample=A max=5", 0, 1);
	refused(E "sample=A", 0, "assay.cfg:2:50: it is of samples: add record=pmi, pebs or ibs-op");
	refused(E "max=5", 0, "assay.cfg:2:47: it is of samples: add record=pmi, pebs or ibs-op");
	refused(E "record=lbr max=5", 0, "assay.cfg:2:58: it is of samples: add record=pmi, pebs or ibs-op");
	refused(E "record=pmi period=200 buffer=5", 0,
		"assay.cfg:2:72: buffer= is of records in memory: take record=pebs, or leave it out");
	refused(E "record=pmi period=200 then=5", 0,
		"assay.cfg:2:70: then= says nothing without cascade=A>B: add it");
	fake_cpu_stop();
}

#define B K "events=INST_RETIRED.ANY_P beside=BR_INST_RETIRED.ALL_BRANCHES "

static void events_are_counted_while_one_is_sampled(void **state)
{
	(void)state;
	power_up("intel-core2");
	taken(B "record=pmi period=200", 3, 1);
	assert_int_equal(plan.n_requests, 2);
	assert_int_equal(plan.n_sampled, 1);
	assert_int_equal(plan.place[0].pass, plan.place[1].pass);
	refused(B "record=pmi period=200", 0,
		"assay.cfg:2:50: in ring 0 what beside= counts would have the harness's own in it: take "
		"ring=3");
	refused(B, 3, "assay.cfg:2:50: beside= counts while record=pmi or record=pebs samples");
	refused(B "record=lbr", 3, "assay.cfg:2:50: beside= counts while record=pmi or record=pebs samples");
	refused(B "record=pmi period=200 events=INST_RETIRED.ANY", 3,
		"assay.cfg:2:50: beside= counts while one event is sampled, and events= has 2: share them "
		"among "
		"experiments");
	refused(B "record=pmi period=200 beside=BR_*,BR_*", 3,
		"assay.cfg:2:50: intel::BR_MISP_RETIRED.ALL_BRANCHES:u, "
		"intel::BR_INST_RETIRED.ALL_BRANCHES:u and "
		"intel::BR_MISP_RETIRED.ALL_BRANCHES:u can be counted by PMC0 and PMC1 only: leave some out");
	fake_cpu_stop();
}

/* Which pair of counters the cascade took, and that all events have one window. */
static void starts_with(const char *events, const char *from, const char *to)
{
	char keys[200];

	snprintf(keys, sizeof keys,
		 K "cascade=1>2 period=500 events=instr_retired:NBOGUSNTAG,instr_completed:NBOGUS%s", events);
	taken(keys, 3, 1);
	assert_string_equal(pmu.counter[plan.place[0].alternative].name, from);
	assert_string_equal(pmu.counter[plan.place[1].alternative].name, to);
}

static void a_cascade_leaves_room_for_the_rest(void **state)
{
	(void)state;
	power_up("netburst-prescott");
	starts_with("", "IQ_COUNTER0", "IQ_COUNTER2");
	/* A third event has the counter that was tried first, or the one that this starts: the next pair. */
	starts_with(",branch_retired:MMTP@IQ_COUNTER0", "IQ_COUNTER1", "IQ_COUNTER3");
	starts_with(",branch_retired:MMTP@IQ_COUNTER2", "IQ_COUNTER1", "IQ_COUNTER3");
	fake_cpu_stop();
}

static void samples_need_what_they_need(void **state)
{
	(void)state;
	power_up("intel-core2");
	taken(E "record=pmi period=200", 0, 1);
	taken(E "record=pmi period=1", 3, 1);
	taken(K "events=INST_RETIRED.ANY_P,BR_INST_RETIRED.ALL_BRANCHES passes=one record=pmi period=1000", 0,
	      2);
	refused(E "record=pebs period=200", 0,
		"assay.cfg:2:50: record=pebs: Intel architectural PMU version 2 makes no such records; take "
		"record=pmi");
	refused(E "record=pmi", 0,
		"assay.cfg:2:50: it needs period=, the number of events up to an overflow");
	refused(E "period=9", 0,
		"assay.cfg:2:50: period= says nothing without record= or cascade=: add one, or leave it out");
	refused(E "record=pmi period=199", 0,
		"assay.cfg:2:61: period=199 is too short in ring 0, where the interrupt's handler is counted "
		"as well: at least 200, "
		"or ring=3");
	taken(E "record=pmi period=2147483648", 0, 1);
	refused(E "record=pmi period=2147483649", 0,
		"assay.cfg:2:61: period=2147483649 does not fit PMC0: at most 2147483648");
	pmu.has_pmi = false;
	refused(E "record=pmi period=200", 0,
		"assay.cfg:2:50: Intel architectural PMU version 2 raises no overflow interrupt: leave "
		"record= out");
	fake_cpu_stop();
}

/* A PMU that samples branches on PMC0 and operations without a counter, and traces. */
static bool only_branches(void *ctx, const struct pmu_recording *r, const char **reason)
{
	assert_ptr_equal(ctx, &pmu);
	*reason = "it samples branches alone";
	assert_int_equal(r->source->kind, RECORD_PRECISE);
	assert_int_equal(r->counter, 0);
	return (r->config.code & 0xff) == 0xc4;
}

static void records_need_a_source_that_can(void **state)
{
	static const struct pmu_record_source pebs = {.kind = RECORD_PRECISE, .name = "PEBS", .counters = 1},
					      ops = {.kind = RECORD_OPERATION,
						     .name = "IBS",
						     .period_unit = 16},
					      bts = {.kind = RECORD_BRANCH_TRACE, .name = "BTS"},
					      brs = {.kind = RECORD_NEXT_BRANCHES,
						     .name = "BRS",
						     .counters = 1,
						     .depth = 16};
	struct experiment_sources some = {.can_sample = only_branches, .ctx = &pmu};
	const char *events = K "events=INST_RETIRED.ANY_P record=pebs period=200";

	(void)state;
	power_up("intel-core2");
	some.source[RECORD_PRECISE] = &pebs;
	some.source[RECORD_OPERATION] = &ops;
	some.source[RECORD_BRANCH_TRACE] = &bts;
	some.source[RECORD_NEXT_BRANCHES] = &brs;
	some.absent[RECORD_LAST_BRANCHES] = "the hypervisor does not pass it on";
	sources = &some;
	taken(K "events=BR_INST_RETIRED.ALL_BRANCHES record=pebs period=2", 0, 1);
	assert_ptr_equal(plan.source, &pebs);
	assert_int_equal(plan.place[0].alternative, 0);
	taken(K "events=BR_INST_RETIRED.ALL_BRANCHES:u,BR_INST_RETIRED.ALL_BRANCHES:k record=pebs period=2",
	      0, 2);
	refused(events, 0, "assay.cfg:2:24: it samples branches alone");
	some.can_sample = NULL;
	taken(events, 0, 1);
	refused(K "events=INST_RETIRED.ANY_P@PMC1 record=pebs period=200", 0,
		"assay.cfg:2:24: PMC1 does not sample: take PMC0");
	refused(K "events=INST_RETIRED.ANY_P record=pebs", 0,
		"assay.cfg:2:50: it needs period=, the number of events from record to record");
	taken(K "record=ibs-op period=1024", 3, 1);
	assert_int_equal(plan.n_requests, 0);
	refused(K "record=ibs-op", 0,
		"assay.cfg:2:24: it needs period=, the number of operations from record to record");
	refused(K "record=ibs-op period=1100", 0,
		"assay.cfg:2:38: period=1100: record=ibs-op has periods that are multiples of 16: take 1104");
	refused(K "record=ibs-op period=1008", 0,
		"assay.cfg:2:38: period=1008 is too short: the interrupt's handler is sampled, too: at least "
		"1024");
	refused(K "events=INST_RETIRED.ANY_P record=ibs-op period=1024", 0,
		"assay.cfg:2:24: record=ibs-op takes operations, not events: leave events= out");
	/* Branches in bursts: of a counter, and of a stack. */
	taken(K "events=BR_INST_RETIRED.ALL_BRANCHES record=brs period=40", 3, 1);
	assert_ptr_equal(plan.source, &brs);
	refused(K "events=BR_INST_RETIRED.ALL_BRANCHES record=brs", 0,
		"assay.cfg:2:60: it needs period=, the number of events before the branches");
	refused(K "record=brs period=40", 0, "assay.cfg:1:1: record=brs samples events: add events=");
	refused(K "events=BR_INST_RETIRED.ALL_BRANCHES@PMC1 record=brs period=40", 0,
		"assay.cfg:2:24: PMC1 does not sample: take PMC0");
	taken(K "record=bts", 0, 1);
	refused(K "record=bts period=7", 0,
		"assay.cfg:2:35: record=bts takes every branch: leave period= out");
	refused(K "events=INST_RETIRED.ANY_P record=bts", 0,
		"assay.cfg:2:24: record=bts takes branches, not events: leave events= out");
	refused(K "record=lbr", 0,
		"assay.cfg:2:24: record=lbr: the hypervisor does not pass it on; take record=pmi");
	refused(K "record=ibs-fetch period=16", 0,
		"assay.cfg:2:24: record=ibs-fetch: Intel architectural PMU version 2 makes no such records; "
		"take "
		"record=pmi");
	/* A source of its own needs no interrupt. */
	pmu.has_pmi = false;
	taken(K "record=bts", 0, 1);
	sources = NULL;
	fake_cpu_stop();
}

/* A driver whose counter 0 can start counter 1, and no other. */
static bool first_starts_second(const struct pmu *p, unsigned from, unsigned to, struct pmu_config *config)
{
	(void)p;
	config->code |= 0x1000;
	return from == 0 && to == 1;
}

#define C K "events=INST_RETIRED.ANY_P,BR_INST_RETIRED.ALL_BRANCHES cascade=2>1 period=7 "

static void cascades_are_up_to_the_family(void **state)
{
	const char *keys = K "events=INST_RETIRED.ANY_P,BR_INST_RETIRED.ALL_BRANCHES cascade=2>1 period=7";
	struct pmu_driver with;
	struct expectation x;

	(void)state;
	power_up("intel-core2");
	refused(keys, 0,
		"assay.cfg:2:80: the counters of Intel architectural PMU version 2 do not start each other: "
		"leave cascade= out");
	with = *pmu.driver;
	with.cascade = first_starts_second;
	pmu.driver = &with;
	taken(keys, 0, 1);
	assert_int_equal(plan.cascade_from, 1);
	assert_int_equal(plan.cascade_to, 0);
	assert_int_equal(plan.place[1].alternative, 0);
	assert_int_equal(plan.place[0].alternative, 1);
	assert_int_equal(plan.request[0].config.code, 0x10c0);
	assert_int_equal(plan.request[1].config.code, 0xc4);
	/* What starts with an overflow has no expectation, what starts it has. */
	plan.request[0].config.code = 0xc0;
	planner_find_rows(&(struct planner){.plan = &plan});
	assert_false(expects(0, &kernel_ten, &x));
	assert_non_null(strstr(why, "it begins with an overflow"));
	assert_true(expects(1, &kernel_ten, &x));
	assert_int_equal(x.low, 10);
	refused(K "events=INST_RETIRED.ANY_P@PMC0,BR_INST_RETIRED.ALL_BRANCHES cascade=2>1 period=7", 0,
		"assay.cfg:2:85: 2>1: no counter of the second event can be started by one of the first");
	refused(K "events=INST_RETIRED.ANY_P,BR_INST_RETIRED.ALL_BRANCHES cascade=2>1", 0,
		"assay.cfg:2:80: it needs period=, the number of events up to an overflow");
	/* And then an interrupt. */
	pmu.pmi_late = true;
	taken(C "record=pmi then=2", 0, 1);
	assert_int_equal(plan.place[0].alternative, 1);
	refused(C "record=pmi then=1", 0,
		"assay.cfg:2:109: then=1: these counters interrupt with the event behind the overflow: at "
		"least 2");
	pmu.pmi_late = false;
	taken(C "record=pmi then=1", 0, 1);
	refused(C "record=pmi then=2147483649", 0,
		"assay.cfg:2:109: then=2147483649 does not fit PMC1: at most 2147483648");
	refused(C "record=pmi", 0,
		"assay.cfg:2:100: a cascade interrupts with record=pmi and then=, the number of its second "
		"event: "
		"give both, or none");
	refused(C "then=9", 0,
		"assay.cfg:2:98: a cascade interrupts with record=pmi and then=, the number of its second "
		"event: "
		"give both, or none");
	refused(C "record=pmi then=9 beside=BR_INST_RETIRED.ALL_BRANCHES", 3,
		"assay.cfg:2:118: beside= counts while record=pmi or record=pebs samples, not beside a "
		"cascade");
	fake_cpu_stop();
}

static void samples_need_an_interrupt(void **state)
{
	(void)state;
	power_up("intel-core2");
	taken(K "events=INST_RETIRED.ANY_P@PMC0 record=pmi period=1000", 0, 1);
	pmu.counter[0].has_interrupt = false;
	refused(K "events=INST_RETIRED.ANY_P@PMC0 record=pmi period=1000", 0,
		"assay.cfg:2:55: PMC0 raises no interrupt: take another counter");
	fake_cpu_stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_of_samples_need_samples),
		cmocka_unit_test(events_are_counted_while_one_is_sampled),
		cmocka_unit_test(a_cascade_leaves_room_for_the_rest),
		cmocka_unit_test(samples_need_what_they_need),
		cmocka_unit_test(records_need_a_source_that_can),
		cmocka_unit_test(cascades_are_up_to_the_family),
		cmocka_unit_test(samples_need_an_interrupt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
