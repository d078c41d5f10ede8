#include "boot/uefi/alone.h"

#include "boot/sent/by_serial.h"
#include "boot/sent/codes.h"

#include "arch/console.h"
#include "arch/machine.h"

#include <efilib.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FILES_MAX  128 /* of both folders */
#define FOLDER_MAX 64
#define PATH_CHARS (PLATFORM_FILE_NAME + 32)
#define MAP_SLACK  16 /* entries that come with what is allocated for the map itself */
#define TRIES      4

static EFI_RUNTIME_SERVICES *runtime;

/* --- files ------------------------------------------------------------------------------------------ */

static struct {
	char path[PATH_CHARS];
	char *data; /* NULL: it could not be read, and why */
	size_t size;
	const char *why;
} files[FILES_MAX];
static unsigned n_files;

static void keep_folder(const struct platform *platform, const char *folder)
{
	static struct platform_file listed[FOLDER_MAX];
	unsigned n = platform->list_files ? platform->list_files(folder, listed, FOLDER_MAX) : 0;

	for (unsigned i = 0; i < n && n_files < FILES_MAX; i++) {
		char *path = files[n_files].path;

		strcpy(path, folder);
		strcat(path, "\\");
		strcat(path, listed[i].name);
		files[n_files].size = listed[i].size;
		if (!platform->read_file(path, &files[n_files].data, &files[n_files].size,
					 &files[n_files].why))
			files[n_files].data = NULL;
		n_files++;
	}
}

static bool read_file(const char *path, char **data, size_t *size, const char **why)
{
	*why = PLATFORM_NOT_FOUND;
	for (unsigned i = 0; i < n_files; i++) {
		if (strcasecmp(files[i].path, path))
			continue;
		*why = files[i].data ? "not enough memory" : files[i].why;
		*data = files[i].data ? malloc(files[i].size + 1) : NULL;
		if (!*data)
			return false;
		memcpy(*data, files[i].data, files[i].size);
		(*data)[files[i].size] = 0;
		*size = files[i].size;
		return true;
	}
	return false;
}

static unsigned list_files(const char *folder, struct platform_file *out, unsigned max)
{
	size_t length = strlen(folder);
	unsigned n = 0;

	for (unsigned i = 0; i < n_files && n < max; i++) {
		if (strncasecmp(files[i].path, folder, length) || files[i].path[length] != '\\')
			continue;
		strcpy(out[n].name, files[i].path + length + 1);
		out[n++].size = files[i].size;
	}
	return n;
}

static bool make_folder(const char *path, const char **why)
{
	(void)path;
	*why = "own=full leaves no firmware to write files, and no serial port answers";
	return false;
}

/* --- memory ----------------------------------------------------------------------------------------- */

static uint64_t free_start, free_end;

/* The largest stretch of what nobody has. What firmware itself used stays as it is: its page tables are in
 * use whenever the machine is given back. */
static void find_memory(const char *map, UINTN size, UINTN each)
{
	free_start = free_end = 0;
	for (UINTN at = 0; at + each <= size; at += each) {
		const EFI_MEMORY_DESCRIPTOR *d = (const void *)(map + at);
		uint64_t from = d->PhysicalStart, to = from + d->NumberOfPages * 4096;

		if (to - 1 > machine_places.highest)
			to = machine_places.highest + 1;
		if (d->Type != EfiConventionalMemory || to <= from || to - from <= free_end - free_start)
			continue;
		free_start = from;
		free_end = to;
	}
}

static void *take_pages(size_t pages)
{
	void *at = (void *)(uintptr_t)free_start;

	if (pages > (free_end - free_start) / 4096)
		return NULL;
	free_start += pages * 4096;
	return at;
}

static void *alloc_pages(size_t pages)
{
	void *at = take_pages(pages);

	return at ? memset(at, 0, pages * 4096) : NULL;
}

/* --- the end ---------------------------------------------------------------------------------------- */

/* The map must be the newest one; after the first try firmware may have changed it, and no memory may be
 * asked for any more. */
static bool end_services(EFI_HANDLE image, EFI_BOOT_SERVICES *bs)
{
	UINTN room = 0, key, each;
	UINT32 version;
	void *map;

	bs->GetMemoryMap(&room, NULL, &key, &each, &version);
	room += MAP_SLACK * each;
	if (EFI_ERROR(bs->AllocatePool(EfiLoaderData, room, &map)))
		return false;
	for (unsigned i = 0; i < TRIES; i++) {
		UINTN size = room;

		if (EFI_ERROR(bs->GetMemoryMap(&size, map, &key, &each, &version)))
			break;
		find_memory(map, size, each);
		if (!EFI_ERROR(bs->ExitBootServices(image, key)))
			return true;
	}
	return false;
}

static void leave(enum exit_mode mode, int status)
{
	(void)status;
	if (mode == EXIT_SHUTDOWN)
		runtime->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
	machine_stop();
}

_Noreturn void uefi_alone_restart(void)
{
	runtime->ResetSystem(EfiResetCold, EFI_SUCCESS, 0, NULL);
	machine_stop();
}

static const char *send_report(bool (*put)(text_sink *sink, void *to), bool over, const char **why)
{
	return over ? by_serial_send(put, why) : NULL;
}

const char *uefi_alone(EFI_HANDLE image, EFI_SYSTEM_TABLE *table, struct platform *platform)
{
	n_files = 0;
	keep_folder(platform, "\\assay\\events");
	keep_folder(platform, "\\assay\\code");
	console_flush_screen();
	runtime = table->RuntimeServices;
	if (!end_services(image, table->BootServices))
		return "own=full: firmware does not end its boot services; leave it out";
	console_set_screen(NULL);
	platform->name = "UEFI, boot services ended";
	platform->boot.alone = true;
	platform->boot.renew_processor = NULL;
	platform->boot.alloc_pages = alloc_pages;
	platform->boot.take_pages = take_pages;
	platform->screen = NULL;
	platform->clear_screen = NULL;
	platform->from_shell = false;
	platform->terminal = NULL;
	platform->look_at_screen = NULL;
	platform->wait_for_key = NULL;
	platform->read_file = read_file;
	platform->list_files = list_files;
	platform->each_name = NULL;
	platform->run_name = NULL;
	platform->make_folder = make_folder;
	platform->send_report = send_report;
	platform->make_codes = codes_make;
	platform->show_codes = codes_show;
	platform->leave = leave;
	return NULL;
}
