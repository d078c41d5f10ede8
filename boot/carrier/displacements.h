/*
 * The image from what scripts/pack made of it: code without displacements, and where each led to (its head
 * tells the layout). Nothing outside what is given is read or written, whatever it holds.
 */
#ifndef BOOT_CARRIER_DISPLACEMENTS_H
#define BOOT_CARRIER_DISPLACEMENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/** What scripts/pack puts before the .lzma streams. */
struct payload {
	uint32_t size;             /**< of the image as the firmware is to load it, bytes */
	uint32_t crc32;            /**< of that image: that of UEFI 4.2, which is zlib's */
	uint32_t begin, end;       /**< of the code in it, bytes from its beginning */
	uint32_t unpacked;         /**< bytes that the streams unpack to */
	uint32_t places[2];        /**< that displacements of kind 0 (CALL, JMP) and 1 (operands) lead to */
	uint32_t displacements[2]; /**< of both kinds */
	uint8_t stream[];
};

/** Bytes of opcode before the displacement of an instruction (0: it has none that scripts/pack takes), which
 * kind it is, and how many bytes of an immediate follow. At least three bytes of code are looked at. */
static inline unsigned displacement(const uint8_t *code, unsigned *kind, unsigned *immediate)
{
	*kind = *immediate = 0;
	if (code[0] == 0xe8 || code[0] == 0xe9)
		return 1;
	*kind = 1;
	switch (code[0]) {
	case 0x81:
	case 0xc7:
		*immediate = 4;
		break;
	case 0x80:
	case 0x83:
	case 0xc6:
		*immediate = 1;
		break;
	case 0x0f:
		return (code[1] & 0xf6) == 0xb6 && (code[2] & 0xc7) == 0x05 ? 3 : 0;
	default:
		if ((code[0] & 0xfc) != 0x38 && (code[0] & 0xfc) != 0x88 && code[0] != 0x8d)
			return 0;
	}
	return (code[1] & 0xc7) == 0x05 ? 2 : 0;
}

/**
 * Put the image together.
 *
 * @param p        its head
 * @param image    p->size bytes
 * @param content  p->unpacked bytes, what the streams hold; the lists of places in it are used up
 * @return false if the content is not what the head says: the image is undefined then
 */
static inline bool put_together(const struct payload *p, uint8_t *image, uint8_t *content)
{
	uint64_t lists = 2ull * p->displacements[0] + 2ull * p->displacements[1] + 4ull * p->places[0] +
			 4ull * p->places[1];
	uint8_t *number[2], *place[2];
	uint32_t left[2] = {p->displacements[0], p->displacements[1]}, at = 0, here = 0, rest, sum, n;

	if (lists > p->unpacked || p->begin > p->end || p->end > p->size)
		return false;
	rest = p->unpacked - (uint32_t)lists;
	number[0] = content + rest;
	number[1] = number[0] + 2 * p->displacements[0];
	place[0] = number[1] + 2 * p->displacements[1];
	place[1] = place[0] + 4 * p->places[0];
	for (unsigned kind = 0; kind < 2; kind++) {
		sum = 0;
		for (uint32_t i = 0; i < p->places[kind]; i++) {
			memcpy(&n, place[kind] + 4 * i, 4);
			sum += n;
			memcpy(place[kind] + 4 * i, &sum, 4);
		}
	}
	/* What is left of both is as long but for displacements, 4 bytes each. */
	n = p->begin;
	for (;;) {
		unsigned kind, immediate, skip;

		if (n > rest - here || n > p->size - at)
			return false;
		memcpy(image + at, content + here, n);
		at += n;
		here += n;
		if (at == p->size)
			return here == rest;
		if (p->end < 7 || at > p->end - 7) {
			n = p->size - at;
			continue;
		}
		if (rest - here < 3)
			return false;
		n = 1;
		skip = displacement(content + here, &kind, &immediate);
		if (!skip)
			continue;
		n = 0;
		if (skip > rest - here || !left[kind]--)
			return false;
		memcpy(image + at, content + here, skip);
		at += skip;
		here += skip;
		sum = (uint32_t)number[kind][0] << 8 | number[kind][1];
		number[kind] += 2;
		if (!sum)
			continue;
		if (sum > p->places[kind])
			return false;
		memcpy(&sum, place[kind] + 4 * (sum - 1), 4);
		at += 4;
		sum -= at + immediate;
		memcpy(image + at - 4, &sum, 4);
	}
}

#endif
