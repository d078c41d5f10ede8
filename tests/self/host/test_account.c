/*
 * Accounting for what only execution shows: iterations, splits, rings, events. (Static contributions:
 * test_insn.c.)
 */
#include "arch/x86/step/account.h"
#include "arch/x86/step/insn_quantities.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static struct insn decode(const char *bytes, size_t size)
{
	struct insn in;
	assert_true(insn_decode((const uint8_t *)bytes, size, &in));
	return in;
}
#define DECODE(bytes) decode(bytes, sizeof(bytes) - 1)

static struct qvec retired(const struct insn_retired *s)
{
	struct qvec v = {{0}};
	struct qterm terms[ACCOUNT_TERMS];
	unsigned n = account_retired(s, terms);
	assert_in_range(n, 0, ACCOUNT_TERMS);
	qvec_add(&v, terms, n);
	return v;
}

static bool touches_two(uint64_t at, uint64_t size, uint64_t block)
{
	return at / block != (at + size - 1) / block;
}

/* String instructions: the closed form against looking at every iteration. */
static void test_string_splits(void **state)
{
	(void)state;
	struct insn movs[] = {DECODE("\xf3\xa4"), DECODE("\xf3\x66\xa5"), DECODE("\xf3\xa5"),
			      DECODE("\xf3\x48\xa5")};
	for (unsigned w = 0; w < 4; w++)
		for (uint64_t offset = 0; offset < 80; offset++)
			for (uint64_t n = 0; n < 600; n = n < 20 ? n + 1 : n * 2 + 1)
				for (unsigned down = 0; down < 2; down++) {
					uint64_t size = 1u << w, source = 0x10f80 + offset,
						 dest = 0x20fc0 + offset / 2;
					uint64_t expected[4] = {0};
					for (uint64_t i = 0; i < n; i++) {
						uint64_t step = down ? -(i * size) : i * size;
						expected[0] += touches_two(source + step, size, 64);
						expected[1] += touches_two(dest + step, size, 64);
						expected[2] += touches_two(source + step, size, 4096);
						expected[3] += touches_two(dest + step, size, 4096);
					}
					struct insn_retired s = {.insn = &movs[w],
								 .iterations = n,
								 .source = source,
								 .dest = dest,
								 .backwards = down};
					struct qvec v = retired(&s);
					assert_int_equal(v.v[Q_LOADS_SPLIT_LINE], expected[0]);
					assert_int_equal(v.v[Q_STORES_SPLIT_LINE], expected[1]);
					assert_int_equal(v.v[Q_LOADS_SPLIT_PAGE], expected[2]);
					assert_int_equal(v.v[Q_STORES_SPLIT_PAGE], expected[3]);
					assert_int_equal(v.v[Q_LOADS], n);
					assert_int_equal(v.v[Q_STORE_BYTES], n * size);
					assert_int_equal(v.v[Q_REP_ITERATIONS], n);
					assert_int_equal(v.v[Q_INSN_LOAD], n > 0);
					assert_int_equal(v.v[Q_INSTRUCTIONS], 1);
				}
}

