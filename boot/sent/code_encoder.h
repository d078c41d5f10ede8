/*
 * QR codes of one form: one segment of alphanumeric characters, the lowest level of error correction, raised
 * where there is room (ISO/IEC 18004, 7). The encoder is Nayuki's, Debian's qr-code-generator.
 */
#ifndef BOOT_SENT_CODE_ENCODER_H
#define BOOT_SENT_CODE_ENCODER_H

#include <stdbool.h>

#define CODE_VERSIONS 40   /* the largest version */
#define CODE_MARGIN    4    /* squares that must be light around a code */
#define CODE_TEXT     4297 /* characters of the largest, and an end */

/** Squares that a side of a code has, without what must be light around it. version: 1 to 40 */
unsigned code_side(unsigned version);

/** How many characters such a code has room for. 0: the image was built without the encoder */
unsigned code_capacity(unsigned version);

/** Make one. @return false if there is no room for the text, or a character is not one of the 45 */
bool code_make(const char *text, unsigned version);

/** A square of the code that was made last, counted from its upper left corner. Outside it all is light. */
bool code_dark(void *unused, unsigned x, unsigned y);

#endif
