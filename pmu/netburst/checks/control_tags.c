/*
 * Tagging: four colours of execution tags, one of front-end tags, one set of registers for replays.
 */
#include "pmu/netburst/checks/control.h"
#include "arch/x86/cpu/msr.h"

#include <stdio.h>

/* Counters: two of FLAME that keep the tagging ESCRs awake and count what they tag, two of IQ that count
 * tags. */
#define SOURCE0 8
#define SOURCE1 10
#define COUNT0  12
#define COUNT1  14
#define WINDOW  (COUNTER(SOURCE0) | COUNTER(SOURCE1) | COUNTER(COUNT0) | COUNTER(COUNT1))

static const struct pmu_event *row_of(const struct pmu *pmu, enum netburst_event_id id, unsigned mask)
{
	for (unsigned i = 0; i < pmu->n_events; i++)
		if (pmu->events[i]->code == control_code(id, mask))
			return pmu->events[i];
	return NULL;
}

static bool suits_scalar(const struct pmu *pmu, unsigned i, const struct pmu_event *e)
{
	(void)i;
	return e == row_of(pmu, NB_SCALAR_SP_UOP, 1 << 15);
}

/* One ESCR tags scalar operations, the other packed ones. */
static uint64_t tagger(enum netburst_event_id id, unsigned tags, bool enable)
{
	uint64_t escr = (uint64_t)tags << ESCR_TAG_SHIFT | (enable ? ESCR_TAG_ENABLE : 0);

	return control_code(id, 1 << 15) | escr << 32;
}

static void tag_window(struct control_fixture *h, unsigned tags0, unsigned tags1, bool enable, unsigned asks0,
		       unsigned asks1)
{
	control_set(h, SOURCE0, tagger(NB_SCALAR_SP_UOP, tags0, enable), LEVELS_ALL, CONTROL_START);
	control_set(h, SOURCE1, tagger(NB_PACKED_SP_UOP, tags1, enable), LEVELS_ALL, CONTROL_START);
	control_set(h, COUNT0, control_code(NB_EXECUTION_EVENT, asks0), LEVELS_ALL, CONTROL_START);
	control_set(h, COUNT1, control_code(NB_EXECUTION_EVENT, asks1), LEVELS_ALL, CONTROL_START);
	h->run(h, WINDOW);
}

/* What the two kinds amount to, as the tagging ESCRs' own counters show; retired ones are at most as many. */
struct kinds {
	uint64_t scalar, packed;
};

static void expect(struct control_fixture *h, const char *what, unsigned c, uint64_t amount)
{
	/* Cancelled uops are tagged and do not retire; a model has none. */
	h->within(h, what, h->pmu->virtual || !amount ? amount : 1, amount, control_moved(h, c));
}

/* --- colours ----------------------------------------------------------------------------------------- */

/* Sixteen pairs of colours. */
bool colours_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i >= 16)
		return false;
	snprintf(out->name, sizeof out->name, "%u and %u", 1u << (i & 3), 1u << (i >> 2));
	out->counters = WINDOW;
	out->suits = suits_scalar;
	out->also = row_of(pmu, NB_PACKED_SP_UOP, 1 << 15);
	return true;
}

/* Different colours are counted apart; two ESCRs that give one colour are counted together. */
void colours_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	unsigned a = 1u << (i & 3), b = 1u << (i >> 2);
	struct kinds k;

	if (!h->works(h, "finding an event", e != NULL))
		return;
	tag_window(h, a, b, true, a, b);
	k = (struct kinds){control_moved(h, SOURCE0), control_moved(h, SOURCE1)};
	h->within(h, "scalar operations are", 1, UINT64_MAX, k.scalar);
	h->within(h, "packed operations are", 1, UINT64_MAX, k.packed);
	expect(h, "tagged with the first colour are", COUNT0, a == b ? k.scalar + k.packed : k.scalar);
	expect(h, "tagged with the second colour are", COUNT1, a == b ? k.scalar + k.packed : k.packed);
	/* Asked for a colour that nobody gives, and for all at once. */
	tag_window(h, a, b, true, 0xf & ~(a | b), 0xf);
	expect(h, "tagged with colours that nobody gives are", COUNT0, 0);
	expect(h, "tagged with any colour are", COUNT1, k.scalar + k.packed);
	/* A uop that has several of the colours asked for counts once. */
	tag_window(h, a | b, 0, true, a | b, a);
	expect(h, "tagged with one or both of two colours are", COUNT0, k.scalar);
	expect(h, "tagged with the first of both are", COUNT1, k.scalar);
}

