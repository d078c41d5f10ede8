/*
 * A user's own code as a kernel without a signature: a function of N and of the data area, from a flat file,
 * from an ELF file or from bytes in the configuration. What it does is what single-stepping shows.
 *
 * A window calls it and counts the call. Each run finds it as it was loaded, and the data area all zero.
 */
#ifndef TESTS_KERNELS_USER_CODE_H
#define TESTS_KERNELS_USER_CODE_H

#include "arch/code_image.h"
#include "tests/kernels/elf_image.h"
#include "tests/kernels/kernel.h"

#define USER_CODE_NAME 32

struct user_code {
	struct kernel kernel; /* .code is where it runs; it has KERNEL_OWN */
	char name[USER_CODE_NAME];
	uint8_t call[CODE_IMAGE_CALL]; /* what the window has in its place */
	size_t call_size;
	unsigned n_kept; /* writable parts as they were loaded */
	struct {
		uint8_t *at;
		const uint8_t *first;
		size_t size;
	} kept[ELF_SEGMENTS];
};

/** NULL: the kernel is one of Assay's. */
static inline const struct user_code *user_code_of(const struct kernel *k)
{
	return k->flags & KERNEL_OWN ? (const struct user_code *)k : NULL;
}

/** Make it what it was when it was loaded. */
void user_code_rewind(const struct user_code *u);

/**
 * Load it: an ELF file (tests/kernels/elf_image.h), or else flat code that begins with its function and can
 * run anywhere. Between machine_init() and the first machine_take().
 * @param why gets one line if it cannot be loaded, with what would help
 * @return NULL then
 */
const struct kernel *user_code_load(const char *name, const uint8_t *data, size_t size, const char **why);

#endif
