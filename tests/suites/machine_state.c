/*
 * State that must survive: vector registers across interrupts, firmware's set-up across a take-over.
 */
#include "tests/suites/machine.h"

#include "arch/x86/apic.h"
#include "arch/x86/console.h"
#include "arch/x86/cpu.h"
#include "arch/x86/cpu_state.h"
#include "arch/x86/cpuid.h"
#include "arch/x86/descriptors.h"
#include "arch/x86/machine.h"
#include "arch/x86/msr.h"
#include "arch/x86/processors.h"

#include <string.h>

/* --- vector registers --------------------------------------------------------------------------- */

#define AREA_MAX    4096
#define LEGACY_FROM 32 /* x87 registers, XMM registers: SDM vol. 1, table 10-2 */
#define LEGACY_TO   416
#define HEADER      512 /* XSTATE_BV first */

static uint8_t before[AREA_MAX] __attribute__((aligned(64))), after[AREA_MAX] __attribute__((aligned(64)));

static const char *no_xsave(void)
{
	return cpu_state_has_xsave() ? NULL : "the CPU has no XSAVE that works";
}

static char printed[256];

static bool on_test(struct trap_frame *f, void *arg)
{
	(void)arg;
	/* The formatter is compiled C that may use SSE: the worst that a handler does. */
	console_text("%d %s %lu\n", 42, "text", (unsigned long)f->rip);
	return true;
}

/**
 * Fill all vector registers with a pattern, take an interrupt whose handler prints, compare.
 * @return bytes that differ; -1 if the components do not fit into the area
 */
