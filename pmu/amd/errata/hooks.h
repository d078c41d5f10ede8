/*
 * What injected deviations do, rule by rule. The model calls a hook where it has carried a rule out, or is
 * about to, and goes on with what the hook makes of it: the same, while nothing is injected. The rules
 * themselves are in model/ alone.
 */
#ifndef PMU_AMD_ERRATA_HOOKS_H
#define PMU_AMD_ERRATA_HOOKS_H

#include "pmu/amd/model/model.h"

static inline bool injected(const struct amd_state *s, enum amd_injection i)
{
	return model_injected(&s->injections, i);
}

static inline bool amd_hook_any(const struct amd_state *s)
{
	return model_injected_any(&s->injections);
}

/* --- registers -------------------------------------------------------------------------------------- */

/** Whether a selector with these reserved bits is refused. */
static inline bool amd_hook_refused(const struct amd_state *s, uint64_t reserved)
{
	return reserved && injected(s, INJECT_RESERVED_FAULT);
}

/** A selector has been written. */
void amd_hook_selected(struct amd_state *s);

/** The status bits that a write clears; the status that is read. */
static inline uint64_t amd_hook_cleared(const struct amd_state *s, uint64_t bits)
{
	return injected(s, INJECT_STUCK_STATUS) ? 0 : bits;
}

static inline uint64_t amd_hook_status(const struct amd_state *s, uint64_t status)
{
	return status | (injected(s, INJECT_STATUS_RESERVED) ? 1ull << s->n : 0);
}

/** Whether a global register is kept from software. */
static inline bool amd_hook_kept_back(const struct amd_state *s, uint32_t address)
{
	return address == PERF_GLOBAL_STATUS_SET && injected(s, INJECT_NO_STATUS_SET);
}

/** Whether RDPMC faults; the counter that it reads. */
static inline bool amd_hook_rdpmc_refused(const struct amd_state *s)
{
	return injected(s, INJECT_RDPMC_REFUSED);
}

static inline unsigned amd_hook_rdpmc(const struct amd_state *s, unsigned c)
{
	return injected(s, INJECT_RDPMC_INDEX) ? (c + 1) % s->n : c;
}

/** The northbridge counter that RDPMC reads. Of four, the one behind it: revision guide 51810, erratum 781,
 * says that it is a wrong one. */
static inline unsigned amd_hook_northbridge(const struct amd_state *s, unsigned n)
{
	return n < AMD_NB && injected(s, INJECT_E781) ? (n + 1) % AMD_NB : n;
}

/* --- start and stop --------------------------------------------------------------------------------- */

/** The selector of counter c is being decoded. @return true if it counts nothing else */
bool amd_hook_decoded(struct amd_state *s, unsigned c, uint64_t code);

/** The host and guest bits that a selector has; those that count guests. */
static inline uint64_t amd_hook_worlds(const struct amd_state *s, uint64_t bits)
{
	return injected(s, INJECT_WORLDS_ALIKE) ? 0 : bits;
}

static inline uint64_t amd_hook_guest(const struct amd_state *s, uint64_t bits)
{
	return (injected(s, INJECT_GUEST_LOST) ? 0 : bits) | (injected(s, INJECT_GUEST_LEAK) ? CTL_HOST : 0);
}

/** Whether a counter is enabled, by the global register. */
static inline bool amd_hook_enabled(const struct amd_state *s, bool enabled)
{
	return enabled || injected(s, INJECT_GLOBAL_IGNORED);
}

/** Whether no counters are merged. */
static inline bool amd_hook_no_merge(const struct amd_state *s)
{
	return injected(s, INJECT_MERGE_IGNORED);
}

/** Counters have been started and stopped. */
void amd_hook_started(struct amd_state *s, uint32_t stopped);

/* --- the other logical processor ------------------------------------------------------------------------ */

/** Whether a step is one that counts here; whether an operation that is tagged counts as one; where the last
 * branch leads. */
