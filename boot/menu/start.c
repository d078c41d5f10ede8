#include "boot/menu/start.h"
#include "boot/menu/list.h"
#include "boot/menu/page.h"
#include "boot/menu/save.h"
#include "boot/menu/widgets.h"
#include "build_id.h"

#include "arch/identity.h"
#include "tests/judge/check.h"
#include "tests/kernels/kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TICKS_PER_SECOND (1000 / TERMINAL_TICK_MS)

struct start {
	const struct platform *platform;
	struct options *o;
	const struct experiments *experiments;
	char heading[128];
	char setting[48]; /* "name=value", of the one that is drawn */
};

enum answer { STAY, RUN, LEAVE };

/* One line of the menu. */
struct entry {
	const char *name, *help;
	enum answer (*act)(struct start *s);
	/** What is chosen now, beside the name; may be NULL. */
	void (*now)(const struct start *s, char *out, size_t size);
	const char *suite; /* only if there is a suite of this name */
};

static void set(char out[OPTION_TEXT_MAX], const char *text)
{
	snprintf(out, OPTION_TEXT_MAX, "%s", text);
}

static void narrow(struct start *s, const char *suite, const char *kernel, const char *event)
{
	set(s->o->suite, suite);
	set(s->o->kernel, kernel);
	set(s->o->event, event);
}

static enum answer run_as_it_is(struct start *s)
{
	(void)s;
	return RUN;
}

static void now_selection(const struct start *s, char *out, size_t size)
{
	snprintf(out, size, "suite=%s kernel=%s event=%s", s->o->suite, s->o->kernel, s->o->event);
}

static enum answer run_all(struct start *s)
{
	narrow(s, "all", "all", "*");
	set(s->o->check, "*");
	return RUN;
}

static enum answer run_suite_first(struct start *s)
{
	set(s->o->suite, "first");
	return RUN;
}

static enum answer run_errata(struct start *s)
{
	set(s->o->suite, "errata");
	return RUN;
}

static bool suite_item(void *from, unsigned i, const char **name, const char **text)
{
	(void)from;
	*name = suites[i] ? suites[i]->name : NULL;
	*text = suites[i] ? suites[i]->title : NULL;
	return suites[i];
}

static enum answer choose_suites(struct start *s)
{
	bool on[WIDGET_SWITCHES] = {false};
	char joined[OPTION_TEXT_MAX] = "";
	size_t used = 0;

	for (unsigned i = 0; suites[i] && i < WIDGET_SWITCHES; i++)
		on[i] = glob_match(s->o->suite, suites[i]->name);
	if (!widget_switches(s->heading, suite_item, NULL, on))
		return STAY;
	for (unsigned i = 0; suites[i] && i < WIDGET_SWITCHES && used < sizeof joined; i++)
		if (on[i])
			used += (size_t)snprintf(joined + used, sizeof joined - used, "%s%s", used ? "," : "",
						 suites[i]->name);
	if (!used || used >= sizeof joined)
		widget_tell(s->heading, used ? "These are too many names: choose fewer, or Run everything."
					     : "No suite is switched on: those that were chosen stay.");
	else
		set(s->o->suite, joined);
	return STAY;
}

static void now_suites(const struct start *s, char *out, size_t size)
{
	snprintf(out, size, "%s", s->o->suite);
}

static enum answer one_event(struct start *s)
{
	char event[OPTION_TEXT_MAX] = "";

	if (strcmp(s->o->event, "arch"))
		set(event, s->o->event);
	if (!widget_edit(s->heading,
			 "The event that is to be counted over all kernels, by its own name or the vendor's, "
			 "such as "
			 "BR_INST_RETIRED.ALL_BRANCHES; * and ? are wildcards, a comma separates several.",
			 event, sizeof event) ||
	    !*event)
		return STAY;
	narrow(s, "events", "all", event);
	return RUN;
}

static bool kernel_item(void *from, unsigned i, const char **name, const char **text)
{
	(void)from;
	if (i >= (size_t)(kernels_end - kernels_begin))
		return false;
	*name = kernels_begin[i].name;
	*text = kernels_begin[i].flags & KERNEL_CORE ? "core" : "";
	return true;
}

static enum answer one_kernel(struct start *s)
{
	int i = widget_pick(s->heading, kernel_item, NULL, 0);

	if (i < 0)
		return STAY;
	narrow(s, "events", kernels_begin[i].name, "*");
	return RUN;
}

