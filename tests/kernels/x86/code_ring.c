#include "tests/kernels/x86/code_ring.h"
#include "tests/kernels/x86/kernel.h"

#include <string.h>

#define LINE       64
#define STEP       1027 /* lines from each to the next in time: odd, and no neighbours */
#define FULL_AT    8    /* in a line; what comes before is the other ring's */
#define INSN_BYTES 4

/* A line of the ring ends in a jump to the next one; the last one of a segment in what loads RAX with its
 * address, and a return. */
struct shape {
	uint32_t at;                 /* where it begins in a line */
	unsigned lines;              /* of a segment */
	unsigned before, before_end; /* instructions before the jump, and before the end of a segment */
};

static const struct shape shapes[] = {
	{0, KERNEL_CODE_SEGMENT, 0, 0},
	{FULL_AT, KERNEL_FULL_SEGMENT, KERNEL_FULL_LINE - 1, KERNEL_FULL_LINE - 2},
};

static uint32_t place(const struct shape *s, uint64_t i)
{
	return (uint32_t)(i * STEP % KERNEL_CODE_LINES) * LINE + s->at;
}

static uint8_t *put(uint8_t *at, const void *bytes, unsigned size)
{
	memcpy(at, bytes, size);
	return at + size;
}

/* One micro-operation each on any CPU, which waits for none beside it. */
static uint8_t *put_additions(uint8_t *at, unsigned n)
{
#ifdef __i386__
	static const uint8_t add[][INSN_BYTES] = {
		{0x3e, 0x83, 0xc1, 1}, /* ECX */
		{0x3e, 0x83, 0xc2, 1}, /* EDX */
		{0x3e, 0x83, 0xc3, 1}, /* EBX */
	};
#else
	static const uint8_t add[][INSN_BYTES] = {
		{0x48, 0x83, 0xc1, 1}, /* RCX */
		{0x48, 0x83, 0xc2, 1}, /* RDX */
		{0x49, 0x83, 0xc1, 1}, /* R9 */
		{0x49, 0x83, 0xc2, 1}, /* R10 */
	};
#endif

	for (unsigned i = 0; i < n; i++)
		at = put(at, add[i % (sizeof add / sizeof add[0])], INSN_BYTES);
	return at;
}

static void put_line(uint8_t *bytes, const struct shape *s, unsigned i)
{
	static const uint8_t jmp[] = {0xe9}, ret[] = {0xc3};
#ifdef __i386__
	static const uint8_t lea_rax[] = {0x8d, 0x80}; /* from EAX, which has the segment's own address */
#else
	static const uint8_t lea_rax[] = {0x48, 0x8d, 0x05}; /* from RIP */
#endif
	bool last = (i + 1) % s->lines == 0;
	uint8_t *at = put_additions(bytes + place(s, i), last ? s->before_end : s->before);
	uint32_t there = place(s, i + 1);

	at = last ? put(at, lea_rax, sizeof lea_rax) : put(at, jmp, sizeof jmp);
	if (last && sizeof(void *) == 4)
		there -= place(s, i + 1 - s->lines);
	else
		there -= (uint32_t)(at - bytes) + sizeof there;
	at = put(at, &there, sizeof there);
	if (last)
		put(at, ret, sizeof ret);
}

void code_ring_fill(uint8_t *bytes)
{
	for (unsigned full = 0; full < 2; full++)
		for (unsigned i = 0; i < KERNEL_CODE_LINES; i++)
			put_line(bytes, &shapes[full], i);
}

uint32_t code_ring_segment(bool full, uint64_t i)
{
	return place(&shapes[full], i % code_ring_segments(full) * shapes[full].lines);
}

unsigned code_ring_segments(bool full)
{
	return KERNEL_CODE_LINES / shapes[full].lines;
}
