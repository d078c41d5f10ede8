#include "arch/processors.h"
#include "arch/x86/processors/processors_internal.h"

#include "arch/x86/interrupts/apic.h"
#include "arch/x86/interrupts/apic_internal.h"
#include "arch/console.h"
#include "arch/second_cpu.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/machine/cpu_state.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/topology.h"
#include "arch/x86/machine/descriptors.h"
#include "arch/machine.h"
#include "arch/x86/machine/machine_internal.h"
#include "arch/x86/machine/mtrr.h"
#include "arch/x86/machine/notes.h"
#include "arch/x86/machine/paging.h"
#include "arch/x86/machine/paging_internal.h"
#include "arch/x86/time/tsc.h"
#include "arch/x86/exceptions/trap.h"
#include "arch/watchdog.h"
#include "arch/x86/exceptions/watchdog_internal.h"

#include <stdio.h>
#include <string.h>

#define RUN_STACK    0x10000
#define PAGE         4096
#define LOW_END      0x100000
#define PARK_VECTORS 256
#define IDLE_VECTORS 19 /* up to machine check */
#define IDLE_STACK   256

/* SDM vol. 3, 8.4.4.1: from INIT to the start-up IPI, and from that to the second one. */
#define INIT_US    10000
#define STARTUP_US 200
#define GAP_US     10000
#define ARRIVAL_US 2000000 /* no processor takes so long, however busy an emulator's host is */
#define SILENT_MAX 5       /* after so many that did not answer in a row the wait gets no shorter */
#define RETURN_US  5000000 /* for one that was called back */

#define CR4_MCE  (1ull << 6)
#define CR4_VMXE (1ull << 13)
#define CR4_SMXE (1ull << 14)
#define EFER_LME (1ull << 8)

#ifdef __i386__
#define LONG_MODE     0
#define STACK_POINTER "esp"
#else
#define LONG_MODE     EFER_LME
#define STACK_POINTER "rsp"
#endif

/* processors.S */
extern uint8_t trampoline[], trampoline_entry[], trampoline_cr3[], trampoline_cr4[], trampoline_efer[],
	trampoline_begun[], trampoline_end[], landing[];
extern uint64_t landing_stack;
extern void (*landing_entry)(void);
uint64_t landing_stack;
void (*landing_entry)(void);
void park(void);
extern const uint8_t park_on_nmi[], park_on_interrupt[];
extern volatile struct park_state {
	uint32_t done; /* the other processor's turn is over, and all that it sends is an NMI */
	uint32_t nmis, interrupts;
} park_state;
volatile struct park_state park_state;
_Static_assert(offsetof(struct park_state, done) == PARK_DONE, "");
_Static_assert(offsetof(struct park_state, nmis) == PARK_NMIS, "");
_Static_assert(offsetof(struct park_state, interrupts) == PARK_INTERRUPTS, "");
static struct descriptor_pointer park_idt_pointer;

static struct idt_gate park_idt[PARK_VECTORS] __attribute__((aligned(16)));

/* Of those that rest. What an NMI puts onto the stack that they share is the same for each. */
static struct descriptor_pointer idle_idt_pointer;
static struct idt_gate idle_idt[IDLE_VECTORS] __attribute__((aligned(16)));
static uint8_t idle_stack[IDLE_STACK] __attribute__((aligned(64)));
static volatile uint32_t at_rest;
static bool rests[PROCESSORS_MAX];
static const struct boot_info *boot_info;
static uint64_t page; /* of the start-up code; 0: there is none */
static uint8_t *run_stack;

/* What goes from one processor to the other. Times differ between them: only the boot processor's clock is
 * read. */
static struct {
	unsigned number;
	uint32_t apic_id;
	void (*fn)(void *);
	void *arg;
	uint64_t cr4;
	volatile uint32_t arrived;
	volatile bool proceed, refused, recalled, broken;
	struct trap_report report; /* of what broke it off */
	char why[192];             /* it was not given, or broken off */
} turn;
static unsigned current;

static struct {
	unsigned number, turns; /* 0 turns: none misbehaves */
	enum processor_fault fault;
} spoilt;

unsigned processor_current(void)
{
	return current;
}

/* --- the start-up code ------------------------------------------------------------------------------ */

