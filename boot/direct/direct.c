/*
 * Direct start: the same run without firmware, by a Multiboot loader (QEMU -kernel; GRUB, which a BIOS or
 * 32-bit UEFI starts from the stick). Text goes to the screen and the serial line. The report goes into the
 * stick's file that a BIOS can write, else behind the text to the serial line, else onto the screen as QR
 * codes, or to port E9H with report=e9. Files to read are the loader's modules.
 */
#include "boot/direct/bios_call.h"
#include "boot/direct/bios_disk.h"
#include "boot/direct/files.h"
#include "boot/direct/multiboot.h"
#include "boot/direct/multiboot2.h"
#include "boot/direct/screen.h"
#include "boot/direct/vga.h"
#include "boot/heap.h"
#include "boot/platform.h"
#include "boot/sent/by_serial.h"
#include "boot/sent/codes.h"
#include "boot/sent/serial_report.h"

#include "arch/breadcrumbs.h"
#include "arch/console.h"
#include "arch/identity.h"

#include "arch/x86/console/serial.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Entry of the memory map; `size` counts the bytes behind itself. */
struct __attribute__((packed)) map_entry {
	uint32_t size;
	uint64_t start, length;
	uint32_t type;
};
#define MAP_AVAILABLE 1

/* Conventional memory, above what a BIOS and loaders use. */
#define LOW_PAGE 0x70000

/* Where in the BIOS's data the segment of more of it is, and below where that is not. */
#define EXTENDED_DATA        0x0e
#define LOWEST_EXTENDED_DATA 0x80000

#define DEBUG_EXIT_PORT 0xf4   /* QEMU's isa-debug-exit: ends with status (value << 1) | 1 */
#define BOCHS_EXIT_PORT 0x8900 /* Bochs: ends when told "Shutdown" */
#define STATUS_BASE     0x10   /* keeps our statuses apart from QEMU's own 1 */

extern const char __load_start[], __image_end[];

static uint64_t free_start, free_end; /* the largest stretch of memory below 4 GiB */
static uint64_t low_page;             /* 0: not free */
static bool bios_memory;              /* what a call of the BIOS needs is free */
static bool has_bios = true;
static struct kept_file kept;
static const char *not_kept = "the loader was not started from a disk"; /* NULL: kept is there */

static void out8(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static void out32(uint16_t port, uint32_t value)
{
	__asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port));
}

#define GIB (1ull << 30)

static void *take_pages(size_t pages)
{
	if (pages > (free_end - free_start) / 4096)
		return NULL;
	void *at = (void *)(uintptr_t)free_start;
	free_start += pages * 4096;
	return at;
}

static void *alloc_pages(size_t pages)
{
	void *at = take_pages(pages);

	return at ? memset(at, 0, pages * 4096) : NULL;
}

/** Find room for alloc_pages() and the end of memory. Without a map (no loader of today): what mem_upper
 * says. */
static uint64_t read_map(const struct multiboot_info *info)
{
	uint64_t top = 1ull << 32;
	struct map_entry whole = {0, 0x100000, (uint64_t)info->mem_upper * 1024, MAP_AVAILABLE};
	const char *at = (const char *)&whole, *end = at + 1;

	if (info->flags & MULTIBOOT_MAP) {
		at = (const char *)(uintptr_t)info->map_address;
		end = at + info->map_length;
	}
	while (at < end) {
		const struct map_entry *e = (const void *)at;
		uint64_t from = (e->start + 4095) & ~4095ull, to = (e->start + e->length) & ~4095ull;

		if (e->start + e->length > top)
			top = e->start + e->length;
		if (to > 1ull << 32)
			to = 1ull << 32;
		if (e->type == MAP_AVAILABLE && from <= LOW_PAGE && to >= LOW_PAGE + 4096)
			low_page = LOW_PAGE;
		if (e->type == MAP_AVAILABLE && from <= BIOS_BUFFER && to >= BIOS_MEMORY_END)
			bios_memory = true;
		if (from < (uintptr_t)__image_end && to > (uintptr_t)__load_start)
			from = (uintptr_t)__image_end;
		/* Pages of 1 GiB cannot be had in the first one, with its memory of many types. */
		if (from < GIB && to >= GIB + GIB / 2)
			from = GIB;
		if (e->type == MAP_AVAILABLE && to > from && to - from > free_end - free_start) {
			free_start = from;
			free_end = to;
		}
		at += e->size + sizeof e->size;
	}
	return top;
}

