/*
 * Taking the machine over at EL1 (arch/machine.h): vectors, stacks, translation, interrupt controller,
 * timers, floating point. Firmware's are put back as they were.
 */
#include "arch/machine.h"

#include "arch/console.h"
#include "arch/masking.h"
#include "arch/timer.h"
#include "arch/watchdog.h"
#include "arch/aarch64/board.h"
#include "arch/aarch64/el2.h"
#include "arch/aarch64/gic.h"
#include "arch/aarch64/identity.h"
#include "arch/aarch64/mmu.h"
#include "arch/aarch64/processors.h"
#include "arch/aarch64/serial.h"
#include "arch/aarch64/system.h"
#include "arch/aarch64/trap.h"
#include "arch/aarch64/watchdog.h"

#include <string.h>

#define NOTES 4

/* CPACR_EL1.FPEN: no level's use of vector registers is trapped; nor is that of SVE (ZEN). D13.2.29. */
#define CPACR_FPEN (UINT64_C(3) << 20)
#define CPACR_ZEN  (UINT64_C(3) << 16)
/* CNTKCTL_EL1: EL0 may read the counters. D13.8.15. */
#define CNTKCTL_EL0 UINT64_C(3)

void window_memory(void *(*alloc_pages)(size_t n));

static bool taken;
static const char *notes[NOTES];
static unsigned n_notes;

static struct {
	uint64_t daif, cpacr, cntkctl, cntv_ctl, cntv_cval, cntp_ctl, cntp_cval, mdscr, tpidr, elr, spsr,
		locked;
} firmware;

const struct machine_setting machine_settings[] = {
#define SETTING(name, choices, highest, initial, help) {name, choices, highest, initial, help},
#include "arch/aarch64/settings.def"
	{0},
};

bool machine_set(const char *name, uint64_t value)
{
	if (strcmp(name, "fiq"))
		return false;
	gic_use_fiqs(value);
	return true;
}

static void note(const char *text)
{
	if (n_notes < NOTES)
		notes[n_notes++] = text;
}

unsigned machine_note_count(void)
{
	return n_notes;
}

const char *machine_note(unsigned i)
{
	return notes[i];
}

/* Whoever starts without firmware has read its device tree already. */
static void find_board(const struct boot_info *boot)
{
	static struct board board;

	if (boot->rsdp)
		board_read_acpi(boot->rsdp, &board);
	if (!gic_place.version && boot->device_tree)
		board_read((const void *)(uintptr_t)boot->device_tree, &board);
	/* Of a redistributor that is not this processor's nothing can be had. */
	if (gic_place.version == 3 && !gic_place_redistributor(SYS_READ(mpidr_el1)))
		gic_place.version = 0;
	identity_smbios_emulated = board_smbios_emulated(boot->smbios);
}

const struct machine_places machine_places = {
	.highest = UINT64_MAX,
	/* Of boards whose memory begins at 1 GiB, at 2 GiB, at 0. */
	.same = {0x48000000, 0x88000000, 0x8000000, 0x50000000, 0x90000000},
};

const char *machine_init(const struct boot_info *boot, char room[MACHINE_REASON])
{
	const char *why = el2_refusal();

	(void)room;
	if (why)
		return why;
	if (boot->alone)
		__asm__ volatile("msr daifset, #3" : : : "memory");
	find_board(boot);
	if (system_at_el2())
		note("firmware runs at EL2: the machine is taken over at EL1");
	window_memory(boot->alloc_pages);
	if (!trap_init(boot->alloc_pages) || !processors_init(boot->alloc_pages))
		return "not enough memory for stacks; use a bigger machine";
	why = mmu_init(boot->alloc_pages);
	if (why)
		return why;
	if (!gic_place.version)
		note("firmware's tables name no interrupt controller that is known: nothing interrupts, and "
		     "a check that hangs is "
		     "not ended");
	else if (!gic_uses_fiqs())
		note("fiq=0: a check that hangs with interrupts held off is not ended");
	else if (!gic_has_fiq())
		note("this interrupt controller delivers no FIQs: a check that hangs with interrupts held "
		     "off is not ended");
	if (!SYS_READ(cntfrq_el0))
		note("CNTFRQ_EL0 is 0: times are a guess");
	return NULL;
}

void machine_take(void)
{
	if (taken)
		return;
	firmware.daif = SYS_READ(daif);
	__asm__ volatile("msr daifset, #0xf" : : : "memory");
	el2_take();
	firmware.cpacr = SYS_READ(cpacr_el1);
	firmware.cntkctl = SYS_READ(cntkctl_el1);
	firmware.mdscr = SYS_READ(mdscr_el1);
	firmware.tpidr = SYS_READ(tpidr_el1);
	firmware.elr = SYS_READ(elr_el1);
	firmware.spsr = SYS_READ(spsr_el1);
	firmware.locked = SYSTEM_OS_LOCKED();
	firmware.cntv_ctl = SYS_READ(cntv_ctl_el0);
	firmware.cntv_cval = SYS_READ(cntv_cval_el0);
	firmware.cntp_ctl = SYS_READ(cntp_ctl_el0);
	firmware.cntp_cval = SYS_READ(cntp_cval_el0);
	mmu_take();
	trap_take();
	gic_take();
	SYS_WRITE(cpacr_el1, firmware.cpacr | CPACR_FPEN | CPACR_ZEN);
	SYS_WRITE(cntkctl_el1, firmware.cntkctl | CNTKCTL_EL0);
	/* The OS lock holds software step off. */
	SYS_WRITE(oslar_el1, 0);
	SYS_WRITE(cntp_ctl_el0, 0);
	timer_stop();
	timer_begin();
	taken = true;
	/* SErrors and FIQs come; IRQs are held off. */
	__asm__ volatile("msr daifclr, #5" : : : "memory");
}

void machine_give_back(void)
{
	if (!taken)
		return;
	masking_end();
	watchdog_disarm();
	timer_stop();
	__asm__ volatile("msr daifset, #0xf" : : : "memory");
	taken = false;
	gic_give_back();
	trap_give_back();
	mmu_give_back();
	SYS_WRITE(cntv_cval_el0, firmware.cntv_cval);
	SYS_WRITE(cntv_ctl_el0, firmware.cntv_ctl);
	SYS_WRITE(cntp_cval_el0, firmware.cntp_cval);
	SYS_WRITE(cntp_ctl_el0, firmware.cntp_ctl);
	SYS_WRITE(cntkctl_el1, firmware.cntkctl);
	SYS_WRITE(cpacr_el1, firmware.cpacr);
	SYS_WRITE(mdscr_el1, firmware.mdscr);
	SYS_WRITE(tpidr_el1, firmware.tpidr);
	SYS_WRITE(oslar_el1, firmware.locked);
	SYS_WRITE(elr_el1, firmware.elr);
	SYS_WRITE(spsr_el1, firmware.spsr);
	el2_give_back();
	SYS_WRITE(daif, firmware.daif);
}

bool machine_taken(void)
{
	return taken;
}

_Noreturn void machine_stop(void)
{
	__asm__ volatile("msr daifset, #0xf");
	for (;;)
		__asm__ volatile("wfi");
}

_Noreturn void machine_halt_now(void)
{
	serial_give_back();
	semihosting_exit(2);
	machine_stop();
}

unsigned machine_cpu_count(void)
{
	return machine_cpus ? machine_cpus : 1;
}

unsigned machine_cpus;
