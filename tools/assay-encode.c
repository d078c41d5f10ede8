/*
 * assay-encode: what event strings mean on a PMU. Runs the same grammar, scheduler and driver as the image,
 * the driver against the PMU's model, and prints what it writes.
 */
#include "pmu/events/fields.h"
#include "pmu/events/grammar.h"
#include "pmu/contract/model.h"
#include "pmu/events/schedule.h"
#include "pmu/events/text.h"
#include "pmu/events/vendor_import.h"
#include "pmu/virtual/injections.h"
#include "tests/report/json.h"
#include "tools/model_cpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUESTS_MAX 8192

enum { OK, WRONG, USAGE };

static struct {
	bool json, list, perf, names, verbose, injections;
} flags;

static struct pmu pmu;
static struct event_request request[REQUESTS_MAX];
static struct sched_place place[REQUESTS_MAX];
static unsigned n_requests;

static const char usage[] =
	"usage: assay-encode [-v] [--json] PMU EVENT...       register writes, counters, schedule\n"
	"       assay-encode [-v] [--json] --list [PMU] [GLOB...]   the PMU's events (-v: with all that is "
	"known);\n"
	"                                                     without PMU, of all PMUs that have any\n"
	"       --events FILE before PMU: with the events of a vendor's file\n"
	"       assay-encode --perf PMU EVENT...              the same for perf's -e, one per line\n"
	"       assay-encode --perf-names PMU EVENT...        likewise, with the event's name beside each\n"
	"       assay-encode --injections PMU                 what inject= can switch on in its virtual CPU\n"
	"\n"
	"EVENT is libpfm4's form (NAME:UMASK:u:k:e:i:c=2), a raw selector (r01c0), perf's fields\n"
	"(cpu/event=0xc4,umask=0x20/u), or a glob. -v decodes the fields of registers. Options may stand "
	"behind "
	"PMU.\n"
	"Exit status: 0 done, 1 an event string is wrong or cannot be counted, 2 wrong use.\n";

/* --- choosing the PMU ------------------------------------------------------------------------------- */

static int no_such_pmu(const char *name)
{
	const char *best = NULL;
	unsigned least = 99;

	for (unsigned i = 0; model_profile(i); i++) {
		unsigned d = edit_distance(name, model_profile(i)->name);

		if (d < least) {
			least = d;
			best = model_profile(i)->name;
		}
	}
	fprintf(stderr, "assay-encode: no PMU %s", name);
	if (best && is_near(least, name))
		fprintf(stderr, ": did you mean %s?\n", best);
	else
		fputs("; there are\n", stderr);
	if (best && is_near(least, name))
		return USAGE;
	for (unsigned i = 0; model_profile(i); i++)
		fprintf(stderr, "  %-20s %s\n", model_profile(i)->name, model_profile(i)->description);
	const struct model_hybrid *h;
	for (unsigned at = 0; (h = model_hybrid(at)); at++)
		fprintf(stderr, "and in the image %s: %s beside %s\n", h->name, h->core[0]->name,
			h->core[1]->name);
	return USAGE;
}

/* A profile, or a family: then the last of its profiles in the list. */
static const struct model_profile *find_profile(const char *name)
{
	const struct model_profile *found = model_profile_by_name(name);

	for (unsigned i = 0; !model_profile_by_name(name) && model_profile(i); i++)
		if (!strcmp(model_profile(i)->model->name, name))
			found = model_profile(i);
	return found;
}

static int open_pmu(const char *name)
{
	const struct model_profile *profile = find_profile(name);
	const char *why = "memory is short";

	if (!profile)
		return no_such_pmu(name);
	if (!model_cpu_start(profile) || !pmu_find(NULL, &pmu, &why)) {
		fprintf(stderr, "assay-encode: %s: %s\n", name, why);
		return USAGE;
	}
	pmu.driver->list_events(&pmu);
	pmu.virtual = true;
	snprintf(pmu.model, sizeof pmu.model, "%s", profile->name);
	return OK;
}

