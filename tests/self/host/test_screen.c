/* The screen: what is written on it is drawn where it belongs, and nothing else is. */
#include "arch/screen.h"
#include "arch/x86/console/font.h"
#include "boot/direct/screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "arch/time.h"

#define BGR     .red = 0xff0000, .green = 0xff00, .blue = 0xff
#define OUTSIDE 0x5a5a5a5au

static uint64_t now = 1000000;
static uint32_t *pixels;
static struct framebuffer f;
static unsigned scale;

uint64_t clock_read(void)
{
	return now;
}

uint64_t clock_hz(void)
{
	return 1000;
}

static void open_screen(struct framebuffer like, unsigned expected_scale)
{
	f = like;
	scale = expected_scale;
	free(pixels);
	pixels = malloc((size_t)f.pitch * f.height);
	for (size_t i = 0; i < (size_t)f.pitch / 4 * f.height; i++)
		pixels[i] = OUTSIDE;
	f.address = (uintptr_t)pixels;
	screen_open(&f);
}

static uint32_t at(unsigned x, unsigned y)
{
	return pixels[(size_t)y * f.pitch / 4 + x];
}

/* The character in a cell; 0: it is none. Its two colours are told. */
static char read_cell(unsigned row, unsigned column, uint32_t *ink, uint32_t *paper)
{
	unsigned left = column * FONT_WIDTH * scale, top = row * FONT_HEIGHT * scale;

	for (unsigned g = 0; g < sizeof font / sizeof font[0]; g++) {
		bool same = true, inked = false, papered = false;

		*ink = *paper = 0;
		for (unsigned y = 0; same && y < FONT_HEIGHT * scale; y++)
			for (unsigned x = 0; same && x < FONT_WIDTH * scale; x++) {
				bool set = font[g][y / scale] & (0x80 >> x / scale);
				uint32_t *colour = set ? ink : paper, found = at(left + x, top + y);
				bool *seen = set ? &inked : &papered;

				same = !*seen || *colour == found;
				*seen = true;
				*colour = found;
			}
		if (same && (!inked || !papered || *ink != *paper))
			return (char)(g + FONT_FIRST <= FONT_LAST ? g + FONT_FIRST
								  : g + FONT_FIRST - FONT_LAST);
	}
	return 0;
}

static void line_is(unsigned row, const char *text)
{
	unsigned columns = f.width / FONT_WIDTH / scale;
	uint32_t ink, paper;

	for (unsigned i = 0; i < columns && i < 200; i++) {
		char c = read_cell(row, i, &ink, &paper);
		char want = *text ? *text++ : ' ';

		/* A full block's paper is not to be seen: it reads as a blank. */
		if (c != want && !(c == ' ' && want == SCREEN_FULL))
			print_error("row %u, column %u: '%c', not '%c'\n", row, i, c, want);
		assert_true(c == want || (c == ' ' && want == SCREEN_FULL));
	}
}

static void put(const char *text)
{
	screen_text(text, strlen(text), false);
}

static void text_is_drawn(void **state)
{
	char all[FONT_LAST - FONT_FIRST + 2] = "";

	(void)state;
	for (unsigned i = 0; i <= FONT_LAST - FONT_FIRST; i++)
		all[i] = (char)(FONT_FIRST + i);
	open_screen((struct framebuffer){.width = 800, .height = 600, .pitch = 800 * 4, BGR}, 1);
	assert_true(screen_is_open());
	screen_line(0, SCREEN_HEAD, "head");
	screen_line(3, SCREEN_BAD, "\x02\x03 bad");
	screen_line(SCREEN_LINES, SCREEN_BAD, "not one of them");
	put(all);
	put("\nsecond ");
	put("line \xff\n");
	screen_draw();
	line_is(0, "head");
	line_is(1, "");
	line_is(3, "\x02\x03 bad");
	line_is(SCREEN_LINES, all);
	line_is(SCREEN_LINES + 1, "second line ?");
	line_is(SCREEN_LINES + 2, "");
}

