#include "boot/menu/widgets.h"

#include "boot/menu/list.h"
#include "boot/menu/page.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define TOP    2 /* row of the first item */
#define BELOW  4 /* rows that are no items' at the bottom: a blank one, two of what is said of one, help */
#define COLUMN 30

int widget_wait(void)
{
	int key;

	page_show();
	while (!(key = page_key()))
		;
	return key;
}

static unsigned count(widget_item *item, void *from)
{
	const char *name, *text;
	unsigned n = 0;

	while (item(from, n, &name, &text))
		n++;
	return n;
}

static void draw_items(const struct list *l, widget_item *item, void *from, const bool *on)
{
	const char *name, *text;

	for (unsigned i = l->top; i < l->top + l->rows && item(from, i, &name, &text); i++) {
		unsigned row = TOP + i - l->top;

		if (i == l->chosen)
			page_row(row, STYLE_CHOSEN, "");
		enum style style = i == l->chosen ? STYLE_CHOSEN : STYLE_PLAIN;
		page_print(row, 1, style, "%s%s", !on ? "" : on[i] ? "[x] " : "[ ] ", name);
		page_print(row, COLUMN, i == l->chosen ? STYLE_CHOSEN : STYLE_DIM, " %s", text);
	}
	if (l->count > l->rows)
		page_print(TOP - 1, page_columns() - 16, STYLE_DIM, "%6u of %u", l->chosen + 1, l->count);
	/* What has no room beside a name has it below. */
	if (item(from, l->chosen, &name, &text) && COLUMN + 2 + strlen(text) > page_columns())
		page_wrap(page_rows() - 3, 1, STYLE_PLAIN, text);
}

static void jump(struct list *l, widget_item *item, void *from, int letter)
{
	const char *name, *text;

	for (unsigned step = 1; step <= l->count; step++) {
		unsigned i = (l->chosen + step) % l->count;

		if (item(from, i, &name, &text) && tolower((unsigned char)*name) == tolower(letter)) {
			list_choose(l, i);
			return;
		}
	}
}

/* @return the key that ends it: ENTER, ESCAPE, LEFT, or ' ' */
static int choose(const char *heading, const char *help, struct list *l, widget_item *item, void *from,
		  const bool *on)
{
	for (;;) {
		list_set(l, count(item, from), page_rows() - TOP - BELOW);
		page_begin(heading, help);
		draw_items(l, item, from, on);
		int key = widget_wait();
		if (key == KEY_ENTER || key == KEY_ESCAPE || key == KEY_LEFT || key == ' ')
			return key;
		if (!list_key(l, key) && key > ' ' && key < 127)
			jump(l, item, from, key);
	}
}

int widget_pick(const char *heading, widget_item *item, void *from, unsigned first)
{
	struct list l = {.chosen = first};
	int key;

	do
		key = choose(heading, " Up/Down move, a letter jumps, Enter chooses, Esc goes back", &l, item,
			     from, NULL);
	while (key == ' ');
	return key == KEY_ENTER && l.count ? (int)l.chosen : -1;
}

void widget_look(const char *heading, widget_item *item, void *from)
{
	struct list l = {0};

	while (choose(heading, " Up/Down move, Esc goes back", &l, item, from, NULL) == ' ')
		;
}

bool widget_switches(const char *heading, widget_item *item, void *from, bool on[WIDGET_SWITCHES])
{
	struct list l = {0};

	for (;;) {
		int key = choose(heading, " Space switches on and off, Enter takes them, Esc goes back", &l,
				 item, from, on);

		if (key != ' ')
			return key == KEY_ENTER;
		if (l.chosen < WIDGET_SWITCHES)
			on[l.chosen] = !on[l.chosen];
	}
}

bool widget_edit(const char *heading, const char *help, char *text, size_t size)
{
	for (;;) {
		size_t n = strlen(text), room = page_columns() - 6, from = n > room ? n - room : 0;

		page_begin(heading, " Enter takes it, Backspace removes, Esc goes back");
		page_wrap(TOP, 1, STYLE_PLAIN, help);
		page_row(page_rows() / 2, STYLE_CHOSEN, "");
		page_print(page_rows() / 2, 1, STYLE_CHOSEN, "> %s_", text + from);
		int key = widget_wait();
		if (key == KEY_ENTER || key == KEY_ESCAPE)
			return key == KEY_ENTER;
		if (key == KEY_BACKSPACE && n)
			text[n - 1] = 0;
		if (key >= ' ' && key <= '~' && key != '"' && n + 1 < size) {
			text[n] = (char)key;
			text[n + 1] = 0;
		}
	}
}

void widget_tell(const char *heading, const char *text)
{
	page_begin(heading, " any key goes on");
	page_wrap(TOP, 1, STYLE_PLAIN, text);
	widget_wait();
}
