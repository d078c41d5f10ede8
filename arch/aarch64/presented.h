/*
 * A processor that is presented (arch/presented.h): a profile's identity (pmu/contract/model.h). Plain data.
 *
 * It is told apart by its identification registers here; those that are not listed, and what the instructions
 * do, are the real processor's.
 */
#ifndef ARCH_AARCH64_PRESENTED_H
#define ARCH_AARCH64_PRESENTED_H

#include "arch/geometry.h"

#include <stdbool.h>
#include <stdint.h>

struct presented_register {
	uint32_t number; /* SYSTEM_REGISTER() of arch/aarch64/system.h */
	uint64_t value;
};

#define PRESENTED_REGISTERS 4

struct presented_processor {
	struct presented_register reg[PRESENTED_REGISTERS]; /* number 0 ends */
	struct machine_geometry geometry;                   /* caches and TLBs; .l1d.sets 0: not told */
};

/** What an identification register holds on the processor that is presented. @return false: none is
 * presented, or this register is not told */
bool presented_register(uint32_t number, uint64_t *value);

#endif
