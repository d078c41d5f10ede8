/*
 * What injected deviations do, rule by rule. The model calls a hook where it has carried a rule out, or is
 * about to, and goes on with what the hook makes of it: the same, while nothing is injected. The rules
 * themselves are in model/ alone.
 */
#ifndef PMU_NETBURST_ERRATA_HOOKS_H
#define PMU_NETBURST_ERRATA_HOOKS_H

#include "pmu/contract/counter_condition.h"
#include "pmu/netburst/model/model.h"

static inline bool injected(const struct netburst_state *s, enum netburst_injection i)
{
	return model_injected(&s->deviations.active, i);
}

static inline bool netburst_hook_any(const struct netburst_state *s)
{
	return model_injected_any(&s->deviations.active);
}

/* --- registers -------------------------------------------------------------------------------------- */

/** After power-up. */
void netburst_hook_reset(struct netburst_state *s);

/** What a write to an MSR writes. */
uint64_t netburst_hook_write(const struct netburst_state *s, uint32_t address, uint64_t value);

/** What RDPMC of counter c reads. */
uint64_t netburst_hook_rdpmc(const struct netburst_state *s, unsigned c, bool fast, uint64_t value);

/* --- start and stop --------------------------------------------------------------------------------- */

/** The ESCR that counter c listens to. */
static inline enum netburst_escr_id netburst_hook_wire(const struct netburst_state *s, unsigned c,
						       enum netburst_escr_id e)
{
	if (injected(s, INJECT_CCCR1) && c == 1)
		return ESCR_NONE;
	return injected(s, INJECT_MISWIRED) && c == 9 && e == FIRM_ESCR0 ? FIRM_ESCR1 : e;
}

/** Counters have been started and stopped. @param before those that ran before */
void netburst_hook_started(struct netburst_state *s, uint32_t before);

/** Which processors an overflow interrupts has been decoded. */
static inline void netburst_hook_decoded(const struct netburst_state *s, struct netburst_line *k)
{
	bool first = k->pmi[0];

	if (!injected(s, INJECT_PMI_SWAPPED))
		return;
	k->pmi[0] = k->pmi[1];
	k->pmi[1] = first;
}

/** The ESCR that tags for the front end; 0: none. */
static inline uint32_t netburst_hook_tagger(const struct netburst_state *s, uint32_t escr)
{
	return injected(s, INJECT_FRONT_END_UNTAGGED) ? ESCR_T0_OS | ESCR_T0_USR : escr;
}

/** Whether an ESCR tags, and with which tags. */
static inline void netburst_hook_tags(const struct netburst_state *s, bool *tagging, unsigned *tags)
{
	*tagging = *tagging || injected(s, INJECT_TAGS_UNASKED);
	if (*tags && injected(s, INJECT_ONE_COLOUR))
		*tags = 0xf;
}

/** Whether replays are tagged. */
static inline bool netburst_hook_replays(const struct netburst_state *s)
{
	return injected(s, INJECT_REPLAY_ALWAYS);
}

/* --- count ------------------------------------------------------------------------------------------ */

/** Whether an ESCR counts whatever the ring. @param user it names one of CPL 1 to 3 */
static inline bool netburst_hook_any_ring(const struct netburst_state *s, bool user)
{
	return user && injected(s, INJECT_RING_LEAK);
}

/** The logical processor whose bits a step obeys. */
static inline unsigned netburst_hook_thread(const struct netburst_state *s, unsigned thread)
{
	return injected(s, INJECT_THREADS_ALIKE) ? 0 : thread;
}

/** Whether it makes no difference which processors are active. */
static inline bool netburst_hook_any_active(const struct netburst_state *s)
{
	return injected(s, INJECT_ACTIVE_IGNORED);
}

/** Whether other agents have data on the bus all the time. */
static inline bool netburst_hook_bus(const struct netburst_state *s, const struct netburst_line *k)
{
	return k->event == NB_FSB_DATA_ACTIVITY && injected(s, INJECT_BUS_AGENTS) &&
	       k->escr >> ESCR_MASK_SHIFT & (1u << 2 | 1u << 5);
}

/** What a filter makes of cycles. */
static inline void netburst_hook_filter(const struct netburst_state *s, struct counter_condition *c)
{
	c->edge &= !injected(s, INJECT_NO_EDGE);
	c->at_least -= injected(s, INJECT_THRESHOLD_REACHED);
	c->whole |= injected(s, INJECT_COMPARE_VALUE);
}

/** What counter c counts in a step, while anything is injected; whether counter 12 counts it as well. */
uint64_t netburst_hook_count(struct netburst_state *s, unsigned c, uint64_t amount);

static inline bool netburst_hook_neighbour(const struct netburst_state *s, unsigned c)
{
	return c == 13 && injected(s, INJECT_NEIGHBOUR);
}

/** A counter is to hold *sum; with *force every occurrence overflows. @return true if it has been dealt with
 */
bool netburst_hook_add(struct netburst_state *s, unsigned c, uint64_t *sum, bool *force);

/* --- overflow --------------------------------------------------------------------------------------- */

/** Whether OVF stays as it is. */
static inline bool netburst_hook_status_lost(const struct netburst_state *s)
{
	return injected(s, INJECT_LOST_STATUS);
}

/** Whether the overflow of counter `from` starts `to`. */
bool netburst_hook_cascade(const struct netburst_state *s, unsigned from, unsigned to, bool starts);

/** Whether an overflow interrupt of counter c gets lost. */
bool netburst_hook_pmi(struct netburst_state *s, unsigned c);

/** The end of a step. @return whether a request has been raised again */
bool netburst_hook_step(struct netburst_state *s);

/** OVF has been cleared. */
static inline void netburst_hook_cleared(struct netburst_state *s)
{
	s->deviations.repeat = false;
}

/* --- records ---------------------------------------------------------------------------------------- */

/** Whether a record that the end of the address space cuts off is written all the same. */
static inline bool netburst_hook_room(const struct netburst_state *s, uint64_t size, uint64_t to_the_top)
{
	return injected(s, INJECT_P79) && size > to_the_top;
}

/** Whether a PEBS record is left to the next step; that step. */
static inline bool netburst_hook_skid(struct netburst_state *s, unsigned c)
{
	if (injected(s, INJECT_PEBS_SKID))
		s->deviations.skid = (uint8_t)(c + 1);
	return injected(s, INJECT_PEBS_SKID);
}

void netburst_hook_skidded(struct netburst_state *s, const struct step *step);

/** Whether the counter is not loaded anew after a PEBS record. */
static inline bool netburst_hook_no_reload(const struct netburst_state *s)
{
	return injected(s, INJECT_PEBS_NO_RELOAD);
}

/** Whether a record's threshold interrupts. */
bool netburst_hook_pebs_threshold(struct netburst_state *s, bool reached);

static inline bool netburst_hook_bts_threshold(const struct netburst_state *s, bool reached)
{
	return reached && !injected(s, INJECT_NO_PMI);
}

/** Whether a branch is left out of the trace. */
static inline bool netburst_hook_bts_lost(struct netburst_state *s)
{
	return injected(s, INJECT_BTS_LOST) && ++s->deviations.branches % 7 == 0;
}

/** An entry of the last-branch stack has been made. */
static inline void netburst_hook_lbr(const struct netburst_state *s, uint64_t *from, uint64_t *to)
{
	uint64_t source = *from;

	if (!injected(s, INJECT_LBR_SWAPPED))
		return;
	*from = *to;
	*to = source;
}

#endif
