/*
 * The control logic of a PMU: enabling, filtering, wrapping, overflowing, interrupting, faulting, each by
 * itself on each counter. What cannot be had here is skipped, with the reason.
 */
#include "tests/suites/control.h"
#include "tests/suites/suites.h"
#include "tests/judge/hypervisor_exits.h"
#include "tests/judge/under_hypervisor.h"
#include "tests/judge/ladder.h"
#include "tests/measure/pass.h"
#include "tests/report/level_words.h"
#include "pmu/contract/manual.h"

#include "arch/courage.h"
#include "arch/levels.h"
#include "arch/register.h"
#include "arch/exceptions.h"
#include "pmu/events/grammar.h"
#include "pmu/contract/control.h"
#include "pmu/virtual/vpmu.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CONTROL_MS  5000
#define ACCESSES    64
#define NAME_LENGTH 96

char control_level_name[CONTROL_LEVEL_NAMES][48];
char control_line_name[CONTROL_LINE_NAMES][32];

void control_name_checks(void)
{
	const char *word = level_heading();
	char *others = control_level_name[CONTROL_OF_OTHERS];
	const size_t size = sizeof control_level_name[0];
	int n;

	snprintf(control_level_name[CONTROL_OF_HARNESS], size, "%s filter, %s", word, level_name(0));
	snprintf(control_level_name[CONTROL_OF_USER], size, "%s filter, %s", word, level_name(level_user()));
	n = snprintf(others, size, "%s filter, %ss", word, word);
	for (unsigned level = 1; level < level_user() && n < (int)size; level++)
		n += snprintf(others + n, size - (size_t)n, "%s %s", level == 1 ? "" : " and",
			      level_brief(level_name(level)));
	snprintf(control_line_name[CONTROL_MASKED], sizeof control_line_name[0], "%s masked", overflow_entry);
	snprintf(control_line_name[CONTROL_MASK_ON_DELIVERY], sizeof control_line_name[0],
		 "%s mask on delivery", overflow_entry);
}

static const char *manual_of(const struct run *run, const struct control_check *check)
{
	return pmu_manual(run->pmu, check->rests_on ? check->rests_on : check->name);
}

static const struct control_check *const tables[] = {control_counting, control_overflow,
						     control_instruction_set};

struct stepped {
	struct probe probe;
	const struct control_check *check;
	struct probe first; /* what the first try showed */
	struct intrusion_watch watch;
	unsigned tries;
	bool disturbed; /* an SMI came during each of them */
};

static void try_check(struct stepped *s)
{
	struct probe *p = &s->probe;
	const char *why;

	if (!must_work(p, "resetting", p->pmu->driver->reset(p->pmu, &why)))
		return;
	intrusion_watch_open(&s->watch, p->pmu->virtual);
	intrusion_watch_begin(&s->watch);
	if (s->check->needs & NEED_STATUS)
		p->stale = status_of(p);
	s->check->check(p);
	s->disturbed = intrusion_watch_end(&s->watch);
	intrusion_watch_close(&s->watch);
}

/* Where only time tells of SMIs, a failure is tried a second time: if that is quicker by more than an SMI
 * takes, the first try was broken into. */
static void try_against_the_clock(struct stepped *s, const struct probe *fresh)
{
	uint64_t took = s->watch.took;

	if (!s->probe.failed && !s->probe.refused)
		return;
	s->first = s->probe;
	s->probe = *fresh;
	try_check(s);
	s->tries++;
	if (took < s->watch.took || took - s->watch.took <= s->watch.gap)
		s->probe = s->first;
}

static void run_check(void *arg)
{
	struct stepped *s = arg;
	const struct probe fresh = s->probe;

	for (s->tries = 0; s->tries < INTRUSION_TRIES; s->tries++) {
		s->probe = fresh;
		s->disturbed = false;
		try_check(s);
		if (!s->disturbed)
			break;
	}
	s->tries += !s->disturbed;
	if (s->watch.source == INTRUSION_CLOCK)
		try_against_the_clock(s, &fresh);
}

static void run_reset(void *arg)
{
	const struct pmu *pmu = arg;
	const char *why;

	pmu->driver->reset(pmu, &why);
}

