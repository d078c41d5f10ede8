/*
 * Instructions that this CPU lacks, carried out for it: each raises #UD then, and what it does is simple.
 *
 * SERIALIZE   IRET, by which the trap is left, serialises
 * PREFETCHW   a hint: nothing
 * RDPMC       of a counter that stands still at 0
 * SHA1*, SHA256*   computed (sha.h); operands in registers only
 */
#ifndef ARCH_X86_LENT_H
#define ARCH_X86_LENT_H

#include "arch/x86/trap.h"

#include <stdbool.h>

/**
 * Carry out the instruction at f->rip, which raised #UD and must be readable.
 * @return false if it is none of these; else registers are as after it, RIP included
 */
bool lent_carry_out(struct trap_frame *f);

#endif