/* --- what it takes ----------------------------------------------------------------------------------- */

bool tagging_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i >= 1)
		return false;
	snprintf(out->name, sizeof out->name, "what it takes");
	out->counters = WINDOW;
	out->suits = suits_scalar;
	out->also = row_of(pmu, NB_PACKED_SP_UOP, 1 << 15);
	return true;
}

void tagging_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	(void)i;
	if (!h->works(h, "finding an event", e != NULL))
		return;
	tag_window(h, 1, 2, false, 1, 2);
	expect(h, "without the tag enable, tagged are", COUNT0, 0);
	tag_window(h, 1, 2, true, 0x10, 0x20);
	expect(h, "of cancelled uops, tagged are", COUNT0, 0);
	/* A uop with two tags is one uop. */
	control_set(h, SOURCE0, tagger(NB_SCALAR_SP_UOP, 1, true), LEVELS_ALL, CONTROL_START);
	control_set(h, SOURCE1, tagger(NB_SCALAR_SP_UOP, 2, true), LEVELS_ALL, CONTROL_START);
	control_set(h, COUNT0, control_code(NB_EXECUTION_EVENT, 3), LEVELS_ALL, CONTROL_START);
	h->run(h, WINDOW);
	expect(h, "of uops that two ESCRs tag, tagged are", COUNT0, control_moved(h, SOURCE0));
	/* The rings of the tagging ESCR have a say. */
	control_set(h, SOURCE1, tagger(NB_PACKED_SP_UOP, 2, true), LEVELS_USER, CONTROL_START);
	control_set(h, COUNT1, control_code(NB_EXECUTION_EVENT, 2), LEVELS_ALL, CONTROL_START);
	h->run(h, WINDOW);
	expect(h, "tagged in ring 3, in a window of ring 0, are", COUNT1, 0);
	/* Other mechanisms do not see these tags. */
	control_set(h, COUNT1, control_code(NB_FRONT_END_EVENT, 1), LEVELS_ALL, CONTROL_START);
	control_set(h, COUNT0, control_code(NB_EXECUTION_EVENT, 1), LEVELS_ALL, CONTROL_START);
	h->run(h, WINDOW);
	h->within(h, "tagged by execution are", 1, UINT64_MAX, control_moved(h, COUNT0));
	expect(h, "tagged by the front end are", COUNT1, 0);
	/* An ESCR of which no counter is awake tags nothing. */
	h->works(h, "taking counters out of use",
		 h->pmu->driver->release(h->pmu, SOURCE0) && h->pmu->driver->release(h->pmu, SOURCE1));
	h->works(h, "writing an ESCR",
		 msr_write(netburst_escr[FIRM_ESCR0].msr, CODE_ESCR(tagger(NB_SCALAR_SP_UOP, 1, true)) |
								  netburst_ring_bits(h->pmu, LEVELS_ALL)));
	control_set(h, COUNT0, control_code(NB_EXECUTION_EVENT, 1), LEVELS_ALL, CONTROL_START);
	h->run(h, COUNTER(COUNT0) | COUNTER(COUNT1));
	h->equal(h, "with the tagging ESCR's counters asleep, tagged are", 0, control_moved(h, COUNT0));
}

/* --- the front end's one colour ---------------------------------------------------------------------- */

static const struct pmu_event *recipe_row(const struct pmu *pmu, const char *name)
{
	return event_by_name(pmu->events, pmu->n_events, name);
}

static bool suits_loads(const struct pmu *pmu, unsigned i, const struct pmu_event *e)
{
	(void)i;
	return e == recipe_row(pmu, "memory_loads");
}

bool front_end_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i >= 1)
		return false;
	snprintf(out->name, sizeof out->name, "one colour");
	out->counters = COUNTER(12) | COUNTER(13) | COUNTER(14) | COUNTER(15);
	out->suits = suits_loads;
	out->also = recipe_row(pmu, "memory_stores");
	return true;
}

