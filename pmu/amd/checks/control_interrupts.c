/*
 * Two counters that may interrupt: each overflow does. Of erratum 1023 (revision guide 55449) later ones may
 * not, once one has.
 */
#include "pmu/amd/checks/control.h"

#include "pmu/amd/driver/state.h"
#include "pmu/amd/generation.h"
#include "pmu/amd/registers.h"

#include <stdio.h>

#define INSTRUCTIONS 0xc0
#define TOP          ((1ull << AMD_WIDTH) - 1)
#define START        1000

static bool counts_instructions(const struct pmu *pmu, unsigned c, const struct pmu_event *e)
{
	return e->code == INSTRUCTIONS && pmu->driver->can_count(pmu, e, c);
}

bool amd_two_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || pmu->n_counters < 2)
		return false;
	*out = (struct pmu_control_instance){
		.name = "counters 0 and 1", .counters = 3, .suits = counts_instructions};
	return true;
}

/* @param may mask of those of the two that may interrupt */
static void allow(struct control_fixture *h, const struct pmu_event *e, unsigned may)
{
	for (unsigned c = 0; c < 2; c++) {
		const struct pmu_config config = {
			.code = e->code, .levels = LEVELS_USER, .interrupt = may >> c & 1};

		control_program(h, c, &config, START);
	}
}

/* Counter c overflows, and the other one does not. */
static void overflow_of(struct control_fixture *h, unsigned c, const char *what)
{
	const struct pmu_driver *d = h->pmu->driver;

	h->works(h, "writing a counter", d->write(h->pmu, c, TOP) && d->write(h->pmu, 1 - c, START));
	h->works(h, "acknowledging overflows", d->acknowledge(h->pmu, 3));
	h->arm(h);
	h->run_user(h, 3);
	h->equal(h, what, 1, h->interrupts(h));
}

/* One alone may, each time; then both may: the first time, and later. */
void amd_two_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	(void)i;
	for (unsigned c = 0; c < 2; c++) {
		allow(h, e, 1u << c);
		for (unsigned turn = 0; turn < 2; turn++)
			overflow_of(h, c, "interrupts after each overflow of the only one that may");
	}
	allow(h, e, 0);
	allow(h, e, 3);
	overflow_of(h, 0, "interrupts after the first overflow of one of two counters");
	for (unsigned turn = 1; turn < 4; turn++)
		overflow_of(h, turn % 2, "interrupts after a later overflow of one of two counters");
}

/* --- what retires: errata 1291 and 1292 --------------------------------------------------------------- */

#define RIGHT 2 /* the counter that a CPU with erratum 1292 can be told to count right with */
#define SHORT 10
#define LONG  1000
#define EACH  3 /* instructions of a turn of amd_flops() */

bool amd_retired_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || pmu->n_counters <= RIGHT)
		return false;
	/* Also where the counter does not even count NOPs: that is what it may find. */
	*out = (struct pmu_control_instance){.suits = counts_instructions};
	snprintf(out->name, sizeof out->name, "%s", pmu->counter[RIGHT].name);
	return true;
}

static uint64_t counted(struct control_fixture *h, const struct pmu_event *e, uint64_t turns)
{
	const struct pmu_config config = {.code = e->code, .levels = LEVELS_ALL};

	if (!control_program(h, RIGHT, &config, START) ||
	    !h->works(h, "starting", h->pmu->driver->start(h->pmu, 1u << RIGHT)))
		return 0;
	amd_flops(turns);
	h->works(h, "stopping", h->pmu->driver->stop(h->pmu));
	return control_value(h, RIGHT) - START;
}

void amd_retired_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	(void)i;
	h->equal(h, "instructions that a loop has more in its longer run", EACH * (LONG - SHORT),
		 counted(h, e, LONG) - counted(h, e, SHORT));
}

/* --- where operations are dispatched from: erratum 1287 ----------------------------------------------- */

#define FROM_DECODER 0x1aa
#define FROM_CACHE   0x2aa

/* A hypervisor's filter may leave these events out. */
bool amd_dispatched_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	*out = (struct pmu_control_instance){.name = "a loop", .counters = 3};
	return !i && !pmu->under_hypervisor && amd_pmu(pmu)->generation >= AMD_ZEN1;
}

/* Every operation comes from the decoder or from the cache behind it. */
void amd_dispatched_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config decoder = {.code = FROM_DECODER, .levels = LEVELS_ALL},
				cache = {.code = FROM_CACHE, .levels = LEVELS_ALL};

	(void)i, (void)e;
	if (!control_program(h, 0, &decoder, START) || !control_program(h, 1, &cache, START) ||
	    !h->works(h, "starting", h->pmu->driver->start(h->pmu, 3)))
		return;
	amd_flops(LONG);
	h->works(h, "stopping", h->pmu->driver->stop(h->pmu));
	h->within(h, "operations of a loop that were dispatched from anywhere", 1, UINT64_MAX,
		  control_value(h, 0) + control_value(h, 1) - 2 * START);
}