static void test_operand_splits(void **state)
{
	(void)state;
	struct insn load = DECODE("\x48\x8b\x07"), rmw = DECODE("\x01\x07"), push = DECODE("\x50"),
		    call = DECODE("\xff\x17"), locked = DECODE("\xf0\x01\x07");
	for (uint64_t at = 0x10f80; at < 0x11080; at++) {
		struct insn_retired s = {.insn = &load, .address = at};
		struct qvec v = retired(&s);
		assert_int_equal(v.v[Q_LOADS_SPLIT_LINE], touches_two(at, 8, 64));
		assert_int_equal(v.v[Q_LOADS_SPLIT_PAGE], touches_two(at, 8, 4096));
		assert_int_equal(v.v[Q_STORES_SPLIT_LINE], 0);

		s.insn = &rmw;
		v = retired(&s);
		assert_int_equal(v.v[Q_LOADS_SPLIT_LINE], touches_two(at, 4, 64));
		assert_int_equal(v.v[Q_STORES_SPLIT_LINE], touches_two(at, 4, 64));
		assert_int_equal(v.v[Q_INSN_LOCKED_SPLIT], 0);

		s.insn = &locked;
		v = retired(&s);
		assert_int_equal(v.v[Q_STORES_SPLIT_LINE], touches_two(at, 4, 64));
		assert_int_equal(v.v[Q_INSN_LOCKED_SPLIT], touches_two(at, 4, 64));

		s = (struct insn_retired){.insn = &push, .stack = at};
		v = retired(&s);
		assert_int_equal(v.v[Q_STORES_SPLIT_LINE], touches_two(at - 8, 8, 64));
		assert_int_equal(v.v[Q_LOADS_SPLIT_LINE], 0);

		s = (struct insn_retired){.insn = &call, .address = at, .stack = 0x8000};
		v = retired(&s);
		assert_int_equal(v.v[Q_LOADS_SPLIT_LINE], touches_two(at, 8, 64));
		assert_int_equal(v.v[Q_STORES_SPLIT_LINE], 0);
	}
}

static void test_partial(void **state)
{
	(void)state;
	struct insn in = DECODE("\xf3\xa4");
	struct insn_retired first = {.insn = &in, .iterations = 5, .partial = true},
			    rest = {.insn = &in, .iterations = 7};
	struct qvec a = retired(&first), b = retired(&rest);
	assert_int_equal(a.v[Q_INSTRUCTIONS], 0);
	assert_int_equal(a.v[Q_INSN_STRING], 0);
	assert_int_equal(a.v[Q_LOADS], 5);
	assert_int_equal(a.v[Q_REP_ITERATIONS], 5);
	assert_int_equal(b.v[Q_INSTRUCTIONS], 1);
	assert_int_equal(b.v[Q_LOADS], 7);
}

static void test_branches(void **state)
{
	(void)state;
	struct insn in = DECODE("\x75\xfe");
	struct insn_retired s = {.insn = &in, .taken = false};
	assert_int_equal(retired(&s).v[Q_BR_COND_NTAKEN], 1);
	assert_int_equal(retired(&s).v[Q_BR_COND_TAKEN], 0);
	s.taken = true;
	assert_int_equal(retired(&s).v[Q_BR_COND_NTAKEN], 0);
	assert_int_equal(retired(&s).v[Q_BR_COND_TAKEN], 1);
}

static void test_gather(void **state)
{
	(void)state;
	struct insn in = DECODE("\xc4\xe2\x6d\x92\x2c\x38");
	struct insn_retired s = {.insn = &in, .iterations = 0};
	assert_int_equal(retired(&s).v[Q_INSN_LOAD], 0);
	assert_int_equal(retired(&s).v[Q_INSN_AVX], 1);
	s.iterations = 6;
	assert_int_equal(retired(&s).v[Q_INSN_LOAD], 1);
	assert_int_equal(retired(&s).v[Q_LOADS], 6);
	assert_int_equal(retired(&s).v[Q_LOAD_BYTES], 24);
}

static void test_rings(void **state)
{
	(void)state;
	struct insn iret = DECODE("\x48\xcf"), syscall = DECODE("\x0f\x05"), soft = DECODE("\xcd\x80");
	struct insn_retired s = {.insn = &iret, .cpl = 0, .cpl_after = 3};
	assert_int_equal(retired(&s).v[Q_RING_TO_USER], 1);
	s.cpl_after = 0;
	assert_int_equal(retired(&s).v[Q_RING_TO_USER], 0);
	s = (struct insn_retired){.insn = &syscall, .cpl = 3, .cpl_after = 0};
	assert_int_equal(retired(&s).v[Q_RING_TO_KERNEL], 1);
	/* INT n: the instruction counts the interrupt, its delivery the change of rings; together each once.
	 */
	s = (struct insn_retired){.insn = &soft, .cpl = 3, .cpl_after = 0};
	struct qvec v = retired(&s);
	struct qterm terms[ACCOUNT_TERMS];
	qvec_add(&v, terms, account_event(STEP_SOFT_INTERRUPT, 0x80, 3, terms));
	assert_int_equal(v.v[Q_RING_TO_KERNEL], 1);
	assert_int_equal(v.v[Q_INTERRUPTS_SW], 1);
	assert_int_equal(v.v[Q_STORES], 0);
}

