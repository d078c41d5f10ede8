/* The report on the serial line: what is sent when memory is short. (tests/self/boot/bios.t has the rest.) */
#include "boot/sent/serial_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static unsigned mallocs_left;
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void *__wrap_malloc(size_t size)
{
	return mallocs_left ? mallocs_left--, __real_malloc(size) : NULL;
}

#define LINES 16000
static char lines[LINES][80];
static unsigned n_lines, lines_taken = UINT32_MAX;

static bool line(const char *text, size_t size)
{
	if (n_lines == lines_taken)
		return false;
	assert_true(n_lines < LINES && size < sizeof lines[0]);
	memcpy(lines[n_lines], text, size);
	lines[n_lines++][size] = 0;
	return true;
}

static bool put_few(text_sink *sink, void *to)
{
	return sink(to, "123", 3) && sink(to, "456789", 6);
}

static bool put_nothing(text_sink *sink, void *to)
{
	(void)sink, (void)to;
	return true;
}

static bool put_half(text_sink *sink, void *to)
{
	sink(to, "123", 3);
	return false;
}

static bool put_much(text_sink *sink, void *to)
{
	static char text[300000];

	memset(text, 'x', sizeof text);
	return sink(to, text, sizeof text);
}

/* What no packing makes shorter: a piece of it, and one byte more. */
static bool put_noise(text_sink *sink, void *to)
{
	static char noise[262145];
	uint32_t x = 1;

	for (size_t i = 0; i < sizeof noise; i++) {
		x = x * 1664525 + 1013904223;
		noise[i] = (char)(x >> 24 ^ x >> 13);
	}
	return sink(to, noise, sizeof noise);
}

static bool send(bool (*put)(text_sink *sink, void *to), unsigned memory)
{
	n_lines = 0;
	mallocs_left = memory;
	bool good = serial_report_send(put, line);
	mallocs_left = UINT32_MAX;
	return good;
}

/* The checksum of these digits is known: CRC-32's check value. */
static void plain_without_memory(void **state)
{
	(void)state;
	for (unsigned memory = 0; memory < 4; memory++) {
		assert_true(send(put_few, memory));
		assert_int_equal(n_lines, 5);
		assert_string_equal(lines[0], "#:report");
		assert_string_equal(lines[1], "#:piece plain 9 9");
		assert_string_equal(lines[2], "#:MTIzNDU2Nzg5");
		assert_string_equal(lines[3], "#:sum cbf43926");
		assert_string_equal(lines[4], "#:end 9 cbf43926");
	}
}

static void packed(void **state)
{
	(void)state;
	assert_true(send(put_few, UINT32_MAX));
	assert_int_equal(strncmp(lines[1], "#:piece lzma 9 ", 15), 0);
	assert_string_equal(lines[n_lines - 1], "#:end 9 cbf43926");
}

static void in_pieces(void **state)
{
	unsigned pieces = 0;

	(void)state;
	assert_true(send(put_much, UINT32_MAX));
	for (unsigned i = 0; i < n_lines; i++)
		pieces += !strncmp(lines[i], "#:piece lzma 262144 ", 20) ||
			  !strncmp(lines[i], "#:piece lzma 37856 ", 19);
	assert_int_equal(pieces, 2);
	assert_true(n_lines < 30);
	assert_int_equal(strncmp(lines[n_lines - 1], "#:end 300000 ", 13), 0);

	/* It takes more than one line of base64, each of at most 57 bytes. */
	assert_true(send(put_much, 0));
	assert_string_equal(lines[1], "#:piece plain 262144 262144");
	assert_int_equal(strlen(lines[2]), 2 + 76);
	assert_int_equal(n_lines, 1 + 2 + (262144 + 56) / 57 + 2 + (37856 + 56) / 57 + 1);
}

/* A piece that would become longer is sent as it is, and nothing is written behind the memory for it. */
static void not_packed(void **state)
{
	(void)state;
	assert_true(send(put_noise, UINT32_MAX));
	assert_string_equal(lines[1], "#:piece plain 262144 262144");
	assert_int_equal(strncmp(lines[n_lines - 1], "#:end 262145 ", 13), 0);
}

static void nothing_and_half(void **state)
{
	(void)state;
	assert_true(send(put_nothing, UINT32_MAX));
	assert_int_equal(n_lines, 2);
	assert_string_equal(lines[1], "#:end 0 00000000");
	assert_false(send(put_half, UINT32_MAX));
	assert_int_equal(n_lines, 1);
}

/* A line that did not go out: the report was not sent, whichever it was, and nothing is sent behind it. */
static void line_lost(void **state)
{
	(void)state;
	for (lines_taken = 0; lines_taken < 5; lines_taken++) {
		assert_false(send(put_few, 0));
		assert_int_equal(n_lines, lines_taken);
	}
	assert_true(send(put_few, 0));
	lines_taken = UINT32_MAX;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_without_memory),
		cmocka_unit_test(packed),
		cmocka_unit_test(in_pieces),
		cmocka_unit_test(not_packed),
		cmocka_unit_test(nothing_and_half),
		cmocka_unit_test(line_lost),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
