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
	bool loaded; /* software that was loaded into the processor, and may change how it counts (x86:
			microcode) */
};

/**
 * The pairs, the most telling ones first. Names are unique. Call with the machine taken.
 * x86: vendor, brand (unless the CPU has none), signature (CPUID.1:EAX), family, model, stepping, microcode
 * (SDM vol. 3, 9.11.7.1; "unknown": it cannot be read), and for each block of hypervisor leaves "hypervisor",
 * "hypervisor 2", ... with its signature and range.
 * @return how many there are, at most max
 */
unsigned identity_read(struct identity_pair *out, unsigned max);

/** A name for the processor's kind as files and folders can have it; with the machine taken or not.
 * x86: perf's, that is vendor (letters and digits alone), family (decimal), model and stepping (hexadecimal),
 * such as GenuineIntel-6-5E-3. */
#define IDENTITY_NAME 48
void identity_name(char out[IDENTITY_NAME]);

/**
 * The processor in one line, without what is loaded into it: results are filed by this line.
 * x86: "Intel(R) Core(TM) i7-6700K CPU @ 4.00GHz, family 6 model 94 stepping 3".
 */
#define IDENTITY_TITLE 128
void identity_title(char out[IDENTITY_TITLE]);

/** Gets one pair. Both texts are valid during the call alone. */
typedef void identity_each(void *to, const char *name, const char *value);

/** Hands over all pairs of something. */
typedef void identity_source(identity_each *each, void *to);

/**
 * All that the processor tells about itself and is no serial number: from it a driver can identify its PMU
 * again, on another machine and later.
 * x86: a pair for each leaf of CPUID that is not all zero: "CPUID.7H.1" is leaf 7, subleaf 1; its value is
 * EAX, EBX, ECX and EDX, "0x400810 0x0 0x0 0x0".
 */
identity_source identity_details;

/**
 * What firmware made of the machine, as far as reading tells: names are unique, and no serial number is among
 * them. Nothing is written. With the machine taken, and not stepped.
 * x86: control registers, EFER, PAT and MTRRs as firmware had them; MSRs that steer clocks, power and caches;
 * SMBIOS types 0, 1, 2 and 4; the list of ACPI's tables; the TSC's rate by each clock that there is; how many
 * system-management interrupts came in a time, where they are counted.
 */
identity_source identity_survey;

/**
 * Whether a hypervisor or an emulator says that it is there (x86: CPUID.1:ECX[31]).
 * @param name gets what it calls itself (x86: CPUID.40000000H), "" if it does not or there is none
 */
#define IDENTITY_HYPERVISOR 13
bool identity_hypervisor(char name[IDENTITY_HYPERVISOR]);

/**
 * Whether this is a machine made of software, as far as it shows: a hypervisor or an emulator says that it is
 * there, or its debug port answers (x86: port E9H, which reads as E9H; nothing is written). What only
 * emulators have may be used there, and nowhere else.
 */
bool identity_emulated(void);

#endif
