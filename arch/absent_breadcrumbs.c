/*
 * For machines without memory that outlasts a reset (arch/breadcrumbs.h): nothing is ever left.
 */
#include "arch/breadcrumbs.h"
#include "arch/exceptions.h"

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
