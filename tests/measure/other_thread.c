#include "tests/measure/other_thread.h"

#include "pmu/virtual/vpmu.h"

const char *other_thread_missing(const struct pmu *pmu)
{
	if (!pmu->virtual)
		return second_cpu_missing(SECOND_CPU_SIBLING);
	return vpmu_has_other() ? NULL : "the core has no other logical processor with counters of its own";
}

bool other_thread_access(const struct pmu *pmu, struct register_access *a)
{
	return pmu->virtual ? vpmu_other_access(a) : second_cpu_access(a);
}

static struct register_access stops;

bool other_thread_begin(const struct pmu *pmu, enum second_cpu_loop loop, const struct register_access *start,
			const struct register_access *stop)
{
	struct register_access a = *start;

	if (!pmu->virtual)
		return second_cpu_count(loop, start, stop);
	stops = *stop;
	if (!vpmu_other_access(&a))
		return false;
	vpmu_other_begin(loop);
	return true;
}

bool other_thread_end(const struct pmu *pmu, uint64_t *turns)
{
	struct register_access a = stops;

	if (!pmu->virtual)
		return second_cpu_counted(turns);
	*turns = vpmu_other_end();
	return vpmu_other_access(&a);
}

uint64_t other_thread_turn(const struct pmu_event *e, enum second_cpu_loop loop)
{
	const struct second_cpu_turn *turn = &second_cpu_turns[loop];
	int64_t sum = 0;

	for (const struct event_term *t = e->terms; t < e->terms + EVENT_TERMS && t->coefficient; t++)
		for (unsigned i = 0; i < turn->n; i++)
			for (unsigned j = 0; j < turn->instruction[i].n_terms; j++)
				if (turn->instruction[i].terms[j].quantity == t->quantity)
					sum += (int64_t)t->coefficient * turn->instruction[i].terms[j].amount;
	return (uint64_t)sum;
}
