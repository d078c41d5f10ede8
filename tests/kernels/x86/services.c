#include "tests/kernels/x86/services.h"
#include "tests/kernels/x86/service.h"
#include "tests/kernels/x86/chains.h"
#include "tests/kernels/x86/emulators.h"
#include "tests/kernels/x86/code_ring.h"
#include "tests/kernels/x86/exceptions.h"
#include "tests/kernels/x86/guest_service.h"
#include "tests/kernels/x86/emulation.h"

#include "arch/courage.h"
#include "arch/x86/interrupts/apic.h"
#include "arch/second_cpu.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/machine/descriptors.h"
#include "arch/x86/emulated/emulated.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/machine/paging.h"
#include "arch/x86/step/step.h"
#include "arch/x86/exceptions/trap.h"
#include "arch/watchdog.h"
#include "pmu/virtual/vpmu.h"
#include "tests/kernels/x86/kernel.h"

#include <string.h>

#define PAGE 4096
#define LINE 64

/* handlers.S */
extern const uint8_t kernel_on_test_int[], kernel_on_fault[], kernel_on_fault_code[], kernel_on_syscall[];
extern const uint8_t kernel_on_sysenter[], kernel_on_xapic[], kernel_on_x2apic[], kernel_on_syscall_xapic[],
	kernel_on_syscall_x2apic[], kernel_on_x2apic_emulated[], kernel_on_syscall_x2apic_emulated[],
	kernel_on_lacking[];
extern uint64_t kernel_lacking_else;
extern uint8_t (*kernel_lacking_done)(struct trap_frame *f, const void **then);

_Static_assert(KERNEL_VECTOR == VECTOR_TEST, "the kernels' vector is the one that is free for them");

/* --- gates ------------------------------------------------------------------------------------------ */

/* No flag of a kernel's: it needs an instruction that the CPU lacks. Stepped, the engine carries it out; at
 * full speed the handler of #UD does. */
#define LACKING (1ull << 63)
#define GUEST   (1ull << 62) /* likewise: it enters a guest */
/* x2APIC mode is emulated for it at full speed, and its SYSCALL asks for an interrupt. */
#define X2APIC_EMULATED     (1ull << 61)
#define IPI_X2APIC_EMULATED (1ull << 60)

static const struct {
	uint64_t flag;
	uint8_t vector;
	const uint8_t *handler;
} gates[] = {
	{KERNEL_SERVICE_TEST_INT, VECTOR_TEST, kernel_on_test_int},
	{KERNEL_SERVICE_TEST_INT, VECTOR_BP, kernel_on_test_int},
	{KERNEL_SERVICE_TEST_INT, VECTOR_DB, kernel_on_test_int},
	{KERNEL_SERVICE_XAPIC, VECTOR_TEST, kernel_on_xapic},
	{KERNEL_SERVICE_X2APIC, VECTOR_TEST, kernel_on_x2apic},
	{X2APIC_EMULATED, VECTOR_TEST, kernel_on_x2apic_emulated},
	{KERNEL_SERVICE_NMI, VECTOR_NMI, kernel_on_test_int},
	{KERNEL_SERVICE_RESUME, VECTOR_DE, kernel_on_fault},
	{KERNEL_SERVICE_RESUME, VECTOR_DB, kernel_on_fault},
	{KERNEL_SERVICE_RESUME, VECTOR_UD, kernel_on_fault},
	{KERNEL_SERVICE_RESUME, VECTOR_NM, kernel_on_fault},
	{KERNEL_SERVICE_RESUME, VECTOR_MF, kernel_on_fault},
	{KERNEL_SERVICE_RESUME, VECTOR_XM, kernel_on_fault},
	{KERNEL_SERVICE_RESUME, VECTOR_NP, kernel_on_fault_code},
	{KERNEL_SERVICE_RESUME, VECTOR_SS, kernel_on_fault_code},
	{KERNEL_SERVICE_RESUME, VECTOR_GP, kernel_on_fault_code},
	{KERNEL_SERVICE_RESUME, VECTOR_PF, kernel_on_fault_code},
	{KERNEL_SERVICE_RESUME, VECTOR_AC, kernel_on_fault_code},
	{LACKING, VECTOR_UD, kernel_on_lacking}, /* last: what it does not know goes on to the one before */
};
#define GATES (sizeof(gates) / sizeof(gates[0]))

