#include "tests/kernels/x86/emulation.h"
#include "tests/kernels/x86/emulators.h"
#include "tests/kernels/x86/exceptions.h"
#include "tests/kernels/x86/service.h"

#include "arch/x86/interrupts/apic.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/machine/descriptors.h"
#include "arch/x86/step/insn.h"
#include "arch/x86/emulated/emulated.h"
#include "arch/x86/emulated/simd_exceptions.h"
#include "arch/x86/step/step_cache.h"
#include "arch/x86/step/account.h"

#include <string.h>

#define X2APIC_ICR   0x830
#define NMI_PATIENCE 100000 /* turns */

/* handlers.S */
extern const uint8_t kernel_on_own_nmi[];
extern volatile uint8_t kernel_own_nmis;
bool kernel_emulated_copy(void *to, const void *from, uint64_t n);

static bool lacks_int1(const struct kernel *k)
{
	return emulator_trouble(k);
}

static bool lacks_transactions(const struct kernel *k)
{
	return kernel_transacts(k) && !cpu_has(CPU_RTM);
}

static bool may_raise_xm(const uint8_t *code, const struct insn *in)
{
	return simd_operand_size(code, in);
}

/* The registers that addresses are made of are aligned. */
static bool may_raise_ac(const uint8_t *code, const struct insn *in)
{
	const struct insn_registers zero = {.rip = 0};

	return in->flags & INSN_F_MEM &&
	       account_misaligned(&(struct insn_retired){.insn = in,
							 .address = insn_effective_address(code, in, &zero)});
}

static const struct {
	uint8_t special; /* enum insn_special */
	uint8_t first, stand_in;
	bool (*lacks)(const struct kernel *k);
	bool (*is)(const uint8_t *code, const struct insn *in); /* NULL: .special says it */
} replaced[] = {
	{INSN_XBEGIN, 0xc7, STAND_IN_C7, lacks_transactions, NULL},
	{INSN_RDMSR, 0x0f, STAND_IN_0F, services_lend_x2apic, NULL},
	{INSN_WRMSR, 0x0f, STAND_IN_0F, services_lend_x2apic, NULL},
	{INSN_INT1, 0xf1, STAND_IN_F1, lacks_int1, NULL},
	{INSN_PLAIN, 0xf3, STAND_IN_F3, exceptions_emulated, may_raise_xm},
	{INSN_PLAIN, 0x8b, STAND_IN_8B, exceptions_emulated, may_raise_ac},
};
#define REPLACED (sizeof(replaced) / sizeof(replaced[0]))

/* In the copy, if there is one. @return how many */
static unsigned replace(const struct kernel *k, uint8_t *copy)
{
	size_t size = k->code_end - k->code;
	unsigned count = 0;
	struct insn in;

	for (size_t at = 0; at < size && insn_decode(k->code + at, size - at, &in); at += in.length)
		for (unsigned i = 0; i < REPLACED; i++) {
			if (replaced[i].special != in.special || replaced[i].first != k->code[at] ||
			    !replaced[i].lacks(k) || (replaced[i].is && !replaced[i].is(k->code + at, &in)))
				continue;
			if (copy)
				copy[at] = replaced[i].stand_in;
			count++;
		}
	return count;
}

bool emulation_replaces(const struct kernel *k)
{
	return replace(k, NULL) > 0;
}

void services_emulate(const struct kernel *k, uint8_t *copy)
{
	replace(k, copy);
}

/* The instruction that the stand-in at `code` stands for. @return false if there is none */
static bool original(const uint8_t *code, uint8_t bytes[15], struct insn *in)
{
	for (unsigned i = 0; i < REPLACED; i++)
		if (replaced[i].stand_in == code[0]) {
			memcpy(bytes, code, 15);
			bytes[0] = replaced[i].first;
			return insn_decode(bytes, 15, in);
		}
	return false;
}

/* An NMI comes before this handler has returned: it is noted, and arrives where it would have when the
 * instruction has retired. */
static bool write_msr(uint32_t msr, uint64_t value, const void **then)
{
	struct idt_gate *g = &idt[VECTOR_NMI], gate = *g;
	bool nmi = msr == X2APIC_ICR && (value & APIC_LVT_MODE) == APIC_LVT_NMI, done;

	kernel_own_nmis = 0;
	gate_set(g, kernel_on_own_nmi, g->type, 0);
	done = apic_emulated_write(msr, value);
	for (unsigned i = 0; i < NMI_PATIENCE && nmi && !kernel_own_nmis; i++)
		cpu_relax();
	*g = gate;
	if (kernel_own_nmis)
		*then = (const void *)(uintptr_t)gate_offset(g);
	return done;
}

/* An instruction that may raise an exception: it does, or nothing is known of it. */
static uint8_t raise(struct trap_frame *f, const uint8_t *code, const struct insn *in, const void **then)
{
	struct insn_registers r = {.rip = f->rip};
	int vector;

	for (unsigned i = 0; i < 16; i++)
		r.gpr[i] = *step_register(f, i);
	vector = exceptions_raised(
		f, code,
		&(struct insn_retired){
			.insn = in,
			.cpl = f->cs & 3,
			.address = in->flags & INSN_F_MEM ? insn_effective_address(code, in, &r) : 0,
			.stack = f->rsp,
			.source = f->rsi,
			.dest = f->rdi,
			.frame = f->rbp,
		},
		kernel_emulated_copy);
	if (vector < 0)
		return EMULATION_NONE;
	*then = (const void *)(uintptr_t)gate_offset(&idt[vector]);
	return vector == VECTOR_AC ? EMULATION_FAULT_CODE : EMULATION_FAULT;
}

uint8_t emulation_carry_out(struct trap_frame *f, const void **then)
{
	uint8_t bytes[15];
	struct insn in;
	int32_t fallback;
	uint64_t value;

	*then = NULL;
	if (!original((const uint8_t *)(uintptr_t)f->rip, bytes, &in))
		return emulated_carry_out(f, kernel_emulated_copy) ? EMULATION_RETIRED : EMULATION_NONE;
	switch (in.special) {
	case INSN_XBEGIN: /* aborted at once, with no reason given */
		memcpy(&fallback, bytes + 2, sizeof(fallback));
		f->rip += (int64_t)fallback;
		f->rax = 0;
		break;
	case INSN_RDMSR:
		if (!apic_emulated_read((uint32_t)f->rcx, &value))
			return EMULATION_NONE;
		f->rax = (uint32_t)value;
		f->rdx = value >> 32;
		break;
	case INSN_WRMSR:
		if (!write_msr((uint32_t)f->rcx, f->rdx << 32 | (uint32_t)f->rax, then))
			return EMULATION_NONE;
		break;
	case INSN_INT1:
		*then = (const void *)(uintptr_t)gate_offset(&idt[VECTOR_DB]);
		break;
	default:
		return raise(f, bytes, &in, then);
	}
	f->rip += in.length;
	return EMULATION_RETIRED;
}