static uint64_t find_rsdp_in(uintptr_t from, uintptr_t to)
{
	for (uintptr_t at = from; at < to; at += 16) {
		const uint8_t *p = (const uint8_t *)at;
		uint8_t sum = 0;
		if (memcmp(p, "RSD PTR ", 8))
			continue;
		for (unsigned i = 0; i < 20; i++)
			sum += p[i];
		if (sum == 0)
			return at;
	}
	return 0;
}

/** The ACPI RSDP, which a BIOS leaves on a 16-byte boundary of its extended data area's first KiB, or of its
 * own area. ACPI 6.5, 5.2.5.1. */
static uint64_t find_rsdp(void)
{
	uint16_t segment;

	memcpy(&segment, (const uint8_t *)BIOS_DATA + EXTENDED_DATA, sizeof segment);
	uintptr_t extended = (uintptr_t)segment << 4;
	uint64_t found = extended >= LOWEST_EXTENDED_DATA && extended < 0xa0000
				 ? find_rsdp_in(extended, extended + 1024)
				 : 0;
	return found ? found : find_rsdp_in(0xe0000, 0x100000);
}

/** Let the last bytes leave the serial port: emulators end at once when they are told to. 16550: line status,
 * bit 6. */
static void drain_serial(void)
{
	unsigned patience = 1000000;
	uint8_t status = 0;

	while (serial_present() && !(status & 0x40) && patience--)
		__asm__ volatile("inb %1, %0" : "=a"(status) : "Nd"((uint16_t)(serial_port() + 5)));
}

static void leave(enum exit_mode mode, int status)
{
	static const char shutdown[] = "Shutdown";

	drain_serial();

	if (mode != EXIT_HALT && identity_emulated()) {
		out32(DEBUG_EXIT_PORT, STATUS_BASE | (uint32_t)status);
		for (const char *c = shutdown; *c; c++)
			out8(BOCHS_EXIT_PORT, (uint8_t)*c);
	}
	for (;;)
		__asm__ volatile("cli; hlt");
}

static bool make_folder(const char *path, const char **why)
{
	(void)path;
	*why = identity_emulated()
		       ? "a direct start has no files, and no serial port answers; use report=e9"
		       : "a start from BIOS has no files, and no serial port answers at 3F8H or 2F8H";
	return false;
}

static bool keep_line(const char *text, size_t size)
{
	return kept_file_line(&kept, text, size);
}

static const char *keep(bool (*put)(text_sink *sink, void *to))
{
	do {
		kept_file_begin(&kept);
		if (serial_report_send(put, keep_line) && kept_file_end(&kept))
			return "in \\assay\\bios.txt; scripts/serial-report takes it from there";
	} while (kept_file_make_room(&kept));
	not_kept = kept.trouble ? kept.trouble : "not all of the report is there";
	return NULL;
}

static unsigned begin_run(const char *cpu, unsigned *before)
{
	*before = 0;
	if (!not_kept && !kept_file_run(&kept, cpu, before))
		not_kept = kept.trouble;
	return not_kept ? 0 : kept.run;
}

static void add_note(const char *line, size_t size)
{
	if (!not_kept)
		kept_file_note(&kept, line, size);
}

static char *notes_before(void)
{
	char *text = malloc(KEPT_JOURNAL * SECTOR_BYTES + 1);

	if (text && kept_file_notes_before(&kept, text))
		return text;
	free(text);
	return NULL;
}

static const char *send_report(bool (*put)(text_sink *sink, void *to), bool over, const char **why)
{
	const char *where = not_kept ? NULL : keep(put);

	if (where || !over)
		return where;
	console_text("the report is not on the stick: %s\n", not_kept);
	return by_serial_send(put, why);
}

/* From text there is a way to pixels as long as the BIOS is there. */
static const char *make_codes(bool (*put)(text_sink *sink, void *to), const char **why)
{
	if (screen_is_open() && !screen_squares() && has_bios && bios_memory) {
		struct framebuffer f = vga_graphics();

		if (f.address)
			screen_move(&f);
	}
	return codes_make(put, why);
}

