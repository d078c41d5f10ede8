/*
 * Lines of the text stream that are broken between words.
 */
#ifndef TESTS_REPORT_WRAPPED_H
#define TESTS_REPORT_WRAPPED_H

#define TABLE_COLUMNS 79 /* of a screen with 80, so that none of them wraps */

/** Print a text, indented, no line longer than TABLE_COLUMNS; from the second line on it is indented by two
 * more. A word that does not fit into a line is not broken. */
void wrapped(const char *indent, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
