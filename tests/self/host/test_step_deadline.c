/*
 * The watchdog's deadline under the step engine: an NMI of the watchdog's own is nobody else's, whenever it
 * comes, and one of somebody else's stays.
 */
#include "arch/x86/exceptions/watchdog_internal.h"
#include "arch/x86/step/step_engine.h"
#include "arch/x86/step/step.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum when { NEVER, BEFORE, MEANWHILE };

static enum when comes;
static bool own, passes, settled;

static void arrive(void)
{
	step_engine.attention.nmi = NMI_ARRIVED;
}

bool watchdog_swallow(unsigned vector)
{
	assert_int_equal(vector, 2);
	assert_int_equal(step_engine.attention.nmi, NMI_ARRIVED); /* it acknowledges, so it is asked once */
	assert_false(settled);
	return own;
}

bool watchdog_take(void)
{
	assert_false(settled);
	if (comes == MEANWHILE)
		arrive();
	return passes;
}

void watchdog_settle(void)
{
	assert_false(settled);
	settled = true;
}

static void an_nmi_of_its_own_ends_with_it(void **state)
{
	(void)state;
	for (comes = NEVER; comes <= MEANWHILE; comes++)
		for (unsigned bits = 0; bits < 8; bits++) {
			own = bits & 1;
			passes = bits & 2;
			step_engine = (struct step_engine){.nmi_blocked = bits & 4};
			settled = false;
			if (comes == BEFORE)
				arrive();
			assert_int_equal(step_deadline(), passes);
			assert_true(settled);
			assert_int_equal(step_engine.attention.nmi,
					 comes == NEVER || own || passes ? 0 : NMI_ARRIVED);
			assert_int_equal(step_engine.nmi_blocked, (bits & 4) != 0);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(an_nmi_of_its_own_ends_with_it)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
