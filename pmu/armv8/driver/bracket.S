/*
 * Code around a kernel that starts and stops counters, or reads one that runs. X19 to X22 are its arguments (arch/aarch64/window.c).
 *
 * A write of a register of the PMU takes effect at the next ISB at the latest (Arm ARM, D7.3).
 */
#include "pmu/contract/bracket_code.h"

	.text

/* X19: the counters. */
LABEL armv8_enable_start
	msr	pmcntenset_el0, x19
	isb				/* counted from here: 2 */
LABEL armv8_enable_start_end

LABEL armv8_enable_stop
	isb
	msr	pmcntenclr_el0, x19
	isb
LABEL armv8_enable_stop_end

/* For each counter, so many bytes: the difference of two readings. X20: mask of the width. */
	.p2align 3
LABEL armv8_read_start
	.set .Ln, 0
	.rept 31
	isb
	.inst	0xd5300000 | 1 << 19 | 3 << 16 | 14 << 12 | (8 + .Ln/8) << 8 | (.Ln%8) << 5 | 19	/* mrs x19, pmevcntr<n>_el0 */
	isb
	.set .Ln, .Ln + 1
	.endr
	isb
	mrs	x19, pmccntr_el0
	isb
	isb
	mrs	x19, s3_3_c9_c4_0		/* PMICNTR_EL0 */
	isb
LABEL armv8_read_stop
	.set .Ln, 0
	.rept 31
	isb
	.inst	0xd5300000 | 1 << 19 | 3 << 16 | 14 << 12 | (8 + .Ln/8) << 8 | (.Ln%8) << 5 | 0	/* mrs x0, pmevcntr<n>_el0 */
	isb
	sub	x0, x0, x19
	and	x0, x0, x20
	.set .Ln, .Ln + 1
	.endr
	isb
	mrs	x0, pmccntr_el0
	isb
	sub	x0, x0, x19
	and	x0, x0, x20
	isb
	mrs	x0, s3_3_c9_c4_0
	isb
	sub	x0, x0, x19
	and	x0, x0, x20
