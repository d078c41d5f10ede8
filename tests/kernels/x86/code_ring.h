/*
 * Two rings of code in the same lines: one of a jump in each line, for caches of code, and one of lines full
 * of instructions, for caches of decoded ones. Pure: what is made is bytes that run wherever they lie.
 */
#ifndef TESTS_KERNELS_X86_CODE_RING_H
#define TESTS_KERNELS_X86_CODE_RING_H

#include <stdbool.h>
#include <stdint.h>

/** Make both rings.
 * @param bytes KERNEL_CODE_SIZE of them, which begin a line */
void code_ring_fill(uint8_t *bytes);

/** Where a segment begins.
 * @param full whether of the ring of full lines
 * @param i    any number: segments follow each other round and round
 * @return bytes from the start of the rings */
uint32_t code_ring_segment(bool full, uint64_t i);

/** Segments of a ring. */
unsigned code_ring_segments(bool full);

#endif
