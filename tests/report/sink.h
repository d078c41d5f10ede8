/*
 * Where text goes, piece by piece.
 */
#ifndef TESTS_REPORT_SINK_H
#define TESTS_REPORT_SINK_H

#include <stdbool.h>
#include <stddef.h>

/** Takes the next piece of a text. @return false if it cannot: no more pieces are handed over then */
typedef bool text_sink(void *to, const char *text, size_t size);

#endif
