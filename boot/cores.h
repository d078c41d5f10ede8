/*
 * Which processors are judged (option cpus=), one after the other, and as what.
 *
 * cpus=auto: the boot processor; of a hybrid CPU one processor of each type, that is of each one
 * that arch/processors.h tells apart. Of those that share a cache one is started, as the others are like it.
 * A virtual hybrid machine (struct model_hybrid) has its first type on the boot processor and the next ones
 * on those that follow.
 */
#ifndef BOOT_CORES_H
#define BOOT_CORES_H

#include "arch/processors.h"
#include "boot/options.h"
#include "pmu/contract/reason.h"

#include <stdbool.h>

#define CORES_MAX PROCESSORS_MAX

struct core {
	unsigned number;            /* arch/processors.h */
	uint32_t id;                /* struct processor */
	struct processor_type type; /* its own, or that of the virtual CPU that stands for it */
	uint8_t thread_bits;        /* of the ID: those that tell the logical processors of a core apart */
	uint8_t cluster_bits;       /* likewise of the cores that share a cache */
	char why[192];              /* not empty: it did not start, or was given up, and is not judged */
};

struct cores {
	unsigned count;
	bool several; /* results are to name the processor */
	struct core core[CORES_MAX];
};

/**
 * Find them, and report what of the machine is not judged and why. Machine taken.
 * @param inject what inject= leaves for models
 * @return false with *why, one line, if the options ask for what is not there
 */
bool cores_choose(const struct options *o, const char *inject, struct cores *out, struct reason *why);

/** The options as they hold on this processor: pmu= names its profile if the machine is a virtual hybrid one.
 */
void core_options(const struct options *o, const struct core *core, struct options *own);

/** Tell the report that this processor is not judged any more. @param why one line */
void core_give_up(struct core *core, const char *why);

/** Tell the report that from now on this processor is judged. */
void core_announce(const struct cores *cores, const struct core *core);

#endif
