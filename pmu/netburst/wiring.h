/*
 * How NetBurst's counters, CCCRs and ESCRs are wired. SDM vol. 3, tables 18-63, 18-65, 35-41.
 *
 * An ESCR detects events and sends up to 15 occurrences per clock to the counters of one pair (in IQ: three
 * counters) of its group; a counter listens to the ESCR that its CCCR's ESCR_SELECT names. Even ESCRs reach
 * the first pair of the group, odd ones the second; in IQ counter 16 goes with the first, 17 with the second.
 */
#ifndef PMU_NETBURST_WIRING_H
#define PMU_NETBURST_WIRING_H

#include "pmu/netburst/registers.h"

#include <stdbool.h>
#include <stdint.h>

enum netburst_group { GROUP_BPU, GROUP_MS, GROUP_FLAME, GROUP_IQ };

/** Bit n: CPUs of family 0FH, model n. There is no model 5. */
enum netburst_models {
	MODELS_ALL = 0x5f,
	MODELS_0_TO_2 = 0x07,
	MODELS_3_4_6 = 0x58,
	MODELS_2_AND_LATER = 0x5c
};

enum netburst_escr_id {
	BSU_ESCR0,
	BSU_ESCR1,
	FSB_ESCR0,
	FSB_ESCR1,
	FIRM_ESCR0,
	FIRM_ESCR1,
	FLAME_ESCR0,
	FLAME_ESCR1,
	DAC_ESCR0,
	DAC_ESCR1,
	MOB_ESCR0,
	MOB_ESCR1,
	PMH_ESCR0,
	PMH_ESCR1,
	SAAT_ESCR0,
	SAAT_ESCR1,
	U2L_ESCR0,
	U2L_ESCR1,
	BPU_ESCR0,
	BPU_ESCR1,
	IS_ESCR0,
	IS_ESCR1,
	ITLB_ESCR0,
	ITLB_ESCR1,
	CRU_ESCR0,
	CRU_ESCR1,
	IQ_ESCR0,
	IQ_ESCR1,
	RAT_ESCR0,
	RAT_ESCR1,
	SSU_ESCR0,
	MS_ESCR0,
	MS_ESCR1,
	TBPU_ESCR0,
	TBPU_ESCR1,
	TC_ESCR0,
	TC_ESCR1,
	IX_ESCR0,
	IX_ESCR1,
	ALF_ESCR0,
	ALF_ESCR1,
	CRU_ESCR2,
	CRU_ESCR3,
	CRU_ESCR4,
	CRU_ESCR5,
	ESCR_COUNT,
	ESCR_NONE = ESCR_COUNT
};

struct netburst_escr {
	const char *name;
	uint16_t msr;
	uint8_t group;     /* enum netburst_group */
	uint8_t select;    /* value of CCCR.ESCR_SELECT that names it */
	uint32_t counters; /* bit n: counter n can listen to it */
	uint8_t models;    /* enum netburst_models */
};

extern const struct netburst_escr netburst_escr[ESCR_COUNT];

#define NO_COUNTER 0xff

struct netburst_counter {
	const char *name, *cccr;
	uint8_t group;
	uint8_t cascade_from; /* the counter whose overflow starts this one when CCCR.CASCADE is set */
	uint8_t extended_cascade_from; /* likewise for bit 11 on models 2 and later; NO_COUNTER: the bit is
					  reserved */
};

extern const struct netburst_counter netburst_counter[NETBURST_COUNTERS];

/** The ESCR that counter n listens to when its CCCR selects `select`; ESCR_NONE if that is no wire on this
 * model. */
enum netburst_escr_id netburst_wire(unsigned counter, unsigned select, unsigned model);

/** The ESCR with this MSR address on this model; ESCR_NONE if there is none. */
enum netburst_escr_id netburst_escr_at(uint32_t msr, unsigned model);

/** Whether counter `to` can be started by an overflow of counter `from`, by CASCADE or (extended) by bit 11.
 */
bool netburst_cascade(unsigned from, unsigned to, bool extended, unsigned model);

#endif
