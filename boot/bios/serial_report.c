#include "boot/bios/serial_report.h"

#include <LzmaEnc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECE       (256u << 10)
#define LZMA_HEADER (LZMA_PROPS_SIZE + 8) /* properties, and the length, all ones: an end mark is there */
#define LINE_BYTES  57
#define LINE_TEXT   (LINE_BYTES / 3 * 4)

struct sender {
	bool (*line)(const char *text, size_t size);
	bool lost;               /* a line did not go out whole */
	uint8_t *piece, *packed; /* NULL: no memory for it */
	size_t used, total;
	uint32_t sum;
};

/* Reflected, polynomial 04C11DB7H; begins and ends with all bits turned round. */
static uint32_t crc32(uint32_t sum, const uint8_t *data, size_t size)
{
	sum = ~sum;
	while (size--) {
		sum ^= *data++;
		for (unsigned bit = 0; bit < 8; bit++)
			sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
	}
	return ~sum;
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

static void send_line(struct sender *s, const char *text, size_t size)
{
	s->lost = s->lost || !s->line(text, size);
}

static void send_base64(struct sender *s, const uint8_t *data, size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	while (size) {
		char text[2 + LINE_TEXT] = "#:";
		size_t part = size < LINE_BYTES ? size : LINE_BYTES, n = 2;

		for (size_t i = 0; i < part; i += 3) {
			uint32_t three = (uint32_t)data[i] << 16;

			three |= i + 1 < part ? (uint32_t)data[i + 1] << 8 : 0;
			three |= i + 2 < part ? data[i + 2] : 0;
			text[n++] = digits[three >> 18];
			text[n++] = digits[three >> 12 & 63];
			text[n++] = i + 1 < part ? digits[three >> 6 & 63] : '=';
			text[n++] = i + 2 < part ? digits[three & 63] : '=';
		}
		send_line(s, text, n);
		data += part;
		size -= part;
	}
}

/* @return its size; 0: it cannot be packed */
static size_t pack(struct sender *s)
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
	if (LzmaEncode(s->packed + LZMA_HEADER, &size, s->piece, s->used, &how, s->packed, &header, 1, NULL,
		       &memory, &memory) != SZ_OK)
		return 0;
	memset(s->packed + LZMA_PROPS_SIZE, 0xff, 8);
	return LZMA_HEADER + size;
}

static void send_piece(struct sender *s)
{
	char text[64];
	size_t size = s->used ? pack(s) : 0;
	int n;

	if (!s->used)
		return;
	n = snprintf(text, sizeof text, "#:piece %s %lu %lu", size ? "lzma" : "plain", (unsigned long)s->used,
		     (unsigned long)(size ? size : s->used));
	send_line(s, text, (size_t)n);
	send_base64(s, size ? s->packed : s->piece, size ? size : s->used);
	n = snprintf(text, sizeof text, "#:sum %08lx", (unsigned long)crc32(0, s->piece, s->used));
	send_line(s, text, (size_t)n);
	s->total += s->used;
	s->used = 0;
}

static bool gather(void *to, const char *text, size_t size)
{
	struct sender *s = to;

	s->sum = crc32(s->sum, (const uint8_t *)text, size);
	while (size) {
		size_t part = size < PIECE - s->used ? size : PIECE - s->used;

		memcpy(s->piece + s->used, text, part);
		s->used += part;
		text += part;
		size -= part;
		if (s->used == PIECE)
			send_piece(s);
	}
	return !s->lost;
}

bool serial_report_send(bool (*put)(text_sink *sink, void *to), bool (*line)(const char *text, size_t size))
{
	static uint8_t piece[PIECE];
	struct sender s = {.line = line, .piece = piece, .packed = malloc(PIECE)};
	static const char begin[] = "#:report";
	char text[64];
	bool good;

	send_line(&s, begin, sizeof begin - 1);
	good = put(gather, &s);
	if (good) {
		send_piece(&s);
		send_line(&s, text,
			  (size_t)snprintf(text, sizeof text, "#:end %lu %08lx", (unsigned long)s.total,
					   (unsigned long)s.sum));
	}
	free(s.packed);
	return good && !s.lost;
}
