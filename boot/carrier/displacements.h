/*
 * The image from what scripts/pack made of it: the fields of its instructions, each kind in a stream of its
 * own, and lists of where calls, operands and pointers lead to. Nothing outside what is given is read or
 * written, whatever it holds.
 */
#ifndef BOOT_CARRIER_DISPLACEMENTS_H
#define BOOT_CARRIER_DISPLACEMENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/** What leads to places. */
enum { CALLS, OPERANDS, POINTERS, LEADS };

/** The streams, in the order in which they lie; scripts/pack says what each holds. */
enum {
	OPCODES,
	BYTE_DISPLACEMENTS,
	DISPLACEMENTS,
	BYTE_IMMEDIATES,
	IMMEDIATES,
	ODD_IMMEDIATES,
	SHORT_JUMPS,
	NEAR_JUMPS,
	OTHERS,                   /* what is neither code nor a pointer */
	RELOCATED,                /* distances: where pointers lie */
	PLACES,                   /* distances, of each of LEADS */
	NUMBERS = PLACES + LEADS, /* of places, of each of LEADS */
	STREAMS = NUMBERS + LEADS,
};

/** What scripts/pack puts before the .lzma streams. */
struct payload {
	uint32_t size;            /**< of the image as the firmware is to load it, bytes */
	uint32_t crc32;           /**< of that image: that of UEFI 4.2, which is zlib's */
	uint32_t begin, end;      /**< of the code in it, bytes from its beginning */
	uint32_t unpacked;        /**< bytes that the streams unpack to */
	uint32_t relocations;     /**< where the table of base relocations begins in it */
	uint32_t second;          /**< address from which on the second of the shifts holds */
	uint32_t shift[2];        /**< by how much a pointer's address is above where it lies in the image */
	uint32_t length[STREAMS]; /**< of each stream, bytes */
	uint8_t stream[];
};

/** Where each of LEADS leads to. */
struct places {
	uint32_t at[LEADS][0xffff];
	uint32_t count[LEADS];
};

/** What is left of a stream. */
struct stream {
	const uint8_t *at, *end;
};

static inline bool take(struct stream *from, void *to, uint32_t bytes)
{
	if ((uint64_t)(from->end - from->at) < bytes)
		return false;
	memcpy(to, from->at, bytes);
	from->at += bytes;
	return true;
}

/** A distance is a byte, or 255 and 32 bits. */
static inline bool take_distance(struct stream *from, uint32_t *sum)
{
	uint32_t distance = 0;

	if (!take(from, &distance, 1) || (distance == 0xff && !take(from, &distance, 4)))
		return false;
	*sum += distance;
	return true;
}

/** A number of a place is 16 bits, the higher byte first. */
static inline bool take_number(struct stream *from, uint32_t *number)
{
	uint8_t bytes[2];

	if (!take(from, bytes, 2))
		return false;
	*number = (uint32_t)bytes[0] << 8 | bytes[1];
	return true;
}

/* What follows an opcode: ModRM, or an immediate of a kind. */
enum {
	MODRM = 1,
	BYTE = 2,
	LONG = 4,   /* 16 bits behind an operand-size prefix, else 32 */
	SHORT = 6,  /* of a jump, 8 bits */
	WORD = 8,   /* 16 bits */
	ENTER = 10, /* 16 bits and 8 */
	QUAD = 12,  /* 64 bits */
	MOVE = 14,  /* LONG, or 64 bits with REX.W */
	FIELDS = 14,
	CALL = 16, /* of a call or a jump, 32 bits */
	NEAR = 18, /* of a conditional jump, 32 bits */
	TEST = 20, /* of the group of TEST: LONG or BYTE with two of its eight members */
	IMMEDIATE = 30,
	PREFIX = 32,
};

/* Of an opcode of one byte, and of one behind 0FH. What is not told right costs bytes, not more: scripts/pack
 * has the same. */
