#include "pmu/netburst/wiring.h"

/* SDM vol. 3 table 18-63. Manuals older than 245472-007 swap selects 2 and 3 for counters 12, 13 and 16 (RAT
 * and SSU); the later tables, and every driver that ran on silicon, have RAT at 2. */
const struct netburst_escr netburst_escr[ESCR_COUNT] = {
	[BSU_ESCR0] = {"BSU_ESCR0", 0x3a0, GROUP_BPU, 7, 1u << 0 | 1u << 1, MODELS_ALL},
	[BSU_ESCR1] = {"BSU_ESCR1", 0x3a1, GROUP_BPU, 7, 1u << 2 | 1u << 3, MODELS_ALL},
	[FSB_ESCR0] = {"FSB_ESCR0", 0x3a2, GROUP_BPU, 6, 1u << 0 | 1u << 1, MODELS_ALL},
	[FSB_ESCR1] = {"FSB_ESCR1", 0x3a3, GROUP_BPU, 6, 1u << 2 | 1u << 3, MODELS_ALL},
	[FIRM_ESCR0] = {"FIRM_ESCR0", 0x3a4, GROUP_FLAME, 1, 1u << 8 | 1u << 9, MODELS_ALL},
	[FIRM_ESCR1] = {"FIRM_ESCR1", 0x3a5, GROUP_FLAME, 1, 1u << 10 | 1u << 11, MODELS_ALL},
	[FLAME_ESCR0] = {"FLAME_ESCR0", 0x3a6, GROUP_FLAME, 0, 1u << 8 | 1u << 9, MODELS_ALL},
	[FLAME_ESCR1] = {"FLAME_ESCR1", 0x3a7, GROUP_FLAME, 0, 1u << 10 | 1u << 11, MODELS_ALL},
	[DAC_ESCR0] = {"DAC_ESCR0", 0x3a8, GROUP_FLAME, 5, 1u << 8 | 1u << 9, MODELS_ALL},
	[DAC_ESCR1] = {"DAC_ESCR1", 0x3a9, GROUP_FLAME, 5, 1u << 10 | 1u << 11, MODELS_ALL},
	[MOB_ESCR0] = {"MOB_ESCR0", 0x3aa, GROUP_BPU, 2, 1u << 0 | 1u << 1, MODELS_ALL},
	[MOB_ESCR1] = {"MOB_ESCR1", 0x3ab, GROUP_BPU, 2, 1u << 2 | 1u << 3, MODELS_ALL},
	[PMH_ESCR0] = {"PMH_ESCR0", 0x3ac, GROUP_BPU, 4, 1u << 0 | 1u << 1, MODELS_ALL},
	[PMH_ESCR1] = {"PMH_ESCR1", 0x3ad, GROUP_BPU, 4, 1u << 2 | 1u << 3, MODELS_ALL},
	[SAAT_ESCR0] = {"SAAT_ESCR0", 0x3ae, GROUP_FLAME, 2, 1u << 8 | 1u << 9, MODELS_ALL},
	[SAAT_ESCR1] = {"SAAT_ESCR1", 0x3af, GROUP_FLAME, 2, 1u << 10 | 1u << 11, MODELS_ALL},
	[U2L_ESCR0] = {"U2L_ESCR0", 0x3b0, GROUP_FLAME, 3, 1u << 8 | 1u << 9, MODELS_ALL},
	[U2L_ESCR1] = {"U2L_ESCR1", 0x3b1, GROUP_FLAME, 3, 1u << 10 | 1u << 11, MODELS_ALL},
	[BPU_ESCR0] = {"BPU_ESCR0", 0x3b2, GROUP_BPU, 0, 1u << 0 | 1u << 1, MODELS_ALL},
	[BPU_ESCR1] = {"BPU_ESCR1", 0x3b3, GROUP_BPU, 0, 1u << 2 | 1u << 3, MODELS_ALL},
	[IS_ESCR0] = {"IS_ESCR0", 0x3b4, GROUP_BPU, 1, 1u << 0 | 1u << 1, MODELS_ALL},
	[IS_ESCR1] = {"IS_ESCR1", 0x3b5, GROUP_BPU, 1, 1u << 2 | 1u << 3, MODELS_ALL},
	[ITLB_ESCR0] = {"ITLB_ESCR0", 0x3b6, GROUP_BPU, 3, 1u << 0 | 1u << 1, MODELS_ALL},
	[ITLB_ESCR1] = {"ITLB_ESCR1", 0x3b7, GROUP_BPU, 3, 1u << 2 | 1u << 3, MODELS_ALL},
	[CRU_ESCR0] = {"CRU_ESCR0", 0x3b8, GROUP_IQ, 4, 1u << 12 | 1u << 13 | 1u << 16, MODELS_ALL},
	[CRU_ESCR1] = {"CRU_ESCR1", 0x3b9, GROUP_IQ, 4, 1u << 14 | 1u << 15 | 1u << 17, MODELS_ALL},
	[IQ_ESCR0] = {"IQ_ESCR0", 0x3ba, GROUP_IQ, 0, 1u << 12 | 1u << 13 | 1u << 16, MODELS_0_TO_2},
	[IQ_ESCR1] = {"IQ_ESCR1", 0x3bb, GROUP_IQ, 0, 1u << 14 | 1u << 15 | 1u << 17, MODELS_0_TO_2},
	[RAT_ESCR0] = {"RAT_ESCR0", 0x3bc, GROUP_IQ, 2, 1u << 12 | 1u << 13 | 1u << 16, MODELS_ALL},
	[RAT_ESCR1] = {"RAT_ESCR1", 0x3bd, GROUP_IQ, 2, 1u << 14 | 1u << 15 | 1u << 17, MODELS_ALL},
	[SSU_ESCR0] = {"SSU_ESCR0", 0x3be, GROUP_IQ, 3, 1u << 12 | 1u << 13 | 1u << 16, MODELS_ALL},
	[MS_ESCR0] = {"MS_ESCR0", 0x3c0, GROUP_MS, 0, 1u << 4 | 1u << 5, MODELS_ALL},
	[MS_ESCR1] = {"MS_ESCR1", 0x3c1, GROUP_MS, 0, 1u << 6 | 1u << 7, MODELS_ALL},
	[TBPU_ESCR0] = {"TBPU_ESCR0", 0x3c2, GROUP_MS, 2, 1u << 4 | 1u << 5, MODELS_ALL},
	[TBPU_ESCR1] = {"TBPU_ESCR1", 0x3c3, GROUP_MS, 2, 1u << 6 | 1u << 7, MODELS_ALL},
	[TC_ESCR0] = {"TC_ESCR0", 0x3c4, GROUP_MS, 1, 1u << 4 | 1u << 5, MODELS_ALL},
	[TC_ESCR1] = {"TC_ESCR1", 0x3c5, GROUP_MS, 1, 1u << 6 | 1u << 7, MODELS_ALL},
	[IX_ESCR0] = {"IX_ESCR0", 0x3c8, GROUP_BPU, 5, 1u << 0 | 1u << 1, MODELS_ALL},
	[IX_ESCR1] = {"IX_ESCR1", 0x3c9, GROUP_BPU, 5, 1u << 2 | 1u << 3, MODELS_ALL},
	[ALF_ESCR0] = {"ALF_ESCR0", 0x3ca, GROUP_IQ, 1, 1u << 12 | 1u << 13 | 1u << 16, MODELS_ALL},
	[ALF_ESCR1] = {"ALF_ESCR1", 0x3cb, GROUP_IQ, 1, 1u << 14 | 1u << 15 | 1u << 17, MODELS_ALL},
	[CRU_ESCR2] = {"CRU_ESCR2", 0x3cc, GROUP_IQ, 5, 1u << 12 | 1u << 13 | 1u << 16, MODELS_ALL},
	[CRU_ESCR3] = {"CRU_ESCR3", 0x3cd, GROUP_IQ, 5, 1u << 14 | 1u << 15 | 1u << 17, MODELS_ALL},
	[CRU_ESCR4] = {"CRU_ESCR4", 0x3e0, GROUP_IQ, 6, 1u << 12 | 1u << 13 | 1u << 16, MODELS_ALL},
	[CRU_ESCR5] = {"CRU_ESCR5", 0x3e1, GROUP_IQ, 6, 1u << 14 | 1u << 15 | 1u << 17, MODELS_ALL},
};