static struct idt_gate old_gate[GATES];

static bool gates_on(const struct service_use *u)
{
	for (unsigned i = 0; i < GATES; i++) {
		struct idt_gate *g = &idt[gates[i].vector];

		if (!(u->flags & gates[i].flag))
			continue;
		old_gate[i] = *g;
		if (gates[i].flag == LACKING) {
			kernel_lacking_else = gate_offset(g);
			kernel_lacking_done = emulation_carry_out;
		}
		gate_set(g, gates[i].handler, g->type, 0);
	}
	return true;
}

static void gates_off(const struct service_use *u)
{
	for (unsigned i = GATES; i-- > 0;)
		if (u->flags & gates[i].flag)
			idt[gates[i].vector] = old_gate[i];
}

const uint8_t *services_handler(const struct kernel *k, unsigned vector)
{
	const uint8_t *handler = NULL;

	for (unsigned i = 0; i < GATES; i++)
		if (k->flags & gates[i].flag && gates[i].vector == vector)
			handler = gates[i].handler;
	return handler;
}

#define DR7_NONE 0x400

/* Of a kernel that did not come to its end. */
static void breakpoints_off(const struct service_use *u)
{
	(void)u;
	dr7_write(DR7_NONE);
}

/* --- system calls: SDM vol. 3, 5.8.7 and 5.8.8 ------------------------------------------------------ */

#define LSTAR             0xc0000082
#define IA32_SYSENTER_EIP 0x176

static uint64_t sysenter_stack[64]; /* loaded, not used */

static struct {
	uint64_t flag;
	uint32_t address;
	const void *pointer; /* the value, if not NULL */
	uint64_t value, old;
} call_msrs[] = {
	{KERNEL_SERVICE_SYSCALL, 0xc0000081 /* STAR */, NULL,
	 (uint64_t)SELECTOR_KERNEL_CS << 32 | (uint64_t)(SELECTOR_USER_CS32 | 3) << 48, 0},
	{KERNEL_SERVICE_SYSCALL, LSTAR, kernel_on_syscall, 0, 0},
	{KERNEL_SERVICE_SYSCALL, 0xc0000084 /* FMASK: TF, IF, DF, NT, AC */, NULL, 0x44700, 0},
	{KERNEL_SERVICE_IPI_XAPIC, LSTAR, kernel_on_syscall_xapic, 0, 0},
	{KERNEL_SERVICE_IPI_X2APIC, LSTAR, kernel_on_syscall_x2apic, 0, 0},
	{IPI_X2APIC_EMULATED, LSTAR, kernel_on_syscall_x2apic_emulated, 0, 0},
	{KERNEL_SERVICE_SYSENTER, 0x174 /* IA32_SYSENTER_CS */, NULL, SELECTOR_KERNEL_CS, 0},
	{KERNEL_SERVICE_SYSENTER, 0x175 /* IA32_SYSENTER_ESP */, sysenter_stack + 64, 0, 0},
	{KERNEL_SERVICE_SYSENTER, IA32_SYSENTER_EIP, kernel_on_sysenter, 0, 0},
};
#define CALL_MSRS (sizeof(call_msrs) / sizeof(call_msrs[0]))

#define EFER 0xc0000080

static uint64_t old_efer;

static bool calls_on(const struct service_use *u)
{
	for (unsigned i = 0; i < CALL_MSRS; i++)
		if (u->flags & call_msrs[i].flag) {
			msr_read(call_msrs[i].address, &call_msrs[i].old);
			msr_write(call_msrs[i].address,
				  call_msrs[i].pointer ? (uintptr_t)call_msrs[i].pointer : call_msrs[i].value);
		}
	if (u->flags & KERNEL_SERVICE_SYSCALL) {
		msr_read(EFER, &old_efer);
		msr_write(EFER, old_efer | EFER_SCE);
	}
	return true;
}

static void calls_off(const struct service_use *u)
{
	if (u->flags & KERNEL_SERVICE_SYSCALL)
		msr_write(EFER, old_efer);
	for (unsigned i = CALL_MSRS; i-- > 0;)
		if (u->flags & call_msrs[i].flag)
			msr_write(call_msrs[i].address, call_msrs[i].old);
}

