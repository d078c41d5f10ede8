/*
 * Sampling by overflow interrupts: after how many occurrences each sample comes, in ring 0, where the handler
 * is counted, and in ring 3, where it is not; what is noted of it, and what ends it. The PMU, the line and the
 * windows are the test's: an occurrence is an instruction.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/masking.h"
#include "arch/overflow.h"
#include "arch/time.h"
#include "pmu/contract/pmu.h"
#include "tests/kernels/user_code.h"
#include "tests/measure/sampling.h"

#define COUNTERS 3
#define WIDTH    16
#define CODE     8 /* bytes of the kernel, an instruction each */
#define AT       0x5000
#define HANDLER  11 /* instructions of a handler before it stops the counters, and behind their start */

static const uint8_t code[CODE];
static const struct kernel kernel = {.name = "loop", .code = code, .code_end = code + CODE};

static struct {
	uint64_t value[COUNTERS], start[COUNTERS];
	uint64_t running, status, interrupts, in_use;
	const struct overflow_claim *claim;
	unsigned skid; /* occurrences from an overflow to its interrupt */
	unsigned strays, masked, armed, begun, ended, forgotten, windows;
	bool bracket_runs; /* the window's bracket starts it */
	uint64_t time, order;
	char refuse; /* what the PMU refuses: a letter, see below ... */
	unsigned refuse_from;
	unsigned outside; /* so many instructions of a window are none of the kernel's */
	unsigned passed_on; /* NMIs that were none of ours */
} fake;

static bool fine(char what)
{
	return fake.refuse != what || fake.refuse_from-- > 0;
}

static bool program(const struct pmu *pmu, unsigned c, const struct pmu_config *config)
{
	(void)pmu;
	fake.in_use |= UINT64_C(1) << c;
	fake.interrupts &= ~(UINT64_C(1) << c);
	fake.interrupts |= (uint64_t)config->interrupt << c;
	return fine('p');
}

static bool release(const struct pmu *pmu, unsigned c)
{
	(void)pmu;
	assert_true(fake.in_use >> c & 1);
	fake.in_use &= ~(UINT64_C(1) << c);
	return fine('l');
}

static bool start(const struct pmu *pmu, uint64_t mask)
{
	(void)pmu;
	fake.running |= mask;
	return fine('s');
}

static bool stop(const struct pmu *pmu)
{
	(void)pmu;
	fake.running = 0;
	return fine('t');
}

static bool read(const struct pmu *pmu, unsigned c, uint64_t *value)
{
	(void)pmu;
	*value = fake.value[c];
	return fine('r');
}

static bool write(const struct pmu *pmu, unsigned c, uint64_t value)
{
	(void)pmu;
	assert_false(fake.running >> c & 1);
	assert_true(value < UINT64_C(1) << WIDTH);
	fake.value[c] = value;
	return fine('w');
}

static bool overflowed(const struct pmu *pmu, uint64_t *mask)
{
	(void)pmu;
	*mask = fake.status;
	return fine('o');
}

static bool acknowledge(const struct pmu *pmu, uint64_t mask)
{
	(void)pmu;
	fake.status &= ~mask;
	return fine('a');
}

static bool bracket_enable(const struct pmu *pmu, uint64_t mask, struct pmu_bracket *out)
{
	(void)pmu;
	*out = (struct pmu_bracket){.args = {mask}};
	fake.bracket_runs = true;
	return fine('b');
}

static const struct pmu_driver driver = {
	.program = program,
	.release = release,
	.start = start,
	.stop = stop,
	.read = read,
	.write = write,
	.overflowed = overflowed,
	.acknowledge = acknowledge,
	.bracket_enable = bracket_enable,
};
static struct pmu pmu;

/* --- the machine ------------------------------------------------------------------------------------ */

struct pmu_bracket bracket_user;

void masking_begin(bool keep_overflow)
{
	assert_true(keep_overflow);
	fake.begun++;
}

void masking_end(void)
{
	fake.ended++;
}

