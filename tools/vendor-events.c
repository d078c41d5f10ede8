/*
 * What the image reads in vendors' event files: a line for each object, for tests that read the same files
 * otherwise.
 *
 *	vendor-events FILE...
 *
 * The first column says what the line is: file, event, other, bad, lost, end. Columns are separated by tabs.
 */
#include "pmu/events/vendor_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static char *read_whole(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	char *text = malloc(VENDOR_FILE_MAX + 2);

	if (!f || !text) {
		perror(path);
		exit(2);
	}
	*size = fread(text, 1, VENDOR_FILE_MAX + 1, f);
	fclose(f);
	/* Without room behind it, so that a sanitizer sees what reads on. */
	return realloc(text, *size ? *size : 1);
}

static void print_event(const struct vendor_event *e)
{
	printf("event\t%s\t%#x\t%#x\t%#x\t%u\t%d\t%d\t%d\t%d\t%d\t%u\t%#" PRIx32 "\t%d\t%#" PRIx32
	       "\t%#" PRIx64 "\t%s\n",
	       e->name, e->select, e->umask, e->umask2, e->cmask, e->invert, e->edge, e->any_thread, e->equal,
	       e->deprecated, e->precise, e->counters, e->fixed, e->extra_register, e->extra_value, e->unit);
}

static void print_file(const char *path)
{
	struct vendor_reader r;
	struct vendor_event e;
	enum vendor_answer answer = VENDOR_LOST;
	size_t size;
	char *text = read_whole(path, &size);

	printf("file\t%s\n", path);
	if (!vendor_open(&r, text, size))
		printf("lost\t%s\n", r.why);
	else
		do {
			answer = vendor_next(&r, &e);
			if (answer == VENDOR_EVENT)
				print_event(&e);
			else if (answer == VENDOR_OTHER)
				printf("other\t%s\n", e.unit);
			else if (answer == VENDOR_BAD)
				printf("bad\t%s\n", r.why);
			else if (answer == VENDOR_LOST)
				printf("lost\t%s\n", r.why);
			else
				printf("end\t%s\n", r.info);
		} while (answer != VENDOR_LOST && answer != VENDOR_END);
	free(text);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		print_file(argv[i]);
	return 0;
}
