/*
 * The file of the stick in which a BIOS's machine keeps its reports: \assay\bios.txt, which scripts/mkimage
 * has made with its full size. Nothing of the file system is written, only sectors of this file, and only if
 * the file begins with the line that mkimage gave it. A run's report lies behind that of the run before, from
 * the beginning of a sector, in the lines of boot/sent/serial_report.h; a line with the run's end follows it.
 */
#ifndef BOOT_BIOS_KEPT_FILE_H
#define BOOT_BIOS_KEPT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SECTOR_BYTES 512

/** A disk, by its sectors of 512 bytes. At most 64 in one call. @return false if the disk does not do it */
struct sectors {
	bool (*read)(uint64_t first, unsigned count, void *to);
	bool (*write)(uint64_t first, unsigned count, const void *from);
};

struct kept_file {
	const struct sectors *disk;
	uint64_t first;       /* sector of the file */
	uint32_t size, start; /* in sectors: the file's, where this run's report begins */
	uint32_t at, used;    /* sector that is gathered next, bytes of those gathered */
	uint32_t highest;     /* sector behind all that this run has written */
	const char *trouble;  /* the first */
	uint8_t gathered[64 * SECTOR_BYTES];
};

/** Find the file on a disk with a GPT, whose first partition is FAT32, and the place behind the last report.
 * @return NULL, or why there is none to write to */
const char *kept_file_find(struct kept_file *f, const struct sectors *disk);

/** Begin this run's report, in place of one that it has already written. */
void kept_file_begin(struct kept_file *f);

/** Add one line; its end is put behind it. @return false if it was not written, now or before: f->trouble
 * says why */
bool kept_file_line(struct kept_file *f, const char *text, size_t size);

/** Write what is still gathered and read it back. @return false as kept_file_line() */
bool kept_file_end(struct kept_file *f);

#endif
