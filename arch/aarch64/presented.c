/*
 * The processor that stepped code is told it runs on (arch/presented.h), and its caches (arch/geometry.h).
 */
#include "arch/aarch64/presented.h"
#include "arch/outcomes.h"
#include "arch/presented.h"

#include <stddef.h>

static const struct presented_processor *presented;

/* Fields are answered whole. */
bool identity_answer_is_one(const char *name)
{
	(void)name;
	return false;
}

bool identity_answer_add(const char *name, struct identity_answers *out)
{
	(void)name, (void)out;
	return false;
}

const char identity_answer_form[] = "nothing: identification registers are the profile's";

void identity_present(const void *identity, unsigned threads, const struct identity_answers *answers)
{
	(void)threads, (void)answers;
	presented = identity;
}

void identity_present_thread(unsigned thread)
{
	(void)thread;
}

bool presented_register(uint32_t number, uint64_t *value)
{
	if (!presented)
		return false;
	for (unsigned i = 0; i < PRESENTED_REGISTERS && presented->reg[i].number; i++)
		if (presented->reg[i].number == number) {
			*value = presented->reg[i].value;
			return true;
		}
	return false;
}

bool identity_geometry(const void *identity, struct machine_geometry *g)
{
	const struct presented_processor *p = identity;

	if (!p || !p->geometry.l1d.sets)
		return false;
	g->l1d = p->geometry.l1d;
	g->l1i = p->geometry.l1i;
	g->l2 = p->geometry.l2;
	g->dtlb = p->geometry.dtlb;
	g->itlb = p->geometry.itlb;
	g->stlb_sets = p->geometry.stlb_sets;
	g->stlb_ways = p->geometry.stlb_ways;
	return true;
}

const quantity_number outcome_quantities[OUTCOMES] = {[0 ... OUTCOMES - 1] = Q_COUNT};
