/*
 * Processors of other cores beside the virtual CPU, behind the Intel model: each goes through its loop while
 * the first one executes, and counts its own alone.
 */
#include "tests/self/host/intel_model_shortcuts.h"

#include "pmu/virtual/injections.h"
#include "pmu/virtual/peers.h"

#include "arch/second_cpu.h"

#define TURN ((unsigned)second_cpu_turns[SECOND_CPU_PATIENT].n)

static struct peers peers;
static struct injections injected_faults;

static void open_peers(const char *inject, unsigned n)
{
	char why[INJECTION_REASON];

	power_up(&intel_nehalem, inject);
	assert_true(injections_parse(&intel_model, inject, &injected_faults, why));
	assert_int_equal(peers_open(&peers, &intel_nehalem, &injected_faults.model, n),
			 n < PEERS_MAX ? n : PEERS_MAX);
}

static void peer_set(unsigned i, uint32_t address, uint64_t value)
{
	struct register_access a = {.space = SPACE_MSR, .write = true, .number = address, .value = value};

	assert_int_equal(intel_model.access(peers_state(&peers, i), &a), REGISTER_DONE);
}

static uint64_t peer_get(unsigned i, uint32_t address)
{
	struct register_access a = {.space = SPACE_MSR, .number = address};

	assert_int_equal(intel_model.access(peers_state(&peers, i), &a), REGISTER_DONE);
	return a.value;
}

static void begin(unsigned i)
{
	peer_set(i, IA32_PERF_GLOBAL_CTRL, 1);
	peer_set(i, IA32_PERFEVTSEL0, INSTR);
	peers_begin(&peers, i);
}

static void each_counts_its_own(void **unused)
{
	(void)unused;
	open_peers("", 3);
	program(0, INSTR);
	begin(0);
	begin(2);
	for (unsigned i = 0; i < 2 * TURN + 1; i++)
		peers_step(&peers);
	/* A turn that has begun is gone through to its end. */
	assert_int_equal(peers_end(&peers, 0), 3);
	assert_int_equal(peer_get(0, IA32_PMC0), 3 * TURN);
	peers_step(&peers);
	assert_int_equal(peers_end(&peers, 2), 3);
	assert_int_equal(peer_get(2, IA32_PMC0), 3 * TURN);
	assert_int_equal(peer_get(1, IA32_PMC0), 0);
	assert_int_equal(get(IA32_PMC0), 0);
	peers_step(&peers);
	assert_int_equal(peer_get(0, IA32_PMC0), 3 * TURN);
	peers_close(&peers);
}

/* One that works again has the turns of that time alone, and so has another one that went on meanwhile. */
static void each_time_counts_by_itself(void **unused)
{
	(void)unused;
	open_peers("", 3);
	begin(2);
	for (unsigned time = 1; time <= 3; time++) {
		begin(0);
		for (unsigned i = 0; i < time * TURN; i++)
			peers_step(&peers);
		assert_int_equal(peers_end(&peers, 0), time);
		assert_int_equal(peer_get(0, IA32_PMC0), (time * (time + 1) / 2) * TURN);
	}
	assert_int_equal(peers_end(&peers, 2), 6);
	peers_close(&peers);
}

/* What others do is told to a fault alone. */
static void a_leak_shows(void **unused)
{
	(void)unused;
	for (unsigned leaks = 0; leaks < 2; leaks++)
		for (unsigned others = 0; others < 2; others++) {
			open_peers(leaks ? "others-leak" : "", 2);
			peers.others = others;
			begin(1);
			for (unsigned i = 0; i < TURN; i++)
				peers_step(&peers);
			assert_int_equal(peers_end(&peers, 1), 1);
			assert_int_equal(peer_get(1, IA32_PMC0), TURN * (leaks && others ? 2 : 1));
			peers_close(&peers);
		}
}

static void there_are_so_many_at_most(void **unused)
{
	(void)unused;
	open_peers("", PEERS_MAX + 3);
	peers_close(&peers);
	assert_int_equal(peers.n, 0);
	open_peers("", 0);
	peers_close(&peers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_counts_its_own),
		cmocka_unit_test(each_time_counts_by_itself),
		cmocka_unit_test(a_leak_shows),
		cmocka_unit_test(there_are_so_many_at_most),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(cpu);
	return failed;
}
