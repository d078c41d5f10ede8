/*
 * Instructions that are not left to the CPU while stepping, because they would lose or show the trap flag,
 * suppress its trap, or need the harness's IDT. SDM vol. 2, each under its name; vol. 3, 6.8.3, 6.14.
 */
#include "arch/x86/step/gather.h"
#include "arch/x86/step/step_engine.h"

#include "arch/x86/interrupts/apic.h"
#include "arch/x86/machine/descriptors.h"
#include "arch/x86/step/step_gate.h"
#include "arch/x86/time/tsc.h"
#include "arch/watchdog.h"
#include "arch/x86/cpu/cpu.h"

#include <stddef.h>

#define MSR_SYSENTER_CS  0x174
#define MSR_SYSENTER_ESP 0x175
#define MSR_SYSENTER_EIP 0x176
#define MSR_EFER         0xc0000080
#define MSR_STAR         0xc0000081
#define MSR_LSTAR        0xc0000082
#define MSR_FMASK        0xc0000084

#define LONG (sizeof(void *) == 8) /* 64-bit mode */

/* Flags that POPF and IRET load; TF is the engine's. */
#define RFLAGS_POPPED (0x247fd5ull & ~RFLAGS_TF)

static uint64_t rdmsr(uint32_t address)
{
	uint32_t low, high;

	__asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(address));
	return (uint64_t)high << 32 | low;
}

static bool canonical(uint64_t address)
{
#ifdef __i386__
	return address <= UINT32_MAX;
#else

	unsigned unused = cr4_read() & 1 << 12 ? 7 : 16; /* CR4.LA57 */
	return (uint64_t)((int64_t)(address << unused) >> unused) == address;
#endif
}

static unsigned cpl(const struct trap_frame *f)
{
	return f->cs & 3;
}

enum step_fate step_fault(struct trap_frame *f, unsigned vector, int64_t error)
{
	step_deliver(f, STEP_EXCEPTION, vector, error);
	return FATE_DONE;
}

bool step_stack_fault(const struct trap_frame *f)
{
	const struct decoded *d = step_engine.current;

	return d && f->rip == step_engine.now.rip && d->in.flags & INSN_F_MEM && !d->in.seg &&
	       (d->base == step_register_position[4] || d->base == step_register_position[5]) &&
	       !canonical(step_operand_address(d, f));
}

/* Retire the instruction with RIP as it now is. */
enum step_fate step_carried_out(struct trap_frame *f)
{
	step_tick();
	step_engine.now.did.cpl_after = f->cs & 3;
	step_retire();
	return FATE_DONE;
}

enum step_fate step_carried_out_next(struct trap_frame *f, const struct decoded *d)
{
	f->rip += d->in.length;
	return step_carried_out(f);
}

/* The flags that code at this privilege may change, out of those in `popped`. */
static uint64_t flags_loaded(const struct trap_frame *f, uint64_t popped, uint64_t mask)
{
	unsigned iopl = (f->rflags & RFLAGS_IOPL) >> 12;

	if (cpl(f) > 0)
		mask &= ~RFLAGS_IOPL;
	if (cpl(f) > iopl)
		mask &= ~RFLAGS_IF;
	return ((f->rflags & ~mask) | (popped & mask) | RFLAGS_FIXED) & ~(RFLAGS_RF | RFLAGS_VM);
}

static bool operand_size_prefix(const struct decoded *d)
{
	const uint8_t *code = (const uint8_t *)d->bytes;

	/* Prefixes come before the one-byte opcodes that this is asked for. */
	for (unsigned i = 0; i + 1 < d->in.length; i++)
		if (code[i] == 0x66)
			return true;
	return false;
}

/* The descriptor that a selector names in the harness's GDT; 0 if it names none. There is no LDT. */
static uint64_t descriptor_of(uint16_t selector)
{
	return (selector & 4) || (selector | 7) >= SELECTOR_END ? 0 : gdt[selector >> 3];
}

/* Checks before SS is loaded for code at level `cpl`: SDM vol. 2, MOV, IRET. @return the vector of the fault,
 * or 0 */
static unsigned stack_selector_fault(uint16_t selector, unsigned level)
{
	uint64_t d = descriptor_of(selector);

	if (!(selector & 0xfffc))
		return !LONG || level == 3 || (selector & 3) != level ? VECTOR_GP : 0;
	/* S = 1, data, writable; RPL = DPL = CPL. */
	if ((d >> 40 & 0x1a) != 0x12 || (d >> 45 & 3) != level || (selector & 3) != level)
		return VECTOR_GP;
	return d >> 47 & 1 ? 0 : VECTOR_SS;
}

