/*
 * What the oracle adds up where only exits to a hypervisor are wanted: of the kinds that are named, and of
 * ring 3 alone where that is asked for.
 */
#include "arch/levels.h"
#include "arch/step.h"
#include "pmu/virtual/vpmu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define KINDS 6

static struct step now; /* the one that is made between the markers */

void step_not_nested(void)
{
}

void step_markers(struct step_code *start, struct step_code *stop)
{
	*start = *stop = (struct step_code){0};
}

static unsigned terms(const struct step *s, struct qterm out[STEP_TERMS])
{
	(void)s;
	out[0] = (struct qterm){.quantity = Q_INSTRUCTIONS, .amount = 1};
	return 1;
}

static const struct step_methods methods = {.terms = terms};

void step_call(struct step_client *client, void (*fn)(void *), void *arg)
{
	fn(arg);
	for (unsigned watched = 0; watched < 2; watched++) {
		client->marker(client->ctx, watched);
		client->step(client->ctx, &now);
	}
	client->marker(client->ctx, false);
	client->step(client->ctx, &now);
}

static void nothing(void *arg)
{
	(void)arg;
}

static void exits_are_of_their_kind_and_ring(void **state)
{
	const uint8_t levels[] = {0, level_user()};
	struct qvec total;

	(void)state;
	for (unsigned i = 0; i < 2 * 2 * (KINDS + 1) << KINDS; i++) {
		unsigned user = i & 1, level = i >> 1 & 1, kinds = i >> 2 & ((1 << KINDS) - 1),
			 exit = i >> (2 + KINDS);
		struct oracle_hypervisor_exits only = {.kinds = kinds, .user = user};
		bool counts = exit && kinds >> (exit - 1) & 1 && (level || !user);

		now = (struct step){.methods = &methods, .exit = (uint8_t)exit, .level = levels[level]};
		oracle_hypervisor_exits(&only);
		oracle_call(nothing, NULL, &total);
		assert_int_equal(total.v[Q_INSTRUCTIONS], counts);
		assert_int_equal(only.met, counts ? UINT64_C(1) << (exit - 1) : 0);
		now.answered = true; /* the markers' own */
		oracle_call(nothing, NULL, &total);
		assert_int_equal(total.v[Q_INSTRUCTIONS], 0);
		now.answered = false;
		oracle_hypervisor_exits(NULL);
		oracle_call(nothing, NULL, &total);
		assert_int_equal(total.v[Q_INSTRUCTIONS], 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exits_are_of_their_kind_and_ring),
	};

	return cmocka_run_group_tests_name("oracle", tests, NULL, NULL);
}
