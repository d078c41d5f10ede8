/*
 * What an entry (UEFI, direct start, later others) offers to the run; everything else is the same for all of
 * them.
 */
#ifndef BOOT_PLATFORM_H
#define BOOT_PLATFORM_H

#include "arch/machine.h"
#include "tests/report/sink.h"

#include <stdbool.h>
#include <stddef.h>

/** What read_file() says of a file that is not there, or of a platform without files. */
#define PLATFORM_NOT_FOUND "not found"

/** What make_folder() says of one that is there already. */
#define PLATFORM_EXISTS "exists"

enum exit_mode { EXIT_SHUTDOWN, EXIT_RETURN, EXIT_HALT, EXIT_AUTO };

#define PLATFORM_FILE_NAME 96

struct terminal;

struct platform_file {
	char name[PLATFORM_FILE_NAME]; /* without directory; longer ones are left out */
	uint64_t size;
};

struct platform {
	const char *name; /* "UEFI", "direct" */
	struct boot_info boot;
	char *command_line; /* options that the starter gave, "" if none */
	const char *date;   /* when it began, "2026-11-23 12:29:48"; NULL: firmware has no clock */

	/** Write to the firmware's screen; NULL if there is none. */
	void (*screen)(const char *text, size_t size);

	/** Clear it; NULL if there is none. */
	void (*clear_screen)(void);

	/** A shell started it, which shows its text on. */
	bool from_shell;

	/** Where a menu can be; NULL: nowhere. */
	struct terminal *terminal;

	/** Find the framebuffer again: a menu may have changed what it is like. NULL: it cannot have. */
	void (*look_at_screen)(void);

	/** End what firmware still does, for good: from then on the run alone has the machine, and files
	 * cannot be written. What is needed to read of \assay\events and \assay\code is read before. NULL: it
	 * has ended already, or there never was any. @return NULL, or why it does not end: nothing has
	 * changed */
	const char *(*own)(void);

	/** Return when a key is pressed; NULL: nobody can. */
	void (*wait_for_key)(void);

	/** Read a whole file into malloc()ed, NUL-terminated memory. @return false with *why ("not found",
	 * ...). */
	bool (*read_file)(const char *path, char **data, size_t *size, const char **why);

	/** The files of a directory, as firmware lists them; NULL: the platform has no files.
	 * @return how many were put into out, at most max; 0 if there is no such directory */
	unsigned (*list_files)(const char *directory, struct platform_file *out, unsigned max);

	/** Call with the name of each file and folder in a folder; names longer than PLATFORM_FILE_NAME are
	 * left out. */
	void (*each_name)(const char *directory, void (*each)(void *arg, const char *name), void *arg);

	/** What a run is called where folders cannot be listed; NULL: they can, and it has a number. */
	const char *run_name;

	/** Make a folder, and those that lead to it. @return false with *why: PLATFORM_EXISTS where it, or a
	 * file of its name, is there already */
	bool (*make_folder)(const char *path, const char **why);

	/** Where folders cannot be: begin a run of the CPU with this name in a place of its own, which the
	 * report goes into by send_report(); NULL: there is none. @return its number, and in *before that of
	 * the last run of a CPU of this name; 0: none */
	unsigned (*begin_run)(const char *cpu, unsigned *before);

	/** Put a line of its journal there, and read that of the run before: to be freed, NULL if it cannot
	 * be read. With begin_run() alone. */
	void (*add_note)(const char *line, size_t size);
	char *(*notes_before)(void);

	/** Replace a file's contents, from its first byte on; at no time is there no file. @return NULL with
	 * *why ("volume is write-protected", ...) */
	void *(*open_file)(const char *path, const char **why);

	/** The next bytes of it. @return false with *why */
	bool (*write_file)(void *file, const void *data, size_t size, const char **why);

	/** Cut it behind what was written; flushed to the medium when it returns. @return false with *why */
	bool (*close_file)(void *file, const char **why);

	/** Give a closed file another name in its folder, in place of the file that has it, which is removed
	 * first: at any time one of both is there, whole. @return false with *why */
	bool (*rename_file)(const char *path, const char *name, const char **why);

	/** Put bytes behind the end of a file, which is made if it is not there; flushed when it returns.
	 * It does not say what stood in the way. */
	void (*append_file)(const char *path, const void *data, size_t size);

	/** Remove a file, if it is there and may be removed. */
	void (*remove_file)(const char *path);

	/** Where files cannot be: send what `put` writes elsewhere; NULL: nowhere. Before the run is over it
	 * is only sent to where it can be written again.
	 * @return where, for the run's last line; NULL: there is no such place, and *why stays, or not all of
	 * it could be sent, and *why tells why */
	const char *(*send_report)(bool (*put)(text_sink *sink, void *to), bool over, const char **why);

	/** Make QR codes of what `put` writes, for the screen; NULL: it has no way to show them. As
	 * send_report(), and why is always told. */
	const char *(*make_codes)(bool (*put)(text_sink *sink, void *to), const char **why);

	/** Show those that were made, twice or until the machine is switched off (boot/sent/codes.h). */
	void (*show_codes)(bool for_ever);

	/** Leave for good. status: 0 nothing wrong, 1 something wrong, 2 could not run. EXIT_RETURN returns
	 * to the starter; EXIT_AUTO is not for it. */
	void (*leave)(enum exit_mode mode, int status);
};

/** The run from beginning to end, for any platform. @return the exit status; with EXIT_RETURN the entry hands
 * it on. */
int assay_main(struct platform *platform);

#endif
