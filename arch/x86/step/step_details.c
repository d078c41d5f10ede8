#include "arch/x86/step/step_details.h"

#include "arch/x86/cpu/cpu.h"
#include "arch/x86/time/tsc.h"
#include "arch/x86/step/account.h"
#include "arch/x86/step/describe.h"

#include <string.h>

static void show_registers(struct step_details *d, struct step *step, const struct trap_frame *f)
{
	const uint64_t general[] = {f->rax, f->rbx, f->rcx, f->rdx, f->rsi, f->rdi, f->rbp, f->rsp,
				    f->r8,  f->r9,  f->r10, f->r11, f->r12, f->r13, f->r14, f->r15};

	d->registers.flags = f->rflags & ~RFLAGS_TF;
	d->registers.ip = f->rip;
	/* There is room for more, which stays 0. */
	for (unsigned i = 0; i < sizeof general / sizeof *general; i++)
		d->registers.general[i] = general[i];
	step->registers = &d->registers;
	step->level_after = f->cs & 3;
	step->clock = tsc_read();
}

static void show_accesses(struct step_details *d, struct step *step, const struct insn_retired *did)
{
	uint64_t turns = account_turns(did);

	step->access = NULL;
	step->n_access = 0;
	if (did->insn->special == INSN_MASKMOV)
		return;
	for (uint64_t i = 0; i < turns && step->n_access + 2 * ACCOUNT_ACCESSES <= STEP_ACCESSES; i++)
		step->n_access += account_accesses(did, i, d->access + step->n_access);
	step->access = d->access;
}

void details_of_retired(struct step_details *d, struct step *step, const struct step_retired *r)
{
	show_registers(d, step, r->after);
	show_accesses(d, step, &r->did);
	step->transfer = describe_transfer(r->about, &r->did);
	step->length = r->did.insn->length;
}

void details_of_delivered(struct step_details *d, struct step *step, const struct trap_frame *after,
			  enum step_event kind, unsigned vector)
{
	show_registers(d, step, after);
	step->transfer = account_delivery(kind);
	step->vector = (uint8_t)vector;
}

#define FXSAVE_XMM  160 /* SDM vol. 1, 10.5.1 */
#define XSAVE_UPPER 576 /* SDM vol. 1, 13.4.3: of state component 2, and CPUID.0DH.2:EBX */
#define XSAVE_SIZE  (XSAVE_UPPER + VECTORS_SIZE)

void details_of_vectors(struct step_details *d, struct step *step)
{
	static uint8_t area[XSAVE_SIZE] __attribute__((aligned(64)));

	if ((xcr0_read() & XCR0_YMM) == XCR0_YMM)
		__asm__ volatile(XSAVE " %0" : "+m"(area) : "a"(XCR0_YMM), "d"(0));
	else
		__asm__ volatile(FXSAVE " %0" : "+m"(area));
	memcpy(d->vectors, area + FXSAVE_XMM, VECTORS_SIZE);
	memcpy(d->vectors + VECTORS_SIZE, area + XSAVE_UPPER, VECTORS_SIZE);
	step->vectors = d->vectors;
}
