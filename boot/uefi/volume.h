/*
 * The volume that files are read from and written to, through the firmware's file systems (UEFI specification
 * 2.10, 13.4 and 13.5). What each function does is said where struct platform has it.
 */
#ifndef BOOT_UEFI_VOLUME_H
#define BOOT_UEFI_VOLUME_H

#include "boot/platform.h"

#include <efi.h>

/** Choose it: the one that the image came from if it has \assay, else the first one that has it, else the
 * image's own. No other one is ever written. */
void volume_choose(EFI_BOOT_SERVICES *services, EFI_HANDLE own);
void volume_close(void);

bool volume_read_file(const char *path, char **data, size_t *size, const char **why);
unsigned volume_list_files(const char *directory, struct platform_file *out, unsigned max);
void volume_each_name(const char *directory, void (*each)(void *arg, const char *name), void *arg);
bool volume_make_folder(const char *path, const char **why);
void *volume_open_file(const char *path, const char **why);
bool volume_write_file(void *handle, const void *data, size_t size, const char **why);
bool volume_close_file(void *handle, const char **why);
bool volume_rename_file(const char *path, const char *name, const char **why);
void volume_append_file(const char *path, const void *data, size_t size);
void volume_remove_file(const char *path);

#endif
