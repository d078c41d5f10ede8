#include "boot/sent/codes.h"

#include "arch/screen.h"
#include "arch/time.h"
#include "boot/sent/code_encoder.h"
#include "boot/sent/packed_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM   (64u << 10)
#define AROUND       40 /* characters of a code's text that are not data, at most */
#define CODE_SECONDS 2
#define TEXT_SECONDS 10
#define ROUNDS       2

static struct {
	uint8_t *data;
	size_t size, room;
	bool too_little; /* memory */
} all;
static uint32_t all_sum;
static unsigned version, count;
static size_t each; /* bytes in a code, the last one may have fewer */

static bool add(const void *data, size_t size)
{
	while (size > all.room - all.size) {
		size_t room = all.room ? 2 * all.room : FIRST_ROOM;
		uint8_t *larger = realloc(all.data, room);

		if (!larger) {
			all.too_little = true;
			return false;
		}
		all.data = larger;
		all.room = room;
	}
	memcpy(all.data + all.size, data, size);
	all.size += size;
	return true;
}

static bool add_piece(void *unused, const struct packed_piece *piece)
{
	char line[64];
	int n = snprintf(line, sizeof line, "piece %s %lu %lu %08lx\n", packed_piece_kind(piece),
			 (unsigned long)piece->plain, (unsigned long)piece->size, (unsigned long)piece->sum);

	(void)unused;
	return add(line, (size_t)n) && add(piece->data, piece->size);
}

static bool add_all(bool (*put)(text_sink *sink, void *to))
{
	char line[64];
	size_t total;
	uint32_t sum;

	all.size = 0;
	all.too_little = false;
	if (!packed_report(put, add_piece, NULL, &total, &sum))
		return false;
	return add(line, (size_t)snprintf(line, sizeof line, "end %lu %08lx\n", (unsigned long)total,
					  (unsigned long)sum));
}

/* Two bytes are three characters. */
static size_t bytes_in(unsigned of_version)
{
	unsigned characters = code_capacity(of_version);

	return characters > AROUND ? (characters - AROUND) / 3 * 2 : 0;
}

/* As few codes as the screen's room allows, as small as that many can be. */
static void divide(unsigned squares)
{
	for (version = CODE_VERSIONS; code_side(version) + 2 * CODE_MARGIN > squares;)
		version--;
	count = (unsigned)((all.size + bytes_in(version) - 1) / bytes_in(version));
	each = (all.size + count - 1) / count;
	each += each % 2;
	while (version > 1 && bytes_in(version - 1) >= each)
		version--;
}

const char *codes_make(bool (*put)(text_sink *sink, void *to), const char **why)
{
	static char where[112];
	unsigned squares = screen_squares();

	count = 0;
	*why = !code_capacity(1) ? "this image was built without the encoder of QR codes"
	       : squares < code_side(2) + 2 * CODE_MARGIN ? "there is no screen for QR codes"
							 : NULL;
	if (*why)
		return NULL;
	if (!add_all(put)) {
		*why = all.too_little ? "not enough memory for QR codes" : "not all of the report is there";
		return NULL;
	}
	all_sum = packed_sum(0, all.data, all.size);
	divide(squares);
	snprintf(where, sizeof where,
		 "as %u QR code%s, to be filmed as they follow on this screen; scripts/qr-report reads them",
		 count, count == 1 ? "" : "s");
	return where;
}

static void write_base45(char *to, const uint8_t *data, size_t size)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";

	for (; size; size -= size > 1 ? 2 : 1, data += 2) {
		unsigned n = size > 1 ? data[0] * 256u + data[1] : data[0];

		*to++ = digits[n % 45];
		*to++ = digits[n / 45 % 45];
		if (size > 1)
			*to++ = digits[n / 45 / 45];
	}
	*to++ = '.';
	*to = 0;
}

const char *codes_text(unsigned number)
{
	static char text[CODE_TEXT];
	size_t at = (number - 1) * each, size = all.size - at < each ? all.size - at : each;
	int n = snprintf(text, sizeof text, "ASSAY:%08lX:%u:%u:%08lX:", (unsigned long)all_sum, number, count,
			 (unsigned long)packed_sum(0, all.data + at, size));

	write_base45(text + n, all.data + at, size);
	return text;
}

static void wait(unsigned seconds)
{
	uint64_t since = clock_read();

	while (clock_read() - since < seconds * clock_hz())
		;
}

void codes_show(bool for_ever)
{
	char line[64];

	for (unsigned round = 0; count && (for_ever || round < ROUNDS); round++) {
		screen_show_text();
		wait(TEXT_SECONDS);
		for (unsigned i = 1; i <= count; i++) {
			code_make(codes_text(i), version);
			snprintf(line, sizeof line, "Assay's report: code %u of %u", i, count);
			screen_pattern(code_side(version), CODE_MARGIN, code_dark, NULL, line);
			wait(CODE_SECONDS);
		}
	}
	screen_show_text();
}