static bool experiment_item(void *from, unsigned i, const char **name, const char **text)
{
	const struct experiments *x = from;

	if (i >= x->count)
		return false;
	*name = x->experiment[i].name;
	*text = x->experiment[i].kernel;
	return true;
}

static enum answer run_experiments(struct start *s)
{
	if (!s->experiments->count) {
		widget_tell(s->heading, "There is no experiment in assay.cfg. A section such as [experiment "
					"mine] makes one: the "
					"comments in the file, and docs/experiments.md, say how.");
		return STAY;
	}
	if (widget_pick(s->heading, experiment_item, (void *)(uintptr_t)s->experiments, 0) < 0)
		return STAY;
	set(s->o->suite, "experiments");
	return RUN;
}

static void now_experiments(const struct start *s, char *out, size_t size)
{
	snprintf(out, size, "%u in assay.cfg", s->experiments->count);
}

/* --- the machine ------------------------------------------------------------------------------------ */

#define DETAILS 200
static struct {
	char name[32], text[128];
} detail[DETAILS];
static unsigned details;

static void add_detail(void *to, const char *name, const char *text)
{
	(void)to;
	if (details == DETAILS)
		return;
	snprintf(detail[details].name, sizeof detail[0].name, "%s", name);
	snprintf(detail[details++].text, sizeof detail[0].text, "%s", text);
}

static bool detail_item(void *from, unsigned i, const char **name, const char **text)
{
	(void)from;
	if (i >= details)
		return false;
	*name = detail[i].name;
	*text = detail[i].text;
	return true;
}

static enum answer tell_machine(struct start *s)
{
	const struct boot_info *boot = &s->platform->boot;
	char text[IDENTITY_TITLE];

	details = 0;
	identity_title(text);
	add_detail(NULL, "processor", text);
	add_detail(NULL, "instruction set", isa_name());
	add_detail(NULL, "firmware", boot->firmware);
	snprintf(text, sizeof text, boot->framebuffer.address ? "%u by %u pixels" : "none that is linear",
		 boot->framebuffer.width, boot->framebuffer.height);
	add_detail(NULL, "framebuffer", text);
	snprintf(text, sizeof text, "ends below %" PRIu64 " MiB", boot->memory_top >> 20);
	add_detail(NULL, "memory", text);
	add_detail(NULL, "ACPI tables", boot->rsdp ? "there" : "none");
	identity_details(add_detail, NULL);
	widget_look(s->heading, detail_item, NULL);
	return STAY;
}

/* --- settings --------------------------------------------------------------------------------------- */

static bool setting_item(void *from, unsigned i, const char **name, const char **text)
{
	char value[OPTION_TEXT_MAX + 256];
	struct start *s = from;
	const struct option_row *r = &option_rows()[i];

	if (!r->name)
		return false;
	option_format(s->o, r, value, sizeof value);
	snprintf(s->setting, sizeof s->setting, "%s=%.*s", r->name, (int)(28 - strlen(r->name)), value);
	*name = s->setting;
	*text = r->help;
	return true;
}

/* A choice goes on to its next value, anything else is edited. */
static void change(struct start *s, const struct option_row *r)
{
	char value[OPTION_TEXT_MAX], line[OPTION_TEXT_MAX + 40];
	struct option_error error;

	option_format(s->o, r, value, sizeof value);
	if (r->kind == OPTION_CHOICE) {
		const char *at = strstr(r->choices, value), *next = at ? strchr(at, '|') : NULL;

		next = next ? next + 1 : r->choices;
		snprintf(value, sizeof value, "%.*s", (int)strcspn(next, "|"), next);
	} else if (!widget_edit(s->heading, r->help, value, sizeof value)) {
		return;
	}
	snprintf(line, sizeof line, "%s=\"%s\"", r->name, value);
	struct options before = *s->o;
	if (!options_parse(s->o, line, strlen(line), "settings", &error)) {
		*s->o = before;
		widget_tell(s->heading, error.text);
	}
}

static enum answer settings(struct start *s)
{
	int i = 0;

	while ((i = widget_pick(s->heading, setting_item, s, (unsigned)i)) >= 0)
		change(s, &option_rows()[i]);
	return STAY;
}

static enum answer save(struct start *s)
{
	const char *why = save_options(s->platform, s->o);
	char text[160];

