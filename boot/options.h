/*
 * Options: key=value tokens from the command line and from \assay\assay.cfg; the command line wins.
 */
#ifndef BOOT_OPTIONS_H
#define BOOT_OPTIONS_H

#include "arch/machine.h"
#include "boot/option_error.h"
#include "boot/platform.h"
#include "tests/measure/experiment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What list= names, in its order. */
enum list_what { LIST_NONE, LIST_SUITES, LIST_KERNELS, LIST_EVENTS, LIST_INJECTIONS, LIST_OPTIONS };

struct options {
	char pmu[OPTION_TEXT_MAX];    /* "auto", a driver's name, "virtual" or "virtual:PROFILE" */
	char suite[OPTION_TEXT_MAX];  /* globs, comma-separated; "all" is every suite */
	char kernel[OPTION_TEXT_MAX]; /* globs; "core" is the default selection */
	char event[OPTION_TEXT_MAX];
	char check[OPTION_TEXT_MAX]; /* of the suites control and selftest */
	char scan[OPTION_TEXT_MAX];  /* ranges of encodings: tests/measure/scan_range.h */
	char inject[OPTION_TEXT_MAX];
	char cpus[OPTION_TEXT_MAX];   /* boot/cores.h */
	char report[OPTION_TEXT_MAX]; /* a folder's path, "none", "qr", "e9" or "memory": report_out.h */
	uint64_t n;
	unsigned reps;
	uint64_t seed;
	unsigned courage; /* enum courage */
	bool dangerous;   /* what can hang a machine is tried, too */
	bool own;         /* firmware's services end before anything is measured */
	bool workaround;  /* errata are worked around where the driver can */
	enum exit_mode exit;
	unsigned menu; /* seconds that it waits, 0: there is none */
	enum list_what list;
	bool verbose;
	bool registers;
	uint64_t setting[MACHINE_SETTINGS_MAX]; /* by the order of machine_settings[] (arch/machine.h) */
	char elsewhere[OPTION_TEXT_MAX]; /* settings that only other instruction sets have, as "NAME=VALUE ...":
					  * kept for them, of no effect here */
};

enum option_kind {
	OPTION_TEXT,   /* printable characters, at most OPTION_TEXT_MAX - 1 */
	OPTION_NUMBER, /* decimal, or hexadecimal after 0x */
	OPTION_CHOICE, /* one word of a list; stored as its index */
	OPTION_LIST,   /* a struct option_list; given again, it grows */
	OPTION_LINES,  /* likewise, and each value is one item, blanks and commas included */
};

/** One option: everything there is to know about it. */
struct option_row {
	const char *name;
	enum option_kind kind;
	size_t offset, size; /* of its field in struct options */
	uint64_t low, high;  /* OPTION_NUMBER: inclusive */
	const char *choices; /* OPTION_CHOICE: "shutdown|return|halt" */
	/** OPTION_TEXT with a syntax of its own. @return NULL, or what the value should look like; may be
	 * NULL. */
	const char *(*syntax)(const char *value);
	const char *initial; /* default, as it would be written; NULL: none, the field is left alone */
	const char *help;
};

/** Every option, those that machine_settings[] has among them; name NULL ends. */
const struct option_row *option_rows(void);

/** The value of a setting of the instruction set; 0 if it has none of this name. */
uint64_t options_setting(const struct options *o, const char *name);

void options_default(struct options *o);

/**
 * Parse one source of options into *o: key=value tokens between blanks and line ends (LF, CR LF, CR). A token
 * that starts with
 * '#' and the rest of its line are a comment. A value may stand in double quotes, then blanks are part of it;
 * a quote cannot be part of a value. The last of several tokens with one key wins. A UTF-8 byte order mark is
 * skipped; beyond ASCII, bytes are welcome in comments only. Sections ("[...]") are refused. A setting of
 * another instruction set goes into o->elsewhere if its value is one for it.
 * @param where "command line" or "assay.cfg"; lines and columns (from 1, in bytes) are counted for files
 * @return false at the first bad token, with *error; *o keeps what was valid before it
 */
bool options_parse(struct options *o, const char *text, size_t size, const char *where,
		   struct option_error *error);

/**
 * All options as one line of tokens that options_parse() accepts and that gives the same *o; NUL-terminated.
 * @return length without the NUL; size >= OPTIONS_LINE_MAX is always enough, less cuts the line
 */
size_t options_format(const struct options *o, char *line, size_t size);

/** One option's value as it would be written. @return its length, cut to size */
size_t option_format(const struct options *o, const struct option_row *r, char *out, size_t size);

#define OPTIONS_LINE_MAX 1792

struct source;
struct token;

/* The same for other tables of keys than option_rows, and other objects than struct options: boot/tokens.h
 * reads their tokens. */
const struct option_row *option_row_by_name(const struct option_row *rows, const char *name);
void option_defaults(const struct option_row *rows, void *object);

/** Give one key=value pair to an object. @return false with s->error if there is no such key or the value is
 * none for it */
bool option_take(const struct option_row *rows, void *object, const struct source *s, const struct token *t);

#endif
