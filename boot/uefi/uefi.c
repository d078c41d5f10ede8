/*
 * UEFI: the entry, options, memory, files and the way out, through boot services alone (UEFI
 * specification 2.10, 4, 7, 12, 13).
 *
 * The image stays a boot-services application from beginning to end. The run takes the CPU over between
 * firmware calls and gives it back before the next one (arch/x86/machine/machine.h), so nothing here may be
 * called while the machine is taken.
 */
#include "boot/heap.h"
#include "boot/platform.h"

#include <efi.h>
#include <efilib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_MAX_CHARS 128

static EFI_HANDLE image;
static EFI_SYSTEM_TABLE *system_table;
static EFI_BOOT_SERVICES *bs;

static const EFI_GUID loaded_image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
static const EFI_GUID file_system_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
static const EFI_GUID file_info_guid = EFI_FILE_INFO_ID;
static const EFI_GUID acpi_guids[] = {ACPI_20_TABLE_GUID, ACPI_TABLE_GUID};
static const EFI_GUID shell_parameters_guid = {
	0x752f3136, 0x4e16, 0x4fdc, {0xa2, 0x2a, 0xe5, 0xf4, 0x68, 0x12, 0xf4, 0xca}};

/* gnu-efi's prototypes take GUIDs without const; firmware only reads them. */
#define GUID_OF(g) ((EFI_GUID *)(uintptr_t) & (g))

/* --- text ------------------------------------------------------------------------------------------- */

static void screen(const char *text, size_t size)
{
	CHAR16 wide[128];
	UINTN n = 0;

	if (!system_table->ConOut)
		return;
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '\n')
			wide[n++] = '\r';
		wide[n++] = (unsigned char)text[i] < 0x80 ? (CHAR16)text[i] : '?';
		if (n >= 126 || i + 1 == size) {
			wide[n] = 0;
			system_table->ConOut->OutputString(system_table->ConOut, wide);
			n = 0;
		}
	}
}

/* --- memory ----------------------------------------------------------------------------------------- */

static struct {
	EFI_PHYSICAL_ADDRESS start;
	UINTN pages;
} allocated[64];
static unsigned n_allocated;

static void *take_pages(size_t pages)
{
	EFI_PHYSICAL_ADDRESS at = 0xffffffff;

	if (n_allocated == sizeof allocated / sizeof allocated[0] ||
	    EFI_ERROR(bs->AllocatePages(AllocateMaxAddress, EfiLoaderData, pages, &at)))
		return NULL;
	allocated[n_allocated].start = at;
	allocated[n_allocated++].pages = pages;
	return (void *)(uintptr_t)at;
}

static void *alloc_pages(size_t pages)
{
	void *at = take_pages(pages);

	return at ? memset(at, 0, pages * 4096) : NULL;
}

/** A page for the start of other processors; firmware may have none. */
static uint64_t low_page(void)
{
	EFI_PHYSICAL_ADDRESS at = 0x9ffff;

	if (EFI_ERROR(bs->AllocatePages(AllocateMaxAddress, EfiLoaderData, 1, &at)))
		return 0;
	allocated[n_allocated].start = at;
	allocated[n_allocated++].pages = 1;
	return at;
}

static void free_all_pages(void)
{
	while (n_allocated) {
		n_allocated--;
		bs->FreePages(allocated[n_allocated].start, allocated[n_allocated].pages);
	}
}

/** First address above everything in the memory map, at least 4 GiB. */
static uint64_t memory_top(void)
{
	uint64_t top = 1ull << 32;
	UINTN size = 0, key, each;
	UINT32 version;
	EFI_MEMORY_DESCRIPTOR *map;

	bs->GetMemoryMap(&size, NULL, &key, &each, &version);
	size += 16 * each; /* the pool allocation itself may split entries */
	if (EFI_ERROR(bs->AllocatePool(EfiLoaderData, size, (void **)&map)))
		return top;
	if (!EFI_ERROR(bs->GetMemoryMap(&size, map, &key, &each, &version))) {
		for (UINTN at = 0; at + each <= size; at += each) {
			const EFI_MEMORY_DESCRIPTOR *d = (const void *)((const char *)map + at);
			uint64_t end = d->PhysicalStart + d->NumberOfPages * 4096;
			if (end > top)
				top = end;
		}
	}
	bs->FreePool(map);
	return top;
}

/* --- files ------------------------------------------------------------------------------------------ */

static EFI_FILE_PROTOCOL *volume; /* root directory; NULL: none found */

