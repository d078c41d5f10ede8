/*
 * What counts in guests only, and what outside of them only.
 */
#include "pmu/amd/checks/control.h"
#include "pmu/x86/control.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/amd/driver/state.h"
#include "pmu/amd/generation.h"
#include "pmu/amd/registers.h"

#include <stdio.h>

#define START 1000

/* A hypervisor may keep these bits to itself. */
bool amd_selector_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	return !pmu->under_hypervisor && !amd_narrow(amd_pmu(pmu)->generation) &&
	       amd_each_counter(pmu, i, out);
}

/* We are in no guest. A counter that asks for one of the two counts only while SVM is enabled. */
void amd_selector_check(struct control_fixture *h, unsigned c, const struct pmu_event *e)
{
	static const struct {
		uint64_t only;
		bool svme, counts;
		const char *what;
	} cases[] = {
		{CTL_GUEST, false, false, "without SVM, what is for guests only counts"},
		{CTL_HOST, false, false, "without SVM, what is for hosts only counts"},
		{CTL_GUEST, true, false, "in no guest, what is for guests only counts"},
		{CTL_HOST, true, true, "in no guest, what is for hosts only counts"},
		{CTL_HOST | CTL_GUEST, true, true, "in no guest, what is for both counts"},
	};
	uint64_t efer, low, high;

	if (!h->works(h, "reading EFER", msr_read(EFER, &efer)))
		return;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		/* Firmware may have locked SVM away. */
		if (!msr_write(EFER, cases[i].svme ? efer | EFER_SVME : efer & ~EFER_SVME))
			break;
		if (amd_set_counter(h, c, e->code | cases[i].only, LEVELS_ALL, false, START)) {
			h->run(h, 1ull << c);
			h->amount(h, e, 0, &low, &high);
			h->within(h, cases[i].what, cases[i].counts ? low : 0, cases[i].counts ? high : 0,
				  control_value(h, c) - START);
		}
	}
	if (h->works(h, "restoring EFER", msr_write(EFER, efer)) &&
	    amd_set_counter(h, c, e->code, LEVELS_ALL, false, START)) {
		h->run(h, 1ull << c);
		h->amount(h, e, 0, &low, &high);
		h->within(h, "what is for neither counts", low, high, control_value(h, c) - START);
	}
}

/* Kernels that enter guests of their own, with nothing in them and with some instructions. */
bool amd_guest_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	static const char *const kernels[] = {"guest_empty", "guest_works"};

	if (pmu->under_hypervisor || amd_narrow(amd_pmu(pmu)->generation) ||
	    i >= sizeof kernels / sizeof kernels[0])
		return false;
	*out = (struct pmu_control_instance){
		.counters = 1, .suits = amd_counts_instructions, .kernel = kernels[i]};
	snprintf(out->name, sizeof out->name, "%s", kernels[i]);
	return true;
}

static uint64_t counted(struct control_fixture *h, const struct pmu_event *e, uint64_t only)
{
	if (!amd_set_counter(h, 0, e->code | only, LEVELS_ALL, false, START))
		return 0;
	h->run(h, 1);
	return control_value(h, 0) - START;
}

/* Whose VMRUN itself is, is not said: here it is the host's. */
void amd_guest_check(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	uint64_t all, host, guest, entries, own = h->guests(h, e, &entries), low, high, efer;

	(void)instance;
	if (!h->works(h, "switching SVM on", msr_read(EFER, &efer) && msr_write(EFER, efer | EFER_SVME)))
		return;
	all = counted(h, e, 0);
	h->amount(h, e, 0, &low, &high);
	h->within(h, "what is for neither counts host and guest", low, high, all);
	h->equal(h, "what is for both counts as many", all, counted(h, e, CTL_HOST | CTL_GUEST));
	host = counted(h, e, CTL_HOST);
	guest = counted(h, e, CTL_GUEST);
	h->within(h, "what is for guests only counts", own, h->pmu->virtual ? own : own + entries, guest);
	h->equal(h, "hosts' and guests' together are", all, host + guest);
	h->works(h, "restoring EFER", msr_write(EFER, efer));
}
