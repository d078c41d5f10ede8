/*
 * Rings and logical processors: who is counted (ESCR), while who is active (CCCR), whom an overflow
 * interrupts.
 */
#include "pmu/netburst/checks/control.h"
#include "pmu/netburst/netburst.h"

#include <stdio.h>

#define T_OS(thread)  ((thread) ? ESCR_T1_OS : ESCR_T0_OS)
#define T_USR(thread) ((thread) ? ESCR_T1_USR : ESCR_T0_USR)

/* --- the four bits of an ESCR ------------------------------------------------------------------------ */

/* 0: an event that belongs to a logical processor; 1: one that does not. */
static bool rings_suit(const struct pmu *pmu, unsigned i, const struct pmu_event *e)
{
	unsigned n;
	const struct netburst_mask *m = netburst_masks_of(e, netburst_cpu(pmu)->model, &n);

	return control_suits_counter(pmu, i ? 8 : 12, e) && m &&
	       (bool)(netburst_event[m->event].flags & NB_THREAD_INDEPENDENT) == (i == 1);
}

bool rings_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	if (i >= 2)
		return false;
	snprintf(out->name, sizeof out->name, i ? "thread-independent events" : "thread-specific events");
	out->counters = COUNTER(i ? 8 : 12);
	out->suits = rings_suit;
	return true;
}

struct situation {
	unsigned thread;
	enum pmu_other_thread other;
	bool independent;
};

/* Whether what happens in ring 0, or 3, of this logical processor is counted: table 18-66. */
static bool passes(const struct situation *s, uint32_t bits, unsigned ring)
{
	uint32_t os = ESCR_T0_OS | ESCR_T1_OS, usr = ESCR_T0_USR | ESCR_T1_USR;

	if (!s->independent)
		return bits & (ring ? T_USR(s->thread) : T_OS(s->thread));
	return (bits & os && bits & usr) || (bits & os && (ring == 0 || s->other == OTHER_SYSTEM)) ||
	       (bits & usr && (ring != 0 || s->other == OTHER_USER));
}

static void try_bits(struct control_fixture *h, unsigned c, const struct pmu_event *e, uint32_t bits,
		     const struct situation *s)
{
	uint64_t code = e->code | (uint64_t)bits << 32;
	uint64_t low, high;

	control_set(h, c, code, 0, CONTROL_START);
	h->run(h, COUNTER(c));
	h->amount(h, e, 0, &low, &high);
	if (passes(s, bits, 0))
		h->within(h, "in ring 0, with a bit that names it, it moves by", low, high,
			  control_moved(h, c));
	else
		h->equal(h, "in ring 0, without a bit that names it, it moves by", 0, control_moved(h, c));

	/* Ring 0 takes part in going to ring 3: what it does there is not known as a number. */
	if (passes(s, bits, 0))
		return;
	control_set(h, c, code, 0, CONTROL_START);
	h->run_user(h, COUNTER(c));
	h->amount(h, e, 3, &low, &high);
	if (passes(s, bits, 3))
		h->within(h, "in ring 3, with a bit that names it, it moves by", low, high,
			  control_moved(h, c));
	else
		h->equal(h, "in ring 3, without a bit that names it, it moves by", 0, control_moved(h, c));
}

void rings_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	unsigned c = i ? 8 : 12;

	if (!h->works(h, "finding an event", e != NULL))
		return;
	for (unsigned t = 0; t < h->threads; t++)
		for (unsigned other = 0; other <= (h->threads > 1 ? OTHER_USER : OTHER_HALTED); other++) {
			struct situation s = {control_thread(h, t), (enum pmu_other_thread)other, i == 1};

			h->place(h, t, s.other);
			/* Without Hyper-Threading the bits of the second one are reserved. */
			for (uint32_t bits = 0; bits < 16; bits++)
				if (netburst_cpu(h->pmu)->hyper_threading ||
				    !(bits & (ESCR_T1_OS | ESCR_T1_USR)))
					try_bits(h, c, e, bits, &s);
		}
}

/* --- the CCCR's active-thread field ------------------------------------------------------------------ */

