/* The report's files, piece by piece, on a platform whose files fail where they are told to. */
#include "boot/report_out.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "boot/platform.h"
#include "tests/self/host/support/fake_machine.h"
#include "tests/self/host/support/report_run.h"

#define FILE_MAX (1u << 22)

/* Two files that are written, and the names that they are given in the end. */
static struct file {
	char path[96], name[32], *text;
	size_t size;
	unsigned writes;
	bool open, closed, removed;
} files[2];
static char folder[96];
static const char *refuse_folder;                                /* why none is made */
static unsigned opened, refuse_open, refuse_write, refuse_close; /* that of this number, from 1; 0: none */
static unsigned writes, renamed, refuse_rename;

static bool make_folder(const char *path, const char **why)
{
	*why = refuse_folder;
	snprintf(folder, sizeof folder, "%s", path);
	return !refuse_folder;
}

static void *open_file(const char *path, const char **why)
{
	struct file *f = &files[opened++ % 2];

	if (opened == refuse_open) {
		*why = "volume is write-protected";
		return NULL;
	}
	*f = (struct file){.text = f->text, .open = true};
	snprintf(f->path, sizeof f->path, "%s", path);
	return f;
}

static bool write_file(void *file, const void *data, size_t size, const char **why)
{
	struct file *f = file;

	assert_true(f->open && f->size + size <= FILE_MAX);
	if (++writes == refuse_write) {
		*why = "volume is full";
		return false;
	}
	memcpy(f->text + f->size, data, size);
	f->size += size;
	f->writes++;
	return true;
}

static bool close_file(void *file, const char **why)
{
	struct file *f = file;

	assert_true(f->open);
	f->open = false;
	f->closed = true;
	*why = "device error";
	return opened != refuse_close;
}

static struct file *by_path(const char *path)
{
	for (unsigned i = 0; i < 2; i++)
		if (!strcmp(files[i].path, path))
			return &files[i];
	return NULL;
}

static bool rename_file(const char *path, const char *name, const char **why)
{
	struct file *f = by_path(path);

	assert_true(f && f->closed && !f->removed);
	*why = "access denied";
	if (++renamed == refuse_rename)
		return false;
	snprintf(f->name, sizeof f->name, "%s", name);
	return true;
}

static void remove_file(const char *path)
{
	struct file *f = by_path(path);

	assert_true(f && f->closed);
	f->removed = true;
}

static const struct platform platform = {
	.make_folder = make_folder,
	.open_file = open_file,
	.write_file = write_file,
	.close_file = close_file,
	.rename_file = rename_file,
	.remove_file = remove_file,
};

static void write_out(const char *to)
{
	struct options o;

	options_default(&o);
	snprintf(o.report, sizeof o.report, "%s", to);
	opened = writes = renamed = 0;
	for (unsigned i = 0; i < 2; i++)
		files[i] = (struct file){.text = files[i].text};
	folder[0] = 0;
	report_out_begin(&platform, &o, "TheVendor-6-F-B");
	report_out(&platform, &o, false);
}

#define FOLDER "\\assay\\mine\\0001-TheVendor-6-F-B"

/* The last line of a run begins with one thing and has another. */
static bool closing(const char *begins, const char *has)
{
	size_t before = strlen(fake_console_text());
	struct options o;

	options_default(&o);
	report_out_close(&o);
	return !strncmp(fake_console_text() + before, begins, strlen(begins)) &&
	       strstr(fake_console_text() + before, has);
}

static void both_files_hold_all_of_it(void **state)
{
	char *json;
	size_t size;

	(void)state;
	mixed_run(true);
	for (unsigned i = 0; i < 3000; i++)
		report_value("noise", "a value", "17", "counts");
	report_end(true);
	json = json_of(&size);
	write_out("\\assay\\mine");
	assert_int_equal(opened, 2);
	assert_string_equal(folder, FOLDER);
	assert_string_equal(files[0].path, FOLDER "\\report.json.new");
	assert_string_equal(files[0].name, "report.json");
	assert_string_equal(files[1].path, FOLDER "\\report.txt.new");
	assert_string_equal(files[1].name, "report.txt");
	assert_string_equal(report_out_place(), FOLDER);
	assert_int_equal(files[0].size, size);
	assert_memory_equal(files[0].text, json, size);
	assert_int_equal(files[1].size, strlen(fake_console_text()));
	assert_memory_equal(files[1].text, fake_console_text(), files[1].size);
	/* In few calls, as each takes its time, and closed. */
	assert_in_range(size, 200000, FILE_MAX);
	assert_in_range(files[0].writes, 2, size / 30000 + 1);
	assert_true(files[0].closed && files[1].closed);
	assert_null(strstr(fake_console_text(), "cannot write"));
	assert_true(closing("report: in ", FOLDER "\n"));
	free(json);
}

