#include "tests/ibs_judge.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define LINE 64

struct judge {
	const struct path *path;
	bool exact;
	const struct pmu_record *r;
	unsigned number;
	uint64_t kernel_at;
	struct sample_judgement *out;
};

static void conclude(const struct judge *j, enum ibs_aspect aspect, bool right, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static void conclude(const struct judge *j, enum ibs_aspect aspect, bool right, const char *format, ...)
{
	struct sample_judgement *out = &j->out[aspect];
	va_list args;
	int n;

	out->checked++;
	out->right += right;
	if (right || out->why[0])
		return;
	n = snprintf(out->why, sizeof out->why, "record %u, at %+" PRId64 ": ", j->number,
		     (int64_t)(j->r->ip - j->kernel_at));
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
static bool fits(const struct uarch_access *a, const struct pmu_record *r, bool exact)
{
	if (r->has & RECORD_HAS_WIDTH && (exact ? r->width != a->size : r->width > a->size))
		return false;
	return !(r->has & RECORD_HAS_OP && r->op & RECORD_OP_MISALIGNED) || r->address % a->size;
}

static bool has_access(const struct path *p, unsigned step, const struct pmu_record *r, bool exact)
{
	const struct path_step *s = &p->step[step];

	for (unsigned i = 0; i < s->n_access; i++) {
		const struct uarch_access *a = &p->access[s->access + i];

		if (a->address == r->address && fits(a, r, exact) &&
		    (!(r->has & RECORD_HAS_OP) || r->op & (a->store ? RECORD_OP_STORE : RECORD_OP_LOAD)))
			return true;
	}
	return false;
}

static void judge_operation(const struct judge *j)
{
	const struct path *p = j->path;
	const struct pmu_record *r = j->r;
	bool found = false, kind = false, target = false, address = false;

	for (unsigned i = 0; i < p->n_steps; i++) {
		if (p->step[i].ip != r->ip || !p->step[i].length)
			continue;
		found = true;
		kind |= can_be(p, i, r->op);
		target |= p->step[i].transfer != TRANSFER_NONE && r->to == p->step[i].next;
		address |= has_access(p, i, r, j->exact);
	}
	conclude(j, IBS_INSTRUCTION, found, "no instruction of the path begins there");
	if (!found)
		return;
	if (r->has & RECORD_HAS_OP)
		conclude(j, IBS_KIND, kind, "it does not do what is said of it, %#x", r->op);
	if (r->has & RECORD_HAS_BRANCH)
		conclude(j, IBS_TARGET, target && r->from == r->ip,
			 "it does not lead from %+" PRId64 " to %+" PRId64, (int64_t)(r->from - j->kernel_at),
			 (int64_t)(r->to - j->kernel_at));
	if (r->has & RECORD_HAS_ADDRESS)
		conclude(j, IBS_ADDRESS, address, "it does not access %#" PRIx64 " in this way", r->address);
}

void ibs_judge(const struct path *path, bool exact, const struct pmu_record *record, unsigned n,
	       uint64_t begin, uint64_t end, uint64_t kernel_at, struct sample_judgement out[IBS_ASPECTS])
{
	for (unsigned a = 0; a < IBS_ASPECTS; a++)
		out[a] = (struct sample_judgement){0};
	for (unsigned k = 0; k < n; k++) {
		const struct pmu_record *r = &record[k];
		const struct judge j = {path, exact, r, k + 1, kernel_at, out};

		if (!(r->has & RECORD_HAS_IP))
			conclude(&j, IBS_INSTRUCTION, false, "it does not say where");
		else if (r->kind == RECORD_IBS_FETCH)
			conclude(&j, IBS_INSTRUCTION, is_fetched(path, r->ip, exact),
				 "no code of the path lies there");
		else
			judge_operation(&j);
		if (r->has & RECORD_HAS_TSC) {
			conclude(&j, IBS_TIME, r->tsc >= begin && r->tsc <= end,
				 "time %" PRIu64 " does not lie between %" PRIu64 " and %" PRIu64, r->tsc,
				 begin, end);
			begin = r->tsc > begin ? r->tsc : begin;
		}
	}
}
