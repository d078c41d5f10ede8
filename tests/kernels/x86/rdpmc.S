/*
 * Reading a counter, as a profiled program does.
 */
#include "tests/kernels/x86/kernel.h"

KERNEL rdpmc, "N times RDPMC of counter 0", flags=KERNEL_SERVICE_RDPMC
1:	xor %ecx, %ecx
	rdpmc
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
