/*
 * Reading ACPI's tables (ACPI specification 6.5, 5.2.6): numbers are little endian and lie anywhere.
 */
#ifndef ARCH_AARCH64_ACPI_TABLE_H
#define ARCH_AARCH64_ACPI_TABLE_H

#include "arch/aarch64/board.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Of every table's head. */
#define ACPI_LENGTH 4
#define ACPI_HEAD   36

static inline uint32_t acpi_u32(const uint8_t *table, size_t at)
{
	uint32_t value;

	memcpy(&value, table + at, sizeof value);
	return value;
}

static inline uint64_t acpi_u64(const uint8_t *table, size_t at)
{
	uint64_t value;

	memcpy(&value, table + at, sizeof value);
	return value;
}

/** Processors and their interrupt controller (5.2.12): into gic_place, the list of processors and *b. @param
 * t the MADT, whose length is right */
void board_read_madt(const uint8_t *t, struct board *b);

#endif
