/*
 * Firmware's set-up across a take-over. Each of its registers is given a value that nobody else gives it, the
 * machine is taken, all are changed as suites may change them, and given back.
 */
#include "tests/suites/x86/machine.h"

#include "arch/x86/machine/acpi.h"
#include "arch/x86/interrupts/apic.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/machine/cpu_state.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/machine/descriptors.h"
#include "arch/x86/time/hpet.h"
#include "arch/machine.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/time/pit.h"
#include "arch/processors.h"
#include "arch/x86/time/tsc.h"
#include "arch/x86/exceptions/trap.h"
#include "arch/x86/exceptions/watchdog_internal.h"
#include "arch/watchdog.h"
#include "tests/self/mutants/machine_enforced.h"
#include "tests/self/mutants/machine_planted.h"

#include <string.h>

static uint64_t flag_if(void)
{
	uint64_t flags;

	__asm__ volatile("pushfq; pop %0" : "=r"(flags));
	return flags & RFLAGS_IF;
}

/* To firmware's side, with interrupts masked, and with nothing that give_back() has left to show. @return for
 * retake() */
static uint64_t leave(void)
{
	machine_give_back();
	return interrupts_mask();
}

/* Back, with firmware's interrupt flag to be put back as it was. */
static void retake(uint64_t flags)
{
	interrupts_restore(flags);
	machine_take();
}

/* --- vector registers --------------------------------------------------------------------------------- */

#define AREA_MAX  4096
#define LEGACY    512
#define HEADER    64
#define FCW       0 /* SDM vol. 1, table 10-2 */
#define FTW       4
#define MXCSR     24
#define REGISTERS 32
#define LEGACY_TO 416

static uint8_t pattern[AREA_MAX] __attribute__((aligned(64))), seen[AREA_MAX] __attribute__((aligned(64)));
static uint64_t components; /* XCR0 on firmware's side; 0: FXSAVE */

static bool is_compared(unsigned i)
{
	return i < FCW + 2 || i == FTW || (i >= MXCSR && i < MXCSR + 4) ||
	       (i >= REGISTERS && i < LEGACY_TO) || i >= LEGACY + HEADER;
}

/* Bytes of an image from which all that is compared can be loaded. */
static void make_pattern(void)
{
	static const uint8_t control[] = {0x7f, 0x02, 0, 0, 0xff},
			     mxcsr[] = {0x80, 0xbf}; /* none of the initial values */

	components = xcr0_read();
	memset(pattern, 0, sizeof pattern);
	memcpy(pattern, control, sizeof control);
	memcpy(pattern + MXCSR, mxcsr, sizeof mxcsr);
	for (unsigned i = REGISTERS; i < LEGACY_TO; i++)
		pattern[i] = (i - REGISTERS) % 16 < 10 || i >= 160 ? (uint8_t)(i * 7 + 1) : 0;
	if (components & 4)
		for (unsigned i = 0; i < 256; i++)
			pattern[LEGACY + HEADER + i] = (uint8_t)(i * 11 + 3);
	components &= 7;
	memcpy(pattern + LEGACY, &components, sizeof components);
}

#define ALL_XMM                                                                                              \
	"memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",   \
		"xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

static void load(const uint8_t *area)
{
	if (components)
		__asm__ volatile("xrstor64 (%0)" ::"r"(area), "a"((uint32_t)components), "d"(0) : ALL_XMM);
	else
		__asm__ volatile("fxrstor64 (%0)" ::"r"(area) : ALL_XMM);
}

static void store(uint8_t *area)
{
	if (components)
		__asm__ volatile("xsave64 (%0)" ::"r"(area), "a"((uint32_t)components), "d"(0) : "memory");
	else
		__asm__ volatile("fxsave64 (%0)" ::"r"(area) : "memory");
}

/* Other values in all of them, as kernels leave. */
static void scramble(void)
{
	static const uint32_t mxcsr = 0x1fc0;

	__asm__ volatile(
		"fninit; fldpi; fld1; ldmxcsr %0\n\t"
		"pxor %%xmm0, %%xmm0; pxor %%xmm1, %%xmm1; pxor %%xmm2, %%xmm2; pxor %%xmm3, %%xmm3\n\t"
		"pxor %%xmm4, %%xmm4; pxor %%xmm5, %%xmm5; pxor %%xmm6, %%xmm6; pxor %%xmm7, %%xmm7\n\t"
		"pxor %%xmm8, %%xmm8; pxor %%xmm9, %%xmm9; pxor %%xmm10, %%xmm10; pxor %%xmm11, %%xmm11\n\t"
		"pxor %%xmm12, %%xmm12; pxor %%xmm13, %%xmm13; pxor %%xmm14, %%xmm14; pxor %%xmm15, "
		"%%xmm15" ::"m"(mxcsr)
		: ALL_XMM);
	if ((xcr0_read() & XCR0_YMM) == XCR0_YMM)
		__asm__ volatile("vzeroupper" ::: ALL_XMM);
}

