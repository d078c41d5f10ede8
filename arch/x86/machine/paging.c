#include "arch/x86/machine/paging.h"
#include "arch/x86/machine/paging_internal.h"

#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/machine.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/machine/notes.h"
#include "arch/x86/machine/sections.h"

#define PRESENT (1ull << 0)
#define WRITE   (1ull << 1)
#define USER    (1ull << 2)
#define PWT     (1ull << 3)
#define PCD     (1ull << 4)
#define LARGE   (1ull << 7)
#define NX      (1ull << 63)
#define ADDRESS 0x000ffffffffff000ull
/* Rights are given by the last level alone. */
#define TABLE (PRESENT | WRITE | USER)

#define ENTRIES           512
#define PAGE              4096ull
#define GIB               (1ull << 30)
#define LEVEL_BITS(level) (12 + 9 * ((level)-1)) /* level 1: 4 KiB pages */

/* Without 64-bit mode there are three levels, the highest of which has four entries with no rights in them
 * (PAE: SDM vol. 3, 4.4), and no addresses above those of memory: aliases lie where memory does that is not
 * used otherwise. */
#ifdef __i386__
#define NARROW true
#else
#define NARROW false
#endif

/* Executable aliases of arenas lie this far above their writable view, so the identity map ends here at the
 * latest. */
#define ALIAS_OFFSET 0x400000000000ull
/* Views through large pages lie at this multiple of the bits of their pages' size, above the aliases of
 * memory below 4 GiB. */
#define VIEW_OFFSET(shift) (ALIAS_OFFSET + ((uint64_t)(shift) << 40))
/* Without 1 GiB pages the map takes 4 KiB of tables per GiB. */
#define TOP_WITHOUT_1G (1ull << 41)
/* Table pages for splitting and for aliases. */
#define SPARE_TABLES 192

static void *(*alloc)(size_t pages), *(*take)(size_t pages);
static uint64_t *root;
static unsigned levels;
static uint64_t no_execute;
static uint8_t *spare, *spare_end;

/** What an entry above the last level says besides the next table's place. */
static uint64_t table_rights(unsigned level)
{
	return NARROW && level == levels ? PRESENT : TABLE;
}

static unsigned index_at(uint64_t address, unsigned level)
{
	return address >> LEVEL_BITS(level) & (ENTRIES - 1);
}

static uint64_t *table_take(void)
{
	uint8_t *t = spare;

	if (t == spare_end)
		return NULL;
	spare += PAGE;
	return (uint64_t *)t;
}

static uint64_t *below(uint64_t entry)
{
	return (uint64_t *)(uintptr_t)(entry & ADDRESS);
}

/** Replace a large page by a table of the next smaller ones with the same rights. */
static bool split(uint64_t *entry, unsigned level)
{
	uint64_t *t = table_take();
	uint64_t rights = *entry & ~ADDRESS, base = *entry & ADDRESS;

	if (!t)
		return false;
	if (level == 2)
		rights &= ~LARGE;
	for (unsigned i = 0; i < ENTRIES; i++)
		t[i] = (base + ((uint64_t)i << LEVEL_BITS(level - 1))) | rights;
	*entry = (uintptr_t)t | table_rights(level);
	return true;
}

/** The entry for an address at a level, with everything above it made or split as needed; NULL: no table page
 * left. */
static uint64_t *entry_for(uint64_t address, unsigned level)
{
	uint64_t *table = root;

	for (unsigned at = levels;; at--) {
		uint64_t *entry = &table[index_at(address, at)];

		if (at == level)
			return entry;
		if (*entry & PRESENT && *entry & LARGE) {
			if (!split(entry, at))
				return NULL;
		} else if (!(*entry & PRESENT)) {
			uint64_t *t = table_take();
			if (!t)
				return NULL;
			*entry = (uintptr_t)t | table_rights(at);
		}
		table = below(*entry);
	}
}

static uint64_t rights_for(unsigned flags)
{
	uint64_t r = PRESENT;

	if (flags & PAGE_ABSENT)
		return 0;
	if (flags & PAGE_WRITE)
		r |= WRITE;
	if (!(flags & PAGE_EXEC))
		r |= no_execute;
	if (flags & PAGE_USER)
		r |= USER;
	if (flags & PAGE_UC)
		r |= PCD | PWT;
	if (flags & PAGE_WC)
		r |= PWT;
	return r;
}

