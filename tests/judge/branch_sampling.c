#include "tests/judge/branch_sampling.h"
#include "tests/judge/expectation.h"
#include "tests/report/level_words.h"

#include "arch/levels.h"

#include <stdio.h>

const char *branch_sampling_unforeseen(const struct pmu_event *event, uint8_t levels, const struct kernel *k,
				       uint8_t level, uint64_t n, int64_t *branches,
				       char why[BRANCH_SAMPLING_WHY])
{
	struct expectation x;

	if (!(levels & (level ? LEVELS_USER : LEVELS_SYSTEM))) {
		snprintf(why, BRANCH_SAMPLING_WHY,
			 "the counter does not count the %s in which the kernel runs", level_heading());
		return why;
	}
	if (level && (levels & LEVELS_SYSTEM || kernel_amount(k, Q_LEVEL_TO_SYSTEM, n).high)) {
		snprintf(why, BRANCH_SAMPLING_WHY,
			 "in %s the counter must count this %s alone, and the kernel stay there",
			 level_name(level_user()), level_heading());
		return why;
	}
	if (kernel_amount(k, Q_EXCEPTIONS, n).high || kernel_amount(k, Q_INTERRUPTS_SW, n).high)
		return "an event is counted with its instruction, and recorded when it is delivered: that is "
		       "another order";
	if (!event || expectation(event, k, n, &x) != EXPECTATION_OK || x.low != x.high)
		return "how many branches the kernel takes is not known";
	*branches = x.low;
	return NULL;
}