static void reset_vectors(void)
{
	static const uint32_t mxcsr = 0x1f80;

	__asm__ volatile("fninit; ldmxcsr %0" ::"m"(mxcsr));
}

static int64_t vector_bytes_lost(void)
{
	unsigned size = components & 4 ? LEGACY + HEADER + 256 : LEGACY;
	int64_t lost = 0;

	for (unsigned i = 0; i < size; i++)
		lost += is_compared(i) && pattern[i] != seen[i];
	return lost;
}

/* --- tables ------------------------------------------------------------------------------------------- */

struct tables {
	struct descriptor_pointer gdt, idt;
	uint16_t selectors[6];
	uint64_t cr3;
};

static void look(struct tables *t)
{
	memset(t, 0, sizeof *t);
	__asm__ volatile("sgdt %0" : "=m"(t->gdt));
	__asm__ volatile("sidt %0" : "=m"(t->idt));
	selectors_read(t->selectors);
	t->cr3 = cr3_read();
}

/* --- one take-over
 * ------------------------------------------------------------------------------------------- */

static struct {
	bool done;
	struct tables before, after;
	unsigned registers, stubborn, lost, told;
	unsigned not_ours_before, not_ours; /* of the harness's own set-up: on firmware's side, while taken */
	int64_t bytes_lost;
} turn;

static void take_over(void)
{
	uint64_t flags = leave();
	unsigned first = 0;

	memset(&turn, 0, sizeof turn);
	look(&turn.before);
	turn.registers = planted_plant(&turn.stubborn);
	make_pattern();
	load(pattern);
	turn.not_ours_before = planted_not_ours();
	machine_take();
	turn.not_ours = planted_not_ours();
	planted_spoil();
	scramble();
	machine_give_back();
	store(seen);
	reset_vectors();
	turn.lost = planted_differing(&first);
	/* Which one it was: the place in the list goes with it. */
	if (turn.lost)
		turn.lost += 1000 * (first + 1);
	turn.told = planted_told();
	planted_remove();
	look(&turn.after);
	turn.bytes_lost = vector_bytes_lost();
	retake(flags);
	turn.done = true;
}

/* What the first check of the table has seen; anew if it did not come to its end. */
static void see_take_over(void)
{
	if (!turn.done)
		take_over();
}

/* As the number lost, and a thousand times the place of the first in the list, from 1. */
static int64_t registers_lost(void)
{
	see_take_over();
	return turn.lost;
}

static int64_t stubborn_registers(void)
{
	take_over();
	return turn.stubborn;
}

static int64_t losses_untold(void)
{
	see_take_over();
	return turn.registers > 20 ? (int64_t)(turn.registers - turn.told) : -1;
}

static int64_t vectors_lost(void)
{
	see_take_over();
	return turn.bytes_lost;
}

static int64_t vector_losses_untold(void)
{
	int64_t told = 0, bytes = 0;

	see_take_over();
	for (unsigned i = 0; i < (components & 4 ? LEGACY + HEADER + 256 : LEGACY); i++) {
		seen[i] ^= 1;
		bytes += is_compared(i);
		told += vector_bytes_lost() == 1;
		seen[i] ^= 1;
	}
	return bytes - told;
}

static int64_t tables_lost(void)
{
	see_take_over();
	return memcmp(&turn.before, &turn.after, sizeof turn.before) != 0;
}

/* Else the check above would compare nothing with nothing. */
static int64_t firmware_differs(void)
{
	see_take_over();
	return turn.before.cr3 != cr3_read() && turn.before.idt.base != idt_pointer.base &&
	       turn.before.gdt.base != gdt_pointer.base;
}

static int64_t not_ours(void)
{
	see_take_over();
	return turn.not_ours;
}

