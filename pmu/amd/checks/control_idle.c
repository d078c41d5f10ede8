/*
 * What halting the core leaves of samples and of the free-running counters; what a fetch tells of its page;
 * and operations of instructions that the x87 unit carries out. Published errata are about each of them.
 */
#include "pmu/amd/checks/control.h"
#include "pmu/x86/control.h"

#include "arch/memory.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/amd/driver/state.h"
#include "pmu/amd/generation.h"
#include "pmu/amd/records/ibs.h"
#include "pmu/amd/records/record.h"
#include "pmu/amd/registers.h"

#include <stdio.h>

#define INSTRUCTIONS 0xc0
#define OPERATIONS   0xc1
#define START        1000
#define TURNS        100
#define HALT_US      20000
#define HALT_US_MAX  320000
#define FASTEST      8 /* core clock to time-stamp counter, at most */
#define SHIFT_2M     21
#define FARTHEST     6  /* fetch that is sampled: units of 16 */
#define PHASES       96 /* of it */

/* A halt worth the name. @return ticks that it took */
static uint64_t halted(struct control_fixture *h)
{
	uint64_t took = 0;

	for (unsigned us = HALT_US; !took && us <= HALT_US_MAX; us *= 4)
		took = h->halt(h, us);
	h->equal(h, "it halted", true, took != 0);
	return took;
}

/* --- samples ------------------------------------------------------------------------------------------ */

enum { SAMPLE_OP, SAMPLE_VALID, SAMPLE_FETCH, SAMPLES };

bool amd_sample_halt_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	static const char *const names[SAMPLES] = {"operation", "valid bit", "fetch"};

	if (pmu->under_hypervisor || i >= SAMPLES || !(amd_pmu(pmu)->ibs & IBS_OP) ||
	    !(amd_pmu(pmu)->ibs & IBS_FETCH))
		return false;
	*out = (struct pmu_control_instance){0};
	snprintf(out->name, sizeof out->name, "%s", names[i]);
	return true;
}

/* What has been sampled stays as it is until software clears it. */
void amd_sample_halt_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	static const struct {
		uint32_t control, told;
		uint64_t enable, valid;
		const char *what;
	} ways[SAMPLES] = {
		{IBS_OP_CTL, IBS_OP_RIP, 9 | OP_EN, OP_VAL, "over a halt a sample's address becomes"},
		{IBS_OP_CTL, IBS_OP_RIP, 9 | OP_EN, OP_VAL, "over a halt a sample stays valid"},
		{IBS_FETCH_CTL, IBS_FETCH_LINAD, 1 | FETCH_EN, FETCH_VAL,
		 "over a halt a fetch's address becomes"},
	};
	uint32_t control = ways[i].control;

	(void)e;
	h->works(h, "sampling", msr_write(control, 0) && msr_write(control, ways[i].enable));
	amd_flops(TURNS);
	h->equal(h, "there is a sample", true, (control_register(h, control) & ways[i].valid) != 0);
	uint64_t at = control_register(h, ways[i].told);

	/* One that is valid no longer is not followed by another one soon. */
	if (i == SAMPLE_VALID)
		h->works(h, "lengthening the period",
			 msr_write(control, control_register(h, control) | OP_MAX));
	halted(h);
	if (i == SAMPLE_VALID)
		h->equal(h, ways[i].what, true, (control_register(h, control) & ways[i].valid) != 0);
	else
		h->equal(h, ways[i].what, at, control_register(h, ways[i].told));
	h->works(h, "sampling no more",
		 i == SAMPLE_FETCH ? msr_write(IBS_FETCH_CTL, 0) : amd_ibs_stop(h->pmu));
}

/* --- free-running counters ---------------------------------------------------------------------------- */

static bool counts_instructions(const struct pmu *pmu, unsigned i, const struct pmu_event *e)
{
	(void)i;
	return e->code == INSTRUCTIONS && pmu->driver->can_count(pmu, e, 0);
}

bool amd_free_halt_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	bool has[] = {amd_pmu(pmu)->has_aperf, amd_pmu(pmu)->has_irperf};

	for (unsigned way = 0; way < 2; way++)
		if (has[way] && !i--) {
			*out = (struct pmu_control_instance){
				.name = "APERF", .counters = 1, .suits = counts_instructions};
			if (way)
				snprintf(out->name, sizeof out->name, "IRPERF");
			return true;
		}
	return false;
}

static void aperf(struct control_fixture *h)
{
	h->works(h, "writing APERF", msr_write(APERF, START));
	uint64_t took = halted(h);

	/* Waking up and the handler take time. */
	h->within(h, "over a halt APERF goes on by", 1, took * FASTEST, control_register(h, APERF) - START);
}

/* It is read between readings of a counter of instructions. */
static void irperf(struct control_fixture *h, const struct pmu_event *e)
{
	const struct pmu_config config = {.code = e->code, .levels = LEVELS_ALL};
	uint64_t control, seen[6];

	if (!control_program(h, 0, &config, START) ||
	    !h->works(h, "switching IRPERF on",
		      msr_read(HWCR, &control) && msr_write(HWCR, control | HWCR_IRPERF) &&
			      h->pmu->driver->start(h->pmu, 1)))
		return;
	for (unsigned k = 0; k < 6; k++) {
		if (k == 3)
			halted(h);
		seen[k] = k % 3 == 1 ? control_register(h, IRPERF) : control_value(h, 0);
	}
	h->works(h, "stopping", h->pmu->driver->stop(h->pmu) && msr_write(HWCR, control));
	h->within(h, "over a halt IRPERF goes on by", seen[3] - seen[2], seen[5] - seen[0],
		  seen[4] - seen[1]);
}