static EFI_FILE_PROTOCOL *open_root(EFI_HANDLE device)
{
	EFI_SIMPLE_FILE_SYSTEM_PROTOCOL *fs;
	EFI_FILE_PROTOCOL *root;

	if (!device || EFI_ERROR(bs->HandleProtocol(device, GUID_OF(file_system_guid), (void **)&fs)) ||
	    EFI_ERROR(fs->OpenVolume(fs, &root)))
		return NULL;
	return root;
}

static bool has_assay_directory(EFI_FILE_PROTOCOL *root)
{
	EFI_FILE_PROTOCOL *dir;

	if (EFI_ERROR(root->Open(root, &dir, L"\\assay", EFI_FILE_MODE_READ, 0)))
		return false;
	dir->Close(dir);
	return true;
}

/** The volume with \assay: the one that the image came from if it has it, else the first that does, else the
 * image's own. */
static void choose_volume(EFI_HANDLE own)
{
	EFI_HANDLE *handles;
	UINTN count;

	volume = open_root(own);
	if (volume && has_assay_directory(volume))
		return;
	if (EFI_ERROR(bs->LocateHandleBuffer(ByProtocol, GUID_OF(file_system_guid), NULL, &count, &handles)))
		return;
	for (UINTN i = 0; i < count; i++) {
		EFI_FILE_PROTOCOL *root = open_root(handles[i]);
		if (root && (has_assay_directory(root) || !volume)) {
			if (volume)
				volume->Close(volume);
			volume = root;
			if (has_assay_directory(root))
				break;
		} else if (root) {
			root->Close(root);
		}
	}
	bs->FreePool(handles);
}

/** The status that stands for "is a directory"; no file-system call of ours gives it for anything else. */
#define IS_DIRECTORY EFI_BAD_BUFFER_SIZE

static const char *reason(EFI_STATUS status)
{
	static const struct {
		EFI_STATUS status;
		const char *text;
	} reasons[] = {
		{EFI_NOT_FOUND, PLATFORM_NOT_FOUND},
		{EFI_WRITE_PROTECTED, "volume is write-protected"},
		{EFI_ACCESS_DENIED, "access denied (read-only file or volume)"},
		{EFI_VOLUME_FULL, "volume is full"},
		{EFI_VOLUME_CORRUPTED, "file system is damaged"},
		{EFI_DEVICE_ERROR, "device error"},
		{EFI_NO_MEDIA, "no medium"},
		{EFI_MEDIA_CHANGED, "medium was changed"},
		{EFI_OUT_OF_RESOURCES, "firmware is short of memory"},
		{EFI_INVALID_PARAMETER, "no valid file name"},
		{IS_DIRECTORY, "is a directory, not a file"},
	};
	for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
		if (reasons[i].status == status)
			return reasons[i].text;
	return "firmware error";
}

static const CHAR16 *wide_path(const char *path, CHAR16 out[PATH_MAX_CHARS])
{
	size_t n = 0;
	for (; path[n] && n < PATH_MAX_CHARS - 1; n++)
		out[n] = path[n] == '/' ? '\\' : (CHAR16)path[n];
	out[n] = 0;
	return out;
}

/** What firmware knows of an open file, to be given to FreePool; IS_DIRECTORY for a directory. */
static EFI_STATUS file_info(EFI_FILE_PROTOCOL *file, EFI_FILE_INFO **info)
{
	UINTN size = SIZE_OF_EFI_FILE_INFO + PATH_MAX_CHARS * 2 * sizeof(CHAR16);
	EFI_STATUS s = bs->AllocatePool(EfiLoaderData, size, (void **)info);

	if (EFI_ERROR(s))
		return s;
	s = file->GetInfo(file, GUID_OF(file_info_guid), &size, *info);
	if (!EFI_ERROR(s) && (*info)->Attribute & EFI_FILE_DIRECTORY)
		s = IS_DIRECTORY;
	if (EFI_ERROR(s))
		bs->FreePool(*info);
	return s;
}

static bool read_file(const char *path, char **data, size_t *size, const char **why)
{
	CHAR16 wide[PATH_MAX_CHARS];
	EFI_FILE_PROTOCOL *file;
	EFI_FILE_INFO *info;
	EFI_STATUS s;

	*why = PLATFORM_NOT_FOUND;
	if (!volume)
		return false;
	s = volume->Open(volume, &file, (CHAR16 *)wide_path(path, wide), EFI_FILE_MODE_READ, 0);
	if (EFI_ERROR(s)) {
		*why = reason(s);
		return false;
	}
	s = file_info(file, &info);
	if (!EFI_ERROR(s)) {
		UINTN got = info->FileSize;
		bs->FreePool(info);
		*data = malloc(got + 1);
		if (!*data) {
			s = EFI_OUT_OF_RESOURCES;
		} else {
			s = file->Read(file, &got, *data);
			(*data)[EFI_ERROR(s) ? 0 : got] = 0;
			*size = got;
			if (EFI_ERROR(s))
				free(*data);
		}
	}
	file->Close(file);
	*why = reason(s);
	return !EFI_ERROR(s);
}

