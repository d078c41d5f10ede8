/*
 * What CPUID says on a presented processor (arch/presented.h): its leaves, held against what the real CPU can
 * execute. Pure; presented_ask() and presented_own() of cpuid.h are what it is for.
 */
#ifndef ARCH_X86_CPU_PRESENTED_CPUID_H
#define ARCH_X86_CPU_PRESENTED_CPUID_H

#include "arch/presented.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/cpuid_table.h"

#include <stdbool.h>
#include <stdint.h>

struct presented {
	const struct cpuid_table *table;
	unsigned threads; /* logical processors of its core; 0 and 1: one */
	unsigned thread;  /* which of them asks, from 0 */
};

/** What the table itself has for a leaf, whatever the real CPU has. @return false if it says nothing of it */
bool presented_row(const struct cpuid_table *table, uint32_t leaf, uint32_t subleaf, struct cpuid_row *out);

/**
 * The answer for real->leaf, real->subleaf.
 * @param real what the real CPU says for it; all zero beyond its highest leaf
 * @param out  gets the registers; leaf and subleaf are copied
 */
void presented_answer(const struct presented *p, const struct cpuid_row *real, struct cpuid_row *out);

/** Put the test's own answers in. */
void identity_answers_give(const struct identity_answers *answers, struct cpuid_row *row);

#endif
