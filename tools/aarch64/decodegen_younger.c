/*
 * Forms of what Capstone does not know (younger.def).
 */
#include "tools/aarch64/decodegen.h"

#include "arch/step.h"

#define ROW_QUANTITIES 4

static const struct {
	uint32_t mask, value;
	uint8_t flags, accesses, bytes, branch;
	struct insn_offset offset;
	uint16_t quantity[ROW_QUANTITIES]; /* 0 ends them: it is that of instructions, which all have */
} rows[] = {
#define NO_OFFSET                                                                                            \
	{                                                                                                    \
		0, 0, 0, 0                                                                                   \
	}
#define OFFSET(low, bits, shift, sign)                                                                       \
	{                                                                                                    \
		low, bits, shift, sign                                                                       \
	}
#define YOUNGER(mask, value, flags, accesses, bytes, branch, offset, ...)                                    \
	{mask, value, flags, accesses, bytes, branch, offset, {__VA_ARGS__}},
#include "tools/aarch64/younger.def"
#undef YOUNGER
};
_Static_assert(!Q_INSTRUCTIONS, "a quantity of 0 ends a row's list");

bool younger_form(uint32_t word, struct answer *out)
{
	for (unsigned k = 0; k < sizeof rows / sizeof rows[0]; k++) {
		struct insn_class c = {{{0, 0}}};

		if ((word & rows[k].mask) != rows[k].value)
			continue;
		class_add(&c, Q_INSTRUCTIONS, 1);
		for (unsigned i = 0; i < ROW_QUANTITIES && rows[k].quantity[i]; i++)
			class_add(&c, (enum quantity)rows[k].quantity[i], 1);
		out->form.klass = class_number(&c);
		out->form.flags = rows[k].flags;
		out->form.accesses = rows[k].accesses;
		out->form.bytes = (uint8_t)(!rows[k].accesses ? 0
					    : rows[k].bytes   ? rows[k].bytes
							      : 1u << (word >> 30));
		out->form.branch = rows[k].branch;
		out->form.offset = rows[k].offset;
		return true;
	}
	return false;
}
