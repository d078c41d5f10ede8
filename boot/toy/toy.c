/*
 * Assay on the toy machine: the suites run on the host, against the machine that arch/toy interprets. TAP
 * goes to standard output.
 *
 *     assay-toy [suite=GLOBS] [kernel=GLOBS] [event=GLOBS] [check=GLOBS] [inject=NAME+NAME] [report=FILE]
 *               [verbose=1]
 *
 * Exit status: 0 nothing wrong, 1 something wrong, 2 could not run.
 */
#include "arch/exceptions.h"
#include "arch/identity.h"
#include "arch/time.h"
#include "arch/watchdog.h"
#include "build_id.h"
#include "pmu/contract/state.h"
#include "pmu/toy/toy.h"
#include "pmu/virtual/vpmu.h"
#include "tests/judge/ladder.h"
#include "tests/judge/shares.h"
#include "tests/measure/measure.h"
#include "tests/measure/pass.h"
#include "tests/measure/virtual.h"
#include "tests/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	const char *key, *value;
} given[] = {{"suite", "all"}, {"kernel", "all"}, {"event", NULL}, {"check", NULL},
	     {"inject", NULL}, {"report", NULL},  {"verbose", "0"}};
enum { SUITE, KERNEL, EVENT, CHECK, INJECT, REPORT, VERBOSE };
#define KEYS (sizeof given / sizeof given[0])

static bool take(const char *argument)
{
	const char *equals = strchr(argument, '=');

	for (unsigned i = 0; equals && i < KEYS; i++)
		if (strlen(given[i].key) == (size_t)(equals - argument) &&
		    !strncmp(argument, given[i].key, (size_t)(equals - argument))) {
			given[i].value = equals + 1;
			return true;
		}
	return false;
}

/* --- struct run's functions ---------------------------------------------------------------------------- */

struct job {
	void (*fn)(void *);
	void *arg;
	unsigned ms;
};

static void watched(void *arg)
{
	const struct job *job = arg;

	watchdog_arm(job->ms);
	job->fn(job->arg);
	watchdog_disarm();
}

/* What a check that was cut short had programmed would count, interrupt and take registers in the next one.
 */
static void put_back(void *arg)
{
	const struct pmu *pmu = arg;
	const char *why;

	pmu->driver->reset(pmu, &why);
}

static bool call(struct run *run, void (*fn)(void *), void *arg, unsigned ms, struct result *r)
{
	struct job job = {fn, arg, ms};
	struct trap_report trap;
	bool good = trap_guard(watched, &job, &trap);

	watchdog_disarm();
	if (!good && run->pmu && run->pmu->driver)
		trap_guard(put_back, run->pmu, NULL);
	if (!good && r) {
		r->judgement.verdict = VERDICT_ERROR;
		snprintf(r->judgement.text, sizeof r->judgement.text, "%s", trap.text);
	}
	return good;
}

static void report(struct run *run, const struct result *r)
{
	struct result marked = *r;

	marked.virtual = run->pmu && run->pmu->virtual;
	report_result(&marked);
}

static void value(struct run *run, const char *suite, const char *name, const char *text, const char *unit)
{
	(void)run;
	report_value(suite, name, text, unit);
}

static void detail(struct run *run, const char *suite, const char *name, const char *text, const char *unit)
{
	(void)run;
	report_detail(suite, name, text, unit);
}

static void fact(struct run *run, const char *suite, const char *name, const char *text)
{
	(void)run;
	report_fact(suite, name, text);
}

static void share(struct run *run, const struct share_report *r)
{
	(void)run;
	report_share(r);
}

static void attribution(struct run *run, const struct attribution_report *r)
{
	(void)run;
	report_attribution(r);
}

/* --- the run ------------------------------------------------------------------------------------------ */

struct suite_job {
	const struct suite *suite;
	struct run *run;
};

static void run_suite(void *arg)
{
	const struct suite_job *job = arg;

	job->suite->run(job->run);
}

/* A suite guards its own checks; what goes wrong between them ends only this suite. */
static void carry_out(struct run *run, const struct suite *suite)
{
	struct suite_job job = {suite, run};
	struct trap_report trap;

	report_suite_begin(suite->name, suite->title);
	trap_set_context(suite->name);
	if (!trap_guard(run_suite, &job, &trap)) {
		struct result r = {.suite = suite->name, .name = "suite"};

		r.judgement.verdict = VERDICT_ERROR;
		snprintf(r.judgement.text, sizeof r.judgement.text, "broken off: %s", trap.text);
		run->report(run, &r);
	}
	trap_set_context(NULL);
	pass_report_retaken(run, suite->name);
	shares_report(run, suite->name);
	report_suite_end();
}