void probe_conclude(const struct probe *p, struct result *r)
{
	if (p->lacking && hypervisor_withholds(p->pmu, &r->judgement, p->lacking)) {
		return;
	} else if (p->left) {
		judgement_set(&r->judgement, VERDICT_SKIPPED, "%s", p->left);
	} else if (p->refused) {
		judgement_set(&r->judgement, VERDICT_WRONG, "%s was answered with a fault", p->refused);
	} else if (p->compared == 0) {
		judgement_set(&r->judgement, VERDICT_ERROR, "nothing was compared");
	} else {
		result_judge(r, CONTROL_N, (int64_t)p->expected, (int64_t)p->expected, (int64_t)p->observed);
		if (p->failed) {
			char what[96];

			snprintf(what, sizeof what, p->what, level_name(p->level));
			judgement_set(&r->judgement, VERDICT_WRONG, "%s %#" PRIx64 ", observed %#" PRIx64,
				      what, p->expected, p->observed);
		}
		if (p->bracket.own_readings)
			hypervisor_exits_excuse(
				&(struct hypervisor_exits_place){p->pmu, counter_yardstick(p->pmu, p->c),
								 p->kernel, &p->bracket,
								 (uint8_t)level_user(), true, false},
				r->observation, 1, &r->judgement);
	}
}

static void report(struct run *run, struct result *r)
{
	trap_set_context(NULL);
	run->report(run, r);
}

static const struct kernel *kernel_of(const struct run *run, unsigned c)
{
	return run->ladder ? run->ladder->kernel[c] : kernel_by_name("nop_loop");
}

/* Counters that reached a rung. */
static uint64_t usable(const struct run *run, enum rung rung)
{
	uint64_t mask = 0;

	for (unsigned c = 0; c < run->pmu->n_counters; c++)
		if (ladder_allows(run->ladder, c, rung) && counter_yardstick(run->pmu, c))
			mask |= counter_bit(c);
	return mask;
}

bool control_selected(const struct run *run, const char *name)
{
	return check_wanted(run, name);
}

static void tell_ticks(struct run *run, const struct probe *p, struct result *r)
{
	static const struct pmu *told;
	char text[128];

	judgement_set(&r->judgement, VERDICT_SKIPPED, "it counts the emulator's own time");
	snprintf(text, sizeof text,
		 "counters of cycles count the emulator's own time: one loop took %" PRIu64 " to %" PRIu64
		 " ticks",
		 p->ticks[0], p->ticks[1]);
	if (told != run->pmu)
		run->fact(run, "control", "clock rate", text);
	told = run->pmu;
}

static void carry_out(struct run *run, const struct control_check *check, unsigned c)
{
	static struct stepped s;
	const struct pmu_counter *counter = check->scope == PER_COUNTER ? &run->pmu->counter[c] : NULL;
	const struct pmu_event *e;
	char name[NAME_LENGTH];
	struct result r = {.suite = "control",
			   .name = name,
			   .manual = manual_of(run, check),
			   .virtual = run->pmu->virtual};
	bool done;

	snprintf(name, sizeof(name), "%s%s%s", check->name, counter ? "/" : "", counter ? counter->name : "");
	if (!control_selected(run, name))
		return;
	e = counter ? counter_yardstick(run->pmu, c) : NULL;
	r.counter = counter ? counter->name : NULL;
	r.event = e ? e->name : NULL;
	r.encoding = e ? e->code : 0;
	r.machine_model = e && r.virtual && event_is_micro(e);
	s = (struct stepped){.check = check};
	s.probe = (struct probe){
		.pmu = run->pmu,
		.c = c,
		.usable = usable(run, check->rung),
		.kernel = kernel_of(run, c),
	};
	r.kernel = s.probe.kernel->name;

	trap_set_context(name);
	if (check->needs & NEED_INTERRUPT)
		pmi_claim(&s.probe.pmi, run->pmu);
	done = run->call(run, run_check, &s, CONTROL_MS, &r);
	if (check->needs & NEED_INTERRUPT)
		pmi_unclaim();
	if (done)
		pass_count_samples(&s.watch, s.tries, s.tries - !s.disturbed);
	if (done && s.disturbed)
		judgement_set(&r.judgement, VERDICT_ERROR, "an SMI came during each of %u tries", s.tries);
	else if (done && s.probe.ticks[1] && !s.probe.failed)
		tell_ticks(run, &s.probe, &r);
	else if (done)
		probe_conclude(&s.probe, &r);
	report(run, &r);
}

static void skip(struct run *run, const char *name, const char *manual, const char *why)
{
	if (control_selected(run, name))
		run_skip(run, "control", name, manual, why);
}

static bool any_exact(const struct run *run, uint64_t counters)
{
	for (unsigned c = 0; c < run->pmu->n_counters; c++)
		if ((counters & counter_bit(c)) && counter_yardstick(run->pmu, c)->judgement == EVENT_EXACT)
			return true;
	return false;
}

