/*
 * Instructions that a CPU may hand over to a hypervisor (step_exit_kinds of arch/step.h): ways in which a
 * hypervisor that carries one out can leave it out of the counts. Pure C.
 */
#ifndef PMU_VIRTUAL_HYPERVISOR_EXITS_H
#define PMU_VIRTUAL_HYPERVISOR_EXITS_H

#include "pmu/quantity/quantity.h"
#include "pmu/virtual/uarch.h"

#include <stdbool.h>
#include <stdint.h>

/** What inject= can switch on: pmu/virtual/hypervisor_exit_faults.def. */
enum hypervisor_exit_fault {
#define EXIT_FAULT(id, name, summary) EXITS_##id,
#include "pmu/virtual/hypervisor_exit_faults.def"
#undef EXIT_FAULT
	EXIT_FAULTS
};

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
