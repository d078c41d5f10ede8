/*
 * Judging records of instruction-based sampling: what is right passes, each way of being wrong is found.
 */
#include "tests/judge/tagged_judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static struct qterm terms[] = {{Q_LOADS, 1},       {Q_STORES, 1},     {Q_BRANCHES, 1}, {Q_LOADS, 8},
			       {Q_INSN_LOCKED, 1}, {Q_PREFETCHES, 1}, {Q_INSN_NOP, 1}};
static struct step_access access[] = {{.address = 0x8000, .size = 8},
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
	{.ip = 0x1044, .next = 0x1045, .length = 1, .terms = 6, .n_terms = 1}, /* a NOP */
	/* locked, and a prefetch */
	{.ip = 0x1050, .next = 0x1054, .length = 4, .terms = 4, .n_terms = 2, .access = 0, .n_access = 2},
};
static struct path path = {.step = steps, .access = access, .terms = terms, .n_steps = 10, .to = 10};
static struct sample_judgement j[TAGGED_ASPECTS];

/* One page of 4 KiB and one of 2 MiB: 8000H at 108000H. */
static bool translate(uint64_t address, uint64_t *physical, unsigned *shift)
{
	*shift = address >= 0x200000 ? 21 : 12;
	*physical = address + 0x100000;
	return address < 0x400000;
}

static struct tagged_expectation x = {
	.path = &path, .exact = true, .begin = 100, .end = 200, .kernel_at = 0x1000, .translate = translate};

static unsigned wrong(struct pmu_record r)
{
	unsigned found = 0;

	r.kind = r.kind ? r.kind : RECORD_OPERATION;
	tagged_judge(&x, &r, 1, j);
	for (unsigned a = 0; a < TAGGED_ASPECTS; a++) {
		assert_int_equal(j[a].right != j[a].checked, j[a].why[0] != 0);
		found |= (unsigned)(j[a].why[0] != 0) << a;
	}
	return found;
}

static void inexact(const struct pmu_record *r)
{
	x.exact = false;
	tagged_judge(&x, r, 1, j);
	x.exact = true;
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

	x.exact = false;
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_int_equal(wrong((struct pmu_record){OP(rows[i].at, rows[i].op)}),
				 rows[i].right ? 0 : 1 << TAGGED_KIND);
	x.exact = true;
	assert_int_equal(wrong((struct pmu_record){OP(1, 0)}), 1 << TAGGED_INSTRUCTION);
	assert_int_equal(wrong((struct pmu_record){OP(0x41, 0)}),
			 1 << TAGGED_INSTRUCTION); /* of an event, no code */
	assert_int_equal(wrong((struct pmu_record){.has = RECORD_HAS_OP}), 1 << TAGGED_INSTRUCTION);
	wrong((struct pmu_record){OP(1, 0)});
	assert_string_equal(j[TAGGED_INSTRUCTION].why,
			    "record 1, at +1: no instruction of the path begins there");
}

/* Where an operation is a whole instruction it says all of it. */
static void whole_operations(void **unused)
{
	static const struct {
		uint64_t at;
		uint32_t op;
		bool right;
	} rows[] = {
		{0, RECORD_OP_LOAD, true},
		{0, 0, false},
		{3, RECORD_OP_LOAD | RECORD_OP_STORE, true},
		{3, RECORD_OP_STORE, false},
		{3, RECORD_OP_LOAD, false},
		{12, RECORD_OP_BRANCH | RECORD_OP_TAKEN | RECORD_OP_RETURN, true},
		{12, 0, false},
		{80, RECORD_OP_LOAD | RECORD_OP_STORE | RECORD_OP_LOCKED | RECORD_OP_PREFETCH, true},
		{80, RECORD_OP_LOAD | RECORD_OP_STORE | RECORD_OP_PREFETCH, false},
		{80, RECORD_OP_LOAD | RECORD_OP_STORE | RECORD_OP_LOCKED, false},
	};
	(void)unused;

	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_int_equal(wrong((struct pmu_record){OP(rows[i].at, rows[i].op)}),
				 rows[i].right ? 0 : 1 << TAGGED_KIND);
}

