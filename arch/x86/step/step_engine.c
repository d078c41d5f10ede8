#include "arch/x86/step/step.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"

#include "arch/x86/machine/descriptors.h"
#include "arch/x86/emulated/emulated.h"
#include "arch/x86/step/step_engine.h"
#include "arch/x86/step/describe.h"
#include "arch/x86/step/step_gate.h"
#include "arch/x86/exceptions/trap_internal.h"
#include "arch/x86/exceptions/watchdog_internal.h"

#include <stddef.h>

_Static_assert(STEP_GATE == VECTOR_STEP, "step_gate.h repeats trap.h for the assembler");

#define WATCHDOG_INTERVAL 4096 /* steps */

struct step_engine step_engine;

/* step.S */
extern const uint8_t step_guard_begin[], step_guard_end[], step_guard_fault[];
bool step_guarded_copy(void *to, const void *from, uint64_t n);
void step_trap(struct trap_frame *f);
void step_debug(struct trap_frame *f);
bool step_quick(struct trap_frame *f);

bool step_copy(void *to, const void *from, uint64_t n)
{
	bool copied;

	tss.ist[IST_MONITOR - 1] -= STEP_NESTED_STACK;
	copied = step_guarded_copy(to, from, n);
	tss.ist[IST_MONITOR - 1] += STEP_NESTED_STACK;
	return copied;
}

/* --- delivery --------------------------------------------------------------------------------------- */

/* What the CPU pushes, and on which stack: the frame's new stack pointer. The CPU aligns it in 64-bit mode.
 * @return false if it cannot be pushed */
#ifdef __i386__
static bool push_image(struct trap_frame *f, const struct idt_gate *g, int64_t error)
{
	bool outer = f->cs & 3;
	uint32_t image[6] = {(uint32_t)error,  (uint32_t)f->rip,
			     (uint32_t)f->cs,  (uint32_t)(f->rflags & ~RFLAGS_TF),
			     (uint32_t)f->rsp, (uint32_t)f->ss};
	unsigned skip = error < 0, words = (outer ? 6 : 4) - skip;
	uint32_t esp = (uint32_t)(outer ? tss_stack() : f->rsp) - 4 * words;

	/* A double fault's goes to a task. */
	if (g->type == GATE_TASK || !step_copy((void *)(uintptr_t)esp, image + skip, 4 * words))
		return false;
	f->rsp = esp;
	if (outer)
		f->ss = SELECTOR_KERNEL_SS;
	return true;
}
#else
static bool push_image(struct trap_frame *f, const struct idt_gate *g, int64_t error)
{
	bool outer = f->cs & 3;
	uint64_t image[6] = {(uint64_t)error, f->rip, f->cs, f->rflags & ~RFLAGS_TF, f->rsp, f->ss};
	unsigned skip = error < 0;
	uint64_t rsp = f->rsp;

	if (g->ist & 7)
		rsp = tss.ist[(g->ist & 7) - 1];
	else if (outer)
		rsp = tss_stack();
	rsp = (rsp & ~15ull) - 8 * (6 - skip);
	if (!step_copy((void *)(uintptr_t)rsp, image + skip, 8 * (6 - skip)))
		return false;
	f->rsp = rsp;
	if (outer)
		f->ss = 0;
	return true;
}
#endif

static bool push_frame(struct trap_frame *f, const struct idt_gate *g, int64_t error)
{
	if (!(g->type & 0x80) || !push_image(f, g, error))
		return false;
	f->rip = gate_offset(g);
	f->cs = g->selector & 0xfffc;
	f->rflags &= ~(RFLAGS_TF | RFLAGS_NT | RFLAGS_VM | RFLAGS_RF);
	if (!(g->type & 1))
		f->rflags &= ~RFLAGS_IF;
	return true;
}

void step_deliver(struct trap_frame *f, enum step_event kind, unsigned vector, int64_t error)
{
	struct step_engine *e = &step_engine;
	uint64_t rip = kind == STEP_SOFT_INTERRUPT ? e->now.rip : f->rip;
	uint8_t cpl = f->cs & 3;

	if (e->odd.transaction) {
		step_transaction_abort(f, 0);
		if (kind == STEP_EXCEPTION) {
			e->current = NULL;
			return; /* none comes out of a transaction */
		}
		rip = f->rip;
	}
	e->odd.any = 0;
	e->current = NULL;
	if (!push_frame(f, &idt[vector], error)) {
		kind = STEP_EXCEPTION;
		vector = VECTOR_DF;
		/* With no stack even for a double fault a CPU shuts down; here the check ends. */
		if (!push_frame(f, &idt[VECTOR_DF], 0)) {
			f->rsp = tss.ist[IST_DF - 1];
			step_abort(f, VECTOR_DF);
			return;
		}
	}
	if (kind == STEP_NMI)
		e->nmi_blocked = true;
	if (e->active && !e->paused)
		step_report_delivered(f, kind, vector, cpl, rip);
}

