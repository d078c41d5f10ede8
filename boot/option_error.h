/*
 * What reading options and sections of assay.cfg have in common: how long a text may be, and what is wrong
 * with one.
 */
#ifndef BOOT_OPTION_ERROR_H
#define BOOT_OPTION_ERROR_H

#define OPTION_TEXT_MAX 128

struct option_error {
	char text[256]; /* one line: what, where ("command line, token 2", "assay.cfg:7:3"), what to do */
};

#endif
