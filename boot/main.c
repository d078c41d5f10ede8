#include "boot/platform.h"

#include <stdio.h>

int assay_main(struct platform *platform)
{
	printf("assay: started by %s (%s), options \"%s\"\n", platform->name, platform->boot.firmware,
	       platform->command_line);
	fflush(stdout);
	platform->leave(EXIT_SHUTDOWN, 0);
	return 0;
}
