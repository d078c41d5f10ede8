#include "boot/recovery.h"
#include "boot/journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Items that say the same are one. */
static void add(struct recovery *r, const struct left_out *item)
{
	for (unsigned i = 0; i < r->count; i++)
		if (r->item[i].processor == item->processor && r->item[i].step == item->step &&
		    !strcmp(r->item[i].place, item->place))
			return;
	if (r->count == LEFT_OUT_MAX) {
		r->full = true;
		return;
	}
	struct left_out *added = &r->item[r->count++];
	*added = *item;
	if (item->run)
		snprintf(added->why, sizeof added->why, "reset the machine (run %04u)", item->run);
	else
		snprintf(added->why, sizeof added->why, "reset the machine");
}

static bool take_number(const char **text, unsigned *out)
{
	char *end;
	unsigned long n = **text >= '0' && **text <= '9' ? strtoul(*text, &end, 10) : 0;

	if (**text < '0' || **text > '9' || *end != ' ')
		return false;
	*out = (unsigned)n;
	*text = end + 1;
	return true;
}

/* @return its place, in the line itself; NULL: it is no item's */
static const char *add_line(struct recovery *r, const char *line, size_t length)
{
	struct left_out item;
	const char *p = line;

	if (!take_number(&p, &item.run) || !take_number(&p, &item.processor) || !take_number(&p, &item.step))
		return NULL;
	length -= (size_t)(p - line);
	if (!length || length >= sizeof item.place)
		return NULL;
	memcpy(item.place, p, length);
	item.place[length] = 0;
	add(r, &item);
	return p;
}

/* What a line has behind these words; NULL: it begins otherwise. */
static const char *behind(const char *line, const char *words)
{
	size_t n = strlen(words);

	return strncmp(line, words, n) ? NULL : line + n;
}

/* What follows from the stage that a run ended in, as the journal has it. */
static void place_end(struct recovery *r, const char *where, size_t length)
{
	static const char on[] = " on processor ";
	const char *text;

	snprintf(r->where, sizeof r->where, "%.*s", (int)length, where);
	r->last[0] = r->stage[0] = 0;
	if (!(text = behind(r->where, JOURNAL_SUITE)))
		snprintf(r->stage, sizeof r->stage, "%.63s", r->where);
	else if (strstr(text, on))
		snprintf(r->last, sizeof r->last, "%.*s", (int)(strstr(text, on) - text), text);
}

/* The next of a line's parts, each of which has a tab behind it. */
static bool take_part(const char **text, const char *end, char *out, size_t size)
{
	const char *tab = memchr(*text, '\t', (size_t)(end - *text));

	if (!tab || (size_t)(tab - *text) >= size)
		return false;
	memcpy(out, *text, (size_t)(tab - *text));
	out[tab - *text] = 0;
	*text = tab + 1;
	return true;
}

static void read_before(struct recovery *r, const char *text, const char *end)
{
	r->broken = take_number(&text, &r->run) && take_number(&text, &r->again) &&
		    take_part(&text, end, r->last, sizeof r->last) &&
		    take_part(&text, end, r->stage, sizeof r->stage) &&
		    take_part(&text, end, r->where, sizeof r->where);
}

void recovery_before(const struct recovery *r, char line[LEFT_OUT_BEFORE])
{
	snprintf(line, LEFT_OUT_BEFORE, "%04u %u %s\t%s\t%s\t", r->run, r->again, r->last, r->stage,
		 r->where);
}

/* The last stage, and the items; whether the run came to its end. Of a start that was refused: what it knew.
 */
static void read_journal(struct recovery *r, const char *journal)
{
	struct recovery before = {0};
	const char *end, *hung = NULL;

	r->broken = true;
	for (const char *line = journal; *line; line = *end ? end + 1 : end) {
		const char *text;

		end = line + strcspn(line, "\n");
		if ((text = behind(line, JOURNAL_LEFT_OUT)))
			add_line(r, text, (size_t)(end - text));
		if ((text = behind(line, JOURNAL_MAY_HANG)))
			hung = text;
		if ((text = behind(line, JOURNAL_BEFORE)))
			read_before(&before, text, end);
		if (behind(line, JOURNAL_END))
			r->broken = false;
		if (behind(line, JOURNAL_REFUSED)) {
			r->broken = before.broken;
			r->run = before.run;
			r->again = before.again;
			memcpy(r->where, before.where, sizeof r->where);
			memcpy(r->last, before.last, sizeof r->last);
			memcpy(r->stage, before.stage, sizeof r->stage);
			return;
		}
		if (*line < '0' || *line > '9' || !(text = strstr(line, JOURNAL_STAGE)) || text > end)
			continue;
		text += strlen(JOURNAL_STAGE);
		place_end(r, text, (size_t)(end - text));
		hung = NULL;
	}
	if (hung) {
		hung = add_line(r, hung, strcspn(hung, "\n"));
		if (hung)
			place_end(r, hung, strcspn(hung, "\n"));
		r->stage[0] = 0;
	}
	if (r->stage[0] && !strcmp(r->stage, before.stage)) {
		r->again = before.again + 1;
		r->stuck = r->again >= RECOVERY_TRIES;
	}
}

