/*
 * The virtual PMU between the step engine and a model: which steps reach the model and as what, what is added
 * without asking it again, and where its requests for interrupts go. Engine and model are the test's.
 */
#include "tests/self/host/virtual_pmu_model.h"
#include "tests/self/host/virtual_pmu_step_tests.h"
#include "tests/self/host/virtual_pmu_write_tests.h"

/* At most four a step: an erratum may ask without end. */
static void requests_reach_the_line(void **unused)
{
	(void)unused;
	enable(1);
	for (unsigned stays = 0; stays < 2; stays++) {
		own_line_stays = stays;
		pmis = 1;
		asked.n_requests = 0;
		retire(0, 0);
		retire(0, 0);
		assert_int_equal(asked.n_requests, 1);
		assert_int_equal(asked.request[0].line, OVERFLOW_COUNTERS);
		assert_int_equal(asked.request[0].stays, stays);
	}
	pmis = 100;
	asked.n_requests = 0;
	tell(STEP_DELIVERED, 0, 0);
	assert_int_equal(asked.n_requests, 4);
	model.line_stays = NULL;
	retire(0, 0);
	assert_int_equal(asked.n_requests, 8);
	assert_false(asked.request[7].stays);
	model.line_stays = line_stays;
	/* Lines of the extended table are asked for by what records alone, and mask nothing. */
	pmis = 0;
	extended = 1;
	model.take_extended = take_extended;
	retire(0, 0);
	assert_int_equal(extended, 1);
	records = true;
	asked.n_requests = 0;
	enable(1);
	assert_int_equal(asked.n_requests, 1);
	assert_int_equal(asked.request[0].line, 103);
	assert_true(asked.request[0].stays);
}

static void each_logical_processor_has_its_own(void **unused)
{
	(void)unused;
	profile.threads = 2;
	enable(1);
	for (unsigned thread = 0; thread < 2; thread++) {
		vpmu_place(thread, SIBLING_KERNEL);
		assert_int_equal(vpmu_sibling_interrupts(), 0);
		for (unsigned to = 0; to < 2; to++) {
			unsigned before = vpmu_sibling_interrupts();

			asked.n_requests = 0;
			pmis_of[to] = 2;
			retire(0, 0);
			assert_int_equal(pmis_of[to], 0);
			assert_int_equal(asked.n_requests, to == thread ? 2 : 0);
			assert_int_equal(vpmu_sibling_interrupts(), before + (to == thread ? 0 : 2));
		}
	}
}

/* Two profiles by their names, and a name that nobody has. */
static void created_by_name(void **unused)
{
	struct reason why;
	(void)unused;

	assert_true(vpmu_knows("scripted-one", "fault", &why));
	assert_false(vpmu_knows("scripted-one", "falt", &why));
	assert_false(vpmu_knows("scripted-two", NULL, &why));
	assert_ptr_equal(vpmu_profile(), &profile);
	assert_false(vpmu_create("scripted-two", NULL, &why));
	assert_non_null(strstr(why.line, "no virtual CPU of this name"));
	/* What was there stays. */
	assert_ptr_equal(vpmu_profile(), &profile);
	assert_false(asked.extra_lines);
	model.take_extended = take_extended;
	profile.threads = 2;
	assert_true(vpmu_create("scripted-one", "fault", &why));
	assert_true(asked.extra_lines);
	assert_int_equal(asked.threads, 2);
	assert_false(vpmu_has_other());
	vpmu_forget();
	assert_null(vpmu_profile());
	assert_false(asked.extra_lines);
	assert_int_equal(vpmu_threads(), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WRITE_TESTS,
		STEP_TESTS,
		cmocka_unit_test_setup(requests_reach_the_line, set_up),
		cmocka_unit_test_setup(each_logical_processor_has_its_own, set_up),
		cmocka_unit_test_setup(created_by_name, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
