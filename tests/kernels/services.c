#include "tests/kernels/services.h"
#include "tests/kernels/cache_geometry.h"

#include "arch/x86/apic.h"
#include "arch/x86/cpuid.h"
#include "arch/x86/descriptors.h"
#include "arch/x86/msr.h"
#include "arch/x86/paging.h"
#include "arch/x86/trap.h"
#include "arch/x86/watchdog.h"
#include "pmu/vpmu.h"

#include <string.h>

#define PAGE 4096

/* handlers.S */
extern const uint8_t kernel_on_test_int[], kernel_on_fault[], kernel_on_fault_code[], kernel_on_syscall[];
extern const uint8_t kernel_on_sysenter[], kernel_on_xapic[], kernel_on_x2apic[];

_Static_assert(KERNEL_VECTOR == VECTOR_TEST, "the kernels' vector is the one that is free for them");

/* --- gates
 * ----------------------------------------------------------------------------------------------------- */

static const struct {
	uint64_t flag;
	uint8_t vector;
	const uint8_t *handler;
} gates[] = {
	{KERNEL_SERVICE_TEST_INT, VECTOR_TEST, kernel_on_test_int},
	{KERNEL_SERVICE_TEST_INT, VECTOR_BP, kernel_on_test_int},
	{KERNEL_SERVICE_XAPIC, VECTOR_TEST, kernel_on_xapic},
	{KERNEL_SERVICE_X2APIC, VECTOR_TEST, kernel_on_x2apic},
	{KERNEL_SERVICE_NMI, VECTOR_NMI, kernel_on_test_int},
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

/* --- system calls: SDM vol. 3, 5.8.7 and 5.8.8
 * ----------------------------------------------------------------- */

#define EFER     0xc0000080
#define EFER_SCE 1

static uint64_t sysenter_stack[64]; /* loaded, not used */

static struct {
	uint64_t flag;
	uint32_t address;
	const void *pointer; /* the value, if not NULL */
	uint64_t value, old;
} call_msrs[] = {
	{KERNEL_SERVICE_SYSCALL, 0xc0000081 /* STAR */, NULL,
	 (uint64_t)SELECTOR_KERNEL_CS << 32 | (uint64_t)(SELECTOR_USER_CS32 | 3) << 48, 0},
	{KERNEL_SERVICE_SYSCALL, 0xc0000082 /* LSTAR */, kernel_on_syscall, 0, 0},
	{KERNEL_SERVICE_SYSCALL, 0xc0000084 /* FMASK: TF, IF, DF, NT, AC */, NULL, 0x44700, 0},
	{KERNEL_SERVICE_SYSENTER, 0x174 /* IA32_SYSENTER_CS */, NULL, SELECTOR_KERNEL_CS, 0},
	{KERNEL_SERVICE_SYSENTER, 0x175 /* IA32_SYSENTER_ESP */, sysenter_stack + 64, 0, 0},
	{KERNEL_SERVICE_SYSENTER, 0x176 /* IA32_SYSENTER_EIP */, kernel_on_sysenter, 0, 0},
};
#define CALL_MSRS (sizeof(call_msrs) / sizeof(call_msrs[0]))

static uint64_t old_efer;

static void calls_on(uint64_t flags)
{
	for (unsigned i = 0; i < CALL_MSRS; i++)
		if (flags & call_msrs[i].flag) {
			msr_read(call_msrs[i].address, &call_msrs[i].old);
			msr_write(call_msrs[i].address,
				  call_msrs[i].pointer ? (uint64_t)call_msrs[i].pointer : call_msrs[i].value);
		}
	if (flags & KERNEL_SERVICE_SYSCALL) {
		msr_read(EFER, &old_efer);
		msr_write(EFER, old_efer | EFER_SCE);
	}
}

static void calls_off(uint64_t flags)
{
	if (flags & KERNEL_SERVICE_SYSCALL)
		msr_write(EFER, old_efer);
	for (unsigned i = 0; i < CALL_MSRS; i++)
		if (flags & call_msrs[i].flag)
			msr_write(call_msrs[i].address, call_msrs[i].old);
}

/* SYSENTER raises #UD on AMD's CPUs in 64-bit mode: APM vol. 2, 6.1.1. */
static bool has_sysenter(void)
{
	struct cpu_identity cpu;

	cpu_identify(&cpu);
	return !strcmp(cpu.vendor, "GenuineIntel") || !strcmp(cpu.vendor, "CentaurHauls");
}

/* --- the APIC timer
 * -------------------------------------------------------------------------------------------- */

#define TIMER (KERNEL_SERVICE_XAPIC | KERNEL_SERVICE_X2APIC)

#define IA32_APIC_BASE     0x1b
#define APIC_BASE_ADDRESS  0xffffffffff000
#define DIVIDE_BY_1        0xb
#define INTERRUPTS_PER_SEC 20000

static uint32_t old_lvt, old_divide;

static void timer_on(struct kernel_params *params)
{
	uint64_t base = 0;

	msr_read(IA32_APIC_BASE, &base);
	params->apic = base & APIC_BASE_ADDRESS;
	params->ticks = apic_timer_hz() / INTERRUPTS_PER_SEC;
	if (params->ticks == 0)
		params->ticks = 1;
	old_lvt = apic_read(APIC_LVT_TIMER);
	old_divide = apic_read(APIC_TIMER_DIVIDE);
	apic_write(APIC_TIMER_INITIAL, 0);
	apic_write(APIC_TIMER_DIVIDE, DIVIDE_BY_1);
	apic_write(APIC_LVT_TIMER, KERNEL_VECTOR); /* one shot */
}

static void timer_off(void)
{
	apic_write(APIC_TIMER_INITIAL, 0);
	apic_write(APIC_LVT_TIMER, old_lvt);
	apic_write(APIC_TIMER_DIVIDE, old_divide);
}

static const char *timer_missing(uint64_t flags)
{
	if (!apic_present())
		return "there is no local APIC";
	if (flags & KERNEL_SERVICE_XAPIC && apic_is_x2())
		return "the local APIC is in x2APIC mode";
	if (flags & KERNEL_SERVICE_X2APIC && !apic_is_x2())
		return "the local APIC is in xAPIC mode";
	if (!apic_timer_hz())
		return "the APIC timer's rate is unknown";
	if (!strcmp(watchdog_source(), "APIC timer"))
		return "the watchdog needs the APIC timer";
	return NULL;
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

#define POOL             (12 << 20) /* two lines per way of a Core 2's second-level cache */
#define LINES_PER_WAY    4 /* of a set: wanted */
#define LINES_PER_WAY_OK 2 /* enough */
#define LEAST_WAYS       4 /* for a chain that fits with room to spare */

static uint8_t *pool;

static unsigned chain_level(uint64_t flags)
{
	return flags & KERNEL_SERVICE_CHAIN_L1 ? 1 : flags & KERNEL_SERVICE_CHAIN_L2 ? 2 : 0;
}

/* How many lines of one set of the cache that the flags name make the chain, *stride bytes apart; 0 if there is no chain
 * to be had. */
static unsigned chain_lines(uint64_t flags, uint32_t *stride)
{
	unsigned level = chain_level(flags);
	struct cache_geometry g;
	unsigned lines;

	/* The virtual CPU's machine model has its profile's caches, not the real CPU's. */
	if (!pool || !cache_geometry(level, vpmu_profile() ? vpmu_ask_cpuid : cpuid, &g))
		return 0;
	*stride = g.line * g.sets;
	lines = POOL / *stride;
	if (flags & KERNEL_SERVICE_CHAIN_FITS)
		return g.ways >= LEAST_WAYS && lines >= g.ways ? g.ways * 3 / 4 : 0;
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
static uint64_t chain_make(uint64_t flags)
{
	uint32_t stride;
	unsigned lines = chain_lines(flags, &stride), step = lines / 2 + 1;

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

	if (k->flags & TIMER)
		return timer_missing(k->flags);
	if ((k->flags & KERNEL_SERVICE_SYSENTER) && !has_sysenter())
		return "the CPU has no SYSENTER in 64-bit mode";
	if (level && !pool)
		return "there is too little memory for a chain of cache lines";
	if (level && !chain_lines(k->flags, &stride))
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
		params->chain = chain_make(k->flags);
	if (!pages_on(on, place)) {
		pages_off(on, place);
		on = 0;
		return false;
	}
	if (on & TIMER)
		timer_on(params);
	calls_on(on);
	gates_on(on);
	return true;
}

void services_finish(void)
{
	gates_off(on);
	calls_off(on);
	if (on & TIMER)
		timer_off();
	pages_off(on, &place_on);
	on = 0;
}
