/* The stick's file with a BIOS's reports, on a disk in memory. (tests/self/boot/bios.t has INT 13H.) */
#include "boot/bios/kept_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define FIRST "# Assay keeps the reports of machines with a BIOS here."
#define DISK  512 /* sectors */
enum { PARTITION = 64, TABLES = PARTITION + 8, TABLE_SECTORS = 2, CLUSTERS = TABLES + 2 * TABLE_SECTORS };
enum { ROOT = 5, FOLDER = 6, FILE_CLUSTER = 20, FILE_SECTORS = 150 };
#define SECTOR(cluster) (CLUSTERS + (cluster)-2)

static uint8_t disk[DISK][SECTOR_BYTES], before[DISK][SECTOR_BYTES];
static unsigned reads_left, writes_left;
static bool forgets;

static bool read_disk(uint64_t first, unsigned count, void *to)
{
	assert_true(count >= 1 && count <= 64);
	if (!reads_left || first + count > DISK)
		return false;
	reads_left--;
	memcpy(to, disk[first], count * SECTOR_BYTES);
	return true;
}

static bool write_disk(uint64_t first, unsigned count, const void *from)
{
	assert_true(count >= 1 && count <= 64);
	assert_true(first > SECTOR(FILE_CLUSTER) && first + count <= SECTOR(FILE_CLUSTER) + FILE_SECTORS);
	if (!writes_left)
		return false;
	writes_left--;
	if (!forgets)
		memcpy(disk[first], from, count * SECTOR_BYTES);
	return true;
}

static const struct sectors sectors = {read_disk, write_disk};

static void put(uint8_t *at, uint32_t value, unsigned bytes)
{
	for (; bytes; bytes--, value >>= 8)
		*at++ = (uint8_t)value;
}

static void link_cluster(uint32_t cluster, uint32_t next)
{
	put(disk[TABLES] + 4 * cluster, next, 4);
}

static void entry(uint32_t cluster, unsigned n, const char *name, uint8_t kind, uint32_t leads_to,
		  uint32_t size)
{
	uint8_t *e = disk[SECTOR(cluster)] + 32 * n;

	memcpy(e, name, 11);
	e[11] = kind;
	put(e + 20, leads_to >> 16, 2);
	put(e + 26, leads_to, 2);
	put(e + 28, size, 4);
}

static int fresh(void **state)
{
	uint8_t *b = disk[PARTITION];

	(void)state;
	memset(disk, 0, sizeof disk);
	memcpy(disk[1], "EFI PART", 8);
	put(disk[1] + 72, 2, 4);
	disk[2][0] = 0x28;
	put(disk[2] + 32, PARTITION, 4);
	put(b + 11, SECTOR_BYTES, 2);
	b[13] = 1;
	put(b + 14, TABLES - PARTITION, 2);
	b[16] = 2;
	put(b + 36, TABLE_SECTORS, 4);
	put(b + 44, ROOT, 4);
	memcpy(b + 82, "FAT32   ", 8);
	link_cluster(ROOT, 0x0fffffff);
	entry(ROOT, 0, "ASSAY      ", 0x08, 0, 0); /* the volume's name */
	entry(ROOT, 1, "ASSAY      ", 0x10, FOLDER, 0);
	link_cluster(FOLDER, FOLDER + 2); /* the folder goes on elsewhere */
	link_cluster(FOLDER + 2, 0x0fffffff);
	for (unsigned i = 0; i < 16; i++)
		entry(FOLDER, i, "OTHER   TXT", 0x20, 3, 0);
	entry(FOLDER + 2, 0, "BIOS    TXT", 0x20, FILE_CLUSTER, FILE_SECTORS * SECTOR_BYTES);
	for (unsigned i = 0; i < FILE_SECTORS; i++) {
		memset(disk[SECTOR(FILE_CLUSTER) + i], '\n', SECTOR_BYTES);
		link_cluster(FILE_CLUSTER + i, i + 1 < FILE_SECTORS ? FILE_CLUSTER + i + 1 : 0x0fffffff);
	}
	memcpy(disk[SECTOR(FILE_CLUSTER)], FIRST, strlen(FIRST));
	reads_left = writes_left = 10000;
	forgets = false;
	memcpy(before, disk, sizeof disk);
	return 0;
}

static struct kept_file f;
static unsigned number_before;

#define CPU "GenuineIntel-6-F-B"

static const char *found(void)
{
	return kept_file_find(&f, &sectors);
}

