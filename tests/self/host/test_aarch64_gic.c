/*
 * The interrupt controller's code by registers that are the test's: memory, and system registers by name.
 * Which interrupts are edges, where requests to other processors go, whose frames are whose, and what
 * firmware gets back.
 */
#define ARCH_AARCH64_SYSTEM_H /* the processor's own are not here */

#include <stdbool.h>
#include <stdint.h>

static uint64_t *system_register(const char *name);
#define SYS_READ(name)         (*system_register(#name))
#define SYS_WRITE(name, value) (*system_register(#name) = (uint64_t)(value))

static inline void barrier(void)
{
}

#include "arch/aarch64/gic.c"
#include "arch/aarch64/gic_compare.c"
#include "arch/aarch64/gic_requests.c"
#include "arch/aarch64/gic_take.c"
#include "arch/aarch64/interrupts.c"
#include "arch/aarch64/masking.c"
#include "arch/aarch64/overflow.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* --- the machine
 * ---------------------------------------------------------------------------------------------- */

#define PROCESSORS 5
#define FRAMES     GIC_REDISTRIBUTOR_SIZE
#define SGI        0x10000 /* the second frame */

/* Aff3 in bits 39:32, Aff2 to Aff0 in 23:0; bit 31 is always set, bit 24 says that Aff0 is a thread. */
static const uint64_t mpidr[PROCESSORS] = {0x80000000, 0x80000001, 0x81000100, 0x80020003, 0x05800a0b1c};

static uint8_t *distributor, *interface, *redistributors;

static struct {
	const char *name;
	uint64_t value;
} registers[32];

static uint64_t *system_register(const char *name)
{
	for (unsigned i = 0; i < 32; i++)
		if (!registers[i].name || !strcmp(registers[i].name, name)) {
			registers[i].name = name;
			return &registers[i].value;
		}
	fail_msg("no room for %s", name);
	return NULL;
}

static unsigned strays, watchdogs, timers;

void trap_stray(void)
{
	strays++;
}

void watchdog_fired(void)
{
	watchdogs++;
}

void timer_fired(void)
{
	timers++;
}

const struct timer_claim *timer_claimed(void)
{
	return NULL;
}

void timer_claim(const struct timer_claim *claim)
{
	(void)claim;
}

void timer_stop(void)
{
}

bool timer_asks(void)
{
	return false;
}

bool timer_requested(void)
{
	return false;
}

void timer_mask(bool on)
{
	(void)on;
}

static uint32_t *at(uint8_t *base, unsigned offset)
{
	return (uint32_t *)(void *)(base + offset);
}

static uint8_t *frames_of(unsigned processor)
{
	return redistributors + processor * FRAMES;
}

/* Where the private interrupts of a processor are. */
static uint8_t *private_of(unsigned version, unsigned processor)
{
	return version == 3 ? frames_of(processor) + SGI : distributor;
}

static void fill(uint8_t *to, size_t size, unsigned seed)
{
	srand(seed);
	for (size_t i = 0; i < size; i++)
		to[i] = (uint8_t)rand();
}

static void become(unsigned processor)
{
	SYS_WRITE(mpidr_el1, mpidr[processor]);
}

