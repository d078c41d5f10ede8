/*
 * Tests of the machine model's rules, as its header states them, from both sides: run on the model as it is
 * (test_uarch.c), and on broken ones (test_uarch_mutants.c).
 */
#ifndef TESTS_SELF_HOST_UARCH_RULE_TESTS_H
#define TESTS_SELF_HOST_UARCH_RULE_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "pmu/virtual/uarch.h"

/* Small enough to overflow by hand: L1D 4 sets x 2 ways x 64 bytes, L2 16 x 2, LLC 64 x 4, TLBs of 4 and 8
 * pages. */
static const struct machine_geometry tiny = {
	.l1d = {4, 2, 64},
	.l1i = {4, 2, 64},
	.l2 = {16, 2, 64},
	.llc = {64, 4, 64},
	.decoded = {2, 2, 32},
	.dtlb = 4,
	.itlb = 4,
	.stlb_sets = 4,
	.stlb_ways = 2,
	.page_shift = 12,
	.history_bits = 4,
	.return_stack = 4,
	.store_buffer = 4,
};

static struct uarch *make(const struct machine_geometry *g)
{
	return uarch_create(malloc(uarch_size(g)), g);
}

static unsigned amount(const struct qterm *t, unsigned n, enum quantity q)
{
	for (unsigned i = 0; i < n; i++)
		if (t[i].quantity == q)
			return t[i].amount;
	return 0;
}

/* One instruction at a fixed, warm address with a single access; returns the amount of q that it caused. */
static unsigned touch(struct uarch *u, uint64_t address, uint32_t size, bool store, enum quantity q)
{
	struct step_access a = {.address = address, .size = size, .store = store};
	struct uarch_step s = {.ip = 0x400000, .length = 3, .next = 0x400003, .access = &a, .n_access = 1};
	struct qterm out[16];

	return amount(out, uarch_step(u, &s, out, 16), q);
}

/* Fetch the code of touch() beforehand, so that it contributes nothing. */
static void warm_code(struct uarch *u)
{
	struct uarch_step s = {.ip = 0x400000, .length = 3, .next = 0x400003};
	struct qterm out[16];

	uarch_step(u, &s, out, 16);
}

static unsigned jump(struct uarch *u, struct uarch_step s)
{
	struct qterm out[16];

	return amount(out, uarch_step(u, &s, out, 16), Q_BR_MISPRED);
}

static void capacity_and_lru(void **state)
{
	struct uarch *u = make(&tiny);

	(void)state;
	/* Three lines of one set of two ways: the third pushes the least recent out. */
	assert_int_equal(touch(u, 0x1000, 8, false, Q_L1D_LOAD_MISS), 1);
	assert_int_equal(touch(u, 0x1008, 8, false, Q_L1D_LOAD_MISS), 0);
	assert_int_equal(touch(u, 0x1100, 8, false, Q_L1D_LOAD_MISS), 1);
	assert_int_equal(touch(u, 0x1000, 8, false, Q_L1D_LOAD_MISS), 0);
	assert_int_equal(touch(u, 0x1200, 8, false, Q_L1D_LOAD_MISS), 1);
	assert_int_equal(touch(u, 0x1000, 8, false, Q_L1D_LOAD_MISS), 0);
	assert_int_equal(touch(u, 0x1100, 8, false, Q_L1D_LOAD_MISS), 1);
	/* A store brings its line in. */
	assert_int_equal(touch(u, 0x2000, 8, true, Q_L1D_LOAD_MISS), 0);
	assert_int_equal(touch(u, 0x2000, 8, false, Q_L1D_LOAD_MISS), 0);
	assert_int_equal(touch(u, 0x2000, 8, true, Q_LLC_REF), 0);
	free(u);
}