/* A run begins: where, and its number. */
static void run_is(const char *cpu, unsigned start, unsigned number, unsigned before_it)
{
	assert_null(found());
	assert_true(kept_file_run(&f, cpu, &number_before));
	assert_int_equal(f.start, start);
	assert_int_equal(f.run, number);
	assert_int_equal(number_before, before_it);
}

static bool keep_once(unsigned lines, char letter)
{
	char line[78];
	bool good = true;

	memset(line, letter, sizeof line);
	kept_file_begin(&f);
	for (unsigned i = 0; i < lines; i++)
		good = kept_file_line(&f, line, sizeof line) && good;
	return kept_file_end(&f) && good;
}

static bool keep(unsigned lines, char letter)
{
	while (!keep_once(lines, letter))
		if (!kept_file_make_room(&f))
			return false;
	return true;
}

static void note(const char *line)
{
	kept_file_note(&f, line, strlen(line));
}

static const char *text_at(unsigned sector)
{
	return (const char *)disk[SECTOR(FILE_CLUSTER) + sector];
}

static unsigned letters(char letter)
{
	unsigned n = 0;

	for (unsigned i = 1; i < FILE_SECTORS; i++)
		for (unsigned at = 0; at < SECTOR_BYTES; at++)
			n += disk[SECTOR(FILE_CLUSTER) + i][at] == (uint8_t)letter;
	return n;
}

/* 13 lines of 79 bytes are 1027: three sectors, and one for the end. */
static void behind_each_other(void **state)
{
	(void)state;
	run_is(CPU, 1, 1, 0);
	assert_memory_equal(text_at(1), "#:run 0001 " CPU "\n\n", 13 + sizeof CPU - 1);
	assert_true(keep(13, 'x'));
	assert_memory_equal(text_at(1 + KEPT_JOURNAL), "xxxx", 4);
	assert_int_equal(text_at(1 + KEPT_JOURNAL)[78], '\n');
	assert_memory_equal(text_at(4 + KEPT_JOURNAL), "#:kept 0001\n\n", 13);
	run_is("GenuineIntel-6-F-D", 5 + KEPT_JOURNAL, 2, 0);
	assert_true(keep(500, 'y')); /* more than is gathered */
	assert_int_equal(letters('x'), 13 * 78);
	assert_int_equal(letters('y'), 500 * 78);
	run_is(CPU, 5 + 2 * KEPT_JOURNAL + (500 * 79 + 511) / 512 + 1, 3, 1);
	/* Nothing but the file was written. */
	memcpy(before[SECTOR(FILE_CLUSTER) + 1], disk[SECTOR(FILE_CLUSTER) + 1],
	       (FILE_SECTORS - 1) * SECTOR_BYTES);
	assert_memory_equal(before, disk, sizeof disk);
}

/* A report takes the place of the one that the same run wrote before, whichever is longer. */
static void again(void **state)
{
	(void)state;
	run_is(CPU, 1, 1, 0);
	assert_true(keep(100, 'x') && keep(13, 'y'));
	assert_int_equal(letters('x'), 0);
	assert_int_equal(letters('y'), 13 * 78);
	assert_memory_equal(text_at(4 + KEPT_JOURNAL), "#:kept 0001\n\n", 13);
	assert_true(keep(100, 'z'));
	assert_int_equal(letters('z'), 100 * 78);
	run_is(CPU, 1 + KEPT_JOURNAL + (100 * 79 + 511) / 512 + 1, 2, 1);
}

/* What an image wrote that gave runs no numbers stays, too. */
static void behind_old_ones(void **state)
{
	(void)state;
	memcpy(disk[SECTOR(FILE_CLUSTER) + 9], "#:kept\n", 7);
	run_is(CPU, 10, 1, 0);
	assert_true(keep(13, 'x'));
	run_is(CPU, 10 + KEPT_JOURNAL + 4, 2, 1);
}

/* A run that was cut short before its report's end. */
static void cut_short(void **state)
{
	(void)state;
	run_is(CPU, 1, 1, 0);
	kept_file_begin(&f);
	assert_true(kept_file_line(&f, "x", 1));
	run_is(CPU, 1 + KEPT_JOURNAL, 2, 1);
	/* One behind a report that is whole: its journal is what tells where it stopped. */
	fresh(state);
	run_is(CPU, 1, 1, 0);
	assert_true(keep(13, 'x'));
	run_is(CPU, 5 + KEPT_JOURNAL, 2, 1);
	note("stopped here\n");
	run_is(CPU, 5 + 2 * KEPT_JOURNAL, 3, 2);
	assert_non_null(strstr(text_at(5 + KEPT_JOURNAL), "\nstopped here\n"));
	/* And the next one that is whole. */
	assert_true(keep(13, 'y'));
	run_is(CPU, 5 + 3 * KEPT_JOURNAL + 4, 4, 3);
}

