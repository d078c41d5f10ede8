/*
 * The oracle (pmu/virtual/vpmu.h): stepping with a quantity counter in place of a model.
 */
#include "pmu/virtual/vpmu.h"

#include "arch/x86/interrupts/apic.h"
#include "arch/x86/step/step.h"
#include "arch/x86/step/account.h"
#include "pmu/virtual/hypervisor_exits.h"
#include "pmu/contract/pmu.h"

static struct {
	struct qvec *total;
	bool watching;
	struct oracle_hypervisor_exits *only;
} oracle;

static enum step_action before(void *ctx, struct trap_frame *f, const struct insn *in)
{
	(void)ctx;
	(void)f;
	if (in->cond != VECTOR_ORACLE_BEGIN && in->cond != VECTOR_ORACLE_END)
		return STEP_RUN;
	oracle.watching = in->cond == VECTOR_ORACLE_BEGIN;
	return STEP_DONE;
}

static bool left_out(const struct step_retired *r)
{
	const struct hypervisor_exit_facts facts = {r->after->rcx, r->did.address, apic_page()};
	struct oracle_hypervisor_exits *only = oracle.only;
	enum hypervisor_exit_kind kind =
		hypervisor_exit_kind_of((const uint8_t *)r->rip, r->did.insn, &facts);

	if (kind == EXIT_KINDS || !(only->kinds >> kind & 1) || (only->user && r->did.cpl != 3))
		return true;
	only->met |= UINT64_C(1) << kind;
	return false;
}

static void retired(void *ctx, const struct step_retired *r)
{
	struct qterm terms[ACCOUNT_TERMS];
	(void)ctx;

	/* Nothing but the markers is emulated by this client. */
	if (oracle.watching && !r->emulated && !(oracle.only && left_out(r)))
		account_add(oracle.total, terms, account_retired(&r->did, terms));
}

static void delivered(void *ctx, const struct step_delivered *d)
{
	struct qterm terms[ACCOUNT_TERMS];
	(void)ctx;

	if (oracle.watching && !oracle.only)
		account_add(oracle.total, terms, account_event(d->kind, d->vector, d->cpl, terms));
}

static struct step_client oracle_client = {
	.before = before,
	.intercepts = 1ull << INSN_INT,
	.details = true,
	.retired = retired,
	.delivered = delivered,
};

static void watch(void (*fn)(void *), void *arg, struct qvec *total, enum step_transactions transactions)
{
	/* Before anything of the call that is under way is changed. */
	if (step_active())
		trap_abort(VECTOR_STEP);
	*total = (struct qvec){0};
	oracle.total = total;
	oracle.watching = false;
	oracle_client.transactions = transactions;
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
	static const uint8_t begin[] = {0xcd, VECTOR_ORACLE_BEGIN}, end[] = {0xcd, VECTOR_ORACLE_END};

	*out = (struct pmu_bracket){
		.start = begin, .start_end = begin + sizeof begin, .stop = end, .stop_end = end + sizeof end};
}
