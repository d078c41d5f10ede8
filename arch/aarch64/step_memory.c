/*
 * Memory as the stepped code reaches it, for a client's callbacks (arch/step.h).
 */
#include "arch/memory.h"
#include "arch/step.h"

#include <string.h>

static bool read_memory(void *ctx, uint64_t address, void *out, size_t size)
{
	(void)ctx;
	if (!page_readable((const void *)(uintptr_t)address, size))
		return false;
	memcpy(out, (const void *)(uintptr_t)address, size);
	return true;
}

static bool write_memory(void *ctx, uint64_t address, const void *data, size_t size)
{
	(void)ctx;
	if (!page_writable((const void *)(uintptr_t)address, size))
		return false;
	memcpy((void *)(uintptr_t)address, data, size);
	return true;
}

static bool translate(void *ctx, uint64_t address, uint64_t *physical, unsigned *shift)
{
	(void)ctx;
	return page_translate(address, physical, shift);
}

const struct step_memory step_memory = {.read = read_memory, .write = write_memory, .translate = translate};