const uint8_t *services_call_handler(const struct kernel *k)
{
	const uint8_t *handler = NULL;

	for (unsigned i = 0; i < CALL_MSRS; i++)
		if (k->flags & call_msrs[i].flag &&
		    (call_msrs[i].address == LSTAR || call_msrs[i].address == IA32_SYSENTER_EIP))
			handler = call_msrs[i].pointer;
	return handler;
}

/* AMD's CPUs raise #UD at SYSENTER in 64-bit mode (APM vol. 2, 6.1.1), and have no far pointers with offsets
 * of 64 bits (APM vol. 3, JMP far). */
static bool as_intel(void)
{
	struct cpu_identity cpu;

	cpu_identify(&cpu);
	return !strcmp(cpu.vendor, "GenuineIntel") || !strcmp(cpu.vendor, "CentaurHauls");
}

static const char *sysenter_missing(const struct kernel *k, enum services_for whom)
{
	(void)k, (void)whom;
	return as_intel() ? NULL : "the CPU has no SYSENTER in 64-bit mode";
}

static const char *far64_missing(const struct kernel *k, enum services_for whom)
{
	(void)k, (void)whom;
	return as_intel() ? NULL : "the CPU's far pointers have offsets of 32 bits";
}

/* --- split locks: SDM vol. 3, 9.1.2.3; vol. 4, 2.1 ---------------------------------------------------- */

#define TEST_CTRL                0x33
#define TEST_CTRL_SPLIT_LOCK     (1u << 29)
#define CORE_CAPABILITIES        0xcf
#define CORE_CAPABILITY_SPLIT    (1u << 5)
#define HAS_CORE_CAPABILITIES(r) ((r).edx >> 30 & 1) /* of leaf 7 */

/* As firmware left it. Asked for when the vectors are ours: there are emulators that promise these registers
 * and lack them. */
static bool split_locks_fault(void)
{
	uint64_t value;

	return cpuid(0, 0).eax >= 7 && HAS_CORE_CAPABILITIES(cpuid(7, 0)) &&
	       msr_read(CORE_CAPABILITIES, &value) && value & CORE_CAPABILITY_SPLIT &&
	       msr_read(TEST_CTRL, &value) && value & TEST_CTRL_SPLIT_LOCK;
}

static const char *split_lock_missing(const struct kernel *k, enum services_for whom)
{
	(void)k, (void)whom;
	return split_locks_fault() ? "firmware has split locks fault" : NULL;
}

/* --- the APIC timer --------------------------------------------------------------------------------- */

#define TIMER (KERNEL_SERVICE_XAPIC | KERNEL_SERVICE_X2APIC)

#define IA32_APIC_BASE     0x1b
#define APIC_BASE_ADDRESS  0xffffffffff000
#define DIVIDE_BY_1        0xb
#define INTERRUPTS_PER_SEC 20000

static uint32_t old_lvt, old_divide;

static bool timer_on(const struct service_use *u)
{
	struct kernel_params *params = u->params;
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
	return true;
}

static void timer_off(const struct service_use *u)
{
	(void)u;
	apic_write(APIC_TIMER_INITIAL, 0);
	apic_write(APIC_LVT_TIMER, old_lvt);
	apic_write(APIC_TIMER_DIVIDE, old_divide);
}

bool services_lend_x2apic(const struct kernel *k)
{
	return k->flags & KERNEL_SERVICE_X2APIC && !apic_is_x2() && !cpu_has(CPU_X2APIC);
}

static bool lends_x2apic(const struct kernel *k, enum services_for whom)
{
	return whom != FOR_SILICON && services_lend_x2apic(k) &&
	       (whom == FOR_ORACLE || cpu_tells(CPU_X2APIC, presented_own));
}

static const char *timer_missing(const struct kernel *k, enum services_for whom)
{
	if (!apic_present())
		return "there is no local APIC";
	if (k->flags & KERNEL_SERVICE_XAPIC && apic_is_x2())
		return "the local APIC is in x2APIC mode";
	if (k->flags & KERNEL_SERVICE_X2APIC && !apic_is_x2() && !lends_x2apic(k, whom))
		return "the local APIC is in xAPIC mode";
	if (!apic_timer_hz())
		return "the APIC timer's rate is unknown";
	if (!strcmp(watchdog_source(), "APIC timer"))
		return "the watchdog needs the APIC timer";
	return NULL;
}