/* SDM vol. 3, 18.15.5.5 and 18.15.5.6. That counter 17 is started by 15 is inferred: the manual says
 * "similar" to 16. */
const struct netburst_counter netburst_counter[NETBURST_COUNTERS] = {
	{"BPU_COUNTER0", "BPU_CCCR0", GROUP_BPU, 2, NO_COUNTER},
	{"BPU_COUNTER1", "BPU_CCCR1", GROUP_BPU, 3, NO_COUNTER},
	{"BPU_COUNTER2", "BPU_CCCR2", GROUP_BPU, 0, NO_COUNTER},
	{"BPU_COUNTER3", "BPU_CCCR3", GROUP_BPU, 1, NO_COUNTER},
	{"MS_COUNTER0", "MS_CCCR0", GROUP_MS, 6, NO_COUNTER},
	{"MS_COUNTER1", "MS_CCCR1", GROUP_MS, 7, NO_COUNTER},
	{"MS_COUNTER2", "MS_CCCR2", GROUP_MS, 4, NO_COUNTER},
	{"MS_COUNTER3", "MS_CCCR3", GROUP_MS, 5, NO_COUNTER},
	{"FLAME_COUNTER0", "FLAME_CCCR0", GROUP_FLAME, 10, NO_COUNTER},
	{"FLAME_COUNTER1", "FLAME_CCCR1", GROUP_FLAME, 11, NO_COUNTER},
	{"FLAME_COUNTER2", "FLAME_CCCR2", GROUP_FLAME, 8, NO_COUNTER},
	{"FLAME_COUNTER3", "FLAME_CCCR3", GROUP_FLAME, 9, NO_COUNTER},
	{"IQ_COUNTER0", "IQ_CCCR0", GROUP_IQ, 14, 16},
	{"IQ_COUNTER1", "IQ_CCCR1", GROUP_IQ, 15, NO_COUNTER},
	{"IQ_COUNTER2", "IQ_CCCR2", GROUP_IQ, 12, NO_COUNTER},
	{"IQ_COUNTER3", "IQ_CCCR3", GROUP_IQ, 13, 17},
	{"IQ_COUNTER4", "IQ_CCCR4", GROUP_IQ, 14, 17},
	{"IQ_COUNTER5", "IQ_CCCR5", GROUP_IQ, 15, 16},
};