/* Counters 13 and 15 tag, through one ESCR each; 12 and 14 count. */
static void front_end_window(struct control_fixture *h, unsigned tags0, unsigned tags1)
{
	control_set(h, 13, control_code(NB_UOP_TYPE, tags0), LEVELS_ALL, CONTROL_START);
	control_set(h, 15, control_code(NB_UOP_TYPE, tags1), LEVELS_ALL, CONTROL_START);
	control_set(h, 12, control_code(NB_FRONT_END_EVENT, 1), LEVELS_ALL, CONTROL_START);
	control_set(h, 14, control_code(NB_FRONT_END_EVENT, 1), LEVELS_ALL, CONTROL_START);
	h->run(h, COUNTER(12) | COUNTER(13) | COUNTER(14) | COUNTER(15));
}

void front_end_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const unsigned loads_bit = 1 << 1, stores_bit = 1 << 2;
	uint64_t low, high, loads, stores;

	(void)i;
	if (!h->works(h, "finding an event", e != NULL))
		return;
	front_end_window(h, 0, 0);
	h->equal(h, "with nobody tagging, tagged are", 0, control_moved(h, 12));
	front_end_window(h, loads_bit, 0);
	loads = control_moved(h, 12);
	h->amount(h, e, 0, &low, &high);
	h->within(h, "tagged loads are", low, high, loads);
	h->equal(h, "the tagging event itself moves its counter by", 0, control_moved(h, 13));
	front_end_window(h, 0, stores_bit);
	stores = control_moved(h, 14);
	h->within(h, "tagged stores are", 1, UINT64_MAX, stores);
	/* Two ESCRs that tag cannot be told apart: each counter has both. */
	front_end_window(h, loads_bit, stores_bit);
	h->equal(h, "with one ESCR tagging loads, the other stores, a counter has", loads + stores,
		 control_moved(h, 12));
	h->equal(h, "and so has the other counter", loads + stores, control_moved(h, 14));
	/* instr_retired tells tagged instructions from others. */
	control_set(h, 12, control_code(NB_INSTR_RETIRED, 1 << 1), LEVELS_ALL, CONTROL_START);
	control_set(h, 14, control_code(NB_INSTR_RETIRED, 1 << 0), LEVELS_ALL, CONTROL_START);
	h->run(h, COUNTER(12) | COUNTER(13) | COUNTER(14) | COUNTER(15));
	h->within(h, "tagged instructions are", 1, UINT64_MAX, control_moved(h, 12));
	low = control_moved(h, 12) + control_moved(h, 14);
	control_set(h, 12, control_code(NB_INSTR_RETIRED, 3), LEVELS_ALL, CONTROL_START);
	h->run(h, COUNTER(12) | COUNTER(13) | COUNTER(14) | COUNTER(15));
	h->equal(h, "tagged and untagged instructions are together all of them", low, control_moved(h, 12));
}

/* --- replays ----------------------------------------------------------------------------------------- */

/* One per metric that has the registers of replay tagging for itself. */
static const struct netburst_recipe *replay(unsigned i)
{
	for (unsigned r = 0; r < NETBURST_RECIPES; r++)
		if (netburst_recipe[r].mechanism == TAG_REPLAY && i-- == 0)
			return &netburst_recipe[r];
	return NULL;
}

static bool suits_replay(const struct pmu *pmu, unsigned i, const struct pmu_event *e)
{
	(void)pmu;
	return netburst_code_recipe(e->code) == replay(i);
}

bool replay_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	if (!replay(i))
		return false;
	snprintf(out->name, sizeof out->name, "%s", replay(i)->name);
	out->counters = COUNTER(12) | COUNTER(14);
	out->suits = suits_replay;
	return true;
}

static const struct pmu_event *row_of_recipe(const struct pmu *pmu, const struct netburst_recipe *r)
{
	for (unsigned i = 0; i < pmu->n_events; i++)
		if (netburst_code_recipe(pmu->events[i]->code) == r)
			return pmu->events[i];
	return NULL;
}