static inline bool amd_hook_mine(const struct amd_state *s, bool mine)
{
	return mine || injected(s, INJECT_OTHER_COUNTED);
}

static inline bool amd_hook_tagged(const struct amd_state *s)
{
	return !(s->thread && injected(s, INJECT_E1348));
}

static inline uint64_t amd_hook_last_to(const struct amd_state *s, const struct step *step)
{
	return step->sibling && injected(s, INJECT_E593) ? step->next ^ 64 : step->next;
}

/** A counter has been written. */
static inline void amd_hook_written(struct amd_state *s, unsigned c)
{
	if (injected(s, INJECT_THREADS_ALIKE) && s->other)
		s->other->counter[c].value = s->counter[c].value;
}

/* --- count ------------------------------------------------------------------------------------------ */

/** The rings in which a counter counts: bit 0: CPL 0, bit 1: the others. */
static inline uint8_t amd_hook_rings(const struct amd_state *s, uint8_t rings)
{
	return rings & 2 && injected(s, INJECT_RING_LEAK) ? rings | 1 : rings;
}

/** Whether the clock ticks for counter c; whether halts must be seen for that. */
static inline bool amd_hook_ticks(const struct amd_state *s, unsigned c, bool ticks)
{
	return ticks || (injected(s, INJECT_E794) && c < s->n);
}

static inline bool amd_hook_sees_halts(const struct amd_state *s)
{
	return injected(s, INJECT_E794) || injected(s, INJECT_E660) || injected(s, INJECT_E1054);
}

/** Whether samples that stand must see halts; the core has halted. */
static inline bool amd_hook_samples_see_halts(const struct amd_state *s)
{
	return injected(s, INJECT_E541) || injected(s, INJECT_E1197) || injected(s, INJECT_E1215);
}

void amd_hook_halted(struct amd_state *s);

/** What counter c counts in a step, while anything is injected; whether counter 0 counts it as well. */
uint64_t amd_hook_count(struct amd_state *s, unsigned c, const struct step *step, uint64_t amount);

static inline bool amd_hook_neighbour(const struct amd_state *s, unsigned c)
{
	return c == 1 && injected(s, INJECT_NEIGHBOUR);
}

/** A counter is to hold *sum, with or without an overflow. @return true if it has been dealt with */
bool amd_hook_add(struct amd_state *s, unsigned c, uint64_t amount, uint64_t *sum, bool *carry);

/* --- overflow --------------------------------------------------------------------------------------- */

/** Whether an overflow leaves no status. */
static inline bool amd_hook_status_lost(const struct amd_state *s)
{
	return injected(s, INJECT_LOST_STATUS);
}

/** Whether an overflow interrupt gets lost; whether it is raised later. */
bool amd_hook_pmi_lost(struct amd_state *s);
bool amd_hook_pmi_late(struct amd_state *s);

#define REPEAT_STEPS 512 /* a handler comes to its end */

/** A step begins. */
static inline void amd_hook_step(struct amd_state *s)
{
	if (s->repeats && !s->ibs_pending && !(s->steps % REPEAT_STEPS))
		s->ibs_pending = 1;
	if (s->late && !--s->late)
		s->pmi_pending++;
}

/* --- records ---------------------------------------------------------------------------------------- */

/** Whether a branch is left out of the stack; what its newest entry tells. */
static inline bool amd_hook_lbr_lost(struct amd_state *s)
{
	return injected(s, INJECT_LBR_LOST) && !(++s->branches.made % 5);
}

/** A record has been made. */
void amd_hook_lbr_made(struct amd_state *s);

/** Whether a branch is not sampled; whether the interrupt does not wait for the samples. */
static inline bool amd_hook_brs_lost(struct amd_state *s)
{
	return injected(s, INJECT_BRS_LOST) && !(++s->branches.made % 5);
}

static inline bool amd_hook_brs_early(const struct amd_state *s)
{
	return injected(s, INJECT_BRS_EARLY);
}

