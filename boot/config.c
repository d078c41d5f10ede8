#include "boot/config.h"
#include "boot/experiments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse_file(const struct platform *platform, struct options *o, struct experiments *experiments,
		       struct option_error *error)
{
	char *text;
	size_t size;
	const char *why;

	if (!platform->read_file(CONFIG_FILE, &text, &size, &why)) {
		if (!why || !strcmp(why, PLATFORM_NOT_FOUND))
			return true;
		snprintf(error->text, sizeof error->text, "%s: %s; mend or remove the file", CONFIG_FILE,
			 why);
		return false;
	}
	bool good = experiments_parse(o, experiments, text, size, "assay.cfg", error);
	free(text);
	return good;
}

bool config_gather(const struct platform *platform, struct options *o, struct experiments *experiments,
		   struct option_error *error)
{
	struct option_error second;

	options_default(o);
	bool file = parse_file(platform, o, experiments, error);
	/* Who says what is to be done is not asked. */
	if (platform->command_line[strspn(platform->command_line, " \t")])
		o->menu = 0;
	bool line = options_parse(o, platform->command_line, strlen(platform->command_line), "command line",
				  file ? error : &second);
	return file && line;
}
