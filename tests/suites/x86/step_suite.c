/*
 * The step engine, the oracle and the virtual PMU's interrupts, on code whose instructions are counted by the
 * assembler. What must be exact here is exact on every CPU, so it needs no PMU at all.
 */
#include "tests/suites/x86/step.h"

#include "arch/x86/interrupts/apic.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/machine/descriptors.h"
#include "arch/machine.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/machine/paging.h"
#include "arch/x86/exceptions/trap.h"
#include "arch/x86/exceptions/user.h"
#include "arch/watchdog.h"
#include "pmu/virtual/vpmu.h"
#include "tests/suites/x86/step_run.h"
#include "tests/suites/suites.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TIMER_TURNS 20
#define CHECK_MS    5000
#define ARENA_SIZE  0x2000
#define RFLAGS_DF   (1ull << 10)
#define PMC0_EVENT  0x5300c0 /* instructions retired, both rings, interrupt, enable */
#define PMC0_LEFT   5

#define MSR_SYSENTER_CS  0x174
#define MSR_SYSENTER_ESP 0x175
#define MSR_SYSENTER_EIP 0x176
#define MSR_EFER         0xc0000080
#define MSR_STAR         0xc0000081
#define MSR_LSTAR        0xc0000082
#define MSR_FMASK        0xc0000084

static struct code_arena arena;
static uint8_t *data;
static uint8_t sysenter_stack[512] __attribute__((aligned(16)));

/* --- one snippet ------------------------------------------------------------------------------------ */

static bool judged_by_pmi(const struct step_snippet *s)
{
	return s->setup >= SETUP_PMI && s->setup <= SETUP_PMI_MASKED;
}

/* Copy it, with the way home behind it. The virtual PMU knows no markers, nor does the CPU: they are left out
 * for them. */
static unsigned marker_left_out(const struct step_snippet *s, bool natively)
{
	return natively || judged_by_pmi(s) ? 2 : 0;
}

static const void *place(const struct step_snippet *s, uint8_t ring, bool natively)
{
	static const uint8_t ring0_exit[] = {0xc3}, ring3_exit[] = {0xcd, VECTOR_USER_EXIT};
	const unsigned marker = marker_left_out(s, natively);
	size_t size = (size_t)(s->end - s->code) - 2 * marker;
	uint8_t *to = arena.rw + s->offset;

	memcpy(to, s->code + marker, size);
	memcpy(to + size, ring ? ring3_exit : ring0_exit, ring ? sizeof ring3_exit : sizeof ring0_exit);
	return arena.rx + s->offset;
}

struct job {
	const struct step_snippet *snippet;
	uint8_t ring;
	const void *entry;
	struct call_registers regs;
	bool natively;
	struct step_outcome *out;
};

static void enter(void *arg)
{
	struct job *j = arg;

	if (j->ring)
		user_call(j->entry, &j->regs);
	else
		call_with_registers(j->entry, &j->regs);
}

static void overflow_in(unsigned instructions, uint32_t lvt)
{
	apic_write(APIC_LVT_PERF, lvt);
	msr_write(0x38f, 0);
	msr_write(0x390, 1);
	msr_write(0x186, PMC0_EVENT);
	msr_write(0xc1, (uint32_t)-instructions);
}

static void enter_with_pmi(void *arg)
{
	struct job *j = arg;

	overflow_in(PMC0_LEFT, j->snippet->setup == SETUP_PMI_NMI ? APIC_LVT_NMI
			       : j->snippet->setup == SETUP_PMI   ? VECTOR_PMI
								  : VECTOR_PMI | APIC_LVT_MASKED);
	enter(j);
	overflow_in(0, APIC_LVT_MASKED);
	msr_write(0x186, 0);
}

static const struct {
	uint32_t address;
	uint64_t setup;
	uintptr_t value;
} msr_setups[] = {
#ifndef __i386__
	{MSR_EFER, SETUP_SYSCALL, 0}, /* value: see below */
	{MSR_STAR, SETUP_SYSCALL,
	 (uint64_t)(SELECTOR_USER_CS32 | 3) << 48 | (uint64_t)SELECTOR_KERNEL_CS << 32},
	{MSR_LSTAR, SETUP_SYSCALL, (uintptr_t)step_on_syscall},
	{MSR_FMASK, SETUP_SYSCALL, RFLAGS_TF | RFLAGS_IF | RFLAGS_DF},
#endif
	{MSR_SYSENTER_CS, SETUP_SYSENTER, SELECTOR_KERNEL_CS},
	{MSR_SYSENTER_ESP, SETUP_SYSENTER, (uintptr_t)(sysenter_stack + sizeof sysenter_stack)},
	{MSR_SYSENTER_EIP, SETUP_SYSENTER, (uintptr_t)step_on_sysenter},
};
#define MSR_SETUPS (sizeof msr_setups / sizeof msr_setups[0])

