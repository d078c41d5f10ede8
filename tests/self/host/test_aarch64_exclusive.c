/*
 * The step engine's exclusive monitor: a step's exception ends the processor's own, so the engine carries
 * stores exclusive out. When they pass, what they store, what they leave in their status register, and what
 * is told.
 */
#define ARCH_AARCH64_SYSTEM_H /* the processor's own are not here */

#include <stdbool.h>
#include <stdint.h>

static uint64_t system_register;
#define SYS_READ(name)         (system_register)
#define SYS_WRITE(name, value) (system_register = (value))
#define SYSTEM_REGISTER(op0, op1, crn, crm, op2)                                                             \
	((uint32_t)((op0) << 14 | (op1) << 11 | (crn) << 7 | (crm) << 3 | (op2)))

#include "arch/exceptions.h"
#include "arch/overflow.h"
#include "arch/aarch64/gic.h"
#include "arch/aarch64/presented.h"
#include "arch/aarch64/step/step_engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

/* PSTATE.D is nobody's here: `__asm__ volatile("msr ...")` is left out. */
#define __asm__
#define volatile(...)                                                                                        \
	do {                                                                                                 \
	} while (0)
#include "arch/aarch64/step/step_client.c"
#include "arch/aarch64/step/step_emulate.c"
#include "arch/aarch64/step/step_told.c"
#undef volatile
#undef __asm__

/* --- what is around the engine --- */

static bool allowed;
static uint32_t next;

uint32_t step_fetch(uint64_t pc)
{
	(void)pc;
	return next;
}

void step_fetch_anew(void)
{
}

bool step_may_access(uint64_t address, size_t size, unsigned level, bool write)
{
	(void)address, (void)size, (void)level, (void)write;
	return allowed;
}

bool presented_register(uint32_t number, uint64_t *value)
{
	(void)number, (void)value;
	return false;
}

enum trap_quick trap_is_quick(void)
{
	return QUICK_NONE;
}

unsigned trap_quick_path(bool call, const uint32_t *out[QUICK_MOST])
{
	(void)call, (void)out;
	return 0;
}

unsigned trap_self_path(const uint32_t *out[QUICK_MOST])
{
	(void)out;
	return 0;
}

void trap_deliver(struct trap_frame *f)
{
	(void)f;
	fail();
}

void trap_interrupt(struct trap_frame *f, bool fiq)
{
	(void)f, (void)fiq;
	fail();
}

void trap_abort(int vector)
{
	fail_msg("%d", vector);
	__builtin_unreachable();
}

bool gic_counters_as_fiq(void)
{
	return false;
}

unsigned gic_counters(void)
{
	return 0;
}

bool gic_counters_pending(void)
{
	return false;
}

bool gic_enabled(unsigned interrupt)
{
	return interrupt;
}

void gic_pend_counters(void)
{
}

bool gic_self_pending(void)
{
	return false;
}

bool overflow_masked(unsigned line)
{
	(void)line;
	return true;
}

/* --- code --- */

/* Arm ARM, C6.2: data in X3, of pairs in X2 and X3, status in W4, address in X5 or X6. */
#define LOAD(size)          (0x085f7ca3u | (uint32_t)(size) << 30)
#define STORE(size)         (0x08047ca3u | (uint32_t)(size) << 30)
#define LOAD_X6(size)       (0x085f7cc3u | (uint32_t)(size) << 30)
#define STORE_X6(size)      (0x08047cc3u | (uint32_t)(size) << 30)
#define LOAD_ACQUIRE(size)  (0x085ffca3u | (uint32_t)(size) << 30)
#define STORE_RELEASE(size) (0x0804fca3u | (uint32_t)(size) << 30)
#define LOAD_PAIR(x)        (0x887f0ca2u | (uint32_t)(x) << 30)
#define STORE_PAIR(x)       (0x88240ca2u | (uint32_t)(x) << 30)
#define STORE_NO_STATUS     0xc81f7ca3u /* WZR */
#define STORE_ZERO          0xc8047cbfu /* XZR */
#define CLREX               0xd5033f5fu
#define NOP                 0xd503201fu

