/*
 * The outer application, BOOTX64.EFI: it holds the image proper compressed, unpacks it, and has the firmware
 * load and start it from memory (UEFI specification 2.10, 7.4), so that relocation and the rights of pages
 * are the firmware's doing as if the image had been a file. The image finds the same device, file path,
 * options and shell parameters as if it had been started itself, and its status is handed on.
 */
#include <efi.h>
#include <string.h>

#include <LzmaDec.c>

#include "boot/carrier/displacements.h"

#define PAGES(bytes) (((UINTN)(bytes) + 4095) / 4096)
#define PAUSE_US     5000000 /* a line can be read before the boot manager goes on to its next entry */

#define LZMA_HEADER 13 /* of an .lzma stream: properties, and a length that is not used */

extern const struct payload payload;
extern const Byte payload_end[];

static EFI_SYSTEM_TABLE *st;
static EFI_BOOT_SERVICES *bs;
static VOID *shell; /* what the UEFI shell gave besides options; NULL: not started from one */

static EFI_GUID loaded_image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
static EFI_GUID device_path_guid = {
	0xbc62157e, 0x3e33, 0x4fec, {0x99, 0x20, 0x2d, 0x3b, 0x36, 0xd7, 0x50, 0xdf}};
static EFI_GUID shell_parameters_guid = {
	0x752f3136, 0x4e16, 0x4fdc, {0xa2, 0x2a, 0xe5, 0xf4, 0x68, 0x12, 0xf4, 0xca}};

static void say(const CHAR16 *text)
{
	if (st->ConOut)
		st->ConOut->OutputString(st->ConOut, (CHAR16 *)(UINTN)text);
}

/** The one line that there is when the image cannot be started. */
static EFI_STATUS give_up(EFI_STATUS status, const CHAR16 *why)
{
	say(L"assay: could not run: ");
	say(why);
	say(L"\r\n");
	if (!shell)
		bs->Stall(PAUSE_US);
	return status;
}

static const CHAR16 *refusal(EFI_STATUS status)
{
	switch (status) {
	case EFI_SECURITY_VIOLATION:
	case EFI_ACCESS_DENIED:
		return L"the firmware forbids to start what it has no signature of; switch Secure Boot off, "
		       L"or sign the image";
	case EFI_OUT_OF_RESOURCES:
		return L"the firmware has not enough memory to load the image";
	default:
		return L"the firmware does not accept the image as an application; write the file anew";
	}
}

/* The decoder asks once for each stream, for its probabilities: 28 KiB with the properties that scripts/pack
 * chooses. */
static void *give_memory(void *p, size_t size)
{
	static UINT64 memory[0x7000 / sizeof(UINT64)];

	(void)p;
	return size <= sizeof memory ? memory : NULL;
}

static void take_memory(void *p, void *memory)
{
	(void)p, (void)memory;
}

/** Unpack the streams one behind the other. @return false if they do not give as many bytes as they are to */
static bool unpack_streams(Byte *content)
{
	const Byte *from = payload.stream;
	ISzAlloc memory = {give_memory, take_memory};
	SizeT left = payload.unpacked, size, length;
	ELzmaStatus status;

	for (; left; left -= size, content += size, from += LZMA_HEADER + length) {
		if (payload_end - from <= LZMA_HEADER)
			return false;
		size = left;
		length = (SizeT)(payload_end - from) - LZMA_HEADER;
		if (LzmaDecode(content, &size, from + LZMA_HEADER, &length, from, LZMA_PROPS_SIZE,
			       LZMA_FINISH_ANY, &status, &memory) != SZ_OK)
			return false;
	}
	return true;
}

/** Unpack into memory of our own; EFI_SUCCESS only if every bit is as it was packed. */
static EFI_STATUS unpack_into(Byte *image, Byte *content)
{
	static struct places places;
	UINT32 crc;

	if (!unpack_streams(content) || !put_together(&payload, image, content, &places))
		return EFI_COMPROMISED_DATA;
	if (EFI_ERROR(bs->CalculateCrc32(image, payload.size, &crc)) || crc != payload.crc32)
		return EFI_COMPROMISED_DATA;
	return EFI_SUCCESS;
}

/** Start a loaded image with all that its parent was given. */
static EFI_STATUS start_as(const EFI_LOADED_IMAGE *given, EFI_HANDLE child)
{
	EFI_LOADED_IMAGE *loaded;
	EFI_STATUS s = bs->HandleProtocol(child, &loaded_image_guid, (VOID **)&loaded);

	if (EFI_ERROR(s))
		return s;
	/* The parent outlives the child: it may use what the parent has opened. */
	loaded->DeviceHandle = given->DeviceHandle;
	loaded->LoadOptions = given->LoadOptions;
	loaded->LoadOptionsSize = given->LoadOptionsSize;
	if (shell && EFI_ERROR(bs->InstallProtocolInterface(&child, &shell_parameters_guid,
							    EFI_NATIVE_INTERFACE, shell)))
		shell = NULL;
	s = bs->StartImage(child, NULL, NULL);
	/* The firmware unloads an application that has ended; its handle stays while anything is on it. */
	if (shell)
		bs->UninstallProtocolInterface(child, &shell_parameters_guid, shell);
	return s;
}

EFI_STATUS EFIAPI efi_main(EFI_HANDLE handle, EFI_SYSTEM_TABLE *table);

EFI_STATUS EFIAPI efi_main(EFI_HANDLE handle, EFI_SYSTEM_TABLE *table)
{
	EFI_PHYSICAL_ADDRESS at;
	EFI_DEVICE_PATH *path;
	EFI_LOADED_IMAGE *given;
	EFI_HANDLE child = NULL;
	EFI_STATUS s;
	UINTN pages;
	Byte *image;

	st = table;
	bs = table->BootServices;
	if (EFI_ERROR(bs->HandleProtocol(handle, &shell_parameters_guid, &shell)))
		shell = NULL;
	s = bs->HandleProtocol(handle, &loaded_image_guid, (VOID **)&given);
	if (EFI_ERROR(s))
		return give_up(s, L"the firmware does not say where this file was loaded from");
	if (EFI_ERROR(bs->HandleProtocol(handle, &device_path_guid, (VOID **)&path)))
		path = NULL;

	pages = PAGES(payload.size) + PAGES(payload.unpacked);
	s = bs->AllocatePages(AllocateAnyPages, EfiLoaderData, pages, &at);
	if (EFI_ERROR(s))
		return give_up(s, L"the firmware has not enough memory to unpack the image");
	image = (Byte *)(UINTN)at;
	s = unpack_into(image, image + 4096 * PAGES(payload.size));
	if (!EFI_ERROR(s))
		s = bs->LoadImage(FALSE, handle, path, image, payload.size, &child);
	bs->FreePages(at, pages);
	if (s == EFI_COMPROMISED_DATA)
		return give_up(s, L"the file is damaged (its checksum differs); write it anew");
	if (EFI_ERROR(s)) {
		/* Refused for its signature it is loaded all the same, and only may not be started. */
		if (s == EFI_SECURITY_VIOLATION)
			bs->UnloadImage(child);
		return give_up(s, refusal(s));
	}
	return start_as(given, child);
}