static unsigned list_files(const char *directory, struct platform_file *out, unsigned max)
{
	CHAR16 wide[PATH_MAX_CHARS];
	EFI_FILE_PROTOCOL *dir;
	EFI_FILE_INFO *info;
	UINTN room = SIZE_OF_EFI_FILE_INFO + PATH_MAX_CHARS * 2 * sizeof(CHAR16), size;
	unsigned n = 0;

	if (!volume || EFI_ERROR(volume->Open(volume, &dir, (CHAR16 *)wide_path(directory, wide),
					      EFI_FILE_MODE_READ, 0)))
		return 0;
	if (EFI_ERROR(bs->AllocatePool(EfiLoaderData, room, (void **)&info))) {
		dir->Close(dir);
		return 0;
	}
	/* Each reading of a directory gives an entry, and nothing behind the last; of a file, bytes. */
	while (n < max) {
		EFI_STATUS s;
		size_t i = 0;

		size = room;
		s = dir->Read(dir, &size, info);
		if (s == EFI_BUFFER_TOO_SMALL)
			break;
		if (EFI_ERROR(s) || size < SIZE_OF_EFI_FILE_INFO)
			break;
		if (info->Attribute & EFI_FILE_DIRECTORY)
			continue;
		for (; info->FileName[i] && i < PLATFORM_FILE_NAME - 1; i++)
			out[n].name[i] = info->FileName[i] >= ' ' && info->FileName[i] <= '~'
						 ? (char)info->FileName[i]
						 : '?';
		out[n].name[i] = 0;
		out[n].size = info->FileSize;
		if (!info->FileName[i])
			n++;
	}
	bs->FreePool(info);
	dir->Close(dir);
	return n;
}

/** Create the directories that lead to a path. What fails shows when the file itself is opened. */
static void make_directories(const CHAR16 *path)
{
	CHAR16 part[PATH_MAX_CHARS];
	EFI_FILE_PROTOCOL *dir;

	for (size_t i = 0; path[i]; i++) {
		if (path[i] == '\\' && i > 0) {
			part[i] = 0;
			if (!EFI_ERROR(volume->Open(volume, &dir, part,
						    EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE |
							    EFI_FILE_MODE_CREATE,
						    EFI_FILE_DIRECTORY)))
				dir->Close(dir);
		}
		part[i] = path[i];
	}
}

static void *open_file(const char *path, const char **why)
{
	CHAR16 wide[PATH_MAX_CHARS];
	EFI_FILE_PROTOCOL *file;
	EFI_STATUS s;

	*why = "no volume with a file system that firmware writes";
	if (!volume)
		return NULL;
	wide_path(path, wide);
	make_directories(wide);
	s = volume->Open(volume, &file, wide, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE,
			 0);
	*why = reason(s);
	return EFI_ERROR(s) ? NULL : file;
}

static bool write_file(void *handle, const void *data, size_t size, const char **why)
{
	EFI_FILE_PROTOCOL *file = handle;
	UINTN written = size;
	EFI_STATUS s = file->Write(file, &written, (void *)(uintptr_t)data);

	if (!EFI_ERROR(s) && written != size)
		s = EFI_VOLUME_FULL;
	*why = reason(s);
	return !EFI_ERROR(s);
}

static bool close_file(void *handle, const char **why)
{
	EFI_FILE_PROTOCOL *file = handle;
	EFI_FILE_INFO *info;
	UINT64 size;
	EFI_STATUS s = file->GetPosition(file, &size);

	if (!EFI_ERROR(s))
		s = file_info(file, &info);
	if (!EFI_ERROR(s)) {
		if (info->FileSize != size) {
			info->FileSize = size;
			s = file->SetInfo(file, GUID_OF(file_info_guid), info->Size, info);
		}
		bs->FreePool(info);
	}
	if (!EFI_ERROR(s))
		s = file->Flush(file);
	file->Close(file);
	*why = reason(s);
	return !EFI_ERROR(s);
}

/* --- options ---------------------------------------------------------------------------------------- */

/**
 * LoadOptions as text: what the UEFI shell, a boot entry or QEMU's -append gave. The shell puts the program's
 * name first. Boot entries may carry binary data of no meaning to us: anything that is not plain text counts
 * as no options.
 */
