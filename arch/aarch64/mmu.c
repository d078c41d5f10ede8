#include "arch/aarch64/mmu.h"

#include "arch/aarch64/system.h"
#include "arch/memory.h"

#include <string.h>

#define SPARE   64 /* tables besides firmware's: for blocks that are split, and for aliases */
#define GUARDS  8
#define ENTRIES 512

/* Descriptors, D5.3: */
#define VALID      UINT64_C(1)
#define TABLE      UINT64_C(2) /* of levels 0 to 2; a page, of level 3 */
#define USER       (UINT64_C(1) << 6)
#define READONLY   (UINT64_C(1) << 7)
#define ACCESSED   (UINT64_C(1) << 10)
#define NOTGLOBAL  (UINT64_C(1) << 11)
#define GUARDED    (UINT64_C(1) << 50) /* BTI: the image has none */
#define CONTIGUOUS (UINT64_C(1) << 52) /* a page of a group that is changed alone must not say so */
#define PXN        (UINT64_C(1) << 53)
#define UXN        (UINT64_C(1) << 54)
#define ADDRESS    UINT64_C(0xfffffffff000)
#define BASE       UINT64_C(0xffffffffffc0) /* of TTBR0 */
#define RIGHTS     (USER | READONLY | PXN | UXN)

/* TCR_EL1: the lower half alone, 48 bits, 4 KiB granule, tables cached and inner shareable. */
#define TCR_LOWER    (UINT64_C(16) | 1 << 8 | 1 << 10 | 3 << 12)
#define TCR_NO_UPPER (UINT64_C(1) << 23)
#define SCTLR_M      (UINT64_C(1) << 0)
#define SCTLR_A      (UINT64_C(1) << 1) /* what is not aligned faults */
#define SCTLR_SA     (UINT64_C(1) << 3)
#define SCTLR_SA0    (UINT64_C(1) << 4)
#define SCTLR_C      (UINT64_C(1) << 2)
#define SCTLR_I      (UINT64_C(1) << 12)
#define SCTLR_DZE    (UINT64_C(1) << 14) /* DC ZVA at EL0 */
#define SCTLR_UCT    (UINT64_C(1) << 15) /* CTR_EL0 there */
#define SCTLR_NTWI   (UINT64_C(1) << 16) /* WFI there is not trapped */
#define SCTLR_NTWE   (UINT64_C(1) << 18)
#define SCTLR_WXN    (UINT64_C(1) << 19)
#define SCTLR_SPAN   (UINT64_C(1) << 23) /* an exception leaves PSTATE.PAN alone */
#define SCTLR_UCI    (UINT64_C(1) << 26) /* cache maintenance there */
/* What reads as 1 (D13.2.118), for EL1 where firmware has not set it up. */
#define SCTLR_FIXED UINT64_C(0x30d00800)
#define SCTLR_OURS                                                                                           \
	(SCTLR_M | SCTLR_C | SCTLR_I | SCTLR_WXN | SCTLR_SA | SCTLR_SA0 | SCTLR_DZE | SCTLR_UCT |            \
	 SCTLR_NTWI | SCTLR_NTWE | SCTLR_SPAN | SCTLR_UCI)

extern const char __text_start[], __text_end[], __rodata_start[], __rodata_end[];

static uint64_t (*pool)[ENTRIES];
static unsigned used, room;
static uint64_t *root;
static const void *guard[GUARDS];
static unsigned guards;
static bool on;

static struct {
	uint64_t ttbr0, tcr, sctlr;
} firmware;

static uint64_t *new_table(void)
{
	return used < room ? pool[used++] : NULL;
}

static unsigned shift_of(unsigned level)
{
	return 39 - 9 * level;
}

static bool is_table(uint64_t entry, unsigned level)
{
	return level < 3 && (entry & (VALID | TABLE)) == (VALID | TABLE);
}

/* Rights of data: what firmware says of memory types stays, what it says of rights does not. */
static uint64_t data_entry(uint64_t entry)
{
	return (entry & ~(RIGHTS | NOTGLOBAL | CONTIGUOUS | GUARDED)) | PXN | UXN | ACCESSED;
}

