#include "boot/direct/files.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PATH_SIZE 160

struct file {
	char path[PATH_SIZE]; /* it begins with a backslash and has no slash */
	uintptr_t start, end;
};

static struct file files[DIRECT_FILES_MAX];
static unsigned n_files;

/* The text's words but the first, as a path from the root. */
static bool take_path(const char *text, char out[PATH_SIZE])
{
	size_t n = 0;

	text = strchr(text, ' ');
	while (text && (*text == ' ' || *text == '"'))
		text++;
	if (!text)
		text = "";
	if (*text == '(' && strchr(text, ')'))
		text = strchr(text, ')') + 1;
	if (*text && *text != '\\' && *text != '/')
		out[n++] = '\\';
	for (; *text; text++) {
		if (*text == '"')
			break;
		if (n == PATH_SIZE - 1)
			return false;
		out[n++] = *text == '/' ? '\\' : *text;
	}
	out[n] = 0;
	return true;
}

bool direct_files_init(const struct multiboot_module *module, unsigned count)
{
	n_files = 0;
	if (count > DIRECT_FILES_MAX)
		return false;
	for (unsigned i = 0; i < count; i++) {
		if (!take_path((const char *)(uintptr_t)module[i].text, files[i].path))
			return false;
		files[i].start = module[i].start;
		files[i].end = module[i].end;
	}
	n_files = count;
	return true;
}

void direct_files_avoid(uint64_t *start, uint64_t *end)
{
	for (const struct file *f = files; f < files + n_files; f++) {
		uint64_t from = f->start & ~4095ull, to = (f->end + 4095) & ~4095ull;

		if (from >= *end || to <= *start)
			continue;
		if (from > *start && (to >= *end || from - *start > *end - to))
			*end = from;
		else
			*start = to < *end ? to : *end;
	}
}

bool direct_read_file(const char *path, char **data, size_t *size, const char **why)
{
	for (const struct file *f = files; f < files + n_files; f++) {
		if (strcasecmp(f->path, path))
			continue;
		*size = f->end - f->start;
		*data = malloc(*size + 1);
		if (!*data) {
			*why = "not enough memory";
			return false;
		}
		memcpy(*data, (const void *)f->start, *size);
		(*data)[*size] = 0;
		return true;
	}
	*why = PLATFORM_NOT_FOUND;
	return false;
}

unsigned direct_list_files(const char *directory, struct platform_file *out, unsigned max)
{
	size_t length = strlen(directory);
	unsigned n = 0;

	for (const struct file *f = files; f < files + n_files && n < max; f++) {
		const char *name = f->path + length + 1;

		if (strncasecmp(f->path, directory, length) || f->path[length] != '\\' ||
		    strchr(name, '\\') || !*name || strlen(name) >= PLATFORM_FILE_NAME)
			continue;
		strcpy(out[n].name, name);
		out[n++].size = f->end - f->start;
	}
	return n;
}