static bool write_piece(void *to, const char *text, size_t size)
{
	return fwrite(text, 1, size, to) == size;
}

static bool write_report(const char *path)
{
	FILE *f = fopen(path, "w");
	bool good;

	if (!f)
		return false;
	good = report_json(write_piece, f);
	return fclose(f) == 0 && good;
}

/* --- options that match nothing ------------------------------------------------------------------------- */

static const char *name_of(unsigned key, const struct pmu *pmu, unsigned i)
{
	if (key == SUITE)
		return suites[i] ? suites[i]->name : NULL;
	if (key == KERNEL)
		return i < (size_t)(kernels_end - kernels_begin) ? kernels_begin[i].name : NULL;
	return i < pmu->n_events ? pmu->events[i]->name : NULL;
}

/* Each of a list of globs must match something. @return the one that does not, or NULL */
static const char *unmatched(unsigned key, const struct pmu *pmu)
{
	static char glob[64];

	for (const char *p = given[key].value; p && *p;) {
		size_t length = strcspn(p, ",");
		unsigned i = 0;

		snprintf(glob, sizeof glob, "%.*s", (int)length, p);
		while (name_of(key, pmu, i) && !glob_match(glob, name_of(key, pmu, i)))
			i++;
		if (!name_of(key, pmu, i))
			return glob;
		p += length + (p[length] == ',');
	}
	return NULL;
}

static int could_not_run(const char *why)
{
	fprintf(stderr, "assay-toy: %s\n", why);
	return 2;
}

static void begin_report(const char *options, bool verbose)
{
	static struct identity_pair identity[IDENTITY_PAIRS];
	const struct report_header header = {
		.build_id = BUILD_ID,
		.platform = "host",
		.firmware = "",
		.isa = isa_name(),
		.cpu = "toy",
		.identity = identity,
		.n_identity = identity_read(identity, IDENTITY_PAIRS),
		.processor_count = 1,
		.clock_hz = clock_hz(),
		.time_reference = clock_reference(),
		.watchdog = watchdog_source(),
		.options = options,
		.verbose = verbose,
	};

	report_begin(&header);
}

int main(int argc, char **argv)
{
	static struct pmu pmu;
	static struct ladder ladder;
	static struct checks_asked checks;
	char line[512] = "";
	bool bad;

	for (int i = 1; i < argc; i++) {
		if (!take(argv[i]))
			return could_not_run("an option is none: see boot/toy/toy.c");
		snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s", i > 1 ? " " : "", argv[i]);
	}
	const struct run_options options = {
		.kernel_glob = given[KERNEL].value,
		.event_glob = given[EVENT].value,
		.suite_glob = given[SUITE].value,
		.check_glob = given[CHECK].value,
		.inject = given[INJECT].value,
		.verbose = strcmp(given[VERBOSE].value, "0") != 0,
	};
	struct run run = {
		.options = &options,
		.checks = &checks,
		.call = call,
		.report = report,
		.value = value,
		.detail = detail,
		.fact = fact,
		.share = share,
		.attribution = attribution,
	};
	const char *why;

	kernels_unpack();
	begin_report(line, options.verbose);
	if (!measure_init())
		return could_not_run("there is no memory for kernels");
	if (!virtual_pmu_create(&run, &pmu, toy_profile.name, given[INJECT].value, &why))
		return could_not_run(why);
	for (unsigned key = SUITE; key <= EVENT; key++)
		if (unmatched(key, &pmu)) {
			snprintf(line, sizeof line, "%s=%s matches none", given[key].key,
				 unmatched(key, &pmu));
			return could_not_run(line);
		}
	report_pmu(&pmu, NULL);
	ladder_climb(&run, &ladder);
	run.ladder = &ladder;
	for (unsigned i = 0; suites[i]; i++)
		if (glob_match(options.suite_glob, suites[i]->name))
			carry_out(&run, suites[i]);
	if (checks.asked && !checks.matched)
		return could_not_run("check= matches none of the checks that the suites have");
	report_end(true);
	if (given[REPORT].value && !write_report(given[REPORT].value))
		return could_not_run("the report cannot be written");
	pmu_forget(&pmu);
	vpmu_forget();
	bad = false;
	for (unsigned v = 0; v < VERDICT_COUNT; v++)
		bad |= verdict_is_bad((enum verdict)v) && report_totals()->verdicts[v];
	return bad;
}
