/*
 * The report as a series of QR codes on the screen, for machines where nothing else keeps it. A code's text
 * is
 *
 *     ASSAY:1B0C77A4:3:17:9A3F00C1:DATA.
 *
 * the checksum of all data, which tells one report from another; the number of this code, from 1, and how
 * many there are; the checksum of this code's data; and the data, in base45 (RFC 9285), which has only
 * characters that QR codes have a short form for. The data of all codes are the pieces of
 * boot/sent/packed_report.h, each behind a line `piece lzma 262144 18922 9a3f00c1` with its bytes, those that
 * follow, and the checksum of its bytes, and at the end a line `end 1048576 0c9d2f11` with bytes and checksum
 * of the whole. scripts/qr-report makes the report of films and photographs of them.
 */
#ifndef BOOT_SENT_CODES_H
#define BOOT_SENT_CODES_H

#include "tests/report/report.h"

#include <stdbool.h>

/** Pack what `put` writes into codes as large as the screen has room for.
 * @return where the report is, for the run's last line; NULL with *why: there is no screen, not enough
 * memory, or `put` says that there is not all of it */
const char *codes_make(bool (*put)(text_sink *sink, void *to), const char **why);

/** What one of them says, from 1 to the number of those that codes_make() made. */
const char *codes_text(unsigned number);

/** Show all of them, each for some seconds, and the text between. Returns after two rounds, or never. The
 * machine is not taken, and it is not the firmware's screen. */
void codes_show(bool for_ever);

#endif
