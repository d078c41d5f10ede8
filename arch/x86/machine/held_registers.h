/*
 * Registers that firmware may have set up so that a run suffers from it: they are changed while the machine
 * is taken, on each processor, and put back.
 */
#ifndef ARCH_X86_MACHINE_HELD_REGISTERS_H
#define ARCH_X86_MACHINE_HELD_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

enum held_register {
	/** IA32_MISC_ENABLE[22] keeps CPUID from telling leaves above 3, that of the PMU among them: SDM vol.
	 * 4, table 2-2. It is asked for only where CPUID is cut off so, which 64-bit CPUs of Intel's are not
	 * otherwise. */
	HELD_CPUID_LIMIT,
	/** C1E of AMD's families 0FH to 11H (MSR C001_0055H, SmiOnCmpHalt and C1eOnCmpHalt; BKDG of family
	 * 10H, 31116): a HLT may then stop the local APIC's timer, and an SMI come of it. */
	HELD_C1E,
	HELD_REGISTERS
};

struct held_registers {
	bool changed[HELD_REGISTERS];
	uint64_t before[HELD_REGISTERS];
};

/** How the register is read, where #GP may not do harm: msr_read_own(), or before vectors are there
 * msr_read_early(). */
typedef bool held_read(uint32_t msr, uint64_t *value);

/** Change one of them, if this CPU has it and firmware has set it so. @return whether it was changed */
bool held_change(struct held_registers *held, enum held_register which, held_read *read);

/** Put it back as it was. */
void held_put_back(struct held_registers *held, enum held_register which);

#endif
