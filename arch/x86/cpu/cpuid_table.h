/*
 * CPUID leaves of a virtual CPU, as the real part has them: what a profile's identity is on x86.
 *
 * A leaf not listed is answered by the real CPU, unless it lies above the highest leaf that leaf 0 of the
 * profile names: then it is all zero. Of leaf 1 the virtual PMU presents the real CPU's EBX but for the
 * number of logical processors, and of ECX and EDX only features that the real CPU has too, except those that
 * the model itself provides (PDCM).
 */
#ifndef ARCH_X86_CPU_CPUID_TABLE_H
#define ARCH_X86_CPU_CPUID_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct cpuid_row {
	uint32_t leaf, subleaf;
	uint32_t eax, ebx, ecx, edx;
};

struct cpuid_table {
	const struct cpuid_row *row; /* leaf 0 first */
	unsigned n;
};

/** The table of an array of rows. */
#define CPUID_TABLE(rows) (&(const struct cpuid_table){(rows), sizeof(rows) / sizeof(rows)[0]})

/** The table behind a profile's identity. */
static inline const struct cpuid_table *cpuid_table_of(const void *identity)
{
	return identity;
}

/** The row of a leaf; NULL: there is none. */
static inline const struct cpuid_row *cpuid_find(const struct cpuid_table *t, uint32_t leaf, uint32_t subleaf)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->row[i].leaf == leaf && t->row[i].subleaf == subleaf)
			return &t->row[i];
	return NULL;
}

/** The same, where a leaf that the CPU does not have reads 0. */
static inline const struct cpuid_row *cpuid_row_of(const struct cpuid_table *t, uint32_t leaf,
						   uint32_t subleaf)
{
	static const struct cpuid_row none;
	const struct cpuid_row *row = cpuid_find(t, leaf, subleaf);

	return row ? row : &none;
}

#endif
