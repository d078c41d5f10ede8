/* Rules of extreme machines (extremes.h): caches, TLBs and what they ask for: by the machine model, or by
 * what a kernel touches. */
#include "tests/self/host/support/extremes_rules.h"
#include "pmu/virtual/machine_model.h"
#include "tests/self/host/support/replay.h"
#include "tests/kernels/x86/kernel.h"

#define DISTURBED   8  /* lines or translations that others take from a kernel in one run */
#define STAGES      4  /* places that may hold an instruction's old bytes */
#define LARGE_PAGES 16 /* 2 MiB pages of the 32 MiB that chains lie in */
#define SMALL_ITLB  16
#define PAGES                                                                                                \
	(KERNEL_SERVICE_CHAIN_LLC | KERNEL_SERVICE_CHAIN_4K | KERNEL_SERVICE_CHAIN_2M |                      \
	 KERNEL_SERVICE_CHAIN_1G)
#define LARGE (KERNEL_SERVICE_CHAIN_2M | KERNEL_SERVICE_CHAIN_1G)

/* The model of a Nehalem, if `itlb` is not 0 with so many entries for code in one level. What it showed last
 * is kept: it is asked for one quantity after the other. */
static struct machine {
	struct machine_geometry geometry;
	struct uarch *uarch;
	const struct kernel *kernel;
	uint64_t n;
	struct replay replay;
} machines[2];

static uint64_t model(const struct extreme_run *r, unsigned itlb)
{
	struct machine *m = &machines[itlb != 0];

	if (!m->uarch) {
		m->geometry = machine_geometry(model_profile_by_name("intel-nehalem"));
		if (itlb) {
			m->geometry.itlb = (uint16_t)itlb;
			m->geometry.stlb_sets = 0;
		}
		m->uarch = replay_machine(&m->geometry);
	}
	if (itlb || m->kernel != r->trace->kernel || m->n != r->trace->n) {
		replay_begin(&m->replay, m->uarch, &m->geometry, r->trace->kernel);
		replay_run(&m->replay, r->warm);
		replay_run(&m->replay, r->trace);
		m->kernel = r->trace->kernel;
		m->n = r->trace->n;
	}
	return m->replay.total.v[r->quantity];
}

uint64_t count_model(const struct extreme_run *r)
{
	return model(r, 0);
}

uint64_t count_none(const struct extreme_run *r)
{
	(void)r;
	return 0;
}

uint64_t count_twice(const struct extreme_run *r)
{
	return 2 * count_model(r);
}

uint64_t count_disturbed(const struct extreme_run *r)
{
	return count_model(r) + DISTURBED;
}

/* What a store asks for is to own the line. */
uint64_t count_owned(const struct extreme_run *r)
{
	struct extreme_run own = *r;

	own.quantity = Q_OFFCORE_RFO_MISS;
	return count_model(&own);
}

uint64_t count_stages(const struct extreme_run *r)
{
	return STAGES * count_model(r);
}

/* Chains begin with a load of where they go on. */
static uint64_t links(const struct extreme_run *r)
{
	return extreme_total(r, Q_LOADS) - 1;
}

uint64_t count_half_links(const struct extreme_run *r)
{
	return links(r) / 2;
}

uint64_t count_quarter_links(const struct extreme_run *r)
{
	return links(r) / 4;
}

uint64_t count_loads(const struct extreme_run *r)
{
	return extreme_total(r, Q_LOADS);
}

uint64_t count_large_pages(const struct extreme_run *r)
{
	return (r->trace->kernel->flags & KERNEL_SERVICE_CHAIN_2M ? LARGE_PAGES : 0) + DISTURBED;
}

/* Every access and every walk, with the line beside it. */
uint64_t count_neighbours(const struct extreme_run *r)
{
	uint64_t flags = r->trace->kernel->flags, loads = extreme_total(r, Q_LOADS),
		 stores = extreme_total(r, Q_STORES);
	uint64_t walks = flags & LARGE ? count_large_pages(r) : loads;

	return 2 * (loads + stores + (flags & PAGES ? walks + stores : 0));
}

static uint64_t fetch_misses(const struct extreme_run *r)
{
	return count_model(&(struct extreme_run){r->trace, r->warm, Q_L1I_MISS});
}

uint64_t count_half_fetches(const struct extreme_run *r)
{
	return fetch_misses(r) / 2;
}

uint64_t count_fetched_neighbours(const struct extreme_run *r)
{
	return 2 * fetch_misses(r);
}

/* A run may begin anywhere in the ring: where it meets most new pages. */
uint64_t count_ring_pages(const struct extreme_run *r)
{
	struct trace before = {0}, run = {0};
	uint64_t most = 0;

	for (unsigned from = 0; from < 8; from++) {
		unsigned ring = trace_ring_turns(r->trace->kernel);
		const char *why = trace_record(&before, r->trace->kernel, ring, from);

		why = why ? why : trace_record(&run, r->trace->kernel, r->trace->n, from + ring);
		if (why)
			break;
		uint64_t count = model(&(struct extreme_run){&run, &before, r->quantity}, SMALL_ITLB);

		most = count > most ? count : most;
	}
	trace_free(&before);
	trace_free(&run);
	return 2 * most;
}
