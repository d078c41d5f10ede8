#include "arch/code_image.h"
#include "arch/x86/machine/paging.h"

#include <string.h>

#define EM_X86_64         62
#define R_X86_64_RELATIVE 8

const struct code_image_format code_image_format = {EM_X86_64, R_X86_64_RELATIVE};

uint8_t *code_image_create(size_t size)
{
	return data_create(size);
}

bool code_image_protect(uint8_t *start, size_t size, bool writable, bool executable)
{
	return !(writable && executable) &&
	       page_protect(start, size,
			    PAGE_USER | (writable ? PAGE_WRITE : 0u) | (executable ? PAGE_EXEC : 0u));
}

size_t code_image_call(const uint8_t *function, uint8_t out[CODE_IMAGE_CALL])
{
	uint64_t address = (uint64_t)function;

	/* movabs $function,%rax; call *%rax: RDI and RSI are the first two arguments anyway. */
	memcpy(out, "\x48\xb8", 2);
	memcpy(out + 2, &address, sizeof address);
	memcpy(out + 10, "\xff\xd0", 2);
	return 12;
}