static void levels(void **state)
{
	struct uarch *u = make(&tiny);

	(void)state;
	warm_code(u);
	assert_int_equal(touch(u, 0x1000, 8, false, Q_LLC_MISS), 1);
	uarch_reset(u);
	assert_int_equal(touch(u, 0x1000, 8, false, Q_L2_LOAD_MISS), 1);
	/* Out of L1 (two more lines of its set), still in L2. */
	touch(u, 0x1100, 8, false, Q_L1D_LOAD_MISS);
	touch(u, 0x1200, 8, false, Q_L1D_LOAD_MISS);
	assert_int_equal(touch(u, 0x1000, 8, false, Q_L2_LOAD_MISS), 0);
	/* Out of L2 as well, still in the last level: a reference without a miss. */
	touch(u, 0x1400, 8, false, Q_L1D_LOAD_MISS);
	touch(u, 0x1800, 8, false, Q_L1D_LOAD_MISS);
	touch(u, 0x1c00, 8, false, Q_L1D_LOAD_MISS);
	struct step_access a = {.address = 0x1000, .size = 8};
	struct uarch_step s = {.ip = 0x400000, .length = 3, .next = 0x400003, .access = &a, .n_access = 1};
	struct qterm out[16];
	unsigned n = uarch_step(u, &s, out, 16);
	assert_int_equal(amount(out, n, Q_L2_LOAD_MISS), 1);
	assert_int_equal(amount(out, n, Q_LLC_REF), 1);
	assert_int_equal(amount(out, n, Q_LLC_MISS), 0);
	uarch_flush_line(u, 0x1000);
	assert_int_equal(touch(u, 0x1000, 8, false, Q_LLC_MISS), 1);
	free(u);
}

static void without_last_level(void **state)
{
	struct machine_geometry g = tiny;

	(void)state;
	g.llc.sets = 0;
	struct uarch *u = make(&g);
	warm_code(u);
	assert_int_equal(touch(u, 0x1000, 8, false, Q_LLC_MISS), 1);
	assert_int_equal(touch(u, 0x1000, 8, false, Q_LLC_REF), 0);
	touch(u, 0x1100, 8, false, Q_LLC_REF);
	touch(u, 0x1200, 8, false, Q_LLC_REF);
	assert_int_equal(touch(u, 0x1000, 8, false, Q_LLC_REF), 1);
	free(u);
}

static void splits(void **state)
{
	struct uarch *u = make(&tiny);

	(void)state;
	/* Two lines missing are one load that misses, but two requests. */
	assert_int_equal(touch(u, 0x103c, 8, false, Q_L1D_LOAD_MISS), 1);
	uarch_reset(u);
	warm_code(u);
	assert_int_equal(touch(u, 0x103c, 8, false, Q_LLC_REF), 2);
	assert_int_equal(touch(u, 0x1ffc, 8, false, Q_DTLB_LOAD_MISS), 1);
	assert_int_equal(touch(u, 0x2000, 8, false, Q_DTLB_LOAD_MISS), 0);
	free(u);
}

static void tlb(void **state)
{
	struct uarch *u = make(&tiny);

	(void)state;
	for (unsigned page = 0; page < 5; page++)
		assert_int_equal(touch(u, 0x10000 + page * 0x1000, 8, true, Q_DTLB_STORE_MISS), 1);
	/* Page 0 left the first level of four, the second level still has it. */
	assert_int_equal(touch(u, 0x10000, 8, false, Q_DTLB_LOAD_STLB), 1);
	assert_int_equal(touch(u, 0x10000, 8, false, Q_DTLB_LOAD_STLB), 0);
	assert_int_equal(touch(u, 0x11000, 8, true, Q_DTLB_STORE_STLB), 1);
	assert_int_equal(touch(u, 0x11000, 8, true, Q_DTLB_STORE_STLB), 0);
	/* Three pages of one second-level set of two ways, and out of the first level. */
	for (unsigned page = 0; page < 12; page++)
		touch(u, 0x10000 + page * 0x1000, 8, false, Q_DTLB_LOAD_MISS);
	assert_int_equal(touch(u, 0x10000, 8, false, Q_DTLB_LOAD_MISS), 1);
	uarch_flush_tlb(u, 0x10000);
	assert_int_equal(touch(u, 0x10000, 8, false, Q_DTLB_LOAD_MISS), 1);
	uarch_flush_tlb(u, UINT64_MAX);
	assert_int_equal(touch(u, 0x10000, 8, false, Q_DTLB_LOAD_MISS), 1);
	assert_int_equal(touch(u, 0x10000, 8, false, Q_DTLB_LOAD_MISS), 0);
	free(u);
}

