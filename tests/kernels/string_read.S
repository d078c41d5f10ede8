/*
 * REP LODS, REPE CMPS and REPNE SCAS over their grids, which read only.
 * REPE CMPS compares memory with the same memory, REPNE SCAS looks for a value that the page of zeros does not hold: both run
 * to the end of their count.
 */
#include "tests/kernels/string_grid.h"

.macro GRID suffix, bytes
	REP_KERNEL rep_lods\suffix, "rep lods\suffix", \bytes, 0, up, 0, SOURCE, DESTINATION, 1, 0
	REP_KERNEL repe_cmps\suffix, "repe cmps\suffix", \bytes, 0, up, 0, SOURCE, SOURCE, 2, 0
	REP_KERNEL repne_scas\suffix, "repne scas\suffix", \bytes, 0, up, 0, SOURCE, KERNEL_ZEROS, 1, 0, 1
	.irp direction, up, down
	.irp align, 0, 3
	REP_KERNEL rep_lods\suffix, "rep lods\suffix", \bytes, 7, \direction, \align, SOURCE, DESTINATION, 1, 0
	REP_KERNEL repe_cmps\suffix, "repe cmps\suffix", \bytes, 7, \direction, \align, SOURCE, SOURCE, 2, 0
	REP_KERNEL repne_scas\suffix, "repne scas\suffix", \bytes, 7, \direction, \align, SOURCE, KERNEL_ZEROS, 1, 0, 1
	.endr
	.endr
.endm

GRID b, 1
GRID w, 2
GRID l, 4
GRID q, 8
