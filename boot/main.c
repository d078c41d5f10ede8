/*
 * The run from beginning to end, the same for every platform:
 *
 *   options -> machine set up -> [processors] -> for each: [PMU chosen and calibrated] -> [suite] ... ->
 * report -> leave
 *
 * What stands in brackets runs on the processor that is judged (boot/cores.h), between machine_take() and
 * machine_give_back(); outside, firmware works as before. The report is written before the first suite and
 * after each one.
 *
 * Exit status: 0 nothing wrong, 1 something wrong, 2 could not run (bad options included: nothing is measured
 * with other options than those asked for). The last line of the text stream says which.
 */
#include "boot/config.h"
#include "boot/core_choice.h"
#include "boot/core_options.h"
#include "boot/cores.h"
#include "boot/event_files.h"
#include "boot/first.h"
#include "boot/judge.h"
#include "boot/listing.h"
#include "boot/menu/results.h"
#include "boot/menu/start.h"
#include "boot/options.h"
#include "boot/platform.h"
#include "boot/progress.h"
#include "boot/pmu_choice.h"
#include "boot/report_out.h"
#include "boot/selection.h"
#include "boot/user_code.h"
#include "build_id.h"

#include "arch/console.h"
#include "arch/courage.h"
#include "arch/exceptions.h"
#include "arch/identity.h"
#include "arch/machine.h"
#include "arch/processors.h"
#include "arch/screen.h"
#include "arch/time.h"
#include "arch/watchdog.h"
#include "pmu/contract/workaround.h"
#include "pmu/events/text.h"
#include "tests/judge/errata.h"
#include "tests/judge/check.h"
#include "tests/measure/inject.h"
#include "tests/kernels/kernel.h"
#include "tests/measure/measure.h"
#include "tests/measure/pass.h"
#include "tests/report/report.h"
#include "tests/judge/shares.h"
#include "tests/suites/suites.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_PAGES_MOST  256
#define TEXT_PAGES_LEAST 4
#define STATUS_GOOD      0
#define STATUS_WRONG     1
#define STATUS_COULD_NOT 2

static struct cores cores;
static struct run_options run_options;
static const char *may_hang; /* what the suite `dangerous` does next */
static unsigned given;       /* what suites have handed over */
static bool attended;        /* somebody was at the menu */
static unsigned on_list;     /* events that were listed */

/* Text goes to the screen at once and is kept for report.txt as far as memory allows. */
static void begin_text(const struct platform *platform)
{
	if (platform->clear_screen && !platform->from_shell)
		platform->clear_screen();
	console_set_screen(platform->screen);
	for (size_t pages = TEXT_PAGES_MOST; pages >= TEXT_PAGES_LEAST; pages /= 2) {
		char *text = platform->boot.alloc_pages(pages);
		if (text) {
			console_init(text, pages * 4096);
			return;
		}
	}
}

static void close_screen(const struct platform *platform)
{
	if (!screen_is_open())
		return;
	if (!platform->screen) { /* nobody else will show what came last */
		screen_draw();
		return;
	}
	screen_close();
	if (platform->clear_screen)
		platform->clear_screen();
}

/* Where there is a menu, it is also how a run that came to its end is looked at, if anybody is there or the
 * screen is to stay. The text stays below it for who has no use for that. */
static void look_at_results(const struct platform *platform, const struct options *o)
{
	static const char farewell[] = "The machine may be switched off now.\n";
	char heading[RESULTS_TEXT], cpu[IDENTITY_NAME];
	struct results_about about = {
		.heading = heading,
		.place = report_out_place(),
		.leaving = o->exit == EXIT_HALT ? NULL : "leaves",
	};

	close_screen(platform);
	console_flush_screen();
	if (!platform->terminal || !o->menu || (!attended && o->exit != EXIT_HALT))
		return;
	if (!about.leaving && platform->screen)
		platform->screen(farewell, sizeof farewell - 1);
	identity_name(cpu);
	snprintf(heading, sizeof heading, " Assay %s   %s", BUILD_ID, cpu);
	menu_results(platform->terminal, &about);
}

static int leave(struct platform *platform, const struct options *o, int status)
{
	close_screen(platform);
	bool wait = o->exit == EXIT_AUTO && !attended && !platform->from_shell && platform->wait_for_key;
	if (wait)
		console_text("press a key to leave\n");
	console_flush_screen();
	if (wait)
		platform->wait_for_key();
	if (o->exit == EXIT_SHUTDOWN || o->exit == EXIT_HALT)
		platform->leave(o->exit, status);
	if (!processors_dismiss()) {
		console_text("assay: a processor still executes this image, which must stay: the machine is "
			     "halted\n");
		console_flush_screen();
		platform->leave(EXIT_HALT, status);
	}
	console_give_back();
	return status;
}