/* As the image takes a file from its stick; what became of it goes to standard error. */
static int import_events(const char *path)
{
	static struct import import; /* until the end */
	struct import_tally t;
	char *text = malloc(VENDOR_FILE_MAX + 1);
	FILE *f = fopen(path, "rb");
	size_t size = f && text ? fread(text, 1, VENDOR_FILE_MAX + 1, f) : 0;
	bool good = f && text;

	if (!good)
		perror(path);
	if (f)
		fclose(f);
	if (good) {
		good = import_file(&import, &pmu, NULL, text, size, &t) && import_finish(&import, &pmu);
		fprintf(stderr, "assay-encode: %s: %u events, %u known by name, %u of unknown meaning%s%s\n",
			path, t.events, t.explained, t.unexplained, t.first[0] ? "; first: " : "", t.first);
	}
	free(text);
	return good ? OK : USAGE;
}

static int parse(const char *text)
{
	struct event_error error;
	unsigned n = event_parse(&pmu, text, request + n_requests, REQUESTS_MAX - n_requests, &error);

	if (n > REQUESTS_MAX - n_requests) {
		fprintf(stderr, "assay-encode: more than %u events\n", REQUESTS_MAX);
		return WRONG;
	}
	n_requests += n;
	if (n)
		return OK;
	fprintf(stderr, "assay-encode: %s: %s\n    %s\n    %*s^\n", pmu.model, error.text, text,
		(int)error.column, "");
	return WRONG;
}

/* --- pieces of text --------------------------------------------------------------------------------- */

static const char *counters_text(uint64_t mask, char *out, size_t size)
{
	size_t n = 0;

	snprintf(out, size, "none");
	for (unsigned c = 0; c < pmu.n_counters && n < size; c++)
		if (mask >> c & 1)
			n += (size_t)snprintf(out + n, size - n, "%s%s", n ? " " : "", pmu.counter[c].name);
	return out;
}

/* "instructions", "2*loads + stores" */
static const char *quantities_text(const struct pmu_event *e, char *out, size_t size)
{
	size_t n = 0;

	snprintf(out, size, "-");
	for (unsigned t = 0; t < EVENT_TERMS && e->terms[t].coefficient && n < size; t++) {
		int c = e->terms[t].coefficient;

		n += (size_t)snprintf(out + n, size - n, "%s",
				      n       ? (c < 0 ? " - " : " + ")
				      : c < 0 ? "-"
					      : "");
		if (abs(c) != 1 && n < size)
			n += (size_t)snprintf(out + n, size - n, "%d*", abs(c));
		if (n < size)
			n += (size_t)snprintf(out + n, size - n, "%s",
					      quantity_info[e->terms[t].quantity].name);
	}
	return out;
}

static const char *judgement_text(const struct pmu_event *e)
{
	static const char *const text[] = {
		[EVENT_EXACT] = "exact", [EVENT_AT_LEAST] = "at least", [EVENT_TIME] = "time"};

	/* What it counts is exactly said, but known within bounds only. */
	if (e->judgement == EVENT_EXACT && event_is_micro(e))
		return "bounds";
	return e->judgement < sizeof text / sizeof *text ? text[e->judgement] : "?";
}

static void json_counters(struct json *j, uint64_t mask)
{
	json_open(j, "counters", '[');
	for (unsigned c = 0; c < pmu.n_counters; c++)
		if (mask >> c & 1)
			json_string(j, NULL, pmu.counter[c].name);
	json_close(j, ']');
}

static void json_print(struct json *j)
{
	for (const struct json_chunk *c = j->first; c; c = c->next)
		fwrite(c->text, 1, c->used, stdout);
	putchar('\n');
	json_free(j);
}

/* --- --list ----------------------------------------------------------------------------------------- */

#define RESTRICTIONS 512

/* Empty where the family says none. */
static const char *restrictions_text(const struct pmu_event *e, char *out, size_t size)
{
	*out = 0;
	if (pmu.driver->grammar->restrictions)
		pmu.driver->grammar->restrictions(&pmu, e, out, size);
	return out;
}

