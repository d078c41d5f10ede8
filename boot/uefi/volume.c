#include "boot/uefi/volume.h"

#include <stdlib.h>
#include <string.h>

#define PATH_MAX_CHARS 256

static EFI_BOOT_SERVICES *bs;

static const EFI_GUID file_system_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
static const EFI_GUID file_info_guid = EFI_FILE_INFO_ID;

/* gnu-efi's prototypes take GUIDs without const; firmware only reads them. */
#define GUID_OF(g) ((EFI_GUID *)(uintptr_t) & (g))

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

void volume_choose(EFI_BOOT_SERVICES *services, EFI_HANDLE own)
{
	EFI_HANDLE *handles;
	UINTN count;

	bs = services;
	volume = open_root(own);
	if (volume && has_assay_directory(volume))
		return;
	if (EFI_ERROR(bs->LocateHandleBuffer(ByProtocol, GUID_OF(file_system_guid), NULL, &count, &handles)))
		return;
	for (UINTN i = 0; i < count; i++) {
		EFI_FILE_PROTOCOL *root = open_root(handles[i]);

		if (!root)
			continue;
		if (has_assay_directory(root)) {
			volume_close();
			volume = root;
			break;
		}
		root->Close(root);
	}
	bs->FreePool(handles);
}

void volume_close(void)
{
	if (volume)
		volume->Close(volume);
	volume = NULL;
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

/** A path as firmware wants it; "" for one that is too long, which no file has. */
static CHAR16 *wide_path(const char *path, CHAR16 out[PATH_MAX_CHARS])
{
	size_t n = 0;

	for (; path[n] && n < PATH_MAX_CHARS - 1; n++)
		out[n] = path[n] == '/' ? '\\' : (CHAR16)path[n];
	out[path[n] ? 0 : n] = 0;
	return out;
}

/** Open what a path names. @return the firmware's status; EFI_INVALID_PARAMETER for a path that is too long
 */
static EFI_STATUS open_path(const char *path, EFI_FILE_PROTOCOL **file, UINT64 mode, UINT64 attributes)
{
	CHAR16 wide[PATH_MAX_CHARS];

	if (!volume)
		return EFI_NO_MEDIA;
	if (!*wide_path(path, wide))
		return EFI_INVALID_PARAMETER;
	return volume->Open(volume, file, wide, mode, attributes);
}

#define READ_WRITE        (EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE)
#define READ_WRITE_CREATE (READ_WRITE | EFI_FILE_MODE_CREATE)

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

bool volume_read_file(const char *path, char **data, size_t *size, const char **why)
{
	EFI_FILE_PROTOCOL *file;
	EFI_FILE_INFO *info;
	EFI_STATUS s;

	*why = PLATFORM_NOT_FOUND;
	if (!volume)
		return false;
	s = open_path(path, &file, EFI_FILE_MODE_READ, 0);
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

/** Call for each entry of a directory until it says that it has enough. */
static void each_entry(const char *directory, bool (*each)(void *arg, const EFI_FILE_INFO *info), void *arg)
{
	UINTN room = SIZE_OF_EFI_FILE_INFO + PATH_MAX_CHARS * 2 * sizeof(CHAR16), size;
	EFI_FILE_PROTOCOL *dir;
	EFI_FILE_INFO *info;

	if (EFI_ERROR(open_path(directory, &dir, EFI_FILE_MODE_READ, 0)))
		return;
	if (EFI_ERROR(bs->AllocatePool(EfiLoaderData, room, (void **)&info))) {
		dir->Close(dir);
		return;
	}
	/* Each reading of a directory gives an entry, and nothing behind the last; of a file, bytes. */
	do {
		size = room;
	} while (!EFI_ERROR(dir->Read(dir, &size, info)) && size >= SIZE_OF_EFI_FILE_INFO && each(arg, info));
	bs->FreePool(info);
	dir->Close(dir);
}

/** @return whether it had room */
static bool narrow_name(const CHAR16 *wide, char out[PLATFORM_FILE_NAME])
{
	size_t i = 0;

	for (; wide[i] && i < PLATFORM_FILE_NAME - 1; i++)
		out[i] = wide[i] >= ' ' && wide[i] <= '~' ? (char)wide[i] : '?';
	out[i] = 0;
	return !wide[i];
}

struct file_list {
	struct platform_file *out;
	unsigned n, max;
};

static bool list_entry(void *arg, const EFI_FILE_INFO *info)
{
	struct file_list *list = arg;

	if (!(info->Attribute & EFI_FILE_DIRECTORY)) {
		list->out[list->n].size = info->FileSize;
		list->n += narrow_name(info->FileName, list->out[list->n].name);
	}
	return list->n < list->max;
}

unsigned volume_list_files(const char *directory, struct platform_file *out, unsigned max)
{
	struct file_list list = {out, 0, max};

	if (max)
		each_entry(directory, list_entry, &list);
	return list.n;
}

struct name_call {
	void (*each)(void *arg, const char *name);
	void *arg;
};

static bool call_with_name(void *arg, const EFI_FILE_INFO *info)
{
	const struct name_call *call = arg;
	char name[PLATFORM_FILE_NAME];

	if (narrow_name(info->FileName, name))
		call->each(call->arg, name);
	return true;
}

void volume_each_name(const char *directory, void (*each)(void *arg, const char *name), void *arg)
{
	struct name_call call = {each, arg};

	each_entry(directory, call_with_name, &call);
}

/** Create the directories that lead to a path. What fails shows when the file itself is opened. */
static void make_directories(const char *path)
{
	char part[PATH_MAX_CHARS];
	EFI_FILE_PROTOCOL *dir;

	for (size_t i = 0; path[i] && i < sizeof part - 1; i++) {
		if ((path[i] == '\\' || path[i] == '/') && i > 0) {
			part[i] = 0;
			if (!EFI_ERROR(open_path(part, &dir, READ_WRITE_CREATE, EFI_FILE_DIRECTORY)))
				dir->Close(dir);
		}
		part[i] = path[i];
	}
}

#define NO_VOLUME "this was started from no volume that firmware writes, and there is none with \\assay"

bool volume_make_folder(const char *path, const char **why)
{
	EFI_FILE_PROTOCOL *dir;
	EFI_STATUS s;

	*why = NO_VOLUME;
	if (!volume)
		return false;
	make_directories(path);
	if (!EFI_ERROR(open_path(path, &dir, EFI_FILE_MODE_READ, 0))) {
		dir->Close(dir);
		*why = PLATFORM_EXISTS;
		return false;
	}
	s = open_path(path, &dir, READ_WRITE_CREATE, EFI_FILE_DIRECTORY);
	*why = reason(s);
	if (EFI_ERROR(s))
		return false;
	dir->Close(dir);
	return true;
}

void *volume_open_file(const char *path, const char **why)
{
	EFI_FILE_PROTOCOL *file;
	EFI_STATUS s;

	*why = NO_VOLUME;
	if (!volume)
		return NULL;
	make_directories(path);
	s = open_path(path, &file, READ_WRITE_CREATE, 0);
	*why = reason(s);
	return EFI_ERROR(s) ? NULL : file;
}

bool volume_write_file(void *handle, const void *data, size_t size, const char **why)
{
	EFI_FILE_PROTOCOL *file = handle;
	UINTN written = size;
	EFI_STATUS s = file->Write(file, &written, (void *)(uintptr_t)data);

	if (!EFI_ERROR(s) && written != size)
		s = EFI_VOLUME_FULL;
	*why = reason(s);
	return !EFI_ERROR(s);
}

bool volume_close_file(void *handle, const char **why)
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

void volume_append_file(const char *path, const void *data, size_t size)
{
	EFI_FILE_PROTOCOL *file;

	if (EFI_ERROR(open_path(path, &file, READ_WRITE_CREATE, 0)))
		return;
	/* The last position stands for the end: UEFI specification 2.10, 13.5,
	 * EFI_FILE_PROTOCOL.SetPosition(). */
	if (!EFI_ERROR(file->SetPosition(file, UINT64_MAX)) &&
	    !EFI_ERROR(file->Write(file, &(UINTN){size}, (void *)(uintptr_t)data)))
		file->Flush(file);
	file->Close(file);
}

void volume_remove_file(const char *path)
{
	EFI_FILE_PROTOCOL *file;

	if (!EFI_ERROR(open_path(path, &file, READ_WRITE, 0)))
		file->Delete(file);
}

/** The path with another last part. */
static const char *beside(const char *path, const char *name, char out[PATH_MAX_CHARS])
{
	size_t n = strlen(path);

	while (n && path[n - 1] != '\\' && path[n - 1] != '/')
		n--;
	if (n + strlen(name) >= PATH_MAX_CHARS)
		return NULL;
	memcpy(out, path, n);
	strcpy(out + n, name);
	return out;
}

/* No file of that name may be there: UEFI specification 2.10, 13.5, EFI_FILE_PROTOCOL.SetInfo(). */
bool volume_rename_file(const char *path, const char *name, const char **why)
{
	char target[PATH_MAX_CHARS];
	EFI_FILE_PROTOCOL *file;
	EFI_FILE_INFO *info;
	EFI_STATUS s;

	*why = reason(EFI_INVALID_PARAMETER);
	if (!beside(path, name, target))
		return false;
	volume_remove_file(target);
	s = open_path(path, &file, READ_WRITE, 0);
	*why = reason(s);
	if (EFI_ERROR(s))
		return false;
	s = file_info(file, &info);
	if (!EFI_ERROR(s)) {
		wide_path(name, info->FileName); /* file_info() leaves room for the longest */
		info->Size = SIZE_OF_EFI_FILE_INFO + (strlen(name) + 1) * sizeof(CHAR16);
		s = file->SetInfo(file, GUID_OF(file_info_guid), info->Size, info);
		bs->FreePool(info);
	}
	if (!EFI_ERROR(s))
		s = file->Flush(file);
	file->Close(file);
	*why = reason(s);
	return !EFI_ERROR(s);
}