/* The same for CS, which becomes the level: S = 1, code, of the mode's own size, RPL = DPL. */
static unsigned code_selector_fault(uint16_t selector, unsigned level)
{
	uint64_t d = descriptor_of(selector);

	if ((selector & 3) < level || (d >> 40 & 0x18) != 0x18 || (d >> 45 & 3) != (selector & 3) ||
	    !(d >> (LONG ? 53 : 54) & 1))
		return VECTOR_GP;
	return d >> 47 & 1 ? 0 : VECTOR_NP;
}

static enum step_fate popf(struct trap_frame *f, const struct decoded *d)
{
	unsigned size = operand_size_prefix(d) && !(d->in.rex & 8) ? 2 : sizeof(void *);
	uint64_t image = 0;

	if (!step_copy(&image, (const void *)(uintptr_t)f->rsp, size))
		return FATE_CPU; /* let the CPU raise the fault */
	f->rflags = flags_loaded(f, image, size == 2 ? RFLAGS_POPPED & 0xffff : RFLAGS_POPPED);
	f->rsp += size;
	return step_carried_out_next(f, d);
}

static enum step_fate iret(struct trap_frame *f, const struct decoded *d)
{
	unsigned size = d->in.rex & 8 ? 8 : operand_size_prefix(d) ? 2 : 4;
	uint8_t raw[5 * 8];
	uint64_t image[5];
	unsigned words = 5;
	struct step_engine *e = &step_engine;

	if (f->rflags & RFLAGS_NT) /* where there are tasks, the one before is missing: the CPU raises #TS */
		return LONG ? step_fault(f, VECTOR_GP, 0) : FATE_CPU;
	if (!LONG) {
		/* ESP and SS are there if the ring changes. */
		if (!step_copy(raw, (const void *)(uintptr_t)f->rsp, 3 * size))
			return FATE_CPU;
		words = (raw[size] & 3u) > cpl(f) ? 5 : 3;
	}
	if (!step_copy(raw, (const void *)(uintptr_t)f->rsp, words * size))
		return FATE_CPU;
	for (unsigned i = 0; i < words; i++) {
		image[i] = 0;
		for (unsigned b = size; b-- > 0;)
			image[i] = image[i] << 8 | raw[i * size + b];
	}
	if (!canonical(image[0]))
		return step_fault(f, VECTOR_GP, 0);
	unsigned vector = code_selector_fault((uint16_t)image[1], cpl(f));
	if (vector)
		return step_fault(f, vector, (int64_t)(image[1] & 0xfffc));
	if (words == 3) {
		image[3] = f->rsp + 3 * size;
		image[4] = f->ss;
	}
	vector = stack_selector_fault((uint16_t)image[4], image[1] & 3);
	if (vector)
		return step_fault(f, vector, (int64_t)(image[4] & 0xfffc));

	f->rflags = flags_loaded(f, image[2], RFLAGS_POPPED);
	f->rip = image[0];
	f->cs = image[1] & 0xffff;
	f->rsp = image[3];
	f->ss = image[4] & 0xffff;
	e->nmi_blocked = false;
	return step_carried_out(f);
}

/* INT n, INT3, INT1: a trap, with RIP after the instruction, through a gate that this privilege may use. */
static enum step_fate software_interrupt(struct trap_frame *f, const struct decoded *d, unsigned vector,
					 bool check)
{
	const struct idt_gate *g = &idt[vector];

	if (check && (unsigned)(g->type >> 5 & 3) < cpl(f))
		return step_fault(f, VECTOR_GP, vector << 3 | 2);
	if (!(g->type & 0x80))
		return step_fault(f, VECTOR_NP, vector << 3 | 2);
	step_carried_out_next(f, d);
	step_deliver(f, STEP_SOFT_INTERRUPT, vector, -1);
	return FATE_DONE;
}

static enum step_fate syscall(struct trap_frame *f, const struct decoded *d)
{
	if (!LONG)
		return FATE_CPU; /* there is none, or AMD's of 32 bits, which is not used */
	if (!(rdmsr(MSR_EFER) & EFER_SCE))
		return step_fault(f, VECTOR_UD, -1);
	uint64_t star = rdmsr(MSR_STAR) >> 32;

	f->rcx = f->rip + d->in.length;
	f->r11 = f->rflags & ~(RFLAGS_TF | RFLAGS_RF);
	f->rip = rdmsr(MSR_LSTAR);
	f->cs = star & 0xfffc;
	f->ss = (star & 0xfffc) + 8;
	f->rflags = (f->rflags & ~rdmsr(MSR_FMASK) & ~RFLAGS_RF) | RFLAGS_FIXED;
	return step_carried_out(f);
}

