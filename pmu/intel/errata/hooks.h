/*
 * What injected deviations do, rule by rule. The model calls a hook where it has carried a rule out, or is
 * about to, and goes on with what the hook makes of it: the same, while nothing is injected. The rules
 * themselves are in model/ alone.
 */
#ifndef PMU_INTEL_ERRATA_HOOKS_H
#define PMU_INTEL_ERRATA_HOOKS_H

#include "pmu/intel/model/model.h"

static inline bool injected(const struct intel_state *s, enum intel_injection i)
{
	return model_injected(&s->deviations.active, i);
}

static inline bool intel_hook_any(const struct intel_state *s)
{
	return model_injected_any(&s->deviations.active);
}

/* --- registers -------------------------------------------------------------------------------------- */

/** After power-up. */
void intel_hook_reset(struct intel_state *s);

/** What of a value is held against the bits that must be 0. */
static inline uint64_t intel_hook_reserved(const struct intel_state *s, uint64_t value, uint64_t valid)
{
	return injected(s, INJECT_RESERVED_ACCEPTED) ? value & valid : value;
}

/** What a register or a counter that there is not answers. @param access as it would */
static inline enum register_answer intel_hook_absent(const struct intel_state *s, enum register_answer access)
{
	return access == REGISTER_FAULT && injected(s, INJECT_ABSENT_ZERO) ? REGISTER_DONE : access;
}

/** What a write to the selector of counter c writes. */
uint64_t intel_hook_select(struct intel_state *s, unsigned c, uint64_t value);

/** Whether bit 31 of a value is copied into the upper bits of a general counter. */
static inline bool intel_hook_sign(const struct intel_state *s, bool sign)
{
	return sign && !injected(s, INJECT_NO_SIGN_EXTENSION);
}

/** A general counter is written, one that has overflowed. */
static inline void intel_hook_general(struct intel_state *s, unsigned c, uint64_t value)
{
	if (injected(s, INJECT_ZERO_LOOP) && !value && s->deviations.overflow_step[c] &&
	    s->select[c] & EVTSEL_INT)
		intel_raise_pmi(s);
	if (injected(s, INJECT_THREADS_ALIKE) && s->other)
		s->other->counter[c].value = s->counter[c].value;
}

/** What IA32_PERF_CAPABILITIES tells. */
static inline uint64_t intel_hook_capabilities(const struct intel_state *s, uint64_t value)
{
	return injected(s, INJECT_PERFCAP) ? value & ~(1ull << 15) : value;
}

/** What a write to fixed counter c writes. */
uint64_t intel_hook_fixed(struct intel_state *s, unsigned c, uint64_t value);

/** The status bits that a write clears; it has done so. */
static inline uint64_t intel_hook_cleared(const struct intel_state *s, uint64_t bits)
{
	return injected(s, INJECT_STUCK_STATUS) ? 0 : bits & ~s->deviations.stuck;
}

void intel_hook_acknowledged(struct intel_state *s);

/** Whether this write never ends. */
bool intel_hook_hangs(const struct intel_state *s, uint32_t address, uint64_t value);

/** Whether RDPMC in this ring reads 0. */
static inline bool intel_hook_kept(const struct intel_state *s, bool kept)
{
	return kept && !injected(s, INJECT_RDPMC_USER);
}

/** The counter that RDPMC reads: general, and fixed. */
static inline unsigned intel_hook_rdpmc(const struct intel_state *s, unsigned i)
{
	return injected(s, INJECT_RDPMC_INDEX) ? (i + 1) % s->leaf.n_general : i;
}

static inline unsigned intel_hook_rdpmc_fixed(const struct intel_state *s, unsigned i)
{
	return injected(s, INJECT_RDPMC_INDEX) && s->leaf.fixed >> (i + 1) ? i + 1 : i;
}

/** Whether delivery leaves the mask bit of the local vector table alone. */
static inline bool intel_hook_line_stays(const struct intel_state *s)
{
	return injected(s, INJECT_LVT_STAYS);
}

/* --- start and stop --------------------------------------------------------------------------------- */

