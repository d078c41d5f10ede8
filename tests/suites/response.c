#include "tests/suites/response.h"
#include "tests/measure/scan.h"

#include <stdio.h>
#include <string.h>

#define DISPUTED_TEXT 200

#define DISPUTED_MAX 64 /* more than any family has */

static struct scan scan;
static unsigned n_unexplained; /* of what is scanned, the first */

/* Behind them, two by two: an event as the vendor encodes it, and as libpfm4 does. */
static struct disputed disputed[DISPUTED_MAX];
static unsigned n_disputed;

/* Those that are asked for. */
static void list_disputed(const struct run *run)
{
	unsigned all = disputed_list(run->pmu, disputed);

	n_disputed = 0;
	for (unsigned i = 0; i < all; i++)
		if (event_selected(disputed[i].row, run->options->event_glob))
			disputed[n_disputed++] = disputed[i];
}

void response_begin(struct run *run, uint64_t n, unsigned reps)
{
	const struct pmu *pmu = run->pmu;

	scan = (struct scan){.run = run, .suite = "events", .n = n, .reps = reps};
	list_disputed(run);
	if ((!pmu->n_unexplained && !n_disputed) || !scan_begin(&scan, pmu->n_unexplained + 2 * n_disputed)) {
		n_disputed = 0;
		return;
	}
	for (unsigned i = 0; i < pmu->n_unexplained; i++) {
		const struct pmu_event *e = pmu->events[pmu->n_events + i];

		if (event_selected(e, run->options->event_glob))
			scan_add(&scan, e);
	}
	n_unexplained = scan.n_scanned;
	for (struct disputed *d = disputed; d < disputed + n_disputed; d++) {
		scan_add(&scan, &d->vendors);
		scan_add(&scan, &d->peers);
	}
	scan_place(&scan);
}

void response_measure(const struct kernel *k)
{
	if (scan.n_scanned && scan_add_kernel(&scan, k))
		scan_measure(&scan, scan.space.n_kernels - 1);
}

/* --- events of unknown meaning ---------------------------------------------------------------------- */

/* The microarchitectures whose meaning of the name fits what was counted, or does not. */
static unsigned list_meanings(const struct scanned *e, bool fitting, const char *first, char *text,
			      size_t size)
{
	const struct pmu_driver *d = scan.run->pmu->driver;
	struct pmu_event meant;
	const char *core;
	unsigned n = 0;

	for (unsigned i = 0; d->candidate && d->candidate(e->event, i, &meant, &core); i++)
		if ((response_fits(&scan.space, e->count, &meant, !scan.run->pmu->deterministic) ==
		     RESPONSE_FIT) == fitting) {
			size_t at = strlen(text);

			snprintf(text + at, size - at, "%s %s", n++ ? " and" : first, core);
		}
	return n;
}

static void say_meanings(const struct scan *s, const struct scanned *e, char *text, size_t size)
{
	(void)s;
	unsigned fit = list_meanings(e, true, "; its name means this on", text, size);

	list_meanings(e, false, fit ? ", something else on" : "; its name means something else on", text,
		      size);
}

static void report_unexplained(const struct scanned *e, bool prepared)
{
	if (e->failure)
		scan_tell(&scan, e, "meaning unknown, and not counted: %s", e->failure);
	else if (e->unsteady)
		scan_tell(&scan, e, "meaning unknown; its counts differ from run to run, on kernel %s first",
			  e->unsteady->name);
	else if (!prepared)
		scan_tell(&scan, e, "meaning unknown, and not compared with what is known: %s",
			  scan.no_memory || scan.space.n_kernels ? "no memory" : "no kernel was fit");
	else
		scan_tell_response(&scan, e, "meaning unknown", say_meanings);
}

/* --- disputed encodings ----------------------------------------------------------------------------- */

/* What befell one of the two, NULL if nothing did. */
static const char *unjudged(const struct scanned *e)
{
	return e->failure ? e->failure : e->unsteady ? "counts differ from run to run" : NULL;
}

/* Of an event that two lists encode differently: which of them counts what it means. What that makes of the
 * vendor's row, the suite's checks of it say. */
static void report_disputed(const struct pmu_event *row, const struct scanned *vendors)
{
	const struct scanned *peers = vendors + 1;
	bool more = !scan.run->pmu->deterministic, same, upside_down = false;
	const char *said = unjudged(vendors) ? unjudged(vendors) : unjudged(peers);
	char name[DISPUTED_TEXT], text[DISPUTED_TEXT];

	same = !memcmp(vendors->count, peers->count, response_points(&scan.space) * sizeof *vendors->count);
	if (!said) {
		enum response_fit ours = response_fits(&scan.space, vendors->count, row, more);
		enum response_fit theirs = response_fits(&scan.space, peers->count, row, more);

		upside_down = ours == RESPONSE_MISFIT && theirs == RESPONSE_FIT;
		said = ours == RESPONSE_UNSAID ? "no kernel tells"
		       : upside_down           ? "LIBPFM4'S ALONE FITS"
		       : ours != theirs        ? "the vendor's alone fits"
		       : ours == RESPONSE_FIT  ? "both fit"
					       : "neither fits";
	}
	snprintf(name, sizeof name, "encodings of %s", row->name);
	snprintf(text, sizeof text, "%s: r%lx (the vendor's) and r%lx (libpfm4's), %s counts", said,
		 (unsigned long)vendors->event->code, (unsigned long)peers->event->code,
		 !same                          ? "different"
		 : scan_answers(&scan, vendors) ? "the same"
						: "no");
	(upside_down ? scan.run->value : scan.run->detail)(scan.run, "events", name, text, "");
}

void response_report(void)
{
	bool prepared = scan.n_scanned && !scan.no_memory && scan.space.n_kernels;

	if (prepared && n_unexplained && !response_prepare(&scan.space))
		prepared = false;
	for (unsigned i = 0; i < n_unexplained && i < scan.n_scanned; i++)
		report_unexplained(&scan.scanned[i], prepared);
	for (unsigned i = 0; prepared && i < n_disputed; i++)
		report_disputed(disputed[i].row, &scan.scanned[n_unexplained + 2 * i]);
	if (scan.no_memory && !scan.n_scanned)
		scan.run->value(scan.run, "events", "events of unknown meaning", "not counted, no memory",
				"");
	n_unexplained = n_disputed = 0;
	scan_end(&scan);
}