static void carry_out(void *arg)
{
	struct job *j = arg;
	uint64_t old[MSR_SETUPS];

	for (unsigned i = 0; i < MSR_SETUPS; i++) {
		if (msr_setups[i].setup != j->snippet->setup)
			continue;
		msr_read(msr_setups[i].address, &old[i]);
		msr_write(msr_setups[i].address,
			  msr_setups[i].address == MSR_EFER ? old[i] | EFER_SCE : msr_setups[i].value);
	}
	if (j->snippet->setup == SETUP_IPI)
		apic_self_ipi(VECTOR_TEST);
	if (j->snippet->setup == SETUP_TIMER)
		apic_timer_oneshot((uint32_t)(apic_timer_hz() * 3 / 10000));
	if (j->natively)
		enter(j);
	else if (judged_by_pmi(j->snippet))
		vpmu_call(enter_with_pmi, j);
	else
		oracle_call(enter, j, &j->out->total);
	for (unsigned i = 0; i < MSR_SETUPS; i++)
		if (msr_setups[i].setup == j->snippet->setup)
			msr_write(msr_setups[i].address, old[i]);
	if (j->natively)
		j->out->native_rax = (int64_t)j->regs.rax;
	else
		j->out->rax = (int64_t)j->regs.rax;
}

static bool acknowledge(struct trap_frame *f, void *arg)
{
	(void)f;
	(void)arg;
	apic_eoi();
	return true;
}

/* Let what is still requested or in service come to an end. */
static void settle_interrupts(void)
{
	if (!apic_present())
		return;
	apic_timer_oneshot(0);
	for (unsigned v = VECTOR_PMI; v <= VECTOR_TEST; v++)
		trap_set_handler(v, acknowledge, NULL);
	__asm__ volatile("sti\n\tnop\n\tnop\n\tcli");
	for (unsigned v = VECTOR_PMI; v <= VECTOR_TEST; v++)
		trap_set_handler(v, NULL, NULL);
	for (unsigned v = VECTOR_PMI; v <= VECTOR_TEST; v++)
		if (apic_in_service((uint8_t)v))
			apic_eoi();
}

static bool observe(const struct step_snippet *s, uint8_t ring, bool natively, struct step_outcome *out)
{
	struct job j = {.snippet = s,
			.ring = ring,
			.entry = place(s, ring, natively),
			.natively = natively,
			.out = out};
	struct idt_gate old = idt[s->vector], bp = idt[VECTOR_BP], absent = idt[STEP_NO_GATE];
	struct trap_report report;
	bool ok;

	j.regs = (struct call_registers){.rdi = (uintptr_t)data,
					 .rsi = (uint64_t)(arena.rw - arena.rx),
					 .rdx = (uintptr_t)(data + STEP_DATA_SIZE),
					 .rbp = (uintptr_t)j.entry - marker_left_out(s, natively)};
	memset(data, 0, STEP_DATA_SIZE);
	if (s->handler)
		gate_set(&idt[s->vector], s->handler, old.type, old.ist);
	if (s->setup == SETUP_GATES) {
		idt[VECTOR_BP].type = GATE_INTERRUPT;
		idt[STEP_NO_GATE].type = GATE_INTERRUPT & 0x7f;
	}
	watchdog_arm(CHECK_MS);
	ok = trap_guard(carry_out, &j, &report);
	watchdog_disarm();
	idt[VECTOR_BP] = bp;
	idt[STEP_NO_GATE] = absent;
	idt[s->vector] = old;
	settle_interrupts();
	if (!ok)
		snprintf(out->why, sizeof out->why, "%s%s", natively ? "without stepping: " : "",
			 report.text);
	return ok;
}

/* How long the timer's snippets take differs, and an overflow is the virtual PMU's. */
static bool runs_natively(const struct step_snippet *s)
{
	struct cpu_identity cpu;

	cpu_identify(&cpu);
	return s->setup != SETUP_TIMER && !judged_by_pmi(s) &&
	       !(s->rings & TCG_DIFFERS && !strcmp(cpu.hypervisor, "TCGTCGTCGTCG"));
}

bool step_observe(const struct step_snippet *s, uint8_t ring, struct step_outcome *out)
{
	*out = (struct step_outcome){0};
	return observe(s, ring, false, out) && (!runs_natively(s) || observe(s, ring, true, out));
}

/* An emulator may be held up for longer than a snippet waits for its timer: then once more. */
static bool observe_again(const struct step_snippet *s, uint8_t ring, struct step_outcome *out)
{
	bool ok = true;

	for (unsigned i = 0; i < TIMER_TURNS; i++) {
		ok = step_observe(s, ring, out);
		if (s->setup != SETUP_TIMER || !ok || out->total.v[Q_INTERRUPTS_HW])
			break;
	}
	return ok;
}

/* --- verdicts --------------------------------------------------------------------------------------- */

void step_judge(const struct step_snippet *s, const struct step_outcome *out, int64_t instructions,
		struct result *r)
{
	bool pmi = judged_by_pmi(s);
	int64_t expected = pmi ? s->result : instructions;

