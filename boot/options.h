/*
 * Options: key=value tokens from the command line and from \assay\assay.cfg; the command line wins.
 */
#ifndef BOOT_OPTIONS_H
#define BOOT_OPTIONS_H

#include "boot/platform.h"
#include "tests/check.h"

#include <stdbool.h>
#include <stddef.h>

#define OPTION_TEXT_MAX 128

struct options {
	char pmu[OPTION_TEXT_MAX];    /* "auto", a driver's name, "virtual" or "virtual:PROFILE" */
	char suite[OPTION_TEXT_MAX];  /* globs, comma-separated; "all" is every suite */
	char kernel[OPTION_TEXT_MAX]; /* globs; "core" is the default selection */
	char event[OPTION_TEXT_MAX];
	char inject[OPTION_TEXT_MAX];
	char report[OPTION_TEXT_MAX]; /* path without extension, "none", or "e9" for port E9H */
	uint64_t n;
	unsigned reps;
	uint64_t seed;
	enum exit_mode exit;
	bool verbose;
	bool x2apic;
	uint16_t serial;
	bool hpet;
};

struct option_error {
	char text[192]; /* one line: what, where ("command line, token 2", "assay.cfg:7:3"), what to do */
};

void options_default(struct options *o);

/**
 * Parse one source of options into *o.
 * @param where "command line" or "assay.cfg"; lines and columns are counted for files
 * @return false at the first bad token, with *error; *o keeps what was valid before it
 */
bool options_parse(struct options *o, const char *text, size_t size, const char *where, struct option_error *error);

#endif
