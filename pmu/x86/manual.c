#include "pmu/x86/manual.h"

#include <stddef.h>

#define SDM_LEVELS  "SDM 18.2.1.1, OS and USR"
#define SDM_APART   "SDM 18.2.1, counters are independent"
#define SDM_GLOBAL  "SDM 18.2.2, IA32_PERF_GLOBAL_CTRL"
#define SDM_INT     "SDM 18.2.1.1, INT"
#define SDM_LVT     "SDM 10.5.1, mask bit of the performance entry; 18.4.6.3"
#define SDM_PCE     "SDM 2.5, PCE; vol. 2, RDPMC"
#define SDM_MASKING "SDM 10.5.1, mask bits of the local vector table"

const struct pmu_manual x86_manual[] = {
	{"enable gating", "SDM 18.2.1.1, EN"},
	{"local enable", SDM_GLOBAL},
	{"RDPMC", "SDM vol. 2, RDPMC"},
	{"RDPMC in ring 3, CR4.PCE = 1", SDM_PCE},
	{"RDPMC in ring 3, CR4.PCE = 0", SDM_PCE},
	{"level filter", SDM_LEVELS},
	{"write rules", "SDM 18.2.1 and 18.2.5, width of writes"},
	{"wrap", "SDM 18.2.1, width from CPUID.0AH"},
	{"clock rate", "SDM 18.2.3, table 18-2"},
	{"filter", "SDM 18.2.1.1, CMASK, INV, E"},
	{"global enable", SDM_GLOBAL},
	{"busy neighbours", SDM_APART},
	{"writes beside", SDM_APART},
	{"counter exchange", "SDM 18.2.1.2, any event on any counter"},
	{"overflow status", "SDM 18.2.2, IA32_PERF_GLOBAL_STATUS and OVF_CTRL"},
	{"overflow point", "SDM 18.2.2, overflow"},
	{"interrupt, fixed", "SDM 18.2.1.1, INT; 10.5.1"},
	{"interrupt, NMI", "SDM 10.5.1, delivery mode NMI"},
	{"interrupt honours IF", "SDM 6.8.1"},
	{"interrupt while counting", SDM_INT},
	{"line masked", SDM_LVT},
	{"line mask on delivery", SDM_LVT},
	{"no interrupt unasked", SDM_INT},
	{"cascade", "SDM 18.15.5.5, 18.15.5.6"},
	{"overflow together", "SDM 18.2.2, IA32_PERF_GLOBAL_STATUS"},
	{"masked around windows", SDM_MASKING},
	{"masked while a pass runs", SDM_MASKING},
	{"pending interrupt", "SDM vol. 3, 6.8.1: IF; 10.5.1: mask bits"},
	{"sweep/counter", "SDM 18.2: an event may be counted by any general counter"},
	{"sweep/level", "SDM 18.2.1.1, USR and OS"},
	{"sweep/order", "SDM 18.2: counters do not depend on each other"},
	{"sweep/bracket", "SDM 18.2.2; vol. 2, RDPMC"},
	{"sweep/sibling", "SDM 18.2: counters are of one logical processor"},
	{"samples of any counter", "SDM 18.7.1"},
	{"load latency", "SDM 18.8.1.2"},
	{"counters held", "SDM 17.4.1, FREEZE_WHILE_SMM"},
	{"hypervisor exits", "SDM vol. 3, 26.1; APM vol. 2, 15.9"},
	{NULL, NULL},
};