/* Nothing was judged, as was asked: what the run before left stays known. */
static int listed(struct platform *platform, const struct options *o, unsigned count)
{
	console_text("assay: listed %u %s\n", count, listing_name(o));
	progress_refused(platform, "list=");
	return leave(platform, o, STATUS_GOOD);
}

static int could_not_run(struct platform *platform, const struct options *o, const char *why)
{
	console_text("assay: could not run: %s\n", why);
	if (!o->list)
		report_out_close(o);
	progress_refused(platform, why);
	return leave(platform, o, STATUS_COULD_NOT);
}

static void begin_report(const struct platform *platform, const struct options *o)
{
	static char line[OPTIONS_LINE_MAX], cpu[IDENTITY_TITLE], hypervisor[IDENTITY_HYPERVISOR];
	static struct identity_pair identity[IDENTITY_PAIRS];

	options_format(o, line, sizeof line);
	machine_take();
	identity_title(cpu);
	bool under = identity_hypervisor(hypervisor);
	struct report_header header = {
		.build_id = BUILD_ID,
		.date = platform->date,
		.platform = platform->name,
		.firmware = platform->boot.firmware,
		.under_hypervisor = under,
		.hypervisor = *hypervisor ? hypervisor : NULL,
		.isa = isa_name(),
		.cpu = cpu,
		.identity = identity,
		.n_identity = identity_read(identity, IDENTITY_PAIRS),
		.processor_count = machine_cpu_count(),
		.clock_hz = clock_hz(),
		.time_reference = clock_reference(),
		.watchdog = watchdog_source(),
		.options = line,
		.verbose = o->verbose,
	};
	machine_give_back();
	report_begin(&header);
	for (unsigned i = 0; i < machine_note_count(); i++)
		report_note(machine_note(i));
	if (*o->elsewhere) {
		static char elsewhere[OPTION_TEXT_MAX + 64];

		snprintf(elsewhere, sizeof elsewhere,
			 "passed over, as only other instruction sets have it: %s", o->elsewhere);
		report_note(elsewhere);
	}
}

/* @return whether the run can go on, or why not */
static bool begin_files(const struct platform *platform, const struct options *o, char why[PROGRESS_REASON])
{
	char name[IDENTITY_NAME];

	identity_name(name);
	report_out_begin(platform, o, name);
	return progress_begin(platform, o, name, why);
}

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
	struct result r = {.suite = suite->name, .name = "suite"};
	const char *reason = progress_suite_left_out();
	struct trap_report trap;
	unsigned before = judge_handed_over();

	report_suite_begin(suite->name, suite->title);
	trap_set_context(suite->name);
	if (reason) {
		judgement_set(&r.judgement, VERDICT_ERROR, "%s between its checks", reason);
		run->report(run, &r);
	} else if (!trap_guard(run_suite, &job, &trap)) {
		judgement_set(&r.judgement, VERDICT_ERROR, "broken off: %s", trap.text);
		run->report(run, &r);
	}
	given += judge_handed_over() - before;
	watchdog_disarm();
	trap_set_context(NULL);
	pass_report_retaken(run, suite->name);
	if (run->pmu)
		shares_report(run, suite->name);
	report_suite_end();

	unsigned stray = trap_stray_count();
	if (stray) {
		char line[96];
		snprintf(line, sizeof line, "%u interrupts on vectors that nobody had claimed during %s",
			 stray, suite->name);
		report_note(line);
	}
}

/* One part of the run, on the processor that is judged. */
struct part {
	void (*carry_out)(struct part *part);
	struct run *run;
	const struct options *o;
	const char *inject;
	const struct suite *suite;
	unsigned courage;
	bool good, lost;    /* lost: the processor did not start, or did not come to the end */
	struct reason *why; /* whoever asked for the part */
};

static void choose(struct part *p)
{
	p->good = pmu_choose(p->run, p->o, p->inject, p->why);
	pmu_switch_off();
}

static void run_one(struct part *p)
{
	carry_out(p->run, p->suite);
	pmu_switch_off();
}

static void look_for_rearming(struct part *p)
{
	pmu_look_for_rearming(p->run);
}

static void part_run(void *arg)
{
	struct part *p = arg;

	pmu_be_courageous(p->run, p->courage);
	p->carry_out(p);
	courage_set(COURAGE_ALL);
}

static bool run_part(const struct core *core, struct part *p, void (*carry_out)(struct part *part))
{
	p->carry_out = carry_out;
	p->good = true;
	machine_take();
	p->lost = !processor_run(core->number, part_run, p, &p->why->line);
	courage_set(COURAGE_ALL);
	machine_give_back();
	return !p->lost && p->good;
}

/* What is asked of the last processor in vain is not to be said when the first has been judged. */
static bool core_is_known(const struct options *all, const char *inject, const struct core *core,
			  struct reason *why)
{
	char own[OPTION_TEXT_MAX];
	struct options o;