static void list_json(struct json *j)
{
	char text[RESTRICTIONS];

	json_open(j, NULL, '{');
	json_string(j, "pmu", pmu.model);
	json_string(j, "name", pmu.name);
	json_open(j, "events", '[');
	for (unsigned i = 0; i < n_requests; i++) {
		const struct pmu_event *e = request[i].event;

		json_open(j, NULL, '{');
		json_string(j, "name", e->name);
		json_hex(j, "code", e->code);
		event_format_perf(&pmu, &request[i], text, sizeof text);
		json_string(j, "perf", *text ? text : NULL);
		json_counters(j, event_counters(&pmu, &request[i]));
		json_string(j, "quantities", quantities_text(e, text, sizeof text));
		json_string(j, "judgement", judgement_text(e));
		json_string(j, "rule", e->rule ? e->rule->text : NULL);
		json_string(j, "errata", e->errata);
		json_string(j, "source", e->source);
		json_string(j, "restrictions", *restrictions_text(e, text, sizeof text) ? text : NULL);
		json_open(j, "masks", '[');
		for (const struct event_mask *m =
			     pmu.driver->grammar->masks ? pmu.driver->grammar->masks(&pmu, e) : NULL;
		     m && m->name; m++) {
			json_open(j, NULL, '{');
			json_string(j, "name", m->name);
			json_hex(j, "code", m->code);
			json_close(j, '}');
		}
		json_close(j, ']');
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

static void list_text(void)
{
	char counters[256], quantities[256], restrictions[RESTRICTIONS];

	for (unsigned i = 0; i < n_requests; i++) {
		const struct pmu_event *e = request[i].event;

		printf("%-34s %#-8" PRIx64 " %-8s %-20s %s\n", e->name, e->code, judgement_text(e),
		       quantities_text(e, quantities, sizeof quantities),
		       counters_text(event_counters(&pmu, &request[i]), counters, sizeof counters));
		for (const struct event_mask *m =
			     pmu.driver->grammar->masks ? pmu.driver->grammar->masks(&pmu, e) : NULL;
		     m && m->name; m++)
			printf("    :%-29s %#" PRIx64 "\n", m->name, m->code);
		if (!flags.verbose)
			continue;
		restrictions_text(e, restrictions, sizeof restrictions);
		if (e->rule)
			printf("    %s\n", e->rule->text);
		if (e->extra_register)
			printf("    register besides: %#" PRIx32 " = %#" PRIx64 "\n", e->extra_register,
			       e->extra_value);
		for (const char *line = restrictions; *line; line += strcspn(line, "\n") + 1)
			printf("    %.*s\n", (int)strcspn(line, "\n"), line);
		if (e->flags & EVENT_PRECISE)
			puts("    can be sampled precisely");
		if (e->errata)
			printf("    errata: %s\n", e->errata);
		printf("    %s\n", e->source);
	}
}

/* Events only: a raw selector is none. */
static int list_one(void)
{
	struct json j = {0};

	for (unsigned k = 0; k < n_requests; k++)
		if (!request[k].event)
			return fputs("assay-encode: --list takes names and globs\n", stderr), USAGE;
	if (flags.json) {
		list_json(&j);
		json_print(&j);
	} else {
		list_text();
	}
	return OK;
}

/* Whether a PMU has events that one of the globs means: into request[]. */
static bool matches(const struct model_profile *profile, char **globs, int n)
{
	struct event_error error;

	n_requests = 0;
	if (open_pmu(profile->name) != OK)
		return false;
	for (int i = 0; i < n; i++) {
		unsigned room = REQUESTS_MAX - n_requests;
		unsigned found = event_parse(&pmu, globs[i], request + n_requests, room, &error);

		if (found && found <= room && request[n_requests].event)
			n_requests += found;
	}
	return n_requests;
}

/* Every PMU with such events. */
static int list_all(char **globs, int n)
{
	struct json j = {0};
	bool any = false;

	json_open(&j, NULL, '[');
	for (unsigned i = 0; model_profile(i); i++) {
		bool some = matches(model_profile(i), globs, n);

		if (some && flags.json)
			list_json(&j);
		if (some && !flags.json) {
			printf("%s%s:\n", any ? "\n" : "", pmu.model);
			list_text();
		}
		any |= some;
		model_cpu_stop();
	}
	json_close(&j, ']');
	if (any && flags.json)
		json_print(&j);
	else
		json_free(&j);
	if (!any)
		fprintf(stderr, "assay-encode: no PMU has events that match %s%s\n", globs[0],
			n > 1 ? " or the others" : "");
	return any ? OK : WRONG;
}

/* --- --perf ----------------------------------------------------------------------------------------- */

#define PERF_COLUMN 40

static int perf_strings(void)
{
	char text[256];
	int status = OK;

	for (unsigned i = 0; i < n_requests; i++)
		if (event_format_perf(&pmu, &request[i], text, sizeof text)) {
			if (flags.names)
				printf("%-*s  %s\n", PERF_COLUMN, text,
				       request[i].event ? request[i].event->name : "(a raw selector)");
			else
				puts(text);
		} else {
			const char *unlike = pmu.driver->grammar->perf_unlike;

			fprintf(stderr, "assay-encode: %s: %s\n",
				request[i].event ? request[i].event->name : "a raw selector",
				unlike ? unlike
				       : "only a fixed counter counts it, perf's fields cannot say so");
			status = WRONG;
		}
	return status;
}

/* --- encoding --------------------------------------------------------------------------------------- */

/* Let the driver program one pass on a freshly reset PMU, and keep what it writes. */
static bool run_pass(unsigned pass, struct model_cpu_write *writes, unsigned *n)
{
	const char *why;
	uint64_t mask = 0;

	if (!pmu.driver->reset(&pmu, &why)) {
		fprintf(stderr, "assay-encode: %s: %s\n", pmu.model, why);
		return false;
	}
	model_cpu_forget();
	for (unsigned i = 0; i < n_requests; i++) {
		char name[128];

		if (place[i].pass != pass)
			continue;
		const struct pmu_config config = event_placed(&request[i], &place[i]);
		if (!pmu.driver->program(&pmu, place[i].alternative, &config)) {
			event_format(&pmu, &request[i], name, sizeof name);
			fprintf(stderr,
				"assay-encode: %s: writing %s to %s raises #GP: the PMU does not have all of "
				"it\n",
				pmu.model, name, pmu.counter[place[i].alternative].name);
			return false;
		}
		mask |= UINT64_C(1) << place[i].alternative;
	}
	if (!pmu.driver->start(&pmu, mask)) {
		fprintf(stderr, "assay-encode: %s: starting the counters raises #GP\n", pmu.model);
		return false;
	}
	*n = model_cpu_writes(writes);
	return true;
}

static bool encode_text(const struct sched_result *result)
{
	char name[128], perf[128], counters[256];

	printf("%s: %u event%s in %u pass%s", pmu.model, n_requests, n_requests == 1 ? "" : "s",
	       result->passes, result->passes == 1 ? "" : "es");
	if (result->passes == 1)
		putchar('\n');
	else if (result->passes == result->bound)
		printf("; fewer are impossible (%s)\n", result->proof);
	else
		printf("; at least %u are needed (%s)\n", result->bound, result->proof);
	for (unsigned pass = 0; pass < result->passes; pass++) {
		struct model_cpu_write writes[MODEL_CPU_WRITES];
		unsigned n;

		if (!run_pass(pass, writes, &n))
			return false;
		printf("pass %u\n", pass + 1);
		for (unsigned i = 0; i < n_requests; i++) {
			if (place[i].pass != pass)
				continue;
			event_format(&pmu, &request[i], name, sizeof name);
			event_format_perf(&pmu, &request[i], perf, sizeof perf);
			printf("  %s on %s (can use %s)%s%s\n", name, pmu.counter[place[i].alternative].name,
			       counters_text(event_counters(&pmu, &request[i]), counters, sizeof counters),
			       *perf ? "  perf: " : "", perf);
		}
		for (unsigned k = 0; k < n; k++) {
			char fields[256];

			printf("    %-26s %#x = %#" PRIx64 "\n",
			       register_name(pmu.driver->fields, writes[k].address, name, sizeof name),
			       writes[k].address, writes[k].value);
			register_format(pmu.driver->fields, writes[k].address, writes[k].value, fields,
					sizeof fields);
			if (flags.verbose && *fields)
				printf("        %s\n", fields);
		}
	}
	return true;
}

static bool encode_json(const struct sched_result *result)
{
	struct json j = {0};
	char text[256];

	json_open(&j, NULL, '{');
	json_string(&j, "pmu", pmu.model);
	json_unsigned(&j, "passes", result->passes);
	json_unsigned(&j, "bound", result->bound);
	json_string(&j, "proof", result->proof);
	json_open(&j, "events", '[');
	for (unsigned i = 0; i < n_requests; i++) {
		json_open(&j, NULL, '{');
		event_format(&pmu, &request[i], text, sizeof text);
		json_string(&j, "event", text);
		event_format_perf(&pmu, &request[i], text, sizeof text);
		json_string(&j, "perf", *text ? text : NULL);
		json_string(&j, "name", request[i].event ? request[i].event->name : NULL);
		json_counters(&j, event_counters(&pmu, &request[i]));
		json_unsigned(&j, "pass", place[i].pass + 1u);
		json_string(&j, "counter", pmu.counter[place[i].alternative].name);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_open(&j, "writes", '[');
	for (unsigned pass = 0; pass < result->passes; pass++) {
		struct model_cpu_write writes[MODEL_CPU_WRITES];
		unsigned n;

		if (!run_pass(pass, writes, &n)) {
			json_free(&j);
			return false;
		}
		for (unsigned k = 0; k < n; k++) {
			json_open(&j, NULL, '{');
			json_unsigned(&j, "pass", pass + 1);
			json_string(&j, "register",
				    register_name(pmu.driver->fields, writes[k].address, text, sizeof text));
			json_hex(&j, "address", writes[k].address);
			json_hex(&j, "value", writes[k].value);
			register_format(pmu.driver->fields, writes[k].address, writes[k].value, text,
					sizeof text);
			json_string(&j, "fields", text);
			json_close(&j, '}');
		}
	}
	json_close(&j, ']');
	json_close(&j, '}');
	json_print(&j);
	return true;
}

static int encode(void)
{
	struct model_cpu_write writes[MODEL_CPU_WRITES];
	struct sched_result result;
	const char *why;
	unsigned n;

	if (pmu.driver->join)
		pmu.driver->join(&pmu, request, n_requests);
	if (!schedule_events(&pmu, request, n_requests, place, &result, &why)) {
		fprintf(stderr, "assay-encode: %s: %s\n", pmu.model, why);
		return WRONG;
	}
	for (unsigned pass = 0; pass < result.passes; pass++) /* print nothing unless all can be done */
		if (!run_pass(pass, writes, &n))
			return WRONG;
	return (flags.json ? encode_json(&result) : encode_text(&result)) ? OK : WRONG;
}

/* Take the options out of the arguments. @return how many others are left, -1 if an option is unknown */
static int take_options(int argc, char **argv, const char **events, bool *help)
{
	int left = 1;

	for (int i = 1; i < argc; i++) {
		if (argv[i][0] != '-')
			argv[left++] = argv[i];
		else if (!strcmp(argv[i], "-v"))
			flags.verbose = true;
		else if (!strcmp(argv[i], "--json"))
			flags.json = true;
		else if (!strcmp(argv[i], "--list"))
			flags.list = true;
		else if (!strcmp(argv[i], "--events") && i + 1 < argc)
			*events = argv[++i];
		else if (!strcmp(argv[i], "--injections"))
			flags.injections = true;
		else if (!strcmp(argv[i], "--perf"))
			flags.perf = true;
		else if (!strcmp(argv[i], "--perf-names"))
			flags.perf = flags.names = true;
		else if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
			*help = true;
		else
			return fprintf(stderr, "assay-encode: no option %s\n%s", argv[i], usage), -1;
	}
	return left;
}

/* A name of the shape of a PMU's that is none was meant to be one. */
static bool names_pmu(const char *text)
{
	return find_profile(text) || (!strpbrk(text, "*?:.") && strchr(text, '-'));
}

static int list_injections(const char *name)
{
	const struct model_profile *profile = find_profile(name);
	struct injection known;

	if (!profile)
		return no_such_pmu(name);
	for (unsigned i = 0; injection_at(profile->model, i, &known); i++)
		printf("%-10s  %-24s  %s\n", injection_owner_names[known.owner], known.name, known.summary);
	return OK;
}

int main(int argc, char **argv)
{
	const char *events = NULL;
	bool help = false;
	int status, i = 1;

	argc = take_options(argc, argv, &events, &help);
	if (argc < 0)
		return USAGE;
	if (help)
		return fputs(usage, stdout) < 0;
	if (flags.injections && argc - i == 1)
		return list_injections(argv[i]);
	if (flags.injections || argc - i < (flags.list ? 1 : 2) || (flags.perf && (flags.list || flags.json)))
		return fputs(usage, stderr), USAGE;
	if (flags.list && !events && !names_pmu(argv[i]))
		return list_all(argv + i, argc - i);
	status = open_pmu(argv[i++]);
	if (status == OK && events)
		status = import_events(events);
	if (status == OK && flags.list && i == argc)
		status = parse("*");
	while (status == OK && i < argc)
		status = parse(argv[i++]);
	if (status == OK)
		status = flags.list ? list_one() : flags.perf ? perf_strings() : encode();
	model_cpu_stop();
	return status;
}
