/*
 * What stepped code finds in EAX when a transaction aborts, for each cause and depth: SDM vol. 1, 16.3.5,
 * table 16-1.
 */
#include "arch/x86/step/step_engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define ABORTED_BY_XABORT UINT32_C(0x01)
#define ABORTED_BY_SIZE   UINT32_C(0x08)
#define ABORTED_NESTED    UINT32_C(0x20)

#define DEEPEST 7 /* transactions in one another that the engine carries out */

struct step_engine step_engine;

bool step_copy(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	return true;
}

enum step_fate step_fault(struct trap_frame *f, unsigned vector, int64_t error)
{
	(void)f, (void)vector, (void)error;
	fail();
	return FATE_DONE;
}

enum step_fate step_carried_out(struct trap_frame *f)
{
	(void)f;
	return FATE_DONE;
}

enum step_fate step_carried_out_next(struct trap_frame *f, const struct decoded *d)
{
	f->rip += d->in.length;
	return FATE_DONE;
}

#define START UINT64_C(0x1000)

static struct step_client client = {.transactions = STEP_TRANSACTIONS_COMMIT};
static struct trap_frame frame;

/* As if the decoder had found it. */
static void run(enum insn_special special, const uint8_t *bytes, unsigned length)
{
	struct decoded d = {0};

	memcpy((void *)d.bytes, bytes, length);
	d.in.length = (uint8_t)length;
	d.in.modrm_at = 1;
	d.in.special = (uint8_t)special;
	step_transactional(&frame, &d);
}

/* Transactions in one another, the outermost with a fallback 16 bytes behind it. */
static void begin(unsigned depth)
{
	static const uint8_t xbegin[] = {0xc7, 0xf8, 0x10, 0, 0, 0};

	memset(&step_engine, 0, sizeof step_engine);
	step_engine.client = &client;
	frame = (struct trap_frame){.rip = START, .rax = 0x1234567890abcdef};
	for (unsigned i = 0; i < depth; i++)
		run(INSN_XBEGIN, xbegin, sizeof xbegin);
}

static void assert_aborted(uint32_t status)
{
	assert_true(frame.rip == START + 6 + 16);
	assert_true(frame.rax == status);
	assert_int_equal(step_engine.odd.transaction, 0);
}

static void xabort_gives_its_reason(void **state)
{
	static const uint8_t reasons[] = {0, 1, 0x5a, 0x80, 0xff};

	(void)state;
	for (unsigned depth = 1; depth <= DEEPEST; depth++)
		for (unsigned i = 0; i < sizeof reasons; i++) {
			const uint8_t xabort[] = {0xc6, 0xf8, reasons[i]};

			begin(depth);
			run(INSN_XABORT, xabort, sizeof xabort);
			assert_aborted((uint32_t)reasons[i] << 24 | ABORTED_BY_XABORT |
				       (depth > 1 ? ABORTED_NESTED : 0));
		}
}

/* A fault, CPUID and the like give no reason. */
static void others_give_none(void **state)
{
	(void)state;
	for (unsigned depth = 1; depth <= DEEPEST; depth++) {
		begin(depth);
		step_transaction_abort(&frame, 0);
		assert_aborted(depth > 1 ? ABORTED_NESTED : 0);
	}
}

static void too_much_is_told(void **state)
{
	static uint64_t memory[64];
	struct decoded d = {0};

	(void)state;
	d.in.flags = INSN_F_MEM;
	for (unsigned depth = 1; depth <= 2; depth++) {
		begin(depth);
		step_engine.now.did.address = (uint64_t)memory;
		for (unsigned i = 0; i < 1000 && step_transaction_keeps(&frame, &d); i++)
			;
		assert_aborted(ABORTED_BY_SIZE | (depth > 1 ? ABORTED_NESTED : 0));
	}
	begin(DEEPEST + 1);
	assert_aborted(ABORTED_BY_SIZE | ABORTED_NESTED);
}

static void store(uint64_t *to, uint64_t value)
{
	struct decoded d = {0};

	d.in.flags = INSN_F_MEM;
	step_engine.now.did.address = (uint64_t)to;
	assert_true(step_transaction_keeps(&frame, &d));
	*to = value;
}

/* An abort takes back what its own transaction stored, and all of it: nothing that was stored before, in a
 * transaction that ended or in one that was aborted. */
static void an_abort_takes_back_its_own_stores(void **state)
{
	static const uint8_t xend[] = {0x0f, 0x01, 0xd5};
	static uint64_t memory[16];

	(void)state;
	for (unsigned before = 0; before < 2; before++)
		for (unsigned depth = 1; depth <= DEEPEST; depth++) {
			memset(memory, 0, sizeof memory);
			begin(depth);
			store(memory, 1);
			if (before)
				step_transaction_abort(&frame, 0);
			else
				for (unsigned i = 0; i < depth; i++)
					run(INSN_XEND, xend, sizeof xend);
			assert_int_equal(step_engine.odd.transaction, 0);
			assert_true(memory[0] == (before ? 0 : 1));
			memory[0] = 5;
			begin(depth);
			store(memory + 8, 2);
			store(memory + 8, 3);
			step_transaction_abort(&frame, 0);
			assert_true(memory[0] == 5);
			assert_true(memory[8] == 0);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xabort_gives_its_reason),
		cmocka_unit_test(others_give_none),
		cmocka_unit_test(too_much_is_told),
		cmocka_unit_test(an_abort_takes_back_its_own_stores),
	};

	return cmocka_run_group_tests_name("aborted transactions", tests, NULL, NULL);
}
