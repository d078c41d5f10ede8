#include "boot/pmu_choice.h"
#include "boot/selection.h"

#include "arch/courage.h"
#include "arch/identity.h"
#include "arch/processors.h"
#include "pmu/contract/family.h"
#include "pmu/contract/model.h"
#include "pmu/contract/record.h"
#include "pmu/contract/workaround.h"
#include "pmu/events/text.h"
#include "pmu/virtual/vpmu.h"
#include "tests/judge/ladder.h"
#include "tests/report/report.h"
#include "tests/measure/virtual.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pmu machine;   /* the machine's own; .driver NULL: none that a driver fits */
static struct pmu simulated; /* a virtual one */
static struct ladder ladder;
#define SNAPSHOT_MS 5000

static void note(const char *format, const char *a, const char *b)
{
	char line[384];

	snprintf(line, sizeof line, format, a, b);
	report_note(line);
}

struct look {
	const struct pmu *pmu;
	struct pmu_snapshot snapshot;
};

static void take_snapshot(void *arg)
{
	struct look *look = arg;

	look->pmu->driver->snapshot(look->pmu, &look->snapshot);
}

static void tell_running(const struct pmu_snapshot *snapshot, const char *who)
{
	for (unsigned i = 0; i < snapshot->count; i++)
		if (snapshot->entry[i].enable)
			note("%s %s", who, snapshot->entry[i].name);
}

static struct look look;

/* Registers of the virtual PMU, as its model has them after reset. */
static void look_at_virtual_registers(struct run *run)
{
	look = (struct look){.pmu = run->pmu};
	if (run->call(run, take_snapshot, &look, SNAPSHOT_MS, NULL))
		report_snapshot(&look.snapshot, run->pmu->driver->fields, true);
}

/* Report the machine's PMU registers as they are, and each counter that runs. */
static void look_at_registers(const char *who, bool print)
{
	static struct pmu_snapshot snapshot;

	memset(&snapshot, 0, sizeof snapshot);
	machine.driver->snapshot(&machine, &snapshot);
	report_snapshot(&snapshot, machine.driver->fields, print);
	tell_running(&snapshot, who);
}

static void tell_remarks(const struct pmu *p)
{
	for (unsigned i = 0; i < PMU_REMARKS && *p->remark[i]; i++)
		note("%s%s", p->remark[i], "");
}

/* What identify() found that a level of courage may take away for a while. */
static struct {
	bool pmi;
	uint64_t interrupts; /* a bit for each counter */
} offered;

static void note_offer(const struct pmu *p)
{
	offered.pmi = p->has_pmi;
	offered.interrupts = 0;
	for (unsigned c = 0; c < p->n_counters; c++)
		offered.interrupts |= (uint64_t)p->counter[c].has_interrupt << c;
}

/* The revision of what was loaded into the processor that executes this; 0: it is not known. */
static uint32_t loaded(void)
{
	static struct identity_pair pair[IDENTITY_PAIRS];
	unsigned n = identity_read(pair, IDENTITY_PAIRS), i = 0;

	while (i < n && !pair[i].loaded)
		i++;
	return i < n ? (uint32_t)strtoul(pair[i].value, NULL, 0) : 0;
}

static bool choose_machine(struct run *run, const struct options *o, const char *driver, struct reason *why)
{
	if (!pmu_find(driver, &machine, &why->line)) {
		machine.driver = NULL;
		return false;
	}
	machine.loaded = loaded();
	machine.driver->list_events(&machine);
	pmu_choose_workarounds(&machine);
	look_at_registers("firmware left a counter running:", o->registers);
	run->pmu = &machine;
	report_pmu(&machine, identity_details);
	tell_remarks(&machine);
	run->ladder = &ladder;
	note_offer(&machine);
	pmu_be_courageous(run, courage_level());
	return true;
}

