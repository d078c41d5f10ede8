/*
 * A CPU for host tools: answers what a PMU driver asks of the machine from a profile's model, and keeps what
 * the driver writes.
 */
#ifndef TOOLS_MODEL_CPU_H
#define TOOLS_MODEL_CPU_H

#include "pmu/contract/model.h"

#include <stdbool.h>
#include <stdint.h>

#define MODEL_CPU_WRITES 256

struct model_cpu_write {
	uint32_t address;
	uint64_t value;
};

/** Power up. @return false if memory is short */
bool model_cpu_start(const struct model_profile *profile);
void model_cpu_stop(void);

/** Forget the writes so far. */
void model_cpu_forget(void);

/** The writes since then, without those that a later one made needless. @return how many */
unsigned model_cpu_writes(struct model_cpu_write out[MODEL_CPU_WRITES]);

#endif
