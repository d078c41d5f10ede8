#include "tests/kernels/services.h"
#include "tests/kernels/cache_geometry.h"

#include "arch/x86/descriptors.h"
#include "arch/x86/msr.h"
#include "arch/x86/paging.h"
#include "arch/x86/trap.h"

#define PAGE 4096

/* handlers.S */
extern const uint8_t kernel_on_test_int[], kernel_on_fault[], kernel_on_fault_code[], kernel_on_syscall[];

_Static_assert(KERNEL_VECTOR == VECTOR_TEST, "the kernels' vector is the one that is free for them");

/* --- gates
 * ----------------------------------------------------------------------------------------------------- */

static const struct {
	uint64_t flag;
	uint8_t vector;
	const uint8_t *handler;
} gates[] = {
	{KERNEL_SERVICE_TEST_INT, VECTOR_TEST, kernel_on_test_int},
	{KERNEL_SERVICE_RESUME, VECTOR_DE, kernel_on_fault},
	{KERNEL_SERVICE_RESUME, VECTOR_UD, kernel_on_fault},
	{KERNEL_SERVICE_RESUME, VECTOR_NM, kernel_on_fault},
	{KERNEL_SERVICE_RESUME, VECTOR_MF, kernel_on_fault},
	{KERNEL_SERVICE_RESUME, VECTOR_GP, kernel_on_fault_code},
	{KERNEL_SERVICE_RESUME, VECTOR_PF, kernel_on_fault_code},
};
#define GATES (sizeof(gates) / sizeof(gates[0]))

static struct idt_gate old_gate[GATES];

static void gates_on(uint64_t flags)
{
	for (unsigned i = 0; i < GATES; i++) {
		struct idt_gate *g = &idt[gates[i].vector];

		if (!(flags & gates[i].flag))
			continue;
		old_gate[i] = *g;
		gate_set(g, gates[i].handler, g->type, 0);
	}
}

static void gates_off(uint64_t flags)
{
	for (unsigned i = 0; i < GATES; i++)
		if (flags & gates[i].flag)
			idt[gates[i].vector] = old_gate[i];
}

/* --- SYSCALL: SDM vol. 3, 5.8.8
 * ------------------------------------------------------------------------------------ */

#define EFER     0xc0000080
#define EFER_SCE 1

static const struct {
	uint32_t address;
	uint64_t value;
} syscall_msrs[] = {
	{0xc0000081 /* STAR */, (uint64_t)SELECTOR_KERNEL_CS << 32 | (uint64_t)(SELECTOR_USER_CS32 | 3)
									     << 48},
	{0xc0000084 /* FMASK: TF, IF, DF, NT, AC */, 0x44700},
};
#define SYSCALL_MSRS (sizeof(syscall_msrs) / sizeof(syscall_msrs[0]))
#define LSTAR        0xc0000082

static uint64_t old_efer, old_lstar, old_syscall_msr[SYSCALL_MSRS];

static void syscall_on(void)
{
	for (unsigned i = 0; i < SYSCALL_MSRS; i++) {
		msr_read(syscall_msrs[i].address, &old_syscall_msr[i]);
		msr_write(syscall_msrs[i].address, syscall_msrs[i].value);
	}
	msr_read(LSTAR, &old_lstar);
	msr_write(LSTAR, (uint64_t)kernel_on_syscall);
	msr_read(EFER, &old_efer);
	msr_write(EFER, old_efer | EFER_SCE);
}

static void syscall_off(void)
{
	msr_write(EFER, old_efer);
	msr_write(LSTAR, old_lstar);
	for (unsigned i = 0; i < SYSCALL_MSRS; i++)
		msr_write(syscall_msrs[i].address, old_syscall_msr[i]);
}

/* --- page attributes
 * ------------------------------------------------------------------------------------------- */

static const struct {
	uint64_t flag;
	unsigned page; /* PAGE_ flags of page KERNEL_SPECIAL */
} special[] = {
	{KERNEL_SERVICE_UC, PAGE_WRITE | PAGE_USER | PAGE_UC},
	{KERNEL_SERVICE_WC, PAGE_WRITE | PAGE_USER | PAGE_WC},
	{KERNEL_SERVICE_ABSENT, PAGE_ABSENT},
};

