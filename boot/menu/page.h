/*
 * Drawing: a page of cells, of which a terminal gets what has changed.
 */
#ifndef BOOT_MENU_PAGE_H
#define BOOT_MENU_PAGE_H

#include "boot/menu/terminal.h"

/* At most; a wider or higher terminal stays blank beyond. (EDK II writes columns with two digits at a serial
 * line.)
 */
#define PAGE_COLUMNS 98
#define PAGE_ROWS    50

unsigned page_columns(void);
unsigned page_rows(void);

/** Open the terminal, and draw there from now on. */
void page_open(struct terminal *t);
void page_close(void);

/** Begin a new picture: blank, but for the first row, which has a heading, and the last one with help. */
void page_begin(const char *heading, const char *help);

/** Print from a cell on; what has no room in the row is cut off. @return the column behind it */
unsigned page_print(unsigned row, unsigned column, enum style style, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/** A row in one style, to the right edge. */
void page_row(unsigned row, enum style style, const char *text);

/** Text over several rows, broken between words. @return the row behind it */
unsigned page_wrap(unsigned row, unsigned column, enum style style, const char *text);

/** Show it. */
void page_show(void);

/** The next key; waits at most a tick. */
int page_key(void);

#endif