/** The options: what follows the image's name, which loaders put first. */
static char *options_of(const struct multiboot_info *info)
{
	char *text = info->flags & MULTIBOOT_COMMAND_LINE ? (char *)(uintptr_t)info->command_line : "";

	while (*text == ' ')
		text++;
	while (*text && *text != ' ')
		text++;
	return text;
}

static struct platform direct = {
	.name = "direct",
	.read_file = direct_read_file,
	.list_files = direct_list_files,
	.make_folder = make_folder,
	.begin_run = begin_run,
	.add_note = add_note,
	.notes_before = notes_before,
	.send_report = send_report,
	.make_codes = make_codes,
	.show_codes = codes_show,
	.leave = leave,
};

/* The stick, if a BIOS started it: the number of the drive is the highest byte. */
static void look_for_disk(const struct multiboot_info *info)
{
	static const char loader[] = "GRUB";

	if (!(info->flags & MULTIBOOT_BOOT_DEVICE) ||
	    strncmp(direct.boot.firmware, loader, sizeof loader - 1))
		return;
	not_kept = bios_memory ? bios_disk_open((uint8_t)(info->boot_device >> 24))
			       : "the memory below 1 MiB that it takes is in use";
	if (!not_kept)
		not_kept = kept_file_find(&kept, &bios_disk);
}

/* Before there is a run to say it. */
static void could_not_run(const char *why, size_t size)
{
	serial_init(0);
	serial_write(why, size);
	screen_open(&direct.boot.framebuffer);
	screen_text(why, size, false);
	screen_draw();
	leave(EXIT_SHUTDOWN, 2);
}

/* It lies within what has to be mapped. */
static void look_at_screen(const struct multiboot_info *info)
{
	struct framebuffer *f = &direct.boot.framebuffer;
	uint64_t end;

	*f = direct_screen(info, (const uint8_t *)BIOS_DATA);
	end = f->address + (uint64_t)f->height * f->pitch;
	if (end > direct.boot.memory_top)
		direct.boot.memory_top = end;
}

void direct_main(void *handed_over, uint32_t loader_magic);

void direct_main(void *handed_over, uint32_t loader_magic)
{
	const struct multiboot_info *info = handed_over;
	const void *rsdp = NULL;
	static char command_line[4096];
	static char loader[64] = "multiboot loader";
	static const char too_little[] = "# assay: could not run: not 1 MiB of memory is free below 4 GiB; "
					 "give the machine more\n";
	static const char too_many[] =
		"# assay: could not run: too many modules, or one with too long a path; leave some out\n";

	if (loader_magic == MULTIBOOT2_LOADER) {
		info = multiboot2_info(handed_over, &rsdp);
		not_kept = "32-bit UEFI leaves no way to write to it";
		has_bios = false;
	}
	/* The loader's structures lie in memory that alloc_pages() may hand out: copy first. */
	strncpy(command_line, options_of(info), sizeof command_line - 1);
	if (info->flags & MULTIBOOT_LOADER_NAME)
		strncpy(loader, (const char *)(uintptr_t)info->loader_name, sizeof loader - 1);
	direct.command_line = command_line;
	direct.boot.firmware = loader;
	bool files = !(info->flags & MULTIBOOT_MODULES) ||
		     direct_files_init((const void *)(uintptr_t)info->modules_address, info->modules_count);
	direct.boot.memory_top = read_map(info);
	look_at_screen(info);
	direct_files_avoid(&free_start, &free_end);
	if (free_end - free_start >= BREADCRUMBS_BYTES) {
		free_end -= BREADCRUMBS_BYTES;
		direct.boot.breadcrumbs = (void *)(uintptr_t)free_end;
	}
	direct.boot.low_page = low_page;
	direct.boot.rsdp = rsdp ? (uintptr_t)rsdp : find_rsdp();
	direct.boot.alloc_pages = alloc_pages;
	direct.boot.take_pages = take_pages;
	look_for_disk(info);

	if (!files)
		could_not_run(too_many, sizeof too_many - 1);
	if (!heap_init(&direct, take_pages))
		could_not_run(too_little, sizeof too_little - 1);
	leave(EXIT_SHUTDOWN, assay_main(&direct));
}
