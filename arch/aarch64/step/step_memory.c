/*
 * Memory as the stepped code reaches it, for the engine and for a client's callbacks (arch/step.h).
 */
#include "arch/memory.h"
#include "arch/step.h"
#include "arch/aarch64/mmu.h"
#include "arch/aarch64/step/step.h"

#include <string.h>

#define PAGE(address) ((address) & ~UINT64_C(4095))
#define NO_PAGE       UINT64_MAX

static uint64_t fetched = NO_PAGE;

void step_fetch_anew(void)
{
	fetched = NO_PAGE;
}

/* To ask of each instruction whether it can be read would be dear. */
uint32_t step_fetch(uint64_t pc)
{
	const uint32_t *at = (const uint32_t *)(uintptr_t)pc;

	if (pc % sizeof *at || (PAGE(pc) != fetched && !page_readable(at, sizeof *at)))
		return 0;
	fetched = PAGE(pc);
	return *at;
}

bool step_may_access(uint64_t address, size_t size, unsigned level, bool write)
{
	const void *at = (const void *)(uintptr_t)address;

	if (level)
		return mmu_user_may(at, size, write);
	return write ? page_writable(at, size) : page_readable(at, size);
}

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
