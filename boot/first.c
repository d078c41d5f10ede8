#include "boot/first.h"
#include "boot/pmu_choice.h"

#include "arch/courage.h"
#include "tests/suites/first.h"
#include "tests/suites/suites.h"

static void run_snapshot(struct run *run)
{
	pmu_tell_registers(run);
}

static void run_ladder(struct run *run)
{
	pmu_climb(run);
}

static const struct suite first_snapshot = {"snapshot", "the PMU's registers as they were found",
					    run_snapshot, NULL};
static const struct suite first_ladder = {"ladder", "how far each counter can be believed", run_ladder, NULL};

const struct first_step first_steps[] = {
	{&first_identity, COURAGE_READ},      {&first_snapshot, COURAGE_READ},
	{&first_shares, COURAGE_COUNT},       {&first_witnesses, COURAGE_COUNT},
	{&first_ladder, COURAGE_COUNT},       {&first_kernels, COURAGE_COUNT},
	{&first_ladder, COURAGE_INTERRUPT}, /* once more: now with the rung that interrupts */
	{&first_sampling, COURAGE_INTERRUPT}, {&first_trace, COURAGE_INTERRUPT},
	{&suite_control, COURAGE_ALL},        {NULL, 0},
};

const char first_title[] = "what runs first on a machine that nobody knows, step by step; alone";
