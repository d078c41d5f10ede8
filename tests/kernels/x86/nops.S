/*
 * NOPs of every length. A decoder that counts bytes, or PMU logic that sees eliminated instructions differently, shows here.
 */
#include "tests/kernels/x86/kernel.h"

KERNEL nop_lengths, "N times one NOP of each length from 1 to 9 bytes"
1:	.byte 0x90
	.byte 0x66, 0x90
	.byte 0x0f, 0x1f, 0x00
	.byte 0x0f, 0x1f, 0x40, 0x00
	.byte 0x0f, 0x1f, 0x44, 0x00, 0x00
	.byte 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00
	.byte 0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00
	.byte 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00
	.byte 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 9 + 2, 0
SIG INSN_NOP, 9, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL nop_longest, "N times four NOPs of 15 bytes, six of which are redundant prefixes"
1:	.rept 4
	.byte 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 0
SIG INSN_NOP, 4, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL nop_sled, "N times sixty-four one-byte NOPs: one instruction per byte of a cache line"
1:	.rept 64
	nop
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 64 + 2, 0
SIG INSN_NOP, 64, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL still, "N times four hundred NOPs: what needs a cause has none", flags=KERNEL_STILL
1:	.rept 400
	nop
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 400 + 2, 0
SIG INSN_NOP, 400, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL pause, "N times two PAUSE"
1:	pause
	pause
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 0
SIG INSN_PAUSE, 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
