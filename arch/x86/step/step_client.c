/*
 * What the engine tells its client (arch/step.h): steps, register accesses, markers. The rest of the engine
 * knows instructions and frames, the client does not.
 */
#include "arch/x86/step/step_engine.h"

#include "arch/presented.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/register_access.h"
#include "arch/x86/interrupts/apic.h"
#include "arch/x86/step/account.h"
#include "arch/x86/step/denormals.h"
#include "arch/x86/step/describe.h"
#include "arch/x86/step/hypervisor_exits.h"
#include "arch/x86/step/step_details.h"
#include "arch/x86/time/tsc.h"

/* --- steps ------------------------------------------------------------------------------------------ */

/* What is told. Of a step that retired, only what these wants ask for is set: clearing all of it each time
 * takes as long as all the rest. */
static struct step told;
#define TOLD_OTHERWISE UINT32_MAX
static uint32_t told_for = TOLD_OTHERWISE;
static struct step_details details;

/* The vector registers are the stepped code's: nothing here touches them. */
static bool met_denormal(const struct description *about, const struct insn_retired *did, const uint8_t *code)
{
	static uint8_t fxsave[DENORMALS_FXSAVE] __attribute__((aligned(16)));
	uint8_t memory[DENORMALS_MEMORY] = {0};
	struct qterm terms[ACCOUNT_TERMS];
	unsigned n;

	if (!about->denormals)
		return false;
	n = account_retired(did, terms);
	if (!denormals_possible(did, code, terms, n))
		return false;
	__asm__ volatile("fxsave %0" : "=m"(fxsave));
	if ((did->insn->flags & INSN_F_MEM) && !step_copy(memory, (const void *)(uintptr_t)did->address, sizeof memory))
		return false;
	return denormals_met(did, code, terms, n, fxsave, memory);
}

static uint8_t exit_of(const struct step_retired *r, const uint8_t *code)
{
	const struct hypervisor_exit_facts facts = {r->after->rcx, r->did.address, apic_page()};
	enum hypervisor_exit_kind kind = hypervisor_exit_kind_of(code, r->did.insn, &facts);

	return kind == EXIT_KINDS ? 0 : (uint8_t)(kind + 1);
}

/* What few clients want. */
static __attribute__((noinline)) void tell_more(const struct step_retired *r, uint32_t wants)
{
	const uint8_t *code = (const uint8_t *)(uintptr_t)r->rip;

	if (wants & STEP_WANTS_DENORMALS)
		told.denormal = met_denormal(r->about, &r->did, code);
	if (wants & STEP_WANTS_EXITS)
		told.exit = exit_of(r, code);
	if (wants & STEP_WANTS_RECORDS)
		details_of_retired(&details, &told, r);
	if (wants & STEP_WANTS_VECTORS)
		details_of_vectors(&details, &told);
}

static __attribute__((noinline)) void tell_otherwise(void)
{
	told = (struct step){.methods = &describe_methods};
}

void step_report(uint32_t shape)
{
	struct step_engine *e = &step_engine;
	const struct step_client *c = e->client;
	const struct step_retired *r = &e->now;
	uint32_t wants = c->wants;

	if (!c->step)
		return;
	if (__builtin_expect(told_for != wants, 0))
		tell_otherwise();
	told_for = wants;
	describe_again(&told, r->about, &r->did, r->rip, r->after->rip);
	told.shape = shape;
	told.guest = e->guest;
	told.answered = r->emulated;
	if (wants & STEP_WANTS_MACHINE)
		describe_for_machine(&told, r->about);
	if (__builtin_expect(wants & ~(STEP_WANTS_MACHINE | STEP_WANTS_BY_ADDRESS), 0))
		tell_more(r, wants);
	c->step(c->ctx, &told);
}

void step_retire(void)
{
	struct step_engine *e = &step_engine;
	const struct step_client *c = e->client;
	uint32_t shape, wants;

	if (__builtin_expect(e->odd.any, 0)) {
		e->odd.shadow = e->odd.next_shadow;
		e->odd.next_shadow = false;
	}
	if (c->idle)
		return;
	wants = c->wants;
	if (wants & STEP_WANTS_RECORDS) {
		step_report(0);
		return;
	}
	shape = describe_shape(e->now.about, &e->now.did, wants & STEP_WANTS_BY_ADDRESS);
	if (!shape || wants & ~STEP_WANTS_BY_ADDRESS || !c->quick ||
	    !c->quick(c->ctx, shape, e->now.did.cpl))
		step_report(shape);
}

/* What is delivered, for its terms. */
struct delivery {
	enum step_event kind;
	unsigned vector;
	uint8_t cpl;
};

static unsigned delivery_terms(const struct step *s, struct qterm out[STEP_TERMS])
{
	const struct delivery *d = s->instruction;

	return account_event(d->kind, d->vector, d->cpl, out);
}

static unsigned no_accesses(const struct step *s, uint64_t turn, struct step_access out[STEP_TURN_ACCESSES])
{
	(void)s;
	(void)turn;
	(void)out;
	return 0;
}

static const struct step_methods delivery_methods = {.terms = delivery_terms, .accesses = no_accesses};

