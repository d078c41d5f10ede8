/*
 * The C library's functions on memory, with general registers alone: the library's own use vector registers,
 * which the handlers of exceptions do not keep, and the compiler calls these wherever it likes.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Or the compiler would make each loop a call of the function that it is in. */
#define LOOPS_STAY __attribute__((optimize("no-tree-loop-distribute-patterns")))

/* Words, where both sides let them be: the step engine copies registers for each step. */
typedef uint64_t __attribute__((may_alias)) word;

static bool in_words(const void *a, const void *b)
{
	return !(((uintptr_t)a | (uintptr_t)b) % sizeof(word));
}

LOOPS_STAY void *memset(void *to, int value, size_t n)
{
	uint8_t *out = to;

	for (; in_words(out, to) && n >= sizeof(word); n -= sizeof(word), out += sizeof(word))
		*(word *)(void *)out = (uint8_t)value * UINT64_C(0x0101010101010101);
	while (n--)
		*out++ = (uint8_t)value;
	return to;
}

LOOPS_STAY void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	uint8_t *out = to;
	const uint8_t *in = from;

	for (; in_words(out, in) && n >= sizeof(word);
	     n -= sizeof(word), out += sizeof(word), in += sizeof(word))
		*(word *)(void *)out = *(const word *)(const void *)in;
	while (n--)
		*out++ = *in++;
	return to;
}

LOOPS_STAY void *memmove(void *to, const void *from, size_t n)
{
	uint8_t *out = to;
	const uint8_t *in = from;

	if (out <= in)
		return memcpy(to, from, n);
	while (n--)
		out[n] = in[n];
	return to;
}

LOOPS_STAY int memcmp(const void *a, const void *b, size_t n)
{
	const uint8_t *left = a, *right = b;

	for (; n; n--, left++, right++)
		if (*left != *right)
			return *left < *right ? -1 : 1;
	return 0;
}
