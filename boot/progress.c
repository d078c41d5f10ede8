#include "boot/progress.h"
#include "boot/journal.h"
#include "boot/recovery.h"
#include "boot/run_folder.h"
#include "build_id.h"

#include "arch/breadcrumbs.h"
#include "arch/console.h"
#include "arch/screen.h"
#include "arch/machine.h"
#include "arch/time.h"
#include "tests/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a card at port 80H shows: checks by their number within the stage, modulo this; from it on, stages. */
#define CODE_STAGE 0xe0

#define BAR      20 /* characters */
#define LINE_MAX 256

static struct recovery recovery;
static char head[LINE_MAX];
static unsigned suite_number, suites_total; /* 0: no suite has begun */
static uint64_t suites_since;               /* microseconds: when the first one began */
static uint64_t expected_ms;                /* what a whole run with the same options took; 0: not known */
static char list[BREADCRUMBS_LIST];
static char stage[64], place[BREADCRUMBS_PLACE];
static bool is_suite;
static unsigned processor, call, stages;
static bool needed; /* something was left out that the run may not go on without */

static void format_time(uint64_t ms, char out[16])
{
	uint64_t s = ms / 1000;

	snprintf(out, 16, "%lu:%02lu:%02lu", (unsigned long)(s / 3600 % 1000), (unsigned long)(s / 60 % 60),
		 (unsigned long)(s % 60));
}

/* By the time that the run took before; else as if all suites were alike. @return parts of 1000 */
static unsigned part_done(uint64_t now_ms)
{
	if (expected_ms)
		return now_ms < expected_ms ? (unsigned)(now_ms * 1000 / expected_ms) : 999;
	return suite_number ? (suite_number - 1) * 1000 / suites_total : 0;
}

#define FAR 160 /* characters */

/* "41 %  187 checks, 0 bad  0:01:23, about 0:02:00 left". @return how many are bad */
static unsigned format_far(uint64_t now_ms, char out[FAR])
{
	const struct report_totals *t = report_totals();
	uint64_t left_ms = 0;
	char gone[16], left[40] = "";
	unsigned bad = 0;

	for (unsigned v = 0; v < VERDICT_COUNT; v++)
		bad += verdict_is_bad((enum verdict)v) ? t->verdicts[v] : 0;
	format_time(now_ms, gone);
	if (expected_ms > now_ms)
		left_ms = expected_ms - now_ms;
	else if (!expected_ms && suite_number > 1)
		left_ms = (now_ms - suites_since / 1000) / (suite_number - 1) *
			  (suites_total - suite_number + 1);
	if (left_ms) {
		char time[16];

		format_time(left_ms, time);
		snprintf(left, sizeof left, ", about %s left", time);
	}
	snprintf(out, FAR, "%u %%  %u checks, %u bad  %s%s", part_done(now_ms) / 10, t->checks, bad, gone,
		 left);
	return bad;
}

static void show_progress(void)
{
	uint64_t now_ms = time_us() / 1000;
	char line[LINE_MAX], far[FAR], bar[BAR + 1];
	unsigned part = part_done(now_ms), bad = format_far(now_ms, far);

	for (unsigned i = 0; i < BAR; i++)
		bar[i] = i * 1000 < part * BAR ? SCREEN_FULL : SCREEN_SHADE;
	bar[BAR] = 0;
	snprintf(line, sizeof line, " %s %s", bar, far);
	screen_line(3, bad ? SCREEN_BAD : SCREEN_PLAIN, line);
}

/* The stage, and what of it; drawn at once, as it may be the last thing that is seen. */
static void show(const char *what)
{
	char line[LINE_MAX];

	if (!screen_is_open())
		return;
	screen_line(0, SCREEN_HEAD, head);
	if (is_suite)
		snprintf(line, sizeof line, " suite %u of %u: %s, on processor %u", suite_number,
			 suites_total, stage, processor);
	else
		snprintf(line, sizeof line, " %s", stage);
	screen_line(1, SCREEN_PLAIN, line);
	screen_line(2, SCREEN_PLAIN, what);
	show_progress();
	memset(line, SCREEN_RULE, sizeof line - 1);
	line[sizeof line - 1] = 0;
	screen_line(4, SCREEN_DIM, line);
	if (machine_taken())
		screen_draw();
}

/* Of an item of `recovery`: the text stays as long. */
static const char *left_out(const struct left_out *item)
{
	return item ? item->why : NULL;
}

static void drop_crumb(const char *at, unsigned of_call)
{
	struct breadcrumb b = {
		.run = run_number(),
		.again = strcmp(stage, recovery.stage) ? 0 : recovery.again,
		.processor = processor,
		.call = of_call,
		.suite = is_suite,
	};

	snprintf(b.place, sizeof b.place, "%s", at);
	breadcrumbs_set(&b);
}

static void begin_stage(unsigned of_processor, const char *name, bool suite)
{
	snprintf(stage, sizeof stage, "%s", name);
	processor = of_processor;
	is_suite = suite;
	call = 0;
	if (!recovery_item(&recovery, processor, stage, 0))
		drop_crumb(stage, 0);
	breadcrumbs_show((uint8_t)(CODE_STAGE + stages++ % (0x100 - CODE_STAGE)));
	show("");
}

void progress_stage(const struct platform *platform, unsigned of_processor, const char *name)
{
	begin_stage(of_processor, name, false);
	journal_line(platform, "%lu" JOURNAL_STAGE "%s", (unsigned long)(time_us() / 1000), name);
}