void step_abort(struct trap_frame *f, int vector)
{
	uint64_t rsp = f->cs & 3 ? tss_stack() : f->rsp;

	trap_abort_from(f);
	step_engine.current = NULL;
	step_engine.odd.any = 0;
	f->rip = (uintptr_t)trap_abort;
#ifdef __i386__
	f->rsp = (rsp & ~15ull) - 20; /* as after a CALL with one argument */
	step_copy((void *)(uintptr_t)(f->rsp + 4), &vector, sizeof vector);
#else
	f->rdi = (uint64_t)(int64_t)vector;
	f->rsp = (rsp & ~15ull) - 8; /* as after a CALL */
#endif
	f->cs = SELECTOR_KERNEL_CS;
	f->ss = SELECTOR_KERNEL_SS;
	f->rflags = RFLAGS_FIXED | (f->rflags & RFLAGS_TF);
}

/* --- what the client is told ------------------------------------------------------------------------ */

/* The watchdog's NMIs are not for the stepped code. */
static bool nmi_due(void)
{
	struct step_engine *e = &step_engine;
	uint8_t nmi = e->attention.nmi; /* read once: one that comes from now on has not been looked at */

	if (nmi == NMI_ARRIVED && watchdog_swallow(VECTOR_NMI))
		e->attention.nmi = nmi = 0;
	return nmi && !e->nmi_blocked;
}

bool step_deadline(void)
{
	/* An NMI of its own must not outlive the deadline, nor one that came while it was looked at. */
	nmi_due();
	bool passed = watchdog_take();
	nmi_due();
	watchdog_settle();
	if (!passed)
		return false;
	step_engine.attention.nmi = 0;
	return true;
}

void step_tick(void)
{
	struct step_engine *e = &step_engine;

	if (__builtin_expect(++e->count < e->watch_at, 1))
		return;
	e->watch_at = e->count + WATCHDOG_INTERVAL;
	if (step_deadline())
		e->attention.watchdog = 1;
}

/* The instruction that the CPU was to run has been left for an event: it did not retire. */
static void interrupted(struct trap_frame *f)
{
	struct step_engine *e = &step_engine;

	if (!e->current || !(e->current->in.flags & INSN_F_REP) || f->rip != e->now.rip)
		return;
	if (step_rep_finished(f)) {
		/* No iteration is left, so the instruction would do no more than retire. Zero to begin with:
		 * let it. */
		if (e->now.did.iterations)
			step_retire();
		else
			f->rip = e->now.rip;
	} else if (e->now.did.iterations) {
		e->now.did.partial = true;
		step_retire();
	}
}

/* --- traps ------------------------------------------------------------------------------------------ */

static void exception(struct trap_frame *f)
{
	unsigned vector = (unsigned)f->vector;
	struct step_engine *e = &step_engine;

	if (vector == VECTOR_UD && e->current && f->rip == e->now.rip && emulated_carry_out(f, step_copy)) {
		step_carried_out(f);
		return;
	}
	if (vector == VECTOR_GP && step_stack_fault(f))
		vector = VECTOR_SS;
	interrupted(f);
	step_deliver(f, STEP_EXCEPTION, vector, step_has_error_code(vector) ? (int64_t)f->error : -1);
}

static void hold(unsigned vector)
{
	struct step_engine *e = &step_engine;

	if (watchdog_swallow(vector))
		return;
	e->held_vectors[vector / 64] |= 1ull << vector % 64;
	e->attention.held = 1;
}

static void hardware_interrupt(struct trap_frame *f)
{
	struct step_engine *e = &step_engine;

	if (!e->active || e->paused) {
		step_deliver(f, STEP_INTERRUPT, (unsigned)f->vector, -1);
		return;
	}
	interrupted(f);
	e->current = NULL;
	hold((unsigned)f->vector);
}

