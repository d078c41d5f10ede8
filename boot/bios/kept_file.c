#include "boot/bios/kept_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTRY_BYTES      32
#define END_OF_CHAIN     0x0ffffff8u
#define CLUSTER_MASK     0x0fffffffu
#define IS_FOLDER        0x10
#define IS_LABEL         0x08 /* and long names */
#define GATHERED         (sizeof((struct kept_file *)0)->gathered)
#define GATHERED_SECTORS (GATHERED / SECTOR_BYTES)

static const char first_line[] = "# Assay keeps the reports of machines with a BIOS here.";
static const char run_line[] = "#:run ", last_line[] = "#:kept";
static const char full[] = "the report is larger than what is left of \\assay\\bios.txt";

/** FAT32: Microsoft, "FAT: General Overview of On-Disk Format" 1.03. Sectors count from the disk's beginning.
 */
struct volume {
	const struct sectors *disk;
	uint64_t tables, clusters; /* where the first table begins, where cluster 2 does */
	uint32_t cluster_sectors, last_cluster, root;
	uint64_t in_table; /* the sector of a table that `table` holds */
	uint8_t table[SECTOR_BYTES];
};

static uint32_t number(const uint8_t *p, unsigned bytes)
{
	uint32_t n = 0;

	while (bytes--)
		n = n << 8 | p[bytes];
	return n;
}

static const char *open_volume(struct volume *v, const struct sectors *disk)
{
	static const uint8_t unused[16];
	uint8_t sector[SECTOR_BYTES];
	uint64_t start;
	uint32_t tables, table_sectors;

	v->disk = disk;
	v->in_table = 0;
	/* GPT: UEFI 2.10, 5.3.2, 5.3.3. */
	if (!disk->read(1, 1, sector))
		return "the disk cannot be read by INT 13H";
	if (memcmp(sector, "EFI PART", 8))
		return "the disk has no GPT";
	if (!disk->read(number(sector + 72, 4), 1, sector))
		return "the disk's GPT cannot be read";
	if (!memcmp(sector, unused, sizeof unused))
		return "the disk's GPT has no first partition";
	start = number(sector + 32, 4);
	if (!disk->read(start, 1, sector))
		return "the first partition cannot be read";
	table_sectors = number(sector + 36, 4);
	tables = sector[16];
	v->cluster_sectors = sector[13];
	if (number(sector + 11, 2) != SECTOR_BYTES || !v->cluster_sectors || !table_sectors || !tables ||
	    number(sector + 22, 2) || memcmp(sector + 82, "FAT32   ", 8))
		return "the first partition is not FAT32 with sectors of 512 bytes";
	v->tables = start + number(sector + 14, 2);
	v->clusters = v->tables + (uint64_t)tables * table_sectors;
	v->last_cluster = table_sectors * (SECTOR_BYTES / 4) - 1;
	v->root = number(sector + 44, 4);
	return NULL;
}

static uint64_t sector_of(const struct volume *v, uint32_t cluster)
{
	return v->clusters + (uint64_t)(cluster - 2) * v->cluster_sectors;
}

static bool is_cluster(const struct volume *v, uint32_t cluster)
{
	return cluster >= 2 && cluster <= v->last_cluster;
}

/* @return 0 if the table cannot be read */
static uint32_t next_cluster(struct volume *v, uint32_t cluster)
{
	uint64_t sector = v->tables + cluster / (SECTOR_BYTES / 4);

	if (sector != v->in_table && !v->disk->read(sector, 1, v->table))
		return 0;
	v->in_table = sector;
	return number(v->table + cluster % (SECTOR_BYTES / 4) * 4, 4) & CLUSTER_MASK;
}

/* Look in a folder for a name as it stands there: 8 and 3 characters. A folder that leads to itself ends with
 * the clusters that there are. @return its first cluster; 0: it is not there */
static uint32_t look_up(struct volume *v, uint32_t folder, const char name[11], bool is_folder,
			uint32_t *size)
{
	uint8_t sector[SECTOR_BYTES];

	for (uint32_t left = v->last_cluster; left && is_cluster(v, folder); left--) {
		for (uint32_t s = 0; s < v->cluster_sectors; s++) {
			if (!v->disk->read(sector_of(v, folder) + s, 1, sector))
				return 0;
			for (const uint8_t *e = sector; e < sector + SECTOR_BYTES; e += ENTRY_BYTES) {
				if (!*e)
					return 0;
				if (memcmp(e, name, 11) || e[11] & IS_LABEL ||
				    !(e[11] & IS_FOLDER) == is_folder)
					continue;
				*size = number(e + 28, 4);
				return number(e + 20, 2) << 16 | number(e + 26, 2);
			}
		}
		folder = next_cluster(v, folder);
	}
	return 0;
}