static const char *interrupt_lacks(const struct pmu *pmu, const struct control_check *check)
{
	if (!(check->needs & NEED_INTERRUPT))
		return NULL;
	if (!pmu->has_pmi)
		return "the PMU has no overflow interrupt";
	return overflow_present(OVERFLOW_COUNTERS) ? NULL : overflow_absent;
}

/* What the whole PMU lacks for a check; NULL if nothing. */
static const char *pmu_lacks(const struct run *run, const struct control_check *check)
{
	const struct pmu *pmu = run->pmu;
	uint64_t counters;
	const char *lack;

	if ((check->needs & NEED_GLOBAL) && !pmu->has_global)
		return "the PMU has no global enable";
	if ((check->needs & NEED_LEVELS) && level_user() < 2)
		return "no level lies between the harness's and the user's";
	if ((check->needs & NEED_CASCADE) && !pmu->driver->cascade)
		return "no counter starts another";
	if (!(check->needs & NEED_NEIGHBOUR) && (check->scope != PER_PMU || !(check->needs & NEED_EXACT)))
		return interrupt_lacks(pmu, check);
	counters = usable(run, check->rung);
	if ((check->needs & NEED_NEIGHBOUR) && !(counters & (counters - 1)))
		return "there are no two counters to try it with";
	lack = interrupt_lacks(pmu, check);
	if (!lack && check->scope == PER_PMU && (check->needs & NEED_EXACT) && !any_exact(run, counters))
		return "no counter can count anything exactly";
	return lack;
}

static bool can_be_started(const struct run *run, unsigned c)
{
	struct pmu_config config = {0};

	for (unsigned from = 0; run->pmu->driver->cascade && from < run->pmu->n_counters; from++)
		if (from != c && run->pmu->driver->cascade(run->pmu, from, c, &config))
			return true;
	return false;
}

/* Whether the family has a check of the same name, in place of the general one. */
static bool brought_along(const struct run *run, const char *name)
{
	const struct pmu_control_check *own = run->pmu->driver->control;

	while (own && own->name && strcmp(own->name, name))
		own++;
	return own && own->name;
}

/* What a counter lacks for a check; NULL if nothing. */
static const char *counter_lacks(const struct run *run, const struct control_check *check, unsigned c)
{
	const struct pmu_counter *counter = &run->pmu->counter[c];
	const struct pmu_event *e = counter_yardstick(run->pmu, c);

	if (!e)
		return "no known event can be counted on it";
	if ((check->needs & NEED_STATUS) && !counter->has_status)
		return "it has no overflow status";
	if ((check->needs & NEED_INTERRUPT) && !counter->has_interrupt)
		return "it cannot interrupt";
	if ((check->needs & NEED_FILTER) &&
	    (counter->kind == COUNTER_FIXED || !event_field_limit(run->pmu, "cmask")))
		return "it has no such filter";
	if ((check->needs & NEED_EXACT) && e->judgement != EVENT_EXACT)
		return "what it counts is not known as a number";
	if ((check->needs & NEED_CLOCK) && e->judgement != EVENT_TIME)
		return "what it counts is no clock";
	if ((check->needs & NEED_CASCADE) && !can_be_started(run, c))
		return "no other counter's overflow can start it";
	return NULL;
}

static void run_on_counters(struct run *run, const struct control_check *check)
{
	char name[NAME_LENGTH];

	for (unsigned c = 0; c < run->pmu->n_counters; c++) {
		const char *lack;

		snprintf(name, sizeof(name), "%s/%s", check->name, run->pmu->counter[c].name);
		if (!ladder_allows(run->ladder, c, check->rung) || !control_selected(run, name))
			continue;
		lack = counter_lacks(run, check, c);
		if (lack)
			skip(run, name, manual_of(run, check), lack);
		else
			carry_out(run, check, c);
	}
}

static void run_one(struct run *run, const struct control_check *check)
{
	const char *lack = pmu_lacks(run, check);

	if (brought_along(run, check->name))
		return;
	if (lack)
		skip(run, check->name, manual_of(run, check), lack);
	else if (check->scope == PER_COUNTER)
		run_on_counters(run, check);
	else
		carry_out(run, check, 0);
}

/* Accesses that must fault, or must not, as the family lists them for this very CPU. */

struct accesses {
	struct run *run;
	const struct pmu *pmu;
	unsigned count;
	struct pmu_access access[ACCESSES];
	const char *left_out[ACCESSES]; /* why it is, NULL: it is not */
	bool faulted[ACCESSES];
	uint64_t expected[ACCESSES], read[ACCESSES]; /* ACCESS_KEPT, ACCESS_IGNORED */
};

