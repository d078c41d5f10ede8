#include "boot/selection.h"

#include "pmu/events/text.h"
#include "tests/judge/check.h"
#include "tests/kernels/kernel.h"
#include "tests/suites/scan.h"
#include "tests/suites/suites.h"

#include <stdio.h>
#include <string.h>

static char text[220]; /* fits a line of the console */

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

static bool each_matches(const char *option, const char *globs, name_of *name, const void *from)
{
	char glob[OPTION_TEXT_MAX];

	for (const char *p = globs; *p;) {
		size_t length = strcspn(p, ",");
		unsigned i = 0;

		snprintf(glob, sizeof glob, "%.*s", (int)length, p);
		while (name(from, i) && !glob_match(glob, name(from, i)))
			i++;
		if (!name(from, i)) {
			snprintf(text, sizeof text, "%s=%.40s matches none of", option, glob);
			for (i = 0; name(from, i) && text_list_add(text, sizeof text, name(from, i), i == 0);)
				i++;
			return false;
		}
		p += length + (p[length] == ',');
	}
	return true;
}

bool selection_identify_only(const struct options *o)
{
	return !strcmp(o->suite, "none");
}

bool selection_exists(const struct options *o, const char **why)
{
	*why = text;
	return (selection_identify_only(o) || each_matches("suite", o->suite, suite_name, NULL)) &&
	       (!strcmp(o->kernel, "core") || !strcmp(o->kernel, "full") ||
		each_matches("kernel", o->kernel, kernel_name, NULL));
}

bool selection_runs(const struct options *o, const struct suite *suite)
{
	if (suite != &suite_scan)
		return glob_match(o->suite, suite->name);
	return !selection_identify_only(o) && (*o->scan || glob_names(o->suite, suite->name));
}

bool selection_suits(const struct options *o, const struct pmu *pmu, const char **why)
{
	*why = text;
	if (pmu && !scan_fits(pmu, o->scan)) {
		snprintf(text, sizeof text,
			 "scan=%s: event selects of this PMU end with %x, unit masks with %x", o->scan,
			 scan_most_select(pmu), scan_most_mask(pmu));
		return false;
	}
	return !pmu || !strcmp(o->event, "arch") || each_matches("event", o->event, event_name, pmu);
}

const char *selection_no_check(const struct options *o)
{
	snprintf(text, sizeof text, "check=%.80s matches none of the checks that the suites have", o->check);
	return text;
}

const char *selection_nothing(const struct options *o)
{
	snprintf(text, sizeof text,
		 "nothing was judged: kernel=%.40s and event=%.40s leave suite=%.40s nothing to do on this "
		 "PMU",
		 o->kernel, o->event, o->suite);
	return text;
}