static bool in_one_piece(struct volume *v, uint32_t cluster, uint32_t clusters)
{
	for (; clusters > 1; clusters--, cluster++)
		if (!is_cluster(v, cluster) || next_cluster(v, cluster) != cluster + 1)
			return false;
	return is_cluster(v, cluster) && next_cluster(v, cluster) >= END_OF_CHAIN;
}

static bool begins(const uint8_t *sector, const char *line)
{
	return !memcmp(sector, line, strlen(line));
}

const char *kept_file_find(struct kept_file *f, const struct sectors *disk)
{
	struct volume v;
	const char *why = open_volume(&v, disk);
	uint8_t sector[SECTOR_BYTES];
	uint32_t bytes = 0, cluster;

	if (why)
		return why;
	cluster = look_up(&v, v.root, "ASSAY      ", true, &bytes);
	cluster = cluster ? look_up(&v, cluster, "BIOS    TXT", false, &bytes) : 0;
	if (!cluster)
		return "there is no \\assay\\bios.txt on the disk";
	f->disk = disk;
	f->first = sector_of(&v, cluster);
	f->size = bytes / SECTOR_BYTES;
	f->run = f->start = 0;
	f->trouble = NULL;
	if (f->size < KEPT_JOURNAL + 3 ||
	    !in_one_piece(&v, cluster, (f->size + v.cluster_sectors - 1) / v.cluster_sectors))
		return "\\assay\\bios.txt is not as the image has it: not in one piece";
	if (!disk->read(f->first, 1, sector) || !begins(sector, first_line))
		return "\\assay\\bios.txt is not as the image has it: it begins otherwise";
	return NULL;
}

/* What a look through the file has found. */
struct found {
	const char *cpu;
	unsigned newest, own; /* numbers, of any CPU and of this one; 0: none */
	uint32_t newest_at, own_at;
	uint32_t end; /* behind the newest run's end; 0: it has none */
	uint32_t old; /* behind the last end that has no number, as older images wrote them */
};

static void look_at(struct found *r, const char *sector, uint32_t at)
{
	size_t name = strlen(r->cpu);
	char *rest;
	unsigned n;

	if (begins((const uint8_t *)sector, run_line)) {
		n = (unsigned)strtoul(sector + sizeof run_line - 1, &rest, 10);
		if (n > r->newest) {
			r->newest = n;
			r->newest_at = at;
			r->end = 0;
		}
		if (n > r->own && *rest == ' ' && !strncmp(rest + 1, r->cpu, name) &&
		    rest[1 + name] == '\n') {
			r->own = n;
			r->own_at = at;
		}
	} else if (begins((const uint8_t *)sector, last_line)) {
		n = (unsigned)strtoul(sector + sizeof last_line - 1, NULL, 10);
		if (!n)
			r->old = at + 1;
		else if (n == r->newest)
			r->end = at + 1;
	}
}

static bool look_through(struct kept_file *f, struct found *r)
{
	for (uint32_t at = 1, n; at < f->size; at += n) {
		n = f->size - at < GATHERED_SECTORS - 1 ? f->size - at : GATHERED_SECTORS - 1;
		if (!f->disk->read(f->first + at, n, f->gathered)) {
			f->trouble = "\\assay\\bios.txt cannot be read";
			return false;
		}
		f->gathered[n * SECTOR_BYTES] = 0; /* an end for what numbers are read off */
		for (uint32_t i = 0; i < n; i++)
			look_at(r, (const char *)f->gathered + i * SECTOR_BYTES, at + i);
	}
	return true;
}

/* Write sectors, and read them back. */
static bool write_at(struct kept_file *f, uint32_t at, uint32_t n, const uint8_t *data)
{
	static uint8_t again[GATHERED];

	if (!f->disk->write(f->first + at, n, data))
		f->trouble = "INT 13H does not write to the disk";
	else if (!f->disk->read(f->first + at, n, again) || memcmp(again, data, n * SECTOR_BYTES))
		f->trouble = "the disk does not keep what INT 13H wrote";
	return !f->trouble;
}

