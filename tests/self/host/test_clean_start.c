/*
 * Drivers must not depend on what others left in the registers: every operation of every driver, from random
 * contents of every register of its family, leaves in the registers that it is to set what it leaves there
 * from clean ones, and nothing else is changed.
 *
 * Register accesses are no instructions here: counters that run do not move, so that all registers can be
 * compared to the bit.
 */
#include "tests/self/host/support/fake_cpu.h"
#include "tests/self/host/support/fake_memory.h"
#include "tests/self/host/support/owned.h"
#include "tests/self/host/support/register_file.h"

#include "arch/x86/cpu/cpuid.h"
#include "pmu/contract/workaround.h"
#include "arch/x86/cpu/msr.h"
#include "tests/self/host/support/model_registers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define SEEDS  6
#define ROUNDS 8 /* of the operations, on each counter */

static const uint32_t nothing[] = {0};

static struct register_file file;
static struct pmu pmu;
static const struct pmu_driver *drv;
static const struct ownership *family;
static uint64_t before[REGISTER_FILE_MAX], after[REGISTER_FILE_MAX], clean[REGISTER_FILE_MAX];
static uint64_t owned[REGISTER_FILE_MAX]; /* bits that the operation sets */
static uint32_t seed;

static uint32_t below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return (uint32_t)((uint64_t)seed * n >> 32);
}

static void begin_random(uint32_t number)
{
	seed = number * 0x9e3779b9 | 1;
	for (unsigned i = 0; i < 8; i++)
		below(2);
}

static void own(uint32_t address, uint64_t bits)
{
	owned[register_file_at(&file, address)] |= bits;
}

static void begin(const struct model_profile *p)
{
	fake_cpu_start(p, NULL);
	fake_cpu_hold();
}

static void identify(void)
{
	const char *why = NULL;

	assert_true(pmu_find(NULL, &pmu, &why));
	drv = pmu.driver;
	family = owned_by(drv);
	assert_non_null(family);
	drv->list_events(&pmu);
	pmu_choose_workarounds(&pmu);
}

static void reset(void)
{
	const char *why = NULL;

	if (!drv->reset(&pmu, &why))
		fail_msg("%s: %s", pmu.name, why);
}

static uint64_t random64(void)
{
	return (uint64_t)below(UINT32_MAX) << 32 | below(UINT32_MAX);
}

static void scramble_status(void)
{
	if (family->scramble)
		family->scramble(random64());
}

static void scramble(const uint32_t *keep)
{
	register_file_scramble(&file, below(1u << 28), keep);
	scramble_status();
}

/* The registers of what the operation sets as from clean ones, the others as they were. */
static void compare(const struct model_profile *p, const char *what)
{
	for (unsigned i = 0; i < file.n; i++) {
		if (file.reg[i].derived)
			continue;
		if ((after[i] ^ clean[i]) & owned[i])
			fail_msg("%s, %s: MSR %x has %llx, and %llx from clean registers", p->name, what,
				 file.reg[i].address, (unsigned long long)after[i],
				 (unsigned long long)clean[i]);
		if ((after[i] ^ before[i]) & ~owned[i])
			fail_msg("%s, %s: MSR %x had %llx, and has %llx", p->name, what, file.reg[i].address,
				 (unsigned long long)before[i], (unsigned long long)after[i]);
	}
}

#define PROFILES 64

static bool next_profile(const struct model_profile *const **at)
{
	static const struct model_profile *all[PROFILES];
	static struct pmu found;
	const char *why;

	for (unsigned i = 0; i < PROFILES; i++)
		all[i] = model_profile(i);
	assert_null(all[PROFILES - 1]);
	for (*at = *at ? *at + 1 : all; **at; ++*at) {
		begin(**at);
		if (!pmu_find(NULL, &found, &why))
			continue; /* guests without a PMU */
		begin(**at);
		register_file_find(&file);
		return true;
	}
	return false;
}

/* --- identification and reset ------------------------------------------------------------------------- */

