/*
 * What the suite `step` checks with C about events: several at once, faults that meet trouble of their own,
 * breakpoints. The digits of what is expected are those without stepping, too.
 */
#include "tests/suites/x86/step.h"

#include "arch/x86/interrupts/apic.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/machine/descriptors.h"
#include "arch/x86/machine/paging.h"
#include "arch/x86/step/step.h"
#include "arch/x86/exceptions/trap.h"
#include "pmu/virtual/vpmu.h"

static bool free_running(void)
{
	struct descriptor_pointer p;

	__asm__ volatile("sidt %0" : "=m"(p));
	return !step_active() && p.base == (uintptr_t)idt;
}

/* --- several interrupts at once ---------------------------------------------------------------------- */

/* Of other 64 vectors, and of the same ones, for each of these. Of one priority class (bits 7:4) they would
 * come in the order of their requests while stepped: what the engine holds is in service. */
static const uint8_t pairs[][2] = {{0x61, 0x91}, {0x81, 0x91}, {0x21, 0x31}, {0x51, 0x71}, {0xc1, 0xd1}};
#define PAIRS    (sizeof pairs / sizeof pairs[0])
#define ICR_NMI  0x4400 /* assert, NMI */
#define ICR_PAGE 0x300  /* of the low word; the destination is 10H behind it */
#define MSR_ICR  0x830

/* Digits: what came, in its order. 1: NMI, 2: the higher vector, 3: the lower; 4: an NMI inside an NMI's
 * handler, 5: its end. */
static volatile int64_t order;

static uint8_t lower, higher; /* of the two vectors */

static bool on_vector(struct trap_frame *f, void *arg)
{
	(void)arg;
	order = order * 10 + (f->vector == higher ? 2 : 3);
	apic_eoi();
	return true;
}

static void wait_until_requested(uint8_t vector)
{
	for (unsigned i = 0; i < 100000 && !apic_requested(vector); i++)
		cpu_relax();
}

static bool on_nmi_that_interrupts(struct trap_frame *f, void *arg)
{
	(void)f;
	(void)arg;
	order = order * 10 + 1;
	apic_self_ipi(higher);
	wait_until_requested(higher);
	return true;
}

/* An NMI for this CPU, sent in the shadow of the STI before. */
static void sti_and_send_nmi(void)
{
	if (apic_is_x2()) {
		__asm__ volatile("sti; wrmsr; nop; nop; nop; cli" ::"a"(ICR_NMI), "d"(apic_id()), "c"(MSR_ICR)
				 : "memory");
		return;
	}
	volatile uint32_t *command = (volatile uint32_t *)(uintptr_t)(apic_page() + ICR_PAGE);

	command[4] = apic_id() << 24;
	__asm__ volatile("sti; movl %1, (%0); nop; nop; nop; cli" ::"r"(command), "i"(ICR_NMI) : "memory");
}

static void interrupt_thrice(void *arg)
{
	(void)arg;
	order = 0;
	trap_set_handler(lower, on_vector, NULL);
	trap_set_handler(higher, on_vector, NULL);
	trap_set_handler(VECTOR_NMI, on_nmi_that_interrupts, NULL);
	apic_self_ipi(lower);
	wait_until_requested(lower);
	sti_and_send_nmi();
	trap_set_handler(VECTOR_NMI, NULL, NULL);
	trap_set_handler(higher, NULL, NULL);
	trap_set_handler(lower, NULL, NULL);
}

static bool on_nmi_that_nests(struct trap_frame *f, void *arg)
{
	unsigned *depth = arg;

	(void)f;
	order = order * 10 + (++*depth == 1 ? 1 : 4);
	if (order == 1) {
		apic_self_nmi();
		for (unsigned i = 0; i < 200; i++)
			cpu_relax();
	}
	order = order * 10 + 5;
	--*depth;
	return true;
}

static void nmi_in_nmi(void *arg)
{
	unsigned depth = 0;

	(void)arg;
	order = 0;
	trap_set_handler(VECTOR_NMI, on_nmi_that_nests, &depth);
	apic_self_nmi();
	for (unsigned i = 0; i < 10000 && order < 1515; i++)
		cpu_relax();
	trap_set_handler(VECTOR_NMI, NULL, NULL);
}

/* As digits the order while stepped, and then that without stepping. The watchdog's NMI is not to come in
 * between. */
