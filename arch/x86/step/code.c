#include "arch/code.h"

#include <string.h>

const uint8_t code_nop[] = {0x90};
const unsigned code_nop_size = sizeof code_nop;

/* The NOP of eight bytes with a displacement. */
const unsigned code_mark_size = 8;

void code_mark(uint8_t *to, uint32_t word)
{
	static const uint8_t opcode[] = {0x0f, 0x1f, 0x84, 0x00};

	memcpy(to, opcode, sizeof opcode);
	memcpy(to + sizeof opcode, &word, sizeof word);
}