static int64_t not_ours_untold(void)
{
	see_take_over();
	return planted_owned() & ~turn.not_ours_before;
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

/* --- interrupts --------------------------------------------------------------------------------------- */

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

#define VECTOR_FIRMWARE 0x71 /* as if it were firmware's */

static bool on_firmwares(struct trap_frame *f, void *arg)
{
	(void)f;
	++*(int64_t *)arg;
	apic_eoi();
	return true;
}

/* What firmware itself waits for comes back requested, though of ours something was requested as well.
 * @return 10 for that, and how many times it comes afterwards */
static int64_t requests_kept(void)
{
	uint64_t flags = leave();
	volatile int64_t came = 0;
	int64_t kept;

	apic_self_ipi(VECTOR_FIRMWARE);
	for (unsigned i = 0; i < 100000 && !apic_requested(VECTOR_FIRMWARE); i++)
		cpu_relax();
	machine_take();
	apic_self_ipi(VECTOR_TEST);
	machine_give_back();
	kept = apic_requested(VECTOR_FIRMWARE) && !apic_requested(VECTOR_TEST) ? 10 : 0;
	/* Firmware does not know it. */
	machine_take();
	trap_set_handler(VECTOR_FIRMWARE, on_firmwares, (void *)&came);
	__asm__ volatile("sti; nop; nop; cli" ::: "memory");
	trap_set_handler(VECTOR_FIRMWARE, NULL, NULL);
	trap_stray_count();
	machine_give_back();
	retake(flags);
	return kept + came;
}

/* --- timers
 * -------------------------------------------------------------------------------------------------- */

#define TIMER_COUNT    0x40000000
#define DIVIDE_BY_1    0xb
#define TIMER_DEADLINE (2u << 17)
#define MSR_DEADLINE   0x6e0

static void wait_us(uint64_t us)
{
	uint64_t start = tsc_read(), ticks = us * (tsc_hz() / 1000) / 1000;

	while (tsc_read() - start < ticks)
		cpu_relax();
}

/* A one-shot timer of firmware's goes on with what was left of its count; in thousandths of that. */
static int64_t timer_goes_on(void)
{
	uint64_t flags = leave();
	uint32_t entry = apic_read(APIC_LVT_TIMER), divide = apic_read(APIC_TIMER_DIVIDE),
		 initial = apic_read(APIC_TIMER_INITIAL);
	uint64_t left, again;

	apic_write(APIC_LVT_TIMER, APIC_LVT_MASKED | VECTOR_FIRMWARE);
	apic_write(APIC_TIMER_DIVIDE, DIVIDE_BY_1);
	apic_write(APIC_TIMER_INITIAL, TIMER_COUNT);
	while (apic_read(APIC_TIMER_CURRENT) > TIMER_COUNT - TIMER_COUNT / 1000)
		cpu_relax();
	left = apic_read(APIC_TIMER_CURRENT);
	machine_take();
	machine_give_back();
	again = apic_read(APIC_TIMER_INITIAL);
	apic_write(APIC_LVT_TIMER, entry);
	apic_write(APIC_TIMER_DIVIDE, divide);
	apic_write(APIC_TIMER_INITIAL, initial);
	retake(flags);
	return again <= left ? (int64_t)(again * 1000 / left) : -1;
}

static int64_t deadline_kept(void)
{
	uint64_t flags = leave(), deadline = tsc_read() + (1ull << 40), again = 0;
	uint32_t entry = apic_read(APIC_LVT_TIMER);

	apic_write(APIC_LVT_TIMER, APIC_LVT_MASKED | TIMER_DEADLINE | VECTOR_FIRMWARE);
	__asm__ volatile("mfence" ::: "memory");
	msr_write(MSR_DEADLINE, deadline);
	machine_take();
	/* As a kernel may use it. */
	apic_write(APIC_LVT_TIMER, APIC_LVT_MASKED | TIMER_DEADLINE | VECTOR_TIMER);
	__asm__ volatile("mfence" ::: "memory");
	msr_write(MSR_DEADLINE, 0);
	machine_give_back();
	msr_read(MSR_DEADLINE, &again);
	msr_write(MSR_DEADLINE, 0);
	apic_write(APIC_LVT_TIMER, entry);
	retake(flags);
	return again == deadline;
}

#define HPET_TIMER     0x100 /* the first; 20H from one to the next */
#define HPET_VALUE     8
#define HPET_INTERRUPT 4u
#define FAR            0x20000000

static volatile uint32_t *hpet_word(unsigned offset)
{
	return (volatile uint32_t *)(acpi.hpet + offset);
}

/* The first comparator's deadline passes meanwhile: then it is 1 ms (hpet.c) from when firmware has it back.
 * Another time it is far ahead, and stays. @return 1 for each */
static int64_t hpet_deadlines(void)
{
	uint64_t flags = leave();
	volatile uint32_t *timer = hpet_word(HPET_TIMER), *value = hpet_word(HPET_TIMER + HPET_VALUE);
	uint32_t timer_before = *timer, value_before = *value;
	bool ran = hpet_start();
	int64_t good = 0;

	for (unsigned far = 0; far < 2; far++) {
		uint32_t deadline = (uint32_t)hpet_counter() + (far ? FAR : (uint32_t)(hpet_hz() / 10000)),
			 from;

		*value = deadline;
		*timer = timer_before | HPET_INTERRUPT;
		machine_take();
		wait_us(200);
		from = (uint32_t)hpet_counter();
		machine_give_back();
		good += far ? *value == deadline
			    : *value - (uint32_t)(hpet_hz() / 1000) - from <= (uint32_t)hpet_counter() - from;
		*timer = timer_before;
	}
	*value = value_before;
	hpet_stop(ran);
	retake(flags);
	return good;
}

static const char *no_free_comparator(void)
{
	if (processor_current() || !hpet_hz())
		return "no HPET, or another processor's";
	return *hpet_word(HPET_TIMER) & (HPET_INTERRUPT | 1u << 14)
		       ? "firmware uses the HPET's first comparator"
		       : NULL;
}

/* --- the interval timer
 * ------------------------------------------------------------------------------------------ */

#define PIT_CHANNEL_0 0x40
#define PIT_CONTROL   0x43
#define PIT_STATUS_0  0xe2
#define PIT_LATCH_0   0x00
#define PIT_GATE      0x61
#define PIT_MODE_BITS 0x3e  /* both bytes, the mode, BCD off */
#define PIT_SLACK     600   /* ticks between two looks */
#define PIT_LOOKS     20000 /* a second: 60 ticks, and twice as many of a square wave */

static void pit_load(uint8_t mode, uint16_t reload)
{
	port_write8(PIT_CONTROL, mode);
	port_write8(PIT_CHANNEL_0, (uint8_t)reload);
	port_write8(PIT_CHANNEL_0, (uint8_t)(reload >> 8));
}

static uint8_t pit_mode(void)
{
	port_write8(PIT_CONTROL, PIT_STATUS_0);
	return port_read8(PIT_CHANNEL_0) & PIT_MODE_BITS;
}

/* What the count begins anew from, less at most PIT_SLACK: between two looks that follow each other closely
 * it was larger at the second. An emulator may be held up between others; after a second of that: the largest
 * count. */
static unsigned pit_reload(void)
{
	unsigned largest = 0, value = 0, before;

	for (uint64_t start = tsc_read(), look = start, last; look - start < tsc_hz();) {
		before = value;
		last = look;
		look = tsc_read();
		port_write8(PIT_CONTROL, PIT_LATCH_0);
		value = port_read8(PIT_CHANNEL_0);
		value |= (unsigned)port_read8(PIT_CHANNEL_0) << 8;
		largest = value > largest ? value : largest;
		if (before && value > before && tsc_read() - last < tsc_hz() / PIT_LOOKS)
			return value;
	}
	return largest;
}

/* Mode and count of the channel that the watchdog borrows, and the gate of the one that may be the clock.
 * @return 1 for each of three */
static int64_t pit_kept(void)
{
	uint64_t flags = leave();
	unsigned reload = pit_reload(), planted = 0x4000, seen_reload;
	uint8_t mode = pit_mode(), gate = port_read8(PIT_GATE);
	int64_t good;

	/* A rate generator, as BIOSes have it, or a square wave if it was one. */
	pit_load(mode == 0x34 ? 0x36 : 0x34, (uint16_t)planted);
	pit_alarm_begin();
	pit_alarm_set(30000);
	pit_alarm_end();
	good = pit_mode() == (mode == 0x34 ? 0x36 : 0x34);
	seen_reload = pit_reload();
	good += seen_reload <= planted && seen_reload + PIT_SLACK > planted;
	for (uint8_t on = 0; on < 2; on++) {
		port_write8(PIT_GATE, (uint8_t)((gate & 0x0c) | on));
		pit_clock_start();
		pit_clock_stop();
		good += (port_read8(PIT_GATE) & 1) == on;
	}
	port_write8(PIT_GATE, gate & 0x0f);
	pit_load(mode, reload > 65500 ? 0 : (uint16_t)reload);
	pit_alarm_begin();
	retake(flags);
	return good;
}

/* --- the watchdog ------------------------------------------------------------------------------------- */

static void hang(void *arg)
{
	(void)arg;
	for (uint64_t start = tsc_read(); tsc_read() - start < tsc_hz();)
		cpu_relax();
}

/* The machine is given back while the watchdog is armed: firmware's timer is as it was, no deadline passes
 * there, and the watchdog works when the machine is taken again. @return 1 for each of three */
static int64_t watchdog_closed(void)
{
	uint64_t flags = leave();
	uint8_t mode = pit_mode();
	struct trap_report report = {0};
	int64_t good;

	retake(flags);
	watchdog_arm(1);
	flags = leave();
	wait_us(3000);
	good = !watchdog_expired();
	good += pit_mode() == mode;
	retake(flags);
	watchdog_arm(2);
	trap_guard(hang, NULL, &report);
	watchdog_disarm();
	return good + (report.vector == TRAP_WATCHDOG);
}

static const char *no_watchdog_here(void)
{
	if (processor_current())
		return "firmware has set up nothing on this processor";
	return strncmp(watchdog_source(), "NMI", 3) ? "the watchdog cannot interrupt with IF = 0 here" : NULL;
}

/* --- what cannot be checked everywhere
 * ----------------------------------------------------------------------------- */

/* Another processor comes into our own tables from the start. */
static const char *no_firmware(void)
{
	return processor_current() ? "firmware has set up nothing on this processor" : NULL;
}

static const char *no_apic(void)
{
	return apic_present() ? NULL : "no local APIC, or firmware left it off";
}

static const char *no_deadline(void)
{
	return apic_present() && cpuid(1, 0).ecx >> 24 & 1 ? NULL : "the CPU has no TSC-deadline timer";
}

#define ONLY(value) (value), (value)

const struct machine_check machine_handover[] = {
	{"hand-over/every register can be given another value", NULL, stubborn_registers, ONLY(0), NULL},
	{"hand-over/firmware's registers are put back", NULL, registers_lost, ONLY(0), NULL},
	{"hand-over/one that is not would be told", NULL, losses_untold, ONLY(0), NULL},
	{"hand-over/firmware's vector registers are put back", "SDM vol. 1, 10.5", vectors_lost, ONLY(0),
	 NULL},
	{"hand-over/a byte that is not would be told", NULL, vector_losses_untold, ONLY(0), NULL},
	{"hand-over/firmware's tables are put back", NULL, tables_lost, ONLY(0), NULL},
	{"hand-over/they were others than ours", NULL, firmware_differs, ONLY(1), no_firmware},
	{"hand-over/while taken all is ours", NULL, not_ours, ONLY(0), NULL},
	{"hand-over/what is not would be told", NULL, not_ours_untold, ONLY(0), NULL},
	{"hand-over/twenty times", NULL, take_again, ONLY(40), NULL},
	{"hand-over/nothing of ours stays requested", NULL, nothing_left_requested, ONLY(0), no_apic},
	{"hand-over/what firmware waits for stays requested", NULL, requests_kept, ONLY(11), no_apic},
	{"hand-over/firmware's one-shot timer goes on", "SDM vol. 3, 10.5.4", timer_goes_on, 900, 1000,
	 no_apic},
	{"hand-over/firmware's TSC deadline stays", "SDM vol. 3, 10.5.4.1", deadline_kept, ONLY(1),
	 no_deadline},
	{"hand-over/firmware's HPET deadlines are still to come", NULL, hpet_deadlines, ONLY(2),
	 no_free_comparator},
	{"hand-over/firmware's interval timer goes on", NULL, pit_kept, ONLY(4), no_firmware},
	{"hand-over/from firmware with shadow stacks", "SDM vol. 1, 17.2", taken_from_shadow_stacks, ONLY(3),
	 no_shadow_stacks},
	{"hand-over/an armed watchdog is closed, and opens again", NULL, watchdog_closed, ONLY(3),
	 no_watchdog_here},
	{NULL, NULL, NULL, 0, 0, NULL},
};
