#include "tests/judge/hypervisor_exits.h"
#include "arch/levels.h"
#include "tests/judge/expectation_level.h"
#include "tests/judge/under_hypervisor.h"
#include "tests/measure/measure.h"

#include "arch/exceptions.h"
#include "arch/step.h"
#include "pmu/events/text.h"
#include "pmu/virtual/vpmu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL (~UINT64_C(0))

/* What the instructions of some kinds contribute to a run of a kernel: so much at N = 1, and at N = 2. */
struct hypervisor_exit_part {
	const struct kernel *kernel;
	uint64_t kinds, met;
	uint8_t level;
	bool user;
	struct qvec at[2];
};

static bool work_out(struct hypervisor_exit_part *s)
{
	struct oracle_hypervisor_exits only = {.kinds = s->kinds, .user = s->user};
	bool done = true;

	for (unsigned i = 0; i < 2 && done; i++) {
		oracle_hypervisor_exits(&only);
		done = ground_truth(s->kernel, s->level, i + 1, OUTCOME_ABORT, &s->at[i], NULL);
		oracle_hypervisor_exits(NULL);
	}
	s->met = only.met;
	return done;
}

/* The last ones are kept: the events of a kernel are judged one after the other. */
static struct hypervisor_exit_part shares[2];

void hypervisor_exits_forget(void)
{
	memset(shares, 0, sizeof shares);
}

/* @return NULL if there are none */
static const struct hypervisor_exit_part *part_of(const struct hypervisor_exits_place *p, uint64_t kinds)
{
	struct hypervisor_exit_part *s = &shares[kinds == ALL];

	if (s->kernel != p->kernel || s->kinds != kinds || s->level != p->level || s->user != p->user) {
		*s = (struct hypervisor_exit_part){
			.kernel = p->kernel, .kinds = kinds, .level = p->level, .user = p->user};
		if (!work_out(s))
			s->met = 0;
	}
	return s->met ? s : NULL;
}

/* Signatures grow linearly with N, and so does this part of them. */
static void amounts_at(const struct hypervisor_exit_part *s, uint64_t n, struct qvec *out)
{
	for (unsigned q = 0; q < Q_COUNT; q++)
		out->v[q] = s->at[0].v[q] + (n - 1) * (s->at[1].v[q] - s->at[0].v[q]);
}

/* Kinds of which an event may lack something. */
static uint64_t kinds_for(const struct hypervisor_exits_place *p)
{
	return event_counts_instructions(p->event) && !p->filtered ? p->pmu->hypervisor_exits_lost : ALL;
}

static bool lost(const struct pmu *pmu, unsigned kind)
{
	return pmu->hypervisor_exits_lost >> kind & 1;
}

static int64_t missing_of_bracket(const struct hypervisor_exits_place *p, uint64_t *kinds)
{
	const struct pmu_bracket *b = p->bracket;
	int64_t missing = 0;

	if (!b)
		return 0;
	if (b->own_readings && lost(p->pmu, step_exit_of_counter_read)) {
		*kinds |= 1u << step_exit_of_counter_read;
		missing += b->own_readings * (event_coefficient(p->event, Q_INSTRUCTIONS) +
					      event_coefficient(p->event, Q_UOPS));
	}
	for (const struct qterm *t = b->own; t < b->own + sizeof b->own / sizeof b->own[0] && t->amount; t++)
		if (t->quantity == Q_INSN_REGISTER_WRITE && lost(p->pmu, step_exit_of_register_write)) {
			*kinds |= 1u << step_exit_of_register_write;
			missing += t->amount * (event_coefficient(p->event, Q_INSTRUCTIONS) +
						event_coefficient(p->event, Q_UOPS) +
						event_coefficient(p->event, Q_INSN_SERIALIZING) +
						event_coefficient(p->event, Q_INSN_REGISTER_WRITE));
		}
	return missing;
}

/* What the expectation loses if these instructions are left out of the kernel. */
static int64_t missing_of_kernel(const struct hypervisor_exits_place *p, const struct hypervisor_exit_part *s,
				 uint64_t n)
{
	struct expectation with, without;
	struct qvec amounts;
	uint8_t level = p->user ? p->level : 0;

	if (expectation_at_level(p->event, p->kernel, level, n, NULL, &with) != EXPECTATION_OK)
		return 0;
	amounts_at(s, n, &amounts);
	kernel_leave_out(p->kernel, &amounts);
	expectation_at_level(p->event, p->kernel, level, n, NULL, &without);
	kernel_leave_out(NULL, NULL);
	return without.status == EXPECTATION_OK ? with.low - without.low : 0;
}