static uint64_t memory[8], told_stores;
static struct trap_frame frame;

static void told(void *ctx, struct step *s)
{
	struct qterm term[STEP_TERMS];
	unsigned n = s->methods->terms(s, term);

	(void)ctx;
	for (unsigned i = 0; i < n; i++)
		if (term[i].quantity == Q_STORES)
			told_stores += (uint64_t)term[i].amount;
}

/* The instruction at PC is looked at, and runs, unless the engine carries it out; behind it there is a NOP.
 * @return whether it is left to the processor */
static bool run(uint32_t insn)
{
	uint64_t pc = frame.pc;

	frame.syndrome = (uint64_t)EC_STEP << 26;
	next = insn;
	/* What is ahead is looked at until one is to run by itself: the engine fetches again. */
	step_engine.insn = next;
	memcpy(step_engine.before.x, frame.x, sizeof frame.x);
	step_engine.before.x[31] = frame.sp;
	step_engine.before.pc = pc;
	step_engine.before.pstate = frame.pstate;
	if (!watch_exclusive(&frame))
		return false;
	frame.pc += 4;
	return true;
}

static bool passed(uint32_t store)
{
	told_stores = 0;
	frame.x[4] = 99;
	assert_false(run(store));
	assert_in_range(frame.x[4], 0, 1);
	assert_int_equal(told_stores != 0, !frame.x[4]);
	return !frame.x[4];
}

static void begin(void)
{
	for (unsigned i = 0; i < 8; i++)
		memory[i] = UINT64_C(0x1111111111111111) * (i + 1);
	memset(&frame, 0, sizeof frame);
	frame.pstate = PSTATE_EL1H;
	frame.pc = 0x1000;
	frame.x[2] = 0xa1a2a3a4a5a6a7a8;
	frame.x[3] = 0xb1b2b3b4b5b6b7b8;
	frame.x[5] = (uintptr_t)&memory[2];
	frame.x[6] = (uintptr_t)&memory[4];
	allowed = true;
}

static void nothing_stored(void)
{
	for (unsigned i = 0; i < 8; i++)
		assert_true(memory[i] == UINT64_C(0x1111111111111111) * (i + 1));
}

/* --- tests: each with the engine on --- */

static void one_pair_passes(void *arg)
{
	(void)arg;
	for (unsigned size = 0; size < 4; size++)
		for (unsigned ordered = 0; ordered <= 1; ordered++) {
			uint8_t expected[8];

			begin();
			memcpy(expected, &memory[2], 8);
			memcpy(expected, &frame.x[3], 1u << size);
			assert_true(run(ordered ? LOAD_ACQUIRE(size) : LOAD(size)));
			assert_true(run(NOP));
			assert_true(passed(ordered ? STORE_RELEASE(size) : STORE(size)));
			assert_memory_equal(&memory[2], expected, 8);
			memory[2] = 0x3333333333333333;
			nothing_stored();
			assert_int_equal(frame.pc, 0x100c);
			assert_false(passed(STORE(size))); /* it was for one */
			nothing_stored();
		}
	for (unsigned x = 0; x <= 1; x++) {
		uint8_t expected[16];

		begin();
		memcpy(expected, &memory[2], 16);
		memcpy(expected, &frame.x[2], 4u << x);
		memcpy(expected + (4u << x), &frame.x[3], 4u << x);
		assert_true(run(LOAD_PAIR(x)));
		assert_true(passed(STORE_PAIR(x)));
		assert_memory_equal(&memory[2], expected, 16);
		memory[2] = 0x3333333333333333;
		memory[3] = 0x4444444444444444;
		nothing_stored();
		assert_false(passed(STORE_PAIR(x)));
	}
}

static void registers_of_zero(void *arg)
{
	(void)arg;
	begin();
	assert_true(run(LOAD(3)));
	assert_true(passed(STORE_ZERO));
	assert_true(memory[2] == 0);
	begin();
	assert_true(run(LOAD(3)));
	frame.sp = 0x5555;
	assert_false(run(STORE_NO_STATUS));
	assert_true(memory[2] == 0xb1b2b3b4b5b6b7b8);
	assert_int_equal(frame.sp, 0x5555);
}