#define PAGES (KERNEL_SERVICE_UC | KERNEL_SERVICE_WC | KERNEL_SERVICE_ABSENT | KERNEL_SERVICE_ALIAS)

/* --- page attributes -------------------------------------------------------------------------------- */

static const struct {
	uint64_t flag;
	unsigned page; /* PAGE_ flags of page KERNEL_SPECIAL */
} special[] = {
	{KERNEL_SERVICE_UC, PAGE_WRITE | PAGE_USER | PAGE_UC},
	{KERNEL_SERVICE_WC, PAGE_WRITE | PAGE_USER | PAGE_WC},
	{KERNEL_SERVICE_ABSENT, PAGE_ABSENT},
};

static void pages_off(const struct service_use *u)
{
	const struct kernel_place *p = &u->place;
	const uint64_t flags = u->flags;

	if (flags & (KERNEL_SERVICE_UC | KERNEL_SERVICE_WC | KERNEL_SERVICE_ABSENT))
		page_protect(p->data + KERNEL_SPECIAL, PAGE, PAGE_WRITE | PAGE_USER);
	if ((flags & KERNEL_SERVICE_ALIAS) && p->level)
		page_protect(p->code_rw, p->code_size, PAGE_WRITE);
}

static bool pages_on(const struct service_use *u)
{
	const struct kernel_place *p = &u->place;
	const uint64_t flags = u->flags;
	bool ok = true;

	for (unsigned i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		if (flags & special[i].flag)
			ok &= page_protect(p->data + KERNEL_SPECIAL, PAGE, special[i].page);
	if ((flags & KERNEL_SERVICE_ALIAS) && p->level)
		ok &= page_protect(p->code_rw, p->code_size, PAGE_WRITE | PAGE_USER);
	if (!ok)
		pages_off(u);
	return ok;
}

/* The machine model knows that both addresses are one place. */
static bool alias_on(const struct service_use *u)
{
	const struct kernel_place *p = &u->place;

	vpmu_code_alias((uintptr_t)p->code_rw, (uintptr_t)p->code_rw + p->code_size,
			(uintptr_t)p->code - (uintptr_t)p->code_rw);
	return true;
}

/* --- the rings of code ------------------------------------------------------------------------------ */

#define CODE_RINGS (KERNEL_SERVICE_CODE | KERNEL_SERVICE_CODE_FULL)

static struct code_arena code_rings;

static void code_create(void)
{
	if (arena_create(&code_rings, KERNEL_CODE_SIZE, true))
		code_ring_fill(code_rings.rw);
	else
		code_rings.rx = NULL;
}

static const char *code_missing(const struct kernel *k, enum services_for whom)
{
	(void)k, (void)whom;
	return code_rings.rx ? NULL : "there is too little memory for a ring of code";
}

static bool code_on(const struct service_use *u)
{
	struct kernel_params *params = u->params;

	if (u->flags & KERNEL_SERVICE_CODE && !params->code)
		params->code = (uintptr_t)code_rings.rx + code_ring_segment(false, 0);
	if (u->flags & KERNEL_SERVICE_CODE_FULL && !params->full)
		params->full = (uintptr_t)code_rings.rx + code_ring_segment(true, 0);
	return true;
}

/* --- control registers and counters
 * -------------------------------------------------------------------------- */

static uint64_t old_cr0, old_cr4;

static bool alignment_on(const struct service_use *u)
{
	(void)u;
	old_cr0 = cr0_read();
	cr0_write(old_cr0 | CR0_AM);
	return true;
}

static void alignment_off(const struct service_use *u)
{
	(void)u;
	cr0_write(old_cr0);
}

/* RDPMC of counter 0 on the real CPU. No CPUID bit tells of it on all of them (leaf 0AH is Intel's alone), so
 * it is tried: there is one to be read, the CPU knows no RDPMC, or it does know it and has none. */
static enum { NOT_TRIED, READ, UNKNOWN, REFUSED } rdpmc_does;

static bool rdpmc_raised(struct trap_frame *f, void *arg)
{
	(void)arg;
	rdpmc_does = f->vector == VECTOR_UD ? UNKNOWN : REFUSED;
	f->rip += 2;
	return true;
}

static void rdpmc_try(void)
{
	if (rdpmc_does != NOT_TRIED)
		return;
	rdpmc_does = READ;
	trap_set_handler(VECTOR_UD, rdpmc_raised, NULL);
	trap_set_handler(VECTOR_GP, rdpmc_raised, NULL);
	__asm__ volatile("rdpmc" : : "c"(0) : "eax", "edx", "memory");
	trap_set_handler(VECTOR_UD, NULL, NULL);
	trap_set_handler(VECTOR_GP, NULL, NULL);
}

/* On a virtual CPU the model answers, but to the oracle, which steps on the real one. */
static bool rdpmc_reads(enum services_for whom)
{
	if (whom == FOR_VIRTUAL_CPU)
		return vpmu_ask_selector(0);
	rdpmc_try();
	return rdpmc_does == READ || (whom == FOR_ORACLE && rdpmc_does == UNKNOWN);
}

static const char *rdpmc_missing(const struct kernel *k, enum services_for whom)
{
	(void)k;
	return rdpmc_reads(whom) ? NULL : "RDPMC reads no counter 0";
}

static bool rdpmc_on(const struct service_use *u)
{
	(void)u;
	old_cr4 = cr4_read();
	cr4_write(old_cr4 | CR4_PCE);
	return true;
}

static void rdpmc_off(const struct service_use *u)
{
	(void)u;
	cr4_write(old_cr4);
}

/* --- another processor ------------------------------------------------------------------------------ */

#define SECOND_CPU_WORKS (KERNEL_SERVICE_RIVAL | KERNEL_SERVICE_SIBLING)

static enum second_cpu_kind second_cpu_for(uint64_t flags)
{
	return flags & KERNEL_SERVICE_SIBLING ? SECOND_CPU_SIBLING : SECOND_CPU_ANY;
}

static const char *second_cpu_cannot(const struct kernel *k, enum services_for whom)
{
	(void)whom;
	return second_cpu_missing(second_cpu_for(k->flags));
}

static bool second_cpu_on(const struct service_use *u)
{
	static uint32_t own[LINE / sizeof(uint32_t)] __attribute__((aligned(LINE)));

	return second_cpu_work(second_cpu_for(u->flags),
			       u->flags & KERNEL_SERVICE_RIVAL ? (uint32_t *)(u->place.data + KERNEL_SPECIAL)
							       : own);
}

static void second_cpu_off(const struct service_use *u)
{
	(void)u;
	second_cpu_rest();
}

/* --- what the CPU lacks ----------------------------------------------------------------------------- */

static bool lacking_on(const struct service_use *u)
{
	(void)u;
	emulated_clear();
	return true;
}

/* Asked of each kernel: most have nothing of this kind emulated. */
static bool emulation_on(const struct service_use *u)
{
	apic_emulate_x2(services_lend_x2apic(u->kernel));
	step_emulate_exceptions(exceptions_emulated(u->kernel) ? exceptions_raised_stepping : NULL);
	return true;
}

static void emulation_off(const struct service_use *u)
{
	(void)u;
	apic_emulate_x2(false);
	step_emulate_exceptions(NULL);
}

/* --- small ones ------------------------------------------------------------------------------------- */

static const char *guest_cannot(const struct kernel *k, enum services_for whom)
{
	(void)k, (void)whom;
	return courage_level() < COURAGE_ALL ? "guests are for courage=3" : guest_missing();
}

static bool guest_in(const struct service_use *u)
{
	guest_on(u->params);
	return true;
}

static void guest_out(const struct service_use *u)
{
	(void)u;
	guest_off();
}

static const char *chains_missing(const struct kernel *k, enum services_for whom)
{
	(void)whom;
	return chain_missing(k->flags);
}

static bool chains_on(const struct service_use *u)
{
	chain_provide(u->flags, u->params);
	return true;
}

/* --- all together ----------------------------------------------------------------------------------- */

#define EVERY UINT64_MAX

/* In the order in which they are turned on. Of what is missing the first one is told. */
static const struct service services[] = {
	{"emulation", EVERY, NULL, emulation_on, emulation_off},
	{"APIC timer", TIMER, timer_missing, timer_on, timer_off},
	{"SYSENTER", KERNEL_SERVICE_SYSENTER, sysenter_missing, NULL, NULL},
	{"far pointers", KERNEL_SERVICE_FAR64, far64_missing, NULL, NULL},
	{"rings of code", CODE_RINGS, code_missing, code_on, NULL},
	{"RDPMC", KERNEL_SERVICE_RDPMC, rdpmc_missing, rdpmc_on, rdpmc_off},
	{"split locks", KERNEL_SERVICE_SPLIT_LOCK, split_lock_missing, NULL, NULL},
	{"guest", GUEST, guest_cannot, guest_in, guest_out},
	{"pages", PAGES, NULL, pages_on, pages_off},
	{"alias", KERNEL_SERVICE_ALIAS, NULL, alias_on, NULL},
	{"second CPU", SECOND_CPU_WORKS, second_cpu_cannot, second_cpu_on, second_cpu_off},
	{"chains", KERNEL_SERVICE_CHAINS, chains_missing, chains_on, NULL},
	{"lacking instructions", LACKING, NULL, lacking_on, NULL},
	{"alignment", KERNEL_SERVICE_ALIGNED, NULL, alignment_on, alignment_off},
	{"breakpoints", KERNEL_SERVICE_RESUME, NULL, NULL, breakpoints_off},
	{"system calls", EVERY, NULL, calls_on, calls_off},
	{"gates", EVERY, NULL, gates_on, gates_off},
};
#define SERVICES (sizeof(services) / sizeof(services[0]))

static struct service_use used; /* what is on, and for whom */
static unsigned n_on;           /* the first so many of those that it wants */

/* Of x2APIC mode handlers, too, have instructions that are emulated. */
static uint64_t wanted_at_full_speed(const struct kernel *k)
{
	bool x2apic = services_lend_x2apic(k);

	return (x2apic || emulation_replaces(k) ? LACKING : 0) | (x2apic ? X2APIC_EMULATED : 0) |
	       (x2apic && k->flags & KERNEL_SERVICE_IPI_X2APIC ? IPI_X2APIC_EMULATED : 0);
}

static uint64_t wanted(const struct kernel *k)
{
	bool lacking = kernel_missing(k->needs & KERNEL_NEEDS_EMULATED, cpu_has, xcr0_read()) ||
		       (k->flags & KERNEL_SERVICE_RDPMC && rdpmc_does == UNKNOWN);

	return (k->flags & KERNEL_SERVICES) | (lacking ? LACKING : 0) |
	       (k->needs & KERNEL_NEEDS_SVM ? GUEST : 0);
}

bool services_wanted(const struct kernel *k)
{
	return k->flags & KERNEL_SERVICES || k->needs & (KERNEL_NEEDS_EMULATED | KERNEL_NEEDS_SVM);
}

void services_init(void)
{
	emulator_trouble(kernels_begin);
	chains_create();
	code_create();
	exceptions_init();
}

const char *services_missing(const struct kernel *k, enum services_for whom)
{
	if (whom == FOR_SILICON && exceptions_missing(k))
		return exceptions_missing(k);
	for (unsigned i = 0; i < SERVICES; i++) {
		const struct service *service = &services[i];
		uint64_t asked = k->flags | (k->needs & KERNEL_NEEDS_SVM ? GUEST : 0);
		const char *why =
			service->missing && asked & service->flags ? service->missing(k, whom) : NULL;

		if (why)
			return why;
	}
	return NULL;
}

static bool is_wanted(const struct service *service)
{
	return service->flags == EVERY || used.flags & service->flags;
}

bool services_prepare(const struct kernel *k, const struct kernel_place *place)
{
	services_finish();
	used = (struct service_use){.flags = wanted(k) | (place->emulate ? wanted_at_full_speed(k) : 0),
				    .kernel = k,
				    .place = *place,
				    .params = (struct kernel_params *)place->data};
	used.params->segment = used.flags & KERNEL_SERVICE_SEGMENT ? SELECTOR_ABSENT | 3 : 0;
	for (; n_on < SERVICES; n_on++) {
		const struct service *service = &services[n_on];

		if (is_wanted(service) && service->on && !service->on(&used)) {
			services_finish();
			return false;
		}
	}
	return true;
}

void services_finish(void)
{
	while (n_on) {
		const struct service *service = &services[--n_on];

		if (is_wanted(service) && service->off)
			service->off(&used);
	}
}