bool overflow_arm(unsigned line, enum overflow_way way)
{
	assert_int_equal(line, OVERFLOW_COUNTERS);
	assert_int_equal(way, OVERFLOW_NMI);
	fake.armed++;
	return true;
}

void overflow_claim(enum overflow_way way, const struct overflow_claim *claim)
{
	assert_int_equal(way, OVERFLOW_NMI);
	fake.claim = claim;
}

void overflow_mask(unsigned line)
{
	assert_int_equal(line, OVERFLOW_COUNTERS);
	fake.masked++;
}

bool overflow_register(unsigned number, uint64_t *value)
{
	*value = 100 + number;
	return number < 5;
}

uint64_t clock_read(void)
{
	return fake.time;
}

const void *window_compose(const struct window *w)
{
	assert_ptr_equal(w->kernel, &kernel);
	return fine('c') ? code : NULL;
}

uint64_t window_code_address(const struct kernel *k, uint8_t level)
{
	(void)k;
	return AT + level;
}

void window_forget(void)
{
	fake.forgotten++;
}

/* An instruction retires. @return whether a counter that interrupts has overflowed */
static bool tick(void)
{
	bool due = false;

	for (unsigned c = 0; c < COUNTERS; c++) {
		uint64_t bit = UINT64_C(1) << c;

		if (!(fake.running & bit))
			continue;
		fake.value[c] = (fake.value[c] + 1) & ((1 << WIDTH) - 1);
		if (fake.value[c])
			continue;
		fake.status |= bit;
		due = due || fake.interrupts & bit;
	}
	return due;
}

static void deliver(uint64_t address, uint8_t level)
{
	for (unsigned i = 0; !level && i < HANDLER; i++)
		tick();
	if (!fake.claim->handler(address, OVERFLOW_NMI, fake.claim->arg))
		fake.passed_on++;
	for (unsigned i = 0; !level && i < HANDLER; i++)
		assert_false(tick());
}

uint64_t window_run(const void *entry, const struct window *w, uint64_t n)
{
	unsigned due = 0;

	assert_ptr_equal(entry, code);
	fake.windows++;
	fake.order = 0;
	if (!w->level)
		fake.running = w->bracket->args[0];
	for (uint64_t i = 0; i < n * CODE; i++) {
		fake.order++;
		fake.time += 10;
		if (tick() && !due)
			due = fake.skid + 1;
		if (due && !--due)
			deliver(i + fake.outside >= n * CODE ? 1 : AT + w->level + (i + 1) % CODE, w->level);
		if (fake.strays && fake.strays == fake.order)
			deliver(AT, w->level);
	}
	if (!w->level)
		fake.running = 0;
	return 0;
}

/* --- tests ------------------------------------------------------------------------------------------ */

#define ROOM 64

static unsigned at[CODE + 1];
static uint64_t addresses[ROOM], counts[ROOM], orders[ROOM];
static struct sampling_row rows[ROOM];

static struct sampling sampling(uint8_t level, unsigned period)
{
	struct sampling s = {.pmu = &pmu,
			     .kernel = &kernel,
			     .level = level,
			     .counter = 1,
			     .n = 20,
			     .period = period,
			     .reps = 2,
			     .at = at,
			     .address = addresses,
			     .row = rows,
			     .room = ROOM};

	memset(&fake, 0, sizeof fake);
	memset(at, 0, sizeof at);
	memset(rows, 0, sizeof rows);
	pmu = (struct pmu){.driver = &driver, .n_counters = COUNTERS};
	for (unsigned c = 0; c < COUNTERS; c++)
		pmu.counter[c] = (struct pmu_counter){.width = WIDTH};
	return s;
}

/* Rows of a repetition: occurrences, by the clock. */
static unsigned occurrences(const struct sampling *s, unsigned rep)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->total && i < ROOM; i++)
		if (rows[i].rep == rep)
			orders[n++] = rows[i].ticks / 10;
	return n;
}