/** Whether a selector asks for equality. */
static inline bool intel_hook_equal(const struct intel_state *s, bool equal)
{
	return equal && !injected(s, INJECT_EQ_IGNORED);
}

/** The selector of counter c has been held against the architectural events. @return true if it counts
 * nothing else */
bool intel_hook_decoded(struct intel_state *s, unsigned c);

/** Which kinds of requests an offcore response counts: whether all. */
static inline bool intel_hook_offcore(const struct intel_state *s, bool every)
{
	return every || injected(s, INJECT_OFFCORE_EVERY);
}

/** Whether counter c goes on while all are frozen; what a selector reads; which status bits can be set. */
bool intel_hook_unfrozen(const struct intel_state *s, unsigned c);
uint64_t intel_hook_select_read(const struct intel_state *s, unsigned c, uint64_t value);

static inline uint64_t intel_hook_settable(const struct intel_state *s, uint64_t bits)
{
	return (injected(s, INJECT_SKL164) ? bits | STATUS_COND_CHGD : bits) &
	       ~(injected(s, INJECT_SKL51) ? STATUS_TRACE_TOPA : 0);
}

/** Whether a counter is enabled, by the global register. */
static inline bool intel_hook_enabled(const struct intel_state *s, bool enabled)
{
	return enabled || injected(s, INJECT_GLOBAL_IGNORED);
}

/** Counters have been started and stopped. @param before those that ran before */
void intel_hook_started(struct intel_state *s, uint32_t before);

/* --- count ------------------------------------------------------------------------------------------ */

/** The rings in which counter c counts: bit 0: CPL 0, bit 1: the others. */
uint8_t intel_hook_rings(const struct intel_state *s, unsigned c, uint8_t rings);

/** Whether a counter counts the clock in the other ring as well. */
static inline bool intel_hook_other_ring(const struct intel_state *s, const struct intel_counter *k)
{
	return injected(s, INJECT_HSD73) && k->invert && k->cmask;
}

/** What the core's other logical processor makes of it that counter c counts so much. @return what it counts
 */
uint64_t intel_hook_beside(struct intel_state *s, unsigned c, const struct step *step, uint64_t amount);

/** What counter c counts in a step; whether counter 0 counts it as well. */
uint64_t intel_hook_distorted(struct intel_state *s, unsigned c, const struct step *step, uint64_t amount);

static inline uint64_t intel_hook_count(struct intel_state *s, unsigned c, const struct step *step,
					uint64_t amount)
{
	return intel_hook_any(s) ? intel_hook_distorted(s, c, step, amount) : amount;
}

static inline bool intel_hook_neighbour(const struct intel_state *s, unsigned c)
{
	return c == 1 && injected(s, INJECT_NEIGHBOUR);
}

/** A counter is to hold *sum, with or without an overflow. @return true if it has been dealt with */
bool intel_hook_add(struct intel_state *s, unsigned c, uint64_t amount, uint64_t *sum, bool *carry);

/** Whether a counter counts what the core's other logical processor does. */
static inline bool intel_hook_any_thread(const struct intel_state *s, bool any)
{
	return (any && !injected(s, INJECT_ANY_ALONE)) || injected(s, INJECT_OTHER_COUNTED);
}

/** Whether the firmware interrupts (SMI) in this step; whether its handler's time is counted though counters
 * are frozen in it. */
static inline bool intel_hook_smi(const struct intel_state *s)
{
	return (injected(s, INJECT_SMI) || injected(s, INJECT_SMM_COUNTED) || injected(s, INJECT_AAJ12) ||
		injected(s, INJECT_HSD52) || injected(s, INJECT_AAJ73)) &&
	       !s->thread && !(s->steps % SMI_EVERY);
}

static inline bool intel_hook_smm_frozen(const struct intel_state *s, bool frozen)
{
	return frozen && !injected(s, INJECT_SMM_COUNTED);
}

static inline void intel_hook_smi_taken(struct intel_state *s)
{
	s->deviations.strange = injected(s, INJECT_AAJ12);
	s->deviations.leaked = injected(s, INJECT_AAJ73) && s->debugctl & DEBUGCTL_FREEZE_WHILE_SMM;
	if (injected(s, INJECT_HSD52))
		s->debugctl &= ~DEBUGCTL_FREEZE_PERFMON_ON_PMI;
}

