/*
 * The screen's font, made at build time by scripts/gen-font: characters 20H to 7EH, and behind them those of
 * arch/screen.h. Each row of a character is a byte, its leftmost pixel the highest bit.
 */
#ifndef ARCH_X86_CONSOLE_FONT_H
#define ARCH_X86_CONSOLE_FONT_H

#include <stdint.h>

#define FONT_WIDTH  8
#define FONT_HEIGHT 16
#define FONT_FIRST  0x20
#define FONT_LAST   0x7e
#define FONT_EXTRA  3

extern const uint8_t font[FONT_LAST - FONT_FIRST + 1 + FONT_EXTRA][FONT_HEIGHT];

#endif
