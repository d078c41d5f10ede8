/*
 * What the files that write the JSON document share: document.c (suites, and the document as a whole),
 * document_machine.c (what was found) and document_measured.c (shares, attributions, experiments).
 */
#ifndef TESTS_REPORT_DOCUMENT_PARTS_H
#define TESTS_REPORT_DOCUMENT_PARTS_H

#include "tests/report/internal.h"
#include "tests/report/json.h"

/** Its parts, in their order. */
struct document {
	struct json head, notes, processors, pmus, snapshots, values, facts, errata, shares, attributions,
		experiments, suites;
	bool suite_open; /* what was begun last of the suites has no end yet ... */
	bool suite_lost; /* ... and is not the suite that results come from, whose beginning had no room */
	bool several;    /* what follows is this processor's: */
	unsigned number;
};

extern struct document document;

/** Let go of every part. */
void document_free(void);

/** Take back what was written since the mark, if there was no room for all of it. @return whether there was
 */
bool document_keep(struct json *j, const struct json_mark *mark);

/** Whose it is, if there are several. */
void document_add_processor(struct json *j);

/** @param bounds whether they were judged: then with what was expected */
void document_add_observation(struct json *j, const struct observation *o, bool bounds);

#endif
