/* What a count lacks under a hypervisor that carries instructions out itself: so much for each turn of the
 * kernel, and no more. */
#include "tests/judge/hypervisor_exits.c"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* --- a kernel whose exits are counted ----------------------------------------------------------------- */

static int64_t first, each; /* that it has of them: in its first turn, and in each one more */
static struct qvec out;
static bool is_left_out;

bool ground_truth(const struct kernel *k, uint8_t ring, uint64_t n, enum transaction_outcome outcome,
		  struct qvec *amounts, struct result *r)
{
	(void)k, (void)ring, (void)outcome, (void)r;
	memset(amounts, 0, sizeof *amounts);
	amounts->v[Q_INSTRUCTIONS] = (uint64_t)(first + (int64_t)(n - 1) * each);
	return true;
}

void oracle_hypervisor_exits(struct oracle_hypervisor_exits *only)
{
	if (only)
		only->met = only->kinds & 1;
}

void kernel_leave_out(const struct kernel *k, const struct qvec *amounts)
{
	is_left_out = k && amounts;
	if (is_left_out)
		out = *amounts;
}

enum expectation_status expectation_at_level(const struct pmu_event *e, const struct kernel *k, uint8_t level,
					     uint64_t n, const struct attribution *b, struct expectation *x)
{
	int64_t all = 1000 * (int64_t)n - (is_left_out ? (int64_t)out.v[Q_INSTRUCTIONS] : 0);

	(void)e, (void)k, (void)level, (void)b;
	*x = (struct expectation){.status = EXPECTATION_OK, .low = all, .high = all};
	return EXPECTATION_OK;
}

static void each_turn_lacks_its_own(void **state)
{
	static const struct kernel kernel = {.name = "kernel"};
	static const struct pmu_event event = {.name = "I", .terms = {{Q_INSTRUCTIONS, 1}}};
	static const int64_t cases[][2] = {{1, 1}, {3, 2}, {2, 0}, {7, 5}};
	struct pmu pmu = {.under_hypervisor = true, .hypervisor_exits_lost = 1};
	const struct hypervisor_exits_place place = {.pmu = &pmu, .event = &event, .kernel = &kernel};

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		first = cases[i][0];
		each = cases[i][1];
		hypervisor_exits_forget();
		for (uint64_t n = 1; n <= 100; n++) {
			int64_t missing;
			uint64_t kinds;

			assert_true(hypervisor_exits_missing(&place, n, &missing, &kinds));
			assert_int_equal(missing, first + (int64_t)(n - 1) * each);
			assert_int_equal(kinds, 1);
		}
	}
	/* Where nothing is lost, or nobody carries it out, nothing may be missing. */
	int64_t missing;
	uint64_t kinds;

	pmu.hypervisor_exits_lost = 0;
	assert_false(hypervisor_exits_missing(&place, 5, &missing, &kinds));
	pmu.hypervisor_exits_lost = 1;
	pmu.under_hypervisor = false;
	assert_false(hypervisor_exits_missing(&place, 5, &missing, &kinds));
	assert_int_equal(missing, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_turn_lacks_its_own)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