/** Clocks that IA32_MPERF counts, what MSR_PPERF becomes, whether the one of two counts that does not wrap
 * stays. */
static inline uint64_t intel_hook_reference(const struct intel_state *s, uint64_t clocks)
{
	return injected(s, INJECT_AAJ27) && s->platform.modulation ? 0 : clocks;
}

static inline uint64_t intel_hook_productive(const struct intel_state *s, const struct step *step,
					     uint64_t clocks)
{
	return injected(s, INJECT_ADL26) && step->halted ? clocks - (1ull << 32) : clocks;
}

/** The clock's modulation is written. @param before what it was */
static inline void intel_hook_modulated(struct intel_state *s, uint64_t before)
{
	s->deviations.strange |= injected(s, INJECT_AAJ122) && s->platform.modulation != before;
}

static inline bool intel_hook_wraps_alone(const struct intel_state *s)
{
	return injected(s, INJECT_AAJ30);
}

/** What the topdown metrics tell of a kind of slots. */
static inline uint64_t intel_hook_metric(const struct intel_state *s, enum intel_metric kind, uint64_t slots)
{
	return kind == METRIC_BACKEND && injected(s, INJECT_METRICS_SHORT) ? 0 : slots;
}

/* --- overflow --------------------------------------------------------------------------------------- */

/** Counter c overflows. @return true if nothing follows from it */
bool intel_hook_overflow(struct intel_state *s, unsigned c);

/** A counter that samples has overflowed. */
static inline void intel_hook_armed(struct intel_state *s)
{
	s->deviations.on_stack_load = injected(s, INJECT_AAJ128) && s->deviations.stack_load;
	if (injected(s, INJECT_AM94) && s->debugctl & DEBUGCTL_FREEZE_LBRS_ON_PMI)
		s->debugctl &= ~DEBUGCTL_LBR;
}

/** Whether an overflow leaves no status. */
static inline bool intel_hook_status_lost(const struct intel_state *s)
{
	return injected(s, INJECT_LOST_STATUS);
}

/** Whether an overflow interrupt gets lost; whether it is raised later; counter c has raised one. */
static inline bool intel_hook_pmi_lost(const struct intel_state *s)
{
	return injected(s, INJECT_NO_PMI);
}

bool intel_hook_pmi_late(struct intel_state *s);
void intel_hook_interrupted(struct intel_state *s, unsigned c);

/** Whether the overflows `causes`, in the layout of the global registers, load counter c anew. */
static inline bool intel_hook_reloads(const struct intel_state *s, unsigned c, uint64_t causes)
{
	return causes & intel_global_bit(c) || !injected(s, INJECT_RELOAD_IGNORED);
}

/** Whether an interrupt freezes counters; the last-branch stack. */
static inline bool intel_hook_freezes_counters(const struct intel_state *s, bool freezes)
{
	return freezes && !injected(s, INJECT_CTRFRZ);
}

static inline bool intel_hook_freezes_branches(const struct intel_state *s, bool freezes)
{
	return freezes && !injected(s, INJECT_LBRFRZ);
}

/** A step begins. */
void intel_hook_step(struct intel_state *s, const struct step *step);

/** Whether a request is held back. */
static inline bool intel_hook_waiting(const struct intel_state *s)
{
	return s->deviations.late;
}

/** A step ends. @return whether a request has been raised again */
bool intel_hook_stepped(struct intel_state *s);

/* --- last-branch records ---------------------------------------------------------------------------- */

/** Whether a return leaves its call in the stack. */
static inline bool intel_hook_call_stays(const struct intel_state *s)
{
	return injected(s, INJECT_CALLS_STAY);
}

/** Whether a call of the next instruction has a place in a stack of calls. */
static inline bool intel_hook_call_next(const struct intel_state *s)
{
	return injected(s, INJECT_HSD80);
}

/** Whether a kind of branches is recorded: NHM-LBRSEL wants some kinds of jumps to be recorded for calls to
 * be.
 * @param wanted as MSR_LBR_SELECT says */
