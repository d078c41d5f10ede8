#define _GNU_SOURCE /* MAP_32BIT */
#include "tests/self/host/support/fake_memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096

static struct {
	uint8_t *start;
	size_t size;
	uint64_t protected, protected_end;
	size_t first, end;
	unsigned refused;
} memory;

static bool inside(uint64_t address, size_t size)
{
	uint64_t start = (uintptr_t)memory.start;

	if (address >= start && size <= memory.size && address - start <= memory.size - size)
		return true;
	memory.refused++;
	return false;
}

static bool read(void *ctx, uint64_t address, void *out, size_t size)
{
	(void)ctx;
	if (!inside(address, size))
		return false;
	memcpy(out, (const void *)(uintptr_t)address, size);
	return true;
}

static bool write(void *ctx, uint64_t address, const void *data, size_t size)
{
	size_t at = address - (uintptr_t)memory.start;

	(void)ctx;
	if (!inside(address, size))
		return false;
	if (address < memory.protected_end && address + size > memory.protected) {
		memory.refused++;
		return false;
	}
	memcpy((void *)(uintptr_t)address, data, size);
	if (!memory.end || at < memory.first)
		memory.first = at;
	if (at + size > memory.end)
		memory.end = at + size;
	return true;
}

const struct step_memory fake_memory = {.read = read, .write = write};

void *fake_memory_create(size_t size)
{
	fake_memory_free();
	memory.size = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
	memory.start = mmap(NULL, memory.size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (memory.start == MAP_FAILED)
		memory.start =
			mmap(NULL, memory.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory.start == MAP_FAILED)
		abort();
	return memory.start;
}

void fake_memory_free(void)
{
	if (memory.start)
		munmap(memory.start, memory.size);
	memset(&memory, 0, sizeof memory);
}

void fake_memory_protect(const void *start, size_t size)
{
	memory.protected = (uintptr_t)start;
	memory.protected_end = memory.protected + size;
}

unsigned fake_memory_refused(void)
{
	return memory.refused;
}

size_t fake_memory_first_written(void)
{
	return memory.first;
}

size_t fake_memory_end_written(void)
{
	return memory.end;
}
