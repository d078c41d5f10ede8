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

static void draw_cell(unsigned at_row, unsigned at_column)
{
	const struct cell *cell = &wanted[at_row][at_column];

	if (fb.text) {
		write_cell(cell, at_row, at_column);
		return;
	}
	const uint8_t *shape = glyph(cell->c);
	uint32_t ink = pixel(colours[cell->colour].ink), paper = pixel(colours[cell->colour].paper);
	uint8_t *line = (uint8_t *)(uintptr_t)fb.address + (size_t)at_row * FONT_HEIGHT * scale * fb.pitch +
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

void screen_open(const struct framebuffer *framebuffer)
{
	const struct framebuffer *f = framebuffer;
	unsigned wide = f->text ? f->width : f->width / FONT_WIDTH;
	unsigned high = f->text ? f->height : f->height / FONT_HEIGHT;

	columns = 0;
	if (!f->address || wide < COLUMNS_LEAST || high < ROWS_LEAST ||
	    f->pitch / (f->text ? sizeof(uint16_t) : sizeof(uint32_t)) < f->width)
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
	memset(drawn, 0, sizeof drawn); /* unlike anything that is wanted */
	row = SCREEN_LINES;
	column = 0;
	last_time = 0;
	/* What firmware has drawn beside and below the cells is not to stay. */
	for (unsigned y = 0; y < fb.height && !fb.text; y++) {
		uint32_t *p = (uint32_t *)(uintptr_t)(fb.address + (uint64_t)y * fb.pitch);

		for (unsigned x = 0; x < fb.width; x++)
			p[x] = pixel(colours[SCREEN_PLAIN].paper);
	}
	changed = true;
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