/* A machine that firmware has left in some state; the counters' interrupt is this one. */
static void machine(unsigned version, unsigned counters, unsigned seed)
{
	memset(registers, 0, sizeof registers);
	fill(distributor, 0x1000, seed);
	fill(interface, 0x1000, seed + 1);
	*at(distributor, 0x000) &= 0x7fffffff; /* no write is under way */
	*at(distributor, 0x004) = 2;           /* 64 shared interrupts */
	for (unsigned i = 0; i < PROCESSORS; i++) {
		uint64_t m = mpidr[i];

		fill(frames_of(i), 0x1000, seed + 2 + i);
		fill(frames_of(i) + SGI, 0x1000, seed + 20 + i);
		*at(frames_of(i), 0x00) = 0;
		*at(frames_of(i), 0x08) = i == PROCESSORS - 1 ? 0x10 : 0; /* the last one */
		*at(frames_of(i), 0x0c) = (uint32_t)((m >> 32 & 0xff) << 24 | (m & 0xffffff));
		*at(frames_of(i), 0x14) = 2; /* asleep as far as its own bit goes */
	}
	gic_place = (struct gic_place){.version = version,
				       .distributor = (uintptr_t)distributor,
				       .cpu = (uintptr_t)interface,
				       .region[0] = {(uintptr_t)redistributors, PROCESSORS * FRAMES},
				       .regions = 1,
				       .physical_timer = 30,
				       .virtual_timer = 27,
				       .counters = counters};
	SYS_WRITE(s3_0_c12_c12_5, 6);
	SYS_WRITE(s3_0_c12_c12_4, 0x402);
	SYS_WRITE(s3_0_c4_c6_0, 0x5a);
	SYS_WRITE(s3_0_c12_c12_6, 0);
	SYS_WRITE(s3_0_c12_c12_7, 0);
	become(0);
	strays = watchdogs = timers = 0;
}

/* --- tests
 * ---------------------------------------------------------------------------------------------------- */

/* What a counter asked for stays pending once it asks no longer: GICD_ICFGR1, bit 2n+1 of interrupt 16+n. All
 * others are triggered as firmware has it. */
static void the_counters_interrupt_is_an_edge(void **state)
{
	(void)state;
	for (unsigned version = 2; version <= 3; version++)
		for (unsigned n = 16; n < 32; n++)
			for (unsigned processor = 0; processor < PROCESSORS; processor++) {
				machine(version, n, n);
				become(processor);
				uint32_t *edges = at(private_of(version, processor), 0xc04);
				uint32_t was = *edges, wanted = was | 1u << (2 * (n % 16) + 1);

				gic_take();
				assert_int_equal(*edges, wanted);
				gic_give_back();
				assert_int_equal(*edges, was);
				gic_take_processor();
				assert_int_equal(*edges, wanted);
			}
}

/* A processor that is taken changes nobody else's frames. */
static void each_processor_has_frames_of_its_own(void **state)
{
	static uint8_t before[PROCESSORS * FRAMES];

	(void)state;
	for (unsigned p = 0; p < PROCESSORS; p++) {
		machine(3, 23, 7);
		become(p);
		memcpy(before, redistributors, sizeof before);
		gic_take_processor();
		for (unsigned other = 0; other < PROCESSORS; other++)
			assert_int_equal(!memcmp(frames_of(other), before + other * FRAMES, FRAMES),
					 other != p);
		assert_int_equal(*at(frames_of(p), 0x14), 0);
		*at(private_of(3, p), 0x100) = 0;
		gic_enable(23, true);
		assert_int_equal(*at(private_of(3, p), 0x100), 1u << 23);
		assert_true(gic_enabled(23));
		gic_enable(23, false);
		assert_int_equal(*at(private_of(3, p), 0x180), 1u << 23);
		for (unsigned other = 0; other < PROCESSORS; other++)
			assert_int_equal(!memcmp(frames_of(other), before + other * FRAMES, FRAMES),
					 other != p);
	}
}

/* ICC_SGI1R_EL1: Aff3 in 55:48, Aff2 in 39:32, Aff1 in 23:16; of Aff0 the low four bits choose one of 16
 * targets in 15:0, the high four the range in 47:44. The interrupt is in 27:24. */
