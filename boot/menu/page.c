#include "boot/menu/page.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct cell {
	char c;
	unsigned char style;
};

static struct terminal *terminal;
static unsigned columns, rows;
static struct cell wanted[PAGE_ROWS][PAGE_COLUMNS], shown[PAGE_ROWS][PAGE_COLUMNS];

unsigned page_columns(void)
{
	return columns;
}

unsigned page_rows(void)
{
	return rows;
}

static void blank(struct cell *row)
{
	for (unsigned i = 0; i < PAGE_COLUMNS; i++)
		row[i] = (struct cell){' ', STYLE_PLAIN};
}

void page_open(struct terminal *t)
{
	terminal = t;
	t->open(t);
	/* Behind the last column firmware and a VT100 do not agree on where they are. */
	columns = (t->columns <= PAGE_COLUMNS ? t->columns : PAGE_COLUMNS + 1) - 1;
	rows = t->rows < PAGE_ROWS ? t->rows : PAGE_ROWS;
	for (unsigned i = 0; i < PAGE_ROWS; i++)
		blank(shown[i]);
}

void page_close(void)
{
	terminal->close(terminal);
}

static void put(unsigned row, unsigned column, enum style style, char c)
{
	if (row < rows && column < columns)
		wanted[row][column] = (struct cell){c >= ' ' && c <= '~' ? c : '?', (unsigned char)style};
}

unsigned page_print(unsigned row, unsigned column, enum style style, const char *format, ...)
{
	char text[PAGE_COLUMNS + 1];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	for (const char *c = text; *c; c++)
		put(row, column++, style, *c);
	return column;
}

void page_row(unsigned row, enum style style, const char *text)
{
	for (unsigned i = 0; i < columns; i++) {
		put(row, i, style, *text ? *text : ' ');
		text += *text != 0;
	}
}

unsigned page_wrap(unsigned row, unsigned column, enum style style, const char *text)
{
	size_t room = columns - column - 1;

	for (; *text; row++) {
		size_t n = strlen(text), end;

		if (n > room)
			for (n = room; n && text[n] != ' ';)
				n--;
		end = n ? n : strlen(text) < room ? strlen(text) : room;
		page_print(row, column, style, "%.*s", (int)end, text);
		text += end;
		text += *text == ' ';
	}
	return row;
}

void page_begin(const char *heading, const char *help)
{
	for (unsigned i = 0; i < PAGE_ROWS; i++)
		blank(wanted[i]);
	page_row(0, STYLE_HEAD, heading);
	page_row(rows - 1, STYLE_DIM, help);
}

static bool same(const struct cell *a, const struct cell *b)
{
	return a->c == b->c && a->style == b->style;
}

void page_show(void)
{
	char text[PAGE_COLUMNS];

	for (unsigned y = 0; y < rows; y++)
		for (unsigned x = 0; x < columns; x++) {
			unsigned n = 0;
			unsigned char style = wanted[y][x].style;

			for (unsigned at = x; at < columns && wanted[y][at].style == style &&
					      !same(&wanted[y][at], &shown[y][at]);
			     at++) {
				text[n++] = wanted[y][at].c;
				shown[y][at] = wanted[y][at];
			}
			if (n)
				terminal->put(terminal, y, x, (enum style)style, text, n);
			x += n ? n - 1 : 0;
		}
}

int page_key(void)
{
	return terminal->key(terminal);
}
