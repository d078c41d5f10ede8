/*
 * Files of a run on the host: struct platform's functions (boot/platform.h), below one directory. Paths have
 * backslashes between their parts, as firmware's do.
 */
#ifndef BOOT_HOST_FILES_H
#define BOOT_HOST_FILES_H

#include "boot/platform.h"

/** From now on \ is this directory; before, there are no files. The text must stay. */
void host_files_in(const char *directory);

bool host_read_file(const char *path, char **data, size_t *size, const char **why);
unsigned host_list_files(const char *directory, struct platform_file *out, unsigned max);
void host_each_name(const char *directory, void (*each)(void *arg, const char *name), void *arg);
bool host_make_folder(const char *path, const char **why);
void *host_open_file(const char *path, const char **why);
bool host_write_file(void *file, const void *data, size_t size, const char **why);
bool host_close_file(void *file, const char **why);
bool host_rename_file(const char *path, const char *name, const char **why);
void host_append_file(const char *path, const void *data, size_t size);
void host_remove_file(const char *path);

#endif