	result_judge(r, 0, expected, expected, pmi ? out->rax : (int64_t)out->total.v[Q_INSTRUCTIONS]);
	if (pmi || verdict_is_bad(r->judgement.verdict))
		return;
	if (out->rax != s->result)
		judgement_set(&r->judgement, VERDICT_WRONG, "RAX is %" PRId64 ", expected %" PRId64, out->rax,
			      s->result);
	else if (runs_natively(s) && out->native_rax != s->result)
		judgement_set(&r->judgement, VERDICT_WRONG,
			      "RAX is %" PRId64 " without stepping, expected %" PRId64, out->native_rax,
			      s->result);
	for (unsigned i = 0; i < 3; i++) {
		const char *name = s->also[i].quantity;
		uint64_t seen = *name ? out->total.v[quantity_by_name(name)] : 0;

		if (*name && seen != s->also[i].amount)
			judgement_set(&r->judgement, VERDICT_WRONG, "%s is %" PRIu64 ", expected %" PRIu64,
				      name, seen, s->also[i].amount);
	}
}

static const char *why_no_sysenter(void)
{
#ifdef __i386__
	return cpu_has(CPU_SEP) ? NULL : "this CPU has no SYSENTER";
#else
	struct cpu_identity cpu;

	cpu_identify(&cpu);
	return strcmp(cpu.vendor, "GenuineIntel") ? "this CPU has no SYSENTER in 64-bit mode" : NULL;
#endif
}

static const char *unfit(const struct run *run, const struct step_snippet *s)
{
	switch (s->setup) {
	case SETUP_NONE:
	case SETUP_SYSCALL:
	case SETUP_GATES:
		return NULL;
	case SETUP_SYSENTER:
		return why_no_sysenter();
	case SETUP_IPI:
		return apic_present() ? NULL : "no local APIC, or firmware left it off";
	case SETUP_TIMER:
		return apic_present() && apic_timer_hz() ? NULL
							 : "no APIC timer, or its frequency is not known";
	default:
		if (!run->pmu || !run->pmu->virtual || !run->pmu->n_fixed || run->pmu->version < 2)
			return "needs a virtual PMU with fixed counters, version 2 or later";
		if (run->pmu->counts_start || run->pmu->counts_stop)
			return "a write that starts or stops counting is counted";
		return apic_present() ? NULL : "no local APIC, or firmware left it off";
	}
}

static void check_snippet(struct run *run, const struct step_snippet *s, uint8_t ring)
{
	char name[96];
	struct result r = {
		.suite = "step", .name = name, .level = ring ? "ring 3" : "ring 0", .manual = s->manual};
	struct step_outcome out;
	const char *why = unfit(run, s);

	snprintf(name, sizeof name, "%s/ring %u", s->name, ring);
	trap_set_context(name);
	if (why)
		judgement_set(&r.judgement, VERDICT_SKIPPED, "%s", why);
	else if (observe_again(s, ring, &out))
		step_judge(s, &out, (int64_t)s->instructions, &r);
	else
		judgement_set(&r.judgement, VERDICT_ERROR, "%s", out.why);
	trap_set_context(NULL);
	run->report(run, &r);
}

static void check_snippets(struct run *run, const struct step_snippet *first, const struct step_snippet *end)
{
	for (const struct step_snippet *s = first; s < end; s++)
		for (unsigned ring = 0; ring <= 3; ring += 3)
			if (s->rings & (ring ? RING_3 : RING_0))
				check_snippet(run, s, (uint8_t)ring);
}

static void observe_case(void *arg)
{
	struct step_case_run *c = arg;

	c->seen = c->which->observe();
}

static void check_case(struct run *run, const struct step_case *which)
{
	struct result r = {.suite = "step", .name = which->name};
	struct step_case_run c = {.which = which};
	struct trap_report report;
	bool ok;

	trap_set_context(which->name);
	watchdog_arm(CHECK_MS);
	ok = trap_guard(observe_case, &c, &report);
	watchdog_disarm();
	settle_interrupts();
	trap_set_context(NULL);
	if (ok)
		result_judge(&r, 0, which->expected, which->expected, c.seen);
	else
		judgement_set(&r.judgement, VERDICT_ERROR, "%s", report.text);
	run->report(run, &r);
}

static void prepare(void)
{
	if (!data)
		data = arena_create(&arena, ARENA_SIZE, true) ? data_create(STEP_DATA_SIZE) : NULL;
}

static void run_step(struct run *run)
{
	if (!data) {
		struct result r = {.suite = "step", .name = "memory"};

		judgement_set(&r.judgement, VERDICT_ERROR,
			      "no memory for the code and the data of the snippets");
		run->report(run, &r);
		return;
	}
	check_snippets(run, step_snippets, step_snippets_end);
	check_snippets(run, step_event_snippets, step_event_snippets_end);
	for (const struct step_case *c = step_cases; c->name; c++)
		check_case(run, c);
	for (const struct step_case *c = step_event_cases; c->name; c++)
		check_case(run, c);
}

const struct suite suite_step = {"step", "the step engine, instruction by instruction", run_step, prepare};
