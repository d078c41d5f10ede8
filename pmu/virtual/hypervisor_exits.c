#include "pmu/virtual/hypervisor_exits.h"

#define PAGE        4096
#define X2APIC      0x800 /* the MSRs of x2APIC mode: SDM vol. 3, 10.12.1.2 */
#define X2APIC_LAST 0x8ff

const struct hypervisor_exit_kind_info hypervisor_exit_kinds[EXIT_KINDS] = {
#define EXIT(id, name, kernels) [EXIT_##id] = {name, kernels},
#include "pmu/virtual/hypervisor_exits.def"
#undef EXIT
};

const struct uarch_fault_info hypervisor_exit_faults[EXIT_FAULTS] = {
#define EXIT_FAULT(id, name, summary) [EXITS_##id] = {name, summary},
#include "pmu/virtual/hypervisor_exit_faults.def"
#undef EXIT_FAULT
};

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

/* What it executes itself, for instance. */
static const struct qterm hosts_own[EXIT_OWN_TERMS] = {
	{Q_UOPS, 900}, {Q_LOADS, 210}, {Q_STORES, 140}, {Q_BR_COND, 80}};

unsigned hypervisor_exit_counted(uint32_t faults, uint32_t turn, struct qterm *terms, unsigned n)
{
	unsigned kept = 0;

	if (faults >> EXITS_HOSTED & 1)
		for (unsigned i = 0; i < EXIT_OWN_TERMS; i++)
			terms[n++] = hosts_own[i];

	if (faults >> EXITS_UNCOUNTED & 1 || (faults >> EXITS_VARY & 1 && turn % 2))
		return 0;
	if (!(faults >> EXITS_EMULATED & 1))
		return n;
	for (unsigned i = 0; i < n; i++)
		if (terms[i].quantity == Q_INSTRUCTIONS || terms[i].quantity == Q_BRANCHES)
			terms[kept++] = terms[i];
	return kept;
}