static void identify_changes_nothing(void **state)
{
	static struct pmu from_clean;

	(void)state;
	for (const struct model_profile *const *p = NULL; next_profile(&p);) {
		begin(*p);
		identify();
		from_clean = pmu;
		for (uint32_t n = 1; n <= SEEDS; n++) {
			static struct pmu_snapshot s;

			begin_random(n);
			begin(*p);
			scramble(nothing);
			memset(owned, 0, sizeof owned);
			register_file_read(&file, before);
			identify();
			drv->snapshot(&pmu, &s);
			register_file_read(&file, after);
			compare(*p, "identify and snapshot");
			assert_memory_equal(&pmu, &from_clean, sizeof pmu);
			for (unsigned i = 0; i < s.count; i++) {
				uint64_t value;

				assert_true(msr_read(s.entry[i].address, &value));
				assert_int_equal(s.entry[i].value, value);
			}
		}
	}
}

static void reset_leaves_nothing(void **state)
{
	(void)state;
	for (const struct model_profile *const *p = NULL; next_profile(&p);) {
		begin(*p);
		identify();
		reset();
		register_file_read(&file, clean);
		for (uint32_t s = 1; s <= SEEDS; s++) {
			begin_random(s);
			begin(*p);
			scramble(nothing);
			register_file_read(&file, before);
			identify();
			reset();
			register_file_read(&file, after);
			for (unsigned i = 0; i < file.n; i++)
				owned[i] = family->stays ? ~family->stays(&pmu, file.reg[i].address) : ~0ull;
			compare(*p, "reset");
			assert_true(family->counts_by_itself ||
				    !fake_cpu_path()->model->counting(fake_cpu_state()));
			assert_false(fake_cpu_path()->model->recording &&
				     fake_cpu_path()->model->recording(fake_cpu_state()));
		}
	}
}

/* Each by itself: status that nothing but one overflow, freeze or buffer has left. */
static void reset_clears_every_status(void **state)
{
	(void)state;
	for (const struct model_profile *const *p = NULL; next_profile(&p);) {
		begin(*p);
		identify();
		reset();
		register_file_read(&file, clean);
		memset(owned, 0xff, sizeof owned);
		for (unsigned bit = 0; bit < 64 && family->scramble; bit++) {
			family->scramble(1ull << bit);
			reset();
			register_file_read(&file, after);
			compare(*p, "reset of one status bit");
		}
	}
}

/* --- operations on one counter ------------------------------------------------------------------------- */

static const char *const op_names[] = {
	[PROGRAM] = "program",
	[WRITE] = "write",
	[START] = "start",
	[LOOK] = "read, overflowed, brackets",
	[ACKNOWLEDGE] = "acknowledge",
	[STOP] = "stop",
	[RELEASE] = "release",
};

/* What looking at a counter gives. */
struct seen {
	uint64_t value, args[4];
	bool overflowed, brackets;
	struct qterm share[16];
	unsigned lengths;
	uint8_t code[1024];
};

static void put_code(struct seen *s, const uint8_t *from, const uint8_t *to)
{
	assert_true(s->lengths + (unsigned)(to - from) <= sizeof s->code);
	memcpy(s->code + s->lengths, from, (size_t)(to - from));
	s->lengths += (unsigned)(to - from);
}

static void look(unsigned c, struct seen *s)
{
	struct pmu_bracket b;
	uint64_t mask;

	memset(s, 0, sizeof *s);
	assert_true(drv->read(&pmu, c, &s->value));
	assert_true(drv->overflowed(&pmu, &mask));
	s->overflowed = mask >> c & 1;
	s->brackets = drv->bracket_enable(&pmu, 1ull << c, &b);
	if (s->brackets) {
		memcpy(s->args, b.args, sizeof s->args);
		memcpy(s->share, b.own, sizeof s->share);
		put_code(s, b.start, b.start_end);
		put_code(s, b.stop, b.stop_end);
	}
	assert_true(drv->bracket_read(&pmu, c, &b));
	s->args[3] ^= b.args[0] ^ b.args[1];
	put_code(s, b.start, b.start_end);
	put_code(s, b.stop, b.stop_end);
}

