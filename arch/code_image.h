/*
 * Code that was not built with Assay: memory for it, which is never writable and executable at once, and how
 * it is called.
 *
 * Example: two pages, of code and of data.
 *
 *     uint8_t *image = code_image_create(0x2000);
 *     memcpy(image, code, size);
 *     good = code_image_protect(image, 0x1000, false, true);
 */
#ifndef ARCH_CODE_IMAGE_H
#define ARCH_CODE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CODE_IMAGE_PAGE 4096
#define CODE_IMAGE_CALL 16 /* bytes of code_image_call() at most */

/** What ELF files for this instruction set have: e_machine, and the type of relocations that add the address
 * where the file was loaded. .machine 0: it loads no code. */
struct code_image_format {
	uint16_t machine;
	uint32_t relative;
};
extern const struct code_image_format code_image_format;

/** Memory of whole pages, all zero, writable and not executable, for every level. Between machine_init() and
 * the first machine_take(), or while the machine is given back. @return NULL if memory is short */
uint8_t *code_image_create(size_t size);

/** Change whole pages of it: readable, and writable or executable besides, not both. @return false if it
 * cannot */
bool code_image_protect(uint8_t *start, size_t size, bool writable, bool executable);

/** Code that calls a function, for a row of arch/window.h: N and the data area are the function's arguments,
 * in the instruction set's usual places. @return its size */
size_t code_image_call(const uint8_t *function, uint8_t out[CODE_IMAGE_CALL]);

#endif
