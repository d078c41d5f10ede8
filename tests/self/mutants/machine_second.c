/*
 * What a second CPU does with registers of its own (arch/second_cpu.h), on the machine itself: with registers
 * that every CPU has and that nothing here uses. There must be one.
 */
#include "tests/suites/x86/machine.h"

#include "arch/second_cpu.h"
#include "arch/x86/cpu/msr.h"

#define KERNEL_GS_BASE 0xc0000102
#define NO_REGISTER    0x4000f0f0 /* reserved for software: SDM vol. 4 */
#define FIRST          0x111122223333
#define SECOND         0x555566667777

static const char *refuses_nothing(void)
{
	uint64_t value;

	return msr_read(NO_REGISTER, &value) ? "this machine refuses no register" : NULL;
}

static bool reads(uint64_t expected)
{
	struct register_access a = {.space = SPACE_MSR, .number = KERNEL_GS_BASE};

	return second_cpu_access(&a) && a.value == expected;
}

static bool writes(uint64_t value)
{
	struct register_access a = {
		.space = SPACE_MSR, .write = true, .number = KERNEL_GS_BASE, .value = value};

	return second_cpu_access(&a);
}

/* What was wrong first; 0: nothing. */
static int64_t own_registers(void)
{
	uint64_t before, after;

	if (!msr_read(KERNEL_GS_BASE, &before))
		return 1;
	if (!writes(FIRST) || !reads(FIRST))
		return 2;
	if (!msr_read(KERNEL_GS_BASE, &after) || after != before)
		return 3;
	return writes(0) && reads(0) ? 0 : 4;
}

static int64_t loops(enum second_cpu_loop loop)
{
	const struct register_access start = {
		.space = SPACE_MSR, .write = true, .number = KERNEL_GS_BASE, .value = FIRST};
	struct register_access stop = start;
	uint64_t turns;

	stop.value = SECOND;
	if (!second_cpu_count(loop, &start, &stop))
		return 1;
	for (volatile unsigned i = 0; i < 10000; i++)
		;
	if (!second_cpu_counted(&turns) || !turns)
		return 2;
	return reads(SECOND) && writes(0) ? 0 : 3;
}

static int64_t plain_loop(void)
{
	return loops(SECOND_CPU_PLAIN);
}

static int64_t far_loop(void)
{
	return loops(SECOND_CPU_FAR);
}

/* A refusal is told, and is not the end of it. */
static int64_t refusal(void)
{
	struct register_access a = {.space = SPACE_MSR, .number = NO_REGISTER};
	const struct register_access start = {.space = SPACE_MSR, .write = true, .number = NO_REGISTER};

	if (second_cpu_access(&a))
		return 1;
	if (second_cpu_count(SECOND_CPU_PLAIN, &start, &start))
		return 2;
	second_cpu_rest();
	return own_registers() ? 3 : 0;
}

const struct machine_check machine_second[] = {
	{"second/own registers", NULL, own_registers, 0, 0, NULL},
	{"second/plain loop", NULL, plain_loop, 0, 0, NULL},
	{"second/far loop", NULL, far_loop, 0, 0, NULL},
	{"second/refusal", NULL, refusal, 0, 0, refuses_nothing},
	{NULL, NULL, NULL, 0, 0, NULL},
};