	snprintf(text, sizeof text,
		 why ? "Not saved: %s." : "Saved in \\assay\\assay.cfg: the next start takes them.", why);
	widget_tell(s->heading, text);
	return STAY;
}

static enum answer leave(struct start *s)
{
	s->o->exit = EXIT_RETURN;
	return LEAVE;
}

/* --- the menu itself -------------------------------------------------------------------------------- */

static const struct entry entries[] = {
	{"Run as configured", "Run what assay.cfg and the choices below ask for.", run_as_it_is,
	 now_selection, NULL},
	{"First boot, step by step", "What runs first on a machine that nobody has tried yet.",
	 run_suite_first, NULL, "first"},
	{"Run everything", "Every suite, every event and every kernel: this takes long.", run_all, NULL,
	 NULL},
	{"Choose suites", "What is to be judged.", choose_suites, now_suites, NULL},
	{"One event, all kernels", "Count one event on every kernel, and run.", one_event, NULL, NULL},
	{"One kernel, all events", "Count every event on one kernel, and run.", one_kernel, NULL, NULL},
	{"Experiments", "Run the experiments of assay.cfg.", run_experiments, now_experiments, NULL},
	{"Errata", "Look for published errata, and run.", run_errata, NULL, "errata"},
	{"Machine details", "What the processor and the firmware say that they are.", tell_machine, NULL,
	 NULL},
	{"Settings", "Every option.", settings, NULL, NULL},
	{"Save to assay.cfg", "Keep the options as they are now for the next start.", save, NULL, NULL},
	{"Exit", "Judge nothing, and go back to the firmware.", leave, NULL, NULL},
};

#define ENTRIES (sizeof entries / sizeof entries[0])

static bool there(const struct entry *e)
{
	for (unsigned i = 0; e->suite && suites[i]; i++)
		if (!strcmp(suites[i]->name, e->suite))
			return true;
	return !e->suite;
}

#define TOP 3

static void draw(const struct start *s, const struct entry *const *e, const struct list *l, unsigned left)
{
	char text[4 * OPTION_TEXT_MAX];

	page_begin(s->heading, " Up/Down move, Enter chooses, Esc goes back");
	for (unsigned i = 0; i < l->count; i++) {
		enum style style = i == l->chosen ? STYLE_CHOSEN : STYLE_PLAIN;

		if (i == l->chosen)
			page_row(TOP + i, style, "");
		page_print(TOP + i, 3, style, "%s", e[i]->name);
		if (e[i]->now) {
			e[i]->now(s, text, sizeof text);
			page_print(TOP + i, 29, i == l->chosen ? style : STYLE_DIM, "%s", text);
		}
	}
	page_wrap(TOP + l->count + 1, 3, STYLE_DIM, e[l->chosen]->help);
	if (left)
		page_print(TOP + l->count + 3, 3, STYLE_PLAIN,
			   "Runs as configured in %u s. Any of the keys below ends the countdown.", left);
}

static bool means_something(int key)
{
	return key == KEY_ENTER || key == KEY_ESCAPE || key >= KEY_UP;
}

bool menu_start(const struct platform *platform, struct options *o, const struct experiments *experiments,
		bool *attended)
{
	struct start s = {.platform = platform, .o = o, .experiments = experiments};
	const struct entry *shown[ENTRIES];
	struct list l = {0};
	unsigned n = 0, ticks = o->menu * TICKS_PER_SECOND;
	enum answer answer = STAY;
	char cpu[IDENTITY_NAME];

	identity_name(cpu);
	snprintf(s.heading, sizeof s.heading, " Assay %s   %s", BUILD_ID, cpu);
	for (unsigned i = 0; i < ENTRIES; i++)
		if (there(&entries[i]))
			shown[n++] = &entries[i];
	*attended = false;
	page_open(platform->terminal);
	list_set(&l, n, n);
	while (answer == STAY) {
		draw(&s, shown, &l, *attended ? 0 : (ticks + TICKS_PER_SECOND - 1) / TICKS_PER_SECOND);
		page_show();
		int key = page_key();
		if (!*attended && !means_something(key) && !ticks--)
			answer = RUN;
		*attended |= means_something(key);
		if (key == KEY_ENTER || key == KEY_RIGHT)
			answer = shown[l.chosen]->act(&s);
		else
			list_key(&l, key);
	}
	page_close();
	return answer == RUN;
}