/* @return false if the hardware, or the driver, refuses */
static bool carry_out(enum driver_op op, unsigned c, const struct pmu_config *config, struct seen *s)
{
	switch (op) {
	case PROGRAM:
		return drv->program(&pmu, c, config);
	case WRITE:
		return drv->write(&pmu, c, 0x123456789a);
	case START:
		return drv->start(&pmu, 1ull << c);
	case LOOK:
		look(c, s);
		return true;
	case ACKNOWLEDGE:
		return drv->acknowledge(&pmu, 1ull << c);
	case STOP:
		return drv->stop(&pmu);
	default:
		return drv->release(&pmu, c);
	}
}

/* Give random contents to what the operation is to set, as far as that can be told before. */
static void scramble_owned(void)
{
	struct fake_path *path = fake_cpu_path();

	for (unsigned i = 0; i < file.n; i++) {
		uint64_t value, bits = random64();
		uint64_t mask = owned[i] & file.reg[i].kept;

		if (mask && !file.reg[i].derived &&
		    model_rdmsr(path->model, path->state, file.reg[i].address, &value) == REGISTER_DONE)
			model_wrmsr(path->model, path->state, file.reg[i].address,
				    (value & ~mask) | (bits & mask));
	}
}

/* Some event for the counter, in some way. */
static struct pmu_config choose(unsigned c)
{
	const struct pmu_event *e;
	struct pmu_config config = {.levels = 1 + below(3), .interrupt = below(2)};
	unsigned tries = 0;

	unsigned wanted = below(4) ? 0 : 200; /* now and then one that needs more than a counter */

	do
		e = pmu.events[below(pmu.n_events)];
	while ((!drv->can_count(&pmu, e, c) || (family->rare && !family->rare(e) && tries < wanted)) &&
	       ++tries < 1000);
	config.code = e->code;
	config.extra_register = e->extra_register;
	config.extra_value = below(2) ? e->extra_value : below(3);
	config.any_thread = !family->no_any_thread && !below(4);
	if (pmu.counter[c].kind == COUNTER_GENERAL && below(2)) {
		config.edge = below(2);
		config.invert = below(2);
		config.cmask = (uint8_t)below(4);
	}
	return config;
}

static unsigned programmed; /* sequences that came to their end */

/* One after the other from clean registers, and from random ones after the counter was in use for something
 * else. */
static void sequence(const struct model_profile *p, unsigned c)
{
	static uint64_t clean_after[DRIVER_OPS][REGISTER_FILE_MAX];
	static struct seen clean_seen, seen;
	bool good[DRIVER_OPS];

	begin(p);
	identify();
	struct pmu_config config = choose(c), other = choose(c);
	reset();
	for (unsigned op = 0; op < DRIVER_OPS; op++) {
		good[op] = carry_out((enum driver_op)op, c, &config, &clean_seen);
		register_file_read(&file, clean_after[op]);
		if (op == PROGRAM && !good[op])
			return; /* this CPU refuses it */
		assert_true(good[op]);
	}

	begin(p);
	identify();
	reset();
	bool used = drv->program(&pmu, c, &other) && drv->start(&pmu, 1ull << c);
	scramble(nothing);
	for (unsigned op = 0; op < DRIVER_OPS; op++) {
		char what[64];

		memset(owned, 0, sizeof owned);
		if (family->before)
			family->before(&pmu, c, op == PROGRAM && used ? &other : NULL, &config);
		if (op == WRITE || op == ACKNOWLEDGE || op == RELEASE || (op == STOP && pmu.has_global)) {
			family->owns(&pmu, (enum driver_op)op, c, &config, own);
			scramble_owned();
		}
		/* What has overflowed since, only the operations that say so may clear. */
		if (op > LOOK)
			scramble_status();
		register_file_read(&file, before);
		if (!carry_out((enum driver_op)op, c, &config, &seen))
			fail_msg("%s, %s of %s: refused", p->name, op_names[op], pmu.counter[c].name);
		register_file_read(&file, after);
		memcpy(clean, clean_after[op], sizeof clean);
		family->owns(&pmu, (enum driver_op)op, c, &config, own);
		snprintf(what, sizeof what, "%s of %s", op_names[op], pmu.counter[c].name);
		compare(p, what);
		if (op == LOOK)
			assert_memory_equal(&seen, &clean_seen, sizeof seen);
		/* Written, and nothing has counted since. */
		if (op == LOOK)
			assert_false(seen.overflowed);
		if (op == RELEASE)
			assert_int_equal(family->selected(&pmu, c) & ~family->kept_at_release, 0);
		if (op == PROGRAM && family->selected(&pmu, c) != family->selector(&pmu, c, &config))
			fail_msg("%s, %s: %llx is selected, and asked for is %llx", p->name, what,
				 (unsigned long long)family->selected(&pmu, c),
				 (unsigned long long)family->selector(&pmu, c, &config));
	}
	programmed++;
}