static void translations(void **unused)
{
	struct pmu_record op = {OP(0, RECORD_OP_LOAD), .address = 0x8000, .physical = 0x108000},
			  fetch = {.kind = RECORD_FETCH,
				   .has = RECORD_HAS_IP | RECORD_HAS_PHYSICAL,
				   .ip = 0x1005,
				   .physical = 0x101005};
	(void)unused;

	op.has |= RECORD_HAS_ADDRESS | RECORD_HAS_PHYSICAL;
	assert_int_equal(wrong(op), 0);
	op.physical++;
	assert_int_equal(wrong(op), 1 << TAGGED_PHYSICAL);
	op.physical = 0x8000;
	assert_int_equal(wrong(op), 1 << TAGGED_PHYSICAL);
	assert_int_equal(wrong(fetch), 0);
	fetch.physical = fetch.ip;
	assert_int_equal(wrong(fetch), 1 << TAGGED_PHYSICAL);
	op.address = 0x400000; /* not mapped, and not on the path */
	op.physical = 0x500000;
	assert_int_equal(wrong(op), 1 << TAGGED_PHYSICAL | 1 << TAGGED_ADDRESS);
	/* A TLB may hold a large page in parts, never a small one as part of a large one. */
	fetch.has = RECORD_HAS_IP | RECORD_HAS_PAGE;
	fetch.page_shift = 12;
	assert_int_equal(wrong(fetch), 0);
	fetch.page_shift = 21;
	assert_int_equal(wrong(fetch), 1 << TAGGED_PAGE);
	op.address = 0x200000;
	op.has = RECORD_HAS_IP | RECORD_HAS_OP | RECORD_HAS_ADDRESS | RECORD_HAS_PAGE;
	op.page_shift = 21;
	assert_int_equal(wrong(op), 1 << TAGGED_ADDRESS);
	op.page_shift = 30;
	assert_int_equal(wrong(op), 1 << TAGGED_ADDRESS | 1 << TAGGED_PAGE);
}

static void cycles(void **unused)
{
	const uint32_t load = RECORD_OP_LOAD | RECORD_OP_L1D_MISS | RECORD_OP_TLB1_MISS;
	struct pmu_record op = {OP(0, load), .completed = 3, .tagged = 200, .latency = 150, .refill = 30};
	(void)unused;

	op.has |= RECORD_HAS_TIMES | RECORD_HAS_LATENCY | RECORD_HAS_REFILL;
	assert_int_equal(wrong(op), 0);
	op.tagged = 150;
	assert_int_equal(wrong(op), 0);
	op.tagged = 149; /* the miss would take longer than the whole */
	assert_int_equal(wrong(op), 1 << TAGGED_CYCLES);
	op.op |= RECORD_OP_UNCACHED; /* of which that time is not valid */
	assert_int_equal(wrong(op), 0);
	op.op = load;
	op.latency = 0;
	assert_int_equal(wrong(op), 1 << TAGGED_CYCLES);
	op.latency = 10;
	op.tagged = 29;
	assert_int_equal(wrong(op), 1 << TAGGED_CYCLES);
	op.tagged = 2;
	op.has = RECORD_HAS_IP | RECORD_HAS_OP | RECORD_HAS_TIMES;
	assert_int_equal(wrong(op), 1 << TAGGED_CYCLES);
	/* A NOP is complete when it is tagged. */
	op = (struct pmu_record){OP(0x44, 0), .completed = 5, .tagged = 5};
	op.has |= RECORD_HAS_TIMES;
	assert_int_equal(wrong(op), 0);
	op.tagged = 6;
	assert_int_equal(wrong(op), 1 << TAGGED_CYCLES);
	op = (struct pmu_record){
		.kind = RECORD_FETCH, .has = RECORD_HAS_IP | RECORD_HAS_OP | RECORD_HAS_REFILL, .ip = 0x1005};
	assert_int_equal(wrong(op), 0);
	op.refill = 1; /* there was none */
	assert_int_equal(wrong(op), 1 << TAGGED_CYCLES);
	op.op = RECORD_OP_TLB1_MISS;
	assert_int_equal(wrong(op), 1 << TAGGED_CYCLES);
	op.latency = 1;
	assert_int_equal(wrong(op), 0);
}

