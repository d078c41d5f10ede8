#include "tests/kernels/handled.h"
#include "tests/kernels/x86/services.h"

#include "arch/x86/step/insn.h"
#include "arch/x86/exceptions/trap.h"
#include "arch/x86/step/account.h"

#define HANDLER_MAX 64 /* bytes */

/* What enters a handler, and by which vector. Vectors of software interrupts share one. */
static const struct {
	quantity_number quantity;
	uint8_t vector;
} entries[] = {
	{Q_INTERRUPTS_NMI, VECTOR_NMI}, {Q_INTERRUPTS_HW, VECTOR_TEST}, {Q_INTERRUPTS_SW, VECTOR_TEST},
	{Q_EXC_DE, VECTOR_DE},          {Q_EXC_UD, VECTOR_UD},          {Q_EXC_NM, VECTOR_NM},
	{Q_EXC_GP, VECTOR_GP},          {Q_EXC_PF, VECTOR_PF},          {Q_EXC_MF, VECTOR_MF},
	{Q_EXC_XM, VECTOR_XM},          {Q_EXC_DB, VECTOR_DB},          {Q_EXC_NP, VECTOR_NP},
	{Q_EXC_SS, VECTOR_SS},          {Q_EXC_AC, VECTOR_AC},
};

static bool returns(const struct insn *in)
{
	return in->special == INSN_IRET || in->special == INSN_SYSRET || in->special == INSN_SYSEXIT;
}

/* What one run of a handler contributes. @return false if it is no straight line to its return */
static bool run_of(const uint8_t *code, enum quantity q, int64_t *amount)
{
	struct insn in;

	*amount = 0;
	for (unsigned at = 0; code && at < HANDLER_MAX && insn_decode(code + at, HANDLER_MAX - at, &in);
	     at += in.length) {
		const struct insn_retired did = {.insn = &in, .cpl = 0, .cpl_after = returns(&in) ? 3 : 0};
		struct qterm terms[ACCOUNT_TERMS];
		unsigned n = account_retired(&did, terms);

		for (unsigned i = 0; i < n; i++)
			if (terms[i].quantity == q)
				*amount += terms[i].amount;
		if (returns(&in))
			return true;
		if (in.special != INSN_PLAIN && in.special != INSN_WRMSR)
			return false;
	}
	return false;
}

bool kernel_leaves_level(const struct kernel *k)
{
	return kernel_amount(k, Q_RING_TO_KERNEL, 1).high > 0;
}

struct amount kernel_handled(const struct kernel *k, enum quantity q, uint64_t n)
{
	struct amount crossings = kernel_amount(k, Q_RING_TO_KERNEL, n), all = {.defined = true};
	int64_t calls = crossings.high, each;

	if (quantity_info[q].class != QUANTITY_ARCH || crossings.overflow)
		return (struct amount){.overflow = crossings.overflow};
	for (unsigned i = 0; crossings.high && i < sizeof(entries) / sizeof(entries[0]); i++) {
		struct amount times = kernel_amount(k, entries[i].quantity, n);

		if (!times.high)
			continue;
		all.defined &= run_of(services_handler(k, entries[i].vector), q, &each);
		all.low += times.high * each;
		calls -= times.high;
	}
	if (calls) {
		all.defined &= run_of(services_call_handler(k), q, &each);
		all.low += calls * each;
	}
	all.high = all.low;
	return all;
}
