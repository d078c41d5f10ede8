/*
 * Tokens of options and of assay.cfg: key=value, and [section] headers. One reader for all who give them
 * meaning.
 */
#ifndef BOOT_TOKENS_H
#define BOOT_TOKENS_H

#include "boot/option_error.h"

#include <stdbool.h>
#include <stddef.h>

#define TOKEN_TEXT_MAX 512

struct source {
	const char *at, *end;
	const char *where; /* "command line" or the file's name */
	bool is_file;      /* places are lines and columns (from 1, in bytes), not numbers of tokens */
	unsigned line, token;
	const char *line_start;
	struct option_error *error;
};

struct token {
	const char *start;
	unsigned line, column;      /* of start */
	char key[32];               /* of a pair */
	char value[TOKEN_TEXT_MAX]; /* without quotes; of a section: what stands between the brackets */
	const char *value_at;       /* of a pair: its first byte, the quote if there is one */
};

enum token_kind { TOKEN_END, TOKEN_BAD, TOKEN_PAIR, TOKEN_SECTION };

/** Begin to read. @return false if it is no text, with *error */
bool source_open(struct source *s, const char *text, size_t size, const char *where,
		 struct option_error *error);

/** The next token. TOKEN_BAD: *s->error says what is wrong. */
enum token_kind token_next(struct source *s, struct token *t);

/** Put "where: message" for the byte `at` into *s->error. @return false */
bool token_fail(const struct source *s, const char *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