/* Each vector that has a quantity adds to that one alone, the others to none. */
static void test_vectors(void **state)
{
	static const struct {
		uint8_t vector;
		quantity_number quantity;
	} own[] = {{0, Q_EXC_DE},  {1, Q_EXC_DB},  {6, Q_EXC_UD},  {7, Q_EXC_NM},
		   {11, Q_EXC_NP}, {12, Q_EXC_SS}, {13, Q_EXC_GP}, {14, Q_EXC_PF},
		   {16, Q_EXC_MF}, {17, Q_EXC_AC}, {19, Q_EXC_XM}};
	(void)state;
	for (unsigned vector = 0; vector < 256; vector++) {
		struct qterm terms[ACCOUNT_TERMS];
		struct qvec v = {{0}};

		qvec_add(&v, terms, account_event(STEP_EXCEPTION, vector, 0, terms));
		assert_int_equal(v.v[Q_EXCEPTIONS], 1);
		for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
			assert_int_equal(v.v[own[i].quantity], own[i].vector == vector);
	}
}

/* From every outer ring an event leads to ring 0. */
static void test_events_from_each_ring(void **state)
{
	static const uint8_t kinds[] = {STEP_EXCEPTION, STEP_INTERRUPT, STEP_NMI};

	(void)state;
	for (unsigned i = 0; i < sizeof kinds; i++)
		for (uint8_t cpl = 0; cpl <= 3; cpl++) {
			struct qterm terms[ACCOUNT_TERMS];
			struct qvec v = {{0}};

			qvec_add(&v, terms, account_event(kinds[i], 32, cpl, terms));
			assert_int_equal(v.v[Q_RING_TO_KERNEL], cpl != 0);
			assert_int_equal(v.v[Q_INTERRUPTS_HW], kinds[i] == STEP_INTERRUPT);
			assert_int_equal(v.v[Q_INTERRUPTS_NMI], kinds[i] == STEP_NMI);
		}
}

/* What a prefix makes of an instruction, and what it does not. */
static void test_prefixes(void **state)
{
	static const struct {
		char code[8];
		uint8_t size, locked, iterations;
	} forms[] = {
		{"\xf0\x01\x07", 3, 1, 0},         /* lock add %eax,(%rdi) */
		{"\x01\x07", 2, 0, 0},             /* add */
		{"\xf0\x48\x0f\xb1\x0f", 5, 1, 0}, /* lock cmpxchg %rcx,(%rdi) */
		{"\xf3\xa4", 2, 0, 7},             /* rep movsb */
		{"\xf2\xae", 2, 0, 7},             /* repne scasb */
		{"\xa4", 1, 0, 0},                 /* movsb */
		{"\xaa", 1, 0, 0},                 /* stosb */
	};

	(void)state;
	for (unsigned i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		struct insn in = decode(forms[i].code, forms[i].size);
		struct insn_retired s = {.insn = &in,
					 .iterations = forms[i].iterations ? forms[i].iterations : 1,
					 .source = 0x1000,
					 .dest = 0x2000,
					 .address = 0x2000};
		struct qvec v = retired(&s);

		assert_int_equal(v.v[Q_INSN_LOCKED], forms[i].locked);
		assert_int_equal(v.v[Q_REP_ITERATIONS], forms[i].iterations);
		assert_int_equal(v.v[Q_INSTRUCTIONS], 1);
	}
}

