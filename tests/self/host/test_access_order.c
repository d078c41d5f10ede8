/*
 * The order in which drivers write registers, where a manual or an erratum demands one: what a record is made
 * of changes only while nothing records, start-up sequences are whole, and a write that does not stick is
 * made again.
 */
#include "pmu/contract/record.h"
#include "pmu/contract/workaround.h"
#include "pmu/intel/model/model.h"
#include "tests/self/host/support/fake_cpu.h"
#include "tests/self/host/support/fake_memory.h"
#include "tests/self/host/support/register_file.h"

#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define NOTES  4096
#define MEMORY (1u << 16)

static struct register_file file;
static struct fake_access note[NOTES];
static struct pmu pmu;
static const uint32_t nothing[] = {0};

static void begin(const char *profile)
{
	const char *why = NULL;

	fake_cpu_start(model_profile_by_name(profile), NULL);
	fake_cpu_hold();
	register_file_find(&file);
	fake_cpu_start(model_profile_by_name(profile), NULL);
	fake_cpu_hold();
	assert_true(pmu_find(NULL, &pmu, &why));
	pmu.driver->list_events(&pmu);
}

static void reset(void)
{
	const char *why = NULL;

	assert_true(pmu.driver->reset(&pmu, &why));
}

/* --- the start-up sequence of Nehalem and Westmere ---------------------------------------------------- */

/* The writes to selectors, counters and the global enable that errata AAJ91, AAK100, AAP53, AAT43 and BD53
 * ask for, as Linux makes them (intel_pmu_nhm_workaround()), and then all is cleared. */
static bool is_flushed(void)
{
	static const struct {
		uint32_t address;
		uint64_t value;
	} sequence[] = {
		{0x186, 0x4300b5}, {0xc1, 0}, {0x187, 0x4300d2}, {0xc2, 0},  {0x188, 0x4300b1}, {0xc3, 0},
		{0x189, 0x4300b1}, {0xc4, 0}, {0x38f, 0xf},      {0x38f, 0}, {0x186, 0},        {0xc1, 0},
		{0x187, 0},        {0xc2, 0}, {0x188, 0},        {0xc3, 0},  {0x189, 0},        {0xc4, 0}};
	const unsigned length = sizeof sequence / sizeof sequence[0];

	for (unsigned from = 0; from < fake_cpu_noted(); from++) {
		unsigned k = 0;

		for (unsigned i = from; i < fake_cpu_noted() && k < length && note[i].write; i++, k++)
			if (note[i].address != sequence[k].address || note[i].value != sequence[k].value)
				break;
		if (k == length)
			return true;
	}
	return false;
}

static void flushes_nehalem(void **state)
{
	static const struct {
		uint8_t model;
		bool flushed;
	} rows[] = {{0x1a, true}, {0x1e, true}, {0x25, true},  {0x2c, true},  {0x1f, false},
		    {0x2e, true}, {0x2f, true}, {0x2a, false}, {0x17, false}, {0x3c, false}};

	(void)state;
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const char *why = NULL;
		struct cpuid_regs r;

		begin("intel-nehalem");
		r = cpuid(1, 0);
		fake_cpu_set_leaf(1, 0,
				  0x600u | (rows[i].model & 15u) << 4 | (rows[i].model & 0xf0u) << 12 | 5,
				  r.ebx, r.ecx, r.edx);
		assert_true(pmu_find(NULL, &pmu, &why));
		pmu_choose_workarounds(&pmu);
		fake_cpu_note(note, NOTES);
		reset();
		if (is_flushed() != rows[i].flushed)
			fail_msg("model %x is %sflushed", rows[i].model, rows[i].flushed ? "not " : "");
		pmu_allow_workarounds(false);
		pmu_choose_workarounds(&pmu);
		pmu_allow_workarounds(true);
		assert_int_equal(pmu.workarounds_due & 1, rows[i].flushed);
		fake_cpu_note(note, NOTES);
		reset();
		assert_false(is_flushed());
	}
}