static void large_pages(void **state)
{
	struct uarch *u = make(&tiny);

	(void)state;
	uarch_large_pages(u, 0x200000, 0x600000, 21);
	assert_int_equal(touch(u, 0x200000, 8, false, Q_DTLB_LOAD_MISS), 1);
	for (unsigned page = 1; page < 500; page++)
		assert_int_equal(touch(u, 0x200000 + page * 0x1000, 8, false, Q_DTLB_LOAD_MISS), 0);
	assert_int_equal(touch(u, 0x3ffffc, 8, true, Q_DTLB_STORE_MISS), 1); /* into the second large page */
	assert_int_equal(touch(u, 0x1000, 8, false, Q_DTLB_LOAD_MISS),
			 1); /* a small one of the same number */
	assert_int_equal(touch(u, 0x600000, 8, false, Q_DTLB_LOAD_MISS), 1);
	assert_int_equal(touch(u, 0x601000, 8, false, Q_DTLB_LOAD_MISS), 1);
	touch(u, 0x210000, 8, false, Q_DTLB_LOAD_MISS);
	uarch_flush_tlb(u, 0x2abcde);
	assert_int_equal(touch(u, 0x210000, 8, false, Q_DTLB_LOAD_2M), 1);
	assert_int_equal(touch(u, 0x210000, 8, false, Q_DTLB_LOAD_2M), 0);
	uarch_flush_tlb(u, 0x210000);
	assert_int_equal(touch(u, 0x210000, 8, true, Q_DTLB_STORE_2M), 1);
	uarch_flush_tlb(u, UINT64_MAX);
	assert_int_equal(touch(u, 0x210000, 8, true, Q_DTLB_STORE_4K), 0);
	assert_int_equal(touch(u, 0x1000, 8, true, Q_DTLB_STORE_4K), 1);
	uarch_large_pages(u, 0x200000, 0x600000, 30);
	uarch_flush_tlb(u, UINT64_MAX);
	assert_int_equal(touch(u, 0x210000, 8, false, Q_DTLB_LOAD_1G), 1);
	uarch_flush_tlb(u, 0x210000);
	assert_int_equal(touch(u, 0x210000, 8, true, Q_DTLB_STORE_1G), 1);
	uarch_flush_tlb(u, UINT64_MAX);
	assert_int_equal(touch(u, 0x1000, 8, false, Q_DTLB_LOAD_4K), 1);
	uarch_large_pages(u, 0, 0, 0);
	assert_int_equal(touch(u, 0x3f0000, 8, false, Q_DTLB_LOAD_MISS), 1);
	assert_int_equal(touch(u, 0x3f1000, 8, false, Q_DTLB_LOAD_MISS), 1);
	free(u);
}

static void forwarding(void **state)
{
	struct uarch *u = make(&tiny);

	(void)state;
	touch(u, 0x1000, 8, true, Q_LLC_REF);
	assert_int_equal(touch(u, 0x1000, 8, false, Q_STORE_FORWARD), 1);
	assert_int_equal(touch(u, 0x1004, 4, false, Q_STORE_FORWARD), 1);
	assert_int_equal(touch(u, 0x1004, 8, false, Q_STORE_FORWARD_BLOCK), 1);
	assert_int_equal(touch(u, 0x1008, 8, false, Q_STORE_FORWARD_BLOCK), 0);
	/* It need not be the last store of all. */
	touch(u, 0x5000, 8, true, Q_LLC_REF);
	assert_int_equal(touch(u, 0x1000, 8, false, Q_STORE_FORWARD), 1);
	/* The youngest overlapping store decides, and only so many are seen. */
	touch(u, 0x1000, 4, true, Q_LLC_REF);
	assert_int_equal(touch(u, 0x1000, 8, false, Q_STORE_FORWARD_BLOCK), 1);
	for (unsigned i = 0; i < 4; i++)
		touch(u, 0x3000 + 8 * i, 8, true, Q_LLC_REF);
	assert_int_equal(touch(u, 0x1000, 8, false, Q_STORE_FORWARD_BLOCK), 0);
	/* The oldest of a full buffer is seen, and the one before it is not. */
	for (unsigned behind = 2; behind <= tiny.store_buffer; behind++) {
		touch(u, 0x1000, 8, true, Q_LLC_REF);
		for (unsigned i = 0; i < behind; i++)
			touch(u, 0x3000 + 8 * i, 8, true, Q_LLC_REF);
		assert_int_equal(touch(u, 0x1000, 8, false, Q_STORE_FORWARD), behind < tiny.store_buffer);
	}
	free(u);
}

