/*
 * The toy PMU's recorder: what starts and stops it.
 */
#include "pmu/toy/records/control.h"
#include "pmu/toy/registers.h"

#include "arch/register.h"
#include "arch/toy/encoding.h"

bool toy_record_get(uint64_t number, uint64_t *value)
{
	return register_read(SPACE_SYSTEM, number, value);
}

bool toy_record_put(uint64_t number, uint64_t value)
{
	return register_write(SPACE_SYSTEM, number, value);
}

/* What goes to memory is a source with a size of its records. */
static uint64_t control(const struct pmu_recording *r)
{
	return (r->levels & LEVELS_SYSTEM ? TOY_TRACE_SUPERVISOR : 0) |
	       (r->levels & LEVELS_USER ? TOY_TRACE_USER : 0) |
	       (r->source->record_size ? TOY_TRACE_MEMORY : 0) | (r->circular ? TOY_TRACE_CIRCULAR : 0);
}

bool toy_record_start(const struct pmu *pmu, const struct pmu_recording *r)
{
	(void)pmu;
	return toy_record_put(TOY_REG_TRACE, control(r));
}

bool toy_record_stop(const struct pmu *pmu, const struct pmu_recording *r)
{
	(void)pmu;
	(void)r;
	return toy_record_put(TOY_REG_TRACE, 0);
}

bool toy_record_bracket(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_bracket *out)
{
	static const uint32_t code[] = {
		TOY_INSN((uint32_t)TOY_REG, 0, 0, TOY_ARGUMENT, TOY_WRITE | TOY_REG_TRACE),
		TOY_INSN((uint32_t)TOY_REG, 0, 0, 0, TOY_WRITE | TOY_REG_TRACE),
	};

	(void)pmu;
	*out = (struct pmu_bracket){
		.start = (const uint8_t *)code,
		.start_end = (const uint8_t *)(code + 1),
		.stop = (const uint8_t *)(code + 1),
		.stop_end = (const uint8_t *)(code + 2),
		.args = {control(r)},
		.privileged = true,
	};
	return true;
}
