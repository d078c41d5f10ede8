#include "tests/suites/machine_checks.h"

#include "arch/exceptions.h"
#include "arch/watchdog.h"

struct carry_out {
	const struct machine_check *check;
	int64_t seen;
};

static void carry_out(void *arg)
{
	struct carry_out *c = arg;

	c->seen = c->check->observe();
}

static void run_check(struct run *run, const struct machine_check *check)
{
	struct result r = {.suite = "machine", .name = check->name, .manual = check->manual};
	struct carry_out c = {check, 0};
	const char *why = check->unfit ? check->unfit() : NULL;
	struct trap_report report;
	bool ok;

	if (why) {
		judgement_set(&r.judgement, VERDICT_SKIPPED, "%s", why);
		run->report(run, &r);
		return;
	}
	trap_set_context(check->name);
	watchdog_arm(MACHINE_CHECK_MS);
	ok = trap_guard(carry_out, &c, &report);
	watchdog_disarm();
	trap_set_context(NULL);
	if (ok)
		result_judge(&r, 0, check->low, check->high, c.seen);
	else
		judgement_set(&r.judgement, VERDICT_ERROR, "%s", report.text);
	run->report(run, &r);
}

void machine_checks_run(struct run *run, const struct machine_check *table)
{
	for (const struct machine_check *c = table; c->name; c++)
		run_check(run, c);
}
