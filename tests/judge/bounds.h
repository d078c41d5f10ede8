/*
 * Bounds: how much of a micro-architectural quantity a kernel can produce where its signature says nothing.
 * They follow from what the kernel does architecturally, hold for any CPU of the last twenty years, and are
 * meant to catch a counter that counts something else, not to predict. Rows are the instruction set's
 * (bound_rows.h): one for each quantity, with its reason. Their numbers have a source each; the reason of a
 * row with one that nobody documents begins with "watchdog: ". x86's are in tests/kernels/x86/bounds.c.
 */
#ifndef TESTS_JUDGE_BOUNDS_H
#define TESTS_JUDGE_BOUNDS_H

#include "tests/kernels/kernel.h"

/**
 * The amount of quantity q for N = n: the signature's where it has one, else by the row of q, if there is
 * one. Rows take for granted that the kernel ran before with this N or a larger one, so that caches, TLBs and
 * predictors know it.
 */
struct amount bounds_amount(const struct kernel *k, enum quantity q, uint64_t n);

#endif