static bool compares(const struct pmu_access *access)
{
	return access->kind == ACCESS_KEPT || access->kind == ACCESS_IGNORED;
}

static bool try(enum register_space space, const struct pmu_access *access, uint64_t *expected,
		uint64_t *value)
{
	switch (access->kind) {
	case ACCESS_READ:
		return register_read(space, access->address, value);
	case ACCESS_WRITE:
		return register_write(space, access->address, access->value);
	case ACCESS_SELECTOR:
		return register_read(SPACE_SELECTOR, access->address, value);
	default:
		if (!register_read(space, access->address, expected))
			return false;
		if (access->kind == ACCESS_KEPT)
			*expected = access->value;
		return register_write(space, access->address, access->value) &&
		       register_read(space, access->address, value);
	}
}

static void try_accesses(void *arg)
{
	struct accesses *a = arg;
	const char *why;

	/* Which ones there are depends on CPUID, and so on the CPU that this runs on. */
	a->pmu->driver->reset(a->pmu, &why);
	a->count = a->pmu->driver->accesses(a->pmu, a->access, ACCESSES);
	for (unsigned i = 0; i < a->count; i++) {
		a->left_out[i] = a->run->step ? a->run->step(a->run, i + 1) : NULL;
		if (!a->left_out[i])
			a->faulted[i] =
				!try(a->pmu->driver->space, &a->access[i], &a->expected[i], &a->read[i]);
	}
	if (a->run->step)
		a->run->step(a->run, 0);
	a->pmu->driver->reset(a->pmu, &why);
}

/* What did not fault though it must. A hypervisor that does not know a register has it read 0. */
static bool excused_in_a_guest(const struct pmu *pmu, const struct pmu_access *access, uint64_t read,
			       struct judgement *j)
{
	switch (access->faults) {
	case ACCESS_OF_NOTHING:
		return !read && hypervisor_answers(pmu, j);
	case ACCESS_FAULTS_ON_SILICON:
		return hypervisor_takes_reserved(pmu, j);
	default:
		return false;
	}
}

static void run_accesses(struct run *run)
{
	static struct accesses a;
	struct result r = {.suite = "control", .name = "accesses", .virtual = run->pmu->virtual};

	a = (struct accesses){.run = run, .pmu = run->pmu};
	if (courage_level() < COURAGE_ALL) {
		skip(run, "accesses", NULL, "they write what no level below courage=3 has a list for");
		return;
	}
	if (!run->pmu->driver->accesses) {
		skip(run, "accesses", NULL, "the driver lists none");
		return;
	}
	trap_set_context("accesses that must fault, or must not");
	if (!run->call(run, try_accesses, &a, CONTROL_MS, &r)) {
		report(run, &r);
		return;
	}
	for (unsigned i = 0; i < a.count; i++) {
		const struct pmu_access *access = &a.access[i];
		char name[NAME_LENGTH];

		snprintf(name, sizeof(name), "access/%s", access->name);
		if (!control_selected(run, name))
			continue;
		r = (struct result){.suite = "control",
				    .name = name,
				    .manual = access->manual,
				    .virtual = run->pmu->virtual};
		if (a.left_out[i]) {
			judgement_set(&r.judgement, VERDICT_ERROR, "%s", a.left_out[i]);
			report(run, &r);
			continue;
		}
		bool compared = compares(access) && !a.faulted[i];
		int64_t expected = compared ? (int64_t)a.expected[i] : access->faults != ACCESS_WORKS;

		result_judge(&r, 0, expected, expected, compared ? (int64_t)a.read[i] : a.faulted[i]);
		if (compared && verdict_is_bad(r.judgement.verdict))
			judgement_set(&r.judgement, VERDICT_WRONG, "must read %#" PRIx64 ", reads %#" PRIx64,
				      a.expected[i], a.read[i]);
		else if (verdict_is_bad(r.judgement.verdict) &&
			 !excused_in_a_guest(run->pmu, access, a.read[i], &r.judgement))
			judgement_set(&r.judgement, VERDICT_WRONG,
				      access->faults ? "must raise " REGISTER_REFUSAL " and does not"
						     : "raises " REGISTER_REFUSAL " and must not");
		report(run, &r);
	}
}

/* What registers hold after power-up: on silicon firmware comes in between. */

#define POWER_UPS 8

struct power_ups {
	const struct pmu *pmu;
	unsigned count;
	struct pmu_power_up expected[POWER_UPS];
	bool readable[POWER_UPS];
	uint64_t value[POWER_UPS];
};

