/*
 * REP MOVS over its grid.
 */
#include "tests/kernels/x86/string_grid.h"

.macro GRID suffix, bytes
	REP_KERNEL rep_movs\suffix, "rep movs\suffix", \bytes, 0, up, 0, SOURCE, DESTINATION, 1, 1
	.irp count, 7, 64
	.irp direction, up, down
	.irp align, 0, 3
	REP_KERNEL rep_movs\suffix, "rep movs\suffix", \bytes, \count, \direction, \align, SOURCE, DESTINATION, 1, 1
	.endr
	.endr
	.endr
.endm

GRID b, 1
GRID w, 2
GRID l, 4
#ifndef __i386__
GRID q, 8
#endif
