#include "tests/kernels/x86/string_step.h"

#include <stdio.h>
#include <string.h>

#define LINE 64

/* Where macro REP_KERNEL has its operands. */
enum {
	AT_DIRECTION = 0, /* CLD or STD */
	AT_SOURCE = 1,    /* LEA disp32(%rsi), %r9 */
	AT_DESTINATION = 8,
	AT_COUNT = 29, /* MOV imm32, %ecx */
};

#define CLD 0xfc
#define STD 0xfd

static const uint8_t lea_r9[] = {0x4c, 0x8d, 0x8e}, lea_r10[] = {0x4c, 0x8d, 0x96}, mov_ecx[] = {0xb9};

static bool is(const uint8_t *code, const uint8_t *opcode, size_t size)
{
	return !memcmp(code, opcode, size);
}

static uint32_t imm32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof value);
	return value;
}

static void add32(uint8_t *at, uint32_t more)
{
	uint32_t value = imm32(at) + more;

	memcpy(at, &value, sizeof value);
}

static int64_t exactly(const struct kernel *k, enum quantity q)
{
	for (const struct signature_exact *x = k->exact; x < k->exact_end; x++)
		if (x->quantity == q)
			return x->a;
	return 0;
}

/* Elements that lie across two lines. */
static unsigned splits(unsigned bytes, const struct string_step *at)
{
	unsigned n = 0;

	for (unsigned i = 0, offset = at->align; i < at->count; i++, offset += bytes)
		n += offset % LINE + bytes > LINE;
	return n;
}

/* @return the end of the signature */
static const struct signature_exact *write_signature(const struct kernel *base, const struct string_step *at,
						     unsigned bytes, struct signature_exact *out)
{
	unsigned across = splits(bytes, at);
	const int64_t splits_of[][2] = {
		{Q_LOADS_SPLIT_LINE, exactly(base, Q_LOADS) / STRING_STEP_BASE * across},
		{Q_STORES_SPLIT_LINE, exactly(base, Q_STORES) / STRING_STEP_BASE * across}};

	for (const struct signature_exact *x = base->exact; x < base->exact_end; x++, out++) {
		*out = *x;
		switch (x->quantity) {
		case Q_REP_ITERATIONS:
		case Q_LOADS:
		case Q_LOAD_BYTES:
		case Q_STORES:
		case Q_STORE_BYTES:
			out->a = x->a / STRING_STEP_BASE * at->count;
			break;
		case Q_INSN_LOAD:
		case Q_INSN_STORE:
			out->a = at->count ? x->a : 0;
			break;
		default:
			break;
		}
	}
	for (unsigned i = 0; i < 2; i++, out++)
		*out = (struct signature_exact){.quantity = (uint64_t)splits_of[i][0], .a = splits_of[i][1]};
	return out;
}

bool string_step(const struct kernel *base, const struct string_step *at, struct string_kernel *out)
{
	size_t size = (size_t)(base->code_end - base->code);
	const char *parameters = strstr(base->name, "_c7_up_a0");
	uint32_t first;
	unsigned bytes;

	if (!parameters || size > sizeof out->code || base->code[AT_DIRECTION] != CLD ||
	    !is(base->code + AT_SOURCE, lea_r9, sizeof lea_r9) ||
	    !is(base->code + AT_DESTINATION, lea_r10, sizeof lea_r10) ||
	    !is(base->code + AT_COUNT, mov_ecx, sizeof mov_ecx) ||
	    imm32(base->code + AT_COUNT + sizeof mov_ecx) != STRING_STEP_BASE ||
	    (size_t)(base->exact_end - base->exact) + 2 > sizeof out->exact / sizeof out->exact[0] ||
	    at->count > STRING_STEP_MOST || at->align >= LINE)
		return false;
	bytes = (unsigned)((exactly(base, Q_LOAD_BYTES) + exactly(base, Q_STORE_BYTES)) /
			   (exactly(base, Q_LOADS) + exactly(base, Q_STORES)));
	first = at->align + (at->down && at->count ? (at->count - 1) * bytes : 0);
	out->kernel = *base;
	snprintf(out->name, sizeof out->name, "%.*s_c%u_%s_a%u", (int)(parameters - base->name), base->name,
		 at->count, at->down ? "down" : "up", at->align);
	out->kernel.name = out->name;
	memcpy(out->code, base->code, size);
	out->kernel.code = out->code;
	out->kernel.code_end = out->code + size;
	out->code[AT_DIRECTION] = at->down ? STD : CLD;
	add32(out->code + AT_SOURCE + sizeof lea_r9, first);
	add32(out->code + AT_DESTINATION + sizeof lea_r10, first);
	add32(out->code + AT_COUNT + sizeof mov_ecx, at->count - STRING_STEP_BASE);
	out->kernel.exact = out->exact;
	out->kernel.exact_end = write_signature(base, at, bytes, out->exact);
	return true;
}