static void test_events(void **state)
{
	(void)state;
	struct qterm terms[ACCOUNT_TERMS];
	struct qvec v = {{0}};
	qvec_add(&v, terms, account_event(STEP_EXCEPTION, 14, 0, terms));
	qvec_add(&v, terms, account_event(STEP_EXCEPTION, 3, 3, terms));
	qvec_add(&v, terms, account_event(STEP_INTERRUPT, 0xe0, 0, terms));
	qvec_add(&v, terms, account_event(STEP_NMI, 2, 3, terms));
	assert_int_equal(v.v[Q_EXCEPTIONS], 2);
	assert_int_equal(v.v[Q_EXC_PF], 1);
	assert_int_equal(v.v[Q_EXC_GP], 0);
	assert_int_equal(v.v[Q_INTERRUPTS_HW], 1);
	assert_int_equal(v.v[Q_INTERRUPTS_NMI], 1);
	assert_int_equal(v.v[Q_RING_TO_KERNEL], 2);
	assert_int_equal(v.v[Q_INSTRUCTIONS], 0);
}

static void test_accesses(void **state)
{
	(void)state;
	struct insn movs = DECODE("\xf3\x48\xa5"), rmw = DECODE("\x01\x07"), call = DECODE("\xff\x17"),
		    lea = DECODE("\x8d\x07");
	struct step_access a[2 * ACCOUNT_ACCESSES];
	struct insn_retired s = {
		.insn = &movs, .iterations = 4, .source = 0x1000, .dest = 0x2000, .backwards = true};
	assert_int_equal(account_accesses(&s, 3, a), 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(a[i].address, (a[i].store ? 0x2000 : 0x1000) - 24);
		assert_int_equal(a[i].size, 8);
	}
	s = (struct insn_retired){.insn = &rmw, .address = 0x3000};
	assert_int_equal(account_accesses(&s, 0, a), 2);
	assert_false(a[0].store);
	assert_true(a[1].store);
	s = (struct insn_retired){.insn = &call, .address = 0x3000, .stack = 0x5000};
	assert_int_equal(account_accesses(&s, 0, a), 2);
	assert_int_equal(a[0].address, 0x3000);
	assert_int_equal(a[1].address, 0x4ff8);
	s.insn = &lea;
	assert_int_equal(account_accesses(&s, 0, a), 0);
}

/* ENTER: what it accesses, turn by turn, is what it contributes, with the line and page splits that the
 * addresses give. */
static void test_enter(void **state)
{
	(void)state;
	struct insn enter = DECODE("\xc8\x20\x00\x00");
	for (uint8_t level = 0; level < 32; level++)
		for (unsigned offset = 0; offset < 80; offset++) {
			struct insn_retired s = {
				.insn = &enter, .stack = 0x8040 + offset, .frame = 0x9078 + 3 * offset};
			struct qvec v, expected = {{0}};
			enter.cond = level;
			v = retired(&s);
			assert_int_equal(account_turns(&s), level + 1);
			for (uint64_t i = 0; i < account_turns(&s); i++) {
				struct step_access a[2 * ACCOUNT_ACCESSES];
				unsigned n = account_accesses(&s, i, a);
				for (unsigned k = 0; k < n; k++) {
					bool store = a[k].store, line = touches_two(a[k].address, 8, 64),
					     page = touches_two(a[k].address, 8, 4096);
					assert_int_equal(a[k].address,
							 store ? s.stack - 8 * (i + 1) : s.frame - 8 * i);
					expected.v[store ? Q_STORES : Q_LOADS]++;
					expected.v[store ? Q_STORES_SPLIT_LINE : Q_LOADS_SPLIT_LINE] += line;
					expected.v[store ? Q_STORES_SPLIT_PAGE : Q_LOADS_SPLIT_PAGE] += page;
				}
			}
			assert_int_equal(v.v[Q_STORES], level + 1);
			assert_int_equal(v.v[Q_LOADS], level ? level - 1 : 0);
			for (enum quantity q = Q_LOADS; q <= Q_STORES; q++)
				assert_int_equal(v.v[q], expected.v[q]);
			for (enum quantity q = Q_LOADS_SPLIT_LINE; q <= Q_STORES_SPLIT_PAGE; q++)
				assert_int_equal(v.v[q], expected.v[q]);
		}
}