static void read_power_ups(void *arg)
{
	struct power_ups *p = arg;

	p->count = p->pmu->driver->power_up(p->pmu, p->expected, POWER_UPS);
	for (unsigned i = 0; i < p->count; i++)
		p->readable[i] = register_read(p->pmu->driver->space, p->expected[i].address, &p->value[i]);
}

static void run_power_up(struct run *run)
{
	static struct power_ups p;
	struct result r = {.suite = "control", .name = "power-up", .virtual = run->pmu->virtual};

	if (!run->pmu->driver->power_up)
		return;
	if (!run->pmu->virtual) {
		skip(run, "power-up", NULL, "firmware may have written to what is judged");
		return;
	}
	p = (struct power_ups){.pmu = run->pmu};
	trap_set_context("registers after power-up");
	vpmu_power_up();
	if (!run->call(run, read_power_ups, &p, CONTROL_MS, &r)) {
		report(run, &r);
		return;
	}
	for (unsigned i = 0; i < p.count; i++) {
		char name[NAME_LENGTH];

		snprintf(name, sizeof(name), "power-up/%s", p.expected[i].name);
		if (!control_selected(run, name))
			continue;
		r = (struct result){
			.suite = "control", .name = name, .manual = p.expected[i].manual, .virtual = true};
		result_judge(&r, 0, (int64_t)p.expected[i].value, (int64_t)p.expected[i].value,
			     (int64_t)p.value[i]);
		if (!p.readable[i])
			judgement_set(&r.judgement, VERDICT_WRONG, "reading it raises " REGISTER_REFUSAL);
		report(run, &r);
	}
}

struct cut_short {
	struct pmu *pmu;
	const struct pmu_event *event;
	unsigned counter;
	uint64_t moved;
};

static void leave_it_counting(void *arg)
{
	struct cut_short *c = arg;
	struct pmu_config config = {.code = c->event->code, .levels = LEVELS_ALL};

	if (c->pmu->driver->program(c->pmu, c->counter, &config) &&
	    c->pmu->driver->write(c->pmu, c->counter, 1))
		c->pmu->driver->start(c->pmu, UINT64_C(1) << c->counter);
	trap_abort(TRAP_NONE);
}

static void look_whether_it_counts(void *arg)
{
	struct cut_short *c = arg;
	uint64_t before = 0, after = 0;

	if (c->pmu->driver->read(c->pmu, c->counter, &before) &&
	    c->pmu->driver->read(c->pmu, c->counter, &after))
		c->moved = before | after;
}

/* A check that ends in a fault, or by the watchdog, leaves no counter running and none written. */
static void run_cut_short(struct run *run)
{
	struct cut_short c = {.pmu = run->pmu, .moved = UINT64_MAX};
	struct result r = {.suite = "control", .name = "cut short", .virtual = run->pmu->virtual};

	while (c.counter < run->pmu->n_counters && !ladder_allows(run->ladder, c.counter, RUNG_EXACT_ON_NOPS))
		c.counter++;
	c.event = c.counter < run->pmu->n_counters ? counter_yardstick(run->pmu, c.counter) : NULL;
	if (!c.event || !control_selected(run, r.name))
		return;
	r.event = c.event->name;
	r.counter = run->pmu->counter[c.counter].name;
	run->call(run, leave_it_counting, &c, CONTROL_MS, NULL);
	run->call(run, look_whether_it_counts, &c, CONTROL_MS, NULL);
	result_judge(&r, 0, 0, 0, (int64_t)c.moved);
	report(run, &r);
}

static void run_control(struct run *run)
{
	control_name_checks();
	if (!run->pmu) {
		skip(run, "control", NULL, "there is no PMU");
		return;
	}
	if (!kernel_of(run, 0))
		skip(run, "counting", NULL,
		     run->pmu->n_counters ? "no kernel to try counters with has a signature that holds"
					  : "this PMU has no counters");
	for (unsigned t = 0; kernel_of(run, 0) && t < sizeof(tables) / sizeof(tables[0]); t++)
		for (const struct control_check *check = tables[t]; check->name; check++)
			run_one(run, check);
	if (kernel_of(run, 0))
		control_of_the_family(run);
	run_accesses(run);
	run_power_up(run);
	run_cut_short(run);
	run->call(run, run_reset, run->pmu, CONTROL_MS, NULL);
}

const struct suite suite_control = {
	"control", "control logic: enabling, filtering, wrapping, overflow, faults", run_control, NULL};
