/*
 * Files of a direct start: the loader's modules. They are looked up by the paths that they would have on a
 * disk, such as \assay\assay.cfg.
 */
#ifndef BOOT_DIRECT_FILES_H
#define BOOT_DIRECT_FILES_H

#include "boot/platform.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** How many a start can have: the event files that are read at most (boot/event_files.c), the configuration,
 * and some that nobody asks for. */
#define DIRECT_FILES_MAX 72

/** A module as the loader describes it; Multiboot specification 0.6.96, 3.3. */
struct multiboot_module {
	uint32_t start, end;
	uint32_t text; /* the first word is the loader's name for the file, the rest its path; GRUB's device
			* in front of a path, and quotes around it, do not count */
	uint32_t reserved;
};

/** Keep where the modules lie. One without a path is no file.
 * @return false: there are too many, or a path is too long; none is kept then */
bool direct_files_init(const struct multiboot_module *module, unsigned count);

/** Keep a stretch of memory clear of the modules: it is cut to the largest part of it that holds none. */
void direct_files_avoid(uint64_t *start, uint64_t *end);

/** As struct platform has them. */
bool direct_read_file(const char *path, char **data, size_t *size, const char **why);
unsigned direct_list_files(const char *directory, struct platform_file *out, unsigned max);

#endif