static const uint64_t *table_of(uint64_t entry)
{
	return (const uint64_t *)(uintptr_t)(entry & ADDRESS);
}

/* The first table may be smaller than a page, and is then aligned to its size, or to 64 bytes (D13.2.136). */
static const uint64_t *first_table(uint64_t ttbr0, unsigned entries)
{
	uint64_t size = entries * sizeof(uint64_t);

	return (const uint64_t *)(uintptr_t)(ttbr0 & BASE & ~((size > 64 ? size : 64) - 1));
}

static size_t count(const uint64_t *from, unsigned entries, unsigned level)
{
	size_t n = 1;

	for (unsigned i = 0; i < entries; i++)
		if (is_table(from[i], level))
			n += count(table_of(from[i]), ENTRIES, level + 1);
	return n;
}

static bool copy(uint64_t *to, const uint64_t *from, unsigned entries, unsigned level)
{
	for (unsigned i = 0; i < entries; i++) {
		if (is_table(from[i], level)) {
			uint64_t *below = new_table();

			if (!below || !copy(below, table_of(from[i]), ENTRIES, level + 1))
				return false;
			to[i] = (uint64_t)below | VALID | TABLE;
		} else if (from[i] & VALID) {
			to[i] = data_entry(from[i]);
		}
	}
	return true;
}

/* The entry of a page; blocks on the way are split, but not while they are in force: what runs may lie in
 * one, and it would have to be unmapped in between (D5.10.1, "break-before-make").
 * @param make tables are made where there are none */
static uint64_t *entry_of(uint64_t address, bool make)
{
	uint64_t *table = root;

	for (unsigned level = 0; level < 3; level++) {
		uint64_t *entry = &table[address >> shift_of(level) & (ENTRIES - 1)];

		if (!is_table(*entry, level)) {
			uint64_t *below, block = *entry;

			if (!(block & VALID) ? !make : on)
				return NULL;
			below = new_table();
			if (!below)
				return NULL;
			for (unsigned i = 0; block & VALID && i < ENTRIES; i++)
				below[i] = (block | (level == 2 ? TABLE : 0)) +
					   ((uint64_t)i << shift_of(level + 1));
			*entry = (uint64_t)below | VALID | TABLE;
		}
		table = (uint64_t *)(uintptr_t)(*entry & ADDRESS);
	}
	return &table[address >> 12 & (ENTRIES - 1)];
}

static uint64_t with_rights(uint64_t entry, unsigned rights)
{
	entry = (entry & ~RIGHTS) | PXN | UXN | VALID;
	if (rights & MMU_NONE)
		return entry & ~VALID;
	if (!(rights & MMU_WRITE))
		entry |= READONLY;
	if (rights & MMU_USER)
		entry |= USER;
	if (rights & MMU_EXEC)
		entry &= rights & MMU_USER ? ~UXN : ~PXN;
	return entry;
}

/* Here and on the processors that have had their turn, which stay under these tables. */
static void forget_translations(void)
{
	if (on)
		__asm__ volatile("dsb ishst; tlbi vmalle1is; dsb ish; isb" : : : "memory");
}

bool mmu_protect(const void *start, size_t size, unsigned rights)
{
	uint64_t from = (uint64_t)start & ~UINT64_C(4095), to = (uint64_t)start + size;
	bool good = true;

	for (uint64_t at = from; good && at < to; at += 4096) {
		uint64_t *entry = entry_of(at, false);

		good = entry && *entry & (VALID | ADDRESS);
		if (good)
			*entry = with_rights(*entry, rights);
	}
	forget_translations();
	return good;
}

void *mmu_alias(const void *start, size_t size, unsigned rights)
{
	uint64_t from = (uint64_t)start;

	for (uint64_t at = from; at < from + size; at += 4096) {
		uint64_t *own = entry_of(at, false), *alias = own ? entry_of(at + MMU_ALIAS, true) : NULL;

		/* Memory of another socket may lie there. */
		if (!alias || (*alias & VALID && (*alias ^ *own) & ADDRESS))
			return NULL;
		*alias = with_rights(*own, rights);
	}
	forget_translations();
	return (void *)(uintptr_t)(from + MMU_ALIAS);
}

