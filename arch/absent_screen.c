/*
 * For machines without a screen of the harness's own (arch/screen.h): none is ever open.
 */
#include "arch/screen.h"

void screen_open(const struct framebuffer *framebuffer)
{
	(void)framebuffer;
}

bool screen_is_open(void)
{
	return false;
}

void screen_close(void)
{
}

void screen_line(unsigned line, enum screen_colour colour, const char *text)
{
	(void)line, (void)colour, (void)text;
}

void screen_text(const char *text, size_t size, bool draw)
{
	(void)text, (void)size, (void)draw;
}

void screen_draw(void)
{
}

void screen_move(const struct framebuffer *framebuffer)
{
	(void)framebuffer;
}

unsigned screen_squares(void)
{
	return 0;
}

void screen_pattern(unsigned side, unsigned around, bool (*dark)(void *arg, unsigned x, unsigned y),
		    void *arg, const char *text)
{
	(void)side, (void)around, (void)dark, (void)arg, (void)text;
}

void screen_show_text(void)
{
}