static bool no_such_profile(const char *name, struct reason *why)
{
	const char *nearest = NULL;
	unsigned distance = GLOB_FAR;

	for (unsigned i = 0; model_profile(i); i++)
		if (glob_nearer(name, model_profile(i)->name, &distance))
			nearest = model_profile(i)->name;
	if (nearest)
		return reason_give(why, "pmu=virtual:%.40s: no such profile: did you mean %s?", name,
				   nearest);
	reason_give(why, "pmu=virtual:%.40s: no such profile; there are", name);
	for (unsigned i = 0; model_profile(i); i++)
		if (!text_list_add(why->text, sizeof why->text, model_profile(i)->name, i == 0))
			break;
	return false;
}

struct records {
	const struct pmu *pmu;
	const struct pmu_record_source *source;
	unsigned n;
};

static void find_records(void *arg)
{
	struct records *r = arg;

	r->n = record_sources(r->pmu, &r->source);
}

/* A PMU that has no counter to believe may record all the same. @return whether it does; that is noted */
static bool only_records(struct run *run)
{
	struct records r = {.pmu = run->pmu};
	char names[200] = "";

	if (run->pmu->n_counters || !run->call(run, find_records, &r, SNAPSHOT_MS, NULL) || !r.n)
		return false;
	for (unsigned i = 0; i < r.n; i++)
		if (!text_list_add(names, sizeof names, r.source[i].name, i == 0))
			break;
	note("%s has no counters: what it records is judged:%s", run->pmu->name, names);
	return true;
}

void pmu_be_courageous(struct run *run, unsigned level)
{
	pmu_allow_registers(run->pmu);
	courage_set(level);
	if (!run->pmu)
		return;
	bool may = level >= COURAGE_INTERRUPT;

	run->pmu->counts_only = !may;
	run->pmu->has_pmi = may && offered.pmi;
	for (unsigned c = 0; c < run->pmu->n_counters; c++)
		run->pmu->counter[c].has_interrupt = may && offered.interrupts >> c & 1;
}

static enum ladder_outcome climb(struct run *run)
{
	enum ladder_outcome outcome;

	if (run->pmu->n_counters)
		report_suite_begin("ladder", "how far each counter can be believed");
	outcome = ladder_climb(run, &ladder);
	report_suite_end();
	return outcome;
}

static bool choose_virtual(struct run *run, const struct options *o, const char *profile, const char *inject,
			   struct reason *why)
{
	if (!virtual_pmu_create(run, &simulated, profile, inject, why))
		return false;
	report_pmu(&simulated, vpmu_identity_details);
	tell_remarks(&simulated);
	if (o->registers)
		look_at_virtual_registers(run);
	run->ladder = &ladder;
	note_offer(&simulated);
	pmu_be_courageous(run, courage_level());
	if (selection_is_first(o))
		ladder_trust(&ladder);
	else if (!selection_identify_only(o)) {
		only_records(run);
		climb(run);
	}
	return true;
}

/* Injections are switches of a model. */
static bool nothing_to_inject(const char *inject, struct reason *why)
{
	why->line = "inject= changes what a model does, but a real PMU would be judged; add pmu=virtual";
	return !*inject;
}

/* Say which PMU there is, or for each driver why it does not fit. No register is written but what telling
 * them apart takes. */
static bool identify_only(struct run *run, const struct options *o, struct reason *why)
{
	bool any = !strcmp(o->pmu, "auto");

	if (choose_machine(run, o, any ? NULL : o->pmu, why))
		return true;
	if (any)
		note("this CPU has no PMU that a driver knows (%s)%s", why->line, "");
	return any;
}

/* On hardware a virtual PMU is judged only if it is asked for: else its verdicts would pass for the
 * machine's. */
static bool no_pmu_here(struct reason *why)
{
	return reason_give(
		why, "this CPU has no PMU that a driver knows (%.600s); pmu=virtual judges a virtual one",
		why->line);
}

const char *pmu_virtual_profile(const struct options *o)
{
	static const char prefix[] = "virtual";
	const char *profile = o->pmu + sizeof prefix - 1;

	if (strncmp(o->pmu, prefix, sizeof prefix - 1))
		return NULL;
	return *profile == ':' ? profile + 1 : pmu_default_profile();
}

