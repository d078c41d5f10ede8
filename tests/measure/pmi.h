/*
 * Overflow interrupts as a check sees them: how many came, by which way, and what was found in the handler.
 */
#ifndef TESTS_MEASURE_PMI_H
#define TESTS_MEASURE_PMI_H

#include "pmu/contract/pmu.h"

#include <stdbool.h>
#include <stdint.h>

struct pmi {
	const struct pmu *pmu;
	volatile unsigned fixed; /* interrupts on VECTOR_PMI */
	volatile unsigned nmi;   /* NMIs while a counter had overflowed */
	volatile uint32_t lvt;   /* LVT performance entry as the last handler found it */
	volatile uint64_t rip;   /* where the last one interrupted */
	bool has_clock;          /* the handler first reads counter .clock ... */
	unsigned clock;
	volatile uint64_t clocked; /* ... which showed so much */
	bool goes_on;              /* the handler acknowledges what has overflowed, and unmasks the entry */
	volatile unsigned empty;   /* ... interrupts for which nothing had */
};

/** Take over VECTOR_PMI and the NMI. Not to be stepped. */
void pmi_claim(struct pmi *p, const struct pmu *pmu);
void pmi_unclaim(void);

/** Set the LVT performance entry: VECTOR_PMI with APIC_LVT_FIXED, APIC_LVT_NMI, or with APIC_LVT_MASKED
 * added; forget what came. */
void pmi_arm(struct pmi *p, uint32_t mode);

/** Let pending maskable interrupts in: IF is 1 for two instructions. SDM vol. 2, STI. */
void pmi_let_in(void);

#endif
