/*
 * Metrics that a person defines: an expression over the counts of an experiment, such as instructions for
 * each cycle. Numbers are exact fractions; nothing is rounded before it is shown.
 *
 * Words of an expression stand between blanks or parentheses: + - * /, numbers (12, 0.5), #1 for the first
 * event of events=, clock_name for the
 * clock, or an event as it is written in events=.
 */
#ifndef TESTS_MEASURE_METRIC_H
#define TESTS_MEASURE_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define METRIC_NAME  24
#define METRIC_TERMS 32
#define METRIC_CLOCK 0xff    /* an operand: the clock's ticks */
#define METRIC_UNIT  1000000 /* shown are millionths */

/** A fraction in lowest terms, .den above 0; .den 0: it is not defined, or its terms do not fit 64 bits. */
struct ratio {
	int64_t num, den;
};

/** All that a value can be. */
struct ratio_range {
	struct ratio low, high;
};

/** A metric, its expression in postfix form. */
struct metric {
	char name[METRIC_NAME];
	const char *expression; /* as it is written, in the text that was parsed */
	unsigned n_terms;
	struct metric_term {
		char kind; /* '+', '-', '*', '/'; 'n': a number, 'e': an operand */
		uint8_t operand;
		struct ratio number;
	} term[METRIC_TERMS];
};

/** The operand that a word means. @return false: there is none */
typedef bool metric_resolve(void *ctx, const char *word, size_t length, uint8_t *operand);

/**
 * Parse "NAME = EXPRESSION".
 * @param resolve asked for each word that is no number and no operator
 * @param why     gets what is wrong, and what would be right
 * @return NULL, or the place in the text where it is wrong
 */
const char *metric_parse(const char *text, metric_resolve *resolve, void *ctx, struct metric *out, char *why,
			 size_t size);

/** The value, from ranges of the operands: value() gives that of one. An exact one has equal ends. Not
 * defined: .low.den is 0. */
struct ratio_range metric_value(const struct metric *m,
				struct ratio_range (*value)(void *ctx, uint8_t operand), void *ctx);

/** Millionths of a fraction that is defined, towards minus infinity. @return false: they do not fit 64 bits
 */
bool ratio_millionths(struct ratio r, int64_t *out);

struct ratio ratio_of(int64_t number);

/** Whether a word means the clock. */
bool metric_is_clock(const char *word, size_t length);

#endif
