#include "tests/judge/branch_sampling.h"
#include "tests/judge/expectation.h"

const char *branch_sampling_unforeseen(const struct pmu_event *event, uint8_t levels, const struct kernel *k,
				       uint8_t level, uint64_t n, int64_t *branches)
{
	struct expectation x;

	if (!(levels & (level ? LEVELS_USER : LEVELS_SYSTEM)))
		return "the counter does not count the ring in which the kernel runs";
	if (level && (levels & LEVELS_SYSTEM || kernel_amount(k, Q_RING_TO_KERNEL, n).high))
		return "in ring 3 the counter must count this ring alone, and the kernel stay there";
	if (kernel_amount(k, Q_EXCEPTIONS, n).high || kernel_amount(k, Q_INTERRUPTS_SW, n).high)
		return "an event is counted with its instruction, and recorded when it is delivered: that is "
		       "another order";
	if (!event || expectation(event, k, n, &x) != EXPECTATION_OK || x.low != x.high)
		return "how many branches the kernel takes is not known";
	*branches = x.low;
	return NULL;
}