static enum step_fate sysret(struct trap_frame *f, const struct decoded *d)
{
	if (!LONG)
		return FATE_CPU;
	if (!(rdmsr(MSR_EFER) & EFER_SCE))
		return step_fault(f, VECTOR_UD, -1);
	if (!(d->in.rex & 8))
		return FATE_CPU; /* to 32-bit code, which is not stepped */
	if (cpl(f) || !canonical(f->rcx))
		return step_fault(f, VECTOR_GP, 0);
	uint64_t star = rdmsr(MSR_STAR) >> 48;

	f->rip = f->rcx;
	f->rflags = (f->r11 & 0x3c7fd7 & ~RFLAGS_TF) | RFLAGS_FIXED;
	f->cs = (star + 16) | 3;
	f->ss = (star + 8) | 3;
	return step_carried_out(f);
}

/* AMD's CPUs have neither instruction in 64-bit mode: there the CPU raises #UD itself. */
static bool has_sysenter(void)
{
	uint32_t eax = 0, ebx, ecx, edx;

	if (!LONG)
		return true;
	__asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "=c"(ecx), "=d"(edx));
	return ebx == 0x756e6547; /* "Genu" */
}

static enum step_fate sysenter(struct trap_frame *f)
{
	uint64_t selector;

	if (!has_sysenter())
		return FATE_CPU;
	selector = rdmsr(MSR_SYSENTER_CS) & 0xfffc;
	if (!selector)
		return step_fault(f, VECTOR_GP, 0);
	f->rip = rdmsr(MSR_SYSENTER_EIP);
	f->rsp = rdmsr(MSR_SYSENTER_ESP);
	f->cs = selector;
	f->ss = selector + 8;
	f->rflags &= ~(RFLAGS_VM | RFLAGS_IF | RFLAGS_RF);
	return step_carried_out(f);
}

static enum step_fate sysexit(struct trap_frame *f, const struct decoded *d)
{
	uint64_t selector;

	if (!has_sysenter() || (LONG && !(d->in.rex & 8)))
		return FATE_CPU;
	selector = rdmsr(MSR_SYSENTER_CS) & 0xfffc;
	if (!selector || cpl(f) || !canonical(f->rdx) || !canonical(f->rcx))
		return step_fault(f, VECTOR_GP, 0);
	f->rip = f->rdx;
	f->rsp = f->rcx;
	f->cs = (selector + (LONG ? 32 : 16)) | 3;
	f->ss = (selector + (LONG ? 40 : 24)) | 3;
	return step_carried_out(f);
}

/* The CPU would not trap after it, so the selector goes into the frame and IRET loads it; checks of SDM vol.
 * 2, MOV. */
static enum step_fate mov_ss(struct trap_frame *f, const struct decoded *d)
{
	uint16_t selector = 0;
	unsigned vector;
	unsigned modrm = ((const uint8_t *)d->bytes)[d->in.modrm_at];
	bool pop = !(d->in.flags & INSN_F_MODRM); /* POP SS, of 32-bit mode */

	if (pop) {
		if (!step_copy(&selector, (const void *)(uintptr_t)f->rsp, 2))
			return FATE_CPU;
	} else if (d->in.flags & INSN_F_MEM) {
		if (!step_copy(&selector, (const void *)(uintptr_t)step_engine.now.did.address, 2))
			return FATE_CPU;
	} else {
		selector = (uint16_t)*step_register(f, (modrm & 7) | (d->in.rex & 1) << 3);
	}
	vector = stack_selector_fault(selector, cpl(f));
	if (vector)
		return step_fault(f, vector, selector & 0xfffc);
	f->ss = selector;
	if (pop)
		f->rsp += operand_size_prefix(d) ? 2 : 4;
	step_engine.odd.next_shadow = true;
	return step_carried_out_next(f, d);
}

/* QEMU's emulated CPUs do not trap after it either. */
static enum step_fate sti(struct trap_frame *f, const struct decoded *d)
{
	if (cpl(f) > (f->rflags & RFLAGS_IOPL) >> 12)
		return FATE_CPU; /* raises #GP */
	step_engine.odd.next_shadow = !(f->rflags & RFLAGS_IF);
	f->rflags |= RFLAGS_IF;
	return step_carried_out_next(f, d);
}

/* It may return whenever it likes, so at once. Its hints and extensions are left to the CPU. */
static enum step_fate mwait(struct trap_frame *f, const struct decoded *d)
{
	uint32_t eax = 1, ebx, ecx, edx;

	__asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "=c"(ecx), "=d"(edx));
	if (cpl(f) || f->rcx || !(ecx & 1u << 3)) /* MONITOR */
		return FATE_CPU;
	return step_carried_out_next(f, d);
}

static uint64_t passed_since(uint64_t *last)
{
	uint64_t now = tsc_read(), passed = now - *last;

	*last = now;
	return passed;
}

static enum step_fate hlt(struct trap_frame *f, const struct decoded *d)
{
	struct step_engine *e = &step_engine;