static void levels(void **unused)
{
	static const struct {
		uint32_t op;
		bool fetch, right;
	} rows[] = {
		{0, false, true},
		{RECORD_OP_TLB1_MISS, false, true},
		{RECORD_OP_TLB1_MISS | RECORD_OP_DTLB_MISS, false, true},
		{RECORD_OP_DTLB_MISS, false, false},
		{RECORD_OP_L1D_MISS | RECORD_OP_L2_MISS, false, true},
		{RECORD_OP_L2_MISS, false, false},
		{RECORD_OP_L2_MISS | RECORD_OP_UNCACHED, false, true},
		{RECORD_OP_L1I_MISS | RECORD_OP_L2_MISS, false, false},
		{RECORD_OP_L1I_MISS | RECORD_OP_L2_MISS, true, true},
		{RECORD_OP_L1D_MISS | RECORD_OP_L2_MISS, true, false},
		{RECORD_OP_L1I_MISS | RECORD_OP_LLC_MISS, true, false},
		{RECORD_OP_L1I_MISS | RECORD_OP_L2_MISS | RECORD_OP_LLC_MISS, true, true},
		{RECORD_OP_ITLB_MISS, true, false},
		{RECORD_OP_TLB1_MISS | RECORD_OP_ITLB_MISS, true, true},
	};
	struct pmu_record r;
	(void)unused;

	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		r = (struct pmu_record){OP(0x44, rows[i].op)};
		r.kind = rows[i].fetch ? RECORD_FETCH : RECORD_OPERATION;
		assert_int_equal(wrong(r), rows[i].right ? 0 : 1 << TAGGED_LEVELS);
	}
	/* What misses the first-level TLB has no page there. */
	r = (struct pmu_record){OP(0, RECORD_OP_LOAD), .address = 0x8000, .page_shift = 12};
	r.has |= RECORD_HAS_ADDRESS | RECORD_HAS_PAGE;
	assert_int_equal(wrong(r), 0);
	r.op |= RECORD_OP_TLB1_MISS;
	assert_int_equal(wrong(r), 1 << TAGGED_LEVELS);
	x.page_of_miss = true;
	assert_int_equal(wrong(r), 0);
	r.page_shift = 21;
	assert_int_equal(wrong(r), 1 << TAGGED_PAGE);
	x.page_of_miss = false;
}

static void sources(void **unused)
{
	struct pmu_record r = {OP(0, RECORD_OP_LOAD | RECORD_OP_L1D_MISS | RECORD_OP_L2_MISS)};
	(void)unused;

	assert_int_equal(wrong(r), 1 << TAGGED_SOURCE);
	inexact(&r); /* hardware need not know it */
	assert_int_equal(j[TAGGED_SOURCE].checked, 0);
	r.has |= RECORD_HAS_SOURCE;
	for (unsigned from = RECORD_FROM_UNDEFINED; from <= RECORD_FROM_DEVICE; from++) {
		bool right = from == RECORD_FROM_CACHE || from == RECORD_FROM_MEMORY;

		r.from_where = (uint8_t)from;
		assert_int_equal(wrong(r), right ? 0 : 1 << TAGGED_SOURCE);
	}
}

/* Where there is one node only, nothing comes from another. */
static void nodes(void **unused)
{
	struct pmu_record r = {OP(0, RECORD_OP_LOAD | RECORD_OP_L1D_MISS | RECORD_OP_L2_MISS)};
	(void)unused;

	r.has |= RECORD_HAS_SOURCE;
	r.from_where = RECORD_FROM_MEMORY;
	r.from_far = true;
	assert_int_equal(wrong(r), 0);
	x.one_node = true;
	assert_int_equal(wrong(r), 1 << TAGGED_SOURCE);
	inexact(&r);
	assert_int_equal(j[TAGGED_SOURCE].checked - j[TAGGED_SOURCE].right, 1);
	r.from_far = false;
	assert_int_equal(wrong(r), 0);
	r.has &= ~(uint32_t)RECORD_HAS_SOURCE;
	r.from_far = true;
	r.op &= ~(uint32_t)RECORD_OP_L2_MISS;
	assert_int_equal(wrong(r), 0);
	x.one_node = false;
}

static void filtered(void **unused)
{
	struct pmu_record r = {OP(0x44, 0)};
	(void)unused;

	x.far_only = true;
	assert_int_equal(wrong(r), 1 << TAGGED_FILTER);
	r.op = RECORD_OP_L1D_MISS | RECORD_OP_L2_MISS;
	assert_int_equal(wrong(r), 0);
	r.kind = RECORD_FETCH;
	r.op = RECORD_OP_L1I_MISS | RECORD_OP_L2_MISS;
	assert_int_equal(wrong(r), 1 << TAGGED_FILTER);
	r.op |= RECORD_OP_LLC_MISS;
	assert_int_equal(wrong(r), 0);
	x.far_only = false;
	/* Loads alone that took longer. */
	r = (struct pmu_record){OP(0x44, 0)};
	x.latency_above = 128;
	assert_int_equal(wrong(r), 1 << TAGGED_FILTER);
	r = (struct pmu_record){OP(0, RECORD_OP_LOAD | RECORD_OP_L1D_MISS), .latency = 129};
	assert_int_equal(wrong(r), 1 << TAGGED_FILTER);
	r.has |= RECORD_HAS_LATENCY;
	assert_int_equal(wrong(r), 0);
	r.latency = 128;
	assert_int_equal(wrong(r), 1 << TAGGED_FILTER);
	x.latency_above = 0;
}

