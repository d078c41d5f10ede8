#include "boot/menu/list.h"

void list_choose(struct list *l, unsigned item)
{
	l->chosen = item < l->count ? item : l->count ? l->count - 1 : 0;
	if (l->chosen < l->top)
		l->top = l->chosen;
	if (l->chosen >= l->top + l->rows)
		l->top = l->chosen - l->rows + 1;
	/* No empty rows below the last item while there are items above. */
	if (l->top + l->rows > l->count)
		l->top = l->count > l->rows ? l->count - l->rows : 0;
}

void list_set(struct list *l, unsigned count, unsigned rows)
{
	l->count = count;
	l->rows = rows ? rows : 1;
	list_choose(l, l->chosen);
}

bool list_key(struct list *l, int key)
{
	unsigned at = l->chosen;

	switch (key) {
	case KEY_UP:
		at -= at > 0;
		break;
	case KEY_DOWN:
		at++;
		break;
	case KEY_PAGE_UP:
		at = at > l->rows ? at - l->rows : 0;
		break;
	case KEY_PAGE_DOWN:
		at += l->rows;
		break;
	case KEY_HOME:
		at = 0;
		break;
	case KEY_END:
		at = l->count ? l->count - 1 : 0;
		break;
	default:
		return false;
	}
	list_choose(l, at);
	return true;
}
