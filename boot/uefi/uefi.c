/*
 * UEFI: the entry, options, memory and the way out, through boot services alone (UEFI specification 2.10, 4,
 * 7, 12). Files are boot/uefi/volume.h's.
 *
 * The image stays a boot-services application from beginning to end, unless own=full ends them
 * (boot/uefi/alone.h). The run takes the CPU over between firmware calls and gives it back before the next
 * one (arch/machine.h), so nothing here may be called while the machine is taken.
 */
#include "boot/heap.h"
#include "boot/platform.h"
#include "boot/sent/codes.h"
#include "boot/uefi/alone.h"
#include "boot/uefi/network.h"
#include "boot/uefi/processors.h"
#include "boot/uefi/terminal.h"
#include "boot/uefi/volume.h"

#include <efi.h>
#include <efilib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static EFI_HANDLE image;
static EFI_SYSTEM_TABLE *system_table;
static EFI_BOOT_SERVICES *bs;
static struct platform uefi;

static const EFI_GUID loaded_image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
static const EFI_GUID acpi_guids[] = {ACPI_20_TABLE_GUID, ACPI_TABLE_GUID};
static const EFI_GUID smbios_guids[2] = {SMBIOS3_TABLE_GUID, SMBIOS_TABLE_GUID};
/* Devicetree tables are not in gnu-efi's headers; UEFI specification 2.10, 4.6. */
static const EFI_GUID device_tree_guid = {
	0xb1b621d5, 0xf19c, 0x41a5, {0x83, 0x0b, 0xd9, 0x15, 0x2c, 0x69, 0xaa, 0xe0}};
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

static void wait_for_key(void)
{
	SIMPLE_INPUT_INTERFACE *in = system_table->ConIn;
	EFI_INPUT_KEY key;
	UINTN which;

	if (!in)
		return;
	in->Reset(in, FALSE); /* what was pressed before is no answer */
	while (!EFI_ERROR(bs->WaitForEvent(1, &in->WaitForKey, &which)) &&
	       EFI_ERROR(in->ReadKeyStroke(in, &key)))
		;
}

/* --- memory ----------------------------------------------------------------------------------------- */

static struct {
	EFI_PHYSICAL_ADDRESS start;
	UINTN pages;
} allocated[64];
static unsigned n_allocated;

static void *take_pages(size_t pages)
{
	EFI_PHYSICAL_ADDRESS at = machine_places.highest;

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
	EFI_PHYSICAL_ADDRESS at = machine_places.low;

	if (!at || EFI_ERROR(bs->AllocatePages(AllocateMaxAddress, EfiLoaderData, 1, &at)))
		return 0;
	allocated[n_allocated].start = at;
	allocated[n_allocated++].pages = 1;
	return at;
}

/** A page that is the same with every start, as firmware's map of memory does not change. Whoever had it
 * before left in it what is still there: it must be asked for before any other memory. */
