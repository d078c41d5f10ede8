/* The report as QR codes: what they say, and what is said where there can be none. With arguments, FOLDER
 * BYTES PIXELS, codes of so much noise are shown on a screen (PIXELS 1: VGA's planes, 32: more of them), and
 * each picture is written to a file: tests/self/host/qr-report.t reads them. */
#include "boot/sent/codes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "arch/screen.h"
#include "arch/time.h"
#include "boot/sent/code_encoder.h"

#define WIDTH  800
#define HEIGHT 600

static uint32_t memory[WIDTH * HEIGHT];
static struct framebuffer screen = {
	.width = WIDTH, .height = HEIGHT, .pitch = WIDTH * 4, .red = 0xff0000, .green = 0xff00, .blue = 0xff};
static uint64_t now;
static const char *folder;
static unsigned pictures, bytes = 9;
static bool fail;

uint64_t clock_hz(void)
{
	return 1;
}

static bool light(unsigned x, unsigned y)
{
	const uint8_t *row = (const uint8_t *)memory + (size_t)y * screen.pitch;

	return screen.planes ? row[x / 8] & 0x80 >> x % 8
			     : (((const uint32_t *)(const void *)row)[x] & 0xff) > 0x80;
}

static void write_picture(void)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof path, "%s/%03u.pgm", folder, ++pictures);
	f = fopen(path, "wb");
	if (!f)
		exit(2);
	fprintf(f, "P5 %u %u 255\n", screen.width, screen.height);
	for (unsigned y = 0; y < screen.height; y++)
		for (unsigned x = 0; x < screen.width; x++)
			fputc(light(x, y) ? 255 : 0, f);
	fclose(f);
}

/* Whoever waits looks at the clock: what is on the screen then is what is seen. */
uint64_t clock_read(void)
{
	static uint32_t seen[WIDTH * HEIGHT];

	now++;
	if (folder && memcmp(seen, memory, sizeof seen)) {
		memcpy(seen, memory, sizeof seen);
		write_picture();
	}
	return now;
}

static bool put(text_sink *sink, void *to)
{
	uint32_t x = 1;

	if (bytes == 9)
		return sink(to, "123456789", 9) && !fail;
	for (unsigned i = 0; i < bytes; i++) {
		char c;

		x = x * 1664525 + 1013904223;
		c = (char)(x >> 24 ^ x >> 13);
		if (!sink(to, &c, 1))
			return false;
	}
	return true;
}

static unsigned mallocs_left = UINT32_MAX;
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);

void *__wrap_malloc(size_t size)
{
	return mallocs_left ? mallocs_left--, __real_malloc(size) : NULL;
}

void *__wrap_realloc(void *p, size_t size)
{
	return mallocs_left ? mallocs_left--, __real_realloc(p, size) : NULL;
}

static void what_they_say(void **state)
{
	const char *why;

	(void)state;
	screen.address = (uintptr_t)memory;
	screen_open(&screen);
	mallocs_left = 0;
	assert_null(codes_make(put, &why));
	assert_string_equal(why, "not enough memory for QR codes");
	mallocs_left = UINT32_MAX;
	fail = true;
	assert_null(codes_make(put, &why));
	assert_string_equal(why, "not all of the report is there");
	fail = false;
	assert_string_equal(
		codes_make(put, &why),
		"as 1 QR code, to be filmed as they follow on this screen; scripts/qr-report reads them");
	assert_int_equal(strncmp(codes_text(1), "ASSAY:", 6), 0);
	assert_int_equal(strncmp(codes_text(1) + 14, ":1:1:", 5), 0);
	assert_int_equal(strncmp(codes_text(1) + 6, codes_text(1) + 19, 8),
			 0); /* one code: both sums are one */
	assert_int_equal(codes_text(1)[strlen(codes_text(1)) - 1], '.');
	bytes = 100000;
	assert_non_null(codes_make(put, &why));
	assert_non_null(strstr(codes_text(2), ":2:"));
	screen_close();
	assert_null(codes_make(put, &why));
	assert_string_equal(why, "there is no screen for QR codes");
	bytes = 9;
}

static void no_pixels_no_codes(void **state)
{
	struct framebuffer text = {
		.address = (uintptr_t)memory, .width = 80, .height = 25, .pitch = 160, .text = true};
	const char *why;

	(void)state;
	screen_open(&text);
	assert_true(screen_is_open());
	assert_null(codes_make(put, &why));
	assert_string_equal(why, "there is no screen for QR codes");
}

/* ISO/IEC 18004, table 7: numbers of alphanumeric characters at level L. */
static void capacities(void **state)
{
	(void)state;
	assert_int_equal(code_side(1), 21);
	assert_int_equal(code_side(40), 177);
	assert_int_equal(code_capacity(1), 25);
	assert_int_equal(code_capacity(9), 335);
	assert_int_equal(code_capacity(10), 395);
	assert_int_equal(code_capacity(26), 1990);
	assert_int_equal(code_capacity(27), 2132);
	assert_int_equal(code_capacity(40), 4296);
	assert_true(code_make("0123456789ABCDEFGHIJ $%*+", 1));
	assert_false(code_make("0123456789ABCDEFGHIJ $%*+-", 1));
	assert_false(code_make("abc", 1));
}

static int show(char **argv)
{
	struct framebuffer text = {
		.address = (uintptr_t)memory, .width = 80, .height = 25, .pitch = 160, .text = true};
	const char *why;

	screen.address = (uintptr_t)memory;
	if (atoi(argv[3]) == 1) {
		screen_open(&text);
		screen = (struct framebuffer){.address = (uintptr_t)memory,
					      .width = 640,
					      .height = 480,
					      .pitch = 80,
					      .planes = true};
		screen_move(&screen);
	} else {
		screen_open(&screen);
	}
	bytes = (unsigned)atoi(argv[2]);
	if (!codes_make(put, &why))
		return 1;
	folder = argv[1];
	codes_show(false);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_they_say),
		cmocka_unit_test(no_pixels_no_codes),
		cmocka_unit_test(capacities),
	};

	if (argc == 4)
		return show(argv);
	if (!code_capacity(1)) {
		printf("1..0 # SKIP built without the encoder of QR codes\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
