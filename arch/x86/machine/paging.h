/*
 * Our own page tables: identity map, W^X. Image code read-execute, read-only data read-only, everything else
 * read-write and not executable; page 0 and the guard pages under stacks not present. CR0.WP is 1.
 */
#ifndef ARCH_X86_MACHINE_PAGING_H
#define ARCH_X86_MACHINE_PAGING_H

#include "arch/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum page_flags {
	PAGE_WRITE = 1 << 0,
	PAGE_EXEC = 1 << 1,
	PAGE_USER = 1 << 2,
	PAGE_UC = 1 << 3,
	PAGE_WC = 1 << 4,
	PAGE_ABSENT = 1 << 5, /* not present; other flags ignored */
};

/**
 * Memory with two views: `rw` writable and not executable, `rx` the same bytes executable and not writable,
 * reachable from ring 3 too if user. For composed and generated code.
 */
struct code_arena {
	uint8_t *rw;
	uint8_t *rx; /* in 64-bit mode rw + a constant offset */
	size_t size;
};

/** Allocate an arena (page granular; after machine_init(), while the machine is not taken). @return false if
 * memory is short. */
bool arena_create(struct code_arena *arena, size_t size, bool user);

/** Change the attributes of whole 4 KiB pages of the identity map (splits large pages), with the TLB flushed.
 *  @return false if no table page was left. */
bool page_protect(void *start, size_t size, unsigned flags);

/** Memory for kernels' data: page aligned, zeroed, read-write, reachable from rings 0 and 3, with a guard
 * page on both sides. To be called like arena_create(). @return NULL if memory is short. */
void *data_create(size_t size);

/** The same with whatever is in it: much memory takes long to clear. */
void *data_take(size_t size);

/**
 * A second view of memory that data_take() gave, through pages of 1 << shift bytes (21 or 30), read-write
 * for rings 0 and 3, or, as code, executable and not writable for ring 0. It takes in what else lies in those
 * pages. To be called like arena_create().
 * @return where `start` is in the view; NULL if the CPU has no such pages, a page would hold memory of
 * several types (SDM vol. 3, 11.11.9), or no table page was left
 */
void *page_view(void *start, size_t size, unsigned shift, bool code);

#endif