static void fill(const uint8_t *label, const void *value, size_t size)
{
	memcpy((uint8_t *)(uintptr_t)page + (label - trampoline), value, size);
}

/* --- misbehaviour ----------------------------------------------------------------------------------- */

void processor_spoil(unsigned number, enum processor_fault fault, unsigned turn)
{
	spoilt.number = number;
	spoilt.fault = fault;
	spoilt.turns = turn;
}

static bool spoilt_by(enum processor_fault fault)
{
	return spoilt.turns == 1 && spoilt.number == turn.number && spoilt.fault == fault;
}

static bool halt_in_nmi(struct trap_frame *f, void *arg)
{
	(void)f, (void)arg;
	while (true)
		__asm__ volatile("cli; hlt");
	return true;
}

static void run_turn(void *arg)
{
	(void)arg;
	if (spoilt_by(PROCESSOR_FAULTS))
		__asm__ volatile("ud2");
	while (spoilt_by(PROCESSOR_HANGS))
		__asm__ volatile("cli; hlt");
	if (spoilt_by(PROCESSOR_IS_DEAF)) {
		trap_set_handler(VECTOR_NMI, halt_in_nmi, NULL);
		for (apic_self_nmi();;)
			cpu_relax();
	}
	turn.fn(turn.arg);
}

/* --- on the other processor ------------------------------------------------------------------------- */

bool processor_recalled(void)
{
	return current && turn.recalled;
}

static void arrive(void)
{
	idt_load(&park_idt_pointer);
	while (spoilt_by(PROCESSOR_IS_LATE))
		cpu_relax();
	turn.arrived = 1;
	while (!turn.proceed)
		cpu_relax();
	cr4_write(turn.cr4);
	if (machine_join()) {
		current = turn.number;
		turn.broken = !trap_guard(run_turn, NULL, &turn.report);
		current = 0;
		machine_part();
	} else {
		turn.refused = true;
	}
	park_state.done = 1;
	apic_send_nmi(processor_at(0).id);
	processor_rest();
}

void processor_idle_idt(void)
{
	idt_load(&idle_idt_pointer);
}

/* A machine check that all are told of is one more interrupt then, and no shutdown. */
void processor_rest(void)
{
	processor_idle_idt();
	cr4_write(cr4_read() | CR4_MCE);
	__asm__ volatile("mov %0, %%" STACK_POINTER "\n\t"
			 "movl $1, %1\n"
			 "1:\tcli\n\t"
			 "hlt\n\t"
			 "jmp 1b" ::"r"(idle_stack + IDLE_STACK),
			 "m"(at_rest)
			 : "memory");
	__builtin_unreachable();
}

void processors_init(const struct boot_info *boot)
{
	uint64_t low_page = boot->low_page;
	uintptr_t entry = (uintptr_t)landing;
	uint32_t cr3 = (uint32_t)paging_root();
	uint32_t cr4 = CR4_PAE | (uint32_t)(cr4_read() & CR4_LA57);
	uint32_t efer = LONG_MODE | (cpu_has(CPU_NX) ? EFER_NXE : 0);

	boot_info = boot;
	processors_list(apic_id(), boot);
	for (unsigned v = 0; v < PARK_VECTORS; v++)
		if (v == VECTOR_NMI || v == VECTOR_MC || v >= 32)
			gate_set(&park_idt[v],
				 v == VECTOR_SPURIOUS ? park_on_nothing
				 : v >= 32            ? park_on_interrupt
						      : park_on_nmi,
				 GATE_INTERRUPT, 0);
	for (unsigned v = VECTOR_NMI; v < IDLE_VECTORS; v++)
		if (v == VECTOR_NMI || v == VECTOR_MC)
			gate_set(&idle_idt[v], park_on_nothing, GATE_INTERRUPT, 0);
	idle_idt_pointer = (struct descriptor_pointer){sizeof idle_idt - 1, (uintptr_t)idle_idt};
	park_idt_pointer = (struct descriptor_pointer){sizeof park_idt - 1, (uintptr_t)park_idt};

	if (processor_count() < 2 || !apic_present() || !low_page || low_page + PAGE > LOW_END)
		return;
	run_stack = stack_create(RUN_STACK);
	if (!run_stack)
		return;
	page = low_page;
	memcpy((void *)(uintptr_t)page, trampoline, (size_t)(trampoline_end - trampoline));
	fill(trampoline_entry, &entry, sizeof entry);
	fill(trampoline_cr3, &cr3, sizeof cr3);
	fill(trampoline_cr4, &cr4, sizeof cr4);
	fill(trampoline_efer, &efer, sizeof efer);
	if (!page_protect((void *)(uintptr_t)page, PAGE, PAGE_EXEC))
		page = 0;
	others_init(processor_count());
}