static char *command_line(const EFI_LOADED_IMAGE *loaded)
{
	const CHAR16 *wide = loaded->LoadOptions;
	size_t n = loaded->LoadOptionsSize / sizeof(CHAR16);
	char *text = calloc(n + 1, 1), *from = text;
	void *shell;

	if (!text)
		return NULL;
	for (size_t i = 0; i < n && wide[i]; i++) {
		if (wide[i] != '\t' && wide[i] != '\r' && wide[i] != '\n' &&
		    (wide[i] < ' ' || wide[i] > '~')) {
			text[0] = 0;
			return text;
		}
		text[i] = (char)wide[i];
	}
	if (!EFI_ERROR(bs->HandleProtocol(image, GUID_OF(shell_parameters_guid), &shell))) {
		bool quoted = false;
		while (*from == ' ')
			from++;
		for (; *from && (*from != ' ' || quoted); from++)
			quoted ^= *from == '"';
		memmove(text, from, strlen(from) + 1);
	}
	return text;
}

/* --- the way out ------------------------------------------------------------------------------------ */

static void leave(enum exit_mode mode, int status)
{
	static const char farewell[] = "The machine may be switched off now.\n";

	(void)status;
	if (mode == EXIT_SHUTDOWN)
		system_table->RuntimeServices->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
	screen(farewell, sizeof farewell - 1);
	for (;;)
		bs->Stall(1000000);
}

/* --- the entry -------------------------------------------------------------------------------------- */

static const char *firmware_name(void)
{
	static char name[96];
	size_t n = 0;

	for (const CHAR16 *w = system_table->FirmwareVendor; w && *w && n < 64; w++)
		name[n++] = *w >= ' ' && *w <= '~' ? (char)*w : '?';
	snprintf(name + n, sizeof name - n, " %u.%u, UEFI %u.%u",
		 (unsigned)system_table->FirmwareRevision >> 16,
		 (unsigned)system_table->FirmwareRevision & 0xffff,
		 (unsigned)system_table->Hdr.Revision >> 16,
		 (unsigned)(system_table->Hdr.Revision & 0xffff) / 10);
	return name;
}

static uint64_t find_rsdp(void)
{
	for (size_t g = 0; g < sizeof acpi_guids / sizeof acpi_guids[0]; g++)
		for (UINTN i = 0; i < system_table->NumberOfTableEntries; i++)
			if (!memcmp(&system_table->ConfigurationTable[i].VendorGuid, &acpi_guids[g],
				    sizeof(EFI_GUID)))
				return (uintptr_t)system_table->ConfigurationTable[i].VendorTable;
	return 0;
}

static struct platform uefi = {
	.name = "UEFI",
	.screen = screen,
	.read_file = read_file,
	.list_files = list_files,
	.open_file = open_file,
	.write_file = write_file,
	.close_file = close_file,
	.leave = leave,
};

EFI_STATUS EFIAPI efi_main(EFI_HANDLE handle, EFI_SYSTEM_TABLE *table);

EFI_STATUS EFIAPI efi_main(EFI_HANDLE handle, EFI_SYSTEM_TABLE *table)
{
	static const char too_little[] = "assay: could not run: firmware has not 1 MiB of memory below 4 GiB "
					 "to give; free memory or use a bigger machine\n";
	EFI_LOADED_IMAGE *loaded;
	EFI_STATUS s;

	image = handle;
	system_table = table;
	bs = table->BootServices;
	bs->SetWatchdogTimer(0, 0, 0, NULL); /* the boot manager's five minutes */

	uefi.boot.alloc_pages = alloc_pages;
	if (!heap_init(&uefi, take_pages)) {
		screen(too_little, sizeof too_little - 1);
		return EFI_OUT_OF_RESOURCES;
	}
	s = bs->HandleProtocol(image, GUID_OF(loaded_image_guid), (void **)&loaded);
	if (EFI_ERROR(s))
		return s;

	choose_volume(loaded->DeviceHandle);
	uefi.boot.rsdp = find_rsdp();
	uefi.boot.memory_top = memory_top();
	uefi.boot.low_page = low_page();
	uefi.boot.firmware = firmware_name();
	uefi.command_line = command_line(loaded);
	if (!uefi.command_line)
		uefi.command_line = "";

	int status = assay_main(&uefi);
	if (volume)
		volume->Close(volume);
	free_all_pages();
	return status == 0 ? EFI_SUCCESS : status == 1 ? EFI_ABORTED : EFI_LOAD_ERROR;
}
