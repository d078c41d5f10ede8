/*
 * memcpy(), memmove() and memset() of the C library, by quadwords and without string instructions: those are
 * stepped iteration by iteration, emulators carry them out so, and most of what is moved is short.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t __attribute__((may_alias, aligned(1))) quad;
typedef uint32_t __attribute__((may_alias, aligned(1))) half;

/* Fewer than eight bytes. What is read is read before anything is written. */
static inline void move_short(uint8_t *to, const uint8_t *from, size_t size)
{
	if (size >= 4) {
		uint32_t first = *(const half *)from, last = *(const half *)(from + size - 4);

		*(half *)to = first;
		*(half *)(to + size - 4) = last;
	} else if (size) {
		uint8_t first = from[0], middle = from[size / 2], last = from[size - 1];

		to[0] = first;
		to[size / 2] = middle;
		to[size - 1] = last;
	}
}

void *memmove(void *out, const void *in, size_t size)
{
	const uint8_t *from = in;
	uint8_t *to = out;

	if (size < 8) {
		move_short(to, from, size);
	} else if ((uintptr_t)to - (uintptr_t)from < size) { /* it lies above, and overlaps */
		uint64_t first = *(const quad *)from;

		for (; size > 8; size -= 8)
			*(quad *)(to + size - 8) = *(const quad *)(from + size - 8);
		*(quad *)to = first;
	} else {
		uint64_t last = *(const quad *)(from + size - 8);
		uint8_t *end = to + size - 8;

		for (; to < end; to += 8, from += 8)
			*(quad *)to = *(const quad *)from;
		*(quad *)end = last;
	}
	return out;
}

void *memcpy(void *restrict out, const void *restrict in, size_t size)
{
	return memmove(out, in, size);
}

void *memset(void *out, int byte, size_t size)
{
	uint64_t value = (uint8_t)byte * 0x0101010101010101;
	uint8_t *to = out;

	if (size < 8) {
		for (size_t i = 0; i < size; i++)
			to[i] = (uint8_t)byte;
		return out;
	}
	for (uint8_t *end = to + size - 8; to < end; to += 8)
		*(quad *)to = value;
	*(quad *)((uint8_t *)out + size - 8) = value;
	return out;
}