/* The interrupts' delay is made up for: each sample is a period behind the one before. */
static void periods_do_not_drift_in_ring_3(void **state)
{
	(void)state;
	for (unsigned skid = 0; skid < 4; skid++)
		for (unsigned period = 5; period < 30; period += 6) {
			struct sampling s = sampling(3, period);

			fake.skid = skid;
			sampling_run(&s);
			assert_null(s.failure);
			for (unsigned rep = 0; rep < 2; rep++) {
				unsigned n = occurrences(&s, rep);

				assert_int_equal(n, (20 * CODE - skid) / period);
				for (unsigned i = 0; i < n; i++)
					assert_int_equal(orders[i], (i + 1) * period + skid);
			}
			assert_int_equal(s.taken.total, 2);
		}
}

/* What was counted since the overflow is the handler's: forgotten. The rest of the handler counts. */
static void the_handler_is_not_taken_for_the_kernel_in_ring_0(void **state)
{
	(void)state;
	for (unsigned skid = 0; skid < 4; skid++) {
		struct sampling s = sampling(0, 40);

		fake.skid = skid;
		sampling_run(&s);
		assert_null(s.failure);
		unsigned n = occurrences(&s, 1);
		assert_true(n >= 4);
		for (unsigned i = 0; i < n; i++)
			assert_int_equal(orders[i], 40 + skid + i * (40 + skid - HANDLER));
	}
}

/* Where an overflow interrupts at the occurrence after it, the first sample is as far from the beginning. */
static void late_interrupts_are_allowed_for(void **state)
{
	struct sampling s = sampling(3, 10);

	(void)state;
	pmu.pmi_late = true;
	fake.skid = 1;
	sampling_run(&s);
	assert_true(occurrences(&s, 0) > 2);
	assert_int_equal(orders[0], 10);
}

static void what_is_known_of_a_sample_is_noted(void **state)
{
	struct sampling s = sampling(3, 9);

	(void)state;
	s.n_beside = 1;
	s.beside[0] = (struct sampling_beside){.counter = 2, .start = 1000};
	s.counts = counts;
	sampling_run(&s);
	assert_null(s.failure);
	assert_int_equal(s.total, 2 * (20 * CODE / 9));
	assert_int_equal(s.n_registers, 5);
	assert_int_equal(s.elsewhere, 0);
	unsigned seen[CODE + 1] = {0}, in_all = 0;
	for (unsigned i = 0; i < s.total; i++) {
		uint64_t offset = 9 * (i % (s.total / 2) + 1) % CODE;

		assert_int_equal(rows[i].address, AT + 3 + offset);
		assert_int_equal(addresses[i], rows[i].address);
		assert_int_equal(rows[i].registers[4], 104);
		assert_int_equal(rows[i].count[0], rows[i].ticks / 10);
		assert_int_equal(rows[i].rep, i >= s.total / 2);
		seen[offset]++;
	}
	assert_memory_equal(at, seen, sizeof seen);
	for (unsigned i = 0; i <= CODE; i++)
		in_all += at[i];
	assert_int_equal(in_all, s.total);
	assert_int_equal(counts[0], 20 * CODE);
	assert_int_equal(counts[1], 20 * CODE);
	assert_int_equal(fake.forgotten, 2);
	/* No more than there is room for; others are counted. */
	s = sampling(3, 9);
	s.room = 3;
	addresses[3] = 7;
	rows[3].address = 7;
	sampling_run(&s);
	assert_int_equal(s.total, 34);
	assert_int_equal(addresses[3], 7);
	assert_int_equal(rows[3].address, 7);
	/* Outside of the kernel. */
	s = sampling(3, 20 * CODE);
	fake.outside = 1;
	sampling_run(&s);
	assert_int_equal(s.elsewhere, 2);
}

static void periods_are_spread_as_they_are_drawn(void **state)
{
	struct sampling s = sampling(3, 10);
	uint64_t seed = 77;

	(void)state;
	s.spread = 7;
	s.seed = seed;
	s.reps = 1;
	sampling_run(&s);
	unsigned n = occurrences(&s, 0);
	uint64_t expected = 10;
	assert_true(n > 5);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(orders[i], expected);
		expected += 10 + sampling_draw(&seed, 7);
	}
	assert_int_equal(s.seed, seed);
}