	if (cpl(f))
		return FATE_CPU; /* raises #GP */
	step_carried_out_next(f, d);
	uint64_t last = tsc_read();
	/* The deadline may have been noticed as the instruction retired: it is attended to behind it. */
	while (!e->attention.watchdog && !step_event_due(f)) {
		if (step_deadline()) {
			step_abort(f, TRAP_WATCHDOG);
			break;
		}
		step_report_halted(passed_since(&last));
		__builtin_ia32_pause();
	}
	return FATE_DONE;
}

bool step_rep_finished(struct trap_frame *f)
{
	struct step_engine *e = &step_engine;

	e->now.did.iterations = insn_rep_iterations(&e->current->in, e->rcx, f->rcx);
	if (f->rip == e->now.rip) {
		if (insn_rep_left(&e->current->in, f->rcx))
			return false;
		/* Some CPUs trap once more before they find that no iteration is left. */
		f->rip += e->current->in.length;
	}
	return true;
}

static bool aborts_transaction(uint8_t special)
{
	const uint64_t harmless = 1ull << INSN_JCC | 1ull << INSN_LOOP | 1ull << INSN_JRCXZ |
				  1ull << INSN_XBEGIN | 1ull << INSN_XEND | 1ull << INSN_XABORT |
				  1ull << INSN_XTEST;

	return !(harmless >> special & 1);
}

/* MSRs of x2APIC mode, where it is emulated. */
static enum step_fate rdmsr_emulated(struct trap_frame *f, const struct decoded *d)
{
	uint64_t value;

	if (cpl(f) || !apic_emulated_read((uint32_t)f->rcx, &value))
		return FATE_CPU;
	f->rax = (uint32_t)value;
	f->rdx = value >> 32;
	return step_carried_out_next(f, d);
}

static enum step_fate wrmsr_emulated(struct trap_frame *f, const struct decoded *d)
{
	if (cpl(f) || !apic_emulated_write((uint32_t)f->rcx, f->rdx << 32 | (uint32_t)f->rax))
		return FATE_CPU;
	return step_carried_out_next(f, d);
}

enum step_fate step_special(struct trap_frame *f, const struct decoded *d)
{
	struct step_engine *e = &step_engine;
	const struct insn *in = &d->in;

	if (e->odd.transaction && aborts_transaction(in->special)) {
		step_carried_out_next(f, d);
		step_transaction_abort(f, 0);
		return FATE_DONE;
	}
	switch (step_ask(f, in)) {
	case STEP_RUN:
		break;
	case STEP_DONE:
		e->now.emulated = true;
		return step_carried_out_next(f, d);
	case STEP_GP:
		return step_fault(f, VECTOR_GP, 0);
	}
	switch ((enum insn_special)in->special) {
	case INSN_JCC:
	case INSN_LOOP:
	case INSN_JRCXZ:
		e->now.did.taken = insn_branch_taken(in, f->rflags, f->rcx);
		return FATE_CPU;
	case INSN_STRING:
		e->now.did.iterations = 1;
		e->rcx = f->rcx;
		return FATE_CPU;
	case INSN_MASKMOV:
		e->now.did.iterations = gather_elements((const uint8_t *)d->bytes, in);
		return FATE_CPU;
	case INSN_STI:
		return sti(f, d);
	case INSN_POPF:
		return popf(f, d);
	case INSN_IRET:
		return iret(f, d);
	case INSN_INT:
		if (in->cond == STEP_GATE) {
			f->rip += in->length;
			step_gate_call(f);
			return FATE_DONE;
		}
		return software_interrupt(f, d, in->cond, true);
	case INSN_INT3:
		return software_interrupt(f, d, VECTOR_BP, true);
	case INSN_INT1:
		return software_interrupt(f, d, VECTOR_DB, false);
	case INSN_SYSCALL:
		return syscall(f, d);
	case INSN_SYSRET:
		return sysret(f, d);
	case INSN_SYSENTER:
		return sysenter(f);
	case INSN_SYSEXIT:
		return sysexit(f, d);
	case INSN_MOV_SS:
		return mov_ss(f, d);
	case INSN_XBEGIN:
	case INSN_XEND:
	case INSN_XABORT:
	case INSN_XTEST:
		return step_transactional(f, d);
	case INSN_MWAIT:
		return mwait(f, d);
	case INSN_RDMSR:
		return rdmsr_emulated(f, d);
	case INSN_WRMSR:
		return wrmsr_emulated(f, d);
	case INSN_SVM:
		return step_svm(f, d);
	case INSN_SERIALIZE: /* the monitor's IRET serialises */
	case INSN_PAUSE:
		return step_carried_out_next(f, d);
	case INSN_HLT:
		return hlt(f, d);
	default:
		return FATE_CPU;
	}
}
