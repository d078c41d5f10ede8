/*
 * The step engine's call gate: INT STEP_GATE with one of these codes in EAX. Shared by step_engine.c and
 * step.S.
 */
#ifndef ARCH_X86_STEP_STEP_GATE_H
#define ARCH_X86_STEP_STEP_GATE_H

#define STEP_GATE        0xf1 /* VECTOR_STEP */
#define STEP_GATE_ENTER  1    /* what follows is stepped */
#define STEP_GATE_LEAVE  2    /* stepping ends: the CPU runs free, the harness's IDT is loaded */
#define STEP_GATE_PAUSE  3    /* the CPU runs free until STEP_GATE_RESUME */
#define STEP_GATE_RESUME 4    /* issued with the monitor's IDT loaded */
#define STEP_GATE_REST   5    /* as STEP_GATE_PAUSE: the CPU runs free as long as the client is idle */

#endif