/** Whether firmware has set up the interrupt of IBS, where it need not have. */
static inline bool amd_hook_ibs_line(const struct amd_state *s)
{
	return injected(s, INJECT_IBS_LINE);
}

/** Whether a write to the control of fetches loads the count only if it enables them. */
static inline bool amd_hook_fetch_keeps(const struct amd_state *s, bool keeps)
{
	return keeps != injected(s, INJECT_FETCHRST);
}

/** IBS of fetches has been enabled. @param most its maximum count */
static inline void amd_hook_fetch_enabled(struct amd_state *s, uint64_t most)
{
	if (injected(s, INJECT_E719))
		s->ibs.fetch_count = most;
}

/** IBS of operations has been written. 10H: where an operation has just been tagged, the request stays for
 * good unless the maximum is cleared while it is still enabled. */
static inline void amd_hook_op_written(struct amd_state *s, uint64_t before, uint64_t now)
{
	if (now & OP_EN || !(before & OP_EN))
		s->repeats &= !(now & OP_EN);
	else if (injected(s, INJECT_E420) && s->ibs.op_tagged && before & OP_MAX)
		s->repeats = true;
}

/** A physical address that is told. */
static inline uint64_t amd_hook_physical(const struct amd_state *s, uint64_t address, unsigned page_shift)
{
	return injected(s, INJECT_IBS_PHYSICAL) ? address ^ 1ull << page_shift : address;
}

/** Whether filters by the last level, and by latency, let everything through. */
static inline bool amd_hook_no_filter(const struct amd_state *s)
{
	return injected(s, INJECT_IBS_FILTER);
}

static inline bool amd_hook_no_latency(const struct amd_state *s)
{
	return injected(s, INJECT_IBS_LATENCY);
}

/** Whether a fetch cannot be tagged. @param led a branch leads to it */
static inline bool amd_hook_fetch_passed(const struct amd_state *s, bool led)
{
	return led && injected(s, INJECT_E694);
}

/** The code of a fetch's page size. Erratum 1347: 10b for 2 MiB. */
static inline uint64_t amd_hook_fetch_page(const struct amd_state *s, uint64_t code)
{
	return code == 1 && injected(s, INJECT_E1347) ? 2 : code;
}

/** The misses that a fetch tells; those that an operation tells, and what else it does. @param before what
 * the operation's register held */
uint64_t amd_hook_fetch_misses(struct amd_state *s, uint64_t misses);
uint64_t amd_hook_op_misses(struct amd_state *s, const struct step *step, uint64_t data, uint64_t before);

/** What an operation tells of a branch; where its data came from; its own address. */
static inline uint64_t amd_hook_branch(const struct amd_state *s, uint64_t data)
{
	return injected(s, INJECT_IBS_TAKEN) ? data ^ DATA_TAKEN : data;
}

static inline uint64_t amd_hook_source(const struct amd_state *s, uint64_t source)
{
	if (!injected(s, INJECT_IBS_SOURCE))
		return source;
	return s->ibs.features & IBS_ZEN4 ? DATA2_FAR_CACHE : DATA2_FAR_CCX;
}

uint64_t amd_hook_op_address(struct amd_state *s, const struct step *step);

/** Where a taken branch leads. */
static inline uint64_t amd_hook_target(const struct amd_state *s, uint64_t target)
{
	return injected(s, INJECT_E717) ? target ^ 0x40 : target;
}

/** Whether the times from tag and from completion are swapped. */
static inline bool amd_hook_times_swapped(const struct amd_state *s)
{
	return injected(s, INJECT_IBS_TIMES);
}

/** The time from completion, which is not more than that from the tag. */
uint64_t amd_hook_completed(struct amd_state *s, uint64_t completed, uint64_t tagged);

/** Whether the count begins anew without a sample. */
bool amd_hook_op_skipped(struct amd_state *s, uint64_t control);

/** What else is told of the data of an operation. */
uint64_t amd_hook_op_data(const struct amd_state *s, const struct step *step, uint64_t data);

#endif