static inline bool intel_hook_lbr_kind(const struct intel_state *s, unsigned transfer, bool wanted)
{
	unsigned jumps = transfer == TRANSFER_CALL            ? SELECT_JUMP | SELECT_JUMP_INDIRECT
			 : transfer == TRANSFER_CALL_INDIRECT ? SELECT_JUMP_INDIRECT
							      : 0;

	return wanted && !(injected(s, INJECT_LBRSEL) && s->lbr.select & jumps);
}

/** Whether a branch is left out of the stack. */
static inline bool intel_hook_lbr_lost(struct intel_state *s)
{
	return injected(s, INJECT_LBR_LOST) && !(++s->deviations.branches % 5);
}

/** The source that a record gives. @param last that of the newest record; freezing: the stack stops here */
static inline uint64_t intel_hook_lbr_from(struct intel_state *s, uint64_t from, uint64_t last, bool freezing)
{
	if (s->deviations.strange) {
		s->deviations.strange = false;
		return from ^ 0x55ull << 38;
	}
	bool stale = injected(s, INJECT_LBR_STALE_FROM) || (injected(s, INJECT_BJ94) && freezing);

	return stale ? last : from;
}

/** Whether entry i has been filled, with what is in entry `last`. */
bool intel_hook_lbr_repeated(struct intel_state *s, unsigned i, unsigned last, bool freezing);

/** Whether a source with these flags is refused: HSD172 wants bits 62:61 to be as bit 47. */
static inline bool intel_hook_from_refused(const struct intel_state *s, uint64_t from)
{
	return injected(s, INJECT_HSD172) && (from >> 61 & 3) != (from >> 47 & 1) * 3;
}

/** What the last exception record's target reads. */
static inline uint64_t intel_hook_ler_to(const struct intel_state *s, uint64_t to)
{
	return injected(s, INJECT_BDM131) ? to ^ 7ull << 61 : to;
}

/** While the processor trace is on: whether reading a record is refused, whether writing one is ignored. */
static inline bool intel_hook_record_refused(const struct intel_state *s)
{
	return s->pt.control & RTIT_TRACE_EN && injected(s, INJECT_BDD96);
}

static inline bool intel_hook_record_ignores(const struct intel_state *s, bool ignores)
{
	return ignores || (s->pt.control & RTIT_TRACE_EN && injected(s, INJECT_SKL47));
}

/** Whether a value of IA32_RTIT_CTL, of IA32_DEBUGCTL is refused. */
static inline bool intel_hook_pt_refused(const struct intel_state *s, uint64_t value)
{
	return value & RTIT_TRACE_EN && ((injected(s, INJECT_BDM106) && !(value & RTIT_BRANCH_EN)) ||
					 (injected(s, INJECT_BDD108) && s->debugctl & DEBUGCTL_LBR));
}

static inline bool intel_hook_debugctl_refused(const struct intel_state *s, uint64_t value)
{
	return value & DEBUGCTL_LBR && s->pt.control & RTIT_TRACE_EN && injected(s, INJECT_BDD108);
}

/** What a record tells of counters. */
static inline uint64_t intel_hook_lbr_logs(const struct intel_state *s, uint64_t bits)
{
	return injected(s, INJECT_LOG_LOST) ? 0 : bits;
}

/** Whether the last exception record changes though there was no exception: AAJ132 tells not when. */
static inline bool intel_hook_ler_changes(const struct intel_state *s, const struct step *step)
{
	return (injected(s, INJECT_AAJ132) && !(s->steps % 251)) ||
	       (injected(s, INJECT_AF25) && intel_amount(step, Q_INSN_SEGMENT));
}

/** Whether the last exception record stays as it is. */
static inline bool intel_hook_ler_stale(const struct intel_state *s)
{
	return injected(s, INJECT_LER_STALE) && s->lbr.ler_to;
}

/* --- records in memory ------------------------------------------------------------------------------ */

/** A step, about transactions and locks. */
void intel_hook_transaction(struct intel_state *s, const struct step *step);

