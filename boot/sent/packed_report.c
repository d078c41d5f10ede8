#include "boot/sent/packed_report.h"

#include <LzmaEnc.h>
#include <stdlib.h>
#include <string.h>

#define PIECE       (256u << 10)
#define LZMA_HEADER (LZMA_PROPS_SIZE + 8) /* properties, and the length, all ones: an end mark is there */

struct packer {
	bool (*piece)(void *to, const struct packed_piece *piece);
	void *to;
	bool lost;                  /* a piece was */
	uint8_t *piece_at, *packed; /* packed NULL: no memory for it */
	size_t used, total;
	uint32_t sum;
};

/* Reflected, polynomial 04C11DB7H; begins and ends with all bits turned round. */
uint32_t packed_sum(uint32_t sum, const uint8_t *data, size_t size)
{
	sum = ~sum;
	while (size--) {
		sum ^= *data++;
		for (unsigned bit = 0; bit < 8; bit++)
			sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
	}
	return ~sum;
}

const char *packed_piece_kind(const struct packed_piece *piece)
{
	return piece->lzma ? "lzma" : "plain";
}

static void *take(void *p, size_t size)
{
	(void)p;
	return size ? malloc(size) : NULL;
}

static void give(void *p, void *memory)
{
	(void)p;
	free(memory);
}

/* @return its size; 0: it cannot be packed */
static size_t pack(struct packer *s)
{
	static ISzAlloc memory = {take, give};
	CLzmaEncProps how;
	SizeT size = PIECE - LZMA_HEADER, header = LZMA_PROPS_SIZE;

	if (!s->packed)
		return 0;
	LzmaEncProps_Init(&how);
	how.level = 1;
	how.dictSize = PIECE;
	how.numThreads = 1;
	if (LzmaEncode(s->packed + LZMA_HEADER, &size, s->piece_at, s->used, &how, s->packed, &header, 1,
		       NULL, &memory, &memory) != SZ_OK)
		return 0;
	memset(s->packed + LZMA_PROPS_SIZE, 0xff, 8);
	return LZMA_HEADER + size;
}

static void hand_over(struct packer *s)
{
	size_t size = s->used && !s->lost ? pack(s) : 0;
	struct packed_piece piece = {
		.data = size ? s->packed : s->piece_at,
		.size = size ? size : s->used,
		.lzma = size,
		.plain = s->used,
		.sum = packed_sum(0, s->piece_at, s->used),
	};

	if (s->used)
		s->lost = s->lost || !s->piece(s->to, &piece);
	s->total += s->used;
	s->used = 0;
}

static bool gather(void *to, const char *text, size_t size)
{
	struct packer *s = to;

	s->sum = packed_sum(s->sum, (const uint8_t *)text, size);
	while (size) {
		size_t part = size < PIECE - s->used ? size : PIECE - s->used;

		memcpy(s->piece_at + s->used, text, part);
		s->used += part;
		text += part;
		size -= part;
		if (s->used == PIECE)
			hand_over(s);
	}
	return !s->lost;
}

bool packed_report(bool (*put)(text_sink *sink, void *to),
		   bool (*piece)(void *to, const struct packed_piece *piece), void *to, size_t *total,
		   uint32_t *sum)
{
	static uint8_t plain[PIECE];
	struct packer s = {.piece = piece, .to = to, .piece_at = plain, .packed = malloc(PIECE)};
	bool good = put(gather, &s);

	if (good)
		hand_over(&s);
	free(s.packed);
	*total = s.total;
	*sum = s.sum;
	return good && !s.lost;
}
