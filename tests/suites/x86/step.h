/*
 * The suite `step`: what the step engine promises, on snippets whose instructions the assembler counts.
 *
 * A snippet is position independent and is copied before it runs. At its start RDI is a page-aligned data
 * area of STEP_DATA_SIZE bytes with an absent page behind it, RSI the distance from its own bytes to their
 * writable alias, RDX the end of the data area, RBP where the copy lies, everything else 0; at its end RAX is
 * the result that is checked.
 */
#ifndef TESTS_SUITES_X86_STEP_H
#define TESTS_SUITES_X86_STEP_H

#define STEP_DATA_SIZE 0x2000

#define RING_0     1
#define RING_3     2
#define BOTH_RINGS 3
/* Besides: QEMU's TCG, which is known for it, does otherwise without stepping: error codes with a gate's
 * number have 16 times the vector, INT1 is #UD, an address off RBP that is not canonical is #GP, IRET to one
 * comes to its end first, MOV SS holds nothing back. */
#define TCG_DIFFERS 4

/* What is prepared before a snippet runs. */
#define SETUP_NONE       0
#define SETUP_IPI        1 /* VECTOR_TEST is requested, with IF = 0 */
#define SETUP_TIMER      2 /* the APIC timer fires VECTOR_TIMER once, after 300 us */
#define SETUP_SYSCALL    3 /* LSTAR leads to step_on_syscall, and FMASK has TF, IF and DF */
#define SETUP_SYSENTER   4 /* SYSENTER leads to step_on_sysenter */
#define SETUP_PMI        5 /* the virtual PMU's PMC0 overflows with the fifth instruction; LVT entry: fixed */
#define SETUP_PMI_NMI    6
#define SETUP_PMI_MASKED 7
#define SETUP_GATES      8 /* the gate of INT3 is ring 0's, that of STEP_NO_GATE is absent */

#define STEP_NO_GATE 0x45

#ifndef __ASSEMBLER__

#include "tests/judge/check.h"

#include <stdint.h>

struct step_snippet {
	const char *name, *manual;
	const uint8_t *code, *end;
	uint64_t instructions; /* between the oracle's markers, handlers included */
	uint64_t rings;
	int64_t result;
	uint64_t vector; /* whose gate leads to: */
	const void *handler;
	uint64_t setup;
	uint64_t offset; /* in the first page, where it is put */
	struct {
		const char *quantity; /* "": none */
		uint64_t amount;
	} also[3];
};

extern const struct step_snippet step_snippets[], step_snippets_end[];
extern const struct step_snippet step_event_snippets[], step_event_snippets_end[];
extern const uint8_t step_on_syscall[], step_on_sysenter[];

/** A check that is written in C. */
struct step_case {
	const char *name;
	int64_t (*observe)(void);
	int64_t expected;
};

extern const struct step_case step_cases[], step_event_cases[]; /* each ends with a row without a name */

#endif
#endif