static void none_is_none(void **state)
{
	(void)state;
	begin(false);
	write_out("none");
	assert_int_equal(opened, 0);
	assert_string_equal(folder, "");
	/* Of an emulator's port only when the run is over. */
	write_out("e9");
	write_out("memory");
	assert_int_equal(opened, 0);
}

/* It is said once, whatever else cannot be written. */
static void trouble_is_said_once(void **state)
{
	static const struct {
		unsigned *what, number;
		const char *said;
	} cases[] = {{&refuse_write, 1, "report: cannot write " FOLDER "\\report.json: volume is full; "},
		     {&refuse_write, 3, NULL},
		     {&refuse_open, 1, NULL},
		     {&refuse_rename, 1, NULL},
		     {&refuse_close, 2, NULL}};

	(void)state;
	begin(false);
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		size_t before = strlen(fake_console_text());

		*cases[i].what = cases[i].number;
		write_out("\\assay\\mine");
		*cases[i].what = 0;
		assert_int_equal(strstr(fake_console_text() + before, "cannot write") != NULL,
				 cases[i].said != NULL);
		if (cases[i].said)
			assert_non_null(strstr(fake_console_text() + before, cases[i].said));
		for (unsigned f = 0; f < 2;
		     f++) /* also what could not be written is closed, and leaves no room taken */
			assert_true(!files[f].open && (!files[f].closed || files[f].name[0] ||
						       files[f].removed || cases[i].what == &refuse_rename));
		assert_int_equal(opened, 2); /* the other file is tried all the same */
		assert_null(report_out_place());
	}
}

