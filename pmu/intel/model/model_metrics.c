/*
 * Topdown metrics: MSR_PERF_METRICS, IA32_PERF_CAPABILITIES[15]. Eight fractions of the slots that fixed
 * counter 3 has counted since both were last written: in bytes, 255 is all. The first four add up to 255.
 *
 * Slots are those of the machine model's clock: of a step's slots one is that of the instruction that
 * retires; the others are lost to a misprediction if there was one, else to the front end if fetching missed,
 * else to the back end. Writing the register takes the bytes for what has been counted before. Its overflow
 * bit (48) is never set: sums are as wide as the model's counters of slots.
 */
#include "pmu/intel/errata/hooks.h"

#include <string.h>

#define METRIC_ALL 255

bool intel_metrics_exist(const struct intel_state *s)
{
	return s->pdcm && s->profile->perf_capabilities & CAP_METRICS && s->leaf.fixed >> FIXED_SLOTS & 1;
}

bool intel_metrics_run(const struct intel_state *s)
{
	return intel_metrics_exist(s) && s->global_control & GLOBAL_METRICS &&
	       !(s->status & STATUS_CTR_FRZ) && s->running >> (INTEL_GENERAL_MAX + FIXED_SLOTS) & 1;
}

/* Bytes of the four kinds are cut so that they add up: what rounding leaves goes to the last one that has
 * any. */
uint64_t intel_metrics_read(const struct intel_state *s)
{
	uint64_t value = 0, before = 0, told = 0;

	if (!s->metric_slots)
		return 0;
	for (unsigned i = METRIC_RETIRING; i <= METRIC_BACKEND; i++) {
		before += s->metric[i];
		uint64_t upto = before * METRIC_ALL / s->metric_slots;
		value |= intel_hook_metric(s, (enum intel_metric)i, upto - told) << 8 * i;
		told = upto;
	}
	for (unsigned i = METRIC_HEAVY; i < INTEL_METRICS; i++)
		value |= s->metric[i] * METRIC_ALL / s->metric_slots << 8 * i;
	return value;
}

void intel_metrics_write(struct intel_state *s, uint64_t value)
{
	s->metric_slots = 0;
	for (unsigned i = 0; i < INTEL_METRICS; i++) {
		s->metric[i] = value >> 8 * i & 0xff;
		if (i <= METRIC_BACKEND)
			s->metric_slots += s->metric[i];
	}
}

void intel_metrics_advance(struct intel_state *s, const struct step *step)
{
	const struct intel_counter *slots = &s->counter[INTEL_GENERAL_MAX + FIXED_SLOTS];

	if (step->halted || !(slots->rings & (step->level ? 2 : 1)))
		return;
	uint64_t all = (uint64_t)step->cycles * s->profile->slots,
		 retired = intel_amount(step, Q_INSTRUCTIONS);
	if (retired > all)
		retired = all;
	uint64_t lost = all - retired;
	s->metric_slots += all;
	s->metric[METRIC_RETIRING] += retired;
	if (intel_amount(step, Q_BR_MISPRED)) {
		s->metric[METRIC_BAD_SPECULATION] += lost;
		s->metric[METRIC_MISPREDICTS] += lost;
	} else if (intel_amount(step, Q_L1I_MISS) || intel_amount(step, Q_ITLB_MISS)) {
		s->metric[METRIC_FRONTEND] += lost;
		s->metric[METRIC_FETCH_LATENCY] += lost;
	} else {
		s->metric[METRIC_BACKEND] += lost;
		if (intel_amount(step, Q_L1D_LOAD_MISS) || intel_amount(step, Q_DTLB_LOAD_MISS))
			s->metric[METRIC_MEMORY] += lost;
	}
}
