/*
 * Instructions that this CPU lacks, carried out for it: each raises #UD then, and what it does is simple.
 *
 * SERIALIZE   IRET, by which the trap is left, serialises
 * PREFETCHW   a hint: nothing
 * RDPMC       of a counter that stands still at 0
 * SHA1*, SHA256*   computed (sha.h); operands in registers only
 * AVX-512     computed (evex.h). What it adds to the registers is memory here, of one processor. A
 * VEX-encoded instruction, which the CPU runs, does not clear the upper halves that are there: they must be
 * clear where it matters, as they are after emulated_clear().
 */
#ifndef ARCH_X86_EMULATED_EMULATED_H
#define ARCH_X86_EMULATED_EMULATED_H

#include "arch/x86/step/insn.h"
#include "arch/x86/exceptions/trap.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * Carry out the instruction at f->rip, which raised #UD and must be readable.
 * @param copy how to reach an operand in memory; false if it cannot be
 * @return false if it is none of these; else registers are as after it, RIP included
 */
bool emulated_carry_out(struct trap_frame *f, bool (*copy)(void *to, const void *from, uint64_t n));

/**
 * Whether the instruction at f->rip, which has not run, raises #XM, for a CPU that raises none
 * (simd_exceptions.h). MXCSR then has the flags that it gets before the exception is delivered.
 * @param in      as insn_decode() found it at `code`, which lies at f->rip or is what belongs there
 * @param address of its operand in memory, if it has one
 */
bool emulated_raises_xm(const struct trap_frame *f, const uint8_t *code, const struct insn *in,
			uint64_t address, bool (*copy)(void *to, const void *from, uint64_t n));

/** An opmask register. */
uint64_t emulated_opmask(unsigned number);

/** Clear what AVX-512 adds to the registers. */
void emulated_clear(void);

#endif