static void conditional_prediction(void **state)
{
	struct uarch *u = make(&tiny);
	unsigned misses = 0;

	(void)state;
	/* Always taken: learnt once the history has filled up, then never wrong again. */
	for (unsigned i = 0; i < 16; i++)
		jump(u, (struct uarch_step){
				.ip = 0x500, .length = 2, .branch = UARCH_CONDITIONAL, .taken = true});
	for (unsigned i = 0; i < 100; i++)
		misses += jump(u,
			       (struct uarch_step){
				       .ip = 0x500, .length = 2, .branch = UARCH_CONDITIONAL, .taken = true});
	assert_int_equal(misses, 0);
	/* The first one that falls through is wrong. */
	assert_int_equal(jump(u, (struct uarch_step){.ip = 0x500, .length = 2, .branch = UARCH_CONDITIONAL}),
			 1);
	/* A pattern that history tells is learnt. */
	misses = 0;
	for (unsigned i = 0; i < 200; i++) {
		unsigned wrong = jump(
			u, (struct uarch_step){
				   .ip = 0x500, .length = 2, .branch = UARCH_CONDITIONAL, .taken = i & 1});
		misses += i >= 100 ? wrong : 0;
	}
	assert_int_equal(misses, 0);
	/* A pattern longer than the history cannot be learnt completely. */
	uint32_t x = 1;
	misses = 0;
	for (unsigned i = 0; i < 1000; i++) {
		x = x * 1664525 + 1013904223;
		misses += jump(
			u, (struct uarch_step){
				   .ip = 0x500, .length = 2, .branch = UARCH_CONDITIONAL, .taken = x >> 31});
	}
	assert_in_range(misses, 300, 700);
	free(u);
}

static void indirect_and_returns(void **state)
{
	struct uarch *u = make(&tiny);
	struct uarch_step to_a = {.ip = 0x600, .length = 2, .branch = UARCH_INDIRECT, .next = 0xa00};
	struct uarch_step to_b = {.ip = 0x600, .length = 2, .branch = UARCH_INDIRECT, .next = 0xb00};

	(void)state;
	assert_int_equal(jump(u, to_a), 1);
	assert_int_equal(jump(u, to_a), 0);
	assert_int_equal(jump(u, to_b), 1);
	assert_int_equal(jump(u, to_a), 1);

	struct uarch_step call = {
		.ip = 0x700, .length = 5, .branch = UARCH_DIRECT, .call = true, .next = 0x800};
	struct uarch_step ret = {.ip = 0x800, .length = 1, .branch = UARCH_RETURN, .next = 0x705};
	assert_int_equal(jump(u, call), 0);
	assert_int_equal(jump(u, ret), 0);
	assert_int_equal(jump(u, ret), 1); /* nobody called */
	/* An indirect call pushes, too. */
	jump(u, (struct uarch_step){
			.ip = 0x700, .length = 2, .branch = UARCH_INDIRECT, .call = true, .next = 0x900});
	ret.next = 0x702;
	assert_int_equal(jump(u, ret), 0);
	/* Five calls deep, four remembered. */
	for (unsigned i = 0; i < 5; i++) {
		call.ip = 0x1000 + 0x100 * i;
		jump(u, call);
	}
	for (unsigned i = 5; i-- > 0;) {
		ret.next = 0x1005 + 0x100 * i;
		assert_int_equal(jump(u, ret), i == 0);
	}
	free(u);
}

