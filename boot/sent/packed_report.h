/*
 * The report in pieces of at most 256 KiB, each packed by itself, with the checksums that every way out which
 * is no file sends along. A piece is an .lzma stream, or where memory is short `plain`: as it is. Checksums
 * are CRC-32 (ISO 3309, as zlib's and UEFI's).
 */
#ifndef BOOT_SENT_PACKED_REPORT_H
#define BOOT_SENT_PACKED_REPORT_H

#include "tests/report/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packed_piece {
	const uint8_t *data;
	size_t size;
	bool lzma;
	size_t plain; /* bytes that it has when it is unpacked */
	uint32_t sum; /* of these */
};

/** What `packed_piece.lzma` is called where pieces are described in words. */
const char *packed_piece_kind(const struct packed_piece *piece);

/** Pack what `put` writes.
 * @param piece  takes one piece; false: it is lost, and there are no more
 * @param total  set to the bytes of the whole, and sum to its checksum
 * @return whether `put` says that this is all of it and no piece was lost */
bool packed_report(bool (*put)(text_sink *sink, void *to),
		   bool (*piece)(void *to, const struct packed_piece *piece), void *to, size_t *total,
		   uint32_t *sum);

/** Add bytes to a checksum, which begins with 0. */
uint32_t packed_sum(uint32_t sum, const uint8_t *data, size_t size);

#endif