/* Programming a counter flushes, too, and leaves alone what the others are programmed with and hold. */
static void flushes_each_time(void **state)
{
	const struct pmu_config config = {.code = 0xc0, .levels = LEVELS_ALL};
	uint64_t select, value;

	(void)state;
	begin("intel-nehalem");
	pmu_choose_workarounds(&pmu);
	reset();
	assert_true(pmu.driver->program(&pmu, 1, &config));
	assert_true(pmu.driver->write(&pmu, 1, 1234));
	fake_cpu_note(note, NOTES);
	assert_true(pmu.driver->program(&pmu, 0, &config));
	assert_true(msr_read(0x187, &select) && msr_read(0xc2, &value));
	assert_int_equal(select, 0x4300c0);
	assert_int_equal(value, 1234);
	unsigned flushing = 0;

	for (unsigned i = 0; i < fake_cpu_noted(); i++)
		flushing += note[i].write && note[i].address == 0x187 && note[i].value == 0x4300d2;
	assert_int_equal(flushing, 1);
}

/* A counter that is programmed and holds what no write can make it hold is left alone; so are all, if one
 * cannot be read. A counter that is not programmed may hold anything. */
static void leaves_what_it_cannot_write_back(void **state)
{
	const struct pmu_config config = {.code = 0xc0, .levels = LEVELS_ALL};
	const uint64_t wide = 1ull << 31;
	struct intel_counter *k;
	uint64_t select, value, global;

	(void)state;
	begin("intel-nehalem");
	pmu_choose_workarounds(&pmu);
	reset();
	k = &((struct intel_state *)fake_cpu_state())->counter[1];
	k->value = wide;
	assert_true(pmu.driver->program(&pmu, 0, &config));
	assert_true(pmu.driver->program(&pmu, 1, &config));
	k->value = wide - 1;
	assert_true(pmu.driver->program(&pmu, 0, &config));
	k->value = wide;
	assert_false(pmu.driver->program(&pmu, 0, &config));
	assert_true(msr_read(0x187, &select) && msr_read(0xc2, &value));
	assert_int_equal(select, 0x4300c0);
	assert_int_equal(value, wide);
	k->value = 0;
	assert_true(pmu.driver->start(&pmu, 2));
	fake_cpu_break_msr(0xc4);
	assert_false(pmu.driver->program(&pmu, 0, &config));
	assert_true(msr_read(0x187, &select) && msr_read(0x38f, &global));
	assert_int_equal(select, 0x4300c0);
	assert_int_equal(global, 2);
	fake_cpu_break_msr(0);
}

/* --- NetBurst ----------------------------------------------------------------------------------------- */

#define COUNTER0 0x300
#define CCCR0    0x360
#define ENABLE   (1u << 12)

/* Erratum N15: a running counter may take a carry into a written value. So the CCCR is off, and a value that
 * did not stick is written again; without the workaround it is written once. */
static void writes_counters_twice(void **state)
{
	(void)state;
	begin("netburst-prescott");
	for (unsigned on = 0; on < 2; on++) {
		pmu_allow_workarounds(on);
		pmu_choose_workarounds(&pmu);
		reset();
		for (unsigned c = 0; c < pmu.n_counters; c++) {
			static const uint64_t values[] = {0xffffffff, 0xfffffffff0, 0};
			uint64_t back;

			for (unsigned i = 0; i < 3; i++) {
				fake_cpu_spoil_write(COUNTER0 + c, 1ull << 32);
				assert_true(pmu.driver->write(&pmu, c, values[i]));
				assert_true(pmu.driver->read(&pmu, c, &back));
				assert_int_equal(back == values[i], on);
			}
		}
	}
}

static void stops_before_it_writes(void **state)
{
	(void)state;
	for (unsigned c = 0; c < 18; c++) {
		const struct pmu_event *e = NULL;
		bool off = false, written = false;

		begin("netburst-prescott");
		reset();
		for (unsigned i = 0; i < pmu.n_events; i++)
			if (pmu.driver->can_count(&pmu, pmu.events[i], c))
				e = pmu.events[i];
		const struct pmu_config config = {.code = e->code, .levels = LEVELS_ALL};

		register_file_scramble(&file, 5 + c, nothing);
		fake_cpu_note(note, NOTES);
		assert_true(pmu.driver->program(&pmu, c, &config));
		for (unsigned i = 0; i < fake_cpu_noted(); i++) {
			if (note[i].write && note[i].address == CCCR0 + c)
				off = !(note[i].value & ENABLE);
			if (note[i].write && note[i].address == COUNTER0 + c) {
				written = true;
				assert_true(off);
			}
		}
		assert_true(written);
	}
	/* Reset: those of the sibling may run. */
	begin("netburst-prescott");
	register_file_scramble(&file, 4, nothing);
	fake_cpu_note(note, NOTES);
	reset();
	for (unsigned i = 0; i < 18; i++) {
		assert_true(note[i].write);
		assert_int_equal(note[i].address, CCCR0 + i);
		assert_int_equal(note[i].value, 0);
	}
}

