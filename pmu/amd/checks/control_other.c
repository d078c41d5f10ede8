/*
 * Control logic of a core's two logical processors, or of the two cores of a compute unit (family 15H): each
 * has registers of its own.
 */
#include "pmu/amd/checks/control.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/amd/driver/parts.h"
#include "pmu/amd/driver/state.h"
#include "pmu/amd/generation.h"
#include "pmu/amd/records/ibs.h"
#include "pmu/amd/records/record.h"
#include "pmu/amd/registers.h"
#include "pmu/x86/control.h"

#include <stdio.h>

#define INSTRUCTIONS 0xc0
#define START        1000 /* first value of a counter here */
#define OTHER_START  3000 /* and there */
#define OWN_WRITES   32   /* instructions between its two writes that belong to no turn, at most */
#define ALL_COUNTERS ((1ull << AMD_EXTENDED) - 1)

static const struct {
	const char *name;
	uint64_t code;
} events[] = {{"instructions", 0xc0}, {"branches", 0xc2}};

static const struct pmu_event *event_of(const struct pmu *pmu, uint64_t code)
{
	for (unsigned i = 0; i < pmu->n_events; i++)
		if (pmu->events[i]->fixed < 0 && pmu->events[i]->code == code &&
		    pmu->events[i]->judgement == EVENT_EXACT)
			return pmu->events[i];
	return NULL;
}

/* A guest's other processor need not be one of its core. */
static bool has_pair(const struct pmu *pmu)
{
	return !pmu->under_hypervisor && pmu->version >= AMD_LAYOUT_EXTENDED;
}

bool amd_beside_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i >= sizeof events / sizeof events[0] || !has_pair(pmu) || !event_of(pmu, events[i].code))
		return false;
	*out = (struct pmu_control_instance){.counters = 3, .also = event_of(pmu, events[i].code)};
	snprintf(out->name, sizeof out->name, "%s", events[i].name);
	return true;
}

static uint64_t select_of(uint64_t code)
{
	return code | CTL_OS | CTL_USR;
}

/* Program the other one's counter 0, which its enable starts. */
static struct control_other program_other(struct control_fixture *h, uint64_t code)
{
	const uint64_t select = select_of(code);

	h->other_write(h, SPACE_MSR, PERF_CTL0, select);
	h->other_write(h, SPACE_MSR, PERF_CTR0, OTHER_START);
	if (h->pmu->version == AMD_LAYOUT_PERFMON_V2)
		h->other_write(h, SPACE_MSR, PERF_GLOBAL_CTL, ALL_COUNTERS);
	return (struct control_other){
		.space = SPACE_MSR, .number = PERF_CTL0, .start = select | CTL_EN, .stop = select};
}

static uint64_t others_count(struct control_fixture *h)
{
	return h->other_read(h, SPACE_MSR, PERF_CTR0) - OTHER_START;
}

/* Counter c here, counter 0 there. @return what the other one has counted besides its turns */
static uint64_t count_both(struct control_fixture *h, unsigned c, const struct pmu_event *e, const char *what)
{
	const struct pmu_config config = {.code = e->code, .levels = LEVELS_ALL};
	struct control_other other;
	uint64_t low, high, turns;

	control_program(h, c, &config, START);
	other = program_other(h, e->code);
	h->equal(h, "a counter holds what was written to it, not to the other logical processor's", START,
		 control_value(h, c));
	turns = h->run_beside(h, 1ull << c, &other);
	h->amount(h, e, 0, &low, &high);
	h->within(h, what, START + low, high == UINT64_MAX ? high : START + high, control_value(h, c));
	return others_count(h) - h->turn(h, e, false) * turns;
}

/* Neither sees what the other one does. What the other one counts besides its turns belongs to its start and
 * stop, and is measured. */