	core_options(all, core, &o);
	core_injections(inject, core->number, own);
	return pmu_is_known(&o, own, why);
}

/* A processor that is lost leaves the run to the others. */
static bool go_on_without(struct core *core, const struct part *part)
{
	if (!part->lost)
		return false;
	core_give_up(core, part->why->line);
	return true;
}

/* A suite that the last run ended in comes behind all others; but not behind what takes more courage, nor
 * behind what can hang the machine. */
static const struct suite *suite_in_turn(struct run *run, const struct options *o, unsigned turn,
					 unsigned *courage)
{
	for (*courage = COURAGE_READ; selection_is_first(o) && *courage <= o->courage; ++*courage)
		for (unsigned last = 0; last < 2; last++)
			for (const struct first_step *s = first_steps; s->suite; s++)
				if (s->courage == *courage && progress_comes_last(s->suite->name) == last &&
				    !turn--)
					return s->suite;
	*courage = o->courage;
	for (unsigned last = 0; !selection_is_first(o) && last < 2; last++)
		for (unsigned i = 0; suites[i]; i++)
			if (selection_runs(o, suites[i]) && progress_comes_last(suites[i]->name) == last &&
			    !turn--)
				return suites[i];
	may_hang = o->dangerous ? control_choose_dangerous(run, turn) : NULL;
	return may_hang ? &suite_dangerous : NULL;
}

static void look_at_other(struct part *p)
{
	pmu_tell_registers(p->run);
}

/* suite=first: what firmware made of one core's PMU it may not have made of another's. */
static void look_at_another(const struct platform *platform, const struct core *core, struct part *part)
{
	struct core other = {0};

	if (!core_elsewhere(core->number, core->id, core->thread_bits, &other.number))
		return;
	progress_stage(platform, other.number, "looking at the PMU of another core");
	if (!run_part(&other, part, look_at_other))
		report_note(part->why->line);
	report_out(platform, part->o, false);
}

/* All suites on one processor. Events that one type of core has and another has not are only missed if none
 * has them: *any says whether one did.
 * @return false with *why if the run cannot go on */
static bool judge_core(const struct platform *platform, struct run *run, const struct options *all,
		       const char *inject, struct core *core, bool *any, struct reason *why)
{
	char own_inject[OPTION_TEXT_MAX];
	static struct options own; /* run_options points into these */
	static char events[SELECTION_EVENTS];
	const struct options *o = &own;

	core_options(all, core, &own);
	struct part part = {.run = run,
			    .o = o,
			    .why = why,
			    .inject = own_inject,
			    .courage = selection_is_first(o) ? COURAGE_READ : o->courage};

	core_injections(inject, core->number, own_inject);
	core_announce(&cores, core);
	progress_stage(platform, core->number, "choosing the PMU");
	errata_begin();
	bool chosen = run_part(core, &part, choose);
	if (chosen)
		event_files_read(platform, run, core->number);
	if (!chosen)
		return go_on_without(core, &part);
	if (!selection_suits(o, run->pmu, why)) {
		if (cores.several)
			report_note(why->line);
		return cores.several;
	}
	*any = true;
	if (o->list) {
		on_list += listing_events(run->pmu);
		return true;
	}
	selection_events(o, run->pmu, events);
	run_options.event_glob = events;
	report_out(platform, o, false);

	bool looked_around = false, kept = false;
	unsigned total = 0, before = (unsigned)(core - cores.core);
	while (suite_in_turn(run, o, total, &part.courage))
		total++;
	for (unsigned turn = 0; (part.suite = suite_in_turn(run, o, turn, &part.courage)); turn++) {
		if (part.suite->prepare)
			part.suite->prepare();
		if (selection_is_first(o) && part.courage > COURAGE_READ && !looked_around) {
			unsigned courage = part.courage;

			part.courage = COURAGE_READ;
			look_at_another(platform, core, &part);
			part.courage = courage;
			looked_around = true;
		}
		progress_suite(platform, core->number, part.suite->name, before * total + turn + 1,
			       cores.count * total);
		if (may_hang && !kept && !(kept = report_out_keep(platform, o))) {
			report_note("dangerous=yes is left out: nothing could keep the report if the machine "
				    "hung");
			break;
		}
		if (may_hang)
			progress_may_hang(platform, may_hang);
		bool ran = run_part(core, &part, run_one);
		if (!ran)
			return go_on_without(core, &part);
		if (may_hang) /* it came back */
			progress_stage(platform, core->number, "writing the report");
		report_out(platform, o, false);
	}
	part.courage = o->courage;
	progress_stage(platform, core->number, "looking what became of the PMU");
	bool looked = run_part(core, &part, look_for_rearming);
	return looked || go_on_without(core, &part);
}

