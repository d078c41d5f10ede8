#include "arch/machine.h"
#include "arch/x86/machine/machine_internal.h"

#include "arch/breadcrumbs.h"
#include "arch/x86/machine/acpi.h"
#include "arch/x86/interrupts/apic.h"
#include "arch/x86/interrupts/apic_internal.h"
#include "arch/console.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "arch/second_cpu.h"
#include "arch/x86/machine/cpu_state.h"
#include "arch/x86/machine/descriptors.h"
#include "arch/x86/machine/held_registers.h"
#include "arch/x86/time/hpet.h"
#include "arch/x86/interrupts/irq_chips.h"
#include "arch/x86/machine/mtrr.h"
#include "arch/x86/machine/notes.h"
#include "arch/x86/machine/paging.h"
#include "arch/x86/machine/paging_internal.h"
#include "arch/x86/machine/platform_watchdog.h"
#include "arch/x86/machine/survey.h"
#include "arch/x86/processors/processors_internal.h"
#include "arch/x86/console/serial.h"
#include "arch/time.h"
#include "arch/x86/time/time_internal.h"
#include "arch/x86/time/tsc_rate.h"
#include "arch/x86/exceptions/trap_internal.h"
#include "arch/x86/exceptions/user_internal.h"
#include "arch/x86/exceptions/watchdog_internal.h"

#include <stdio.h>
#include <string.h>

#define PAGE_BYTES      4096
#define INTERRUPT_STACK 0x4000
#define GUARD_STACK     0x40000

static bool ready, taken;
static bool joined; /* another processor has the run: devices and the screen are the boot processor's */
static uint64_t firmware_flags, boot_flags;

static struct {
	uint16_t serial_port;
	bool x2apic, no_hpet;
} wanted;

bool machine_set(const char *name, uint64_t value)
{
	if (!strcmp(name, "serial"))
		wanted.serial_port = (uint16_t)value;
	else if (!strcmp(name, "x2apic"))
		wanted.x2apic = value;
	else if (!strcmp(name, "hpet"))
		wanted.no_hpet = !value;
	else
		return false;
	return true;
}

bool machine_taken(void)
{
	return taken;
}

unsigned machine_cpu_count(void)
{
	return acpi.cpus ? acpi.cpus : 1;
}

static bool stacks_create(void)
{
	uint8_t *low;

	for (unsigned i = 0; i < IST_COUNT; i++) {
		if (!(low = stack_create(INTERRUPT_STACK)))
			return false;
		tss.ist[i] = (uintptr_t)low + INTERRUPT_STACK;
	}
	if (!(low = stack_create(GUARD_STACK)))
		return false;
	trap_set_stack(low, low + GUARD_STACK);
	return true;
}

static void find_devices(const struct boot_info *boot)
{
	if (!serial_init(wanted.serial_port)) {
		if (wanted.serial_port)
			note_add("no serial port answers at 0x%x: screen and report files only",
				 wanted.serial_port);
		else
			note_add("no serial port at 0x3f8 or 0x2f8: screen and report files only; "
				 "serial=PORT names another");
	}
	acpi_read(boot->rsdp, boot->memory_top);
	survey_init(boot->smbios, boot->memory_top);
	platform_watchdogs_note();
	irq_chips_find();
	if (wanted.no_hpet)
		acpi.hpet = 0;
	if (!hpet_init(acpi.hpet) && acpi.hpet)
		note_add("the HPET at 0x%lx does not answer as one: not used", (unsigned long)acpi.hpet);
	apic_detect();
	if (!apic_present())
		note_add("no local APIC, or firmware left it off: no interrupt can be tested");
	else if (wanted.x2apic && !apic_is_x2() && !apic_enable_x2())
		note_add("x2APIC was asked for, but the CPU has none: xAPIC is used");
	else if (wanted.x2apic)
		note_add("x2APIC mode is on, and stays on after the run");
}

const struct machine_places machine_places = {
	.highest = 0xffffffff,
	.low = 0x9ffff,
	.same = {64 << 20, 32 << 20, 16 << 20, 128 << 20, 48 << 20},
};

