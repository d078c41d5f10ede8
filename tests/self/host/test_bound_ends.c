/*
 * The lower ends of the bounds, cause by cause: a kernel that has one cause alone must move a counter by so
 * much, written down here once more from what the quantities mean. Then each part of the table's lower ends
 * is taken out: one of these lines must tell it, as a counter that counts less, or nothing, would pass.
 */
#include "tests/judge/bound_rows.h"
#include "tests/judge/bounds.h"
#include "tests/self/host/fake_kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

/* The linker set must not be empty. */
FAKE_KERNEL(nothing, "nothing", 0, FAKE_EXACT(INSTRUCTIONS, 1, 0));

#define AMOUNT 36000 /* of the cause */
#define STILL  KERNEL_STILL
#define SOME   1 /* more than one: by how much two clocks differ is the machine's */

/* Of AMOUNT of the cause, and of `other`, which is taken away, there is so much of the quantity at least. */
static const struct line {
	quantity_number quantity, cause;
	uint32_t low;
	uint64_t flags;
	quantity_number other;
	uint32_t others;
} lines[] = {
	/* Eight slots at most begin in a cycle (Lion Cove), each of two instructions that were fused; and no
	 * window is empty. */
	{Q_CYCLES, Q_INSTRUCTIONS, AMOUNT / 16 + 1, 0, 0, 0},
	{Q_CYCLES_USER, Q_INSTRUCTIONS, AMOUNT / 16, KERNEL_USER_ONLY, 0, 0},
	{Q_CYCLES_USER, Q_INSTRUCTIONS, AMOUNT / 16 - 100, KERNEL_USER_ONLY, Q_RING_TO_KERNEL, 100},
	{Q_REF_CYCLES, Q_CYCLES, SOME, 0, 0, 0},
	{Q_BUS_CYCLES, Q_CYCLES, SOME, 0, 0, 0},
	{Q_SLOTS, Q_CYCLES, 5 * AMOUNT, 0, 0, 0},
	{Q_UOPS, Q_INSTRUCTIONS, AMOUNT, 0, 0, 0},
	/* An instruction that reads, or writes, has a micro-operation that does; of some it is not told. */
	{Q_UOPS_LOAD, Q_INSN_LOAD, AMOUNT, 0, 0, 0},
	{Q_UOPS_LOAD, Q_INSN_LOAD, AMOUNT - 100, 0, Q_BR_RET, 100},
	{Q_UOPS_LOAD, Q_INSN_LOAD, AMOUNT - 100, 0, Q_BR_FAR, 100},
	{Q_UOPS_LOAD, Q_INSN_LOAD, AMOUNT - 100, 0, Q_INSN_LOCKED, 100},
	{Q_UOPS_LOAD, Q_INSN_LOAD, AMOUNT - 100, 0, Q_INSN_IO, 100},
	{Q_UOPS_LOAD, Q_INSN_LOAD, 0, KERNEL_SERVICE_UC, 0, 0},
	{Q_UOPS_STORE, Q_INSN_STORE, AMOUNT, 0, 0, 0},
	{Q_UOPS_STORE, Q_INSN_STORE, AMOUNT - 100, 0, Q_BR_RET, 100},
	{Q_UOPS_STORE, Q_INSN_STORE, AMOUNT - 100, 0, Q_BR_FAR, 100},
	{Q_UOPS_STORE, Q_INSN_STORE, AMOUNT - 100, 0, Q_INSN_LOCKED, 100},
	{Q_UOPS_STORE, Q_INSN_STORE, AMOUNT - 100, 0, Q_INSN_IO, 100},
	{Q_UOPS_STORE, Q_INSN_STORE, 0, KERNEL_SERVICE_UC, 0, 0},
	{Q_UOPS_X87, Q_X87_OPS, AMOUNT, 0, 0, 0},
	{Q_UOPS_SP, Q_FP_128_SP, AMOUNT, 0, 0, 0},
	{Q_UOPS_DP, Q_FP_128_DP, AMOUNT, 0, 0, 0},
	{Q_UOPS_SS, Q_FP_SCALAR_SP, AMOUNT, 0, 0, 0},
	{Q_UOPS_SD, Q_FP_SCALAR_DP, AMOUNT, 0, 0, 0},
	/* Two instructions become one; a NOP is never fused. */
	{Q_UOPS_FUSED, Q_INSTRUCTIONS, AMOUNT / 2, 0, 0, 0},
	{Q_UOPS_FUSED, Q_INSN_NOP, AMOUNT, STILL, 0, 0},
	/* One that multiplies and adds is counted twice among the operations. */
	{Q_UOPS_FP_SCALAR, Q_FP_SCALAR_SP, AMOUNT / 2, 0, 0, 0},
	{Q_UOPS_FP_SCALAR, Q_FP_SCALAR_DP, AMOUNT / 2, 0, 0, 0},
	{Q_UOPS_FP_128, Q_FP_128_SP, AMOUNT / 2, 0, 0, 0},
	{Q_UOPS_FP_128, Q_FP_128_DP, AMOUNT / 2, 0, 0, 0},
	{Q_OFFCORE_DATA, Q_L2_LOAD_MISS, AMOUNT / 2, 0, 0, 0},
	{Q_L1D_ACCESS, Q_INSN_LOAD, AMOUNT, 0, 0, 0},
	{Q_L1D_ACCESS, Q_INSN_LOAD, AMOUNT - 100, KERNEL_SERVICE_UC, Q_LOADS, 100},
};
#define LINES (sizeof lines / sizeof *lines)