static const uint8_t after_opcode[256] = {
#define ARITHMETIC(op) [op...(op) + 3] = MODRM, [(op) + 4] = BYTE, [(op) + 5] = LONG
	ARITHMETIC(0x00),
	ARITHMETIC(0x08),
	ARITHMETIC(0x10),
	ARITHMETIC(0x18),
	ARITHMETIC(0x20),
	ARITHMETIC(0x28),
	ARITHMETIC(0x30),
	ARITHMETIC(0x38),
	[0x26] = PREFIX,
	[0x2e] = PREFIX,
	[0x36] = PREFIX,
	[0x3e] = PREFIX,
	[0x63] = MODRM,
	[0x64 ... 0x67] = PREFIX,
	[0x68] = LONG,
	[0x69] = MODRM | LONG,
	[0x6a] = BYTE,
	[0x6b] = MODRM | BYTE,
	[0x70 ... 0x7f] = SHORT,
	[0x80] = MODRM | BYTE,
	[0x81] = MODRM | LONG,
	[0x83] = MODRM | BYTE,
	[0x84 ... 0x8f] = MODRM,
	[0xa0 ... 0xa3] = QUAD,
	[0xa8] = BYTE,
	[0xa9] = LONG,
	[0xb0 ... 0xb7] = BYTE,
	[0xb8 ... 0xbf] = MOVE,
	[0xc0 ... 0xc1] = MODRM | BYTE,
	[0xc2] = WORD,
	[0xc6] = MODRM | BYTE,
	[0xc7] = MODRM | LONG,
	[0xc8] = ENTER,
	[0xcd] = BYTE,
	[0xd0 ... 0xd3] = MODRM,
	[0xd8 ... 0xdf] = MODRM,
	[0xe0 ... 0xe3] = SHORT,
	[0xe4 ... 0xe7] = BYTE,
	[0xe8 ... 0xe9] = CALL,
	[0xeb] = SHORT,
	[0xf0] = PREFIX,
	[0xf2 ... 0xf3] = PREFIX,
	[0xf6 ... 0xf7] = MODRM | TEST,
	[0xfe ... 0xff] = MODRM,
#undef ARITHMETIC
};
static const uint8_t after_0f[256] = {
	[0x00 ... 0x04] = MODRM,
	[0x0d] = MODRM,
	[0x10 ... 0x2f] = MODRM,
	[0x40 ... 0x6f] = MODRM,
	[0x70 ... 0x73] = MODRM | BYTE,
	[0x74 ... 0x76] = MODRM,
	[0x78 ... 0x7f] = MODRM,
	[0x80 ... 0x8f] = NEAR,
	[0x90 ... 0x9f] = MODRM,
	[0xa3] = MODRM,
	[0xa4] = MODRM | BYTE,
	[0xa5 ... 0xa7] = MODRM,
	[0xab] = MODRM,
	[0xac] = MODRM | BYTE,
	[0xad ... 0xb9] = MODRM,
	[0xba] = MODRM | BYTE,
	[0xbb ... 0xc1] = MODRM,
	[0xc2] = MODRM | BYTE,
	[0xc3] = MODRM,
	[0xc4 ... 0xc6] = MODRM | BYTE,
	[0xc7] = MODRM,
	[0xd0 ... 0xff] = MODRM,
};
#define LONGEST_INSTRUCTION 24 /* that put_instruction() can put, whatever the streams hold */
#define MOST_PREFIXES       4

/** A displacement to a numbered place, or as it is. @param behind what follows it in the instruction, bytes
 */
static inline bool put_lead(struct stream *from, const struct places *places, unsigned lead, uint8_t *image,
			    uint32_t *at, unsigned behind)
{
	uint32_t number, place;

	if (!take_number(&from[NUMBERS + lead], &number) || number > places->count[lead])
		return false;
	*at += 4;
	if (!number)
		return take(&from[DISPLACEMENTS], image + *at - 4, 4);
	place = places->at[lead][number - 1] - (*at + behind);
	memcpy(image + *at - 4, &place, 4);
	return true;
}

