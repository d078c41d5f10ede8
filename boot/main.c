#include "boot/platform.h"

#include <stdio.h>

int assay_main(struct platform *platform)
{
	printf("assay: started by %s (%s), options \"%s\"\n", platform->name, platform->boot.firmware,
	       platform->command_line);
	fflush(stdout);
	for (const char *c = platform->command_line; *c; c++)
		__asm__ volatile("outb %0, %1" : : "a"(*c), "Nd"((uint16_t)0x3f8));
	platform->leave(EXIT_SHUTDOWN, 0);
	return 0;
}