void step_report_delivered(const struct trap_frame *after, enum step_event kind, unsigned vector, uint8_t cpl,
			   uint64_t rip)
{
	struct step_engine *e = &step_engine;
	const struct step_client *c = e->client;
	const struct delivery delivery = {kind, vector, cpl};
	uint32_t wants = c->wants;

	if (!c->step || c->idle)
		return;
	told_for = TOLD_OTHERWISE;
	told = (struct step){
		.methods = &delivery_methods,
		.instruction = &delivery,
		.kind = kind == STEP_SOFT_INTERRUPT ? STEP_CALL_DELIVERED : STEP_DELIVERED,
		.cycles = 1,
		.level = cpl,
		.guest = e->guest,
		.ip = rip,
		.next = after->rip,
	};
	if (wants & STEP_WANTS_RECORDS)
		details_of_delivered(&details, &told, after, kind, vector);
	if (wants & STEP_WANTS_VECTORS)
		details_of_vectors(&details, &told);
	c->step(c->ctx, &told);
}

static unsigned no_terms(const struct step *s, struct qterm out[STEP_TERMS])
{
	(void)s;
	(void)out;
	return 0;
}

static const struct step_methods halted_methods = {.terms = no_terms, .accesses = no_accesses};

void step_report_halted(uint64_t ticks)
{
	const struct step_client *c = step_engine.client;

	if (!c->step || c->idle)
		return;
	told_for = TOLD_OTHERWISE;
	told = (struct step){
		.methods = &halted_methods,
		.kind = STEP_HALTED,
		.halted = true,
		.cycles = ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)ticks,
		.guest = step_engine.guest,
		.clock = c->wants & STEP_WANTS_RECORDS ? tsc_read() : 0,
	};
	c->step(c->ctx, &told);
}

/* --- register accesses ------------------------------------------------------------------------------ */

static struct register_access access_of(const struct trap_frame *f, const struct insn *in)
{
	struct register_access a;

	switch ((enum insn_special)in->special) {
	case INSN_RDPMC:
		return access_rdpmc((uint32_t)f->rcx, f->cs & 3, cr4_read() & CR4_PCE);
	case INSN_WRMSR:
		a = access_wrmsr((uint32_t)f->rcx, f->rdx << 32 | (uint32_t)f->rax);
		break;
	default:
		a = access_rdmsr((uint32_t)f->rcx);
		break;
	}
	a.level = f->cs & 3;
	a.permitted = !a.level;
	return a;
}

enum register_answer step_ask_register(struct register_access *a, uint64_t rip, uint8_t length)
{
	const struct step_client *c = step_engine.client;
	/* SDM vol. 2, WRMSR: it serialises. */
	static const struct qterm write[] = {
		{Q_INSTRUCTIONS, 1}, {Q_INSN_WRMSR, 1}, {Q_INSN_SERIALIZING, 1}, {Q_UOPS, 1}};
	const struct step by = {
		.terms = a->write ? write : NULL,
		.n_terms = a->write ? sizeof write / sizeof write[0] : 0,
		.cycles = 1,
		.level = a->level,
		.guest = step_engine.guest,
		.ip = rip,
		.length = length,
	};

	if (!c->access || !(c->spaces >> a->space & 1))
		return REGISTER_NOT_MINE;
	/* SDM vol. 2, RDMSR and WRMSR: #GP above ring 0, whatever the register. Of RDPMC the model decides.
	 */
	if (a->space == SPACE_MSR && !a->permitted)
		return REGISTER_FAULT;
	return c->access(c->ctx, a, &by);
}

static enum step_action access_register(struct trap_frame *f, const struct insn *in)
{
	struct register_access a = access_of(f, in);

	switch (step_ask_register(&a, f->rip, in->length)) {
	case REGISTER_DONE:
		if (!a.write) {
			f->rax = (uint32_t)a.value;
			f->rdx = a.value >> 32;
		}
		return STEP_DONE;
	case REGISTER_FAULT:
		return STEP_GP;
	default:
		return STEP_RUN;
	}
}

static enum step_action identify(struct trap_frame *f)
{
	struct cpuid_regs r;

	if (!step_engine.client->presents)
		return STEP_RUN;
	r = presented_ask((uint32_t)f->rax, (uint32_t)f->rcx);
	f->rax = r.eax;
	f->rbx = r.ebx;
	f->rcx = r.ecx;
	f->rdx = r.edx;
	return STEP_DONE;
}

static enum step_action pass_marker(unsigned vector)
{
	const struct step_client *c = step_engine.client;

	if (!c->marker || (vector != VECTOR_ORACLE_BEGIN && vector != VECTOR_ORACLE_END))
		return STEP_RUN;
	c->marker(c->ctx, vector == VECTOR_ORACLE_BEGIN);
	return STEP_DONE;
}

enum step_action step_ask(struct trap_frame *f, const struct insn *in)
{
	switch ((enum insn_special)in->special) {
	case INSN_RDMSR:
	case INSN_WRMSR:
	case INSN_RDPMC:
		return access_register(f, in);
	case INSN_CPUID:
		return identify(f);
	case INSN_INT:
		return pass_marker(in->cond);
	default:
		return STEP_RUN;
	}
}

void step_markers(struct step_code *begin, struct step_code *end)
{
	static const uint8_t codes[2][2] = {{0xcd, VECTOR_ORACLE_BEGIN},
					    {0xcd, VECTOR_ORACLE_END}}; /* INT n */

	*begin = (struct step_code){codes[0], codes[0] + sizeof codes[0]};
	*end = (struct step_code){codes[1], codes[1] + sizeof codes[1]};
}