void active_thread_check(struct control_fixture *h, unsigned c, const struct pmu_event *e)
{
	static const struct {
		const char *what[2]; /* with the other processor halted, active */
		uint32_t field;
		bool counts[2];
	} rows[] = {
		{{"alone, for neither active, it moves by",
		  "with the other active, for neither, it moves by"},
		 CCCR_THREAD_NONE,
		 {false, false}},
		{{"alone, for one active, it moves by", "with the other active, for one, it moves by"},
		 CCCR_THREAD_SINGLE,
		 {true, false}},
		{{"alone, for both active, it moves by", "with the other active, for both, it moves by"},
		 CCCR_THREAD_BOTH,
		 {false, true}},
		{{"alone, for any active, it moves by", "with the other active, for any, it moves by"},
		 CCCR_THREAD_ANY,
		 {true, true}},
	};
	uint64_t low, high;

	if (!h->works(h, "finding an event", e != NULL))
		return;
	for (unsigned other = 0; other < 2; other++) {
		h->place(h, 0, other ? OTHER_SYSTEM : OTHER_HALTED);
		for (unsigned r = 0; r < sizeof rows / sizeof rows[0]; r++) {
			control_set(h, c, (e->code & ~(uint64_t)CCCR_THREAD) | rows[r].field, LEVELS_ALL,
				    CONTROL_START);
			h->run(h, COUNTER(c));
			h->amount(h, e, 0, &low, &high);
			h->within(h, rows[r].what[other], rows[r].counts[other] ? low : 0,
				  rows[r].counts[other] ? high : 0, control_moved(h, c));
		}
	}
}

/* --- the same field without Hyper-Threading ----------------------------------------------------------- */

/* The manual allows 11B alone, and says nothing of the others: the model counts nothing with them, so that a
 * driver that writes them is found out. */
bool thread_field_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i >= 1 || !pmu->virtual || netburst_cpu(pmu)->hyper_threading)
		return false;
	snprintf(out->name, sizeof out->name, "active-thread field");
	out->counters = COUNTER(12);
	out->suits = rings_suit;
	return true;
}

void thread_field_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	(void)i;
	if (!h->works(h, "finding an event", e != NULL))
		return;
	for (uint64_t field = 0; field < 4; field++) {
		control_set(h, 12, (e->code & ~(uint64_t)CCCR_THREAD) | field << CCCR_THREAD_SHIFT,
			    LEVELS_ALL, CONTROL_START);
		if (field == 3) {
			control_counts(h, "with the field as it must be it moves by", 12, COUNTER(12), e);
			return;
		}
		h->run(h, COUNTER(12));
		h->equal(h, "with the field as it must not be it moves by", 0, control_moved(h, 12));
	}
}

/* --- overflow interrupts ----------------------------------------------------------------------------- */

/* The interrupt comes with the occurrence after the one that overflows, in whichever window that is. */
static void next_occurrence(struct control_fixture *h, unsigned c, const struct pmu_event *e)
{
	uint64_t low, high;

	h->amount(h, e, 0, &low, &high);
	if (low != high)
		return;
	control_set(h, c, e->code | control_pmi(h->pmu), LEVELS_ALL, CONTROL_TOP + 1 - low);
	h->arm(h);
	h->run(h, COUNTER(c));
	h->equal(h, "overflowed by the last occurrence of a window, its status is", true,
		 control_overflowed(h, c));
	h->equal(h, "and interrupts", 0, h->interrupts(h));
	h->run(h, COUNTER(c));
	h->equal(h, "interrupts after the next occurrence", 1, h->interrupts(h));
	h->works(h, "acknowledging", h->pmu->driver->acknowledge(h->pmu, COUNTER(c)));
}

