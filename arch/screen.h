/*
 * A screen of the harness's own: text on a linear framebuffer, or in a text mode, drawn while the machine is
 * taken. At the top are some lines for what is done, below them the text stream goes by (arch/console.h does
 * that). Only what has changed is drawn, between windows, never inside one.
 *
 * Example: show what is done, at once.
 *
 *     screen_line(1, SCREEN_PLAIN, "suite 2 of 5: control");
 *     screen_draw();
 */
#ifndef ARCH_SCREEN_H
#define ARCH_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** As firmware has set it up. Pixels have 32 bits; the masks say which of them a colour has. A text mode has
 * no pixels, but cells of two bytes: a character of code page 437, and its colours as VGA has them. */
struct framebuffer {
	uint64_t address;       /* physical; 0: there is none */
	uint32_t width, height; /* pixels, or columns and rows */
	uint32_t pitch;         /* bytes from one line to the next */
	uint32_t red, green, blue;
	bool text;
	bool planes; /* a pixel is one bit, of VGA's four planes alike; the highest of a byte is the leftmost
			one */
};

#define SCREEN_LINES 5 /* at the top */

/* What a text may have besides ASCII's printable characters. */
#define SCREEN_FULL  '\x01' /* a full block */
#define SCREEN_SHADE '\x02' /* a shaded one */
#define SCREEN_RULE  '\x03' /* a horizontal line */

enum screen_colour { SCREEN_PLAIN, SCREEN_HEAD, SCREEN_DIM, SCREEN_BAD };

/** From now on text is drawn there. It must be mapped, and have room for 40 columns and 12 rows, of 8 by 16
 * pixels where it has pixels, or nothing is. Larger ones get larger characters. */
void screen_open(const struct framebuffer *framebuffer);

bool screen_is_open(void);

/** Nothing is drawn any more: firmware may have it back. */
void screen_close(void);

/** One of the lines at the top. Longer texts are cut off. */
void screen_line(unsigned line, enum screen_colour colour, const char *text);

/** Text below them, which scrolls up where there is no more room; longer lines are broken. It is drawn now if
 * `draw` is set and the last time was not just before; else with the next screen_draw(). */
void screen_text(const char *text, size_t size, bool draw);

/** Draw what has changed. */
void screen_draw(void);

/** What is on a text mode's screen goes on here: the columns are as many, the rows no fewer. */
void screen_move(const struct framebuffer *framebuffer);

/** How many squares, of four pixels a side at least, there is room for above a line of text. 0: there is no
 * screen, or it has no pixels. */
unsigned screen_squares(void);

/** Draw a pattern of squares in place of all else, with a line of text below it, both in black on white.
 * @param side    how many squares it has in each direction
 * @param around  how many white ones are around it, at least
 * @param dark    tells whether a square is black, counted from the upper left one */
void screen_pattern(unsigned side, unsigned around, bool (*dark)(void *arg, unsigned x, unsigned y),
		    void *arg, const char *text);

/** Draw the text again, where a pattern was. */
void screen_show_text(void);

#endif