static void colours_go_where_the_masks_say(void **state)
{
	static const struct framebuffer kinds[] = {
		{.width = 640,
		 .height = 480,
		 .pitch = 640 * 4,
		 .red = 0xff,
		 .green = 0xff00,
		 .blue = 0xff0000},
		{.width = 640, .height = 480, .pitch = 640 * 4, BGR},
		{.width = 640,
		 .height = 480,
		 .pitch = 640 * 4,
		 .red = 0x3ff00000,
		 .green = 0xffc00,
		 .blue = 0x3ff},
	};
	static const uint32_t paper[] = {0x704020, 0x204070,
					 (0x20 * 1023 / 255) << 20 | (0x40 * 1023 / 255) << 10 |
						 0x70 * 1023 / 255};
	static const uint32_t ink[] = {0xffffff, 0xffffff, 0x3fffffff};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		uint32_t found_ink, found_paper;

		open_screen(kinds[i], 1);
		screen_line(0, SCREEN_HEAD, "x");
		screen_draw();
		assert_int_equal(read_cell(0, 0, &found_ink, &found_paper), 'x');
		assert_int_equal(found_ink, ink[i]);
		assert_int_equal(found_paper, paper[i]);
	}
}

static void nothing_is_drawn_beside_it(void **state)
{
	(void)state;
	open_screen((struct framebuffer){.width = 1003, .height = 611, .pitch = 1024 * 4, BGR}, 1);
	for (unsigned i = 0; i < 100; i++)
		put("a line that is so long that it has to be broken, as there is no screen that has room "
		    "for all of it in one row, whatever "
		    "its size may be\n");
	screen_draw();
	for (unsigned y = 0; y < f.height; y++)
		for (unsigned x = f.width; x < f.pitch / 4; x++)
			assert_int_equal(at(x, y), OUTSIDE);
	for (unsigned x = f.width / 8 * 8; x < f.width; x++)
		assert_int_equal(at(x, 5), 0x101018);
}

static void text_scrolls(void **state)
{
	unsigned rows = 480 / 16;
	char line[32];

	(void)state;
	open_screen((struct framebuffer){.width = 640, .height = 480, .pitch = 640 * 4, BGR}, 1);
	screen_line(4, SCREEN_PLAIN, "stays");
	for (unsigned i = 0; i < 100; i++) {
		snprintf(line, sizeof line, "line %u\n", i);
		put(line);
		if (i % 7 == 0)
			screen_draw();
	}
	screen_draw();
	line_is(4, "stays");
	line_is(rows - 1, "");
	line_is(rows - 2, "line 99");
	snprintf(line, sizeof line, "line %u", 99 - (rows - 2 - SCREEN_LINES));
	line_is(SCREEN_LINES, line);
}

static void long_lines_are_broken(void **state)
{
	char text[201];

	(void)state;
	for (unsigned i = 0; i < 200; i++)
		text[i] = (char)('a' + i % 26);
	text[200] = 0;
	open_screen((struct framebuffer){.width = 640, .height = 480, .pitch = 640 * 4, BGR}, 1);
	put(text);
	screen_line(0, SCREEN_PLAIN, text);
	screen_draw();
	line_is(SCREEN_LINES + 2, text + 160);
	text[160] = 0;
	line_is(SCREEN_LINES + 1, text + 80);
	text[80] = 0;
	line_is(SCREEN_LINES, text);
	line_is(0, text); /* cut off */
}

static void large_screens_have_large_characters(void **state)
{
	static const struct {
		unsigned width, height, scale;
	} sizes[] = {{640, 480, 1},   {1280, 800, 1}, {1920, 1080, 2},
		     {3840, 2160, 4}, {2560, 900, 1}, {7680, 4320, 9}};

	(void)state;
	for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		open_screen((struct framebuffer){.width = sizes[i].width,
						 .height = sizes[i].height,
						 .pitch = sizes[i].width * 4,
						 BGR},
			    sizes[i].scale);
		put("text");
		screen_draw();
		line_is(SCREEN_LINES, "text");
	}
}

