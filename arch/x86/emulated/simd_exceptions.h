/*
 * SIMD floating-point exceptions (#XM) for a CPU that never raises them: which ones an instruction meets. SDM
 * vol. 1, 4.9.1 and 11.5; vol. 2, each instruction under its name. Of SSE and SSE2, which every x86-64 CPU
 * has; those with MMX operands, and VEX encodings, are left out.
 */
#ifndef ARCH_X86_EMULATED_SIMD_EXCEPTIONS_H
#define ARCH_X86_EMULATED_SIMD_EXCEPTIONS_H

#include "arch/x86/step/insn.h"

/** Bits of MXCSR, each also that of an exception; a mask's is 7 higher. */
enum simd_exception {
	SIMD_IE = 1 << 0,
	SIMD_DE = 1 << 1,
	SIMD_ZE = 1 << 2,
	SIMD_OE = 1 << 3,
	SIMD_UE = 1 << 4,
	SIMD_PE = 1 << 5,
	SIMD_EXCEPTIONS = 0x3f,
};
#define SIMD_MASK_SHIFT 7

/** Those of which MXCSR has the mask bit clear. */
static inline unsigned simd_unmasked(uint32_t mxcsr)
{
	return ~(mxcsr >> SIMD_MASK_SHIFT) & SIMD_EXCEPTIONS;
}

/** Registers as before the instruction. */
struct simd_operands {
	_Alignas(4) uint8_t to[16]; /* ModRM.reg, if it is a vector register */
	_Alignas(4) uint8_t
		from[16]; /* ModRM.r/m, a vector register or memory, of which it has simd_operand_size() */
	uint64_t general; /* ModRM.r/m, if it is a general register: CVTSI2SS, CVTSI2SD; of memory, too */
};

/** Bytes of the operand that ModRM.r/m names if it is in memory, 0 if the instruction is none of these. */
unsigned simd_operand_size(const uint8_t *code, const struct insn *in);

/**
 * What the instruction raises with these operands.
 * @param mxcsr as before it
 * @return 0: it raises no #XM; else the flags that MXCSR gets before the exception is delivered. Beside an
 * unmasked overflow or underflow SIMD_PE may be there that a CPU does not set: it would round with a wider
 * exponent
 */
unsigned simd_raised(const uint8_t *code, const struct insn *in, const struct simd_operands *operands,
		     uint32_t mxcsr);

#endif
