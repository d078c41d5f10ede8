/*
 * The oracle (pmu/virtual/vpmu.h): stepping with a quantity counter in place of a model.
 */
#include "pmu/virtual/vpmu.h"

#include "arch/levels.h"
#include "arch/step.h"
#include "pmu/contract/pmu.h"

static struct {
	struct qvec *total;
	bool watching;
	struct oracle_hypervisor_exits *only;
} oracle;

static void marker(void *ctx, bool begin)
{
	(void)ctx;
	oracle.watching = begin;
}

static bool left_out(const struct step *s)
{
	struct oracle_hypervisor_exits *only = oracle.only;
	uint64_t kind;

	if (!s->exit || (only->user && s->level != level_user()))
		return true;
	kind = UINT64_C(1) << (s->exit - 1);
	if (!(only->kinds & kind))
		return true;
	only->met |= kind;
	return false;
}

static void step(void *ctx, struct step *s)
{
	struct qterm terms[STEP_TERMS];
	(void)ctx;

	/* Nothing but the markers is answered by this client. */
	if (oracle.watching && !s->answered && !(oracle.only && left_out(s)))
		qvec_add(oracle.total, terms, step_terms(s, terms));
}

static struct step_client oracle_client = {.step = step, .marker = marker};

static void watch(void (*fn)(void *), void *arg, struct qvec *total, enum step_transactions transactions)
{
	/* Before anything of the call that is under way is changed. */
	step_not_nested();
	*total = (struct qvec){0};
	oracle.total = total;
	oracle.watching = false;
	oracle_client.transactions = transactions;
	oracle_client.wants = STEP_WANTS_BY_ADDRESS | (oracle.only ? STEP_WANTS_EXITS : 0);
	step_call(&oracle_client, fn, arg);
}

void oracle_call(void (*fn)(void *), void *arg, struct qvec *total)
{
	watch(fn, arg, total, STEP_TRANSACTIONS_ABORT);
}

void oracle_call_committing(void (*fn)(void *), void *arg, struct qvec *total)
{
	watch(fn, arg, total, STEP_TRANSACTIONS_COMMIT);
}

void oracle_hypervisor_exits(struct oracle_hypervisor_exits *only)
{
	oracle.only = only;
}

void oracle_bracket(struct pmu_bracket *out)
{
	struct step_code start, stop;

	step_markers(&start, &stop);
	*out = (struct pmu_bracket){
		.start = start.begin, .start_end = start.end, .stop = stop.begin, .stop_end = stop.end};
}
