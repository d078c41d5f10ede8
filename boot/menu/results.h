/*
 * The results on a screen, after a run: sorted by verdict, each with its detail.
 */
#ifndef BOOT_MENU_RESULTS_H
#define BOOT_MENU_RESULTS_H

#include "boot/menu/terminal.h"

#include <stdbool.h>
#include <stdint.h>

#define RESULTS_TEXT 160
#define RESULTS_BARS 24

struct results_about {
	const char *heading;
	const char *place;   /* the folder of the report; NULL: there is none */
	const char *leaving; /* what Esc does; NULL: it does nothing, this is the end */
};

/** Show them, until somebody leaves. */
void menu_results(struct terminal *t, const struct results_about *about);

/* --- the model: no screen is needed for it ---------------------------------------------------------- */

enum results_order { RESULTS_WORST_FIRST, RESULTS_AS_RUN, RESULTS_ORDERS };

/** Numbers of the checks in this order, with `bad` only those that are off. @return how many */
unsigned results_sort(enum results_order order, bool bad, unsigned *out, unsigned max);

/** One bar of a histogram. */
struct results_bar {
	int64_t value;
	unsigned frequency;
};

/** One observation of a check's record. */
struct results_seen {
	uint64_t n;
	int64_t low, high; /* what was expected ... */
	bool bounded;      /* ... if anything was */
	unsigned bars;
	struct results_bar bar[RESULTS_BARS];
	unsigned left_out; /* values beyond those */
};

/** The next of a check's observations.
 * @param at where the list of them goes on in its record; at first, behind its opening bracket
 * @return where it goes on behind that; NULL: there was none that is whole */
const char *results_next(const char *at, struct results_seen *out);

#endif
