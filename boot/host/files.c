#include "boot/host/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE 1024

static const char *root;

void host_files_in(const char *directory)
{
	root = directory;
}

/* @return false if there are no files, or the path is too long */
static bool place(const char *path, char out[PATH_SIZE])
{
	int n = snprintf(out, PATH_SIZE, "%s%s%s", root ? root : "", *path == '\\' ? "" : "/", path);

	for (char *c = out + (root ? strlen(root) : 0); *c; c++)
		if (*c == '\\')
			*c = '/';
	return root && n < PATH_SIZE;
}

static const char *reason(void)
{
	return errno == ENOENT ? PLATFORM_NOT_FOUND : errno == EEXIST ? PLATFORM_EXISTS : strerror(errno);
}

bool host_read_file(const char *path, char **data, size_t *size, const char **why)
{
	char at[PATH_SIZE];
	FILE *f = place(path, at) ? fopen(at, "rb") : NULL;
	long length;

	*why = root ? reason() : PLATFORM_NOT_FOUND;
	if (!f)
		return false;
	if (fseek(f, 0, SEEK_END) || (length = ftell(f)) < 0 || fseek(f, 0, SEEK_SET)) {
		*why = reason();
		fclose(f);
		return false;
	}
	*size = (size_t)length;
	*data = malloc(*size + 1);
	*why = "not enough memory";
	if (*data && fread(*data, 1, *size, f) != *size) {
		*why = "it could not be read to its end";
		free(*data);
		*data = NULL;
	}
	fclose(f);
	if (*data)
		(*data)[*size] = 0;
	return *data;
}

unsigned host_list_files(const char *directory, struct platform_file *out, unsigned max)
{
	char at[PATH_SIZE];
	DIR *d = place(directory, at) ? opendir(at) : NULL;
	unsigned n = 0;

	for (struct dirent *e; d && n < max && (e = readdir(d));) {
		char file[2 * PATH_SIZE];
		struct stat s;

		snprintf(file, sizeof file, "%s/%s", at, e->d_name);
		if (strlen(e->d_name) >= PLATFORM_FILE_NAME || stat(file, &s) || !S_ISREG(s.st_mode))
			continue;
		out[n].size = (uint64_t)s.st_size;
		strcpy(out[n++].name, e->d_name);
	}
	if (d)
		closedir(d);
	return n;
}

void host_each_name(const char *directory, void (*each)(void *arg, const char *name), void *arg)
{
	char at[PATH_SIZE];
	DIR *d = place(directory, at) ? opendir(at) : NULL;

	for (struct dirent *e; d && (e = readdir(d));)
		if (strlen(e->d_name) < PLATFORM_FILE_NAME)
			each(arg, e->d_name);
	if (d)
		closedir(d);
}

bool host_make_folder(const char *path, const char **why)
{
	char at[PATH_SIZE];

	*why = "no directory was given: -d DIRECTORY";
	if (!place(path, at))
		return false;
	for (char *c = at + strlen(root) + 1; *c; c++)
		if (*c == '/') {
			*c = 0;
			mkdir(at, 0777);
			*c = '/';
		}
	bool good = !mkdir(at, 0777);
	*why = good ? NULL : reason();
	return good;
}

void *host_open_file(const char *path, const char **why)
{
	char at[PATH_SIZE];
	FILE *f = place(path, at) ? fopen(at, "wb") : NULL;

	*why = f ? NULL : reason();
	return f;
}

bool host_write_file(void *file, const void *data, size_t size, const char **why)
{
	bool good = fwrite(data, 1, size, file) == size;

	*why = good ? NULL : reason();
	return good;
}

bool host_close_file(void *file, const char **why)
{
	bool good = !fclose(file);

	*why = good ? NULL : reason();
	return good;
}

bool host_rename_file(const char *path, const char *name, const char **why)
{
	char from[PATH_SIZE], to[2 * PATH_SIZE];
	bool good = place(path, from);

	if (good) {
		snprintf(to, sizeof to, "%.*s/%s", (int)(strrchr(from, '/') - from), from, name);
		good = !rename(from, to);
	}
	*why = good ? NULL : reason();
	return good;
}

void host_append_file(const char *path, const void *data, size_t size)
{
	char at[PATH_SIZE];
	FILE *f = place(path, at) ? fopen(at, "ab") : NULL;

	if (!f)
		return;
	fwrite(data, 1, size, f);
	fclose(f);
}

void host_remove_file(const char *path)
{
	char at[PATH_SIZE];

	if (place(path, at))
		unlink(at);
}
