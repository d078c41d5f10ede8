#include "boot/report_out.h"
#include "boot/run_folder.h"

#include "arch/console.h"
#include "arch/identity.h"
#include "tests/report/report.h"

#include <stdio.h>
#include <string.h>

#define STX "\x02"
#define ETX "\x03"

static const char *complaint; /* why something could not be written; NULL: all could */
static const char *no_folder; /* why there is none */
static bool written;          /* a report is in the folder, be it not the newest */
static const char *sent;      /* where it went instead */
static bool in_codes;         /* which are QR codes, to be shown */

static void complain(const char *what, const char *why)
{
	if (!complaint)
		console_text("report: cannot write %s: %s; the results are on the screen and the serial line "
			     "(report=none does without)\n",
			     what, why);
	complaint = why;
}

static bool debug_write(void *to, const char *text, size_t size)
{
	(void)to;
	console_debug(text, size);
	return true;
}

#define LONG_PIECE 1024 /* bytes: these are parts of the document as it is kept */
#define PLACE_TEXT 48
#define DLE        "\x10"

/* Long texts stay where they are: on the firmware's side linear addresses are physical ones. */
static bool debug_tell(void *to, const char *text, size_t size)
{
	char place[PLACE_TEXT];

	if (size < LONG_PIECE)
		return debug_write(to, text, size);
	snprintf(place, sizeof place, DLE "%lx %lx\n", (unsigned long)text, (unsigned long)size);
	return debug_write(to, place, strlen(place));
}

/* Firmware takes its time over every call: pieces are gathered. */
struct file_out {
	const struct platform *platform;
	void *file;
	const char *why;
	size_t used;
};

static char gathered[32768];

static bool file_flush(struct file_out *out)
{
	size_t size = out->used;

	out->used = 0;
	return !size || out->platform->write_file(out->file, gathered, size, &out->why);
}

static bool file_write(void *to, const char *text, size_t size)
{
	struct file_out *out = to;

	while (size) {
		size_t part = sizeof gathered - out->used;

		if (part > size)
			part = size;
		memcpy(gathered + out->used, text, part);
		out->used += part;
		text += part;
		size -= part;
		if (out->used == sizeof gathered && !file_flush(out))
			return false;
	}
	return true;
}

static bool put_text(text_sink *sink, void *to)
{
	size_t size;
	const char *text = console_buffer(&size);

	return sink(to, text, size);
}

static bool write_to(const struct platform *platform, const char *path,
		     bool (*put)(text_sink *sink, void *to), const char **why)
{
	struct file_out out = {.platform = platform};
	const char *trouble;
	bool good;

	out.file = platform->open_file(path, &out.why);
	*why = out.why;
	if (!out.file)
		return false;
	good = put(file_write, &out) && file_flush(&out);
	*why = out.why;
	if (!platform->close_file(out.file, &trouble) && good) {
		good = false;
		*why = trouble;
	}
	if (!good)
		platform->remove_file(path);
	return good;
}

static void write_out(const struct platform *platform, const char *name,
		      bool (*put)(text_sink *sink, void *to))
{
	char path[RUN_FOLDER_PATH + 32], fresh[sizeof path + 8];
	const char *why;

	snprintf(path, sizeof path, "%s\\%s", run_folder(), name);
	snprintf(fresh, sizeof fresh, "%s.new", path);
	if (write_to(platform, fresh, put, &why) && platform->rename_file(fresh, name, &why))
		written = true;
	else
		complain(path, why);
}

static bool is_port(const struct options *o)
{
	return !strcmp(o->report, "memory") || !strcmp(o->report, "e9");
}

static bool is_screen(const struct options *o)
{
	return !strcmp(o->report, "qr");
}

void report_out_begin(const struct platform *platform, const struct options *o, const char *cpu)
{
	no_folder = NULL;
	written = false;
	sent = NULL;
	in_codes = false;
	if (o->own && platform->own)
		no_folder = "own=full leaves no firmware to write files";
	else if (strcmp(o->report, "none") && !is_port(o) && !is_screen(o))
		run_folder_make(platform, o->report, cpu, &no_folder);
}

bool report_out_keep(const struct platform *platform, const struct options *o)
{
	const char *why;

	if (!strcmp(o->report, "none") || is_port(o))
		return true;
	if (run_folder())
		return !complaint;
	return !is_screen(o) && platform->send_report && platform->send_report(report_json, true, &why);
}

/* On screens that are ours: what a shell shows goes on. */
static bool may_show(const struct platform *platform)
{
	return platform->make_codes && !platform->from_shell;
}

static void make_codes(const struct platform *platform, const char **why)
{
	*why = "there is no screen for QR codes";
	if (platform->make_codes)
		sent = platform->make_codes(report_json, why);
	in_codes = sent;
}

/* Where there is no folder. */
static void send_out(const struct platform *platform, const struct options *o, bool over)
{
	const char *why;

	if (is_screen(o)) {
		make_codes(platform, &no_folder);
		return;
	}
	if (platform->send_report)
		sent = platform->send_report(report_json, over, &no_folder);
	else
		complain(o->report, no_folder);
	if (over && !sent && may_show(platform))
		make_codes(platform, &why);
}

void report_out(const struct platform *platform, const struct options *o, bool over)
{
	bool memory = !strcmp(o->report, "memory");

	if (!strcmp(o->report, "none") || ((is_port(o) || is_screen(o)) && !over))
		return;
	if (is_port(o) && !identity_emulated()) {
		complain(o->report, "this is no emulator, and only those have such a port");
	} else if (is_port(o)) {
		debug_write(NULL, STX, 1);
		report_json(memory ? debug_tell : debug_write, NULL);
		debug_write(NULL, ETX, 1);
	} else if (run_folder()) {
		write_out(platform, "report.json", report_json);
		write_out(platform, "report.txt", put_text);
	} else {
		send_out(platform, o, over);
	}
	console_flush_screen();
}

const char *report_out_place(void)
{
	return complaint ? NULL : run_folder();
}

void report_out_close(const struct options *o)
{
	if (is_port(o) && !complaint)
		return; /* who reads the port knows */
	if (in_codes || ((written || sent) && !complaint))
		console_text("report: %s%s\n", sent ? "" : "in ", sent ? sent : run_folder());
	else if (written)
		console_text("report: not all of it could be written (%s); what could is in %s\n", complaint,
			     run_folder());
	else if (complaint || no_folder)
		console_text(
			"report: none could be written (%s): keep this screen, or the serial line's text\n",
			complaint ? complaint : no_folder);
	else
		console_text("report: none was written\n");
}

void report_out_show(const struct platform *platform, bool for_ever)
{
	if (in_codes)
		platform->show_codes(for_ever);
}