void progress_suite(const struct platform *platform, unsigned of_processor, const char *suite,
		    unsigned number, unsigned total)
{
	if (!suite_number)
		suites_since = time_us();
	suite_number = number;
	suites_total = total;
	begin_stage(of_processor, suite, true);
	if (number > 1) { /* before the first there is nothing to tell */
		char far[FAR];

		format_far(time_us() / 1000, far);
		console_text("\nsuite %u of %u: %s\n", number, total, far);
	}
	journal_line(platform, "%lu" JOURNAL_STAGE JOURNAL_SUITE "%s on processor %u",
		     (unsigned long)(time_us() / 1000), suite, of_processor);
}

void progress_may_hang(const struct platform *platform, const char *check)
{
	struct left_out item = {.run = run_number(), .processor = processor};
	char line[LEFT_OUT_LINE];

	snprintf(item.place, sizeof item.place, "%s/%s", stage, check);
	if (recovery_item(&recovery, processor, item.place, 0))
		return;
	recovery_line(&item, line);
	journal_line(platform, JOURNAL_MAY_HANG "%s", line);
}

bool progress_begin(const struct platform *platform, const struct options *o, const char *cpu,
		    char why[PROGRESS_REASON])
{
	char options[OPTIONS_LINE_MAX];
	struct breadcrumb crumb;
	char *journal = journal_of_last(platform);

	breadcrumbs_open(platform->boot.breadcrumbs);
	bool left = breadcrumbs_left(&crumb, list);
	recovery_learn(&recovery, journal, run_number_before(), left ? &crumb : NULL, list);
	options_format(o, options, sizeof options);
	expected_ms = journal ? recovery_time(journal, options) : 0;
	free(journal);
	snprintf(head, sizeof head, " Assay %s   %s%s%s", BUILD_ID, cpu, run_folder() ? "   " : "",
		 run_folder() ? run_folder() : "");
	recovery_list(&recovery, list, sizeof list);
	breadcrumbs_keep(list);

	journal_line(platform, "assay %s on %s", BUILD_ID, cpu);
	journal_line(platform, JOURNAL_OPTIONS "%s", options);
	for (unsigned i = 0; i < recovery.count; i++) {
		char line[LEFT_OUT_LINE];

		recovery_line(&recovery.item[i], line);
		journal_line(platform, JOURNAL_LEFT_OUT "%s", line);
	}
	if (recovery.broken) {
		char line[LEFT_OUT_BEFORE];

		recovery_before(&recovery, line);
		journal_line(platform, JOURNAL_BEFORE "%s", line);
	}
	if (recovery.full) {
		snprintf(why, PROGRESS_REASON,
			 "more than 16 checks have ended a run on this machine: choose others with suite= or "
			 "check=; the next start tries all of them again");
		return false;
	}
	if (recovery.stuck) {
		snprintf(why, PROGRESS_REASON,
			 "the last %u starts ended while %s; the next one tries it again", recovery.again,
			 recovery.stage);
		return false;
	}
	progress_stage(platform, 0, "setting the machine up");
	return true;
}

void progress_tell(void)
{
	char line[sizeof recovery.where + 128], run[24] = "";

	if (!recovery.broken)
		return;
	if (recovery.run)
		snprintf(run, sizeof run, " (%04u)", recovery.run);
	snprintf(line, sizeof line, "the last run%s ended in %s", run, recovery.where);
	report_note(line);
	for (unsigned i = 0; i < recovery.count; i++) {
		const struct left_out *item = &recovery.item[i];
		char step[24] = "";

		if (item->step)
			snprintf(step, sizeof step, " #%u", item->step);
		snprintf(line, sizeof line, "left out: %s%s, on processor %u: %s", item->place, step,
			 item->processor, left_out(item));
		report_note(line);
	}
	if (recovery.last[0]) {
		snprintf(line, sizeof line, "no check of %s can be left out for it: this suite comes last",
			 recovery.last);
		report_note(line);
	}
}

bool progress_comes_last(const char *suite)
{
	return !strcmp(recovery.last, suite);
}

void progress_end(const struct platform *platform, const char *how)
{
	breadcrumbs_clear();
	journal_line(platform, JOURNAL_END "%s" JOURNAL_TOOK "%lu ms", how,
		     (unsigned long)(time_us() / 1000));
}

void progress_refused(const struct platform *platform, const char *why)
{
	char how[192];

	if (recovery.full || recovery.stuck || needed) {
		snprintf(how, sizeof how, "could not run: %s", why);
		progress_end(platform, how);
		return;
	}
	breadcrumbs_put_back();
	journal_line(platform, JOURNAL_REFUSED "%s", why);
}

const char *progress_suite_left_out(void)
{
	return left_out(recovery_item(&recovery, processor, stage, 0));
}

static void show_check(const struct result *r)
{
	char line[LINE_MAX];

	snprintf(line, sizeof line, " check %u: %s%s%s", call, place + strlen(stage) + 1,
		 r && r->counter ? ", counter " : "", r && r->counter ? r->counter : "");
	show(line);
}

const char *progress_check(const struct result *r)
{
	call++;
	if (!r || !r->name)
		snprintf(place, sizeof place, "%s" RECOVERY_CALL "%u", stage, call);
	else if (r->suite && strcmp(r->suite, stage))
		snprintf(place, sizeof place, "%s/%.63s/%.80s", stage, r->suite, r->name);
	else
		snprintf(place, sizeof place, "%s/%s", stage, r->name);
	const char *reason = left_out(recovery_item(&recovery, processor, place, 0));
	needed |= reason && !is_suite && (!r || !r->name);
	if (!reason) {
		breadcrumbs_show((uint8_t)(call % CODE_STAGE));
		drop_crumb(place, call);
		show_check(r);
	}
	return reason;
}

void progress_check_over(void)
{
	drop_crumb(stage, 0);
}

const char *progress_step(unsigned step)
{
	const char *reason = left_out(recovery_item(&recovery, processor, place, step));

	if (!reason)
		breadcrumbs_step(step);
	return reason;
}
