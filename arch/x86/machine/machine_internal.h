/*
 * Taking the machine over on a second processor, while the first one waits.
 */
#ifndef ARCH_X86_MACHINE_MACHINE_INTERNAL_H
#define ARCH_X86_MACHINE_MACHINE_INTERNAL_H

#include <stdbool.h>

/** On a processor that was just started, while the machine is taken: take this one too; devices are already.
 * machine_take() and machine_give_back() then mean this processor. @return false if it cannot be as the boot
 * processor is */
bool machine_join(void);

/** Put this processor back as it was before machine_join(). */
void machine_part(void);

/** On the boot processor, if the other one cannot do machine_part() any more: forget what it had. */
void machine_abandon(void);

#endif