static void fetching(void **state)
{
	struct uarch *u = make(&tiny);
	struct uarch_step s = {.ip = 0x10000, .length = 1};
	struct qterm out[16];

	(void)state;
	unsigned n = uarch_step(u, &s, out, 16);
	assert_int_equal(amount(out, n, Q_L1I_MISS), 1);
	assert_int_equal(amount(out, n, Q_ITLB_MISS), 1);
	s.ip = 0x10001;
	assert_int_equal(uarch_step(u, &s, out, 16), 0);
	s = (struct uarch_step){.ip = 0x1003e, .length = 4}; /* runs into the next line */
	n = uarch_step(u, &s, out, 16);
	assert_int_equal(amount(out, n, Q_L1I_MISS), 1);
	assert_int_equal(amount(out, n, Q_ITLB_MISS), 0);
	free(u);
}

/* Misses of an instruction of one byte at an address: 1 of the cache, 10 of the last level, 100 of the TLB.
 */
static unsigned fetched_at(struct uarch *u, uint64_t ip)
{
	struct uarch_step s = {.ip = ip, .length = 1};
	struct qterm out[16];
	unsigned n = uarch_step(u, &s, out, 16);

	return amount(out, n, Q_L1I_MISS) + 10 * amount(out, n, Q_LLC_MISS) +
	       100 * amount(out, n, Q_ITLB_MISS);
}

/* The fetch unit looks a line and a page up as it enters them. What is taken out of the caches and TLBs below
 * it while it executes there, it looks up anew, and nothing else. */
static void fetching_what_was_dropped(void **state)
{
	struct uarch *u = make(&tiny);

	(void)state;
	assert_int_equal(fetched_at(u, 0x10000), 111);
	assert_int_equal(fetched_at(u, 0x10001), 0);
	/* Its own line, by any of its bytes; once. */
	for (unsigned byte = 0; byte < 64; byte += 21) {
		uarch_flush_line(u, 0x10000 + byte);
		assert_int_equal(fetched_at(u, 0x10002), 11);
		assert_int_equal(fetched_at(u, 0x10003), 0);
	}
	/* Another line: that one alone, when it is entered. */
	assert_int_equal(fetched_at(u, 0x10040), 11);
	assert_int_equal(fetched_at(u, 0x10004), 0);
	uarch_flush_line(u, 0x10040);
	assert_int_equal(fetched_at(u, 0x10005), 0);
	assert_int_equal(fetched_at(u, 0x10041), 11);
	assert_int_equal(fetched_at(u, 0x10006), 0);
	/* Its own page, another one, all. */
	uarch_flush_tlb(u, 0x10abc);
	assert_int_equal(fetched_at(u, 0x10007), 100);
	assert_int_equal(fetched_at(u, 0x10008), 0);
	uarch_flush_tlb(u, 0x11000);
	assert_int_equal(fetched_at(u, 0x10009), 0);
	uarch_flush_tlb(u, UINT64_MAX);
	assert_int_equal(fetched_at(u, 0x1000a), 100);
	assert_int_equal(fetched_at(u, 0x1000b), 0);
	/* Everything. */
	uarch_reset(u);
	assert_int_equal(fetched_at(u, 0x1000c), 111);
	assert_int_equal(fetched_at(u, 0x1000d), 0);
	free(u);
}

/* What is told of the instruction at an address: 1 for each look-up that misses, 10 for a micro-operation
 * that is decoded, 100 for one that is held. */
static unsigned decoded_at(struct uarch *u, uint64_t ip)
{
	struct uarch_step s = {.ip = ip, .length = 4};
	struct qterm out[16];
	unsigned n = uarch_step(u, &s, out, 16);

	return amount(out, n, Q_DECODED_MISS) + 10 * amount(out, n, Q_UOPS_DECODED) +
	       100 * amount(out, n, Q_UOPS_CACHED);
}

