/*
 * What the menu is drawn on and driven by: a grid of characters and a keyboard, whatever they are (firmware's
 * console, a VT100 at a serial line, a test's memory).
 */
#ifndef BOOT_MENU_TERMINAL_H
#define BOOT_MENU_TERMINAL_H

#include <stddef.h>

/** Keys besides the printable characters of ASCII, which stand for themselves. */
enum key {
	KEY_NONE = 0,
	KEY_BACKSPACE = 8,
	KEY_ENTER = 13,
	KEY_ESCAPE = 27,
	KEY_UP = 256,
	KEY_DOWN,
	KEY_LEFT,
	KEY_RIGHT,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_HOME,
	KEY_END,
};

enum style { STYLE_PLAIN, STYLE_HEAD, STYLE_DIM, STYLE_CHOSEN, STYLE_BAD };

#define TERMINAL_COLUMNS 80 /* there are at least so many */
#define TERMINAL_ROWS    24
#define TERMINAL_TICK_MS 10

struct terminal {
	unsigned columns, rows;
	unsigned line; /* which serial line it may use; 0: it finds one */
	/** Get it ready: blank, of .columns by .rows; keys that were pressed before are forgotten. */
	void (*open)(struct terminal *t);
	/** Printable ASCII, from a cell on, all in one row. */
	void (*put)(struct terminal *t, unsigned row, unsigned column, enum style style, const char *text,
		    size_t size);
	/** The next key that was pressed, KEY_NONE if there is none; waits at most one tick for it. */
	int (*key)(struct terminal *t);
	/** Leave it blank. */
	void (*close)(struct terminal *t);
};

#endif
