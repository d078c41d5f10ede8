/*
 * The one sink that all text leaves through. Two streams share it:
 *   text: for people. Goes to the screen (the harness's own, arch/screen.h, as long as that is open; else the
 * firmware's, buffered while the machine is taken, flushed when it is given back), to the memory buffer that
 * becomes report.txt, and to the serial line as TAP comments ("# ..." on every line). tap:  TAP 14 lines, to
 * the serial line only. Both are safe at any time, also in trap handlers and with the step engine active (it
 * is paused for the duration). Formats are those of printf() without floating point: print scaled integers.
 *
 * Example: console_text("%u counters\n", n) shows "4 counters" on the screen and "# 4 counters" on the serial
 * line.
 */
#ifndef ARCH_CONSOLE_H
#define ARCH_CONSOLE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/** Set up the buffer of `size` bytes for the text stream; what does not fit is dropped with a note in its
 * last line. */
void console_init(char *buffer, size_t size);

/** Where the text stream also goes while firmware may be called (the firmware's screen). NULL: nowhere. */
void console_set_screen(void (*write)(const char *text, size_t size));

void console_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
void console_vtext(const char *format, va_list args);
void console_tap(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** End the current line of the text stream if it is not empty. */
void console_fresh_line(void);

/** Send to the firmware's screen what was held back, unless the harness's own is open. Firmware side only. */
void console_flush_screen(void);

/** Divert the text stream into memory (cut off where it is full, always terminated); NULL ends that. For
 * tests of what is printed. @return characters diverted since the last call */
size_t console_capture(char *memory, size_t size);

/** Write bytes as they are to the emulator's debug port, where there is one (x86: port E9H; without it they
 * are lost). */
void console_debug(const char *text, size_t size);

/** Nothing more is printed: put the serial line back to how firmware had set it up, when all is sent. */
void console_give_back(void);

/** All text so far. */
const char *console_buffer(size_t *size);

#endif
