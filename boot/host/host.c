/*
 * Assay on the host, for a machine that is interpreted there: the run of boot/main.c, as a program. Files are
 * those below a directory of the host; without one there are none, and no report is written.
 *
 *     assay-NAME [-d DIRECTORY] [option=value ...]
 *
 * Exit status: 0 nothing wrong, 1 something wrong, 2 could not run.
 */
#include "boot/host/files.h"
#include "boot/platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *alloc_pages(size_t pages)
{
	void *at = aligned_alloc(4096, pages * 4096);

	return at ? memset(at, 0, pages * 4096) : NULL;
}

static void leave(enum exit_mode mode, int status)
{
	(void)mode;
	fflush(stdout);
	exit(status);
}

static struct platform host = {
	.name = "host",
	.boot = {.alloc_pages = alloc_pages, .firmware = ""},
	.read_file = host_read_file,
	.list_files = host_list_files,
	.each_name = host_each_name,
	.make_folder = host_make_folder,
	.open_file = host_open_file,
	.write_file = host_write_file,
	.close_file = host_close_file,
	.rename_file = host_rename_file,
	.append_file = host_append_file,
	.remove_file = host_remove_file,
	.leave = leave,
};

int main(int argc, char **argv)
{
	static char line[4096];
	size_t used = 0;
	int first = 1;

	if (argc > 2 && !strcmp(argv[1], "-d")) {
		host_files_in(argv[2]);
		first = 3;
	} else {
		used = (size_t)snprintf(line, sizeof line, "report=none");
	}
	for (int i = first; i < argc; i++) {
		used += (size_t)snprintf(line + used, sizeof line - used, " %s", argv[i]);
		if (used >= sizeof line) {
			fprintf(stderr, "assay: could not run: the options take more than %u bytes\n",
				(unsigned)(sizeof line - 1));
			return 2;
		}
	}
	host.command_line = line;
	return assay_main(&host);
}