bool step_event_due(struct trap_frame *f)
{
	struct step_engine *e = &step_engine;

	if (f->rflags & RFLAGS_IF) {
		tss.ist[IST_MONITOR - 1] -= STEP_NESTED_STACK;
		e->accepting = true;
		__asm__ volatile("sti\n\tnop\n\tnop\n\tcli" ::: "memory");
		e->accepting = false;
		tss.ist[IST_MONITOR - 1] += STEP_NESTED_STACK;
	}
	return nmi_due() || (e->attention.held && (f->rflags & RFLAGS_IF));
}

/* A trap of the monitor itself. */
static void nested(struct trap_frame *f)
{
	struct step_engine *e = &step_engine;

	if (f->rip >= (uintptr_t)step_guard_begin && f->rip < (uintptr_t)step_guard_end) {
		f->rip = (uintptr_t)step_guard_fault;
		return;
	}
	if (e->accepting && f->vector >= 32) {
		hold((unsigned)f->vector);
		return;
	}
	/* A defect of the engine or of its client. Nothing can be stepped any more: have the harness dump it.
	 */
	step_load_idt(idt);
	e->active = e->busy = false;
	e->broken = (int)f->vector;
	step_deliver(f, STEP_EXCEPTION, (unsigned)f->vector,
		     step_has_error_code((unsigned)f->vector) ? (int64_t)f->error : -1);
}

/* What waits for an instruction boundary: one event at a time, the highest vector first. */
static void attend(struct trap_frame *f)
{
	struct step_engine *e = &step_engine;

	if (e->attention.watchdog) {
		e->attention.watchdog = 0;
		step_abort(f, TRAP_WATCHDOG);
	} else if (e->odd.shadow) {
		return;
	} else if (nmi_due()) {
		e->attention.nmi = 0;
		interrupted(f);
		step_deliver(f, STEP_NMI, VECTOR_NMI, -1);
	} else if (e->attention.held && (f->rflags & RFLAGS_IF)) {
		unsigned word = 3;

		while (!e->held_vectors[word])
			word--;
		unsigned vector = 64 * word + 63 - (unsigned)__builtin_clzll(e->held_vectors[word]);
		e->held_vectors[word] &= ~(1ull << vector % 64);
		e->attention.held = (e->held_vectors[0] | e->held_vectors[1] | e->held_vectors[2] |
				     e->held_vectors[3]) != 0;
		interrupted(f);
		step_deliver(f, STEP_INTERRUPT, vector, -1);
	}
}

static void note_addresses(const struct trap_frame *f, const struct decoded *d)
{
	struct insn_retired *did = &step_engine.now.did;

	did->stack = f->rsp;
	did->source = f->rsi;
	did->dest = f->rdi;
	did->frame = f->rbp;
	did->backwards = (f->rflags & RFLAGS_DF) != 0;
	if (d->in.flags & INSN_F_MEM)
		did->address = step_operand_address(d, f);
}

/* Go on with the stepped code: everything that needs no CPU is done here, the rest is left to the CPU under
 * TF. */
static void go_on(struct trap_frame *f)
{
	struct step_engine *e = &step_engine;
	struct insn_retired *did = &e->now.did;

	for (;;) {
		struct decoded *d;

		if (__builtin_expect(e->attention.any, 0))
			attend(f);
		d = step_cache_find(f->rip, e->now.rip);
		if (!d)
			d = step_cache_fill(f->rip);
		e->current = d;
		if (__builtin_expect(!d, 0))
			break; /* let the CPU find out why it cannot be read */
		e->now.rip = f->rip;
		e->now.emulated = false;
		did->insn = &d->in;
		e->now.about = &d->about;
		did->cpl = did->cpl_after = f->cs & 3;
		did->taken = did->partial = false;
		if (__builtin_expect(e->attention.emulated, 0)) {
			note_addresses(f, d);
			if (step_raised(f, d))
				continue;
		}
		if (__builtin_expect(d->kind == DECODED_SPECIAL, 0)) {
			note_addresses(f, d);
			if (step_special(f, d) == FATE_CPU)
				break;
			if (!e->active || e->paused) {
				f->rflags &= ~RFLAGS_TF;
				return;
			}
			/* No native instruction gives way to interrupts here. */
			if ((f->rflags & RFLAGS_IF) && !e->odd.shadow)
				step_event_due(f);
			continue;
		}
		if (e->client->wants || e->odd.transaction)
			note_addresses(f, d);
		if (__builtin_expect(e->odd.transaction, 0) && !step_transaction_keeps(f, d))
			continue;
		break;
	}
	f->rflags |= RFLAGS_TF;
}

