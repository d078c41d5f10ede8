/*
 * Taking the machine over from firmware and handing it back.
 *
 * Between machine_take() and machine_give_back() the harness owns the boot processor (or another one that it
 * has handed the run to: arch/processors.h): its exception vectors, page tables, control registers and
 * interrupt controller are the harness's, maskable interrupts are held off, firmware must not be called.
 * Everything that is changed is saved first and put back exactly. Taking and giving back may be repeated.
 *
 * x86: GDTR, IDTR, TR, segment registers, CR0, CR3, CR4, XCR0, EFER, PAT, FS/GS base, SYSCALL and SYSENTER
 * MSRs, APIC registers including the timer, x87/SSE/AVX state, 8259 and I/O APIC masks, HPET.
 *
 * Example: an entry that has filled in `boot` runs one function on the machine's own.
 *
 *     machine_set("hpet", 0);
 *     const char *why = machine_init(&boot, room);
 *     if (why)
 *             return could_not_run(why);
 *     machine_take();
 *     measure();
 *     machine_give_back();
 *     write_report();
 */
#ifndef ARCH_MACHINE_H
#define ARCH_MACHINE_H

#include "arch/screen.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A processor as firmware's services have it. */
struct firmware_processor {
	uint64_t id;           /* as struct processor has it (arch/processors.h) */
	bool enabled, healthy; /* by firmware's setup or policy; by its self-test */
};

/** What the entry tells the architecture layer; filled in by boot/, valid for the life of the image. */
struct boot_info {
	/** Allocate zeroed, page-aligned, identity-mapped memory that machine_places allows; NULL if there is
	 * none. Firmware side only. */
	void *(*alloc_pages)(size_t pages);
	void *(*take_pages)(size_t pages); /* the same with whatever is in it; x86 */
	uint64_t rsdp;                     /* physical address of the ACPI RSDP, 0 if none */
	uint64_t smbios;                   /* of its entry point, 0: none is known, and a BIOS is asked */
	uint64_t device_tree;              /* that firmware hands over; 0: none */
	uint64_t memory_top;  /* first address above all memory and MMIO in the firmware's map; at least 4 GiB
			       */
	const char *firmware; /* vendor and revision as text */
	bool alone; /* firmware is not called any more: interrupts stay held off when the machine is given
		       back */
	struct framebuffer framebuffer; /* of the screen; address 0: none, or none that can be drawn on */
	void *breadcrumbs; /* page of arch/breadcrumbs.h, the same one with every start; NULL: none */
	const struct firmware_processor *processors; /* that firmware looks after, the boot processor among
							them; NULL: none is known */
	unsigned n_processors;
	/** Have firmware take one of them back and set it up anew: it was used without firmware. NULL:
	 * nobody will ask for it. @return false if firmware cannot */
	bool (*renew_processor)(unsigned i);
	uint64_t low_page; /* a page that nobody else uses and that other processors can start in (x86: below
			    * 1 MiB); 0: none */
};

/** Where the entry is to look for memory. */
struct machine_places {
	uint64_t highest; /* last byte that alloc_pages() may give (x86: below 4 GiB) */
	uint64_t low;     /* last byte of boot_info.low_page; 0: none is needed */
	uint64_t same[5]; /* for boot_info.breadcrumbs: the first one that is free */
};
extern const struct machine_places machine_places;

/** A setting that only this instruction set has; boot/options.h makes an option of the same name of it. */
struct machine_setting {
	const char *name;
	const char *choices; /* "0|1": one of these words, and its value is its place among them; NULL: a
				number ... */
	uint64_t highest;    /* ... from 0 to this */
	const char *initial; /* as it would be written */
	const char *help;    /* "0: do as if there were no HPET" */
};

/** All of them; name NULL ends. They stand in arch/NAME/settings.def, one SETTING(...) each: the other
 * instruction sets pass them over, as one assay.cfg may serve several. */
extern const struct machine_setting machine_settings[];
#define MACHINE_SETTINGS_MAX 8

/** Set one, before machine_init(); those that are not set have defaults. @return false if there is no such
 * setting */
bool machine_set(const char *name, uint64_t value);

#define MACHINE_REASON 256

/**
 * Allocate tables and stacks, find the firmware's tables, a serial line, timers; calibrate. Called once,
 * before the first take.
 * @return NULL, or one line that says what is missing and what to do: a text that stays, or `room`
 */
const char *machine_init(const struct boot_info *boot, char room[MACHINE_REASON]);

void machine_take(void);
void machine_give_back(void);
bool machine_taken(void);

/** Execute nothing any more. */
_Noreturn void machine_stop(void);

/** Logical CPUs that firmware lists as enabled (x86: in ACPI's MADT); 1 if it has no list. */
unsigned machine_cpu_count(void);

/** Things found out during machine_init() that a user should read, one line each ("no HPET: using the ACPI PM
 * timer"). */
unsigned machine_note_count(void);
const char *machine_note(unsigned i);

#endif
