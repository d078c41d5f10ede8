#include "arch/screen.h"

#include "arch/time.h"
#include "arch/x86/console/font.h"

#include <string.h>

#define COLUMNS_MOST  200
#define ROWS_MOST     64
#define COLUMNS_LEAST 40
#define ROWS_LEAST    12
/* Characters get larger where this many have room all the same. */
#define COLUMNS_WISHED 100
#define ROWS_WISHED    30
#define PER_SECOND     25 /* drawings of text that goes by */
#define SQUARE_LEAST   4  /* pixels */
#define WIDTH_MOST     16384

struct cell {
	char c;
	uint8_t colour;
};

static struct framebuffer fb;
static unsigned columns, rows, scale; /* columns 0: not open */
static struct cell wanted[ROWS_MOST][COLUMNS_MOST], drawn[ROWS_MOST][COLUMNS_MOST];
static unsigned row, column; /* where text goes on */
static uint64_t last_time;
static bool changed;
static uint8_t bits_of_row[WIDTH_MOST / 8];

/* 0xRRGGBB, of characters and behind them */
static const struct {
	uint32_t ink, paper;
	uint8_t attribute; /* of VGA's text: ink in the low half, paper in the high one */
} colours[] = {
	[SCREEN_PLAIN] = {0xd8d8d8, 0x101018, 0x07},
	[SCREEN_HEAD] = {0xffffff, 0x204070, 0x1f},
	[SCREEN_DIM] = {0x808890, 0x101018, 0x08},
	[SCREEN_BAD] = {0xffffff, 0xa01818, 0x4f},
};

/* Code page 437 has SCREEN_FULL, SCREEN_SHADE and SCREEN_RULE here. */
static const uint8_t extra_437[FONT_EXTRA] = {0xdb, 0xb1, 0xc4};

/* Eight bits to where the mask has them. */
static uint32_t place(uint32_t value, uint32_t mask)
{
	unsigned low = mask ? (unsigned)__builtin_ctz(mask) : 0;
	uint32_t full = mask >> low;

	return (uint32_t)((uint64_t)value * full / 255) << low & mask;
}

static uint32_t pixel(uint32_t rgb)
{
	return place(rgb >> 16 & 255, fb.red) | place(rgb >> 8 & 255, fb.green) | place(rgb & 255, fb.blue);
}

static const uint8_t *glyph(char c)
{
	unsigned u = (unsigned char)c;

	if (u >= FONT_FIRST && u <= FONT_LAST)
		return font[u - FONT_FIRST];
	if (u >= 1 && u <= FONT_EXTRA)
		return font[FONT_LAST - FONT_FIRST + u];
	return font['?' - FONT_FIRST];
}

static void write_cell(const struct cell *cell, unsigned at_row, unsigned at_column)
{
	uint8_t *to = (uint8_t *)(uintptr_t)fb.address + (size_t)at_row * fb.pitch + 2 * at_column;
	unsigned u = (unsigned char)cell->c;

	if (u >= 1 && u <= FONT_EXTRA)
		u = extra_437[u - 1];
	else if (u < FONT_FIRST || u > FONT_LAST)
		u = '?';
	*(uint16_t *)(void *)to = (uint16_t)(colours[cell->colour].attribute << 8 | u);
}

static uint8_t *row_of_pixels(unsigned y)
{
	return (uint8_t *)(uintptr_t)fb.address + (size_t)y * fb.pitch;
}

static bool on_light_paper(const struct cell *cell)
{
	return cell->colour == SCREEN_HEAD || cell->colour == SCREEN_BAD;
}

static void draw_cell(unsigned at_row, unsigned at_column)
{
	const struct cell *cell = &wanted[at_row][at_column];
	const uint8_t *shape = glyph(cell->c);

	if (fb.text) {
		write_cell(cell, at_row, at_column);
		return;
	}
	if (fb.planes) {
		for (unsigned y = 0; y < FONT_HEIGHT; y++)
			row_of_pixels(at_row * FONT_HEIGHT + y)[at_column] =
				on_light_paper(cell) ? (uint8_t)~shape[y] : shape[y];
		return;
	}
	uint32_t ink = pixel(colours[cell->colour].ink), paper = pixel(colours[cell->colour].paper);
	uint8_t *line = row_of_pixels(at_row * FONT_HEIGHT * scale) +
			(size_t)at_column * FONT_WIDTH * scale * sizeof(uint32_t);

	for (unsigned y = 0; y < FONT_HEIGHT * scale; y++, line += fb.pitch) {
		uint32_t *p = (uint32_t *)(void *)line;
		uint8_t bits = shape[y / scale];

		for (unsigned x = 0; x < FONT_WIDTH; x++, bits = (uint8_t)(bits << 1))
			for (unsigned i = 0; i < scale; i++)
				*p++ = bits & 0x80 ? ink : paper;
	}
}

static void clear_row(unsigned at)
{
	for (unsigned i = 0; i < columns; i++)
		wanted[at][i] = (struct cell){' ', SCREEN_PLAIN};
}

/* One row of pixels, each a bit. */
static void draw_row(unsigned y, const uint8_t *bits, uint32_t ink, uint32_t paper)
{
	uint32_t *p = (uint32_t *)(void *)row_of_pixels(y);

	if (fb.planes) {
		memcpy(p, bits, fb.width / 8);
		return;
	}
	for (unsigned x = 0; x < fb.width; x++)
		p[x] = bits[x / 8] & 0x80 >> x % 8 ? ink : paper;
}

