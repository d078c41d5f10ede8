/*
 * Why something cannot be: one line, in the room of whoever asks. Nobody else keeps it.
 *
 * Example:
 *
 *     struct reason why;
 *     if (!vpmu_create("intel-skylake", "", &why))
 *         report_note(why.line);
 */
#ifndef PMU_CONTRACT_REASON_H
#define PMU_CONTRACT_REASON_H

#include <stdbool.h>

#define REASON_SIZE 1000 /* longer ones are cut; the names of all profiles have room in it */

struct reason {
	const char *line;       /* .text, or a text that stays */
	char text[REASON_SIZE]; /* what was made for this occasion */
};

/** Make a reason as printf() does. @return false, so that who gives it can return that */
bool reason_give(struct reason *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