void amd_beside_check(struct control_fixture *h, unsigned i, const struct pmu_event *unused)
{
	const struct pmu_event *e = event_of(h->pmu, events[i].code);
	uint64_t alone, together;

	(void)unused;
	control_program(h, 0, &(struct pmu_config){.code = INSTRUCTIONS, .levels = LEVELS_ALL}, START);
	alone = count_both(h, 1, e, "a count while the other logical processor counts");
	h->within(h, "what the other logical processor counts besides its turns", 0, OWN_WRITES, alone);
	together =
		count_both(h, 0, e, "a count while the same counter of the other logical processor counts");
	h->equal(h, "the same, if the same counter counts here", alone, together);
}

/* --- operations that IBS tags: erratum 1348 ----------------------------------------------------------- */

#define TAGGED (0xcfull | 1ull << 32 | TAGGED_OPS)
#define PERIOD 0x90

bool amd_tagged_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || !has_pair(pmu) || !(amd_pmu(pmu)->ibs & IBS_OP) || !event_of(pmu, TAGGED))
		return false;
	*out = (struct pmu_control_instance){.name = "PMCx1CF", .counters = 1};
	return true;
}

/* Each sample is of one. By cycles: the other one's are as many as its turns and more. */
void amd_tagged_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	struct control_other other = program_other(h, TAGGED);
	uint64_t sampled = 0;

	(void)i, (void)e;
	control_program(h, 0, &(struct pmu_config){.code = INSTRUCTIONS, .levels = LEVELS_ALL}, START);
	h->other_write(h, SPACE_MSR, IBS_OP_CTL, 0);
	h->other_write(h, SPACE_MSR, IBS_OP_CTL, ibs_op_max_field(PERIOD) | OP_EN);
	h->run_around(h, 1, &other, 8);
	sampled = h->other_read(h, SPACE_MSR, IBS_OP_CTL) & OP_VAL;
	h->other_write(h, SPACE_MSR, IBS_OP_CTL, 0);
	h->equal(h, "a sample of the other logical processor is there", true, sampled != 0);
	h->within(h, "tagged operations of the other logical processor", 1, UINT64_MAX, others_count(h));
}

/* --- fetches: erratum 685 ------------------------------------------------------------------------------- */

#define FETCHES 0x80

bool amd_fetches_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || !has_pair(pmu) || amd_pmu(pmu)->generation != AMD_15H || !event_of(pmu, INSTRUCTIONS))
		return false;
	*out = (struct pmu_control_instance){.name = "PMCx080", .counters = 1};
	return true;
}

/* A fetch is of an instruction at least; of those on a wrong path there are no more than of the others. */
void amd_fetches_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	struct control_other other = program_other(h, FETCHES);

	(void)i, (void)e;
	control_program(h, 0, &(struct pmu_config){.code = INSTRUCTIONS, .levels = LEVELS_ALL}, START);
	uint64_t turns = h->run_beside(h, 1, &other);
	uint64_t most = turns * h->turn(h, event_of(h->pmu, INSTRUCTIONS), false) + OWN_WRITES;

	h->within(h, "fetches of the other core of the unit", 0, 2 * most, others_count(h));
}

/* --- the last branch: erratum 593 --------------------------------------------------------------------- */

#define NO_COUNTER 0x10000000 /* an index of RDPMC */

bool amd_last_beside_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || !has_pair(pmu))
		return false;
	*out = (struct pmu_control_instance){.name = "the call of what faults", .counters = 1};
	return true;
}

void amd_last_beside_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	struct control_other other = program_other(h, INSTRUCTIONS);
	uint64_t value;

	(void)i, (void)e;
	if (!h->other_begin(h, &other))
		return;
	h->works(h, "recording the last branch", amd_change_msr(DEBUGCTL, 0, DEBUGCTL_LBR));
	h->works(h, "a fault", !pmc_read(NO_COUNTER, &value));
	h->works(h, "recording no more", amd_change_msr(DEBUGCTL, DEBUGCTL_LBR, 0));
	h->within(h, "turns of the other logical processor", 1, UINT64_MAX, h->other_end(h));
	h->equal(h, "the last branch leads to its target while the other logical processor works",
		 (uintptr_t)pmc_read, control_register(h, LAST_EXCEPTION_TO));
}
