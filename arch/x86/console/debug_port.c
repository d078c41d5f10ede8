#include "arch/console.h"

#include <stdint.h>

#define DEBUG_PORT 0xe9

void console_debug(const char *text, size_t size)
{
	__asm__ volatile("rep outsb" : "+S"(text), "+c"(size) : "d"((uint16_t)DEBUG_PORT) : "memory");
}