static int status_of(const struct report_totals *totals)
{
	for (unsigned v = 0; v < VERDICT_COUNT; v++)
		if (totals->verdicts[v] && verdict_is_bad((enum verdict)v))
			return STATUS_WRONG;
	return STATUS_GOOD;
}

int assay_main(struct platform *platform)
{
	static struct options o;
	static struct experiments experiments;
	static char inject[OPTION_TEXT_MAX];
	struct option_error error;
	struct reason why = {0};

	begin_text(platform);
	kernels_unpack();

	bool good_options = config_gather(platform, &o, &experiments, &error);
	if (platform->terminal)
		platform->terminal->line = options_setting(&o, "serial");
	if (good_options && o.menu && !o.list && platform->terminal) {
		if (!menu_start(platform, &o, &experiments, &attended))
			return leave(platform, &o, STATUS_GOOD);
		if (platform->look_at_screen)
			platform->look_at_screen();
	}
	for (unsigned i = 0; machine_settings[i].name; i++)
		machine_set(machine_settings[i].name, o.setting[i]);
	pmu_allow_workarounds(o.workaround);
	const char *refusal = good_options ? NULL : error.text;
	if (o.list)
		strcpy(o.report, "none");
	bool brief = o.list && o.list != LIST_EVENTS; /* no PMU is needed */
	char cannot_go_on[PROGRESS_REASON];
	if (good_options && !selection_exists(&o, &why))
		refusal = why.line;
	else if (good_options && !brief && !begin_files(platform, &o, cannot_go_on))
		refusal = cannot_go_on;
	if (o.own && !o.list && !refusal && platform->own)
		refusal = platform->own();
	char machine_why[MACHINE_REASON];
	const char *no_machine = machine_init(&platform->boot, machine_why);
	if (no_machine || refusal)
		return could_not_run(platform, &o, no_machine ? no_machine : refusal);
	if (brief)
		return listed(platform, &o, listing(&o));
	char malformed[INJECTION_REASON];
	inject_join();
	if (!injections_apply(o.inject, inject, sizeof inject, malformed))
		return could_not_run(platform, &o, malformed);
	if (!measure_init())
		return could_not_run(
			platform, &o,
			"not enough memory to measure with; free memory or use a bigger machine");

	user_code_read(platform, &experiments);

	begin_report(platform, &o);
	if (o.own && !platform->boot.alone && !platform->own)
		report_note("own=full: there is no firmware here whose services could end");
	progress_tell();
	if (experiments.count && !glob_match(o.suite, "experiments"))
		report_note("assay.cfg has experiments, but suite= leaves the suite experiments out");

	run_options = (struct run_options){
		.kernel_glob = o.kernel,
		.event_glob = o.event,
		.check_glob = o.check,
		.suite_glob = o.suite,
		.scan = o.scan,
		.n = o.n,
		.reps = o.reps,
		.seed = o.seed,
		.inject = o.inject,
		.experiments = &experiments,
		.verbose = o.verbose,
	};
	static struct checks_asked checks = {.distance = GLOB_FAR};
	struct run run = {
		.options = &run_options,
		.checks = &checks,
		.call = judge_call,
		.step = judge_step,
		.report = judge_report,
		.value = judge_value,
		.detail = judge_detail,
		.fact = judge_fact,
		.share = judge_share,
		.attribution = judge_attribution,
		.erratum = judge_erratum,
	};

	report_out(platform, &o, false);
	progress_stage(platform, 0, "looking for processors");
	machine_take();
	bool good = cores_choose(&o, inject, &cores, &why);
	machine_give_back();
	bool any = false;
	for (unsigned i = 0; good && i < cores.count; i++)
		good = core_is_known(&o, inject, &cores.core[i], &why);
	for (unsigned i = 0; good && i < cores.count; i++)
		if (!cores.core[i].why[0]) {
			good = judge_core(platform, &run, &o, inject, &cores.core[i], &any, &why);
			event_files_forget(&run);
		}
	if (!good || !any)
		return could_not_run(platform, &o, why.line);
	if (o.list)
		return listed(platform, &o, on_list);
	why.line = NULL;
	if (checks.asked && !checks.matched)
		selection_no_check(&o, &checks, &why);
	else if (!given && !selection_identify_only(&o))
		selection_nothing(&o, &why);
	if (why.line)
		return could_not_run(platform, &o, why.line);
	report_end(true);
	report_out(platform, &o, true);
	char how[64];
	snprintf(how, sizeof how, "%u checks", report_totals()->checks);
	progress_end(platform, how);
	report_out_close(&o);
	report_out_show(platform, o.exit == EXIT_HALT && !platform->terminal);
	look_at_results(platform, &o);
	return leave(platform, &o, status_of(report_totals()));
}