#define DR6_MET        0xfull
#define DR6_NONE       0xffff0ff0ull
#define DR7_EXECUTE(n) (0xfull << (16 + 4 * (n)))

/* The trap is that of a breakpoint on the instruction that was to run: SDM vol. 3, 17.2. */
static bool breakpoint_met(void)
{
	uint64_t dr6 = dr6_read(), dr7 = dr7_read();

	for (unsigned i = 0; i < 4; i++)
		if (dr6 >> i & 1 && dr7 >> 2 * i & 3 && !(dr7 & DR7_EXECUTE(i))) {
			dr6_write((dr6 & ~DR6_MET) | DR6_NONE);
			return true;
		}
	return false;
}

/* What is not plain about the instruction that has just run. @return false if it has not retired: REP, with
 * iterations left */
static bool settle(struct trap_frame *f, const struct decoded *d)
{
	struct step_engine *e = &step_engine;

	if (d->kind == DECODED_BRANCH) {
		e->now.did.taken = f->rip != e->now.rip + d->in.length;
	} else if (d->in.special == INSN_PUSHF) {
		*(volatile uint16_t *)(uintptr_t)f->rsp &= (uint16_t)~RFLAGS_TF;
	} else if (d->in.special == INSN_STRING && (d->in.flags & INSN_F_REP)) {
		if (!step_rep_finished(f)) {
			e->odd.shadow = false;
			return false;
		}
	}
	e->now.did.cpl_after = f->cs & 3;
	return true;
}

/* A plain instruction has retired. */
static inline __attribute__((always_inline)) void retire_plain(struct step_engine *e)
{
	const struct step_client *c = e->client;
	uint32_t shape = e->now.about->shape + e->now.did.taken;

	if (!c->idle && (!c->quick || !c->quick(c->ctx, shape, e->now.did.cpl)))
		step_report(shape);
}

/*
 * The common case: an instruction of no special kind has run, nothing waits, and the next one is no
 * different. Of the general registers, the frame has only those that C may change.
 * @return false if there is more to do, by step_debug(); what has been done here is not done again there
 */
bool step_quick(struct trap_frame *f)
{
	struct step_engine *e = &step_engine;
	const struct decoded *d = e->current;
	uint64_t rip = f->rip;

	if (!d || d->kind == DECODED_SPECIAL || e->attention.any || e->odd.any || e->client->wants ||
	    e->count + 1 >= e->watch_at || rip == e->now.rip)
		return false;
	e->count++;
	if (d->kind == DECODED_BRANCH) {
		e->now.did.taken = rip != e->now.rip + d->in.length;
		retire_plain(e);
		e->now.did.taken = false;
	} else {
		retire_plain(e);
	}
	d = step_cache_find(rip, e->now.rip);
	if (!d || d->kind == DECODED_SPECIAL || e->attention.any || e->client->wants) {
		e->current = NULL;
		e->count--;
		return false;
	}
	e->current = d;
	e->now.rip = rip;
	e->now.did.insn = &d->in;
	e->now.about = &d->about;
	return true;
}

void step_debug(struct trap_frame *f)
{
	struct step_engine *e = &step_engine;
	const struct decoded *d = e->current;

	e->busy = true;
	step_tick();
	if (__builtin_expect(f->rip == e->now.rip, 0) && d && breakpoint_met()) {
		interrupted(f);
		step_deliver(f, STEP_EXCEPTION, VECTOR_DB, -1);
	} else if (__builtin_expect(d != NULL, 1)) {
		if (d->kind == DECODED_PLAIN || settle(f, d)) {
			step_retire();
		} else {
			if (!e->attention.any)
				goto resume;
			interrupted(f);
			e->current = NULL;
		}
	}
	go_on(f);
resume:
	e->busy = false;
}

void step_trap(struct trap_frame *f)
{
	struct step_engine *e = &step_engine;

	if (e->busy) {
		nested(f);
		return;
	}
	e->busy = true;
	if (f->vector == STEP_GATE)
		step_gate_call(f);
	else if (f->vector < 32)
		exception(f);
	else
		hardware_interrupt(f);
	if (e->active && !e->paused)
		go_on(f);
	e->busy = false;
}
