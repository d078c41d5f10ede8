#include "pmu/contract/reason.h"

#include <stdarg.h>
#include <stdio.h>

bool reason_give(struct reason *why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why->text, sizeof why->text, format, args);
	va_end(args);
	why->line = why->text;
	return false;
}