static void decoded_instructions(void **state)
{
	struct uarch *u = make(&tiny);

	(void)state;
	assert_int_equal(decoded_at(u, 0x400000), 0); /* nobody asks */
	uarch_tell_decoded(u, true);
	assert_int_equal(decoded_at(u, 0x400000), 11);
	assert_int_equal(decoded_at(u, 0x400004), 10);  /* of the same window */
	assert_int_equal(decoded_at(u, 0x400000), 100); /* back: now it is there */
	assert_int_equal(decoded_at(u, 0x400004), 100);
	assert_int_equal(decoded_at(u, 0x400020), 11); /* the next window */
	assert_int_equal(decoded_at(u, 0x400040), 11); /* in the set of the first */
	assert_int_equal(decoded_at(u, 0x400000), 100);
	assert_int_equal(decoded_at(u, 0x400080), 11); /* a third one of two ways */
	assert_int_equal(decoded_at(u, 0x400040), 11);
	assert_int_equal(decoded_at(u, 0x400020), 100); /* another set */
	uarch_reset(u);
	assert_int_equal(decoded_at(u, 0x400020), 11);
	uarch_tell_decoded(u, false);
	assert_int_equal(decoded_at(u, 0x400020), 0);
	free(u);
}

static void bad_geometry(void **state)
{
	struct machine_geometry g;

	(void)state;
	assert_int_not_equal(uarch_size(&tiny), 0);
#define REFUSED(change)                                                                                      \
	g = tiny;                                                                                            \
	change;                                                                                              \
	assert_int_equal(uarch_size(&g), 0)
	REFUSED(g.l1d.sets = 3);
	REFUSED(g.l1d.sets = 0);
	REFUSED(g.l1i.ways = 0);
	REFUSED(g.l2.line = 48);
	REFUSED(g.llc.sets = 1u << 20);
	REFUSED(g.decoded.sets = 3);
	REFUSED(g.decoded.ways = 0);
	REFUSED(g.dtlb = 0);
	REFUSED(g.itlb = UARCH_TLB + 1);
	REFUSED(g.stlb_sets = UARCH_STLB);
	REFUSED(g.stlb_ways = 0);
	REFUSED(g.page_shift = 11);
	REFUSED(g.history_bits = 13);
	REFUSED(g.return_stack = 0);
	REFUSED(g.store_buffer = UARCH_STORES + 1);
}

static void room_is_respected(void **state)
{
	struct uarch *u = make(&tiny);
	struct step_access a = {.address = 0x1000, .size = 8};
	struct uarch_step s = {.ip = 0x400000, .length = 3, .access = &a, .n_access = 1};
	struct qterm out[16];

	(void)state;
	assert_int_equal(uarch_step(u, &s, out, 2), 2);
	free(u);
}

/* A step with one store, at a warm address of code or of data; the machine clears that it caused. */
static unsigned clears(struct uarch *u, uint64_t address, uint32_t size)
{
	return touch(u, address, size, true, Q_CLEARS_SMC);
}

static void stores_to_code(void **state)
{
	struct uarch *u = make(&tiny);

	(void)state;
	warm_code(u); /* the line at 400000H */
	assert_int_equal(clears(u, 0x1000, 8), 0);
	assert_int_equal(clears(u, 0x400030, 1), 1);
	assert_int_equal(clears(u, 0x400030, 1), 1); /* it is still there */
	assert_int_equal(clears(u, 0x40003f, 1), 1);
	assert_int_equal(clears(u, 0x400040, 1), 0);
	assert_int_equal(clears(u, 0x3ffffe, 4), 1); /* across its start */
	assert_int_equal(touch(u, 0x400030, 1, false, Q_CLEARS_SMC), 0);
	/* Through another address. */
	assert_int_equal(clears(u, 0x900010, 1), 0);
	uarch_code_alias(u, 0x900000, 0x901000, 0x400000 - 0x900000);
	assert_int_equal(clears(u, 0x900010, 1), 1);
	assert_int_equal(clears(u, 0x900fff, 1), 0);
	assert_int_equal(clears(u, 0x901000, 1), 0);
	uarch_flush_line(u, 0x400000);
	struct step_access a = {.address = 0x900010, .size = 1, .store = true};
	struct uarch_step s = {.ip = 0x500000, .length = 3, .next = 0x500003, .access = &a, .n_access = 1};
	struct qterm out[16];
	assert_int_equal(amount(out, uarch_step(u, &s, out, 16), Q_CLEARS_SMC), 0);
	free(u);
}

