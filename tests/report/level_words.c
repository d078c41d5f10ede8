#include "arch/levels.h"
#include "tests/report/level_words.h"

#include <string.h>

#define WORD 16

/* The first word of the first level's name, if each level's name has it before a blank. */
static size_t common_word(void)
{
	size_t n = strcspn(level_name(0), " ");

	for (unsigned level = 0; level < LEVELS_MAX; level++)
		if (level_name(level) &&
		    (strncmp(level_name(level), level_name(0), n) || level_name(level)[n] != ' '))
			return 0;
	return n < WORD ? n : 0;
}

const char *level_heading(void)
{
	static char word[WORD];
	size_t n = common_word();

	if (!n)
		return "level";
	memcpy(word, level_name(0), n);
	word[n] = 0;
	return word;
}

const char *level_brief(const char *name)
{
	size_t n = common_word();

	return name && n && !strncmp(name, level_name(0), n) && name[n] == ' ' ? name + n + 1 : name;
}
