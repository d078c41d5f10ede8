/*
 * The report behind the text on the serial line, for machines without a place for files
 * (boot/sent/serial_report.h).
 */
#ifndef BOOT_SENT_BY_SERIAL_H
#define BOOT_SENT_BY_SERIAL_H

#include "tests/report/report.h"

#include <stdbool.h>

/** Send what `put` writes.
 * @return where it is, for the run's last line; NULL: there is no line, and *why stays, or not all of it was
 * sent, and *why tells why */
const char *by_serial_send(bool (*put)(text_sink *sink, void *to), const char **why);

#endif
