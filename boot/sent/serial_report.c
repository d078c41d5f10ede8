#include "boot/sent/serial_report.h"

#include "boot/sent/packed_report.h"

#include <stdio.h>

#define LINE_BYTES 57
#define LINE_TEXT  (LINE_BYTES / 3 * 4)

struct sender {
	bool (*line)(const char *text, size_t size);
	bool lost; /* a line did not go out whole */
};

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

static bool send_piece(void *to, const struct packed_piece *piece)
{
	struct sender *s = to;
	char text[64];
	int n = snprintf(text, sizeof text, "#:piece %s %lu %lu", packed_piece_kind(piece),
			 (unsigned long)piece->plain, (unsigned long)piece->size);

	send_line(s, text, (size_t)n);
	send_base64(s, piece->data, piece->size);
	n = snprintf(text, sizeof text, "#:sum %08lx", (unsigned long)piece->sum);
	send_line(s, text, (size_t)n);
	return !s->lost;
}

bool serial_report_send(bool (*put)(text_sink *sink, void *to), bool (*line)(const char *text, size_t size))
{
	struct sender s = {.line = line};
	static const char begin[] = "#:report";
	char text[64];
	size_t total;
	uint32_t sum;

	send_line(&s, begin, sizeof begin - 1);
	if (!packed_report(put, send_piece, &s, &total, &sum))
		return false;
	send_line(&s, text,
		  (size_t)snprintf(text, sizeof text, "#:end %lu %08lx", (unsigned long)total,
				   (unsigned long)sum));
	return !s.lost;
}
