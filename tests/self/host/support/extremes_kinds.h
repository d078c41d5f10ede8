/*
 * What kinds of arithmetic a kernel's instructions are: by their opcodes, a list of its own beside the
 * signatures of tests/kernels/x86/kinds.S.
 */
#ifndef TESTS_HOST_EXTREMES_KINDS_H
#define TESTS_HOST_EXTREMES_KINDS_H

#include "tests/self/host/support/extreme_machine.h"

/** Instructions of the kind that r->quantity (ops.*) is about. */
uint64_t count_kind(const struct extreme_run *r);

#endif