/** One instruction, whatever it is, at *at, which is set behind it. */
static inline bool put_instruction(struct stream *from, const struct places *places, uint8_t *image,
				   uint32_t *at)
{
	unsigned after, opcode, wide = 0, narrow = 0, immediate = 0, modrm, base, field = 0;

#define NEXT(value)                                                                                          \
	do {                                                                                                 \
		if (!take(&from[OPCODES], image + *at, 1))                                                   \
			return false;                                                                        \
		(value) = image[(*at)++];                                                                    \
	} while (0)
#define FIELD(stream, bytes)                                                                                 \
	do {                                                                                                 \
		if (!take(&from[stream], image + *at, bytes))                                                \
			return false;                                                                        \
		*at += (bytes);                                                                              \
	} while (0)
	NEXT(opcode);
	for (unsigned i = 0; i < MOST_PREFIXES && after_opcode[opcode] == PREFIX; i++) {
		narrow |= opcode == 0x66;
		NEXT(opcode);
	}
	if ((opcode & 0xf0) == 0x40) {
		wide = opcode & 8;
		NEXT(opcode);
	}
	after = after_opcode[opcode];
	if (opcode == 0x0f) {
		NEXT(opcode);
		after = after_0f[opcode];
		if (opcode == 0x38 || opcode == 0x3a) {
			after = opcode == 0x38 ? MODRM : MODRM | BYTE;
			NEXT(opcode);
		}
		opcode = 0;
	} else if (opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62) {
		unsigned map = 1;

		NEXT(modrm);
		if (opcode != 0xc5) {
			map = modrm & 7;
			NEXT(modrm);
		}
		if (opcode == 0x62)
			NEXT(modrm);
		NEXT(opcode);
		after = MODRM | (map == 3 || (map == 1 && (after_0f[opcode] & IMMEDIATE) == BYTE) ? BYTE : 0);
		opcode = 0;
	}
	modrm = 0xc0;
	base = 0;
	if (after & MODRM) {
		NEXT(modrm);
		if (modrm < 0xc0 && (modrm & 7) == 4)
			NEXT(base);
	}
	switch (after & IMMEDIATE) {
	case TEST:
		if ((modrm & 0x38) > 8)
			break;
		immediate = opcode == 0xf6 ? 1 : narrow ? 2 : 4;
		break;
	case BYTE:
		immediate = 1;
		break;
	case LONG:
		immediate = narrow ? 2 : 4;
		break;
	case MOVE:
		immediate = wide ? 8 : narrow ? 2 : 4;
		break;
	case WORD:
		immediate = 2;
		break;
	case ENTER:
		immediate = 3;
		break;
	case QUAD:
		immediate = 8;
		break;
	}
	if (modrm < 0x40 && (modrm & 7) == 5) {
		if (!put_lead(from, places, OPERANDS, image, at, immediate))
			return false;
	} else if (modrm >= 0x40 && modrm < 0x80) {
		FIELD(BYTE_DISPLACEMENTS, 1);
	} else if (modrm < 0xc0 && (modrm >= 0x80 || ((modrm & 7) == 4 && (base & 7) == 5))) {
		FIELD(DISPLACEMENTS, 4);
	}
	switch (after & IMMEDIATE) {
	case CALL:
		return put_lead(from, places, CALLS, image, at, 0);
	case NEAR:
		FIELD(NEAR_JUMPS, 4);
		return true;
	case SHORT:
		FIELD(SHORT_JUMPS, 1);
		return true;
	}
	if (immediate) {
		field = immediate == 1 ? BYTE_IMMEDIATES : immediate == 4 ? IMMEDIATES : ODD_IMMEDIATES;
		FIELD(field, immediate);
	}
	return true;
#undef NEXT
#undef FIELD
}

/** The table of base relocations, as far as it is made: blocks of a page and 32 bits of length, then 16 bits
 * for each place. */
struct relocations {
	uint8_t *image;
	uint32_t size, at;     /* of the image; where the table ends */
	uint32_t page, length; /* of its last block; no length: there is none yet */
};