/* Counter 12 counts nothing with another value in this register. */
static void without(struct control_fixture *h, const char *what, uint32_t msr, uint64_t value, bool asked)
{
	uint64_t before = 0;

	if (!asked)
		return;
	h->works(h, "changing a register", msr_read(msr, &before) && msr_write(msr, value));
	h->works(h, "writing a counter", h->pmu->driver->write(h->pmu, 12, CONTROL_START));
	h->run(h, COUNTER(12));
	h->equal(h, what, 0, control_moved(h, 12));
	h->works(h, "changing it back", msr_write(msr, before));
}

/* A metric counts on either counter, twice at once; one that sets the registers otherwise is refused beside
 * it; and without the registers there is nothing. */
void replay_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_driver *d = h->pmu->driver;
	const struct pmu_event *mine = row_of_recipe(h->pmu, replay(i));
	const struct pmu_event *other = row_of_recipe(h->pmu, replay(replay(i + 1) ? i + 1 : 0));
	struct pmu_config config = {.code = other ? other->code : 0, .levels = LEVELS_ALL};

	if (!h->works(h, "finding the metric, and another one", mine && other))
		return;
	control_set(h, 12, mine->code, LEVELS_ALL, CONTROL_START);
	control_set(h, 14, mine->code, LEVELS_ALL, CONTROL_START);
	h->run(h, COUNTER(12) | COUNTER(14));
	if (e) {
		uint64_t low, high;

		h->amount(h, e, 0, &low, &high);
		h->within(h, "replayed are", low, high, control_moved(h, 12));
	}
	if (h->pmu->virtual)
		h->equal(h, "and both counters have as many", control_moved(h, 12), control_moved(h, 14));
	h->works(h, "taking a counter out of use", d->release(h->pmu, 14));
	h->equal(h, "another metric beside it is accepted", false, d->program(h->pmu, 14, &config));
	without(h, "with the other kind of access in MSR_PEBS_MATRIX_VERT replayed are", MSR_PEBS_MATRIX_VERT,
		replay(i)->pebs_vert ^ 3, h->pmu->virtual && replay(i)->pebs_vert < 3);
	without(h, "without bit 24 of MSR_PEBS_ENABLE replayed are", MSR_PEBS_ENABLE,
		replay(i)->pebs & ~PEBS_REPLAY_TAG, true);
	without(h, "with MSR_PEBS_ENABLE 0 replayed are", MSR_PEBS_ENABLE, 0, true);
	if (netburst_use(h->pmu)[12].source != ESCR_NONE)
		without(h, "without the ESCR that they need besides replayed are",
			netburst_escr[netburst_use(h->pmu)[12].source].msr, 0, true);
}

/* --- what no tag reaches ----------------------------------------------------------------------------- */

#define SPLITS 8

static bool suits_splits(const struct pmu *pmu, unsigned i, const struct pmu_event *e)
{
	(void)i;
	return e == recipe_row(pmu, "split_load_retired");
}

bool untagged_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	if (i >= 1)
		return false;
	snprintf(out->name, sizeof out->name, "locked accesses");
	out->counters = COUNTER(12);
	out->suits = suits_splits;
	return true;
}

static uint64_t split_loads(struct control_fixture *h, const struct pmu_event *e, bool locked)
{
	static uint8_t lines[128] __attribute__((aligned(64)));
	const struct pmu_driver *d = h->pmu->driver;
	uint32_t *across = (uint32_t *)(void *)(lines + 62);

	control_set(h, 12, e->code, LEVELS_ALL, CONTROL_START);
	h->works(h, "starting", d->start(h->pmu, COUNTER(12)));
	for (unsigned i = 0; i < SPLITS; i++)
		if (locked)
			__asm__ volatile("lock incl (%0)" ::"r"(across) : "memory");
		else
			__asm__ volatile("incl (%0)" ::"r"(across) : "memory");
	h->works(h, "stopping", d->stop(h->pmu));
	return control_moved(h, 12);
}

/* Loads across two lines are replayed and tagged; those of locked instructions are not tagged. */
void untagged_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	(void)i;
	if (!h->works(h, "finding an event", e != NULL))
		return;
	h->within(h, "loads across two lines, tagged, are", SPLITS, h->pmu->virtual ? SPLITS : UINT64_MAX,
		  split_loads(h, e, false));
	h->equal(h, "the same of locked instructions, tagged, are", 0, split_loads(h, e, true));
}
