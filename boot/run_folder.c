#include "boot/run_folder.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIES 3 /* a name that is there though it was not listed: its entry may be damaged */

static char path[RUN_FOLDER_PATH];
static unsigned number;

void run_cpu_name(const struct cpu_identity *cpu, char out[RUN_CPU_NAME])
{
	char vendor[sizeof cpu->vendor];
	size_t n = 0;

	for (const char *c = cpu->vendor; *c; c++)
		if (isalnum((unsigned char)*c))
			vendor[n++] = *c;
	vendor[n] = 0;
	snprintf(out, RUN_CPU_NAME, "%s-%u-%X-%X", n ? vendor : "CPU", cpu->family, cpu->model,
		 cpu->stepping);
}

/* Of a run's folder, whatever its CPU; also of a file that has such a name. */
static void find_highest(void *arg, const char *name)
{
	unsigned *highest = arg;
	char *end;
	unsigned long n = isdigit((unsigned char)*name) ? strtoul(name, &end, 10) : 0;

	if (n && *end == '-' && n < UINT32_MAX - TRIES && n > *highest)
		*highest = (unsigned)n;
}

bool run_folder_make(const struct platform *platform, const char *report, const char *cpu, const char **why)
{
	unsigned highest = 0;

	number = 0;
	if (platform->each_name)
		platform->each_name(report, find_highest, &highest);
	for (unsigned i = 1; i <= TRIES; i++) {
		snprintf(path, sizeof path, "%s\\%04u-%s", report, highest + i, cpu);
		if (platform->make_folder(path, why)) {
			number = highest + i;
			return true;
		}
		if (strcmp(*why, PLATFORM_EXISTS))
			return false;
	}
	return false;
}

const char *run_folder(void)
{
	return number ? path : NULL;
}

unsigned run_number(void)
{
	return number;
}
