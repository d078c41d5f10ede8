/*
 * Control logic of branch records: the last branch before an exception, what a debug exception does, and
 * records against a counter. Section numbers: APM vol. 2.
 */
#include "pmu/amd/checks/control.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/amd/driver/parts.h"
#include "pmu/amd/driver/state.h"
#include "pmu/amd/records/record.h"
#include "pmu/amd/registers.h"
#include "pmu/x86/control.h"

#define NO_COUNTER   0x10000000 /* an index of RDPMC */
#define MISPREDICTED 0xc3

/* --- the last branch before an exception: 13.1.6.1 ------------------------------------------------------ */

/* A hypervisor may answer RDPMC of what is not there. */
bool amd_last_fault_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || pmu->under_hypervisor)
		return false;
	*out = (struct pmu_control_instance){.name = "the call of what faults"};
	return true;
}

static uint64_t before_fault(struct control_fixture *h)
{
	uint64_t from = control_register(h, LAST_EXCEPTION_FROM);

	if (h->equal(h, "the last branch before the fault leads to what faults", true,
		     control_register(h, LAST_EXCEPTION_TO) == (uintptr_t)pmc_read) &&
	    h->within(h, "the last branch before the fault comes from", 1, UINT64_MAX, from))
		h->equal(h, "the last branch before the fault is its call", true,
			 control_call_target(from) == (uintptr_t)pmc_read);
	return from;
}

/* Twice, from two places. The accessor is straight-line code. */
void amd_last_fault_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	uint64_t first, second, value;

	(void)i, (void)e;
	if (!h->works(h, "recording the last branch", amd_change_msr(DEBUGCTL, 0, DEBUGCTL_LBR)))
		return;
	h->works(h, "a fault", !pmc_read(NO_COUNTER, &value));
	first = before_fault(h);
	h->works(h, "another fault", !pmc_read(NO_COUNTER, &value));
	second = before_fault(h);
	h->works(h, "recording no more", amd_change_msr(DEBUGCTL, DEBUGCTL_LBR, 0));
	h->equal(h, "both are the same branch", false, first == second);
}

/* --- a debug exception: 13.1.6.1 and 13.1.1.8 --------------------------------------------------------- */

bool amd_debug_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	*out = (struct pmu_control_instance){.name = "INT1"};
	return i == 0;
}

/* It ends recording, and what was recorded stays. */
void amd_debug_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	uint64_t at, last, aside, stack = 0;

	(void)i, (void)e;
	aside = control_register(h, LAST_EXCEPTION_FROM);
	h->works(h, "recording",
		 amd_change_msr(DEBUGCTL, 0, DEBUGCTL_LBR) &&
			 (!amd_pmu(h->pmu)->stacks || amd_change_msr(DBG_EXTN_CFG, 0, DBG_EXTN_LBR)));
	at = h->debug_exception(h);
	h->within(h, "address of the INT1 that was taken", 1, UINT64_MAX, at);
	h->equal(h, "DebugCtl[LBR] behind a debug exception", 0,
		 control_register(h, DEBUGCTL) & DEBUGCTL_LBR);
	if (amd_pmu(h->pmu)->stacks)
		stack = control_register(h, DBG_EXTN_CFG) & DBG_EXTN_LBR;
	h->equal(h, "the stack's enable behind a debug exception", 0, stack);
	last = control_register(h, LAST_BRANCH_FROM);
	h->within(h, "the last branch comes from", 1, UINT64_MAX, last);
	h->equal(h, "INT1 is the last branch", false, last == at);
	h->equal(h, "the last branch that an exception put aside: as it was", true,
		 control_register(h, LAST_EXCEPTION_FROM) == aside);
}

/* --- records against a counter: 13.1.1.9 ---------------------------------------------------------------- */

static bool mispredictions(const struct pmu *pmu, unsigned i, const struct pmu_event *e)
{
	(void)i;
	return e->code == MISPREDICTED && pmu->driver->can_count(pmu, e, 0);
}

bool amd_stack_counter_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	if (i || !amd_pmu(pmu)->stacks)
		return false;
	*out = (struct pmu_control_instance){
		.name = "mispredictions", .counters = 1, .suits = mispredictions};
	return true;
}

/* Of a run in ring 3 no more records say that their branch was mispredicted than a counter has counted, but
 * the way into the ring. That none says so has no bound here, as the last records may all be of branches that
 * were foreseen: the suite trace has a kernel for that. */
void amd_stack_counter_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	static struct pmu_record records[BRANCHES_MAX];
	const struct pmu_config config = {.code = MISPREDICTED, .levels = LEVELS_USER};
	const struct pmu_recording r = {.source = record_source(h->pmu, RECORD_LAST_BRANCHES),
					.levels = LEVELS_USER};
	uint64_t told = 0;
	const char *why;

	(void)i, (void)e;
	control_program(h, 0, &config, 0);
	if (!h->works(h, "setting the last-branch stack up", r.source && record_setup(h->pmu, &r, &why)))
		return;
	h->works(h, "recording", record_start(h->pmu, &r));
	h->run_user(h, 1);
	h->works(h, "stopping", record_stop(h->pmu, &r));
	unsigned n = record_drain(h->pmu, &r, records, BRANCHES_MAX);
	for (unsigned k = 0; k < n; k++)
		told += records[k].mispredicted;
	h->within(h, "records", 1, r.source->depth, n);
	h->within(h, "records that say mispredicted", 0, control_value(h, 0) + 1, told);
	h->works(h, "releasing", record_release(h->pmu, &r));
}

/* --- records of no branch: erratum 1452 --------------------------------------------------------------- */

#define TURNS 100

bool amd_bogus_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	*out = (struct pmu_control_instance){.name = "a loop"};
	return !i && amd_pmu(pmu)->stacks;
}

/* Valid ones with a reserved bit, which other drivers record as branches. */
void amd_bogus_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_recording r = {.source = record_source(h->pmu, RECORD_LAST_BRANCHES),
					.levels = LEVELS_ALL};
	unsigned valid = 0, bogus = 0;
	const char *why;

	(void)i, (void)e;
	if (!h->works(h, "setting the last-branch stack up", r.source && record_setup(h->pmu, &r, &why)))
		return;
	h->works(h, "recording", record_start(h->pmu, &r));
	amd_flops(TURNS);
	h->works(h, "stopping", record_stop(h->pmu, &r));
	for (unsigned k = 0; k < r.source->depth; k++) {
		uint64_t to = control_register(h, BRANCH_TO0 + 2 * k);

		valid += to & BRANCH_VALID ? 1 : 0;
		bogus += to & BRANCH_VALID && to & BRANCH_BOGUS;
	}
	h->within(h, "records of a loop", 1, r.source->depth, valid);
	h->equal(h, "records that are marked as none of a branch", 0, bogus);
	h->works(h, "releasing", record_release(h->pmu, &r));
}