static inline bool put_relocation(struct relocations *r, const void *bytes, uint32_t n)
{
	if (r->size - r->at < n)
		return false;
	memcpy(r->image + r->at, bytes, n);
	r->at += n;
	r->length += n;
	memcpy(r->image + r->at - r->length + 4, &r->length, 4);
	return true;
}

/** A block ends on 32 bits. */
static inline bool end_relocations(struct relocations *r)
{
	return r->length % 4 == 0 || put_relocation(r, "\0", 2);
}

/** PE/COFF specification, 6.6: of kind DIR64. */
static inline bool relocate(struct relocations *r, uint32_t address)
{
	uint32_t head[2] = {address & ~0xfffu};
	uint16_t entry = (uint16_t)(0xa000 | (address & 0xfff));

	if (!r->length || head[0] != r->page) {
		if (!end_relocations(r))
			return false;
		r->length = 0;
		r->page = head[0];
		if (r->size - r->at < sizeof head || !put_relocation(r, head, sizeof head))
			return false;
	}
	return put_relocation(r, &entry, 2);
}

/** What is not code: pointers between the rest, and the table of base relocations that says where they are.
 */
static inline bool put_others(const struct payload *p, struct stream *from, const struct places *places,
			      uint8_t *image)
{
	struct relocations table = {.image = image, .size = p->size, .at = p->relocations};
	uint32_t at = p->end, address = 0, place, number, last = 0;
	uint64_t lead;

	if (!take(&from[OTHERS], image, p->begin) || p->relocations < at || p->relocations > p->size)
		return false;
	while (from[RELOCATED].at < from[RELOCATED].end) {
		if (!take_distance(&from[RELOCATED], &address) ||
		    !take_number(&from[NUMBERS + POINTERS], &number))
			return false;
		place = address - p->shift[address >= p->second];
		if (place < at || place > p->relocations || p->relocations - place < 8 ||
		    !take(&from[OTHERS], image + at, place - at))
			return false;
		/* Most lead to the place behind that of the one before. */
		last = (last + 1 + number) & 0xffff;
		if (!last || last > places->count[POINTERS] || !relocate(&table, address))
			return false;
		lead = places->at[POINTERS][last - 1];
		memcpy(image + place, &lead, 8);
		at = place + 8;
	}
	return end_relocations(&table) && take(&from[OTHERS], image + at, p->relocations - at) &&
	       take(&from[OTHERS], image + table.at, p->size - table.at);
}

/**
 * Put the image together.
 *
 * @param p        its head
 * @param image    p->size bytes
 * @param content  p->unpacked bytes, what the streams hold
 * @param places   room for the places
 * @return false if the content is not what the head says: the image is undefined then
 */
static inline bool put_together(const struct payload *p, uint8_t *image, const uint8_t *content,
				struct places *places)
{
	struct stream from[STREAMS];
	uint32_t left = p->unpacked, at = p->begin;

	if (p->begin > p->end || p->end > p->size)
		return false;
	for (unsigned i = 0; i < STREAMS; i++) {
		if (p->length[i] > left)
			return false;
		from[i] = (struct stream){content, content + p->length[i]};
		content += p->length[i];
		left -= p->length[i];
	}
	for (unsigned lead = 0; lead < LEADS; lead++) {
		uint32_t place = 0, count = 0;

		while (from[PLACES + lead].at < from[PLACES + lead].end) {
			if (count == 0xffff || !take_distance(&from[PLACES + lead], &place))
				return false;
			places->at[lead][count++] = place;
		}
		places->count[lead] = count;
	}
	while (p->end - at >= LONGEST_INSTRUCTION)
		if (!put_instruction(from, places, image, &at))
			return false;
	if (!take(&from[OPCODES], image + at, p->end - at) || !put_others(p, from, places, image))
		return false;
	for (unsigned i = 0; i < STREAMS; i++)
		if (from[i].at != from[i].end)
			return false;
	return !left;
}

#endif
