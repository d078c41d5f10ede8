#include "tests/judge/tagged_judge.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define LINE 64

struct judge {
	const struct tagged_expectation *x;
	const struct pmu_record *r;
	unsigned number;
	struct sample_judgement *out;
};

static void conclude(const struct judge *j, enum tagged_aspect aspect, bool right, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static void conclude(const struct judge *j, enum tagged_aspect aspect, bool right, const char *format, ...)
{
	struct sample_judgement *out = &j->out[aspect];
	va_list args;
	int n;

	out->checked++;
	out->right += right;
	if (right || out->why[0])
		return;
	n = snprintf(out->why, sizeof out->why, "record %u, at %+" PRId64 ": ", j->number,
		     (int64_t)(j->r->ip - j->x->kernel_at));
	va_start(args, format);
	vsnprintf(out->why + n, sizeof out->why - (size_t)n, format, args);
	va_end(args);
}

/* --- fetches ---------------------------------------------------------------------------------------- */

static bool is_fetched(const struct path *p, uint64_t address, bool exact)
{
	for (unsigned i = 0; i < p->n_steps; i++) {
		const struct path_step *s = &p->step[i];

		if (exact ? s->length && address - s->ip < s->length : (address ^ s->ip) < LINE)
			return true;
	}
	return false;
}

/* --- operations ------------------------------------------------------------------------------------- */

/* Whether an instruction is a branch shows whether it is taken or not. */
static bool is_branch(const struct path *p, unsigned step)
{
	return p->step[step].transfer != TRANSFER_NONE || path_amount(p, step, Q_BRANCHES);
}

static bool accesses(const struct path *p, unsigned step, bool store)
{
	const struct path_step *s = &p->step[step];

	for (unsigned i = 0; i < s->n_access; i++)
		if (p->access[s->access + i].store == store)
			return true;
	/* Gathers and scatters have no addresses on a path, but quantities. */
	return path_amount(p, step, store ? Q_STORES : Q_LOADS) != 0;
}

/* Whether the operation says all that the instruction does. */
static bool is_all(const struct path *p, unsigned step, uint32_t op)
{
	const struct {
		bool does;
		uint32_t told;
	} rows[] = {{accesses(p, step, false), RECORD_OP_LOAD},
		    {accesses(p, step, true), RECORD_OP_STORE},
		    {path_amount(p, step, Q_INSN_LOCKED), RECORD_OP_LOCKED},
		    {path_amount(p, step, Q_PREFETCHES), RECORD_OP_PREFETCH},
		    {is_branch(p, step), RECORD_OP_BRANCH}};

	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (rows[i].does != !!(op & rows[i].told))
			return false;
	return true;
}

/* Whether a pass through the instruction can be what the operation says. An instruction may be several
 * operations, of which not each accesses memory; a branch that is no call, return or far is one alone. */
static bool can_be(const struct path *p, unsigned step, uint32_t op)
{
	uint8_t kind = p->step[step].transfer;
	bool taken = kind != TRANSFER_NONE, branch = is_branch(p, step);
	bool plain =
		branch && (kind == TRANSFER_NONE || kind == TRANSFER_CONDITIONAL || kind == TRANSFER_JUMP);

	if ((op & RECORD_OP_LOAD && !accesses(p, step, false)) ||
	    (op & RECORD_OP_STORE && !accesses(p, step, true)) ||
	    (op & RECORD_OP_LOCKED && !path_amount(p, step, Q_INSN_LOCKED)) ||
	    (op & RECORD_OP_PREFETCH && !path_amount(p, step, Q_PREFETCHES)))
		return false;
	if ((op & RECORD_OP_BRANCH && !branch) || (plain && !(op & RECORD_OP_BRANCH)))
		return false;
	if (!(op & RECORD_OP_BRANCH))
		return !(op & (RECORD_OP_TAKEN | RECORD_OP_RETURN));
	return taken == !!(op & RECORD_OP_TAKEN) && (kind == TRANSFER_RETURN) == !!(op & RECORD_OP_RETURN);
}

/* An operation may be a part of the access. What an access must cross to be called misaligned differs. */
static bool fits(const struct step_access *a, const struct pmu_record *r, bool exact)
{
	if (r->has & RECORD_HAS_WIDTH && (exact ? r->width != a->size : r->width > a->size))
		return false;
	return !(r->has & RECORD_HAS_OP && r->op & RECORD_OP_MISALIGNED) || r->address % a->size;
}

static bool has_access(const struct path *p, unsigned step, const struct pmu_record *r, bool exact)
{
	const struct path_step *s = &p->step[step];

	for (unsigned i = 0; i < s->n_access; i++) {
		const struct step_access *a = &p->access[s->access + i];

		if (a->address == r->address && fits(a, r, exact) &&
		    (!(r->has & RECORD_HAS_OP) || r->op & (a->store ? RECORD_OP_STORE : RECORD_OP_LOAD)))
			return true;
	}
	return false;
}

/* Completion comes after the tag; with a NOP they are the same (families' guides, IbsTagToRetCtr: "equal to
 * IbsCompToRetCtr when the tagged op is a NOP"). Between them lie the refill of the TLB and the miss of a
 * load: from when it is detected to when the data is delivered. Of writes, prefetches and what is not cached
 * that time is not valid. */
static void judge_cycles(const struct judge *j, bool nop)
{
	const struct pmu_record *r = j->r;
	const uint32_t invalid = RECORD_OP_PREFETCH | RECORD_OP_UNCACHED;

	if (!(r->has & RECORD_HAS_TIMES))
		return;
	conclude(j, TAGGED_CYCLES, nop ? r->completed == r->tagged : r->completed <= r->tagged,
		 "%" PRIu32 " cycles from completion to retirement, and %" PRIu32 " from the tag",
		 r->completed, r->tagged);
	if (r->has & RECORD_HAS_LATENCY && r->op & RECORD_OP_LOAD && !(r->op & invalid))
		conclude(j, TAGGED_CYCLES, r->latency && r->latency <= r->tagged,
			 "%" PRIu32 " cycles of a miss, and %" PRIu32 " from the tag to retirement",
			 r->latency, r->tagged);
	if (r->has & RECORD_HAS_REFILL && r->op & (RECORD_OP_LOAD | RECORD_OP_STORE) && !(r->op & invalid))
		conclude(j, TAGGED_CYCLES, r->refill <= r->tagged,
			 "%" PRIu32 " cycles of a refill, and %" PRIu32 " from the tag to retirement",
			 r->refill, r->tagged);
}

/* Kernels' data is memory. What missed the second level came from somewhere, though hardware need not know.
 */
static void judge_source(const struct judge *j)
{
	const struct pmu_record *r = j->r;

	if (r->has & RECORD_HAS_SOURCE)
		conclude(j, TAGGED_SOURCE,
			 r->from_where == RECORD_FROM_CACHE || r->from_where == RECORD_FROM_MEMORY,
			 "its data came from %s, encoding %#" PRIx64,
			 r->from_where == RECORD_FROM_DEVICE ? "a device" : "nowhere", r->source);
	if (r->has & RECORD_HAS_SOURCE && j->x->one_node)
		conclude(j, TAGGED_SOURCE, !r->from_far,
			 "its data came from another node, and there is none");
	if (!(r->has & RECORD_HAS_SOURCE) && j->x->exact && r->op & RECORD_OP_LOAD &&
	    r->op & RECORD_OP_L2_MISS)
		conclude(j, TAGGED_SOURCE, false, "it missed, and its data came from nowhere");
}

static void judge_operation(const struct judge *j)
{
	const struct path *p = j->x->path;
	const struct pmu_record *r = j->r;
	bool found = false, kind = false, target = false, address = false, nop = true;
	bool falls_through = r->has & RECORD_HAS_OP && !(r->op & RECORD_OP_TAKEN);

	for (unsigned i = 0; i < p->n_steps; i++) {
		if (p->step[i].ip != r->ip || !p->step[i].length)
			continue;
		found = true;
		nop &= path_amount(p, i, Q_INSN_NOP) != 0;
		kind |= can_be(p, i, r->op) && (!j->x->exact || is_all(p, i, r->op));
		target |= is_branch(p, i) && (p->step[i].transfer == TRANSFER_NONE) == falls_through &&
			  r->to == p->step[i].next;
		address |= has_access(p, i, r, j->x->exact);
	}
	conclude(j, TAGGED_INSTRUCTION, found, "no instruction of the path begins there");
	if (!found)
		return;
	if (r->has & RECORD_HAS_OP)
		conclude(j, TAGGED_KIND, kind, "it does not do what is said of it, %#x", r->op);
	if (r->has & RECORD_HAS_BRANCH)
		conclude(j, TAGGED_TARGET, target && r->from == r->ip,
			 "it does not lead from %+" PRId64 " to %+" PRId64,
			 (int64_t)(r->from - j->x->kernel_at), (int64_t)(r->to - j->x->kernel_at));
	if (r->has & RECORD_HAS_ADDRESS)
		conclude(j, TAGGED_ADDRESS, address, "it does not access %#" PRIx64 " in this way",
			 r->address);
	judge_cycles(j, nop);
	judge_source(j);
}

/* --- both ------------------------------------------------------------------------------------------- */

static void judge_translation(const struct judge *j)
{
	const struct pmu_record *r = j->r;
	bool fetch = r->kind == RECORD_FETCH;
	uint64_t address = fetch ? r->ip : r->address, physical = 0;
	unsigned shift = 0;
	bool mapped;

	if (!(r->has & (fetch ? RECORD_HAS_IP : RECORD_HAS_ADDRESS)))
		return;
	mapped = j->x->translate(address, &physical, &shift);
	if (r->has & RECORD_HAS_PHYSICAL)
		conclude(j, TAGGED_PHYSICAL, mapped && r->physical == physical,
			 "%#" PRIx64 " lies at %#" PRIx64 ", not at %#" PRIx64, address, physical,
			 r->physical);
	if (r->has & RECORD_HAS_PAGE)
		conclude(j, TAGGED_PAGE, mapped && r->page_shift <= shift,
			 "%#" PRIx64 " lies in a page of 1 << %u bytes, not %u", address, shift,
			 r->page_shift);
}

/* An outer level is asked for what the inner one has not got. The first-level TLB has no page of what misses
 * it. */
static void judge_levels(const struct judge *j)
{
	const struct pmu_record *r = j->r;
	bool fetch = r->kind == RECORD_FETCH;
	const struct {
		uint32_t outer, inner;
	} rows[] = {{RECORD_OP_DTLB_MISS | RECORD_OP_ITLB_MISS, RECORD_OP_TLB1_MISS},
		    {RECORD_OP_L2_MISS, fetch ? RECORD_OP_L1I_MISS : RECORD_OP_L1D_MISS},
		    {RECORD_OP_LLC_MISS, RECORD_OP_L2_MISS}};
	bool right = true;

	if (!(r->has & RECORD_HAS_OP) || r->op & RECORD_OP_UNCACHED)
		return;
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
		right &= !(r->op & rows[i].outer) || r->op & rows[i].inner;
	if (!fetch && r->has & RECORD_HAS_PAGE && !j->x->page_of_miss)
		right &= !(r->op & RECORD_OP_TLB1_MISS);
	conclude(j, TAGGED_LEVELS, right, "it misses an outer level and not the inner one, %#x", r->op);
}

static void judge_fetch(const struct judge *j)
{
	const struct pmu_record *r = j->r;

	conclude(j, TAGGED_INSTRUCTION, is_fetched(j->x->path, r->ip, j->x->exact),
		 "no code of the path lies there");
	/* The guides: cycles in which the fetch waits for the refill, 0 if there is none. */
	if (r->has & RECORD_HAS_REFILL)
		conclude(j, TAGGED_CYCLES,
			 r->op & RECORD_OP_TLB1_MISS ? r->refill <= r->latency : r->refill == 0,
			 "%" PRIu32 " cycles of a refill in a fetch of %" PRIu32, r->refill, r->latency);
}

/* Fetches tell of the last level, where IBS has the filter; operations that it is behind the second. */
static bool is_far(const struct pmu_record *r)
{
	return r->op & (r->kind == RECORD_FETCH ? RECORD_OP_LLC_MISS : RECORD_OP_L2_MISS);
}

void tagged_judge(const struct tagged_expectation *x, const struct pmu_record *record, unsigned n,
		  struct sample_judgement out[TAGGED_ASPECTS])
{
	uint64_t begin = x->begin;

	for (unsigned a = 0; a < TAGGED_ASPECTS; a++)
		out[a] = (struct sample_judgement){0};
	for (unsigned k = 0; k < n; k++) {
		const struct pmu_record *r = &record[k];
		const struct judge j = {x, r, k + 1, out};

		if (!(r->has & RECORD_HAS_IP))
			conclude(&j, TAGGED_INSTRUCTION, false, "it does not say where");
		else if (r->kind == RECORD_FETCH)
			judge_fetch(&j);
		else
			judge_operation(&j);
		judge_translation(&j);
		judge_levels(&j);
		if (x->far_only)
			conclude(&j, TAGGED_FILTER, is_far(r), "it does not miss the last-level cache, %#x",
				 r->op);
		if (x->latency_above)
			conclude(&j, TAGGED_FILTER,
				 r->op & RECORD_OP_LOAD && r->has & RECORD_HAS_LATENCY &&
					 r->latency > x->latency_above,
				 "it is of %s of %" PRIu32 " cycles",
				 r->op & RECORD_OP_LOAD ? "a load" : "no load", r->latency);
		if (r->has & RECORD_HAS_CLOCK) {
			conclude(&j, TAGGED_TIME, r->clock >= begin && r->clock <= x->end,
				 "time %" PRIu64 " does not lie between %" PRIu64 " and %" PRIu64, r->clock,
				 begin, x->end);
			begin = r->clock > begin ? r->clock : begin;
		}
	}
}