static void targets(void **unused)
{
	struct pmu_record r = {
		.has = RECORD_HAS_IP | RECORD_HAS_BRANCH, .ip = 0x1006, .from = 0x1006, .to = 0x1000};
	(void)unused;

	assert_int_equal(wrong(r), 0);
	r.to = 0x1008; /* not taken */
	assert_int_equal(wrong(r), 1 << TAGGED_TARGET);
	r.to = 0x1001;
	assert_int_equal(wrong(r), 1 << TAGGED_TARGET);
	/* Where it says so. */
	r.has |= RECORD_HAS_OP;
	r.op = RECORD_OP_BRANCH;
	r.to = 0x1008;
	assert_int_equal(wrong(r), 0);
	r.to = 0x1000;
	assert_int_equal(wrong(r), 1 << TAGGED_TARGET);
	r.op |= RECORD_OP_TAKEN;
	assert_int_equal(wrong(r), 0);
	r.has &= ~(uint32_t)RECORD_HAS_OP;
	r.to = 0x1000;
	r.from = 0x1005;
	assert_int_equal(wrong(r), 1 << TAGGED_TARGET);
}

static void addresses(void **unused)
{
	struct pmu_record r = {OP(0, RECORD_OP_LOAD)};
	(void)unused;

	r.has |= RECORD_HAS_ADDRESS;
	r.address = 0x8000;
	assert_int_equal(wrong(r), 0);
	r.address++;
	assert_int_equal(wrong(r), 1 << TAGGED_ADDRESS);
	r.address--;
	/* As wide; on silicon an operation may be a part. Misaligned is what is not aligned. */
	r.has |= RECORD_HAS_WIDTH;
	r.width = 8;
	assert_int_equal(wrong(r), 0);
	r.width = 4;
	assert_int_equal(wrong(r), 1 << TAGGED_ADDRESS);
	inexact(&r);
	assert_int_equal(j[TAGGED_ADDRESS].right, 1);
	r.width = 16;
	inexact(&r);
	assert_int_equal(j[TAGGED_ADDRESS].right, 0);
	r.has &= ~RECORD_HAS_WIDTH;
	r.op |= RECORD_OP_MISALIGNED;
	assert_int_equal(wrong(r), 1 << TAGGED_ADDRESS);
	r.ip = 0x1003;
	r.op = RECORD_OP_STORE;
	x.exact = false;
	assert_int_equal(wrong(r), 0);
	r.ip = 0x1000;
	assert_int_equal(wrong(r), 1 << TAGGED_ADDRESS | 1 << TAGGED_KIND);
	x.exact = true;
}

static void fetches(void **unused)
{
	struct pmu_record r = {.kind = RECORD_FETCH, .has = RECORD_HAS_IP, .ip = 0x1005};
	(void)unused;

	assert_int_equal(wrong(r), 0);
	r.ip = 0x100d;
	assert_int_equal(wrong(r), 1 << TAGGED_INSTRUCTION);
	inexact(&r);
	assert_int_equal(j[TAGGED_INSTRUCTION].right, 1);
	r.ip = 0x1080;
	inexact(&r);
	assert_int_equal(j[TAGGED_INSTRUCTION].right, 0);
}

static void times(void **unused)
{
	struct pmu_record r[2] = {{OP(0, 0), .kind = RECORD_OPERATION, .clock = 150},
				  {OP(0, 0), .kind = RECORD_OPERATION, .clock = 151}};
	(void)unused;

	r[0].has |= RECORD_HAS_CLOCK;
	r[1].has |= RECORD_HAS_CLOCK;
	tagged_judge(&x, r, 2, j);
	assert_int_equal(j[TAGGED_TIME].right, 2);
	r[1].clock = 149;
	tagged_judge(&x, r, 2, j);
	assert_int_equal(j[TAGGED_TIME].right, 1);
	assert_int_equal(wrong((struct pmu_record){
				 .has = RECORD_HAS_IP | RECORD_HAS_CLOCK, .ip = 0x1000, .clock = 99}),
			 1 << TAGGED_TIME);
	assert_int_equal(wrong((struct pmu_record){
				 .has = RECORD_HAS_IP | RECORD_HAS_CLOCK, .ip = 0x1000, .clock = 201}),
			 1 << TAGGED_TIME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations),   cmocka_unit_test(whole_operations),
		cmocka_unit_test(targets),      cmocka_unit_test(addresses),
		cmocka_unit_test(fetches),      cmocka_unit_test(times),
		cmocka_unit_test(translations), cmocka_unit_test(cycles),
		cmocka_unit_test(levels),       cmocka_unit_test(sources),
		cmocka_unit_test(nodes),        cmocka_unit_test(filtered),
	};

	return cmocka_run_group_tests_name("tagged_judge", tests, NULL, NULL);
}