/* The oldest runs make room: the next one begins at the file's beginning where too little is left, and the
 * last one stays. */
static void oldest_make_room(void **state)
{
	unsigned start = 1, number = 1, wraps = 0, newest_but_one = 0;

	(void)state;
	for (; number <= 20; number++) {
		assert_null(found());
		assert_true(kept_file_run(&f, CPU, &number_before));
		assert_int_equal(f.run, number);
		assert_int_equal(number_before, number - 1);
		wraps += f.start < start;
		start = f.start;
		note("OF THE JOURNAL\n");
		assert_true(keep(13 + number * 7 % 100, (char)(128 + number)));
		wraps += f.start < start; /* the report itself did not fit */
		start = f.start;
		assert_int_equal(letters((char)(128 + number)), (13 + number * 7 % 100) * 78);
		if (number > 1)
			newest_but_one += letters((char)(127 + number)) == (13 + (number - 1) * 7 % 100) * 78;
		assert_memory_equal(text_at(start), "#:run 00", 8);
		assert_int_equal(strtoul(text_at(start) + 6, NULL, 10), number);
		assert_non_null(strstr(text_at(start), "\nOF THE JOURNAL\n"));
	}
	assert_true(wraps >= 3);
	assert_int_equal(newest_but_one, 19);
	/* Each number is there once. */
	for (unsigned i = 1, last = 0; i < FILE_SECTORS; i++)
		if (!memcmp(text_at(i), "#:run 0020", 10))
			assert_int_equal(last++, 0);
}

static void too_large(void **state)
{
	(void)state;
	run_is(CPU, 1, 1, 0);
	assert_false(keep(960, 'x'));
	assert_string_equal(f.trouble, "the report is larger than what is left of \\assay\\bios.txt");
	/* 149 sectors: the journal, the lines, and the end. */
	assert_true(keep((148 - KEPT_JOURNAL) * 512 / 79, 'y'));
	run_is(CPU, 1, 2, 1);
	assert_true(keep(13, 'z'));
}

static void journal(void **state)
{
	static char text[KEPT_JOURNAL * SECTOR_BYTES + 1];
	char line[64];

	(void)state;
	run_is(CPU, 1, 1, 0);
	assert_false(kept_file_notes_before(&f, text));
	note("0 ms: setting the machine up\n");
	assert_true(keep(13, 'x'));
	note("ended\n");
	assert_true(keep(13, 'y'));
	run_is(CPU, 5 + KEPT_JOURNAL, 2, 1);
	assert_true(kept_file_notes_before(&f, text));
	assert_memory_equal(text, "#:run 0001 " CPU "\n0 ms: setting the machine up\nended\n\n",
			    sizeof "#:run 0001 " CPU "\n0 ms: setting the machine up\nended\n\n" - 1);
	/* More than there is room for: the last one is there, and nothing else is written over. */
	assert_true(keep(13, 'z'));
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(line, sizeof line, "%u ms: suite number %u\n", i * 17, i);
		note(line);
	}
	assert_int_equal(letters('z'), 13 * 78);
	run_is(CPU, 5 + KEPT_JOURNAL + 4 + KEPT_JOURNAL, 3, 2);
	assert_true(kept_file_notes_before(&f, text));
	assert_non_null(strstr(text, line));
	assert_non_null(strstr(text, "\n0 ms: suite number 0\n"));
	assert_null(strstr(text, "zzz"));
}

static void trouble_while_writing(void **state)
{
	(void)state;
	run_is(CPU, 1, 1, 0);
	writes_left = 1;
	assert_false(keep(600, 'x'));
	assert_string_equal(f.trouble, "INT 13H does not write to the disk");
	note("nothing comes of it\n");
	writes_left = 100;
	reads_left = 0;
	note("nor of this\n");
	assert_false(keep(5, 'x'));
	assert_string_equal(f.trouble, "the disk does not keep what INT 13H wrote");
	reads_left = 100;
	forgets = true;
	assert_false(keep(5, 'z'));
	assert_string_equal(f.trouble, "the disk does not keep what INT 13H wrote");
	forgets = false;
	assert_true(keep(5, 'z'));
	assert_null(found());
	writes_left = 0;
	assert_false(kept_file_run(&f, CPU, &number_before));
	assert_string_equal(f.trouble, "INT 13H does not write to the disk");
	assert_null(found());
	reads_left = 0;
	assert_false(kept_file_run(&f, CPU, &number_before));
	assert_string_equal(f.trouble, "\\assay\\bios.txt cannot be read");
}

