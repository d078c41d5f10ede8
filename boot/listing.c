#include "boot/listing.h"
#include "boot/first.h"
#include "boot/pmu_choice.h"

#include "arch/console.h"
#include "pmu/contract/family.h"
#include "tests/measure/virtual.h"
#include "tests/judge/check.h"
#include "tests/kernels/kernel.h"
#include "tests/measure/inject.h"

#include <stdio.h>
#include <string.h>

#define WIDTH  80
#define COLUMN 24 /* where what is said of an item begins */

const char *listing_name(const struct options *o)
{
	static const char *const names[] = {"nothing", "suites",     "kernels",
					    "events",  "injections", "options"};

	return names[o->list];
}

/* A name, and beside it a text that is broken between words. */
static void item(const char *name, const char *text)
{
	size_t room = WIDTH - COLUMN - 1;

	console_text("  %-*s ", COLUMN - 3, name);
	if (strlen(name) > COLUMN - 3)
		console_text("\n%*s", COLUMN, "");
	while (strlen(text) > room) {
		size_t n = room;

		while (n && text[n] != ' ')
			n--;
		if (!n)
			break; /* a word that fits nowhere */
		console_text("%.*s\n%*s", (int)n, text, COLUMN, "");
		text += n + 1;
	}
	console_text("%s\n", text);
}

static unsigned list_suites(void)
{
	unsigned n = 0;

	for (; suites[n]; n++)
		item(suites[n]->name, suites[n]->title);
	item("first", first_title);
	return n + 1;
}

static unsigned list_kernels(void)
{
	for (const struct kernel *k = kernels_begin; k < kernels_end; k++)
		item(k->name, k->flags & KERNEL_CORE    ? "core"
			      : k->flags & KERNEL_FINER ? "with full alone"
							: "");
	return (unsigned)(kernels_end - kernels_begin);
}

static unsigned list_injections(const struct options *o)
{
	const char *profile = pmu_virtual_profile(o);
	const struct model_profile *p = model_profile_by_name(profile ? profile : pmu_default_profile());
	struct injection injection;
	unsigned n = 0;

	for (inject_join(); injection_at(p ? p->model : NULL, n, &injection); n++)
		item(injection.name, injection.summary);
	return n;
}

static unsigned list_options(void)
{
	unsigned n = 0;

	for (const struct option_row *r = option_rows(); r->name; r++, n++) {
		char text[512];

		snprintf(text, sizeof text, "%s%s%s; default %s", r->help, r->choices ? ": " : "",
			 r->choices ? r->choices : "", r->initial && *r->initial ? r->initial : "(empty)");
		item(r->name, text);
	}
	return n;
}

unsigned listing(const struct options *o)
{
	switch (o->list) {
	case LIST_SUITES:
		return list_suites();
	case LIST_KERNELS:
		return list_kernels();
	case LIST_INJECTIONS:
		return list_injections(o);
	default:
		return list_options();
	}
}

unsigned listing_events(const struct pmu *pmu)
{
	unsigned n = pmu ? pmu->n_events + pmu->n_unexplained : 0;

	if (n)
		console_text("events of %s\n", pmu->name);
	for (unsigned i = 0; i < n; i++) {
		const struct pmu_event *e = pmu->events[i];

		console_text("  %s%s\n", e->name, e->flags & EVENT_OF_CORE ? "" : " (arch)");
	}
	return n;
}