void mmu_guard_page(void *page)
{
	if (guards < GUARDS)
		guard[guards++] = page;
}

/* Firmware's tables: of the level that this runs at. */
static void find_tables(uint64_t *ttbr0, uint64_t *tcr, uint64_t *sctlr)
{
	bool el2 = system_at_el2();

	*ttbr0 = el2 ? SYS_READ(ttbr0_el2) : SYS_READ(ttbr0_el1);
	*tcr = el2 ? SYS_READ(tcr_el2) : SYS_READ(tcr_el1);
	*sctlr = el2 ? SYS_READ(sctlr_el2) : SYS_READ(sctlr_el1);
}

const char *mmu_init(void *(*alloc_pages)(size_t pages))
{
	static const char short_of_memory[] =
		"not enough memory for translation tables; use a bigger machine";
	uint64_t ttbr0, tcr, sctlr;
	unsigned bits, level, entries;
	uint64_t *at;
	bool good;

	find_tables(&ttbr0, &tcr, &sctlr);
	bits = 64 - (unsigned)(tcr & 0x3f);
	level = bits > 39 ? 0 : bits > 30 ? 1 : 2;
	/* The first table has as many entries as there are bits for (D5.2.4): of 44 bits, 32. */
	entries = 1u << (bits - shift_of(level));
	if (!(sctlr & SCTLR_M) || tcr >> 14 & 3 || bits > 48 || bits < 25)
		return "firmware has not turned on translation of 25 to 48 bits with pages of 4 KiB";
	room = (unsigned)count(first_table(ttbr0, entries), entries, level) + level + SPARE;
	pool = alloc_pages(room);
	if (!pool)
		return short_of_memory;
	root = at = new_table();
	for (unsigned l = 0; l < level; l++) {
		at[0] = (uint64_t)new_table() | VALID | TABLE;
		at = (uint64_t *)(uintptr_t)(at[0] & ADDRESS);
	}
	good = copy(at, first_table(ttbr0, entries), entries, level);
	good = good && mmu_protect(__text_start, (size_t)(__text_end - __text_start), MMU_EXEC);
	good = good && mmu_protect(__rodata_start, (size_t)(__rodata_end - __rodata_start), 0);
	/* Null pointers fault: where firmware maps nothing there, they do already. */
	mmu_protect(NULL, 1, MMU_NONE);
	for (unsigned i = 0; good && i < guards; i++)
		good = mmu_protect(guard[i], 1, MMU_NONE);
	return good ? NULL : short_of_memory;
}

/* Translation is off in between, as neither old tables suit the new sizes nor the other way round. All is
 * mapped where it lies, and nothing but these instructions is fetched meanwhile. */
static void use(uint64_t tables, uint64_t tcr, uint64_t sctlr)
{
	__asm__ volatile("dsb sy; msr sctlr_el1, %3; isb; msr tcr_el1, %1; msr ttbr0_el1, %0; isb; tlbi "
			 "vmalle1; dsb sy; isb; "
			 "msr sctlr_el1, %2; isb"
			 :
			 : "r"(tables), "r"(tcr), "r"(sctlr), "r"(SYS_READ(sctlr_el1) & ~SCTLR_M)
			 : "memory");
}

static uint64_t tcr_of_ours(void)
{
	uint64_t sizes = SYS_READ(id_aa64mmfr0_el1) & 0xf;

	return TCR_LOWER | TCR_NO_UPPER | (sizes > 5 ? 5 : sizes) << 32;
}

void mmu_take(void)
{
	firmware.ttbr0 = SYS_READ(ttbr0_el1);
	firmware.tcr = SYS_READ(tcr_el1);
	firmware.sctlr = SYS_READ(sctlr_el1);
	use((uint64_t)root, tcr_of_ours(), (firmware.sctlr & ~SCTLR_A) | SCTLR_OURS);
	on = true;
}

