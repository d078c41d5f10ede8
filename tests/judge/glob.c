#include "pmu/events/text.h"
#include "tests/judge/check.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Where an alternative ends. */
static bool ends(char c)
{
	return !c || c == ',';
}

/* One alternative, from p on. A star remembers where it stood; on a mismatch it swallows one character more.
 */
static bool match_one(const char *p, const char *text)
{
	const char *star = NULL, *resume = NULL;

	while (*text) {
		if (*p == '*') {
			star = p++;
			resume = text;
		} else if (!ends(*p) && (*p == '?' || same(*p, *text))) {
			p++;
			text++;
		} else if (star) {
			p = star + 1;
			text = ++resume;
		} else {
			return false;
		}
	}
	while (*p == '*')
		p++;
	return ends(*p);
}

static bool says_something(const char *p)
{
	while (*p == '*' || *p == '?')
		p++;
	return !ends(*p);
}

/* `by_name`: alternatives of nothing but wildcards do not count. */
static bool match_any(const char *p, const char *text, bool by_name)
{
	for (;; p++) {
		if ((!by_name || says_something(p)) && match_one(p, text))
			return true;
		while (!ends(*p))
			p++;
		if (!*p)
			return false;
	}
}

static bool is_all(const char *pattern)
{
	return !pattern || !*pattern || (*pattern == 'a' && strcmp(pattern, "all") == 0);
}

bool glob_match(const char *pattern, const char *text)
{
	return is_all(pattern) || match_any(pattern, text, false);
}

bool glob_names(const char *pattern, const char *text)
{
	return !is_all(pattern) && match_any(pattern, text, true);
}

bool glob_has(const char *pattern, const char *word)
{
	size_t length = strlen(word);

	for (const char *p = pattern; p; p = strchr(p, ','), p += p != NULL)
		if (!strncmp(p, word, length) && (!p[length] || p[length] == ','))
			return true;
	return false;
}

bool event_selected(const struct pmu_event *e, const char *globs)
{
	if (glob_has(globs, "arch") && !(e->flags & EVENT_OF_CORE))
		return true;
	if (e->flags & EVENT_BY_NAME)
		return glob_names(globs, e->name);
	return glob_match(globs, e->name);
}

bool check_wanted(const struct run *run, const char *name)
{
	bool wanted = glob_match(run->options ? run->options->check_glob : NULL, name);

	if (run->checks) {
		run->checks->asked = true;
		run->checks->matched |= wanted;
		if (!run->checks->matched &&
		    glob_nearer(run->options->check_glob, name, &run->checks->distance))
			snprintf(run->checks->nearest, sizeof run->checks->nearest, "%s", name);
	}
	return wanted;
}
