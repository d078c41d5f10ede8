/*
 * The handlers' part of a signature: of what a kernel causes in ring 3, what the handlers of its interrupts,
 * faults and system calls execute in ring 0. Nobody types it in: the signature says how often each is
 * entered, the handlers' code what it does.
 */
#ifndef TESTS_KERNELS_HANDLED_H
#define TESTS_KERNELS_HANDLED_H

#include "tests/kernels/kernel.h"

/** Whether a kernel that runs in ring 3 enters ring 0. */
bool kernel_leaves_level(const struct kernel *k);

/**
 * How much of quantity q the handlers execute, of what kernel_amount() says of a kernel in ring 3 at N = n.
 * What is delivered to them (exceptions, interrupts, the change to ring 0) belongs to the ring that it meets.
 * Not defined of quantities of the micro-architecture, and where a handler is more than a straight line.
 */
struct amount kernel_handled(const struct kernel *k, enum quantity q, uint64_t n);

#endif
