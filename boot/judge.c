#include "boot/judge.h"
#include "boot/progress.h"

#include "arch/exceptions.h"
#include "arch/watchdog.h"
#include "pmu/virtual/vpmu.h"
#include "tests/kernels/services.h"
#include "arch/masking.h"
#include "tests/judge/errata.h"
#include "tests/report/report.h"

#include <stdio.h>
#include <string.h>

struct job {
	bool virtual, check;
	void (*fn)(void *);
	void *arg;
	unsigned ms;
};

static void carry_out(void *arg)
{
	const struct job *job = arg;

	watchdog_arm(job->ms);
	if (job->check)
		progress_step(0);
	if (job->virtual)
		vpmu_call(job->fn, job->arg);
	else
		job->fn(job->arg);
	watchdog_disarm();
}

#define PUT_BACK_MS 5000

/* What a check that was cut short had programmed would count, interrupt and take registers in the next one.
 */
static void put_back(void *arg)
{
	const struct pmu *pmu = arg;
	const char *why;

	pmu->driver->reset(pmu, &why);
}

bool judge_call(struct run *run, void (*fn)(void *), void *arg, unsigned ms, struct result *r)
{
	struct job job = {run->pmu && run->pmu->virtual, true, fn, arg, ms};
	struct trap_report trap;

	const char *reason = progress_check(r);
	if (reason) {
		if (r)
			judgement_set(&r->judgement, VERDICT_ERROR, "%s", reason);
		return false;
	}
	bool good = trap_guard(carry_out, &job, &trap);
	watchdog_disarm();
	services_finish();
	masking_end();
	if (!good && run->pmu && run->pmu->driver) {
		struct job after = {job.virtual, false, put_back, run->pmu, PUT_BACK_MS};

		trap_guard(carry_out, &after, NULL);
		watchdog_disarm();
	}
	if (!good && r) {
		r->judgement.verdict = VERDICT_ERROR;
		snprintf(r->judgement.text, sizeof r->judgement.text, "%s", trap.text);
	}
	progress_check_over();
	return good;
}

const char *judge_step(struct run *run, unsigned step)
{
	(void)run;
	return progress_step(step);
}

static unsigned handed_over;

unsigned judge_handed_over(void)
{
	return handed_over;
}

void judge_report(struct run *run, const struct result *r)
{
	handed_over++;
	struct result marked = *r;

	marked.virtual = run->pmu && run->pmu->virtual;
	errata_judge(run->pmu, &marked);
	report_result(&marked);
}

void judge_value(struct run *run, const char *suite, const char *name, const char *value, const char *unit)
{
	(void)run;
	handed_over++;
	report_value(suite, name, value, unit);
}

void judge_detail(struct run *run, const char *suite, const char *name, const char *value, const char *unit)
{
	(void)run;
	handed_over++;
	report_detail(suite, name, value, unit);
}

void judge_fact(struct run *run, const char *suite, const char *name, const char *text)
{
	(void)run;
	handed_over++;
	report_fact(suite, name, text);
}

void judge_share(struct run *run, const struct share_report *share)
{
	(void)run;
	report_share(share);
}

void judge_erratum(struct run *run, const struct erratum_report *r)
{
	(void)run;
	report_erratum(r);
}

void judge_attribution(struct run *run, const struct attribution_report *r)
{
	(void)run;
	report_attribution(r);
}
