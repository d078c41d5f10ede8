/*
 * assay-judge: judge the counts of an old report by today's rules, which are the image's own code and tables.
 *
 * Of the suite events: for each check the event's row and the kernel's signature of today give the
 * expectation, the report gives the raw counts, and the verdict follows from both. Where expectation or
 * verdict differ from what the report says, or the report contradicts itself, a line tells.
 */
#include "arch/identity.h"
#include "arch/levels.h"
#include "tests/judge/errata.h"
#include "tests/judge/event_judge.h"
#include "tests/judge/hypervisor_exits.h"
#include "tools/report_attribution.h"
#include "tools/report_cpu.h"
#include "tools/report_json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SCHEMA "assay-report/5"

enum { SAME, DIFFERENT, UNREADABLE };

static const char usage[] =
	"usage: assay-judge REPORT.json       what today's rules say otherwise of the suite events\n"
	"Exit status: 0 the same, 1 something differs, 2 the report cannot be read or does not hold what it "
	"takes.\n";

static struct {
	unsigned judged, same, different;
	unsigned without; /* checks without counts: skipped, or an error */
	unsigned excused; /* skipped for what a hypervisor does */
	bool attribution; /* what deliveries and returns count is told otherwise today */
	unsigned shares;  /* checks whose bracket's share the report has as measured */
} tally;

/* --- one check ---------------------------------------------------------------------------------------- */

struct check {
	const json_t *json;
	const char *suite, *name, *verdict;
	struct event_place place;
	unsigned width; /* of the counter, bits */
	unsigned count;
	struct observation o[RESULT_OBSERVATIONS]; /* with the expectations of the report */
	bool told;
};

static const char *path;
static const char *malformed; /* why the report cannot be read */

static void tell(struct check *c, const char *format, ...)
{
	va_list args;

	printf("%s: %s: ", c->suite, c->name);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	c->told = true;
}

static bool fail(const char *why)
{
	malformed = why;
	return false;
}

/* What the report lists, and what it says of those values besides. */
static bool read_histogram(struct check *c, const json_t *o, struct histogram *out)
{
	struct report_histogram said;

	if (!report_histogram(o, out, &said))
		return fail("an observation is not as the schema says");
	if (said.listed + said.unlisted != said.total)
		tell(c, "the frequencies do not add up to the %" PRIu64 " values that were observed",
		     said.total);
	else if (!said.unlisted &&
		 (out->min != said.min || out->max != said.max || out->distinct != said.distinct))
		tell(c,
		     "the values are %u distinct ones from %" PRId64 " to %" PRId64 ", not %" PRIu64
		     " from %" PRId64 " to %" PRId64,
		     out->distinct, out->min, out->max, said.distinct, said.min, said.max);
	if (said.unlisted) {
		out->total = (unsigned)said.total;
		out->distinct = (unsigned)said.distinct;
		out->min = said.min;
		out->max = said.max;
	}
	return true;
}

static bool read_observations(struct check *c)
{
	const json_t *list = json_object_get(c->json, "observations"), *o;
	size_t i;

	c->count = 0;
	if (json_array_size(list) > RESULT_OBSERVATIONS)
		return fail("a check of the suite events has more observations than there can be");
	json_array_foreach (list, i, o) {
		struct observation *out = &c->o[c->count++];

		*out = (struct observation){0};
		if (!report_unsigned(json_object_get(o, "n"), &out->n) ||
		    !report_signed(json_object_get(o, "low"), &out->low) ||
		    !report_signed(json_object_get(o, "high"), &out->high))
			return fail("an observation is not as the schema says");
		if (!read_histogram(c, o, &out->seen))
			return false;
	}
	return true;
}

static const json_t *counter_entry(const json_t *pmu, const char *name)
{
	size_t i;
	const json_t *c;

	json_array_foreach (json_object_get(pmu, "counters"), i, c)
		if (!strcmp(report_string(c, "name"), name))
			return c;
	return NULL;
}