bool hypervisor_exits_missing(const struct hypervisor_exits_place *p, uint64_t n, int64_t *missing,
			      uint64_t *kinds)
{
	const struct hypervisor_exit_part *s;

	*missing = 0;
	*kinds = 0;
	if (!p->pmu->under_hypervisor)
		return false;
	*missing = missing_of_bracket(p, kinds);
	s = kinds_for(p) ? part_of(p, kinds_for(p)) : NULL;
	if (s) {
		*missing += missing_of_kernel(p, s, n);
		*kinds |= s->met;
	}
	return *missing > 0;
}

static void explain(const struct pmu *pmu, uint64_t kinds, struct judgement *j)
{
	bool uncounted = kinds & pmu->hypervisor_exits_lost;
	char names[128];

	if (uncounted)
		kinds &= pmu->hypervisor_exits_lost;
	names[0] = '\0';
	for (unsigned i = 0; i < step_n_exit_kinds; i++)
		if (kinds >> i & 1 && !text_list_add(names, sizeof names, step_exit_kinds[i].name, !*names))
			break;
	judgement_set(j, VERDICT_SKIPPED,
		      uncounted ? "the hypervisor%s%s carries out, and does not count,%s"
				: "the hypervisor%s%s may carry out, and this event not count,%s",
		      *pmu->hypervisor ? " " : "", pmu->hypervisor, names);
}

static bool explains(const struct observation *o, int64_t missing)
{
	return o->seen.min >= o->low - missing && o->seen.max <= o->high;
}

/* Whether what the hypervisor executes may be in the count: not in that of instructions or branches. */
static bool hosted(const struct hypervisor_exits_place *p)
{
	return hypervisor_counts_itself(p->pmu) && !event_counts_instructions(p->event) &&
	       !(event_coefficient(p->event, Q_BRANCHES) == 1 && event_own_terms(p->event) == 1);
}

bool hypervisor_exits_excuse(const struct hypervisor_exits_place *p, const struct observation *o,
			     unsigned count, struct judgement *j)
{
	uint64_t all = 0;
	bool more = false;

	if (!p->pmu->under_hypervisor || !verdict_is_bad(j->verdict) || !count)
		return false;
	for (unsigned i = 0; i < count; i++) {
		int64_t missing;
		uint64_t kinds;

		hypervisor_exits_missing(p, o[i].n, &missing, &kinds);
		more |= o[i].seen.max > o[i].high;
		if (!explains(&o[i], missing) && !(hosted(p) && o[i].seen.min >= o[i].low - missing))
			return false;
		all |= kinds;
	}
	if (more)
		return hypervisor_adds(p->pmu, j);
	if (!all)
		return false;
	explain(p->pmu, all, j);
	return true;
}

bool hypervisor_exits_excuse_kind(const struct pmu *pmu, unsigned kind, int64_t each,
				  const struct observation *o, unsigned count, struct judgement *j)
{
	if (!pmu->under_hypervisor || kind >= step_n_exit_kinds || !lost(pmu, kind) ||
	    !verdict_is_bad(j->verdict))
		return false;
	for (unsigned i = 0; i < count; i++)
		if (!explains(&o[i], each * (int64_t)o[i].n))
			return false;
	explain(pmu, UINT64_C(1) << kind, j);
	return true;
}

bool hypervisor_exits_excuse_sum(const struct hypervisor_exits_place *p, const int8_t *coefficient,
				 unsigned n, const struct observation *o, struct judgement *j)
{
	int64_t below = 0, above = 0;
	uint64_t all = 0;
	bool more = false, less = false; /* by the hypervisor's own share, whatever that is */

	if (!n || !p->pmu->under_hypervisor || !verdict_is_bad(j->verdict))
		return false;
	for (unsigned i = 0; i < n; i++) {
		int64_t missing;
		uint64_t kinds;

		hypervisor_exits_missing(&p[i], o->n, &missing, &kinds);
		all |= kinds;
		if (coefficient[i] > 0 || p[i].filtered)
			below += abs(coefficient[i]) * missing;
		if (coefficient[i] < 0 || p[i].filtered)
			above += abs(coefficient[i]) * missing;
		more |= hosted(&p[i]) && coefficient[i] > 0;
		less |= hosted(&p[i]) && coefficient[i] < 0;
	}
	if ((!less && o->seen.min < o->low - below) ||
	    (!more && o->high != INT64_MAX && o->seen.max > o->high + above))
		return false;
	if (more || less)
		return hypervisor_adds(p->pmu, j);
	if (!all)
		return false;
	explain(p->pmu, all, j);
	return true;
}

uint64_t hypervisor_exits_kinds(const struct hypervisor_exits_place *p)
{
	const struct hypervisor_exit_part *s = part_of(p, ALL);

	return s ? s->met : 0;
}