static bool map(uint64_t virtual, uint64_t physical, size_t size, unsigned flags)
{
	for (uint64_t at = 0; at < size; at += PAGE) {
		uint64_t *entry = entry_for(virtual + at, 1);
		if (!entry)
			return false;
		*entry = (physical + at) | rights_for(flags);
	}
	return true;
}

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) & ~(unit - 1);
}

static bool map_image(void)
{
	const struct {
		const unsigned char *start, *end;
		unsigned flags;
	} parts[] = {
		{__text_start, __text_end, PAGE_EXEC},
		{__rodata_start, __rodata_end, 0},
	};

	for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		uint64_t start = (uintptr_t)parts[i].start & ~(PAGE - 1);
		uint64_t end = round_up((uintptr_t)parts[i].end, PAGE);
		if (!map(start, start, end - start, parts[i].flags))
			return false;
	}
	return true;
}

bool paging_build(const struct boot_info *boot)
{
	uint64_t top = boot->memory_top;
	bool large = cpu_has(CPU_PAGE_1G);
	uint64_t limit = large ? ALIAS_OFFSET : TOP_WITHOUT_1G;
	size_t tables;

	alloc = boot->alloc_pages;
	take = boot->take_pages;
	levels = NARROW ? 3 : cr4_read() & CR4_LA57 ? 5 : 4;
	no_execute = cpu_has(CPU_NX) ? NX : 0;
	top = NARROW ? 4 * GIB : round_up(top, GIB);
	if (top > limit) {
		note_add("memory above %lu GiB is not mapped while the machine is taken",
			 (unsigned long)(limit / GIB));
		top = limit;
	}
	tables = 2 + round_up(top, 512 * GIB) / (512 * GIB) + (large ? 4 : top / GIB) + SPARE_TABLES;
	spare = alloc(tables);
	if (!spare)
		return false;
	spare_end = spare + tables * PAGE;
	root = table_take();
	for (uint64_t at = 0, size; at < top; at += size) {
		/* Memory and devices lie side by side below 4 GiB, with different types by the MTRRs: a large
		 * page over both would have an undefined one (SDM vol. 3, 11.11.9). */
		unsigned leaf = large && at >= 4 * GIB ? 3 : 2;
		size = 1ull << LEVEL_BITS(leaf);
		uint64_t *entry = entry_for(at, leaf);
		if (!entry)
			return false;
		*entry = at | LARGE | rights_for(PAGE_WRITE);
	}
	return page_protect(NULL, PAGE, PAGE_ABSENT) && map_image();
}

uint64_t paging_root(void)
{
	return (uintptr_t)root;
}

bool page_protect(void *start, size_t size, unsigned flags)
{
	bool ok = map((uintptr_t)start, (uintptr_t)start, size, flags);

	if (machine_taken()) {
		cr3_write(cr3_read());
		/* SDM vol. 3, 11.12.4: no line of memory that is now uncached may stay in a cache. */
		if (flags & (PAGE_UC | PAGE_WC))
			__asm__ volatile("wbinvd" ::: "memory");
	}
	return ok;
}

bool page_also_at(uint64_t address, void *page)
{
	bool ok = !NARROW && map(address, (uintptr_t)page, PAGE, page ? PAGE_WRITE : PAGE_ABSENT);

	cr3_write(cr3_read());
	return ok;
}

bool arena_create(struct code_arena *arena, size_t size, bool user)
{
	size = round_up(size, PAGE);
	if (machine_taken() || !(arena->rw = alloc(size / PAGE)))
		return false;
#ifdef __i386__
	if (!(arena->rx = alloc(size / PAGE)))
		return false;
#else
	arena->rx = arena->rw + ALIAS_OFFSET;
#endif
	arena->size = size;
	return map((uintptr_t)arena->rx, (uintptr_t)arena->rw, size, PAGE_EXEC | (user ? PAGE_USER : 0));
}

static void *create(size_t size, void *(*pages)(size_t pages))
{
	uint8_t *p;

	size = round_up(size, PAGE);
	if (machine_taken() || !(p = pages(size / PAGE + 2)))
		return NULL;
	if (!page_protect(p, PAGE, PAGE_ABSENT) || !page_protect(p + PAGE, size, PAGE_WRITE | PAGE_USER) ||
	    !page_protect(p + PAGE + size, PAGE, PAGE_ABSENT))
		return NULL;
	return p + PAGE;
}

