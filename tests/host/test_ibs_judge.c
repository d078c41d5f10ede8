/*
 * Judging records of instruction-based sampling: what is right passes, each way of being wrong is found.
 */
#include "tests/ibs_judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static struct qterm terms[] = {{Q_LOADS, 1}, {Q_STORES, 1},      {Q_BRANCHES, 1},
			       {Q_LOADS, 8}, {Q_INSN_LOCKED, 1}, {Q_PREFETCHES, 1}};
static struct uarch_access access[] = {{.address = 0x8000, .size = 8},
				       {.address = 0x8000, .size = 8, .store = true}};
static struct path_step steps[] = {
	{.ip = 0x1000, .next = 0x1003, .length = 3, .terms = 0, .n_terms = 1, .access = 0, .n_access = 1},
	{.ip = 0x1003, .next = 0x1006, .length = 3, .terms = 0, .n_terms = 2, .access = 0, .n_access = 2},
	{.ip = 0x1006,
	 .next = 0x1000,
	 .length = 2,
	 .terms = 2,
	 .n_terms = 1,
	 .transfer = TRANSFER_CONDITIONAL},
	{.ip = 0x1006, .next = 0x1008, .length = 2, .terms = 2, .n_terms = 1},
	{.ip = 0x1008, .next = 0x100c, .length = 4, .terms = 3, .n_terms = 1}, /* a gather */
	{.ip = 0x100c, .next = 0x1040, .length = 1, .terms = 2, .n_terms = 1, .transfer = TRANSFER_RETURN},
	{.ip = 0x1040, .next = 0x1041, .length = 1},
	{.ip = 0x1041, .next = 0x9000, .transfer = TRANSFER_EVENT},
	/* locked, and a prefetch */
	{.ip = 0x1050, .next = 0x1054, .length = 4, .terms = 4, .n_terms = 2, .access = 0, .n_access = 2},
};
static struct path path = {.step = steps, .access = access, .terms = terms, .n_steps = 9, .to = 9};
static struct sample_judgement j[IBS_ASPECTS];

static unsigned wrong(struct pmu_record r)
{
	unsigned found = 0;

	r.kind = r.kind ? r.kind : RECORD_IBS_OP;
	ibs_judge(&path, true, &r, 1, 100, 200, 0x1000, j);
	for (unsigned a = 0; a < IBS_ASPECTS; a++) {
		assert_int_equal(j[a].right != j[a].checked, j[a].why[0] != 0);
		found |= (unsigned)(j[a].why[0] != 0) << a;
	}
	return found;
}

#define OP(at, bits) .has = RECORD_HAS_IP | RECORD_HAS_OP, .ip = 0x1000 + (at), .op = (bits)

static void operations(void **unused)
{
	static const struct {
		uint64_t at;
		uint32_t op;
		bool right;
	} rows[] = {
		{0, RECORD_OP_LOAD, true},
		{0, RECORD_OP_STORE, false},
		{0, RECORD_OP_LOAD | RECORD_OP_STORE, false},
		{0, 0, true}, /* another operation of it */
		{0, RECORD_OP_BRANCH, false},
		{3, RECORD_OP_LOAD | RECORD_OP_STORE, true},
		{3, RECORD_OP_STORE, true},
		{6, RECORD_OP_BRANCH | RECORD_OP_TAKEN, true},
		{6, RECORD_OP_BRANCH, true}, /* both ways are on the path */
		{6, 0, false},
		{6, RECORD_OP_TAKEN, false},
		{6, RECORD_OP_BRANCH | RECORD_OP_TAKEN | RECORD_OP_RETURN, false},
		{6, RECORD_OP_BRANCH | RECORD_OP_TAKEN | RECORD_OP_LOAD, false},
		{8, RECORD_OP_LOAD, true},
		{8, RECORD_OP_STORE, false},
		{12, RECORD_OP_BRANCH | RECORD_OP_TAKEN | RECORD_OP_RETURN, true},
		{12, RECORD_OP_BRANCH | RECORD_OP_TAKEN, false},
		{12, RECORD_OP_BRANCH | RECORD_OP_RETURN, false},
		{12, 0, true},
		{64, RECORD_OP_RETURN, false},
		{0, RECORD_OP_LOAD | RECORD_OP_LOCKED, false},
		{0, RECORD_OP_LOAD | RECORD_OP_PREFETCH, false},
		{80, RECORD_OP_LOAD | RECORD_OP_STORE | RECORD_OP_LOCKED, true},
		{80, RECORD_OP_PREFETCH, true},
	};
	(void)unused;

	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_int_equal(wrong((struct pmu_record){OP(rows[i].at, rows[i].op)}),
				 rows[i].right ? 0 : 1 << IBS_KIND);
	assert_int_equal(wrong((struct pmu_record){OP(1, 0)}), 1 << IBS_INSTRUCTION);
	assert_int_equal(wrong((struct pmu_record){OP(0x41, 0)}),
			 1 << IBS_INSTRUCTION); /* of an event, no code */
	assert_int_equal(wrong((struct pmu_record){.has = RECORD_HAS_OP}), 1 << IBS_INSTRUCTION);
	wrong((struct pmu_record){OP(1, 0)});
	assert_string_equal(j[IBS_INSTRUCTION].why,
			    "record 1, at +1: no instruction of the path begins there");
}

