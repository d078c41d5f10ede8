/*
 * Memory as the machine maps it while it is taken: for code that follows pointers it cannot trust, and for
 * records that hold physical addresses.
 *
 * Example: is this the physical address of that byte?
 *
 *     uint64_t physical;
 *     unsigned shift;
 *     good = page_translate((uintptr_t)&byte, &physical, &shift) && physical == recorded;
 */
#ifndef ARCH_MEMORY_H
#define ARCH_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Whether all bytes may be read under the page tables in force: for code that follows pointers it cannot
 * trust. */
bool page_readable(const void *start, size_t size);

/** Whether the harness may write all of them. */
bool page_writable(const void *start, size_t size);

/** Where the page tables in force have an address: *shift gets the bits of its page's size (x86: 12, 21, 30).
 * @return false if it is not mapped */
bool page_translate(uint64_t address, uint64_t *physical, unsigned *shift);

/** While the machine is taken: map one page at another address as well, read-write for the harness; with
 * NULL, nothing there any more. @return false if no table page was left, or if this machine cannot (x86 in
 * 64-bit mode can) */
bool page_also_at(uint64_t address, void *page);

#endif