static void try_interrupts(void *arg)
{
	(void)arg;
	apic_timer_calibrate();
	watchdog_choose();
}

/* Write-combining. A framebuffer that page tables do not reach is left alone. */
static void map_screen(const struct framebuffer *f)
{
	uintptr_t begin = f->address / PAGE_BYTES * PAGE_BYTES;
	uint64_t end = f->address + (uint64_t)f->height * f->pitch;

	if (!f->address)
		return;
	if (page_protect((void *)begin, (end - begin + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES,
			 PAGE_WRITE | PAGE_WC))
		screen_open(f);
	else
		note_add("the framebuffer at 0x%lx cannot be mapped: the screen is not used",
			 (unsigned long)f->address);
}

static uint64_t tsc_told(const char **source)
{
	return tsc_rate(cpuid, msr_read, source);
}

const char *machine_init(const struct boot_info *boot, char room[MACHINE_REASON])
{
	struct trap_report report;

	struct held_registers held = {0};

	if (ready)
		return NULL;
	if (boot->alone)
		__asm__ volatile("cli");
	if (held_change(&held, HELD_CPUID_LIMIT, msr_read_early))
		note_add("firmware limits CPUID to its first leaves (IA32_MISC_ENABLE[22]): lifted for the "
			 "run");
	find_devices(boot);
	if (!paging_build(boot) || !stacks_create() || !user_init() || !cpu_state_init(boot->alloc_pages))
		return "too little memory below 4 GiB for page tables and stacks: give the machine at least "
		       "64 MiB more";
	map_screen(&boot->framebuffer);
	/* What is stored there is not to wait in a cache. Where it cannot be had, little is lost. */
	if (boot->breadcrumbs)
		page_protect(boot->breadcrumbs, BREADCRUMBS_BYTES, PAGE_WRITE | PAGE_UC);
	descriptors_init();
	processors_init(boot);
	time_calibrate(tsc_told);
	held_put_back(&held, HELD_CPUID_LIMIT); /* each take-over lifts it */
	if (strcmp(clock_reference(), "HPET") && strcmp(clock_reference(), "none"))
		note_add("no HPET%s: time base is the %s", wanted.no_hpet ? " (as asked for)" : "",
			 clock_reference());
	ready = true;
	machine_take();
	bool ok = trap_guard(try_interrupts, NULL, &report);
	machine_give_back();
	if (ok)
		return NULL;
	snprintf(room, MACHINE_REASON, "setting up interrupts failed: %s; send the dump above to the authors",
		 report.text);
	return room;
}

void machine_take(void)
{
	if (taken || !ready)
		return;
	firmware_flags = interrupts_mask();
	time_begin();
	cpu_state_take();
	if (!joined) {
		irq_chips_take();
		hpet_take();
	}
	apic_take();
	taken = true;
}

void machine_give_back(void)
{
	if (!taken)
		return;
	__asm__ volatile("cli" ::: "memory");
	screen_draw();
	watchdog_give_back();
	second_cpu_dismiss();
	apic_give_back();
	if (!joined) {
		hpet_give_back();
		irq_chips_give_back();
	}
	taken = false;
	cpu_state_give_back();
	if (joined)
		return;
	interrupts_restore(firmware_flags);
	console_flush_screen();
}

_Noreturn void machine_stop(void)
{
	for (;;)
		__asm__ volatile("hlt");
}

static void choose_watchdog(void *arg)
{
	(void)arg;
	watchdog_move(true);
}

bool machine_join(void)
{
	if (!apic_join())
		return false;
	boot_flags = firmware_flags;
	joined = true;
	taken = false;
	machine_take();
	mtrrs_adopt();
	trap_guard(choose_watchdog, NULL, NULL);
	return true;
}

static void rejoin(void)
{
	watchdog_move(false);
	firmware_flags = boot_flags;
	joined = false;
	taken = true;
}

void machine_part(void)
{
	machine_give_back();
	rejoin();
}

void machine_abandon(void)
{
	trap_abandon();
	second_cpu_dismiss();
	if (taken) {
		watchdog_give_back();
		apic_forget();
		cpu_state_forget();
	}
	rejoin();
}
