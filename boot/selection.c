#include "boot/selection.h"

#include "pmu/events/grammar.h"
#include "pmu/events/text.h"
#include "tests/judge/check.h"
#include "tests/kernels/kernel.h"
#include "tests/suites/research/scan.h"
#include "tests/suites/suites.h"

#include <stdio.h>
#include <string.h>

#define LIST_TEXT 220 /* fits a line of the console */

/* The i-th of the things that can be selected, NULL behind the last. */
typedef const char *name_of(const void *from, unsigned i);

static const char *suite_name(const void *from, unsigned i)
{
	(void)from;
	return suites[i] ? suites[i]->name : NULL;
}

static const char *kernel_name(const void *from, unsigned i)
{
	(void)from;
	return i < (size_t)(kernels_end - kernels_begin) ? kernels_begin[i].name : NULL;
}

static const char *event_name(const void *from, unsigned i)
{
	const struct pmu *pmu = from;

	return i < pmu->n_events + pmu->n_unexplained ? pmu->events[i]->name : NULL;
}

/* What can be selected by an option. */
struct choice {
	const char *option; /* list=OPTIONs tells them all */
	const char *words;  /* globs that stand for more than a name */
	name_of *name;
	const void *from;
};

/* That a glob matches nothing: with the name that was probably meant, or with the first ones of all. */
static bool tell_none(const struct choice *c, const char *glob, struct reason *why)
{
	const char *nearest = NULL, *name;
	unsigned distance = GLOB_FAR;

	for (unsigned i = 0; (name = c->name(c->from, i)); i++)
		if (glob_nearer(glob, name, &distance))
			nearest = name;
	if (nearest)
		return reason_give(
			why, "%s=%.60s matches none of the %ss: did you mean %s? (list=%ss has them all)",
			c->option, glob, c->option, nearest, c->option);
	reason_give(why, "%s=%.60s matches none of", c->option, glob);
	for (unsigned i = 0; c->name(c->from, i); i++)
		if (!text_list_add(why->text, LIST_TEXT, c->name(c->from, i), i == 0))
			break;
	text_append(why->text, sizeof why->text, strlen(why->text), " (list=%ss has them all)", c->option);
	return false;
}

static bool matches(const struct choice *c, const char *glob)
{
	if (c->words && glob_has(c->words, glob))
		return true;
	for (unsigned i = 0; c->name(c->from, i); i++)
		if (glob_match(glob, c->name(c->from, i)))
			return true;
	return false;
}

/* The next of several globs. @return what follows it; NULL: there is none */
static const char *next_glob(const char *globs, char glob[OPTION_TEXT_MAX])
{
	size_t length = strcspn(globs, ",");

	if (!*globs)
		return NULL;
	snprintf(glob, OPTION_TEXT_MAX, "%.*s", (int)length, globs);
	return globs + length + (globs[length] == ',');
}

static bool each_matches(const struct choice *c, const char *globs, struct reason *why)
{
	char glob[OPTION_TEXT_MAX];

	while ((globs = next_glob(globs, glob)))
		if (!matches(c, glob))
			return tell_none(c, glob, why);
	return true;
}

bool selection_identify_only(const struct options *o)
{
	return !strcmp(o->suite, "none");
}

bool selection_is_first(const struct options *o)
{
	return !strcmp(o->suite, "first");
}

bool selection_exists(const struct options *o, struct reason *why)
{
	static const struct choice of_suites = {"suite", "research", suite_name, NULL};
	static const struct choice of_kernels = {"kernel", "core,full", kernel_name, NULL};

	return (selection_identify_only(o) || selection_is_first(o) ||
		each_matches(&of_suites, o->suite, why)) &&
	       each_matches(&of_kernels, o->kernel, why);
}

bool selection_runs(const struct options *o, const struct suite *suite)
{
	if (suite == &suite_errata) /* what it carries out is other suites' */
		return glob_names(o->suite, suite->name);
	if (!suite_is_research(suite))
		return glob_match(o->suite, suite->name);
	return !selection_identify_only(o) &&
	       (glob_names(o->suite, suite->name) || glob_has(o->suite, "research") ||
		(suite == &suite_scan && *o->scan));
}

/* The row that another name of it asks for, such as the vendor's own; NULL: none does, or it asks for more
 * than the row. */
static const char *row_of(const struct pmu *pmu, const char *name)
{
	struct event_request request;
	char whole[OPTION_TEXT_MAX];

	if (strpbrk(name, "*?") || event_parse(pmu, name, &request, 1, NULL) != 1 || !request.event)
		return NULL;
	event_format(pmu, &request, whole, sizeof whole);
	const char *bare = strstr(whole, "::");
	return bare && !strcmp(bare + 2, request.event->name) && !request.counter ? request.event->name
										  : NULL;
}

void selection_events(const struct options *o, const struct pmu *pmu, char globs[SELECTION_EVENTS])
{
	struct choice c = {"event", "arch", event_name, pmu};
	const char *rest = o->event;
	char glob[OPTION_TEXT_MAX];
	size_t used = 0;

	if (!pmu)
		used = text_append(globs, SELECTION_EVENTS, 0, "%s", rest);
	globs[used] = 0;
	while (pmu && (rest = next_glob(rest, glob))) {
		const char *row = matches(&c, glob) ? NULL : row_of(pmu, glob);

		used = text_append(globs, SELECTION_EVENTS, used, "%s%s", used ? "," : "", row ? row : glob);
	}
}

bool selection_suits(const struct options *o, const struct pmu *pmu, struct reason *why)
{
	struct choice of_events = {"event", "arch", event_name, pmu};

	char globs[SELECTION_EVENTS];

	if (!pmu)
		return true;
	if (!scan_fits(pmu, o->scan))
		return reason_give(why, "scan=%s: event selects of this PMU end with %x, unit masks with %x",
				   o->scan, scan_most_select(pmu), scan_most_mask(pmu));
	selection_events(o, pmu, globs);
	return each_matches(&of_events, globs, why);
}

void selection_no_check(const struct options *o, const struct checks_asked *asked, struct reason *why)
{
	reason_give(why, "check=%.60s matches none of the checks that the suites have%s%s%s", o->check,
		    *asked->nearest ? ": did you mean " : "", asked->nearest, *asked->nearest ? "?" : "");
}

void selection_nothing(const struct options *o, struct reason *why)
{
	reason_give(why,
		    "nothing was judged: kernel=%.40s and event=%.40s leave suite=%.40s nothing to do on "
		    "this PMU",
		    o->kernel, o->event, o->suite);
}
