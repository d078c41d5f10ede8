/*
 * Instructions that a CPU may hand over to a hypervisor: which an instruction is, and ways in which a
 * hypervisor that carries it out can leave it out of the counts. Pure C.
 */
#ifndef PMU_VIRTUAL_HYPERVISOR_EXITS_H
#define PMU_VIRTUAL_HYPERVISOR_EXITS_H

#include "arch/x86/step/insn.h"
#include "pmu/quantity/quantity.h"
#include "pmu/virtual/uarch.h"

#include <stdbool.h>
#include <stdint.h>

enum hypervisor_exit_kind {
#define EXIT(id, name, kernels) EXIT_##id,
#include "pmu/virtual/hypervisor_exits.def"
#undef EXIT
	EXIT_KINDS
};

struct hypervisor_exit_kind_info {
	const char *name;
	const char *kernels; /* globs of those it is tried by, as glob_match() takes them; "": none */
};

/** One row per kind, indexed by enum hypervisor_exit_kind. */
extern const struct hypervisor_exit_kind_info hypervisor_exit_kinds[EXIT_KINDS];

/** What decides besides the instruction's bytes. */
struct hypervisor_exit_facts {
	uint64_t rcx;     /* the register that RDMSR and WRMSR access */
	uint64_t address; /* of the memory operand */
	uint64_t apic;    /* of the page with the local APIC's registers */
};

/** The kind of a valid 64-bit instruction; EXIT_KINDS: it is none that exits. */
enum hypervisor_exit_kind hypervisor_exit_kind_of(const uint8_t *code, const struct insn *in,
						  const struct hypervisor_exit_facts *facts);

/** What inject= can switch on: pmu/virtual/hypervisor_exit_faults.def. */
enum hypervisor_exit_fault {
#define EXIT_FAULT(id, name, summary) EXITS_##id,
#include "pmu/virtual/hypervisor_exit_faults.def"
#undef EXIT_FAULT
	EXIT_FAULTS
};

extern const struct uarch_fault_info hypervisor_exit_faults[EXIT_FAULTS];

/**
 * What a hypervisor with these faults makes of an instruction that it has carried out.
 * @param faults bit per enum hypervisor_exit_fault
 * @param turn   how many came before it
 * @param terms  n terms, changed in place, with room for EXIT_OWN_TERMS more
 * @return how many of them are left
 */
#define EXIT_OWN_TERMS 4
unsigned hypervisor_exit_counted(uint32_t faults, uint32_t turn, struct qterm *terms, unsigned n);

#endif
