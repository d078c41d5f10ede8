#include "arch/x86/machine/notes.h"

#include "arch/machine.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#define NOTES 24

static char notes[NOTES][120];
static unsigned count;

void note_add(const char *format, ...)
{
	va_list args;

	if (count == NOTES)
		return;
	va_start(args, format);
	vsnprintf(notes[count++], sizeof notes[0], format, args);
	va_end(args);
}

unsigned machine_note_count(void)
{
	return count;
}

const char *machine_note(unsigned i)
{
	return i < count ? notes[i] : NULL;
}