static bool exists(const struct netburst_escr *e, unsigned model)
{
	return model < 8 && e->models >> model & 1;
}

enum netburst_escr_id netburst_wire(unsigned counter, unsigned select, unsigned model)
{
	if (counter >= NETBURST_COUNTERS)
		return ESCR_NONE;
	for (unsigned e = 0; e < ESCR_COUNT; e++)
		if (netburst_escr[e].select == select && netburst_escr[e].counters >> counter & 1 &&
		    exists(&netburst_escr[e], model))
			return (enum netburst_escr_id)e;
	return ESCR_NONE;
}

enum netburst_escr_id netburst_escr_at(uint32_t msr, unsigned model)
{
	for (unsigned e = 0; e < ESCR_COUNT; e++)
		if (netburst_escr[e].msr == msr && exists(&netburst_escr[e], model))
			return (enum netburst_escr_id)e;
	return ESCR_NONE;
}

bool netburst_cascade(unsigned from, unsigned to, bool extended, unsigned model)
{
	if (to >= NETBURST_COUNTERS || from >= NETBURST_COUNTERS)
		return false;
	if (extended)
		return model < 8 && MODELS_2_AND_LATER >> model & 1 &&
		       netburst_counter[to].extended_cascade_from == from;
	return netburst_counter[to].cascade_from == from;
}
