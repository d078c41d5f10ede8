#include "arch/x86/step/hypervisor_exits.h"

#include "arch/step.h"

#define PAGE        4096
#define X2APIC      0x800 /* the MSRs of x2APIC mode: SDM vol. 3, 10.12.1.2 */
#define X2APIC_LAST 0x8ff

_Static_assert(EXIT_KINDS < STEP_EXIT_KINDS_MAX, "a mask has a bit for each kind");

const struct step_exit_kind step_exit_kinds[] = {
#define EXIT(id, name, kernels) [EXIT_##id] = {name, kernels},
#include "arch/x86/step/hypervisor_exits.def"
#undef EXIT
};

const unsigned step_n_exit_kinds = EXIT_KINDS;
const unsigned step_exit_of_counter_read = EXIT_RDPMC, step_exit_of_register_write = EXIT_WRMSR;

static bool is_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64 ... 0x67:
	case 0xf0:
	case 0xf2:
	case 0xf3:
		return true;
	default:
		return false;
	}
}

static bool is_rex(uint8_t byte)
{
	return byte >> 4 == 4;
}

/* Opcode 0F 01: by the whole ModRM byte where that names a register, else by its reg field. */
static enum hypervisor_exit_kind of_group7(uint8_t modrm)
{
	uint8_t reg = modrm >> 3 & 7;

	if (modrm >> 6 != 3)
		return reg <= 3 ? EXIT_TABLES : reg == 7 ? EXIT_INVLPG : reg == 5 ? EXIT_KINDS : EXIT_CONTROL;
	switch (modrm) {
	case 0xc1 ... 0xc4: /* VMCALL, VMLAUNCH, VMRESUME, VMXOFF */
	case 0xd4:          /* VMFUNC */
	case 0xd8 ... 0xde: /* VMRUN, VMMCALL, VMLOAD, VMSAVE, STGI, CLGI, SKINIT */
		return EXIT_GUESTS;
	case 0xc8: /* MONITOR, MWAIT */
	case 0xc9:
	case 0xfa: /* MONITORX, MWAITX */
	case 0xfb:
		return EXIT_MWAIT;
	case 0xd1: /* XSETBV */
		return EXIT_CONTROL;
	case 0xdf: /* INVLPGA */
		return EXIT_INVLPG;
	case 0xf9:
		return EXIT_TIME; /* RDTSCP */
	default:
		return reg == 4 || reg == 6 ? EXIT_CONTROL : EXIT_KINDS; /* SMSW, LMSW */
	}
}

/* Two-byte opcodes, without 0F. */
static enum hypervisor_exit_kind of_two_bytes(const uint8_t *op)
{
	switch (op[0]) {
	case 0x00:
		return (op[1] >> 3 & 7) <= 3 ? EXIT_TABLES : EXIT_KINDS; /* SLDT, STR, LLDT, LTR */
	case 0x01:
		return of_group7(op[1]);
	case 0x06: /* CLTS */
	case 0x20: /* MOV of control registers */
	case 0x22:
		return EXIT_CONTROL;
	case 0x08: /* INVD, WBINVD */
	case 0x09:
		return EXIT_CACHES;
	case 0x21: /* MOV of debug registers */
	case 0x23:
		return EXIT_DEBUG;
	case 0x31:
		return EXIT_TIME;
	case 0x33:
		return EXIT_RDPMC;
	case 0xa2:
		return EXIT_CPUID;
	case 0xc7:
		return op[1] >> 6 == 3 && (op[1] >> 3 & 7) >= 6 ? EXIT_RANDOM : EXIT_KINDS;
	default:
		return EXIT_KINDS;
	}
}

static enum hypervisor_exit_kind of_opcode(const uint8_t *op)
{
	switch (op[0]) {
	case 0x0f:
		return of_two_bytes(op + 1);
	case 0x6c ... 0x6f: /* INS, OUTS */
	case 0xe4 ... 0xe7: /* IN, OUT of a port that is in the instruction */
	case 0xec ... 0xef: /* of the one in DX */
		return EXIT_PORTS;
	case 0xf4:
		return EXIT_HLT;
	default:
		return EXIT_KINDS;
	}
}

enum hypervisor_exit_kind hypervisor_exit_kind_of(const uint8_t *code, const struct insn *in,
						  const struct hypervisor_exit_facts *facts)
{
	const uint8_t *op = code, *end = code + in->length;

	if (in->special == INSN_RDMSR || in->special == INSN_WRMSR) {
		uint32_t index = (uint32_t)facts->rcx;

		return index >= X2APIC && index <= X2APIC_LAST ? EXIT_APIC
		       : in->special == INSN_RDMSR             ? EXIT_RDMSR
							       : EXIT_WRMSR;
	}
	if (in->special == INSN_PAUSE)
		return EXIT_PAUSE;
	if (in->flags & INSN_F_MEM && facts->apic && facts->address - facts->apic < PAGE)
		return EXIT_APIC;
	while (op < end && is_prefix(*op))
		op++;
	if (op < end && is_rex(*op))
		op++;
	return of_opcode(op);
}

unsigned step_exit_of_code(const struct step_code *code)
{
	const struct hypervisor_exit_facts none = {0};
	struct insn in;

	for (const uint8_t *p = code->begin; p < code->end && insn_decode(p, (size_t)(code->end - p), &in);
	     p += in.length)
		if (hypervisor_exit_kind_of(p, &in, &none) != EXIT_KINDS)
			return hypervisor_exit_kind_of(p, &in, &none);
	return EXIT_KINDS;
}