static enum step_transfer transfer(const struct insn *in, bool taken, bool partial)
{
	const struct insn_retired s = {
		.insn = in, .taken = taken, .partial = partial, .iterations = 3, .cpl_after = 3};
	struct qterm terms[ACCOUNT_TERMS];

	return account_transfer(&s, terms, account_retired(&s, terms));
}

static void test_transfers(void **state)
{
	(void)state;
	const struct {
		struct insn in;
		uint8_t taken, kind;
	} rows[] = {
		{DECODE("\x90"), 0, TRANSFER_NONE},
		{DECODE("\x74\x10"), 1, TRANSFER_CONDITIONAL},
		{DECODE("\x74\x10"), 0, TRANSFER_NONE},
		{DECODE("\xe2\xfe"), 1, TRANSFER_CONDITIONAL},
		{DECODE("\xe3\xfe"), 0, TRANSFER_NONE},
		{DECODE("\xeb\x10"), 0, TRANSFER_JUMP},
		{DECODE("\xff\xe0"), 0, TRANSFER_JUMP_INDIRECT},
		{DECODE("\xff\x20"), 0, TRANSFER_JUMP_INDIRECT},
		{DECODE("\xe8\x00\x00\x00\x00"), 0, TRANSFER_CALL},
		{DECODE("\xff\xd0"), 0, TRANSFER_CALL_INDIRECT},
		{DECODE("\xc3"), 0, TRANSFER_RETURN},
		{DECODE("\xc2\x08\x00"), 0, TRANSFER_RETURN},
		{DECODE("\xcb"), 0, TRANSFER_SYSTEM},
		{DECODE("\x48\xcf"), 0, TRANSFER_SYSTEM},
		{DECODE("\x0f\x05"), 0, TRANSFER_SYSTEM},
		/* By their delivery. */
		{DECODE("\xcd\x80"), 0, TRANSFER_NONE},
		{DECODE("\xcc"), 0, TRANSFER_NONE},
		{DECODE("\xf1"), 0, TRANSFER_NONE},
	};
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_int_equal(transfer(&rows[i].in, rows[i].taken, false), rows[i].kind);
	struct insn movs = DECODE("\xf3\xa4");
	assert_int_equal(transfer(&movs, false, true), TRANSFER_NONE);
	assert_int_equal(account_delivery(STEP_SOFT_INTERRUPT), TRANSFER_SYSTEM);
	assert_int_equal(account_delivery(STEP_EXCEPTION), TRANSFER_EVENT);
	assert_int_equal(account_delivery(STEP_INTERRUPT), TRANSFER_EVENT);
	assert_int_equal(account_delivery(STEP_NMI), TRANSFER_EVENT);
}

/* Operands of 2, 4 and 8 bytes wherever they are named; neither bytes, nor what is larger. */
static void test_misaligned(void **state)
{
	const struct {
		struct insn in;
		unsigned align; /* 1: never misaligned */
		uint8_t where;  /* enum insn_where */
	} rows[] = {
		{DECODE("\x8a\x0e"), 1, AT_OPERAND},                   /* mov (%rsi), %cl */
		{DECODE("\x66\x8b\x0e"), 2, AT_OPERAND},               /* mov (%rsi), %cx */
		{DECODE("\x8b\x0e"), 4, AT_OPERAND},                   /* mov (%rsi), %ecx */
		{DECODE("\x48\x89\x0e"), 8, AT_OPERAND},               /* mov %rcx, (%rsi) */
		{DECODE("\x48\x81\x0c\x24\0\0\x04\0"), 8, AT_OPERAND}, /* orq $AC, (%rsp) */
		{DECODE("\xf3\x0f\x5e\x06"), 4, AT_OPERAND},           /* divss (%rsi), %xmm0 */
		{DECODE("\x0f\x28\x06"), 1, AT_OPERAND},               /* movaps (%rsi), %xmm0 */
		{DECODE("\x8d\x0e"), 1, AT_OPERAND},                   /* lea (%rsi), %ecx */
		{DECODE("\x89\xc8"), 1, AT_OPERAND},                   /* mov %ecx, %eax */
		{DECODE("\x50"), 8, AT_STACK},                         /* push %rax */
		{DECODE("\x9d"), 8, AT_STACK},                         /* popfq */
		{DECODE("\xa5"), 4, AT_SOURCE},                        /* movsd */
		{DECODE("\xa5"), 4, AT_DEST},
		{DECODE("\xc9"), 8, AT_FRAME}, /* leave */
	};

	(void)state;
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
		for (uint64_t off = 0; off < 16; off++) {
			struct insn_retired s = {.insn = &rows[i].in,
						 .address = 0x1000,
						 .stack = 0x2000,
						 .source = 0x3000,
						 .dest = 0x4000,
						 .frame = 0x5000};

			*(rows[i].where == AT_OPERAND  ? &s.address
			  : rows[i].where == AT_STACK  ? &s.stack
			  : rows[i].where == AT_SOURCE ? &s.source
			  : rows[i].where == AT_DEST   ? &s.dest
						       : &s.frame) += off;
			assert_int_equal(account_misaligned(&s), off % rows[i].align != 0);
		}
}