/* Each by itself, in a process whose first trouble it is. */
static void each_trouble_is_said(void **state)
{
	static const struct {
		unsigned *what, number;
		const char *said;
	} cases[] = {
		{&refuse_open, 1, "report: cannot write " FOLDER "\\report.json: volume is write-protected"},
		{&refuse_open, 2, "report: cannot write " FOLDER "\\report.txt: volume is write-protected"},
		{&refuse_write, 1, "report: cannot write " FOLDER "\\report.json: volume is full"},
		{&refuse_write, 2, "report: cannot write " FOLDER "\\report.txt: volume is full"},
		{&refuse_close, 1, "report: cannot write " FOLDER "\\report.json: device error"},
		{&refuse_close, 2, "report: cannot write " FOLDER "\\report.txt: device error"},
		{&refuse_rename, 1, "report: cannot write " FOLDER "\\report.json: access denied"},
		{&refuse_rename, 2, "report: cannot write " FOLDER "\\report.txt: access denied"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		int status = 0;
		pid_t child = fork();

		assert_int_not_equal(child, -1);
		if (!child) {
			begin(false);
			*cases[i].what = cases[i].number;
			write_out("\\assay\\mine");
			_exit(strstr(fake_console_text(), cases[i].said) && !files[0].open &&
					      !files[1].open &&
					      closing("report: not all of it could be written (", FOLDER)
				      ? 0
				      : 1);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		if (status)
			print_error("not said: %s\n", cases[i].said);
		assert_int_equal(status, 0);
	}
}

/* Without a folder no file is touched. */
static void no_folder_no_file(void **state)
{
	int status = 0;
	pid_t child = fork();

	(void)state;
	assert_int_not_equal(child, -1);
	if (!child) {
		begin(false);
		refuse_folder = "volume is full";
		write_out("\\assay\\mine");
		_exit(strstr(fake_console_text(),
			     "report: cannot write \\assay\\mine: volume is full; the results are "
			     "on the screen and the serial line") &&
				      !opened && !report_out_place() &&
				      closing("report: none could be written (volume is full)", "")
			      ? 0
			      : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* What is written there on a machine that is none reaches nobody knows what. */
static void only_emulators_have_a_port(void **state)
{
	int status = 1;
	pid_t child = fork();

	(void)state;
	assert_int_not_equal(child, -1);
	if (!child) {
		struct options o;

		begin(false);
		options_default(&o);
		strcpy(o.report, "e9");
		fake_machine_is_real = true;
		report_out(&platform, &o, true);
		_exit(!strstr(fake_console_text(), "report: cannot write e9: this is no emulator"));
	}
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
}

static unsigned sendings;
static bool sending_works;

static const char *send_report(bool (*put)(text_sink *sink, void *to), bool over, const char **why)
{
	(void)over, (void)why;
	assert_ptr_equal(put, report_json);
	sendings++;
	return sending_works ? "somewhere" : NULL;
}

static bool keeps(const char *to, const struct platform *where)
{
	struct options o;

	options_default(&o);
	snprintf(o.report, sizeof o.report, "%s", to);
	return report_out_keep(where, &o);
}

/* In a process of its own: what could not be written once is not forgotten. */
static bool by_itself(bool (*good)(void))
{
	int status;
	pid_t child = fork();

	if (!child)
		_exit(!good());
	waitpid(child, &status, 0);
	return !status;
}

static bool keeps_in_folder_or_sends(void)
{
	const struct platform sender = {.make_folder = make_folder, .send_report = send_report};
	bool good;

	write_out("none");
	good = keeps("none", &platform);
	write_out("\\assay\\mine");
	good &= keeps("\\assay\\mine", &platform) && !sendings;
	refuse_folder = "no volume";
	write_out("\\assay\\mine");
	good &= !keeps("\\assay\\mine", &platform) && !keeps("\\assay\\mine", &sender) && sendings == 1;
	sending_works = true;
	good &= keeps("\\assay\\mine", &sender) && sendings == 2;
	return good && keeps("none", &sender) && keeps("memory", &sender) && sendings == 2;
}

/* A folder that not all of it got into does not keep it. */
static bool keeps_no_part(void)
{
	refuse_write = 1;
	write_out("\\assay\\mine");
	return !keeps("\\assay\\mine", &platform);
}

static void kept_before_a_hang(void **state)
{
	(void)state;
	assert_true(by_itself(keeps_in_folder_or_sends));
	assert_true(by_itself(keeps_no_part));
}

static unsigned made, shown;
static const char *no_codes;

static const char *make_codes(bool (*put)(text_sink *sink, void *to), const char **why)
{
	assert_ptr_equal(put, report_json);
	made++;
	*why = no_codes;
	return no_codes ? NULL : "as codes";
}

static void show_codes(bool for_ever)
{
	assert_true(for_ever);
	shown++;
}

/* @return whether the report was shown, as the last way, and the last line begins with these words */
static bool shows(struct platform where, const char *to, const char *says)
{
	struct options o;

	options_default(&o);
	snprintf(o.report, sizeof o.report, "%s", to);
	where.show_codes = show_codes;
	made = shown = 0;
	report_out_begin(&where, &o, "TheVendor-6-F-B");
	report_out(&where, &o, false);
	if (made)
		return false; /* codes cannot be made again */
	report_out(&where, &o, true);
	if (!closing(says, ""))
		print_error("%s\n", fake_console_text());
	if (!closing(says, ""))
		return false;
	report_out_show(&where, true);
	return shown;
}

static bool shows_what_nothing_keeps(void)
{
	struct platform screen = {.make_folder = make_folder, .make_codes = make_codes}, sender = screen;
	bool good;

	sender.send_report = send_report;
	refuse_folder = "no volume";
	good = shows(screen, "\\assay\\mine", "report: as codes") &&
	       shows(sender, "\\assay\\mine", "report: as codes");
	good &= shows(screen, "qr", "report: as codes") && shows(sender, "qr", "report: as codes");
	sending_works = true;
	good &= !shows(sender, "\\assay\\mine", "report: somewhere") && !made;
	good &= !keeps("qr", &sender); /* they would be gone with the machine */
	sending_works = false;
	no_codes = "no screen";
	good &= !shows(sender, "\\assay\\mine", "report: none could be written (no volume)") && made;
	good &= !shows(screen, "qr", "report: none could be written (no screen)") && made;
	screen.from_shell = true;
	no_codes = NULL;
	good &= shows(screen, "qr", "report: as codes") &&
		!shows(screen, "\\assay\\mine", "report: none could be written (no volume)") && !made;
	return good;
}

static const char *own(void)
{
	return NULL;
}

static bool makes_no_folder_without_firmware(void)
{
	const struct platform owned = {.make_folder = make_folder, .own = own};
	struct options o;
	bool good;

	options_default(&o);
	o.own = true;
	folder[0] = 0;
	report_out_begin(&owned, &o, "TheVendor-6-F-B");
	good = !folder[0] &&
	       closing("report: none could be written", "own=full leaves no firmware to write files");
	report_out_begin(&platform, &o, "TheVendor-6-F-B");
	return good && folder[0];
}

/* Firmware that is to end makes no folder, which would stay empty. */
static void no_folder_without_firmware(void **state)
{
	(void)state;
	assert_true(by_itself(makes_no_folder_without_firmware));
}

static void shown_where_nothing_keeps_it(void **state)
{
	const struct platform blind = {.make_folder = make_folder};

	(void)state;
	assert_true(by_itself(shows_what_nothing_keeps));
	assert_false(shows(blind, "qr", "report: none could be written (there is no screen for QR codes)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_folder_without_firmware),
		cmocka_unit_test(shown_where_nothing_keeps_it),
		cmocka_unit_test(kept_before_a_hang),
		cmocka_unit_test(both_files_hold_all_of_it),
		cmocka_unit_test(none_is_none),
		cmocka_unit_test(no_folder_no_file),
		cmocka_unit_test(each_trouble_is_said),
		cmocka_unit_test(only_emulators_have_a_port),
		cmocka_unit_test(trouble_is_said_once),
	};
	int failures;

	files[0].text = malloc(FILE_MAX);
	files[1].text = malloc(FILE_MAX);
	failures = cmocka_run_group_tests(tests, NULL, NULL);
	free(files[0].text);
	free(files[1].text);
	return failures;
}
