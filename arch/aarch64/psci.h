/*
 * What firmware does on request (PSCI, DEN 0022): start a processor, stop one, switch the machine off or
 * reset it.
 */
#ifndef ARCH_AARCH64_PSCI_H
#define ARCH_AARCH64_PSCI_H

#include <stdint.h>

#define PSCI_CPU_OFF       UINT64_C(0x84000002)
#define PSCI_CPU_ON        UINT64_C(0xc4000003)
#define PSCI_AFFINITY_INFO UINT64_C(0xc4000004)
#define PSCI_SYSTEM_OFF    UINT64_C(0x84000008)
#define PSCI_SYSTEM_RESET  UINT64_C(0x84000009)
#define PSCI_IS_OFF        1 /* what PSCI_AFFINITY_INFO says of one */

enum board_psci { PSCI_NONE, PSCI_HVC, PSCI_SMC };

/** How it is asked, as the board's tables have it. */
extern enum board_psci psci_way;

/** @return what it answers; negative: an error, also where there is none to ask */
int64_t psci_call(uint64_t function, uint64_t a, uint64_t b, uint64_t c);

#endif
