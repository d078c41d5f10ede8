/*
 * What the files that read event strings share: grammar_parse.c (names), grammar_attributes.c (modifiers,
 * unit masks, counters) and grammar_raw.c (selectors and fields as numbers).
 */
#ifndef PMU_EVENTS_GRAMMAR_PARSER_H
#define PMU_EVENTS_GRAMMAR_PARSER_H

#include "pmu/events/grammar_internal.h"

#include <ctype.h>
#include <string.h>

#define LIST_MAX 100 /* unit masks in an error's text, with what stands before them */

struct parser {
	const struct pmu *pmu;
	const struct event_grammar *grammar;
	const char *text;
	struct event_error *error;
	struct event_request request;
	uint32_t given; /* bit per modifier of the table */
};

/** Say what is wrong at a place of the text. @return false */
bool parser_fail(struct parser *p, const char *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** Whether a string that holds one event ends here. */
static inline bool parser_ends(char c)
{
	return !c || isspace((unsigned char)c);
}

static inline bool parser_is_word(const char *from, const char *end, const char *word)
{
	return word && strlen(word) == (size_t)(end - from) && !strncasecmp(from, word, (size_t)(end - from));
}

/** Rows that can be asked for: those of which nothing is known but name and code too. */
static inline unsigned parser_n_rows(const struct parser *p)
{
	return p->pmu->n_events + p->pmu->n_unexplained;
}

static inline const char *parser_row_name(const struct parser *p, unsigned i)
{
	return p->pmu->events[i]->name;
}

/** No level is every level. */
static inline bool parser_finish(struct parser *p)
{
	if (!p->request.config.levels)
		p->request.config.levels = LEVELS_ALL;
	return true;
}

/** Digits at *at, which moves behind them. @return false if there are none, or the number exceeds 64 bits */
bool parser_hex(const char **at, uint64_t *value, unsigned base);

/** The same of a number, which is hexadecimal behind "0x". */
bool parser_number(const char **at, uint64_t *value);

void parser_set_field(struct pmu_config *config, const struct event_modifier *m, uint64_t value);

/** All modifiers, by Assay's names or by perf's, for an error's text. */
void parser_list_modifiers(const struct parser *p, bool perf, char *out, size_t size);

/** NULL if none is called so. */
const struct event_modifier *parser_find_modifier(const struct parser *p, const char *from, const char *end,
						  bool perf);

/** "=value" or nothing, for modifier m whose name starts at `from`. */
bool parser_take_value(struct parser *p, const char *from, const char **at, const struct event_modifier *m);

/** perf's way to say several switches at once: "uk". *taken is false if a letter is no switch. */
bool parser_take_letters(struct parser *p, const char *from, const char *end, bool *taken);

/** The unit masks of the event that a name begins with; with a row, those that it can be joined with. @return
 * how many */
unsigned parser_list_siblings(const struct parser *p, const char *name, const struct pmu_event *row,
			      char *out, size_t size);

/** Everything behind the event: ":attribute" again and again, then the counter. */
bool parser_take_attributes(struct parser *p, const char *at);

/** "r" and a selector's digits; two registers with '/' between them; fields with '/' around them. */
bool parser_is_raw(const char *text);
bool parser_raw(struct parser *p, const char *text);
bool parser_is_halves(const struct parser *p, const char *text);
bool parser_halves(struct parser *p, const char *text);
bool parser_fields(struct parser *p, const char *text);

#endif