/* A BIOS's text: no pixel is drawn, each cell is a character of code page 437 and VGA's colours. */
static void cells_are_written_in_a_text_mode(void **state)
{
	enum { COLUMNS = 80, ROWS = 25, PITCH = 2 * COLUMNS };
	static uint16_t cells[COLUMNS * (ROWS + 1)];
	char line[COLUMNS + 2];

	(void)state;
	memset(cells, 0xee, sizeof cells);
	screen_open(&(struct framebuffer){
		.address = (uintptr_t)cells, .width = COLUMNS, .height = ROWS, .pitch = PITCH, .text = true});
	assert_true(screen_is_open());
	assert_int_equal(cells[0], 0xeeee);
	screen_line(0, SCREEN_HEAD, "head");
	screen_line(1, SCREEN_PLAIN, "\x7f\x1f");
	screen_line(3, SCREEN_BAD, "\x01\x02\x03 bad");
	screen_line(4, SCREEN_DIM, "~");
	for (unsigned i = 0; i < ROWS - SCREEN_LINES; i++) {
		snprintf(line, sizeof line, "line %u\n", i);
		put(line);
	}
	put("last");
	screen_draw();
	assert_int_equal(cells[0], 0x1f00 | 'h');
	assert_int_equal(cells[COLUMNS - 1], 0x1f00 | ' ');
	assert_int_equal(cells[COLUMNS], 0x0700 | '?');
	assert_int_equal(cells[COLUMNS + 1], 0x0700 | '?');
	assert_int_equal(cells[3 * COLUMNS], 0x4fdb);
	assert_int_equal(cells[3 * COLUMNS + 1], 0x4fb1);
	assert_int_equal(cells[3 * COLUMNS + 2], 0x4fc4);
	assert_int_equal(cells[3 * COLUMNS + 4], 0x4f00 | 'b');
	assert_int_equal(cells[4 * COLUMNS], 0x0800 | '~');
	assert_int_equal(cells[SCREEN_LINES * COLUMNS + 5], 0x0700 | '1');
	assert_int_equal(cells[24 * COLUMNS], 0x0700 | 'l');
	assert_int_equal(cells[24 * COLUMNS + 4], 0x0700 | ' ');
	assert_int_equal(cells[25 * COLUMNS], 0xeeee);

	cells[0] = 0xeeee; /* only what has changed is written */
	screen_line(3, SCREEN_PLAIN, "good");
	screen_draw();
	assert_int_equal(cells[0], 0xeeee);
	assert_int_equal(cells[3 * COLUMNS], 0x0700 | 'g');
}

/* Of a start by a BIOS: what the loader says of the screen, or else the BIOS. */
static void the_screen_of_a_bios_is_found(void **state)
{
	static const struct {
		uint8_t mode;
		uint16_t columns;
		uint8_t rows; /* but one */
		uint64_t address;
	} of_bios[] = {
		{3, 80, 24, 0xb8000}, {3, 132, 49, 0xb8000}, {2, 80, 24, 0xb8000}, {7, 80, 24, 0xb0000},
		{4, 40, 24, 0},       {0x13, 40, 24, 0},     {0x62, 80, 24, 0},
	};
	uint8_t data[256] = {0};
	struct multiboot_info info = {0};

	(void)state;
	for (unsigned i = 0; i < sizeof of_bios / sizeof of_bios[0]; i++) {
		data[0x49] = of_bios[i].mode;
		data[0x4a] = (uint8_t)of_bios[i].columns;
		data[0x84] = of_bios[i].rows;
		struct framebuffer found = direct_screen(&info, data);

		assert_int_equal(found.address, of_bios[i].address);
		assert_true(found.text);
		assert_int_equal(found.width, of_bios[i].columns);
		assert_int_equal(found.height, of_bios[i].rows + 1);
		assert_int_equal(found.pitch, of_bios[i].columns * 2);
	}
	/* Without a BIOS of the screen's nothing is set up. */
	memset(data, 0, sizeof data);
	struct framebuffer none = direct_screen(&info, data);
	screen_open(&none);
	assert_false(screen_is_open());

	/* The loader's word goes before. */
	data[0x49] = 3;
	info = (struct multiboot_info){
		.flags = MULTIBOOT_SCREEN,
		.screen_address = 0xfd000000,
		.screen_width = 1024,
		.screen_height = 768,
		.screen_pitch = 4096,
		.screen_bits = 32,
		.screen_type = MULTIBOOT_SCREEN_RGB,
		.red_place = 16,
		.red_bits = 8,
		.green_place = 8,
		.green_bits = 8,
		.blue_place = 0,
		.blue_bits = 8,
	};
	struct framebuffer linear = direct_screen(&info, data);
	assert_int_equal(linear.address, 0xfd000000);
	assert_int_equal(linear.width, 1024);
	assert_int_equal(linear.height, 768);
	assert_int_equal(linear.pitch, 4096);
	assert_int_equal(linear.red, 0xff0000);
	assert_int_equal(linear.green, 0xff00);
	assert_int_equal(linear.blue, 0xff);
	assert_false(linear.text);
	info.red_place = 20, info.red_bits = 12; /* up to the highest bit */
	assert_int_equal(direct_screen(&info, data).red, 0xfff00000);
	info.screen_bits = 24;
	assert_int_equal(direct_screen(&info, data).address, 0);
	info.screen_bits = 32, info.screen_type = 0; /* of a palette */
	assert_int_equal(direct_screen(&info, data).address, 0);
	info.screen_bits = 16, info.screen_type = MULTIBOOT_SCREEN_TEXT;
	info.screen_address = 0xb8000, info.screen_width = 80, info.screen_height = 25;
	info.screen_pitch = 160;
	struct framebuffer text = direct_screen(&info, data);
	assert_true(text.text);
	assert_int_equal(text.address, 0xb8000);
	assert_int_equal(text.height, 25);
	assert_int_equal(text.pitch, 160);
}

