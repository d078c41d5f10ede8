/*
 * REP LODS, REPE CMPS and REPNE SCAS over their grids, which read only.
 * REPE CMPS compares memory with the same memory, REPNE SCAS looks for a value that the page of zeros does not hold: both run
 * to the end of their count.
 */
#include "tests/kernels/x86/string_grid.h"

.macro READS suffix, bytes, count, direction, align, flags=0
	REP_KERNEL rep_lods\suffix, "rep lods\suffix", \bytes, \count, \direction, \align, SOURCE, DESTINATION, 1, 0, 0, \flags
	REP_KERNEL repe_cmps\suffix, "repe cmps\suffix", \bytes, \count, \direction, \align, SOURCE, SOURCE, 2, 0, 0, \flags
	REP_KERNEL repne_scas\suffix, "repne scas\suffix", \bytes, \count, \direction, \align, SOURCE, KERNEL_ZEROS, 1, 0, 1, \flags
.endm

/* No CPU has a fast way for these, so what many elements add is more of the same, and takes the longest of all kernels to step. */
.macro GRID suffix, bytes
	READS \suffix, \bytes, 0, up, 0
	.irp direction, up, down
	.irp align, 0, 3
	READS \suffix, \bytes, 7, \direction, \align
	READS \suffix, \bytes, 64, \direction, \align, KERNEL_FINER
	.endr
	.endr
.endm

GRID b, 1
GRID w, 2
GRID l, 4
#ifndef __i386__
GRID q, 8
#endif
