/*
 * Names and fields of registers, for people: what the bits of a value mean.
 */
#ifndef PMU_EVENTS_FIELDS_H
#define PMU_EVENTS_FIELDS_H

#include <stddef.h>
#include <stdint.h>

/**
 * One field of a register, or of several alike, or one that repeats within the register. A row of width 0
 * names the register itself, with its number behind the name if there are several.
 */
struct register_field {
	const char *name;       /* "EN"; a repeated one gets its number behind it; NULL ends the table */
	uint32_t first, last;   /* addresses that have it */
	uint8_t low, width;     /* bits */
	uint8_t repeat, stride; /* how often it occurs, and how many bits apart; 0: once */
};

/** The register's name, "register 0x..." if the table has none. @return out */
const char *register_name(const struct register_field *fields, uint32_t address, char *out, size_t size);

/**
 * The fields of a value that are not 0: "EN OS USR UMASK=0x1 EVENT=0xc0"; fields of one bit have no value.
 * Bits outside of every field come last, as "?=0x...".
 * @return length, cut to size
 */
size_t register_format(const struct register_field *fields, uint32_t address, uint64_t value, char *out,
		       size_t size);

#endif
