/*
 * Instructions that a CPU may hand over to a hypervisor: which an instruction is (step.exit of arch/step.h).
 * Pure C.
 */
#ifndef ARCH_X86_STEP_HYPERVISOR_EXITS_H
#define ARCH_X86_STEP_HYPERVISOR_EXITS_H

#include "arch/x86/step/insn.h"

#include <stdint.h>

enum hypervisor_exit_kind {
#define EXIT(id, name, kernels) EXIT_##id,
#include "arch/x86/step/hypervisor_exits.def"
#undef EXIT
	EXIT_KINDS
};

/** What decides besides the instruction's bytes. */
struct hypervisor_exit_facts {
	uint64_t rcx;     /* the register that RDMSR and WRMSR access */
	uint64_t address; /* of the memory operand */
	uint64_t apic;    /* of the page with the local APIC's registers */
};

/** The kind of a valid 64-bit instruction; EXIT_KINDS: it is none that exits. */
enum hypervisor_exit_kind hypervisor_exit_kind_of(const uint8_t *code, const struct insn *in,
						  const struct hypervisor_exit_facts *facts);

#endif