bool kept_file_run(struct kept_file *f, const char *cpu, unsigned *before)
{
	struct found found = {.cpu = cpu};

	*before = 0;
	f->highest = 0;
	f->trouble = NULL;
	if (!look_through(f, &found))
		return false;
	f->start = found.end      ? found.end
		   : found.newest ? found.newest_at + KEPT_JOURNAL
		   : found.old    ? found.old
				  : 1;
	if (f->start + KEPT_JOURNAL + 2 > f->size)
		f->start = 1;
	f->run = found.newest + 1;
	f->before = found.own_at;
	*before = found.own;
	memset(f->gathered, '\n', KEPT_JOURNAL * SECTOR_BYTES);
	f->noted = (uint32_t)snprintf((char *)f->gathered, KEPT_CPU + 16, "%s%04u %s", run_line, f->run, cpu);
	f->gathered[f->noted++] = '\n';
	if (write_at(f, f->start, KEPT_JOURNAL, f->gathered))
		return true;
	f->run = 0;
	return false;
}

void kept_file_note(struct kept_file *f, const char *line, size_t size)
{
	uint8_t sectors[2 * SECTOR_BYTES];
	uint32_t end = KEPT_JOURNAL * SECTOR_BYTES, from, n;

	if (size > SECTOR_BYTES)
		size = SECTOR_BYTES;
	if (f->noted + size > end) { /* the last sector's begin anew */
		f->noted = end - SECTOR_BYTES;
		memset(sectors, '\n', SECTOR_BYTES);
	} else if (!f->disk->read(f->first + f->start + f->noted / SECTOR_BYTES, 1, sectors)) {
		return;
	}
	memset(sectors + SECTOR_BYTES, '\n', SECTOR_BYTES);
	from = f->noted % SECTOR_BYTES;
	memcpy(sectors + from, line, size);
	n = from + size > SECTOR_BYTES ? 2 : 1;
	f->disk->write(f->first + f->start + f->noted / SECTOR_BYTES, n, sectors);
	f->noted += (uint32_t)size;
}

bool kept_file_notes_before(struct kept_file *f, char text[KEPT_JOURNAL * SECTOR_BYTES + 1])
{
	text[KEPT_JOURNAL * SECTOR_BYTES] = 0;
	return f->before && f->before + KEPT_JOURNAL <= f->size &&
	       f->disk->read(f->first + f->before, KEPT_JOURNAL, text);
}

void kept_file_begin(struct kept_file *f)
{
	f->at = f->start + KEPT_JOURNAL;
	f->used = 0;
	f->trouble = NULL;
}

bool kept_file_make_room(struct kept_file *f)
{
	uint32_t from = f->start;

	if (f->trouble != full || from == 1)
		return false;
	f->trouble = NULL;
	f->start = 1;
	f->highest = 0;
	if (!f->disk->read(f->first + from, KEPT_JOURNAL, f->gathered) ||
	    !write_at(f, 1, KEPT_JOURNAL, f->gathered))
		return false;
	memset(f->gathered, '\n', SECTOR_BYTES);
	return write_at(f, from, 1, f->gathered); /* it is one run */
}

static bool write_gathered(struct kept_file *f)
{
	uint32_t n = f->used / SECTOR_BYTES;

	if (f->trouble)
		return false;
	if (n > f->size - f->at)
		f->trouble = full;
	else
		write_at(f, f->at, n, f->gathered);
	f->at += n;
	f->used = 0;
	return !f->trouble;
}

static bool add(struct kept_file *f, const char *text, size_t size)
{
	while (size) {
		size_t part = size < GATHERED - f->used ? size : GATHERED - f->used;

		memcpy(f->gathered + f->used, text, part);
		f->used += (uint32_t)part;
		text += part;
		size -= part;
		if (f->used == GATHERED && !write_gathered(f))
			return false;
	}
	return !f->trouble;
}

bool kept_file_line(struct kept_file *f, const char *text, size_t size)
{
	return add(f, text, size) && add(f, "\n", 1);
}

/* Up to a sector's end. */
static bool fill(struct kept_file *f)
{
	while (f->used % SECTOR_BYTES)
		f->gathered[f->used++] = '\n';
	return f->used < GATHERED || write_gathered(f);
}

bool kept_file_end(struct kept_file *f)
{
	char line[32];
	size_t size = (size_t)snprintf(line, sizeof line, "%s %04u", last_line, f->run);
	uint32_t end;

	if (!fill(f) || !kept_file_line(f, line, size) || !fill(f))
		return false;
	/* What this run wrote before may have been longer. */
	end = f->at + f->used / SECTOR_BYTES;
	while (end < f->highest) {
		if (!add(f, "\n", 1) || !fill(f))
			return false;
		end++;
	}
	f->highest = end < f->size ? end : f->size; /* what is not written may be too much */
	return !f->used || write_gathered(f);
}
