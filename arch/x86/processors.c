#include "arch/x86/processors.h"
#include "arch/x86/processors_internal.h"

#include "arch/x86/acpi.h"
#include "arch/x86/apic.h"
#include "arch/x86/apic_internal.h"
#include "arch/x86/cpu.h"
#include "arch/x86/cpu_state.h"
#include "arch/x86/cpuid.h"
#include "arch/x86/descriptors.h"
#include "arch/x86/machine.h"
#include "arch/x86/machine_internal.h"
#include "arch/x86/mtrr.h"
#include "arch/x86/notes.h"
#include "arch/x86/paging.h"
#include "arch/x86/paging_internal.h"
#include "arch/x86/time.h"
#include "arch/x86/trap.h"
#include "arch/x86/watchdog_internal.h"

#include <stdio.h>
#include <string.h>

#define RUN_STACK    0x10000
#define PAGE         4096
#define LOW_END      0x100000
#define PARK_VECTORS 19 /* up to machine check */

/* SDM vol. 3, 8.4.4.1: from INIT to the start-up IPI, and from that to the second one. */
#define INIT_US    10000
#define STARTUP_US 200
#define GAP_US     10000
#define ARRIVAL_US 2000000 /* no processor takes so long, however busy an emulator's host is */

#define CR4_PAE  (1ull << 5)
#define CR4_VMXE (1ull << 13)
#define CR4_SMXE (1ull << 14)
#define EFER_LME (1ull << 8)

/* processors.S */
extern uint8_t trampoline[], trampoline_stack[], trampoline_entry[], trampoline_cr3[], trampoline_cr4[],
	trampoline_efer[], trampoline_end[];
void park(volatile uint32_t waiting[2]);
extern const uint8_t park_woken[];
extern struct descriptor_pointer park_idt_pointer;
struct descriptor_pointer park_idt_pointer;

static struct idt_gate park_idt[PARK_VECTORS] __attribute__((aligned(16)));
static uint64_t page; /* of the start-up code; 0: there is none */
static uint8_t *run_stack;
static uint32_t boot_id;

/* What goes from one processor to the other. Times differ between them: only the boot processor's clock is
 * read. */
static struct {
	unsigned number;
	uint32_t apic_id;
	void (*fn)(void *);
	void *arg;
	uint64_t cr4;
	volatile bool arrived, proceed, refused;
	volatile uint32_t waiting[2];
} turn;
static unsigned current;

/* --- the list --------------------------------------------------------------------------------------- */

/* Where the boot processor stands in ACPI's list; behind its end if it is not there. */
static unsigned boot_place(void)
{
	unsigned i = 0;

	while (i < acpi.n_processors && acpi.processor[i].apic_id != boot_id)
		i++;
	return i;
}

unsigned processor_count(void)
{
	return acpi.n_processors + (boot_place() == acpi.n_processors);
}

struct processor processor_at(unsigned number)
{
	unsigned boot = boot_place();
	unsigned i = number <= boot ? number - 1 : number;

	return number ? (struct processor){acpi.processor[i].apic_id, acpi.processor[i].enabled}
		      : (struct processor){boot_id, true};
}

unsigned processor_current(void)
{
	return current;
}

/* --- the start-up code ------------------------------------------------------------------------------ */

static void fill(const uint8_t *label, const void *value, size_t size)
{
	memcpy((uint8_t *)page + (label - trampoline), value, size);
}

static _Noreturn void arrive(void)
{
	idt_load(&park_idt_pointer);
	turn.arrived = true;
	while (!turn.proceed)
		cpu_relax();
	cr4_write(turn.cr4);
	if (machine_join()) {
		current = turn.number;
		turn.fn(turn.arg);
		current = 0;
		machine_part();
	} else {
		turn.refused = true;
	}
	turn.waiting[0] = 1;
	apic_send_nmi(boot_id);
	for (;;)
		__asm__ volatile("cli; hlt");
}