static void operations_depend_on_nothing(void **state)
{
	(void)state;
	for (const struct model_profile *const *p = NULL; next_profile(&p);) {
		begin(*p);
		identify();
		for (unsigned c = 0, n = pmu.n_counters; c < n; c++)
			for (uint32_t r = 0; r < ROUNDS; r++) {
				begin_random(r * 1000 + c + 1);
				sequence(*p, c);
			}
	}
	assert_in_range(programmed, 1200, 100000);
}

/* --- recordings ----------------------------------------------------------------------------------------- */

#define MEMORY  (1u << 17)
#define RECORDS 8
#define TRIES   20000 /* to find an event that can be sampled */

static const char *const record_op_names[] = {[RECORD_SETUP] = "set-up",
					      [RECORD_START] = "start",
					      [RECORD_STOP] = "stop",
					      [RECORD_RELEASE] = "release"};

static uint8_t *memory;
static unsigned recorded[RECORD_KINDS]; /* sequences that came to their end */

/* Some recording of that kind. @return false if this CPU makes none */
static bool choose_recording(enum record_kind kind, struct pmu_recording *r)
{
	const struct pmu_record_source *source = record_source(&pmu, kind);
	const char *why;

	if (!source)
		return false;
	for (unsigned tries = 0; tries < TRIES; tries++) {
		*r = (struct pmu_recording){.source = source,
					    .levels = LEVELS_ALL,
					    .period = 1600,
					    .unit = record_unit(source),
					    .records = RECORDS};
		if (source->counters) {
			do
				r->counter = below(pmu.n_counters);
			while (!(source->counters >> r->counter & 1));
			r->config = choose(r->counter);
			r->config.edge = r->config.invert = false;
			r->config.cmask = 0;
			r->config.any_thread = false;
			r->more = (uint8_t)below(16) & source->more;
		}
		if (source->record_size)
			r->threshold = below(2) * RECORDS / 2;
		if (kind == RECORD_BRANCH_TRACE)
			r->circular = !r->threshold && below(2);
		if (source->filters)
			r->without = below(1u << 10) & source->filters;
		if ((kind == RECORD_PRECISE || source->filters) && below(2))
			r->levels = (uint8_t)(1 + below(3));
		r->size = record_memory(&pmu, r);
		r->memory = r->size ? memory : NULL;
		assert_true(r->size <= MEMORY);
		if (record_can_sample(&pmu, r, &why))
			return true;
	}
	fail_msg("%s of %s: nothing can be sampled", source->name, pmu.name);
	return false;
}

static bool carry_out_recording(enum record_op_of_driver op, const struct pmu_recording *r)
{
	const char *why = "";

	switch (op) {
	case RECORD_SETUP:
		return record_setup(&pmu, r, &why);
	case RECORD_START:
		return record_start(&pmu, r);
	case RECORD_STOP:
		return record_stop(&pmu, r);
	default:
		return record_release(&pmu, r);
	}
}

