#include "boot/menu/save.h"
#include "boot/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A section ends what was before, an experiment perhaps; of several values the last one counts. */
#define MARK "[options] # saved by the menu: what stands below wins, and is replaced when it saves again\n"

char *save_text(const char *old, const struct options *o)
{
	const char *mark = strstr(old, MARK);
	size_t kept = mark ? (size_t)(mark - old) : strlen(old);
	char *text = malloc(kept + sizeof MARK + OPTIONS_LINE_MAX + 2);

	if (!text)
		return NULL;
	memcpy(text, old, kept);
	if (kept && text[kept - 1] != '\n')
		text[kept++] = '\n';
	strcpy(text + kept, MARK);
	kept += sizeof MARK - 1;
	char *line = text + kept;
	kept += options_format(o, line, OPTIONS_LINE_MAX);
	/* A line each; blanks within a value stand between quotes. */
	for (bool quoted = false; *line; line++) {
		quoted ^= *line == '"';
		if (*line == ' ' && !quoted)
			*line = '\n';
	}
	strcpy(text + kept, "\n");
	return text;
}

const char *save_options(const struct platform *platform, const struct options *o)
{
	static const char fresh[] = CONFIG_FILE ".new";
	const char *why = "not enough memory", *trouble;
	char *old = NULL;
	size_t size;

	if (!platform->read_file(CONFIG_FILE, &old, &size, &why)) {
		if (why && strcmp(why, PLATFORM_NOT_FOUND))
			return why;
		old = NULL;
	}
	char *text = save_text(old ? old : "", o);
	free(old);
	if (!text)
		return "not enough memory";
	void *file = platform->open_file(fresh, &why);
	if (file) {
		bool good = platform->write_file(file, text, strlen(text), &why);

		if (!platform->close_file(file, &trouble) && good) {
			good = false;
			why = trouble;
		}
		if (good && platform->rename_file(fresh, "assay.cfg", &why))
			why = NULL;
		else
			platform->remove_file(fresh);
	}
	free(text);
	return why;
}
