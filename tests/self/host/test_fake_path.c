/*
 * The hands that drive recording models in host tests: what a model sees of a path that is told, and of the
 * memory that it may write to.
 */
#include "tests/self/host/support/fake_memory.h"
#include "tests/self/host/support/fake_path.h"
#include "pmu/x86/general.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

/* A model that keeps what it is shown. */
static struct {
	struct step step;
	struct step_registers registers;
	struct step_access access[2];
	unsigned steps;
	bool on, counts;
	bool pmi;
} seen;

static bool advance(void *state, const struct step *s)
{
	(void)state;
	seen.step = *s;
	seen.registers = *s->registers;
	if (s->n_access)
		memcpy(seen.access, s->access, s->n_access * sizeof seen.access[0]);
	seen.steps++;
	return false;
}

static enum register_answer write_register(void *state, struct register_access *a)
{
	(void)state;
	assert_true(a->write);
	if (a->number == 1)
		seen.on = a->value;
	if (a->number == 2)
		seen.counts = a->value;
	return a->number == 3 ? REGISTER_FAULT : REGISTER_DONE;
}

static bool counting(const void *state)
{
	(void)state;
	return seen.counts;
}

static bool recording(const void *state)
{
	(void)state;
	return seen.on;
}

static bool take_pmi(void *state)
{
	bool pending = seen.pmi;

	(void)state;
	seen.pmi = false;
	return pending;
}

static const struct pmu_model toy = {.name = "toy",
				     .access = write_register,
				     .advance = advance,
				     .counting = counting,
				     .recording = recording,
				     .take_pmi = take_pmi};

static struct fake_path path;

static void begin(void)
{
	memset(&seen, 0, sizeof seen);
	fake_path_start(&path, &toy, NULL, 0x1000);
}

static void expect(uint64_t ip, uint64_t next, enum step_transfer kind, unsigned length)
{
	assert_int_equal(seen.step.ip, ip);
	assert_int_equal(seen.step.next, next);
	assert_int_equal(seen.step.transfer, kind);
	assert_int_equal(seen.step.length, length);
	assert_int_equal(seen.registers.ip, next);
}

static void instructions_follow_each_other(void **unused)
{
	(void)unused;
	begin();
	fake_path_nops(&path, 3);
	expect(0x1002, 0x1003, TRANSFER_NONE, 1);
	assert_int_equal(seen.registers.general[GPR_RAX], 0x1111000000000003);
	assert_int_equal(seen.registers.general[GPR_R15], 0x1111000000000f00);
	assert_int_equal(seen.step.clock, 1000 + 3 * FAKE_PATH_CYCLE);
	fake_path_load(&path, 0x7008);
	expect(0x1003, 0x1006, TRANSFER_NONE, 3);
	assert_int_equal(seen.step.n_access, 1);
	assert_int_equal(seen.access[0].address, 0x7008);
	assert_false(seen.access[0].store);
	fake_path_store(&path, 0x7010);
	assert_true(seen.access[0].store);
	fake_path_not_taken(&path);
	expect(0x1009, 0x100b, TRANSFER_NONE, 2);
	seen.pmi = true;
	assert_int_equal(fake_path_interrupts(&path), 1);
	assert_int_equal(fake_path_interrupts(&path), 0);
}

static void branches_lead_where_they_lead(void **unused)
{
	uint64_t rsp;
	(void)unused;

	begin();
	rsp = path.regs.general[GPR_RSP];
	fake_path_branch(&path, TRANSFER_CALL, 0x2000);
	expect(0x1000, 0x2000, TRANSFER_CALL, 2);
	assert_int_equal(seen.registers.general[GPR_RSP], rsp - 8);
	assert_int_equal(seen.access[0].address, rsp - 8);
	fake_path_branch(&path, TRANSFER_RETURN, 0x1002);
	expect(0x2000, 0x1002, TRANSFER_RETURN, 2);
	assert_int_equal(seen.access[0].address, rsp - 8);
	assert_int_equal(seen.registers.general[GPR_RSP], rsp);
	fake_path_far(&path, 0x3000, 3);
	assert_int_equal(seen.step.level, 0);
	assert_int_equal(seen.step.level_after, 3);
	fake_path_event(&path, 0x4000);
	expect(0x3000, 0x4000, TRANSFER_EVENT, 0);
	assert_int_equal(seen.step.level, 3);
	assert_int_equal(seen.step.level_after, 0);
	fake_path_mispredicted(&path, TRANSFER_CONDITIONAL, 0x4000);
	expect(0x4000, 0x4000, TRANSFER_CONDITIONAL, 2);
	assert_int_equal(path.last.n_terms, 5);
}

static void writes_are_seen_by_what_was_active(void **unused)
{
	(void)unused;
	begin();
	assert_int_equal(fake_path_wrmsr(&path, 1, 1), REGISTER_DONE);
	assert_int_equal(seen.steps, 0);
	assert_int_equal(fake_path_wrmsr(&path, 2, 0), REGISTER_DONE);
	assert_int_equal(seen.steps, 1);
	assert_true(seen.step.own_write);
	assert_int_equal(fake_path_wrmsr(&path, 3, 0), REGISTER_FAULT);
	assert_int_equal(seen.steps, 1);
	assert_int_equal(fake_path_wrmsr(&path, 1, 0), REGISTER_DONE);
	assert_int_equal(seen.steps, 2);
	fake_path_wrmsr(&path, 2, 1);
	assert_int_equal(seen.steps, 2);
	fake_path_nops(&path, 1);
	expect(0x1008, 0x1009, TRANSFER_NONE, 1);
}

static void memory_is_what_was_created(void **unused)
{
	const struct step_memory *m = &fake_memory;
	uint8_t *p = fake_memory_create(100);
	uint64_t at = (uintptr_t)p, value = 0x1122334455667788;
	(void)unused;

	assert_true(m->write(m->ctx, at + 16, &value, 8));
	assert_memory_equal(p + 16, &value, 8);
	assert_true(m->write(m->ctx, at + 4088, &value, 8));
	assert_false(m->write(m->ctx, at + 4089, &value, 8));
	assert_false(m->write(m->ctx, at - 1, &value, 8));
	assert_false(m->write(m->ctx, UINT64_MAX, &value, 8));
	assert_false(m->read(m->ctx, at + 4096, &value, 1));
	assert_int_equal(fake_memory_refused(), 4);
	assert_int_equal(fake_memory_first_written(), 16);
	assert_int_equal(fake_memory_end_written(), 4096);
	value = 0;
	assert_true(m->read(m->ctx, at + 16, &value, 8));
	assert_int_equal(value, 0x1122334455667788);
	fake_memory_protect(p + 64, 64);
	assert_true(m->write(m->ctx, at + 56, &value, 8));
	assert_false(m->write(m->ctx, at + 57, &value, 8));
	assert_true(m->read(m->ctx, at + 64, &value, 8));
	assert_true(m->write(m->ctx, at + 128, &value, 8));
	fake_memory_free();
	assert_false(m->read(m->ctx, at, &value, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_follow_each_other),
		cmocka_unit_test(branches_lead_where_they_lead),
		cmocka_unit_test(writes_are_seen_by_what_was_active),
		cmocka_unit_test(memory_is_what_was_created),
	};

	return cmocka_run_group_tests_name("fake_path", tests, NULL, NULL);
}
