#include "boot/event_files.h"

#include "arch/identity.h"
#include "arch/machine.h"
#include "arch/processors.h"
#include "pmu/events/vendor_cpu.h"
#include "pmu/events/vendor_import.h"
#include "tests/report/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DIRECTORY   "\\assay\\events"
#define FILES_MAX   64
#define IDENTIFY_MS 10000

static struct import import; /* its rows are the PMU's for the rest of the run */
static struct platform_file files[FILES_MAX];

struct judged {
	struct run *run;
	bool good;
	struct identity_pair pair[IDENTITY_PAIRS];
	unsigned n_pairs;
	struct processor_type type;
};

/* Of the CPU under judgement, which may be the virtual one. */
static void identify(void *arg)
{
	struct judged *j = arg;

	j->n_pairs = identity_read(j->pair, IDENTITY_PAIRS);
	processor_type_read(&j->type);
}

static const char *value_of(const struct judged *j, const char *name)
{
	for (unsigned i = 0; i < j->n_pairs; i++)
		if (!strcmp(j->pair[i].name, name))
			return j->pair[i].value;
	return "";
}

static unsigned number_of(const struct judged *j, const char *name)
{
	return (unsigned)strtoul(value_of(j, name), NULL, 10);
}

static void identify_guarded(void *arg)
{
	struct judged *j = arg;

	j->good = j->run->call(j->run, identify, j, IDENTIFY_MS, NULL);
}

static bool identify_judged(struct run *run, unsigned processor, struct judged *j)
{
	const char *why;
	bool ran;

	*j = (struct judged){.run = run};
	machine_take();
	ran = processor_run(processor, identify_guarded, j, &why);
	machine_give_back();
	return ran && j->good;
}

static void note(const char *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(const char *file, const char *format, ...)
{
	char line[640];
	size_t n = (size_t)snprintf(line, sizeof line, "events\\%s: ", file);
	va_list args;

	va_start(args, format);
	vsnprintf(line + n, sizeof line - n, format, args);
	va_end(args);
	report_note(line);
}

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), e = strlen(end);

	return n >= e && !strcasecmp(name + n - e, end);
}

static void note_tally(const char *file, const struct import_tally *t)
{
	const struct {
		unsigned count;
		const char *what;
	} parts[] = {
		{t->explained, "known by name"},
		{t->unexplained, "of unknown meaning"},
		{t->there, "in the table already"},
		{t->differing, "in the table with another code, which stays"},
		{t->unfit, "for no counter of this core"},
		{t->bad, "not understood"},
		{t->others, "other objects"},
	};
	char text[400];
	size_t n = (size_t)snprintf(text, sizeof text, "%u events", t->events);

	for (unsigned i = 0; i < sizeof parts / sizeof parts[0] && n < sizeof text; i++)
		if (parts[i].count)
			n += (size_t)snprintf(text + n, sizeof text - n, ", %u %s", parts[i].count,
					      parts[i].what);
	note(file, "%s%s%s%s%s", text, t->lost ? "; the rest is lost" : "",
	     t->full ? "; there was no room for all of them" : "", t->first[0] ? "; first: " : "", t->first);
}

static bool refused(const char *file, enum vendor_fit fit, const char *who, const struct vendor_cpu *cpu)
{
	if (fit == VENDOR_OTHER_CPU)
		note(file, "for another CPU, as %s says; this one is %s-%u-%X-%X: left out", who, cpu->vendor,
		     cpu->family, cpu->model, cpu->stepping);
	return fit == VENDOR_OTHER_CPU;
}

static bool read(const struct platform *platform, const struct platform_file *file, char **text, size_t *size)
{
	char path[sizeof DIRECTORY + PLATFORM_FILE_NAME];
	const char *why;

	if (file->size > VENDOR_FILE_MAX) {
		note(file->name, "%lu bytes; at most %u are read: left out", (unsigned long)file->size,
		     VENDOR_FILE_MAX);
		return false;
	}
	snprintf(path, sizeof path, DIRECTORY "\\%s", file->name);
	if (!platform->read_file(path, text, size, &why)) {
		note(file->name, "%s: left out", why);
		return false;
	}
	return true;
}

/* The vendor's mapfile.csv. */
struct map {
	char *text;
	size_t size;
};

/* Whatever says first which CPU the file is for is believed; if nothing does, it is taken for this one. */
static void take(const struct platform *platform, const struct platform_file *file, const struct map *map,
		 const struct vendor_cpu *cpu, const char *core, const struct pmu *pmu)
{
	enum vendor_fit by_name = vendor_name_fit(file->name, cpu), by_map = VENDOR_SAYS_NOTHING;
	struct import_tally tally;
	char *text;
	size_t size;

	if (by_name == VENDOR_SAYS_NOTHING && map->text)
		by_map = vendor_map_fit(map->text, map->size, file->name, cpu);
	if (refused(file->name, by_name, "its name", cpu) ||
	    refused(file->name, by_map, "mapfile.csv", cpu) || !read(platform, file, &text, &size))
		return;
	if (by_name == VENDOR_FITS || by_map == VENDOR_FITS ||
	    !refused(file->name, vendor_form_fit(text, size, cpu), "its form", cpu)) {
		import.sure = by_name == VENDOR_FITS || by_map == VENDOR_FITS;
		if (import_file(&import, pmu, core, text, size, &tally))
			note_tally(file->name, &tally);
		else
			note(file->name, "%s: left out", tally.first);
	}
	free(text);
}

void event_files_read(const struct platform *platform, struct run *run, unsigned processor)
{
	unsigned n = platform->list_files ? platform->list_files(DIRECTORY, files, FILES_MAX) : 0;
	struct judged judged;
	struct map map = {0};

	if (!n || !run->pmu)
		return;
	if (n == FILES_MAX)
		note("", "there may be more than %u files; these are read", FILES_MAX);
	if (!identify_judged(run, processor, &judged)) {
		note("", "the CPU could not be identified: left out");
		return;
	}
	const struct vendor_cpu cpu = {value_of(&judged, "vendor"), number_of(&judged, "family"),
				       number_of(&judged, "model"), number_of(&judged, "stepping"),
				       judged.type.core};
	const char *core = judged.type.core == PROCESSOR_EFFICIENCY    ? "cpu_atom"
			   : judged.type.core == PROCESSOR_PERFORMANCE ? "cpu_core"
								       : NULL;
	for (unsigned i = 0; i < n && !map.text; i++)
		if (!strcasecmp(files[i].name, "mapfile.csv") &&
		    !read(platform, &files[i], &map.text, &map.size))
			map.text = NULL;
	for (unsigned i = 0; i < n; i++)
		if (ends_with(files[i].name, ".json"))
			take(platform, &files[i], &map, &cpu, core, run->pmu);
	free(map.text);
	if (!import_finish(&import, run->pmu))
		note("", "no memory for a table of all events: left out");
}

void event_files_forget(struct run *run)
{
	import_free(&import, run->pmu);
}