void mmu_set_up_el1(void)
{
	SYS_WRITE(mair_el1, SYS_READ(mair_el2));
	SYS_WRITE(tcr_el1, tcr_of_ours());
	SYS_WRITE(ttbr0_el1, (uint64_t)root);
	SYS_WRITE(sctlr_el1, SCTLR_FIXED | SCTLR_OURS);
	__asm__ volatile("dsb ishst; tlbi alle1; ic iallu; dsb ish; isb" : : : "memory");
}

void mmu_give_back(void)
{
	on = false;
	use(firmware.ttbr0, firmware.tcr, firmware.sctlr);
}

void mmu_code_written(const void *start, size_t size)
{
	uint64_t line = UINT64_C(4) << (SYS_READ(ctr_el0) >> 16 & 0xf);
	uint64_t from = (uint64_t)start & ~(line - 1);

	for (uint64_t at = from; at < (uint64_t)start + size; at += line)
		__asm__ volatile("dc cvau, %0" : : "r"(at) : "memory");
	/* All of them, of all processors: code runs at another address than where it was written, and in
	 * another one's turn. */
	__asm__ volatile("dsb ish; ic ialluis; dsb ish; isb" : : : "memory");
}

/* --- arch/memory.h
 * -------------------------------------------------------------------------------------------- */

/* AT S1E1R and S1E1W: PAR_EL1.F says whether the access would fault (D13.2.98). At EL2, its own. */
static bool translates(uint64_t address, bool write, uint64_t *physical)
{
	uint64_t par;

	if (system_at_el2() && write)
		__asm__ volatile("at s1e2w, %1; isb; mrs %0, par_el1" : "=r"(par) : "r"(address) : "memory");
	else if (system_at_el2())
		__asm__ volatile("at s1e2r, %1; isb; mrs %0, par_el1" : "=r"(par) : "r"(address) : "memory");
	else if (write)
		__asm__ volatile("at s1e1w, %1; isb; mrs %0, par_el1" : "=r"(par) : "r"(address) : "memory");
	else
		__asm__ volatile("at s1e1r, %1; isb; mrs %0, par_el1" : "=r"(par) : "r"(address) : "memory");
	*physical = (par & ADDRESS) | (address & 4095);
	return !(par & 1);
}

/* The same for EL0: AT S1E0R and S1E0W. */
static bool user_translates(uint64_t address, bool write)
{
	uint64_t par;

	if (write)
		__asm__ volatile("at s1e0w, %1; isb; mrs %0, par_el1" : "=r"(par) : "r"(address) : "memory");
	else
		__asm__ volatile("at s1e0r, %1; isb; mrs %0, par_el1" : "=r"(par) : "r"(address) : "memory");
	return !(par & 1);
}

bool mmu_user_may(const void *start, size_t size, bool write)
{
	uint64_t from = (uint64_t)start;

	return user_translates(from, write) && user_translates(from + size - 1, write);
}

static bool all_translate(const void *start, size_t size, bool write)
{
	uint64_t from = (uint64_t)start, physical;

	if (from + size < from)
		return false;
	for (uint64_t at = from & ~UINT64_C(4095); at < from + size; at += 4096)
		if (!translates(at, write, &physical))
			return false;
	return true;
}

bool page_readable(const void *start, size_t size)
{
	return all_translate(start, size, false);
}

bool page_writable(const void *start, size_t size)
{
	return all_translate(start, size, true);
}

bool page_also_at(uint64_t address, void *page)
{
	(void)address, (void)page;
	return false;
}

bool page_translate(uint64_t address, uint64_t *physical, unsigned *shift)
{
	const uint64_t *table = root;

	if (!translates(address, false, physical))
		return false;
	*shift = 12;
	for (unsigned level = 0; on && level < 3; level++) {
		uint64_t entry = table[address >> shift_of(level) & (ENTRIES - 1)];

		*shift = shift_of(level);
		if (!is_table(entry, level))
			return true;
		table = (const uint64_t *)(uintptr_t)(entry & ADDRESS);
	}
	*shift = 12;
	return true;
}
