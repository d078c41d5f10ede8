#include "tests/check.h"

#include <ctype.h>
#include <string.h>

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* One alternative, [p, end). A star remembers where it stood; on a mismatch it swallows one character more.
 */
static bool match_one(const char *p, const char *end, const char *text)
{
	const char *star = NULL, *resume = NULL;

	while (*text) {
		if (p < end && *p == '*') {
			star = p++;
			resume = text;
		} else if (p < end && (*p == '?' || same(*p, *text))) {
			p++;
			text++;
		} else if (star) {
			p = star + 1;
			text = ++resume;
		} else {
			return false;
		}
	}
	while (p < end && *p == '*')
		p++;
	return p == end;
}

bool glob_match(const char *pattern, const char *text)
{
	if (!pattern || !*pattern || strcmp(pattern, "all") == 0)
		return true;
	for (const char *p = pattern;;) {
		const char *end = strchr(p, ',');

		if (match_one(p, end ? end : p + strlen(p), text))
			return true;
		if (!end)
			return false;
		p = end + 1;
	}
}

bool event_selected(const struct pmu_event *e, const char *globs)
{
	if (globs && !strcmp(globs, "arch"))
		return !(e->flags & EVENT_OF_CORE);
	return glob_match(globs, e->name);
}