/* Where it was counted, but for event and kernel. */
static bool read_place(struct check *c, const json_t *entry)
{
	const json_t *share = json_object_get(c->json, "share");
	const json_t *counter = counter_entry(entry, report_string(c->json, "counter"));
	const json_t *highest = json_object_get(counter, "highest");
	unsigned level = 0;
	uint64_t width;

	if (!share)
		return fail("it does not hold the bracket's shares");
	if (!report_signed(share, &c->place.share))
		return fail("a share is not as the schema says");
	while (level < LEVELS_MAX &&
	       (!level_name(level) || strcmp(level_name(level), report_string(c->json, "level"))))
		level++;
	if (level && level != level_user())
		return fail("a check of the suite events is neither of the first level nor of the user's");
	c->place.level = level;
	if (!report_unsigned(json_object_get(counter, "width"), &width) || width < 1 || width > 64)
		return fail("a check of the suite events is of a counter that its PMU does not have");
	c->width = (unsigned)width;
	c->place.highest = UINT64_MAX >> (64 - width);
	if (highest && !report_unsigned(highest, &c->place.highest))
		return fail("a counter's highest value is not as the schema says");
	return true;
}

/* @return false if today there is nothing to judge by; that is told */
static bool find_rows(struct check *c)
{
	const struct pmu *pmu = c->place.pmu;
	const char *event = report_string(c->json, "event"), *kernel = report_string(c->json, "kernel");
	uint64_t code;

	c->place.event = event_by_name(pmu->events, pmu->n_events, event);
	c->place.kernel = kernel_by_name(kernel);
	if (!c->place.event)
		tell(c, "%s then; today %s is no event of this CPU", c->verdict, event);
	else if (!c->place.kernel)
		tell(c, "%s then; today there is no kernel %s", c->verdict, kernel);
	else if (!report_hex(json_object_get(c->json, "encoding"), &code) || code != c->place.event->code)
		tell(c, "%s then, of encoding %s; today's is 0x%" PRIx64, c->verdict,
		     report_string(c->json, "encoding"), c->place.event->code);
	return !c->told;
}

/* Raw counts are never below 0 nor above what the counter holds. */
static void look_at_raw_counts(struct check *c)
{
	uint64_t top = c->place.highest > INT64_MAX ? INT64_MAX : c->place.highest;

	for (unsigned i = 0; i < c->count && !c->told; i++) {
		int64_t low = c->o[i].seen.min + c->place.share, high = c->o[i].seen.max + c->place.share;

		if (c->o[i].seen.total && (low < 0 || (uint64_t)high > top))
			tell(c, "raw counts from %" PRId64 " to %" PRId64 " are none of a counter of %u bits",
			     low, high, c->width);
	}
}

/* What was subtracted must have been measured: the report's shares are of mechanisms, counters and events.
 * Not every share is measured, and one that is not steady has no value. For events that count exactly: the
 * bracket's share of others is what one measurement found, and another may find another. */
static void look_at_share(struct check *c, const json_t *report, const json_t *suite)
{
	/* mechanism_name() of tests/judge/shares.c, for both levels of the suite events */
	char around[32];
	const char *mechanism = "enabling and disabling writes";
	const json_t *list = json_object_get(report, "shares");
	unsigned measured = 0, equal = 0;
	int64_t share, other = 0;

	if (c->place.level) {
		snprintf(around, sizeof around, "around %s", level_name(level_user()));
		mechanism = around;
	}

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *s = json_array_get(list, i);

		if (strcmp(report_string(s, "event"), report_string(c->json, "event")) ||
		    strcmp(report_string(s, "counter"), report_string(c->json, "counter")) ||
		    strcmp(report_string(s, "encoding"), report_string(c->json, "encoding")) ||
		    strcmp(report_string(s, "mechanism"), mechanism) || !report_same_processor(s, suite) ||
		    !report_signed(json_object_get(s, "share"), &share))
			continue;
		measured++;
		equal += share == c->place.share;
		other = share;
	}
	tally.shares += measured != 0;
	if (measured && !equal)
		tell(c, "the bracket's share is %" PRId64 ", and was measured as %" PRId64, c->place.share,
		     other);
}