static void requests_go_to_one_processor(void **state)
{
	static const uint64_t to[PROCESSORS] = {0x0000000000000001, 0x0000000000000002, 0x0000000000010001,
						0x0000000200000008, 0x0005100a000b1000};

	(void)state;
	machine(3, 23, 1);
	for (unsigned p = 0; p < PROCESSORS; p++) {
		uint64_t m = mpidr[p], aff0 = m & 0xff, aff1 = m >> 8 & 0xff, aff2 = m >> 16 & 0xff,
			 aff3 = m >> 32 & 0xff;
		uint64_t expected = aff3 * 0x1000000000000 + aff0 / 16 * 0x100000000000 + aff2 * 0x100000000 +
				    aff1 * 0x10000 + (1u << aff0 % 16);
		struct gic_waiter waits = {0};

		assert_true(expected == to[p]);
		become(p);
		gic_let_wake(&waits);
		become(0);
		gic_wake(&waits);
		assert_true(SYS_READ(s3_0_c12_c11_5) == (expected | 15u << 24));
		become(p);
		assert_true(gic_self_begin().value == (expected | 7u << 24));
		gic_self_end();
	}
	machine(2, 23, 1);
	for (unsigned p = 0; p < 8; p++) {
		struct gic_waiter waits = {0};

		*at(distributor, 0x800) = 0x01010101u << p; /* each processor reads its own */
		gic_let_wake(&waits);
		gic_wake(&waits);
		assert_int_equal(*at(distributor, 0xf00), (1u << p) << 16 | 15);
	}
	assert_int_equal(gic_self_begin().value, 0x2000007); /* to itself alone */
	assert_true(gic_self_begin().address == (uintptr_t)distributor + 0xf00);
	gic_self_end();
}

/* The registers are memory here: what was written to clear has not cleared yet. */
static void clear(unsigned version)
{
	*at(private_of(version, 0), 0x100) &= ~*at(private_of(version, 0), 0x180);
	for (unsigned i = 1; i <= *at(distributor, 0x004); i++)
		*at(distributor, 0x100 + 4 * i) &= ~*at(distributor, 0x180 + 4 * i);
}

static void firmware_gets_back_what_it_had(void **state)
{
	uint64_t before[128], after[128];

	(void)state;
	for (unsigned version = 2; version <= 3; version++)
		for (unsigned seed = 0; seed < 20; seed++) {
			machine(version, 23, seed * 100);
			*at(distributor, 0x004) = 1 + seed % 4; /* that many times 32 shared interrupts */
			unsigned n = gic_registers(before, 128);

			assert_true(n > 12);
			gic_take();
			assert_int_equal(*at(private_of(version, 0), 0x180), UINT32_MAX);
			for (unsigned i = 1; i <= 1 + seed % 4; i++)
				assert_int_equal(*at(distributor, 0x180 + 4 * i), UINT32_MAX);
			clear(version);
			assert_int_equal(*at(distributor, 0), version == 3 ? 0x13 : 0x3);
			if (version == 3) {
				assert_true(SYS_READ(s3_0_c12_c12_5) == 7);
				assert_true(SYS_READ(s3_0_c12_c12_4) == 0x400);
				assert_true(SYS_READ(s3_0_c4_c6_0) == 0xff);
				assert_true(SYS_READ(s3_0_c12_c12_6) == 1 && SYS_READ(s3_0_c12_c12_7) == 1);
			} else {
				assert_int_equal(*at(interface, 0), 0xf);
				assert_int_equal(*at(interface, 4), 0xff);
				assert_int_equal(*at(interface, 8), 0);
			}
			gic_give_back();
			assert_int_equal(gic_registers(after, 128), n);
			for (unsigned i = 0; i < n; i++)
				assert_true(before[i] == after[i]);
			if (version == 3)
				assert_true(SYS_READ(s3_0_c12_c12_5) == 6);
		}
}

/* Group 0 is what arrives as FIQ; it goes first. */
static void a_group_is_one_interrupt_s(void **state)
{
	(void)state;
	for (unsigned version = 2; version <= 3; version++)
		for (unsigned n = 0; n < 32; n++) {
			machine(version, 23, n);
			uint8_t *base = private_of(version, 0);
			uint32_t was = *at(base, 0x80);

			gic_as_fiq(n, true);
			assert_int_equal(*at(base, 0x80), was & ~(1u << n));
			assert_int_equal(base[0x400 + n], 0x40);
			gic_as_fiq(n, false);
			assert_int_equal(*at(base, 0x80), was | 1u << n);
			assert_int_equal(base[0x400 + n], 0xa0);
		}
}