/* --- a turn ----------------------------------------------------------------------------------------- */

/* In a virtual machine that its host has stopped for a while no processor ran meanwhile: of a gap in the time
 * only a part counts. */
static bool within(volatile uint32_t *arrived, uint64_t us)
{
	uint64_t last = tsc_read(), left = tsc_hz() / 1000000 * us, most = tsc_hz() / 1000000 * GAP_US;

	while (!*arrived && left) {
		uint64_t now = tsc_read(), gap = now - last < most ? now - last : most;

		left -= gap < left ? gap : left;
		last = now;
		cpu_relax();
	}
	return *arrived;
}

/* So many in a row did not answer. Firmware may list many that are not there: for each one the wait is half
 * of the one before, so that it comes to an end. One that began has all of its time. */
static unsigned silent;

static uint32_t begun(void)
{
	return *(volatile uint32_t *)(uintptr_t)(page + (uint64_t)(trampoline_begun - trampoline));
}

bool processor_launch(uint32_t id, void (*entry)(void), uint8_t *stack_end, volatile uint32_t *arrived,
		      const char **why)
{
	uint32_t before;

	if (!apic_reaches(id)) {
		*why = apic_present() ? "its APIC ID needs x2APIC mode, which firmware left off (x2apic=1)"
				      : "there is no local APIC to start it with";
		return false;
	}
	if (!page) {
		*why = "there was no memory for its start: a page below 1 MiB, and a stack";
		return false;
	}
	landing_entry = entry;
	landing_stack = (uintptr_t)stack_end;
	*arrived = 0;
	before = begun();
	apic_send_init(id);
	within(arrived, INIT_US);
	apic_send_startup(id, (uint8_t)(page / PAGE));
	if (!within(arrived, STARTUP_US))
		apic_send_startup(id, (uint8_t)(page / PAGE));
	if (within(arrived, ARRIVAL_US >> silent) || (begun() != before && within(arrived, ARRIVAL_US))) {
		silent = 0;
		return true;
	}
	if (begun() != before) {
		*why = "it began, and did not come within 2 s";
	} else {
		*why = "nothing answers at this APIC ID";
		silent += silent < SILENT_MAX;
	}
	apic_send_init(id); /* one that is late is not to come in the middle of something else */
	return false;
}

bool processor_awaits(volatile uint32_t *word, uint32_t value, bool equal)
{
	for (unsigned i = 0; i < ARRIVAL_US / GAP_US; i++)
		for (uint64_t end = tsc_read() + tsc_hz() / 1000000 * GAP_US;
		     (int64_t)(end - tsc_read()) > 0;) {
			if ((*word == value) == equal)
				return true;
			cpu_relax();
		}
	return false;
}

void processor_put_to_rest(unsigned number, bool asked)
{
	const char *why;

	rests[number] = (asked && processor_awaits(&at_rest, 1, true)) ||
			processor_launch(processor_at(number).id, processor_rest, idle_stack + IDLE_STACK,
					 &at_rest, &why);
	at_rest = 0;
}

/* By firmware that was left out: where it wakes its processors from MWAIT, one that waits for a start-up IPI
 * would never come again. */
static void renew(uint32_t id)
{
	if (!boot_info->renew_processor || !processors_listed_alike())
		return;
	for (unsigned i = 0; i < boot_info->n_processors; i++)
		if (boot_info->processors[i].id == id && !boot_info->renew_processor(i))
			console_text("firmware cannot take the processor with APIC ID %u back\n",
				     (unsigned)id);
}

