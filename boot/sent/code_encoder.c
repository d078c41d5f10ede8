#include "boot/sent/code_encoder.h"

#define SIDE_LEAST 17 /* version 0 would have */

unsigned code_side(unsigned version)
{
	return SIDE_LEAST + 4 * version;
}

#if __has_include(<qrcodegen.c>)

#include <stdint.h>

/* One file with what is here: how much a version has room for is not told by its header. */
#define NDEBUG
#include <qrcodegen.c>

#define MODE_BITS 4

static uint8_t code[qrcodegen_BUFFER_LEN_MAX];

unsigned code_capacity(unsigned version)
{
	unsigned length = version < 10 ? 9 : version < 27 ? 11 : 13; /* bits of the number of characters */
	unsigned bits =
		(unsigned)getNumDataCodewords((int)version, qrcodegen_Ecc_LOW) * 8 - MODE_BITS - length;

	return bits / 11 * 2 + (bits % 11 >= 6); /* 11 bits for two, 6 for one */
}

bool code_make(const char *text, unsigned version)
{
	static uint8_t segment_bits[qrcodegen_BUFFER_LEN_MAX], work[qrcodegen_BUFFER_LEN_MAX];

	if (!qrcodegen_isAlphanumeric(text) || strlen(text) > code_capacity(version))
		return false;
	struct qrcodegen_Segment segment = qrcodegen_makeAlphanumeric(text, segment_bits);

	return qrcodegen_encodeSegmentsAdvanced(&segment, 1, qrcodegen_Ecc_LOW, (int)version, (int)version,
						qrcodegen_Mask_AUTO, true, work, code);
}

bool code_dark(void *unused, unsigned x, unsigned y)
{
	(void)unused;
	return qrcodegen_getModule(code, (int)x, (int)y);
}

#else

unsigned code_capacity(unsigned version)
{
	(void)version;
	return 0;
}

bool code_make(const char *text, unsigned version)
{
	(void)text, (void)version;
	return false;
}

bool code_dark(void *unused, unsigned x, unsigned y)
{
	(void)unused, (void)x, (void)y;
	return false;
}

#endif