/* Each is ended as what was acknowledged, GICv2 with the number of who asked; nobody's is told. */
static void an_interrupt_is_ended_and_handled(void **state)
{
	static const struct {
		unsigned interrupt, strays, watchdogs, timers;
	} cases[] = {{30, 0, 1, 0}, {27, 0, 0, 1},   {29, 1, 0, 0},
		     {7, 1, 0, 0},  {1023, 0, 0, 0}, {1020, 0, 0, 0}};
	struct trap_frame f = {0};

	(void)state;
	for (unsigned version = 2; version <= 3; version++)
		for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
			for (unsigned fiq = 0; fiq <= 1; fiq++) {
				unsigned from = version == 2 && cases[i].interrupt < 16 ? 3u << 10 : 0;
				uint64_t ended;

				machine(version, 23, i);
				*at(interface, 0x10) = 0xffff;
				SYS_WRITE(s3_0_c12_c8_1, 0xffff);
				SYS_WRITE(s3_0_c12_c12_1, 0xffff);
				*at(interface, 0xc) = cases[i].interrupt | from;
				SYS_WRITE(s3_0_c12_c8_0, fiq ? cases[i].interrupt : 1023);
				SYS_WRITE(s3_0_c12_c12_0, fiq ? 1023 : cases[i].interrupt);
				interrupt_entered(&f, fiq);
				assert_int_equal(strays, cases[i].strays);
				assert_int_equal(watchdogs, cases[i].watchdogs);
				assert_int_equal(timers, cases[i].timers);
				ended = version == 2 ? *at(interface, 0x10)
					: fiq        ? SYS_READ(s3_0_c12_c8_1)
						     : SYS_READ(s3_0_c12_c12_1);
				assert_true(ended ==
					    (cases[i].interrupt < 1020 ? cases[i].interrupt | from : 0xffff));
			}
}

/* Armed, it starts without what was asked for before; delivered, it is masked. */
static void the_line_is_armed_and_masked(void **state)
{
	struct trap_frame f = {0};

	(void)state;
	for (unsigned version = 2; version <= 3; version++)
		for (unsigned way = 0; way < OVERFLOW_WAYS; way++) {
			machine(version, 23, 3);
			uint8_t *base = private_of(version, 0);

			*at(base, 0x280) = *at(base, 0x100) = *at(base, 0x180) = 0;
			assert_true(overflow_arm(OVERFLOW_COUNTERS, (enum overflow_way)way));
			assert_int_equal(*at(base, 0x280), 1u << 23);
			assert_int_equal(*at(base, 0x100), 1u << 23);
			assert_int_equal(*at(base, 0x80) >> 23 & 1, way != OVERFLOW_NMI);
			assert_int_equal(gic_counters_as_fiq(), way == OVERFLOW_NMI);
			*at(interface, 0xc) = 23;
			SYS_WRITE(s3_0_c12_c8_0, 23);
			SYS_WRITE(s3_0_c12_c12_0, 23);
			interrupt_entered(&f, way == OVERFLOW_NMI);
			assert_int_equal(*at(base, 0x180), 1u << 23);
			assert_int_equal(strays, 1); /* nobody has claimed it */
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_counters_interrupt_is_an_edge),
		cmocka_unit_test(each_processor_has_frames_of_its_own),
		cmocka_unit_test(requests_go_to_one_processor),
		cmocka_unit_test(firmware_gets_back_what_it_had),
		cmocka_unit_test(a_group_is_one_interrupt_s),
		cmocka_unit_test(an_interrupt_is_ended_and_handled),
		cmocka_unit_test(the_line_is_armed_and_masked),
	};

	distributor = aligned_alloc(0x10000, 0x10000);
	interface = aligned_alloc(0x1000, 0x1000);
	redistributors = aligned_alloc(0x10000, PROCESSORS * FRAMES);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
