/*
 * Translation tables of the harness (Arm ARM, D5.2): what firmware mapped, with rights of its own: the
 * image's code can be executed and not written, all else can be written and not executed.
 */
#ifndef ARCH_AARCH64_MMU_H
#define ARCH_AARCH64_MMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mmu_rights {
	MMU_WRITE = 1,
	MMU_USER = 2, /* EL0, too */
	MMU_EXEC = 4, /* not with MMU_WRITE; with MMU_USER at EL0 alone */
	MMU_NONE = 8, /* every access faults */
};

/** Copy the tables in force, and give the image's sections their rights. @return NULL, or what is missing */
const char *mmu_init(void *(*alloc_pages)(size_t pages));

/** Before mmu_init() too: this page is never mapped. */
void mmu_guard_page(void *page);

/** The harness's tables, and firmware's again. */
void mmu_take(void);
void mmu_give_back(void);

/** At EL2: EL1's translation is the harness's. */
void mmu_set_up_el1(void);

/** Change whole pages. @return false if tables ran out, they are not mapped at all, or they lie in a larger
 * block and the harness's tables are in force */
bool mmu_protect(const void *start, size_t size, unsigned rights);

/** Map pages a second time, MMU_ALIAS higher. @return where; NULL if tables ran out, or something else is
 * mapped there */
#define MMU_ALIAS UINT64_C(0x400000000000)
void *mmu_alias(const void *start, size_t size, unsigned rights);

/** Whether EL0 may read all of it, or write it; it lies in no more than two pages. The machine is taken. */
bool mmu_user_may(const void *start, size_t size, bool write);

/** After code was written: what executes there is the new one. */
void mmu_code_written(const void *start, size_t size);

#endif
