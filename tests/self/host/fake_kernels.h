/*
 * Kernels without code, for host tests of what only reads signatures. They join the linker set.
 */
#ifndef TESTS_SELF_HOST_FAKE_KERNELS_H
#define TESTS_SELF_HOST_FAKE_KERNELS_H

#include "tests/kernels/kernel.h"

#define FAKE_KERNEL(id, title, flag, ...)                                                                    \
	static const struct signature_range id##_signature[] = {__VA_ARGS__};                                \
	__attribute__((section("kernels"), used, aligned(8))) static struct kernel id = {                    \
		.name = title,                                                                               \
		.range = id##_signature,                                                                     \
		.range_end = id##_signature + sizeof(id##_signature) / sizeof(id##_signature[0]),            \
		.flags = flag,                                                                               \
	}

/* With amounts that only a range has room for. */
#define FAKE_EXACT(q, a, b)                                                                                  \
	{                                                                                                    \
		Q_##q, a, b, a, b, NULL                                                                      \
	}
#define FAKE_RANGE(q, a_low, b_low, a_high, b_high)                                                          \
	{                                                                                                    \
		Q_##q, a_low, b_low, a_high, b_high, "fake reason"                                           \
	}

#endif
