/*
 * What identity_survey() has to know beforehand (arch/identity.h).
 */
#ifndef ARCH_X86_MACHINE_SURVEY_H
#define ARCH_X86_MACHINE_SURVEY_H

#include <stdint.h>

/** Find SMBIOS. @param entry as struct boot_info has it. @param top first address behind all that may be read
 */
void survey_init(uint64_t entry, uint64_t top);

#endif