static void read_list(struct recovery *r, const char *list)
{
	for (const char *line = list; *line;) {
		size_t length = strcspn(line, "\n");

		add_line(r, line, length);
		line += length + (line[length] == '\n');
	}
}

static void read_crumb(struct recovery *r, const struct breadcrumb *c)
{
	struct left_out item = {.run = c->run, .processor = c->processor, .step = c->step};
	char step[24] = "", written[64] = "";

	r->broken = true;
	r->stuck = false;
	r->run = c->run;
	r->last[0] = r->stage[0] = 0;
	if (c->step)
		snprintf(step, sizeof step, " #%u", c->step);
	if (c->written)
		snprintf(written, sizeof written, "; the register that was last written is %XH, with %#lx",
			 c->written, (unsigned long)c->written_value);
	snprintf(r->where, sizeof r->where, "%s%s%s%s", c->place, step,
		 c->suite && !c->call ? ", between its checks" : "", written);
	snprintf(item.place, sizeof item.place, "%s", c->place);
	/* What has no name, outside of suites, may be what nothing goes on without: it is tried once more
	 * first. */
	const char *unnamed = c->suite ? NULL : strstr(c->place, RECOVERY_CALL);
	r->again = c->again + 1;
	if (c->call && (!unnamed || r->again >= RECOVERY_TRIES)) {
		add(r, &item);
		return;
	}
	snprintf(r->stage, sizeof r->stage, "%.*s",
		 unnamed && unnamed - c->place < 63 ? (int)(unnamed - c->place) : 63, c->place);
	if (c->suite && r->again >= RECOVERY_TRIES)
		add(r, &item);
	else if (c->suite)
		snprintf(r->last, sizeof r->last, "%.63s", c->place);
	else
		r->stuck = r->again >= RECOVERY_TRIES;
}

void recovery_learn(struct recovery *r, const char *journal, unsigned number, const struct breadcrumb *crumb,
		    const char *list)
{
	*r = (struct recovery){.run = number, .again = 1};
	if (journal)
		read_journal(r, journal);
	/* Memory may be older than the journal: of a run that the machine was switched off after. */
	if (crumb && (!crumb->run || !journal || (r->broken && crumb->run == number))) {
		read_list(r, list);
		read_crumb(r, crumb);
	}
	if (!r->broken)
		*r = (struct recovery){0};
}

const struct left_out *recovery_item(const struct recovery *r, unsigned processor, const char *place,
				     unsigned step)
{
	for (unsigned i = 0; i < r->count; i++)
		if (r->item[i].processor == processor && r->item[i].step == step &&
		    !strcmp(r->item[i].place, place))
			return &r->item[i];
	return NULL;
}

void recovery_line(const struct left_out *item, char line[LEFT_OUT_LINE])
{
	snprintf(line, LEFT_OUT_LINE, "%04u %u %u %s", item->run, item->processor, item->step, item->place);
}

void recovery_list(const struct recovery *r, char *out, size_t size)
{
	size_t used = 0;

	out[0] = 0;
	for (unsigned i = 0; i < r->count; i++) {
		char line[LEFT_OUT_LINE];

		recovery_line(&r->item[i], line);
		if (used + strlen(line) + 2 > size)
			return;
		used += (size_t)snprintf(out + used, size - used, "%s\n", line);
	}
}

uint64_t recovery_time(const char *journal, const char *options)
{
	const char *line = strstr(journal, "\n" JOURNAL_OPTIONS), *end = strstr(journal, "\n" JOURNAL_END);
	size_t length = strlen(options);

	if (!line || !end)
		return 0;
	line += strlen("\n" JOURNAL_OPTIONS);
	if (strncmp(line, options, length) || line[length] != '\n')
		return 0;
	end += strlen("\n" JOURNAL_END);
	if (*end < '0' || *end > '9') /* it gave up, and has no number of checks */
		return 0;
	const char *took = strstr(end, JOURNAL_TOOK);
	return took ? strtoul(took + strlen(JOURNAL_TOOK), NULL, 10) : 0;
}
