/*
 * Injections (inject=A+B+...) that concern the harness itself: rows of the one table of
 * pmu/virtual/injections.h. They are faults put in on purpose, to prove that checks can fail.
 *
 * wrong-signature:KERNEL:QUANTITY:DELTA   the kernel declares DELTA more of the quantity at every N; with an
 * N behind it (as in 1N), DELTA more per iteration
 *
 * processor:NUMBER:HOW[:TURN]   the processor misbehaves in the TURN-th turn that it is given (the first, if
 * none is named), as processor_spoil() (arch/processors.h) can have it: HOW is faults, hangs,
 * deaf or late
 *
 * not-masked   nothing is masked around windows: masking_spoil()
 *
 * reset:PLACE[:STEP], triple-fault:PLACE[:STEP], exception:PLACE[:STEP], hang:PLACE[:STEP]   the machine is
 * reset there, #UD is raised, or it goes on for ever with interrupts masked: PLACE is SUITE/CHECK or a stage
 * of the run (boot/progress.h), STEP a number within the check
 *
 * smi-gap   now and then a window takes longer, as if an SMI had come, and only time tells:
 * intrusion_imitate()
 *
 * silicon-rules   no fault: the virtual PMU is judged by the rules, and with the numbers, that silicon gets:
 * judge_by_silicon_rules()
 *
 * no-counters   no fault: the virtual PMU has no counters and is judged by what it records:
 * counterless_begin()
 */
#ifndef TESTS_MEASURE_INJECT_H
#define TESTS_MEASURE_INJECT_H

#include "pmu/virtual/injections.h"

/** Join the rows to the table, for injections_apply() and whoever lists it. */
void inject_join(void);

#endif
