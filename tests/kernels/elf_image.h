/*
 * ELF files that can be loaded anywhere: static, 64 bits, position independent. The file is only looked at;
 * every number in it may be wrong.
 */
#ifndef TESTS_KERNELS_ELF_IMAGE_H
#define TESTS_KERNELS_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_SEGMENTS 8
#define ELF_SPAN_MAX 0x40000 /* bytes from the first segment's page to the end of the last one */

struct elf_segment {
	uint64_t at, size;           /* in memory, from .low of the image */
	uint64_t file_at, file_size; /* in the file; the rest is zero */
	bool writable, executable;
};

struct elf_image {
	uint64_t low, span; /* the first address, of a whole page; whole pages */
	uint64_t entry;     /* from .low */
	unsigned n_segments;
	struct elf_segment segment[ELF_SEGMENTS];
	uint64_t relocations, n_relocations; /* from .low; Elf64_Rela each */
};

/** Whether it is an ELF file, of any kind. */
bool elf_is(const uint8_t *data, size_t size);

/** Look at a file for instruction set `machine`. @return NULL, or why it cannot be loaded, with what would
 * help */
const char *elf_parse(const uint8_t *data, size_t size, uint16_t machine, struct elf_image *out);

/** Relocate what was loaded at `image` to that address. `relative` is the one type that is understood.
 * @return NULL, or why it cannot be done */
const char *elf_relocate(const struct elf_image *x, uint8_t *image, uint32_t relative);

#endif
