/*
 * Firmware's set-up of the machine as a list of registers, for the check that each comes back as it was.
 */
#ifndef TESTS_SELF_MUTANTS_MACHINE_PLANTED_H
#define TESTS_SELF_MUTANTS_MACHINE_PLANTED_H

#include <stdbool.h>
#include <stdint.h>

/** One register that machine_take() may change and machine_give_back() puts back. */
struct planted {
	uint64_t (*get)(uint32_t index);
	void (*set)(uint32_t index, uint64_t value);
	uint32_t index;
	uint64_t flip; /* bits that may be any: flipped, no register does harm while interrupts are masked */
	uint64_t on;   /* bits that are 1 besides, while it is planted */
	uint64_t volatile_bits; /* read-only ones, which change by themselves */
	bool kept; /* a value of firmware's would not go with the rest of ours: it is not spoilt */
	uint64_t original, value; /* firmware's, and what was planted in its place */
};

/** Give each register of firmware's set-up a value that neither firmware nor the harness gives it. To be
 * called on firmware's side with interrupts masked. @return how many there are; *stubborn: how many kept
 * their value */
unsigned planted_plant(unsigned *stubborn);

/** While the machine is taken: the bits that were flipped are as firmware had them, as a suite that
 * uses the registers may leave them. */
void planted_spoil(void);

/** How many of the registers do not have the planted value; the place of the first in the list goes to
 * *first. */
unsigned planted_differing(unsigned *first);

/** Change one register only, and back: planted_differing() must tell. @return how many it told alone and
 * rightly */
unsigned planted_told(void);

/** Firmware's own values, in the reverse order. */
void planted_remove(void);

/** What of the machine is not as the harness wants it while it is taken, as a set of OWN_ bits. */
unsigned planted_not_ours(void);
#define OWN_CONTROL 1  /* CR0, CR4, EFER, PAT */
#define OWN_DEBUG   2  /* DR7 */
#define OWN_FLOAT   4  /* x87 control word, MXCSR */
#define OWN_APIC    8  /* priority, spurious vector, entries */
#define OWN_PIC     16 /* masks */
#define OWN_IO_APIC 32 /* mask bits */
#define OWN_HPET    64 /* runs, and no comparator interrupts */
/** Of these bits, the ones that are about something that is here. */
unsigned planted_owned(void);

#endif