/* Today's expectations in place of those of the report. @return false if there is none; that is told */
static bool expect_anew(struct check *c, struct expectation *x)
{
	for (unsigned i = 0; i < c->count; i++) {
		struct observation *o = &c->o[i];

		if (event_expected(&c->place, o->n, x)) {
			char why[JUDGEMENT_TEXT];

			expectation_explain(x, c->place.kernel, o->n, why, sizeof why);
			tell(c, "%s then; today there is no expectation: %s", c->verdict, why);
			return false;
		}
		if (o->low != x->low || o->high != x->high)
			tell(c,
			     "N=%" PRIu64 ": expected %" PRId64 "..%" PRId64 " then, %" PRId64 "..%" PRId64
			     " today",
			     o->n, o->low, o->high, x->low, x->high);
		o->low = x->low;
		o->high = x->high;
	}
	return true;
}

static void compare(struct check *c, const struct judgement *j)
{
	const json_t *slope = json_object_get(c->json, "slope"), *bias = json_object_get(c->json, "bias");
	int64_t then_bias = 0, num = 0, den = 0;

	if (strcmp(c->verdict, verdict_name(j->verdict))) {
		tell(c, "%s then, %s today%s%s", c->verdict, verdict_name(j->verdict), *j->text ? ": " : "",
		     j->text);
		return;
	}
	if (bias)
		report_signed(bias, &then_bias);
	if (then_bias != j->bias)
		tell(c, "biased by %" PRId64 " then, by %" PRId64 " today", then_bias, j->bias);
	if (slope && report_signed(json_array_get(slope, 0), &num))
		report_signed(json_array_get(slope, 1), &den);
	if (num != j->slope_num || den != j->slope_den)
		tell(c, "slope %" PRId64 "/%" PRId64 " then, %" PRId64 "/%" PRId64 " today", num, den,
		     j->slope_num, j->slope_den);
}

/* What an instruction that a hypervisor carries out would have added is known by stepping it, which only the
 * image does: such a check is left as it was. */
static bool is_a_hypervisors(const struct check *c, const struct judgement *j)
{
	return c->place.pmu->under_hypervisor && verdict_is_bad(j->verdict) &&
	       !strcmp(c->verdict, "skipped") && strstr(report_string(c->json, "text"), "the hypervisor");
}

bool hypervisor_exits_excuse(const struct hypervisor_exits_place *p, const struct observation *o,
			     unsigned count, struct judgement *j)
{
	(void)p, (void)o, (void)count, (void)j;
	return false;
}

/* What is wrong may be as an erratum says. */
static void know_errata(const struct check *c, struct judgement *j)
{
	struct result r = {.suite = c->suite,
			   .name = c->name,
			   .event = c->place.event->name,
			   .kernel = c->place.kernel->name,
			   .counter = report_string(c->json, "counter"),
			   .level = report_string(c->json, "level"),
			   .share = c->place.share,
			   .n_observations = c->count,
			   .judgement = *j};

	if (c->count > RESULT_OBSERVATIONS)
		return;
	memcpy(r.observation, c->o, c->count * sizeof *c->o);
	errata_judge(c->place.pmu, &r);
	*j = r.judgement;
}

/* @return false if the report cannot be read */
static bool judge_check(struct check *c, const json_t *report, const json_t *suite, const json_t *entry)
{
	struct expectation x;
	struct judgement j;
	bool found;

	if (!json_array_size(json_object_get(c->json, "observations"))) {
		tally.without++;
		return true;
	}
	if (!read_place(c, entry) || !read_observations(c))
		return false;
	tally.judged++;
	look_at_raw_counts(c);
	found = find_rows(c);
	if (found && c->place.event->judgement == EVENT_EXACT && !event_is_micro(c->place.event))
		look_at_share(c, report, suite);
	if (found && expect_anew(c, &x)) {
		event_judge(&c->place, c->o, c->count, &x, &j);
		know_errata(c, &j);
		if (!is_a_hypervisors(c, &j))
			compare(c, &j);
		else
			tally.excused++;
	}
	tally.different += c->told;
	tally.same += !c->told;
	return true;
}

