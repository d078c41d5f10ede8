/*
 * Calls and returns.
 */
#include "tests/kernels/kernel.h"

KERNEL calls, "N times two direct calls and their returns", flags=KERNEL_CORE
1:	call 3f
	call 3f
	dec %rdi
	jnz 1b
	jmp 4f
3:	ret
4:
KERNEL_END
SIG INSTRUCTIONS, 2 + 2 + 2, 1
SIG BRANCHES, 2 + 2 + 1, 1
SIG BR_CALL_DIRECT, 2, 0
SIG BR_RET, 2, 0
SIG BR_JMP_DIRECT, 0, 1
SIG BR_COND, 1, 0
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG_STORES 2, 8
SIG_LOADS 2, 8
SIGNATURE_END