static void what_is_no_screen_is_left_alone(void **state)
{
	static const struct framebuffer none[] = {
		{.width = 319, .height = 480, .pitch = 640 * 4, BGR},
		{.width = 640, .height = 191, .pitch = 640 * 4, BGR},
		{.width = 640, .height = 480, .pitch = 639 * 4, BGR},
		{.width = 39, .height = 25, .pitch = 80, .text = true},
		{.width = 80, .height = 11, .pitch = 160, .text = true},
		{.width = 80, .height = 25, .pitch = 158, .text = true},
	};
	struct framebuffer nowhere = {.width = 640, .height = 480, .pitch = 640 * 4, BGR};

	(void)state;
	for (unsigned i = 0; i < sizeof none / sizeof none[0]; i++) {
		open_screen(none[i], 1);
		assert_false(screen_is_open());
		put("text");
		screen_line(0, SCREEN_PLAIN, "line");
		screen_draw();
		assert_int_equal(pixels[0], OUTSIDE);
	}
	screen_open(&nowhere);
	assert_false(screen_is_open());
	put("text\n");
	screen_draw();
}

static void only_what_has_changed_is_drawn(void **state)
{
	(void)state;
	open_screen((struct framebuffer){.width = 640, .height = 480, .pitch = 640 * 4, BGR}, 1);
	put("one\ntwo\n");
	screen_draw();
	pixels[0] = OUTSIDE;
	screen_line(1, SCREEN_PLAIN, "other");
	put("three\n");
	screen_draw();
	assert_int_equal(pixels[0], OUTSIDE);
	line_is(1, "other");
	line_is(SCREEN_LINES + 2, "three");
	screen_close();
	screen_line(1, SCREEN_PLAIN, "closed");
	put("closed");
	screen_draw();
	line_is(1, "other");
}

static void text_is_not_drawn_too_often(void **state)
{
	(void)state;
	open_screen((struct framebuffer){.width = 640, .height = 480, .pitch = 640 * 4, BGR}, 1);
	screen_text("one", 3, true);
	line_is(SCREEN_LINES, "one");
	now += 39;
	screen_text("two", 3, true);
	line_is(SCREEN_LINES, "one");
	now++;
	screen_text("three", 5, true);
	line_is(SCREEN_LINES, "onetwothree");
	now += 1000;
	screen_text("four", 4, false);
	line_is(SCREEN_LINES, "onetwothree");
	screen_draw();
	line_is(SCREEN_LINES, "onetwothreefour");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_drawn),
		cmocka_unit_test(colours_go_where_the_masks_say),
		cmocka_unit_test(nothing_is_drawn_beside_it),
		cmocka_unit_test(text_scrolls),
		cmocka_unit_test(long_lines_are_broken),
		cmocka_unit_test(large_screens_have_large_characters),
		cmocka_unit_test(cells_are_written_in_a_text_mode),
		cmocka_unit_test(the_screen_of_a_bios_is_found),
		cmocka_unit_test(what_is_no_screen_is_left_alone),
		cmocka_unit_test(only_what_has_changed_is_drawn),
		cmocka_unit_test(text_is_not_drawn_too_often),
	};
	int failures = cmocka_run_group_tests(tests, NULL, NULL);

	free(pixels);
	return failures;
}
