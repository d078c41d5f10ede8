/*
 * Snapshots of all counters (FEAT_PMUv3_SS; Arm ARM, PMSSCR_EL1). Firmware at EL3 may keep their registers
 * (MDCR_EL3.EnPMSS) and EL2 or EL3 may forbid captures (PMSSE). So nothing but this check accesses them.
 */
#include "pmu/armv8/armv8.h"
#include "pmu/armv8/registers.h"

#include "arch/register.h"
#include "pmu/contract/control.h"

#define START 5000
#define POLLS 1000

static uint64_t get(struct control_fixture *h, const char *what, uint64_t number)
{
	uint64_t value = 0;

	h->works(h, what, register_read(SPACE_SYSTEM, number, &value));
	return value;
}

static bool put(struct control_fixture *h, const char *what, uint64_t number, uint64_t value)
{
	return h->works(h, what, register_write(SPACE_SYSTEM, number, value));
}

/* Ask for a capture. @return what PMSSCR_EL1 says once it is done, or all ones if it is never done */
static uint64_t ask(unsigned allowed)
{
	uint64_t status = 0;

	if (!register_write(SPACE_SYSTEM, PMECR_EL1, (uint64_t)allowed << PMECR_SSE) ||
	    !register_write(SPACE_SYSTEM, PMSSCR_EL1, PMSSCR_SS))
		return UINT64_MAX;
	for (unsigned i = 0; i < POLLS; i++)
		if (register_read(SPACE_SYSTEM, PMSSCR_EL1, &status) && !(status & PMSSCR_SS))
			return status;
	return UINT64_MAX;
}

bool armv8_has_snapshots(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	*out = (struct pmu_control_instance){.name = "PMSSCR_EL1", .counters = pmu->n_general > 0};
	return !i && armv8_found(pmu)->snapshots;
}

static uint64_t saved_register(const struct pmu *pmu, unsigned c)
{
	return c < pmu->n_general    ? PMEVCNTSVR_EL1 + c
	       : c == pmu->n_general ? PMCCNTSVR_EL1
				     : PMICNTSVR_EL1;
}

/* Give each counter a value of its own. */
static void write_all(struct control_fixture *h, uint64_t first)
{
	for (unsigned c = 0; c < h->pmu->n_counters; c++)
		h->works(h, "writing a counter", h->pmu->driver->write(h->pmu, c, first + c));
}

static void compare_all(struct control_fixture *h, const char *what, uint64_t first)
{
	for (unsigned c = 0; c < h->pmu->n_counters; c++)
		h->equal(h, what, first + c, get(h, "reading a saved value", saved_register(h->pmu, c)));
}

/* A counter that runs is captured between two readings of it, and runs on. */
static void while_running(struct control_fixture *h)
{
	const struct pmu_config config = {.code = EVENT_CPU_CYCLES, .levels = LEVELS_ALL};
	uint64_t one = armv8_bits(h->pmu, 1), before, saved;

	if (!h->pmu->n_general || !control_program(h, 0, &config, START))
		return;
	put(h, "writing PMCNTENSET_EL0", PMCNTENSET_EL0, one);
	before = control_value(h, 0);
	h->equal(h, "captured while a counter runs, PMSSCR_EL1 is", 0, ask(SSE_ALLOWED));
	saved = get(h, "reading a saved value", saved_register(h->pmu, 0));
	h->within(h, "the value that was saved while it ran", before, control_value(h, 0), saved);
	h->equal(h, "it runs on", true, control_value(h, 0) > saved);
	h->equal(h, "the saved value stays", saved,
		 get(h, "reading a saved value", saved_register(h->pmu, 0)));
	put(h, "writing PMCNTENCLR_EL0", PMCNTENCLR_EL0, one);
}

void armv8_snapshots(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	uint64_t sse = get(h, "reading PMECR_EL1", PMECR_EL1), status;

	(void)instance, (void)e;
	write_all(h, START);
	h->equal(h, "captured, PMSSCR_EL1 is", 0, ask(SSE_ALLOWED));
	compare_all(h, "a counter is saved as", START);
	for (unsigned c = 0; c < h->pmu->n_counters; c++)
		h->equal(h, "captured, a counter holds", START + c, control_value(h, c));
	write_all(h, 2 * START);
	status = ask(SSE_PROHIBITED);
	h->equal(h, "captures prohibited, PMSSCR_EL1.NC is", true, (status & PMSSCR_NC) != 0);
	compare_all(h, "captures prohibited, a saved counter stays", START);
	h->equal(h, "captured again, PMSSCR_EL1 is", 0, ask(SSE_ALLOWED));
	compare_all(h, "a counter is saved again as", 2 * START);
	write_all(h, START);
	h->equal(h, "captures disabled, PMSSCR_EL1 stays", 0, ask(SSE_OFF));
	compare_all(h, "captures disabled, a saved counter stays", 2 * START);
	while_running(h);
	put(h, "writing PMECR_EL1", PMECR_EL1, sse);
}
