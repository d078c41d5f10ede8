/*
 * The file of the stick in which a BIOS's machine keeps its reports: \assay\bios.txt, which scripts/mkimage
 * has made with its full size. Nothing of the file system is written, only sectors of this file, and only if
 * the file begins with the line that mkimage gave it. Each run has a stretch of it, behind that of the run
 * before, from the beginning of a sector:
 *
 *     #:run 0007 GenuineIntel-6-5E-3       its number, one more than the highest there is, and its CPU
 *     0 ms: setting the machine up         its journal (boot/journal.h), up to the end of KEPT_JOURNAL
 * sectors
 *     #:report                             its report, in the lines of boot/sent/serial_report.h
 *     #:kept 0007                          its end, from the beginning of a sector
 *
 * Where the file ends, the next run begins at its beginning again, in place of the oldest ones.
 */
#ifndef BOOT_BIOS_KEPT_FILE_H
#define BOOT_BIOS_KEPT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SECTOR_BYTES 512
#define KEPT_JOURNAL 16 /* sectors */
#define KEPT_CPU     64 /* characters of a CPU's name, with an end */

/** A disk, by its sectors of 512 bytes. At most 64 in one call. @return false if the disk does not do it */
struct sectors {
	bool (*read)(uint64_t first, unsigned count, void *to);
	bool (*write)(uint64_t first, unsigned count, const void *from);
};

struct kept_file {
	const struct sectors *disk;
	uint64_t first;       /* sector of the file */
	uint32_t size, start; /* in sectors: the file's, where this run begins */
	unsigned run;         /* its number */
	uint32_t before;      /* where the last run of a CPU of this name began; 0: there is none */
	uint32_t noted;       /* bytes in the journal, with the run's first line */
	uint32_t at, used;    /* sector that is gathered next, bytes of those gathered */
	uint32_t highest;     /* sector behind all that this run has written */
	const char *trouble;  /* the first */
	uint8_t gathered[64 * SECTOR_BYTES];
};

/** Find the file on a disk with a GPT, whose first partition is FAT32.
 * @return NULL, or why there is none to write to */
const char *kept_file_find(struct kept_file *f, const struct sectors *disk);

/** Begin a run: the file is read for those that there are, and the first line of this one is written.
 * @param cpu     the CPU's name
 * @param before  set to the number of the last run of a CPU of this name, 0 if there is none
 * @return false if it cannot be read or written: f->trouble says why */
bool kept_file_run(struct kept_file *f, const char *cpu, unsigned *before);

/** Add a line, with its end, to the run's journal; it is on the disk then, if the disk takes it. Where there
 * is no room for more, it takes the place of some that came last. */
void kept_file_note(struct kept_file *f, const char *line, size_t size);

/** The journal of the run before, KEPT_JOURNAL sectors at most, with an end. @return false if there is none
 */
bool kept_file_notes_before(struct kept_file *f, char text[KEPT_JOURNAL * SECTOR_BYTES + 1]);

/** Begin this run's report, in place of one that it has already written. */
void kept_file_begin(struct kept_file *f);

/** Add one line of it; its end is put behind it. @return false if it was not written, now or before:
 * f->trouble says why */
bool kept_file_line(struct kept_file *f, const char *text, size_t size);

/** Write what is still gathered and read it back. @return false as kept_file_line() */
bool kept_file_end(struct kept_file *f);

/** If it was too long for what is left of the file: have the run begin at the file's beginning, where the
 * oldest ones are. @return whether that is done, and the report can be written once more */
bool kept_file_make_room(struct kept_file *f);

#endif