static void sequence_of_recording(const struct model_profile *p, enum record_kind kind)
{
	static uint64_t clean_after[RECORD_OPS][REGISTER_FILE_MAX];
	static uint8_t clean_memory[MEMORY];
	struct pmu_recording r;

	begin(p);
	identify();
	if (!choose_recording(kind, &r))
		return;
	struct pmu_config other = choose(r.counter);
	reset();
	memset(memory, 0, MEMORY);
	for (unsigned op = 0; op < RECORD_OPS; op++) {
		bool good = carry_out_recording((enum record_op_of_driver)op, &r);

		if (op == RECORD_SETUP && !good)
			return; /* this CPU refuses it */
		assert_true(good);
		register_file_read(&file, clean_after[op]);
		if (op == RECORD_SETUP)
			memcpy(clean_memory, memory, MEMORY);
	}

	begin(p);
	identify();
	r.source = record_source(&pmu, kind);
	reset();
	if (r.source->counters) {
		bool used = drv->program(&pmu, r.counter, &other) && drv->start(&pmu, 1ull << r.counter);

		if (family->before)
			family->before(&pmu, r.counter, used ? &other : NULL, &r.config);
	}
	scramble(family->in_use ? family->in_use : nothing);
	memset(memory, 0x5a, MEMORY);
	for (unsigned op = 0; op < RECORD_OPS; op++) {
		char what[96];

		memset(owned, 0, sizeof owned);
		if (op && family->before)
			family->before(&pmu, r.counter, NULL, &r.config);
		if (op == RECORD_RELEASE) {
			family->record_owns(&pmu, RECORD_RELEASE, &r, own);
			scramble_owned();
			scramble_status();
		}
		register_file_read(&file, before);
		snprintf(what, sizeof what, "%s of %s", record_op_names[op], r.source->name);
		if (!carry_out_recording((enum record_op_of_driver)op, &r))
			fail_msg("%s, %s: refused", p->name, what);
		register_file_read(&file, after);
		memcpy(clean, clean_after[op], sizeof clean);
		family->record_owns(&pmu, (enum record_op_of_driver)op, &r, own);
		compare(p, what);
		if (op == RECORD_SETUP)
			assert_memory_equal(memory, clean_memory, r.size);
		/* SDM 18.8.1.2: no latency below 3 is measured. */
		if (op == RECORD_SETUP && r.config.extra_register == 0x3f6)
			assert_in_range(after[register_file_at(&file, 0x3f6)], 3, 0xffff);
		for (unsigned i = 0; op == RECORD_RELEASE && i < file.n; i++)
			if (!file.reg[i].derived && after[i] & owned[i] & file.reg[i].kept)
				fail_msg("%s, %s: MSR %x still has %llx", p->name, what, file.reg[i].address,
					 (unsigned long long)after[i]);
	}
	recorded[kind]++;
}

static void recordings_depend_on_nothing(void **state)
{
	(void)state;
	memory = fake_memory_create(MEMORY);
	for (const struct model_profile *const *p = NULL; next_profile(&p);)
		for (unsigned kind = 0; kind < RECORD_KINDS; kind++)
			for (uint32_t s = 1; s <= 3 * SEEDS; s++) {
				begin_random(s);
				sequence_of_recording(*p, (enum record_kind)kind);
			}
	fake_memory_free();
	printf("# %u of counters, recordings:", programmed);
	for (unsigned kind = RECORD_PRECISE; kind < RECORD_KINDS; kind++)
		printf(" %u", recorded[kind]);
	printf("\n");
	/* It must have come to all kinds. */
	for (unsigned kind = RECORD_PRECISE; kind < RECORD_KINDS; kind++)
		assert_in_range(recorded[kind], SEEDS, 100000);
	assert_in_range(recorded[RECORD_PRECISE] + recorded[RECORD_LAST_BRANCHES], 100 * SEEDS, 100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(identify_changes_nothing),
		cmocka_unit_test(reset_leaves_nothing),
		cmocka_unit_test(reset_clears_every_status),
		cmocka_unit_test(operations_depend_on_nothing),
		cmocka_unit_test(recordings_depend_on_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
