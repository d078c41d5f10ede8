/*
 * Words for privilege levels, made of their names (arch/levels.h).
 */
#ifndef TESTS_REPORT_LEVEL_WORDS_H
#define TESTS_REPORT_LEVEL_WORDS_H

/** What the names of all privilege levels begin with, "ring"; "level" if they have no word in common. */
const char *level_heading(void);

/** The name of a level without that word, for a column below it: "ring 3" -> "3". NULL for NULL. */
const char *level_brief(const char *name);

#endif
