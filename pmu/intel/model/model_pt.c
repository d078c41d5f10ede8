/*
 * Registers of the processor trace (SDM vol. 3, 32.2.8): what may be written, and what becomes of last-branch
 * records meanwhile. Nothing is traced.
 */
#include "pmu/intel/errata/hooks.h"
#include "pmu/intel/model/model.h"

/* SDM vol. 3, 17.4: on the fifth generation of Core the records read 0 and ignore writes while it is on. */
bool intel_pt_hides_branches(const struct intel_state *s)
{
	return s->pt.control & RTIT_TRACE_EN && s->leaf.version < 4;
}

static uint64_t *plain(struct intel_state *s, uint32_t address)
{
	switch (address) {
	case IA32_RTIT_OUTPUT_BASE:
		return &s->pt.base;
	case IA32_RTIT_OUTPUT_MASK_PTRS:
		return &s->pt.mask;
	case IA32_RTIT_CTL:
		return &s->pt.control;
	case IA32_RTIT_STATUS:
		return &s->pt.status;
	default:
		return NULL;
	}
}

enum register_answer intel_pt_read(struct intel_state *s, uint32_t address, uint64_t *value)
{
	const uint64_t *at = plain(s, address);

	if (!at)
		return REGISTER_NOT_MINE;
	*value = s->pt.exists ? *at : 0;
	return s->pt.exists ? REGISTER_DONE : REGISTER_FAULT;
}

/* While it is on, all but its enable is locked. */
enum register_answer intel_pt_write(struct intel_state *s, uint32_t address, uint64_t value)
{
	uint64_t *at = plain(s, address);

	if (!at)
		return REGISTER_NOT_MINE;
	bool locked = s->pt.control & RTIT_TRACE_EN && *at != value &&
		      (address != IA32_RTIT_CTL || (*at ^ value) != RTIT_TRACE_EN);

	if (!s->pt.exists || locked ||
	    (address == IA32_RTIT_CTL &&
	     (intel_reserved(s, &value, RTIT_BITS) || intel_hook_pt_refused(s, value))))
		return REGISTER_FAULT;
	*at = value;
	return REGISTER_DONE;
}