bool pmu_is_known(const struct options *o, const char *inject, struct reason *why)
{
	const char *profile = pmu_virtual_profile(o);

	if (profile && !model_profile_by_name(profile))
		return no_such_profile(profile, why);
	return !profile || vpmu_knows(profile, inject, why);
}

bool pmu_choose(struct run *run, const struct options *o, const char *inject, struct reason *why)
{
	const char *profile = pmu_virtual_profile(o);

	machine.driver = NULL;
	vpmu_forget();
	run->pmu = NULL;
	run->ladder = NULL;
	if (profile)
		return choose_virtual(run, o, profile, inject, why);
	if (selection_identify_only(o))
		return identify_only(run, o, why);
	if (strcmp(o->pmu, "auto")) {
		if (!choose_machine(run, o, o->pmu, why) || !nothing_to_inject(inject, why))
			return false;
		if (selection_is_first(o)) {
			ladder_trust(&ladder);
			return true;
		}
		only_records(run);
		climb(run);
		return true;
	}
	if (!choose_machine(run, o, NULL, why)) {
		if (!identity_emulated())
			return no_pmu_here(why);
		note("this CPU has no PMU that a driver knows: the virtual PMU %s is judged (%s)",
		     pmu_default_profile(), why->line);
	} else if (selection_is_first(o)) {
		ladder_trust(&ladder);
		return nothing_to_inject(inject, why);
	} else {
		bool records = only_records(run);
		enum ladder_outcome outcome = climb(run);

		if (records || (outcome != LADDER_DEAD && outcome != LADDER_NONE))
			return nothing_to_inject(inject, why);
		if (!identity_emulated()) {
			note("%s%s: nothing can be judged by it; pmu=virtual judges a virtual one",
			     machine.name,
			     outcome == LADDER_DEAD ? " never ticks" : " neither counts nor records");
			return nothing_to_inject(inject, why);
		}
		note(outcome == LADDER_DEAD
			     ? "%s never ticks: the virtual PMU %s is judged in its place"
			     : "%s neither counts nor records: the virtual PMU %s is judged in its "
			       "place",
		     machine.name, pmu_default_profile());
	}
	return choose_virtual(run, o, pmu_default_profile(), inject, why);
}

void pmu_climb(struct run *run)
{
	if (!run->pmu)
		return;
	only_records(run);
	ladder_climb(run, &ladder);
}

void pmu_tell_registers(struct run *run)
{
	char name[40];
	struct result r = {.suite = "snapshot", .name = name};

	snprintf(name, sizeof name, "read/processor %u", processor_current());

	look = (struct look){.pmu = run->pmu};
	if (run->pmu && run->call(run, take_snapshot, &look, SNAPSHOT_MS, &r)) {
		report_snapshot(&look.snapshot, run->pmu->driver->fields, false);
		tell_running(&look.snapshot, "firmware left a counter running:");
		r.judgement.verdict = VERDICT_EXACT;
	}
	run->report(run, &r);
}

void pmu_switch_off(void)
{
	const char *why;

	/* It is read alone: whatever runs is firmware's. */
	if (courage_level() == COURAGE_READ)
		return;
	if (machine.driver && !machine.driver->reset(&machine, &why))
		note("the PMU could not be switched off: %s%s", why, "");
}

static void switch_off_and_look(void *arg)
{
	struct look *l = arg;
	const char *why;

	l->pmu->driver->reset(l->pmu, &why);
	take_snapshot(l);
}

#define ARMED "firmware armed a counter again:"

void pmu_look_for_rearming(struct run *run)
{
	if (machine.driver)
		look_at_registers(ARMED, false);
	if (!run->pmu || !run->pmu->virtual)
		return;
	look = (struct look){.pmu = run->pmu};
	if (run->call(run, switch_off_and_look, &look, SNAPSHOT_MS, NULL))
		tell_running(&look.snapshot, ARMED);
}
