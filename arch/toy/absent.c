/*
 * What the toy machine does not have: a screen (arch/screen.h), and memory that outlasts the host's process
 * (arch/breadcrumbs.h).
 */
#include "arch/breadcrumbs.h"
#include "arch/exceptions.h"
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

void breadcrumbs_open(void *page)
{
	(void)page;
}

bool breadcrumbs_left(struct breadcrumb *out, char list[BREADCRUMBS_LIST])
{
	(void)out;
	list[0] = 0;
	return false;
}

void breadcrumbs_set(const struct breadcrumb *b)
{
	(void)b;
}

void breadcrumbs_put_back(void)
{
}

void breadcrumbs_step(uint32_t step)
{
	(void)step;
}

void breadcrumbs_keep(const char *list)
{
	(void)list;
}

void breadcrumbs_clear(void)
{
}

void breadcrumbs_show(uint8_t code)
{
	(void)code;
}

bool breadcrumbs_spoil(enum breadcrumbs_fault fault, const char *place, uint32_t step)
{
	(void)fault, (void)place, (void)step;
	return false;
}

void breadcrumbs_fail(enum breadcrumbs_fault fault)
{
	(void)fault;
	trap_abort(TRAP_NONE);
}
