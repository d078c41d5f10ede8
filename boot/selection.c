#include "boot/selection.h"

#include "pmu/text.h"
#include "tests/check.h"
#include "tests/kernels/kernel.h"

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

bool selection_has_events(const struct options *o, const struct pmu *pmu, const char **why)
{
	*why = text;
	return !pmu || !strcmp(o->event, "arch") || each_matches("event", o->event, event_name, pmu);
}
