/*
 * The report on the serial line, for machines without a place for files. Between lines of text come
 *
 *     #:report
 *     #:piece lzma 262144 18922        how it is packed, its bytes, and those that follow
 *     #:XQAABAD//////////wA9iIZ...     these, in base64, 57 in each line (RFC 4648, 4)
 *     #:sum 9a3f00c1                   CRC-32 of the piece (ISO 3309, as zlib's and UEFI's)
 *     #:end 1048576 0c9d2f11           bytes and CRC-32 of the whole
 *
 * with as many pieces as it takes (boot/sent/packed_report.h). For who reads TAP these lines are comments.
 * scripts/serial-report takes the report out of what was received.
 */
#ifndef BOOT_SENT_SERIAL_REPORT_H
#define BOOT_SENT_SERIAL_REPORT_H

#include "tests/report/report.h"

#include <stdbool.h>
#include <stddef.h>

/** Send what `put` writes.
 * @param line  sends one line, which has no end yet; @return whether all of it was sent. After the first one
 * that was not, no other line is sent
 * @return whether the whole report was sent: false, and no end is sent, if `put` says that there is not all
 * of it or `line` says that a line was lost */
bool serial_report_send(bool (*put)(text_sink *sink, void *to), bool (*line)(const char *text, size_t size));

#endif
