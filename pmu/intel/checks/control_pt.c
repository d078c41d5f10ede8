/*
 * The processor trace beside last-branch records, as far as registers go: what may be enabled together, and
 * what accesses do meanwhile. Published errata are about each of them. It is on without a ring to trace.
 */
#include "pmu/intel/checks/control_parts.h"

#include "arch/memory.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/intel/driver/parts.h"
#include "pmu/intel/records/record.h"
#include "pmu/intel/driver/state.h"
#include "pmu/intel/registers.h"

#include <stdio.h>

#define NOT_CANONICAL (1ull << 60 | 1ull << 50)
#define TOPA_END      1

enum { PT_READ, PT_TOGETHER, PT_NO_BRANCHES, PT_WRITE, PT_STATUS, PTS };

bool intel_pt_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	static const char *const names[PTS] = {"reading a record", "records, too", "no branches",
					       "writing a record", "status"};
	unsigned most = pmu->version >= 4 ? PTS : PT_WRITE;

	if (i >= most || !intel_found(pmu)->processor_trace || !intel_found(pmu)->records_branches ||
	    !intel_found(pmu)->lbr.from)
		return false;
	snprintf(out->name, sizeof out->name, "%s", names[i]);
	return true;
}

/* What is traced, if anything is, goes to a page of its own again and again. */
static bool on(uint64_t more)
{
	static _Alignas(4096) uint64_t table[512], page[512];
	uint64_t physical;
	unsigned shift;

	if (!page_translate((uintptr_t)page, &physical, &shift))
		return false;
	table[0] = physical;
	if (!page_translate((uintptr_t)table, &physical, &shift))
		return false;
	table[1] = physical | TOPA_END;
	return msr_write(IA32_RTIT_OUTPUT_BASE, physical) && msr_write(IA32_RTIT_OUTPUT_MASK_PTRS, 0x7f) &&
	       msr_write(IA32_RTIT_CTL, RTIT_TRACE_EN | RTIT_TOPA | more);
}

void intel_pt_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const uint32_t from = intel_found(h->pmu)->lbr.from;
	uint64_t value;

	(void)e;
	bool traces = on(i == PT_NO_BRANCHES ? 0 : RTIT_BRANCH_EN);

	if (i == PT_NO_BRANCHES)
		h->equal(h, "the trace is switched on without branches", true, traces);
	else
		h->works(h, "switching the trace on", traces);
	if (i == PT_READ)
		h->equal(h, "while the trace is on, a record can be read", true, msr_read(from, &value));
	if (i == PT_TOGETHER)
		h->equal(h, "while the trace is on, records are switched on", true,
			 intel_change_msr(IA32_DEBUGCTL, 0, DEBUGCTL_LBR));
	if (i == PT_WRITE)
		h->equal(h, "while the trace is on, a source that is not canonical is written", false,
			 msr_write(from, NOT_CANONICAL));
	h->works(h, "switching it off", intel_change_msr(IA32_DEBUGCTL, DEBUGCTL_LBR, 0));
	if (traces)
		h->works(h, "switching the trace off", intel_change_msr(IA32_RTIT_CTL, RTIT_TRACE_EN, 0));
	if (i == PT_STATUS) {
		h->equal(h, "the status of the trace's buffer is set", true,
			 msr_write(IA32_PERF_GLOBAL_STATUS_SET, STATUS_TRACE_TOPA));
		h->works(h, "clearing it", msr_write(IA32_PERF_GLOBAL_OVF_CTRL, STATUS_TRACE_TOPA));
	}
	h->works(h, "clearing the control", msr_write(IA32_RTIT_CTL, 0) && msr_write(from, 0));
}
