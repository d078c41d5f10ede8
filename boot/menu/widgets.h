/*
 * What the menu's pages share: picking one of many, switching several on and off, editing a line.
 */
#ifndef BOOT_MENU_WIDGETS_H
#define BOOT_MENU_WIDGETS_H

#include <stdbool.h>
#include <stddef.h>

/** Wait for a key, however long. */
int widget_wait(void);

/** The i-th of several things: its name, and what is to be said of it. @return false behind the last */
typedef bool widget_item(void *from, unsigned i, const char **name, const char **text);

/** Pick one: arrows, pages, or the first letter of its name. @param first the one that is chosen at first
 * @return its number, -1 if none was picked */
int widget_pick(const char *heading, widget_item *item, void *from, unsigned first);

#define WIDGET_SWITCHES 64
/** Switch things on and off. @return whether it is to be kept */
bool widget_switches(const char *heading, widget_item *item, void *from, bool on[WIDGET_SWITCHES]);

/** Look at rows of two columns. */
void widget_look(const char *heading, widget_item *item, void *from);

/** Edit a text. @return whether it is to be kept */
bool widget_edit(const char *heading, const char *help, char *text, size_t size);

/** A line that has to be read before it goes on. */
void widget_tell(const char *heading, const char *text);

#endif