static void without_a_load_none_passes(void *arg)
{
	(void)arg;
	begin();
	assert_false(passed(STORE(3)));
	assert_true(run(LOAD(3)));
	assert_true(run(CLREX));
	assert_false(passed(STORE(3)));
	nothing_stored();
}

/* Another address, though its memory is equal; and the last load is the one that holds. */
static void another_address_fails(void *arg)
{
	(void)arg;
	begin();
	memory[4] = memory[2];
	assert_true(run(LOAD(3)));
	assert_false(passed(STORE_X6(3)));
	assert_false(passed(STORE(3))); /* that ended it */
	assert_true(run(LOAD(3)));
	assert_true(run(LOAD_X6(3)));
	assert_false(passed(STORE(3)));
	assert_true(run(LOAD(3)));
	assert_true(run(LOAD_X6(3)));
	assert_true(passed(STORE_X6(3)));
	assert_true(memory[2] == 0x3333333333333333 && memory[4] == 0xb1b2b3b4b5b6b7b8);
}

/* Any byte that somebody else has stored to, and only of those that were loaded. */
static void a_byte_that_changed_fails(void *arg)
{
	(void)arg;
	for (unsigned form = 0; form < 6; form++) {
		uint32_t load = form < 4 ? LOAD(form) : LOAD_PAIR(form - 4);
		uint32_t store = form < 4 ? STORE(form) : STORE_PAIR(form - 4);
		unsigned bytes = form < 4 ? 1u << form : 8u << (form - 4);

		for (unsigned byte = 0; byte < 16; byte++) {
			uint64_t was[2];

			begin();
			assert_true(run(load));
			((uint8_t *)&memory[2])[byte] ^= 0x10;
			memcpy(was, &memory[2], 16);
			assert_int_equal(passed(store), byte >= bytes);
			if (byte < bytes)
				assert_memory_equal(&memory[2], was, 16);
		}
	}
}

/* The handler's return clears it. */
static void an_exception_or_interrupt_ends_it(void *arg)
{
	(void)arg;
	for (unsigned how = 0; how < 3; how++) {
		begin();
		assert_true(run(LOAD(3)));
		frame.pstate |= PSTATE_D; /* the harness's */
		if (how)
			step_interrupted(&frame, how > 1);
		else
			step_exception(&frame);
		frame.pstate &= ~PSTATE_D;
		assert_false(passed(STORE(3)));
		nothing_stored();
	}
}

/* Where it would fault the processor says so: nothing is carried out. */
static void what_faults_is_left_to_the_processor(void *arg)
{
	(void)arg;
	begin();
	assert_true(run(LOAD(3)));
	allowed = false;
	assert_true(run(STORE(3)));
	assert_true(run(LOAD_X6(3)));
	nothing_stored();
	allowed = true;
	assert_true(passed(STORE(3))); /* a load that faulted loads nothing */
}

static struct step_client client = {.step = told};

static void stepped(void (*fn)(void *))
{
	step_call(&client, fn, NULL);
}

static void a_load_and_its_store_pass(void **state)
{
	(void)state;
	stepped(one_pair_passes);
	stepped(registers_of_zero);
}

static void stores_that_fail(void **state)
{
	(void)state;
	stepped(without_a_load_none_passes);
	stepped(another_address_fails);
	stepped(a_byte_that_changed_fails);
	stepped(an_exception_or_interrupt_ends_it);
	stepped(what_faults_is_left_to_the_processor);
}

static void loads(void *arg)
{
	(void)arg;
	begin();
	assert_true(run(LOAD(3)));
}

static void stores(void *arg)
{
	(void)arg;
	assert_false(passed(STORE(3)));
	nothing_stored();
}

static void each_experiment_begins_without(void **state)
{
	(void)state;
	stepped(loads);
	stepped(stores);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_load_and_its_store_pass),
		cmocka_unit_test(stores_that_fail),
		cmocka_unit_test(each_experiment_begins_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
