/*
 * Overflow interrupts as a check sees them: how many came, by which way, and what was found in the handler.
 */
#ifndef TESTS_MEASURE_PMI_H
#define TESTS_MEASURE_PMI_H

#include "arch/overflow.h"
#include "pmu/contract/pmu.h"

#include <stdbool.h>
#include <stdint.h>

struct pmi {
	const struct pmu *pmu;
	struct overflow_claim claim[OVERFLOW_WAYS];
	volatile unsigned maskable; /* interrupts that can be held off */
	volatile unsigned nmi;      /* NMIs while a counter had overflowed */
	volatile bool masked;       /* the counters' line, as the last handler found it */
	volatile uint64_t address;  /* where the last one interrupted */
	bool has_clock;             /* the handler first reads counter .clock ... */
	unsigned clock;
	volatile uint64_t clocked; /* ... which showed so much */
	bool goes_on;              /* the handler acknowledges what has overflowed, and arms the line again */
	volatile unsigned empty;   /* ... interrupts for which nothing had */
};

/** Take over both ways in which overflows are delivered. *p must stay where it is. Not to be stepped. */
void pmi_claim(struct pmi *p, const struct pmu *pmu);
void pmi_unclaim(void);

/** Arm the counters' line, or mask it; forget what came. */
void pmi_arm(struct pmi *p, enum overflow_way way);
void pmi_mask(struct pmi *p);

#endif