static void once_a_repetition_or_so_many_in_all(void **state)
{
	struct sampling s = sampling(3, 9);

	(void)state;
	s.once = true;
	s.n_beside = 1;
	s.beside[0] = (struct sampling_beside){.counter = 2};
	sampling_run(&s);
	assert_null(s.failure);
	assert_int_equal(s.total, 2);
	assert_int_equal(rows[1].rep, 1);
	for (unsigned most = 1; most < 40; most += 6) {
		s = sampling(3, 9);
		s.most = most;
		sampling_run(&s);
		assert_int_equal(s.full, most < 34);
		assert_int_equal(s.total, most < 34 ? most : 34);
		assert_int_equal(fake.windows, most < 17 ? 1 : 2);
	}
}

/* The watchdog's, or one of another counter. */
static void nmis_of_others_are_passed_on(void **state)
{
	struct sampling s = sampling(3, 9);

	(void)state;
	fake.strays = 4;
	sampling_run(&s);
	assert_int_equal(fake.passed_on, 2);
	assert_int_equal(s.total, 34);
	s = sampling(3, 9);
	fake.status = 4;
	fake.strays = 4;
	sampling_run(&s);
	assert_int_equal(fake.passed_on, 2);
	assert_int_equal(s.total, 34);
}

static void everything_is_put_back(void **state)
{
	struct sampling s = sampling(3, 9);

	(void)state;
	sampling_run(&s);
	assert_int_equal(fake.in_use, 0);
	assert_int_equal(fake.running, 0);
	assert_null(fake.claim);
	assert_int_equal(fake.begun, fake.ended);
	assert_int_equal(fake.masked, 1);
	assert_int_equal(fake.armed, 2 + s.total);
	unsigned before = s.total;
	s.row = NULL;
	sampling_run(&s);
	assert_int_equal(s.total, before);
	assert_int_equal(s.n_registers, 0);
}

static void what_is_refused_is_told(void **state)
{
	static const struct {
		char what;
		uint8_t level;
		unsigned from;
		const char *told;
	} rows_of[] = {
		{'p', 3, 0, "programming it to interrupt was refused"},
		{'p', 3, 1, "programming it to interrupt was refused"},
		{'b', 0, 0, "programming it to interrupt was refused"},
		{'c', 3, 0, "the kernel does not fit the code arena"},
		{'w', 3, 0, "writing, starting or stopping it was refused"},
		{'w', 3, 1, "writing, starting or stopping it was refused"},
		{'a', 3, 0, "writing, starting or stopping it was refused"},
		{'s', 3, 0, "writing, starting or stopping it was refused"},
		{'w', 3, 2, "setting it back in the handler was refused"},
		{'a', 3, 1, "setting it back in the handler was refused"},
		{'t', 3, 0, "setting it back in the handler was refused"},
		{'r', 3, 0, "setting it back in the handler was refused"},
		{'r', 3, 1, "reading a counter in the handler was refused"},
		{'l', 3, 0, "taking it out of use was refused"},
		{'l', 3, 1, "taking it out of use was refused"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof rows_of / sizeof rows_of[0]; i++) {
		struct sampling s = sampling(rows_of[i].level, 9);

		s.n_beside = 1;
		s.beside[0] = (struct sampling_beside){.counter = 2};
		fake.refuse = rows_of[i].what;
		fake.refuse_from = rows_of[i].from;
		sampling_run(&s);
		assert_non_null(s.failure);
		assert_string_equal(s.failure, rows_of[i].told);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(periods_do_not_drift_in_ring_3),
		cmocka_unit_test(the_handler_is_not_taken_for_the_kernel_in_ring_0),
		cmocka_unit_test(late_interrupts_are_allowed_for),
		cmocka_unit_test(what_is_known_of_a_sample_is_noted),
		cmocka_unit_test(periods_are_spread_as_they_are_drawn),
		cmocka_unit_test(once_a_repetition_or_so_many_in_all),
		cmocka_unit_test(nmis_of_others_are_passed_on),
		cmocka_unit_test(everything_is_put_back),
		cmocka_unit_test(what_is_refused_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
