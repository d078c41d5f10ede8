/*
 * State that must survive an interrupt: vector registers.
 */
#include "tests/suites/x86/machine.h"

#include "arch/console.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/machine/cpu_state.h"
#include "arch/x86/cpu/cpuid.h"

#include <string.h>

/* --- vector registers --------------------------------------------------------------------------- */

#define AREA_MAX    4096
#define LEGACY_FROM 32 /* x87 registers, XMM registers: SDM vol. 1, table 10-2 */
#ifdef __i386__
#define LEGACY_TO     288
#define XMM_REGISTERS 8
#define CLOBBERED     "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7"
#define XMM_FILL      "mov $0x9abcdef0, %%eax; movd %%eax, %%xmm0; movd %%eax, %%xmm7\n"
#define FILLED        "eax", "xmm0", "xmm7"
#else
#define LEGACY_TO     416
#define XMM_REGISTERS 16
#define CLOBBERED                                                                                            \
	"xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",    \
		"xmm12", "xmm13", "xmm14", "xmm15"
#define XMM_FILL                                                                                             \
	"movabs $0x123456789abcdef0, %%rax; movq %%rax, %%xmm0; movq %%rax, %%xmm7; movq %%rax, %%xmm15\n"
#define FILLED "rax", "xmm0", "xmm7", "xmm15"
#endif
#define HEADER 512 /* XSTATE_BV first */

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
	__asm__ volatile("fninit; " XSAVE " (%0)" ::"r"(before), "a"(low), "d"(0) : "memory");
	for (unsigned i = LEGACY_FROM; i < LEGACY_TO; i++)
		before[i] = (i - LEGACY_FROM) % 16 < 10 || i >= 160 ? (uint8_t)(i * 7 + 1) : 0;
	for (unsigned component = 2; component < 8; component++) {
		struct cpuid_regs where = cpuid(0xd, component);
		for (unsigned i = 0; mask >> component & 1 && i < where.eax && where.ebx + i < AREA_MAX; i++)
			before[where.ebx + i] = (uint8_t)(i * 11 + component);
	}
	memcpy(before + HEADER, &mask, sizeof mask);
	__asm__ volatile(XRSTOR " (%0)\n"
				"int %3\n" XSAVE " (%4)\n"
				"fninit" ::"r"(before),
			 "a"(low), "d"(0), "i"(VECTOR_TEST), "r"(after)
			 : "memory", CLOBBERED);
	console_capture(NULL, 0);
	trap_set_handler(VECTOR_TEST, NULL, NULL);
	for (unsigned i = LEGACY_FROM; i < size; i++)
		if ((i < LEGACY_TO || i >= HEADER + 64) && before[i] != after[i])
			changed++;
	return changed;
}

/* That the pattern reached the registers at all: the last one's byte 0. */
#define LAST_BYTE (160 + (XMM_REGISTERS - 1) * 16)

static int64_t xsave_pattern_arrived(void)
{
	xsave_bytes_changed();
	return after[LAST_BYTE];
}

static int64_t fxsave_bytes_changed(void)
{
	int64_t changed = 0;

	trap_set_handler(VECTOR_TEST, on_test, NULL);
	console_capture(printed, sizeof printed);
	__asm__ volatile("fninit; fldpi; fld1\n" XMM_FILL FXSAVE " (%0)\n"
			 "int %2\n" FXSAVE " (%1)\n"
			 "fninit" ::"r"(before),
			 "r"(after), "i"(VECTOR_TEST)
			 : "memory", FILLED);
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

const struct machine_check machine_state[] = {
	{"vector registers/x87 and SSE survive a handler that prints", "SDM vol. 1, 10.5",
	 fxsave_bytes_changed, 0, 0, NULL},
	{"vector registers/all of XCR0 survive a handler that prints", "SDM vol. 1, 13", xsave_bytes_changed,
	 0, 0, no_xsave},
	{"vector registers/the pattern was in them", "SDM vol. 1, 13", xsave_pattern_arrived,
	 (uint8_t)(LAST_BYTE * 7 + 1), (uint8_t)(LAST_BYTE * 7 + 1), no_xsave},
	{"vector registers/AVX is enabled", "SDM vol. 1, 13.3", avx_is_enabled, 1, 1, no_avx},
	{NULL, NULL, NULL, 0, 0, NULL},
};
