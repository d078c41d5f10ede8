/*
 * The model of a list on a screen: which item is chosen, and which are seen. It knows no screen.
 */
#ifndef BOOT_MENU_LIST_H
#define BOOT_MENU_LIST_H

#include "boot/menu/terminal.h"

#include <stdbool.h>

struct list {
	unsigned count;  /* items */
	unsigned rows;   /* that are seen at once */
	unsigned chosen; /* below count, 0 of an empty list */
	unsigned top;    /* the first that is seen; the chosen one always is */
};

/** Set what may have changed: the chosen one stays, if there is still one. */
void list_set(struct list *l, unsigned count, unsigned rows);

/** Choose one. */
void list_choose(struct list *l, unsigned item);

/** @return whether the key is one that moves in lists (up, down, a page, to an end) */
bool list_key(struct list *l, int key);

#endif