static void *same_page(void)
{
	for (size_t i = 0; i < sizeof machine_places.same / sizeof machine_places.same[0]; i++) {
		EFI_PHYSICAL_ADDRESS at = machine_places.same[i];

		if (EFI_ERROR(bs->AllocatePages(AllocateAddress, EfiLoaderData, 1, &at)))
			continue;
		allocated[n_allocated].start = at;
		allocated[n_allocated++].pages = 1;
		return (void *)(uintptr_t)at;
	}
	return NULL;
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
	uefi.from_shell = !EFI_ERROR(bs->HandleProtocol(image, GUID_OF(shell_parameters_guid), &shell));
	if (uefi.from_shell) {
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

static const char *date(void)
{
	static char text[24];
	EFI_TIME t;

	if (EFI_ERROR(system_table->RuntimeServices->GetTime(&t, NULL)))
		return NULL;
	snprintf(text, sizeof text, "%04u-%02u-%02u %02u:%02u:%02u", t.Year % 10000u, t.Month % 100u,
		 t.Day % 100u, t.Hour % 100u, t.Minute % 100u, t.Second % 100u);
	return text;
}

/** The configuration table of the first of these that there is, 0 if there is none. */
static uint64_t find_table(const EFI_GUID *guids, size_t count)
{
	for (size_t g = 0; g < count; g++)
		for (UINTN i = 0; i < system_table->NumberOfTableEntries; i++)
			if (!memcmp(&system_table->ConfigurationTable[i].VendorGuid, &guids[g],
				    sizeof(EFI_GUID)))
				return (uintptr_t)system_table->ConfigurationTable[i].VendorTable;
	return 0;
}

/** The framebuffer of a screen, as the first protocol has it that shows one (UEFI specification 2.10, 12.9).
 */
static struct framebuffer find_framebuffer(void)
{
	static const EFI_GUID gop_guid = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
	struct framebuffer found = {0};
	EFI_HANDLE *handles;
	UINTN count;

	if (EFI_ERROR(bs->LocateHandleBuffer(ByProtocol, GUID_OF(gop_guid), NULL, &count, &handles)))
		return found;
	for (UINTN i = 0; i < count && !found.address; i++) {
		EFI_GRAPHICS_OUTPUT_PROTOCOL *gop;

		if (EFI_ERROR(bs->HandleProtocol(handles[i], GUID_OF(gop_guid), (void **)&gop)) ||
		    !gop->Mode || !gop->Mode->Info)
			continue;
		const EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *info = gop->Mode->Info;
		struct framebuffer f = {
			.address = gop->Mode->FrameBufferBase,
			.width = info->HorizontalResolution,
			.height = info->VerticalResolution,
			.pitch = info->PixelsPerScanLine * 4,
		};
		if (gop->Mode->FrameBufferSize < (UINT64)f.height * f.pitch)
			continue;
		if (info->PixelFormat == PixelRedGreenBlueReserved8BitPerColor) {
			f.red = 0xff, f.green = 0xff00, f.blue = 0xff0000;
		} else if (info->PixelFormat == PixelBlueGreenRedReserved8BitPerColor) {
			f.red = 0xff0000, f.green = 0xff00, f.blue = 0xff;
		} else if (info->PixelFormat == PixelBitMask &&
			   (info->PixelInformation.RedMask | info->PixelInformation.GreenMask |
			    info->PixelInformation.BlueMask | info->PixelInformation.ReservedMask) >>
				   24) {
			f.red = info->PixelInformation.RedMask;
			f.green = info->PixelInformation.GreenMask;
			f.blue = info->PixelInformation.BlueMask;
		} else {
			continue; /* only firmware can draw, or a pixel has fewer bits than 32 */
		}
		found = f;
	}
	bs->FreePool(handles);
	return found;
}

/* It lies within what has to be mapped. */
static void look_at_screen(void)
{
	struct framebuffer *f = &uefi.boot.framebuffer;

	*f = find_framebuffer();
	uint64_t end = f->address + (uint64_t)f->height * f->pitch;
	if (end > uefi.boot.memory_top)
		uefi.boot.memory_top = end;
}

static void clear_screen(void)
{
	if (system_table->ConOut)
		system_table->ConOut->ClearScreen(system_table->ConOut);
}

static const char *own(void)
{
	return uefi_alone(image, system_table, &uefi);
}

static struct platform uefi = {
	.name = "UEFI",
	.own = own,
	.make_codes = codes_make,
	.show_codes = codes_show,
	.screen = screen,
	.clear_screen = clear_screen,
	.look_at_screen = look_at_screen,
	.wait_for_key = wait_for_key,
	.read_file = volume_read_file,
	.list_files = volume_list_files,
	.each_name = volume_each_name,
	.make_folder = volume_make_folder,
	.open_file = volume_open_file,
	.write_file = volume_write_file,
	.close_file = volume_close_file,
	.rename_file = volume_rename_file,
	.append_file = volume_append_file,
	.remove_file = volume_remove_file,
	.leave = leave,
};

EFI_STATUS EFIAPI efi_main(EFI_HANDLE handle, EFI_SYSTEM_TABLE *table);

EFI_STATUS EFIAPI efi_main(EFI_HANDLE handle, EFI_SYSTEM_TABLE *table)
{
	static const char too_little[] =
		"assay: could not run: firmware has not 1 MiB of memory to give "
		"(below 4 GiB, where the CPU needs that); free memory or use a bigger machine\n";
	EFI_LOADED_IMAGE *loaded;
	EFI_STATUS s;

	image = handle;
	system_table = table;
	bs = table->BootServices;
	bs->SetWatchdogTimer(0, 0, 0, NULL); /* the boot manager's five minutes */

	uefi.boot.breadcrumbs = same_page();
	uefi.boot.alloc_pages = alloc_pages;
	uefi.boot.take_pages = take_pages;
	if (!heap_init(&uefi, take_pages)) {
		screen(too_little, sizeof too_little - 1);
		return EFI_OUT_OF_RESOURCES;
	}
	s = bs->HandleProtocol(image, GUID_OF(loaded_image_guid), (void **)&loaded);
	if (EFI_ERROR(s))
		return s;

	if (!network_choose(&uefi, table, loaded->DeviceHandle))
		volume_choose(bs, loaded->DeviceHandle);
	uefi.boot.rsdp = find_table(acpi_guids, 2);
	uefi.boot.smbios = find_table(smbios_guids, 2);
	uefi.boot.device_tree = find_table(&device_tree_guid, 1);
	uefi.boot.memory_top = memory_top();
	look_at_screen();
	uefi.boot.low_page = low_page();
	uefi_processors_find(bs, &uefi.boot);
	uefi.boot.firmware = firmware_name();
	uefi.command_line = command_line(loaded);
	if (!uefi.command_line)
		uefi.command_line = "";

	uefi.date = date();
	uefi.terminal = uefi_terminal(table);

	int status = assay_main(&uefi);
	if (uefi.boot.alone)
		uefi_alone_restart();
	volume_close();
	free_all_pages();
	return status == 0 ? EFI_SUCCESS : status == 1 ? EFI_ABORTED : EFI_LOAD_ERROR;
}