void processors_init(uint64_t low_page)
{
	uint64_t top, entry = (uint64_t)arrive;
	uint32_t cr3 = (uint32_t)paging_root();
	uint32_t cr4 = CR4_PAE | (uint32_t)(cr4_read() & CR4_LA57);
	uint32_t efer = EFER_LME | (cpu_has(CPU_NX) ? EFER_NXE : 0);

	boot_id = apic_id();
	for (unsigned v = 0; v < PARK_VECTORS; v++)
		if (v == VECTOR_NMI || v == VECTOR_MC)
			gate_set(&park_idt[v], park_woken, GATE_INTERRUPT, 0);
	park_idt_pointer = (struct descriptor_pointer){sizeof park_idt - 1, (uint64_t)park_idt};

	if (processor_count() < 2 || !apic_present() || !low_page || low_page + PAGE > LOW_END)
		return;
	run_stack = stack_create(RUN_STACK);
	if (!run_stack)
		return;
	page = low_page;
	memcpy((void *)page, trampoline, (size_t)(trampoline_end - trampoline));
	top = (uint64_t)run_stack + RUN_STACK;
	fill(trampoline_stack, &top, sizeof top);
	fill(trampoline_entry, &entry, sizeof entry);
	fill(trampoline_cr3, &cr3, sizeof cr3);
	fill(trampoline_cr4, &cr4, sizeof cr4);
	fill(trampoline_efer, &efer, sizeof efer);
	if (!page_protect((void *)page, PAGE, PAGE_EXEC))
		page = 0;
}

/* --- a turn ----------------------------------------------------------------------------------------- */

/* In a virtual machine that its host has stopped for a while no processor ran meanwhile: of a gap in the time
 * only a part counts. */
static bool arrived_within(uint64_t us)
{
	uint64_t last = tsc_read(), left = tsc_hz() / 1000000 * us, most = tsc_hz() / 1000000 * GAP_US;

	while (!turn.arrived && left) {
		uint64_t now = tsc_read(), gap = now - last < most ? now - last : most;

		left -= gap < left ? gap : left;
		last = now;
		cpu_relax();
	}
	return turn.arrived;
}

static bool start(const char **why)
{
	if (!apic_reaches(turn.apic_id)) {
		*why = apic_present() ? "its APIC ID needs x2APIC mode, which firmware left off (x2apic=1)"
				      : "there is no local APIC to start it with";
		return false;
	}
	if (!page) {
		*why = "there was no memory for its start: a page below 1 MiB, and a stack";
		return false;
	}
	apic_send_init(turn.apic_id);
	arrived_within(INIT_US);
	apic_send_startup(turn.apic_id, (uint8_t)(page / PAGE));
	if (!arrived_within(STARTUP_US))
		apic_send_startup(turn.apic_id, (uint8_t)(page / PAGE));
	if (arrived_within(ARRIVAL_US))
		return true;
	*why = "nothing answers at this APIC ID";
	apic_send_init(turn.apic_id); /* one that is late is not to come in the middle of something else */
	return false;
}

bool processor_run(unsigned number, void (*fn)(void *), void *arg, const char **why)
{
	static char text[128];
	struct processor p = processor_at(number);
	const char *reason;

	if (!number) {
		fn(arg);
		return true;
	}
	memset((void *)&turn, 0, sizeof turn);
	turn.number = number;
	turn.apic_id = p.apic_id;
	turn.fn = fn;
	turn.arg = arg;
	turn.cr4 = cr4_read() & ~(CR4_VMXE | CR4_SMXE);
	mtrrs_keep();
	cpu_state_keep();
	watchdog_give_back();
	if (!p.enabled) {
		reason = "firmware has not enabled it";
	} else if (start(&reason)) {
		turn.proceed = true;
		park(turn.waiting);
		apic_send_init(turn.apic_id);
		reason =
			turn.refused ? "its local APIC is in x2APIC mode, the boot processor's is not" : NULL;
	}
	if (!reason)
		return true;
	snprintf(text, sizeof text, "processor %u (APIC ID %u) did not start: %s", number,
		 (unsigned)p.apic_id, reason);
	*why = text;
	return false;
}