/* --- what changes only while something is off ---------------------------------------------------------- */

/* While a recording is set up, released or stopped: at a write to `address`, these bits of `guard` are 0. */
static const struct guarded {
	const char *profile;
	uint8_t kind; /* enum record_kind */
	uint32_t address, guard;
	uint64_t bits;
} guarded[] = {
	/* SDM 18.4.4.3: set up while PEBS is off. */
	{"intel-core2", RECORD_PRECISE, 0x600, 0x3f1, ~0ull},
	{"intel-skylake", RECORD_PRECISE, 0x600, 0x3f1, ~0ull},
	{"intel-icelake", RECORD_PRECISE, 0x600, 0x3f1, ~0ull},
	{"intel-icelake", RECORD_PRECISE, 0x3f2, 0x3f1, ~0ull},
	{"intel-pantherlake-p", RECORD_PRECISE, 0x3f4, 0x3f5, 1ull << 32},
	/* SDM 17.4.9: the area changes while nothing is traced. */
	{"intel-core2", RECORD_BRANCH_TRACE, 0x600, 0x1d9, 3ull << 6},
	{"netburst-prescott", RECORD_BRANCH_TRACE, 0x600, 0x1d9, 3ull << 2},
	/* Filters and stack change while nothing is recorded. */
	{"intel-skylake", RECORD_LAST_BRANCHES, 0x1c8, 0x1d9, 1},
	{"intel-skylake", RECORD_LAST_BRANCHES, 0x680, 0x1d9, 1},
	{"netburst-prescott", RECORD_LAST_BRANCHES, 0x680, 0x1d9, 1},
	{"amd-zen4", RECORD_LAST_BRANCHES, 0xc000010e, 0xc000010f, 1 << 6},
	{"amd-zen4", RECORD_LAST_BRANCHES, 0xc0010300, 0xc000010f, 1 << 6},
	{"amd-zen3-epyc", RECORD_NEXT_BRANCHES, 0xc0010201, 0xc000010f, 1 << 2},
};

static void choose_event(enum record_kind kind, struct pmu_recording *r, uint8_t *memory)
{
	const char *why;

	*r = (struct pmu_recording){
		.source = record_source(&pmu, kind), .levels = LEVELS_ALL, .period = 1600, .records = 4};
	if (!r->source)
		fail_msg("%s makes no %s", pmu.name, record_kind_names[kind]);
	r->unit = record_unit(r->source);
	for (r->counter = 0; r->source->counters && !(r->source->counters >> r->counter & 1);)
		r->counter++;
	for (unsigned i = 0; r->source->counters && i < pmu.n_events; i++) {
		r->config = (struct pmu_config){.code = pmu.events[i]->code, .levels = LEVELS_ALL};
		if (pmu.driver->can_count(&pmu, pmu.events[i], r->counter) &&
		    record_can_sample(&pmu, r, &why))
			break;
	}
	r->size = record_memory(&pmu, r);
	r->memory = r->size ? memory : NULL;
}

static void changes_only_what_is_off(void **state)
{
	uint8_t *memory = fake_memory_create(MEMORY);

	(void)state;
	for (unsigned g = 0; g < sizeof guarded / sizeof guarded[0]; g++) {
		const struct guarded *row = &guarded[g];
		static const uint32_t area[] = {0x600, 0};
		struct pmu_recording r;
		const char *why = "";
		unsigned writes = 0;
		uint64_t guard;

		begin(row->profile);
		reset();
		choose_event((enum record_kind)row->kind, &r, memory);
		register_file_scramble(&file, 77 + g, area);
		assert_true(msr_read(row->guard, &guard));
		msr_write(row->guard, guard | (row->guard == 0x3f1 ? 1 : row->bits)); /* on */
		assert_true(msr_read(row->guard, &guard));
		assert_true(guard & row->bits);
		fake_cpu_note(note, NOTES);
		if (!record_setup(&pmu, &r, &why))
			fail_msg("%s: %s", row->profile, why);
		assert_true(record_start(&pmu, &r));
		assert_true(record_stop(&pmu, &r));
		assert_true(record_release(&pmu, &r));
		for (unsigned i = 0; i < fake_cpu_noted(); i++) {
			if (!note[i].write)
				continue;
			if (note[i].address == row->guard)
				guard = note[i].value;
			if (note[i].address != row->address)
				continue;
			writes++;
			if (guard & row->bits)
				fail_msg("%s: %x is written while %x has %llx", row->profile, row->address,
					 row->guard, (unsigned long long)guard);
		}
		assert_in_range(writes, 1, 100);
	}
	fake_memory_free();
}