/* Each thing that has to be so, otherwise. */
static void not_the_stick(void **state)
{
	static const struct {
		unsigned sector, at;
		uint32_t value;
		unsigned bytes;
		const char *why;
	} otherwise[] = {
		{1, 0, 0, 1, "the disk has no GPT"},
		{1, 72, DISK, 4, "the disk's GPT cannot be read"},
		{2, 0, 0, 1, "the disk's GPT has no first partition"},
		{2, 32, DISK, 4, "the first partition cannot be read"},
		{PARTITION, 11, 4096, 2, "the first partition is not FAT32 with sectors of 512 bytes"},
		{PARTITION, 13, 0, 1, "the first partition is not FAT32 with sectors of 512 bytes"},
		{PARTITION, 16, 0, 1, "the first partition is not FAT32 with sectors of 512 bytes"},
		{PARTITION, 22, 9, 2, "the first partition is not FAT32 with sectors of 512 bytes"},
		{PARTITION, 36, 0, 4, "the first partition is not FAT32 with sectors of 512 bytes"},
		{PARTITION, 82, '1', 1, "the first partition is not FAT32 with sectors of 512 bytes"},
		{PARTITION, 44, 1, 4, "there is no \\assay\\bios.txt on the disk"},
		{PARTITION, 44, 0x0fffffff, 4, "there is no \\assay\\bios.txt on the disk"},
		{SECTOR(ROOT), 32, 'B', 1, "there is no \\assay\\bios.txt on the disk"},
		{SECTOR(ROOT), 32 + 11, 0x20, 1, "there is no \\assay\\bios.txt on the disk"},
		{SECTOR(FOLDER + 2), 11, 0x10, 1, "there is no \\assay\\bios.txt on the disk"},
		{SECTOR(FOLDER + 2), 11, 0x0f, 1, "there is no \\assay\\bios.txt on the disk"},
		{TABLES, 4 * FOLDER, FOLDER, 4, "there is no \\assay\\bios.txt on the disk"},
		{SECTOR(FOLDER + 2), 28, 511, 4,
		 "\\assay\\bios.txt is not as the image has it: not in one piece"},
		{SECTOR(FOLDER + 2), 20, 1, 2,
		 "\\assay\\bios.txt is not as the image has it: not in one piece"},
		{TABLES, 4 * (FILE_CLUSTER + 77), 200, 4,
		 "\\assay\\bios.txt is not as the image has it: not in one piece"},
		{TABLES, 4 * (FILE_CLUSTER + FILE_SECTORS) - 4, FILE_CLUSTER + FILE_SECTORS, 4,
		 "\\assay\\bios.txt is not as the image has it: not in one piece"},
		{SECTOR(FILE_CLUSTER), 8, 'x', 1,
		 "\\assay\\bios.txt is not as the image has it: it begins otherwise"},
	};

	for (unsigned i = 0; i < sizeof otherwise / sizeof otherwise[0]; i++) {
		fresh(state);
		put(disk[otherwise[i].sector] + otherwise[i].at, otherwise[i].value, otherwise[i].bytes);
		assert_string_equal(kept_file_find(&f, &sectors), otherwise[i].why);
	}
}

/* A disk that gives up at any of the reads: a reason, and no file. */
static void unreadable(void **state)
{
	unsigned reads;

	(void)state;
	for (reads = 0; reads_left = reads, kept_file_find(&f, &sectors); reads++)
		assert_true(reads < 1000);
	assert_true(reads > 5);
	for (reads = 0; reads_left = reads, !kept_file_run(&f, CPU, &number_before); reads++)
		assert_true(reads < 1000);
	assert_true(reads > 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(behind_each_other, fresh),
		cmocka_unit_test_setup(again, fresh),
		cmocka_unit_test_setup(behind_old_ones, fresh),
		cmocka_unit_test_setup(cut_short, fresh),
		cmocka_unit_test_setup(oldest_make_room, fresh),
		cmocka_unit_test_setup(too_large, fresh),
		cmocka_unit_test_setup(journal, fresh),
		cmocka_unit_test_setup(trouble_while_writing, fresh),
		cmocka_unit_test_setup(not_the_stick, fresh),
		cmocka_unit_test_setup(unreadable, fresh),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
