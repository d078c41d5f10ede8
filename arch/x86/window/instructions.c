#include "arch/window.h"

#include "arch/x86/step/insn.h"

unsigned code_instructions(const uint8_t *code, const uint8_t *end)
{
	struct insn in;
	unsigned n = 0;

	for (; code < end && insn_decode(code, (unsigned)(end - code), &in); code += in.length)
		n++;
	return n;
}