/* With the next screen_draw(). What else was drawn, beside and below the cells, is not to stay. */
static void draw_anew(void)
{
	uint32_t paper = pixel(colours[SCREEN_PLAIN].paper);

	memset(drawn, 0, sizeof drawn); /* unlike anything that is wanted */
	memset(bits_of_row, 0, sizeof bits_of_row);
	for (unsigned y = 0; y < fb.height && !fb.text; y++)
		draw_row(y, bits_of_row, paper, paper);
	changed = true;
}

void screen_open(const struct framebuffer *framebuffer)
{
	const struct framebuffer *f = framebuffer;
	unsigned wide = f->text ? f->width : f->width / FONT_WIDTH;
	unsigned high = f->text ? f->height : f->height / FONT_HEIGHT;

	columns = 0;
	if (!f->address || wide < COLUMNS_LEAST || high < ROWS_LEAST ||
	    f->pitch / (f->text ? sizeof(uint16_t) : sizeof(uint32_t)) < f->width || f->width > WIDTH_MOST)
		return;
	fb = *f;
	scale = 1;
	while (!fb.text && wide / (scale + 1) >= COLUMNS_WISHED && high / (scale + 1) >= ROWS_WISHED)
		scale++;
	wide /= scale;
	high /= scale;
	columns = wide < COLUMNS_MOST ? wide : COLUMNS_MOST;
	rows = high < ROWS_MOST ? high : ROWS_MOST;
	for (unsigned i = 0; i < rows; i++)
		clear_row(i);
	row = SCREEN_LINES;
	column = 0;
	last_time = 0;
	draw_anew();
}

bool screen_is_open(void)
{
	return columns != 0;
}

void screen_close(void)
{
	columns = 0;
}

void screen_line(unsigned line, enum screen_colour colour, const char *text)
{
	if (!columns || line >= SCREEN_LINES)
		return;
	for (unsigned i = 0; i < columns; i++) {
		wanted[line][i] = (struct cell){*text ? *text : ' ', (uint8_t)colour};
		text += *text != 0;
	}
	changed = true;
}

static void new_line(void)
{
	column = 0;
	if (++row < rows)
		return;
	row = rows - 1;
	memmove(wanted[SCREEN_LINES], wanted[SCREEN_LINES + 1], (rows - 1 - SCREEN_LINES) * sizeof wanted[0]);
	clear_row(row);
}

void screen_text(const char *text, size_t size, bool draw)
{
	if (!columns)
		return;
	for (; size; size--, text++) {
		if (*text == '\n') {
			new_line();
			continue;
		}
		if (column == columns)
			new_line();
		wanted[row][column++] = (struct cell){*text, SCREEN_PLAIN};
	}
	changed = true;
	if (draw && clock_read() - last_time >= clock_hz() / PER_SECOND)
		screen_draw();
}

void screen_draw(void)
{
	if (!columns || !changed)
		return;
	for (unsigned y = 0; y < rows; y++)
		for (unsigned x = 0; x < columns; x++)
			if (wanted[y][x].c != drawn[y][x].c || wanted[y][x].colour != drawn[y][x].colour) {
				draw_cell(y, x);
				drawn[y][x] = wanted[y][x];
			}
	/* What is stored waits in buffers until then: it is not to leave them in a window. SDM vol.
	 * 3, 11.3.1. */
	__asm__ volatile("sfence" ::: "memory");
	changed = false;
	last_time = clock_read();
}

void screen_move(const struct framebuffer *framebuffer)
{
	fb = *framebuffer;
	scale = 1;
	draw_anew();
	screen_draw();
}

static unsigned text_height(void)
{
	return FONT_HEIGHT * scale;
}

unsigned screen_squares(void)
{
	unsigned high = columns && !fb.text ? fb.height - text_height() : 0;

	return (high < fb.width ? high : fb.width) / SQUARE_LEAST;
}

static void set_bit(unsigned x)
{
	bits_of_row[x / 8] |= (uint8_t)(0x80 >> x % 8);
}

/* A row of pixels of the line of text, in the middle. */
static void draw_text_row(unsigned y, unsigned in_glyph, const char *text)
{
	unsigned width = FONT_WIDTH * scale, left = (columns - (unsigned)strlen(text)) / 2 * width;

	memset(bits_of_row, 0, sizeof bits_of_row);
	for (; *text; text++, left += width)
		for (unsigned x = 0; x < width; x++)
			if (glyph(*text)[in_glyph / scale] & 0x80 >> x / scale)
				set_bit(left + x);
	for (unsigned i = 0; i < sizeof bits_of_row; i++)
		bits_of_row[i] = (uint8_t)~bits_of_row[i];
	draw_row(y, bits_of_row, pixel(0xffffff), pixel(0));
}

void screen_pattern(unsigned side, unsigned around, bool (*dark)(void *arg, unsigned x, unsigned y),
		    void *arg, const char *text)
{
	uint32_t white = pixel(0xffffff), black = pixel(0);
	unsigned high = fb.height - text_height(), room = high < fb.width ? high : fb.width;
	unsigned square = room / (side + 2 * around);
	unsigned left = (fb.width - side * square) / 2, top = (high - side * square) / 2;

	for (unsigned y = 0; y < high; y++) {
		unsigned in_pattern = y - top; /* above it: a large number */

		if (y == 0 || in_pattern % square == 0)
			memset(bits_of_row, 0xff, sizeof bits_of_row);
		for (unsigned x = 0;
		     in_pattern < side * square && in_pattern % square == 0 && x < side * square; x++)
			if (dark(arg, x / square, in_pattern / square))
				bits_of_row[(left + x) / 8] &= (uint8_t) ~(0x80 >> (left + x) % 8);
		draw_row(y, bits_of_row, white, black);
	}
	for (unsigned y = high; y < fb.height; y++)
		draw_text_row(y, y - high, text);
}

void screen_show_text(void)
{
	draw_anew();
	screen_draw();
}