bool processors_dismiss(void)
{
	uint64_t flags = interrupts_mask();

	for (unsigned i = 0; i < PROCESSORS_MAX; i++)
		if (rests[i])
			apic_send_init(processor_at(i).id);
	interrupts_restore(flags);
	for (unsigned i = 0; i < PROCESSORS_MAX; i++)
		if (rests[i])
			renew(processor_at(i).id);
	memset(rests, 0, sizeof rests);
	return true;
}

static struct cpuid_regs own_cpuid(const void *context, uint32_t leaf, uint32_t subleaf)
{
	(void)context;
	return cpuid(leaf, subleaf);
}

bool processor_shares_core(unsigned number)
{
	uint8_t bits = core_thread_bits(own_cpuid, NULL);

	return bits && processor_at(number).id >> bits == processor_at(current).id >> bits;
}

/* Wait until the turn is over, or an APIC timer's time. @return whether it is over */
static bool parked_until_done(uint64_t us)
{
	bool over;

	park_state.interrupts = 0;
	if (us && apic_timer_hz()) {
		apic_write(APIC_LVT_TIMER, VECTOR_TIMER);
		apic_timer_alarm(us);
	}
	do {
		park();
		over = park_state.done && park_state.nmis;
		if (park_state.interrupts) {
			park_state.interrupts = 0;
			apic_eoi();
		}
	} while (!over && us && apic_read(APIC_TIMER_CURRENT));
	apic_timer_oneshot(0);
	return over;
}

/* Two silences, each of half the time: in a virtual machine that its host has stopped for a while, time
 * passes once. @return false if nothing more is to be expected */
static bool wait_for_turn(void)
{
	unsigned silent = 0;

	while (silent < 2) {
		unsigned signs = watchdog_signs();
		uint64_t most = watchdog_allowance() * 1000ull + PROCESSOR_SILENCE_S * 1000000ull;

		if (parked_until_done(most / 2))
			return true;
		silent = watchdog_signs() == signs ? silent + 1 : 0;
	}
	turn.recalled = true;
	apic_send_nmi(turn.apic_id);
	return parked_until_done(RETURN_US);
}

/* The boot processor's part of a turn. @return false if the other one did not give the run back */
static bool give_run(void)
{
	struct descriptor_pointer own;
	bool over;

	__asm__ volatile("sidt %0" : "=m"(own));
	idt_load(&park_idt_pointer);
	turn.proceed = true;
	over = wait_for_turn();
	processor_put_to_rest(turn.number, over);
	apic_end_all();
	idt_load(&own);
	if (over)
		return true;
	current = 0;
	machine_abandon();
	return false;
}

bool processor_run(unsigned number, void (*fn)(void *), void *arg, const char **why)
{
	struct processor p = processor_at(number);
	const char *reason, *what = "did not start";
	char own[128];

	if (!number) {
		fn(arg);
		return true;
	}
	second_cpu_dismiss();
	memset((void *)&turn, 0, sizeof turn);
	memset((void *)&park_state, 0, sizeof park_state);
	turn.number = number;
	turn.apic_id = p.id;
	turn.fn = fn;
	turn.arg = arg;
	turn.cr4 = cr4_read() & ~(CR4_VMXE | CR4_SMXE);
	mtrrs_keep();
	cpu_state_keep();
	watchdog_give_back();
	if (!p.enabled) {
		reason = "firmware has not enabled it";
	} else if (processor_launch(p.id, arrive, run_stack + RUN_STACK, &turn.arrived, &reason)) {
		bool over = give_run();

		reason =
			turn.refused ? "its local APIC is in x2APIC mode, the boot processor's is not" : NULL;
		if (!over || turn.broken)
			what = "was given up", reason = own;
		if (!over)
			snprintf(own, sizeof own,
				 "no sign of life, nor does it take an NMI: its registers are not known");
		else if (turn.broken)
			snprintf(own, sizeof own, "%s%s", turn.recalled ? "no sign of life until the " : "",
				 turn.report.text);
	}
	if (spoilt.turns && spoilt.number == number)
		spoilt.turns--;
	if (!reason)
		return true;
	snprintf(turn.why, sizeof turn.why, "processor %u (APIC ID %u) %s: %s", number, (unsigned)p.id, what,
		 reason);
	*why = turn.why;
	return false;
}