/* --- IBS ---------------------------------------------------------------------------------------------- */

#define IBS_FETCH_CTL 0xc0011030
#define IBS_OP_CTL    0xc0011033
#define FETCH_EN      (1ull << 48)
#define FETCH_VAL     (1ull << 49)
#define OP_EN         (1ull << 17)
#define OP_MAX        0xffffull

/* Revision guide 41322, erratum 420: on family 10H the maximum is cleared before the enable. */
static void clears_the_maximum_first(void **state)
{
	(void)state;
	for (unsigned way = 0; way < 4; way++) {
		struct pmu_recording r;
		const char *why = "";
		uint64_t now = OP_EN | 0x100;
		bool went_off = false;

		begin("amd-fam10h");
		pmu_choose_workarounds(&pmu);
		reset();
		choose_event(RECORD_OPERATION, &r, NULL);
		if (way < 2)
			assert_true(record_setup(&pmu, &r, &why) && record_start(&pmu, &r));
		else
			assert_true(msr_write(IBS_OP_CTL, now));
		fake_cpu_note(note, NOTES);
		assert_true(way == 0   ? record_stop(&pmu, &r)
			    : way == 1 ? record_release(&pmu, &r)
			    : way == 2 ? record_setup(&pmu, &r, &why)
				       : pmu.driver->reset(&pmu, &why));
		for (unsigned i = 0; i < fake_cpu_noted(); i++) {
			if (!note[i].write || note[i].address != IBS_OP_CTL)
				continue;
			if (now & OP_EN && !(note[i].value & OP_EN)) {
				assert_int_equal(now & OP_MAX, 0);
				went_off = true;
			}
			now = note[i].value;
		}
		assert_true(went_off);
	}
}

/* Guides of families 16H to 18H, IbsFetchEn: a new count is taken with the enable's rising edge only. */
static void enables_fetches_anew(void **state)
{
	static const char *const profiles[] = {"amd-fam10h", "amd-fam15h", "amd-zen4", "amd-zen5"};

	(void)state;
	for (unsigned p = 0; p < sizeof profiles / sizeof profiles[0]; p++) {
		struct pmu_recording r;
		struct pmu_record out;
		const char *why = "";
		bool enabled = true, rose = false;
		uint64_t control;

		begin(profiles[p]);
		reset();
		choose_event(RECORD_FETCH, &r, NULL);
		assert_true(record_setup(&pmu, &r, &why) && record_start(&pmu, &r));
		assert_true(msr_read(IBS_FETCH_CTL, &control) &&
			    msr_write(IBS_FETCH_CTL, control | FETCH_VAL));
		fake_cpu_note(note, NOTES);
		assert_int_equal(record_drain(&pmu, &r, &out, 1), 1);
		for (unsigned i = 0; i < fake_cpu_noted(); i++)
			if (note[i].write && note[i].address == IBS_FETCH_CTL) {
				rose = !enabled && note[i].value & FETCH_EN;
				enabled = note[i].value & FETCH_EN;
				assert_int_equal(note[i].value & FETCH_VAL, 0);
			}
		assert_true(rose);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flushes_nehalem),
		cmocka_unit_test(flushes_each_time),
		cmocka_unit_test(leaves_what_it_cannot_write_back),

		cmocka_unit_test(writes_counters_twice),
		cmocka_unit_test(stops_before_it_writes),
		cmocka_unit_test(changes_only_what_is_off),
		cmocka_unit_test(clears_the_maximum_first),
		cmocka_unit_test(enables_fetches_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