void *data_create(size_t size)
{
	return create(size, alloc);
}

void *data_take(size_t size)
{
	return create(size, take);
}

#define MTRR_CAP       0xfe
#define MTRR_BASE(i)   (0x200 + 2 * (i))
#define MTRR_MASK(i)   (0x201 + 2 * (i))
#define MTRR_VALID     (1ull << 11)
#define MTRR_MASK_BITS 0x000ffffffffff000ull

/* Whether a GiB is of one memory type. The first one is not, by the fixed-range MTRRs; another one is if no
 * variable range ends inside it. SDM vol. 3, 11.11. */
static bool one_type(uint64_t gib)
{
	uint64_t cap, base, mask;

	if (gib == 0 || !msr_read(MTRR_CAP, &cap))
		return false;
	for (unsigned i = 0; i < (cap & 0xff); i++) {
		if (!msr_read(MTRR_BASE(i), &base) || !msr_read(MTRR_MASK(i), &mask))
			return false;
		if (mask & MTRR_VALID && mask & MTRR_MASK_BITS & (GIB - 1) &&
		    ((base ^ gib) & mask & MTRR_MASK_BITS & ~(GIB - 1)) == 0)
			return false;
	}
	return true;
}

void *page_view(void *start, size_t size, unsigned shift, bool code)
{
	uint64_t offset = VIEW_OFFSET(shift + code);

	uint64_t page = 1ull << shift, first = (uintptr_t)start & ~(page - 1);

	if (NARROW || machine_taken() || (page == GIB && !cpu_has(CPU_PAGE_1G)))
		return NULL;
	for (uint64_t at = first; at < (uintptr_t)start + size; at += page) {
		uint64_t *entry =
			page == GIB && !one_type(at) ? NULL : entry_for(offset + at, page == GIB ? 3 : 2);
		if (!entry)
			return NULL;
		*entry = at | LARGE | rights_for(code ? PAGE_EXEC : PAGE_WRITE | PAGE_USER);
	}
	return (uint8_t *)start + (uintptr_t)offset;
}

void *stack_create(size_t size)
{
	uint8_t *p = alloc(round_up(size, PAGE) / PAGE + 1);

	return p && page_protect(p, PAGE, PAGE_ABSENT) ? p + PAGE : NULL;
}

/* The entry that maps an address with these rights; 0: none does. */
static uint64_t mapping(uint64_t address, uint64_t rights, unsigned *level)
{
	unsigned at = NARROW ? 3 : cr4_read() & CR4_LA57 ? 5 : 4;
	const uint64_t *table = (const uint64_t *)(uintptr_t)(cr3_read() & ~(NARROW ? 31ull : PAGE - 1));
	int64_t sign = (int64_t)address >> (LEVEL_BITS(at + 1) - 1);

	if (NARROW ? address > UINT32_MAX || !(cr0_read() & CR0_PG) : sign != 0 && sign != -1)
		return 0; /* not canonical */
	for (;; at--) {
		uint64_t entry = table[index_at(address, at)];

		uint64_t asked = NARROW && at == 3 ? PRESENT : rights;

		if ((entry & asked) != asked)
			return 0;
		if (at == 1 || entry & LARGE) {
			*level = at;
			return entry;
		}
		table = below(entry);
	}
}

static bool page_allows(uint64_t address, uint64_t rights)
{
	unsigned level;

	return mapping(address, rights, &level) != 0;
}

static bool all_allow(const void *start, size_t size, uint64_t rights)
{
	uint64_t first = (uintptr_t)start, last = first + size - 1;

	if (last < first)
		return false;
	/* The last page may be the last one there is. */
	for (uint64_t page = first & ~(PAGE - 1);; page += PAGE) {
		if (!page_allows(page, rights))
			return false;
		if (last - page < PAGE)
			return true;
	}
}

bool page_translate(uint64_t address, uint64_t *physical, unsigned *shift)
{
	unsigned level;
	uint64_t entry = mapping(address, PRESENT, &level), inside;

	if (!entry)
		return false;
	*shift = LEVEL_BITS(level);
	inside = (1ull << *shift) - 1;
	*physical = (entry & ADDRESS & ~inside) | (address & inside);
	return true;
}

bool page_readable(const void *start, size_t size)
{
	return all_allow(start, size, PRESENT);
}

bool page_writable(const void *start, size_t size)
{
	return all_allow(start, size, PRESENT | WRITE);
}