static bool pages_on(uint64_t flags, const struct kernel_place *p)
{
	bool ok = true;

	for (unsigned i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		if (flags & special[i].flag)
			ok &= page_protect(p->data + KERNEL_SPECIAL, PAGE, special[i].page);
	if ((flags & KERNEL_SERVICE_ALIAS) && p->ring)
		ok &= page_protect(p->code_rw, p->code_size, PAGE_WRITE | PAGE_USER);
	return ok;
}

static void pages_off(uint64_t flags, const struct kernel_place *p)
{
	if (flags & (KERNEL_SERVICE_UC | KERNEL_SERVICE_WC | KERNEL_SERVICE_ABSENT))
		page_protect(p->data + KERNEL_SPECIAL, PAGE, PAGE_WRITE | PAGE_USER);
	if ((flags & KERNEL_SERVICE_ALIAS) && p->ring)
		page_protect(p->code_rw, p->code_size, PAGE_WRITE);
}

/* --- chains
 * ---------------------------------------------------------------------------------------------------- */

#define POOL             (8 << 20)
#define LINES_PER_WAY    4 /* of a set: wanted */
#define LINES_PER_WAY_OK 2 /* enough */

static uint8_t *pool;

static unsigned chain_level(uint64_t flags)
{
	return flags & KERNEL_SERVICE_CHAIN_L1 ? 1 : flags & KERNEL_SERVICE_CHAIN_L2 ? 2 : 0;
}

/* How many lines of one set of the level's cache make the chain, *stride bytes apart; 0 if there is no chain
 * to be had. */
static unsigned chain_lines(unsigned level, uint32_t *stride)
{
	struct cache_geometry g;
	unsigned lines;

	if (!pool || !cache_geometry(level, cpuid, &g))
		return 0;
	*stride = g.line * g.sets;
	lines = POOL / *stride;
	if (lines > LINES_PER_WAY * g.ways)
		lines = LINES_PER_WAY * g.ways;
	return lines < LINES_PER_WAY_OK * g.ways ? 0 : lines;
}

static unsigned common_divisor(unsigned a, unsigned b)
{
	while (b) {
		unsigned rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* A ring through all lines in an order that no stride prefetcher foresees. */
static uint64_t chain_make(unsigned level)
{
	uint32_t stride;
	unsigned lines = chain_lines(level, &stride), step = lines / 2 + 1;

	while (common_divisor(lines, step) != 1)
		step++;
	for (unsigned i = 0; i < lines; i++)
		*(uint64_t *)(pool + (size_t)i * stride) =
			(uint64_t)pool + (uint64_t)((i + step) % lines) * stride;
	return (uint64_t)pool;
}

/* --- all together
 * ---------------------------------------------------------------------------------------------- */

static uint64_t on; /* flags of what is on */
static struct kernel_place place_on;

void services_init(void)
{
	pool = data_create(POOL);
}

const char *services_missing(const struct kernel *k)
{
	unsigned level = chain_level(k->flags);
	uint32_t stride;

	if (level && !pool)
		return "there is too little memory for a chain of cache lines";
	if (level && !chain_lines(level, &stride))
		return "CPUID does not tell the caches' geometry, or it is too large";
	return NULL;
}

bool services_prepare(const struct kernel *k, const struct kernel_place *place)
{
	struct kernel_params *params = (struct kernel_params *)place->data;
	unsigned level = chain_level(k->flags);

	services_finish();
	on = k->flags & KERNEL_SERVICES;
	place_on = *place;
	if (level)
		params->chain = chain_make(level);
	if (!pages_on(on, place)) {
		pages_off(on, place);
		on = 0;
		return false;
	}
	if (on & KERNEL_SERVICE_SYSCALL)
		syscall_on();
	gates_on(on);
	return true;
}

void services_finish(void)
{
	gates_off(on);
	if (on & KERNEL_SERVICE_SYSCALL)
		syscall_off();
	pages_off(on, &place_on);
	on = 0;
}