static void targets(void **unused)
{
	struct pmu_record r = {
		.has = RECORD_HAS_IP | RECORD_HAS_BRANCH, .ip = 0x1006, .from = 0x1006, .to = 0x1000};
	(void)unused;

	assert_int_equal(wrong(r), 0);
	r.to = 0x1008; /* not taken */
	assert_int_equal(wrong(r), 1 << IBS_TARGET);
	r.to = 0x1001;
	assert_int_equal(wrong(r), 1 << IBS_TARGET);
	r.to = 0x1000;
	r.from = 0x1005;
	assert_int_equal(wrong(r), 1 << IBS_TARGET);
}

static void addresses(void **unused)
{
	struct pmu_record r = {OP(0, RECORD_OP_LOAD)};
	(void)unused;

	r.has |= RECORD_HAS_ADDRESS;
	r.address = 0x8000;
	assert_int_equal(wrong(r), 0);
	r.address++;
	assert_int_equal(wrong(r), 1 << IBS_ADDRESS);
	r.address--;
	/* As wide; on silicon an operation may be a part. Misaligned is what is not aligned. */
	r.has |= RECORD_HAS_WIDTH;
	r.width = 8;
	assert_int_equal(wrong(r), 0);
	r.width = 4;
	assert_int_equal(wrong(r), 1 << IBS_ADDRESS);
	ibs_judge(&path, false, &r, 1, 100, 200, 0x1000, j);
	assert_int_equal(j[IBS_ADDRESS].right, 1);
	r.width = 16;
	ibs_judge(&path, false, &r, 1, 100, 200, 0x1000, j);
	assert_int_equal(j[IBS_ADDRESS].right, 0);
	r.has &= ~RECORD_HAS_WIDTH;
	r.op |= RECORD_OP_MISALIGNED;
	assert_int_equal(wrong(r), 1 << IBS_ADDRESS);
	r.ip = 0x1003;
	r.op = RECORD_OP_STORE;
	assert_int_equal(wrong(r), 0);
	r.ip = 0x1000;
	assert_int_equal(wrong(r), 1 << IBS_ADDRESS | 1 << IBS_KIND);
}

static void fetches(void **unused)
{
	struct pmu_record r = {.kind = RECORD_IBS_FETCH, .has = RECORD_HAS_IP, .ip = 0x1005};
	(void)unused;

	assert_int_equal(wrong(r), 0);
	r.ip = 0x100d;
	assert_int_equal(wrong(r), 1 << IBS_INSTRUCTION);
	ibs_judge(&path, false, &r, 1, 0, 0, 0x1000, j);
	assert_int_equal(j[IBS_INSTRUCTION].right, 1);
	r.ip = 0x1080;
	ibs_judge(&path, false, &r, 1, 0, 0, 0x1000, j);
	assert_int_equal(j[IBS_INSTRUCTION].right, 0);
}

static void times(void **unused)
{
	struct pmu_record r[2] = {{OP(0, 0), .kind = RECORD_IBS_OP, .tsc = 150},
				  {OP(0, 0), .kind = RECORD_IBS_OP, .tsc = 151}};
	(void)unused;

	r[0].has |= RECORD_HAS_TSC;
	r[1].has |= RECORD_HAS_TSC;
	ibs_judge(&path, true, r, 2, 100, 200, 0x1000, j);
	assert_int_equal(j[IBS_TIME].right, 2);
	r[1].tsc = 149;
	ibs_judge(&path, true, r, 2, 100, 200, 0x1000, j);
	assert_int_equal(j[IBS_TIME].right, 1);
	assert_int_equal(
		wrong((struct pmu_record){.has = RECORD_HAS_IP | RECORD_HAS_TSC, .ip = 0x1000, .tsc = 99}),
		1 << IBS_TIME);
	assert_int_equal(
		wrong((struct pmu_record){.has = RECORD_HAS_IP | RECORD_HAS_TSC, .ip = 0x1000, .tsc = 201}),
		1 << IBS_TIME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations), cmocka_unit_test(targets), cmocka_unit_test(addresses),
		cmocka_unit_test(fetches),    cmocka_unit_test(times),
	};

	return cmocka_run_group_tests_name("ibs_judge", tests, NULL, NULL);
}
