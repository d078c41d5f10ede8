/*
 * AVX-512 instructions, those that kernels use, carried out on registers in memory: SDM vol. 2, 2.7 (EVEX)
 * and each under its name. With every mask, rounding, broadcast and vector length that its encoding can ask
 * for; operands with a segment override are left out.
 */
#ifndef ARCH_X86_EMULATED_EVEX_H
#define ARCH_X86_EMULATED_EVEX_H

#include "arch/x86/step/insn.h"

/** What AVX-512 adds to the general registers. */
struct evex_state {
	uint64_t zmm[32][8];
	uint64_t opmask[8];
	uint32_t mxcsr; /* its exceptions count as masked: they set flags, but none is raised */
};

/** Copy n bytes of an operand in memory. @return false if that is not possible */
typedef bool evex_copy(void *to, const void *from, uint64_t n);

/**
 * Carry out one instruction. VRCP14 and VRSQRT14 give a correctly rounded result, which is within the error
 * that their definition allows. XMM0 to XMM2 of this CPU are used; it needs FMA for VFMADD.
 * @param in     as insn_decode() found it at `code`
 * @param r      as before it; gets its result
 * @param rflags likewise
 * @return false if it is none of those that are known, if its operand cannot be copied, or is not aligned
 * where it has to be; then nothing but perhaps memory has changed
 */
bool evex_carry_out(struct evex_state *s, const uint8_t *code, const struct insn *in,
		    struct insn_registers *r, uint64_t *rflags, evex_copy *copy);

#endif