static unsigned transitions(struct uarch *u, const uint8_t *kinds, enum quantity q)
{
	unsigned sum = 0;

	for (; *kinds; kinds++) {
		struct uarch_step s = {.ip = 0x400000, .length = 4, .next = 0x400004, .vector = *kinds};
		struct qterm out[16];

		sum += amount(out, uarch_step(u, &s, out, 16), q);
	}
	return sum;
}

static void upper_halves(void **state)
{
	static const struct {
		unsigned to_sse, to_avx;
		uint8_t kinds[8];
	} cases[] = {
		{0, 0, {UARCH_NARROW, UARCH_CLEARING, UARCH_NARROW, UARCH_CLEARING}},
		{0, 0, {UARCH_WIDE, UARCH_CLEARING, UARCH_WIDE}},
		{1, 0, {UARCH_WIDE, UARCH_NARROW, UARCH_NARROW}},
		{1, 1, {UARCH_WIDE, UARCH_NARROW, UARCH_CLEARING, UARCH_CLEARING}},
		{2, 1, {UARCH_WIDE, UARCH_NARROW, UARCH_CLEARING, UARCH_NARROW}},
		{0, 0, {UARCH_WIDE, UARCH_ZERO_UPPER, UARCH_NARROW, UARCH_CLEARING}},
		{1, 1, {UARCH_WIDE, UARCH_NARROW, UARCH_ZERO_UPPER, UARCH_NARROW}},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct uarch *u = make(&tiny);

		assert_int_equal(transitions(u, cases[i].kinds, Q_AVX_TO_SSE), cases[i].to_sse);
		uarch_reset(u);
		assert_int_equal(transitions(u, cases[i].kinds, Q_SSE_TO_AVX), cases[i].to_avx);
		uarch_reset(u);
		assert_int_equal(transitions(u, cases[i].kinds, Q_AVX_SSE_TRANSITIONS),
				 cases[i].to_sse + cases[i].to_avx);
		uarch_reset(u);
		assert_int_equal(transitions(u, (const uint8_t[]){UARCH_NARROW, 0}, Q_AVX_SSE_TRANSITIONS),
				 0);
		free(u);
	}
}

static void denormal_numbers(void **state)
{
	struct uarch *u = make(&tiny);
	struct uarch_step s = {.ip = 0x400000, .length = 4, .next = 0x400004, .vector = UARCH_NARROW};
	struct qterm out[16];

	(void)state;
	assert_int_equal(amount(out, uarch_step(u, &s, out, 16), Q_ASSISTS_FP), 0);
	s.denormal = true;
	assert_int_equal(amount(out, uarch_step(u, &s, out, 16), Q_ASSISTS_FP), 1);
	s.vector = UARCH_NO_VECTOR; /* x87 */
	assert_int_equal(amount(out, uarch_step(u, &s, out, 16), Q_ASSISTS_FP), 1);
	free(u);
}

/* A cache as it is described, without its order: each line with the time when it was last wanted. */
struct reference {
	unsigned sets, ways;
	struct {
		uint64_t block, last; /* 0: nothing is there */
	} entry[64 * 4];
};

/* @return whether it was there; if it is wanted it is from now on, else it is no longer */
static bool look_up(struct reference *r, uint64_t block, bool wanted)
{
	static uint64_t now;
	unsigned first = (unsigned)(block % r->sets) * r->ways, at = first;

	for (unsigned way = first; way < first + r->ways; way++) {
		if (r->entry[way].last && r->entry[way].block == block) {
			r->entry[way].last = wanted ? ++now : 0;
			return true;
		}
		if (r->entry[way].last < r->entry[at].last)
			at = way;
	}
	if (wanted) {
		r->entry[at].block = block;
		r->entry[at].last = ++now;
	}
	return false;
}

