#include "arch/code_image.h"
#include "arch/x86/machine/paging.h"

#include <string.h>

#define EM_X86_64         62
#define R_X86_64_RELATIVE 8

#ifdef __i386__
const struct code_image_format code_image_format = {0, 0}; /* it loads files of 64 bits */
#else
const struct code_image_format code_image_format = {EM_X86_64, R_X86_64_RELATIVE};
#endif

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
#ifdef __i386__
	uint32_t address = (uintptr_t)function;

	/* push %esi; push %edi; mov $function,%eax; call *%eax; add $8,%esp */
	memcpy(out, "\x56\x57\xb8", 3);
	memcpy(out + 3, &address, sizeof address);
	memcpy(out + 7, "\xff\xd0\x83\xc4\x08", 5);
#else
	uint64_t address = (uintptr_t)function;

	/* movabs $function,%rax; call *%rax: RDI and RSI are the first two arguments anyway. */
	memcpy(out, "\x48\xb8", 2);
	memcpy(out + 2, &address, sizeof address);
	memcpy(out + 10, "\xff\xd0", 2);
#endif
	return 12;
}