static int64_t xsave_bytes_changed(void)
{
	uint64_t mask = xcr0_read();
	uint32_t size = cpuid(0xd, 0).ebx, low = (uint32_t)mask;
	int64_t changed = 0;

	if (size > AREA_MAX)
		return -1;
	memset(before, 0, sizeof before);
	memset(after, 0, sizeof after);
	trap_set_handler(VECTOR_TEST, on_test, NULL);
	console_capture(printed, sizeof printed);
	__asm__ volatile("fninit; xsave64 (%0)" ::"r"(before), "a"(low), "d"(0) : "memory");
	for (unsigned i = LEGACY_FROM; i < LEGACY_TO; i++)
		before[i] = (i - LEGACY_FROM) % 16 < 10 || i >= 160 ? (uint8_t)(i * 7 + 1) : 0;
	for (unsigned component = 2; component < 8; component++) {
		struct cpuid_regs where = cpuid(0xd, component);
		for (unsigned i = 0; mask >> component & 1 && i < where.eax && where.ebx + i < AREA_MAX; i++)
			before[where.ebx + i] = (uint8_t)(i * 11 + component);
	}
	memcpy(before + HEADER, &mask, sizeof mask);
	__asm__ volatile("xrstor64 (%0)\n"
			 "int %3\n"
			 "xsave64 (%4)\n"
			 "fninit" ::"r"(before),
			 "a"(low), "d"(0), "i"(VECTOR_TEST), "r"(after)
			 : "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
			   "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
	console_capture(NULL, 0);
	trap_set_handler(VECTOR_TEST, NULL, NULL);
	for (unsigned i = LEGACY_FROM; i < size; i++)
		if ((i < LEGACY_TO || i >= HEADER + 64) && before[i] != after[i])
			changed++;
	return changed;
}

/* That the pattern reached the registers at all: XMM15, byte 0. */
static int64_t xsave_pattern_arrived(void)
{
	xsave_bytes_changed();
	return after[160 + 15 * 16];
}

static int64_t fxsave_bytes_changed(void)
{
	int64_t changed = 0;

	trap_set_handler(VECTOR_TEST, on_test, NULL);
	console_capture(printed, sizeof printed);
	__asm__ volatile("fninit; fldpi; fld1\n"
			 "movabs $0x123456789abcdef0, %%rax; movq %%rax, %%xmm0; movq %%rax, %%xmm7; movq "
			 "%%rax, %%xmm15\n"
			 "fxsave64 (%0)\n"
			 "int %2\n"
			 "fxsave64 (%1)\n"
			 "fninit" ::"r"(before),
			 "r"(after), "i"(VECTOR_TEST)
			 : "memory", "rax", "xmm0", "xmm7", "xmm15");
	console_capture(NULL, 0);
	trap_set_handler(VECTOR_TEST, NULL, NULL);
	for (unsigned i = 0; i < LEGACY_TO; i++)
		changed += before[i] != after[i];
	return changed;
}

static int64_t avx_is_enabled(void)
{
	return (xcr0_read() & 7) == 7;
}

static const char *no_avx(void)
{
	return cpu_has(CPU_AVX) && cpu_state_has_xsave() ? NULL : "the CPU has no AVX";
}

/* --- hand-over ------------------------------------------------------------------------------------ */

/* What firmware relies on. The selector of an unused task register is not among it: it cannot be put back. */
struct firmware_view {
	struct descriptor_pointer gdt, idt;
	uint16_t selectors[6];
	uint64_t cr0, cr3, cr4, xcr0, flags;
	uint64_t msr[14];
	uint64_t dr7;
	uint32_t apic[8];
	uint8_t pic[2];
	uint8_t fx[LEGACY_TO];
};

static const uint32_t msrs[14] = {0x1b,       0x174,      0x175,      0x176,      0x277,
				  0xc0000080, 0xc0000081, 0xc0000082, 0xc0000083, 0xc0000084,
				  0xc0000100, 0xc0000101, 0xc0000102, 0xc0000103};
static const uint16_t apic_registers[8] = {APIC_TPR,          APIC_SVR,          APIC_LVT_TIMER,
					   APIC_LVT_LINT0,    APIC_LVT_LINT1,    APIC_LVT_ERROR,
					   APIC_TIMER_DIVIDE, APIC_TIMER_INITIAL};

static uint64_t flag_if(void)
{
	uint64_t flags;

	__asm__ volatile("pushfq; pop %0" : "=r"(flags));
	return flags & RFLAGS_IF;
}

/* Only what exists everywhere is read without our own tables: the MSRs were tried before. */
static void look(struct firmware_view *v, const bool *msr_there)
{
	memset(v, 0, sizeof *v);
	v->flags = flag_if();
	__asm__ volatile("cli; fxsave64 (%0)" ::"r"(after) : "memory");
	memcpy(v->fx, after, sizeof v->fx);
	__asm__ volatile("sgdt %0" : "=m"(v->gdt));
	__asm__ volatile("sidt %0" : "=m"(v->idt));
	selectors_read(v->selectors);
	v->cr0 = cr0_read();
	v->cr3 = cr3_read();
	v->cr4 = cr4_read();
	if (v->cr4 & CR4_OSXSAVE)
		v->xcr0 = xcr0_read();
	__asm__ volatile("mov %%dr7, %0" : "=r"(v->dr7));
	for (unsigned i = 0; i < 14; i++)
		if (msr_there[i])
			msr_read(msrs[i], &v->msr[i]);
	for (unsigned i = 0; apic_present() && i < 8; i++)
		v->apic[i] = apic_read(apic_registers[i]);
	v->pic[0] = port_read8(0x21);
	v->pic[1] = port_read8(0xa1);
	if (v->flags)
		__asm__ volatile("sti");
}

static struct firmware_view first, second;

/* Bytes that differ between two hand-backs, with a take-over between them. The suite itself is below the
 * first. */
static int64_t bytes_not_put_back(void)
{
	const uint8_t *a = (const uint8_t *)&first, *b = (const uint8_t *)&second;
	bool msr_there[14];
	int64_t changed = 0;
	uint64_t value;

	for (unsigned i = 0; i < 14; i++)
		msr_there[i] = msr_read(msrs[i], &value);
	machine_give_back();
	look(&first, msr_there);
	machine_take();
	for (unsigned i = 1; i < 14; i++)
		if (msrs[i] >= 0xc0000082 && msrs[i] <= 0xc0000084 && msr_there[i])
			msr_write(msrs[i], 0x1234);
	__asm__ volatile("fldpi; movq %0, %%xmm9; movq %0, %%xmm15" ::"r"(0x5a5a5a5a5a5aul)
			 : "xmm9", "xmm15");
	machine_give_back();
	look(&second, msr_there);
	machine_take();
	for (unsigned i = 0; i < sizeof first; i++)
		changed += a[i] != b[i];
	return changed;
}

/* Firmware's tables are really other ones: else the check above would compare nothing with nothing. */
static int64_t firmware_differs(void)
{
	bytes_not_put_back();
	return first.cr3 != cr3_read() && first.idt.base != idt_pointer.base &&
	       first.gdt.base != gdt_pointer.base;
}

static int64_t take_again(void)
{
	int64_t ours = 0;

	for (unsigned i = 0; i < 20; i++) {
		machine_give_back();
		ours += !machine_taken();
		machine_take();
		ours += machine_taken() && !flag_if();
	}
	return ours;
}

/* An interrupt of ours that is still requested must not reach firmware, which would not know its vector. */
static int64_t nothing_left_requested(void)
{
	int64_t left;

	__asm__ volatile("cli");
	apic_self_ipi(VECTOR_TEST);
	apic_self_ipi(VECTOR_PMI);
	machine_give_back();
	left = apic_requested(VECTOR_TEST) + apic_requested(VECTOR_PMI);
	machine_take();
	trap_stray_count();
	return left;
}

/* Another processor comes into our own tables from the start. */
static const char *no_firmware(void)
{
	return processor_current() ? "firmware has set up nothing on this processor" : NULL;
}

static const char *no_apic(void)
{
	return apic_present() ? NULL : "no local APIC, or firmware left it off";
}

const struct machine_check machine_state[] = {
	{"vector registers/x87 and SSE survive a handler that prints", "SDM vol. 1, 10.5",
	 fxsave_bytes_changed, 0, 0, NULL},
	{"vector registers/all of XCR0 survive a handler that prints", "SDM vol. 1, 13", xsave_bytes_changed,
	 0, 0, no_xsave},
	{"vector registers/the pattern was in them", "SDM vol. 1, 13", xsave_pattern_arrived,
	 (uint8_t)(400 * 7 + 1), (uint8_t)(400 * 7 + 1), no_xsave},
	{"vector registers/AVX is enabled", "SDM vol. 1, 13.3", avx_is_enabled, 1, 1, no_avx},
	{"hand-over/firmware's state is put back", NULL, bytes_not_put_back, 0, 0, NULL},
	{"hand-over/it was another one than ours", NULL, firmware_differs, 1, 1, no_firmware},
	{"hand-over/twenty times", NULL, take_again, 40, 40, NULL},
	{"hand-over/nothing of ours stays requested", NULL, nothing_left_requested, 0, 0, no_apic},
	{NULL, NULL, NULL, 0, 0, NULL},
};
