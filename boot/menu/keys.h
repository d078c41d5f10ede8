/*
 * What a terminal of the kind of a VT100 sends, as keys (ECMA-48, 5.4 and 8.3; DEC's VT100 and VT220 manuals
 * for which sequence is which key).
 */
#ifndef BOOT_MENU_KEYS_H
#define BOOT_MENU_KEYS_H

#include "boot/menu/terminal.h"

/** What has come of a sequence; all zero: nothing. */
struct keys {
	unsigned char state;     /* enum: keys.c */
	unsigned char parameter; /* of ESC [ n ~ */
	unsigned char idle;      /* ticks since ESC */
};

/** The next byte. @return the key that it completes, or KEY_NONE. What is no key of enum key is swallowed. */
int keys_take(struct keys *k, unsigned char byte);

/** A tick has passed without a byte. @return KEY_ESCAPE once an ESC has stood alone for some ticks */
int keys_idle(struct keys *k);

#endif
