/*
 * Memory for data of kernels besides their data area.
 */
#ifndef ARCH_AARCH64_DATA_H
#define ARCH_AARCH64_DATA_H

#include <stddef.h>
#include <stdint.h>

/** Whole pages for data, which no level executes. Called between machine_init() and the first machine_take().
 * @param size bytes, a multiple of 4096 @return NULL: there are not so many */
uint8_t *data_take(size_t size);

#endif