/* Loads of few lines and pages, flushes among them: each level has what it must have, no more and no less. */
static void loads_and_flushes_in_any_order(void **state)
{
	static struct reference l1d, l2, llc, dtlb, stlb;
	struct uarch *u = make(&tiny);
	uint64_t random = 1;

	(void)state;
	l1d = (struct reference){.sets = 4, .ways = 2};
	l2 = (struct reference){.sets = 16, .ways = 2};
	llc = (struct reference){.sets = 64, .ways = 4};
	dtlb = (struct reference){.sets = 1, .ways = 4};
	stlb = (struct reference){.sets = 4, .ways = 2};
	warm_code(u);
	look_up(&l2, 0x400000 >> 6, true);
	look_up(&llc, 0x400000 >> 6, true);
	look_up(&stlb, 0x400000 >> 12, true);
	for (unsigned i = 0; i < 4000; i++) {
		struct step_access a = {.size = 8};
		struct uarch_step s = {
			.ip = 0x400000, .length = 3, .next = 0x400003, .access = &a, .n_access = 1};
		struct qterm out[16];

		random = random * 6364136223846793005u + 1442695040888963407u;
		/* Of ten pages three lines each, which share sets; one in two of a few alone. */
		unsigned few = random >> 60 & 1, page = (unsigned)(random >> 40) % (few ? 3 : 10);
		a.address = page * 0x1000u + (unsigned)(random >> 50) % (few ? 1 : 3) * 0x100u;
		if (random >> 61 < 2) {
			uarch_flush_line(u, a.address);
			look_up(&l1d, a.address >> 6, false);
			look_up(&l2, a.address >> 6, false);
			look_up(&llc, a.address >> 6, false);
			continue;
		}
		if (random >> 61 == 2) {
			uarch_flush_tlb(u, a.address);
			look_up(&dtlb, page, false);
			look_up(&stlb, page, false);
			continue;
		}
		bool in_l1d = look_up(&l1d, a.address >> 6, true), in_dtlb = look_up(&dtlb, page, true);
		bool in_l2 = in_l1d || look_up(&l2, a.address >> 6, true);
		bool in_llc = in_l2 || look_up(&llc, a.address >> 6, true);
		bool in_stlb = in_dtlb || look_up(&stlb, page, true);
		unsigned n = uarch_step(u, &s, out, 16);
		assert_int_equal(amount(out, n, Q_L1D_LOAD_MISS), !in_l1d);
		assert_int_equal(amount(out, n, Q_L2_LOAD_MISS), !in_l2);
		assert_int_equal(amount(out, n, Q_LLC_REF), !in_l2);
		assert_int_equal(amount(out, n, Q_LLC_MISS), !in_llc);
		assert_int_equal(amount(out, n, Q_DTLB_LOAD_STLB), !in_dtlb && in_stlb);
		assert_int_equal(amount(out, n, Q_DTLB_LOAD_MISS), !in_stlb);
	}
	free(u);
}

#define UARCH_RULE_TESTS                                                                                     \
	cmocka_unit_test(capacity_and_lru), cmocka_unit_test(levels), cmocka_unit_test(without_last_level),  \
		cmocka_unit_test(splits), cmocka_unit_test(tlb), cmocka_unit_test(large_pages),              \
		cmocka_unit_test(forwarding), cmocka_unit_test(conditional_prediction),                      \
		cmocka_unit_test(indirect_and_returns), cmocka_unit_test(fetching),                          \
		cmocka_unit_test(fetching_what_was_dropped), cmocka_unit_test(decoded_instructions),         \
		cmocka_unit_test(stores_to_code), cmocka_unit_test(upper_halves),                            \
		cmocka_unit_test(loads_and_flushes_in_any_order), cmocka_unit_test(denormal_numbers),        \
		cmocka_unit_test(bad_geometry), cmocka_unit_test(room_is_respected)

#endif