static int64_t low_of(const struct line *l)
{
	const struct signature_range amounts[] = {{l->cause, 0, AMOUNT, 0, AMOUNT, NULL},
						  /* Loads are a cause without which there are no misses. */
						  {l->other ? l->other : Q_LOADS, 0, l->other ? l->others : 1,
						   0, l->other ? l->others : 1, NULL}};
	const struct kernel k = {
		.name = "one cause", .range = amounts, .range_end = amounts + 2, .flags = l->flags};
	struct amount a = bounds_amount(&k, l->quantity, 1);

	assert_true(a.defined && !a.overflow);
	return a.low;
}

static bool holds(const struct line *l)
{
	return l->low == SOME ? low_of(l) > 1 : low_of(l) == l->low;
}

static void each_cause_moves_it(void **state)
{
	(void)state;
	for (unsigned i = 0; i < LINES; i++)
		if (!holds(&lines[i]))
			fail_msg("%d %s: %ld %s at least, not %u", AMOUNT, quantity_info[lines[i].cause].name,
				 (long)low_of(&lines[i]), quantity_info[lines[i].quantity].name,
				 lines[i].low);
}

static const struct bound_table *const table = &bounds_instruction_set;

/* The table is read only once it is relocated. */
static struct bound *writable(void)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)table->rows & ~(page - 1);

	assert_int_equal(
		mprotect((void *)at, (uintptr_t)(table->rows + table->n_rows) - at, PROT_READ | PROT_WRITE),
		0);
	return (struct bound *)(uintptr_t)table->rows;
}

#define PARTS_MOST 32

static void each_part_is_needed(void **state)
{
	struct bound *row = writable();
	unsigned removed = 0;

	(void)state;
	for (unsigned r = 0; r < table->n_rows; r++) {
		const struct bound_part *parts = row[r].low_parts;

		for (unsigned out = 0; parts && parts[out].times; out++) {
			struct bound_part left[PARTS_MOST] = {{0}};
			unsigned n = 0, told = 0;

			for (unsigned i = 0; parts[i].times; i++) {
				assert_true(n < PARTS_MOST - 1);
				if (i != out)
					left[n++] = parts[i];
			}
			*(const struct bound_part *volatile *)&row[r].low_parts = left;
			for (unsigned i = 0; i < LINES; i++)
				told += !holds(&lines[i]);
			*(const struct bound_part *volatile *)&row[r].low_parts = parts;
			if (!told)
				fail_msg("%s: without its part of %s nothing is told",
					 quantity_info[row[r].quantity].name,
					 quantity_info[parts[out].of].name);
			removed++;
		}
	}
	assert_in_range(removed, 25, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cause_moves_it),
		cmocka_unit_test(each_part_is_needed),
	};

	return cmocka_run_group_tests_name("lower ends of bounds", tests, NULL, NULL);
}
