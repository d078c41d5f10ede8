/*
 * The machine's logical processors. The harness runs on one at a time: the boot processor, which hands the
 * run over to another one and waits, halted, until it has it back. Exception vectors, stacks, watchdog and
 * step engine go with the run; what waits uses none of them. One that was never asked for is not touched.
 *
 * x86: another processor is started for each turn (INIT, start-up IPI; SDM vol. 3, 8.4). After it, it is
 * halted in code of the harness's with interrupts masked until processors_dismiss(): firmware that gathers
 * all processors for an SMI then does not wait for one that waits for a start-up IPI, and takes no SMI.
 *
 * Example: run a function on each of them.
 *
 *     for (unsigned i = 0; i < processor_count(); i++)
 *             if (processor_at(i).enabled && !processor_run(i, fn, &arg, &why))
 *                     console_text("processor %u: %s\n", i, why);
 */
#ifndef ARCH_PROCESSORS_H
#define ARCH_PROCESSORS_H

#include <stdbool.h>
#include <stdint.h>

/** No more than so many are looked after. */
#define PROCESSORS_MAX 512

struct processor {
	uint32_t id;  /* as the interrupt controller knows it (x86: APIC ID) */
	bool enabled; /* false: firmware calls it online capable, which is no processor yet */
};

/** How many there are. The boot processor is number 0, the others follow in the order of the firmware's
 * list (x86: ACPI's MADT). */
unsigned processor_count(void);

/** @param number below processor_count() */
struct processor processor_at(unsigned number);

/** The number of the one that executes this. */
unsigned processor_current(void);

/**
 * Run fn(arg) on a processor, with the machine taken there as it is on the boot processor (x86: control
 * registers, page tables, PAT, MTRRs, XCR0, local APIC, watchdog). Call on the boot processor with the
 * machine taken and outside of any trap_guard(). Number 0 is a plain call.
 *
 * The wait for another one has an end. What faults there outside of its guards ends the turn. If it gives no
 * sign of life (arming the watchdog, printing) for PROCESSOR_SILENCE_S and the time that its check has, it is
 * called back by an NMI, and if that does not help it is reset (x86: INIT; AArch64 has neither: it is given
 * up, and no other is started any more). Where nothing tells the time meanwhile (x86: the APIC timer does not
 * count), silence has no end.
 * @return false with *why, one line, if the processor does not start (fn was not called) or its turn was
 * broken off (fn did not return; its registers were dumped if it could still do so)
 */
bool processor_run(unsigned number, void (*fn)(void *), void *arg, const char **why);
#define PROCESSOR_SILENCE_S 60

/** The image is about to leave: from here on those that it started execute nothing (x86: they are as INIT
 * leaves them; AArch64: switched off). With the machine given back.
 * @return false if one may still execute the image's code: the image must not be unloaded */
bool processors_dismiss(void);

/**
 * What type of core a processor is: of some machines not all have the same PMU. Equal types have equal PMUs,
 * so that judging one of them tells of both.
 */
#define PROCESSOR_TYPE_WORDS 16
struct processor_type {
	uint32_t word[PROCESSOR_TYPE_WORDS]; /* what tells PMUs apart: the instruction set's own */
	uint8_t kind;   /* 0: all are alike; PROCESSOR_PERFORMANCE, PROCESSOR_EFFICIENCY, or
			   another kind */
	uint8_t core;   /* the same, also where all are alike; 0: it does not say */
	bool far_cache; /* it has the cache level that others of its kind may lack */
};
#define PROCESSOR_PERFORMANCE 0x40
#define PROCESSOR_EFFICIENCY  0x20

/** The type of the processor that executes this; and of a virtual one, by the identity of its profile
 * (pmu/contract/model.h). */
void processor_type_read(struct processor_type *out);
void processor_type_of(const void *identity, struct processor_type *out);

bool processor_same_type(const struct processor_type *a, const struct processor_type *b);

/** "P-core", "E-core", "LP E-core"; NULL: all are alike, or it is of a kind that has no name here.
 * @param all what is known of this machine's processors; `of` is one of them */
const char *processor_type_name(const struct processor_type *of, const struct processor_type *all,
				unsigned n);

/** How many low bits of struct processor's .id tell the logical processors of one core apart, on the one that
 * executes this. */
uint8_t processor_thread_bits(void);

/** Likewise, those apart that share a cache which only cores of one type share (x86: the level-2 cache). */
uint8_t processor_cluster_bits(void);

/** Misbehaviour, to test the harness with. */
enum processor_fault {
	PROCESSOR_SOUND,
	PROCESSOR_FAULTS,  /* raises an exception outside of any guard */
	PROCESSOR_HANGS,   /* halts, and takes NMIs */
	PROCESSOR_IS_DEAF, /* halts, with NMIs blocked */
	PROCESSOR_IS_LATE, /* comes after the wait for its start has ended */
};

/** Let a processor misbehave in its turn-th turn from now, counted from 1. One at a time. */
void processor_spoil(unsigned number, enum processor_fault fault, unsigned turn);

#endif