static int64_t in_order(void (*fn)(void *), int64_t digits)
{
	struct qvec total;
	int64_t stepped;

	if (!apic_present())
		return digits * 10000 + digits;
	oracle_call(fn, NULL, &total);
	stepped = order;
	fn(NULL);
	return stepped * 10000 + order;
}

/* @return the order of those that are otherwise, or of all */
static int64_t three_at_once(void)
{
	const int64_t right = 1230123;
	int64_t seen = right;

	for (unsigned i = 0; i < PAIRS && seen == right; i++) {
		lower = pairs[i][0];
		higher = pairs[i][1];
		seen = in_order(interrupt_thrice, 123);
	}
	return seen;
}

static int64_t nmi_waits_for_iret(void)
{
	return in_order(nmi_in_nmi, 1515);
}

static bool on_nmi_that_aborts(struct trap_frame *f, void *arg)
{
	(void)f;
	(void)arg;
	trap_abort(VECTOR_NMI);
}

static void abandoned_nmi(void *arg)
{
	(void)arg;
	trap_set_handler(VECTOR_NMI, on_nmi_that_aborts, NULL);
	apic_self_nmi();
	for (unsigned i = 0; i < 100000; i++)
		cpu_relax();
}

static void stepped_abandoned_nmi(void *arg)
{
	oracle_call(abandoned_nmi, NULL, arg);
}

static bool on_nmi_that_counts(struct trap_frame *f, void *arg)
{
	(void)f;
	(void)arg;
	order++;
	return true;
}

static void one_nmi(void *arg)
{
	(void)arg;
	order = 0;
	trap_set_handler(VECTOR_NMI, on_nmi_that_counts, NULL);
	apic_self_nmi();
	for (unsigned i = 0; i < 10000 && !order; i++)
		cpu_relax();
	trap_set_handler(VECTOR_NMI, NULL, NULL);
}

/* What is abandoned inside an NMI's handler keeps no NMI from what is stepped next. */
static int64_t nmi_behind_an_abandoned_one(void)
{
	struct qvec total;
	struct trap_report report;
	int64_t ended;

	if (!apic_present())
		return 10 * VECTOR_NMI + 1;
	if (trap_guard(stepped_abandoned_nmi, &total, &report) || !free_running())
		return -1;
	ended = report.vector;
	oracle_call(one_nmi, NULL, &total);
	return 10 * ended + order;
}

/* --- faults with trouble of their own ------------------------------------------------------------------- */

static bool handled; /* the handler of the double fault was reached */

static bool on_fault(struct trap_frame *f, void *arg)
{
	(void)arg;
	handled = true;
	trap_abort((int)f->vector);
}

static void fault_without_stack(void *arg)
{
	(void)arg;
	trap_set_handler(VECTOR_DF, on_fault, NULL);
	__asm__ volatile("mov $0x20, %%esp\n\tud2" ::: "memory");
}

static void stepped_without_stack(void *arg)
{
	oracle_call(fault_without_stack, NULL, arg);
}

/* No frame can be pushed: a double fault, on a stack of its own. It is delivered, and does not just end the
 * check; without 64-bit mode, where the steps themselves find no stack, it does. */
#ifdef __i386__
#define DELIVERED 0
#else
#define DELIVERED 1
#endif

static int64_t double_fault(void)
{
	struct qvec total;
	struct trap_report report;

	handled = false;
	if (trap_guard(stepped_without_stack, &total, &report) || !free_running())
		return -1;
	return 100 * handled + report.vector;
}

/* A page of code that was stepped, and then is gone: MOV, RET. */
static uint8_t going[4096] __attribute__((aligned(4096))) = {0xb8, 5, 0, 0, 0, 0xc3};

static void call_page(void *arg)
{
	*(unsigned *)arg = ((unsigned (*)(void))(uintptr_t)going)();
}

static bool on_fetch(struct trap_frame *f, void *arg)
{
	*(uint64_t *)arg = cr2_read();
	f->rip = *(const uintptr_t *)(uintptr_t)f->rsp; /* as RET does */
	f->rsp += sizeof(uintptr_t);
	return true;
}

static void call_page_that_goes(void *arg)
{
	unsigned first = 0, second = 0;
	uint64_t at = 0;

	call_page(&first);
	page_protect(going, sizeof going, PAGE_ABSENT);
	trap_set_handler(VECTOR_PF, on_fetch, &at);
	call_page(&second);
	trap_set_handler(VECTOR_PF, NULL, NULL);
	*(int64_t *)arg = (first == 5) + 10 * (at == (uintptr_t)going);
}

