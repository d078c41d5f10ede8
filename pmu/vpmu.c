#include "pmu/vpmu.h"

#include "arch/x86/apic.h"
#include "arch/x86/step.h"
#include "pmu/account.h"
#include "pmu/pmu.h"
#include "pmu/vpmu_cpuid.h"
#include "pmu/vpmu_lvt.h"

#include <stdlib.h>

#define CR4_PCE (1u << 8)

static struct {
	const struct model_profile *profile;
	const struct pmu_model *model;
	void *state;
	bool counting;  /* model->counting(), as of the last write */
	bool own_write; /* the instruction now retiring is a WRMSR that the model has carried out ... */
	bool was_idle;  /* ... and nothing was counting before it */
} vpmu;

/* --- registers ---------------------------------------------------------------------------------------------
 */

static void set_halves(struct trap_frame *f, uint64_t value)
{
	f->rax = (uint32_t)value;
	f->rdx = value >> 32;
}

static enum step_action answer(enum model_access access)
{
	return access == MODEL_OK ? STEP_DONE : access == MODEL_FAULT ? STEP_GP : STEP_RUN;
}

static void real_cpuid(struct model_cpuid *c)
{
	uint32_t top, ebx, ecx = 0, edx;

	__asm__ volatile("cpuid" : "=a"(top), "=b"(ebx), "+c"(ecx), "=d"(edx) : "a"(c->leaf & 0x80000000));
	c->eax = c->ebx = c->ecx = c->edx = 0;
	if (c->leaf <= top)
		__asm__ volatile("cpuid"
				 : "=a"(c->eax), "=b"(c->ebx), "=c"(c->ecx), "=d"(c->edx)
				 : "a"(c->leaf), "c"(c->subleaf));
}

static void answer_cpuid(struct trap_frame *f)
{
	struct model_cpuid real = {.leaf = (uint32_t)f->rax, .subleaf = (uint32_t)f->rcx}, out;

	real_cpuid(&real);
	vpmu_cpuid(vpmu.profile, &real, &out);
	f->rax = out.eax;
	f->rbx = out.ebx;
	f->rcx = out.ecx;
	f->rdx = out.edx;
}

static bool rdpmc_allowed(const struct trap_frame *f)
{
	uint64_t cr4;

	__asm__ volatile("mov %%cr4, %0" : "=r"(cr4));
	return !(f->cs & 3) || (cr4 & CR4_PCE);
}

static enum step_action before(void *ctx, struct trap_frame *f, const struct insn *in)
{
	uint32_t index = (uint32_t)f->rcx;
	enum model_access access;
	uint64_t value;
	(void)ctx;

	switch (in->special) {
	case INSN_CPUID:
		answer_cpuid(f);
		return STEP_DONE;
	case INSN_RDPMC:
		access = vpmu.model->rdpmc(vpmu.state, index, rdpmc_allowed(f), &value);
		if (access == MODEL_OK)
			set_halves(f, value);
		return answer(access);
	case INSN_RDMSR:
		if (f->cs & 3)
			return STEP_GP;
		access = vpmu.model->rdmsr(vpmu.state, index, &value);
		if (access == MODEL_OK)
			set_halves(f, value);
		return answer(access);
	case INSN_WRMSR:
		if (f->cs & 3)
			return STEP_GP;
		vpmu.was_idle = !vpmu.model->counting(vpmu.state);
		access = vpmu.model->wrmsr(vpmu.state, index, f->rdx << 32 | (uint32_t)f->rax);
		vpmu.counting = vpmu.model->counting(vpmu.state);
		vpmu.own_write = access == MODEL_OK;
		return answer(access);
	default:
		return STEP_RUN;
	}
}

/* --- time goes on
 * -------------------------------------------------------------------------------------------- */

static void raise_pmi(void)
{
	uint32_t entry = apic_read(APIC_LVT_PERF);

	switch (lvt_request(&entry)) {
	case LVT_LOST:
		return;
	case LVT_NMI:
		apic_write(APIC_LVT_PERF, entry);
		step_raise_nmi();
		return;
	case LVT_FIXED:
		apic_write(APIC_LVT_PERF, entry);
		apic_self_ipi((uint8_t)(entry & LVT_VECTOR));
		return;
	}
}

static void advance(const struct model_step *step)
{
	vpmu.model->advance(vpmu.state, step);
	while (__builtin_expect(vpmu.model->take_pmi(vpmu.state), 0))
		raise_pmi();
}

static void retired(void *ctx, const struct step_retired *r)
{
	struct qterm terms[ACCOUNT_TERMS];
	struct model_step step;
	(void)ctx;

	step.own_write = vpmu.own_write;
	vpmu.own_write = false;
	if (!vpmu.counting || (step.own_write && vpmu.was_idle))
		return;
	step.terms = terms;
	step.n_terms = account_retired(&r->did, terms);
	step.cycles = r->did.iterations > 1 ? (uint32_t)r->did.iterations : 1;
	step.cpl = r->did.cpl;
	step.halted = false;
	step.ip = r->rip;
	step.next = r->after->rip;
	advance(&step);
}

static void delivered(void *ctx, enum step_event kind, unsigned vector, uint8_t cpl)
{
	struct qterm terms[ACCOUNT_TERMS];
	struct model_step step = {.terms = terms, .cycles = 1, .cpl = cpl};
	(void)ctx;

	if (!vpmu.counting)
		return;
	step.n_terms = account_event(kind, vector, cpl, terms);
	advance(&step);
}

static void halted(void *ctx)
{
	struct model_step step = {.cycles = 1, .halted = true};
	(void)ctx;

	if (vpmu.counting)
		advance(&step);
}

static struct step_client vpmu_client = {
	.before = before,
	.intercepts = 1ull << INSN_RDMSR | 1ull << INSN_WRMSR | 1ull << INSN_RDPMC | 1ull << INSN_CPUID,
	.retired = retired,
	.delivered = delivered,
	.halted = halted,
};

bool vpmu_create(const char *name, const char *inject, const char **why)
{
	const struct model_profile *profile = model_profile_by_name(name);
	uint64_t injections;
	void *state;

	if (!profile) {
		*why = "no virtual CPU of this name";
		return false;
	}
	if (!model_injections_parse(profile->model, inject, &injections, why))
		return false;
	state = calloc(1, profile->model->state_size);
	if (!state) {
		*why = "no memory for the PMU model";
		return false;
	}
	free(vpmu.state);
	vpmu.profile = profile;
	vpmu.model = profile->model;
	vpmu.state = state;
	vpmu.own_write = false;
	vpmu.model->reset(state, profile, injections);
	vpmu.counting = vpmu.model->counting(state);
	return true;
}

const struct model_profile *vpmu_profile(void)
{
	return vpmu.profile;
}

void vpmu_call(void (*fn)(void *), void *arg)
{
	step_call(&vpmu_client, fn, arg);
}