/* --- the report --------------------------------------------------------------------------------------- */

/* The PMU that a check is of: the last one of its processor that is as virtual as the check. */
static const json_t *pmu_of(const json_t *report, const json_t *suite, const json_t *check)
{
	const json_t *list = json_object_get(report, "pmus"), *found = NULL;

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *entry = json_array_get(list, i);

		if (json_is_true(json_object_get(entry, "virtual")) ==
			    json_is_true(json_object_get(check, "virtual")) &&
		    report_same_processor(entry, suite))
			found = entry;
	}
	return found;
}

static bool is_cell(const json_t *check)
{
	const char *event = report_string(check, "event"), *name = report_string(check, "name");
	size_t n = strlen(event);

	return n && *report_string(check, "kernel") && !strncmp(name, event, n) && name[n] == '/';
}

static void attribution_differs(const char *what)
{
	puts(what);
	tally.attribution = true;
}

static bool judge_suite(const json_t *report, const json_t *suite)
{
	static struct pmu pmu;
	static struct attribution attribution;
	static const json_t *identified;
	size_t i;
	const json_t *json;

	json_array_foreach (json_object_get(suite, "checks"), i, json) {
		struct check c = {.json = json,
				  .suite = report_string(suite, "name"),
				  .name = report_string(json, "name"),
				  .verdict = report_string(json, "verdict"),
				  .place = {.pmu = &pmu}};
		const json_t *entry;

		if (!is_cell(json))
			continue;
		entry = pmu_of(report, suite, json);
		if (!entry)
			return fail("it does not say which PMU was judged");
		if (entry != identified && (malformed = report_cpu_identify(report, entry, &pmu)))
			return false;
		identified = entry;
		if ((malformed = report_attribution(report, entry, &pmu, &attribution, attribution_differs)))
			return false;
		pmu.attribution = &attribution;
		if (!judge_check(&c, report, suite, entry))
			return false;
	}
	return true;
}

static int judge_report(const json_t *report)
{
	size_t i;
	const json_t *suite;

	if (strcmp(report_string(report, "schema"), SCHEMA)) {
		fprintf(stderr,
			"assay-judge: %s: not of schema " SCHEMA
			"; scripts/report-view --judge converts older ones\n",
			path);
		return UNREADABLE;
	}
	if (strcmp(report_string(report, "isa"), isa_name())) {
		fprintf(stderr, "assay-judge: %s: of instruction set \"%s\"; this program judges %s\n", path,
			report_string(report, "isa"), isa_name());
		return UNREADABLE;
	}
	json_array_foreach (json_object_get(report, "suites"), i, suite)
		if (!strcmp(report_string(suite, "name"), "events") && !judge_suite(report, suite)) {
			fprintf(stderr, "assay-judge: %s: %s\n", path, malformed);
			return UNREADABLE;
		}
	if (!tally.judged) {
		fprintf(stderr, "assay-judge: %s: it has no counts of the suite events\n", path);
		return UNREADABLE;
	}
	printf("%u checks judged again: %u the same, %u different", tally.judged, tally.same,
	       tally.different);
	if (tally.shares)
		printf("; %u with a share that was measured", tally.shares);
	if (tally.excused)
		printf("; %u of them as the hypervisor excused them", tally.excused);
	if (tally.without)
		printf("; %u without counts left as they are", tally.without);
	puts(json_is_true(json_object_get(report, "complete")) ? "" : "; the report is incomplete");
	return tally.different || tally.attribution ? DIFFERENT : SAME;
}

int main(int argc, char **argv)
{
	json_error_t error;
	json_t *report;
	int status;

	if (argc != 2 || argv[1][0] == '-') {
		fputs(usage, stderr);
		return UNREADABLE;
	}
	path = argv[1];
	report = json_load_file(path, 0, &error);
	if (!report) {
		fprintf(stderr, "assay-judge: %s: %s\n", path, error.text);
		return UNREADABLE;
	}
	kernels_unpack();
	status = judge_report(report);
	json_decref(report);
	return status;
}