void delivery_check(struct control_fixture *h, unsigned c, const struct pmu_event *e)
{
	static const uint32_t bits[2] = {CCCR_OVF_PMI_T0, CCCR_OVF_PMI_T1};

	if (!h->works(h, "finding an event", e != NULL))
		return;
	for (unsigned t = 0; t < h->threads; t++)
		for (unsigned set = 0; set < (h->threads > 1 ? 4 : 2); set++) {
			unsigned own = control_thread(h, t);
			uint64_t pmi = (set & 1 ? bits[own ^ t] : 0) | (set & 2 ? bits[own ^ t ^ 1] : 0);

			h->place(h, t, OTHER_HALTED);
			/* Every ring bit: whichever processor this is, it is counted. */
			control_set(
				h, c,
				e->code | pmi |
					(uint64_t)(netburst_cpu(h->pmu)->hyper_threading ? NETBURST_RINGS : 0)
						<< 32,
				LEVELS_ALL, CONTROL_TOP - 1);
			h->arm(h);
			h->run(h, COUNTER(c));
			h->equal(h, "interrupts of the processor that runs", set >> t & 1, h->interrupts(h));
			h->equal(h, "the overflow status is", true, control_overflowed(h, c));
			if (h->threads > 1)
				h->equal(h, "interrupts of the other processor", set >> (t ^ 1) & 1,
					 h->other_interrupts(h));
			h->works(h, "acknowledging", h->pmu->driver->acknowledge(h->pmu, COUNTER(c)));
		}
	h->place(h, 0, OTHER_HALTED);
	next_occurrence(h, c, e);
}

/* --- what the driver takes for its own --------------------------------------------------------------- */

static bool identity_suits(const struct pmu *pmu, unsigned i, const struct pmu_event *e)
{
	return rings_suit(pmu, 0, e) && i < 2;
}

bool identity_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	if (i >= 2)
		return false;
	snprintf(out->name, sizeof out->name, "processor %u", i);
	out->counters = COUNTER(12);
	out->suits = identity_suits;
	return true;
}

/* A driver that finds itself on a logical processor counts that one, and has it interrupted. */
void identity_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	struct pmu_config config = {.code = e ? e->code : 0, .levels = LEVELS_ALL, .interrupt = true};
	const struct pmu_driver *d = h->pmu->driver;
	uint64_t low, high;
	struct netburst_cpu before = *netburst_cpu(h->pmu);

	if (!h->works(h, "finding an event", e != NULL))
		return;
	h->place(h, i, OTHER_HALTED);
	netburst_find_thread(h->pmu);
	h->works(h, "programming a counter",
		 d->program(h->pmu, 12, &config) && d->write(h->pmu, 12, CONTROL_START));
	h->run(h, COUNTER(12));
	h->amount(h, e, 0, &low, &high);
	h->within(h, "counting its own processor it moves by", low, high, control_moved(h, 12));
	h->works(h, "writing a counter", d->write(h->pmu, 12, CONTROL_TOP - 1));
	h->arm(h);
	h->run(h, COUNTER(12));
	h->equal(h, "interrupts of the processor that runs", 1, h->interrupts(h));
	h->equal(h, "interrupts of the other processor", 0, h->other_interrupts(h));
	h->works(h, "acknowledging", d->acknowledge(h->pmu, COUNTER(12)));
	*netburst_cpu(h->pmu) = before;
}

/* --- who delivers ------------------------------------------------------------------------------------ */

bool delivering_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	if (i >= 1)
		return false;
	snprintf(out->name, sizeof out->name, "TC_deliver_mode");
	out->counters = COUNTER(4);
	return true;
}

/* The trace cache delivers to the processor that runs; TC_deliver_mode has a bit for each case. */
void delivering_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	/* Of both, the first alone, the second alone. */
	static const uint8_t bits[] = {0, 2, 6};

	(void)i;
	(void)e;
	for (unsigned now = 0; now < sizeof bits; now++)
		for (unsigned asked = 0; asked < sizeof bits; asked++) {
			h->place(h, now == 2, now ? OTHER_HALTED : OTHER_SYSTEM);
			control_set(h, 4,
				    control_code(NB_TC_DELIVER_MODE, 1u << bits[asked]) |
					    (uint64_t)NETBURST_RINGS << 32,
				    LEVELS_ALL, CONTROL_START);
			h->run(h, COUNTER(4));
			if (asked == now)
				h->within(h, "of the clocks in which it delivers to who runs, counted are", 1,
					  UINT64_MAX, control_moved(h, 4));
			else
				h->equal(h, "of clocks in which it delivers to others, counted are", 0,
					 control_moved(h, 4));
		}
}
