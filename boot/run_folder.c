#include "boot/run_folder.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIES 3 /* a name that is there though it was not listed: its entry may be damaged */

static char path[RUN_FOLDER_PATH];
static bool made; /* the run has a folder */
static unsigned number;
static char path_before[RUN_FOLDER_PATH];
static unsigned number_before;

struct search {
	const char *cpu;
	unsigned highest, own; /* of any CPU, and of this one */
};

/* Of a run's folder; also of a file that has such a name. */
static void find_highest(void *arg, const char *name)
{
	struct search *s = arg;
	char *end;
	unsigned long n = isdigit((unsigned char)*name) ? strtoul(name, &end, 10) : 0;

	if (!n || *end != '-' || n >= UINT32_MAX - TRIES)
		return;
	if (n > s->highest)
		s->highest = (unsigned)n;
	if (n > s->own && !strcmp(end + 1, s->cpu))
		s->own = (unsigned)n;
}

bool run_folder_make(const struct platform *platform, const char *report, const char *cpu, const char **why)
{
	struct search search = {.cpu = cpu};

	number = 0;
	made = false;
	if (platform->each_name)
		platform->each_name(report, find_highest, &search);
	number_before = search.own;
	snprintf(path_before, sizeof path_before, "%s\\%04u-%s", report, search.own, cpu);
	if (platform->run_name) {
		snprintf(path, sizeof path, "%s\\%s-%s", report, platform->run_name, cpu);
		made = platform->make_folder(path, why);
		return made;
	}
	for (unsigned i = 1; i <= TRIES; i++) {
		snprintf(path, sizeof path, "%s\\%04u-%s", report, search.highest + i, cpu);
		if (platform->make_folder(path, why)) {
			number = search.highest + i;
			made = true;
			return true;
		}
		if (strcmp(*why, PLATFORM_EXISTS))
			break;
	}
	if (platform->begin_run)
		number = platform->begin_run(cpu, &number_before);
	return false;
}

const char *run_folder(void)
{
	return made ? path : NULL;
}

unsigned run_number(void)
{
	return number;
}

const char *run_before(void)
{
	return number_before ? path_before : NULL;
}

unsigned run_number_before(void)
{
	return number_before;
}
