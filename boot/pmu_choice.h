/*
 * Which PMU is judged: the machine's own where there is one that lives; else, on no hardware, a virtual one.
 */
#ifndef BOOT_PMU_CHOICE_H
#define BOOT_PMU_CHOICE_H

#include "boot/options.h"
#include "pmu/contract/reason.h"
#include "tests/judge/check.h"

#include <stdbool.h>

/**
 * Choose by o->pmu, calibrate (tests/judge/ladder.h; not for suite=first, which does so by steps) and fill in
 * run->pmu and run->ladder. Machine taken. The registers of the machine's own PMU are read and reported
 * before anything is written to them. With "auto", on an emulator or in a guest, a PMU that no driver fits or
 * that never ticks gives way to the virtual one; what was found is reported. On hardware there is no such way
 * out: without a driver the choice cannot be honoured, and a PMU that never ticks is what is judged. One
 * without counters that records stays, and is judged by that.
 * @param inject the model's injections
 * @return false with *why, one line, if the choice cannot be honoured
 */
bool pmu_choose(struct run *run, const struct options *o, const char *inject, struct reason *why);

/** The profile of the virtual CPU that o->pmu asks for; NULL: none is asked for. */
const char *pmu_virtual_profile(const struct options *o);

/** From now on no more of run->pmu may be used than a level of courage allows (arch/courage.h), on the
 * processor that executes this: registers, and below COURAGE_INTERRUPT neither interrupts nor records.
 * run->pmu may be NULL.
 */
void pmu_be_courageous(struct run *run, unsigned level);

/** With suite=first, whose step this is: climb the ladder with the PMU that was chosen. */
void pmu_climb(struct run *run);

/** Likewise: its registers as they are, into the report. */
void pmu_tell_registers(struct run *run);

/** Whether the virtual PMU that o->pmu asks for is known, with these injections; true if it asks for none.
 * @return false with *why, one line */
bool pmu_is_known(const struct options *o, const char *inject, struct reason *why);

/** Take every counter of the machine's own PMU out of use, for firmware's turn. Machine taken. */
void pmu_switch_off(void);

/** After firmware's last turn: say which counters of the machine's own PMU, and of the virtual one, it armed
 * again. Machine taken. */
void pmu_look_for_rearming(struct run *run);

#endif