static void note_by_address(const uint8_t *code, size_t size, bool differs[Q_COUNT])
{
	static const uint64_t at[] = {0x10000, 0x1003f, 0x1007d, 0x10fff, 0x11ff9};
	struct qvec first = {{0}};
	struct insn in;

	if (!insn_decode(code, size, &in))
		return;
	for (unsigned i = 0; i < sizeof at / sizeof *at; i++)
		for (unsigned backwards = 0; backwards < 2; backwards++) {
			struct insn_retired s = {.insn = &in,
						 .iterations = 3,
						 .address = at[i],
						 .stack = at[i] + 0x100000,
						 .source = at[i] + 0x200000,
						 .dest = at[i] + 0x300000,
						 .frame = at[i] + 0x400000,
						 .backwards = backwards};
			struct qvec v = retired(&s);

			for (enum quantity q = 0; q < Q_COUNT; q++) {
				if (!i && !backwards)
					first.v[q] = v.v[q];
				differs[q] |= v.v[q] != first.v[q];
			}
		}
}

/* The quantities in which one instruction differs by its addresses are those of the table: all that counts
 * one of them, be it alone, must look at each step. */
static void test_by_address(void **state)
{
	static const uint8_t prefixes[] = {0x90, 0xf0, 0xf2, 0xf3, 0x66, 0x48};
	static const uint8_t maps[][2] = {{0}, {0x0f}, {0x0f, 0x38}, {0x0f, 0x3a}};
	bool differs[Q_COUNT] = {false}, listed[Q_COUNT] = {false};

	(void)state;
	for (const quantity_number *q = quantities_by_address; *q != Q_COUNT; q++)
		listed[*q] = true;
	for (unsigned p = 0; p < sizeof prefixes; p++)
		for (unsigned map = 0; map < 4; map++)
			for (unsigned opcode = 0; opcode < 256; opcode++)
				for (unsigned reg = 0; reg < 8; reg++) {
					uint8_t code[16] = {0};
					size_t n = 0;

					if (p)
						code[n++] = prefixes[p];
					for (unsigned i = 0; i < map && i < 2; i++)
						code[n++] = maps[map][i];
					code[n++] = (uint8_t)opcode;
					code[n++] = (uint8_t)(reg << 3 | 6); /* [RSI] */
					note_by_address(code, sizeof code, differs);
				}
	for (enum quantity q = 0; q < Q_COUNT; q++)
		if (differs[q] != listed[q])
			fail_msg("%s differs by addresses: %d, is among those that do: %d",
				 quantity_info[q].name, differs[q], listed[q]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_string_splits),
		cmocka_unit_test(test_operand_splits),
		cmocka_unit_test(test_partial),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_gather),
		cmocka_unit_test(test_rings),
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_events_from_each_ring),
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_accesses),
		cmocka_unit_test(test_enter),
		cmocka_unit_test(test_transfers),
		cmocka_unit_test(test_misaligned),
		cmocka_unit_test(test_by_address),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
