/*
 * What a second CPU does with registers of its own (arch/second_cpu.h): with one that every CPU has and that
 * nothing here uses, which gets its value back, and with a write that each one refuses. There must be one.
 */
#include "tests/suites/x86/machine.h"

#include "arch/second_cpu.h"
#include "arch/x86/cpu/msr.h"

#ifdef __i386__
#define KEPT   0x176 /* IA32_SYSENTER_EIP */
#define FIRST  0x11112222
#define SECOND 0x55556666
#else
#define KEPT   0xc0000102 /* KERNEL_GS_BASE */
#define FIRST  0x111122223333
#define SECOND 0x555566667777
#endif

static bool reads(uint64_t *value)
{
	struct register_access a = {.space = SPACE_MSR, .number = KEPT};
	bool good = second_cpu_access(&a);

	*value = a.value;
	return good;
}

static bool holds(uint64_t expected)
{
	uint64_t value;

	return reads(&value) && value == expected;
}

static bool writes(uint64_t value)
{
	struct register_access a = {.space = SPACE_MSR, .write = true, .number = KEPT, .value = value};

	return second_cpu_access(&a);
}

/* What was wrong first; 0: nothing. */
static int64_t own_registers(void)
{
	uint64_t before, after, kept;

	if (!msr_read(KEPT, &before) || !reads(&kept))
		return 1;
	if (!writes(FIRST) || !holds(FIRST))
		return 2;
	if (!msr_read(KEPT, &after) || after != before)
		return 3;
	return writes(kept) && holds(kept) ? 0 : 4;
}

static int64_t loops(enum second_cpu_loop loop)
{
	const struct register_access start = {
		.space = SPACE_MSR, .write = true, .number = KEPT, .value = FIRST};
	struct register_access stop = start;
	uint64_t turns, kept;

	stop.value = SECOND;
	if (!reads(&kept) || !second_cpu_count(loop, &start, &stop))
		return 1;
	for (volatile unsigned i = 0; i < 10000; i++)
		;
	if (!second_cpu_counted(&turns) || !turns)
		return 2;
	return holds(SECOND) && writes(kept) ? 0 : 3;
}

static int64_t plain_loop(void)
{
	return loops(SECOND_CPU_PLAIN);
}

static int64_t far_loop(void)
{
	return loops(SECOND_CPU_FAR);
}

/* A refusal is told, and is not the end of it: of one access, and of the write that starts a loop. */
static int64_t refusal(void)
{
	struct register_access a = {
		.space = SPACE_MSR, .write = true, .number = MSR_REFUSING, .value = REFUSED_VALUE};
	const struct register_access start = a;

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
	{"second/a write that is refused", "SDM vol. 2, WRMSR", refusal, 0, 0, machine_refuses_nothing},
	{NULL, NULL, NULL, 0, 0, NULL},
};