static int64_t code_that_goes(void)
{
	struct qvec total;
	int64_t seen = 0;

	if (!page_protect(going, sizeof going, PAGE_EXEC))
		return -1;
	oracle_call(call_page_that_goes, &seen, &total);
	page_protect(going, sizeof going, PAGE_WRITE);
	return seen;
}

/* --- breakpoints
 * -------------------------------------------------------------------------------------------- */

#define DR7_NONE    0x400
#define EACH_DR(OF) OF(0) OF(1) OF(2) OF(3)
#define SET_DR(n)   __asm__ volatile("mov %0, %%dr" #n ::"r"(which == (n) ? address : 0));

static bool on_breakpoint(struct trap_frame *f, void *arg)
{
	unsigned long dr6;

	__asm__ volatile("mov %%dr6, %0" : "=r"(dr6));
	__asm__ volatile("mov %0, %%dr7" ::"r"((unsigned long)DR7_NONE));
	__asm__ volatile("mov %0, %%dr6" ::"r"(0xffff0ff0ul));
	*(int64_t *)arg = *(int64_t *)arg * 10 + (f->rip == (uintptr_t)going) +
			  (step_active() ? 0 : (int64_t)(dr6 & 15));
	return true;
}

static unsigned enable; /* bit of DR7 of the first register: 0 the local one, 1 the global one */

/* In each register by turns. The digits: 1 for the right place, and its bit in DR6, which single steps
 * overwrite. */
static void meet_breakpoints(void *arg)
{
	uintptr_t address = (uintptr_t)going;
	unsigned value;

	trap_set_handler(VECTOR_DB, on_breakpoint, arg);
	for (unsigned which = 0; which < 4; which++) {
		EACH_DR(SET_DR)
		__asm__ volatile("mov %0, %%dr7" ::"r"(DR7_NONE | 1ul << (2 * which + enable)));
		call_page(&value);
	}
	trap_set_handler(VECTOR_DB, NULL, NULL);
}

static int64_t breakpoints_of(unsigned by)
{
	struct qvec total;
	int64_t stepped = 0, natively = 0;

	enable = by;
	if (!page_protect(going, sizeof going, PAGE_EXEC))
		return -1;
	oracle_call(meet_breakpoints, &stepped, &total);
	meet_breakpoints(&natively);
	page_protect(going, sizeof going, PAGE_WRITE);
	return stepped * 10000 + natively;
}

static int64_t local_breakpoints(void)
{
	return breakpoints_of(0);
}

static int64_t global_breakpoints(void)
{
	return breakpoints_of(1);
}

/* --- MWAIT -------------------------------------------------------------------------------------------- */

#define MWAIT_SIZE 3

static bool on_refused_mwait(struct trap_frame *f, void *arg)
{
	++*(int64_t *)arg;
	f->rip += MWAIT_SIZE;
	return true;
}

/* Extensions that no CPU has (SDM vol. 2, MWAIT). */
static void mwait_with_extensions(void *arg)
{
	trap_set_handler(VECTOR_GP, on_refused_mwait, arg);
	for (uint32_t bit = 2; bit; bit <<= 1)
		__asm__ volatile("mwait" ::"a"(0), "c"(bit) : "memory");
	trap_set_handler(VECTOR_GP, NULL, NULL);
}

static int64_t refused_mwaits(void)
{
	struct qvec total;
	int64_t stepped = 0, natively = 0;

	if (!(cpuid(1, 0).ecx >> 3 & 1)) /* MONITOR */
		return 3131;
	oracle_call(mwait_with_extensions, &stepped, &total);
	mwait_with_extensions(&natively);
	return stepped * 100 + natively;
}

const struct step_case step_event_cases[] = {
	{"an NMI goes before interrupts, and the higher of these first", three_at_once, 1230123},
	{"an NMI waits for the end of another", nmi_waits_for_iret, 15151515},
	{"an NMI behind a call that was abandoned in an NMI's handler", nmi_behind_an_abandoned_one,
	 10 * VECTOR_NMI + 1},
	{"a fault with no room for its frame is a double fault", double_fault, 100 * DELIVERED + VECTOR_DF},
	{"code whose page has gone faults", code_that_goes, 11},
	{"breakpoints are met in all four registers", local_breakpoints, 11112359},
	{"breakpoints are met by their global enables", global_breakpoints, 11112359},
	{"MWAIT with an extension that does not exist is refused", refused_mwaits, 3131},
	{NULL, NULL, 0},
};