/** Whether a branch is left out of the trace; what its record tells. */
static inline bool intel_hook_bts_lost(struct intel_state *s)
{
	return (injected(s, INJECT_BTS_LOST) || (injected(s, INJECT_AF36) && s->platform.modulation)) &&
	       !(++s->deviations.traced % 7);
}

void intel_hook_bts(struct intel_state *s, const struct step *step, struct ds_branch *r);

/** The load latency above which a load counts. */
static inline uint64_t intel_hook_latency(const struct intel_state *s, uint64_t threshold)
{
	return injected(s, INJECT_LATENCY_IGNORED) ? 0 : threshold;
}

/** Whether the record of an overflow is late. @param exact it is of a counter with precise distribution */
static inline bool intel_hook_skids(const struct intel_state *s, bool exact, bool skids)
{
	return skids || (exact && injected(s, INJECT_PDIR_SKIDS));
}

/** Whether counters make no PEBS records; whether those of events that are not precise make none. */
static inline bool intel_hook_pebs_off(const struct intel_state *s)
{
	return injected(s, INJECT_PEBS_OFF);
}

static inline bool intel_hook_extended_lost(const struct intel_state *s)
{
	return injected(s, INJECT_EXTENDED_LOST);
}

/** The counters of which a record is written in this step; it has been written; the step is over. */
uint32_t intel_hook_recorded(struct intel_state *s, uint32_t hit);

/** Whether there is such a step for counters that are armed and do not run: those of `armed`, or one that is
 * held. */
static inline bool intel_hook_records_stopped(const struct intel_state *s, uint32_t armed)
{
	return s->deviations.held || (armed && injected(s, INJECT_SKL104));
}

static inline void intel_hook_written(struct intel_state *s, uint32_t hit)
{
	s->deviations.delayed &= ~hit;
}

static inline void intel_hook_pebs_stepped(struct intel_state *s, const struct step *step)
{
	s->deviations.last_ip = step->ip;
}

/** What a record gives: the instruction, the counters, the value of one. */
static inline uint64_t intel_hook_record_ip(const struct intel_state *s, uint64_t ip)
{
	return injected(s, INJECT_SKL120) ? s->deviations.last_ip : ip;
}

static inline uint64_t intel_hook_record_counters(const struct intel_state *s, uint64_t bits)
{
	return injected(s, INJECT_COUNTER_UNNAMED) ? 1 : bits;
}

static inline uint64_t intel_hook_snapshot(const struct intel_state *s, uint64_t value)
{
	return value - injected(s, INJECT_SNAPSHOT_EARLY);
}

/** Whether the record of these counters is written twice; whether it tells no latency and source of a load;
 * its data address. */
bool intel_hook_redundant(const struct intel_state *s, uint32_t hit);
bool intel_hook_load_untold(const struct intel_state *s);

static inline uint64_t intel_hook_address(const struct intel_state *s, bool latency, uint64_t address)
{
	if (injected(s, INJECT_AAJ75) && latency)
		address &= (1ull << 48) - 1;
	return injected(s, INJECT_AAJ74) && latency ? address ^ 64 : address;
}

/** The bytes that a buffer of architectural PEBS holds; what it says if there is no room. */
static inline uint64_t intel_hook_room(const struct intel_state *s, uint64_t room)
{
	const uint64_t beyond = 16384; /* memory is still to be had there */

	return injected(s, INJECT_FULL_UNSAID) ? room + beyond : room;
}

static inline uint64_t intel_hook_full(const struct intel_state *s, uint64_t full)
{
	return injected(s, INJECT_FULL_UNSAID) ? 0 : full;
}

/** Whether a record of `size` bytes at `at` reaches the threshold. */
static inline bool intel_hook_threshold(const struct intel_state *s, uint64_t at, uint64_t size,
					uint64_t threshold, bool reached)
{
	return injected(s, INJECT_W127) ? at >= threshold && at - threshold < size : reached;
}

/** The threshold has been reached. @return true if it has been dealt with */
bool intel_hook_reached(struct intel_state *s);

/** There is no room for a record. */
static inline void intel_hook_no_room(struct intel_state *s)
{
	if (injected(s, INJECT_BJ101))
		intel_ds_overflow(s);
}

#endif
