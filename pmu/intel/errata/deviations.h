/*
 * Deviations that inject= switches on in the Intel model, and what they have to remember. hooks.h says what
 * they do.
 */
#ifndef PMU_INTEL_ERRATA_DEVIATIONS_H
#define PMU_INTEL_ERRATA_DEVIATIONS_H

#include "pmu/contract/model.h"
#include "pmu/intel/registers.h"

/** The order is that of intel_injections[]. */
enum intel_injection {
#define INTEL_INJECTION(id, name, summary) INJECT_##id,
#include "pmu/intel/errata/injections.def"
#undef INTEL_INJECTION
};

/** Steps from one SMI to the next: far enough apart for a window to be taken again without another one. */
#define SMI_EVERY 4999

struct intel_deviations {
	struct model_injected active;
	bool repeat;        /* the last request is not over while status is set */
	uint16_t late;      /* steps until a request that is held back goes out; 0: there is none */
	bool hung;          /* at the next write to a register */
	bool leaked;        /* a record of what is armed is written, though nothing has occurred */
	bool stack_load;    /* this step is MOV SS or STI */
	bool on_stack_load; /* what is armed overflowed on one */
	bool strange;       /* the next branch is recorded from where none is */
	uint32_t noise;
	uint64_t fixed_control; /* as it stood when counters were started or stopped last */
	uint64_t stuck;         /* status bits that can no longer be cleared */
	uint64_t overflow_step[INTEL_GENERAL_MAX + INTEL_FIXED_MAX]; /* when the counter overflowed last */
	uint32_t delayed, held;                                      /* counters whose records are */
	uint32_t branches;                                           /* in the last-branch stack */
	uint32_t traced;                                             /* branches in the debug store area */
	uint64_t traced_from;                                        /* the last one's address */
	uint64_t last_ip;                                            /* of the last step */
	bool elided;     /* this step elides a lock */
	bool flushed;    /* event selection has been, and nothing has counted since */
	uint32_t shared; /* occurrences that two logical processors shared out */
	uint32_t stale;  /* general counters that were programmed without that */
};

#endif
