/*
 * Identity: what the processor that executes this says that it is, for reports and for finding a PMU's
 * driver. The names of the pairs are the instruction set's; whoever prints them need not know them. While
 * code is stepped for a virtual PMU, the answers are the virtual processor's.
 *
 * Example: print all of it.
 *
 *     struct identity_pair pair[IDENTITY_PAIRS];
 *     unsigned n = identity_read(pair, IDENTITY_PAIRS);
 *     for (unsigned i = 0; i < n; i++)
 *             printf("%s = %s\n", pair[i].name, pair[i].value);
 */
#ifndef ARCH_IDENTITY_H
#define ARCH_IDENTITY_H

#include <stdbool.h>

/** The instruction set that this image was built for: "x86-64". */
const char *isa_name(void);

#define IDENTITY_PAIRS 16 /* no instruction set has more */
#define IDENTITY_VALUE 64 /* bytes, with the terminating zero */

struct identity_pair {
	const char *name;
	char value[IDENTITY_VALUE]; /* text; numbers are decimal, or hexadecimal behind 0x */
};

/**
 * The pairs, the most telling ones first. Call with the machine taken.
 * x86: vendor, brand, signature (CPUID.1:EAX), family, model, stepping, microcode (SDM vol. 3, 9.11.7.1; 0x0:
 * it cannot be read).
 * @return how many there are, at most max
 */
unsigned identity_read(struct identity_pair *out, unsigned max);

/**
 * Whether a hypervisor or an emulator says that it is there (x86: CPUID.1:ECX[31]).
 * @param name gets what it calls itself (x86: CPUID.40000000H), "" if it does not or there is none
 */
#define IDENTITY_HYPERVISOR 13
bool identity_guest(char name[IDENTITY_HYPERVISOR]);

#endif
