/* Making records: memory that is not the recording's, and interrupts that are. The test is the PMU. */
#include "tests/measure/recording.h"

#include "arch/masking.h"
#include "arch/overflow.h"
#include "arch/time.h"
#include "pmu/contract/record.h"
#include "pmu/contract/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define SIZE      256
#define THRESHOLD 4

static struct pmu_record_state state_now;
static struct overflow_claim claimed;
static size_t spoilt_at; /* from the beginning of the memory; 0: nothing is */
static bool before;      /* ... to the front */
static bool interrupts;  /* in the window */
static bool was_ours;
static uint8_t *memory;

/* --- the machine ------------------------------------------------------------------------------------- */

void overflow_claim(enum overflow_way way, const struct overflow_claim *claim)
{
	assert_int_equal(way, OVERFLOW_NMI);
	claimed = claim ? *claim : (struct overflow_claim){NULL, NULL};
}

bool overflow_arm(unsigned line, enum overflow_way way)
{
	(void)line, (void)way;
	return true;
}

void overflow_mask(unsigned line)
{
	(void)line;
}

void masking_begin(bool keep_overflow)
{
	assert_true(keep_overflow);
}

void masking_end(void)
{
}

uint64_t clock_read(void)
{
	return 0;
}

struct pmu_bracket bracket_user;

void window_forget(void)
{
}

const void *window_compose(const struct window *w)
{
	return w;
}

uint64_t window_run(const void *entry, const struct window *w, uint64_t n)
{
	(void)entry, (void)w, (void)n;
	if (before)
		memory[-(ptrdiff_t)spoilt_at] ^= 1;
	else if (spoilt_at)
		memory[spoilt_at - 1] ^= 1;
	if (interrupts)
		was_ours = claimed.handler(0, OVERFLOW_NMI, claimed.arg);
	return 0;
}

/* --- the PMU ----------------------------------------------------------------------------------------- */

static bool describe(const struct pmu *pmu, struct pmu_record_source *out, const char **why)
{
	(void)pmu, (void)why;
	out->name = "records";
	out->record_size = SIZE / 8;
	return true;
}

static size_t size(const struct pmu *pmu, const struct pmu_recording *r)
{
	(void)pmu, (void)r;
	return SIZE;
}

static bool setup(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	(void)pmu, (void)why;
	memory = r->memory;
	assert_int_equal((uintptr_t)memory % 64, 0);
	assert_int_equal(r->size, SIZE);
	return true;
}

static bool nothing(const struct pmu *pmu, const struct pmu_recording *r)
{
	(void)pmu, (void)r;
	return true;
}

static bool bracket(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_bracket *out)
{
	(void)pmu, (void)r;
	memset(out, 0, sizeof *out);
	return true;
}

static bool state(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record_state *out)
{
	(void)pmu, (void)r;
	*out = state_now;
	return true;
}

static unsigned drain(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record *out,
		      unsigned max)
{
	(void)pmu, (void)r, (void)out, (void)max;
	return 0;
}

static const struct pmu_record_kind kind = {.describe = describe,
					    .memory = size,
					    .setup = setup,
					    .start = nothing,
					    .stop = nothing,
					    .bracket = bracket,
					    .state = state,
					    .drain = drain,
					    .release = nothing};
static const struct pmu_recorder recorder = {.kind = {[RECORD_PRECISE] = &kind}};
static const struct pmu_driver driver = {.name = "records", .recorder = &recorder};
static struct pmu pmu;

static bool call(struct run *run, void (*fn)(void *), void *arg, unsigned ms, struct result *r)
{
	(void)run, (void)ms, (void)r;
	fn(arg);
	return true;
}

/* @return whether what is not its memory is whole */
static bool carry_out(unsigned threshold, unsigned *taken)
{
	static struct run run = {.pmu = &pmu, .call = call};
	static struct pmu_record record[4];
	const char *why;
	struct result out = {.suite = "records", .name = "records"};
	struct recorded r = {
		.pmu = &pmu,
		.windows = 1,
		.n = 1,
		.interrupts = INTERRUPTS_COUNT,
		.recording = {.source = recording_source(&run, RECORD_PRECISE, &why), .threshold = threshold},
		.record = record,
		.room = 4};
	bool whole;

	assert_non_null(r.recording.source);
	if (!recorded_carry_out(&run, &r, 1000, VERDICT_WRONG, &out, &whole))
		fail_msg("%s", r.failure);
	assert_null(claimed.handler);
	*taken = r.taken;
	return whole;
}

/* --- tests ------------------------------------------------------------------------------------------- */

static void what_is_written_outside_is_told(void **unused)
{
	static const struct {
		bool before;
		size_t at;
		bool whole;
	} cases[] = {
		{false, 0, true},         {false, 1, true},          {false, SIZE, true},
		{false, SIZE + 1, false}, {false, SIZE + 64, false}, {false, SIZE + 32768, false},
		{true, 1, false},         {true, 64, false},         {true, 32768, false},
	};
	unsigned taken;

	(void)unused;
	interrupts = false;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		before = cases[i].before;
		spoilt_at = cases[i].at;
		if (carry_out(0, &taken) != cases[i].whole)
			fail_msg("case %zu", i);
	}
	before = false;
	spoilt_at = 0;
}

/* Without a status the number of records tells whose an interrupt is: from the threshold on it is ours. */
static void an_interrupt_at_the_threshold_is_ours(void **unused)
{
	static const struct {
		unsigned threshold, records;
		bool status, ours;
	} cases[] = {
		{THRESHOLD, THRESHOLD - 1, false, false},
		{THRESHOLD, THRESHOLD, false, true},
		{THRESHOLD, THRESHOLD + 1, false, true},
		{THRESHOLD, 0, true, true},
		{0, THRESHOLD, false, false},
		{0, 0, false, false},
		{0, 0, true, true},
	};

	(void)unused;
	interrupts = true;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		unsigned taken;

		state_now =
			(struct pmu_record_state){.records = cases[i].records, .overflow = cases[i].status};
		assert_true(carry_out(cases[i].threshold, &taken));
		if (was_ours != cases[i].ours || taken != cases[i].ours)
			fail_msg("case %zu: %u taken", i, taken);
	}
}

static int begin(void **unused)
{
	const char *why;

	(void)unused;
	assert_non_null(pmu_begin(&pmu, &driver, &why));
	pmu.driver = &driver;
	return 0;
}

static int end(void **unused)
{
	(void)unused;
	pmu_forget(&pmu);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_outside_is_told),
		cmocka_unit_test(an_interrupt_at_the_threshold_is_ours),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