void amd_free_halt_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	if (i || !amd_pmu(h->pmu)->has_aperf)
		irperf(h, e);
	else
		aperf(h);
}

/* --- a fetch's page ----------------------------------------------------------------------------------- */

bool amd_page_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || pmu->under_hypervisor || !(amd_pmu(pmu)->ibs & IBS_FETCH))
		return false;
	*out = (struct pmu_control_instance){
		.name = "size", .counters = 1, .suits = counts_instructions, .kernel = "walk_code_2m"};
	return true;
}

/* Fetches of large pages, whichever of the kernel's is sampled. The TLB may hold a smaller page than the
 * tables have. */
void amd_page_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config config = {.code = e->code, .levels = LEVELS_ALL};
	unsigned samples = 0;

	(void)i;
	for (unsigned n = 0; n < PHASES; n++) {
		uint64_t physical;
		unsigned shift = 0;

		control_program(h, 0, &config, 0);
		h->works(h, "sampling",
			 msr_write(IBS_FETCH_CTL, 0) &&
				 msr_write(IBS_FETCH_CTL, (n % FARTHEST + 1) | FETCH_EN | FETCH_RAND));
		h->run(h, 1);
		uint64_t control = control_register(h, IBS_FETCH_CTL);

		h->works(h, "sampling no more", msr_write(IBS_FETCH_CTL, 0));
		if (!(control & FETCH_VAL) ||
		    !page_translate(control_register(h, IBS_FETCH_LINAD), &physical, &shift) ||
		    shift != SHIFT_2M)
			continue;
		samples++;
		h->within(h, "the size of a fetch's page of 2 MiB: a code of", 0, 1,
			  (control & FETCH_PAGE_SIZE) >> FETCH_PAGE_SHIFT);
	}
	/* Where code lies decides it, and chance. */
	if (!samples)
		h->leave(h, "no sample is of a page of 2 MiB");
	h->within(h, "samples of such a page", 1, PHASES, samples);
}

/* --- x87 operations ----------------------------------------------------------------------------------- */

bool amd_x87_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || pmu->under_hypervisor)
		return false;
	*out = (struct pmu_control_instance){.name = "FCOMI and F2XM1", .counters = 1};
	return true;
}

/* An instruction is one operation at least, but for the loop's two, which may be one. */
void amd_x87_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config config = {.code = OPERATIONS, .levels = LEVELS_ALL};

	(void)i, (void)e;
	for (unsigned without = 0; without < 2; without++) {
		uint64_t turns = without ? 0 : TURNS;

		if (!control_program(h, 0, &config, START) ||
		    !h->works(h, "starting", h->pmu->driver->start(h->pmu, 1)))
			return;
		amd_x87_compares(turns);
		h->works(h, "stopping", h->pmu->driver->stop(h->pmu));
		h->within(h, without ? "operations of no turn" : "operations of FCOMI and F2XM1",
			  turns * 4 + 1, UINT64_MAX, control_value(h, 0) - START);
	}
}

/* --- which fetches are sampled ------------------------------------------------------------------------ */

#define BLOCK   32
#define FETCHES 64

bool amd_blocks_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || pmu->under_hypervisor || !(amd_pmu(pmu)->ibs & IBS_FETCH))
		return false;
	*out = (struct pmu_control_instance){.name = "two blocks"};
	return true;
}

/* The tagged one is any, as the count begins at random; a family may fetch both blocks at once, by the first.
 */
void amd_blocks_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	unsigned samples[2] = {0, 0};

	(void)i, (void)e;
	for (unsigned n = 0; n < FETCHES; n++) {
		h->works(h, "sampling",
			 msr_write(IBS_FETCH_CTL, 0) && msr_write(IBS_FETCH_CTL, 2 | FETCH_EN | FETCH_RAND));
		amd_two_blocks(TURNS);
		uint64_t at = control_register(h, IBS_FETCH_LINAD) - (uintptr_t)amd_two_blocks;

		if (control_register(h, IBS_FETCH_CTL) & FETCH_VAL && at < 2 * BLOCK)
			samples[at / BLOCK]++;
		h->works(h, "sampling no more", msr_write(IBS_FETCH_CTL, 0));
	}
	h->within(h, "samples of two blocks", 1, FETCHES, samples[0] + samples[1]);
	h->within(h, "samples of the block that a branch leads to", 1, FETCHES, samples[0]);
}

/* --- counters of the northbridge ---------------------------------------------------------------------- */

#define NORTHBRIDGE 0xe0

bool amd_shared_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || pmu->under_hypervisor || !amd_narrow(amd_pmu(pmu)->generation))
		return false;
	*out = (struct pmu_control_instance){.name = "E0H", .counters = 3};
	return true;
}

void amd_shared_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config config = {.code = NORTHBRIDGE, .levels = LEVELS_ALL};
	const struct pmu_config other = {.code = INSTRUCTIONS, .levels = LEVELS_ALL};

	(void)i, (void)e;
	control_program(h, 0, &config, START);
	h->works(h, "starting", h->pmu->driver->start(h->pmu, 1));
	control_program(h, 1, &other, START);
	h->works(h, "stopping", h->pmu->driver->stop(h->pmu));
	h->within(h, "what another counter's selector leaves of a count of the northbridge", START,
		  UINT64_MAX, control_value(h, 0));
}
