/*
 * The interrupt that the processor sends itself, for C and for vectors: one of those that a secure side
 * leaves to others (IHI 0048, 2.2.1, gives it 8 to 15).
 */
#ifndef ARCH_AARCH64_GIC_SELF_H
#define ARCH_AARCH64_GIC_SELF_H

#define GIC_SELF 7

#endif
