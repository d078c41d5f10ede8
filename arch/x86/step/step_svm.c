/*
 * A guest while stepping: APM vol. 2, 15.5 and 15.6. A trap flag would not outlive VMRUN, so the engine
 * carries out what VMRUN and #VMEXIT do to the registers that a frame has, and the guest's instructions are
 * stepped like any other. The guest must share all else with its host: segments, page tables, control
 * registers; it must raise no exception, and leave by VMMCALL, which is to be intercepted.
 */
#include "arch/x86/step/step_engine.h"
#include "arch/x86/cpu/vmcb.h"

#define STGI 0xdc
#define CLGI 0xdd

static struct {
	bool runs;
	uint64_t vmcb;
	struct trap_frame host; /* behind VMRUN */
} guest;

static uint64_t load(unsigned offset)
{
	uint64_t value = 0;

	step_copy(&value, (const void *)(uintptr_t)(guest.vmcb + offset), sizeof value);
	return value;
}

static void store(unsigned offset, uint64_t value)
{
	step_copy((void *)(uintptr_t)(guest.vmcb + offset), &value, sizeof value);
}

static void enter(bool inside)
{
	const struct step_client *client = step_engine.client;

	guest.runs = step_engine.guest = inside;
	if (client->world)
		client->world(client->ctx, inside);
}

void step_svm_begin(void)
{
	enter(false);
}

/* VMRUN is its host's. */
static enum step_fate vmrun(struct trap_frame *f, const struct decoded *d)
{
	guest.vmcb = f->rax;
	guest.host = *f;
	guest.host.rip += d->in.length;
	f->rip = load(VMCB_RIP);
	f->rsp = load(VMCB_RSP);
	f->rax = load(VMCB_RAX);
	f->rflags = (load(VMCB_RFLAGS) & ~RFLAGS_TF) | (f->rflags & RFLAGS_TF);
	step_carried_out(f);
	enter(true);
	return FATE_DONE;
}

/* The intercepted instruction does not retire: the VMCB says that it is the next one (15.9). */
static enum step_fate vmexit(struct trap_frame *f)
{
	step_tick();
	enter(false);
	store(VMCB_RIP, f->rip);
	store(VMCB_RSP, f->rsp);
	store(VMCB_RAX, f->rax);
	store(VMCB_RFLAGS, f->rflags & ~RFLAGS_TF);
	store(VMCB_EXIT_CODE, VMEXIT_VMMCALL);
	f->rip = guest.host.rip;
	f->rsp = guest.host.rsp;
	f->rax = guest.host.rax;
	f->rflags = guest.host.rflags;
	return FATE_DONE;
}

enum step_fate step_svm(struct trap_frame *f, const struct decoded *d)
{
	uint8_t which = ((const uint8_t *)d->bytes)[d->in.length - 1];
	uint32_t efer, high;

	__asm__ volatile("rdmsr" : "=a"(efer), "=d"(high) : "c"(MSR_EFER));
	if (f->cs & 3 || !(efer & EFER_SVME))
		return FATE_CPU; /* raises what it raises */
	if (which == VMMCALL_BYTE)
		return guest.runs ? vmexit(f) : FATE_CPU;
	if (which == STGI || which == CLGI)
		return step_carried_out_next(f, d);
	return vmrun(f, d);
}
